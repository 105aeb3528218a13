//! What a stranger's lesson or kernel says reaches a terminal, a file and the clipboard as letters only.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use portable_pty::CommandBuilder;

use crate::driver::{Terminal, skip_tour};

/// Writes the clipboard, colours in 8-bit controls, turns letters around, hides one.
const HOSTILE: &str = "\x1b]52;c;aG9zdGlsZQ==\x07\u{9b}31m\u{202e}\u{2066}\u{61c}\u{200b}";
/// How it is shown.
const SHOWN: &str =
    "\u{241b}]52;c;aG9zdGlsZQ==\u{2407}\\u{9b}31m\\u{202e}\\u{2066}\\u{61c}\\u{200b}";

/// `text` in a string of TOML.
fn toml(text: &str) -> String {
    text.chars()
        .map(|c| format!("\\U{:08X}", u32::from(c)))
        .collect()
}

/// A lesson that says it wherever a lesson can say anything.
fn lesson() -> String {
    let escaped = toml(HOSTILE);
    let entities: String = HOSTILE
        .chars()
        .map(|c| format!("&#{};", u32::from(c)))
        .collect();
    let file = format!("k{escaped}.cu");
    format!(
        r#"+++
id = "mine"
title = "Mine {escaped}\nEverything ran, and every result was verified."
summary = "One kernel {escaped}"
minutes = 1
[sizes.N]
label = "elements {escaped}"
default = 100
min = 1
max = 4096
+++
# A page {HOSTILE}

Raw {HOSTILE} and named {entities}, `code {HOSTILE}`, [link](javascript:{HOSTILE} "{HOSTILE}") {HOSTILE}.

![A dot](dot.png) ![Beside](../dot.png) ![Far](https://evil.example/dot.png) ![Vector](dot.svg)

```cuda
int x; // {HOSTILE}
```

| a {HOSTILE} | b |
|---|---|
| {HOSTILE} | 1 |

<!-- notes: Say {HOSTILE} aloud -->

```run twice
title = "Twice {escaped}\nEverything ran, and every result was verified."
source = "{file}"
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

<!-- notes: Twice {HOSTILE} -->

# Guess {HOSTILE}

```prediction guess
title = "Guess {escaped}"
question = "How many {escaped} {entities}?"
answer = "twice: elements read"
choices = ["N", "2*N"]
```

# Read {HOSTILE}

```kernel page
title = "Read {escaped}"
source = "{file}"
kernel = "twice"
note = "A note {escaped}"
```

# An SM {HOSTILE}

```calculator sm
title = "An SM {escaped}"
threads = "64"
registers = "32"
shared = "0"
cc = "9.0"
```

# A plot {HOSTILE}

```figure plot
title = "A plot {escaped}"
kind = "lines"
x = "N"
y = "elements read"
cells = ["twice"]
```
"#
    )
}

/// A kernel that says it in its comments, literals and names, and prints it.
fn kernel() -> String {
    format!(
        "// {HOSTILE}\n#define NAME{HOSTILE}\n__global__ void twice(float* x, int n) {{ /* {HOSTILE} */\n    \
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
         if (i == 0) printf(\"{HOSTILE} %d\\n\", n);\n    \
         if (i < n) x[i] = 2.0f * x[i];\n}}\n"
    )
    .replace(&format!("#define NAME{HOSTILE}\n"), "")
}

/// A folder with that lesson.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("is in a folder")).expect("a folder");
        std::fs::write(path, text).expect("is written");
    };
    write("lessons/mine.md", &lesson());
    write(&format!("kernels/k{HOSTILE}.cu"), &kernel());
    write(
        &format!("bad{HOSTILE}.cu"),
        &format!(
            "#error \"{HOSTILE}\"\n__global__ void f{HOSTILE}(int* x) {{ x[0] = y{HOSTILE}; \"{HOSTILE} }}\n"
        ),
    );
    write(
        "lessons/broken.md",
        &lesson().replace("minutes = 1", &format!("minutes = \"{}\"", toml(HOSTILE))),
    );
    for dot in ["lessons/dot.png", "dot.png"] {
        std::fs::write(folder.path().join(dot), b"\x89PNG\r\n\x1a\n").expect("is written");
    }
    write("lessons/dot.svg", "<svg onload='alert(1)'/>");
    std::fs::create_dir(folder.path().join("state")).expect("a folder");
    skip_tour(&folder.path().join("state"));
    folder
}

/// Whether a terminal obeys `c`, or shows nothing for it.
fn is_hostile(c: char) -> bool {
    let hidden = "\u{61c}\u{200b}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}";
    c.is_control() && c != '\n' && c != '\t' || hidden.contains(c)
}

#[track_caller]
fn assert_letters(text: &str, of: &str) {
    let found = text.chars().position(is_hostile);
    let around = found.map(|at| text.chars().skip(at.saturating_sub(30)).take(60));
    let around = around.map(|text| text.collect::<String>());
    assert_eq!(around, None, "{of}");
}

/// A command in `folder`: its exit code, standard output and standard error, both looked at.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tutor"))
        .args(arguments)
        .current_dir(folder)
        .env("CUDA_VISIBLE_DEVICES", "")
        .env("TUTOR_STATE", folder.join("state"))
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("prints UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    let of = arguments.join(" ");
    assert_letters(&stdout, &of);
    assert_letters(&stderr, &of);
    (
        output.status.code().expect("ends by itself"),
        stdout,
        stderr,
    )
}

/// The notebook, or another command, in a terminal.
fn terminal(folder: &Path, arguments: &[&str]) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tutor"));
    command.args(arguments);
    command.cwd(folder);
    command.env("TUTOR_STATE", folder.join("state"));
    Terminal::start(command, 140, 50)
}

/// Fails if anything but sequences of our own was written: those of a clipboard, or a character that hides.
#[track_caller]
fn assert_ours(terminal: &Terminal) {
    let written = String::from_utf8_lossy(&terminal.written);
    assert!(!written.contains("aG9zdGlsZQ==\x07"), "{written:?}");
    assert!(!written.contains("\x1b]52;c;aG9zdGlsZQ=="), "{written:?}");
    let found = written
        .chars()
        .find(|&c| is_hostile(c) && !matches!(c, '\x1b' | '\r' | '\x07'));
    assert_eq!(found, None, "{written:?}");
}

#[test]
fn what_is_printed_and_exported_is_letters_only() {
    let folder = folder();
    let folder = folder.path();
    let plain = [
        "run",
        "lesson",
        "lessons/mine.md",
        "--plain",
        "--engine",
        "sim",
    ];
    let (code, text, said) = run(folder, &plain);
    assert_eq!(code, 0, "{text}\n{said}");
    for part in [
        format!("Mine {SHOWN}"),
        format!("One kernel {SHOWN}"),
        format!("A page {SHOWN}"),
        format!("{SHOWN}`,"),
        format!("// {SHOWN}"),
        format!("Twice {SHOWN}"),
        format!("kernels/k{SHOWN}.cu"),
        format!("A note {SHOWN}"),
        format!("{SHOWN} 100"),
    ] {
        assert!(text.contains(&part), "{part} is missing in\n{text}");
    }
    // A newline in a title begins no line: only the last one is the program's own.
    let verdicts = text
        .lines()
        .filter(|line| *line == "Everything ran, and every result was verified.");
    assert_eq!(verdicts.count(), 1, "{text}");
    let (code, json, _) = run(folder, &["run", "lesson", "lessons/mine.md", "--json"]);
    assert_eq!(code, 0);
    let json: serde_json::Value = serde_json::from_str(&json).expect("is JSON");
    assert!(json.to_string().contains("\\u001b]52"), "{json}");
    for form in ["md", "html"] {
        let out = format!("mine.{form}");
        let export = ["export", "lessons/mine.md", "--engine", "sim"];
        let (code, text, _) = run(folder, &[&export[..], &["--format", form]].concat());
        assert_eq!(code, 0);
        assert!(text.contains(SHOWN), "{text}");
        run(folder, &[&export[..], &["--out", &out]].concat());
        let file = std::fs::read_to_string(folder.join(&out)).expect("was written");
        assert_eq!(file, text);
        assert!(!file.contains("href=\"javascript"), "{file}");
        // The picture beside the lesson is in the page; those of other folders, machines and kinds are their words.
        let pictures = usize::from(form == "html");
        assert_eq!(
            file.matches("<img src=\"data:image/png;base64,").count(),
            pictures
        );
        assert_eq!(file.matches("src=").count(), pictures, "{file}");
    }
    let (_, text, _) = run(folder, &["check", "lessons/mine.md"]);
    assert!(text.contains("mine"), "{text}");
    run(folder, &["check", "lessons/mine.md", "--json"]);
    run(folder, &["list"]);
}

#[test]
fn errors_quote_names_and_lines_as_letters() {
    let folder = folder();
    let folder = folder.path();
    let bad = format!("bad{HOSTILE}.cu");
    let kernel = [
        "--kernel",
        "f",
        "--grid",
        "1",
        "--block",
        "1",
        "--arg",
        "i32[1]:zero",
    ];
    let (code, _, said) = run(folder, &[&["run", "kernel", &bad][..], &kernel].concat());
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(&format!("bad{SHOWN}.cu:1:")), "{said}");
    let missing = format!("none{HOSTILE}");
    let broken = ["run", "lesson", "lessons/broken.md", "--plain"];
    assert_eq!(run(folder, &broken).0, 1);
    assert_eq!(run(folder, &["check", "lessons/broken.md"]).0, 1);
    for line in [
        &[
            "run", "kernel", &missing, "--kernel", "f", "--grid", "1", "--block", "1",
        ][..],
        &["run", "lesson", &missing],
        &["run", "lesson", &format!("{missing}.md")],
        &["run", "lesson", &format!("softmax#{missing}")],
        &[
            "run",
            "lesson",
            "lessons/mine.md",
            "--plain",
            "--cell",
            &missing,
        ],
        &[
            "run",
            "lesson",
            "lessons/mine.md",
            "--plain",
            "--size",
            &format!("{missing}=1"),
        ],
        &["run", "lesson", "softmax", "--size", &missing],
        &["run", "lesson", "softmax", "--gpu", &missing],
        &["run", "lesson", "softmax", "--theme", &missing],
        &["run", "lesson", "softmax", &format!("--{missing}")],
        &[&missing],
        &["run", &missing],
        &["help", &missing],
        &["export", "softmax", "--out", &format!("{missing}.txt")],
        &["check", &missing],
        &["completions", &missing],
        &["occupancy", "--cc", &missing],
    ] {
        let (code, text, said) = run(folder, line);
        assert_ne!(code, 0, "{line:?} {text}");
        assert!(said.contains("\u{241b}]52"), "{line:?}: {said}");
    }
    // Coloured in a terminal, and nothing but coloured.
    for line in [
        [&["run", "kernel", &bad][..], &kernel].concat(),
        vec![&missing],
    ] {
        let mut terminal = terminal(folder, &line);
        assert_ne!(terminal.end(), 0);
        assert_ours(&terminal);
        let written = String::from_utf8_lossy(&terminal.written).into_owned();
        assert!(
            written.contains("\x1b[") && written.contains("\u{241b}]52"),
            "{written}"
        );
        for sequence in written.split('\x1b').skip(1) {
            let end = sequence.find(|c: char| !matches!(c, '[' | ';' | '0'..='9'));
            let end = end.and_then(|end| sequence[end..].chars().next());
            assert_eq!(end, Some('m'), "{written:?}");
        }
    }
}

#[test]
fn a_name_that_is_no_text_is_refused_as_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let name = OsStr::from_bytes(b"\xff\x1b]52;c;aG9zdGlsZQ==\x07");
    for line in [&["run", "lesson"][..], &["completions"], &[]] {
        let run = Command::new(env!("CARGO_BIN_EXE_tutor"))
            .args(line)
            .arg(name)
            .output();
        let run = run.expect("the binary starts");
        assert_eq!(run.status.code(), Some(2));
        assert_letters(
            &String::from_utf8(run.stderr).expect("is UTF-8"),
            "standard error",
        );
    }
}

#[test]
fn frames_of_the_notebook_and_its_clipboard_are_letters_only() {
    let folder = folder();
    let folder = folder.path();
    let mut terminal = terminal(
        folder,
        &["run", "lesson", "lessons/mine.md", "--engine", "sim"],
    );
    terminal.wait_for(&format!("A page {}", &SHOWN[..30]));
    // The rest of the text comes before the next page.
    terminal.press("n");
    for cell in ["Guess", "Read", "An SM", "A plot"] {
        terminal.press("n");
        terminal.wait_for(&format!("{cell} \u{241b}]52"));
        // The answer to the question; nothing elsewhere.
        terminal.press("=");
        assert_ours(&terminal);
    }
    // Back to the run: its counts and values, the list of cells, the editor.
    for _ in 0..4 {
        terminal.press("p");
    }
    terminal.wait_for("1 check");
    for (keys, shows) in [("\t", "1 check"), ("\t", "1 check"), ("e", "ctrl-q quit")] {
        terminal.press(keys);
        terminal.wait_for(shows);
        assert_ours(&terminal);
    }
    terminal.press("\x1b");
    terminal.wait_for("? help");
    // What is copied is in an OSC 52 of ours.
    terminal.press(":copy this cell\r");
    terminal.wait_for("copied");
    assert_ours(&terminal);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    let copied = written.split("\x1b]52;c;").nth(1).expect("was copied");
    let copied = decoded(copied.split('\x1b').next().expect("ends"));
    assert_letters(&copied, "the clipboard");
    assert!(copied.contains(SHOWN), "{copied}");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// Base64, as far as it is whole.
fn decoded(digits: &str) -> String {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(u32::from(c - b'A')),
        b'a'..=b'z' => Some(u32::from(c - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(c - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::new();
    let digits: Vec<u32> = digits.bytes().filter_map(digit).collect();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    String::from_utf8(bytes).expect("is text")
}

#[test]
fn notes_of_a_speaker_are_letters_only() {
    let folder = folder();
    let folder = folder.path();
    let mut room = terminal(folder, &["present", "lessons/mine.md", "--engine", "sim"]);
    room.wait_for("A page");
    let mut notes = terminal(folder, &["notes"]);
    notes.wait_for(&format!("Say {}", &SHOWN[..30]));
    let mut printed = Command::new(env!("CARGO_BIN_EXE_tutor"))
        .arg("notes")
        .env("TUTOR_STATE", folder.join("state"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(printed.stdout.take().expect("is piped"));
    let mut text = String::new();
    while !text.contains("aloud") {
        assert!(lines.read_line(&mut text).expect("is text") > 0, "{text}");
    }
    room.press("q");
    assert_eq!(room.end(), 0);
    lines.read_to_string(&mut text).expect("is text");
    assert!(text.contains(SHOWN), "{text}");
    assert_letters(&text, "notes");
    assert_ours(&room);
    notes.press("q");
    assert_eq!(notes.end(), 0);
    assert_ours(&notes);
    printed.wait().expect("ends with the presentation");
}
