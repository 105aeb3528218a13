//! Lessons that a few typed letters may mean.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

use crate::lesson::Lesson;

/// A lesson that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its index.
    pub lesson: usize,
    /// Which characters of its title were meant, in order.
    pub lit: Vec<usize>,
}

/// What a hit in each text of a lesson is worth: the name that is typed counts most, then the title.
const TITLE: u32 = 3;
const ID: u32 = 4;
const TRACK: u32 = 2;
const SUMMARY: u32 = 1;

/// Letters of a word lie within so many times its length, or it was not meant.
const SPREAD: usize = 4;

/// The lessons in which every word of `query` is found, the best first, and equals in their order. Letters may be left
/// out in names and titles, but not in the long text of a summary, where any few letters are found.
pub(super) fn search<'a>(
    query: &str,
    lessons: impl Iterator<Item = (usize, &'a Lesson)>,
) -> Vec<Found> {
    let mut matcher = Matcher::new(Config::DEFAULT);
    let words: Vec<Pattern> = query.split_whitespace().map(pattern).collect();
    let mut found: Vec<(u32, Found)> = lessons
        .filter_map(|(index, lesson)| rate(index, lesson, query, &words, &mut matcher))
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, found)| found).collect()
}

fn pattern(word: &str) -> Pattern {
    use nucleo_matcher::pattern::AtomKind::Fuzzy;
    Pattern::new(word, CaseMatching::Ignore, Normalization::Smart, Fuzzy)
}

fn rate(
    index: usize,
    lesson: &Lesson,
    query: &str,
    words: &[Pattern],
    matcher: &mut Matcher,
) -> Option<(u32, Found)> {
    let [title, id, track] =
        [&lesson.title, &lesson.id, &lesson.course.track].map(|text| Utf32String::from(&**text));
    let summary = lesson.summary.to_lowercase();
    let mut lit = Vec::new();
    let mut total = 0;
    for (word, text) in words.iter().zip(query.split_whitespace()) {
        let mut hit = |within: &Utf32String| {
            let mut letters = Vec::new();
            let score = word.indices(within.slice(..), matcher, &mut letters)?;
            let reach = letters.iter().max()? - letters.iter().min()?;
            let is_meant = (reach as usize) < SPREAD * text.chars().count();
            is_meant.then_some((score, letters))
        };
        let in_title = hit(&title).map(|(score, letters)| {
            lit.extend(letters);
            score
        });
        let mut score = |within| hit(within).map(|(score, _)| score);
        let in_summary = summary.contains(&text.to_lowercase());
        let scores = [
            in_title.map(|score| score * TITLE),
            score(&id).map(|score| score * ID),
            score(&track).map(|score| score * TRACK),
            in_summary.then_some(SUMMARY),
        ];
        total += scores.into_iter().flatten().max()?;
    }
    lit.sort_unstable();
    lit.dedup();
    let lit = lit.into_iter().map(|at| at as usize).collect();
    let found = Found { lesson: index, lit };
    Some((total, found))
}
