//! What `<stdio.h>` reads: standard input, and files where the program may. Files are opened here.

use super::output::EOF;
use super::scan::{Source, scan};
use super::streams::{INPUT, peek, streams, take};
use crate::host::machine::{Call, Machine, Stop, Table};

pub const TABLE: Table = &[
    ("getchar", |machine, _| {
        Ok(take(machine, INPUT).map_or(EOF, u64::from))
    }),
    ("getc", |machine, call| {
        Ok(take(machine, call.u64(0)).map_or(EOF, u64::from))
    }),
    ("fgetc", |machine, call| {
        Ok(take(machine, call.u64(0)).map_or(EOF, u64::from))
    }),
    ("ungetc", |machine, call| {
        if let Some(stream) = streams(machine).get(call.u64(1)) {
            stream.put_back(call.u64(0) as u8);
        }
        Ok(call.u64(0))
    }),
    ("fgets", fgets),
    ("getline", getline),
    ("fread", fread),
    ("scanf", |machine, call| {
        scanned(machine, call, 0, Source::Stream(INPUT, 0))
    }),
    ("fscanf", |machine, call| {
        scanned(machine, call, 1, Source::Stream(call.u64(0), 0))
    }),
    ("sscanf", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        scanned(machine, call, 1, Source::Text(text, 0))
    }),
    ("fopen", |machine, call| {
        let path = machine.memory.text(call.u64(0))?;
        let mode = machine.memory.text(call.u64(1))?;
        open(machine, &path, &mode)
    }),
    ("freopen", |_, _| Ok(0)),
    ("fclose", |machine, call| {
        let is_open = streams(machine).close(call.u64(0));
        Ok(if is_open { 0 } else { EOF })
    }),
    ("feof", |machine, call| {
        let stream = streams(machine).get(call.u64(0));
        Ok(u64::from(stream.is_some_and(|stream| stream.is_at_end)))
    }),
    ("ferror", |_, _| Ok(0)),
    ("clearerr", |machine, call| {
        if let Some(stream) = streams(machine).get(call.u64(0)) {
            stream.is_at_end = false;
        }
        Ok(0)
    }),
    ("fseek", |machine, call| {
        let stream = streams(machine).get(call.u64(0));
        let is_done = stream.is_some_and(|stream| stream.seek(call.i64(1), call.i32(2)));
        Ok(if is_done { 0 } else { EOF })
    }),
    ("ftell", |machine, call| {
        let stream = streams(machine).get(call.u64(0));
        Ok(stream.map_or(EOF, |stream| stream.position() as u64))
    }),
    ("rewind", |machine, call| {
        if let Some(stream) = streams(machine).get(call.u64(0)) {
            stream.seek(0, 0);
        }
        Ok(0)
    }),
    ("fileno", |_, call| Ok(call.u64(0).wrapping_sub(1))),
];

/// Files can be read, where the program may; those that it writes are kept in memory.
fn open(machine: &mut Machine<'_>, path: &[u8], mode: &[u8]) -> Result<u64, Stop> {
    let path = String::from_utf8_lossy(path).into_owned();
    let first = mode.first().copied();
    if first == Some(b'w') {
        return Ok(open_to_write(machine, &path, Vec::new(), false));
    }
    // What the program has written itself is newer than any file.
    let written = streams(machine).written(&path);
    let found = written.or_else(|| machine.file(&path));
    match (first, found) {
        (Some(b'a'), found) => Ok(open_to_write(
            machine,
            &path,
            found.unwrap_or_default(),
            true,
        )),
        (_, Some(bytes)) if mode.contains(&b'+') => Ok(open_to_write(machine, &path, bytes, false)),
        (_, Some(bytes)) => Ok(streams(machine).open(bytes)),
        (_, None) => {
            let message = format!("the file `{path}` is not read: opening it gives NULL");
            machine.warn(
                message,
                "`--files` lets a program read files below its own folder",
            );
            Ok(0)
        }
    }
}

fn open_to_write(machine: &mut Machine<'_>, path: &str, bytes: Vec<u8>, appends: bool) -> u64 {
    let message =
        format!("the file `{path}` is written in memory only: it is gone with the program");
    machine.warn(
        message,
        "print to standard output, and send that to a file: `> FILE`",
    );
    streams(machine).open_to_write(path, bytes, appends)
}

fn scanned(
    machine: &mut Machine<'_>,
    call: &Call<'_>,
    at: usize,
    source: Source,
) -> Result<u64, Stop> {
    let format = machine.memory.text(call.u64(at))?;
    let count = scan(machine, &format, source, &call.bits[at + 1..])?;
    Ok(i64::from(count) as u64)
}

fn fgets(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let mut line = Vec::new();
    while (line.len() as i64) < i64::from(call.i32(1)) - 1 {
        let Some(byte) = take(machine, call.u64(2)) else {
            break;
        };
        line.push(byte);
        if byte == b'\n' {
            break;
        }
    }
    // The end of the file, before which `fgets` has read nothing, is the only failure.
    if line.is_empty() {
        return Ok(0);
    }
    line.push(0);
    machine.memory.write(call.u64(0), &line)?;
    Ok(call.u64(0))
}

fn getline(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let mut line = Vec::new();
    while let Some(byte) = take(machine, call.u64(2)) {
        line.push(byte);
        if byte == b'\n' {
            break;
        }
    }
    if line.is_empty() {
        return Ok(EOF);
    }
    let length = line.len() as u64;
    line.push(0);
    // glibc begins with 120 bytes; the program frees what it gets, whoever made it.
    let room = line.len().next_multiple_of(128) as u64;
    let Some(address) = machine.memory.allocate(room) else {
        return Ok(EOF);
    };
    machine.memory.write(address, &line)?;
    machine.memory.write(call.u64(0), &address.to_le_bytes())?;
    machine.memory.write(call.u64(1), &room.to_le_bytes())?;
    Ok(length)
}

fn fread(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let (size, count, stream) = (call.u64(1), call.u64(2), call.u64(3));
    let most = size.saturating_mul(count);
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < most && peek(machine, stream).is_some() {
        bytes.extend(take(machine, stream));
    }
    machine.memory.write(call.u64(0), &bytes)?;
    // Whole elements: of 10 bytes and elements of 4, two were read.
    Ok((bytes.len() as u64).checked_div(size).unwrap_or(0))
}
