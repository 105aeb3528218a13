//! Tables, calculators and kernels to be read, as text.

use super::super::occupancy;
use super::super::prose;
use super::super::table::{columns, thousands};
use super::heading;
use crate::lesson::{CalculatorCell, Grid, KernelCell, TableCell, times};

/// A table, each row with its figures, and where each comes from under it.
pub(in crate::cli) fn table(cell: &TableCell, grid: &Grid) -> String {
    let mut text = heading(&format!("{} [{}]", cell.title, cell.id));
    let head = grid.columns.iter().map(|column| match column.unit {
        "" => column.name.clone(),
        unit => format!("{}, {unit}", column.name),
    });
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(grid.of.to_owned()).chain(head).collect()];
    for row in &grid.rows {
        let name = match row.marks.as_slice() {
            [] => row.name.clone(),
            marks => format!("{} ({})", row.name, marks.join(", ")),
        };
        let fields = row.fields.iter().map(|field| field.text());
        rows.push(std::iter::once(name).chain(fields).collect());
    }
    if let [first, second] = grid.rows.as_slice() {
        let factor = |column| {
            grid.factor(0, 1, column)
                .map_or_else(|| "-".to_owned(), times)
        };
        let factors = (0..grid.columns.len()).map(factor);
        let name = format!("{} / {}", first.name, second.name);
        rows.push(std::iter::once(name).chain(factors).collect());
    }
    text += &format!("\n{}\n", columns(&rows, 1));
    let sources = grid.rows.iter().map(|row| {
        let told = grid.columns.iter().zip(&row.fields);
        let told = told.map(|(column, field)| format!("{} {}", column.name, field.source));
        let told = told.collect::<Vec<_>>().join("; ");
        format!("- {}: {told} {}\n", row.name, row.whose)
    });
    text + &prose::render(&sources.collect::<String>())
}
/// The occupancy at the lesson's inputs.
pub(in crate::cli) fn calculator(cell: &CalculatorCell) -> String {
    let heading = heading(&format!("{} [{}]", cell.title, cell.id));
    format!("{heading}\n{}", occupancy::plain(&cell.inputs))
}

/// A kernel's text with its lines' numbers, and what the compiler knows of it.
pub(in crate::cli) fn kernel_cell(cell: &KernelCell) -> String {
    let mut text = heading(&format!("{} [{}]", cell.title, cell.id));
    if !cell.note.trim().is_empty() {
        text += &format!("\n{}", prose::render(&cell.note));
    }
    let (first, last) = cell.lines;
    text += &format!("\n{}, lines {first} to {last}\n", cell.source.name());
    let lines = cell.source.text().lines().enumerate();
    for (i, line) in lines
        .skip(first as usize - 1)
        .take((last - first + 1) as usize)
    {
        text += format!("  {:3}  {line}", i + 1).trim_end();
        text.push('\n');
    }
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
    text += &format!(
        "\nAs the compiler has {}\n{}",
        facts.kernel,
        columns(&rows, 2)
    );
    text
}
