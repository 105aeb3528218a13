//! Keys of text and kernels, and those that hold everywhere.

use crossterm::event::KeyCode;

use super::binding::{
    Binding, EDITED, IN_A_LESSON, NUMBERS, PAGES, RUNNABLE, SCROLLS, SIZED, control, row,
    with_control,
};
use crate::app::state::{
    Action, Context, CopyTarget, EditorAction, LessonAction, Movement, PopupAction, RunAction, Tab,
    ViewAction,
};
use Context::{Buffer, Comparison, Counts, Evidence, Prose, Ptx, Sizes, Source};
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Ptx], "", "PTX: to the source line before"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Ptx], "line", "PTX: to the next source line"),
    row(&[Enter, Char('r')], Action::Run(RunAction::Run), RUNNABLE, "run", "run this cell; again: start over"),
    row(&[Char('!')], Action::Run(RunAction::RunChecked), RUNNABLE, "", "run it and look for races and for values never set"),
    row(&[Enter], Action::Lesson(LessonAction::Advance), &[Prose], "", ""),
    row(&[Char('n')], Action::Lesson(LessonAction::Advance), &[], "next", "on: more text, the next step, the next page"),
    row(&[Char(' ')], Action::Lesson(LessonAction::Advance), PAGES, "", ""),
    row(&[Char('p')], Action::Lesson(LessonAction::Retreat), &[], "back", "back a step"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Sizes], "", "the size before"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Sizes], "which size", "the next size"),
    row(&[Up, Char('k')], Action::Move(Movement::Up), &[Sizes], "more", "a step up"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[Sizes], "less", "a step down"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Sizes], "", "double it"),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Sizes], "", "halve it"),
    row(&[Char('s')], Action::View(ViewAction::Show(Tab::Source)), RUNNABLE, "source", "the source"),
    row(&[Char('c')], Action::View(ViewAction::Show(Tab::Counts)), RUNNABLE, "counts", "the counts"),
    row(&[Char('v')], Action::View(ViewAction::Show(Tab::Values)), RUNNABLE, "values", "the values; again: the next buffer"),
    row(&[TabKey], Action::View(ViewAction::NextFocus), RUNNABLE, "focus", "the next pane, or the sizes"),
    row(&[KeyCode::BackTab], Action::View(ViewAction::PreviousFocus), RUNNABLE, "", "the pane before"),
    row(&[Char('t')], Action::View(ViewAction::Show(Tab::Ptx)), RUNNABLE, "ptx", "the PTX, under the lines of the source"),
    row(&[Char('E')], Action::Editor(EditorAction::EditKernel), RUNNABLE, "edit", "edit the kernel; its counts follow what you type"),
    with_control(&[Char('e')], Action::Editor(EditorAction::OpenEditor), EDITED, "", "open the kernel in $VISUAL or $EDITOR"),
    with_control(&[Char('d')], Action::Editor(EditorAction::ShowChanges), EDITED, "", "what you changed in the kernel, or the text again"),
    with_control(&[Char('o')], Action::Editor(EditorAction::ResetKernel), EDITED, "", "the kernel as the lesson has it; asks first"),
    row(&[Char('+'), Char('=')], Action::Run(RunAction::Increase), SIZED, "", "make the chosen size larger"),
    row(&[Char('-')], Action::Run(RunAction::Decrease), SIZED, "", "make it smaller"),
    row(&[Char('>')], Action::Run(RunAction::Double), SIZED, "", "double it"),
    row(&[Char('<')], Action::Run(RunAction::Halve), SIZED, "", "halve it"),
    row(&[Char('e')], Action::Run(RunAction::SwitchEngine), PAGES, "", "a real GPU beside the simulated one, or that alone"),
    row(&[Char('m')], Action::View(ViewAction::NextMetric), RUNNABLE, "margin", "the margin counts the next measure"),
    row(&[Char('M')], Action::View(ViewAction::PickMetric), RUNNABLE, "", "choose what the margin counts"),
    row(&[Char('C')], Action::View(ViewAction::Compare), NUMBERS, "", "this cell beside another one, and close it"),
    row(&[Char('i')], Action::Popup(PopupAction::Evidence), NUMBERS, "", "where the numbers on screen come from"),
    row(&[Char('U')], Action::Run(RunAction::PickGpu), RUNNABLE, "", "choose the GPU that is simulated"),
    row(&[Char(']')], Action::Run(RunAction::NextLaunch), RUNNABLE, "launch", "the next launch"),
    row(&[Char('[')], Action::Run(RunAction::PreviousLaunch), RUNNABLE, "", "the launch before"),
    row(&[Char('z')], Action::View(ViewAction::Zoom), RUNNABLE, "", "widen the output, or narrow it"),
    row(&[Esc, Char('x')], Action::Back, &[], "", "cancel the run"),
    row(&[Char('R')], Action::Run(RunAction::RunAll), &[], "", "run every cell"),
    row(&[Char('H')], Action::GoHome, PAGES, "lessons", "all lessons; what you did here stays"),
    row(&[Char('B')], Action::Lesson(LessonAction::GoOn), PAGES, "", "back to where you left this lesson the last time"),
    row(&[Char('g')], Action::Popup(PopupAction::Contents), &[], "contents", "the pages of the lesson, to go to one"),
    row(&[Up, Char('k')], Action::Move(Movement::Up), SCROLLS, "", "up"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), SCROLLS, "", "down"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Buffer, Source], "", "left"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Buffer, Source], "", "right"),
    row(&[PageUp], Action::Move(Movement::PageUp), SCROLLS, "", "a page up"),
    row(&[PageDown], Action::Move(Movement::PageDown), SCROLLS, "", "a page down"),
    row(&[Char(' ')], Action::Move(Movement::PageDown), &[Evidence, Comparison], "", ""),
    row(&[Home], Action::Move(Movement::Home), &[Prose, Source, Counts, Evidence, Buffer, Ptx, Sizes, Comparison], "", "to the start"),
    row(&[End, Char('G')], Action::Move(Movement::End), &[Prose, Source, Counts, Evidence, Buffer, Ptx, Sizes, Comparison], "", "to the end"),
    with_control(&[Char('r')], Action::Lesson(LessonAction::Restart), PAGES, "", "start over: forget results and answers"),
    row(&[Char('y')], Action::Copy(CopyTarget::Pane), &[], "", "copy this pane: source, counts, values"),
    row(&[Char('Y')], Action::Copy(CopyTarget::Cell), &[], "", "copy this cell with its numbers, as Markdown"),
    row(&[Char('#')], Action::Copy(CopyTarget::Link), &[], "", "copy the link that opens this place"),
    row(&[Char('X')], Action::Export, &[], "", "write the lesson with its results to a file"),
    row(&[Char('T')], Action::View(ViewAction::NextScheme), &[], "", "the next theme: dark, light, high contrast, …"),
    with_control(&[Char('p')], Action::Popup(PopupAction::Palette), IN_A_LESSON, "", "find any command or cell by a part of its name"),
    row(&[Char(':')], Action::Popup(PopupAction::Palette), &[], "commands", ""),
    control(&[Char('z')], Action::Suspend, "suspend; fg comes back"),
    control(&[Char('c')], Action::Quit, ""),
    row(&[Char('?')], Action::Popup(PopupAction::Help), &[], "help", "these keys"),
    row(&[Char('q')], Action::Quit, &[], "quit", "quit"),
];
