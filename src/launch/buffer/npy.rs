//! NumPy's file format, version 1 to 3: little-endian arrays in C order.

use std::path::Path;

use crate::launch::ElementType;

/// The bytes of the array in `path`, if it has `length` elements of type `element`; else why not.
pub(crate) fn read(path: &Path, element: ElementType, length: usize) -> Result<Vec<u8>, String> {
    let file = std::fs::read(path).map_err(|error| error.to_string())?;
    let (header, data) = split(&file).ok_or("not a NumPy file")?;
    let found_length = shape_product(header).ok_or("no shape")?;
    if header.contains("'fortran_order': True") {
        return Err("is in Fortran order; save it with order='C'".to_owned());
    }
    let (found, wanted) = (field(header, "descr"), descr_of(element));
    if found != Some(wanted) {
        let found = found.unwrap_or("?");
        return Err(format!("holds {found}, but the buffer is {wanted}"));
    }
    if found_length != length || data.len() != length * element.size_bytes() {
        return Err(format!(
            "holds {found_length} elements, but the buffer {length}"
        ));
    }
    Ok(data.to_vec())
}

fn split(file: &[u8]) -> Option<(&str, &[u8])> {
    let rest = file.strip_prefix(b"\x93NUMPY")?;
    let (size_bytes, rest) = match *rest.first()? {
        // Version 1 has two bytes for the header's length, later ones four; behind the version's two bytes.
        1 => (2, rest.get(2..)?),
        2 | 3 => (4, rest.get(2..)?),
        _ => return None,
    };
    let mut size = [0; 4];
    size[..size_bytes].copy_from_slice(rest.get(..size_bytes)?);
    let end = size_bytes + u32::from_le_bytes(size) as usize;
    Some((
        std::str::from_utf8(rest.get(size_bytes..end)?).ok()?,
        rest.get(end..)?,
    ))
}

fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let after = header.split_once(&format!("'{name}': '"))?.1;
    Some(after.split_once('\'')?.0)
}

fn shape_product(header: &str) -> Option<usize> {
    let shape = header.split_once("'shape': (")?.1.split_once(')')?.0;
    let dims = shape
        .split(',')
        .map(str::trim)
        .filter(|dim| !dim.is_empty());
    dims.map(|dim| dim.parse::<usize>().ok()).product()
}

/// NumPy has no bf16: such files hold its bits as 16-bit integers.
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
        U8 => "|u1",
    }
}
