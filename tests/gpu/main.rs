//! What only a real GPU can show: that kernels leave there what the simulated GPU leaves, count there
//! what it counts, and that what goes wrong there costs one run.
//!
//! `cargo test --test gpu` runs them. Where no GPU can be used they fail, and say
//! that they did not run. `TUTOR_TEST_PROGRAM` names the program, where it is not where it was built.

#[path = "../simulation/case.rs"]
mod case;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tutor::device::gpu_or_usual;
use tutor::engine::{Control, InstrumentedRun, OnGpu, Options, run_on_gpu};
use tutor::gpu::{Gpu, TimingChoice, driver_and_clocks};
use tutor::launch::{
    Baseline, BufferSpec, ElementType, Ending, Init, KernelSource, Launch, Outcome, Plan, Watch,
    ptx_lines,
};
use tutor::lesson::{Sizes, lesson_ids, load};
use tutor::source::SourceFile;

use case::read;

/// Fixtures whose results depend on the order of blocks or threads, which a real GPU chooses, or on the
/// last bit of a function (`powf` gives 23.999998 there); and `many_calls.cu`, of whose calls NVRTC writes so many
/// copies that it takes more than a minute.
const LEFT_OUT: [&str; 4] = ["many_calls.cu", "mathematics.cu", "order.cu", "printing.cu"];

fn gpu() -> Gpu {
    let program = std::env::var_os("TUTOR_TEST_PROGRAM").map(PathBuf::from);
    let mut gpu = Gpu::default();
    gpu.program = Some(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_tutor").into()));
    let facts = gpu.probe(false).and_then(|facts| {
        facts
            .usable()
            .map(|_| ())
            .map_err(Clone::clone)
            .and(facts.nvrtc)
    });
    if let Err(why) = facts {
        panic!("NOT RUN: {}", why);
    }
    gpu
}

fn root() -> PathBuf {
    let here = std::env::var_os("TUTOR_TEST_ROOT").map(PathBuf::from);
    here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into())
}

fn options() -> Options {
    Options {
        model_caches: false,
        fuel: 100_000_000,
        ..Options::default()
    }
}

fn execute(plan: &Plan, timing: Option<TimingChoice>, gpu: &mut Gpu) -> Outcome {
    let control = Control::default();
    let on = OnGpu {
        gpu,
        timing,
        counters: false,
        runs_python: false,
        or_simulate: false,
        is_counted: true,
        stage: &mut |_| {},
    };
    let ran = run_on_gpu(plan, &options(), &control, on).expect("buffers can be filled");
    ran.expect("the GPU is there")
}

fn said(outcome: &Outcome) -> String {
    let reports = outcome.reports.iter().map(|report| &report.diagnostic);
    reports
        .map(|d| format!("{}: {}", d.message, d.notes.join("; ")))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The plan of each cell of each lesson, at its sizes.
fn lessons() -> Vec<(String, Plan)> {
    let mut plans = Vec::new();
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let sizes = lesson
            .sizes
            .iter()
            .map(|size| (size.name.clone(), size.default));
        let sizes: Sizes = sizes.collect();
        for cell in lesson.run_cells() {
            let plan = cell
                .plan(&sizes, gpu_or_usual("h200"))
                .expect("formulas have values");
            plans.push((format!("{id} {}", cell.id), plan));
        }
    }
    plans
}

/// The execution fixtures.
fn fixtures() -> Vec<(String, PathBuf)> {
    let folder = root().join("tests/tutor/fixtures/execution");
    let entries = folder.read_dir().expect("is a folder").flatten();
    let named = entries.map(|entry| {
        (
            entry.file_name().to_string_lossy().into_owned(),
            entry.path(),
        )
    });
    let mut all: Vec<_> = named.collect();
    all.sort();
    assert!(all.len() > 30, "the fixtures are there");
    all
}

#[test]
fn fixtures_hold_on_the_gpu_what_is_written_beside_them() {
    let mut gpu = gpu();
    let mut wrong = Vec::new();
    for (name, path) in fixtures() {
        let case = read(&path);
        if LEFT_OUT.contains(&name.as_str()) || !case.faults.is_empty() {
            continue;
        }
        let outcome = execute(&case.plan, None, &mut gpu);
        if outcome.ending != Ending::Finished {
            wrong.push(format!("{name}: {}", said(&outcome)));
            continue;
        }
        let check = AssertUnwindSafe(|| case.check_values(&outcome, &name));
        if catch_unwind(check).is_err() {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn accesses_counted_on_the_device_are_those_of_the_simulated_gpu() {
    let mut gpu = gpu();
    let control = Control::default();
    let mut wrong = Vec::new();
    let mut check = |name: &str, plan: &Plan, is_equal: &dyn Fn(&str, u64, u64) -> bool| {
        let counted = InstrumentedRun {
            plan,
            options: &options(),
            control: &control,
            gpu: &mut gpu,
        }
        .count_accesses();
        let counted = match counted.map_err(|error| error.to_string()) {
            Ok(counted) => counted,
            // What counts needs registers, too: a block of 1,024 threads may have none left for it.
            Err(error) if error.contains("needs more registers") => return,
            Err(error) => panic!("{name}: {error}"),
        };
        assert_eq!(counted.len(), plan.launches.len());
        for (launch, both) in plan.launches.iter().zip(counted) {
            for (what, device, simulated) in both.pairs() {
                if !is_equal(what, device, simulated) {
                    let kernel = &launch.kernel;
                    wrong.push(format!(
                        "{name}, {kernel}, {what}: {device}, not {simulated}"
                    ));
                }
            }
        }
    };
    for (name, plan) in lessons() {
        check(&name, &plan, &|_, device, simulated| device == simulated);
    }
    for name in [
        "transposes.cu",
        "reductions.cu",
        "matrices.cu",
        "histograms.cu",
        "scans.cu",
    ] {
        let path = root().join("tests/tutor/fixtures/execution").join(name);
        // Lanes that part at a condition within an expression may stay apart to the end of the
        // statement, and then make more requests than one; what they move is the same.
        check(name, &read(&path).plan, &|what, device, simulated| {
            let words = ["elements", "bytes"];
            let is_moved = words.iter().any(|word| what.ends_with(word));
            device == simulated || !is_moved && device > simulated
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_of_a_warp_are_those_of_the_simulated_gpu_but_for_rounding() {
    let mut gpu = gpu();
    let control = Control::default();
    let mut wrong = Vec::new();
    for (name, plan) in lessons() {
        let watch = second(&plan);
        let watched = Options {
            watch: Some(watch),
            ..options()
        };
        let outcome = tutor::engine::run(&plan, &watched, &control).expect("runs");
        let compared = InstrumentedRun {
            plan: &plan,
            options: &watched,
            control: &control,
            gpu: &mut gpu,
        }
        .compare_values(watch, &outcome);
        let compared = compared.unwrap_or_else(|error| panic!("{name}: {error}"));
        for (launch, compared) in plan.launches.iter().zip(compared) {
            let compared = compared.expect("the warp is there");
            let next = compared.next_difference(0);
            let differs = next.is_some_and(|next| next.class.differs());
            let variables = &compared.variables;
            let is_missing = compared.visits.is_empty() && !variables.is_empty();
            if !compared.agrees() || is_missing || differs {
                wrong.push(format!("{name}, {}: {next:?} {variables:?}", launch.kernel));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The second warp of the second block, as far as every launch has them.
fn second(plan: &Plan) -> Watch {
    let has_blocks = plan.launches.iter().all(|launch| launch.grid[0] > 1);
    let has_warps = |launch: &Launch| launch.block.iter().product::<u32>() > 32;
    Watch {
        block: [u32::from(has_blocks), 0, 0],
        warp: u32::from(plan.launches.iter().all(has_warps)),
    }
}

#[test]
fn ptx_stands_beside_lines_that_load() {
    let mut gpu = gpu();
    let mut wrong = Vec::new();
    for (name, plan) in lessons() {
        let outcome = execute(&plan, None, &mut gpu);
        for launch in &outcome.launches {
            let report = launch.real.compiled.as_ref().expect("was compiled");
            let lines = ptx_lines(&report.ptx);
            let loads = lines.iter().filter(|line| line.text.contains("ld.global"));
            let loads: Vec<Option<u32>> = loads.map(|line| line.line).collect();
            let counted = launch.lines.iter();
            let counted = counted.filter(|line| line.counts.global_load.requests > 0);
            let counted: Vec<Option<u32>> = counted.map(|line| Some(line.line)).collect();
            // The compiler gives a load that it moves, or makes of several, the line of another.
            let found = counted.iter().any(|line| loads.contains(line));
            if !found && !counted.is_empty() {
                wrong.push(format!("{name}, {}: {loads:?}", launch.kernel));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lessons_are_timed_and_leave_the_same() {
    let mut gpu = gpu();
    let mut wrong = Vec::new();
    for (name, plan) in lessons() {
        let outcome = execute(&plan, Some(TimingChoice::Flushed), &mut gpu);
        assert_eq!(outcome.ending, Ending::Finished, "{}", said(&outcome));
        for launch in &outcome.launches {
            let timing = launch.real.timing.as_ref().expect("is timed");
            assert!(timing.runs >= 20, "{name}");
            assert!(
                0.0 < timing.p20_ms && timing.p20_ms <= timing.median_ms,
                "{name}"
            );
            assert!(timing.median_ms <= timing.p80_ms, "{name}");
            // No memory gives more than its specification says.
            let share = timing.share_of_copy_bandwidth.expect("a copy was timed");
            assert!((0.0..=1.2).contains(&share), "{name}: {share}");
            let compiled = launch.real.compiled.as_ref().expect("is compiled");
            assert!(
                compiled.registers > 0 && compiled.ptx.contains(".entry"),
                "{name}"
            );
        }
        for buffer in &outcome.agreement {
            // Sums are made in the same order; single operations may be rounded differently, which is
            // many units in the last place of what is nearly zero.
            let is_near = buffer.max_abs_difference <= 1e-6;
            if !is_near && buffer.most_ulp.is_some_and(|ulp| ulp > 64) {
                wrong.push(format!("{name}: {buffer:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nvidias_libraries_are_right_and_timed_or_say_why_not() {
    let mut gpu = gpu();
    let mut plan = alone("");
    // A size that fills the GPU and one that fits nothing, of each; a call that mixes up rows and
    // columns gives wrong values at unequal sizes.
    let written = [
        "softmax:4096x1024",
        "softmax:1823x781",
        "sgemm:2048x1024x512",
        "sgemm:33x1000x77",
        "bf16:2048x1024x512",
        "bf16:40x1000x72",
    ];
    let parsed = written.map(|text| Baseline::parse(text).expect("is a baseline"));
    plan.baselines.extend(parsed);
    let facts = gpu.probe(true).expect("the GPU is there");
    for timing in [TimingChoice::Flushed, TimingChoice::Warm] {
        let outcome = execute(&plan, Some(timing), &mut gpu);
        assert_eq!(outcome.ending, Ending::Finished, "{}", said(&outcome));
        assert_eq!(outcome.baselines.len(), written.len());
        for (text, baseline) in written.iter().zip(&outcome.baselines) {
            let library = match baseline.name.starts_with("cuDNN") {
                true => "cudnn",
                false => "cublas",
            };
            let is_found = facts.baselines.iter().any(|found| found.name == library);
            let reason = baseline.reason.as_deref().unwrap_or_default();
            assert_eq!(baseline.timing.is_some(), is_found, "{text}: {reason}");
            let Some(timing) = &baseline.timing else {
                assert!(reason.contains("not found") || reason.contains("not a usable"));
                continue;
            };
            assert!(timing.runs >= 20 && timing.median_ms > 0.0, "{text}");
            let share = timing.share_of_copy_bandwidth.expect("a copy was timed");
            assert!(timing.l2 == "warm" || share < 1.2, "{text}: {share}");
            // bf16 has eight bits; sums of 512 products of normal values reach about 100.
            let most = match text.split(':').next() {
                Some("softmax") => 1e-6,
                Some("sgemm") => 1e-3,
                _ => 0.5,
            };
            let error = baseline.max_abs_error.expect("was checked");
            assert!(error < most, "{text}: {error:e}");
        }
    }
}

/// One launch of a kernel without arguments.
#[test]
fn the_driver_tells_its_version_and_the_clocks() {
    let facts = gpu().probe(false).expect("there is a GPU");
    let (driver, clocks) = driver_and_clocks(facts.usable().expect("it can be used"));
    assert!(driver.is_some_and(|driver| driver.starts_with(|c: char| c.is_ascii_digit())));
    let (most, now) = clocks.sm_max.zip(clocks.sm).expect("are told");
    assert!((1..=most).contains(&now), "{clocks:?}");
    assert!(clocks.memory.is_some() && clocks.memory_max.is_some());
}

fn alone(body: &str) -> Plan {
    let text = format!("__global__ void alone() {{ {body} }}\n");
    Plan {
        sources: vec![KernelSource::new(
            SourceFile::new("alone.cu", &text),
            Vec::new(),
        )],
        buffers: Vec::new(),
        launches: vec![Launch {
            kernel: "alone".to_owned(),
            source: 0,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: Vec::new(),
        }],
        symbols: Vec::new(),
        baselines: Vec::new(),
    }
}

#[test]
fn variables_of_a_file_are_set_and_read_back_by_their_names() {
    let text = "namespace ns { __constant__ float scale[2]; __device__ int calls; }\n\
                namespace { __device__ float kept[2]; }\nstatic __constant__ int shift;\n\
                __global__ void alone() {\n    int i = threadIdx.x;\n    \
                if (i < 2) kept[i] = ns::scale[i] + shift;\n    if (i == 0) ns::calls += 1;\n}\n";
    let variable = |name: &str, element, values: &[f64]| BufferSpec {
        name: name.to_owned(),
        element,
        length: values.len(),
        init: Init::Listed(
            values
                .iter()
                .flat_map(|value| match element {
                    ElementType::F32 => (*value as f32).to_le_bytes(),
                    _ => (*value as i32).to_le_bytes(),
                })
                .collect(),
        ),
    };
    let plan = Plan {
        sources: vec![KernelSource::new(
            SourceFile::new("alone.cu", text),
            Vec::new(),
        )],
        symbols: vec![
            variable("ns::scale", ElementType::F32, &[2.0, 3.0]),
            variable("ns::calls", ElementType::I32, &[7.0]),
            variable("shift", ElementType::I32, &[10.0]),
        ],
        ..alone("")
    };
    let outcome = execute(&plan, None, &mut gpu());
    assert_eq!(outcome.ending, Ending::Finished, "{}", said(&outcome));
    let values = |name: &str| {
        let found = outcome.buffers.iter().find(|b| b.name.ends_with(name));
        found.expect("is there").floats()
    };
    assert_eq!(values("kept"), [12.0, 13.0]);
    assert_eq!(values("calls"), [8.0]);
    assert!(outcome.agreement.iter().all(|a| a.equal == a.elements));
}

#[test]
fn what_goes_wrong_costs_one_run() {
    let mut gpu = gpu();
    gpu.time_limit = Duration::from_secs(2);
    for (body, says) in [
        ("*(volatile int*)16 = 1;", "memory that is no buffer's"),
        (
            "__shared__ double s[4]; *(volatile double*)((char*)s + 4) = 1;",
            "multiple of the access's size",
        ),
        ("assert(threadIdx.x < 3);", "failed an assertion"),
        ("if (threadIdx.x == 3) __trap();", "`__trap`"),
        (
            "__shared__ volatile int flag; flag = 0; while (flag == 0) { }",
            "took longer than 2s",
        ),
    ] {
        let outcome = execute(&alone(body), None, &mut gpu);
        assert_eq!(outcome.ending, Ending::Failed, "{body}");
        assert!(said(&outcome).contains(says), "{body}: {}", said(&outcome));
        let next = execute(
            &alone("printf(\"%d\\n\", threadIdx.x / 32);"),
            None,
            &mut gpu,
        );
        assert_eq!(next.ending, Ending::Finished, "{}", said(&next));
        assert_eq!(next.printed().collect::<Vec<_>>(), ["0"; 32]);
    }
}

#[test]
fn the_fixtures_left_out_are_there() {
    for name in LEFT_OUT {
        let path: &Path = &root().join("tests/tutor/fixtures/execution").join(name);
        assert!(path.is_file(), "{name}");
    }
}
