//! Variables of a file that host code fills, and buffers that go into and come from files.

use std::fs;
use std::path::PathBuf;

use crate::program::{Run, tutor};

/// Three variables: filled by a call, through a helper, and by the file itself.
const KERNEL: &str = r#"
#define CHECK(call) do { if ((call) != 0) exit(1); } while (0)
namespace ns { __constant__ int shift; }
__constant__ float weights[3];
__device__ int calls = 5;
static __device__ unsigned char flags[4];
__global__ void f(const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = weights[0] * x[i] + weights[2] + ns::shift + flags[i % 4];
    if (i == 0) calls += 1;
}
template <class T> void upload(T& symbol, const T& value) {
    cudaMemcpyToSymbol(symbol, &value, sizeof(T));
}
int main() {
    float h[3] = {1, 2, 3};
    CHECK(cudaMemcpyToSymbol(weights, h, sizeof h));
    upload(ns::shift, 1);
    int made; cudaMemcpyFromSymbol(&made, calls, sizeof made);
}
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(kernel: &str) -> Self {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        fs::write(folder.at("a.cu"), kernel).expect("is written");
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `y=y.npy:0.5` with the path of the file.
    fn named(&self, name: &str, file: &str) -> String {
        format!("{name}={}", self.at(file).display())
    }

    fn run<S: AsRef<str>>(&self, options: &[S]) -> Run {
        let mut all = vec!["--json"];
        all.extend(options.iter().map(AsRef::as_ref));
        self.plain(&all)
    }

    fn plain<S: AsRef<str>>(&self, options: &[S]) -> Run {
        let file = self.at("a.cu").display().to_string();
        let start = format!(
            "run kernel {file} --kernel f --grid 1 --block 8 --engine sim --arg f32[8]:arange --arg f32[8]:zero"
        );
        let mut line: Vec<&str> = start.split_whitespace().collect();
        line.extend(options.iter().map(AsRef::as_ref));
        tutor(&line)
    }
}

/// Messages of the diagnostics of a run.
fn said(run: &Run) -> Vec<String> {
    let json = run.json();
    let all = json["diagnostics"].as_array().expect("is a list");
    let messages = all.iter().map(|one| one["message"].to_string());
    messages.collect()
}

#[test]
fn what_host_code_fills_is_told_until_it_is_set() {
    let folder = Folder::with(KERNEL);
    let none: [&str; 0] = [];
    let run = folder.run(&none);
    let told = said(&run);
    assert_eq!(told.len(), 2, "neither `calls` nor `flags`: {told:?}");
    for name in ["`weights` is zero", "`shift` is zero"] {
        assert!(told.iter().any(|text| text.contains(name)), "{told:?}");
    }
    assert!(run.stderr.contains("--symbol ns::shift="), "{}", run.stderr);
    let set = ["--symbol", "weights=1,2,0.5", "--symbol", "shift=10"];
    let run = folder.run(&set);
    assert_eq!((run.code, said(&run)), (0, Vec::new()), "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["buffers"][1]["head"][3], 13.5);
}

#[test]
fn a_variable_takes_numbers_contents_and_files_of_its_length() {
    let folder = Folder::with(KERNEL);
    let written = folder.run(&[
        "--symbol".to_owned(),
        "flags=1,2,3,255".to_owned(),
        "--symbol".to_owned(),
        "calls=7".to_owned(),
        "--out".to_owned(),
        folder.named("flags", "flags.npy"),
        "--out".to_owned(),
        folder.named("calls", "calls.npy"),
    ]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    let flags = fs::read(folder.at("flags.npy")).expect("is written");
    assert_eq!(&flags[flags.len() - 4..], [1, 2, 3, 255]);
    let header = String::from_utf8_lossy(&flags);
    assert!(header.contains("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"));
    let calls = fs::read(folder.at("calls.npy")).expect("is written");
    assert_eq!(
        &calls[calls.len() - 4..],
        [8, 0, 0, 0],
        "one more than was set"
    );
    let set = folder.named("flags", "flags.npy");
    let json = folder.run(&["--symbol", &set]).json();
    assert_eq!(json["buffers"][3]["head"][3], 255);
    let json = folder.run(&["--symbol", "flags=arange"]).json();
    assert_eq!(json["buffers"][3]["head"][3], 3);
    for (values, says) in [
        ("weights=1,2", "has 3 elements of f32, but 2 values"),
        ("weights=1,2,3,4", "but 4 values"),
        ("weights=1,,3", "`` is not a value of type f32"),
        ("weights=ramps", "`ramps` is not an initial content"),
        ("flags=1,2,3,256", "`256` is not a value of type u8"),
        ("calls=1.5", "`1.5` is not a value of type i32"),
        ("weigths=1", "perhaps `weights`"),
        ("weights", "NAME=VALUES"),
        (
            &set.replace("flags=", "weights="),
            "holds |u1, but the buffer is <f4",
        ),
        (&set.replace("flags.npy", "none.npy"), "No such file"),
    ] {
        let run = folder.run(&["--symbol", values]);
        assert!(run.code != 0 && run.stdout.is_empty(), "{values}");
        assert!(run.stderr.contains(says), "{values}: {}", run.stderr);
    }
    let unused = folder.run(&["--symbol", "calls=1", "--symbol", "calls=2"]);
    assert!(unused.stderr.contains("given twice"), "{}", unused.stderr);
}

#[test]
fn a_buffer_is_held_against_a_file() {
    let folder = Folder::with(
        "__global__ void f(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + ADD; }\n",
    );
    let out = folder.named("y", "y.npy");
    let run = folder.run(&["-D", "ADD=1", "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let wrong = format!("{out}:0.25");
    for (add, expect, code, error) in [
        ("1", &out, 0, 0.0),
        ("1.25f", &wrong, 0, 0.25),
        ("1.5f", &wrong, 1, 0.5),
        ("1.25f", &out, 1, 0.25),
    ] {
        let run = folder.run(&["-D", &format!("ADD={add}"), "--expect", expect]);
        assert_eq!(run.code, code, "{add}: {}", run.stderr);
        let json = run.json();
        assert_eq!(json["ok"], code == 0);
        assert_eq!(json["expected"][0]["max_abs_error"], error);
        assert_eq!(json["expected"][0]["buffer"], "y");
    }
    for (option, value, says) in [
        ("--expect", "z=y.npy".to_owned(), "no buffer `z`"),
        ("--out", "z=y.npy".to_owned(), "no buffer `z`"),
        ("--out", "y=y.txt".to_owned(), "NAME=FILE.npy"),
        ("--expect", format!("{out}:-1"), "TOLERANCE"),
        ("--expect", folder.named("y", "none.npy"), "No such file"),
    ] {
        let run = folder.run(&["-D", "ADD=1", option, &value]);
        assert_eq!(run.code, 2, "{value}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{value}: {}", run.stderr);
    }
    let racy = Folder::with(
        "__global__ void f(const float* x, float* y) {\n  __shared__ float s[8];\n  s[threadIdx.x] = x[threadIdx.x];\n  \
         y[threadIdx.x] = x[threadIdx.x] + ADD + (s[7 - threadIdx.x] < 0);\n}\n",
    );
    let line = ["-D", "ADD=1", "--check", "--plain", "--expect", &out];
    let run = racy.plain(&line);
    // Lanes go in step on every GPU so far: a race among them is a warning.
    assert_eq!(run.code, 0, "{}", run.stderr);
    let verdict = run.stdout.split("Comparison").nth(1).expect("is there");
    assert!(
        verdict.contains("! y matches") && verdict.contains("with a warning: race"),
        "{verdict}"
    );
    let endless = Folder::with("__global__ void f(const float* x, float* y) { y[-1] = 1; }\n");
    let out = endless.named("y", "y.npy");
    let run = endless.run(&["--out", &out]);
    assert!(
        run.code == 1 && !endless.at("y.npy").exists(),
        "{}",
        run.stderr
    );
}
