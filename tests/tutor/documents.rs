//! The documents at the root: README stays one page, and the files, links and help pages that they name are there.

use crate::files::root;
use crate::program::tutor;

/// Most words of README: what a stranger reads before the first command.
const README_WORDS: usize = 700;

const DOCUMENTS: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect("is there")
}

/// What stands between backticks in `text`, outside of blocks of code.
fn quoted(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .collect()
}

#[test]
fn the_first_page_is_one_page() {
    let words = text("README.md").split_whitespace().count();
    assert!(words <= README_WORDS, "{words} words");
}

#[test]
fn files_that_documents_name_are_there() {
    let folders = [
        "src/", "tests/", "lessons/", "kernels/", "assets/", "benches/", "fuzz/",
    ];
    let mut named = 0;
    for document in DOCUMENTS {
        let text = text(document);
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let paths = quoted(&text).into_iter();
        let paths = paths.filter(|path| folders.iter().any(|folder| path.starts_with(folder)));
        for path in paths.chain(links) {
            named += 1;
            assert!(root().join(path).exists(), "{document} names {path}");
        }
    }
    assert!(named > 50, "{named} paths");
}

#[test]
fn help_pages_that_documents_name_are_there() {
    let mut named = 0;
    for document in DOCUMENTS {
        let text = text(document);
        let topics = quoted(&text).into_iter();
        let topics = topics.filter_map(|command| command.strip_prefix("tutor help "));
        for topic in topics.filter(|topic| *topic != "TOPIC") {
            named += 1;
            let run = tutor(&["help", topic]);
            assert_eq!(run.code, 0, "{document}: {}", run.stderr);
        }
    }
    assert!(named > 3, "{named} topics");
}
