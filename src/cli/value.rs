//! Values of options: sizes, dimensions, macros, kernel arguments. An error says the form expected.

use std::time::Duration;

use crate::device;
use crate::launch::{Baseline, Dim3, ElementType, Init, Number, Watch};
use crate::source::nearest;

/// What a parameter of a kernel is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KernelArgument {
    /// A scalar.
    Number(Number),
    /// A buffer of so many elements.
    Buffer(ElementType, usize, Init),
}

/// `M=4096`.
pub(super) fn size(text: &str) -> Result<(String, u64), String> {
    let expected = || "expected NAME=VALUE with a whole number, such as M=4096".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(expected)?;
    let value = value.trim().parse().map_err(|_| expected())?;
    Ok((name.trim().to_owned(), value))
}

/// `X`, `X,Y` or `X,Y,Z`.
pub(super) fn dim3(text: &str) -> Result<Dim3, String> {
    let expected =
        || "expected one to three whole numbers above 0, such as 128 or 16,16".to_owned();
    let mut dimensions = [1; 3];
    for (i, part) in text.split(',').enumerate() {
        let slot = dimensions.get_mut(i).ok_or_else(expected)?;
        *slot = part.trim().parse().map_err(|_| expected())?;
    }
    // CUDA refuses a launch of no blocks or threads (`invalid configuration argument`).
    if dimensions.contains(&0) {
        return Err(expected());
    }
    Ok(dimensions)
}

/// The id of a GPU.
pub(super) fn gpu(text: &str) -> Result<String, String> {
    match device::gpu(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(unknown) => Err(unknown.to_string()),
    }
}

/// A compute capability of the table.
pub(super) fn compute_capability(text: &str) -> Result<String, String> {
    if device::compute_capability(text).is_some() {
        return Ok(text.to_owned());
    }
    let known: Vec<&str> = device::compute_capabilities()
        .map(|row| row.cc.as_str())
        .collect();
    Err(format!(
        "there is no compute capability `{text}`; there are {}",
        known.join(", ")
    ))
}

/// `NAME` or `NAME=VALUE`.
pub(super) fn define(text: &str) -> Result<(String, String), String> {
    // As `-DNAME` does for nvcc.
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.starts_with(begins) || !name.chars().all(goes_on) {
        return Err("expected NAME or NAME=VALUE, such as TILE=32".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A number, or `TYPE[LENGTH]:INIT`.
pub(super) fn kernel_argument(text: &str) -> Result<KernelArgument, String> {
    // Integers first: `1` is an int, `1.0` and `1e3` are floats, whatever the parameter is.
    if let Ok(integer) = text.parse() {
        return Ok(KernelArgument::Number(Number::Integer(integer)));
    }
    if let Ok(float) = text.parse() {
        return Ok(KernelArgument::Number(Number::Float(float)));
    }
    let Some((type_name, rest)) = text.split_once('[') else {
        return Err(format!(
            "expected a number, or a buffer as {}",
            "TYPE[LENGTH]:INIT, such as f32[1024]:ramp"
        ));
    };
    let element = ElementType::from_name(type_name).ok_or_else(|| unknown_type(type_name))?;
    let Some((length, init)) = rest.split_once("]:") else {
        return Err(format!(
            "after the length, expected `]:` and what the buffer begins with, such as {type_name}[1024]:zero"
        ));
    };
    let length = length.parse().map_err(|_| {
        format!("`{length}` is not a length; expected a number of elements, such as 1024")
    })?;
    let init = Init::parse(init).map_err(|error| error.to_string())?;
    Ok(KernelArgument::Buffer(element, length, init))
}

fn unknown_type(name: &str) -> String {
    let names: Vec<&str> = ElementType::names().collect();
    // `float32` and `f33` are guesses at a name, not at a form.
    let guess = nearest(name, names.iter().copied());
    let guess = guess.first().map(|guess| format!("perhaps `{guess}`; "));
    format!(
        "`{name}` is not a type of elements; {}there are {}",
        guess.unwrap_or_default(),
        names.join(" ")
    )
}

/// Reads a warp, as in `0`, `3,1` or `3,1:2`.
pub(super) fn watch(text: &str) -> Result<Watch, String> {
    let expected = || "expected a block and a warp in it, such as 0:0 or 3,1:2".to_owned();
    let (block, warp) = text.split_once(':').unwrap_or((text, "0"));
    let mut index = [0; 3];
    for (at, part) in block.split(',').enumerate() {
        let place = index.get_mut(at).ok_or_else(expected)?;
        *place = part.trim().parse().map_err(|_| expected())?;
    }
    Ok(Watch {
        block: index,
        warp: warp.trim().parse().map_err(|_| expected())?,
    })
}

/// Reads an operation of NVIDIA's libraries, as in `softmax:4096x781`.
pub(super) fn baseline(text: &str) -> Result<Baseline, String> {
    Baseline::parse(text).map_err(|error| error.to_string())
}

/// Reads a time in seconds, as in `10` or `0.5`.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = duration.filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| "expected seconds above zero, such as 10 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_numbers_or_buffers() {
        let argument = |text| kernel_argument(text).expect("parses");
        assert_eq!(
            argument("f32[8]:perm:7"),
            KernelArgument::Buffer(ElementType::F32, 8, Init::Perm(7))
        );
        assert_eq!(argument("-3"), KernelArgument::Number(Number::Integer(-3)));
        assert_eq!(
            argument("1e3"),
            KernelArgument::Number(Number::Float(1000.0))
        );
    }

    #[test]
    fn a_bad_argument_says_what_is_expected() {
        for (text, says) in [
            ("ramp", "TYPE[LENGTH]:INIT"),
            ("f33[8]:ramp", "perhaps `f32`"),
            ("f32[8]", "`]:`"),
            ("f32[x]:zero", "`x` is not a length"),
            ("f32[8]:ones", "one of zero, one"),
            ("f32[8]:mod:0", "mod:K"),
        ] {
            let message = kernel_argument(text).expect_err("does not parse");
            assert!(message.contains(says), "{text}: {message}");
        }
    }

    #[test]
    fn dimensions_and_sizes_and_macros_read_or_say_the_form() {
        assert_eq!(dim3("2,3"), Ok([2, 3, 1]));
        assert!(dim3("0").is_err() && dim3("1,2,3,4").is_err() && dim3("").is_err());
        assert_eq!(size("M=5"), Ok(("M".to_owned(), 5)));
        assert!(size("M").is_err_and(|message| message.contains("M=4096")));
        assert!(define("3=4").is_err() && define("").is_err());
    }
}
