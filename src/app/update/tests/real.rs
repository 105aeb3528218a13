//! What the notebook does with what a real GPU gave.

use std::sync::Arc;

use crate::app::state::*;
use crate::app::state::{
    InspectorAction, LessonAction, Movement, PopupAction, RunAction, ViewAction,
};
use crate::app::testing::{compile, measure, sample_lesson, sample_ran, sample_values};
use crate::app::update::update;
use crate::app::{Effect, Msg, RunTask};
use crate::launch::TraceComparison;
use crate::simt::Direction;

/// A notebook whose run cell ended on a real GPU, and what it asked to be done then.
fn measured() -> (Model, u64, Vec<Effect>) {
    let mut model = Model::new(sample_lesson(), None);
    update(
        &mut model,
        Msg::Action(Action::Lesson(LessonAction::Advance)),
    );
    let effects = update(&mut model, Msg::Action(Action::Run(RunAction::Run)));
    let (job, effects) = finish(&mut model, &effects);
    (model, job, effects)
}

/// Ends the run that `effects` ask for, on a real GPU.
fn finish(model: &mut Model, effects: &[Effect]) -> (u64, Vec<Effect>) {
    let job = effects.iter().find_map(|effect| match effect {
        Effect::Run(RunTask { job, .. }) => Some(*job),
        _ => None,
    });
    let job = job.expect("a run was asked for");
    let mut ran = (*sample_ran(job, &model.settings.sizes, Default::default())).clone();
    measure(&mut ran.result.outcome);
    compile(&mut ran.result.outcome);
    let result = Ok(Arc::new(ran));
    let effects = update(model, Msg::Finished { job, result });
    (job, effects)
}

fn values(model: &Model) -> Vec<Result<Option<TraceComparison>, String>> {
    let (_, state) = model.run_cell().expect("is on a run cell");
    sample_values(&state.ran.as_ref().expect("ran").result.outcome)
}

fn state(model: &Model) -> &RunState {
    model.run_cell().expect("is on a run cell").1
}

fn captures(effects: &[Effect]) -> usize {
    let captures = effects.iter();
    captures
        .filter(|effect| matches!(effect, Effect::Capture { .. }))
        .count()
}

#[test]
fn a_run_on_a_real_gpu_is_shown_at_once_and_its_values_come_after() {
    let (mut model, job, effects) = measured();
    assert_eq!(captures(&effects), 1);
    assert!(state(&model).ran.is_some() && state(&model).compared().is_none());
    let values = values(&model);
    update(&mut model, Msg::Captured { job, values });
    let compared = state(&model).compared().expect("is captured");
    assert_eq!(compared.device, "NVIDIA H200");
    assert_eq!(state(&model).capturing, None);
}

#[test]
fn a_capture_that_fails_is_a_warning_and_the_run_stays() {
    let (mut model, job, _) = measured();
    let lost = || Err("the worker was lost".to_owned());
    let values = vec![lost(), lost()];
    update(&mut model, Msg::Captured { job, values });
    let outcome = &state(&model).ran.as_ref().expect("stays").result.outcome;
    let [report] = &outcome.reports[..] else {
        panic!("one warning")
    };
    assert!(
        report
            .diagnostic
            .message
            .contains("in `twice`, `add_one` were not captured")
    );
    assert_eq!(report.diagnostic.notes, ["the worker was lost"]);
    assert!(outcome.launches[0].real.timing.is_some());
}

#[test]
fn the_simulated_gpu_has_nothing_to_capture() {
    let mut model = Model::new(sample_lesson(), None);
    update(
        &mut model,
        Msg::Action(Action::Lesson(LessonAction::Advance)),
    );
    update(&mut model, Msg::Action(Action::Run(RunAction::Run)));
    let result = Ok(sample_ran(1, &model.settings.sizes, Default::default()));
    let effects = update(&mut model, Msg::Finished { job: 1, result });
    assert_eq!(captures(&effects), 0);
    update(
        &mut model,
        Msg::Action(Action::View(ViewAction::Show(Tab::Lanes))),
    );
    update(
        &mut model,
        Msg::Action(Action::Inspector(InspectorAction::Jump(
            Jump::Difference,
            Direction::Forward,
        ))),
    );
    assert!(
        model
            .notice
            .is_some_and(|notice| notice.contains("e runs the cell"))
    );
}

#[test]
fn a_capture_is_cancelled_and_values_of_old_runs_are_dropped() {
    let (mut model, job, _) = measured();
    let old = values(&model);
    let effects = update(&mut model, Msg::Action(Action::Back));
    assert!(matches!(effects[..], [Effect::Cancel { job: cancelled }] if cancelled == job));
    update(&mut model, Msg::Captured { job, values: old });
    assert!(state(&model).compared().is_none());
}

#[test]
fn the_next_cell_of_a_row_waits_for_the_values_of_the_one_before() {
    let mut lesson = sample_lesson();
    lesson.cells.push(lesson.cells[2].clone());
    let mut model = Model::new(lesson, None);
    update(
        &mut model,
        Msg::Action(Action::Lesson(LessonAction::Advance)),
    );
    let effects = update(&mut model, Msg::Action(Action::Run(RunAction::RunAll)));
    let (job, effects) = finish(&mut model, &effects);
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::Run(_)))
    );
    let values = values(&model);
    let effects = update(&mut model, Msg::Captured { job, values });
    assert!(matches!(
        effects[..],
        [Effect::Run(RunTask { cell: 4, .. })]
    ));
}

#[test]
fn a_key_goes_from_difference_to_difference() {
    let (mut model, job, _) = measured();
    let values = values(&model);
    update(&mut model, Msg::Captured { job, values });
    update(
        &mut model,
        Msg::Action(Action::View(ViewAction::Show(Tab::Lanes))),
    );
    update(
        &mut model,
        Msg::Action(Action::Inspector(InspectorAction::Jump(
            Jump::Difference,
            Direction::Forward,
        ))),
    );
    let inspector = &state(&model).inspector;
    assert_eq!((inspector.step, inspector.variable), (1, Some(2)));
    assert_eq!(model.notice.as_deref(), Some("i differs in 2 lanes"));
}

#[test]
fn ptx_is_walked_by_lines_and_by_lines_of_the_source() {
    let (mut model, _, _) = measured();
    let at = |model: &Model| {
        let (lines, at) = state(model).ptx().expect("has PTX");
        (at, lines[at].line)
    };
    update(
        &mut model,
        Msg::Action(Action::View(ViewAction::Show(Tab::Ptx))),
    );
    assert_eq!(at(&model), (0, None));
    let mut press = |action: Action| {
        update(&mut model, Msg::Action(action));
        at(&model)
    };
    assert_eq!(press(Action::Move(Movement::Right)), (5, Some(2)));
    assert_eq!(press(Action::Move(Movement::Right)), (6, Some(3)));
    assert_eq!(press(Action::Move(Movement::Down)), (7, Some(3)));
    assert_eq!(press(Action::Move(Movement::Left)), (6, Some(3)));
    assert_eq!(press(Action::Move(Movement::Left)), (5, Some(2)));
    assert_eq!(press(Action::Move(Movement::End)), (15, Some(7)));
    press(Action::Popup(PopupAction::Ask(PromptKind::Line)));
    press(Action::Popup(PopupAction::Type('5')));
    assert_eq!(press(Action::Popup(PopupAction::Confirm)), (10, Some(5)));
    press(Action::Popup(PopupAction::Ask(PromptKind::Line)));
    press(Action::Popup(PopupAction::Type('1')));
    assert_eq!(press(Action::Popup(PopupAction::Confirm)), (10, Some(5)));
    assert_eq!(model.notice.as_deref(), Some("no PTX comes from line 1"));
}
