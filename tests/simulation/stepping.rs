//! Walking through a block's history, held against traces, results and naive searches.

use std::sync::atomic::AtomicBool;

use crate::case::read;
use crate::files::{fixture, kernels_in};
use tutor::engine::{Control, Following, HISTORY_BYTES, Options, Stepper, run};
use tutor::ir::Op;
use tutor::launch::{Dim3, Outcome, Plan, Value, Watch};
use tutor::simt::{
    Breakpoint, ComparisonOperator, Condition, Cursor, Direction, History, MemoryKind, Move,
};

const FORWARD: Direction = Direction::Forward;
const BACK: Direction = Direction::Back;

fn all_plans() -> Vec<Plan> {
    let folders = ["execution", "stepping"].into_iter();
    let paths = folders.flat_map(kernels_in);
    paths.map(|path| read(&path).plan).collect()
}

fn control() -> Control<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Control {
        cancel: &NEVER,
        ..Control::default()
    }
}

fn stepper(plan: &Plan) -> Stepper {
    Stepper::new(plan, 0, &Options::default(), &control()).expect("gets to its launch")
}

fn record(plan: &Plan, block: Dim3, warp: u32) -> (Stepper, History) {
    let stepper = stepper(plan);
    let following = Following {
        block,
        warp,
        most_bytes: HISTORY_BYTES,
    };
    let history = stepper.record(following, &AtomicBool::new(false));
    (stepper, history.expect("the warp is there"))
}

fn execute(plan: &Plan, watch: Option<Watch>) -> Outcome {
    let options = Options {
        watch,
        ..Options::default()
    };
    run(plan, &options, &control()).expect("buffers can be filled")
}

fn cursors(history: &History) -> Vec<Cursor> {
    let all = (0..history.len()).map(|at| history.cursor(at).expect("is kept"));
    all.collect()
}

/// Steps where a move stops, one after the other.
fn stops(history: &History, from: Cursor, direction: Direction, to: &Move) -> Vec<usize> {
    let next = |cursor: &Cursor| history.go(*cursor, direction, to);
    let stops = std::iter::successors(next(&from), next);
    stops.map(Cursor::at).collect()
}

fn moves(history: &History) -> Vec<Move> {
    let variables = 0..history.kernel().variables.len();
    let mut moves: Vec<Move> = variables.map(Move::Change).collect();
    let lines = history.kernel().source.statements.iter();
    moves.extend(lines.map(|statement| Move::Line(statement.line)));
    let addresses = cursors(history).into_iter().flat_map(|cursor| {
        let accesses = history.accesses(cursor);
        let first = |active: u32| active.trailing_zeros() as usize;
        let at = accesses
            .iter()
            .map(|access| access.addresses[first(access.active)]);
        at.collect::<Vec<_>>()
    });
    let addresses: Vec<u64> = addresses.take(20).collect();
    moves.extend(addresses.iter().map(|&at| Move::Touch(at..at + 1)));
    moves.extend(addresses.iter().map(|&at| Move::Written(at)));
    moves.extend([Move::Into, Move::Barrier, Move::Access, Move::Idle(5)]);
    let condition = |lane| Condition {
        variable: history.kernel().variables.len() - 1,
        lane,
        comparison: ComparisonOperator::Greater,
        value: Value::Integer(2),
    };
    let breakpoint = |line: u32| Breakpoint {
        line,
        condition: Some(condition(line.is_multiple_of(2).then_some(5))),
    };
    let lines = history.kernel().source.statements.iter();
    let all = lines.map(|statement| breakpoint(statement.line)).collect();
    moves.push(Move::Break(all));
    moves
}

#[test]
fn going_back_finds_the_stops_of_going_forward_in_reverse() {
    for plan in all_plans() {
        let (_, history) = record(&plan, [0; 3], 0);
        let (first, last) = (
            history.first().expect("runs"),
            history.last().expect("runs"),
        );
        for to in moves(&history) {
            let mut forward = stops(&history, first, FORWARD, &to);
            let mut back = stops(&history, last, BACK, &to);
            forward.retain(|&at| at < last.at());
            back.retain(|&at| at > 0);
            back.reverse();
            assert_eq!(forward, back, "{to:?}");
        }
        for cursor in cursors(&history) {
            let Some(next) = history.go(cursor, FORWARD, &Move::Over) else {
                continue;
            };
            let depth = |cursor| history.function(cursor).1;
            if depth(next) == depth(cursor) && !history.statement(cursor).resumes {
                assert_eq!(history.go(next, BACK, &Move::Over), Some(cursor));
            }
        }
    }
}

#[test]
fn every_variable_holds_what_a_trace_of_the_same_warp_says() {
    for plan in all_plans() {
        let watch = Watch {
            block: [0; 3],
            warp: 0,
        };
        let outcome = execute(&plan, Some(watch));
        let trace = outcome.launches[0].trace.as_ref().expect("was watched");
        let (_, history) = record(&plan, [0; 3], 0);
        // A statement with a barrier in its middle has a step on either side of it.
        let mut code = history.kernel().code.iter();
        if code.any(|instruction| instruction.op == Op::BarrierVote) {
            continue;
        }
        assert_eq!(history.len(), trace.steps.len());
        for (cursor, step) in cursors(&history).into_iter().zip(&trace.steps) {
            assert_eq!(history.statement(cursor).line, step.line);
            assert_eq!(history.active(cursor), step.active);
            let visible = history.in_scope(cursor);
            for variable in 0..trace.variables.len() {
                let found = history.value(cursor, variable);
                let expected = trace.value(variable, cursor.at());
                // Nobody sees it before it is declared, and its register may have served for something else.
                if expected.is_none() && !visible.contains(&variable) {
                    continue;
                }
                let name = &trace.variables[variable].name;
                assert_eq!(found.as_ref(), expected, "{name} at {}", cursor.at());
            }
        }
    }
}

#[test]
fn a_change_is_where_the_values_differ() {
    for plan in all_plans() {
        let (_, history) = record(&plan, [0; 3], 0);
        let all = cursors(&history);
        let first = history.first().expect("runs");
        for variable in 0..history.kernel().variables.len() {
            let differs = |pair: &&[Cursor]| {
                history.value(pair[0], variable) != history.value(pair[1], variable)
            };
            let pairs = all.windows(2).filter(differs);
            let expected: Vec<usize> = pairs.map(|pair| pair[1].at()).collect();
            let found = stops(&history, first, FORWARD, &Move::Change(variable));
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn buffers_go_from_what_the_launch_began_with_to_what_the_block_left() {
    for plan in all_plans() {
        let alone = plan.launches[0].grid == [1, 1, 1] && plan.launches.len() == 1;
        let outcome = execute(&plan, None);
        let threads: u32 = plan.launches[0].block.iter().product();
        let warps = threads.div_ceil(32);
        let (stepper, history) = record(&plan, [0; 3], warps - 1);
        let last = history.last().expect("runs");
        for (index, spec) in plan.buffers.iter().enumerate() {
            let begun = spec.fill().expect("can be filled");
            let left = stepper.buffer(index, &history, last).expect("is there");
            if alone {
                assert_eq!(left.bytes, outcome.buffers[index].bytes);
            }
            let again = history.first().expect("runs");
            let first = stepper.buffer(index, &history, again).expect("is there");
            if warps == 1 && history.accesses(again).is_empty() {
                assert_eq!(first.bytes, begun.bytes);
            }
        }
        let following = Following {
            block: [0; 3],
            warp: warps - 1,
            most_bytes: HISTORY_BYTES,
        };
        let never = AtomicBool::new(false);
        let again = stepper.record(following, &never).expect("is there");
        assert_eq!(again.len(), history.len());
    }
}

fn variable(history: &History, name: &str) -> usize {
    let mut variables = history.kernel().variables.iter();
    let found = variables.position(|variable| variable.name == name);
    found.expect("is declared")
}

fn lines(history: &History, from: Cursor, direction: Direction, to: &Move) -> Vec<u32> {
    let stops = stops(history, from, direction, to).into_iter();
    let line = |at| history.statement(history.cursor(at).expect("is kept")).line;
    stops.map(line).collect()
}

#[test]
fn functions_are_stepped_into_over_and_out_of() {
    let plan = read(&fixture("stepping/calls.cu")).plan;
    let (_, history) = record(&plan, [0; 3], 0);
    let first = history.first().expect("runs");
    let over = lines(&history, first, FORWARD, &Move::Over);
    assert_eq!(over[..6], [20, 21, 22, 23, 24, 26]);
    let call = history.go(first, FORWARD, &Move::Over).expect("goes on");
    let into = lines(&history, call, FORWARD, &Move::Into);
    assert_eq!(into[..9], [21, 14, 9, 10, 14, 15, 9, 10, 15]);
    let inside = history
        .go(call, FORWARD, &Move::Line(10))
        .expect("is called");
    assert_eq!(history.function(inside), ("twice", 2));
    let scope = history.in_scope(inside);
    let names = scope
        .iter()
        .map(|&at| history.kernel().variables[at].name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["twice::v", "twice::doubled"]);
    let out = history.go(inside, FORWARD, &Move::Out).expect("returns");
    assert_eq!(history.function(out), ("four_times", 1));
    let out = history.go(out, FORWARD, &Move::Out).expect("returns");
    assert_eq!(
        (history.function(out), history.statement(out).line),
        (("calls", 0), 21)
    );
    let before = history.go(inside, BACK, &Move::Out).expect("was called");
    assert_eq!(history.statement(before).line, 14);
}

#[test]
fn variables_are_in_scope_from_their_declaration_to_the_end_of_their_block() {
    let plan = read(&fixture("stepping/calls.cu")).plan;
    let (_, history) = record(&plan, [0; 3], 0);
    let extra = variable(&history, "extra");
    let first = history.first().expect("runs");
    let holds = |line| {
        let cursor = history.go(first, FORWARD, &Move::Line(line)).expect("runs");
        history.in_scope(cursor).contains(&extra)
    };
    assert_eq!([22, 23, 24, 26].map(holds), [false, true, true, false]);
}

#[test]
fn a_breakpoint_stops_where_its_lane_says() {
    let plan = read(&fixture("stepping/tiles.cu")).plan;
    let (_, history) = record(&plan, [1, 0, 0], 1);
    let first = history.first().expect("runs");
    let stop = |lane, value| {
        let breakpoint = Breakpoint {
            line: 21,
            condition: Some(Condition {
                variable: variable(&history, "sum"),
                lane,
                comparison: ComparisonOperator::Greater,
                value: Value::Integer(value),
            }),
        };
        history.go(first, FORWARD, &Move::Break(vec![breakpoint]))
    };
    let sum = |cursor| {
        history
            .value(cursor, variable(&history, "sum"))
            .expect("is set")
    };
    let value = |bits: u64| f32::from_bits(bits as u32);
    let one = stop(Some(3), 20).expect("comes");
    assert!(value(sum(one)[3]) > 20.0);
    let before = history.go(one, BACK, &Move::Line(21)).expect("looped");
    assert!(value(sum(before)[3]) <= 20.0);
    assert!(stop(None, 20).expect("comes") <= one);
    assert_eq!(stop(Some(3), 100_000), None);
}

#[test]
fn an_access_shows_its_addresses_sectors_and_banks() {
    let plan = read(&fixture("stepping/tiles.cu")).plan;
    let (_, history) = record(&plan, [1, 0, 0], 1);
    let first = history.first().expect("runs");
    let load = history.go(first, FORWARD, &Move::Access).expect("comes");
    let accesses = history.accesses(load);
    let [from, to] = accesses.as_slice() else {
        panic!("{accesses:?}")
    };
    assert_eq!(
        (from.memory, to.memory),
        (MemoryKind::Global, MemoryKind::Shared)
    );
    // Rows 4 to 7 of the left half of `a`, which has rows of 64 bytes.
    let sectors: Vec<u64> = from
        .sectors()
        .iter()
        .map(|sector| sector.0 % (1 << 40))
        .collect();
    assert_eq!(sectors, [256, 320, 384, 448]);
    assert_eq!(from.global.expect("is global").sectors, 4);
    assert_eq!(from.sectors()[1].1, 0xff00);
    assert!(to.banks().iter().all(|words| words.len() == 1));
    assert_eq!(to.banks()[0], [128]);
    assert_eq!(to.shared.expect("is shared").wavefronts, 1);
    let touch = Move::Touch(to.addresses[9]..to.addresses[9] + 4);
    let again = lines(&history, load, FORWARD, &touch);
    assert_eq!(again, [21, 17, 21]);
}

#[test]
fn shared_memory_is_as_all_warps_left_it_at_that_moment() {
    let plan = read(&fixture("stepping/tiles.cu")).plan;
    let (_, history) = record(&plan, [1, 0, 0], 0);
    let first = history.first().expect("runs");
    let store = history.go(first, FORWARD, &Move::Line(17)).expect("comes");
    let filled = |cursor| {
        let words = history.shared(cursor);
        words.iter().filter(|&&word| word != 0).count()
    };
    // Half of the left tile is this warp's; after the barrier, both tiles are full but for zeros.
    let a = |i: u32| (i % 7) as f32;
    let own = (0..32).filter(|i| a(i / 8 * 16 + i % 8) != 0.0).count();
    assert_eq!(filled(store), own);
    let barrier = history.go(store, FORWARD, &Move::Barrier).expect("comes");
    let next = history.go(barrier, FORWARD, &Move::Into).expect("goes on");
    let tile = &history.shared(next)[..64];
    let expected: Vec<u32> = (0..64).map(|i| a(i / 8 * 16 + i % 8).to_bits()).collect();
    assert_eq!(tile, expected);
    assert_eq!(history.go(next, BACK, &Move::Barrier), Some(barrier));
}

#[test]
fn a_history_that_is_too_long_says_so_and_keeps_its_beginning() {
    let mut plan = read(&fixture("stepping/tiles.cu")).plan;
    let stepper = stepper(&plan);
    let following = Following {
        block: [0; 3],
        warp: 0,
        most_bytes: 10_000,
    };
    let never = AtomicBool::new(false);
    let short = stepper.record(following, &never).expect("is there");
    let (_, whole) = record(&plan, [0; 3], 0);
    assert!(short.is_truncated() && !whole.is_truncated());
    assert!(
        short.len() > 5 && short.len() < whole.len(),
        "{}",
        short.len()
    );
    let last = short.last().expect("is kept");
    assert_eq!(short.statement(last), whole.statement(last));
    assert_eq!(short.in_scope(last), whole.in_scope(last));
    for variable in short.in_scope(last) {
        assert_eq!(short.value(last, variable), whole.value(last, variable));
    }
    let nowhere = Following {
        block: [9, 0, 0],
        ..following
    };
    let error = stepper.record(nowhere, &never).expect_err("is not there");
    assert!(error.message.contains("not in this launch"), "{error:?}");
    plan.launches[0].kernel = "nothing".to_owned();
    assert!(Stepper::new(&plan, 0, &Options::default(), &control()).is_err());
}
