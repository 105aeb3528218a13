//! The loads that welcome somebody new: the first warp of a kernel at two strides, stepped through on the simulated GPU.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::app::{Msg, WarpLoad, welcome_plans};
use crate::device::{DEFAULT_GPU, gpu_or_usual};
use crate::engine::{Control, Following, HISTORY_BYTES, Options, Stepper};
use crate::launch::{AccessKind, Plan};
use crate::lesson::Lesson;
use crate::runtime::events::EventSender;
use crate::simt::MemoryKind;
use crate::source::SourceFile;

/// Runs both, and answers with what their first warps load; with nothing if one cannot run.
pub(crate) fn load_welcome(lesson: Arc<Lesson>, gpu: Option<String>, events: &EventSender) {
    events.answer_on_thread(move || {
        let id = gpu.as_deref().unwrap_or(DEFAULT_GPU);
        let plans = welcome_plans(&lesson, gpu_or_usual(id));
        let loads = plans.and_then(|(cell, plans)| {
            let mut loads = Vec::new();
            for plan in plans {
                loads.push(first_load(&plan.ok()?, &cell.source, id)?);
            }
            Some(loads)
        });
        Some(Msg::WelcomeLoaded(loads.unwrap_or_default()))
    });
}

/// The first load from global memory that all lanes of the first warp make.
fn first_load(plan: &Plan, source: &SourceFile, gpu: &str) -> Option<WarpLoad> {
    let options = Options {
        gpu: gpu.to_owned(),
        ..Options::default()
    };
    let stepper = Stepper::new(plan, 0, &options, &Control::default()).ok()?;
    let following = Following {
        block: [0; 3],
        warp: 0,
        most_bytes: HISTORY_BYTES,
    };
    let history = stepper.record(following, &AtomicBool::new(false)).ok()?;
    let cursors = (0..history.len()).filter_map(|at| history.cursor(at));
    let accesses = cursors.flat_map(|cursor| history.accesses(cursor));
    let mut loads = accesses.filter(|access| {
        let is_load = access.memory == MemoryKind::Global && access.site.kind == AccessKind::Load;
        is_load && access.active == u32::MAX
    });
    let load = loads.next()?;
    let line = source.text().lines().nth(load.site.line as usize - 1)?;
    Some(WarpLoad {
        line: line.trim().to_owned(),
        addresses: load.addresses,
        width_bytes: u64::from(load.site.width_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::WARP_LANES;
    use crate::lesson::load;

    #[test]
    fn neighbours_share_sectors_and_lanes_far_apart_do_not() {
        let lesson = load("first-steps").expect("reads");
        let gpu = gpu_or_usual(DEFAULT_GPU);
        let (cell, plans) = welcome_plans(&lesson, gpu).expect("are there");
        let loads = plans.map(|plan| {
            let plan = plan.expect("has values");
            first_load(&plan, &cell.source, DEFAULT_GPU).expect("loads")
        });
        let moved = loads.each_ref().map(|load| load.used_bytes(WARP_LANES));
        assert_eq!(moved, [(128, 128), (128, 1024)]);
        assert!(loads[0].line.contains("x["), "{}", loads[0].line);
    }
}
