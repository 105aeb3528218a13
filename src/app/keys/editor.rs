//! Keys of the editor.

use crossterm::event::KeyCode;

use super::binding::{Binding, edit, edit_control, row, with_control};
use crate::app::state::{Action, Context, Motion, Stroke};
use Context::Editor;
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Esc], Action::Back, &[Editor], "done", "leave the editor; the edit stays"),
    edit(&[Left], Stroke::Move(Motion::Left), "", "a character left; with shift, select; so with all moves"),
    edit(&[Right], Stroke::Move(Motion::Right), "", "a character right"),
    edit(&[Up], Stroke::Move(Motion::Up), "", "a line up"),
    edit(&[Down], Stroke::Move(Motion::Down), "", "a line down"),
    edit_control(&[Left], Stroke::Move(Motion::WordLeft), "", "a word left"),
    edit_control(&[Right], Stroke::Move(Motion::WordRight), "", "a word right"),
    edit(&[Home], Stroke::Move(Motion::LineStart), "", "to the start of the line"),
    edit(&[End], Stroke::Move(Motion::LineEnd), "", "to the end of the line"),
    edit(&[PageUp], Stroke::Move(Motion::PageUp), "", "a page up"),
    edit(&[PageDown], Stroke::Move(Motion::PageDown), "", "a page down"),
    edit_control(&[Home], Stroke::Move(Motion::Start), "", "to the start of the text"),
    edit_control(&[End], Stroke::Move(Motion::End), "", "to the end of the text"),
    edit(&[Enter], Stroke::Newline, "", "a new line, as far in as this one"),
    edit(&[KeyCode::Backspace], Stroke::Erase, "", "erase the character before, or the selection"),
    edit_control(&[Char('h')], Stroke::Erase, "", ""),
    edit(&[KeyCode::Delete], Stroke::Delete, "", "erase the character behind, or the selection"),
    edit_control(&[Char('w'), KeyCode::Backspace], Stroke::EraseWord, "", "erase the word before"),
    edit_control(&[KeyCode::Delete], Stroke::DeleteWord, "", "erase the word behind"),
    edit(&[TabKey], Stroke::Indent, "", "indent, or the selected lines"),
    edit(&[KeyCode::BackTab], Stroke::Outdent, "", "outdent the line, or the selected ones"),
    edit_control(&[Char('/'), Char('7')], Stroke::Comment, "", "make the line a comment, or code again"),
    edit_control(&[Char('a')], Stroke::SelectAll, "", "select everything"),
    edit_control(&[Char('c')], Stroke::Copy, "", "copy the selection, or the line"),
    edit_control(&[Char('x')], Stroke::Cut, "", "cut the selection, or the line"),
    edit_control(&[Char('v')], Stroke::Paste, "", "paste what was cut or copied"),
    edit_control(&[Char('z')], Stroke::Undo, "undo", "undo"),
    edit_control(&[Char('y')], Stroke::Redo, "", "redo"),
    edit_control(&[Char('f')], Stroke::Find, "find", "find"),
    edit(&[KeyCode::F(3)], Stroke::FindNext, "", "the next place found; with shift, the one before"),
    edit(&[KeyCode::F(8)], Stroke::NextFinding, "next error", "the next error or warning; with shift, the one before"),
    with_control(&[Char('g')], Action::GoTo, &[Editor], "", "go to a line"),
    with_control(&[Char('s')], Action::Run, &[Editor], "", "run the cell, as enter does outside; edits are always kept"),
    row(&[KeyCode::F(1)], Action::Help, &[Editor], "help", "these keys"),
    with_control(&[Char('q')], Action::Quit, &[Editor], "", "quit"),
];
