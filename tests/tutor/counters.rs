//! The simulated GPU counts what the hardware counters of an H200 counted.

use serde_json::Value;

use super::program::{fixture, fixture_path, tutor};

/// A hardware counter (or a difference of two) and the place of its twin in our counts.
const EQUAL: [(&str, Option<&str>, &str); 9] = [
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
    ("fp32_add", None, "/fp32/add"),
    ("fp32_mul", None, "/fp32/mul"),
    ("fp32_fma", None, "/fp32/fma"),
];

fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string(fixture("counters/counters.json")).expect("is a fixture");
    let file: Value = serde_json::from_str(&text).expect("is JSON");
    file["cases"].as_array().expect("is a list").clone()
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
    arguments.push(fixture_path("counters/kernels.cu"));
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
    arguments.push("--json".to_owned());
    arguments
}

fn number(value: &Value, what: &str) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{what} is {value}"))
}

/// What differs in `case`.
fn differences(case: &Value) -> Vec<String> {
    let id = case["id"].as_str().expect("has a name");
    let run = tutor(&arguments(case));
    if run.code != 0 {
        return vec![format!("{id}: exit code {}\n{}", run.code, run.stderr)];
    }
    let counts = &run.json()["counts"];
    let ours = |pointer: &str| {
        let value = counts.pointer(pointer).unwrap_or(&Value::Null);
        number(value, &format!("{id} {pointer}"))
    };
    let theirs = |name: &str| number(&case["counters"][name], &format!("{id} {name}"));
    let differences = EQUAL.iter().filter_map(|&(name, minus, pointer)| {
        let expected = theirs(name) - minus.map_or(0, theirs);
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

#[test]
fn every_case_has_the_counts_of_the_hardware() {
    let cases = cases();
    assert!(cases.len() >= 10, "the fixture is there");
    let differences: Vec<String> = cases.iter().flat_map(differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
