//! The dump of our syntax definition, which the program loads in microseconds, is that of the definition.
//!
//! After a change of `assets/syntax/*.sublime-syntax`, `UPDATE_SYNTAXES=1 cargo test --test tutor syntax` writes it.

use crate::files::{files_under, kernels_in, root};
use syntect::dumps::{dump_to_uncompressed_file, from_uncompressed_data};
use syntect::parsing::{ParseState, ScopeStackOp, SyntaxSet, SyntaxSetBuilder};

const DUMP: &str = "assets/syntax/syntaxes.packdump";

fn defined() -> SyntaxSet {
    let mut builder = SyntaxSetBuilder::new();
    let folder = root().join("assets/syntax");
    builder
        .add_from_folder(folder, true)
        .expect("the definition compiles");
    builder.build()
}

fn extension(path: &std::path::Path) -> &str {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.unwrap_or_default()
}

/// What each line of `text` opens and closes, and where.
fn operations(
    syntaxes: &SyntaxSet,
    extension: &str,
    text: &str,
) -> Vec<Vec<(usize, ScopeStackOp)>> {
    let syntax = syntaxes
        .find_syntax_by_extension(extension)
        .expect("it is for .cu and .py files");
    let mut state = ParseState::new(syntax);
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| {
            state
                .parse_line(line, syntaxes)
                .expect("every line can be parsed")
        })
        .collect()
}

#[test]
fn the_dump_colours_every_kernel_as_the_definition_does() {
    let defined = defined();
    if std::env::var_os("UPDATE_SYNTAXES").is_some() {
        dump_to_uncompressed_file(&defined, root().join(DUMP)).expect("can be written");
    }
    let dump = std::fs::read(root().join(DUMP)).expect("is there");
    let dumped: SyntaxSet = from_uncompressed_data(&dump).expect("is a dump of this syntect");
    let mut sources = files_under(&root().join("kernels"));
    sources.retain(|path| extension(path) == "cu" || extension(path) == "py");
    sources.extend(kernels_in(""));
    assert!(sources.len() > 100, "{} sources", sources.len());
    for path in sources {
        let text = std::fs::read_to_string(&path).expect("is text");
        let ending = extension(&path);
        let same = operations(&dumped, ending, &text) == operations(&defined, ending, &text);
        assert!(
            same,
            "{}: `UPDATE_SYNTAXES=1 cargo test --test tutor syntax` writes the dump",
            path.display()
        );
    }
}
