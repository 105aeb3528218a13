//! Lessons that read, and what is said of those that do not.

mod exercises;
mod formulas;
mod others;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::lesson::{Cell, KernelFiles, Lesson, OtherLessons};
use crate::source::{Diagnostic, SourceFile};

/// A lesson that reads; tests break it in one place.
const LESSON: &str = r#"+++
id = "copy"
title = "Copy"
summary = "Moves data"
minutes = 1

[sizes.N]
label = "elements"
default = 8
min = 1
max = 64

[[recordings]]
N = 100
+++
Before the heading.

# One

It reads {{copy: distinct elements read}}.

```cuda
int not_a_cell;
```

## Two

```run copy
title = "Copy"
source = "copy.cu"
taps = ["y"]
view = "access"
margin = "efficiency"

[[buffers]]
name = "x"
type = "f32"
shape = ["2*N"]
init = "ramp"

[[launches]]
kernel = "copy"
grid = ["ceil_div(N, 4)", 1]
block = [4]
arguments = ["x", "N"]

[formulas]
"distinct elements read" = "2*N"

[verify]
buffer = "x"
against = "softmax_rows"
inputs = ["x"]
sizes = [1, "N"]
tolerance = 1e-6

[[baselines]]
operation = "sgemm"
sizes = ["N", "N", 16]
```

After.

<!-- notes:
Ask why.

Then run it.
-->

```prediction reads
question = "How much does {{copy: distinct elements read}} say?"
answer = "copy: distinct elements read"
choices = ["N", "2*N"]
explain = "It is {{copy: distinct elements read}}."
```

```table counts
title = "Counts"
of = "cells"
rows = ["copy"]
columns = ["sectors read"]
```

```table gpus
title = "GPUs"
of = "gpus"
columns = ["sm_count"]
```

```calculator full
title = "How full"
cc = "9.0"
threads = 128
registers = 40
shared = 0
```

```kernel text
title = "To be read"
source = "copy.cu"
kernel = "copy"
lines = [1, 2]
```
"#;

/// The kernel that the lesson launches.
const KERNEL: &str = "// Copies.\n__global__ void copy(float* x, int n) {\n    __shared__ float part[8];\n    part[n] = x[n];\n}\n";

fn parse(text: &str) -> (Option<Lesson>, Vec<Diagnostic>) {
    let kernels = KernelFiles {
        folder: "kernels/",
        names: vec!["copy.cu".to_owned()],
        read: &|name| Ok((name == "copy.cu").then(|| KERNEL.to_owned())),
        data: &|_| Err("there is no folder".to_owned()),
    };
    let others = OtherLessons::none();
    Lesson::parse(&SourceFile::new("copy.md", text), &kernels, &others)
}

#[test]
fn prose_is_cut_at_headings_and_cells() {
    let (lesson, diagnostics) = parse(LESSON);
    assert_eq!(diagnostics, []);
    let lesson = lesson.expect("reads");
    let cells: Vec<String> = lesson
        .cells
        .iter()
        .map(|cell| match cell {
            Cell::Prose(prose) => prose.markdown.written().trim().to_owned(),
            other => other.id().unwrap_or_default().to_owned(),
        })
        .collect();
    let one = "# One\n\nIt reads 2N.\n\n```cuda\nint not_a_cell;\n```";
    assert_eq!(
        cells,
        [
            "Before the heading.",
            one,
            "## Two",
            "copy",
            "After.",
            "reads",
            "counts",
            "gpus",
            "full",
            "text"
        ]
    );
    let copy = lesson.run_cell("copy").expect("is there");
    let recorded: Vec<u64> = lesson
        .recorded_sizes_of(copy)
        .iter()
        .map(|sizes| sizes["N"])
        .collect();
    assert_eq!(recorded, [8, 100]);
    let run = lesson.run_cell("copy").expect("is there");
    assert_eq!(run.launches[0].grid[0].text(), "ceil_div(N, 4)");
    assert_eq!(run.launches[0].block[2].text(), "1");
    assert_eq!(run.baselines[0].sizes[2].text(), "16");
}

/// What is replaced by what, the text the message points at, and what it says.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

/// Mistakes in the front matter, in run cells and in quotes.
const MISTAKES: [Mistake; 42] = [
    ("+++\nid", "id", "id = \"copy\"", "no front matter"),
    ("id = \"copy\"", "id = copy", "copy", "not TOML"),
    ("minutes = 1", "minutse = 1", "minutse", "perhaps `minutes`"),
    ("minutes = 1", "minutes = \"1\"", "\"1\"", "whole number"),
    ("default = 8", "default = 65", "65", "1 to 64"),
    ("max = 64", "maximum = 64", "maximum", "has no `maximum`"),
    ("N = 100", "K = 100", "K", "`K` is not a size"),
    ("N = 100", "N = 0", "0", "N is at least 1"),
    ("N = 100", "N = -1", "-1", "whole number"),
    ("N = 100", "N = 8", "[[recordings]]", "recorded already"),
    ("N = 100", "", "[[recordings]]", "recorded already"),
    ("N = 100", "N = []", "[]", "at least one number"),
    (
        "N = 100",
        "cells = [\"cope\"]\nN = 100",
        "\"cope\"",
        "no run cell `cope`",
    ),
    (
        "N = 100",
        "N = { from = 100, to = 8, step = 4 }",
        "{ from = 100, to = 8, step = 4 }",
        "goes up by a step",
    ),
    (
        "arguments = [\"x\"",
        "arguments = [\"map:y:4x4\"",
        "\"map:y:4x4\"",
        "no buffer `y`",
    ),
    (
        "arguments = [\"x\"",
        "arguments = [\"map:x:4\"",
        "\"map:x:4\"",
        "`map:BUFFER:ROWSxCOLUMNS`",
    ),
    (
        "[[recordings]]\nN = 100",
        "[recordings]\nN = 100",
        "[recordings]",
        "`recordings` is an array",
    ),
    ("run copy", "rum copy", "```rum copy", "perhaps `run`"),
    ("run copy", "run a b", "```run a b", "not a name"),
    ("source = \"copy.cu\"", "", "```run copy", "needs `source`"),
    (
        "\"copy.cu\"",
        "\"copi.cu\"",
        "\"copi.cu\"",
        "perhaps `copy.cu`",
    ),
    ("\"f32\"", "\"f31\"", "\"f31\"", "perhaps `f32`"),
    ("\"access\"", "\"acces\"", "\"acces\"", "perhaps `access`"),
    (
        "\"efficiency\"",
        "\"speed\"",
        "\"speed\"",
        "`bank conflicts`",
    ),
    ("\"ramp\"", "\"rampe\"", "\"rampe\"", "one of zero"),
    (
        "name = \"x\"",
        "name = \"N\"",
        "\"N\"",
        "a size `N` already",
    ),
    ("\"2*N\"]", "\"2*\"]", "\"", "it ends where"),
    ("\"2*N\"]", "\"2*K\"]", "\"2*K\"", "`K` is not a size"),
    ("\"2*N\"]", "true]", "true", "a formula is expected"),
    (
        "ceil_div(N, 4)",
        "cel_div(N, 4)",
        "cel_div",
        "perhaps `ceil_div`",
    ),
    (
        "block = [4]",
        "block = [4, 1, 1, 1]",
        "[4, 1, 1, 1]",
        "one to three",
    ),
    ("block = [4]", "blok = [4]", "blok", "perhaps `block`"),
    (
        "[\"x\", \"N\"]",
        "[\"z\", \"N\"]",
        "\"z\"",
        "neither a buffer nor a size",
    ),
    (
        "\"distinct elements read\" =",
        "\"distinct read\" =",
        "\"distinct read\"",
        "counted",
    ),
    ("buffer = \"x\"", "buffer = \"y\"", "\"y\"", "no buffer `y`"),
    (
        "softmax_rows",
        "softmax_row",
        "\"softmax_row\"",
        "perhaps `softmax_rows`",
    ),
    ("\"sgemm\"", "\"sgem\"", "\"sgem\"", "perhaps `sgemm`"),
    (
        "[\"N\", \"N\", 16]",
        "[\"N\", 16]",
        "[\"N\", 16]",
        "takes 3 sizes, not 2",
    ),
    (
        "[\"N\", \"N\", 16]",
        "[\"N\", \"K\", 16]",
        "\"K\"",
        "`K` is not a size",
    ),
    (
        "operation =",
        "operatio =",
        "operatio",
        "perhaps `operation`",
    ),
    ("[1, \"N\"]", "[1]", "[1]", "takes 1 inputs and 2 sizes"),
    (
        "{{copy: distinct",
        "{{copi: distinct",
        "{{copi: distinct elements read}}",
        "perhaps `copy`",
    ),
];

#[test]
fn a_mistake_is_reported_at_its_place_with_what_was_expected() {
    for (text, broken, at, says) in MISTAKES.into_iter().chain(others::MISTAKES) {
        assert!(LESSON.contains(text), "{text} is not in the lesson");
        let file = LESSON.replacen(text, broken, 1);
        let (lesson, diagnostics) = parse(&file);
        assert_eq!(lesson, None, "{broken} reads");
        let found: Vec<(&str, String)> = diagnostics
            .iter()
            .map(|found| {
                let help = found.help.clone().unwrap_or_default();
                (
                    &file[found.span().range()],
                    format!("{}; {help}", found.message),
                )
            })
            .collect();
        assert!(
            found
                .iter()
                .any(|(place, message)| *place == at && message.contains(says)),
            "{broken}: expected {at:?} {says:?}, found {found:#?}"
        );
    }
}

#[test]
fn a_second_cell_of_the_same_name_points_at_the_first() {
    let cell = &LESSON[LESSON.find("```run").expect("is there")..];
    let (_, diagnostics) = parse(&format!("{LESSON}\n{cell}"));
    assert!(diagnostics[0].message.contains("another cell `copy`"));
    assert_eq!(diagnostics[0].labels.len(), 2);
}

#[test]
fn what_is_cut_off_anywhere_never_panics() {
    for end in (0..LESSON.len()).filter(|&end| LESSON.is_char_boundary(end)) {
        let (lesson, diagnostics) = parse(&LESSON[..end]);
        assert_eq!(lesson.is_none(), !diagnostics.is_empty(), "cut at {end}");
    }
}

#[test]
fn speaker_notes_belong_to_the_cell_before_and_are_no_text_of_it() {
    let (lesson, found) = parse(LESSON);
    let lesson = lesson.unwrap_or_else(|| panic!("{found:?}"));
    let (&at, notes) = lesson.notes.first_key_value().expect("there are notes");
    assert_eq!(lesson.notes.len(), 1);
    assert_eq!(notes, "Ask why.\n\nThen run it.");
    let Cell::Prose(before) = &lesson.cells[at] else {
        panic!("cell {at} is no text");
    };
    assert_eq!(before.markdown.written().trim(), "After.");
    let (first, _) = parse(&LESSON.replace("Before the heading.", "<!-- notes: Hello. -->"));
    let first = first.expect("reads");
    assert_eq!(first.notes.get(&0).map(String::as_str), Some("Hello."));
}

#[test]
fn recordings_may_be_several_sizes_of_some_cells() {
    let several = "N = { from = 128, to = 512, step = 128 }\ncells = [\"copy\"]\ncounted = false\n\n\
        [[recordings]]\nN = [20, 30]";
    let (lesson, _) = parse(&LESSON.replace("N = 100", several));
    let lesson = lesson.expect("reads");
    let copy = lesson.run_cell("copy").expect("is there");
    let recorded = lesson.recordings_of(copy);
    let sizes: Vec<(u64, bool)> = recorded
        .iter()
        .map(|of| (of.sizes["N"], of.is_counted))
        .collect();
    assert_eq!(
        sizes,
        [
            (8, true),
            (128, false),
            (256, false),
            (384, false),
            (512, false),
            (20, true),
            (30, true)
        ]
    );
    let other = crate::lesson::RunCell {
        id: "other".to_owned(),
        ..copy.clone()
    };
    assert_eq!(lesson.recorded_sizes_of(&other).len(), 3);
}

#[test]
fn many_recordings_and_cells_are_read_in_time_by_their_number() {
    let few = processor_time_to_read(4_000, 400);
    let many = processor_time_to_read(16_000, 1_600);
    // Each held against all before would take 16 times as long.
    assert!(
        many < 8 * few,
        "{few:?}, and of four times as many {many:?}"
    );
}

/// What this thread spends on reading a lesson with so many recordings and kernel cells.
fn processor_time_to_read(recordings: usize, cells: usize) -> Duration {
    let listed: String = (0..recordings)
        .map(|at| format!("[[recordings]]\nN = {}\n", 100 + at))
        .collect();
    let headings: String = (0..cells)
        .map(|at| format!("# Part {at}\n\n```kernel text-{at}\ntitle = \"T\"\nsource = \"copy.cu\"\nkernel = \"copy\"\n```\n\n"))
        .collect();
    let text = LESSON.replace("[[recordings]]\nN = 100\n", &listed) + &headings;
    let begun = thread_time();
    let (lesson, found) = parse(&text);
    let spent = thread_time() - begun;
    let lesson = lesson.unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(lesson.recordings.len(), recordings);
    assert!(lesson.cells.len() > 2 * cells);
    spent
}

/// Processor time of this thread so far, which other work on the machine does not change.
fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
