//! The margin of the source: what each line did, by the measure that the learner chose. Heat is said by
//! a colour and by a bar. It is as wide as its numbers, and has no column that would be empty.

use std::ops::RangeInclusive;

use ratatui::text::{Line, Span};

use crate::app::state::{GutterMetric, Layout, Model, RunState};
use crate::app::view::widgets::Canvas;
use crate::device::{grouped, percent};
use crate::document::{Role, compact};
use crate::launch::{Amount, Counts, Evidence, LineCounts};

/// How the watched warp comes by a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Its statement is on this line.
    Now,
    /// The statement before was.
    Before,
    /// It comes there later.
    Coming,
    /// It does not, or nobody looks.
    None,
}

/// The margin of one frame.
pub(crate) struct Gutter {
    lines: Vec<LineCounts>,
    margin: GutterMetric,
    largest: u64,
    /// Whether there is room for whole numbers.
    whole: bool,
    /// Digits of the last line's number.
    digits: usize,
    /// Cells of the numbers of each column; none where no line has one.
    columns: [Option<usize>; 2],
    /// Whether both kinds of numbers stand in one column, as no line has both: a load and a store, say.
    is_one: bool,
    /// Whether something ran, whose numbers these would be.
    ran: bool,
    /// Whether what a model answers is there, if the measure is of a model.
    modelled: bool,
    running: bool,
    /// Lines that are the learner's to change, in an exercise.
    own: Option<RangeInclusive<u32>>,
}

impl Gutter {
    /// The margin of a text of `line_count` lines.
    pub fn new(canvas: &Canvas, state: &RunState, model: &Model, line_count: usize) -> Self {
        let lines = state.lines(0);
        // Of the first text alone: other files that it includes have lines of the same numbers.
        let margin = model.look.metric;
        let amounts = lines.iter().flat_map(|line| margin.of(&line.counts));
        let counts = amounts.filter_map(|amount| match amount? {
            Amount::Count(count) => Some(count),
            // A share is a bar by itself; counts need the largest one to be held against.
            Amount::Share(_) => None,
        });
        // The model of the caches runs after the counts: until it has answered, no number is not a zero.
        let has_model = lines.iter().any(|line| line.counts.l1.0.is_some());
        let mut gutter = Gutter {
            own: model.own_lines(),
            running: state.job.is_some(),
            modelled: has_model || margin.evidence() != Evidence::Modelled,
            margin,
            largest: counts.max().unwrap_or(0),
            whole: canvas.drawn.seen.layout == Layout::Three,
            digits: line_count.max(1).to_string().len(),
            columns: [None; 2],
            is_one: false,
            ran: state.job.is_some() || state.ran.is_some(),
            lines,
        };
        if gutter.ran {
            // Columns are as wide as their widest number: an empty one is left out, and code gains its cells.
            let columns = [0, 1].map(|column| {
                let amounts = gutter.lines.iter();
                let amounts = amounts.filter_map(|line| margin.of(&line.counts)[column]);
                amounts.map(|amount| gutter.text(amount).len()).max()
            });
            let mut lines = gutter.lines.iter().map(|line| margin.of(&line.counts));
            gutter.is_one = lines.all(|amounts| amounts.iter().flatten().count() < 2);
            gutter.columns = columns;
        }
        gutter
    }

    /// Cells of the numbers in each column on screen.
    fn widths(&self) -> impl Iterator<Item = usize> {
        let [first, second] = match self.is_one {
            true => [self.columns.iter().flatten().max().copied(), None],
            false => self.columns,
        };
        first.into_iter().chain(second)
    }

    /// Cells before the text of a line.
    pub fn width(&self) -> usize {
        // The pointer and the blank behind the line's number; then numbers, each with its bar and a blank.
        let columns = self.widths().map(|width| width + 2);
        self.digits + 2 + columns.sum::<usize>()
    }

    fn text(&self, amount: Amount) -> String {
        match amount {
            Amount::Share(share) => percent(share),
            Amount::Count(count) if self.whole => grouped(count),
            Amount::Count(count) => compact(count),
        }
    }

    /// What the columns are, in their order, or why there are none; the measure's name alone where there is no room
    /// for both.
    pub fn legend(&self, room: usize) -> String {
        let name = self.margin.name();
        let columns = self.columns.iter().zip(self.margin.columns());
        let shown = columns.filter_map(|(width, name)| width.map(|_| name));
        let shown: Vec<&str> = shown.collect();
        let columns = match shown.as_slice() {
            [] if !self.ran || self.lines.is_empty() => return name.to_owned(),
            [] if !self.modelled && self.running => "not modelled yet".to_owned(),
            [] if !self.modelled => "too little is known of this GPU".to_owned(),
            [] => "none".to_owned(),
            shown => shown.join(", "),
        };
        // `reads and writes` has said what its columns are.
        let has_said = !shown.is_empty() && shown.iter().all(|column| name.contains(column));
        let whole = format!("{name}: {columns}");
        match whole.len() <= room {
            _ if has_said => columns,
            true => whole,
            false => name.to_owned(),
        }
    }

    /// What line `number` did, and its number.
    pub fn line(&self, canvas: &Canvas, number: u32, visit: Visit) -> Line<'static> {
        let theme = canvas.theme();
        // Lines without counts are not in the list, which is in order of lines.
        let found = self.lines.binary_search_by_key(&number, |line| line.line);
        let counts = found.map_or_else(|_| Counts::default(), |at| self.lines[at].counts);
        let (pointer, role) = match visit {
            Visit::Now => (theme.glyph("\u{25b6}", ">"), Role::CurrentLine),
            Visit::Before => (theme.glyph("\u{25b7}", "'"), Role::Muted),
            Visit::Coming => (theme.glyph("\u{254e}", ":"), Role::Muted),
            Visit::None if self.own.as_ref().is_some_and(|own| own.contains(&number)) => {
                (theme.glyph("\u{258c}", "|"), Role::Accent)
            }
            Visit::None => (" ", Role::Muted),
        };
        let digits = self.digits;
        let mut line = Line::from(vec![
            canvas.span(pointer, role),
            canvas.span(format!("{number:>digits$} "), role),
        ]);
        let amounts = self.margin.of(&counts).into_iter().zip(self.columns);
        let mut amounts = amounts.filter_map(|(amount, width)| width.map(|_| amount));
        for width in self.widths() {
            let amount = match self.is_one {
                true => amounts.find(Option::is_some).flatten(),
                false => amounts.next().flatten(),
            };
            self.push(canvas, &mut line, amount, width);
        }
        line
    }

    /// A number and a bar, or blanks where the line does nothing of the kind.
    fn push(
        &self,
        canvas: &Canvas,
        line: &mut Line<'static>,
        amount: Option<Amount>,
        width: usize,
    ) {
        let Some(amount) = amount else {
            // The number, its bar, and the blank behind: columns stay in line where a line has none.
            line.push_span(Span::raw(" ".repeat(width + 2)));
            return;
        };
        let theme = canvas.theme();
        let (share, style) = match amount {
            // An efficiency is worst where it is low: the bar says how much, the colour how bad.
            Amount::Share(share) => (share, theme.heat(1.0 - share)),
            Amount::Count(count) => {
                let share = count as f64 / self.largest.max(1) as f64;
                let style = match self.margin.counts_waste() {
                    true => theme.heat(share),
                    false => theme.amount(share),
                };
                (share, style)
            }
        };
        let text = self.text(amount);
        line.push_span(Span::styled(format!("{text:>width$}"), style));
        line.push_span(Span::styled(theme.bar(share), style));
        line.push_span(Span::raw(" "));
    }
}
