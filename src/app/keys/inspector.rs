//! Keys of the values inside a kernel.

use crossterm::event::KeyCode;

use super::binding::{BACK, Binding, FORWARD, VALUES, row};
use crate::app::state::{Action, Context, InspectorAction, Jump, Movement};
use Context::{BlockMap, Buffer, Warp};
use KeyCode::{Char, Down, End, Home, Left, PageDown, PageUp, Right, Up};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Warp], "back", "one statement back"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Warp], "step", "one statement on"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Warp], "", "ten statements back"),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Warp], "", "ten statements on"),
    row(&[Home], Action::Move(Movement::Home), &[Warp], "", "to the first statement"),
    row(&[End, Char('G')], Action::Move(Movement::End), &[Warp], "", "to the last statement"),
    row(&[Up, Char('k')], Action::Move(Movement::Up), &[Warp], "", "the variable above; rows of the access where it is alone"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[Warp], "variable", "the variable below"),
    row(&[Char('a')], Action::Inspector(InspectorAction::Jump(Jump::Access, FORWARD)), VALUES, "access", "to the next access; of the element, in a buffer"),
    row(&[Char('A')], Action::Inspector(InspectorAction::Jump(Jump::Access, BACK)), VALUES, "", "to the access before"),
    row(&[Char('}')], Action::Inspector(InspectorAction::Jump(Jump::Change, FORWARD)), VALUES, "change", "to the next change of the variable or element"),
    row(&[Char('{')], Action::Inspector(InspectorAction::Jump(Jump::Change, BACK)), VALUES, "", "to the change before"),
    row(&[Char('J')], Action::Inspector(InspectorAction::Jump(Jump::Barrier, FORWARD)), VALUES, "", "to the next barrier"),
    row(&[Char('K')], Action::Inspector(InspectorAction::Jump(Jump::Barrier, BACK)), VALUES, "", "to the barrier before"),
    row(&[Char('f')], Action::Inspector(InspectorAction::Jump(Jump::SameLine, FORWARD)), VALUES, "", "on to this line again: the next round of a loop"),
    row(&[Char('F')], Action::Inspector(InspectorAction::Jump(Jump::SameLine, BACK)), VALUES, "", "back to this line"),
    row(&[Char('o')], Action::Inspector(InspectorAction::Jump(Jump::Idle, FORWARD)), VALUES, "", "to the next statement that the lane is off in"),
    row(&[Char('O')], Action::Inspector(InspectorAction::Jump(Jump::Idle, BACK)), VALUES, "", "to the one before"),
    row(&[Char('.')], Action::Inspector(InspectorAction::Jump(Jump::Step, FORWARD)), VALUES, "", "one statement on, in buffers too"),
    row(&[Char(',')], Action::Inspector(InspectorAction::Jump(Jump::Step, BACK)), VALUES, "", "one statement back, in buffers too"),
    row(&[Char('L')], Action::Inspector(InspectorAction::AskLine), VALUES, "", "run to a line; or click on it in the source"),
    row(&[Char(')')], Action::Inspector(InspectorAction::NextLane), VALUES, "", "look at the next lane; or click on it"),
    row(&[Char('(')], Action::Inspector(InspectorAction::PreviousLane), VALUES, "", "look at the lane before"),
    row(&[Char('P')], Action::Inspector(InspectorAction::NextFacet), VALUES, "view", "another view: variables, table, access; numbers, picture"),
    row(&[Char('N')], Action::Inspector(InspectorAction::SwitchMoment), &[Buffer], "", "buffers at this step, or after the run"),
    row(&[Char('b')], Action::Inspector(InspectorAction::PickBlock), VALUES, "block", "choose block and warp on a map of the grid"),
    row(&[Char('w')], Action::Inspector(InspectorAction::NextWarp), &[Warp, Buffer, BlockMap], "warp", "the next warp of the block"),
    row(&[Char('W')], Action::Inspector(InspectorAction::PreviousWarp), &[Warp, Buffer, BlockMap], "", "the warp before"),
    row(&[Char('d')], Action::Inspector(InspectorAction::Jump(Jump::Difference, FORWARD)), &[Warp], "", "to the next value that differs on the real GPU"),
    row(&[Char('D')], Action::Inspector(InspectorAction::Jump(Jump::Difference, BACK)), &[Warp], "", "to the one before"),
    row(&[Char('V')], Action::Inspector(InspectorAction::PreviousItem), VALUES, "", "the buffer before"),
];
