//! A table of GPUs as a course publishes it, each cell of it held against ours.

use super::figures::{Figure, FigureValue, cited};
use super::table::{Published, Verdict, gpu, published_rows};

/// Its columns: the name that it gives a GPU, and the row of our table that comes nearest.
const GPUS: [(&str, &str); 3] = [
    ("A100", "a100-sxm4-80gb"),
    ("H100", "h100-sxm5-80gb"),
    ("B200", "b200"),
];

/// A cell of the published table beside ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedCell {
    /// The GPU, as the table calls it.
    pub gpu: &'static str,
    /// What it says.
    pub says: String,
    /// Whether that is wrong.
    pub is_wrong: bool,
    /// What we have, with its unit, and where that is from; nothing where it is not known.
    pub right: Option<(String, String)>,
}

impl Verdict {
    /// A mark and a word.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Ok => "\u{2713} right",
            Verdict::Rough => "\u{2248} rough",
            Verdict::Wrong => "\u{2717} wrong",
        }
    }
}

/// Every row of the published table, in its order.
pub fn published() -> &'static [Published] {
    published_rows()
}

/// What the published table is.
pub fn published_in() -> String {
    cited("cs336")
}

impl Published {
    /// Its cells, from left to right.
    pub fn cells(&self) -> impl Iterator<Item = PublishedCell> {
        let said = [&self.a100, &self.h100, &self.b200];
        GPUS.iter()
            .zip(said)
            .map(|(&(name, id), said)| PublishedCell {
                gpu: name,
                says: said.clone(),
                is_wrong: self.wrong.contains(&name.to_ascii_lowercase()),
                right: self.right(id),
            })
    }

    fn right(&self, id: &str) -> Option<(String, String)> {
        let (figure, gpu) = (Figure::from_key(&self.column)?, gpu(id).ok()?);
        let value: FigureValue = figure.of(gpu)?;
        let text = format!("{value} {}", figure.unit);
        Some((text.trim_end().to_owned(), figure.source(gpu)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_has_one_of_ours_beside_it() {
        assert!(published().len() >= 9);
        for row in published() {
            assert!(Figure::from_key(&row.column).is_some(), "{}", row.column);
            assert!(row.cells().any(|cell| cell.right.is_some()), "{}", row.row);
            let is_wrong = row.cells().any(|cell| cell.is_wrong);
            assert_eq!(is_wrong, row.verdict == Verdict::Wrong, "{}", row.row);
            let needs_note = row.verdict != Verdict::Ok;
            assert!(row.note.is_some() || !needs_note, "{}", row.row);
        }
        assert_eq!(published_in(), "Stanford CS336, hardware table");
    }

    #[test]
    fn a_cell_stands_beside_what_is_right() {
        let row = published()
            .iter()
            .find(|row| row.row == "L1 cache + shared memory bandwidth");
        let cells: Vec<PublishedCell> = row.expect("is there").cells().collect();
        let b200 = &cells[2];
        assert_eq!(
            (b200.gpu, b200.says.as_str(), b200.is_wrong),
            ("B200", "~19 TB/s", true)
        );
        let (right, source) = b200.right.as_ref().expect("is known");
        assert_eq!(right, "37.2 TB/s");
        assert!(source.contains("128 B x 148"), "{source}");
    }
}
