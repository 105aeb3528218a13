//! Instrumented texts run on the simulated GPU: they compute what the originals do, count what the
//! simulated GPU counts of the program as it is written, and keep what its own traces have.
//!
//! `cargo test --release --test instrument` runs them: without optimisation they take minutes.

#[path = "../simulation/case.rs"]
#[expect(dead_code, reason = "only the plans of the fixtures are run here")]
mod case;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tutor::compile::Fidelity;
use tutor::cuda::parse;
use tutor::device::gpu_or_usual;
use tutor::engine::{Control, Options, run};
use tutor::gpu::{
    Counted, CountedSource, InstrumentError, TracedSource, instrument_accesses, instrument_values,
};
use tutor::launch::{
    AccessCounts, BufferFootprint, Captured, Counts, Ending, Evidence, KernelSource, LaunchOutcome,
    LineCounts, Outcome, Plan, ROUNDING_ULPS, SharedCounts, Trace, Watch, compare,
};
use tutor::lesson::{Size, Sizes, lesson_ids, load};
use tutor::source::{Diagnostic, is_python};

use case::read;

/// Every execution fixture, and of every lesson's cells the first that launches some kernels, at small sizes.
fn cases() -> Vec<(String, Plan)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tutor/fixtures");
    let mut cases = Vec::new();
    for folder in ["execution", "instrument"] {
        let folder = std::fs::read_dir(fixtures.join(folder)).expect("is a folder");
        for entry in folder {
            let path = entry.expect("is readable").path();
            if path.extension().is_some_and(|extension| extension == "cu") {
                let name = path.file_name().expect("has a name").to_string_lossy();
                cases.push((name.into_owned(), read(&path).plan));
            }
        }
    }
    let mut launched = BTreeSet::new();
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let mut sizes = Sizes::new();
        for size in &lesson.sizes {
            size.set(&mut sizes, small(size));
        }
        // What is put into a text is C++: of Triton kernels the simulated GPU alone tells what happens inside.
        let cells = lesson.run_cells();
        let cells = cells.filter(|cell| !is_python(cell.source.name()));
        // Nor can it tell anything of kernels that only a real one runs.
        for cell in cells.filter(|cell| parse(&cell.source, &[]).hardware_only.is_none()) {
            let plan = cell
                .plan(&sizes, gpu_or_usual("h200"))
                .expect("formulas have values");
            let names: Vec<String> = kernels(&plan, 0).into_iter().map(str::to_owned).collect();
            if launched.insert((cell.source.name().to_owned(), names)) {
                cases.push((format!("{id} {}", cell.id), plan));
            }
        }
    }
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(cases.len() > 30, "the fixtures are there");
    cases
}

/// What a size may be that is nearest to this: enough for a part of a warp, and quick.
fn small(size: &Size) -> u64 {
    let near = 5_u64;
    let listed = size.values.iter().copied();
    let nearest = listed.min_by_key(|value| value.abs_diff(near));
    nearest.unwrap_or(near.clamp(size.min, size.max))
}

fn execute(plan: &Plan, options: Options) -> Outcome {
    let control = Control::default();
    let options = Options {
        model_caches: false,
        threads: 1,
        fuel: 10_000_000_000,
        ..options
    };
    run(plan, &options, &control).expect("buffers can be filled")
}

/// The names of the kernels that launches of a source run.
fn kernels(plan: &Plan, source: usize) -> Vec<&str> {
    let launches = plan.launches.iter();
    let mut names: Vec<&str> = launches
        .filter(|launch| launch.source == source)
        .map(|launch| launch.kernel.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Each once, in order.
fn listed(mut all: Vec<String>) -> String {
    all.sort();
    all.dedup();
    all.join("\n")
}

/// What is wrong, all of it, so that one run shows it.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, found: &T, expected: &T) {
        if found != expected {
            self.0
                .push(format!("{what}: found\n{found:?}\nnot\n{expected:?}"));
        }
    }

    /// Whether both ran to their end; then the buffers of the original's plan must hold the same.
    fn buffers(&mut self, name: &str, plan: &Plan, original: &Outcome, changed: &Outcome) -> bool {
        let before = self.0.len();
        let ended = |outcome: &Outcome| match outcome.ending {
            Ending::Finished => String::new(),
            _ => format!("{:?}", outcome.reports),
        };
        self.equal(name, &ended(original), &String::new());
        self.equal(name, &ended(changed), &String::new());
        let buffers = original.buffers.iter().zip(&changed.buffers);
        for (a, b) in buffers.take(plan.buffers.len()) {
            if a.bytes != b.bytes {
                self.0.push(format!("{name}: buffer {} differs", a.name));
            }
        }
        before == self.0.len()
    }

    fn none(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n\n"));
    }
}

/// What can be counted on the device.
fn countable(counts: Counts) -> Counts {
    let requests = |counts: SharedCounts| SharedCounts {
        requests: counts.requests,
        ..SharedCounts::default()
    };
    Counts {
        global_load: counts.global_load,
        global_store: counts.global_store,
        global_atomic: counts.global_atomic,
        shared_load: requests(counts.shared_load),
        shared_store: requests(counts.shared_store),
        shared_atomic: requests(counts.shared_atomic),
        ..Counts::default()
    }
}

fn countable_lines(lines: &[LineCounts]) -> Vec<LineCounts> {
    let countable = lines.iter().map(|line| {
        let mut counts = countable(line.counts);
        counts.global_load.distinct_elements = 0;
        counts.global_store.distinct_elements = 0;
        LineCounts { counts, ..*line }
    });
    let nothing = Counts::default();
    countable.filter(|line| line.counts != nothing).collect()
}

fn countable_accesses(accesses: &[AccessCounts]) -> Vec<AccessCounts> {
    let countable = accesses.iter().map(|access| AccessCounts {
        shared: SharedCounts {
            requests: access.shared.requests,
            ..SharedCounts::default()
        },
        ..*access
    });
    countable.collect()
}

/// The instrumented text of each source of a plan, in which all kernels that are launched are
/// instrumented; what is left alone is listed.
fn instrumented<T>(
    name: &str,
    plan: &Plan,
    instrument: impl Fn(&KernelSource, &[&str]) -> Result<(Vec<Diagnostic>, T), InstrumentError>,
    left: &mut Vec<String>,
) -> Vec<T> {
    let sources = plan.sources.iter().enumerate().map(|(at, source)| {
        let made = instrument(source, &kernels(plan, at));
        let (skipped, made) = made.unwrap_or_else(|error| panic!("{name}: {error}"));
        for skipped in skipped {
            let place = source.file.slice(skipped.span());
            let first = place.lines().next().unwrap_or_default();
            left.push(format!("{name}: {first}: {}", skipped.notes.join(", ")));
        }
        made
    });
    sources.collect()
}

#[test]
fn counts_of_the_device_are_those_of_the_simulated_gpu_as_written() {
    let mut faults = Faults::default();
    let mut uncounted = Vec::new();
    for (name, plan) in cases() {
        let as_written = Options {
            fidelity: Fidelity::AsWritten,
            ..Options::default()
        };
        let original = execute(&plan, as_written);
        let make = |source: &KernelSource, kernels: &[&str]| {
            let counted = instrument_accesses(source, kernels)?;
            Ok((counted.skipped.clone(), counted))
        };
        let sources = instrumented(&name, &plan, make, &mut uncounted);
        // From the last launch on, so that the numbers of those before stay.
        let (mut changed, mut sides) = (plan.clone(), Vec::new());
        for (at, launch) in plan.launches.iter().enumerate().rev() {
            let with = sources[launch.source].plan(&changed, at);
            assert_eq!(with.plan.launches[with.launch].kernel, launch.kernel);
            changed = with.plan;
            sides.push((at, with.side_buffer));
        }
        let outcome = execute(&changed, Options::default());
        if !faults.buffers(&name, &plan, &original, &outcome) {
            continue;
        }
        for (at, side) in sides {
            let source = &sources[plan.launches[at].source];
            let bytes = &outcome.buffers[side].bytes;
            let found = source.decode(bytes, &changed.buffers[..side]);
            let name = format!("{name}, {}", plan.launches[at].kernel);
            let expected = &original.launches[at];
            let expected = without_headers(expected, &plan.sources[plan.launches[at].source]);
            check_counts(&name, &plan, &expected, found, source, &mut faults);
        }
    }
    faults.none();
    insta::assert_snapshot!(listed(uncounted));
}

/// The launch without the accesses that functions of CUDA's headers make where they are called: those of the device's
/// headers are written otherwise, and nothing is put into them.
fn without_headers(launch: &LaunchOutcome, source: &KernelSource) -> LaunchOutcome {
    let mut launch = launch.clone();
    launch.accesses.retain(|access| {
        let text = source.file.slice(access.span);
        !text.contains("cuda::") && !text.contains("cg::")
    });
    launch
}

/// What was counted of a launch, against what the simulated GPU counts of it.
fn check_counts(
    name: &str,
    plan: &Plan,
    expected: &LaunchOutcome,
    found: Counted,
    source: &CountedSource,
    faults: &mut Faults,
) {
    check_accesses(name, expected, &found.accesses, source, faults);
    // Lines and totals have accesses that are not counted on the device.
    if !source.skipped.is_empty() || expected.counts.constant_load.requests > 0 {
        return;
    }
    let by_line = |lines: &[LineCounts]| -> BTreeMap<u32, Counts> {
        lines.iter().map(|line| (line.line, line.counts)).collect()
    };
    let theirs = by_line(&found.lines);
    faults.equal(name, &theirs, &by_line(&countable_lines(&expected.lines)));
    let mut total = countable(expected.counts);
    let in_plan = |f: &&BufferFootprint| f.buffer < plan.buffers.len();
    let footprints: Vec<_> = expected
        .footprints
        .iter()
        .filter(in_plan)
        .copied()
        .collect();
    total.global_load.distinct_elements = footprints.iter().map(|f| f.loaded).sum();
    total.global_store.distinct_elements = footprints.iter().map(|f| f.stored).sum();
    faults.equal(name, &found.footprints, &footprints);
    faults.equal(name, &found.counts, &total);
}

fn check_accesses(
    name: &str,
    expected: &LaunchOutcome,
    found: &[AccessCounts],
    source: &CountedSource,
    faults: &mut Faults,
) {
    let is_counted = |access: &AccessCounts| {
        let mut skipped = source.skipped.iter();
        // Through a pointer, constant memory is not told from global memory.
        let is_constant =
            |line: &LineCounts| line.line == access.line && line.counts.constant_load.requests > 0;
        !skipped.any(|skipped| skipped.span() == access.span)
            && !expected.lines.iter().any(is_constant)
    };
    let by_place = |accesses: &[AccessCounts]| -> BTreeMap<_, _> {
        let place = |access: &AccessCounts| {
            let AccessCounts {
                line, span, kind, ..
            } = *access;
            ((line, span.start, span.end, kind), *access)
        };
        let counted = accesses.iter().filter(|access| is_counted(access));
        counted.map(place).collect()
    };
    let theirs = by_place(found);
    let ours = by_place(&countable_accesses(&expected.accesses));
    let places: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
    for place in places {
        let what = format!("{name}, {place:?}");
        faults.equal(&what, &theirs.get(place), &ours.get(place));
    }
}

#[test]
fn values_of_the_device_are_those_of_the_simulated_gpu() {
    let mut faults = Faults::default();
    let mut left = Vec::new();
    let (first, second) = (([0, 0, 0], 0), ([1, 0, 0], 1));
    for (name, plan) in cases() {
        let make = |source: &KernelSource, kernels: &[&str]| {
            let traced = instrument_values(source, kernels)?;
            Ok((traced.skipped.clone(), traced))
        };
        let sources = instrumented(&name, &plan, make, &mut left);
        let watches = [first, second].map(|(block, warp)| Watch { block, warp });
        let (mut changed, mut sides) = (plan.clone(), Vec::new());
        for (at, launch) in plan.launches.iter().enumerate().rev() {
            let with = sources[launch.source].plan(&changed, at, &watches, 10_000);
            changed = with.plan;
            sides.push((at, with.side_buffer));
        }
        let outcome = execute(&changed, Options::default());
        let fidelities = [Fidelity::AsCompiled, Fidelity::AsWritten];
        for (number, (watch, fidelity)) in watches.into_iter().zip(fidelities).enumerate() {
            let original = execute(
                &plan,
                Options {
                    watch: Some(watch),
                    fidelity,
                    trace_steps: 1_000_000,
                    ..Options::default()
                },
            );
            let name = format!("{name} {fidelity:?}");
            if !faults.buffers(&name, &plan, &original, &outcome) {
                continue;
            }
            for &(at, side) in &sides {
                let source = &sources[plan.launches[at].source];
                let real = source.decode(&outcome.buffers[side].bytes, &[]);
                assert_eq!((real.len(), real[number].watch), (2, watch));
                let name = format!("{name}, {}", plan.launches[at].kernel);
                let simulated = original.launches[at].trace.as_ref();
                check_values(&name, simulated, &real[number], source, &mut faults);
            }
        }
    }
    faults.none();
    insta::assert_snapshot!(listed(left));
}

fn check_values(
    name: &str,
    simulated: Option<&Trace>,
    real: &Trace,
    source: &TracedSource,
    faults: &mut Faults,
) {
    let Some(simulated) = simulated else {
        faults.equal(name, &real.steps, &Vec::new());
        return;
    };
    let captured = Captured {
        trace: real,
        sites: &source.sites(),
        device: "NVIDIA H200",
        evidence: Evidence::Measured,
    };
    let found = compare(simulated, captured, ROUNDING_ULPS);
    for variable in &found.variables {
        let is_clock = name.contains("collectives") && variable.name == "before";
        let same = variable.counts.equal + variable.counts.addresses;
        if !is_clock && (same != variable.counts.compared || variable.counts.one_sided != 0) {
            faults.0.push(format!("{name}: {variable:?}"));
        }
    }
    let visited: u64 = found.variables.iter().map(|v| v.counts.compared).sum();
    let changes = real.steps.iter().any(|step| !step.changes.is_empty());
    faults.equal(name, &(visited > 0), &changes);
}
