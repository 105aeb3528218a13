//! Kernels in Triton count what Triton's own code counted on a GPU, under Nsight Compute; where they do not, the fixture
//! says what differs, and why. `variants.json` was recorded on an H100, which has the same SM, the others on an H200.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde_json::Value;

use crate::files::{fixture, fixture_path};
use crate::program::tutor;

/// A hardware counter and the place of its twin in our counts.
const EQUAL: [(&str, &str); 11] = [
    ("global_load_requests", "/global_load/requests"),
    ("global_load_sectors", "/global_load/sectors"),
    ("global_store_requests", "/global_store/requests"),
    ("global_store_sectors", "/global_store/sectors"),
    ("shared_load_wavefronts", "/shared_load/wavefronts"),
    ("shared_store_wavefronts", "/shared_store/wavefronts"),
    ("fp32_add", "/fp32/add"),
    ("fp32_mul", "/fp32/mul"),
    ("fp32_fma", "/fp32/fma"),
    ("atomic_requests", "/global_atomic/requests"),
    ("atomic_sectors", "/global_atomic/sectors"),
];

/// Files of kernels, each with its launches.
const RECORDED: [(&str, &str); 8] = [
    ("triton/kernels.py", "triton/launches.json"),
    ("triton/variants.py", "triton/variants.json"),
    ("triton/practice.py", "triton/practice.json"),
    ("triton/libraries.py", "triton/libraries.json"),
    ("triton/composed.py", "triton/composed.json"),
    ("triton/models.py", "triton/models.json"),
    ("triton/everyday.py", "triton/everyday.json"),
    (
        "triton/language_models/kernels.py",
        "triton/language_models/launches.json",
    ),
];

/// A launch, and the file of its kernel.
struct Launch {
    file: &'static str,
    recorded: Value,
}

fn launches() -> Vec<Launch> {
    let of = |(file, launches): (&'static str, &str)| {
        let text = std::fs::read_to_string(fixture(launches)).expect("is a fixture");
        let all: Vec<Value> = serde_json::from_str(&text).expect("is a list");
        all.into_iter()
            .map(move |recorded| Launch { file, recorded })
    };
    RECORDED.into_iter().flat_map(of).collect()
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The value of an argument; a .npy file lies beside the kernels.
fn argument(launch: &Launch, value: &Value) -> String {
    let told = text(value);
    let beside = std::path::Path::new(launch.file).parent();
    match (told.split_once(':'), beside) {
        (Some((buffer, file)), Some(folder)) if file.ends_with(".npy") => {
            let path = folder.join(file).display().to_string();
            format!("{buffer}:{}", fixture_path(&path))
        }
        _ => told,
    }
}

/// The options that run a launch of the fixture.
fn arguments(launch: &Launch) -> Vec<String> {
    let mut arguments: Vec<String> = vec!["run".into(), "kernel".into(), fixture_path(launch.file)];
    let values = launch.recorded["args"].as_array().expect("is a list");
    let values = values.iter().map(|value| argument(launch, value));
    let launch = &launch.recorded;
    let grid: Vec<String> = launch["grid"]
        .as_array()
        .expect("is a list")
        .iter()
        .map(text)
        .collect();
    for (option, value) in [
        ("--kernel", text(&launch["kernel"])),
        ("--grid", grid.join(",")),
        ("--warps", text(&launch["warps"])),
        ("--stages", text(&launch["stages"])),
    ] {
        arguments.extend([option.to_owned(), value]);
    }
    for (name, value) in launch["meta"].as_object().expect("is a table") {
        arguments.extend(["--meta".to_owned(), format!("{name}={}", text(value))]);
    }
    for value in values {
        arguments.extend(["--arg".to_owned(), value]);
    }
    arguments.extend(["--json".to_owned(), "--no-caches".to_owned()]);
    arguments
}

/// Names of what a launch counts otherwise than the hardware did; `refused` if it does not run.
fn differences(launch: &Launch) -> (BTreeSet<String>, String) {
    let arguments = arguments(launch);
    let ran = tutor(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let Ok(shown) = serde_json::from_str::<Value>(&ran.stdout) else {
        return (BTreeSet::from(["refused".to_owned()]), ran.stderr);
    };
    let mut differ = BTreeSet::new();
    let mut told = String::new();
    for (counter, place) in EQUAL {
        let Some(hardware) = launch.recorded["counters"].get(counter) else {
            // Atomic operations were not recorded of all.
            continue;
        };
        let ours = shown["counts"].pointer(place).unwrap_or(&Value::Null);
        if hardware != ours {
            differ.insert(counter.to_owned());
            told += &format!("{counter}: {ours}, and the H200 {hardware}\n");
        }
    }
    (differ, told)
}

#[test]
fn triton_kernels_count_what_an_h200_counted_of_tritons_own_code() {
    let faults: Vec<String> = launches()
        .par_iter()
        .filter_map(|launch| {
            let recorded = &launch.recorded;
            let known = recorded["differs"].as_object().expect("is a table");
            let known: BTreeSet<String> = known.keys().cloned().collect();
            let (differ, told) = differences(launch);
            let what = ["kernel", "meta", "args"].map(|key| recorded[key].to_string());
            let what = what.join(" ");
            (differ != known).then(|| format!("{what}\nknown to differ: {known:?}\n{told}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_help_says_how_many_launches_count_the_same() {
    let launches = launches();
    let equal_but_for = |is_meant: fn(&str) -> bool| {
        let is_equal = |launch: &&Launch| {
            let differs = launch.recorded["differs"].as_object().expect("is a table");
            !differs.keys().any(|name| is_meant(name))
        };
        launches.iter().filter(is_equal).count()
    };
    let in_global = equal_but_for(|name| name == "refused" || name.starts_with("global"));
    let in_all = equal_but_for(|_| true);
    let help = include_str!("../../assets/help/triton.md").replace('\n', " ");
    for says in [
        format!("On {} launches", launches.len()),
        format!("in {in_global}, and all counters that were compared in {in_all}."),
    ] {
        assert!(help.contains(&says), "{says}");
    }
    assert!(in_global * 100 >= 98 * launches.len());
}

#[test]
fn lines_and_layouts_are_those_of_the_python() {
    let launches = launches();
    let ran = tutor(
        &arguments(&launches[0])
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    let shown: Value = serde_json::from_str(&ran.stdout).expect("is JSON");
    let lines: Vec<u64> = shown["lines"]
        .as_array()
        .expect("is a list")
        .iter()
        .filter_map(|line| line["line"].as_u64())
        .collect();
    assert_eq!(lines, [8, 9, 10, 11, 12]);
    assert_eq!(
        shown["layouts"][0]["layout"],
        "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
    );
}
