//! A source with what each line read and wrote in its margin.

use std::collections::BTreeMap;

use crate::document::block::{Listing, ListingLine};
use crate::launch::{Counts, Outcome};
use crate::source::SourceFile;

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
