//! Limits of PyTorch's types, which files keep in constants: `tl.constexpr(torch.finfo(torch.float32).min)`.

use super::arguments::Arguments;
use super::builder::{Traceable, refuse};
use super::value::Traced;

/// `torch.finfo(torch.float32)`, or `torch.iinfo` of an integer: a name whose members are numbers.
pub fn limits_of(path: &str, given: &Arguments) -> Traceable<Traced> {
    if let Traced::Path(ty) = given.need(0, "type")?
        && let Some(ty) = ty.strip_prefix("torch.")
        && let limits = format!("{path}.{ty}")
        && limit(&format!("{limits}.max")).is_some()
    {
        return Ok(Traced::Path(limits));
    }
    let example = if path.ends_with("finfo") {
        "float32"
    } else {
        "int32"
    };
    let message = format!("`{path}` takes a type of PyTorch, such as `torch.{example}`");
    refuse(given.span, message)
}

/// The number that a member is, such as `torch.finfo.float32.max`.
pub fn limit(path: &str) -> Option<Traced> {
    let (kind, rest) = path.strip_prefix("torch.")?.split_once('.')?;
    let (ty, member) = rest.split_once('.')?;
    match kind {
        "finfo" => limit_of_float(ty, member).map(Traced::Float),
        "iinfo" => limit_of_integer(ty, member).map(Traced::Integer),
        _ => None,
    }
}

fn limit_of_float(ty: &str, member: &str) -> Option<f64> {
    let (exponent_bits, fraction_bits) = match ty {
        "float16" | "half" => (5, 10),
        "bfloat16" => (8, 7),
        "float32" | "float" => (8, 23),
        "float64" | "double" => (11, 52),
        _ => return None,
    };
    let most_exponent = (1 << (exponent_bits - 1)) - 1;
    let unit = 2_f64.powi(-fraction_bits);
    let most = (2.0 - unit) * 2_f64.powi(most_exponent);
    match member {
        "max" => Some(most),
        "min" => Some(-most),
        "eps" => Some(unit),
        "tiny" | "smallest_normal" => Some(2_f64.powi(1 - most_exponent)),
        _ => None,
    }
}

fn limit_of_integer(ty: &str, member: &str) -> Option<i128> {
    let (bits, is_signed) = match ty {
        "uint8" => (8, false),
        "int8" => (8, true),
        "int16" | "short" => (16, true),
        "int32" | "int" => (32, true),
        "int64" | "long" => (64, true),
        _ => return None,
    };
    match (member, is_signed) {
        ("max", _) => Some((1 << (bits - i128::from(is_signed))) - 1),
        ("min", true) => Some(-(1 << (bits - 1))),
        ("min", false) => Some(0),
        _ => None,
    }
}
