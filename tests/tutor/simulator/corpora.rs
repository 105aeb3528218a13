//! The texts that fuzzing found worth keeping, again: `fuzz/corpus/TARGET/*`, and every fixture.

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
