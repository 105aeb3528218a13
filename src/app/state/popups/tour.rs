//! The tour of a first visit: a few notes that point at the screen, and do what they speak of.

/// A note of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourStep {
    /// What this is.
    Welcome,
    /// How to get on.
    Next,
    /// That a page asks before it runs something.
    Ask,
    /// How to run a kernel.
    Run,
    /// How to look inside of it.
    Inside,
    /// Where all keys are.
    Help,
}

/// The tour where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tour {
    /// Number of the note, from 0.
    pub(crate) at: usize,
    /// The cell it began in, to which it returns.
    pub(crate) began: usize,
}
