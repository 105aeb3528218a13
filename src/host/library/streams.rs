//! The streams of `<stdio.h>`: standard input, and files that are read as a whole.

use std::collections::BTreeMap;

use crate::host::machine::Machine;

/// Handles of the standard streams, as the embedded header has them.
pub const INPUT: u64 = 1;
/// Standard output.
pub const OUTPUT: u64 = 2;
/// Standard error.
pub const ERROR: u64 = 3;

/// What a stream has to be read.
#[derive(Debug, Default)]
pub struct Stream {
    bytes: Vec<u8>,
    at: usize,
    /// Whether its end was met.
    pub is_at_end: bool,
    is_input: bool,
}

/// All streams that are open, but for those that are only written.
#[derive(Debug, Default)]
pub struct Streams {
    open: BTreeMap<u64, Stream>,
    last: u64,
}

/// What stands in the way of a name of a part of the library.
const NAME: &str = "streams";

/// How much of standard input is read at once.
const INPUT_BYTES: usize = 4096;

/// The streams of a machine.
pub fn streams<'m>(machine: &'m mut Machine<'_>) -> &'m mut Streams {
    machine.kept(NAME)
}

impl Streams {
    /// A stream of what a file holds: its handle.
    pub fn open(&mut self, bytes: Vec<u8>) -> u64 {
        self.last = self.last.max(ERROR) + 1;
        let stream = Stream {
            bytes,
            ..Stream::default()
        };
        self.open.insert(self.last, stream);
        self.last
    }

    /// Whether there was such a stream.
    pub fn close(&mut self, handle: u64) -> bool {
        self.open.remove(&handle).is_some()
    }

    /// A stream that can be read.
    pub fn get(&mut self, handle: u64) -> Option<&mut Stream> {
        if handle == INPUT {
            let input = self.open.entry(INPUT).or_default();
            input.is_input = true;
        }
        self.open.get_mut(&handle)
    }
}

impl Stream {
    /// Where it is read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Reads on from another place; whether that lies in it.
    pub fn seek(&mut self, offset: i64, from: i32) -> bool {
        let base = match from {
            0 => 0,
            1 => self.at as i64,
            _ => self.bytes.len() as i64,
        };
        let place = base
            .checked_add(offset)
            .and_then(|at| usize::try_from(at).ok());
        if let Some(place) = place {
            self.at = place.min(self.bytes.len());
            self.is_at_end = false;
        }
        place.is_some()
    }

    /// Puts a byte back.
    pub fn put_back(&mut self, byte: u8) {
        self.is_at_end = false;
        if self.at > 0 {
            self.at -= 1;
            self.bytes[self.at] = byte;
        } else {
            self.bytes.insert(0, byte);
        }
    }
}

/// The next byte of a stream, which stays there.
pub fn peek(machine: &mut Machine<'_>, handle: u64) -> Option<u8> {
    let stream = streams(machine).get(handle)?;
    if let Some(&byte) = stream.bytes.get(stream.at) {
        return Some(byte);
    }
    // Only when the program has used up what was read: somebody may be typing.
    if stream.is_input && !stream.is_at_end {
        let mut bytes = vec![0; INPUT_BYTES];
        let count = machine.input(&mut bytes).min(INPUT_BYTES);
        bytes.truncate(count);
        let stream = streams(machine).get(handle)?;
        stream.bytes.extend_from_slice(&bytes);
        stream.is_at_end = count == 0;
        return stream.bytes.get(stream.at).copied();
    }
    stream.is_at_end = true;
    None
}

/// Takes the next byte of a stream.
pub fn take(machine: &mut Machine<'_>, handle: u64) -> Option<u8> {
    let byte = peek(machine, handle)?;
    if let Some(stream) = streams(machine).get(handle) {
        stream.at += 1;
    }
    Some(byte)
}
