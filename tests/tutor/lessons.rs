//! Every lesson that comes with the program is true: its formulas, its outputs, the names it tells
//! the learner to look at.

use tutor::device::gpu_or_usual;
use tutor::engine::{Control, Options, run};
use tutor::launch::Watch;
use tutor::lesson::{Answer, Cell, CellResult, Lesson, RunCell, Size, Sizes, lesson_ids, load};

fn run_cell(cell: &RunCell, sizes: &Sizes) -> CellResult {
    let plan = cell
        .plan(sizes, gpu_or_usual("h200"))
        .expect("formulas have values");
    let options = Options {
        watch: Some(Watch::default()),
        ..Options::default()
    };
    let control = Control::default();
    let outcome = run(&plan, &options, &control).expect("buffers fill");
    cell.judge(sizes, outcome)
}

/// Every combination of small sizes: the least, one that is round, one that is not.
fn small_sizes(lesson: &Lesson) -> Vec<Sizes> {
    lesson.sizes.iter().fold(vec![Sizes::new()], |all, size| {
        let Size { min, max, .. } = *size;
        let values = match &size.values[..] {
            [] => vec![min, 8.clamp(min, max), 257.clamp(min, max)],
            // The ends of what it lists; the default is run by itself.
            _ => vec![min, max],
        };
        let with = |sizes: &Sizes, value| {
            let mut sizes = sizes.clone();
            size.set(&mut sizes, value);
            sizes
        };
        let pairs = all
            .iter()
            .flat_map(|sizes| values.iter().map(|&value| with(sizes, value)));
        pairs.collect()
    })
}

#[test]
fn every_cell_is_right_at_the_default_and_at_small_sizes() {
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let mut sizes = small_sizes(&lesson);
        sizes.push(lesson.sizes_with(&[]).expect("defaults are in range"));
        for sizes in &sizes {
            for cell in lesson.run_cells() {
                let result = run_cell(cell, sizes);
                let (formulas, verified) = (&result.formulas, &result.verified);
                let reports = &result.outcome.reports;
                assert!(
                    result.ok && !formulas.is_empty() && verified.is_some(),
                    "{id}, {} at {sizes:?}: {formulas:?} {verified:?} {reports:?}",
                    cell.id
                );
            }
        }
    }
}

#[test]
fn every_prediction_has_one_right_choice_at_the_default_sizes() {
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let sizes = lesson.sizes_with(&[]).expect("defaults are in range");
        for cell in &lesson.cells {
            let Cell::Prediction(asked) = cell else {
                continue;
            };
            if matches!(asked.answer, Answer::Timed(_)) {
                // Times come from real GPUs: the nearest choice is right, whichever that is.
                continue;
            }
            let run = asked.runs().and_then(|run| lesson.run_cell(run).ok());
            let result = run.map(|run| run_cell(run, &sizes));
            let truth = asked
                .truth(&sizes, gpu_or_usual("h200"), result.as_ref())
                .expect("has an answer");
            let values = asked
                .choices
                .iter()
                .map(|choice| choice.evaluate(&sizes, gpu_or_usual("h200")));
            let right = values.filter(|value| *value == Ok(truth.value)).count();
            let expected = usize::from(!asked.choices.is_empty());
            assert_eq!(right, expected, "{id}, {}: {truth:?}", asked.id);
        }
    }
}

#[test]
fn every_tap_is_a_buffer_or_a_variable_of_its_cell() {
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let sizes = lesson.sizes_with(&[]).expect("defaults are in range");
        for cell in lesson.run_cells() {
            let launches = run_cell(cell, &sizes).outcome.launches;
            let traces = launches.iter().filter_map(|launch| launch.trace.as_ref());
            let variables = traces.flat_map(|trace| &trace.variables);
            let mut names: Vec<&str> = variables.map(|variable| variable.name.as_str()).collect();
            names.extend(cell.buffers.iter().map(|buffer| buffer.name.as_str()));
            for tap in &cell.taps {
                assert!(names.contains(&tap.as_str()), "{id}, {}: {tap}", cell.id);
            }
        }
    }
}
