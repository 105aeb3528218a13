//! Arrows, pages, home and end, wherever the learner is.

use crate::app::state::cells::sizes;
use crate::app::state::{Context, Extent, FrameExtents, Model, Movement, WarpView};
use crate::app::update::cells::figure::navigate_figure;
use crate::app::update::cells::ptx::navigate_ptx;
use crate::app::update::cells::settings::change_size;
use crate::app::update::cells::{calculator, comparison, prediction, table};
use crate::app::update::message::Effect;
use crate::app::update::popups::palette;
use crate::app::update::scrolling::{lines_of, scroll_by, scrolled, show_step_line};

/// Steps of a trace that a page is.
const STEP_PAGE: usize = 10;
/// Answers of a list that a page is, and the two that stay.
const CHOICE_PAGE: usize = 10;
/// Columns that the source moves by, and the most.
const COLUMN_STEP: usize = 8;
const COLUMN_LIMIT: usize = 160;

/// Arrows, pages, home and end, where the learner is.
pub(crate) fn navigate(model: &mut Model, movement: Movement, effects: &mut Vec<Effect>) {
    let seen = model.look.seen;
    match model.context() {
        Context::Prediction
            if matches!(movement, Movement::Up | Movement::Down)
                && prediction::step_choice(model, lines_of(movement, 1)) => {}
        Context::Table => table::navigate_table(model, movement, seen.table.0, seen.table.1),
        Context::Calculator => calculator::navigate_calculator(model, movement),
        Context::Sizes => navigate_sizes(model, movement, effects),
        Context::Editor => turn_wheel(model, movement, &seen),
        Context::Buffer => navigate_buffer(model, movement, &seen),
        Context::Warp => navigate_warp(model, movement),
        Context::Ptx => navigate_ptx(model, lines_of(movement, seen.ptx.visible), movement),
        Context::Palette => palette::navigate(model, movement),
        Context::Figure | Context::Blocks => navigate_figure(model, movement),
        Context::Comparison => comparison::navigate(model, |visible| lines_of(movement, visible)),
        Context::BlockMap => {
            if let Some(map) = &mut model.popups.block_map {
                map.navigate(movement, seen.windows.block_map.visible);
            }
        }
        Context::Prompt => navigate_choices(model, movement),
        context => {
            if let Some((scroll, extent)) = scroll_position(model, context) {
                scroll_by(scroll, movement, extent);
            }
            if context == Context::Source {
                move_columns(model, movement);
            }
        }
    }
}

/// The scroll position of a text on screen, and how much of it there is; nothing where arrows do not scroll.
fn scroll_position(model: &mut Model, context: Context) -> Option<(&mut usize, Extent)> {
    let seen = model.look.seen;
    Some(match context {
        Context::Help => (&mut model.popups.help.as_mut()?.scroll, seen.windows.help),
        Context::Evidence => (model.popups.evidence.as_mut()?, seen.windows.help),
        Context::Prose | Context::Prediction => (&mut model.look.text_scroll, seen.prose),
        Context::Source => (&mut model.run_state()?.scroll.source, seen.source),
        Context::Counts => (&mut model.run_state()?.scroll.counts, seen.counts),
        _ => return None,
    })
}

/// The wheel over the editor: the cursor comes back with the next key.
fn turn_wheel(model: &mut Model, movement: Movement, seen: &FrameExtents) {
    let last = model.edit().map_or(0, |edit| edit.text.line_count() - 1);
    if let Some(state) = model.run_state() {
        let by = lines_of(movement, seen.source.visible);
        state.scroll.source = scrolled(state.scroll.source, by, last);
    }
}

/// Left and right move a source whose lines are longer than its pane.
fn move_columns(model: &mut Model, movement: Movement) {
    let Some(state) = model.run_state() else {
        return;
    };
    let column = &mut state.scroll.column;
    match movement {
        Movement::Left => *column = column.saturating_sub(COLUMN_STEP),
        Movement::Right => *column = (*column + COLUMN_STEP).min(COLUMN_LIMIT),
        _ => {}
    }
}

fn navigate_choices(model: &mut Model, movement: Movement) {
    let choices = model
        .popups
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.choices(model));
    let count = choices.map_or(0, |choices| choices.len());
    if let Some(prompt) = &mut model.popups.prompt {
        prompt.move_choice(lines_of(movement, CHOICE_PAGE), count);
    }
}

fn navigate_sizes(model: &mut Model, movement: Movement, effects: &mut Vec<Effect>) {
    match movement {
        Movement::Left => model.choose_size(|at, _| at.saturating_sub(1)),
        Movement::Right => model.choose_size(|at, last| (at + 1).min(last)),
        Movement::Home => model.choose_size(|_, _| 0),
        Movement::End => model.choose_size(|_, last| last),
        Movement::Up => change_size(model, sizes::up, effects),
        Movement::Down => change_size(model, sizes::down, effects),
        Movement::PageUp => change_size(model, |value| value.saturating_mul(2), effects),
        Movement::PageDown => change_size(model, |value| value / 2, effects),
    }
}

fn navigate_buffer(model: &mut Model, movement: Movement, seen: &FrameExtents) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let Some(matrix) = state.memory_view(cell).map(|held| held.matrix) else {
        return;
    };
    let columns = match movement {
        Movement::Left => -1,
        Movement::Right => 1,
        _ => 0,
    };
    let rows = lines_of(movement, seen.matrix.rows.visible);
    if let Some(state) = model.run_state() {
        state.inspector.move_cursor(&matrix, rows, columns, seen);
    }
}

fn navigate_warp(model: &mut Model, movement: Movement) {
    let most = model.look.seen.access.max_scroll();
    let Some(state) = model.run_state() else {
        return;
    };
    let (Some(step), Some((_, walk))) = (state.step(), state.steps_shown()) else {
        return;
    };
    let last = walk.steps() - 1;
    let mut inspector = state.inspector.clone();
    let alone = inspector.facet == WarpView::Access;
    let scroll = inspector.access_scroll.min(most);
    match movement {
        Movement::Left => inspector.step = step.saturating_sub(1),
        Movement::Right => inspector.step = (step + 1).min(last),
        Movement::PageUp => inspector.step = step.saturating_sub(STEP_PAGE),
        Movement::PageDown => inspector.step = (step + STEP_PAGE).min(last),
        Movement::Home => inspector.step = 0,
        Movement::End => inspector.step = last,
        Movement::Up if alone => inspector.access_scroll = scroll.saturating_sub(1),
        Movement::Down if alone => inspector.access_scroll = (scroll + 1).min(most),
        Movement::Up => inspector.step_variable(walk, step, -1),
        Movement::Down => inspector.step_variable(walk, step, 1),
    }
    state.inspector = inspector;
    show_step_line(model);
}
