//! Structs of CUDA's headers, filled by the names of their fields: their order is the headers'.

use super::errors::{self, Code, SUCCESS};
use crate::cuda::{Field, Type};
use crate::host::machine::{Machine, Stop};

/// A field of a struct.
pub fn field<'t>(of: &'t Type, name: &str) -> Option<&'t Field> {
    match of {
        Type::Struct(of) => of.fields().iter().find(|field| field.name == name),
        _ => None,
    }
}

/// Fills a struct of type `of` with the values of fields, several of an array; fields that are not named become zero.
pub fn fill_struct(
    machine: &mut Machine<'_>,
    address: u64,
    of: &Type,
    values: &[(&str, &[i64])],
) -> Result<Code, Stop> {
    // The program's own headers declare the struct: its offsets are those that the program was compiled with.
    let (Type::Struct(fields), true) = (of, address != 0) else {
        return Ok(errors::INVALID_VALUE);
    };
    let mut bytes = vec![0; of.size_bytes() as usize];
    for field in fields.fields() {
        let Some((_, values)) = values.iter().find(|(name, _)| *name == field.name) else {
            continue;
        };
        let element_bytes = match &field.ty {
            Type::Array(element, _) => element.size_bytes(),
            ty => ty.size_bytes(),
        } as usize;
        let begin = field.offset_bytes as usize;
        let room = bytes[begin..begin + field.ty.size_bytes() as usize]
            .chunks_exact_mut(element_bytes.max(1));
        for (to, value) in room.zip(values.iter()) {
            to.copy_from_slice(&value.to_le_bytes()[..to.len().min(8)]);
        }
    }
    machine.memory.write(address, &bytes)?;
    Ok(SUCCESS)
}
