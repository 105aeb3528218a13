//! A lesson cut into pages: what stands together on one screen.
//!
//! A page is a heading of the first level and all cells up to the next one. One walks through it step by step: a question, a
//! run, a table, a figure or a calculator each are a step. Text and kernels are read beside them, and are a step only where
//! a page has nothing else.

use std::ops::Range;

use super::cells::{Cell, KernelCell, ProseCell, RunCell};
use super::outline::Lesson;

/// A page of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonPage {
    /// Its cells.
    pub cells: Range<usize>,
    /// Those that are steps, in order; never empty.
    pub steps: Vec<usize>,
}

/// The code that a step of a page speaks of.
#[derive(Clone, Copy, Debug)]
pub enum ShownCode<'a> {
    /// That of a run, and the run's index.
    Run(usize, &'a RunCell),
    /// Of a kernel to be read.
    Kernel(&'a KernelCell),
}

impl ProseCell {
    /// Whether a page begins with it.
    fn begins_page(&self) -> bool {
        self.markdown.begins_with("# ")
    }
}

impl LessonPage {
    fn new(lesson: &Lesson, cells: Range<usize>) -> Self {
        let is_step = |at: &usize| !matches!(lesson.cells[*at], Cell::Prose(_) | Cell::Kernel(_));
        let mut steps: Vec<usize> = cells.clone().filter(is_step).collect();
        if steps.is_empty() {
            let is_kernel = |at: &usize| matches!(lesson.cells[*at], Cell::Kernel(_));
            let kernel = cells.clone().find(is_kernel);
            steps.push(kernel.unwrap_or(cells.start));
        }
        LessonPage { cells, steps }
    }

    /// The step that shows cell `at`: the first at or behind it, else the last.
    pub fn step_of(&self, at: usize) -> usize {
        let found = self.steps.iter().find(|&&step| step >= at);
        let last = self.steps.last();
        found.or(last).copied().unwrap_or(self.cells.start)
    }

    /// The cells between the step before `step` and `step`.
    pub fn before(&self, step: usize) -> Range<usize> {
        let earlier = self.steps.iter().rev().find(|&&other| other < step);
        earlier.map_or(self.cells.start, |earlier| earlier + 1)..step
    }

    /// The cells between `step` and the next one.
    pub fn after(&self, step: usize) -> Range<usize> {
        let later = self.steps.iter().find(|&&other| other > step);
        (step + 1).min(self.cells.end)..later.map_or(self.cells.end, |later| *later)
    }
}

impl Lesson {
    /// Its pages, in order; together they have all cells.
    pub fn pages(&self) -> Vec<LessonPage> {
        let begins = |(at, cell): (usize, &Cell)| match cell {
            Cell::Prose(prose) if prose.begins_page() => Some(at),
            _ => None,
        };
        let mut starts: Vec<usize> = self.cells.iter().enumerate().filter_map(begins).collect();
        if starts.first() != Some(&0) && !self.cells.is_empty() {
            starts.insert(0, 0);
        }
        let ends = starts.iter().copied().skip(1).chain([self.cells.len()]);
        let pages = starts.iter().zip(ends);
        pages
            .map(|(&start, end)| LessonPage::new(self, start..end))
            .collect()
    }

    /// The page of cell `at`, and its number from 0; nothing in a lesson without cells.
    pub fn page_of(&self, at: usize) -> Option<(usize, LessonPage)> {
        let mut pages = self.pages().into_iter().enumerate();
        pages.find(|(_, page)| page.cells.contains(&at))
    }

    /// What the contents call a page: its heading, else the title of its first cell.
    pub fn page_title(&self, page: &LessonPage) -> String {
        let first = self.cells.get(page.cells.start);
        first.map_or_else(String::new, Cell::title)
    }

    /// The code that step `at` of a page speaks of: of a run its own; of a question that of the run it asks about, of the
    /// next run or of the kernel; nothing where a table, a figure or a calculator is looked at.
    pub fn code_of(&self, page: &LessonPage, at: usize) -> Option<ShownCode<'_>> {
        let run = |at: usize| Some(ShownCode::Run(at, self.cells[at].as_run()?));
        let kernel = |at: usize| match &self.cells[at] {
            Cell::Kernel(cell) => Some(ShownCode::Kernel(cell)),
            _ => None,
        };
        match self.cells.get(at)? {
            Cell::Run(_) | Cell::Exercise(_) => run(at),
            Cell::Kernel(_) => kernel(at),
            Cell::Prediction(cell) => {
                let is_asked = |at: &usize| self.cells[*at].id() == cell.runs();
                let asked = page.cells.clone().find(is_asked).and_then(run);
                let next = || (at..page.cells.end).find_map(run);
                let read = || page.cells.clone().rev().find_map(kernel);
                let before = || (page.cells.start..at).rev().find_map(run);
                asked.or_else(next).or_else(read).or_else(before)
            }
            // Every other kind is looked at itself.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::load_all;

    #[test]
    fn pages_have_every_cell_once_and_begin_with_headings() {
        for (id, lesson) in load_all() {
            let lesson = lesson.unwrap_or_else(|error| panic!("{id}: {error}"));
            let pages = lesson.pages();
            let cells = pages.iter().flat_map(|page| page.cells.clone());
            assert!(cells.eq(0..lesson.cells.len()), "{}", lesson.id);
            for (number, page) in pages.iter().enumerate() {
                assert!(!page.steps.is_empty() && !lesson.page_title(page).is_empty());
                for at in page.cells.clone() {
                    assert_eq!(lesson.page_of(at).map(|(number, _)| number), Some(number));
                    assert!(page.steps.contains(&page.step_of(at)));
                }
            }
        }
    }

    #[test]
    fn text_around_a_cell_is_of_its_page() {
        let lesson = load("softmax");
        let naive = lesson.find_cell("naive").expect("is there");
        let (_, page) = lesson.page_of(naive).expect("is on a page");
        assert_eq!(lesson.page_title(&page), "All five");
        let asked = lesson.find_cell("crossings").expect("is there");
        assert_eq!(page.steps, [asked, naive]);
        assert_eq!(page.before(naive).chain(page.after(asked)).count(), 0);
        let code = lesson.code_of(&page, asked);
        assert!(matches!(code, Some(ShownCode::Run(at, _)) if at == naive));
    }

    fn load(id: &str) -> Lesson {
        crate::lesson::load(id).expect("comes with the program")
    }
}
