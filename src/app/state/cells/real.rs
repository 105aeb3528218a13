//! What a real GPU gave beside counts and buffers: the values of the watched warp, and PTX.

use std::sync::Arc;

use crate::app::state::{Action, CellState, Model, Ran, RunState};
use crate::app::update::{show_source_line, show_step_line};
use crate::launch::{Class, Comparison, CompileReport, Ending, Engine, PtxLine, Report, ptx_lines};
use crate::simt::Direction;
use crate::source::{Diagnostic, Span};

impl Model {
    /// The cell whose run has number `job` and is being captured.
    pub(crate) fn capturing(&mut self, job: u64) -> Option<&mut RunState> {
        let mut runs = self.cells.iter_mut().filter_map(|cell| match cell {
            CellState::Run(state) => Some(&mut **state),
            _ => None,
        });
        runs.find(|state| state.capturing == Some(job))
    }
}

impl RunState {
    /// The comparison of the trace that is looked at.
    pub fn compared(&self) -> Option<&Comparison> {
        let (launch, walk) = self.walk()?;
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let launch = launches.get(launch)?;
        let trace = launch.trace.as_ref()?;
        launch
            .compared
            .as_ref()
            .filter(|_| trace.watch == walk.watch())
    }

    /// What the compiler made of the selected launch's kernel, else of the first that it compiled; and
    /// which launch that is.
    pub fn compiled(&self) -> Option<(usize, &CompileReport)> {
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let mut compiled = launches.iter().enumerate().filter_map(|(index, launch)| {
            let report = launch.compiled.as_ref()?;
            Some((index, report))
        });
        match self.launch {
            Some(launch) => compiled.find(|&(index, _)| index == launch),
            None => compiled.next(),
        }
    }

    /// The lines of its PTX, and which of them is looked at; nothing where there are none.
    pub fn ptx(&self) -> Option<(Vec<PtxLine>, usize)> {
        let lines = ptx_lines(&self.compiled()?.1.ptx);
        let at = self.ptx_at.min(lines.len().checked_sub(1)?);
        Some((lines, at))
    }

    /// Run `job`, if the values of its warp are to be captured on the real GPU that ran it.
    pub(crate) fn capture(&mut self, job: u64) -> Option<Arc<Ran>> {
        let ran = self.ran.as_ref().filter(|ran| ran.job == job)?;
        let outcome = &ran.result.outcome;
        let has_run = outcome.engine == Engine::Gpu && outcome.ending == Ending::Finished;
        let is_open = |launch: &crate::launch::LaunchOutcome| {
            launch.trace.is_some() && launch.compared.is_none()
        };
        if !has_run || !outcome.launches.iter().any(is_open) {
            return None;
        }
        self.capturing = Some(job);
        Some(ran.clone())
    }

    /// Takes the values of each launch; where there are none, the reason becomes a warning.
    pub(crate) fn take_captured(&mut self, values: Vec<Result<Option<Comparison>, String>>) {
        self.capturing = None;
        let Some(ran) = &mut self.ran else { return };
        let outcome = &mut Arc::make_mut(ran).result.outcome;
        let mut failed: Vec<(String, Vec<String>)> = Vec::new();
        for (launch, values) in outcome.launches.iter_mut().zip(values) {
            let why = match values {
                Ok(None) => continue,
                Ok(compared) => {
                    launch.compared = compared;
                    continue;
                }
                Err(why) => why,
            };
            let kernel = format!("`{}`", launch.kernel);
            match failed.iter_mut().find(|(other, _)| *other == why) {
                Some((_, kernels)) => kernels.push(kernel),
                None => failed.push((why, vec![kernel])),
            }
        }
        let warnings = failed.into_iter().map(|(why, kernels)| {
            let kernels = kernels.join(", ");
            let message = format!("values in {kernels} were not captured on the real GPU");
            Report {
                source: 0,
                diagnostic: Diagnostic::warning(Span::default(), message)
                    .note(why)
                    .help("all else is as the real GPU gave it; enter tries again"),
            }
        });
        outcome.reports.extend(warnings);
    }
}

/// Goes to the next step behind which a value of the real GPU differs, or back to the one before, and to
/// that variable.
pub(crate) fn go_to_difference(model: &mut Model, direction: Direction) {
    let found = model.run_cell().map(|(_, state)| (state, state.compared()));
    let Some((state, compared)) = found else {
        return;
    };
    let Some(compared) = compared else {
        let notice = match (state.capturing, model.engine) {
            (Some(_), _) => "the values of the real GPU are not there yet",
            (None, Engine::Sim) => "no real GPU's values are here; e runs the cell on one",
            (None, Engine::Gpu) => "no real GPU's values are here; enter runs the cell on it",
        };
        model.notice = Some(notice.to_owned());
        return;
    };
    let step = state.step().unwrap_or(0);
    let found = match direction {
        Direction::Forward => compared.next_difference(step),
        Direction::Back => compared.previous_difference(step),
    };
    let Some(found) = found else {
        model.notice = Some(nowhere(compared));
        return;
    };
    let name = state.walk().and_then(|(_, walk)| {
        let variable = walk.variable(found.variable)?;
        Some(variable.name.to_owned())
    });
    let how = match found.class {
        Class::Rounding(ulps) => format!("is rounded differently, {ulps} ulp at most,"),
        _ => "differs".to_owned(),
    };
    let lanes = match found.lanes.count_ones() {
        1 => format!("lane {}", found.lanes.trailing_zeros()),
        count => format!("{count} lanes"),
    };
    let notice = format!("{} {how} in {lanes}", name.unwrap_or_default());
    if let Some(state) = model.run_state() {
        state.inspector.step = found.step;
        state.inspector.variable = Some(found.variable);
    }
    model.notice = Some(notice);
    show_step_line(model);
}

/// What to say where no step of the simulated trace has another value.
fn nowhere(compared: &Comparison) -> String {
    let firsts = compared.variables.iter();
    let mut firsts = firsts.filter_map(|variable| variable.first_difference);
    match firsts.next() {
        Some(first) => format!(
            "only the real GPU executed line {} so often, in lane {}",
            first.line, first.lane
        ),
        None => "every value that was captured is the same on the real GPU".to_owned(),
    }
}

/// Arrows, pages, home and end in the PTX: `lines` down, or to another source line's.
pub(crate) fn travel_ptx(model: &mut Model, lines: isize, action: &Action) {
    let found = model.run_cell().and_then(|(_, state)| state.ptx());
    let Some((ptx, at)) = found else { return };
    let is_first = |index: &usize| *index == 0 || ptx[*index].line != ptx[*index - 1].line;
    let to = match action {
        Action::Left => (0..at).rev().find(is_first).unwrap_or(0),
        Action::Right => (at + 1..ptx.len()).find(is_first).unwrap_or(at),
        _ => at.saturating_add_signed(lines).min(ptx.len() - 1),
    };
    look_at(model, to, &ptx);
}

/// Goes to the first PTX of the source's line `line`, from 1.
pub(crate) fn show_ptx_of(model: &mut Model, line: u32) {
    let found = model.run_cell().and_then(|(_, state)| state.ptx());
    let Some((ptx, _)) = found else { return };
    match ptx.iter().position(|of| of.line == Some(line)) {
        Some(at) => look_at(model, at, &ptx),
        None => model.notice = Some(format!("no PTX comes from line {line}")),
    }
}

fn look_at(model: &mut Model, at: usize, ptx: &[PtxLine]) {
    if let Some(state) = model.run_state() {
        state.ptx_at = at;
    }
    show_source_line(model, ptx[at].line);
}
