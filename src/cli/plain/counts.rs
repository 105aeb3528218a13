//! Counts as tables.

use super::super::table::{columns, headed, or_dash, percent};
use super::section;
use crate::launch::{AccessKind, Counts, GlobalCounts, Outcome, SharedCounts};
use crate::source::SourceFile;

/// What each launch moved, and the sum.
pub(super) fn tables(outcome: &Outcome) -> String {
    let mut text = String::new();
    text += &global(outcome, "Reads of global memory (counted)", |counts| {
        counts.global_load
    });
    text += &global(outcome, "Writes to global memory (counted)", |counts| {
        counts.global_store
    });
    text += &levels(outcome);
    text += &shared(outcome);
    text += &constant(outcome);
    text += &arithmetic(outcome);
    text
}

/// One row a launch, and one for the sum where there are several.
fn by_launch(
    outcome: &Outcome,
    header: &[&str],
    row: impl Fn(&Counts) -> Vec<String>,
) -> Vec<Vec<String>> {
    let mut rows = vec![header.iter().map(|&name| name.to_owned()).collect()];
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
    rows
}

fn global(outcome: &Outcome, title: &str, of: impl Fn(&Counts) -> GlobalCounts) -> String {
    let total = of(&outcome.counts());
    if total.requests == 0 {
        return String::new();
    }
    let header = [
        "",
        "elements",
        "distinct",
        "requests",
        "sectors",
        "efficiency",
    ];
    let rows = by_launch(outcome, &header, |counts| {
        let counts = of(counts);
        vec![
            or_dash(counts.elements),
            or_dash(counts.distinct_elements),
            or_dash(counts.requests),
            or_dash(counts.sectors),
            percent(counts.efficiency()),
        ]
    });
    format!("{}{}", section(title), columns(&rows, 1))
}

/// What went between L1, L2 and device memory.
fn levels(outcome: &Outcome) -> String {
    let total = outcome.counts();
    if total.l2.0.is_none() {
        return String::new();
    }
    let header = [
        "",
        "L1 hits",
        "L2 reads",
        "of them hits",
        "L2 writes",
        "memory read",
        "written",
    ];
    let rows = by_launch(outcome, &header, |counts| {
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
    });
    let title = format!(
        "Sectors of L1 and L2, bytes of device memory (modelled, {})",
        outcome.simulated
    );
    format!("{}{}", section(&title), columns(&rows, 1))
}

fn shared(outcome: &Outcome) -> String {
    let total = outcome.counts();
    if total.shared_load.requests + total.shared_store.requests == 0 {
        return String::new();
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
    let rows = by_launch(outcome, &header, |counts| {
        let both = [counts.shared_load, counts.shared_store];
        both.into_iter().flat_map(cells).collect()
    });
    let title = section("Requests of shared memory (counted)");
    format!("{title}{}", columns(&rows, 1))
}

fn constant(outcome: &Outcome) -> String {
    if outcome.counts().constant_load.requests == 0 {
        return String::new();
    }
    let rows = by_launch(outcome, &["", "loads", "distinct addresses"], |counts| {
        let constant = counts.constant_load;
        vec![
            or_dash(constant.requests),
            or_dash(constant.distinct_addresses),
        ]
    });
    let title = section("Requests of constant memory (counted)");
    format!("{title}{}", columns(&rows, 1))
}

fn arithmetic(outcome: &Outcome) -> String {
    if outcome.launches.is_empty() {
        return String::new();
    }
    let header = ["", "add", "mul", "fma", "special", "branches", "divergent"];
    let rows = by_launch(outcome, &header, |counts| {
        vec![
            or_dash(counts.fp32.add),
            or_dash(counts.fp32.mul),
            or_dash(counts.fp32.fma),
            or_dash(counts.fp32.special),
            or_dash(counts.branches.executed),
            or_dash(counts.branches.divergent),
        ]
    });
    let title = section("Single-precision operations of all lanes, branches of warps (counted)");
    format!("{title}{}", columns(&rows, 1))
}

/// Requests, sectors and efficiency of each load and store of global memory.
pub(super) fn accesses(outcome: &Outcome, file: &SourceFile) -> String {
    let header = ["line", "", "requests", "sectors", "efficiency", ""];
    let mut rows = headed(header);
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
    if rows.len() == 1 {
        return String::new();
    }
    let title = section("Efficiency of each access: bytes used of bytes moved (counted)");
    format!("{title}{}", access_rows(rows))
}

/// A piece of source without its line breaks and indents.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The numbers in columns, the source behind them.
fn access_rows(rows: Vec<Vec<String>>) -> String {
    let sources: Vec<String> = rows
        .iter()
        .map(|row| row.last().cloned().unwrap_or_default())
        .collect();
    let numbers: Vec<Vec<String>> = rows
        .into_iter()
        .map(|mut row| {
            row.pop();
            row
        })
        .collect();
    let lines = columns(&numbers, 2);
    let both = lines.lines().zip(sources);
    both.map(|(numbers, source)| format!("{numbers}  {source}").trim_end().to_owned() + "\n")
        .collect()
}
