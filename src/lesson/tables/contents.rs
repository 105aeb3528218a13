//! A table as plain data: rows and columns of figures, each with where it comes from.

use crate::device::FigureValue;
use crate::launch::Evidence;

/// A table, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct TableContents {
    /// What the rows are.
    pub of: &'static str,
    /// Columns in order.
    pub columns: Vec<TableColumn>,
    /// Rows in the order of the lesson.
    pub rows: Vec<TableRow>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// What it holds.
    pub name: String,
    /// In which unit; empty for plain numbers.
    pub unit: &'static str,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// What programs call it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What sets it apart: `simulated`, `found here`.
    pub marks: Vec<&'static str>,
    /// At which sizes and on what its figures were found; empty where that says nothing.
    pub whose: String,
    /// What else is to be said of it; empty where there is nothing.
    pub note: String,
    /// One for each column.
    pub fields: Vec<TableField>,
}

/// A figure and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct TableField {
    /// The figure; nothing where it is not known.
    pub value: Option<FigureValue>,
    /// How it came to be.
    pub evidence: Evidence,
    /// Where it comes from, or why it is missing.
    pub source: String,
}

impl TableField {
    /// The figure as text; a dash where there is none.
    pub fn text(&self) -> String {
        let value = self.value.as_ref();
        value.map_or_else(|| "-".to_owned(), ToString::to_string)
    }

    fn number(&self) -> Option<f64> {
        match self.value {
            Some(FigureValue::Number(number)) => Some(number),
            _ => None,
        }
    }
}

impl TableContents {
    /// How many times as much row `row` has in `column` as row `against`; nothing where that is no
    /// number.
    pub fn factor(&self, row: usize, against: usize, column: usize) -> Option<f64> {
        let number = |row: usize| self.rows.get(row)?.fields.get(column)?.number();
        let (mine, theirs) = (number(row)?, number(against)?);
        // How many times as much as nothing, nobody can say.
        (theirs > 0.0).then(|| mine / theirs)
    }

    /// Rows sorted by `column`, what is missing last; those that are equal keep their order.
    pub fn sorted(&self, column: usize, descending: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let key = |row: &usize| self.rows[*row].fields.get(column);
        order.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            let numbers = (
                a.and_then(TableField::number),
                b.and_then(TableField::number),
            );
            let less = match numbers {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (None, None) => a.map(TableField::text).cmp(&b.map(TableField::text)),
                // The missing one is last whichever way.
                (None, Some(_)) => return std::cmp::Ordering::Greater,
                (Some(_), None) => return std::cmp::Ordering::Less,
            };
            if descending { less.reverse() } else { less }
        });
        order
    }
}

/// A factor as `2.37×` or `1,200×`.
pub fn times(factor: f64) -> String {
    let text = match factor {
        0.0 => "0".to_owned(),
        f if f >= 1000.0 => FigureValue::Number(f.round()).to_string(),
        f if f >= 100.0 => format!("{f:.0}"),
        f if f >= 10.0 => format!("{f:.1}"),
        f if f >= 0.01 => format!("{f:.2}"),
        f => format!("{f:.1e}"),
    };
    format!("{text}\u{d7}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(values: &[Option<f64>]) -> TableContents {
        let row = |value: &Option<f64>| TableRow {
            id: "row".to_owned(),
            name: "row".to_owned(),
            marks: Vec::new(),
            whose: String::new(),
            note: String::new(),
            fields: vec![TableField {
                value: value.map(FigureValue::Number),
                evidence: Evidence::Computed,
                source: String::new(),
            }],
        };
        TableContents {
            of: "row",
            columns: vec![TableColumn {
                name: "figure".to_owned(),
                unit: "",
            }],
            rows: values.iter().map(row).collect(),
        }
    }

    #[test]
    fn what_is_missing_comes_last_whichever_way_rows_are_sorted() {
        let grid = grid(&[Some(3.0), None, Some(1.0), Some(2.0)]);
        assert_eq!(grid.sorted(0, false), [2, 3, 0, 1]);
        assert_eq!(grid.sorted(0, true), [0, 3, 2, 1]);
        assert_eq!(grid.sorted(7, true), [0, 1, 2, 3], "no such column");
    }

    #[test]
    fn factors_exist_between_numbers_only() {
        let grid = grid(&[Some(3.0), None, Some(1.5), Some(0.0)]);
        assert_eq!(grid.factor(0, 2, 0), Some(2.0));
        assert_eq!((grid.factor(0, 1, 0), grid.factor(0, 3, 0)), (None, None));
        assert_eq!(times(2.0), "2.00\u{d7}");
        assert_eq!(times(1234.4), "1,234\u{d7}");
        assert_eq!(times(0.0004), "4.0e-4\u{d7}");
        assert_eq!(times(0.0), "0\u{d7}");
    }
}
