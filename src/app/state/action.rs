//! What the learner can ask for, and where.

use crate::app::state::{EditCommand, Jump, PromptKind, Tab};
use crate::launch::Watch;
use crate::simt::Direction;

/// Something the learner asks for, whichever key or click says it, by the area that does it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Action {
    Quit,
    Suspend,
    /// To the clipboard.
    Copy(CopyTarget),
    /// Writes the lesson and its results to a file, once it is known which.
    Export,
    /// Does what the page offers: runs, answers, goes on.
    Enter,
    /// Closes what is open; else cancels the run.
    Back,
    /// From a lesson to the home screen.
    GoHome,
    /// Arrows, pages, home and end.
    Move(Movement),
    Lesson(LessonAction),
    View(ViewAction),
    Popup(PopupAction),
    Run(RunAction),
    Inspector(InspectorAction),
    Prediction(PredictionAction),
    /// One hint more to the exercise on screen.
    Hint,
    Table(TableAction),
    Calculator(CalculatorAction),
    Figure(FigureAction),
    Editor(EditorAction),
    Home(HomeAction),
}

/// A movement, whatever moves: a scroll position, a cursor, a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Movement {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

/// What is asked of the lesson: another cell, or less of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum LessonAction {
    /// The step before, or the page before.
    Retreat,
    GoToCell(usize),
    /// On through the text, to the next step, to the next page.
    Advance,
    /// To where the learner left the lesson before.
    GoOn,
    /// Forgets all results and answers, if the learner says so.
    Restart,
}

/// How the cell is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ViewAction {
    /// The next view of what is on screen.
    NextView,
    PreviousView,
    Show(Tab),
    /// All that is known of a run, or its headline again.
    Evidence,
    /// The next measure in the source's margin.
    NextMetric,
    /// Asks what the margin is to count.
    PickMetric,
    /// The next set of colours.
    NextScheme,
    /// Puts the cell beside another one, or closes that; in a table compares rows.
    Compare,
}

/// What is asked of, or typed into, what lies over the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PopupAction {
    Help,
    /// Opens the list of everything that can be asked for, or closes it.
    Palette,
    /// Does what entry so-and-so of the palette says, counted from 0.
    PickEntry(usize),
    /// Tells where the numbers on screen come from, or closes that.
    Evidence,
    /// Takes an answer of the open list, by its place in it.
    Choose(usize),
    Type(char),
    Erase,
    Confirm,
    /// The pages of the lesson.
    Contents,
    /// Asks something: where to go, as a rule.
    Ask(PromptKind),
    Tour,
}

/// Runs, and what they are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RunAction {
    Run,
    /// Runs the cell on screen, and looks for races and for reads of what was never set.
    RunChecked,
    RunAll,
    /// The real GPU in place of the simulated one alone, or back.
    SwitchEngine,
    /// Asks which GPU is to be simulated.
    PickGpu,
    Increase,
    Decrease,
    Double,
    Halve,
    /// Keys change the next size from now on.
    NextSize,
    SelectSize(usize),
    /// Gives a size a value, as a click on its slider does.
    SetSize(usize, u64),
    NextLaunch,
    PreviousLaunch,
    /// One launch, or all of them together.
    SelectLaunch(Option<usize>),
}

/// What is looked at inside a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum InspectorAction {
    NextWarp,
    PreviousWarp,
    PickBlock,
    /// A block and warp of the launch that is looked at.
    Watch(Watch),
    /// To the next or last step of a kind.
    Jump(Jump, Direction),
    /// To a step, from 0.
    Scrub(usize),
    /// On to the next step on a line, from 1.
    RunToLine(u32),
    NextLane,
    PreviousLane,
    SelectLane(usize),
    SelectVariable(usize),
    /// Memory as numbers or as a picture.
    SwitchPicture,
    /// Buffers as they are at this step, or as the run left them.
    SwitchMoment,
    SelectElement(usize, usize),
    NextElement,
    PreviousElement,
    NextItem,
    PreviousItem,
    SelectItem(usize),
}

/// What is asked of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PredictionAction {
    /// Answers a prediction, shows what is right, or goes on.
    Answer,
    /// Shows what is right without an answer.
    Skip,
    SelectChoice(usize),
}

/// What is asked of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TableAction {
    /// A figure of a table: its row on screen and its column.
    SelectFigure(usize, usize),
    Sort,
}

/// What is asked of an occupancy calculator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum CalculatorAction {
    SelectInput(usize),
    /// A value of an input of the calculator.
    SetInput(usize, u32),
    /// The calculator's inputs as the lesson has them.
    Original,
}

/// What is asked of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FigureAction {
    /// Goes through a figure's blocks by itself, or stops.
    Play,
    /// A point of a figure's plot: its series, and which of the series.
    SelectPoint(usize, usize),
    /// One of the plots of a figure.
    SelectPlot(usize),
    /// As many of the blocks that a figure shows.
    SelectVisit(usize),
}

/// What is asked of the text of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EditorAction {
    /// The kernel's text, to be changed; or as it was before.
    EditKernel,
    /// Something done to the text that is being changed.
    Edit(EditCommand),
    /// The kernel's text in the learner's own editor.
    OpenEditor,
    /// What was changed in the kernel, line by line; or the text again.
    ShowChanges,
    /// Asks whether to drop what was changed in the kernel.
    ResetKernel,
}

/// What is asked of the home screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum HomeAction {
    /// Searches lessons.
    Search,
    /// A row of the home screen; opens its lesson if it is chosen already.
    SelectLesson(usize),
}

/// What is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyTarget {
    /// What the pane shows that arrows go to.
    Pane,
    /// The cell on screen in Markdown, with its numbers.
    Cell,
    /// The link that opens this place.
    Link,
}
