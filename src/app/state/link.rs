//! Links: `softmax#fused@step=41` is a place in a lesson, as text.
//!
//! A link is the lesson's id, `#` and a cell (its id, its heading in small letters and hyphens, or its
//! number), and any of `@launch=`, `@block=`, `@warp=`, `@step=` and `@line=`. Numbers are those on
//! screen: launches, steps and lines from 1, blocks and warps from 0.

use std::fmt;

use super::{Effect, Focus, Item, Model, Tab};
use crate::app::update::start;
use crate::app::update::{show_source_line, show_step_line};
use crate::launch::{Dim3, Watch};
use crate::lesson::{Cell, Lesson};

/// A place in a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A cell's name or number.
    pub cell: String,
    /// A launch of it, from 1.
    pub launch: Option<usize>,
    /// A block.
    pub block: Option<Dim3>,
    /// A warp of the block.
    pub warp: Option<u32>,
    /// A step of the warp, from 1.
    pub step: Option<usize>,
    /// A line of the source, from 1.
    pub line: Option<u32>,
}

/// What a link may say after `@`.
const PARTS: &str = "@step=41, @line=12, @launch=2, @block=3,1 and @warp=0";

impl Place {
    /// Takes a link apart: the lesson, and the place behind `#`, if there is one.
    ///
    /// # Errors
    /// What is wrong in the place, and what was expected.
    pub fn parse(link: &str) -> Result<(&str, Option<Place>), String> {
        let Some((lesson, place)) = link.rsplit_once('#') else {
            return Ok((link, None));
        };
        let mut parts = place.split('@');
        let cell = parts.next().unwrap_or_default();
        if cell.is_empty() {
            return Err("after `#` goes a cell, as in `softmax#fused`".to_owned());
        }
        let mut place = Place {
            cell: cell.to_owned(),
            ..Place::default()
        };
        for part in parts {
            place
                .take(part)
                .map_err(|what| format!("`@{part}` is no place: {what}; there are {PARTS}"))?;
        }
        Ok((lesson, Some(place)))
    }

    fn take(&mut self, part: &str) -> Result<(), &'static str> {
        let (name, value) = part.split_once('=').ok_or("it has no `=`")?;
        let from_one = |value: &str| match value.parse::<u32>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err("it takes a number from 1"),
        };
        match name {
            "launch" => self.launch = Some(from_one(value)? as usize),
            "step" => self.step = Some(from_one(value)? as usize),
            "line" => self.line = Some(from_one(value)?),
            "warp" => {
                let warp = value.parse().map_err(|_| "it takes a number from 0")?;
                self.warp = Some(warp);
            }
            "block" => {
                let numbers: Result<Vec<u32>, _> = value.split(',').map(str::parse).collect();
                let numbers = numbers.map_err(|_| "it takes one to three numbers from 0")?;
                if numbers.len() > 3 {
                    return Err("it takes one to three numbers from 0");
                }
                self.block = Some([0, 1, 2].map(|i| numbers.get(i).copied().unwrap_or(0)));
            }
            _ => return Err("it has no known name"),
        }
        Ok(())
    }

    /// The cell that it names in `lesson`, from 0.
    ///
    /// # Errors
    /// That there is no such cell, launch or line, and which there are.
    pub fn find(&self, lesson: &Lesson) -> Result<usize, String> {
        let index = self.find_cell(lesson)?;
        let cell = &self.cell;
        let Some(Cell::Run(run)) = lesson.cells.get(index) else {
            return match self.is_inside() {
                true => Err(format!(
                    "the cell `{cell}` is text: `@` goes after cells that run"
                )),
                false => Ok(index),
            };
        };
        let (launches, lines) = (run.launches.len(), run.source.line_count());
        if let Some(launch) = self.launch.filter(|&launch| launch > launches) {
            return Err(format!(
                "there is no launch {launch}: the cell `{cell}` has {launches}"
            ));
        }
        if let Some(line) = self.line.filter(|&line| line as usize > lines as usize) {
            return Err(format!(
                "there is no line {line}: the source of `{cell}` has {lines}"
            ));
        }
        Ok(index)
    }

    fn find_cell(&self, lesson: &Lesson) -> Result<usize, String> {
        lesson.find_cell(&self.cell).map_err(|near| {
            let (id, cell) = (&lesson.id, &self.cell);
            let guess = near.first();
            let guess = guess.map_or_else(String::new, |name| format!("; perhaps `{name}`"));
            let names = lesson.cell_names();
            let names = names.iter().enumerate();
            let names = names.map(|(i, name)| format!("\n  {:>2}  {name}", i + 1));
            let names: String = names.collect();
            format!("the lesson `{id}` has no cell `{cell}`{guess}\n  it has, by number and name:{names}")
        })
    }

    /// Whether it is inside a run cell rather than a cell as a whole.
    pub fn is_inside(&self) -> bool {
        let whole = Place {
            cell: self.cell.clone(),
            ..Place::default()
        };
        *self != whole
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.cell)?;
        if let Some(launch) = self.launch {
            write!(f, "@launch={launch}")?;
        }
        if let Some([x, y, z]) = self.block {
            match (y, z) {
                (0, 0) => write!(f, "@block={x}")?,
                (_, 0) => write!(f, "@block={x},{y}")?,
                _ => write!(f, "@block={x},{y},{z}")?,
            }
        }
        if let Some(warp) = self.warp {
            write!(f, "@warp={warp}")?;
        }
        if let Some(step) = self.step {
            write!(f, "@step={step}")?;
        }
        match self.line {
            Some(line) => write!(f, "@line={line}"),
            None => Ok(()),
        }
    }
}

impl Model {
    /// The link to where the learner is.
    pub fn link(&self) -> String {
        let names = self.lesson.cell_names();
        let mut place = Place {
            cell: names.into_iter().nth(self.at).unwrap_or_default(),
            ..Place::default()
        };
        if let Some((_, state)) = self.run_cell() {
            let inspector = &state.inspector;
            place.launch = state.launch.map(|launch| launch + 1);
            if self.shows_values() && inspector.item() == Item::Warp {
                let usual = Watch::default();
                let watch = inspector.watch;
                place.block = Some(watch.block).filter(|&block| block != usual.block);
                place.warp = Some(watch.warp).filter(|&warp| warp != usual.warp);
                place.step = state.step().map(|step| step + 1);
            } else if state.source_scroll > 0 {
                place.line = u32::try_from(state.source_scroll + 1).ok();
            }
        }
        format!("{}{place}", self.lesson.id)
    }

    /// Goes to a place whose cell is number `cell`, from 0, and runs that cell if the place is inside of a
    /// warp.
    pub(crate) fn go_to_place(&mut self, cell: usize, place: Place, effects: &mut Vec<Effect>) {
        self.at = cell;
        let Some(state) = self.run_state() else {
            return;
        };
        state.launch = place.launch.map(|launch| launch - 1);
        let watch = &mut state.inspector.watch;
        watch.block = place.block.unwrap_or(watch.block);
        watch.warp = place.warp.unwrap_or(watch.warp);
        let is_in_warp = place.step.is_some() || place.block.is_some() || place.warp.is_some();
        self.landing = Some(place);
        if is_in_warp {
            self.look.tab = Tab::Values;
            self.look.focus = Focus::Output;
            start(self, cell, effects);
        }
    }

    /// Takes up what of the place could not be taken up before: a line once there is a screen, a step once
    /// there are values.
    pub(crate) fn land(&mut self) {
        let Some(mut place) = self.landing.take() else {
            return;
        };
        if self.look.seen.source.visible > 0
            && let Some(line) = place.line.take()
        {
            show_source_line(self, Some(line));
        }
        let (notice, is_waiting) = match self.run_state() {
            Some(state) if state.job.is_some() => (None, true),
            Some(state) => (
                place.step.take().and_then(|step| state.stand_at(step)),
                false,
            ),
            None => (None, false),
        };
        if !is_waiting && place.step.is_none() {
            show_step_line(self);
        }
        self.notice = notice.or(self.notice.take());
        if place.line.is_some() || is_waiting && place.step.is_some() {
            self.landing = Some(place);
        }
    }
}

impl super::RunState {
    /// Stands at a step, from 1, or at the last; says so if there is none with that number.
    fn stand_at(&mut self, step: usize) -> Option<String> {
        let steps = self.trace().map(|(_, trace)| trace.steps.len())?;
        self.inspector.step = step.min(steps).saturating_sub(1);
        (step > steps).then(|| format!("there is no step {step}: this warp takes {steps}"))
    }
}
