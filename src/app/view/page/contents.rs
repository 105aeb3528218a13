//! The pages of the lesson, beside a text that has nothing else beside it: where one is, and what comes.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::{Action, Choice, LessonAction, Model, Prompt, PromptKind};
use crate::app::view::widgets::{Canvas, Pane, below, inset};
use crate::document::{Role, fold};

/// Columns of the line beside the text, of the pointer, and of blanks around them.
const AROUND: u16 = 6;

/// Columns that the pages take; none in a lesson of one page, and for a room.
pub(crate) fn columns(canvas: &Canvas, model: &Model) -> Option<u16> {
    let pages = pages(model);
    let widths = pages.iter().map(|page| line(canvas, page).width() as u16);
    let is_shown = model.presentation.is_none() && pages.len() > 1;
    widths
        .max()
        .filter(|_| is_shown)
        .map(|width| width + AROUND)
}

/// Draws the pages over `area`; a click goes to one.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model) {
    let pane = Pane {
        title: canvas.text(" Pages ", Role::Strong),
        ..Pane::default()
    };
    let inner = inset(below(canvas.region(area, pane), 1), 1);
    let mut rows = inner.rows();
    for page in pages(model) {
        let go = Action::Lesson(LessonAction::GoToCell(page.index));
        for (line, row) in fold(line(canvas, &page), inner.width.into())
            .into_iter()
            .zip(&mut rows)
        {
            canvas.click(row, go.clone());
            canvas.line(row, line);
        }
    }
}

fn pages(model: &Model) -> Vec<Choice> {
    let pages = Prompt::new(PromptKind::Page).choices(model);
    pages.unwrap_or_default()
}

fn line(canvas: &Canvas, page: &Choice) -> Line<'static> {
    let role = match page.is_current {
        true => Role::Strong,
        false => Role::Muted,
    };
    Line::from(vec![
        canvas.pointer(page.is_current),
        canvas.span(canvas.theme().text(&page.name), role),
    ])
}
