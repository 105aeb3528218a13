//! What is looked at inside a run: its trace or its block's history, and the step.

use std::sync::Arc;

use crate::app::state::{Inside, Matrix, Ran, RunState, Walk};
use crate::device::gpu_or_usual;
use crate::launch::{Dim3, Trace, WARP_LANES, Watch};
use crate::lesson::RunCell;
use crate::simt::Cursor;

impl RunState {
    /// Index of the launch that is looked into: the selected one, else the first with the warp.
    pub fn looked_at(&self) -> usize {
        let traced = || self.trace().map(|(launch, _)| launch);
        self.launch.or_else(traced).unwrap_or(0)
    }

    /// The history that is looked at: that of the last result's launch, maybe still of the block before.
    pub fn inside(&self) -> Option<&Inside> {
        let inside = self.looked.inside.as_deref()?;
        let ran = self.ran.as_ref()?;
        let fits = inside.job == ran.job && inside.launch == self.looked_at();
        (fits && !inside.history.is_empty()).then_some(inside)
    }

    /// The statements that are looked at, and whose launch they are.
    pub fn walk(&self) -> Option<(usize, Walk<'_>)> {
        if let Some(inside) = self.inside() {
            return Some((inside.launch, Walk::Kept(inside)));
        }
        let (launch, trace) = self.trace()?;
        Some((launch, Walk::Traced(trace)))
    }

    /// The history that is looked at, and its cursor.
    pub fn cursor(&self) -> Option<(&Inside, Cursor)> {
        let inside = self.inside()?;
        Some((inside, inside.history.cursor(self.step()?)?))
    }

    /// Whether the history of the chosen block and warp is on its way.
    pub fn is_looking(&self) -> bool {
        let Some((job, launch, watch)) = self.looked.asked else {
            return false;
        };
        let has_come = self.looked.inside.as_ref().is_some_and(|inside| {
            (inside.job, inside.launch, inside.watch) == (job, launch, watch)
        });
        !has_come && self.looked.error.is_none()
    }

    /// What has to be looked into, if its block and warp are in the launch.
    pub(crate) fn wanted(&self) -> Option<(Arc<Ran>, usize, Watch)> {
        let ran = self.ran.as_ref()?;
        let (launch, watch) = (self.looked_at(), self.inspector.watch);
        let of = ran.plan.launches.get(launch)?;
        let threads: u64 = of.block.iter().map(|&n| u64::from(n)).product();
        let is_inside = watch.block.iter().zip(of.grid).all(|(&at, side)| at < side);
        let has_warp = u64::from(watch.warp) * (WARP_LANES as u64) < threads;
        (is_inside && has_warp).then(|| (ran.clone(), launch, watch))
    }

    /// Takes the history of a block, unless another was asked for since.
    pub(crate) fn take_inside(
        &mut self,
        key: (u64, usize, Watch),
        result: Result<Arc<Inside>, String>,
    ) {
        if self.looked.asked != Some(key) {
            return;
        }
        match result {
            Ok(inside) => {
                self.inspector.list_shared(inside.history.kernel());
                self.looked.inside = Some(inside);
                self.looked.error = None;
            }
            Err(error) => self.looked.error = Some(error),
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
        let (_, walk) = self.walk()?;
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
        let launch = plan.launches.get(self.looked_at())?;
        Some((launch.grid, launch.block))
    }
}
