//! Kernels as files: those that must be read without a word, and those that must be refused.
//!
//! A file in `refused` says what must be found in it, no more and no less, in lines
//! `//@ error: TEXT at LINE:COLUMN` (or `warning`); TEXT is a part of the message.

use std::fs;
use std::path::PathBuf;

use crate::files::kernels_in;
use proptest::prelude::*;
use tutor::cuda::{Parsed, parse};
use tutor::source::{Severity, SourceFile, Style, render};

fn fixtures(directory: &str) -> Vec<(PathBuf, SourceFile)> {
    let files = kernels_in(directory);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (path, SourceFile::new(&name, &text))
    };
    files.into_iter().map(read).collect()
}

fn rendered(parsed: &Parsed, file: &SourceFile) -> String {
    let all = parsed.diagnostics.iter();
    let texts: Vec<String> = all
        .map(|diagnostic| render(diagnostic, file, Style::Plain))
        .collect();
    texts.join("\n")
}

#[test]
fn everyday_kernels_are_read_without_a_word() {
    let mut files = fixtures("cuda/accepted");
    files.extend(fixtures("counters"));
    let executed = fixtures("execution").into_iter();
    files.extend(executed.filter(|(path, _)| path.ends_with("cpp_features.cu")));
    assert!(
        files
            .iter()
            .any(|(path, _)| path.ends_with("cpp_features.cu"))
    );
    for (path, file) in files {
        let parsed = parse(&file, &[]);
        let report = rendered(&parsed, &file);
        assert!(
            parsed.diagnostics.is_empty(),
            "{}\n{report}",
            path.display()
        );
        let kernels = file.text().matches("__global__").count();
        assert_eq!(
            parsed.program.kernels().count(),
            kernels,
            "{}",
            path.display()
        );
        super::invariants::hold(&parsed.program);
    }
}

/// `error: TEXT at LINE:COLUMN`, with all of the message for TEXT.
fn found(parsed: &Parsed, file: &SourceFile) -> Vec<String> {
    let line = |diagnostic: &tutor::source::Diagnostic| {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
        };
        let (line, column) = file.line_column(diagnostic.span().start);
        format!("{severity}: {} at {line}:{column}", diagnostic.message)
    };
    parsed.diagnostics.iter().map(line).collect()
}

fn agrees(expected: &str, found: &str) -> bool {
    let split = |text: &str| {
        let (head, place) = text.rsplit_once(" at ").expect("`TEXT at LINE:COLUMN`");
        let (severity, message) = head.split_once(": ").expect("`error: TEXT`");
        [severity, message, place].map(str::to_string)
    };
    let ([severity, part, place], [found_severity, message, found_place]) =
        (split(expected), split(found));
    severity == found_severity && message.contains(&part) && place == found_place
}

#[test]
fn what_is_refused_is_named_and_pointed_at() {
    let mut wrong = Vec::new();
    for (path, file) in fixtures("cuda/refused") {
        let comments = file
            .text()
            .lines()
            .filter_map(|line| line.strip_prefix("//@ "));
        let expected: Vec<&str> = comments.collect();
        let parsed = parse(&file, &[]);
        let found = found(&parsed, &file);
        let all = !expected.is_empty()
            && expected.len() == found.len()
            && expected
                .iter()
                .zip(&found)
                .all(|(expected, found)| agrees(expected, found));
        if !all {
            let report = rendered(&parsed, &file);
            let found = found.join("\n//@ ");
            wrong.push(format!("{} gives\n//@ {found}\n{report}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words and blanks of a text, so that joining them gives the text.
fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

proptest! {
    /// A kernel with a few words lost, doubled or moved is read without a panic; diagnostics point
    /// into it; and what is accepted keeps the promises of the typed program.
    #[test]
    fn damaged_kernels_are_refused_or_sound(
        file in 0..64usize,
        damage in proptest::collection::vec((0..10_000usize, 0..10_000usize, 0..3), 1..4),
    ) {
        let mut files = fixtures("cuda/accepted");
        files.extend(fixtures("execution"));
        let file = &files[file % files.len()].1;
        let mut words = words(file.text());
        for (at, other, kind) in damage {
            let (at, other) = (at % words.len(), other % words.len());
            match kind {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                _ => words[at] = words[other],
            }
        }
        let text = words.concat();
        let file = SourceFile::new("damaged.cu", &text);
        let parsed = parse(&file, &[]);
        for label in parsed.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            prop_assert!(text.get(label.span.range()).is_some());
        }
        if !parsed.has_errors() {
            super::invariants::hold(&parsed.program);
        }
    }
}
