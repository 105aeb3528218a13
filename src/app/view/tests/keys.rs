//! Keys as tests write them: characters as they are, and names in angle brackets, such as `<enter>`,
//! `<shift-left>` and `<ctrl-x>`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Every name.
const NAMES: [(&str, KeyCode); 14] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("f1", KeyCode::F(1)),
    ("f3", KeyCode::F(3)),
    ("f8", KeyCode::F(8)),
];

/// The first key of `keys`, and what is behind it.
pub(crate) fn first(keys: &str) -> Option<(KeyEvent, &str)> {
    let first = keys.chars().next()?;
    let named = keys.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    Some(match named {
        Some((name, after)) => (key(name), after),
        None => {
            let key = KeyEvent::new(KeyCode::Char(first), KeyModifiers::NONE);
            (key, &keys[first.len_utf8()..])
        }
    })
}

fn key(name: &str) -> KeyEvent {
    let (mut plain, mut modifiers) = (name, KeyModifiers::NONE);
    for (prefix, modifier) in [
        ("ctrl-", KeyModifiers::CONTROL),
        ("shift-", KeyModifiers::SHIFT),
    ] {
        if let Some(rest) = plain.strip_prefix(prefix) {
            (plain, modifiers) = (rest, modifiers | modifier);
        }
    }
    let mut characters = plain.chars();
    let code = match (characters.next(), characters.next()) {
        (Some(character), None) => Some(KeyCode::Char(character)),
        _ => NAMES
            .iter()
            .find(|named| named.0 == plain)
            .map(|named| named.1),
    };
    KeyEvent::new(
        code.unwrap_or_else(|| panic!("no key is called {name}")),
        modifiers,
    )
}
