//! One verdict a cell, the worst: an output that is right by luck does not hide a race.

use crate::program::tutor;

const LESSON: &str = r#"+++
id = "copied"
title = "T"
summary = "S"
minutes = 1
+++
Text.

```run copied
title = "Copied"
source = "copied.cu"
[[buffers]]
name = "x"
type = "f32"
shape = ["64"]
init = "arange"
[[buffers]]
name = "y"
type = "f32"
shape = ["64"]
init = "zero"
[[launches]]
kernel = "copied"
grid = [1]
block = [64]
arguments = ["x", "y"]
[verify]
buffer = "y"
against = "copy"
inputs = ["x"]
sizes = ["64"]
tolerance = 0.0
```
"#;

/// What is stored where all threads store it, and whether checks find that wrong, or worth a warning.
const STORES: [(&str, &str); 3] = [("t", "wrong"), ("unset[63 - t]", "wrong"), ("7", "warned")];

#[test]
fn what_checks_find_beats_an_output_that_is_right() {
    for (stored, verdict) in STORES {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for made in ["lessons", "kernels"] {
            std::fs::create_dir(at(made)).expect("is made");
        }
        let kernel = format!(
            "__global__ void copied(const float* x, float* y) {{\n  __shared__ float seen, unset[64];\n  \
             int t = threadIdx.x;\n  seen = {stored};\n  y[t] = seen >= 0 || seen < 0 ? x[t] : x[t];\n}}\n"
        );
        std::fs::write(at("kernels/copied.cu"), kernel).expect("is written");
        std::fs::write(at("lessons/copied.md"), LESSON).expect("is written");
        let path = at("lessons/copied.md").display().to_string();
        let run = |form: &str| tutor(&["run", "lesson", &path, "--check", "--engine", "sim", form]);
        let (json, plain) = (run("--json"), run("--plain"));
        let is_wrong = verdict == "wrong";
        for run in [&json, &plain] {
            assert_eq!(run.code, i32::from(is_wrong), "{stored}: {}", run.stderr);
        }
        let json = json.json();
        let cell = &json["cells"][0];
        assert_eq!(cell["verdict"], verdict, "{stored}: {cell}");
        assert_eq!(cell["ok"], !is_wrong);
        assert_eq!(json["ok"], !is_wrong);
        assert_eq!(cell["verified"]["ok"], true, "the output itself is right");
        let verification = plain.stdout.split("Verification").nth(1);
        let verification = verification.expect("is there");
        match is_wrong {
            true => {
                assert!(!verification.contains('\u{2713}'), "{verification}");
                assert!(verification.contains("but: "), "{verification}");
                assert!(verification.contains("FAILED: copied"));
            }
            false => {
                assert!(!verification.contains('\u{2713}'), "{verification}");
                assert!(verification.contains("with a warning: race on shared memory"));
            }
        }
    }
}
