//! `tutor progress`: how far the learner is, by lesson and by concept, and what is best repeated.

use clap::Args;
use serde_json::{Value, json};

use crate::app::{ConceptProgress, SavedState};
use crate::cli::exercises::Course;
use crate::cli::options::LessonsArgument;
use crate::cli::output::{Output, Stop};
use crate::document::{Block, Table, plain};
use crate::lesson::{ExerciseCell, Lesson};
use crate::runtime::{saved_state, seconds_since_1970};

#[derive(Debug, Args)]
pub(crate) struct ProgressArguments {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub lessons: LessonsArgument,
}

/// Says how far the learner is.
pub(crate) fn progress(arguments: &ProgressArguments, output: &Output) -> Result<bool, Stop> {
    let course = Course::load(arguments.lessons.lessons()?, output)?;
    let (saved, notice) = saved_state();
    if let Some(notice) = notice {
        output.message(&notice);
    }
    let exercises: Vec<&ExerciseCell> = course.exercises().map(|of| of.cell).collect();
    let concepts = saved.by_concept(&exercises, seconds_since_1970());
    let again = saved.to_repeat(&exercises, seconds_since_1970());
    let next = course
        .next(&saved, seconds_since_1970())
        .map(|next| next.id().to_owned());
    if arguments.json {
        let lessons = course.lessons().map(|lesson| lesson_json(lesson, &saved));
        output.print_json(&json!({
            "lessons": lessons.collect::<Vec<_>>(),
            "concepts": concepts.iter().map(concept_json).collect::<Vec<_>>(),
            "repeat": again.iter().map(|of| of.id()).collect::<Vec<_>>(),
            "next": next,
        }))?;
        return Ok(true);
    }
    let mut blocks = vec![lessons(&course, &saved), by_concept(&concepts)];
    if !again.is_empty() {
        let lines = again
            .iter()
            .map(|of| format!("{}  {}", of.id(), of.run.title));
        blocks.push(Block::lines("Best solved again today", lines.collect()));
    }
    blocks.push(Block::Paragraph(match next {
        Some(next) => format!("Next: `tutor practice {next}`."),
        None => "All exercises are solved.".to_owned(),
    }));
    output.print(plain(&blocks).trim_start_matches('\n'))?;
    Ok(true)
}

/// Exercises of a lesson that are solved, and all of them.
fn solved(lesson: &Lesson, saved: &SavedState) -> (usize, usize) {
    let is_solved = |of: &&ExerciseCell| saved.exercise(of.id()).is_solved();
    let all = lesson.exercises().count();
    (lesson.exercises().filter(is_solved).count(), all)
}

fn lessons(course: &Course, saved: &SavedState) -> Block {
    let rows = course.lessons().map(|lesson| {
        let stands = saved.progress(lesson);
        let (solved, all) = solved(lesson, saved);
        let exercises = match all {
            0 => String::new(),
            _ => format!("{solved} of {all}"),
        };
        vec![
            lesson.id.clone(),
            format!("{} of {}", stands.done, stands.pages),
            format!("{} of {}", stands.ran, stands.runs),
            exercises,
        ]
    });
    let header = ["lesson", "pages done", "runs", "exercises"];
    Block::Table(Table::new("Lessons", &header, 1, rows.collect()))
}

fn by_concept(concepts: &[ConceptProgress]) -> Block {
    let rows = concepts.iter().map(|of| {
        let missed = of.most_missed();
        vec![
            of.concept.name().to_owned(),
            format!("{} of {}", of.solved, of.exercises),
            of.attempts.to_string(),
            match of.due {
                0 => String::new(),
                due => due.to_string(),
            },
            missed.map_or_else(String::new, |(name, times)| {
                format!("{name}, {times} \u{d7}")
            }),
        ]
    });
    let header = ["concept", "solved", "attempts", "due again", "missed most"];
    let mut table = Table::new("Concepts", &header, 1, rows.collect());
    table.ends_in_words = true;
    Block::Table(table)
}

fn lesson_json(lesson: &Lesson, saved: &SavedState) -> Value {
    let stands = saved.progress(lesson);
    let (solved, exercises) = solved(lesson, saved);
    json!({
        "id": lesson.id,
        "pages": stands.pages,
        "done": stands.done,
        "seen": stands.seen,
        "runs": stands.runs,
        "ran": stands.ran,
        "exercises": exercises,
        "solved": solved,
    })
}

fn concept_json(of: &ConceptProgress) -> Value {
    json!({
        "concept": of.concept.name(),
        "exercises": of.exercises,
        "solved": of.solved,
        "due": of.due,
        "attempts": of.attempts,
        "missed": of.missed,
    })
}
