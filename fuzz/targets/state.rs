#![no_main]
#[path = "../../tests/simulation/targets.rs"]
#[allow(dead_code, reason = "each target is one of its functions")]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::state(bytes));
