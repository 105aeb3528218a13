//! What a real GPU gave beside counts and buffers: the values of the watched warp, and PTX.

use std::sync::Arc;

use crate::app::state::{FinishedRun, RunState};
use crate::launch::{
    CompileReport, Ending, Engine, PtxLine, Report, TileProgram, TileTensor, TraceComparison,
    ptx_lines,
};
use crate::lesson::taps;
use crate::source::{Diagnostic, Span};

impl RunState {
    /// The comparison of the trace that is looked at.
    pub fn compared(&self) -> Option<&TraceComparison> {
        let (launch, walk) = self.steps_shown()?;
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let launch = launches.get(launch)?;
        let trace = launch.trace.as_ref()?;
        launch
            .real
            .compared
            .as_ref()
            // Another warp may be stepped through by now than the one that was captured.
            .filter(|_| trace.watch == walk.watch())
    }

    /// What the compiler made of the selected launch's kernel, else of the first that it compiled; and
    /// which launch that is.
    pub fn compiled(&self) -> Option<(usize, &CompileReport)> {
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let mut compiled = launches.iter().enumerate().filter_map(|(index, launch)| {
            let report = launch.real.compiled.as_ref()?;
            Some((index, report))
        });
        match self.launch {
            Some(launch) => compiled.find(|&(index, _)| index == launch),
            None => compiled.next(),
        }
    }

    /// What a kernel of tiles became: that of the selected launch, else of the first; with the kernel's name.
    pub fn tiles(&self) -> Option<(&str, &TileProgram)> {
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let launch = launches.get(self.launch.unwrap_or(0))?;
        Some((&launch.kernel, launch.tiles.as_deref()?))
    }

    /// The tensor that is looked at, and all there are.
    pub fn tensor(&self) -> Option<(&TileTensor, &[TileTensor])> {
        let all = &self.tiles()?.1.tensors;
        let at = self.scroll.tensor.min(all.len().checked_sub(1)?);
        Some((&all[at], all))
    }

    /// Looks at the first tensor that the lesson taps, unless another was chosen.
    pub(crate) fn show_tensor(&mut self, names: &[String]) {
        let tensors = self.tensor().map_or(&[][..], |(_, all)| all);
        let tapped = |tensor: &TileTensor| names.iter().any(|name| taps(name, &tensor.name));
        let at = tensors.iter().position(tapped);
        if let (0, Some(at)) = (self.scroll.tensor, at) {
            self.scroll.tensor = at;
        }
    }

    /// Looks at another tensor.
    pub(crate) fn step_tensor(&mut self, by: isize) {
        let count = self.tensor().map_or(1, |(_, all)| all.len()) as isize;
        let next = (self.scroll.tensor as isize + by).rem_euclid(count);
        (self.scroll.tensor, self.scroll.element) = (next as usize, 0);
    }

    /// Looks at an element so many further on.
    pub(crate) fn move_in_tensor(&mut self, by: isize) {
        let last = self
            .tensor()
            .map_or(0, |(tensor, _)| tensor.holders.len().saturating_sub(1));
        let to = self.scroll.element.min(last).saturating_add_signed(by);
        self.scroll.element = to.min(last);
    }

    /// The lines of what one thread does, or of the PTX, and which of them is looked at; nothing where there are none.
    pub fn ptx(&self) -> Option<(Vec<PtxLine>, usize)> {
        let lines = match self.tiles() {
            Some((_, tiles)) => lines_of(tiles),
            None => ptx_lines(&self.compiled()?.1.ptx),
        };
        let at = self.scroll.ptx.min(lines.len().checked_sub(1)?);
        Some((lines, at))
    }

    /// Run `job`, if the values of its warp are to be captured on the real GPU that ran it.
    pub(crate) fn capture(&mut self, job: u64) -> Option<Arc<FinishedRun>> {
        let ran = self.ran.as_ref().filter(|ran| ran.job == job)?;
        let outcome = &ran.result.outcome;
        let has_run = outcome.engine == Engine::Gpu && outcome.ending == Ending::Finished;
        let is_open = |launch: &crate::launch::LaunchOutcome| {
            launch.trace.is_some() && launch.real.compared.is_none()
        };
        if !has_run || !outcome.launches.iter().any(is_open) {
            return None;
        }
        self.capturing = Some(job);
        Some(ran.clone())
    }

    /// Takes the values of each launch; where there are none, the reason becomes a warning.
    pub(crate) fn take_captured(&mut self, values: Vec<Result<Option<TraceComparison>, String>>) {
        self.capturing = None;
        let Some(ran) = &mut self.ran else { return };
        let outcome = &mut Arc::make_mut(ran).result.outcome;
        let mut failed: Vec<(String, Vec<String>)> = Vec::new();
        for (launch, values) in outcome.launches.iter_mut().zip(values) {
            let why = match values {
                // The warp that is watched is not in this launch.
                Ok(None) => continue,
                Ok(compared) => {
                    launch.real.compared = compared;
                    continue;
                }
                Err(why) => why,
            };
            let kernel = format!("`{}`", launch.kernel);
            // One message for one cause, with all the kernels that it kept from being captured.
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

/// The lines of what one thread does, each with the line of the tile program that it came from.
fn lines_of(tiles: &TileProgram) -> Vec<PtxLine> {
    let lines = tiles.file.text().lines().zip(&tiles.lines);
    // What only our own compiler is told is left out.
    let code = lines.filter(|(text, _)| !text.starts_with("#pragma tutor"));
    let line = |(text, &from): (&str, &u32)| PtxLine {
        line: (from > 0).then_some(from),
        text: text.to_owned(),
    };
    code.map(line).collect()
}
