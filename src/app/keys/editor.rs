//! Keys of the editor.

use crossterm::event::KeyCode;

use super::binding::{Binding, edit, edit_control, row, with_control};
use crate::app::state::{Action, Context, EditCommand, Motion, PopupAction, PromptKind, RunAction};
use Context::Editor;
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Esc], Action::Back, &[Editor], "done", "leave the editor; the edit stays"),
    edit(&[Left], EditCommand::Move(Motion::Left), "", "a character left; with shift, select; so with all moves"),
    edit(&[Right], EditCommand::Move(Motion::Right), "", "a character right"),
    edit(&[Up], EditCommand::Move(Motion::Up), "", "a line up"),
    edit(&[Down], EditCommand::Move(Motion::Down), "", "a line down"),
    edit_control(&[Left], EditCommand::Move(Motion::WordLeft), "", "a word left"),
    edit_control(&[Right], EditCommand::Move(Motion::WordRight), "", "a word right"),
    edit(&[Home], EditCommand::Move(Motion::LineStart), "", "to the start of the line"),
    edit(&[End], EditCommand::Move(Motion::LineEnd), "", "to the end of the line"),
    edit(&[PageUp], EditCommand::Move(Motion::PageUp), "", "a page up"),
    edit(&[PageDown], EditCommand::Move(Motion::PageDown), "", "a page down"),
    edit_control(&[Home], EditCommand::Move(Motion::Start), "", "to the start of the text"),
    edit_control(&[End], EditCommand::Move(Motion::End), "", "to the end of the text"),
    edit(&[Enter], EditCommand::Newline, "", "a new line, as far in as this one"),
    edit(&[KeyCode::Backspace], EditCommand::Erase, "", "erase the character before, or the selection"),
    edit_control(&[Char('h')], EditCommand::Erase, "", ""),
    edit(&[KeyCode::Delete], EditCommand::Delete, "", "erase the character behind, or the selection"),
    edit_control(&[Char('w'), KeyCode::Backspace], EditCommand::EraseWord, "", "erase the word before"),
    edit_control(&[KeyCode::Delete], EditCommand::DeleteWord, "", "erase the word behind"),
    edit(&[TabKey], EditCommand::Indent, "", "indent, or the selected lines"),
    edit(&[KeyCode::BackTab], EditCommand::Outdent, "", "outdent the line, or the selected ones"),
    edit_control(&[Char('/'), Char('7')], EditCommand::Comment, "", "make the line a comment, or code again"),
    edit_control(&[Char('a')], EditCommand::SelectAll, "", "select everything"),
    edit_control(&[Char('c')], EditCommand::Copy, "", "copy the selection, or the line"),
    edit_control(&[Char('x')], EditCommand::Cut, "", "cut the selection, or the line"),
    edit_control(&[Char('v')], EditCommand::Paste, "", "paste what was cut or copied"),
    edit_control(&[Char('z')], EditCommand::Undo, "undo", "undo"),
    edit_control(&[Char('y')], EditCommand::Redo, "", "redo"),
    edit_control(&[Char('f')], EditCommand::Find, "find", "find"),
    edit(&[KeyCode::F(3)], EditCommand::FindNext, "", "the next place found; with shift, the one before"),
    edit(&[KeyCode::F(8)], EditCommand::NextFinding, "next error", "the next error or warning; with shift, the one before"),
    with_control(&[Char('g')], Action::Popup(PopupAction::Ask(PromptKind::Line)), &[Editor], "", "go to a line"),
    with_control(&[Char('s')], Action::Run(RunAction::Run), &[Editor], "", "run the cell, as enter does outside; edits are always kept"),
    row(&[KeyCode::F(1)], Action::Popup(PopupAction::Help), &[Editor], "help", "these keys"),
    with_control(&[Char('q')], Action::Quit, &[Editor], "", "quit"),
];
