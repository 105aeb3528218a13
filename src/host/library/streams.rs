//! The streams of `<stdio.h>`: standard input, files that are read as a whole, and files that are written, which are
//! kept in memory: the program can read them again, and they are gone with it.

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
    /// The name under which what is written is kept.
    written_to: Option<String>,
    /// Whether all is written behind what is there.
    appends: bool,
}

/// All streams that are open, but for standard output and standard error.
#[derive(Debug, Default)]
pub struct Streams {
    open: BTreeMap<u64, Stream>,
    last: u64,
    /// What files hold that the program wrote and closed.
    files: BTreeMap<String, Vec<u8>>,
}

/// What stands in the way of a name of a part of the library.
const NAME: &str = "streams";

/// How much of standard input is read at once.
const INPUT_BYTES: usize = 4096;
/// Most that a file in memory can hold: a program that writes for ever must not take the machine's memory.
const MOST_WRITTEN_BYTES: usize = 1 << 28;

/// The streams of a machine.
pub fn streams<'m>(machine: &'m mut Machine<'_>) -> &'m mut Streams {
    machine.library_state(NAME)
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

    /// The same of a file that is written, behind what it holds or from its first byte.
    pub fn open_to_write(&mut self, name: &str, bytes: Vec<u8>, appends: bool) -> u64 {
        let handle = self.open(bytes);
        if let Some(stream) = self.open.get_mut(&handle) {
            stream.written_to = Some(name.to_owned());
            stream.appends = appends;
        }
        handle
    }

    /// What the program wrote to a file before.
    pub fn written(&self, name: &str) -> Option<Vec<u8>> {
        // Of a file that is still open, what it holds so far: flushed or not makes no difference here.
        let is_open = |stream: &&Stream| stream.written_to.as_deref() == Some(name);
        let open = self.open.values().find(is_open);
        open.map(|stream| &stream.bytes)
            .or_else(|| self.files.get(name))
            .cloned()
    }

    /// Writes to a stream, if it can be written.
    pub fn write(&mut self, handle: u64, bytes: &[u8]) -> Option<()> {
        let stream = self.open.get_mut(&handle)?;
        stream.written_to.as_ref()?;
        if stream.appends {
            stream.at = stream.bytes.len();
        }
        let end = stream.at + bytes.len();
        if end > MOST_WRITTEN_BYTES {
            return None;
        }
        stream.bytes.resize(stream.bytes.len().max(end), 0);
        stream.bytes[stream.at..end].copy_from_slice(bytes);
        stream.at = end;
        Some(())
    }

    /// Whether there was such a stream.
    pub fn close(&mut self, handle: u64) -> bool {
        let closed = self.open.remove(&handle);
        let is_open = closed.is_some();
        if let Some((name, bytes)) = closed.and_then(|of| Some((of.written_to?, of.bytes))) {
            self.files.insert(name, bytes);
        }
        is_open
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
