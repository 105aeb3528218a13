//! Whole programs, through `tutor run program`: what they print and their exit codes are what `nvcc` and an H200 gave.

use serde_json::Value;

use crate::files::{fixture_path, kernels_in};
use crate::program::{Run, tutor};

/// Programs whose exit code is not 0.
const EXIT_CODES: [(&str, i32); 1] = [("illegal_address", 1)];

/// Runs the program `name` with options.
fn program(name: &str, line: &str) -> Run {
    let path = fixture_path(&format!("programs/{name}.cu"));
    let mut arguments = vec!["run", "program", &path];
    arguments.extend(line.split_whitespace());
    tutor(&arguments)
}

fn said(run: &Run, part: &str) {
    assert!(
        run.stderr.contains(part),
        "{part:?} is missing in\n{}",
        run.stderr
    );
}

#[test]
fn programs_print_what_they_print_on_an_h200() {
    let mut different = Vec::new();
    for path in kernels_in("programs") {
        let name = path
            .file_stem()
            .expect("has a name")
            .to_string_lossy()
            .into_owned();
        let expected = std::fs::read_to_string(path.with_extension("out")).expect("an H200 ran it");
        let run = program(&name, "--quiet");
        let code = EXIT_CODES
            .iter()
            .find(|entry| entry.0 == name)
            .map_or(0, |entry| entry.1);
        if (run.code, &run.stdout) != (code, &expected) {
            different.push(format!(
                "{name}: {}\n{}\n{}",
                run.code, run.stdout, run.stderr
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}

#[test]
fn a_program_that_is_correct_is_correct_in_every_order() {
    for seed in 1..4 {
        for name in [
            "streams",
            "graphs",
            "managed",
            "callbacks",
            "symbols",
            "shuffle_scan",
            "events",
        ] {
            let run = program(name, &format!("--quiet --schedule {seed}"));
            let expected = fixture_path(&format!("programs/{name}.out"));
            let expected = std::fs::read_to_string(expected).expect("an H200 ran it");
            assert_eq!(run.stdout, expected, "{name} in the order of seed {seed}");
        }
    }
}

#[test]
fn a_program_may_stand_in_several_files() {
    let paths = ["main.cu", "scale.cu", "host.cpp"]
        .map(|name| fixture_path(&format!("several_files/{name}")));
    let [main, kernels, host] = &paths;
    let run = tutor(&["run", "program", main, kernels, host]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "6.5 9950.0 64\n"));
    said(&run, "launch 1: scale, 4 × 32 threads: 8 requests");
    // What is defined in a file that is not named is told by its name; so is a file that is not there.
    let alone = tutor(&["run", "program", main]);
    said(&alone, "the kernel `scale` is declared but defined nowhere");
    let missing = tutor(&["run", "program", main, "none.cu"]);
    assert_eq!(missing.code, 2);
    said(&missing, "none.cu: ");
}

#[test]
fn what_a_file_declares_for_itself_alone_stays_in_it() {
    let [main, second] =
        ["main.cu", "second.cu"].map(|name| fixture_path(&format!("own_names/{name}")));
    let run = tutor(&["run", "program", &main, &second, "--quiet"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "10 30 5 100, 2\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn each_launch_is_a_line_on_standard_error_and_arguments_reach_main() {
    let run = program("vector_add", "-- 5000");
    assert_eq!(
        run.stdout.lines().next(),
        Some("n = 5000, c[1] = 3.0, c[4999] = 14997.0, wrong: 0")
    );
    said(
        &run,
        "launch 1: add, 20 × 256 threads: 471 requests, efficiency 100 %\n",
    );
    let modelled = program("vector_add", "--caches -- 5000");
    said(
        &modelled,
        "launch 1: add, 20 × 256 threads: 471 requests, efficiency 100 %, DRAM ",
    );
    assert_eq!(modelled.stdout, run.stdout);
    let quiet = program("vector_add", "--quiet -- 5000");
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (run.stdout, ""));
}

#[test]
fn what_nobody_checked_is_told_at_the_end_and_with_check_what_was_not_given_back() {
    let run = program("unchecked", "--quiet");
    assert_eq!(run.code, 0);
    said(
        &run,
        "`fill<<<…>>>` gives cudaErrorInvalidValue (1): invalid argument, and the program never looks at it",
    );
    said(&run, "unchecked.cu:10:5");
    said(&run, "the block is 2048 in x: it may be 1 to 1024");
    said(&run, "the source has 16 bytes from there on, of 32");
    let checked = program("unchecked", "--quiet --check");
    said(
        &checked,
        "16 bytes of memory of the GPU are never given back",
    );
    let seen = program("wrong_copies", "--quiet --check");
    said(
        &seen,
        "the source of this copy is memory of the GPU, but its direction says the host's",
    );
}

#[test]
fn a_fault_is_told_where_it_happens() {
    let run = program("illegal_address", "");
    said(&run, "error: store at an address that belongs to no buffer");
    said(&run, "illegal_address.cu:5:33");
    said(&run, "launch 2: write, 1 × 32 threads: 0 requests");
}

#[test]
fn the_json_form_has_the_output_and_every_launch_as_run_kernel_gives_it() {
    let run = program("symbols", "--json");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let shown: Value = serde_json::from_str(&run.stdout).expect("is JSON");
    assert_eq!(shown["exit"], 0);
    let expected = std::fs::read_to_string(fixture_path("programs/symbols.out")).expect("is there");
    assert_eq!(shown["stdout"], expected);
    let launches = shown["launches"].as_array().expect("a list");
    assert_eq!(launches.len(), 3);
    assert_eq!(
        (&launches[0]["kernel"], &launches[2]["kernel"]),
        (&"weigh".into(), &"through".into())
    );
    assert_eq!(launches[0]["block"], serde_json::json!([8, 1, 1]));
    assert_eq!(launches[0]["counts"]["global_store"]["elements"], 9);
    assert_eq!(launches[0]["launched_at"], 20);
}

#[test]
fn what_does_not_check_runs_nothing() {
    let file = std::env::temp_dir().join(format!("tutor-no-main-{}.cu", std::process::id()));
    std::fs::write(&file, "__global__ void f(int* x) { x[0] = 1; }\n").expect("can be written");
    let path = file.display().to_string();
    let run = tutor(&["run", "program", &path]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    said(&run, "`main`");
    std::fs::write(&file, "int main() { return missing(3); }\n").expect("can be written");
    let run = tutor(&["run", "program", &path]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    said(&run, "missing");
    std::fs::remove_file(&file).expect("is there");
}

#[test]
fn what_blocks_that_wait_for_each_other_do_to_caches_is_not_made_up() {
    let run = program("cooperative_grid", "--caches");
    said(
        &run,
        "launch 1: total, 16 × 128 threads: 360 requests, efficiency 97 %\n",
    );
    said(
        &run,
        "not modelled from here on: its blocks wait for each other",
    );
    let run = program("child_grids", "");
    said(&run, "launch 4: total, 1 × 32 threads: 9 requests");
}
