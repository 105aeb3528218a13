//! A kernel to be read: its text, and what the compiler knows of it.

use crate::document::block::{Block, Listing, ListingLine, Table};
use crate::document::columns::thousands;
use crate::lesson::KernelCell;

/// A kernel's text with its lines' numbers, and what the compiler knows of it.
pub fn kernel_cell(cell: &KernelCell) -> Vec<Block> {
    let mut blocks = vec![Block::heading(&cell.title, &cell.id)];
    if !cell.note.trim().is_empty() {
        blocks.push(Block::Prose(cell.note.clone()));
    }
    let (first, last) = cell.lines;
    // Lines are counted from 1, and the last is part of it.
    let lines = cell.source.text().lines().skip(first as usize - 1);
    let lines = lines.take((last - first + 1) as usize);
    blocks.push(Block::Source(Listing {
        name: format!("{}, lines {first} to {last}", cell.source.name()),
        first,
        lines: lines.map(ListingLine::uncounted).collect(),
        is_counted: false,
    }));
    let facts = &cell.facts;
    let parameters = facts.parameters.iter();
    let parameters =
        parameters.map(|(ty, name)| vec!["parameter".to_owned(), format!("{ty} {name}")]);
    let shared = facts.shared.iter().map(|(ty, name, bytes)| {
        // `extern __shared__` has no size of its own.
        let size = match bytes {
            0 => "as large as the launch says".to_owned(),
            bytes => format!("{} bytes", thousands(u64::from(*bytes))),
        };
        vec!["shared memory".to_owned(), format!("{name}, {ty}, {size}")]
    });
    let rows: Vec<Vec<String>> = parameters.chain(shared).collect();
    let title = format!("What the compiler knows of {}", facts.kernel);
    blocks.push(Block::Table(Table::new(title, &[], 2, rows)));
    blocks
}
