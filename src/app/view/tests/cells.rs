//! Frames of cells that do not run, and keys on them.

use std::sync::Arc;

use super::*;
use crate::app::CheckedText;
use crate::app::state::{LessonAction, PageProgress, StateChange};
use crate::app::testing::sample_lesson_of_all;
use crate::device::FIGURES;
use crate::engine::{Control, Options};
use crate::lesson::{Answer, Cell, Formula, PredictionCell, TableOf, check_answer};

/// A notebook on the cell called `id`.
fn on(id: &str, size: (u16, u16), theme: Theme) -> Notebook {
    at(id, Notebook::of(sample_lesson_of_all(), size, theme))
}

/// A notebook of 80 columns on the question called `id`, changed.
fn asked(id: &str, change: fn(&mut PredictionCell)) -> Notebook {
    let mut lesson = sample_lesson_of_all();
    let questions = lesson.cells.iter_mut().filter_map(|cell| match cell {
        Cell::Prediction(asked) if asked.id == id => Some(asked),
        _ => None,
    });
    questions.for_each(|asked| change(asked));
    at(id, Notebook::of(lesson, (80, 40), COLOUR))
}

fn formula(text: &str) -> Formula {
    Formula::parse(text).expect("a formula")
}

fn at(id: &str, mut notebook: Notebook) -> Notebook {
    let at = notebook
        .model
        .lesson
        .cells
        .iter()
        .position(|cell| cell.id() == Some(id));
    let at = at.expect("is in the lesson");
    notebook.send(Msg::Action(Action::Lesson(LessonAction::GoToCell(at))));
    notebook
}

#[test]
fn a_question_is_open_until_it_is_answered() {
    let mut notebook = on("chosen", (80, 24), COLOUR);
    insta::assert_snapshot!("a_question_with_choices_points_at_none", notebook.frame());
    notebook.press("<enter>");
    assert!(
        notebook
            .text()
            .contains("choose with \u{2191} \u{2193} first"),
        "{}",
        notebook.text()
    );
    notebook.press("<down><down><enter>");
    notebook.finish();
    insta::assert_snapshot!("a_right_choice_is_marked_and_explained", notebook.frame());
}

#[test]
fn a_typed_answer_is_drawn_beside_what_is_counted() {
    let mut notebook = on("typed", (120, 40), COLOUR);
    notebook.press("5MN+2M");
    insta::assert_snapshot!("an_answer_is_typed_where_it_is_asked", notebook.frame());
    notebook.press("<enter>");
    assert!(
        notebook.text().contains("double runs"),
        "{}",
        notebook.text()
    );
    notebook.finish();
    insta::assert_snapshot!(
        "an_answer_that_is_too_high_says_by_how_much",
        notebook.frame()
    );
}

#[test]
fn a_wrong_answer_says_so_without_colour_or_unicode() {
    let mut notebook = on("typed", (60, 16), PLAIN);
    notebook.press("7<enter>");
    notebook.finish();
    notebook.press("<end>");
    let text = notebook.text();
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_kernel_to_be_read_has_its_source_and_what_the_compiler_knows() {
    insta::assert_snapshot!(on("text", (80, 24), COLOUR).frame());
}

#[test]
fn a_table_of_gpus_marks_the_simulated_one_and_tells_a_figures_source() {
    let mut notebook = on("gpus", (80, 24), COLOUR);
    notebook.press("<down>c<down>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_table_of_counts_shows_what_ran() {
    let mut notebook = on("counts", (80, 24), PLAIN);
    notebook.press("<enter>");
    notebook.finish();
    let text = notebook.text();
    assert!(text.is_ascii(), "{text}");
    assert!(
        text.contains("counted, 2MN at M = 40, N = 25, on a simulated H200"),
        "{text}"
    );
}

#[test]
fn a_calculator_lights_what_limits_and_marks_the_strips() {
    let mut notebook = on("full", (80, 24), COLOUR);
    insta::assert_snapshot!("a_calculator_fits_80_columns", notebook.frame());
    notebook.press("<down>255<enter>");
    assert!(notebook.text().contains("255"), "{}", notebook.text());
    let small = on("full", (60, 16), PLAIN);
    assert!(small.text().is_ascii());
    insta::assert_snapshot!("a_calculator_fits_the_smallest_terminal", small.frame());
}

#[test]
fn a_click_on_a_strip_takes_its_value() {
    let mut notebook = on("full", (80, 24), COLOUR);
    let rows: Vec<String> = notebook.text().lines().map(str::to_owned).collect();
    let row = rows
        .iter()
        .position(|row| row.contains("registers per thread"));
    let row = row.expect("is on screen") as u16;
    let click = notebook.drawn.click(60, row).expect("is a strip");
    notebook.send(Msg::Action(click));
    let (_, state) = notebook.model.calculator().expect("is a calculator");
    assert_eq!(state.chosen, 1);
    assert!(state.inputs.registers > 100, "{}", state.inputs.registers);
}

#[test]
fn a_right_answer_longer_than_a_line_is_shown_whole() {
    let mut notebook = asked("typed", |asked| {
        let terms = (1..=9).map(|factor| format!("{factor}*M*N"));
        let terms: Vec<String> = terms.collect();
        asked.answer = Answer::Formula(formula(&terms.join(" + ")));
    });
    notebook.press("7<enter>");
    assert!(notebook.text().contains("9MN"), "{}", notebook.text());
}

#[test]
fn a_choice_that_is_a_number_says_it_once() {
    let mut notebook = asked("chosen", |asked| {
        asked.choices = ["1600", "M", "2*M*N"].map(formula).to_vec();
        asked.answer = Answer::Formula(formula("1600"));
        asked.uses.clear();
    });
    assert!(
        notebook.text().contains("\u{2022}  1,600"),
        "{}",
        notebook.text()
    );
    notebook.press("<down><enter>");
    assert!(!notebook.text().contains("= 1,600"), "{}", notebook.text());
    assert!(!notebook.text().contains("= 1600"), "{}", notebook.text());
    assert!(
        !notebook.text().contains("formula at"),
        "{}",
        notebook.text()
    );
}

#[test]
fn a_small_letter_reveals_nothing_and_may_stand_in_a_formula() {
    let mut notebook = asked("typed", |_| {});
    notebook.press("s");
    let (_, state) = notebook.model.prediction().expect("is a question");
    assert_eq!(state.stage, crate::app::state::Stage::Open);
    notebook.press("2n+s");
    let typed = notebook.model.popups.prompt.as_ref();
    assert_eq!(typed.map(|prompt| prompt.input.as_str()), Some("2n+s"));
}

#[test]
fn an_answer_is_a_formula_of_what_the_question_goes_by() {
    let of_one = asked("typed", |asked| asked.uses = ["N".to_owned()].into());
    assert!(
        of_one.text().contains("or a formula of N\n"),
        "{}",
        of_one.text()
    );
    let of_none = asked("typed", |asked| asked.uses.clear());
    assert!(!of_none.text().contains("formula"), "{}", of_none.text());
}

#[test]
fn a_table_wider_than_its_pane_says_which_columns_it_shows() {
    let mut lesson = sample_lesson_of_all();
    for cell in &mut lesson.cells {
        if let Cell::Table(table) = cell
            && let TableOf::Gpus { columns, .. } = &mut table.of
        {
            *columns = FIGURES.iter().take(12).map(|figure| figure.key).collect();
        }
    }
    let mut notebook = at("gpus", Notebook::of(lesson, (80, 24), COLOUR));
    let text = notebook.text();
    assert!(text.contains(" columns 1\u{2013}"), "{text}");
    assert!(text.contains(" of 12 \u{2192} "), "{text}");
    notebook.press(&"<right>".repeat(11));
    let text = notebook.text();
    assert!(text.contains(" \u{2190} columns "), "{text}");
    assert!(text.contains("\u{2013}12 of 12 "), "{text}");
    let narrow = on("gpus", (80, 24), COLOUR);
    assert!(!narrow.text().contains("columns"), "{}", narrow.text());
}

#[test]
fn what_is_said_of_a_row_stands_below_where_its_figure_comes_from() {
    let mut lesson = sample_lesson_of_all();
    for cell in &mut lesson.cells {
        if let Cell::Table(table) = cell {
            table.of = TableOf::Published(vec!["L1 cache + shared memory bandwidth"]);
        }
    }
    let notebook = at("gpus", Notebook::of(lesson, (120, 40), COLOUR));
    let text = notebook.text();
    let mut lines = text.lines();
    let source = lines.find(|line| line.contains("hardware table"));
    let source = source.expect("is on screen");
    assert!(
        source
            .trim_end_matches('\u{2502}')
            .trim()
            .ends_with("hardware table"),
        "{text}"
    );
}

/// A run that just came, with what `change` makes of it.
fn with_result(change: impl FnOnce(&mut crate::launch::Outcome)) -> Notebook {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<enter>");
    let job = *notebook.jobs.last().expect("a run was asked for");
    let sizes = &notebook.model.settings.sizes;
    let mut ran = (*sample_ran(job, sizes, Default::default())).clone();
    change(&mut ran.result.outcome);
    let result = Ok(std::sync::Arc::new(ran));
    notebook.send(Msg::Finished { job, result });
    notebook
}

#[test]
fn accesses_open_at_the_launch_that_wastes_most() {
    for worst in [0, 1] {
        let notebook = with_result(|outcome| {
            outcome.launches[worst].counts.global_load.sectors *= 8;
        });
        let (_, state) = notebook.model.run_cell().expect("is on a run cell");
        assert_eq!(notebook.model.look.tab, Tab::Access);
        assert_eq!(state.inspector.launch, Some(worst));
    }
}

#[test]
fn an_error_brings_its_line_on_screen_and_stands_under_it_in_the_editor() {
    let mut notebook = with_result(|outcome| {
        let at = sample_lesson()
            .run_cell("double")
            .expect("is there")
            .source
            .text()
            .find("y[i] += 1.0f")
            .expect("is there");
        outcome.ending = crate::launch::Ending::Failed;
        outcome.reports.push(crate::launch::Report {
            source: 0,
            diagnostic: crate::source::Diagnostic::error(
                crate::source::Span::new(at, at + 4),
                "this store is out of bounds",
            ),
        });
    });
    let (_, state) = notebook.model.run_cell().expect("is on a run cell");
    assert_eq!(state.error_line(), Some(12));
    assert_eq!(state.scroll.focus, Some(11), "counted from 0");
    assert!(
        notebook.text().contains("y[i] += 1.0f"),
        "{}",
        notebook.text()
    );
    notebook.press("e");
    let text = notebook.text();
    assert!(
        text.contains("\u{2570}\u{2500} error: this store is out of bounds"),
        "{text}"
    );
    let edit = notebook.model.edit().expect("is edited");
    assert_eq!(edit.text.place().0, 11, "the cursor stands in it");
}

#[test]
fn of_lines_with_equal_counts_the_first_is_on_screen() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    let (_, state) = notebook.model.run_cell().expect("is on a run cell");
    assert_eq!(state.scroll.focus, Some(4), "the line of `twice`");
}

/// The page of cell `id` of a lesson that comes with the program, as text of 120 x 40.
fn page_of(lesson: &str, id: &str) -> String {
    let lesson = crate::lesson::load(lesson).expect("comes with the program");
    at(id, Notebook::of(lesson, (120, 40), PLAIN)).text()
}

#[test]
fn beside_a_listing_stands_the_launch_that_is_asked_about() {
    let text = page_of("matmul", "registers-reads");
    assert!(
        text.contains("As planned") && text.contains("matmul_registers"),
        "{text}"
    );
    assert!(text.contains("block 0"), "{text}");
}

#[test]
fn beside_a_listing_stands_its_launch_where_a_formula_answers() {
    let text = page_of("attention", "tiles-reads");
    assert!(text.contains("attention_tiles"), "{text}");
    assert!(text.contains("block 0"), "{text}");
}

#[test]
fn beside_a_listing_that_no_run_launches_stands_what_the_compiler_knows() {
    let lesson = crate::lesson::load("softmax-dispatch").expect("comes with the program");
    let title = "Only its own registers";
    let mut pages = lesson.pages().into_iter();
    let page = pages.find(|page| lesson.page_title(page) == title);
    let first = page.expect("is there").steps[0];
    let text = page_of(
        "softmax-dispatch",
        lesson.cells[first].id().expect("has a name"),
    );
    assert!(!text.contains("As planned"), "{text}");
    assert!(text.contains("from the compiler"), "{text}");
}

#[test]
fn what_the_compiler_knows_stays_in_its_column() {
    let text = page_of("attention", "wgmma-text");
    let column = |word: &str| {
        let line = text.lines().find(|line| line.contains(word))?;
        let (before, _) = line.split_once(word)?;
        Some(before.chars().count())
    };
    assert!(column("long[9], 72 bytes").is_some(), "{text}");
    assert_eq!(
        column("long[9], 72 bytes"),
        column("barriers, unsigned"),
        "{text}"
    );
}

#[test]
fn a_table_of_gpus_offers_no_run() {
    let lesson = crate::lesson::load("timing").expect("comes with the program");
    let table = lesson.cells.iter().position(
        |cell| matches!(cell, crate::lesson::Cell::Table(table) if table.runs().is_empty()),
    );
    let mut notebook = Notebook::of(lesson, (80, 24), COLOUR);
    let go = crate::app::state::LessonAction::GoToCell(table.expect("is there"));
    notebook.send(Msg::Action(Action::Lesson(go)));
    assert!(
        !notebook.text().contains("enter run"),
        "{}",
        notebook.text()
    );
    notebook.press("<enter>");
    assert!(
        notebook.text().contains("nothing to run"),
        "{}",
        notebook.text()
    );
}

#[test]
fn an_answer_without_code_stands_beside_the_picture_that_it_speaks_of() {
    let lesson = crate::lesson::load("waves").expect("reads");
    let at = lesson.find_cell("seats-here").expect("is there");
    let mut notebook = Notebook::of(lesson, (120, 40), PLAIN);
    notebook.send(Msg::Action(Action::Lesson(LessonAction::GoToCell(at))));
    assert!(!notebook.text().contains("blocks by warps"));
    notebook.press("=");
    let text = notebook.text();
    let both = text.contains("1,056") && text.contains("blocks by warps");
    assert!(both, "{text}");
}

/// A notebook on the exercise `guard`.
fn on_guard(size: (u16, u16)) -> Notebook {
    let lesson = crate::lesson::load("vector-add").expect("reads");
    at("guard", Notebook::of(lesson, size, PLAIN))
}

/// What a check of `text` finds, as the program tells it.
fn checked(notebook: &Notebook, text: &str) -> Msg {
    let (cell, _) = notebook.model.exercise().expect("is an exercise");
    let text = cell.run.source.with_text(text);
    let (options, control) = (Options::default(), Control::default());
    let found = check_answer(&notebook.model.lesson, cell, &text, &options, &control);
    Msg::AnswerChecked(CheckedText {
        id: cell.id().to_owned(),
        text,
        found: Ok(Arc::new(found.expect("can be checked"))),
        at: 1000,
    })
}

/// Runs the exercise on screen.
fn run(notebook: &mut Notebook) {
    notebook.press("<enter>");
    let job = *notebook.jobs.last().expect("a run was asked for");
    let sizes = notebook.model.settings.sizes.clone();
    let (cell, state) = notebook.model.run_cell().expect("runs");
    let plan = state.plan.clone().expect("has a plan");
    let outcome = crate::engine::run(&plan, &Options::default(), &Control::default());
    let result = cell.check_outcome(&sizes, outcome.expect("runs"));
    let ran = crate::app::FinishedRun {
        job,
        plan,
        watch: crate::launch::Watch::default(),
        edited: false,
        result,
    };
    let result = Ok(Arc::new(ran));
    notebook.send(Msg::Finished { job, result });
}

#[test]
fn an_exercise_says_what_is_wrong_at_its_line_and_gives_help_when_asked() {
    for size in [(80, 24), (120, 40)] {
        let mut notebook = on_guard(size);
        let start = notebook.model.exercise().expect("is one").0.start.clone();
        run(&mut notebook);
        let asks = |effect: &Effect| matches!(effect, Effect::CheckAnswer(_));
        assert!(notebook.effects.iter().any(asks), "a run is checked");
        notebook.send(checked(&notebook, start.source.text()));
        let text = notebook.text();
        for part in ["out of bounds", "t hint", "|", "i <= count"] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        // The check and the run of it found the same: it is told once.
        let told = text.matches("out-of-bounds load").count();
        assert_eq!(told, 1, "{text}");
        assert!(!text.contains("Hint 1"), "{text}");
        notebook.press("t");
        assert!(notebook.text().contains("Hint 1 of 3"));
        notebook.press("=");
        assert!(!notebook.text().contains("if (i < count)"));
        notebook.press("=");
        let text = notebook.text();
        assert!(text.contains("Mend it."), "the task stays:\n{text}");
        notebook.press(" ");
        let text = notebook.text();
        assert!(text.contains("if (i < count)"), "{text}");
        // What one begins with is no attempt.
        assert_eq!(notebook.model.visit.saved.exercise("guard").attempts, 0);
    }
}

#[test]
fn an_exercise_that_is_solved_is_kept_and_its_page_is_done() {
    let mut notebook = on_guard((120, 40));
    let lesson = notebook.model.lesson.clone();
    let (number, _) = lesson.page_of(notebook.model.at).expect("is on a page");
    let progress = |notebook: &Notebook| notebook.model.visit.saved.pages_of(&lesson)[number];
    assert_ne!(progress(&notebook), PageProgress::Done);
    let solution = notebook.model.exercise().expect("is one").0.start.clone();
    run(&mut notebook);
    let msg = checked(&notebook, solution.solution.text());
    notebook.send(msg);
    assert!(notebook.text().contains("solved: right in"));
    let saves = |effect: &&Effect| matches!(effect, Effect::Save(StateChange::Exercise { .. }));
    assert_eq!(notebook.effects.iter().filter(saves).count(), 1);
    assert_eq!(progress(&notebook), PageProgress::Done);
}
