//! Arrows, pages, home and end, wherever the learner is.

use crate::app::state::cells::sizes;
use crate::app::state::{Action, CellState, Context, FrameExtents, Model, WarpView};
use crate::app::update::cells::figure::travel_figure;
use crate::app::update::cells::ptx::travel_ptx;
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
pub(crate) fn travel(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) {
    let seen = model.look.seen;
    let scroll = |at: &mut usize, extent| scroll_by(at, action, extent);
    match model.context() {
        Context::Help => {
            if let Some(help) = &mut model.popups.help {
                scroll(&mut help.scroll, seen.help);
            }
        }
        Context::Explained => {
            if let Some(at) = &mut model.popups.explained {
                scroll(at, seen.help);
            }
        }
        Context::Prediction
            if matches!(action, Action::Up | Action::Down)
                && prediction::step_choice(model, lines_of(action, 1)) => {}
        Context::Prose | Context::Prediction => {
            let page = model.cells.get_mut(model.at);
            if let Some(at) = page.and_then(CellState::page_scroll) {
                scroll(at, seen.prose);
            }
        }
        Context::Table => table::travel_table(model, action, seen.table),
        Context::Calculator => calculator::travel_calculator(model, action),
        Context::Sizes => travel_sizes(model, action, effects),
        // The wheel: the cursor comes back with the next key.
        Context::Editor => {
            let last = model.edit().map_or(0, |edit| edit.text.line_count() - 1);
            if let Some(state) = model.run_state() {
                let by = lines_of(action, seen.source.visible);
                state.source_scroll = scrolled(state.source_scroll, by, last);
            }
        }
        Context::Source => {
            if let Some(state) = model.run_state() {
                scroll(&mut state.source_scroll, seen.source);
                let column = &mut state.source_column;
                match action {
                    Action::Left => *column = column.saturating_sub(COLUMN_STEP),
                    Action::Right => *column = (*column + COLUMN_STEP).min(COLUMN_LIMIT),
                    _ => {}
                }
            }
        }
        Context::Counts => {
            if let Some(state) = model.run_state() {
                scroll(&mut state.counts_scroll, seen.counts);
            }
        }
        Context::Buffer => travel_buffer(model, action, &seen),
        Context::Warp => travel_warp(model, action),
        Context::Ptx => travel_ptx(model, lines_of(action, seen.ptx.visible), action),
        Context::Palette => palette::travel(model, action),
        Context::Figure | Context::Blocks => travel_figure(model, action),
        Context::Comparison => comparison::travel(model, |visible| lines_of(action, visible)),
        Context::Picker => {
            if let Some(picker) = &mut model.popups.picker {
                picker.travel(action, seen.picker.visible);
            }
        }
        Context::Prompt => travel_choices(model, action),
        Context::Tour | Context::Home | Context::Search => {}
    }
}

fn travel_choices(model: &mut Model, action: &Action) {
    let choices = model
        .popups
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.choices(model));
    let count = choices.map_or(0, |choices| choices.len());
    if let Some(prompt) = &mut model.popups.prompt {
        prompt.move_choice(lines_of(action, CHOICE_PAGE), count);
    }
}

fn travel_sizes(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Left => model.choose_size(|at, _| at.saturating_sub(1)),
        Action::Right => model.choose_size(|at, last| (at + 1).min(last)),
        Action::Home => model.choose_size(|_, _| 0),
        Action::End => model.choose_size(|_, last| last),
        Action::Up => change_size(model, sizes::up, effects),
        Action::Down => change_size(model, sizes::down, effects),
        Action::PageUp => change_size(model, |value| value.saturating_mul(2), effects),
        Action::PageDown => change_size(model, |value| value / 2, effects),
        _ => {}
    }
}

fn travel_buffer(model: &mut Model, action: &Action, seen: &FrameExtents) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let Some(matrix) = state.memory_view(cell).map(|held| held.matrix) else {
        return;
    };
    let columns = match action {
        Action::Left => -1,
        Action::Right => 1,
        _ => 0,
    };
    let rows = lines_of(action, seen.rows.visible);
    if let Some(state) = model.run_state() {
        state.inspector.move_cursor(&matrix, rows, columns, seen);
    }
}

fn travel_warp(model: &mut Model, action: &Action) {
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
    match action {
        Action::Left => inspector.step = step.saturating_sub(1),
        Action::Right => inspector.step = (step + 1).min(last),
        Action::PageUp => inspector.step = step.saturating_sub(STEP_PAGE),
        Action::PageDown => inspector.step = (step + STEP_PAGE).min(last),
        Action::Home => inspector.step = 0,
        Action::End => inspector.step = last,
        Action::Up if alone => inspector.access_scroll = scroll.saturating_sub(1),
        Action::Down if alone => inspector.access_scroll = (scroll + 1).min(most),
        Action::Up => inspector.step_variable(walk, step, -1),
        Action::Down => inspector.step_variable(walk, step, 1),
        _ => {}
    }
    state.inspector = inspector;
    show_step_line(model);
}
