//! What is looked at inside a run: the item, the warp, the element, the view of it.

use crate::app::state::{InspectedItem, Inspector, Model, Tab};
use crate::app::update::message::Effect;
use crate::app::update::runs::follow;
use crate::launch::{Engine, WARP_LANES, Watch, volume};

pub(crate) fn step_item(model: &mut Model, by: isize) {
    let is_tile = model.look.tab == Tab::Tiles;
    if let Some(state) = model.run_state() {
        if is_tile {
            return state.step_tensor(by);
        }
        let count = state.inspector.items.len() as isize;
        let next = (state.inspector.chosen as isize + by).rem_euclid(count.max(1));
        state.inspector.choose(next as usize);
    }
}

pub(crate) fn step_warp(model: &mut Model, by: i64, effects: &mut Vec<Effect>) {
    let Some(state) = model.run_state() else {
        return;
    };
    let Some((_, block)) = state.watched_launch() else {
        return;
    };
    let warps = volume(block).div_ceil(WARP_LANES as u64).max(1) as i64;
    let warp = (i64::from(state.inspector.watch.warp) + by).rem_euclid(warps) as u32;
    let chosen = Watch {
        warp,
        ..state.inspector.watch
    };
    if chosen != state.inspector.watch {
        watch(model, chosen, effects);
    } else {
        model.notice = Some("the block has one warp".to_owned());
    }
}

/// Looks into another block or warp. Values of a real GPU are captured in a run, so that such a run
/// starts again.
pub(crate) fn watch(model: &mut Model, chosen: Watch, effects: &mut Vec<Effect>) {
    let Some(state) = model.run_state() else {
        return;
    };
    // The simulated GPU steps through any block of a run that is over; a real one captures values only
    // while it runs.
    let has_changed = state.inspector.watch != chosen;
    state.inspector.watch = chosen;
    let ran = state.ran.as_ref();
    let is_real = ran.is_some_and(|ran| ran.result.outcome.engine == Engine::Gpu);
    if has_changed && (is_real || state.job.is_some()) {
        follow(model, effects);
    }
}

/// Lanes or memory as numbers or as a picture, the cursor on the same element.
pub(crate) fn switch_picture(model: &mut Model) {
    if model.look.tab != Tab::Memory {
        return inspect(model, |inspector| {
            inspector.as_numbers = !inspector.as_numbers
        });
    }
    let seen = model.look.seen;
    let matrix = |model: &Model| {
        let (cell, state) = model.run_cell()?;
        Some(state.memory_view(cell)?.matrix)
    };
    let before = matrix(model);
    let Some(state) = model.run_state() else {
        return;
    };
    let inspector = &mut state.inspector;
    inspector.buffer.picture = !inspector.buffer.picture;
    if let (Some(before), Some(after), Some(state)) = (before, matrix(model), model.run_state()) {
        let (row, column) = state.inspector.buffer.cursor;
        let index = row * before.columns + column;
        let (row, column) = (index / after.columns, index % after.columns);
        state.inspector.place_cursor(&after, row, column, &seen);
    }
}

/// Buffers behind the step that is looked at, or behind the run.
pub(crate) fn switch_moment(model: &mut Model) {
    let Some(state) = model.run_state() else {
        return;
    };
    state.inspector.buffer.after_run = !state.inspector.buffer.after_run;
    let text = match state.inspector.buffer.after_run {
        true => "buffers as the run left them",
        false => "buffers as the block sees them at this step",
    };
    model.notice = Some(text.to_owned());
}

/// Looks at an element so many rows and columns on.
pub(crate) fn move_element(model: &mut Model, rows: isize, columns: isize) {
    let seen = model.look.seen;
    if let (Tab::Tiles, Some(state)) = (model.look.tab, model.run_state()) {
        return state.move_in_tensor(rows.saturating_mul(seen.tile_columns as isize) + columns);
    }
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let Some(matrix) = state.memory_view(cell).map(|view| view.matrix) else {
        return;
    };
    if let Some(state) = model.run_state() {
        state.inspector.move_cursor(&matrix, rows, columns, &seen);
    }
}

pub(crate) fn place_cursor(model: &mut Model, row: usize, column: usize) {
    let seen = model.look.seen;
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let matrix = state.memory_view(cell).map(|view| view.matrix);
    if let (Some(matrix), Some(state)) = (matrix, model.run_state()) {
        state.inspector.place_cursor(&matrix, row, column, &seen);
    }
}

/// Asks for the summary of the buffer on screen, once.
pub(crate) fn ask_for_summary(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.look.tab != Tab::Memory {
        return;
    }
    let matrix = model
        .run_cell()
        .and_then(|(cell, state)| match state.inspector.item() {
            Some(InspectedItem::Buffer(buffer)) => state.matrix(cell, buffer),
            _ => None,
        });
    let (Some(matrix), Some(state)) = (matrix, model.run_state()) else {
        return;
    };
    let (Some(InspectedItem::Buffer(buffer)), Some(ran)) = (state.inspector.item(), &state.ran)
    else {
        return;
    };
    let wanted = ran.result.outcome.buffers.get(buffer);
    if wanted.is_none() || state.asked == Some((ran.job, buffer)) {
        return;
    }
    if state.summaries.get(buffer).is_some_and(Option::is_none) {
        state.asked = Some((ran.job, buffer));
        let ran = ran.clone();
        effects.push(Effect::Summarise {
            ran,
            buffer,
            columns: matrix.columns,
        });
    }
}

/// Changes what is looked at in the cell on screen.
pub(crate) fn inspect(model: &mut Model, change: impl FnOnce(&mut Inspector)) {
    if let Some(state) = model.run_state() {
        change(&mut state.inspector);
    }
}
