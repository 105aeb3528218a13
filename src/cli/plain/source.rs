//! A source with what each line read and wrote in its margin.

use std::collections::BTreeMap;

use super::super::table::or_dash;
use crate::launch::{Counts, Outcome};
use crate::source::SourceFile;

/// Counts by line, of all launches together.
pub(super) fn by_line(outcome: &Outcome) -> BTreeMap<u32, Counts> {
    let mut lines: BTreeMap<u32, Counts> = BTreeMap::new();
    for line in outcome.launches.iter().flat_map(|launch| &launch.lines) {
        *lines.entry(line.line).or_default() += line.counts;
    }
    lines
}

/// The text of `file`, each line behind the elements of global memory that it read and wrote.
pub(super) fn margin(file: &SourceFile, outcome: &Outcome) -> String {
    let lines = by_line(outcome);
    let shown = |number: u64| {
        if number == 0 {
            String::new()
        } else {
            or_dash(number)
        }
    };
    let mut rows = vec![(String::from("reads"), String::from("writes"), String::new())];
    for (i, source) in file.text().lines().enumerate() {
        let counts = lines.get(&(i as u32 + 1)).copied().unwrap_or_default();
        rows.push((
            shown(counts.global_load.elements),
            shown(counts.global_store.elements),
            format!("{:3}  {source}", i + 1),
        ));
    }
    let reads = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let writes = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    let mut text = format!(
        "\n{}: elements of global memory that each line read and wrote (counted)\n",
        file.name()
    );
    for (read, written, source) in rows {
        let line = format!("  {read:>reads$}  {written:>writes$} \u{2502} {source}");
        text += line.trim_end();
        text.push('\n');
    }
    text
}
