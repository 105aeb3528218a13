//! Kinds of kernels, from vector addition to `printf`: nanoseconds of processor time for each warp instruction that the
//! simulated GPU counts, and its time beside that of the plain Rust loop that computes the same.
//!
//! `cargo bench --bench simulator -- --kinds` prints this table alone, `-- --kinds WORD…` the kinds with a word in their
//! names; `--modes` adds columns: two threads, the cache model, checks, another order, each as times the counts alone.
//! `--once` runs each kind once, `--once=MODE` in one of these modes, for a profiler.

mod values;
mod kind;
mod global_memory;
mod shared_memory;
mod atomics;
mod control_flow;
mod arithmetic;

use std::time::{Duration, Instant};

use tutor::launch::BufferValues;
use tutor::simt::Checks;

use kind::{Kind, Mode};
use values::Values;

/// Most time that a kind's measurements may take in one mode.
const BUDGET: Duration = Duration::from_millis(700);
/// Most nanoseconds for a warp instruction.
const TARGET_NS: f64 = 20.0;

/// All of them.
fn kinds() -> Vec<Kind> {
    let groups = [
        global_memory::kinds(),
        shared_memory::kinds(),
        atomics::kinds(),
        control_flow::kinds(),
        arithmetic::kinds(),
    ];
    groups.into_iter().flatten().collect()
}

/// Two threads, the cache model, each check, another order.
fn modes() -> [Mode; 5] {
    let checked = |name, checks| Mode {
        name,
        checks,
        ..Mode::COUNTS
    };
    [
        Mode {
            name: "threads",
            threads: 2,
            ..Mode::COUNTS
        },
        Mode {
            name: "caches",
            caches: true,
            ..Mode::COUNTS
        },
        checked(
            "races",
            Checks {
                races: true,
                ..Checks::NONE
            },
        ),
        checked(
            "unset",
            Checks {
                uninitialised: true,
                ..Checks::NONE
            },
        ),
        Mode {
            name: "order",
            schedule: Some(1),
            ..Mode::COUNTS
        },
    ]
}

/// Prints the table, by the words after `--kinds`.
pub fn kinds_table() {
    let arguments: Vec<String> = std::env::args()
        .skip_while(|argument| argument != "--kinds")
        .skip(1)
        .collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let words: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let is_wanted = |kind: &Kind| {
        words.is_empty() || words.iter().any(|word| kind.name.contains(word.as_str()))
    };
    let kinds = kinds().into_iter().filter(is_wanted);
    let once = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("--once"));
    if let Some(name) = once {
        let mode = modes()
            .into_iter()
            .find(|mode| name == format!("={}", mode.name));
        kinds.for_each(|kind| {
            kind.run(mode.unwrap_or(Mode::COUNTS));
        });
        return;
    }
    let modes = if has("--modes") {
        modes().to_vec()
    } else {
        Vec::new()
    };
    print!(
        "{:30} {:>9} {:>9} {:>9} {:>8}",
        "kind", "warp inst", "ms", "ns each", "plain"
    );
    modes.iter().for_each(|mode| print!(" {:>10}", mode.name));
    println!();
    kinds.for_each(|kind| print_row(&kind, &modes));
}

fn print_row(kind: &Kind, modes: &[Mode]) {
    let (_, run, simulated) = kind.run(Mode::COUNTS);
    let (_, plain) = kind.run_plain();
    assert_alike(kind, &simulated, &plain);
    let instructions = run.counts.warp_instructions as f64;
    let counts = median(|| kind.run(Mode::COUNTS).0);
    let plain = median(|| kind.run_plain().0);
    print!(
        "{:30} {:9.0} {:9.2} {:8.1}{} {:7.1}x",
        kind.name,
        instructions,
        counts * 1e3,
        counts * 1e9 / instructions,
        if counts * 1e9 / instructions > TARGET_NS {
            '!'
        } else {
            ' '
        },
        counts / plain,
    );
    for &mode in modes {
        print!(" {:9.2}x", median(|| kind.run(mode).0) / counts);
    }
    println!();
}

/// The median of some times, in seconds.
fn median(mut measure: impl FnMut() -> Duration) -> f64 {
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < 3 || (times.len() < 15 && begin.elapsed() < BUDGET) {
        times.push(measure().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Both sides must have computed the same, give or take what an order of additions changes.
fn assert_alike(kind: &Kind, simulated: &[BufferValues], plain: &[Values]) {
    for (at, (simulated, plain)) in simulated.iter().zip(plain).enumerate() {
        let (simulated, plain) = (simulated.floats(), plain.to_buffer().floats());
        let far = simulated
            .iter()
            .zip(&plain)
            .filter(|(a, b)| (*a - *b).abs() > 0.01 * b.abs().max(1.0));
        assert!(
            far.count() * 1000 <= plain.len(),
            "{}: buffer {at} differs",
            kind.name
        );
    }
}
