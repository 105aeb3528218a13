//! The commands: what they print, what they refuse, and their exit codes.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::files::fixture_path;
use crate::program::tutor;

/// The command line `line`, split at spaces, on the kernel file `name`.
fn kernel(name: &str, line: &str) -> crate::program::Run {
    let path = fixture_path(&format!("kernels/{name}"));
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(line.split_whitespace());
    tutor(&arguments)
}

/// Runs the lesson on softmax with more options.
fn softmax(line: &str) -> crate::program::Run {
    let mut arguments = vec!["run", "lesson", "softmax"];
    arguments.extend(line.split_whitespace());
    tutor(&arguments)
}

#[track_caller]
fn refused(run: &crate::program::Run, code: i32, says: &[&str]) {
    assert_eq!(run.code, code, "{}\n{}", run.stdout, run.stderr);
    assert_eq!(
        run.stdout, "",
        "results go to standard output, messages do not"
    );
    for part in says {
        assert!(
            run.stderr.contains(part),
            "{part:?} is missing in\n{}",
            run.stderr
        );
    }
}

#[test]
fn what_cannot_be_written_is_a_failure_and_a_silent_reader_is_none() {
    let small = ["--engine", "sim", "--size", "M=4", "--size", "N=8"];
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["run", "kernel", "--help"],
        &["help", "keys"],
        &["list", "--json"],
        &["completions", "bash"],
        &["hardware"],
        &["doctor", "--json"],
        &[&["run", "lesson", "softmax", "--plain"][..], &small].concat(),
        &[&["run", "lesson", "softmax", "--json"][..], &small].concat(),
        &["export", "coalescing", "--engine", "sim"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("is a device");
        let run = Command::new(env!("CARGO_BIN_EXE_tutor"))
            .args(arguments)
            .env("CUDA_VISIBLE_DEVICES", "")
            .stdout(full)
            .output()
            .expect("starts");
        assert_eq!(run.status.code(), Some(1), "{arguments:?}");
        let text = String::from_utf8_lossy(&run.stderr);
        assert!(text.contains("standard output: "), "{arguments:?}: {text}");
    }
    for (arguments, code) in [
        (&["--nothing"][..], 2),
        (&["run", "lesson", "nothing"], 2),
        (&["run", "kernel", "nothing.cu"], 2),
        (&["list"], 0),
    ] {
        let (reader, writer) = std::io::pipe().expect("is made");
        drop(reader);
        let full = std::fs::File::create("/dev/full").expect("is a device");
        for stderr in [Stdio::from(writer), Stdio::from(full)] {
            let run = Command::new(env!("CARGO_BIN_EXE_tutor"))
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(stderr)
                .status();
            assert_eq!(run.expect("starts").code(), Some(code), "{arguments:?}");
        }
    }
}

#[test]
fn the_list_names_every_lesson() {
    for arguments in [&["list"][..], &[]] {
        let run = tutor(arguments);
        assert_eq!(run.code, 0);
        let mut lines = run.stdout.lines().map(str::trim_start);
        let line = lines.find(|line| line.starts_with("softmax "));
        assert!(line.is_some_and(|line| line.contains("Softmax: one")));
    }
    let list = tutor(&["list", "--json"]).json();
    let lessons = list["lessons"].as_array().expect("is a list");
    let softmax = lessons.iter().find(|lesson| lesson["id"] == "softmax");
    let softmax = softmax.expect("is listed");
    assert!(softmax["track"].is_string() && softmax["order"].is_u64());
    assert!(softmax["requires"].is_array());
}

#[test]
fn a_link_is_printed_where_it_names_a_cell_and_refused_where_it_names_none() {
    let text = tutor(&[
        "run",
        "lesson",
        "softmax#why-subtract-the-maximum",
        "--plain",
    ]);
    assert_eq!(text.code, 0);
    assert!(text.stdout.contains("nothing overflows"));
    assert!(!text.stdout.contains("Five kernels"), "{}", text.stdout);
    let wrong = tutor(&["run", "lesson", "softmax#fusd"]);
    refused(
        &wrong,
        2,
        &["no cell `fusd`", "perhaps `fused`", " naive\n"],
    );
    let inside = tutor(&["run", "lesson", "softmax#fused@step=3", "--plain"]);
    refused(&inside, 2, &["opens only in the notebook"]);
    let wrong = tutor(&["run", "lesson", "softmax#fused@stp=3"]);
    refused(&wrong, 2, &["`@stp=3` names no position", "@step=41"]);
}

#[test]
fn what_does_not_exist_is_refused_with_what_does() {
    let unknown = tutor(&["run", "lesson", "sofmax"]);
    refused(&unknown, 2, &["no lesson `sofmax`", "perhaps: softmax"]);
    refused(&softmax("--cell fusd"), 2, &["no cell `fusd`", "`fused`"]);
    refused(&softmax("--size K=3"), 2, &["no size `K`", "M (1 to 4096)"]);
    refused(
        &softmax("--size M=0"),
        2,
        &["M = 0 is out of range", "1 to 4096"],
    );
    refused(&softmax("--size M"), 2, &["NAME=VALUE"]);
    refused(&softmax("--gpu h999"), 2, &["h200"]);
    let missing = tutor(&["run", "lesson", "nowhere.md"]);
    refused(&missing, 2, &["nowhere.md"]);
    refused(&tutor(&["lst"]), 2, &["list"]);
}

#[test]
fn a_lesson_that_does_not_read_is_shown_at_its_line() {
    let run = tutor(&[
        "run",
        "lesson",
        &fixture_path("lessons/broken.md"),
        "--plain",
    ]);
    refused(
        &run,
        1,
        &[
            "no kernel file `softmax/fusd.cu`",
            "broken.md:12:10",
            "perhaps `softmax/fused.cu` is meant",
        ],
    );
}

fn cell<'a>(lesson: &'a Value, id: &str) -> &'a Value {
    let cells = lesson["cells"].as_array().expect("is a list");
    let found = cells.iter().find(|cell| cell["id"] == id);
    found.unwrap_or_else(|| panic!("no {id} among {cells:?}"))
}

#[test]
fn the_formulas_of_softmax_hold_at_every_size() {
    for (m, n) in [(1, 1), (3, 5), (7, 256), (2, 1000), (64, 257), (1823, 781)] {
        let naive = (5 * m * n + 2 * m, 3 * m * n + 2 * m);
        for (id, (read, written)) in [("naive", naive), ("fused", (m * n, m * n))] {
            let run = softmax(&format!("--cell {id} --json --size M={m} --size N={n}"));
            assert_eq!(run.code, 0, "{m} × {n}: {}", run.stderr);
            let lesson = run.json();
            assert_eq!(lesson["ok"], true);
            let cell = cell(&lesson, id);
            assert_eq!(cell["sizes"], json!({ "M": m, "N": n }));
            let load = &cell["counts"]["global_load"]["distinct_elements"];
            let store = &cell["counts"]["global_store"]["distinct_elements"];
            assert_eq!((load, store), (&json!(read), &json!(written)), "{m} × {n}");
            assert_eq!(cell["verified"]["ok"], true);
            for formula in cell["formulas"].as_array().expect("is a list") {
                assert_eq!(formula["expected"], formula["counted"]);
            }
        }
    }
}

#[test]
fn cells_that_do_not_run_follow_those_that_do() {
    let lesson = softmax("--json --size M=7 --size N=5").json();
    let cells = lesson["cells"].as_array().expect("is a list");
    let kinds: Vec<&str> = cells
        .iter()
        .filter_map(|cell| cell["kind"].as_str())
        .collect();
    assert_eq!(kinds[..2], ["run", "run"]);
    let of = |kind: &str| {
        let found = cells.iter().find(|cell| cell["kind"] == kind);
        found.unwrap_or_else(|| panic!("no {kind} among {kinds:?}"))
    };
    let asked = cell(&lesson, "crossings");
    assert_eq!(asked["answer"]["value"], 8 * 35 + 4 * 7);
    assert_eq!(asked["answer"]["evidence"], "counted");
    let choices = asked["choices"].as_array().expect("is a list");
    let right = choices.iter().filter(|choice| choice["right"] == true);
    assert_eq!(right.count(), 1, "{choices:?}");
    let table = cell(&lesson, "naive-and-fused");
    assert_eq!(table["rows"][0]["fields"][0]["value"], 5 * 35 + 2 * 7);
    assert_eq!(table["rows"][1]["fields"][0]["value"], 35);
    assert_eq!(of("calculator")["occupancy"]["cc"], "9.0");
    assert_eq!(of("kernel")["parameters"][0]["name"], "x");
}

#[test]
fn the_gpu_table_gives_every_figure_with_its_source() {
    let run = tutor(&["hardware", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = run.json();
    assert_eq!(table["simulated"], "h200-sxm");
    for gpu in table["gpus"].as_array().expect("is a list") {
        for (name, figure) in gpu["figures"].as_object().expect("is a table") {
            let source = figure["source"].as_str().unwrap_or("");
            assert!(!source.is_empty(), "{} {name}", gpu["id"]);
        }
    }
    let one = tutor(&["hardware", "h200"]);
    assert!(one.stdout.contains("4,800 GB/s"), "{}", one.stdout);
    refused(&tutor(&["hardware", "h999"]), 2, &["h999", "h200"]);
}

#[test]
fn occupancy_is_what_nvidias_calculator_says() {
    let line = "occupancy --cc 9.0 --threads 128 --registers 160 --shared 0 --json";
    let arguments: Vec<&str> = line.split(' ').collect();
    let found = tutor(&arguments).json();
    assert_eq!(
        (&found["active_blocks"], &found["active_warps"]),
        (&json!(3), &json!(12))
    );
    assert_eq!(found["limiting_factors"], json!(["registers"]));
    let plain = tutor(&arguments[..arguments.len() - 1]);
    assert!(
        plain.stdout.contains("12 of 64 warps: 18.75 % occupancy"),
        "{}",
        plain.stdout
    );
    let unknown = tutor(&[
        "occupancy",
        "--cc",
        "9.9",
        "--threads",
        "1",
        "--registers",
        "1",
    ]);
    refused(&unknown, 2, &["9.9", "9.0"]);
    refused(&tutor(&["occupancy", "--cc", "9.0"]), 2, &["--threads"]);
}

#[test]
fn one_cell_can_run_alone() {
    let lesson = softmax("--cell fused --json --size M=2 --size N=3").json();
    let cells = lesson["cells"].as_array().expect("is a list");
    assert_eq!(cells.len(), 1);
    assert_eq!(cells[0]["id"], "fused");
    assert_eq!(cells[0]["launches"][0]["kernel"], "softmax_fused");
    assert_eq!(cells[0]["launches"][0]["grid"], json!([2, 1, 1]));
}

#[test]
fn the_plain_lesson_shows_all_that_the_notebook_shows() {
    let run = softmax("--size M=3 --size N=5");
    assert_eq!(run.code, 0, "{}", run.stderr);
    // Recorded times change with each recording, and have tests of their own.
    let parts = run.stdout.split("\n\n");
    let parts = parts.filter(|part| {
        !part.starts_with("Times at other sizes (recorded") && !part.contains(" recorded\n")
    });
    let text = parts.collect::<Vec<_>>().join("\n\n");
    // The last digits of an error are the host's mathematical library's.
    let lines = text.lines().map(|line| match line.trim_start() {
        error if error.starts_with("largest error ") => "    largest error …",
        _ => line,
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_kernel_runs_over_the_buffers_asked_for() {
    let line = "--kernel twice --grid 4 --block 256 -D FACTOR=3 \
                --arg f32[1000]:arange --arg f32[1000]:zero --arg 1000";
    let run = kernel("twice.cu", &format!("{line} --json"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let result = run.json();
    assert_eq!(result["kernel"], "twice");
    assert_eq!(result["engine"], "sim");
    assert_eq!(result["gpu"], "h200");
    assert_eq!(result["timing"], Value::Null);
    assert_eq!(result["diagnostics"], json!([]));
    let y = &result["buffers"][1];
    assert_eq!(y["name"], "y");
    assert_eq!(y["type"], "f32");
    assert_eq!(y["length"], 1000);
    assert_eq!(y["sum"], 3.0 * 999.0 * 1000.0 / 2.0);
    assert_eq!(y["head"][7], 21.0);
    assert_eq!(y["sha256"].as_str().map(str::len), Some(64));
    let load = &result["counts"]["global_load"];
    assert_eq!(load["elements"], 1000);
    assert_eq!(load["requests"], 32);
    assert_eq!(load["sectors"], 125);
    let lines = result["lines"].as_array().expect("is a list");
    let access = lines.iter().find(|line| line["line"] == 5);
    assert_eq!(
        access.expect("is counted")["counts"]["global_store"]["elements"],
        1000
    );

    let plain = kernel("twice.cu", line);
    assert_eq!(plain.code, 0);
    for part in [
        "y[i] = FACTOR * x[i];",
        "1,000",
        "100 %",
        "Buffers after the run",
    ] {
        let shown = &plain.stdout;
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }
}

#[test]
fn a_bad_command_line_for_a_kernel_says_what_is_expected() {
    let run = |line: &str| {
        kernel(
            "twice.cu",
            &format!("--grid 1 --block 32 -D FACTOR=2 {line}"),
        )
    };
    let bad = run("--kernel twice --arg f32[8]:ones");
    refused(&bad, 2, &["`ones`", "one of zero, one"]);
    let bad = run("--kernel twice --arg floats");
    refused(&bad, 2, &["TYPE[LENGTH]:INIT"]);
    let bad = run("--kernel twise --arg 1");
    refused(&bad, 2, &["no kernel is called `twise`", "`twice`"]);
    let bad = run("--kernel twice --arg f32[8]:zero");
    refused(&bad, 2, &["const float* x", "float* y", "int n"]);
    let bad = run("--kernel twice --arg f32[99999999999999]:zero");
    refused(&bad, 2, &["GiB"]);
    let missing = tutor(
        &"run kernel no.cu --kernel f --grid 1 --block 1"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    refused(&missing, 2, &["no.cu"]);
}

#[test]
fn a_kernel_that_does_not_compile_is_shown_at_the_place() {
    let line = "--kernel twice --grid 1 --block 32 --arg f32[8]:zero --arg f32[8]:zero --arg 8";
    let run = kernel("syntax_error.cu", line);
    refused(&run, 1, &["error: ", "syntax_error.cu:2:", "expected `;`"]);
    let run = kernel(
        "unsupported.cu",
        "--kernel guarded --grid 1 --block 32 --arg f32[32]:zero",
    );
    refused(
        &run,
        1,
        &[
            "error: ",
            "unsupported.cu:2:5",
            "exceptions are not supported",
        ],
    );
}

#[test]
fn a_kernel_that_does_not_compile_is_data_with_json() {
    let line = "--kernel guarded --grid 1 --block 32 --arg f32[32]:zero --json";
    let run = kernel("unsupported.cu", line);
    assert_eq!(run.code, 1);
    let diagnostic = &run.json()["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "error");
    assert_eq!(diagnostic["line"], 2);
}

#[test]
fn the_example_of_the_help_works_when_pasted() {
    let help = tutor(&["run", "kernel", "--help"]).stdout;
    let start = help.find("  echo '").expect("has an example");
    let script = &help[start..];
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tutor"));
    let search = program
        .parent()
        .expect("is in a folder")
        .display()
        .to_string();
    let path = format!("{search}:{}", std::env::var("PATH").unwrap_or_default());
    let output = std::process::Command::new("sh")
        .args(["-ec", script])
        .current_dir(folder.path())
        .env("PATH", path)
        .output()
        .expect("the shell starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("1,000"), "{text}");
}

#[test]
fn any_gpu_of_the_table_can_be_simulated_and_its_limits_and_caches_hold() {
    let line = "--kernel twice --grid 4 --block 256 -D FACTOR=3 \
                --arg f32[1000]:arange --arg f32[1000]:zero --arg 1000 --json --gpu";
    let on = |gpu: &str| kernel("twice.cu", &format!("{line} {gpu}"));
    let t4 = on("t4").json();
    assert_eq!((&t4["gpu"], &t4["ok"]), (&json!("t4"), &json!(true)));
    assert_eq!(t4["counts"]["l2"]["read_sectors"], 125);
    assert_eq!(t4["counts"]["dram"]["read_bytes"], 4032);
    assert_eq!(t4["evidence"]["dram"], "modelled");
    // Nobody has published its SMs and L2.
    let b100 = on("b100").json();
    assert_eq!(
        (&b100["counts"]["l2"], &b100["ok"]),
        (&json!(null), &json!(true))
    );
    let h100 = on("h100");
    assert_eq!(h100.code, 2);
    assert!(
        h100.stderr.contains("h100-sxm5-80gb, h100-pcie-80gb"),
        "{}",
        h100.stderr
    );
}

#[test]
fn without_the_caches_model_their_counts_are_null_and_all_others_stay() {
    let line = "--kernel twice --grid 4 --block 256 --arg f32[1000]:arange --arg f32[1000]:zero --arg 1000 \
                -DFACTOR=2.0f --engine sim --json";
    let whole = kernel("twice.cu", line).json()["counts"].clone();
    let mut without = kernel("twice.cu", &format!("{line} --no-caches")).json()["counts"].clone();
    for level in ["l1", "l2", "dram"] {
        assert!(whole[level].is_object());
        assert_eq!(without[level], Value::Null, "{level}");
        without[level] = whole[level].clone();
    }
    assert_eq!(without, whole);
}
