//! Tables, calculators, occupancy, and kernels to be read.

use std::collections::BTreeSet;

use crate::device::{Limit, Occupancy, occupancy_text};
use crate::document::block::{Block, Listing, ListingLine, Table};
use crate::document::columns::thousands;
use crate::lesson::{CalculatorCell, Grid, Inputs, KernelCell, TableCell, TableOf, times};

/// A table, each row with its figures, and where each comes from under it.
pub fn grid(cell: &TableCell, grid: &Grid) -> Vec<Block> {
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
        head(&cell.title, &cell.id),
        Block::Table(Table {
            header,
            ..Table::new("", &[], 1, rows)
        }),
        Block::Prose(sources),
    ]
}

/// Of each row how its counts came to be, and once at which sizes where those are the same.
fn sources_of_counts(grid: &Grid) -> String {
    let first = grid.rows.first().map_or("", |row| row.whose.as_str());
    let is_same = grid.rows.iter().all(|row| row.whose == first);
    let rows = grid.rows.iter().map(|row| {
        let told = grid.columns.iter().zip(&row.fields);
        let told = told.map(|(column, field)| format!("{} {}", column.name, field.source));
        let told = told.collect::<Vec<_>>().join("; ");
        match is_same {
            true => format!("- {}: {told}\n", row.name),
            false => format!("- {}: {told} {}\n", row.name, row.whose),
        }
    });
    let rows: String = rows.collect();
    match is_same && !first.is_empty() {
        true => format!("{rows}\nAll of them {first}.\n"),
        false => rows,
    }
}

/// The numbers of each row's sources, and all sources, each once; before them what is to be said of a row.
fn numbered_sources(grid: &Grid) -> (Vec<String>, String) {
    let mut all: Vec<&str> = Vec::new();
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
    let said = grid.rows.iter().filter(|row| !row.note.is_empty());
    let said = said.map(|row| format!("- {}: {}\n", row.name, row.note));
    let sources = all.iter().enumerate();
    let sources = sources.map(|(at, source)| format!("{}. {source}\n", at + 1));
    let text = said.chain(["\n".to_owned()]).chain(sources).collect();
    (numbers, text)
}

/// What the first of two rows is as a multiple of the second, column by column.
fn factors(grid: &Grid) -> Option<Vec<String>> {
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

/// The occupancy at the calculator's inputs.
pub fn calculator(cell: &CalculatorCell, inputs: &Inputs) -> Vec<Block> {
    let mut blocks = vec![head(&cell.title, &cell.id)];
    blocks.extend(occupancy(inputs));
    blocks
}

/// How full an SM is.
pub fn occupancy(inputs: &Inputs) -> Vec<Block> {
    let (cc, found) = (inputs.limits, inputs.occupancy());
    let launch = format!(
        "Compute capability {}: {} threads a block, {} registers a thread, {} bytes of shared memory a \
         block (computed)",
        cc.cc,
        number(inputs.threads),
        number(inputs.registers),
        number(inputs.shared_bytes),
    );
    let held = match found.blocks {
        0 => "the launch is refused: not one block fits".to_owned(),
        blocks => format!(
            "blocks on an SM: {}, {} of {} warps: {} occupancy",
            number(blocks),
            number(found.warps),
            number(cc.max_warps_per_sm),
            occupancy_text(found.fraction),
        ),
    };
    let taken = format!(
        "A block takes {} registers, handed to each warp in units of {}, and {} bytes of shared memory, \
         {} of them reserved, in units of {}.",
        number(found.registers_per_block),
        number(cc.register_allocation_unit),
        number(found.shared_bytes_per_block),
        number(cc.shared_reserved_per_block_bytes),
        number(cc.shared_allocation_unit_bytes),
    );
    vec![
        Block::Prose(launch),
        Block::Lines {
            title: String::new(),
            lines: vec![held],
            is_code: false,
        },
        Block::Table(allowed(&found)),
        Block::Prose(taken),
    ]
}

/// How many blocks each limit of an SM allows.
fn allowed(found: &Occupancy) -> Table {
    let limits = [
        (Limit::Warps, Some(found.limit_warps)),
        (Limit::Registers, found.limit_registers),
        (Limit::Shared, found.limit_shared),
        (Limit::Blocks, Some(found.limit_blocks)),
    ];
    let rows = limits.map(|(limit, blocks)| {
        let lowest = found.limiting_factors.contains(&limit);
        vec![
            limit.name().to_owned(),
            blocks.map_or_else(|| "no limit".to_owned(), number),
            if lowest { "limits" } else { "" }.to_owned(),
        ]
    });
    Table {
        ends_in_words: true,
        ..Table::new("Blocks that each limit allows", &[], 1, rows.into())
    }
}

/// A kernel's text with its lines' numbers, and what the compiler knows of it.
pub fn kernel_cell(cell: &KernelCell) -> Vec<Block> {
    let mut blocks = vec![head(&cell.title, &cell.id)];
    if !cell.note.trim().is_empty() {
        blocks.push(Block::Prose(cell.note.clone()));
    }
    let (first, last) = cell.lines;
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
        let size = match bytes {
            0 => "as large as the launch says".to_owned(),
            bytes => format!("{} bytes", thousands(u64::from(*bytes))),
        };
        vec!["shared memory".to_owned(), format!("{name}, {ty}, {size}")]
    });
    let rows: Vec<Vec<String>> = parameters.chain(shared).collect();
    let title = format!("As the compiler has {}", facts.kernel);
    blocks.push(Block::Table(Table::new(title, &[], 2, rows)));
    blocks
}

fn number(value: u32) -> String {
    thousands(u64::from(value))
}

fn head(title: &str, id: &str) -> Block {
    Block::Heading {
        title: title.to_owned(),
        id: id.to_owned(),
    }
}
