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
    row(&[Esc], Action::Back, &[Editor], "done", "leave the editor; your changes stay"),
    edit(&[Left], EditCommand::Move(Motion::Left), "", "one character left; with shift, every move selects"),
    edit(&[Right], EditCommand::Move(Motion::Right), "", "one character right"),
    edit(&[Up], EditCommand::Move(Motion::Up), "", "one line up"),
    edit(&[Down], EditCommand::Move(Motion::Down), "", "one line down"),
    edit_control(&[Left], EditCommand::Move(Motion::WordLeft), "", "one word left"),
    edit_control(&[Right], EditCommand::Move(Motion::WordRight), "", "one word right"),
    edit(&[Home], EditCommand::Move(Motion::LineStart), "", "to the start of the line"),
    edit(&[End], EditCommand::Move(Motion::LineEnd), "", "to the end of the line"),
    edit(&[PageUp], EditCommand::Move(Motion::PageUp), "", "a page up"),
    edit(&[PageDown], EditCommand::Move(Motion::PageDown), "", "a page down"),
    edit_control(&[Home], EditCommand::Move(Motion::Start), "", "to the start of the text"),
    edit_control(&[End], EditCommand::Move(Motion::End), "", "to the end of the text"),
    edit(&[Enter], EditCommand::Newline, "", "a new line with the same indent"),
    edit(&[KeyCode::Backspace], EditCommand::Erase, "", "erase the character before the cursor, or the selection"),
    edit_control(&[Char('h')], EditCommand::Erase, "", ""),
    edit(&[KeyCode::Delete], EditCommand::Delete, "", "erase the character after the cursor, or the selection"),
    edit_control(&[Char('w'), KeyCode::Backspace], EditCommand::EraseWord, "", "erase the word before the cursor"),
    edit_control(&[KeyCode::Delete], EditCommand::DeleteWord, "", "erase the word after the cursor"),
    edit(&[TabKey], EditCommand::Indent, "", "indent the line, or the selected ones"),
    edit(&[KeyCode::BackTab], EditCommand::Outdent, "", "outdent the line, or the selected ones"),
    edit_control(&[Char('/'), Char('7')], EditCommand::Comment, "", "turn the line into a comment, or back into code"),
    edit_control(&[Char('a')], EditCommand::SelectAll, "", "select everything"),
    edit_control(&[Char('c')], EditCommand::Copy, "", "copy the selection, or the line"),
    edit_control(&[Char('x')], EditCommand::Cut, "", "cut the selection, or the line"),
    edit_control(&[Char('v')], EditCommand::Paste, "", "paste what was cut or copied"),
    edit_control(&[Char('z')], EditCommand::Undo, "undo", "undo"),
    edit_control(&[Char('y')], EditCommand::Redo, "", "redo"),
    edit_control(&[Char('f')], EditCommand::Find, "find", "find"),
    edit(&[KeyCode::F(3)], EditCommand::FindNext, "", "the next match; with shift, the previous one"),
    edit(&[KeyCode::F(8)], EditCommand::NextFinding, "next error", "the next error or warning; with shift, the previous one"),
    with_control(&[Char('g')], Action::Popup(PopupAction::Ask(PromptKind::Line)), &[Editor], "", "go to a line"),
    with_control(&[Char('s')], Action::Run(RunAction::Run), &[Editor], "", "run the cell; your changes are saved as you type"),
    row(&[KeyCode::F(1)], Action::Popup(PopupAction::Help), &[Editor], "help", "these keys"),
    with_control(&[Char('q')], Action::Quit, &[Editor], "", "quit"),
];
