//! Kernels edited in a real terminal: in place, in the learner's own editor, and in lessons of their own.

use std::path::Path;

use portable_pty::CommandBuilder;

use crate::driver::{Terminal, skip_tour};

/// A small lesson with a kernel of its own.
const LESSON: &str = r#"+++
id = "mine"
title = "Mine"
summary = "One kernel"
minutes = 1
[sizes.N]
label = "elements"
default = 100
min = 1
max = 4096
+++
# A page

```run twice
title = "Twice"
source = "twice.cu"
[[buffers]]
name = "x"
type = "f32"
shape = ["N"]
init = "arange"
[[launches]]
kernel = "twice"
grid = ["ceil_div(N, 64)"]
block = [64]
arguments = ["x", "N"]
[formulas]
"elements read" = "N"
```
"#;

const KERNEL: &str = "\
__global__ void twice(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = 2.0f * x[i];
    }
}
";

/// A folder with the lesson in it, and one for what is kept.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("is in a folder")).expect("a folder");
        std::fs::write(path, text).expect("is written");
    };
    write("lessons/mine.md", LESSON);
    write("kernels/twice.cu", KERNEL);
    std::fs::create_dir(folder.path().join("state")).expect("a folder");
    skip_tour(&folder.path().join("state"));
    folder
}

/// The notebook on that lesson's kernel.
fn open(folder: &Path, editor: &str) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tutor"));
    command.args(["run", "lesson", "lessons/mine.md", "--engine", "sim"]);
    command.cwd(folder);
    command.env("TUTOR_STATE", folder.join("state"));
    command.env("VISUAL", editor);
    let mut terminal = Terminal::start(command, 120, 40);
    terminal.wait_for("A page");
    terminal.wait_for("kernels/twice.cu");
    terminal
}

fn quit(mut terminal: Terminal) {
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn an_edit_is_broken_mended_and_found_again_after_a_restart() {
    let folder = folder();
    let mut terminal = open(folder.path(), "false");
    terminal.press("e");
    terminal.wait_for("ctrl-q quit");
    // Line 4, before its semicolon; each key moves one line.
    terminal.press("\x07");
    terminal.wait_for("go to line");
    terminal.press("4\r");
    terminal.wait_for("4:1 of");
    terminal.press("\x1b[F\x1b[D");
    terminal.press(" + oops");
    terminal.wait_for("error: ");
    terminal.press("\x17");
    // As terminals send what is pasted.
    terminal.press("\x1b[200~x[n - 1 - i]\x1b[201~");
    terminal.wait_for("edited, ran  +N elements read");
    terminal.press("\x1b");
    terminal.wait_for("? help");
    quit(terminal);
    let mut terminal = open(folder.path(), "false");
    terminal.wait_for("2.0f * x[i] + x[n - 1 - i];");
    terminal.wait_for("edited");
    terminal.press("\x0fy");
    terminal.wait_for("as the lesson has it");
    quit(terminal);
    let mut terminal = open(folder.path(), "false");
    terminal.wait_for("x[i] = 2.0f * x[i];");
    quit(terminal);
}

#[test]
fn the_learner_s_own_editor_changes_the_kernel() {
    let folder = folder();
    let mut terminal = open(folder.path(), "sed -i s/2.0f/4.0f/");
    terminal.press("\x05");
    terminal.wait_for("x[i] = 4.0f * x[i];");
    terminal.wait_for("edited, ran");
    let copy = folder.path().join("state/edits/mine/twice.cu");
    std::fs::write(copy, KERNEL.replace("2.0f", "8.0f")).expect("another program writes");
    terminal.wait_for("x[i] = 8.0f * x[i];");
    quit(terminal);
}

#[test]
fn a_lesson_that_changes_on_disk_is_read_again_and_a_mistake_in_it_is_told() {
    let folder = folder();
    let mut terminal = open(folder.path(), "false");
    terminal.wait_for("\u{2713} 1 check");
    let lesson = folder.path().join("lessons/mine.md");
    std::fs::write(&lesson, LESSON.replace("minutes = 1", "minutes = \"one\""))
        .expect("is written");
    terminal.wait_for("1 mistake");
    std::fs::write(&lesson, LESSON.replace("= \"N\"\n", "= \"2*N\"\n")).expect("is written");
    terminal.wait_for("counts differ");
    let kernel = folder.path().join("kernels/twice.cu");
    std::fs::write(kernel, KERNEL.replace("2.0f * x[i]", "x[i] + x[i ^ 1]")).expect("is written");
    terminal.wait_for("x[i] + x[i ^ 1]");
    terminal.wait_for("\u{2713} 1 check");
    quit(terminal);
}

/// A sum of each block, with two faults: nobody waits between the steps of the tree, and the last block reads past the end.
const SUMS: &str = "\
__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    partial[t] = x[i];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) partial[t] += partial[t + step];
    }
    if (t == 0) sums[blockIdx.x] = partial[0];
}
";

#[test]
fn a_reduction_of_one_s_own_with_a_race_and_no_guard_is_mended_in_the_notebook() {
    let folder = folder();
    std::fs::write(folder.path().join("sums.cu"), SUMS).expect("is written");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tutor"));
    command.args(["open", "sums.cu", "--engine", "sim"]);
    command.cwd(folder.path());
    command.env("TUTOR_STATE", folder.path().join("state"));
    let mut terminal = Terminal::start(command, 120, 40);
    // Blocks divide the first guess, so that only the race shows.
    terminal.wait_for("line 8: error: race on shared memory: warps access it without a barrier");
    assert!(
        !terminal.text().contains("out-of-bounds"),
        "{}",
        terminal.text()
    );
    terminal.press("1000\r");
    terminal
        .wait_for("error: out-of-bounds load: element 1000 of `x`, which has 1000 f32 elements");
    terminal.press("e");
    terminal.wait_for("ctrl-q quit");
    terminal.press("\x078\r");
    terminal.wait_for("8:1 of");
    terminal.press("\x1b[F\r__syncthreads();");
    terminal.wait_for_frame(|text| !text.contains("race on") && text.contains("out-of-bounds"));
    terminal.press("\x075\r");
    terminal.wait_for("5:1 of");
    // Before `x[i];`, then before the semicolon.
    terminal.press("\x1b[F\x1b[D\x1b[D\x1b[D\x1b[D\x1b[Di < n ? ");
    terminal.press("\x1b[F\x1b[D : 0.0f");
    terminal.wait_for("partial[t] = i < n ? x[i] : 0.0f;");
    terminal.wait_for_frame(|text| {
        text.contains("edited, ran") && !text.contains("race on") && !text.contains("out-of-bounds")
    });
    terminal.press("\x1b");
    terminal.wait_for("? help");
    quit(terminal);
}
