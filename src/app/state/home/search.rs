//! Lessons that a few typed letters may mean.

use crate::app::state::{FuzzyMatch, FuzzySearch};
use crate::lesson::Lesson;

/// A lesson that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LessonMatch {
    /// Its index.
    pub lesson: usize,
    /// Which characters of its title were meant, in order.
    pub lit: Vec<usize>,
}

/// What a hit in each text of a lesson is worth: the name that is typed counts most, then the title.
const ID: u32 = 4;
const TITLE: u32 = 3;
const TRACK: u32 = 2;
const SUMMARY: u32 = 1;

/// Letters of a word lie within so many times its length, or it was not meant.
const SPREAD: usize = 4;

/// The lessons in which every word of `query` is found, the best first, and equals in their order.
/// Letters may be left out in names and titles, but not in the long text of a summary, where any few
/// letters are found.
pub(crate) fn search<'a>(
    query: &str,
    lessons: impl Iterator<Item = (usize, &'a Lesson)>,
) -> Vec<LessonMatch> {
    let words = query.split_whitespace();
    let mut words: Vec<(&str, FuzzySearch)> =
        words.map(|word| (word, FuzzySearch::new(word))).collect();
    let mut found: Vec<(u32, LessonMatch)> = lessons
        .filter_map(|(index, lesson)| rate(index, lesson, &mut words))
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, found)| found).collect()
}

fn rate(
    index: usize,
    lesson: &Lesson,
    words: &mut [(&str, FuzzySearch)],
) -> Option<(u32, LessonMatch)> {
    let summary = lesson.summary.to_lowercase();
    let mut lit = Vec::new();
    let mut total = 0;
    for (word, fuzzy) in words {
        let mut hit = |text: &str| {
            let most = SPREAD * word.chars().count();
            fuzzy.fit(text).filter(|fit| reach(fit) < most)
        };
        let in_title = hit(&lesson.title).map(|fit| {
            lit.extend(fit.letters);
            fit.score * TITLE
        });
        let scores = [
            in_title,
            hit(&lesson.id).map(|fit| fit.score * ID),
            hit(&lesson.course.track).map(|fit| fit.score * TRACK),
            summary.contains(&word.to_lowercase()).then_some(SUMMARY),
        ];
        total += scores.into_iter().flatten().max()?;
    }
    lit.sort_unstable();
    lit.dedup();
    Some((total, LessonMatch { lesson: index, lit }))
}

/// From the first letter that was meant to the last.
fn reach(fit: &FuzzyMatch) -> usize {
    match (fit.letters.first(), fit.letters.last()) {
        (Some(first), Some(last)) => last - first,
        _ => 0,
    }
}
