//! Keys of what lies over the page: questions, lists, the map of blocks, the tour; and of the list of lessons.

use crossterm::event::KeyCode;

use super::binding::{Binding, LISTS, TYPING, row, with_control};
use crate::app::state::{Action, Context, HomeAction, Movement, PopupAction};
use Context::{
    BlockMap, Comparison, Evidence, Home as Lessons, Palette, Prompt, Search, Tour, Welcome,
};
use KeyCode::{Char, Down, End, Enter, Esc, Home, PageDown, PageUp, Up};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Enter, &[Prompt], "accept", "accept the answer"),
    row(&[Esc], Action::Back, &[Prompt], "leave it", "close it without a change"),
    row(&[Up], Action::Move(Movement::Up), &[Prompt, Palette], "", "the answer or entry above"),
    row(&[Down], Action::Move(Movement::Down), &[Prompt, Palette], "", "the answer or entry below"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Prompt, Palette], "", ""),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Prompt, Palette], "", ""),
    row(&[Home], Action::Move(Movement::Home), &[Palette], "", ""),
    row(&[End], Action::Move(Movement::End), &[Palette], "", ""),
    row(&[Esc], Action::Back, &[Evidence], "close", "close it"),
    row(&[Enter], Action::Enter, &[Palette], "do it", "run the selected entry"),
    row(&[Esc], Action::Back, &[Palette], "close", "close the list"),
    row(&[KeyCode::Backspace], Action::Popup(PopupAction::Erase), TYPING, "erase", "erase a character"),
    row(&[Enter], Action::Enter, &[Tour], "go on", ""),
    row(&[Esc], Action::Back, &[Tour], "end the tour", ""),
    row(&[Enter], Action::Enter, &[Welcome], "break it yourself", "break the copy yourself"),
    row(&[Esc], Action::Back, &[Welcome], "all lessons", ""),
    row(&[Char('q')], Action::Quit, &[Welcome], "", ""),
    row(&[Enter], Action::Popup(PopupAction::Confirm), LISTS, "open", "open the lesson, where you left it"),
    row(&[Up], Action::Move(Movement::Up), LISTS, "", "the lesson above"),
    row(&[Down], Action::Move(Movement::Down), LISTS, "choose", "the lesson below"),
    row(&[PageUp], Action::Move(Movement::PageUp), LISTS, "", "a page up"),
    row(&[PageDown], Action::Move(Movement::PageDown), LISTS, "", "a page down"),
    row(&[Home], Action::Move(Movement::Home), LISTS, "", "to the first lesson"),
    row(&[End], Action::Move(Movement::End), LISTS, "", "to the last lesson"),
    row(&[Char('/')], Action::Home(HomeAction::Search), &[Lessons], "search", "search lessons; just typing does it too"),
    row(&[KeyCode::Backspace], Action::Popup(PopupAction::Erase), &[Search], "erase", "erase a letter of the search"),
    row(&[Esc], Action::Back, &[Search], "all lessons", "end the search"),
    row(&[Esc], Action::Back, &[Lessons], "", "back to the open lesson"),
    row(&[Char('?')], Action::Popup(PopupAction::Help), &[Lessons], "help", "show the keys that work here"),
    with_control(&[Char('t')], Action::Popup(PopupAction::Tour), &[Lessons], "", "show the tour of a first visit again"),
    row(&[Char('q')], Action::Quit, &[Lessons, Tour], "quit", ""),
    row(&[Enter], Action::Enter, &[BlockMap], "look", "look into this block"),
    row(&[Esc], Action::Back, &[BlockMap], "close", "close the map"),
    row(&[Enter], Action::Enter, &[Comparison], "run both", "run both cells"),
];
