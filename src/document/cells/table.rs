//! A table of figures: of GPUs, of what cells count, of what a course publishes.

use std::collections::BTreeSet;

use crate::document::block::{Block, Table};
use crate::lesson::{TableCell, TableContents, TableOf, times};

/// A table, each row with its figures, and where each comes from under it.
pub fn grid(cell: &TableCell, grid: &TableContents) -> Vec<Block> {
    let names = grid.columns.iter().map(|column| match column.unit {
        "" => column.name.clone(),
        unit => format!("{}, {unit}", column.name),
    });
    let mut header = vec![grid.of.to_owned()];
    header.extend(names);
    let rows = grid.rows.iter().map(|row| {
        let name = match row.marks.as_slice() {
            [] => row.name.clone(),
            marks => format!("{} ({})", row.name, marks.join(", ")),
        };
        let fields = row.fields.iter().map(|field| field.text());
        std::iter::once(name).chain(fields).collect()
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    let sources = match cell.of {
        TableOf::Cells { .. } => sources_of_counts(grid),
        TableOf::Gpus { .. } | TableOf::Published(_) => {
            let (numbers, sources) = numbered_sources(grid);
            header.push("sources".to_owned());
            for (row, numbers) in rows.iter_mut().zip(numbers) {
                row.push(numbers);
            }
            sources
        }
    };
    rows.extend(factors(grid));
    vec![
        Block::heading(&cell.title, &cell.id),
        Block::Table(Table {
            header,
            ..Table::new("", &[], 1, rows)
        }),
        Block::Prose(sources),
    ]
}

/// Of each row how its counts came to be, and once at which sizes where those are the same.
fn sources_of_counts(grid: &TableContents) -> String {
    let first = grid.rows.first().map_or("", |row| row.whose.as_str());
    // Mostly one lesson's cells ran at one set of sizes: said once, not in every row.
    let is_same = grid.rows.iter().all(|row| row.whose == first);
    let rows = grid.rows.iter().map(|row| {
        let sources = grid.columns.iter().zip(&row.fields);
        let sources = sources.map(|(column, field)| format!("{} {}", column.name, field.source));
        let sources = sources.collect::<Vec<_>>().join("; ");
        match is_same {
            true => format!("- {}: {sources}\n", row.name),
            false => format!("- {}: {sources} {}\n", row.name, row.whose),
        }
    });
    let rows: String = rows.collect();
    match is_same && !first.is_empty() {
        true => format!("{rows}\nAll of them {first}.\n"),
        false => rows,
    }
}

/// The numbers of each row's sources, and all sources, each once; before them what is to be said of a row.
fn numbered_sources(grid: &TableContents) -> (Vec<String>, String) {
    let mut all: Vec<&str> = Vec::new();
    // As footnotes: `1 3` behind a row, and each source once, in the order in which rows first need it.
    let numbers = grid.rows.iter().map(|row| {
        let known = row.fields.iter().filter(|field| field.value.is_some());
        let mut numbers = BTreeSet::new();
        for field in known.filter(|field| !field.source.is_empty()) {
            let at = all.iter().position(|source| *source == field.source);
            numbers.insert(at.unwrap_or_else(|| {
                all.push(&field.source);
                all.len() - 1
            }));
        }
        let numbers = numbers.iter().map(|at| (at + 1).to_string());
        numbers.collect::<Vec<_>>().join(" ")
    });
    let numbers = numbers.collect();
    let notes = grid.rows.iter().filter(|row| !row.note.is_empty());
    let notes = notes.map(|row| format!("- {}: {}\n", row.name, row.note));
    let sources = all.iter().enumerate();
    let sources = sources.map(|(at, source)| format!("{}. {source}\n", at + 1));
    let text = notes.chain(["\n".to_owned()]).chain(sources).collect();
    (numbers, text)
}

/// What the first of two rows is as a multiple of the second, column by column.
fn factors(grid: &TableContents) -> Option<Vec<String>> {
    // Two rows are a comparison; of more, nobody knows which to divide by which.
    let [first, second] = grid.rows.as_slice() else {
        return None;
    };
    let factors = (0..grid.columns.len()).map(|column| grid.factor(0, 1, column));
    let factors: Vec<Option<f64>> = factors.collect();
    if factors.iter().all(Option::is_none) {
        return None;
    }
    let name = format!("{} / {}", first.name, second.name);
    let text = |factor: Option<f64>| factor.map_or_else(|| "-".to_owned(), times);
    let factors = factors.into_iter().map(text);
    Some(std::iter::once(name).chain(factors).collect())
}
