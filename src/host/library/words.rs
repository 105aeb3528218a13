//! What `<string.h>` finds in text.

use crate::host::machine::{Machine, Stop, Table};

/// Where `strtok` goes on.
#[derive(Default)]
struct Rest(u64);

pub const TABLE: Table = &[
    ("strchr", |machine, call| {
        let text = with_zero(machine, call.u64(0))?;
        let byte = call.u64(1) as u8;
        Ok(found(
            call.u64(0),
            text.iter().position(|&other| other == byte),
        ))
    }),
    ("strrchr", |machine, call| {
        let text = with_zero(machine, call.u64(0))?;
        let byte = call.u64(1) as u8;
        Ok(found(
            call.u64(0),
            text.iter().rposition(|&other| other == byte),
        ))
    }),
    ("strstr", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        let word = machine.memory.text(call.u64(1))?;
        let place = match word.is_empty() {
            true => Some(0),
            false => text.windows(word.len()).position(|window| window == word),
        };
        Ok(found(call.u64(0), place))
    }),
    ("strpbrk", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        let set = machine.memory.text(call.u64(1))?;
        Ok(found(
            call.u64(0),
            text.iter().position(|byte| set.contains(byte)),
        ))
    }),
    ("strspn", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        let set = machine.memory.text(call.u64(1))?;
        Ok(text.iter().take_while(|byte| set.contains(byte)).count() as u64)
    }),
    ("strcspn", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        let set = machine.memory.text(call.u64(1))?;
        Ok(text.iter().take_while(|byte| !set.contains(byte)).count() as u64)
    }),
    ("strtok", |machine, call| {
        let rest = machine.library_state::<Rest>("strtok").0;
        let begin = if call.u64(0) == 0 { rest } else { call.u64(0) };
        let (word, rest) = token(machine, begin, call.u64(1))?;
        machine.library_state::<Rest>("strtok").0 = rest;
        Ok(word)
    }),
    ("strtok_r", |machine, call| {
        let bytes = machine.memory.read(call.u64(2), 8)?;
        let rest = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let begin = if call.u64(0) == 0 { rest } else { call.u64(0) };
        let (word, rest) = token(machine, begin, call.u64(1))?;
        machine.memory.write(call.u64(2), &rest.to_le_bytes())?;
        Ok(word)
    }),
    ("strerror", |machine, call| {
        let text = match call.i32(0) {
            0 => "Success",
            1 => "Operation not permitted",
            2 => "No such file or directory",
            12 => "Cannot allocate memory",
            13 => "Permission denied",
            22 => "Invalid argument",
            33 => "Numerical argument out of domain",
            34 => "Numerical result out of range",
            _ => "Unknown error",
        };
        Ok(machine.lasting_text(text.as_bytes()))
    }),
];

fn with_zero(machine: &Machine<'_>, address: u64) -> Result<Vec<u8>, Stop> {
    let mut text = machine.memory.text(address)?;
    text.push(0);
    Ok(text)
}

fn found(base: u64, at: Option<usize>) -> u64 {
    at.map_or(0, |at| base + at as u64)
}

/// The next word and what is behind it; 0 is none.
fn token(machine: &mut Machine<'_>, begin: u64, set: u64) -> Result<(u64, u64), Stop> {
    if begin == 0 {
        return Ok((0, 0));
    }
    let text = machine.memory.text(begin)?;
    let set = machine.memory.text(set)?;
    let Some(start) = text.iter().position(|byte| !set.contains(byte)) else {
        return Ok((0, 0));
    };
    let length = text[start..].iter().position(|byte| set.contains(byte));
    let word = begin + start as u64;
    let Some(length) = length else {
        return Ok((word, 0));
    };
    let end = word + length as u64;
    machine.memory.write(end, &[0])?;
    Ok((word, end + 1))
}
