//! A lesson: its sizes and its cells in order, and what cells are called in links and in saved state.

use std::collections::BTreeMap;
use std::sync::Arc;

use thiserror::Error;

use super::cells::{Cell, ExerciseCell, FigureCell, RunCell};
use super::course::Course;
use super::formula::NamedValue;
use super::sizes::{Size, Sizes, completed, defaults};
use crate::source::nearest;

/// A lesson, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// One sentence: what one learns.
    pub summary: String,
    /// Minutes it takes.
    pub minutes: u32,
    /// Where it stands among the others.
    pub course: Course,
    /// Sizes that the learner may change; all run cells share them.
    pub sizes: Vec<Size>,
    /// Formulas that the others use by their names, in the order in which they stand.
    pub values: Vec<Arc<NamedValue>>,
    /// Sizes that the notebook begins with in place of the defaults.
    pub begins: Sizes,
    /// Sizes at which it is recorded on real GPUs, beside the defaults. They may lie beyond what the learner may choose.
    pub recordings: Vec<RecordedSizes>,
    /// Cells in order.
    pub cells: Vec<Cell>,
    /// What a speaker says of a cell, in Markdown, by the cell's index.
    pub notes: BTreeMap<usize, String>,
    /// Of each cell that its author named, what changes when the cell or its kernels do.
    pub digests: BTreeMap<String, String>,
}

/// Sizes at which runs are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedSizes {
    /// A value for every size.
    pub sizes: Sizes,
    /// The run cells that are recorded there; all if none is named.
    pub cells: Vec<String>,
    /// Whether the simulated GPU counts beside the real one. It need not where figures know the bytes or operations.
    pub is_counted: bool,
}

/// Why a size cannot be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SizeError {
    /// The lesson has no such size.
    #[error("the lesson has no size `{name}`; {}", known(.sizes))]
    Unknown {
        /// The name asked for.
        name: String,
        /// What there is.
        sizes: Vec<Size>,
    },
    /// It is outside of its range.
    #[error("{name} = {value} is out of range: {name}, the {}, {}", .size.label, takes(.size))]
    OutOfRange {
        /// The size.
        name: String,
        /// The value asked for.
        value: u64,
        /// Its range.
        size: Box<Size>,
    },
}

fn takes(size: &Size) -> String {
    match &size.values[..] {
        [] => format!("goes from {} to {}", size.min, size.max),
        values => {
            let values: Vec<String> = values.iter().map(u64::to_string).collect();
            format!("is one of {}", values.join(", "))
        }
    }
}

fn known(sizes: &[Size]) -> String {
    let ranges = sizes
        .iter()
        .map(|size| format!("{} ({} to {})", size.name, size.min, size.max));
    match sizes {
        [] => "it has none".to_owned(),
        _ => format!("it has {}", ranges.collect::<Vec<_>>().join(", ")),
    }
}

impl Lesson {
    /// The sizes to run at: the defaults, but for `overrides`.
    pub fn sizes_with(&self, overrides: &[(String, u64)]) -> Result<Sizes, SizeError> {
        let mut sizes = defaults(&self.sizes);
        for (name, value) in overrides {
            let Some(size) = self.sizes.iter().find(|size| size.name == *name) else {
                return Err(SizeError::Unknown {
                    name: name.clone(),
                    sizes: self.sizes.clone(),
                });
            };
            if !size.takes(*value) {
                return Err(SizeError::OutOfRange {
                    name: name.clone(),
                    value: *value,
                    size: Box::new(size.clone()),
                });
            }
            size.set(&mut sizes, *value);
        }
        Ok(sizes)
    }

    /// `sizes` with a value for every size of the lesson: what is missing is at its default.
    pub fn complete(&self, sizes: &Sizes) -> Sizes {
        let own = self.sizes.iter();
        own.map(|size| (size.name.clone(), size.of(sizes)))
            .collect()
    }

    /// Has the notebook begin at those sizes.
    ///
    /// # Errors
    /// As [`Self::sizes_with`].
    pub fn begin_at(&mut self, overrides: &[(String, u64)]) -> Result<(), SizeError> {
        self.begins = self.sizes_with(overrides)?;
        Ok(())
    }

    /// The sizes that the notebook begins with.
    pub fn first_sizes(&self) -> Sizes {
        // What a lesson is begun with may name some of its sizes; the others are as it has them.
        completed(&defaults(&self.sizes), &self.begins)
    }

    /// Its run cells, in order.
    pub fn run_cells(&self) -> impl Iterator<Item = &RunCell> {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Run(run) => Some(run.as_ref()),
            _ => None,
        })
    }

    /// What its run cells and its exercises run, in order.
    pub fn runs(&self) -> impl Iterator<Item = &RunCell> {
        self.cells.iter().filter_map(Cell::as_run)
    }

    /// Its figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &FigureCell> {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Figure(figure) => Some(figure.as_ref()),
            _ => None,
        })
    }

    /// Its exercises, in order.
    pub fn exercises(&self) -> impl Iterator<Item = &ExerciseCell> {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Exercise(exercise) => Some(exercise.as_ref()),
            _ => None,
        })
    }

    /// The run cell called `id`, or the names nearest to it.
    pub fn run_cell(&self, id: &str) -> Result<&RunCell, Vec<&str>> {
        let found = self.run_cells().find(|cell| cell.id == id);
        found.ok_or_else(|| nearest(id, self.run_cells().map(|cell| cell.id.as_str())))
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
                    // Two headings may read alike, or as a cell is called: links must still tell them apart.
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
            // A cell that is called `2` was found above: names come first.
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
    // It goes into links, which people paste: a sentence as a heading would be all of it.
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
        assert_eq!(lesson.digests["naive"].len(), 16);
        assert_ne!(lesson.digests["naive"], lesson.digests["fused"]);
    }
}
