//! The binary, run as a user runs it, without a terminal.

use std::path::Path;
use std::process::Command;

/// What a run of the binary gave.
pub struct Run {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs `tutor` with `arguments`.
pub fn tutor<S: AsRef<str>>(arguments: &[S]) -> Run {
    run(arguments, &[])
}

/// Runs `tutor` with `arguments`, and with environment variables that are not as they are here.
pub fn run<S: AsRef<str>>(arguments: &[S], variables: &[(&str, &Path)]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_tutor"))
        .args(arguments.iter().map(AsRef::as_ref))
        // Tests see the same on every machine: GPUs have tests of their own.
        .env("CUDA_VISIBLE_DEVICES", "")
        .envs(variables.iter().copied())
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("prints UTF-8");
    Run {
        code: output.status.code().expect("ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

impl Run {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}:\n{}\n{}", self.stdout, self.stderr))
    }
}
