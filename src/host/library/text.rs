//! Memory and text of `<string.h>`.

use crate::host::machine::{Machine, Stop, Table};

/// `strcmp` and the like return what x86 code of glibc does: a difference of bytes.
pub const TABLE: Table = &[
    ("memcpy", |machine, call| {
        machine.memory.copy(call.u64(0), call.u64(1), call.u64(2))?;
        Ok(call.u64(0))
    }),
    ("memmove", |machine, call| {
        machine.memory.copy(call.u64(0), call.u64(1), call.u64(2))?;
        Ok(call.u64(0))
    }),
    ("memset", |machine, call| {
        machine
            .memory
            .fill(call.u64(0), call.u64(1) as u8, call.u64(2))?;
        Ok(call.u64(0))
    }),
    ("memcmp", |machine, call| {
        let a = machine.memory.read(call.u64(0), call.u64(2))?;
        let b = machine.memory.read(call.u64(1), call.u64(2))?;
        Ok(order(&a, &b))
    }),
    ("memchr", |machine, call| {
        let bytes = machine.memory.read(call.u64(0), call.u64(2))?;
        let byte = call.u64(1) as u8;
        let found = bytes.iter().position(|&other| other == byte);
        Ok(found.map_or(0, |at| call.u64(0) + at as u64))
    }),
    ("strlen", |machine, call| {
        Ok(machine.memory.text(call.u64(0))?.len() as u64)
    }),
    ("strnlen", |machine, call| {
        let text = at_most(machine, call.u64(0), call.u64(1))?;
        Ok(text.len() as u64)
    }),
    ("strcpy", |machine, call| {
        put(machine, call.u64(0), call.u64(0), call.u64(1), u64::MAX)
    }),
    ("strncpy", |machine, call| {
        let mut text = at_most(machine, call.u64(1), call.u64(2))?;
        // `strncpy` fills up with zeros, and puts none where the text is as long as the room.
        text.resize(call.u64(2) as usize, 0);
        machine.memory.write(call.u64(0), &text)?;
        Ok(call.u64(0))
    }),
    ("strcat", |machine, call| {
        let end = call.u64(0) + machine.memory.text(call.u64(0))?.len() as u64;
        put(machine, call.u64(0), end, call.u64(1), u64::MAX)
    }),
    ("strncat", |machine, call| {
        let end = call.u64(0) + machine.memory.text(call.u64(0))?.len() as u64;
        put(machine, call.u64(0), end, call.u64(1), call.u64(2))
    }),
    ("strcmp", |machine, call| {
        compared(machine, [call.u64(0), call.u64(1)], u64::MAX, false)
    }),
    ("strncmp", |machine, call| {
        compared(machine, [call.u64(0), call.u64(1)], call.u64(2), false)
    }),
    ("strcasecmp", |machine, call| {
        compared(machine, [call.u64(0), call.u64(1)], u64::MAX, true)
    }),
    ("strncasecmp", |machine, call| {
        compared(machine, [call.u64(0), call.u64(1)], call.u64(2), true)
    }),
    ("strdup", |machine, call| {
        duplicate(machine, call.u64(0), u64::MAX)
    }),
    ("strndup", |machine, call| {
        duplicate(machine, call.u64(0), call.u64(1))
    }),
];

/// The text at an address, of at most so many bytes.
pub fn at_most(machine: &Machine<'_>, address: u64, most: u64) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    while (text.len() as u64) < most {
        // Byte by byte: what lies behind the text need not be mapped.
        match machine.memory.read(address + text.len() as u64, 1)?.first() {
            Some(&byte) if byte != 0 => text.push(byte),
            _ => break,
        }
    }
    Ok(text)
}

fn order(a: &[u8], b: &[u8]) -> u64 {
    let differing = a.iter().zip(b).find(|(a, b)| a != b);
    let difference = differing.map_or(0, |(&a, &b)| i64::from(a) - i64::from(b));
    difference as u64
}

fn compared(machine: &Machine<'_>, texts: [u64; 2], most: u64, fold: bool) -> Result<u64, Stop> {
    let mut read = [Vec::new(), Vec::new()];
    for (text, address) in read.iter_mut().zip(texts) {
        *text = match most {
            u64::MAX => machine.memory.text(address)?,
            most => at_most(machine, address, most)?,
        };
        if fold {
            text.make_ascii_lowercase();
        }
        // The end of a text is less than any character.
        text.push(0);
    }
    Ok(order(&read[0], &read[1]))
}

/// Puts a text with its zero somewhere; `result` is returned.
fn put(machine: &mut Machine<'_>, result: u64, to: u64, from: u64, most: u64) -> Result<u64, Stop> {
    let mut text = match most {
        u64::MAX => machine.memory.text(from)?,
        most => at_most(machine, from, most)?,
    };
    text.push(0);
    machine.memory.write(to, &text)?;
    Ok(result)
}

fn duplicate(machine: &mut Machine<'_>, from: u64, most: u64) -> Result<u64, Stop> {
    let text = at_most(machine, from, most)?;
    let Some(address) = machine.memory.allocate(text.len() as u64 + 1) else {
        return Ok(0);
    };
    put(machine, address, address, from, most)
}
