//! What text states of two runs: how many times as fast one is as the other by their recording, and how many times as
//! much it counts. Like every number in prose it is never written down: `tutor check` says where it does not hold.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::formula::Formula;
use super::sizes::{Sizes, equations};
use crate::device::{DEFAULT_GPU, Gpu};
use crate::engine::recorded_lesson;
use crate::launch::{RecordedCell, RecordedRun, Recording, Timing, time_text};
use crate::source::Span;

/// What a sentence states, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Its quote, with the braces.
    pub span: Span,
    /// What it states.
    pub of: Compared,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The time of one run, or of each of so many equal parts of it.
    Time(RecordedTimes, u64),
    /// The first of two runs is faster than the second.
    Faster(RecordedTimes),
    /// The first of two counts is more than the second, each behind how it is called.
    More(Box<[(String, Formula); 2]>),
}

/// A run as it was timed: of a cell at the sizes that it uses, or of a library beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedRun {
    /// The cell.
    pub cell: String,
    /// Which of its launches, from 0; all together if nothing is said.
    pub launch: Option<usize>,
    /// The library, as in `cuDNN`.
    pub library: Option<String>,
    /// The sizes.
    pub sizes: Sizes,
    /// What sizes are where a recording does not name them.
    pub implied: Sizes,
}

/// The median of each run, or why there is none.
type Medians = Result<Vec<f64>, String>;

/// Runs of a lesson and their recorded times, which are read at the first look: recordings are large, and most lessons
/// that are loaded are not read.
#[derive(Clone, Debug)]
pub struct RecordedTimes {
    lesson: String,
    /// The runs.
    pub runs: Vec<TimedRun>,
    medians_ms: Arc<OnceLock<Medians>>,
}

impl PartialEq for RecordedTimes {
    fn eq(&self, other: &Self) -> bool {
        // Not the medians: whether they were read already makes no other comparison of it.
        (&self.lesson, &self.runs) == (&other.lesson, &other.runs)
    }
}

impl Eq for RecordedTimes {}

impl fmt::Display for TimedRun {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (&self.library, self.launch) {
            (Some(library), _) => write!(f, "{library} beside `{}`", self.cell),
            (None, Some(launch)) => write!(f, "launch {launch} of `{}`", self.cell),
            (None, None) => write!(f, "`{}`", self.cell),
        }
    }
}

impl TimedRun {
    /// Its times among `cells`, or what is missing.
    fn timing<'r>(&self, cells: &'r [RecordedCell]) -> Result<&'r Timing, String> {
        let missing = || {
            let at = equations(self.sizes.iter());
            format!("no time of {self} is recorded at {at}")
        };
        let mut of_cell = cells.iter().filter(|cell| cell.id == self.cell);
        let runs = &of_cell.next().ok_or_else(missing)?.runs;
        let is_at = |run: &&RecordedRun| {
            // A recorded run names the sizes that its cell uses; the lesson may fix further ones.
            let of = |name: &String| run.sizes.get(name).or(self.implied.get(name));
            let mut own = self.sizes.iter();
            own.all(|(name, value)| of(name) == Some(value))
        };
        let mut runs = runs.iter().filter(is_at);
        let run = runs.next().ok_or_else(missing)?;
        let timing = match (&self.library, self.launch) {
            (None, None) => run.timing.as_ref(),
            (None, Some(launch)) => {
                let launch = run.launches.get(launch).ok_or_else(missing)?;
                launch.timing.as_ref()
            }
            (Some(library), _) => {
                let is_of_it =
                    |name: &str| name.to_lowercase().starts_with(&library.to_lowercase());
                let mut baselines = run.baselines.iter();
                let baseline = baselines.find(|baseline| is_of_it(&baseline.name));
                baseline.and_then(|baseline| baseline.timing.as_ref())
            }
        };
        timing.ok_or_else(missing)
    }
}

impl RecordedTimes {
    /// Of runs of `lesson`.
    pub fn new(lesson: &str, runs: Vec<TimedRun>) -> Self {
        RecordedTimes {
            lesson: lesson.to_owned(),
            runs,
            medians_ms: Arc::default(),
        }
    }

    /// The median of each, in milliseconds.
    fn medians_ms(&self) -> Result<&[f64], &str> {
        let read = || {
            let recording = recorded_lesson(DEFAULT_GPU, &self.lesson);
            self.in_recording(recording.as_ref())
        };
        // Read when the text is first shown: a recording has megabytes, and most pages quote none.
        match self.medians_ms.get_or_init(read) {
            Ok(medians) => Ok(medians),
            Err(why) => Err(why),
        }
    }

    fn in_recording(&self, recording: Option<&Recording>) -> Medians {
        let cells = recording.map_or(&[][..], |recording| &recording.cells);
        let medians = self.runs.iter().map(|run| Ok(run.timing(cells)?.median_ms));
        medians.collect()
    }
}

impl Compared {
    /// As it stands in a sentence, with counts at `sizes` on `gpu`: `3.1 times as fast`.
    pub(super) fn text(&self, sizes: &Sizes, gpu: &Gpu) -> String {
        match self {
            Compared::Time(times, parts) => times.medians_ms().map_or_else(no_value, |medians| {
                let of_each = medians.iter().map(|ms| ms / *parts as f64);
                of_each.map(|ms| time_text(ms, "\u{b5}s")).collect()
            }),
            Compared::Faster(times) => {
                times
                    .medians_ms()
                    .map_or_else(no_value, |medians| match medians {
                        [faster, slower] => format!("{} times as fast", factor(slower / faster)),
                        _ => String::new(),
                    })
            }
            Compared::More(counts) => match values(counts, sizes, gpu) {
                Ok([more, less]) if less > 0 => {
                    format!("{} times as many", factor(more as f64 / less as f64))
                }
                Ok(_) => no_value("one of the two is 0"),
                Err(why) => no_value(&why),
            },
        }
    }

    /// The cells whose recorded times it states.
    pub fn timed_cells(&self) -> impl Iterator<Item = &str> {
        let runs = match self {
            Compared::Time(times, _) | Compared::Faster(times) => &times.runs[..],
            Compared::More(_) => &[],
        };
        runs.iter().map(|run| run.cell.as_str())
    }

    /// What it states, without values.
    pub(super) fn written(&self) -> String {
        match self {
            Compared::Time(times, _) => format!("(the time of {})", named(&times.runs)),
            Compared::Faster(times) => format!("(how many times as fast: {})", named(&times.runs)),
            Compared::More(counts) => {
                let [more, less] = counts.each_ref().map(|(_, formula)| formula.textbook());
                format!("({more} of {less})")
            }
        }
    }

    /// Why it does not hold at `sizes` on `gpu`, if it does not.
    pub fn fault(&self, sizes: &Sizes, gpu: &Gpu) -> Option<String> {
        match self {
            Compared::Time(times, _) => times.medians_ms().err().map(str::to_owned),
            Compared::Faster(times) => match times.medians_ms() {
                Err(why) => Some(why.to_owned()),
                // What rounds to `1.00 times as fast` is no news.
                Ok([faster, slower]) if slower / faster < 1.005 => {
                    let [faster, slower] = [faster, slower].map(|&ms| time_text(ms, "\u{b5}s"));
                    let [first, second] = [0, 1].map(|at| times.runs[at].to_string());
                    Some(format!(
                        "{first} is not faster than {second}: {faster} against {slower}, as recorded on an H200"
                    ))
                }
                Ok(_) => None,
            },
            Compared::More(counts) => {
                let [of_more, of_less] = counts.each_ref().map(|(name, _)| name);
                match values(counts, sizes, gpu) {
                    Err(why) => Some(why),
                    Ok([more, less]) => (more <= less).then(|| {
                        let at = equations(sizes.iter());
                        format!(
                            "{of_more} is not more than {of_less}: {more} against {less} at {at}"
                        )
                    }),
                }
            }
        }
    }
}

/// Two counts by their formulas, or why one has no value.
fn values(counts: &[(String, Formula); 2], sizes: &Sizes, gpu: &Gpu) -> Result<[u64; 2], String> {
    let values = counts
        .each_ref()
        .map(|(_, formula)| formula.evaluate(sizes, gpu));
    match values {
        [Ok(more), Ok(less)] => Ok([more, less]),
        [Err(why), _] | [_, Err(why)] => Err(why.to_string()),
    }
}

fn named(runs: &[TimedRun]) -> String {
    let names: Vec<String> = runs.iter().map(TimedRun::to_string).collect();
    names.join(" against ")
}

fn no_value(why: &str) -> String {
    format!("(no value here: {why})")
}

/// A factor as it is read aloud: `4`, `3.1`, `1.04`, `120`.
fn factor(factor: f64) -> String {
    let digits = match factor {
        // Three digits at most: `7.1`, `14`, `120`. Times vary by per cents.
        f if f >= 99.5 => 0,
        f if f >= 1.1 => 1,
        _ => 2,
    };
    let text = format!("{factor:.digits$}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_aloud() {
        let said = [4.0, 3.06, 1.04, 12.34, 120.4, 0.5, 1.26].map(factor);
        assert_eq!(said, ["4", "3.1", "1.04", "12.3", "120", "0.50", "1.3"]);
    }
}
