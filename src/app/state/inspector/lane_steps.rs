//! What each lane of a warp did, step by step: steps next to each other in which every lane did the same are one run.

use super::block_history::WarpSteps;
use crate::launch::WARP_LANES;

/// Most steps that are looked at on either side of the current one: a warp may have a million.
const MOST_STEPS: usize = 4096;

/// What a lane did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneState {
    /// The block has no thread for it.
    Absent,
    /// It took the other side of a branch, or had returned.
    Inactive,
    /// It executed the statement.
    Active,
    /// It loaded.
    Load,
    /// It stored.
    Store,
    /// It loaded and stored.
    LoadAndStore,
    /// It waited for other warps.
    Barrier,
}

impl LaneState {
    /// All of them, in the order a legend has them.
    pub const ALL: [LaneState; 7] = [
        LaneState::Active,
        LaneState::Load,
        LaneState::Store,
        LaneState::LoadAndStore,
        LaneState::Barrier,
        LaneState::Inactive,
        LaneState::Absent,
    ];
}

/// Steps next to each other in which every lane did the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRun {
    /// The first of them.
    pub first: usize,
    /// How many they are.
    pub steps: usize,
    /// What each lane did.
    pub lanes: [LaneState; WARP_LANES],
}

/// The runs of steps around one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpTimeline {
    /// Those in sight, in order of time.
    pub runs: Vec<StepRun>,
    /// Which of them has the step.
    pub current: usize,
}

impl WarpTimeline {
    /// Runs around step `at`, at most `room` of them, of a warp of `threads` threads. Runs are joined only where there
    /// are more steps than room.
    pub fn new(walk: WarpSteps, threads: usize, at: usize, room: usize) -> Self {
        let (steps, room) = (walk.steps(), room.max(1));
        // Only what does not fit is joined: a short warp shows every step on its own.
        let joins = steps > room;
        let run = |first: usize| StepRun {
            first,
            steps: 1,
            lanes: lanes(walk, threads, first),
        };
        // Outwards from the current one, as far as there is room.
        let mut current = run(at);
        let after = (at + 1..steps.min(at + MOST_STEPS)).map(run);
        let after = outwards(&mut current, after, joins, room);
        let before = (at.saturating_sub(MOST_STEPS)..at).rev().map(run);
        let before = outwards(&mut current, before, joins, room);
        around(before, current, after, room)
    }
}

/// The runs that `steps` make, one after the other away from `current`; those next to it that are like it join it.
fn outwards(
    current: &mut StepRun,
    steps: impl Iterator<Item = StepRun>,
    joins: bool,
    room: usize,
) -> Vec<StepRun> {
    let mut runs: Vec<StepRun> = Vec::new();
    for next in steps {
        let is_full = runs.len() == room;
        let last = runs.last_mut().unwrap_or(&mut *current);
        // A loop whose lanes do the same in each step is one column, with how many steps it is.
        if joins && last.lanes == next.lanes {
            last.first = last.first.min(next.first);
            last.steps += 1;
        } else if is_full {
            break;
        } else {
            runs.push(next);
        }
    }
    runs
}

/// The current run with so many of those before and after it, the nearest first, that all are `room`: it stands in the
/// middle where that can be.
fn around(
    before: Vec<StepRun>,
    current: StepRun,
    after: Vec<StepRun>,
    room: usize,
) -> WarpTimeline {
    let ahead = after
        .len()
        // Half of the room is for what was; what that does not need goes to what comes.
        .min(room - 1 - (room / 2).min(before.len()).min(room - 1));
    let behind = before.len().min(room - 1 - ahead);
    let runs = before.into_iter().take(behind).rev();
    let runs = runs.chain([current]);
    WarpTimeline {
        runs: runs.chain(after.into_iter().take(ahead)).collect(),
        current: behind,
    }
}

/// What each lane did in a step.
fn lanes(walk: WarpSteps, threads: usize, step: usize) -> [LaneState; WARP_LANES] {
    let active = walk.active(step);
    let block = walk.block_history();
    let mark = block.and_then(|block| block.marks.get(step)).copied();
    let mark = mark.unwrap_or_default();
    std::array::from_fn(|lane| {
        let is = |lanes: u32| lanes >> lane & 1 == 1;
        match (is(mark.loads), is(mark.stores)) {
            _ if lane >= threads => LaneState::Absent,
            _ if !is(active) => LaneState::Inactive,
            _ if mark.barrier => LaneState::Barrier,
            (true, true) => LaneState::LoadAndStore,
            (true, false) => LaneState::Load,
            (false, true) => LaneState::Store,
            (false, false) => LaneState::Active,
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::launch::{Trace, TraceStep, Watch};
    use crate::source::Span;

    fn trace(masks: &[u32]) -> Trace {
        let steps = masks.iter().map(|&active| TraceStep {
            line: 1,
            span: Span::new(0, 0),
            callers: Vec::new().into(),
            resumes: false,
            active,
            changes: Vec::new(),
        });
        Trace {
            watch: Watch::default(),
            variables: Vec::new(),
            steps: steps.collect(),
            truncated: false,
        }
    }

    proptest! {
        #[test]
        fn runs_follow_each_other_and_each_step_does_what_its_run_says(
            masks in prop::collection::vec(prop_oneof![Just(u32::MAX), Just(1), Just(0xffff)], 1..80),
            room in 1_usize..50,
            at in 0_usize..80,
            threads in 1_usize..=32,
        ) {
            let at = at.min(masks.len() - 1);
            let trace = trace(&masks);
            let timeline = WarpTimeline::new(WarpSteps::Traced(&trace), threads, at, room);
            let runs = &timeline.runs;
            prop_assert!(runs.len() <= room);
            let current = runs[timeline.current];
            prop_assert!((current.first..current.first + current.steps).contains(&at));
            prop_assert!(runs.windows(2).all(|two| two[0].first + two[0].steps == two[1].first));
            for run in runs {
                for &mask in &masks[run.first..run.first + run.steps] {
                    for (lane, &state) in run.lanes.iter().enumerate() {
                        let expected = match lane {
                            _ if lane >= threads => LaneState::Absent,
                            _ if mask >> lane & 1 == 1 => LaneState::Active,
                            _ => LaneState::Inactive,
                        };
                        prop_assert_eq!(state, expected);
                    }
                }
            }
            if masks.len() <= room {
                prop_assert_eq!(runs.len(), masks.len());
            }
        }
    }
}
