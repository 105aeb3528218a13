//! The margin of the source: what each line did, by the measure that the learner chose. Heat is said by
//! a colour and by a bar.

use ratatui::text::{Line, Span};

use crate::app::state::{GutterMetric, Model, RunState};
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

/// Width from which the margin has room for whole numbers.
const WHOLE_NUMBERS: u16 = 90;

/// The margin of one frame.
pub(crate) struct Gutter {
    lines: Vec<LineCounts>,
    margin: GutterMetric,
    largest: u64,
    whole: bool,
    ran: bool,
    /// Whether what a model answers is there, if the measure is of a model.
    modelled: bool,
    running: bool,
}

impl Gutter {
    pub fn new(state: &RunState, model: &Model, width: u16) -> Self {
        let lines = state.lines(0);
        let margin = model.look.metric;
        let amounts = lines.iter().flat_map(|line| margin.of(&line.counts));
        let counts = amounts.filter_map(|amount| match amount? {
            Amount::Count(count) => Some(count),
            // A share is a bar by itself; counts need the largest one to be held against.
            Amount::Share(_) => None,
        });
        // The model of the caches runs after the counts: until it has answered, no number is not a zero.
        let has_model = lines.iter().any(|line| line.counts.l1.0.is_some());
        Gutter {
            running: state.job.is_some(),
            modelled: has_model || margin.evidence() != Evidence::Modelled,
            margin,
            largest: counts.max().unwrap_or(0),
            lines,
            whole: width >= WHOLE_NUMBERS,
            ran: state.job.is_some() || state.ran.is_some(),
        }
    }

    fn width(&self) -> usize {
        if self.whole { 12 } else { 6 }
    }

    fn number(&self, count: u64) -> String {
        match self.whole {
            true => grouped(count),
            false => compact(count),
        }
    }

    /// The columns' names, and what a full bar stands for.
    pub fn heading(&self, canvas: &Canvas) -> Line<'static> {
        let [first, second] = self.margin.columns();
        let width = self.width();
        // Names longer than a narrow column take the blanks of the bar before them.
        let text = format!("     {first:>width$} {second:>after$}  ", after = width + 1);
        let mut line = canvas.text(text, Role::Muted);
        let full = canvas.theme().bar(1.0);
        let hint = match self.margin {
            _ if !self.ran => String::new(),
            GutterMetric::Efficiency => format!("  {full} is 100 %"),
            _ if self.largest > 0 => format!("  {full} is {}, the most", grouped(self.largest)),
            _ if self.lines.is_empty() => String::new(),
            _ if !self.modelled && self.running => "  not modelled yet".to_owned(),
            _ if !self.modelled => "  not modelled: too little is known of this GPU".to_owned(),
            _ => "  there is none".to_owned(),
        };
        line.push_span(canvas.span(hint, Role::Muted));
        line
    }

    /// What line `number` did, and its number.
    pub fn line(&self, canvas: &Canvas, number: u32, visit: Visit) -> Line<'static> {
        let theme = canvas.theme();
        let found = self.lines.binary_search_by_key(&number, |line| line.line);
        let counts = found.map_or_else(|_| Counts::default(), |at| self.lines[at].counts);
        let (pointer, role) = match visit {
            Visit::Now => (theme.glyph("\u{25b6}", ">"), Role::CurrentLine),
            Visit::Before => (theme.glyph("\u{25b7}", "'"), Role::Muted),
            Visit::Coming => (theme.glyph("\u{254e}", ":"), Role::Muted),
            Visit::None => (" ", Role::Muted),
        };
        let mut line = Line::from(vec![
            canvas.span(pointer, role),
            canvas.span(format!("{number:>3} "), role),
        ]);
        for amount in self.margin.of(&counts) {
            self.push(canvas, &mut line, amount);
        }
        let rule = theme.glyph("\u{2502} ", "| ");
        line.push_span(canvas.span(rule, Role::Border));
        line
    }

    /// A number and a bar, or blanks where the line does nothing of the kind.
    fn push(&self, canvas: &Canvas, line: &mut Line<'static>, amount: Option<Amount>) {
        let theme = canvas.theme();
        let width = self.width();
        let (text, share, heat) = match amount.filter(|_| self.ran) {
            None => {
                // The number, its bar, and the blank behind: columns stay in line where a line has none.
                line.push_span(Span::raw(" ".repeat(width + 2)));
                return;
            }
            // An efficiency is worst where it is low, so it is hot there: the bar says how much, the colour how
            // bad.
            Some(Amount::Share(share)) => (percent(share), share, 1.0 - share),
            Some(Amount::Count(count)) => {
                let share = count as f64 / self.largest.max(1) as f64;
                (self.number(count), share, share)
            }
        };
        let style = theme.heat(heat);
        line.push_span(Span::styled(format!("{text:>width$}"), style));
        line.push_span(Span::styled(theme.bar(share), style));
        line.push_span(Span::raw(" "));
    }
}
