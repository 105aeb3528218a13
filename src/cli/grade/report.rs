//! What is printed of graded answers: a table, CSV or JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::submissions::Submission;
use super::worker::{Found, FoundCost};
use crate::cli::output::Stop;
use crate::document::{self, Block, Table, thousands};

/// An answer with what was found.
pub(super) struct Graded<'a> {
    pub submission: &'a Submission<'a>,
    /// What was found, or why nothing was.
    pub found: Result<Found, String>,
    /// All that was found.
    pub json: Option<Value>,
    /// Students who have handed in the same but for names.
    pub alike: Vec<String>,
}

impl Graded<'_> {
    fn is_passed(&self) -> bool {
        self.found.as_ref().is_ok_and(|found| found.passed)
    }

    /// What was found, in a word or two.
    fn finding(&self) -> &str {
        match &self.found {
            Ok(found) => &found.finding,
            Err(_) => "not judged",
        }
    }

    /// The first thing that is said of it, with its line.
    fn said(&self) -> (Option<u32>, &str) {
        match &self.found {
            Ok(found) => match found.diagnostics.first() {
                Some(first) => (Some(first.line), &first.message),
                None => (None, ""),
            },
            Err(why) => (None, why),
        }
    }

    fn case(&self) -> &str {
        let found = self.found.as_ref().ok();
        found
            .and_then(|found| found.case.as_ref())
            .map_or("", |case| &case.title)
    }

    fn costs(&self) -> String {
        let costs = self.found.as_ref().map_or(&[][..], |found| &found.costs);
        let cost = |cost: &FoundCost| {
            let (counted, limit) = (thousands(cost.counted), thousands(cost.limit));
            format!("{}: {counted} ({} {limit})", cost.of, cost.side)
        };
        costs.iter().map(cost).collect::<Vec<_>>().join("; ")
    }
}

/// Exercises that each student has answered and solved.
fn by_student<'a>(graded: &'a [Graded]) -> BTreeMap<&'a str, (usize, usize)> {
    let mut students = BTreeMap::new();
    for of in graded {
        let (solved, answered) = students
            .entry(of.submission.student.as_str())
            .or_insert((0, 0));
        *solved += usize::from(of.is_passed());
        *answered += 1;
    }
    students
}

/// A table of the answers, and one of the students.
pub(super) fn plain(graded: &[Graded]) -> String {
    let rows = graded.iter().map(|of| {
        let (line, said) = of.said();
        let what = match (of.is_passed(), line) {
            (true, _) => of.costs(),
            (false, Some(line)) => format!("line {line}: {said}"),
            (false, None) => said.to_owned(),
        };
        vec![
            of.submission.student.clone(),
            of.submission.exercise.id().to_owned(),
            of.finding().to_owned(),
            or_dash(of.alike.join(", ")),
            or_dash(what),
        ]
    });
    let header = [
        "student",
        "exercise",
        "found",
        "same but for names",
        "counts, or what is wrong",
    ];
    let mut answers = Table::new("Answers", &header, 5, rows.collect());
    answers.ends_in_words = true;
    let rows = by_student(graded).into_iter();
    let rows = rows.map(|(student, (solved, answered))| {
        vec![student.to_owned(), format!("{solved} of {answered}")]
    });
    let students = Table::new("Students", &["student", "solved"], 1, rows.collect());
    let text = document::plain(&[Block::Table(answers), Block::Table(students)]);
    text.trim_start_matches('\n').to_owned()
}

/// Columns of words stand apart by what is in them.
fn or_dash(text: String) -> String {
    Some(text)
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "-".to_owned())
}

/// The columns of CSV, with what an answer has there.
type Column = (&'static str, fn(&Graded) -> String);

const COLUMNS: [Column; 12] = [
    ("student", |of| of.submission.student.clone()),
    ("exercise", |of| of.submission.exercise.id().to_owned()),
    ("lesson", |of| of.submission.exercise.lesson.id.clone()),
    ("passed", |of| of.is_passed().to_string()),
    ("finding", |of| of.finding().to_owned()),
    ("case", |of| of.case().to_owned()),
    ("right_cases", |of| {
        of.found
            .as_ref()
            .map_or(0, |found| found.right_cases)
            .to_string()
    }),
    ("costs", |of| of.costs()),
    ("line", |of| {
        of.said()
            .0
            .map_or_else(String::new, |line| line.to_string())
    }),
    ("message", |of| of.said().1.to_owned()),
    ("same_as", |of| of.alike.join(" ")),
    ("file", |of| of.submission.file.display().to_string()),
];

/// A row for each answer.
pub(super) fn csv(graded: &[Graded]) -> Result<String, Stop> {
    let write = || -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS.map(|(name, _)| name))?;
        for answer in graded {
            writer.write_record(COLUMNS.map(|(_, of)| of(answer)))?;
        }
        Ok(writer.into_inner()?)
    };
    let written = write().and_then(|bytes| Ok(String::from_utf8(bytes)?));
    written.map_err(|error| Stop::Failed(format!("CSV: {error}")))
}

/// All that was found; `left` is what was not graded.
pub(super) fn json(graded: &[Graded], left: &[String]) -> Value {
    let answers = graded.iter().map(|of| {
        json!({
            "student": of.submission.student,
            "exercise": of.submission.exercise.id(),
            "lesson": of.submission.exercise.lesson.id,
            "file": of.submission.file,
            "passed": of.is_passed(),
            "feedback": of.json,
            "not_judged": of.found.as_ref().err(),
            "same_as": of.alike,
        })
    });
    let students = by_student(graded).into_iter();
    let students = students.map(|(student, (solved, answered))| json!({ "student": student, "solved": solved, "answered": answered }));
    json!({
        "answers": answers.collect::<Vec<_>>(),
        "students": students.collect::<Vec<_>>(),
        "not_graded": left,
    })
}
