//! Links: `softmax#fused@step=41` is a place in a lesson, as text.
//!
//! A link is the lesson's id, `#` and a cell (its id, its heading in small letters and hyphens, or its
//! number), and any of `@launch=`, `@block=`, `@warp=`, `@step=` and `@line=`. Numbers are those on
//! screen: launches, steps and lines from 1, blocks and warps from 0.

use std::fmt;

use crate::launch::Dim3;
use crate::lesson::{Cell, Lesson};

/// A place in a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonLink {
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

impl LessonLink {
    /// Takes a link apart: the lesson, and the place behind `#`, if there is one.
    ///
    /// # Errors
    /// What is wrong in the place, and what was expected.
    pub fn parse(link: &str) -> Result<(&str, Option<LessonLink>), String> {
        // The last `#`: a file's name may have one.
        let Some((lesson, place)) = link.rsplit_once('#') else {
            return Ok((link, None));
        };
        let mut parts = place.split('@');
        let cell = parts.next().unwrap_or_default();
        if cell.is_empty() {
            return Err("after `#` goes a cell, as in `softmax#fused`".to_owned());
        }
        let mut place = LessonLink {
            cell: cell.to_owned(),
            ..LessonLink::default()
        };
        for part in parts {
            place
                .take(part)
                .map_err(|what| format!("`@{part}` names no position: {what}; expected {PARTS}"))?;
        }
        Ok((lesson, Some(place)))
    }

    fn take(&mut self, part: &str) -> Result<(), &'static str> {
        let (name, value) = part.split_once('=').ok_or("it has no `=`")?;
        // Launches, steps and lines count from 1, as people do; blocks and warps from 0, as CUDA does.
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
        // Steps are not checked here: how many there are, only the run knows.
        let Some(run) = lesson.cells.get(index).and_then(Cell::as_run) else {
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
        let whole = LessonLink {
            cell: self.cell.clone(),
            ..LessonLink::default()
        };
        *self != whole
    }
}

impl fmt::Display for LessonLink {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.cell)?;
        if let Some(launch) = self.launch {
            write!(f, "@launch={launch}")?;
        }
        if let Some([x, y, z]) = self.block {
            match (y, z) {
                // As short as it was written: trailing zeros are what is taken for granted.
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
