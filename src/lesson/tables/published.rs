//! What is published of GPUs beside what is right.

use super::contents::{TableColumn, TableContents, TableField, TableRow};
use crate::device::{FigureValue, Published, PublishedCell, published, published_in};
use crate::launch::Evidence;

/// The table: of each GPU what is published and what is right, and the verdict on the row.
pub(crate) fn grid(rows: &[&'static str]) -> TableContents {
    let rows: Vec<&Published> = rows
        .iter()
        .filter_map(|name| published().iter().find(|row| row.row == *name))
        .collect();
    let plain = |name: String| TableColumn { name, unit: "" };
    let gpus = rows.first().into_iter().flat_map(|row| row.cells());
    let columns = gpus.flat_map(|cell| [cell.gpu.to_owned(), format!("{}, right", cell.gpu)]);
    let columns = columns.chain(["verdict".to_owned()]).map(plain).collect();
    TableContents {
        of: "published",
        columns,
        rows: rows.into_iter().map(row).collect(),
    }
}

fn row(of: &Published) -> TableRow {
    let verdict = named(of.verdict.text().to_owned(), String::new());
    TableRow {
        id: of.row.clone(),
        name: of.row.clone(),
        marks: Vec::new(),
        whose: String::new(),
        note: of.note.clone().unwrap_or_default(),
        fields: of.cells().flat_map(fields).chain([verdict]).collect(),
    }
}

fn fields(cell: PublishedCell) -> [TableField; 2] {
    let says = match cell.is_wrong {
        true => format!("\u{2717} {}", cell.says),
        false => cell.says,
    };
    let right = match cell.right {
        Some((right, source)) => named(right, source),
        None => TableField {
            value: None,
            evidence: Evidence::Specified,
            source: "not known".to_owned(),
        },
    };
    [named(says, published_in()), right]
}

fn named(text: String, source: String) -> TableField {
    TableField {
        value: Some(FigureValue::Name(text)),
        evidence: Evidence::Specified,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_cell_is_marked_and_the_right_one_stands_beside_it() {
        let grid = grid(&["SMs", "L1 cache + shared memory bandwidth"]);
        let names: Vec<&str> = grid
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(names[..2], ["A100", "A100, right"]);
        assert_eq!(names[6], "verdict");
        let texts = |row: usize| {
            let fields = grid.rows[row].fields.iter();
            fields.map(TableField::text).collect::<Vec<_>>()
        };
        assert_eq!(
            texts(0),
            ["108", "108", "132", "132", "148", "148", "\u{2713} right"]
        );
        assert_eq!(
            texts(1)[4..],
            ["\u{2717} ~19 TB/s", "37.2 TB/s", "\u{2717} wrong"]
        );
        assert!(grid.rows[1].note.contains("copied"));
    }
}
