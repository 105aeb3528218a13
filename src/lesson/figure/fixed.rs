//! The sizes of a figure: which runs of a cell belong into it, and what it is drawn at.

use std::collections::BTreeSet;

use super::sources::Sources;
use crate::device::Gpu;
use crate::lesson::cells::{At, RunCell};
use crate::lesson::outline::Lesson;
use crate::lesson::sizes::{Size, Sizes, equation};

/// Sizes as a figure's `at` has them, else as the learner chose.
pub(super) struct Fixed<'a> {
    lesson: &'a Lesson,
    chosen: Sizes,
    gpu: &'a Gpu,
    at: &'a At,
    /// The size on the first axis, if it is one.
    x: Option<&'a str>,
}

impl<'a> Fixed<'a> {
    pub fn new(sources: &Sources<'a>, at: &'a At, x: Option<&'a str>) -> Self {
        Fixed {
            lesson: sources.lesson,
            chosen: sources.lesson.complete(sources.sizes),
            gpu: sources.gpu,
            at,
            x,
        }
    }

    /// The size on the first axis.
    pub fn size(&self) -> Option<&'a Size> {
        let sizes = &self.lesson.sizes;
        sizes.iter().find(|size| Some(size.name.as_str()) == self.x)
    }

    /// All sizes of the lesson where that on the first axis is `x`, or as it was chosen. What a formula
    /// has no value for stays as chosen.
    pub fn sizes(&self, x: Option<u64>) -> Sizes {
        let mut named = self.chosen.clone();
        if let (Some(name), Some(x)) = (self.x, x) {
            named.insert(name.to_owned(), x);
        }
        let at = self.at.iter().filter_map(|(name, formula)| {
            let value = formula.evaluate(&named, self.gpu).ok()?;
            Some((name.clone(), value))
        });
        let at: Vec<_> = at.collect();
        // Formulas see the sizes as chosen, and not what other formulas of `at` give: their order says nothing.
        named.extend(at);
        named
    }

    /// Whether a run at `own` sizes belongs to the figure, at some place of its first axis.
    pub fn holds(&self, own: &Sizes) -> bool {
        let x = self.x.and_then(|x| own.get(x).copied());
        let all = self.sizes(x);
        own.iter().all(|(name, value)| all.get(name) == Some(value))
    }

    /// Whether a run at `own` sizes has those that `at` names; the others may be any.
    pub fn allows(&self, own: &Sizes) -> bool {
        let all = self.sizes(None);
        let mut named = own.iter().filter(|(name, _)| self.at.contains_key(*name));
        named.all(|(name, value)| all.get(name) == Some(value))
    }

    /// `M = 4,096, N = M`: what it is drawn at, of the sizes that `runs` use.
    pub fn text(&self, runs: &[&RunCell]) -> String {
        self.text_of(runs, |name| Some(name) != self.x)
    }

    /// The same of the sizes alone that `at` names.
    pub fn named_text(&self, runs: &[&RunCell]) -> String {
        self.text_of(runs, |name| self.at.contains_key(name))
    }

    fn text_of(&self, runs: &[&RunCell], is_shown: impl Fn(&str) -> bool) -> String {
        let used: BTreeSet<String> = runs.iter().flat_map(|run| run.used_sizes()).collect();
        let all = self.sizes(None);
        let sizes = self.lesson.sizes.iter();
        let shown = sizes.filter(|size| used.contains(&size.name) && is_shown(&size.name));
        let texts = shown.filter_map(|size| {
            let tied = self.at.get(&size.name);
            let tied = tied.filter(|formula| !formula.names().is_empty());
            match tied {
                Some(formula) => Some(format!("{} = {}", size.name, formula.textbook())),
                None => Some(equation(&size.name, *all.get(&size.name)?)),
            }
        });
        texts.collect::<Vec<_>>().join(", ")
    }
}
