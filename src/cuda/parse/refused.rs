//! What is C++ or CUDA but not supported yet, by name; and which words are never names.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::source::{Diagnostic, Span};

use crate::cuda::lex::Bad;

/// The words that are never names.
static KEYWORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "alignas asm auto bool break case catch char class const const_cast constexpr continue decltype default \
     delete do double dynamic_cast else enum explicit extern false float for friend goto if inline int long \
     mutable namespace new noexcept nullptr operator private protected public register reinterpret_cast \
     return short signed sizeof static static_assert static_cast struct switch template this throw true try \
     typedef typename union unsigned using virtual void volatile while __global__ __device__ __host__ \
     __shared__ __constant__ __restrict__ __launch_bounds__ __attribute__ __declspec __align__"
        .split(' ')
        .collect()
});

/// Whether a word can never be the name of something declared.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(word)
}

/// How messages call the types that are known but not supported, and what to use instead.
pub fn named_type(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "__nv_fp8_e4m3" | "__nv_fp8_e5m2" => ("8-bit float types are", "use `float`"),
        "wchar_t" | "char16_t" | "char32_t" => ("wide characters are", "use `int`"),
        "__int128" | "__int128_t" => ("128-bit integers are", "use two `long long`"),
        _ => return None,
    })
}

/// The message about something that is no token.
pub fn token(bad: Bad, span: Span) -> Diagnostic {
    match bad {
        Bad::Character(character) => {
            let shown = character.escape_debug();
            Diagnostic::error(span, format!("the character `{shown}` means nothing here"))
        }
        Bad::OpenChar => {
            Diagnostic::error(span, "this character is never closed").help("add `'` where it ends")
        }
        Bad::OpenString => {
            Diagnostic::error(span, "this string is never closed").help("add `\"` where it ends")
        }
    }
}

/// The message about a word that begins a construct that is not supported.
pub fn construct(word: &str, span: Span) -> Option<Diagnostic> {
    let (what, help) = match word {
        "struct" => (
            "this use of `struct` is",
            "define it before, as `struct NAME {…};`",
        ),
        "class" => (
            "this use of `class` is",
            "define it before, as `class NAME {…};`",
        ),
        "union" => (
            "this use of `union` is",
            "define it before, as `union NAME {…};`",
        ),
        "goto" => ("`goto` is", "use loops, `break` and `continue`"),
        "catch" => ("this use of `catch` is", "write it after `try {…}`"),
        "operator" => ("operators of your own are", "write a function"),
        "asm" | "__asm__" | "__asm" => ("inline PTX is", "use CUDA's intrinsics"),
        "virtual" => (
            "virtual functions are",
            "choose the function by a template parameter",
        ),
        "explicit" | "public" | "private" | "protected" => {
            ("this word of classes is", "leave it out")
        }
        "concept" | "requires" => ("concepts are", "write one function for each type"),
        "co_await" | "co_return" | "co_yield" => ("coroutines are", "write a loop"),
        "__cluster_dims__" => ("thread block clusters are", "leave it out"),
        _ => return None,
    };
    Some(Diagnostic::error(span, format!("{what} not supported yet")).help(help))
}

pub fn is_type_word(word: &str) -> bool {
    matches!(word, "struct" | "class" | "union" | "enum")
}
