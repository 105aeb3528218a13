//! The texts that fuzzing found worth keeping, again: `fuzz/corpus/TARGET/*`, and every fixture.

use std::path::{Path, PathBuf};

use super::targets;

/// Every file under `folder`, deeper ones too.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("is a folder");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("is readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn replay(target: fn(&[u8]), name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = files(&root.join("fuzz/corpus").join(name));
    assert!(!kept.is_empty(), "{name} has a corpus");
    let fixtures = files(&root.join("tests/tutor/fixtures"));
    let kernels = fixtures
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "cu"));
    for path in kept.into_iter().chain(kernels) {
        target(&std::fs::read(&path).expect("is readable"));
    }
}

#[test]
fn texts_are_split_into_tokens() {
    replay(targets::lex, "lex");
}

#[test]
fn texts_are_read() {
    replay(targets::parse, "parse");
}

#[test]
fn texts_are_compiled() {
    replay(targets::compile_all, "compile");
}

#[test]
fn texts_run() {
    replay(targets::run, "run");
}
