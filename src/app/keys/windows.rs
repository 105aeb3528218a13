//! Keys of what lies over the page, and of the list of lessons.

use crossterm::event::KeyCode;

use super::binding::{Binding, LISTS, TYPING, row, with_control};
use crate::app::state::{
    Action, Context, HomeAction, Movement, PopupAction, RunAction, ViewAction,
};
use Context::{
    BlockMap, Comparison, Evidence, Help, Home as Lessons, Palette, Prompt, Search, Tour,
};
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Popup(PopupAction::Confirm), &[Prompt], "accept", "accept the answer"),
    row(&[Esc], Action::Back, &[Prompt], "leave it", "leave it as it was"),
    row(&[Up], Action::Move(Movement::Up), &[Prompt], "", "in a list: the answer above"),
    row(&[Down], Action::Move(Movement::Down), &[Prompt], "", "in a list: the answer below"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Prompt], "", ""),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Prompt], "", ""),
    row(&[Esc, Char('?'), KeyCode::F(1)], Action::Popup(PopupAction::Help), &[Help], "close", "close the help"),
    with_control(&[Char('t')], Action::Popup(PopupAction::Tour), &[Help], "tour", "the tour of a first visit, once more"),
    row(&[Esc, Char('i'), Char('?'), Char('q')], Action::Back, &[Evidence], "close", "close it"),
    row(&[Enter], Action::Popup(PopupAction::Confirm), &[Palette], "do it", "do what is marked"),
    row(&[Esc], Action::Back, &[Palette], "close", "close the list"),
    row(&[Up], Action::Move(Movement::Up), &[Palette], "", "the entry above"),
    row(&[Down], Action::Move(Movement::Down), &[Palette], "next", "the entry below"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Palette], "", "ten entries up"),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Palette], "", "ten entries down"),
    row(&[Home], Action::Move(Movement::Home), &[Palette], "", "to the first entry"),
    row(&[End], Action::Move(Movement::End), &[Palette], "", "to the last entry"),
    row(&[KeyCode::Backspace], Action::Popup(PopupAction::Erase), TYPING, "erase", "erase a character"),
    row(&[Up], Action::Move(Movement::Up), &[Help], "", "up"),
    row(&[Down], Action::Move(Movement::Down), &[Help], "", "down"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Help], "", "a page up"),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Help], "page", "a page down"),
    row(&[Home], Action::Move(Movement::Home), &[Help], "", "to the start"),
    row(&[End], Action::Move(Movement::End), &[Help], "", "to the end"),
    row(&[Char(' '), Enter, Char('n'), Right, Down, TabKey, Char('r'), Char('v'), Char('?')], Action::Popup(PopupAction::NextOfTour), &[Tour], "go on", ""),
    row(&[Esc, Char('x')], Action::Popup(PopupAction::EndTour), &[Tour], "end the tour", ""),
    row(&[Enter], Action::Popup(PopupAction::Confirm), LISTS, "open", "open the lesson, where you left it"),
    row(&[Up], Action::Move(Movement::Up), LISTS, "", "the lesson above"),
    row(&[Down], Action::Move(Movement::Down), LISTS, "choose", "the lesson below"),
    row(&[PageUp], Action::Move(Movement::PageUp), LISTS, "", "a page up"),
    row(&[PageDown], Action::Move(Movement::PageDown), LISTS, "", "a page down"),
    row(&[Home], Action::Move(Movement::Home), LISTS, "", "to the first"),
    row(&[End], Action::Move(Movement::End), LISTS, "", "to the last"),
    row(&[Char('/')], Action::Home(HomeAction::Search), &[Lessons], "search", "search lessons; just typing does it too"),
    row(&[KeyCode::Backspace], Action::Popup(PopupAction::Erase), &[Search], "erase", "erase a letter of the search"),
    row(&[Esc], Action::Back, &[Search], "all lessons", "end the search"),
    row(&[Esc], Action::Back, &[Lessons], "", "back to the open lesson"),
    row(&[Char('?')], Action::Popup(PopupAction::Help), &[Lessons], "help", ""),
    row(&[Char('q')], Action::Quit, &[Lessons, Tour], "quit", ""),
    row(&[Enter], Action::Popup(PopupAction::Confirm), &[BlockMap], "look", ""),
    row(&[Char('+'), Char('=')], Action::Run(RunAction::Increase), &[BlockMap], "nearer", "map of blocks: nearer"),
    row(&[Char('-')], Action::Run(RunAction::Decrease), &[BlockMap], "farther", "map of blocks: farther"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[BlockMap], "", ""),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[BlockMap], "", ""),
    row(&[Up, Char('k')], Action::Move(Movement::Up), &[BlockMap], "", ""),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[BlockMap], "", ""),
    row(&[PageUp], Action::Move(Movement::PageUp), &[BlockMap], "", ""),
    row(&[PageDown, Char(' ')], Action::Move(Movement::PageDown), &[BlockMap], "", ""),
    row(&[Home], Action::Move(Movement::Home), &[BlockMap], "", ""),
    row(&[End, Char('G')], Action::Move(Movement::End), &[BlockMap], "", ""),
    row(&[Esc], Action::Back, &[BlockMap], "close", ""),
    row(&[Enter, Char('r')], Action::Run(RunAction::Run), &[Comparison], "run both", "side by side: run both cells"),
    row(&[TabKey], Action::View(ViewAction::NextFocus), &[Comparison], "totals or sources", "side by side: totals or sources"),
    row(&[Esc, Char('x')], Action::Back, &[Comparison], "close", "side by side: close it"),
];
