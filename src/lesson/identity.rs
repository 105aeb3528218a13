//! What a cell is called in links and in what is kept of it, and how one knows that it has changed.

use sha2::{Digest as _, Sha256};

use super::{Cell, Lesson, ProseCell};
use crate::source::nearest;

/// Hexadecimal digits of a digest: enough to tell versions of a cell apart.
const DIGEST_LENGTH: usize = 16;

impl ProseCell {
    /// Its heading, or its first line if it has none, without marks.
    pub fn heading(&self) -> String {
        let text = self.markdown.written();
        let mut lines = text.lines();
        let first = lines.find(|line| !line.trim().is_empty());
        let text = first.unwrap_or("").trim_start_matches('#').trim();
        text.replace(['*', '`'], "")
    }
}

impl Cell {
    /// What the contents call it: its title, or of text its heading.
    pub fn title(&self) -> String {
        match self {
            Cell::Prose(prose) => prose.heading(),
            Cell::Run(run) => run.title.clone(),
            Cell::Figure(figure) => figure.title.clone(),
            Cell::Prediction(cell) => cell.title.clone(),
            Cell::Table(cell) => cell.title.clone(),
            Cell::Calculator(cell) => cell.title.clone(),
            Cell::Kernel(cell) => cell.title.clone(),
        }
    }

    /// What its author called it; text has no such name.
    pub fn id(&self) -> Option<&str> {
        match self {
            Cell::Prose(_) => None,
            Cell::Run(run) => Some(&run.id),
            Cell::Prediction(cell) => Some(&cell.id),
            Cell::Table(cell) => Some(&cell.id),
            Cell::Calculator(cell) => Some(&cell.id),
            Cell::Kernel(cell) => Some(&cell.id),
            Cell::Figure(figure) => Some(&figure.id),
        }
    }

    /// What changes when the cell as written in `body` does, or the kernels that it runs.
    pub(super) fn digest(&self, body: &str) -> String {
        let kernels = match self {
            Cell::Run(run) => run.source.text(),
            Cell::Kernel(cell) => cell.source.text(),
            _ => "",
        };
        let mut hasher = Sha256::new();
        hasher.update(body);
        hasher.update([0]);
        hasher.update(kernels);
        let mut digest = format!("{:x}", hasher.finalize());
        digest.truncate(DIGEST_LENGTH);
        digest
    }
}

impl Lesson {
    /// The name of each cell: the id its author gave it, or of text its heading in small letters and
    /// hyphens. A heading used before gets a number.
    pub fn cell_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.cells.len());
        let ids: Vec<&str> = self.cells.iter().filter_map(Cell::id).collect();
        for cell in &self.cells {
            let name = match cell {
                Cell::Prose(prose) => {
                    let slug = slug(&prose.heading());
                    let numbered = (2..).map(|number| format!("{slug}-{number}"));
                    let mut candidates = std::iter::once(slug.clone()).chain(numbered);
                    let is_free = |name: &String| !names.contains(name) && !ids.contains(&&**name);
                    candidates.find(is_free).unwrap_or(slug)
                }
                _ => cell.id().unwrap_or_default().to_owned(),
            };
            names.push(name);
        }
        names
    }

    /// The index of the cell called `name`, or with that number, from 1; else names near it.
    pub fn find_cell(&self, name: &str) -> Result<usize, Vec<String>> {
        let names = self.cell_names();
        if let Some(index) = names.iter().position(|known| known == name) {
            return Ok(index);
        }
        match name.parse::<usize>() {
            Ok(number) if (1..=names.len()).contains(&number) => Ok(number - 1),
            _ => {
                let near = nearest(name, names.iter().map(String::as_str));
                Err(near.into_iter().map(str::to_owned).collect())
            }
        }
    }
}

/// Most words of a name: text without a heading begins with a sentence.
const SLUG_WORDS: usize = 8;

/// `Why subtract the maximum?` as `why-subtract-the-maximum`; `text` where nothing is left.
fn slug(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        return "text".to_owned();
    }
    words[..words.len().min(SLUG_WORDS)].join("-")
}

#[cfg(test)]
mod tests {
    use crate::lesson::load;

    #[test]
    fn cells_are_found_by_id_heading_and_number() {
        let lesson = load("softmax").expect("comes with the program");
        let names = lesson.cell_names();
        let at = |name: &str| lesson.find_cell(name);
        assert_eq!(at("fused").map(|at| names[at].as_str()), Ok("fused"));
        assert_eq!(at("why-subtract-the-maximum"), Ok(1));
        assert_eq!(at("2"), Ok(1));
        assert_eq!(at("0"), Err(Vec::new()));
        assert_eq!(at("fusd").expect_err("is not there")[0], "fused");
        for (i, name) in names.iter().enumerate() {
            assert_eq!(at(name), Ok(i), "{name} is of one cell");
        }
    }

    #[test]
    fn a_heading_used_before_gets_a_number() {
        let mut lesson = load("softmax").expect("comes with the program");
        let twice = lesson.cells[0].clone();
        lesson.cells.insert(1, twice);
        assert_eq!(lesson.cell_names()[..2], ["softmax", "softmax-2"]);
    }

    #[test]
    fn cells_that_run_have_a_digest_of_their_own() {
        let lesson = load("softmax").expect("comes with the program");
        assert_eq!(lesson.digests["naive"].len(), super::DIGEST_LENGTH);
        assert_ne!(lesson.digests["naive"], lesson.digests["fused"]);
    }
}
