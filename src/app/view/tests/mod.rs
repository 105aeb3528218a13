//! Whole frames, with their styles, at the sizes people have; and keys, through the real keymap.

mod cells;
mod edit;
mod figures;
mod home;
mod block_history;
mod kernel;
mod keys;
mod looks;
mod present;
mod prose_keys;
mod real;
mod recorded;
mod whole;
mod windows;

use std::fmt::Write as _;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::{Drawn, Painter, view};
use crate::app::keys::action;
use crate::app::state::{Action, Model, RunAction, Tab, ViewAction};
use crate::app::testing::{measure, sample_lesson, sample_progress, sample_ran};
use crate::app::update::update;
use crate::app::{Effect, Msg, RunTask};
use crate::document::{Depth, Theme};
use crate::launch::Ending;
use crate::lesson::Lesson;
use crate::source::{Diagnostic, Span};

const COLOUR: Theme = Theme::new(Depth::Named, true);
const PLAIN: Theme = Theme::new(Depth::None, false);

/// A notebook in a terminal of a size.
struct Notebook {
    model: Model,
    terminal: Terminal<TestBackend>,
    painter: Painter,
    drawn: Drawn,
    /// The runs asked for, the latest last.
    jobs: Vec<u64>,
    /// Everything asked for, in order.
    effects: Vec<Effect>,
}

impl Notebook {
    fn new(width: u16, height: u16, theme: Theme) -> Self {
        Self::of(sample_lesson(), (width, height), theme)
    }

    fn of(lesson: Lesson, (width, height): (u16, u16), theme: Theme) -> Self {
        let terminal = Terminal::new(TestBackend::new(width, height));
        let mut notebook = Notebook {
            model: Model::new(lesson, None),
            terminal: terminal.expect("a test terminal has no errors"),
            painter: Painter::new(theme),
            drawn: Drawn::default(),
            jobs: Vec::new(),
            effects: Vec::new(),
        };
        notebook.model.popups.palette.commands = crate::app::keys::commands().into();
        notebook.draw();
        notebook
    }

    fn draw(&mut self) {
        for _ in 0..2 {
            self.draw_once();
        }
    }

    fn draw_once(&mut self) {
        let (model, painter) = (&self.model, &self.painter);
        let mut drawn = Drawn::default();
        let frame = self
            .terminal
            .draw(|frame| drawn = view(model, frame, painter));
        frame.expect("a test terminal has no errors");
        update(&mut self.model, Msg::Drawn(drawn.seen));
        self.drawn = drawn;
    }

    fn send(&mut self, msg: Msg) {
        for effect in update(&mut self.model, msg) {
            if let Effect::Run(RunTask { job, .. }) = effect {
                self.jobs.push(job);
            }
            self.effects.push(effect);
        }
        self.draw();
    }

    /// Presses keys: characters as they are, and names in angle brackets. `<Lanes>` and the like are a click on that
    /// view.
    fn press(&mut self, keys: &str) {
        let mut rest = keys;
        while !rest.is_empty() {
            if let Some((tab, after)) = tab_of(rest) {
                rest = after;
                self.send(Msg::Action(Action::View(ViewAction::Show(tab))));
                continue;
            }
            let Some((key, after)) = keys::first(rest) else {
                return;
            };
            rest = after;
            if let Some(action) = action(key, self.model.context()) {
                self.send(Msg::Action(action));
            }
        }
    }

    /// Ends the latest run with a result in which all is well.
    fn finish(&mut self) {
        let job = *self.jobs.last().expect("a run was asked for");
        let watch = crate::launch::Watch::default();
        let result = Ok(sample_ran(job, &self.model.settings.sizes, watch));
        self.send(Msg::Finished { job, result });
    }

    /// The same, on a real GPU.
    fn finish_measured(&mut self) {
        let job = *self.jobs.last().expect("a run was asked for");
        let watch = crate::launch::Watch::default();
        let mut ran = (*sample_ran(job, &self.model.settings.sizes, watch)).clone();
        measure(&mut ran.result.outcome);
        let result = Ok(std::sync::Arc::new(ran));
        self.send(Msg::Finished { job, result });
    }

    fn text(&self) -> String {
        text(self.terminal.backend().buffer())
    }

    /// The frame's text, then the styles of each row.
    fn frame(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        text(buffer) + "\n" + &styles(buffer)
    }
}

/// The view that `keys` begin with, and what is behind it.
fn tab_of(keys: &str) -> Option<(Tab, &str)> {
    let (name, after) = keys.strip_prefix('<')?.split_once('>')?;
    let found = Tab::of("a.cu").iter().find(|(_, of)| *of == name);
    Some((found?.0, after))
}

fn text(buffer: &Buffer) -> String {
    let rows = buffer.content().chunks(buffer.area.width.into());
    let rows = rows.map(|row| {
        let text: String = row.iter().map(|cell| cell.symbol()).collect();
        text.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// Each row's runs of one style, as `row: first-last colour modifiers`; plain runs are left out.
fn styles(buffer: &Buffer) -> String {
    let mut out = String::new();
    for (y, row) in buffer
        .content()
        .chunks(buffer.area.width.into())
        .enumerate()
    {
        let style = |x: usize| (row[x].fg, row[x].bg, row[x].modifier);
        let mut runs = Vec::new();
        let mut start = 0;
        for x in 1..=row.len() {
            if x < row.len() && style(x) == style(start) {
                continue;
            }
            let (fg, bg, modifier) = style(start);
            if (fg, bg, modifier) != (Color::Reset, Color::Reset, Modifier::empty()) {
                let mut run = format!("{start}-{}", x - 1);
                for (name, color) in [("", fg), ("on ", bg)] {
                    if color != Color::Reset {
                        let _ = write!(run, " {name}{color}");
                    }
                }
                if !modifier.is_empty() {
                    let _ = write!(run, " {modifier:?}");
                }
                runs.push(run);
            }
            start = x;
        }
        if !runs.is_empty() {
            let _ = writeln!(out, "{y}: {}", runs.join(" | "));
        }
    }
    out
}

#[test]
fn prose_is_set_in_one_column() {
    insta::assert_snapshot!(Notebook::new(80, 24, COLOUR).frame());
}

#[test]
fn prose_stands_beside_the_contents_from_120_columns() {
    insta::assert_snapshot!(Notebook::new(120, 40, COLOUR).frame());
}

#[test]
fn a_cell_that_has_not_run_says_how_to_run_it() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_run_moves_the_margin_and_the_gauge() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    let job = notebook.jobs[0];
    notebook.send(Msg::Progress {
        job,
        progress: Box::new(sample_progress(0, 8)),
    });
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn counts_stand_with_their_formulas() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("<Counts>i");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn source_stands_beside_counts_from_120_columns() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn times_of_a_real_gpu_stand_between_formulas_and_counts() {
    let mut notebook = Notebook::new(80, 30, COLOUR);
    notebook.press("n<enter>:use a real GPU<enter>");
    notebook.finish_measured();
    notebook.press("<Counts>i");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn contents_source_and_lanes_stand_side_by_side_from_180_columns() {
    let mut notebook = Notebook::new(200, 60, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("<Lanes>P<right>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_warp_fits_80_columns() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("<Lanes>P<end>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_buffer_is_a_matrix_with_a_cursor() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("<Memory><down>.");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn without_colours_and_unicode_the_same_is_said() {
    let mut notebook = Notebook::new(120, 40, PLAIN);
    notebook.press("n<enter>");
    notebook.finish();
    let frame = notebook.frame();
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(frame);
}

#[test]
fn an_error_in_the_kernel_stands_in_place_of_the_counts() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter><Counts>");
    let job = notebook.jobs[0];
    let mut failed = (*sample_ran(job, &notebook.model.settings.sizes, Default::default())).clone();
    let outcome = &mut failed.result.outcome;
    outcome.ending = Ending::Failed;
    outcome.launches.clear();
    outcome.buffers.clear();
    let (cell, _) = notebook.model.run_cell().expect("is on a run cell");
    let at = cell.source.text().find("x[i]").expect("is in the source");
    let diagnostic = Diagnostic::error(Span::new(at, at + 4), "this load is out of bounds")
        .label("lane 8 of warp 1 loads element 1000 of `x`, which has 1000")
        .help("compare `i` with `count` first");
    outcome.reports.push(crate::launch::Report {
        source: 0,
        diagnostic,
    });
    failed.result.ok = false;
    failed.result.formulas.clear();
    failed.result.verified = None;
    let result = Ok(std::sync::Arc::new(failed));
    notebook.send(Msg::Finished { job, result });
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_size_out_of_range_says_the_range() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n9999<enter>");
    let text = notebook.text();
    assert!(text.contains("< 9999_ "), "{text}");
    assert!(text.contains("M takes 1 to 4,096"), "{text}");
    notebook.press("<esc>");
    assert!(notebook.text().contains("< 40 "));
}

#[test]
fn results_of_other_sizes_say_so() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    assert!(notebook.text().contains("Evidence  \u{2713} 2 checks"));
    notebook.press("+<esc>");
    let text = notebook.text();
    assert!(text.contains("counts of M 40, N 25"), "{text}");
}

#[test]
fn a_small_terminal_says_what_it_needs() {
    let mut notebook = Notebook::new(40, 10, COLOUR);
    notebook.press("n");
    let text = notebook.text();
    assert!(
        text.contains("needs 60 \u{d7} 16") && text.contains("is    40 \u{d7} 10"),
        "{text}"
    );
}

#[test]
fn clicks_find_tabs_and_sizes() {
    let mut notebook = Notebook::new(200, 60, COLOUR);
    notebook.press("n");
    let click_on = |notebook: &Notebook, what: &str| {
        let text = notebook.text();
        let found = text.lines().enumerate().find_map(|(row, line)| {
            let at = line.find(what)?;
            Some((line[..at].chars().count() as u16, row as u16))
        });
        let (column, row) = found.unwrap_or_else(|| panic!("`{what}` is on screen:\n{text}"));
        notebook.drawn.click(column, row)
    };
    let values = Some(Action::View(ViewAction::Show(Tab::Lanes)));
    assert_eq!(click_on(&notebook, "Lanes"), values);
    assert_eq!(
        click_on(&notebook, "columns"),
        Some(Action::Run(RunAction::SelectSize(1)))
    );
}

/// Every size a terminal may have must be drawn without a panic, whatever is on screen.
#[test]
fn every_terminal_size_can_be_drawn() {
    for keys in [
        "",
        "n",
        "n<enter>",
        "n<Lanes>",
        "n<Lanes>P",
        "n<Access>",
        "n<Memory>",
        "n<Memory>P",
        "n<Counts>i",
        "n?",
        "n5",
        "n<Code>",
        "n<PTX>",
        "nex",
        "nex<esc><ctrl-d>",
    ] {
        let mut notebook = Notebook::new(100, 30, PLAIN);
        notebook.press("n<enter>p");
        notebook.finish();
        notebook.press(keys);
        for (width, height) in [
            (1, 1),
            (60, 16),
            (61, 17),
            (79, 20),
            (119, 16),
            (120, 16),
            (180, 16),
            (250, 90),
        ] {
            notebook.terminal.backend_mut().resize(width, height);
            notebook.draw();
        }
    }
}
