//! Keys of what lies over the page, and of the list of lessons.

use crossterm::event::KeyCode;

use super::binding::{Binding, LISTS, TYPING, row, with_control};
use crate::app::state::{Action, Context};
use Context::{
    Comparison, Explained, Help, Home as Lessons, Palette, Picker, Prompt, Search, Tour,
};
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Confirm, &[Prompt], "accept", "accept the answer"),
    row(&[Esc], Action::Back, &[Prompt], "leave it", "leave it as it was"),
    row(&[Up], Action::Up, &[Prompt], "", "in a list: the answer above"),
    row(&[Down], Action::Down, &[Prompt], "", "in a list: the answer below"),
    row(&[PageUp], Action::PageUp, &[Prompt], "", ""),
    row(&[PageDown], Action::PageDown, &[Prompt], "", ""),
    row(&[Esc, Char('?'), KeyCode::F(1)], Action::Help, &[Help], "close", "close the help"),
    with_control(&[Char('t')], Action::Tour, &[Help], "tour", "the tour of a first visit, once more"),
    row(&[Esc, Char('i'), Char('?'), Char('q')], Action::Back, &[Explained], "close", "close it"),
    row(&[Enter], Action::Confirm, &[Palette], "do it", "do what is marked"),
    row(&[Esc], Action::Back, &[Palette], "close", "close the list"),
    row(&[Up], Action::Up, &[Palette], "", "the entry above"),
    row(&[Down], Action::Down, &[Palette], "next", "the entry below"),
    row(&[PageUp], Action::PageUp, &[Palette], "", "ten entries up"),
    row(&[PageDown], Action::PageDown, &[Palette], "", "ten entries down"),
    row(&[Home], Action::Home, &[Palette], "", "to the first entry"),
    row(&[End], Action::End, &[Palette], "", "to the last entry"),
    row(&[KeyCode::Backspace], Action::Erase, TYPING, "erase", "erase a character"),
    row(&[Up], Action::Up, &[Help], "", "up"),
    row(&[Down], Action::Down, &[Help], "", "down"),
    row(&[PageUp], Action::PageUp, &[Help], "", "a page up"),
    row(&[PageDown], Action::PageDown, &[Help], "page", "a page down"),
    row(&[Home], Action::Home, &[Help], "", "to the start"),
    row(&[End], Action::End, &[Help], "", "to the end"),
    row(&[Char(' '), Enter, Char('n'), Right, Down, TabKey, Char('r'), Char('v'), Char('?')], Action::NextOfTour, &[Tour], "go on", ""),
    row(&[Esc, Char('x')], Action::EndTour, &[Tour], "end the tour", ""),
    row(&[Enter], Action::Confirm, LISTS, "open", "open the lesson, where you left it"),
    row(&[Up], Action::Up, LISTS, "", "the lesson above"),
    row(&[Down], Action::Down, LISTS, "choose", "the lesson below"),
    row(&[PageUp], Action::PageUp, LISTS, "", "a page up"),
    row(&[PageDown], Action::PageDown, LISTS, "", "a page down"),
    row(&[Home], Action::Home, LISTS, "", "to the first"),
    row(&[End], Action::End, LISTS, "", "to the last"),
    row(&[Char('/')], Action::Search, &[Lessons], "search", "search lessons; just typing does it too"),
    row(&[KeyCode::Backspace], Action::Erase, &[Search], "erase", "erase a letter of the search"),
    row(&[Esc], Action::Back, &[Search], "all lessons", "end the search"),
    row(&[Esc], Action::Back, &[Lessons], "", "back to the open lesson"),
    row(&[Char('?')], Action::Help, &[Lessons], "help", ""),
    row(&[Char('q')], Action::Quit, &[Lessons, Tour], "quit", ""),
    row(&[Enter], Action::Confirm, &[Picker], "look", ""),
    row(&[Char('+'), Char('=')], Action::Increase, &[Picker], "nearer", "map of blocks: nearer"),
    row(&[Char('-')], Action::Decrease, &[Picker], "farther", "map of blocks: farther"),
    row(&[Left, Char('h')], Action::Left, &[Picker], "", ""),
    row(&[Right, Char('l')], Action::Right, &[Picker], "", ""),
    row(&[Up, Char('k')], Action::Up, &[Picker], "", ""),
    row(&[Down, Char('j')], Action::Down, &[Picker], "", ""),
    row(&[PageUp], Action::PageUp, &[Picker], "", ""),
    row(&[PageDown, Char(' ')], Action::PageDown, &[Picker], "", ""),
    row(&[Home], Action::Home, &[Picker], "", ""),
    row(&[End, Char('G')], Action::End, &[Picker], "", ""),
    row(&[Esc], Action::Back, &[Picker], "close", ""),
    row(&[Enter, Char('r')], Action::Run, &[Comparison], "run both", "side by side: run both cells"),
    row(&[TabKey], Action::NextFocus, &[Comparison], "totals or sources", "side by side: totals or sources"),
    row(&[Esc, Char('x')], Action::Back, &[Comparison], "close", "side by side: close it"),
];
