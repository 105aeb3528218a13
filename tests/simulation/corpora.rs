//! What fuzzing found worth keeping, again: `fuzz/corpus/TARGET/*`, and every kernel among the fixtures.

use crate::files::{files_under, kernels_in, root};
use crate::targets;

fn replay(target: fn(&[u8]), name: &str) {
    let corpus = files_under(&root().join("fuzz/corpus").join(name));
    assert!(!corpus.is_empty(), "{name} has a corpus");
    for path in corpus.into_iter().chain(kernels_in("")) {
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

#[test]
fn lessons_and_formulas_are_read() {
    replay(targets::lesson, "lesson");
    replay(targets::formula, "formula");
}

#[test]
fn files_and_messages_are_read() {
    replay(targets::npy, "npy");
    replay(targets::state, "state");
    replay(targets::recording, "recording");
    replay(targets::worker, "worker");
}

#[test]
fn bytes_of_a_terminal_are_read() {
    replay(targets::input, "input");
}
