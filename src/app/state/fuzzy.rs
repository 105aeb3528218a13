//! Search as you type: a few letters in order find what contains them.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// A search for what was typed. Words apart by blanks may stand in any order; case does not matter.
pub struct FuzzySearch {
    pattern: Pattern,
    /// What was typed, in small letters.
    typed: String,
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
            typed: typed.to_lowercase(),
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
        // Who types a phrase as it stands somewhere means that text, not one that has its words in another order.
        let score = match text.to_lowercase().contains(&self.typed) {
            true => score * 2,
            false => score,
        };
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

    #[test]
    fn a_phrase_fits_best_where_it_stands_as_it_was_typed() {
        let mut fuzzy = FuzzySearch::new("Run to a line");
        let phrase = fuzzy.fit("run to a line; or click on it in the code");
        let words = fuzzy.fit("to the next time this line runs, as in a loop");
        assert!(phrase.expect("fits").score > words.expect("fits").score);
    }
}
