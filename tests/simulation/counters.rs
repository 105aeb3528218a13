//! The simulated GPU counts what the hardware counters of an H200 counted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};
use tutor::memory::{AccessKind, GlobalRequest, SharedRequest};

use crate::files::{fixture, fixture_path};
use crate::program::tutor;

/// A hardware counter (or a difference of two) and the place of its twin in our counts.
const EQUAL: [(&str, Option<&str>, &str); 12] = [
    ("global_load_requests", None, "/global_load/requests"),
    ("global_load_sectors", None, "/global_load/sectors"),
    ("global_store_requests", None, "/global_store/requests"),
    ("global_store_sectors", None, "/global_store/sectors"),
    (
        "shared_load_wavefronts",
        Some("shared_load_bank_conflicts"),
        "/shared_load",
    ),
    (
        "shared_store_wavefronts",
        Some("shared_store_bank_conflicts"),
        "/shared_store",
    ),
    ("global_atomic_requests", None, "/global_atomic/requests"),
    ("global_atomic_sectors", None, "/global_atomic/sectors"),
    ("fp32_add", None, "/fp32/add"),
    ("fp32_mul", None, "/fp32/mul"),
    ("fp32_fma", None, "/fp32/fma"),
    ("tensor_mma", None, "/tensor/mma"),
];

pub(super) fn cases(name: &str, list: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture(name)).expect("is a fixture");
    let file: Value = serde_json::from_str(&text).expect("is JSON");
    file[list].as_array().expect("is a list").clone()
}

/// The options that run `case`.
fn arguments(case: &Value) -> Vec<String> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let list = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .expect("is a list")
            .iter()
            .map(text)
            .collect()
    };
    let mut arguments = ["run", "kernel"].map(str::to_owned).to_vec();
    arguments.push(match case["file"].as_str() {
        Some(file) => format!("{}/{file}", env!("CARGO_MANIFEST_DIR")),
        None => fixture_path("counters/kernels.cu"),
    });
    for (option, value) in [
        ("--kernel", text(&case["kernel"])),
        ("--grid", list(&case["grid"]).join(",")),
        ("--block", list(&case["block"]).join(",")),
    ] {
        arguments.extend([option.to_owned(), value]);
    }
    for argument in list(&case["args"]) {
        arguments.extend(["--arg".to_owned(), argument]);
    }
    if let Some(bytes) = case["shared"].as_u64() {
        arguments.extend(["--shared".to_owned(), bytes.to_string()]);
    }
    arguments.push("--json".to_owned());
    arguments
}

fn number(value: &Value, what: &str) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{what} is {value}"))
}

/// What `tutor` counts of `case`, or what it says instead; each case is run once.
pub(super) fn counts(case: &Value) -> Result<Value, String> {
    type Counted = Arc<OnceLock<Result<Value, String>>>;
    static COUNTED: Mutex<BTreeMap<Vec<String>, Counted>> = Mutex::new(BTreeMap::new());
    let arguments = arguments(case);
    let mut all = COUNTED.lock().expect("no run panics");
    let counted = all.entry(arguments.clone()).or_default().clone();
    drop(all);
    let count = || {
        let run = tutor(&arguments);
        match run.code {
            0 => Ok(run.json()["counts"].clone()),
            code => Err(format!("exit code {code}\n{}", run.stderr)),
        }
    };
    counted.get_or_init(count).clone()
}

/// What differs in `case`.
fn differences(case: &Value) -> Vec<String> {
    let id = case["id"].as_str().expect("has a name");
    let counts = match counts(case) {
        Ok(counts) => counts,
        Err(error) => return vec![format!("{id}: {error}")],
    };
    let ours = |pointer: &str| {
        let value = counts.pointer(pointer).unwrap_or(&Value::Null);
        number(value, &format!("{id} {pointer}"))
    };
    // Counters that a file leaves out were not read, because its kernels have nothing of the kind.
    let theirs = |name: &str| case["counters"][name].as_i64().unwrap_or(0);
    let differences = EQUAL.iter().filter_map(|&(name, minus, pointer)| {
        let known = case["differs"][name].as_i64().unwrap_or(0);
        let expected = theirs(name) - minus.map_or(0, theirs) + known;
        let counted = match minus {
            None => ours(pointer),
            Some(_) => {
                ours(&format!("{pointer}/wavefronts")) - ours(&format!("{pointer}/bank_conflicts"))
            }
        };
        (counted != expected)
            .then(|| format!("{id}: {name}: {expected} on the H200, {counted} here"))
    });
    differences.collect()
}

fn compare(cases: &[Value]) {
    assert!(cases.len() >= 10, "the fixture is there");
    let differences: Vec<String> = cases.iter().flat_map(differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn readme_and_help_say_how_many_launches_count_the_same() {
    let files = std::fs::read_dir(fixture("counters")).expect("is a folder");
    let names = files.map(|file| file.expect("is a file").file_name());
    let names = names.map(|name| name.into_string().expect("is text"));
    let all: Vec<Value> = names
        .filter(|name| name.ends_with(".json"))
        .filter(|name| !["access_patterns.json", "composed.json"].contains(&name.as_str()))
        .flat_map(|name| cases(&format!("counters/{name}"), "cases"))
        .collect();
    let differ = all.iter().filter(|case| case["differs"].is_object());
    let says = [
        format!("gave for {} launches", all.len()),
        format!("{} launches", differ.count()),
    ];
    let readme = include_str!("../../README.md");
    let help = include_str!("../../assets/help/trust.md");
    for text in [readme, help].map(|text| text.replace('\n', " ").replace("  ", " ")) {
        for says in &says {
            assert!(text.contains(says), "{says}");
        }
    }
}

#[test]
fn kernels_put_together_at_random_differ_from_the_hardware_as_the_fixture_says() {
    let all = cases("counters/composed.json", "cases");
    compare(&all);
    let equal = all.iter().filter(|case| case["differs"].is_null()).count();
    let says = format!("Of {} further launches", all.len());
    let help = include_str!("../../assets/help/trust.md").replace("\n  ", " ");
    assert!(help.contains(&says), "{says}");
    let says = format!("{equal} are equal in all counters");
    assert!(help.contains(&says), "{says}");
}

#[test]
fn every_case_has_the_counts_of_the_hardware() {
    compare(&cases("counters/counters.json", "cases"));
}

#[test]
fn the_kernels_of_the_softmax_lesson_have_the_counts_of_the_hardware() {
    compare(&cases("counters/softmax.json", "cases"));
}

#[test]
fn kernels_in_everyday_styles_have_the_counts_of_the_hardware() {
    compare(&cases("counters/everyday.json", "cases"));
}

#[test]
fn kernels_as_they_are_taught_have_the_counts_of_the_hardware() {
    compare(&cases("counters/teaching.json", "cases"));
}

#[test]
fn loops_of_unknown_length_and_what_they_compute_have_the_counts_of_the_hardware() {
    compare(&cases("counters/loops.json", "cases"));
}

#[test]
fn kernels_that_tell_rules_of_the_compiler_apart_have_the_counts_of_the_hardware() {
    compare(&cases("counters/rules.json", "cases"));
}

#[test]
fn structs_in_shared_memory_have_the_counts_of_the_hardware() {
    compare(&cases("counters/structs.json", "cases"));
}

#[test]
fn kernels_in_the_styles_of_public_code_have_the_counts_of_the_hardware() {
    compare(&cases("counters/styles.json", "cases"));
}

#[test]
fn kernels_that_were_compared_last_have_the_counts_of_the_hardware() {
    compare(&cases("counters/scenes.json", "cases"));
    compare(&cases("counters/everyday_accesses.json", "cases"));
}

#[test]
fn branches_have_the_counts_of_the_hardware() {
    compare(&cases("counters/branches.json", "cases"));
}

#[test]
fn formulas_have_the_counts_of_the_hardware() {
    compare(&cases("counters/formulas.json", "cases"));
}

#[test]
fn accesses_are_joined_moved_and_left_out_as_nvcc_does() {
    compare(&cases("counters/memory.json", "cases"));
}

#[test]
fn fragments_and_products_have_the_counts_of_the_hardware() {
    compare(&cases("counters/wmma.json", "cases"));
}

#[test]
fn asynchronous_copies_have_the_counts_of_the_hardware() {
    compare(&cases("counters/async_copies.json", "cases"));
}

/// The costs of one warp's access of `width` bytes at `elements` by the lanes of `mask`, as the
/// fixture has them.
fn costs(elements: &[u64], mask: u32, width: u32) -> Value {
    let addresses = std::array::from_fn(|lane| elements[lane] * u64::from(width));
    let offsets = addresses.map(|address| address as u32);
    let shared = |kind| {
        let request = SharedRequest::of(&offsets, mask, width, kind);
        json!([request.wavefronts, request.bank_conflicts()])
    };
    let sectors = GlobalRequest::of(&addresses, mask, u64::from(width)).sectors;
    json!({
        "width_bytes": width,
        "shared_load": shared(AccessKind::Load),
        "shared_store": shared(AccessKind::Store),
        "global_load_sectors": sectors,
        "global_store_sectors": sectors,
    })
}

#[test]
fn every_pattern_of_addresses_costs_what_it_cost_on_the_hardware() {
    let patterns = cases("counters/access_patterns.json", "patterns");
    assert!(patterns.len() >= 40, "the fixture is there");
    for pattern in patterns {
        let mask = u32::try_from(number(&pattern["mask"], "the mask")).expect("has 32 bits");
        let elements = pattern["elements"].as_array().expect("is a list");
        let elements: Vec<u64> = elements.iter().filter_map(Value::as_u64).collect();
        for measured in pattern["measured"].as_array().expect("is a list") {
            let width = number(&measured["width_bytes"], "the width") as u32;
            assert_eq!(
                &costs(&elements, mask, width),
                measured,
                "lanes {mask:#x} at {elements:?}"
            );
        }
    }
}
