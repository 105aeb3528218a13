//! Messages between the program and its worker: JSON, and raw bytes behind it.
//!
//! A message is the length of its JSON (4 bytes, little-endian), the length of its bytes (8 bytes),
//! and both.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::message::Answer;

/// Longest JSON of a message; PTX is the longest thing in it.
const MOST_JSON_BYTES: u32 = 256 << 20;

/// Sends a message.
pub(crate) fn send(to: &mut impl Write, message: &impl Serialize, bytes: &[u8]) -> io::Result<()> {
    let json = serde_json::to_vec(message)?;
    let length = u32::try_from(json.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(&json)?;
    to.write_all(bytes)?;
    to.flush()
}

/// How many messages of a worker stand at the beginning of `bytes`.
pub fn answers_in(bytes: &[u8]) -> usize {
    let mut from = bytes;
    std::iter::from_fn(|| receive::<Answer>(&mut from).ok()).count()
}

/// Waits for a message. The end of the stream is an error, `UnexpectedEof`.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<(T, Vec<u8>)> {
    let (mut length, mut bytes) = ([0; 4], [0; 8]);
    from.read_exact(&mut length)?;
    from.read_exact(&mut bytes)?;
    let length = u32::from_le_bytes(length);
    // A worker that is killed while it writes, or a kernel that writes where it should not, must not make
    // the program allocate what four wrong bytes say.
    if length > MOST_JSON_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut json = vec![0; length as usize];
    from.read_exact(&mut json)?;
    let message = serde_json::from_slice(&json)?;
    // Read piece by piece: a length that is wrong must not take all memory.
    let mut rest = Vec::new();
    let wanted = u64::from_le_bytes(bytes);
    if from.take(wanted).read_to_end(&mut rest)? as u64 != wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((message, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut pipe = Vec::new();
        send(&mut pipe, &("one", 1), b"bytes").expect("sends");
        send(&mut pipe, &("two", 2), b"").expect("sends");
        let mut from = pipe.as_slice();
        let first: ((String, i32), _) = receive(&mut from).expect("is there");
        assert_eq!(first, (("one".to_owned(), 1), b"bytes".to_vec()));
        let second: ((String, i32), _) = receive(&mut from).expect("is there");
        assert_eq!(second, (("two".to_owned(), 2), Vec::new()));
        let end = receive::<()>(&mut from).expect_err("is the end");
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn what_is_cut_short_or_makes_no_sense_is_an_error() {
        let mut pipe = Vec::new();
        send(&mut pipe, &1, b"bytes").expect("sends");
        let cut = receive::<i32>(&mut &pipe[..pipe.len() - 1]);
        assert!(cut.is_err());
        assert!(
            receive::<String>(&mut pipe.as_slice()).is_err(),
            "is no text"
        );
        assert!(receive::<i32>(&mut [255; 64].as_slice()).is_err());
    }
}
