//! Text of a lesson, and the values that it states: they follow the sizes and the GPU.

use std::borrow::Cow;

use super::comparison::Comparison;
use super::formula::Formula;
use super::sizes::Sizes;
use crate::device::{Gpu, grouped};

/// Markdown in which some numbers are the values of formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(Formula),
    Compared(Comparison),
}

impl Markdown {
    /// Text that states no values.
    pub fn plain(text: &str) -> Self {
        let pieces = vec![Piece::Text(text.to_owned())];
        Markdown { pieces }
    }

    /// Adds text at the end.
    pub(super) fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            // Neighbours become one piece, so that text without values is borrowed and not joined at each frame.
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Adds the value of `formula` at the end.
    pub(super) fn push_value(&mut self, formula: Formula) {
        self.pieces.push(Piece::Value(formula));
    }

    /// Adds what is said of two runs at the end.
    pub(super) fn push_comparison(&mut self, comparison: Comparison) {
        self.pieces.push(Piece::Compared(comparison));
    }

    /// The text with its values at `sizes`, which have one for each size of the lesson, on `gpu`.
    pub fn at(&self, sizes: &Sizes, gpu: &Gpu) -> Cow<'_, str> {
        self.with(
            |formula| match formula.evaluate(sizes, gpu) {
                Ok(value) => grouped(value),
                Err(why) => format!("(no value here: {why})"),
            },
            |compared| compared.of.text(sizes, gpu),
        )
    }

    /// The text with formulas in place of their values: the same whatever the sizes are.
    pub fn written(&self) -> Cow<'_, str> {
        self.with(Formula::textbook, |compared| compared.of.written())
    }

    /// Whether its first words are `text`.
    pub fn begins_with(&self, text: &str) -> bool {
        match self.pieces.first() {
            Some(Piece::Text(first)) => first.trim_start().starts_with(text),
            _ => false,
        }
    }

    /// Every formula whose value it states.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value(formula) => Some(formula),
            Piece::Text(_) | Piece::Compared(_) => None,
        })
    }

    /// Everything that it says of two runs.
    pub fn comparisons(&self) -> impl Iterator<Item = &Comparison> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Compared(comparison) => Some(comparison),
            Piece::Text(_) | Piece::Value(_) => None,
        })
    }

    fn with(
        &self,
        value: impl Fn(&Formula) -> String,
        compared: impl Fn(&Comparison) -> String,
    ) -> Cow<'_, str> {
        match &self.pieces[..] {
            [] => Cow::Borrowed(""),
            // Most prose states no values, and is asked for at every frame.
            [Piece::Text(text)] => Cow::Borrowed(text),
            pieces => {
                let texts = pieces.iter().map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Value(formula) => value(formula),
                    Piece::Compared(comparison) => compared(comparison),
                });
                Cow::Owned(texts.collect())
            }
        }
    }
}
