//! How much memory a run takes, seen from outside: the largest resident set of the process.
#![cfg(target_os = "linux")]

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::files::fixture_path;

const USUAL_MB: u64 = 200;

/// Runs `tutor run kernel` on a file with `text` and gives the largest resident set that was seen, in MB.
fn peak_mb(text: &str, line: &str) -> (u64, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    std::fs::write(&file, text).expect("is written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tutor"))
        .args(["run", "kernel"])
        .arg(&file)
        .args(["--engine", "sim", "--kernel", "k", "--json"])
        .args(line.split_whitespace())
        // Nobody reads while it runs: a full pipe would hold it up for ever.
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    while child.try_wait().expect("is there").is_none() {
        // The high-water mark: looking now and then is enough.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kb = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak_kb = peak_kb.max(kb.unwrap_or(0));
        std::thread::park_timeout(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("has ended");
    (peak_kb * 1024 / 1_000_000, output)
}

#[test]
fn kernels_that_never_end_are_stopped_in_time_and_take_little() {
    let bodies = [
        "for (;;) __syncthreads();",
        "while (1) y[threadIdx.x] += 1;",
        "for (int j = 0;; ++j) printf(\"%d %f\\n\", j, y[0]);",
        "for (int j = 0;; ++j) atomicAdd(&y[j % 1024], 1.0f);",
    ];
    for body in bodies {
        let text = format!("__global__ void k(float *y) {{ {body} }}");
        // Less than the instructions of one launch last: a billion take more than a second of two cores.
        let line = "--grid 8 --block 1024 --arg f32[1024]:zero --time-limit 0.5";
        let (peak, output) = peak_mb(&text, line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{body}\n{said}");
        assert!(said.contains("`k` takes too long"), "{body}\n{said}");
        assert!(said.contains("0.5 s"), "{body}\n{said}");
        assert!(peak > 0 && peak < USUAL_MB, "{body}: {peak} MB");
    }
}

#[test]
fn a_run_takes_its_buffers_once_and_the_usual() {
    let text = "__global__ void k(const float *x, float *y) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i]; }";
    let line = "--grid 16 --block 256 --arg f32[50000000]:one --arg f32[50000000]:zero";
    let (peak, output) = peak_mb(text, line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    // What is read and never touched, the system need not have: the second buffer, of which 4096 elements are written.
    assert!((200..400 + USUAL_MB).contains(&peak), "{peak} MB");
}

#[test]
fn what_this_host_cannot_hold_is_refused_before_it_begins() {
    // 600 MB of addresses for a process that wants 1.2 GB of buffers.
    let kernel = fixture_path("kernels/twice.cu");
    let command = format!(
        "ulimit -v 600000; exec {} run kernel {kernel} --engine sim --kernel twice -D FACTOR=2 --grid 1 --block 32 \
         --arg f32[150000000]:zero --arg f32[150000000]:zero --arg 32",
        env!("CARGO_BIN_EXE_tutor"),
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("this run needs at least 1,4"), "{said}");
    assert!(said.contains("MB are free here"), "{said}");
}

#[test]
fn checks_that_take_much_say_so_first() {
    let text = "__global__ void k(float *y) { y[threadIdx.x] = 1; }";
    let line = "--grid 1 --block 32 --check --arg f32[4000000]:zero";
    let (_, output) = peak_mb(text, line);
    let said = String::from_utf8_lossy(&output.stderr);
    // 32 bytes for each of four million words, and 32 MiB that are usual.
    let told = "memory: this run may need 353 MB of memory; its buffers have 16 MB";
    assert!(said.starts_with(told), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn footprints_that_take_much_say_so_first() {
    // 40 lines, each with another byte of 64: no piece of the buffer is touched as a whole.
    let loads: String = (0..40)
        .map(|line| format!("sum += x[(64 * i) ^ {}];\n", line * 1024 + line))
        .collect();
    let text = format!(
        "__global__ void k(const unsigned char *x, int *y) {{\nint i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;\n\
         {loads}y[i] = sum; }}"
    );
    let line = "--grid 256 --block 1024 --no-caches --arg u8[16777216]:one --arg i32[262144]:zero";
    let (peak, output) = peak_mb(&text, line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("memory: this run may need"), "{said}");
    let told = said
        .split_whitespace()
        .nth(5)
        .map(|number| number.replace(',', ""));
    let told: u64 = told
        .and_then(|number| number.parse().ok())
        .expect("is a number");
    assert!(peak <= told, "{peak} MB, where {said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}
