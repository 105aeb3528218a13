//! What the text around a loop says about unrolling it.

use crate::source::{SourceFile, Span};

/// What the source says before a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Nothing,
    /// `#pragma unroll` or `_Pragma("unroll")`.
    Whole,
    /// `#pragma unroll N`.
    Times(u32),
}

/// What a `#pragma` on the lines before a loop asks for.
pub(crate) fn asked(file: &SourceFile, span: Span) -> Asked {
    let before = file.slice(Span::new(0, span.start as usize));
    // A pragma is no statement: it is found in the text.
    let line = before.trim_end().lines().next_back().unwrap_or("").trim();
    let mut words = line.split(|c: char| c.is_whitespace() || "()#\"".contains(c));
    let mut next = || words.find(|word| !word.is_empty());
    let is_pragma = match next() {
        Some("pragma") => line.starts_with('#'),
        word => word == Some("_Pragma"),
    };
    if !is_pragma {
        return Asked::Nothing;
    }
    match (next(), next().map(str::parse)) {
        (Some("nounroll"), _) => Asked::Times(1),
        (Some("unroll"), Some(Ok(times))) => Asked::Times(times),
        (Some("unroll"), _) => Asked::Whole,
        _ => Asked::Nothing,
    }
}

/// Whether `warpSize` stands there: no constant to what unrolls loops, which comes before the
/// machine is known.
pub(crate) fn names_warp_size(file: &SourceFile, span: Span) -> bool {
    file.slice(span).contains("warpSize")
}
