//! Keys of text and kernels, and those that hold everywhere.

use crossterm::event::KeyCode;

use super::binding::{
    ADJUSTED, Binding, COMPARED, EDITED, IN_A_LESSON, MOVES, NUMBERS, PAGES, RUNNABLE, SIZED,
    VALUES, VIEWS, command, control, row, with_control,
};
use crate::app::state::{
    Action, Context, CopyTarget, EditorAction, InspectorAction, LessonAction, Movement,
    PopupAction, PromptKind, RunAction, ViewAction,
};
use Context::{Calculator, Code, Figure, Lanes, Prose, Ptx, Tiles, Tour};
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Enter, RUNNABLE, "run", "run this cell, or run it again"),
    row(&[Enter], Action::Enter, &[Prose], "", "go on"),
    row(&[Char('n'), Char(' ')], Action::Lesson(LessonAction::Advance), &[], "next", "go on: more text, then the next step or page"),
    row(&[Char('n'), Char(' ')], Action::Lesson(LessonAction::Advance), &[Tour], "", ""),
    row(&[Char('p')], Action::Lesson(LessonAction::Retreat), &[], "", "back a step"),
    row(&[TabKey], Action::View(ViewAction::NextView), VIEWS, "view", "the next view: Code, Lanes, Access, Memory, Counts, PTX"),
    row(&[KeyCode::BackTab], Action::View(ViewAction::PreviousView), VIEWS, "", "the previous view"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), VALUES, "step", "step forward: one statement, or in Access one access"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), VALUES, "", "step back"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Ptx], "line", "the next line of the code"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Ptx], "", "the previous line"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Calculator], "more", "the next larger value"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Calculator], "less", "the next smaller value"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[Lanes], "", "the next variable"),
    row(&[Char('v')], Action::Inspector(InspectorAction::NextItem), &[Tiles], "", "the next tile of the kernel"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[Figure], "series", "the next series"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), MOVES, "", "to the right"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), MOVES, "", "to the left"),
    row(&[Up, Char('k')], Action::Move(Movement::Up), MOVES, "", "up"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), MOVES, "", "down"),
    row(&[PageUp], Action::Move(Movement::PageUp), MOVES, "", "a page up; ten steps back"),
    row(&[PageDown], Action::Move(Movement::PageDown), MOVES, "", "a page down; ten steps on"),
    row(&[Home], Action::Move(Movement::Home), MOVES, "", "to the start"),
    row(&[End, Char('G')], Action::Move(Movement::End), MOVES, "", "to the end"),
    row(&[Char('e')], Action::Editor(EditorAction::EditKernel), RUNNABLE, "edit", "edit the kernel; its counts follow what you type"),
    with_control(&[Char('e')], Action::Editor(EditorAction::OpenEditor), EDITED, "", "open the kernel in $VISUAL or $EDITOR"),
    with_control(&[Char('d')], Action::Editor(EditorAction::ShowChanges), EDITED, "", "show what you changed in the kernel, or the whole text"),
    with_control(&[Char('o')], Action::Editor(EditorAction::ResetKernel), EDITED, "", "restore the kernel of the lesson; asks first"),
    row(&[Char('!')], Action::Run(RunAction::RunChecked), RUNNABLE, "", "run it and look for races and values that were never set"),
    row(&[Char('i')], Action::View(ViewAction::Evidence), RUNNABLE, "", "show everything about the run, or only its headline"),
    row(&[Char('s')], Action::Run(RunAction::NextSize), SIZED, "", "select the next size; digits set the selected one"),
    row(&[Char('+')], Action::Run(RunAction::Increase), ADJUSTED, "", "make the selected size larger"),
    row(&[Char('-')], Action::Run(RunAction::Decrease), ADJUSTED, "", "make it smaller"),
    row(&[Char('>')], Action::Run(RunAction::Double), SIZED, "", "double it"),
    row(&[Char('<')], Action::Run(RunAction::Halve), SIZED, "", "halve it"),
    row(&[Char('m')], Action::View(ViewAction::NextMetric), RUNNABLE, "", "show the next measure in the margin"),
    row(&[Char(']')], Action::Run(RunAction::NextLaunch), RUNNABLE, "", "the next launch"),
    row(&[Char('[')], Action::Run(RunAction::PreviousLaunch), RUNNABLE, "", "the previous launch"),
    row(&[Char('c')], Action::View(ViewAction::Compare), COMPARED, "", "compare this cell, or this row, with another"),
    row(&[Char('U')], Action::Run(RunAction::PickGpu), SIZED, "", "choose the GPU that is simulated"),
    row(&[Esc], Action::Back, &[], "", "close what is open; cancel the run"),
    row(&[Char('g')], Action::Popup(PopupAction::Contents), &[], "pages", "list the pages, and go to one"),
    row(&[Char('H')], Action::GoHome, PAGES, "", "all lessons; what you did here stays"),
    command(Action::View(ViewAction::PickMetric), RUNNABLE, "choose what the margin shows"),
    command(Action::Popup(PopupAction::Ask(PromptKind::Line)), &[Code, Ptx], "go to a line"),
    command(Action::Popup(PopupAction::Evidence), NUMBERS, "where the numbers on screen come from"),
    command(Action::Run(RunAction::SwitchEngine), PAGES, "use a real GPU too, or only the simulated one"),
    command(Action::Run(RunAction::RunAll), PAGES, "run every cell"),
    command(Action::Lesson(LessonAction::GoOn), PAGES, "back to where you left this lesson last time"),
    command(Action::Lesson(LessonAction::Restart), PAGES, "start over: forget results and answers"),
    row(&[Char('y')], Action::Copy(CopyTarget::Pane), PAGES, "", "copy this view"),
    command(Action::Copy(CopyTarget::Cell), PAGES, "copy this cell with its numbers, as Markdown"),
    command(Action::Copy(CopyTarget::Link), PAGES, "copy the link that opens this place"),
    command(Action::Export, PAGES, "write the lesson with its results to a file"),
    command(Action::View(ViewAction::NextScheme), PAGES, "the next theme: dark, light, high contrast"),
    command(Action::Popup(PopupAction::Tour), PAGES, "show the tour of a first visit again"),
    with_control(&[Char('p')], Action::Popup(PopupAction::Palette), IN_A_LESSON, "", "find any command or page by part of its name"),
    row(&[Char(':')], Action::Popup(PopupAction::Palette), &[], "", ""),
    control(&[Char('z')], Action::Suspend, "suspend; fg comes back"),
    control(&[Char('c')], Action::Quit, ""),
    row(&[Char('?')], Action::Popup(PopupAction::Help), &[], "help", "show the keys that work here"),
    row(&[Char('q')], Action::Quit, &[], "quit", "quit"),
];
