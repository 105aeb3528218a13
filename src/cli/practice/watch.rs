//! A learner at a terminal: the file is checked whenever it is saved, and a letter asks for help.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::report;
use super::workbook::Workbook;
use crate::app::ExerciseChange;
use crate::cli::exercises::{Course, Exercise};
use crate::cli::output::Stop;
use crate::runtime::{FileChanges, seconds_since_1970};
use crate::source::read_text;

/// What the learner does.
enum Event {
    /// The file may be another.
    Saved,
    /// A line was typed; nothing where there will be no more.
    Typed(Option<String>),
}

const KEYS: &str = "h hint   s solution   r reset   l list   n next   q quit   (then enter)\n";

/// Works on exercises, beginning with `first`, until the learner quits; whether the last one is solved.
pub(super) fn work(course: &Course, first: Exercise, book: &mut Workbook) -> Result<bool, Stop> {
    let (events, inbox) = mpsc::channel();
    read_lines(events.clone());
    let mut exercise = first;
    loop {
        let desk = Desk {
            course,
            exercise,
            inbox: &inbox,
        };
        match desk.solve(book, events.clone())? {
            Left::Quit(solved) => return Ok(solved),
            Left::Next => match course.next(&book.saved, seconds_since_1970()) {
                Some(next) => exercise = next,
                None => return Ok(true),
            },
        }
    }
}

/// Sends each line that is typed.
fn read_lines(events: Sender<Event>) {
    thread::spawn(move || {
        for line in io::stdin().lines() {
            if events.send(Event::Typed(line.ok())).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Typed(None));
    });
}

/// How an exercise was left.
enum Left {
    Next,
    /// Whether it was solved.
    Quit(bool),
}

/// One exercise being worked on.
struct Desk<'a> {
    course: &'a Course,
    exercise: Exercise<'a>,
    inbox: &'a Receiver<Event>,
}

impl Desk<'_> {
    fn solve(&self, book: &mut Workbook, events: Sender<Event>) -> Result<Left, Stop> {
        begin(self.exercise, book)?;
        let asked = report::asked(self.course, self.exercise, book);
        book.output.print(&asked)?;
        let path = book.path(self.exercise);
        let watch = FileChanges::start(&path, move || {
            let _ = events.send(Event::Saved);
        });
        if watch.is_none() {
            let why = "files cannot be watched here: press enter after you have saved";
            book.output.message(why);
        }
        let mut known = read_text(&path).ok();
        let mut is_solved = self.check(book)?;
        while let Ok(event) = self.inbox.recv() {
            let text = read_text(&path).ok();
            let checks = match event {
                // Systems tell that a file was read as well.
                Event::Saved => text.is_some() && text != known,
                Event::Typed(None) => return Ok(Left::Quit(is_solved)),
                Event::Typed(Some(line)) => match line.trim() {
                    "q" => return Ok(Left::Quit(is_solved)),
                    "n" => return Ok(Left::Next),
                    "" if is_solved => return Ok(Left::Next),
                    letter => self.answer(letter, book)?,
                },
            };
            if checks {
                known = read_text(&path).ok();
                is_solved = self.check(book)?;
            }
        }
        Ok(Left::Quit(is_solved))
    }

    /// Does what a letter asks for; whether the file is to be checked.
    fn answer(&self, letter: &str, book: &mut Workbook) -> Result<bool, Stop> {
        let exercise = self.exercise;
        match letter {
            "h" => show_hint(exercise, book)?,
            "s" => show_solution(exercise, book)?,
            "r" => return reset(exercise, book),
            "l" => {
                book.output.print(&report::list(self.course, book))?;
                true
            }
            "" => return Ok(true),
            _ => {
                book.output.print(KEYS)?;
                true
            }
        };
        Ok(false)
    }

    /// Checks the file and says what was found; whether it is solved.
    fn check(&self, book: &mut Workbook) -> Result<bool, Stop> {
        book.output.print("checking…\n")?;
        let checked = book.check(self.exercise)?;
        let passed = checked.is_passed();
        book.output.print(&report::found(&checked))?;
        match passed {
            true => {
                let next = self.course.next(&book.saved, seconds_since_1970());
                let next =
                    next.map(|next| format!("enter: the next exercise, {}\n", next.cell.run.title));
                let keys = next.unwrap_or_else(|| "All exercises are solved.\n".to_owned());
                book.output.print(&format!("{keys}{KEYS}"))?;
            }
            false => book.output.print(KEYS)?,
        }
        Ok(passed)
    }
}

/// Puts the file into the folder: as one begins with it where it is to be solved once more.
pub(super) fn begin(exercise: Exercise, book: &Workbook) -> Result<(), Stop> {
    let kept = book.saved.exercise(exercise.id());
    // Who comes back after a day or a week begins anew; what was solved is kept aside.
    if kept.is_due(seconds_since_1970()) && !kept.is_begun() {
        reset(exercise, book)?;
    }
    book.begin(exercise)?;
    Ok(())
}

/// Shows one hint more than before; always true.
pub(super) fn show_hint(exercise: Exercise, book: &mut Workbook) -> Result<bool, Stop> {
    // Hints name lines of the file.
    book.begin(exercise)?;
    let kept = book.saved.exercise(exercise.id());
    let level = (kept.hints as usize + 1).min(exercise.cell.help.hints.len());
    book.output.print(&report::hints(exercise, level, book))?;
    book.keep(exercise, ExerciseChange::Hints(level as u32));
    Ok(true)
}

/// Shows the solution, if it may be seen; whether it was.
pub(super) fn show_solution(exercise: Exercise, book: &mut Workbook) -> Result<bool, Stop> {
    book.keep(exercise, ExerciseChange::AskedForSolution);
    let may = book.saved.exercise(exercise.id()).may_see_solution();
    let text = match may {
        true => report::solved(exercise, book),
        false => {
            "The solution is shown once you have solved it, or if you ask again. Hints tell less: ask for them first.\n".to_owned()
        }
    };
    book.output.print(&text)?;
    Ok(may)
}

/// Begins anew, and says where the text is that was there; always true.
pub(super) fn reset(exercise: Exercise, book: &Workbook) -> Result<bool, Stop> {
    let aside = book.reset(exercise)?;
    let path = book.path(exercise);
    let mut text = format!("{} is as at the beginning.\n", path.display());
    if let Some(aside) = aside {
        text += &format!("Your text is in {}.\n", aside.display());
    }
    book.output.print(&text)?;
    Ok(true)
}
