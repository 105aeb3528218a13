//! The notes of the tour, each beside what it speaks of.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::keys::key_of;
use crate::app::state::{
    Action, Context, EditorAction, LessonAction, Model, Movement, PopupAction, RunAction, TourStep,
    ViewAction,
};
use crate::app::view::widgets::{Canvas, Pane, inset};
use crate::document::{Role, spread, wrap};
use crate::lesson::is_of_file;

/// Columns of a note.
const WIDTH: u16 = 54;

const WELCOME: &str = "A lesson has pages: text, real CUDA kernels, and pictures of what they do, run here on a GPU that this program \
             simulates. You need no GPU. No number you see is written down: each is computed, counted, measured or \
             recorded.";

/// The same of a file of kernels.
const WELCOME_FILE: &str = "Each kernel of your file has a page: its code, and pictures of what it does, run here on a GPU that this program \
             simulates. You need no GPU. No number you see is written down: each is computed, counted, measured or \
             recorded.";

/// Which corner or edge of the screen a note points at.
enum Towards {
    Nothing,
    /// The line of keys, at its left or right end.
    Keys {
        right: bool,
    },
    /// The end of the cell's title.
    Status,
    /// The cell's output.
    Output,
}

/// Draws the note that is on, over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model) {
    let Some((step, number, count)) = model.tour_step() else {
        return;
    };
    let (title, towards) = subject(step);
    let is_file = is_of_file(&model.lesson);
    let text = match is_file {
        true => of_file(canvas, step).unwrap_or_else(|| words(canvas, step)),
        false => words(canvas, step),
    };
    let width = WIDTH.min(area.width.saturating_sub(4));
    let style = canvas.theme().style(Role::Text);
    let room = usize::from(width) - 4;
    let mut lines = wrap(&[(text, style)], room, &[], &[]);
    let begins = match is_file {
        true => " begins",
        false => " begins the lesson",
    };
    let go_on = if number == count { begins } else { " goes on" };
    let ends = (number < count).then_some(" ends the tour");
    let mut keys = keys(canvas, go_on, ends);
    let number = canvas.text(format!("{number} of {count}"), Role::Muted);
    keys = spread(keys, number, room, canvas.theme());
    lines.extend([Line::default(), keys]);
    let window = place(area, width, lines.len() as u16 + 2, &towards);
    canvas.clear(window);
    let pane = Pane {
        title: canvas.text(format!(" {title} "), Role::Strong),
        focused: true,
        ..Pane::default()
    };
    let inner = canvas.pane(window, pane);
    canvas.lines(inset(inner, 1), lines);
    point(canvas, window, &towards);
    canvas.click(area, Action::Enter);
}

/// The keys that go on and end the tour.
fn keys(canvas: &Canvas, go_on: &str, ends: Option<&str>) -> Line<'static> {
    let key = |action| key_of(&action, Context::Tour, canvas.theme());
    let mut left = canvas.keys(&[(&key(Action::Enter), go_on)]);
    if let Some(ends) = ends {
        left.push_span(canvas.span("  ", Role::Muted));
        left.push_span(canvas.span(key(Action::Back), Role::Key));
        left.push_span(canvas.span(ends, Role::Muted));
    }
    left
}

/// Title of a note, and what it points at.
fn subject(step: TourStep) -> (&'static str, Towards) {
    match step {
        TourStep::Welcome => ("A notebook that runs GPU kernels", Towards::Nothing),
        TourStep::Next => ("Going on", Towards::Keys { right: false }),
        TourStep::Ask => ("First you guess", Towards::Keys { right: false }),
        TourStep::Run => ("Run it", Towards::Status),
        TourStep::Inside => ("Look inside", Towards::Output),
        TourStep::Help => ("All keys", Towards::Keys { right: true }),
    }
}

/// Text of a note. Keys are those of the one table.
fn words(canvas: &Canvas, step: TourStep) -> String {
    let key = |action: Action, context| key_of(&action, context, canvas.theme());
    let prose = |action| key(action, Context::Prose);
    let source = |action| key(action, Context::Code);
    match step {
        TourStep::Welcome => WELCOME.to_owned(),
        TourStep::Next => format!(
            "{} goes on, {} goes back: to the next step of the page, then to the next page. This line always shows the \
                 keys that work where you are.",
            prose(Action::Lesson(LessonAction::Advance)),
            prose(Action::Lesson(LessonAction::Retreat))
        ),
        TourStep::Ask => format!(
            "A page asks before its kernel runs. Type a number or a formula such as 2*N, or choose, and {} answers. \
                 Then the kernel runs, and what it counts says whether you were right, and why.",
            key(Action::Enter, Context::Prediction)
        ),
        TourStep::Run => format!(
            "{0} runs the kernels of this page, every warp and every access, and counts what each line reads and writes. \
                 Type digits to change a size, {1} selects the next one; {0} runs it again.",
            source(Action::Enter),
            source(Action::Run(RunAction::NextSize))
        ),
        TourStep::Inside => format!(
            "{} walks the views of the run. This one is a warp, statement by statement, all 32 lanes of it: {} steps \
                 on and {} steps back.",
            source(Action::View(ViewAction::NextView)),
            key(Action::Move(Movement::Right), Context::Lanes),
            key(Action::Move(Movement::Left), Context::Lanes)
        ),
        TourStep::Help => format!(
            "{} lists the keys that work where you are. {} goes to all lessons, {} leaves; your progress is saved.",
            prose(Action::Popup(PopupAction::Help)),
            prose(Action::GoHome),
            prose(Action::Quit)
        ),
    }
}

/// Text of a note about a file of kernels, where it is another.
fn of_file(canvas: &Canvas, step: TourStep) -> Option<String> {
    let key = |action: Action, context| key_of(&action, context, canvas.theme());
    let prose = |action| key(action, Context::Prose);
    let source = |action| key(action, Context::Code);
    Some(match step {
        TourStep::Welcome => WELCOME_FILE.to_owned(),
        TourStep::Next => format!(
            "{} goes on to the next kernel, {} goes back. This line always shows the keys that work where you are.",
            prose(Action::Lesson(LessonAction::Advance)),
            prose(Action::Lesson(LessonAction::Retreat))
        ),
        TourStep::Run => format!(
            "{0} runs the kernel of this page, every warp and every access, and counts what each line reads and writes. \
                 {1} edits it, and it runs again.",
            source(Action::Enter),
            source(Action::Editor(EditorAction::EditKernel))
        ),
        TourStep::Help => format!(
            "{} lists the keys that work where you are. {} goes to the lessons, {} leaves.",
            prose(Action::Popup(PopupAction::Help)),
            prose(Action::GoHome),
            prose(Action::Quit)
        ),
        TourStep::Ask | TourStep::Inside => return None,
    })
}

/// Where a note of this size goes.
fn place(area: Rect, width: u16, height: u16, towards: &Towards) -> Rect {
    // On the least terminal a note may be higher than the page.
    let height = height.min(area.height);
    let (x, y) = match towards {
        Towards::Nothing => (
            area.x + (area.width - width) / 2,
            area.y + (area.height - height) / 2,
        ),
        Towards::Keys { right: false } => (area.x + 2, area.bottom() - height),
        Towards::Keys { right: true } => (area.right() - width - 2, area.bottom() - height),
        // Under the cell's title, with a row for the pointer.
        Towards::Status => (area.right() - width - 2, area.y + 2),
        Towards::Output => (area.x + 2, area.bottom().saturating_sub(height + 1)),
    };
    Rect {
        x,
        y: y.max(area.y),
        width,
        height,
    }
}

/// An arrow on the edge of the note that is nearest to what it speaks of.
fn point(canvas: &mut Canvas, window: Rect, towards: &Towards) {
    let theme = canvas.theme();
    let (x, y, glyph) = match towards {
        Towards::Nothing => return,
        Towards::Keys { right: false } => (
            window.x + 4,
            window.bottom() - 1,
            theme.glyph("\u{25bc}", "v"),
        ),
        Towards::Keys { right: true } => (
            window.right() - 5,
            window.bottom() - 1,
            theme.glyph("\u{25bc}", "v"),
        ),
        Towards::Status => (window.right() - 5, window.y, theme.glyph("\u{25b2}", "^")),
        Towards::Output => (
            window.right() - 1,
            window.y + window.height / 2,
            theme.glyph("\u{25b6}", ">"),
        ),
    };
    let spot = Rect {
        x,
        y,
        width: 1,
        height: 1,
    };
    let arrow = canvas.span(glyph, Role::Accent);
    canvas.line(spot, Line::from(arrow));
}
