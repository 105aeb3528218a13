//! What `<stdio.h>` writes. Standard output comes before what is written to standard error behind it.

use super::format::{Values, format};
use super::streams::{ERROR, OUTPUT, streams};
use crate::host::machine::{Call, Machine, Stop, Table};

/// End of file, and what functions return that failed.
pub const EOF: u64 = -1i64 as u64;

pub const TABLE: Table = &[
    ("printf", |machine, call| {
        let text = formatted(machine, call, 0)?;
        machine.print(&text);
        Ok(text.len() as u64)
    }),
    ("fprintf", |machine, call| {
        let text = formatted(machine, call, 1)?;
        Ok(write(machine, call.u64(0), &text).map_or(EOF, |()| text.len() as u64))
    }),
    ("sprintf", |machine, call| {
        let text = formatted(machine, call, 1)?;
        bounded(machine, call.u64(0), u64::MAX, &text)
    }),
    ("snprintf", |machine, call| {
        let text = formatted(machine, call, 2)?;
        bounded(machine, call.u64(0), call.u64(1), &text)
    }),
    ("vprintf", |machine, call| {
        let text = listed(machine, call, 0)?;
        machine.print(&text);
        Ok(text.len() as u64)
    }),
    ("vfprintf", |machine, call| {
        let text = listed(machine, call, 1)?;
        Ok(write(machine, call.u64(0), &text).map_or(EOF, |()| text.len() as u64))
    }),
    ("vsprintf", |machine, call| {
        let text = listed(machine, call, 1)?;
        bounded(machine, call.u64(0), u64::MAX, &text)
    }),
    ("vsnprintf", |machine, call| {
        let text = listed(machine, call, 2)?;
        bounded(machine, call.u64(0), call.u64(1), &text)
    }),
    ("puts", |machine, call| {
        let mut text = machine.memory.text(call.u64(0))?;
        text.push(b'\n');
        machine.print(&text);
        Ok(text.len() as u64)
    }),
    ("putchar", |machine, call| put(machine, OUTPUT, call.u64(0))),
    ("putc", |machine, call| {
        put(machine, call.u64(1), call.u64(0))
    }),
    ("fputc", |machine, call| {
        put(machine, call.u64(1), call.u64(0))
    }),
    ("fputs", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        Ok(write(machine, call.u64(1), &text).map_or(EOF, |()| 1))
    }),
    ("fwrite", |machine, call| {
        let (size, count) = (call.u64(1), call.u64(2));
        let bytes = machine
            .memory
            .read(call.u64(0), size.saturating_mul(count))?;
        Ok(write(machine, call.u64(3), &bytes).map_or(0, |()| count))
    }),
    ("fflush", |machine, _| {
        machine.flush();
        Ok(0)
    }),
    ("setvbuf", |_, _| Ok(0)),
    ("setbuf", |_, _| Ok(0)),
    ("perror", |machine, call| {
        let text = machine.memory.text(call.u64(0)).unwrap_or_default();
        let line = [&text[..], b": No such file or directory\n"].concat();
        machine.print_error(&line);
        Ok(0)
    }),
];

/// The text of a call whose format is an argument, with the values behind it.
pub fn formatted(machine: &mut Machine<'_>, call: &Call<'_>, at: usize) -> Result<Vec<u8>, Stop> {
    let text = machine.memory.text(call.u64(at))?;
    format(machine, &text, Values::Arguments(call, at + 1))
}

/// The same with the values in a `va_list`.
fn listed(machine: &mut Machine<'_>, call: &Call<'_>, at: usize) -> Result<Vec<u8>, Stop> {
    let text = machine.memory.text(call.u64(at))?;
    format(machine, &text, Values::Words(call.u64(at + 1), 0))
}

/// Writes a text with its zero to so many bytes; how long it is.
fn bounded(machine: &mut Machine<'_>, to: u64, room: u64, text: &[u8]) -> Result<u64, Stop> {
    if room > 0 {
        // As much as fits is written; what is returned is how much there was.
        let written_bytes = text.len().min((room - 1).min(usize::MAX as u64) as usize);
        let bytes = [&text[..written_bytes], &[0]].concat();
        machine.memory.write(to, &bytes)?;
    }
    Ok(text.len() as u64)
}

fn put(machine: &mut Machine<'_>, stream: u64, byte: u64) -> Result<u64, Stop> {
    let byte = byte as u8;
    Ok(write(machine, stream, &[byte]).map_or(EOF, |()| u64::from(byte)))
}

/// Writes to a stream, if it can be written.
fn write(machine: &mut Machine<'_>, stream: u64, bytes: &[u8]) -> Option<()> {
    match stream {
        OUTPUT => machine.print(bytes),
        ERROR => machine.print_error(bytes),
        _ => return streams(machine).write(stream, bytes),
    }
    Some(())
}
