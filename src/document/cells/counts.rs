//! Counts as tables.

use crate::device::gpu_title;
use crate::document::block::{Block, Table};
use crate::document::columns::{or_dash, percent};
use crate::launch::{AccessKind, Amount, Counts, Evidence, Measure, Outcome};
use crate::source::SourceFile;

/// A table of counts: a column a measure, a row a launch.
struct CountTable {
    /// What is counted. How comes from the measures.
    title: &'static str,
    /// Shown only where one of these counts anything in all launches together.
    shown_for: &'static [Measure],
    /// Headings, shorter than the measures' labels where the title says the rest.
    columns: &'static [(&'static str, Measure)],
}

// Memory first, then arithmetic.
#[rustfmt::skip]
const TABLES: [CountTable; 9] = [
    CountTable { title: "Reads of global memory", shown_for: &[Measure::RequestsRead], columns: &[
        ("elements", Measure::ElementsRead), ("distinct", Measure::DistinctElementsRead),
        ("requests", Measure::RequestsRead), ("sectors", Measure::SectorsRead),
        ("efficiency", Measure::ReadEfficiency),
    ] },
    CountTable { title: "Writes to global memory", shown_for: &[Measure::RequestsWritten], columns: &[
        ("elements", Measure::ElementsWritten), ("distinct", Measure::DistinctElementsWritten),
        ("requests", Measure::RequestsWritten), ("sectors", Measure::SectorsWritten),
        ("efficiency", Measure::WriteEfficiency),
    ] },
    CountTable { title: "Sectors of L1 and L2, bytes of device memory", shown_for: &[], columns: &[
        ("L1 hits", Measure::L1SectorsHit), ("L2 reads", Measure::L2SectorsRead), ("L2 hits", Measure::L2SectorsHit),
        ("L2 writes", Measure::L2SectorsWritten), ("memory read", Measure::DramBytesRead),
        ("written", Measure::DramBytesWritten),
    ] },
    CountTable { title: "Requests of shared memory", shown_for: &[Measure::SharedReadRequests, Measure::SharedWriteRequests], columns: &[
        ("loads", Measure::SharedReadRequests), ("wavefronts", Measure::SharedReadWavefronts),
        ("conflicts", Measure::SharedReadConflicts), ("stores", Measure::SharedWriteRequests),
        ("wavefronts", Measure::SharedWriteWavefronts), ("conflicts", Measure::SharedWriteConflicts),
    ] },
    CountTable { title: "Atomic operations on global memory", shown_for: &[Measure::AtomicRequests], columns: &[
        ("requests", Measure::AtomicRequests), ("elements", Measure::AtomicElements),
        ("sectors", Measure::AtomicSectors),
    ] },
    CountTable { title: "Atomic operations on shared memory", shown_for: &[Measure::SharedAtomicRequests], columns: &[
        ("requests", Measure::SharedAtomicRequests), ("wavefronts", Measure::SharedAtomicWavefronts),
        ("conflicts", Measure::SharedAtomicConflicts),
    ] },
    CountTable { title: "Requests of constant memory", shown_for: &[Measure::ConstantRequests], columns: &[
        ("loads", Measure::ConstantRequests), ("distinct addresses", Measure::ConstantAddresses),
    ] },
    CountTable { title: "Single-precision operations of all lanes, branches of warps", shown_for: &[], columns: &[
        ("add", Measure::Fp32Additions), ("mul", Measure::Fp32Multiplications),
        ("fma", Measure::Fp32FusedMultiplyAdds), ("special", Measure::SpecialOperations),
        ("branches", Measure::Branches), ("divergent", Measure::DivergentBranches),
    ] },
    CountTable { title: "Products of matrices on the tensor cores", shown_for: &[Measure::TensorInstructions], columns: &[
        ("instructions", Measure::TensorInstructions), ("multiply-adds", Measure::TensorMultiplyAdds),
    ] },
];

/// What each launch did, and the sum.
pub(crate) fn count_tables(outcome: &Outcome) -> Vec<Block> {
    let tables = TABLES.iter().filter_map(|table| table.of(outcome));
    tables.map(Block::Table).collect()
}

impl CountTable {
    /// One row a launch, and one for the sum where there are several; nothing where there is nothing to say.
    fn of(&self, outcome: &Outcome) -> Option<Table> {
        let total = outcome.counts();
        let evidence = self.columns[0].1.evidence();
        let is_there = match evidence {
            // What no model answered is not a zero. L2 stands for all levels: they are modelled together.
            Evidence::Modelled => total.l2.0.is_some(),
            _ if self.shown_for.is_empty() => !outcome.launches.is_empty(),
            _ => self
                .shown_for
                .iter()
                .any(|measure| measure.of(&total) > Some(0)),
        };
        if !is_there {
            return None;
        }
        // One row a launch, in their order.
        let launches = outcome.launches.iter();
        let mut rows: Vec<Vec<String>> = launches
            .map(|launch| self.row(&launch.kernel, &launch.counts))
            .collect();
        if outcome.launches.len() > 1 {
            rows.push(self.row("all", &total));
        }
        let names = self.columns.iter().map(|(name, _)| *name);
        let header: Vec<&str> = std::iter::once("").chain(names).collect();
        // A model's answer depends on the GPU: its name stands beside the word.
        let how = match evidence {
            Evidence::Modelled => format!("{}, {}", evidence.word(), gpu_title(&outcome.simulated)),
            _ => evidence.word().to_owned(),
        };
        Some(Table::new(
            format!("{} ({how})", self.title),
            &header,
            1,
            rows,
        ))
    }

    fn row(&self, name: &str, counts: &Counts) -> Vec<String> {
        let cells = self
            .columns
            .iter()
            .map(|(_, measure)| match measure.amount(counts) {
                Some(Amount::Count(count)) => or_dash(count),
                Some(Amount::Share(share)) => percent(Some(share)),
                None => percent(None),
            });
        std::iter::once(name.to_owned()).chain(cells).collect()
    }
}

/// Requests, sectors and efficiency of each load and store of global memory.
pub(crate) fn accesses(outcome: &Outcome, file: &SourceFile) -> Option<Block> {
    let header = ["line", "", "requests", "sectors", "efficiency", ""];
    let mut rows = Vec::new();
    for access in outcome.accesses(0) {
        // Accesses of shared memory have no sectors: their table is that of the banks.
        if access.global.requests > 0 {
            let kind = match access.kind {
                AccessKind::Load => "read",
                AccessKind::Store => "write",
            };
            rows.push(vec![
                access.line.to_string(),
                kind.to_owned(),
                or_dash(access.global.requests),
                or_dash(access.global.sectors),
                percent(access.global.efficiency()),
                one_line(file.slice(access.span)),
            ]);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let title = "Efficiency of each access: bytes used of bytes moved (counted)";
    Some(Block::Table(Table {
        ends_in_words: true,
        ..Table::new(title, &header, 2, rows)
    }))
}

/// A piece of source without its line breaks and indents.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters that a document says in another way, or leaves to JSON: bytes are said as efficiency, lines as sectors.
    const LEFT_OUT: [Measure; 8] = [
        Measure::BytesRead,
        Measure::UsedBytesRead,
        Measure::LinesRead,
        Measure::BytesWritten,
        Measure::UsedBytesWritten,
        Measure::LinesWritten,
        Measure::WarpInstructions,
        Measure::ThreadInstructions,
    ];

    #[test]
    fn every_counter_has_a_place_in_a_document() {
        let columns = TABLES.iter().flat_map(|table| table.columns);
        let seen: Vec<Measure> = columns
            .map(|(_, measure)| *measure)
            .chain(LEFT_OUT)
            .collect();
        let counters = Measure::ALL
            .iter()
            .filter(|measure| measure.json_path().is_some());
        let unseen: Vec<_> = counters.filter(|measure| !seen.contains(measure)).collect();
        assert!(unseen.is_empty(), "{unseen:?}");
    }
}
