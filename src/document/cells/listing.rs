//! A source with what each line read and wrote in its margin.

use std::collections::BTreeMap;

use crate::cuda::tokens;
use crate::document::block::{Listing, ListingLine};
use crate::launch::{Counts, Outcome};
use crate::source::{SourceFile, Span};

/// Comments and blank lines between two lines that belong together.
const MOST_BETWEEN: u32 = 2;

/// The lines of `file` that its kernels need, in groups that stand together, each with the elements of global memory
/// that it read and wrote. `unreached` is what they do not need.
pub(crate) fn reached_listings(
    file: &SourceFile,
    unreached: &[Span],
    outcome: &Outcome,
) -> Vec<Listing> {
    let whole = listing(file, Some(outcome));
    let groups = reached_lines(file, unreached);
    if groups.is_empty() {
        return vec![whole];
    }
    let of = |&(first, last): &(u32, u32)| Listing {
        name: whole.name.clone(),
        first,
        lines: whole.lines[first as usize - 1..last as usize].to_vec(),
        is_counted: whole.is_counted,
    };
    groups.iter().map(of).collect()
}

/// First and last lines of what kernels need, with the comments above.
fn reached_lines(file: &SourceFile, unreached: &[Span]) -> Vec<(u32, u32)> {
    let text: Vec<&str> = file.text().lines().collect();
    let at = |line: u32| text[line as usize - 1].trim();
    let is_needed = |span: &Span| {
        let mut left_out = unreached.iter();
        // The end of the text is a token, too.
        span.start < span.end && !left_out.any(|out| out.start <= span.start && span.end <= out.end)
    };
    let (tokens, _) = tokens(file.text());
    let lines = tokens.iter().filter(|span| is_needed(span));
    let lines = lines.map(|span| file.line(span.start));
    // A directive may be for the host's code as well as for a kernel: it shows nothing that runs.
    let lines = lines.filter(|&line| !at(line).starts_with('#'));
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match groups.last_mut() {
            Some((_, last)) if line <= *last + MOST_BETWEEN + 1 => *last = line,
            _ => {
                let above = (1..line)
                    .rev()
                    .take_while(|&above| at(above).starts_with("//"));
                groups.push((line - above.count() as u32, line));
            }
        }
    }
    groups
}

/// The lines of `file`, each with the elements of global memory that it read and wrote in all launches.
pub(crate) fn listing(file: &SourceFile, outcome: Option<&Outcome>) -> Listing {
    // A line may run in several launches of a cell: the source stands once, with their sum.
    let mut counts: BTreeMap<u32, Counts> = BTreeMap::new();
    let launches = outcome.iter().flat_map(|outcome| &outcome.launches);
    for line in launches.flat_map(|launch| &launch.lines) {
        *counts.entry(line.line).or_default() += line.counts;
    }
    let lines = file.text().lines().enumerate().map(|(i, text)| {
        let counts = counts.get(&(i as u32 + 1)).copied().unwrap_or_default();
        ListingLine {
            reads: counts.global_load.elements,
            writes: counts.global_store.elements,
            text: text.to_owned(),
        }
    });
    Listing {
        name: file.name().to_owned(),
        first: 1,
        lines: lines.collect(),
        is_counted: outcome.is_some(),
    }
}
