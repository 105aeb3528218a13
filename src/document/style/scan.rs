//! A line of CUDA C++ cut into pieces by what its words are: enough to colour it, and nothing more. It knows no
//! declarations: a word is a function because a `(` follows, a constant because it is in capitals.

use std::ops::Range;

use super::theme::Role;

/// The pieces of one line.
pub type Pieces = Vec<(Range<usize>, Role)>;

/// Words by what they are.
const WORDS: [(Role, &str); 5] = [
    (
        Role::Keyword,
        "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ \
         __forceinline__ __noinline__",
    ),
    (
        Role::Intrinsic,
        "threadIdx blockIdx blockDim gridDim warpSize __syncwarp __ballot_sync __any_sync __all_sync __activemask __ldg",
    ),
    (
        Role::Keyword,
        "if else for while do switch case default break continue return goto auto const constexpr static extern inline \
         volatile struct class union enum template typename using namespace typedef public private sizeof alignas \
         alignof operator static_cast reinterpret_cast new delete",
    ),
    (
        Role::Type,
        "void bool char short int long float double unsigned signed size_t ptrdiff_t int8_t int16_t int32_t int64_t \
         uint8_t uint16_t uint32_t uint64_t half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 dim3",
    ),
    (Role::Number, "true false nullptr NULL INFINITY NAN"),
];

/// How built-in functions begin that come in many forms: `atomicAdd`, `__shfl_down_sync`.
const FAMILIES: [&str; 5] = [
    "__syncthreads",
    "__shfl",
    "__reduce",
    "__threadfence",
    "atomic",
];

/// Types of which `float4` is a vector.
const VECTORS: &str = "float double int uint char uchar short ushort longlong";

/// The pieces of `line`, which cover all of it. `in_comment` says whether it begins within `/* … */`, and then whether
/// the next one does: nothing else goes on over the end of a line.
pub(super) fn scan(line: &str, in_comment: &mut bool) -> Pieces {
    let mut pieces = Pieces::new();
    let mut at = 0;
    while at < line.len() {
        let (length, role) = match *in_comment {
            true => {
                let end = line[at..].find("*/");
                *in_comment = end.is_none();
                (end.map_or(line.len() - at, |end| end + 2), Role::Comment)
            }
            false => token(line, at, in_comment),
        };
        match pieces.last_mut() {
            Some((range, last)) if *last == role => range.end += length,
            _ => pieces.push((at..at + length, role)),
        }
        at += length;
    }
    pieces
}

/// The length in bytes of what stands at `at`, outside of comments, and what it is.
fn token(line: &str, at: usize, in_comment: &mut bool) -> (usize, Role) {
    let rest = &line[at..];
    let first = rest.chars().next().unwrap_or_default();
    if let (0, Some(length)) = (at, directive(line)) {
        return (length, Role::Preprocessor);
    }
    if rest.starts_with("//") {
        return (rest.len(), Role::Comment);
    }
    if rest.starts_with("/*") {
        *in_comment = true;
        return (2, Role::Comment);
    }
    // A quote that is never closed is one while somebody types: a string goes on to the end of the line, but an
    // apostrophe is only itself.
    if first == '"' {
        return (quoted(rest).unwrap_or(rest.len()), Role::Intrinsic);
    }
    if let ('\'', Some(length @ 3..)) = (first, quoted(rest)) {
        return (length, Role::Intrinsic);
    }
    match (number_length(rest), word_length(rest)) {
        (0, 0) => (first.len_utf8(), Role::Text),
        (0, length) => (length, word(&rest[..length], &rest[length..])),
        (length, _) => (length, Role::Number),
    }
}

/// The length of `#include <a>`, or of the name of another directive, with the spaces before it.
fn directive(line: &str) -> Option<usize> {
    let name = line.trim_start().strip_prefix('#')?.trim_start();
    let file = name.strip_prefix("include").map_or("", str::trim_start);
    let close = match file.chars().next() {
        Some('<') => file.find('>'),
        Some('"') => file[1..].find('"').map(|at| at + 1),
        _ => None,
    };
    let behind = match close {
        Some(close) => &file[close + 1..],
        None => name.trim_start_matches(|c: char| c.is_ascii_lowercase()),
    };
    (behind.len() < name.len()).then(|| line.len() - behind.len())
}

/// The length of a literal between quotes as the first character of `text`, if it is closed.
fn quoted(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    let (_, quote) = characters.next()?;
    while let Some((at, character)) = characters.next() {
        match character {
            // Whatever stands behind it is no end.
            '\\' => drop(characters.next()),
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of the number that `text` begins with, or 0: `4Q` is none.
fn number_length(text: &str) -> usize {
    let digits = text.strip_prefix('.').unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let (letters, signed) = match digits.get(..2) {
        // The `e` of `0xe+1` is a digit.
        Some("0x" | "0X") => ("xXabcdefABCDEFuUlLzZ", ""),
        _ => ("bBeEfFuUlLzZ", "eE"),
    };
    let mut characters = text.char_indices().peekable();
    let mut previous = '.';
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let goes_on = match character {
            // `1'000` and `1.f`, but `1'a'` and `1.` at the end of a sentence.
            '\'' => next.is_ascii_digit(),
            '.' => next.is_ascii_alphanumeric(),
            '+' | '-' => signed.contains(previous),
            _ if character.is_ascii_digit() || letters.contains(character) => true,
            _ if is_of_word(character) => return 0,
            _ => false,
        };
        if !goes_on {
            return at;
        }
        previous = character;
    }
    text.len()
}

fn word_length(text: &str) -> usize {
    text.find(|c| !is_of_word(c)).unwrap_or(text.len())
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What a word is, before `rest` of the line.
fn word(word: &str, rest: &str) -> Role {
    let is_in = |words: &str| words.split(' ').any(|known| known == word);
    if let Some((role, _)) = WORDS.iter().find(|(_, words)| is_in(words)) {
        return *role;
    }
    if FAMILIES.iter().any(|family| word.starts_with(family)) && word != "atomic" {
        return Role::Intrinsic;
    }
    let vector = word.strip_suffix(['1', '2', '3', '4']);
    if vector.is_some_and(|scalar| VECTORS.split(' ').any(|known| known == scalar)) {
        return Role::Type;
    }
    let is_capital = |c: char| c.is_ascii_uppercase();
    let is_of_constant = |c: char| is_capital(c) || c.is_ascii_digit() || c == '_';
    if word.len() > 1 && word.starts_with(is_capital) && word.chars().all(is_of_constant) {
        return Role::Number;
    }
    let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match is_name && is_called(rest) {
        true => Role::Function,
        false => Role::Text,
    }
}

/// Whether `rest`, behind a name, begins with `(` or `<int>(`.
fn is_called(rest: &str) -> bool {
    let rest = rest.trim_start();
    let behind = rest.strip_prefix('<').and_then(|arguments| {
        let end = arguments.find([';', '<', '>', '(', ')'])?;
        arguments[end..].strip_prefix('>')
    });
    behind.unwrap_or(rest).starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of `line` that are more than text, as they stand in it.
    fn coloured(line: &str) -> Vec<(&str, Role)> {
        let pieces = scan(line, &mut false).into_iter();
        let coloured = pieces.filter(|(_, role)| *role != Role::Text);
        coloured.map(|(range, role)| (&line[range], role)).collect()
    }

    #[test]
    fn words_are_what_they_are_called_and_what_follows_them() {
        for (line, role) in [
            ("__shared__", Role::Keyword),
            ("constexpr", Role::Keyword),
            ("uint16_t", Role::Type),
            ("float4", Role::Type),
            ("blockIdx", Role::Intrinsic),
            ("atomicAdd", Role::Intrinsic),
            ("__shfl_xor_sync", Role::Intrinsic),
            ("BLOCK_2", Role::Number),
            ("nullptr", Role::Number),
        ] {
            assert_eq!(coloured(line), [(line, role)]);
        }
        assert_eq!(coloured("f (x) + g<int>(y)").len(), 3, "f, g and the type");
        for line in [
            "f + g",
            "f<<<1, 2>>>(x)",
            "N",
            "float5",
            "atomic",
            "\u{e9}t\u{e9}",
        ] {
            let called = coloured(line).into_iter();
            let called = called.filter(|(_, role)| *role != Role::Number);
            assert_eq!(called.count(), 0, "{line}");
        }
    }

    #[test]
    fn numbers_end_where_they_end_in_cuda() {
        for number in [
            "0",
            "1.0f",
            ".5",
            "1e-3",
            "0xFFu",
            "0b1'0",
            "1'000'000ULL",
            "2.5e+10",
        ] {
            assert_eq!(coloured(number), [(number, Role::Number)]);
            let line = format!("({number}+x)");
            assert_eq!(coloured(&line), [(number, Role::Number)], "{line}");
        }
        assert_eq!(coloured("0xe+x"), [("0xe", Role::Number)]);
        assert_eq!(coloured("one is 1."), [("1", Role::Number)]);
        for line in ["4Q", "x1", "a.b", "0x1g"] {
            assert_eq!(coloured(line), [], "{line}");
        }
    }

    #[test]
    fn literals_comments_and_directives_end_as_in_cuda() {
        assert_eq!(coloured(r#""a\"b" + c"#), [(r#""a\"b""#, Role::Intrinsic)]);
        assert_eq!(
            coloured(r#"x = "open // no"#),
            [(r#""open // no"#, Role::Intrinsic)]
        );
        assert_eq!(coloured(r"'\'' + '"), [(r"'\''", Role::Intrinsic)]);
        assert_eq!(coloured("x =// y"), [("// y", Role::Comment)]);
        assert_eq!(coloured("a /* b */ c"), [("/* b */", Role::Comment)]);
        assert_eq!(
            coloured(" # define N 4"),
            [(" # define", Role::Preprocessor), ("4", Role::Number)]
        );
        for line in ["#include <a.h>", "#include \"a.h\""] {
            assert_eq!(coloured(line), [(line, Role::Preprocessor)]);
        }
        let mut in_comment = false;
        scan("x /* open", &mut in_comment);
        assert!(in_comment);
        assert_eq!(scan("done */ 1", &mut in_comment)[0], (0..7, Role::Comment));
        assert!(!in_comment);
    }
}
