//! Keys of what happened inside a kernel.

use crossterm::event::KeyCode;

use super::binding::{BACK, Binding, FORWARD, VALUES, command, row};
use crate::app::state::{Action, Context, InspectorAction, Jump, PopupAction, PromptKind};
use Context::{Access, BlockMap, Lanes, Memory, Tiles};
use KeyCode::Char;

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Char('a')], Action::Inspector(InspectorAction::Jump(Jump::Access, FORWARD)), VALUES, "", "to the next access; in Memory, of this element"),
    row(&[Char('A')], Action::Inspector(InspectorAction::Jump(Jump::Access, BACK)), VALUES, "", "to the previous access"),
    row(&[Char('J')], Action::Inspector(InspectorAction::Jump(Jump::Barrier, FORWARD)), VALUES, "", "to the next barrier"),
    row(&[Char('K')], Action::Inspector(InspectorAction::Jump(Jump::Barrier, BACK)), VALUES, "", "to the previous barrier"),
    row(&[Char('f')], Action::Inspector(InspectorAction::Jump(Jump::SameLine, FORWARD)), VALUES, "", "to the next time this line runs, as in a loop"),
    row(&[Char('F')], Action::Inspector(InspectorAction::Jump(Jump::SameLine, BACK)), VALUES, "", "to the previous time this line ran"),
    row(&[Char('}')], Action::Inspector(InspectorAction::Jump(Jump::Change, FORWARD)), VALUES, "", "to the next change of the variable or element"),
    row(&[Char('{')], Action::Inspector(InspectorAction::Jump(Jump::Change, BACK)), VALUES, "", "to the previous change"),
    row(&[Char('b')], Action::Inspector(InspectorAction::PickBlock), VALUES, "", "choose a block and a warp on a map of the grid"),
    row(&[Char('w')], Action::Inspector(InspectorAction::NextWarp), &[Lanes, Access, Memory, Tiles, BlockMap], "", "the next warp of the block"),
    row(&[Char('W')], Action::Inspector(InspectorAction::PreviousWarp), &[Lanes, Access, Memory, Tiles, BlockMap], "", "the previous warp"),
    row(&[Char(')')], Action::Inspector(InspectorAction::NextLane), &[Lanes, Access], "", "look at the next lane; or click on it"),
    row(&[Char('(')], Action::Inspector(InspectorAction::PreviousLane), &[Lanes, Access], "", "look at the previous lane"),
    row(&[Char('v')], Action::Inspector(InspectorAction::NextItem), &[Memory], "", "the next buffer or shared array"),
    row(&[Char('V')], Action::Inspector(InspectorAction::PreviousItem), &[Memory, Tiles], "", "the previous one"),
    row(&[Char('P')], Action::Inspector(InspectorAction::SwitchPicture), &[Lanes, Memory], "", "show numbers, or a picture"),
    row(&[Char('.')], Action::Inspector(InspectorAction::NextElement), &[Memory, Tiles], "", "the element to the right"),
    row(&[Char(',')], Action::Inspector(InspectorAction::PreviousElement), &[Memory, Tiles], "", "the element to the left"),
    row(&[Char('N')], Action::Inspector(InspectorAction::SwitchMoment), &[Memory], "", "show buffers at this step, or after the run"),
    row(&[Char('d')], Action::Inspector(InspectorAction::Jump(Jump::Difference, FORWARD)), &[Lanes], "", "to the next value that differs on the real GPU"),
    row(&[Char('D')], Action::Inspector(InspectorAction::Jump(Jump::Difference, BACK)), &[Lanes], "", "to the previous one"),
    command(Action::Inspector(InspectorAction::Jump(Jump::Idle, FORWARD)), &[Lanes, Access], "to the next statement in which the lane is inactive"),
    command(Action::Popup(PopupAction::Ask(PromptKind::Block)), VALUES, "go to a block by its number"),
    command(Action::Popup(PopupAction::Ask(PromptKind::Step)), VALUES, "go to a step of the warp"),
    command(Action::Popup(PopupAction::Ask(PromptKind::RunTo)), VALUES, "run to a line; or click on it in the code"),
    command(Action::Popup(PopupAction::Ask(PromptKind::Element)), &[Memory], "go to an element"),
];
