//! Counts as tables.

use crate::document::block::{Block, Table};
use crate::document::columns::{or_dash, percent};
use crate::launch::{AccessKind, Counts, GlobalCounts, Outcome, SharedCounts};
use crate::source::SourceFile;

/// What each launch moved, and the sum.
pub(crate) fn tables(outcome: &Outcome) -> Vec<Block> {
    let tables = [
        global(outcome, "Reads of global memory (counted)", |counts| {
            counts.global_load
        }),
        global(outcome, "Writes to global memory (counted)", |counts| {
            counts.global_store
        }),
        levels(outcome),
        shared(outcome),
        constant(outcome),
        arithmetic(outcome),
        tensor(outcome),
    ];
    tables.into_iter().flatten().map(Block::Table).collect()
}

/// One row a launch, and one for the sum where there are several.
fn by_launch(
    outcome: &Outcome,
    title: impl Into<String>,
    header: &[&str],
    row: impl Fn(&Counts) -> Vec<String>,
) -> Option<Table> {
    let mut rows = Vec::new();
    let mut push = |name: &str, counts: &Counts| {
        let mut cells = vec![name.to_owned()];
        cells.extend(row(counts));
        rows.push(cells);
    };
    for launch in &outcome.launches {
        push(&launch.kernel, &launch.counts);
    }
    if outcome.launches.len() > 1 {
        push("all", &outcome.counts());
    }
    Some(Table::new(title, header, 1, rows))
}

fn global(outcome: &Outcome, title: &str, of: impl Fn(&Counts) -> GlobalCounts) -> Option<Table> {
    let total = of(&outcome.counts());
    if total.requests == 0 {
        return None;
    }
    let header = [
        "",
        "elements",
        "distinct",
        "requests",
        "sectors",
        "efficiency",
    ];
    by_launch(outcome, title, &header, |counts| {
        let counts = of(counts);
        vec![
            or_dash(counts.elements),
            or_dash(counts.distinct_elements),
            or_dash(counts.requests),
            or_dash(counts.sectors),
            percent(counts.efficiency()),
        ]
    })
}

/// What went between L1, L2 and device memory.
fn levels(outcome: &Outcome) -> Option<Table> {
    let total = outcome.counts();
    total.l2.0?;
    let header = [
        "",
        "L1 hits",
        "L2 reads",
        "of them hits",
        "L2 writes",
        "memory read",
        "written",
    ];
    let title = format!(
        "Sectors of L1 and L2, bytes of device memory (modelled, {})",
        outcome.simulated
    );
    by_launch(outcome, title, &header, |counts| {
        let (l1, l2) = (
            counts.l1.0.unwrap_or_default(),
            counts.l2.0.unwrap_or_default(),
        );
        let dram = counts.dram.0.unwrap_or_default();
        vec![
            or_dash(l1.load_sectors_hit),
            or_dash(l2.read_sectors),
            or_dash(l2.read_sectors_hit),
            or_dash(l2.write_sectors),
            or_dash(dram.read_bytes),
            or_dash(dram.write_bytes),
        ]
    })
}

fn shared(outcome: &Outcome) -> Option<Table> {
    let total = outcome.counts();
    if total.shared_load.requests + total.shared_store.requests == 0 {
        return None;
    }
    let header = [
        "",
        "loads",
        "wavefronts",
        "conflicts",
        "stores",
        "wavefronts",
        "conflicts",
    ];
    let cells = |counts: SharedCounts| {
        [
            or_dash(counts.requests),
            or_dash(counts.wavefronts),
            or_dash(counts.bank_conflicts),
        ]
    };
    let title = "Requests of shared memory (counted)";
    by_launch(outcome, title, &header, |counts| {
        let both = [counts.shared_load, counts.shared_store];
        both.into_iter().flat_map(cells).collect()
    })
}

fn constant(outcome: &Outcome) -> Option<Table> {
    if outcome.counts().constant_load.requests == 0 {
        return None;
    }
    let header = ["", "loads", "distinct addresses"];
    let title = "Requests of constant memory (counted)";
    by_launch(outcome, title, &header, |counts| {
        let constant = counts.constant_load;
        vec![
            or_dash(constant.requests),
            or_dash(constant.distinct_addresses),
        ]
    })
}

fn arithmetic(outcome: &Outcome) -> Option<Table> {
    if outcome.launches.is_empty() {
        return None;
    }
    let header = ["", "add", "mul", "fma", "special", "branches", "divergent"];
    let title = "Single-precision operations of all lanes, branches of warps (counted)";
    by_launch(outcome, title, &header, |counts| {
        vec![
            or_dash(counts.fp32.add),
            or_dash(counts.fp32.mul),
            or_dash(counts.fp32.fma),
            or_dash(counts.fp32.special),
            or_dash(counts.branches.executed),
            or_dash(counts.branches.divergent),
        ]
    })
}

fn tensor(outcome: &Outcome) -> Option<Table> {
    if outcome.counts().tensor.mma == 0 {
        return None;
    }
    let header = ["", "instructions", "multiply-adds"];
    let title = "Products of matrices on the tensor cores (counted)";
    by_launch(outcome, title, &header, |counts| {
        vec![
            or_dash(counts.tensor.mma),
            or_dash(counts.tensor.multiply_adds),
        ]
    })
}

/// Requests, sectors and efficiency of each load and store of global memory.
pub(crate) fn accesses(outcome: &Outcome, file: &SourceFile) -> Option<Block> {
    let header = ["line", "", "requests", "sectors", "efficiency", ""];
    let mut rows = Vec::new();
    for access in outcome.accesses(0) {
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
