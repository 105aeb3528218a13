//! What one sequence of a terminal means. What means nothing here, such as a terminal's answer to a question that
//! nobody asked, is nothing.
//!
//! Sources: xterm's *Control Sequences*, and *Comprehensive keyboard handling in terminals* (kitty).

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// A key of one byte below 0x20, or 0x7F.
pub(super) fn control(byte: u8) -> KeyEvent {
    let (code, modifiers) = match byte {
        b'\r' => (KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => (KeyCode::Tab, KeyModifiers::NONE),
        0x1B => (KeyCode::Esc, KeyModifiers::NONE),
        0x7F => (KeyCode::Backspace, KeyModifiers::NONE),
        0 => (KeyCode::Char(' '), KeyModifiers::CONTROL),
        0x01..=0x1A => (
            KeyCode::Char((byte - 1 + b'a').into()),
            KeyModifiers::CONTROL,
        ),
        // ctrl-4 to ctrl-7, as crossterm and others have them.
        _ => (
            KeyCode::Char((byte.saturating_sub(0x1C) + b'4').into()),
            KeyModifiers::CONTROL,
        ),
    };
    KeyEvent::new(code, modifiers)
}

/// A typed character; nothing for those that draw nothing.
pub(super) fn character(c: char) -> Option<KeyEvent> {
    let modifiers = match c.is_uppercase() {
        true => KeyModifiers::SHIFT,
        false => KeyModifiers::NONE,
    };
    (!c.is_control()).then(|| KeyEvent::new(KeyCode::Char(c), modifiers))
}

/// The key of `ESC O` and a letter.
pub(super) fn application_key(letter: u8) -> Option<Event> {
    let code = match letter {
        // The keypad in its application mode sends the character 0x40 below.
        b'j'..=b'y' => KeyCode::Char((letter - 0x40).into()),
        b'M' => KeyCode::Enter,
        b'I' => KeyCode::Tab,
        b'X' => KeyCode::Char('='),
        _ => letter_key(letter)?,
    };
    Some(Event::Key(code.into()))
}

/// The key of `ESC [ [` and a letter, which the console of Linux sends.
pub(super) fn console_key(letter: u8) -> Option<Event> {
    let number = matches!(letter, b'A'..=b'E').then(|| letter - b'A' + 1)?;
    Some(Event::Key(KeyCode::F(number).into()))
}

/// What `ESC [`, parameters and a last byte mean.
pub(super) fn control_sequence(parameters: &str, last: u8) -> Option<Event> {
    match (parameters, last) {
        ("", b'I') => Some(Event::FocusGained),
        ("", b'O') => Some(Event::FocusLost),
        (_, b'M' | b'm') => match parameters.strip_prefix('<') {
            Some(parameters) => mouse_report(parameters, last == b'm', 0),
            // rxvt's reports count buttons from a space.
            None => mouse_report(parameters, false, 32),
        },
        (_, b'u') => unicode_key(parameters.split(';')),
        (_, b'~') => {
            let mut fields = parameters.split(';');
            match number(fields.next(), 0)? {
                // xterm's `modifyOtherKeys`: 27, modifiers, character.
                27 => {
                    let modifiers = fields.next();
                    unicode_key(fields.next().into_iter().chain(modifiers))
                }
                key => with_modifiers(numbered_key(key)?, fields.next()),
            }
        }
        ("", b'Z') => with_modifiers(KeyCode::BackTab, Some("2")),
        // With parameters it is the terminal's answer to where the cursor is.
        ("", b'R') => with_modifiers(KeyCode::F(3), None),
        (_, b'R') => None,
        _ => {
            let mut fields = parameters.split(';');
            number(fields.next(), 1).filter(|&count| count == 1)?;
            with_modifiers(letter_key(last)?, fields.next())
        }
    }
}

/// The report of three bytes that is older than all others (X10).
pub(super) fn old_mouse_report([button, column, row]: [u8; 3]) -> Option<Event> {
    let below = |byte: u8, base: u8| u32::from(byte.saturating_sub(base));
    mouse(below(button, 32), below(column, 32), below(row, 32), false)
}

fn letter_key(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        b'Z' => KeyCode::BackTab,
        _ => return None,
    })
}

/// The key of a number before `~`, as VT220s and xterm count them.
fn numbered_key(number: u32) -> Option<KeyCode> {
    let number = u8::try_from(number).ok()?;
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number - 10),
        17..=21 => KeyCode::F(number - 11),
        23..=26 => KeyCode::F(number - 12),
        28 | 29 => KeyCode::F(number - 13),
        31..=34 => KeyCode::F(number - 14),
        _ => return None,
    })
}

/// A key by its character's number, then its modifiers.
fn unicode_key<'a>(mut fields: impl Iterator<Item = &'a str>) -> Option<Event> {
    let mut keys = fields.next()?.split(':');
    let key = number(keys.next(), 0)?;
    let with_shift = number(keys.next(), 0).and_then(char::from_u32);
    let code = match key {
        9 => KeyCode::Tab,
        13 | 57_414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        // Kitty's numbers of the keypad, which lie where Unicode has no characters.
        57_399..=57_408 => KeyCode::Char(char::from_digit(key - 57_399, 10)?),
        57_409..=57_413 => KeyCode::Char(['.', '/', '*', '-', '+'][key as usize - 57_409]),
        57_415 => KeyCode::Char('='),
        57_417 => KeyCode::Left,
        57_418 => KeyCode::Right,
        57_419 => KeyCode::Up,
        57_420 => KeyCode::Down,
        57_421 => KeyCode::PageUp,
        57_422 => KeyCode::PageDown,
        57_423 => KeyCode::Home,
        57_424 => KeyCode::End,
        57_425 => KeyCode::Insert,
        57_426 => KeyCode::Delete,
        57_344..=63_743 => return None,
        _ => KeyCode::Char(char::from_u32(key).filter(|c| !c.is_control())?),
    };
    let mut event = with_modifiers(code, fields.next())?;
    if let Event::Key(key) = &mut event
        && key.modifiers.contains(KeyModifiers::SHIFT)
    {
        key.code = shifted(key.code, with_shift.filter(|&c| c != '\0'));
    }
    Some(event)
}

/// The key that shift makes of `code`; which character, some terminals say.
fn shifted(code: KeyCode, with_shift: Option<char>) -> KeyCode {
    match code {
        KeyCode::Tab => KeyCode::BackTab,
        KeyCode::Char(c) => KeyCode::Char(with_shift.unwrap_or(c.to_ascii_uppercase())),
        code => code,
    }
}

/// A key with modifiers as `1 + shift + 2 alt + 4 control + …`, and behind a colon what happened to it.
fn with_modifiers(code: KeyCode, field: Option<&str>) -> Option<Event> {
    let mut parts = field.unwrap_or_default().split(':');
    let bits = number(parts.next(), 1)?.saturating_sub(1);
    let flags = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    let pressed = flags
        .iter()
        .enumerate()
        .filter(|(bit, _)| bits & 1 << bit != 0);
    let modifiers = pressed.map(|(_, &flag)| flag).collect();
    let kind = match number(parts.next(), 1)? {
        2 => KeyEventKind::Repeat,
        3 => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    Some(Event::Key(KeyEvent::new_with_kind(code, modifiers, kind)))
}

/// A report of three numbers, with buttons counted from `base`.
fn mouse_report(parameters: &str, is_up: bool, base: u32) -> Option<Event> {
    let mut fields = parameters.split(';').map(|field| number(Some(field), 0));
    let button = fields.next()??.checked_sub(base)?;
    mouse(button, fields.next()??, fields.next()??, is_up)
}

/// A button, or what else happened, in a cell counted from 1.
fn mouse(button: u32, column: u32, row: u32, is_up: bool) -> Option<Event> {
    let buttons = [MouseButton::Left, MouseButton::Middle, MouseButton::Right];
    let which = buttons.get((button & 3) as usize).copied();
    let kind = match (button >> 6, button & 32 != 0, which) {
        (0, false, Some(which)) if is_up => MouseEventKind::Up(which),
        (0, false, Some(which)) => MouseEventKind::Down(which),
        // Older reports do not say which button is up.
        (0, false, None) => MouseEventKind::Up(MouseButton::Left),
        (0, true, Some(which)) => MouseEventKind::Drag(which),
        (0, true, None) => MouseEventKind::Moved,
        (1, false, _) => [
            MouseEventKind::ScrollUp,
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollLeft,
            MouseEventKind::ScrollRight,
        ][(button & 3) as usize],
        _ => return None,
    };
    let cell = |number: u32| u16::try_from(number.saturating_sub(1)).ok();
    let flags = [
        (4, KeyModifiers::SHIFT),
        (8, KeyModifiers::ALT),
        (16, KeyModifiers::CONTROL),
    ];
    let pressed = flags.iter().filter(|(bit, _)| button & bit != 0);
    Some(Event::Mouse(MouseEvent {
        kind,
        column: cell(column)?,
        row: cell(row)?,
        modifiers: pressed.map(|(_, flag)| *flag).collect(),
    }))
}

/// A number, or `default` where there is none; nothing where something else stands.
fn number(field: Option<&str>, default: u32) -> Option<u32> {
    match field {
        None | Some("") => Some(default),
        Some(digits) => digits.parse().ok(),
    }
}
