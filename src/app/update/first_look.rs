//! Opens a run on what there is to see in it: its view, its margin, and the statement that wastes most.

use crate::app::state::{CellState, Model, RunState, SoughtStep, Tab, WarpSteps};
use crate::app::update::scrolling::{hot_line, show_hot_line, show_kernel, show_step_line};
use crate::lesson::{FirstView, RunCell, ShownCode};

/// The view of the cell on screen, which somebody just came to.
pub(crate) fn arrive(model: &mut Model) {
    // A page begins as its lesson means it to, not in the view that the page before was left in.
    model.look.tab = Tab::default();
    model.look.is_tab_chosen = false;
    model.look.unfolded = false;
    show_kernel(model);
    choose_margin(model);
    if model
        .run_cell()
        .is_some_and(|(_, state)| state.ran.is_some())
    {
        open(model);
    }
}

/// The view of a run that just came, unless somebody chose one meanwhile.
pub(crate) fn take_first_result(model: &mut Model) {
    // Whoever is already looking at something is not taken away from it.
    if !model.look.is_tab_chosen {
        choose_margin(model);
        show_hot_line(model);
        open(model);
    }
}

/// The code beside a question whose answer was just shown.
pub(crate) fn show_answer(model: &mut Model) {
    if model.is_answer_shown() {
        choose_margin(model);
        show_hot_line(model);
    }
}

/// What the margin counts, of the run whose code is on screen.
fn choose_margin(model: &mut Model) {
    if let Some(ShownCode::Run(at, cell)) = model.shown_code()
        && let Some(state) = model.cells.get(at).and_then(CellState::as_run)
    {
        (_, model.look.metric) = state.first_look(cell);
    }
}

fn open(model: &mut Model) {
    let Some((cell, state)) = model.run_cell() else {
        return;
    };
    let is_wrong = state.ran.as_ref().is_none_or(|ran| !ran.result.ok);
    let (view, _) = state.first_look(cell);
    let line = line_to_begin_at(cell, state, view);
    let taps = cell.taps.clone();
    model.look.is_tab_chosen = true;
    // What went wrong is said among the counts.
    if is_wrong {
        model.look.tab = Tab::Counts;
        show_hot_line(model);
        return;
    }
    let (tab, sought) = match view {
        FirstView::Access => (Tab::Access, Some(SoughtStep::Global)),
        FirstView::Banks => (Tab::Access, Some(SoughtStep::Shared)),
        FirstView::Lanes => (Tab::Lanes, Some(SoughtStep::Taps)),
        FirstView::Memory => (Tab::Memory, None),
        FirstView::Tiles => (Tab::Tiles, None),
        FirstView::Thread => (Tab::Ptx, None),
        FirstView::Order | FirstView::Counts => (Tab::Counts, None),
    };
    model.look.tab = tab;
    if let Some(state) = model.run_state() {
        state.inspector.seeks = line.or(sought);
        // Of several launches the one that wastes most is the one that the lesson is about.
        let launch = sought.and_then(|sought| state.worst_launch(sought));
        state.inspector.launch = launch;
        state.show_tensor(&taps);
    }
    if tab == Tab::Lanes {
        show_step_line(model);
    }
    if tab == Tab::Ptx {
        show_program(model);
    }
    seek(model);
}

/// The line that the lesson names, which in another text may be elsewhere; or a loop whose lanes go apart, which lanes
/// over time show from where they come to it.
fn line_to_begin_at(cell: &RunCell, state: &RunState, view: FirstView) -> Option<SoughtStep> {
    let is_edited = state.ran.as_ref().is_some_and(|ran| ran.edited);
    let named = cell.first_look.line.filter(|_| !is_edited);
    let apart = state.remarked_line().filter(|_| view == FirstView::Lanes);
    named.or(apart).map(SoughtStep::Line)
}

/// Goes to what the compiler made of the busiest line: what stands around the program says nothing of it.
fn show_program(model: &mut Model) {
    let line = hot_line(model);
    if let Some(state) = model.run_state()
        && let Some((ptx, _)) = state.ptx()
        && let Some(at) = ptx.iter().position(|of| line.is_some() && of.line == line)
    {
        state.scroll.ptx = at;
    }
    show_hot_line(model);
}

/// Looks for an access to draw, if the statement on screen makes none.
pub(crate) fn show_an_access(model: &mut Model) {
    if let Some(state) = model.run_state() {
        // The statement on screen is what somebody chose: only if it shows nothing is another one sought.
        let makes_one = state
            .cursor()
            .is_some_and(|(block, cursor)| !block.history.accesses(cursor).is_empty());
        if !makes_one {
            state.inspector.seeks = Some(SoughtStep::Any);
        }
    }
    seek(model);
}

/// Goes to the access that is looked for, if the steps of the block are there by now.
pub(crate) fn seek(model: &mut Model) {
    let Some(state) = model.run_state() else {
        return;
    };
    let (Some(sought), Some(block)) = (state.inspector.seeks, state.block_history()) else {
        return;
    };
    let found = match sought {
        SoughtStep::Taps => state.inspector.first_with_taps(WarpSteps::Recorded(block)),
        _ => block
            .sought_step(sought)
            // The lesson asks for bank conflicts, or for a line, and this warp may make none, or never come to it.
            .or_else(|| block.sought_step(SoughtStep::Any)),
    };
    // Found or not, it is looked for once: later steps are the learner's own choice.
    state.inspector.seeks = None;
    if let Some(step) = found {
        state.inspector.step = step;
        state.inspector.access_scroll = 0;
        show_step_line(model);
    }
}
