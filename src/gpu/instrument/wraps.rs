//! Text put around parts of a text.

use std::cmp::Reverse;

use crate::source::Span;

/// Text to put before and behind a part of the original; `@` begins names that are put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrap {
    /// The part.
    pub span: Span,
    /// Goes before it.
    pub before: String,
    /// Goes behind it.
    pub behind: String,
}

impl Wrap {
    /// The same with `prefix` where it has `@`, which stands in no C++ but in strings.
    pub fn with_prefix(&self, prefix: &str) -> Wrap {
        Wrap {
            span: self.span,
            before: self.before.replace('@', prefix),
            behind: self.behind.replace('@', prefix),
        }
    }
}

/// `text` with all wraps around their parts, which lie in each other or apart. Of those of the same
/// part, the first is the outermost.
pub(crate) fn apply(text: &str, wraps: &[Wrap]) -> String {
    let mut opens: Vec<&Wrap> = wraps.iter().collect();
    opens.sort_by_key(|wrap| (wrap.span.start, Reverse(wrap.span.end)));
    let mut closes: Vec<(usize, &Wrap)> = opens.iter().copied().enumerate().collect();
    closes.sort_by_key(|(order, wrap)| (wrap.span.end, Reverse(*order)));
    let (mut opens, mut closes) = (opens.into_iter().peekable(), closes.into_iter().peekable());
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    // Two sorted lists are merged. Where one wrap ends and the next begins, the first is closed first.
    loop {
        let open = opens.peek().map(|wrap| wrap.span.start);
        let close = closes.peek().map(|(_, wrap)| wrap.span.end);
        let (next, added) = match (open, close) {
            (Some(open), Some(close)) if open < close => (open, opens.next().map(|w| &w.before)),
            (_, Some(close)) => (close, closes.next().map(|(_, wrap)| &wrap.behind)),
            _ => break,
        };
        out.push_str(text.get(at..next as usize).unwrap_or(""));
        out.push_str(added.map_or("", String::as_str));
        at = next as usize;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// Whether two parts neither lie in each other nor apart.
pub(crate) fn cross(a: Span, b: Span) -> bool {
    let first = a.start < b.start && b.start < a.end && a.end < b.end;
    let second = b.start < a.start && a.start < b.end && b.end < a.end;
    first || second
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(text: &str, part: &str, before: &str, behind: &str) -> Wrap {
        let start = text.find(part).expect("is there");
        Wrap {
            span: Span::new(start, start + part.len()),
            before: before.to_owned(),
            behind: behind.to_owned(),
        }
    }

    #[test]
    fn wraps_nest() {
        let text = "y[i] = x[j[k]];";
        let wraps = [
            wrap(text, "j[k]", "L(", ")"),
            wrap(text, "y[i]", "S(", ")"),
            wrap(text, "x[j[k]]", "A(", ")"),
            wrap(text, "x[j[k]]", "B(", ")"),
            wrap(text, "y[i] = x[j[k]];", "", " set();"),
        ];
        assert_eq!(apply(text, &wraps), "S(y[i]) = A(B(x[L(j[k])])); set();");
    }

    #[test]
    fn crossing_is_seen() {
        let span = Span::new;
        assert!(cross(span(0, 4), span(2, 6)) && cross(span(2, 6), span(0, 4)));
        assert!(!cross(span(0, 4), span(4, 6)) && !cross(span(0, 6), span(2, 6)));
    }
}
