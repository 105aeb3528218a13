//! The walls of the source: who imports whom, how long files are, and what must not stand in them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Longest file, in lines.
const MAX_LINES: usize = 800;

/// Names that say nothing.
const EMPTY_NAMES: [&str; 4] = ["utils", "common", "helpers", "misc"];

/// What must not stand anywhere. Written in two parts, so that this file may be read as well.
const NOWHERE: [&str; 6] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("#[ign", "ore"),
    concat!("thread::", "sleep"),
];

/// A source file: its path from the root, with `/`, and its text.
struct File {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file under `folder`.
fn files(folder: &str) -> Vec<File> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "{folder} has files");
    found
}

fn collect(folder: &Path, found: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).expect("is a folder") {
        let path = entry.expect("can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root()).expect("is under the root");
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            found.push(File {
                path: parts.join("/"),
                text: std::fs::read_to_string(&path).expect("is text"),
            });
        }
    }
}

/// The modules of all crates, lowest first.
fn order() -> Vec<String> {
    let roots = ["src/compiler.rs", "src/simulator.rs", "src/lib.rs"];
    let texts = roots.map(|path| std::fs::read_to_string(root().join(path)).expect("is there"));
    let lines = texts.iter().flat_map(|text| text.lines());
    let modules = lines.filter_map(|line| {
        let name = line.strip_prefix("pub mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    });
    modules.collect()
}

impl File {
    /// The module of `src` it belongs to; none for `lib.rs` and `main.rs`.
    fn module(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        Some(inside.split_once('/')?.0)
    }

    /// Whether all of it is tests.
    fn is_test(&self) -> bool {
        ["/tests.rs", "/tests/", "/testing.rs", "/testing/"]
            .iter()
            .any(|part| self.path.contains(part))
    }

    /// The text without comments, and with strings emptied.
    fn code(&self) -> String {
        let mut code = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some(first) = rest.chars().next() {
            let skipped = comment_or_string(rest);
            if skipped > 0 {
                code.push(' ');
                rest = &rest[skipped..];
            } else {
                code.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        code
    }

    /// The code before the tests at its end; none of a file that is all tests.
    fn code_without_tests(&self) -> String {
        if self.is_test() {
            return String::new();
        }
        let code = self.code();
        let end = code.find("#[cfg(test)]").unwrap_or(code.len());
        code[..end].to_owned()
    }
}

/// Length of the comment, string or character literal that `text` begins with, or 0.
fn comment_or_string(text: &str) -> usize {
    let until = |end: &str, from: usize| {
        let found = text[from..].find(end);
        found.map_or(text.len(), |at| from + at + end.len())
    };
    if text.starts_with("//") {
        return until("\n", 2);
    }
    if text.starts_with("/*") {
        return until("*/", 2);
    }
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            return until(&format!("\"{}", "#".repeat(hashes)), hashes + 2);
        }
    }
    if text.starts_with("'\"'") {
        return 3;
    }
    if text.starts_with('"') {
        return string_length(text);
    }
    0
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Every path that begins with `crate::` in `code`, groups written out.
fn crate_paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let mut rest = &code[at + "crate::".len()..];
        write_out("", &mut rest, &mut paths);
    }
    paths
}

/// Reads one path, or a group of paths, behind `prefix`.
fn write_out(prefix: &str, rest: &mut &str, paths: &mut Vec<String>) {
    *rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('{') {
        *rest = inside;
        loop {
            write_out(prefix, rest, paths);
            *rest = rest.trim_start();
            match rest.strip_prefix(',') {
                Some(next) if !next.trim_start().starts_with('}') => *rest = next,
                Some(next) => *rest = next.trim_start(),
                None => break,
            }
            if rest.starts_with('}') {
                break;
            }
        }
        *rest = rest.strip_prefix('}').unwrap_or(rest);
        return;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let path = format!("{prefix}{}", &rest[..length]);
    *rest = &rest[length..];
    match rest.strip_prefix("::") {
        Some(more) if more.starts_with(|c: char| is_word(c) || c == '{') => {
            *rest = more;
            write_out(&format!("{path}::"), rest, paths);
        }
        _ => paths.push(path),
    }
}

/// What is wrong with the imports of `file`.
fn import_faults(file: &File, order: &[String]) -> Vec<String> {
    let Some(module) = file.module() else {
        return Vec::new();
    };
    let place = |name: &str| order.iter().position(|module| module == name);
    let Some(own) = place(module) else {
        return vec![format!("{}: `{module}` is in no root", file.path)];
    };
    let fault = |path: String| {
        let parts: Vec<&str> = path.split("::").collect();
        let Some(target) = place(parts[0]) else {
            return Some(format!("{}: crate::{path} is no module", file.path));
        };
        let goes_deep =
            target != own && parts.len() > 2 && parts[1].starts_with(char::is_lowercase);
        if target > own {
            Some(format!(
                "{}: `{module}` imports upward: crate::{path}",
                file.path
            ))
        } else if goes_deep {
            Some(format!(
                "{}: goes behind the face: crate::{path}",
                file.path
            ))
        } else {
            None
        }
    };
    crate_paths(&file.code())
        .into_iter()
        .filter_map(fault)
        .collect()
}

/// Climbing with `super::` out of the module would go around the wall.
fn climbing_faults(file: &File) -> Vec<String> {
    if file.module().is_none() {
        return Vec::new();
    }
    let code = file.code();
    let folders = file.path.matches('/').count() - 1;
    let nesting = folders - usize::from(file.path.ends_with("/mod.rs"));
    let inline = usize::from(code.contains("mod tests {") || code.contains("\nmod "));
    let chains = code
        .match_indices("super::")
        .filter(|&(at, _)| !code[..at].ends_with("super::"));
    let longest = chains.map(|(at, _)| {
        let rest = &code[at..];
        (rest.len() - rest.trim_start_matches("super::").len()) / "super::".len()
    });
    match longest.max() {
        Some(longest) if longest > nesting + inline => {
            vec![format!(
                "{}: {longest} times `super` leaves the module",
                file.path
            )]
        }
        _ => Vec::new(),
    }
}

/// Fails with every line of `faults`.
fn none(faults: &[String]) {
    let mut text = String::new();
    for fault in faults {
        writeln!(text, "{fault}").expect("is memory");
    }
    assert!(faults.is_empty(), "\n{text}");
}

#[test]
fn modules_import_only_those_below_them_and_only_their_face() {
    let order = order();
    assert!(
        order.len() > 10 && order[0] == "source",
        "the roots list the modules"
    );
    let files = files("src");
    let mut faults: Vec<String> = Vec::new();
    for file in &files {
        faults.extend(import_faults(file, &order));
        faults.extend(climbing_faults(file));
    }
    none(&faults);
}

#[test]
fn the_wall_sees_what_it_must_not_let_through() {
    let order = ["source", "ir", "cli"].map(str::to_owned);
    let faults = |text: &str| {
        let file = File {
            path: "src/ir/op.rs".to_owned(),
            text: text.to_owned(),
        };
        import_faults(&file, &order).len() + climbing_faults(&file).len()
    };
    assert_eq!(faults("use crate::source::{Span, file::{A, B}};"), 2);
    assert_eq!(
        faults("use crate::{\n    source::Span,\n    cli::Stop,\n};"),
        1
    );
    assert_eq!(faults("fn f() { crate::cli::main() }"), 1);
    assert_eq!(faults("use super::super::cli::main;"), 1);
    assert_eq!(faults("// crate::cli\nconst A: &str = \"crate::cli\";"), 0);
    assert_eq!(faults("use crate::source::{self, Span, nearest};"), 0);
}

#[test]
fn files_are_short_and_names_say_something() {
    let mut faults = Vec::new();
    for file in files("src").iter().chain(&files("tests")) {
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            faults.push(format!("{}: {lines} lines", file.path));
        }
        let parts = file.path.trim_end_matches(".rs").split('/');
        for part in parts.filter(|part| EMPTY_NAMES.contains(part)) {
            faults.push(format!("{}: `{part}` says nothing", file.path));
        }
    }
    none(&faults);
}

#[test]
fn nothing_is_left_for_later_and_nothing_unwraps() {
    let mut faults = Vec::new();
    for file in files("src").iter().chain(&files("tests")) {
        for word in NOWHERE.iter().filter(|word| file.text.contains(**word)) {
            faults.push(format!("{}: {word}", file.path));
        }
    }
    for file in files("src") {
        if file.code_without_tests().contains(".unwrap()") {
            faults.push(format!("{}: unwraps outside of tests", file.path));
        }
    }
    none(&faults);
}

/// What writes to a terminal, its title or its clipboard.
const WAYS_OUT: [&str; 12] = [
    "print!(",
    "println!(",
    "dbg!(",
    "stdout()",
    "stderr()",
    "Stdout",
    "Stderr",
    ".print()",
    "SetTitle",
    "CopyToClipboard",
    "CrosstermBackend",
    "execute!(",
];

/// The files that may, and what makes everything printable that they write.
const OUTPUTS: [(&str, &str); 8] = [
    (
        "src/cli/run/program_io.rs",
        "what a program prints, byte for byte",
    ),
    ("src/cli/progress.rs", "numbers and words of its own alone"),
    ("src/cli/output.rs", "`print`, `print_json` and `message`"),
    (
        "src/cli/machine/doctor.rs",
        "asks only whether it is a terminal",
    ),
    (
        "src/runtime/terminal/screen.rs",
        "frames, which `Canvas` draws; sequences of ours",
    ),
    ("src/runtime/terminal/modes.rs", "sequences of ours"),
    ("src/runtime/terminal/clipboard.rs", "`copy_sequence`"),
    ("src/gpu/protocol/printed.rs", "numbers, into a pipe"),
];

#[test]
fn what_others_wrote_has_one_way_to_each_output() {
    let mut faults = Vec::new();
    for file in files("src") {
        let code = file.code_without_tests();
        let may = OUTPUTS.iter().any(|(path, _)| *path == file.path);
        for way in WAYS_OUT.iter().filter(|way| !may && code.contains(**way)) {
            faults.push(format!("{}: {way}", file.path));
        }
    }
    // A frame is drawn by one file: there is no other way to its buffer.
    for file in files("src/app/view") {
        let may = file.path == "src/app/view/widgets/canvas.rs";
        if !may && file.code_without_tests().contains("buffer_mut") {
            faults.push(format!("{}: draws past the canvas", file.path));
        }
    }
    none(&faults);
}

/// Crates that know of terminals.
const TERMINAL_CRATES: [&str; 2] = ["ratatui", "crossterm"];

#[test]
fn state_and_its_changes_know_no_terminal() {
    let mut faults = Vec::new();
    for folder in ["src/app/state", "src/app/update"] {
        for file in files(folder) {
            let code = file.code();
            for name in TERMINAL_CRATES.iter().filter(|name| code.contains(**name)) {
                faults.push(format!("{}: {name}", file.path));
            }
        }
    }
    none(&faults);
}

/// Calls that open, make, move or take away files of whatever kind.
const FILE_CALLS: [&str; 12] = [
    "fs::read(",
    "read_to_string(",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions",
    "persist",
    "tempfile",
    "mmap",
];

/// Files that may call them, and why.
const FILES_OPENED: [(&str, &str); 7] = [
    ("src/source/read.rs", "the one way in"),
    ("src/runtime/files/write.rs", "the one way out"),
    ("src/launch/buffer/npy.rs", "opened by `open_regular`"),
    (
        "src/runtime/files/saved_state.rs",
        "the lock, opened by `open_regular`, and what is put aside",
    ),
    (
        "src/gpu/profile.rs",
        "a folder of its own for the profiler's job",
    ),
    (
        "src/gpu/python_folder.rs",
        "a folder of its own for what Python reads and leaves",
    ),
    ("src/gpu/library.rs", "/proc/self/maps"),
];

#[test]
fn files_are_read_and_written_in_one_place_each() {
    let mut faults = Vec::new();
    for file in files("src") {
        // Behind the tests of a file nothing stands.
        if file.path.contains("/testing") || FILES_OPENED.iter().any(|(path, _)| *path == file.path)
        {
            continue;
        }
        let code = file.code_without_tests();
        for call in FILE_CALLS.iter().filter(|call| code.contains(**call)) {
            faults.push(format!(
                "{}: {call} (read by source::read_file, write by runtime::write_file)",
                file.path
            ));
        }
    }
    none(&faults);
}

/// Longest function, in lines.
const MAX_FUNCTION_LINES: usize = 40;

/// Functions that may be longer: tables, a row on a line.
const TABLES: [(&str, &str); 4] = [
    ("src/cuda/typed/walk.rs", "$children"),
    ("src/cuda/builtin/help.rs", "text"),
    ("src/cuda/builtin/help.rs", "types"),
    ("src/host/machine/execute.rs", "operations"),
];

/// The functions of a formatted text: their names and how many lines each has.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let head = ["pub(crate) ", "pub(super) ", "pub ", "const "]
            .iter()
            .fold(line.trim_start(), |head, word| {
                head.trim_start_matches(word)
            });
        let Some(signature) = head.strip_prefix("fn ") else {
            continue;
        };
        if line.ends_with(';') || line.ends_with('}') {
            continue;
        }
        let end = format!("{indent}}}");
        let length = lines[at..].iter().position(|line| **line == *end);
        let name = signature.split(['<', '(']).next().unwrap_or(signature);
        found.push((name.to_owned(), length.map_or(1, |length| length + 1)));
    }
    found
}

#[test]
fn functions_are_short_but_for_tables() {
    let mut faults = Vec::new();
    for file in files("src") {
        if file.is_test() {
            continue;
        }
        let end = file.text.find("#[cfg(test)]").unwrap_or(file.text.len());
        for (name, lines) in functions(&file.text[..end]) {
            let may = TABLES.contains(&(file.path.as_str(), name.as_str()));
            if lines > MAX_FUNCTION_LINES && !may {
                faults.push(format!("{}: `{name}` has {lines} lines", file.path));
            }
        }
    }
    none(&faults);
    let text = "    fn a<'s>(\n        b: u8,\n    ) {\n        c();\n    }\nfn d() {}\n";
    assert_eq!(functions(text), [("a".to_owned(), 5)]);
}
