//! Arrows, pages, home and end, wherever the learner is.

use crate::app::state::{Context, Extent, FrameExtents, Jump, Model, Movement, SourceExtent};
use crate::app::update::cells::figure::navigate_figure;
use crate::app::update::cells::ptx::navigate_ptx;
use crate::app::update::cells::{calculator, comparison, prediction, table};
use crate::app::update::inspector::jump::{go_to_step, jump};
use crate::app::update::inspector::selection::move_element;
use crate::app::update::popups::palette;
use crate::app::update::scrolling::{lines_of, scroll_by, scrolled};
use crate::simt::Direction;

/// Steps of a trace that a page is.
const STEP_PAGE: usize = 10;
/// Answers of a list that a page is, and the two that stay.
const CHOICE_PAGE: usize = 10;

/// Arrows, pages, home and end, where the learner is.
pub(crate) fn navigate(model: &mut Model, movement: Movement) {
    let seen = model.look.seen;
    match model.context() {
        Context::Prediction
            if matches!(movement, Movement::Up | Movement::Down)
                && prediction::step_choice(model, lines_of(movement, 1)) => {}
        Context::Table => table::navigate_table(model, movement, seen.table.0, seen.table.1),
        Context::Calculator => calculator::navigate_calculator(model, movement),
        // The wheel turns over the editor too: the cursor comes back with the next key.
        Context::Editor | Context::Code => scroll_source(model, movement, seen.source),
        Context::Memory => navigate_memory(model, movement, &seen),
        Context::Lanes => navigate_lanes(model, movement),
        Context::Access => navigate_access(model, movement),
        Context::Tiles => navigate_tiles(model, movement),
        Context::Ptx => navigate_ptx(model, lines_of(movement, seen.ptx.visible), movement),
        Context::Palette => palette::navigate(model, movement),
        Context::Figure | Context::Blocks => navigate_figure(model, movement),
        Context::Comparison => comparison::navigate(model, |visible| lines_of(movement, visible)),
        Context::BlockMap => {
            if let Some(map) = &mut model.popups.block_map {
                map.navigate(movement, seen.windows.block_map.visible);
            }
        }
        // A question that is typed has no list: its arrows do nothing.
        Context::Prompt => navigate_choices(model, movement),
        context => {
            if let Some((scroll, extent)) = scroll_position(model, context) {
                scroll_by(scroll, movement, extent);
            }
        }
    }
}

/// The scroll position of a text on screen, and how much of it there is; nothing where arrows do not scroll.
fn scroll_position(model: &mut Model, context: Context) -> Option<(&mut usize, Extent)> {
    let seen = model.look.seen;
    Some(match context {
        Context::Evidence => (model.popups.evidence.as_mut()?, seen.windows.evidence),
        Context::Prose | Context::Prediction => (&mut model.look.text_scroll, seen.prose),
        Context::Counts => (&mut model.run_state()?.scroll.counts, seen.counts),
        _ => return None,
    })
}

fn scroll_source(model: &mut Model, movement: Movement, seen: SourceExtent) {
    if let Some(state) = model.run_state() {
        let by = lines_of(movement, seen.visible);
        // To the last line at the bottom, no further: an empty screen behind the end looks like a fault.
        let first = scrolled(state.scroll.source, by, seen.last);
        state.scroll.choose_source(first);
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

/// A statement on or back, in any view of a moment; whether that is what `movement` was.
fn step(model: &mut Model, movement: Movement) -> bool {
    let Some((_, state)) = model.run_cell() else {
        return false;
    };
    let (Some(step), Some((_, walk))) = (state.step(), state.steps_shown()) else {
        return false;
    };
    let last = walk.steps() - 1;
    let to = match movement {
        Movement::Left => step.saturating_sub(1),
        Movement::Right => (step + 1).min(last),
        Movement::PageUp => step.saturating_sub(STEP_PAGE),
        Movement::PageDown => (step + STEP_PAGE).min(last),
        Movement::Home => 0,
        Movement::End => last,
        // They choose a variable or an element, which differs by view.
        Movement::Up | Movement::Down => return false,
    };
    go_to_step(model, to);
    true
}

/// Left and right step, and show buffers as they are at that step; the rest moves over the elements.
fn navigate_memory(model: &mut Model, movement: Movement, seen: &FrameExtents) {
    if matches!(movement, Movement::Left | Movement::Right) {
        if let Some(state) = model.run_state() {
            // A step says nothing about the buffers after the run: who steps wants them as they are at that step.
            state.inspector.buffer.after_run = false;
        }
        step(model, movement);
        return;
    }
    move_element(model, lines_of(movement, seen.matrix.rows.visible), 0);
}

/// Left and right step through the run; up and down go from row to row of the tile.
fn navigate_tiles(model: &mut Model, movement: Movement) {
    match movement {
        Movement::Left | Movement::Right => {
            step(model, movement);
        }
        _ => move_element(model, lines_of(movement, STEP_PAGE), 0),
    }
}

fn navigate_lanes(model: &mut Model, movement: Movement) {
    if step(model, movement) {
        return;
    }
    let Some(state) = model.run_state() else {
        return;
    };
    let (Some(step), Some((_, walk))) = (state.step(), state.steps_shown()) else {
        return;
    };
    // The steps are borrowed of the same state that the inspector is in.
    let mut inspector = state.inspector.clone();
    inspector.step_variable(walk, step, lines_of(movement, 1));
    state.inspector = inspector;
}

/// From access to access; up and down scroll the picture of one.
fn navigate_access(model: &mut Model, movement: Movement) {
    let extent = model.look.seen.access;
    match movement {
        Movement::Left => jump(model, Jump::Access, Direction::Back),
        Movement::Right => jump(model, Jump::Access, Direction::Forward),
        _ => {
            if let Some(state) = model.run_state() {
                scroll_by(&mut state.inspector.access_scroll, movement, extent);
            }
        }
    }
}
