//! Any text: nothing panics, and every place lies in the text.

use proptest::prelude::*;

use super::*;

/// Words that kernels are made of.
const SOUP: [&str; 74] = [
    "__global__",
    "__device__",
    "__shared__",
    "extern",
    "\"C\"",
    "void",
    "int",
    "float",
    "float4",
    "unsigned",
    "const",
    "constexpr",
    "if",
    "else",
    "for",
    "while",
    "do",
    "return",
    "break",
    "k",
    "x",
    "y",
    "i",
    "n",
    "threadIdx",
    ".x",
    ".",
    "->",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "+",
    "-",
    "*",
    "/",
    "%",
    "=",
    "+=",
    "==",
    "<",
    "<<",
    "&&",
    "&",
    "|",
    "!",
    "?",
    ":",
    "::",
    "++",
    "1",
    "2.0f",
    "0x",
    "'a'",
    "\n#define",
    "\n#if",
    "\n#endif\n",
    "\n",
    "##",
    "#",
    "sizeof",
    "static_cast<",
    ">",
    "using",
    "template",
    "struct",
    "switch",
    "__shfl_sync",
    "max",
    "auto",
];

fn spans_lie_in(text: &str) {
    let file = SourceFile::new("a.cu", text);
    for diagnostic in parse(&file, &[]).diagnostics {
        for label in &diagnostic.labels {
            let range = label.span.range();
            assert!(
                text.get(range.clone()).is_some(),
                "{range:?} of {diagnostic:?}"
            );
        }
        assert!(!diagnostic.message.is_empty());
    }
}

proptest! {
    #[test]
    fn any_option_gets_an_answer(name in "\\PC{0,5}", value in "\\PC{0,12}") {
        let text = "__global__ void k(int* x) { x[0] = N; }";
        let file = SourceFile::new("a.cu", text);
        for define in [(name, value.clone()), ("N".to_string(), value)] {
            for diagnostic in parse(&file, &[define]).diagnostics {
                prop_assert!(text.get(diagnostic.span().range()).is_some());
            }
        }
    }

    #[test]
    fn any_text_gets_diagnostics_within_it(text in "\\PC*") {
        spans_lie_in(&text);
    }

    #[test]
    fn any_soup_of_words_gets_diagnostics_within_it(
        words in proptest::collection::vec(proptest::sample::select(&SOUP[..]), 0..80)
    ) {
        spans_lie_in(&words.join(" "));
        spans_lie_in(&format!("__global__ void k(float* x, int n) {{ {} }}", words.join(" ")));
    }
}
