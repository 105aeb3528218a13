//! NumPy's file format, versions 1 to 3, arrays of numbers in C order.
//!
//! A file is a magic word, a header and the elements. The header is a Python literal, and is read as one:
//! `{"shape":(3,), 'fortran_order' :False,"descr":'<f4'}` says the same as what NumPy itself writes. Format:
//! `numpy.lib.format` of NumPy's reference.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::literal::{Literal, parse};
use crate::launch::ElementType;
use crate::source::open_regular;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header that is read: NumPy itself refuses one of over 10,000 bytes.
const MAX_HEADER_BYTES: u32 = 64 << 10;
/// Headers end so that the elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// What a header says.
struct Header {
    element: ElementType,
    is_big_endian: bool,
    /// NumPy's name of the type, as in `<f4`.
    descr: String,
    length: usize,
}

/// The bytes of the array in `path`, little-endian, if it has `length` elements of type `element`; else why not.
pub(crate) fn read(path: &Path, element: ElementType, length: usize) -> Result<Vec<u8>, String> {
    let (mut file, header) = open(path)?;
    let wanted = descr_of(element);
    if descr_of(header.element) != wanted {
        let found = &header.descr;
        return Err(format!("holds {found}, but the buffer is {wanted}"));
    }
    if header.length != length {
        let found = header.length;
        return Err(format!("holds {found} elements, but the buffer {length}"));
    }
    header.elements(&mut file)
}

/// The type of the array in `path` and its elements, little-endian, at most `most_elements`; else why not. NumPy has
/// no bf16: where `like` is that, 16-bit integers are such.
pub(crate) fn read_any(
    path: &Path,
    like: ElementType,
    most_elements: usize,
) -> Result<(ElementType, Vec<u8>), String> {
    let (mut file, header) = open(path)?;
    // Before anything is allocated.
    if header.length > most_elements {
        let found = header.length;
        return Err(format!(
            "holds {found} elements, but the buffer {most_elements}"
        ));
    }
    let is_alike = descr_of(header.element) == descr_of(like);
    let element = if is_alike { like } else { header.element };
    Ok((element, header.elements(&mut file)?))
}

/// `elements`, little-endian, as such a file of version 1 and one dimension.
pub(crate) fn npy_bytes(element: ElementType, elements: &[u8]) -> Vec<u8> {
    let (descr, length) = (descr_of(element), elements.len() / element.size_bytes());
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({length},), }}");
    // Magic word, two bytes of the version, two of the header's length; and a newline at its end.
    let before = MAGIC.len() + 4;
    let padding = ALIGNMENT - (before + header.len() + 1) % ALIGNMENT;
    header += &" ".repeat(padding % ALIGNMENT);
    header.push('\n');
    // A number of 20 digits at most is in it.
    let size_bytes = (header.len() as u16).to_le_bytes();
    [MAGIC, &[1, 0], &size_bytes, header.as_bytes(), elements].concat()
}

fn open(path: &Path) -> Result<(File, Header), String> {
    let opened = open_regular(path, OpenOptions::new().read(true));
    let mut file = opened.map_err(|error| error.to_string())?;
    let text = header_text(&mut file)?;
    let header = Header::parse(&text)?;
    Ok((file, header))
}

/// The header, up to which `file` is read.
fn header_text(file: &mut File) -> Result<String, String> {
    let cut = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => "ends within its header: not a NumPy file".to_owned(),
        _ => error.to_string(),
    };
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(cut)?;
    let [magic @ .., major, minor] = start;
    if magic != MAGIC {
        return Err(
            "not a NumPy file: these begin with \\x93NUMPY; `numpy.save` writes one".into(),
        );
    }
    // Version 1 has two bytes for the header's length, later ones four.
    let length_bytes = match (major, minor) {
        (1, 0) => 2,
        (2 | 3, 0) => 4,
        _ => {
            return Err(format!(
                "is of version {major}.{minor} of NumPy's format, of which 1.0, 2.0 and 3.0 are read"
            ));
        }
    };
    let mut length = [0; 4];
    file.read_exact(&mut length[..length_bytes]).map_err(cut)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_HEADER_BYTES {
        return Err(format!(
            "has a header of {length} bytes; at most {MAX_HEADER_BYTES} are read"
        ));
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text).map_err(cut)?;
    // Latin-1 up to version 2, UTF-8 since: what is read of it is ASCII.
    String::from_utf8(text).map_err(|_| "its header is no text".to_owned())
}

/// What a header has to say, each once.
const KEYS: [&str; 3] = ["descr", "fortran_order", "shape"];

/// The values of [`KEYS`] in the dictionary `text`.
fn values(text: &str) -> Result<[Literal; 3], String> {
    let literal = parse(text).map_err(|why| format!("its header is no Python literal: {why}"))?;
    let Literal::Dict(entries) = literal else {
        return Err(format!(
            "its header is {literal}, and a dictionary is expected"
        ));
    };
    let mut values = [None, None, None];
    for (key, value) in entries {
        let is = |name: &&str| key == Literal::Text((*name).to_owned());
        let Some(at) = KEYS.iter().position(is) else {
            let known = KEYS.join(", ");
            return Err(format!("its header has a key {key}; NumPy knows {known}"));
        };
        // Of two the last would count in Python; NumPy writes none twice.
        if values[at].replace(value).is_some() {
            return Err(format!("its header says `{}` twice", KEYS[at]));
        }
    }
    let missing = |at: usize| format!("its header does not say `{}`", KEYS[at]);
    let [descr, order, shape] = values;
    Ok([
        descr.ok_or_else(|| missing(0))?,
        order.ok_or_else(|| missing(1))?,
        shape.ok_or_else(|| missing(2))?,
    ])
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let [descr, order, shape] = values(text)?;
        let length = length(shape)?;
        match order {
            Literal::Bool(false) => {}
            Literal::Bool(true) => {
                return Err("is in Fortran order; save it with order='C'".to_owned());
            }
            other => {
                return Err(format!(
                    "its `fortran_order` is {other}, neither True nor False"
                ));
            }
        }
        let (element, is_big_endian, descr) = element(descr)?;
        Ok(Header {
            element,
            is_big_endian,
            descr,
            length,
        })
    }

    /// The elements, little-endian: what is left of `file` has to be as long as they are.
    fn elements(&self, file: &mut File) -> Result<Vec<u8>, String> {
        let size = self.element.size_bytes();
        let too_large = || {
            format!(
                "its {} elements are more than any memory holds",
                self.length
            )
        };
        let expected = self.length.checked_mul(size).ok_or_else(too_large)?;
        let seek = |error: io::Error| error.to_string();
        let at = io::Seek::stream_position(file).map_err(seek)?;
        let found = file.metadata().map_err(seek)?.len().saturating_sub(at);
        if found != expected as u64 {
            let verb = if found < expected as u64 {
                "is cut off"
            } else {
                "is too long"
            };
            return Err(format!(
                "{verb}: {} elements of {} take {expected} bytes, and {found} are after its header",
                self.length, self.descr
            ));
        }
        let mut bytes = vec![0; expected];
        file.read_exact(&mut bytes).map_err(seek)?;
        if self.is_big_endian {
            bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(bytes)
    }
}

/// The number of elements of a `shape`.
fn length(shape: Literal) -> Result<usize, String> {
    let wrong = format!("its shape is {shape}, and a tuple of lengths is expected");
    let Literal::Tuple(sides) = shape else {
        return Err(wrong);
    };
    let mut length = 1_usize;
    for side in sides {
        let Literal::Integer(side) = side else {
            return Err(wrong);
        };
        let side = usize::try_from(side).map_err(|_| wrong.clone())?;
        // (2^60 + 1, 16) has more elements than 64 bits can count, and must not become 16 of them.
        length = length
            .checked_mul(side)
            .ok_or_else(|| format!("{wrong} of fewer than 2^64 elements"))?;
    }
    Ok(length)
}

/// The type of a `descr`, whether it is big-endian, and its text.
fn element(descr: Literal) -> Result<(ElementType, bool, String), String> {
    let unknown = format!(
        "holds {descr}; arrays of {} are read",
        ElementType::names()
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join(" ")
    );
    let Literal::Text(text) = descr else {
        return Err(unknown);
    };
    let (order, kind) = match text.strip_prefix(['<', '>', '=', '|']) {
        Some(kind) => (text.chars().next(), kind),
        None => (None, text.as_str()),
    };
    use ElementType::*;
    let element = match kind {
        "f8" => F64,
        "f4" => F32,
        "f2" => F16,
        "i8" => I64,
        "u8" => U64,
        "i4" => I32,
        "u4" => U32,
        "i2" => I16,
        "u2" => U16,
        "i1" => I8,
        // Of a byte, 0 or 1.
        "u1" | "b1" => U8,
        _ => return Err(unknown),
    };
    // `=` and none are the order of the machine that reads.
    let is_native_big = cfg!(target_endian = "big") && !matches!(order, Some('<' | '|'));
    let is_big_endian = order == Some('>') || is_native_big;
    Ok((element, is_big_endian, text))
}

/// NumPy has no bf16 and no floats of 8 bits: such files hold their bits as integers.
fn descr_of(element: ElementType) -> &'static str {
    use ElementType::*;
    match element {
        F64 => "<f8",
        F32 => "<f4",
        F16 => "<f2",
        Bf16 | U16 => "<u2",
        I64 => "<i8",
        U64 => "<u8",
        I32 => "<i4",
        U32 => "<u4",
        I16 => "<i2",
        I8 => "|i1",
        U8 | F8E4M3 | F8E5M2 => "|u1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a version, with a header and elements.
    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let length = header.len() as u32;
        let length = match version {
            1 => (length as u16).to_le_bytes().to_vec(),
            _ => length.to_le_bytes().to_vec(),
        };
        [MAGIC, &[version, 0], &length, header.as_bytes(), data].concat()
    }

    fn read_bytes(bytes: &[u8], element: ElementType, length: usize) -> Result<Vec<u8>, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("is written");
        read(file.path(), element, length)
    }

    const ONE_TWO: [u8; 4] = [1, 0, 2, 0];

    #[test]
    fn a_header_is_read_as_python_would() {
        for header in [
            "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }           \n",
            "{\"shape\":(1,2),'fortran_order':False,\n\t'descr' : \"<i2\"}",
            "{'descr':'=i2','fortran_order':False,'shape':(2L, 1,1)}",
            "{'descr':'i2','fortran_order':False,'shape':(0x2,)}",
        ] {
            for version in 1..=3 {
                let read = read_bytes(&file(version, header, &ONE_TWO), ElementType::I16, 2);
                assert_eq!(read.as_deref(), Ok(&ONE_TWO[..]), "{version} {header}");
            }
        }
    }

    #[test]
    fn big_endian_elements_are_turned_and_a_scalar_is_one() {
        let header = "{'descr': '>i2', 'fortran_order': False, 'shape': ()}";
        let read = read_bytes(&file(1, header, &[1, 2]), ElementType::I16, 1);
        assert_eq!(read, Ok(vec![2, 1]));
    }

    #[test]
    fn what_is_not_such_an_array_says_what_it_is() {
        let with = |descr: &str, order: &str, shape: &str| {
            format!("{{'descr':{descr},'fortran_order':{order},'shape':{shape}}}")
        };
        let plain = with("'<i2'", "False", "(2,)");
        for (header, says) in [
            (with("'<i2'", "True", "(2,)"), "Fortran order"),
            (with("'<i2'", "1", "(2,)"), "neither True nor False"),
            (
                with("'<i2'", "False", "(1152921504606846977, 16)"),
                "fewer than 2^64",
            ),
            (
                with(
                    "'<i2'",
                    "False",
                    "(99999999999999999999999999999999999999999,)",
                ),
                "too large",
            ),
            (with("'<i2'", "False", "(-2,)"), "(-2,)"),
            (with("'<i2'", "False", "2"), "its shape is 2"),
            (with("'<i2'", "False", "(2.0,)"), "no Python literal"),
            (
                with("'<i4'", "False", "(2,)"),
                "holds <i4, but the buffer is <i2",
            ),
            (with("'<c8'", "False", "(2,)"), "holds '<c8'; arrays of f64"),
            (
                with("[('a','<i2')]", "False", "(2,)"),
                "holds [('a', '<i2')]",
            ),
            (
                with("'<i2'", "False", "(3,)"),
                "holds 3 elements, but the buffer 2",
            ),
            (format!("{plain} x"), "no Python literal"),
            (plain.replace("'shape'", "'descr'"), "`descr` twice"),
            (plain.replace("'shape'", "'form'"), "a key 'form'"),
            ("{}".to_owned(), "does not say `descr`"),
            ("[]".to_owned(), "its header is []"),
            ("(".repeat(60_000), "no Python literal"),
        ] {
            let why = read_bytes(&file(1, &header, &ONE_TWO), ElementType::I16, 2);
            let why = why.expect_err(&header);
            assert!(why.contains(says), "{header}: {why}");
        }
        for (data, says) in [
            (
                &ONE_TWO[..3],
                "is cut off: 2 elements of <i2 take 4 bytes, and 3 are",
            ),
            (
                &[0; 5][..],
                "is too long: 2 elements of <i2 take 4 bytes, and 5 are",
            ),
        ] {
            let why = read_bytes(&file(1, &plain, data), ElementType::I16, 2);
            assert!(why.as_ref().is_err_and(|why| why.contains(says)), "{why:?}");
        }
        let whole = file(2, &plain, &ONE_TWO);
        for end in 0..whole.len() {
            read_bytes(&whole[..end], ElementType::I16, 2).expect_err("is cut");
        }
        let other = read_bytes(&file(4, &plain, &ONE_TWO), ElementType::I16, 2);
        assert!(other.is_err_and(|why| why.contains("version 4.0")));
    }

    #[test]
    fn a_changed_byte_is_read_as_it_says_or_refused() {
        let whole = npy_bytes(ElementType::I16, &ONE_TWO);
        for at in 0..whole.len() - ONE_TWO.len() {
            for byte in *b"\0\xff0'\"(){}[],:-\\LTx" {
                let mut changed = whole.clone();
                changed[at] = byte;
                if let Ok(read) = read_bytes(&changed, ElementType::I16, 2) {
                    assert!(read == ONE_TWO || read == [0, 1, 0, 2], "{at} {byte}");
                }
            }
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for element in ElementType::names().filter_map(ElementType::from_name) {
            for length in [0, 1, 7] {
                let bytes = (0..length * element.size_bytes()).map(|byte| byte as u8);
                let bytes: Vec<u8> = bytes.collect();
                let file = npy_bytes(element, &bytes);
                assert_eq!((file.len() - bytes.len()) % ALIGNMENT, 0);
                assert_eq!(read_bytes(&file, element, length), Ok(bytes));
            }
        }
    }
}
