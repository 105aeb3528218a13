//! Cancelling, fuel, progress and traces.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::code::{Code, Site};
use super::flow::block_sum;
use super::{Case, words};
use crate::ir::{Kernel, Op};
use crate::launch::{ElementType, ValueType, Watch};
use crate::simt::grid::is_brief;
use crate::simt::{Checks, Control, End, GlobalMemory, Launch, LaunchProgress, run};
use crate::source::Span;

/// `while (true) {}`, on line 2, after one instruction.
fn endless() -> Kernel {
    let (mut code, _) = Code::new(0, 0);
    let one = code.constant(1);
    code.statement();
    code.begin_loop();
    code.put(Op::LeaveUnless, 0, &[one]);
    code.statement();
    code.put(Op::Mov32, one, &[one]);
    code.end_loop();
    code.done()
}

#[test]
fn an_endless_loop_runs_out_of_fuel_at_its_head() {
    let kernel = endless();
    for (fuel, threads) in [(10, 1), (100_000, 1), (100_000, 2)] {
        let mut case = Case::new(&kernel, 2, 32);
        (case.fuel, case.threads) = (fuel, threads);
        let fault = case.fault();
        assert_eq!(fault.message, "endless loop?");
        assert_eq!(fault.span(), Span::new(2, 3));
        assert!(fault.notes[0].contains(&fuel.to_string()));
    }
}

#[test]
fn a_launch_may_take_exactly_its_fuel() {
    let (mut code, _) = Code::new(0, 0);
    code.constant(1);
    let kernel = code.done();
    let end = |fuel| {
        let mut case = Case::new(&kernel, 3, 64);
        case.fuel = fuel;
        case.run().0.end
    };
    assert_eq!(end(3 * 2 * 2), End::Finished);
    assert!(matches!(end(3 * 2 * 2 - 1), End::OutOfFuel(_)));
}

fn launch(kernel: &Kernel, blocks: u32) -> Launch<'_> {
    Launch {
        kernel,
        grid: [blocks, 1, 1],
        block: [32, 1, 1],
        dynamic_shared_bytes: 0,
        arguments: vec![],
    }
}

#[test]
fn a_launch_needs_no_threads_of_its_own_where_it_surely_ends_at_once() {
    let (mut code, _) = Code::new(0, 0);
    code.constant(1);
    let kernel = code.done();
    assert!(is_brief(&launch(&kernel, 8), 8));
    assert!(
        !is_brief(&launch(&kernel, 1 << 20), 1 << 20),
        "a large grid"
    );
    assert!(!is_brief(&launch(&endless(), 1), 1), "a loop");
}

#[test]
fn cancelling_ends_a_block_that_would_never_end() {
    let kernel = endless();
    let cancel = AtomicBool::new(false);
    let asked = Mutex::new(None);
    // The first progress comes while the loop runs.
    let progress = |_| {
        cancel.store(true, Relaxed);
        let mut asked = asked.lock().expect("not poisoned");
        asked.get_or_insert_with(Instant::now);
    };
    let control = Control {
        cancel: &cancel,
        progress: &progress,
        threads: 2,
        fuel: u64::MAX,
        time_limit: None,
        watch: None,
        trace_steps: 0,
        checks: Checks::NONE,
        schedule: None,
        logs: None,
    };
    let run = run(&launch(&kernel, 8), &GlobalMemory::new(vec![]), &control);
    let asked = asked.lock().expect("not poisoned").expect("asked");
    assert_eq!(run.end, End::Cancelled);
    assert!(run.counts.warp_instructions > 0);
    // A hundred times what it takes, for slow machines.
    assert!(asked.elapsed() < Duration::from_secs(1));
}

#[test]
fn progress_grows_and_ends_with_the_result() {
    let kernel = {
        let (mut code, _) = Code::new(0, 0);
        let (k, one) = (code.constant(3000), code.constant(1));
        code.begin_loop();
        code.put(Op::LeaveUnless, 0, &[k]);
        code.put(Op::SubI32, k, &[k, one]);
        code.end_loop();
        code.done()
    };
    let seen = Mutex::new(Vec::<LaunchProgress>::new());
    let progress = |now| seen.lock().expect("not poisoned").push(now);
    let control = Control {
        cancel: &AtomicBool::new(false),
        progress: &progress,
        threads: 2,
        fuel: 1 << 24,
        time_limit: None,
        watch: None,
        trace_steps: 0,
        checks: Checks::NONE,
        schedule: None,
        logs: None,
    };
    let run = run(&launch(&kernel, 200), &GlobalMemory::new(vec![]), &control);
    let seen = seen.into_inner().expect("not poisoned");
    let last = seen.last().expect("told once");
    assert_eq!((last.blocks_done, last.blocks), (200, 200));
    assert_eq!((last.counts, &last.lines), (run.counts, &run.lines));
    let grows = |pair: &[LaunchProgress]| {
        pair[0].counts.warp_instructions <= pair[1].counts.warp_instructions
    };
    assert!(seen.windows(2).all(grows));
}

/// Line 2: `int s = 0;`, line 3: `if (t % 2)`, line 4: `s = 5;`, line 5: `x[t] = s;`.
fn traced() -> Kernel {
    let (mut code, parameters) = Code::new(1, 0);
    code.statement();
    let sum = code.constant(0);
    code.variable("s", ValueType::Number(ElementType::I32), sum);
    code.statement();
    let (t, one) = (code.value(Op::ThreadX, &[]), code.constant(1));
    let odd = code.value(Op::And32, &[t, one]);
    code.begin_if(odd);
    code.statement();
    code.emit(Op::Const32, sum, [0; 3], 5);
    code.end_if();
    code.statement();
    code.store(Op::Store, sum, parameters[0], t, Site::of(4));
    code.done()
}

fn watch(block: u32, warp: u32) -> Option<Watch> {
    Some(Watch {
        block: [block, 0, 0],
        warp,
    })
}

#[test]
fn a_trace_keeps_masks_and_changes_by_statement() {
    let kernel = traced();
    let mut case = Case::new(&kernel, 2, 48).buffer(words([0; 48]));
    case.watch = watch(1, 1);
    let (run, _) = case.finish();
    let trace = run.trace.expect("watched");
    let steps: Vec<_> = trace
        .steps
        .iter()
        .map(|step| (step.line, step.active))
        .collect();
    assert_eq!(steps, [(2, 0xffff), (3, 0xffff), (4, 0xaaaa), (5, 0xffff)]);
    assert!(!trace.truncated);
    let pointer = GlobalMemory::address(0);
    let first: Vec<_> = trace.steps[0]
        .changes
        .iter()
        .map(|(at, values)| (*at, values[0]))
        .collect();
    assert_eq!(first, [(0, pointer), (1, 0)]);
    assert!(trace.steps[1].changes.is_empty());
    let after = trace.value(1, 3).expect("has a value");
    assert_eq!(after[..4], [0, 5, 0, 5]);
    assert_eq!(after[16..], [0; 16]);
}

#[test]
fn a_trace_follows_a_loop_through_barriers() {
    let (mut code, _) = Code::new(0, 0);
    let one = code.constant(1);
    code.statement();
    let k = code.constant(3);
    code.variable("k", ValueType::Number(ElementType::I32), k);
    code.statement();
    code.begin_loop();
    code.put(Op::LeaveUnless, 0, &[k]);
    code.statement();
    code.put(Op::Barrier, 0, &[]);
    code.statement();
    code.put(Op::SubI32, k, &[k, one]);
    code.end_loop();
    let kernel = code.done();
    let mut case = Case::new(&kernel, 1, 64);
    case.watch = watch(0, 1);
    let trace = case.finish().0.trace.expect("watched");
    let lines: Vec<u32> = trace.steps.iter().map(|step| step.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3]);
    let last = trace.steps.len() - 1;
    assert_eq!(trace.value(0, last), Some(&[0; 32]));
    assert_eq!(trace.value(0, 4), Some(&[2; 32]));
}

#[test]
fn each_turn_of_a_loop_of_one_statement_is_a_step() {
    let (mut code, _) = Code::new(0, 0);
    let (k, one) = (code.constant(3), code.constant(1));
    code.put(Op::ScopeBegin, 0, &[]);
    code.statement();
    code.begin_loop_here();
    code.put(Op::LeaveUnless, 0, &[k]);
    code.put(Op::SubI32, k, &[k, one]);
    code.end_loop();
    let kernel = code.done();
    let mut case = Case::new(&kernel, 1, 32);
    case.watch = watch(0, 0);
    let trace = case.finish().0.trace.expect("watched");
    assert_eq!(trace.steps.len(), 4);
}

#[test]
fn a_trace_stops_at_its_limit_and_at_nothing_to_watch() {
    let kernel = traced();
    let trace = |watch, steps| {
        let mut case = Case::new(&kernel, 2, 48).buffer(words([0; 48]));
        (case.watch, case.trace_steps) = (watch, steps);
        case.finish().0.trace
    };
    let cut = trace(watch(0, 0), 2).expect("watched");
    assert_eq!((cut.steps.len(), cut.truncated), (2, true));
    assert_eq!(
        trace(watch(0, 0), 4).map(|trace| trace.truncated),
        Some(false)
    );
    assert_eq!(trace(watch(2, 0), 4), None);
    assert_eq!(trace(watch(0, 2), 4), None);
}

#[test]
fn watching_changes_no_count() {
    let kernel = block_sum();
    let run = |watch| {
        let mut case = Case::new(&kernel, 3, 256)
            .buffer(words(0..3 * 256))
            .buffer(words([0; 3]));
        case.watch = watch;
        case.finish()
    };
    let (plain, watched) = (run(None), run(watch(1, 3)));
    assert!(watched.0.trace.is_some());
    assert_eq!(plain.1, watched.1);
    assert_eq!(
        (plain.0.counts, plain.0.lines),
        (watched.0.counts, watched.0.lines)
    );
}

#[test]
fn a_launch_that_is_late_says_so_and_one_that_is_done_does_not() {
    let kernel = endless();
    let finishing = {
        let (mut code, _) = Code::new(0, 0);
        code.constant(1);
        code.done()
    };
    let end = |kernel, limit| {
        let control = Control {
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
            threads: 2,
            fuel: u64::MAX,
            time_limit: Some(limit),
            watch: None,
            trace_steps: 0,
            checks: Checks::NONE,
            schedule: None,
            logs: None,
        };
        run(&launch(kernel, 8), &GlobalMemory::new(vec![]), &control).end
    };
    let begun = Instant::now();
    let End::OutOfFuel(fault) = end(&kernel, Duration::from_millis(50)) else {
        panic!("never ends");
    };
    assert_eq!(fault.message, "`kernel` takes too long");
    assert!(fault.notes[0].contains("0.05 s"), "{:?}", fault.notes);
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(end(&finishing, Duration::from_secs(3600)), End::Finished);
    assert_eq!(end(&finishing, Duration::MAX), End::Finished);
}
