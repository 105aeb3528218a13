//! The bytes of a terminal, cut into sequences. Any of them may end anywhere: in the middle of a read, or for ever.
//!
//! The states are those of the *DEC ANSI parser* (vt100.net/emu/dec_ansi_parser), with what only comes from
//! keyboards: alt as an escape before a key, pasted text, and reports of the mouse that are no control sequences.

use std::mem;
use std::time::Duration;

use crossterm::event::{Event, KeyEvent, KeyModifiers};

use super::keys;

const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;
const CTRL_C: u8 = 0x03;
/// What ends pasted text.
const PASTE_END: &[u8] = b"\x1b[201~";
/// Most bytes of a sequence that are kept; those of keys are few.
const LONGEST_SEQUENCE: usize = 4096;
/// Most bytes of pasted text that come as one event.
const LONGEST_PASTE: usize = 1 << 20;
/// Longest wait for the next byte of a sequence.
const PATIENCE: Duration = Duration::from_millis(50);
/// Longest wait behind an escape, which is a key of its own, too. So long does tmux wait.
const ESCAPE_PATIENCE: Duration = Duration::from_millis(10);
/// Longest wait for the next byte of pasted text, which may come over a slow line.
const PASTE_PATIENCE: Duration = Duration::from_millis(250);

/// Makes events of bytes.
#[derive(Default)]
pub struct Sequences {
    state: State,
    /// The bytes of the sequence that are no escapes, or the text that is pasted.
    bytes: Vec<u8>,
    /// Whether alt was held: an escape stood before the character.
    alt: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    /// In a character of several bytes.
    Character,
    /// `ESC`
    Escape,
    /// `ESC O`
    Application,
    /// `ESC [`
    Control,
    /// `ESC [ [`
    Console,
    /// `ESC [ M`
    OldMouse,
    /// `ESC ]`, `ESC P`, `ESC X`, `ESC ^` or `ESC _`: a text for whoever asked, up to `BEL` or `ESC \`.
    Text,
    /// An escape in it.
    TextEscape,
    /// `ESC [ 200 ~`
    Paste,
}

impl Sequences {
    /// How long to wait for the next byte before `expire`; for ever between sequences.
    pub fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Between => None,
            State::Escape => Some(ESCAPE_PATIENCE),
            State::Paste => Some(PASTE_PATIENCE),
            _ => Some(PATIENCE),
        }
    }

    /// Takes the bytes that came at once.
    pub fn take(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        for &byte in bytes {
            self.take_byte(byte, events);
        }
        // A key that was pressed, not a part of the text: that goes on behind it.
        if self.state == State::Paste && self.bytes.last() == Some(&CTRL_C) {
            self.bytes.pop();
            self.end_paste(events);
            events.push(Event::Key(keys::control(CTRL_C)));
        }
    }

    /// The rest of the sequence does not come: makes of it what there is.
    pub fn expire(&mut self, events: &mut Vec<Event>) {
        match (self.state, self.bytes.as_slice()) {
            (State::Escape, _) => events.push(Event::Key(keys::control(ESC))),
            // Alt and the character that sequences begin with.
            (State::Application | State::Control | State::Text, &[byte]) => {
                self.alt = true;
                self.key(keys::character(byte.into()), events);
            }
            (State::Paste, _) => return self.end_paste(events),
            _ => {}
        }
        self.reset();
    }

    fn reset(&mut self) {
        *self = Sequences::default();
    }

    fn enter(&mut self, state: State, byte: u8) {
        self.state = state;
        self.bytes.push(byte);
    }

    fn take_byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        match (self.state, byte) {
            (State::Paste, _) => self.paste(byte, events),
            (State::TextEscape, b'\\') | (State::Text, BEL) => self.reset(),
            (State::Text, ESC) => self.state = State::TextEscape,
            // Not its end but another sequence.
            (State::TextEscape, _) => {
                self.reset();
                self.state = State::Escape;
                self.take_byte(byte, events);
            }
            (State::Between, _) => self.begin(byte, events),
            (State::Character, 0x80..0xC0) => {
                self.bytes.push(byte);
                self.character(events);
            }
            (State::Escape, _) => self.take_escaped(byte, events),
            (State::Application, 0x20..0x7F) => self.finish(keys::application_key(byte), events),
            (State::Console, 0x20..0x7F) => self.finish(keys::console_key(byte), events),
            (State::Control, b'[') if self.bytes.len() == 1 => self.state = State::Console,
            (State::Control, b'M') if self.bytes.len() == 1 => self.state = State::OldMouse,
            (State::Control, 0x40..0x7F) => self.control_sequence(byte, events),
            (State::OldMouse, 0x20..) => {
                self.bytes.push(byte);
                if let &[_, button, column, row] = self.bytes.as_slice() {
                    self.finish(keys::old_mouse_report([button, column, row]), events);
                }
            }
            (State::Control, 0x20..0x40) | (State::Text, 0x20..) => {
                if self.bytes.len() < LONGEST_SEQUENCE {
                    self.bytes.push(byte);
                }
            }
            // No sequence has such a byte: it was cut off, and something else begins.
            _ => {
                self.reset();
                self.take_byte(byte, events);
            }
        }
    }

    /// Takes a byte that stands behind nothing unfinished.
    fn begin(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            ESC => self.state = State::Escape,
            0..0x20 | 0x7F => self.key(Some(keys::control(byte)), events),
            _ => {
                self.enter(State::Character, byte);
                self.character(events);
            }
        }
    }

    /// Takes the byte behind an escape.
    fn take_escaped(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            // Never alt-ctrl-C: who presses it wants to leave.
            ESC | CTRL_C => {
                self.expire(events);
                self.take_byte(byte, events);
            }
            b'O' => self.enter(State::Application, byte),
            b'[' => self.enter(State::Control, byte),
            b']' | b'P' | b'X' | b'^' | b'_' => self.enter(State::Text, byte),
            _ => {
                self.reset();
                self.alt = true;
                self.take_byte(byte, events);
            }
        }
    }

    fn control_sequence(&mut self, last: u8, events: &mut Vec<Event>) {
        // Only ASCII is taken, so this is text.
        let parameters = String::from_utf8_lossy(&self.bytes[1..]);
        if (&*parameters, last) == ("200", b'~') {
            self.bytes.clear();
            self.state = State::Paste;
            return;
        }
        let event = keys::control_sequence(&parameters, last);
        self.finish(event, events);
    }

    /// Ends a sequence.
    fn finish(&mut self, event: Option<Event>, events: &mut Vec<Event>) {
        self.reset();
        events.extend(event);
    }

    fn key(&mut self, key: Option<KeyEvent>, events: &mut Vec<Event>) {
        let alt = self.alt;
        self.reset();
        if let Some(mut key) = key {
            key.modifiers.set(KeyModifiers::ALT, alt);
            events.push(Event::Key(key));
        }
    }

    /// Looks whether the character is whole.
    fn character(&mut self, events: &mut Vec<Event>) {
        match str::from_utf8(&self.bytes) {
            Ok(text) => {
                let key = text.chars().next().and_then(keys::character);
                self.key(key, events);
            }
            // Bytes that begin none are dropped; without a length there may come more of it.
            Err(error) if error.error_len().is_some() => self.reset(),
            Err(_) => {}
        }
    }

    fn paste(&mut self, byte: u8, events: &mut Vec<Event>) {
        self.bytes.push(byte);
        if self.bytes.ends_with(PASTE_END) {
            self.bytes.truncate(self.bytes.len() - PASTE_END.len());
            self.end_paste(events);
        } else if self.bytes.len() == LONGEST_PASTE {
            // A text that is longer comes in parts, which end with characters; what may be the end of it stays.
            let rest = self.bytes.split_off(part_length(&self.bytes));
            self.end_paste(events);
            self.state = State::Paste;
            self.bytes = rest;
        }
    }

    fn end_paste(&mut self, events: &mut Vec<Event>) {
        let bytes = mem::take(&mut self.bytes);
        self.reset();
        if !bytes.is_empty() {
            events.push(Event::Paste(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}

/// How much of pasted text ends neither in a character nor in what may be its end.
fn part_length(bytes: &[u8]) -> usize {
    let escape = bytes.iter().rposition(|&byte| byte == ESC);
    let begun = escape.filter(|&at| PASTE_END.starts_with(&bytes[at..]));
    let whole = match bytes.utf8_chunks().last() {
        Some(last) if begun.is_none() && last.invalid().len() < 4 => {
            bytes.len() - last.invalid().len()
        }
        _ => bytes.len(),
    };
    begun.unwrap_or(whole)
}
