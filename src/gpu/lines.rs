//! What another process writes, line by line, without waiting for it.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// The lines of a stream, read until its end so that who writes them never waits.
pub(super) fn lines(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    if let Some(from) = from {
        thread::spawn(move || {
            let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
            for line in lines {
                let text = String::from_utf8_lossy(&line).into_owned();
                if send.send(text).is_err() {
                    return;
                }
            }
        });
    }
    receive
}
