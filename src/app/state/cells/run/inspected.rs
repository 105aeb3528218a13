//! What is looked at block a run: its trace or its block's history, and the step.

use std::sync::Arc;

use crate::app::state::{BlockHistory, FinishedRun, HistoryKey, Matrix, RunState, WarpSteps};
use crate::device::gpu_or_usual;
use crate::launch::{Dim3, Trace, WARP_LANES, Watch, volume};
use crate::lesson::RunCell;
use crate::simt::Cursor;

impl RunState {
    /// Index of the launch that is looked into: the selected one, else that which the run opened on, else the first with
    /// the warp.
    pub fn inspected_launch(&self) -> usize {
        let opened = self.ran.as_ref().and_then(|ran| {
            let has_launch = |&at: &usize| at < ran.plan.launches.len();
            self.inspector.launch.filter(has_launch)
        });
        let traced = || self.trace().map(|(launch, _)| launch);
        self.launch.or(opened).or_else(traced).unwrap_or(0)
    }

    /// The history that is looked at: that of the last result's launch, maybe still of the block before.
    pub fn block_history(&self) -> Option<&BlockHistory> {
        let block = self.history.loaded.as_deref()?;
        let ran = self.ran.as_ref()?;
        let fits = block.key.job == ran.job && block.key.launch == self.inspected_launch();
        (fits && !block.history.is_empty()).then_some(block)
    }

    /// The statements that are looked at, and whose launch they are.
    pub fn steps_shown(&self) -> Option<(usize, WarpSteps<'_>)> {
        if let Some(block) = self.block_history() {
            return Some((block.key.launch, WarpSteps::Recorded(block)));
        }
        let (launch, trace) = self.trace()?;
        Some((launch, WarpSteps::Traced(trace)))
    }

    /// The history that is looked at, and its cursor.
    pub fn cursor(&self) -> Option<(&BlockHistory, Cursor)> {
        let block = self.block_history()?;
        Some((block, block.history.cursor(self.step()?)?))
    }

    /// Whether the history of the chosen block and warp is on its way.
    pub fn is_looking(&self) -> bool {
        let Some(asked) = self.history.asked else {
            return false;
        };
        let loaded = self.history.loaded.as_ref();
        let has_come = loaded.is_some_and(|block| block.key == asked);
        !has_come && self.history.error.is_none()
    }

    /// What has to be looked into, if its block and warp are in the launch.
    pub(crate) fn wanted(&self) -> Option<(Arc<FinishedRun>, usize, Watch)> {
        let ran = self.ran.as_ref()?;
        let (launch, watch) = (self.inspected_launch(), self.inspector.watch);
        let of = ran.plan.launches.get(launch)?;
        let is_inside = watch.block.iter().zip(of.grid).all(|(&at, side)| at < side);
        let has_warp = u64::from(watch.warp) * (WARP_LANES as u64) < volume(of.block);
        (is_inside && has_warp).then(|| (ran.clone(), launch, watch))
    }

    /// Takes the history of a block, unless another was asked for since.
    pub(crate) fn take_history(
        &mut self,
        key: HistoryKey,
        result: Result<Arc<BlockHistory>, String>,
    ) {
        if self.history.asked != Some(key) {
            return;
        }
        match result {
            Ok(block) => {
                self.inspector.list_shared(block.history.kernel());
                self.history.loaded = Some(block);
                self.history.error = None;
            }
            Err(error) => self.history.error = Some(error),
        }
    }
}

impl RunState {
    /// The trace that is looked at, and its launch: that of the selected launch, else the first.
    pub fn trace(&self) -> Option<(usize, &Trace)> {
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let mut traces = launches.iter().enumerate().filter_map(|(i, launch)| {
            let trace = launch.trace.as_ref()?;
            Some((i, trace))
        });
        match self.launch {
            Some(launch) => traces.find(|&(i, _)| i == launch),
            None => traces.next(),
        }
    }

    /// The step that is looked at, if there is a trace.
    pub fn step(&self) -> Option<usize> {
        let (_, walk) = self.steps_shown()?;
        let last = walk.steps().checked_sub(1)?;
        Some(self.inspector.step.min(last))
    }

    /// Buffer `index` of the result as a matrix.
    pub fn matrix(&self, cell: &RunCell, index: usize) -> Option<Matrix> {
        let ran = self.ran.as_ref()?;
        let buffer = ran.result.outcome.buffers.get(index)?;
        let template = cell.buffers.get(index)?;
        let sizes = cell.complete(&ran.result.sizes);
        let gpu = gpu_or_usual(&ran.result.outcome.simulated);
        let shape = template.extents(&sizes, gpu).unwrap_or_default();
        Some(Matrix::new(&shape, buffer.len(), self.inspector.fold()))
    }

    /// Number of blocks in the launch whose trace is looked at, and its grid and block.
    pub fn watched_launch(&self) -> Option<(Dim3, Dim3)> {
        let plan = self.plan.as_ref().ok()?;
        let launch = plan.launches.get(self.inspected_launch())?;
        Some((launch.grid, launch.block))
    }
}
