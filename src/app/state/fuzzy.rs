//! Search as you type: a few letters in order find what contains them.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// A search for what was typed. Words apart by blanks may stand in any order; case does not matter.
pub struct FuzzySearch {
    pattern: Pattern,
    matcher: Matcher,
    /// Where a text is spread to characters.
    characters: Vec<char>,
}

/// How well a text fits, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzyMatch {
    /// The higher, the better.
    pub score: u32,
    /// The characters of the text that were typed, from 0, in order.
    pub letters: Vec<usize>,
}

impl FuzzySearch {
    /// The search for `typed`; everything fits nothing typed.
    pub fn new(typed: &str) -> Self {
        FuzzySearch {
            pattern: Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart),
            matcher: Matcher::new(Config::DEFAULT),
            characters: Vec::new(),
        }
    }

    /// How `text` fits, if it does.
    pub fn fit(&mut self, text: &str) -> Option<FuzzyMatch> {
        let haystack = Utf32Str::new(text, &mut self.characters);
        let mut letters = Vec::new();
        let score = self
            .pattern
            .indices(haystack, &mut self.matcher, &mut letters)?;
        letters.sort_unstable();
        letters.dedup();
        let letters = letters.into_iter().map(|at| at as usize).collect();
        Some(FuzzyMatch { score, letters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_order_find_a_text_and_are_pointed_at() {
        let mut fuzzy = FuzzySearch::new("rn ev");
        let fit = fuzzy.fit("Run every cell").expect("has these letters");
        assert_eq!(fit.letters, [0, 2, 4, 5]);
        assert_eq!(fuzzy.fit("the next cell"), None);
        assert!(FuzzySearch::new("").fit("anything").is_some());
    }

    #[test]
    fn whole_words_fit_better_than_scattered_letters() {
        let mut fuzzy = FuzzySearch::new("warp");
        let word = fuzzy.fit("watch the next warp").expect("fits");
        let scattered = fuzzy.fit("what a reader prefers").expect("fits");
        assert!(word.score > scattered.score);
    }
}
