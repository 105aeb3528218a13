//! Predictions, tables, calculators, folding and starting over, told through `update` alone.

use crate::app::state::*;
use crate::app::state::{
    CalculatorAction, LessonAction, Movement, PopupAction, PredictionAction, RunAction, TableAction,
};
use crate::app::testing::{sample_lesson_of_all, sample_ran};
use crate::app::update::update;
use crate::app::{Effect, Msg, RunTask};
use crate::launch::Watch;
use crate::lesson::{Input, Sizes};

/// A notebook on the cell called `id` of a lesson that has every kind.
fn on(id: &str) -> Model {
    let mut model = Model::new(sample_lesson_of_all(), None);
    let cells = model.lesson.cells.iter();
    let at = cells.clone().position(|cell| cell.id() == Some(id));
    let at = at.expect("is in the lesson");
    update(
        &mut model,
        Msg::Action(Action::Lesson(LessonAction::GoToCell(at))),
    );
    model
}

fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    update(model, Msg::Action(action))
}

fn type_text(model: &mut Model, text: &str) {
    for c in text.chars() {
        act(model, Action::Popup(PopupAction::Type(c)));
    }
}

/// The run that was asked for: its number and its cell.
fn started(effects: &[Effect]) -> Option<(u64, usize)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Run(RunTask { job, cell, .. }) => Some((*job, *cell)),
        _ => None,
    })
}

fn finish(model: &mut Model, job: u64, sizes: &Sizes) {
    let result = Ok(sample_ran(job, sizes, Watch::default()));
    update(model, Msg::Finished { job, result });
}

fn stage(model: &Model) -> Stage {
    model.prediction().expect("is a prediction").1.stage
}

fn reveal(model: &Model) -> Reveal {
    model.reveal(model.prediction().expect("is a prediction").0)
}

#[test]
fn an_answer_starts_the_run_that_shows_what_is_right() {
    let mut model = on("typed");
    assert_eq!(
        reveal(&model),
        Reveal::Missing("`double` has not run".to_owned())
    );
    type_text(&mut model, "2MN");
    assert_eq!(model.context(), Context::Prompt);
    let effects = act(&mut model, Action::Popup(PopupAction::Confirm));
    let (job, cell) = started(&effects).expect("the run is asked for");
    assert_eq!(model.lesson.cells[cell].id(), Some("double"));
    assert!(matches!(reveal(&model), Reveal::Running(0, 32)));
    let sizes = model.settings.sizes.clone();
    finish(&mut model, job, &sizes);
    let Reveal::Known(truth) = reveal(&model) else {
        panic!("is known: {:?}", reveal(&model));
    };
    assert_eq!(truth.value, 2000);
    let given = model
        .prediction()
        .and_then(|(_, state)| state.given.as_ref());
    assert_eq!(
        given.map(|given| given.value(&truth.sizes, truth.gpu)),
        Some(2000)
    );
    assert!(
        started(&act(
            &mut model,
            Action::Prediction(PredictionAction::Answer)
        ))
        .is_none(),
        "enter goes on"
    );
    assert_ne!(model.lesson.cells[model.at].id(), Some("typed"));
}

#[test]
fn an_answer_that_does_not_read_stays_to_be_mended() {
    let mut model = on("typed");
    type_text(&mut model, "5MQ");
    assert!(act(&mut model, Action::Popup(PopupAction::Confirm)).is_empty());
    let prompt = model.popups.prompt.as_ref().expect("is still open");
    assert_eq!(prompt.input, "5MQ");
    let error = prompt.error.as_deref().unwrap_or("");
    assert!(error.contains("`MQ` is not a size"), "{error}");
    assert_eq!(stage(&model), Stage::Open);
}

#[test]
fn a_choice_is_pointed_at_and_taken_and_stays() {
    let mut model = on("chosen");
    act(&mut model, Action::Move(Movement::Down));
    act(&mut model, Action::Popup(PopupAction::Type('1')));
    act(&mut model, Action::Popup(PopupAction::Type('9')));
    act(
        &mut model,
        Action::Prediction(PredictionAction::SelectChoice(1)),
    );
    assert_eq!(model.prediction().expect("is one").1.choice, Some(1));
    let (job, _) = started(&act(
        &mut model,
        Action::Prediction(PredictionAction::SelectChoice(1)),
    ))
    .expect("answers");
    let sizes = model.settings.sizes.clone();
    finish(&mut model, job, &sizes);
    act(&mut model, Action::Move(Movement::Up));
    act(
        &mut model,
        Action::Prediction(PredictionAction::SelectChoice(0)),
    );
    act(&mut model, Action::Prediction(PredictionAction::Skip));
    let state = model.prediction().expect("is one").1;
    let given = state.given.as_ref().map(|given| given.text.as_str());
    assert_eq!((state.choice, given), (Some(1), Some("2MN")));
}

#[test]
fn enter_takes_no_choice_that_nobody_made() {
    let mut model = on("chosen");
    assert!(
        started(&act(
            &mut model,
            Action::Prediction(PredictionAction::Answer)
        ))
        .is_none()
    );
    assert_eq!(stage(&model), Stage::Open);
    let said = model.notice.as_deref().unwrap_or_default();
    assert!(said.contains("choose"), "{said}");
    act(&mut model, Action::Move(Movement::Up));
    assert!(
        started(&act(
            &mut model,
            Action::Prediction(PredictionAction::Answer)
        ))
        .is_some()
    );
    let given = &model.prediction().expect("is one").1.given;
    let given = given.as_ref().map(|given| given.text.as_str());
    assert_eq!(given, Some("M + N"), "up begins at the last");
}

#[test]
fn skipping_shows_what_is_right_with_no_answer() {
    let mut model = on("chosen");
    assert!(started(&act(&mut model, Action::Prediction(PredictionAction::Skip))).is_some());
    let state = model.prediction().expect("is one").1;
    assert_eq!((state.stage, &state.given), (Stage::Revealed, &None));
}

#[test]
fn who_presents_reveals_with_a_key_of_its_own() {
    let mut model = on("chosen");
    model.presentation = Some(Presentation::default());
    assert!(
        started(&act(
            &mut model,
            Action::Prediction(PredictionAction::Answer)
        ))
        .is_none()
    );
    assert_eq!(stage(&model), Stage::Held);
    assert!(
        started(&act(
            &mut model,
            Action::Prediction(PredictionAction::Answer)
        ))
        .is_some()
    );
    assert_eq!(stage(&model), Stage::Revealed);
}

#[test]
fn a_remote_control_turns_pages_and_the_second_terminal_is_told() {
    let mut model = on("chosen");
    model.presentation = Some(Presentation::default());
    let told = |effects: &[Effect]| {
        let mut told = effects.iter().filter_map(|effect| match effect {
            Effect::SendToSpeaker(spoken) => Some((spoken.at.0, spoken.is_held)),
            _ => None,
        });
        (told.next(), told.next())
    };
    assert_eq!(
        told(&act(&mut model, Action::Move(Movement::PageDown))),
        (Some((2, false)), None)
    );
    assert_eq!(
        told(&act(&mut model, Action::Move(Movement::PageUp))),
        (Some((1, false)), None)
    );
    assert_eq!(stage(&model), Stage::Open, "a page is no answer");
    assert_eq!(
        told(&act(
            &mut model,
            Action::Prediction(PredictionAction::Answer)
        )),
        (Some((1, true)), None)
    );
    let clock = update(&mut model, Msg::Clock(61));
    assert_eq!(told(&clock), (None, None), "the time is no news there");
    assert_eq!(model.presentation.as_ref().map(|on| on.seconds), Some(61));
}

#[test]
fn a_remote_control_only_goes_on_and_back_and_a_stray_digit_changes_nothing() {
    let mut model = on("double");
    model.presentation = Some(Presentation::default());
    let (at, sizes) = (model.at, model.settings.sizes.clone());
    for on_key in [
        Action::Enter,
        Action::Move(Movement::PageDown),
        Action::Move(Movement::Down),
        Action::Move(Movement::Right),
        Action::Lesson(LessonAction::Advance),
    ] {
        act(&mut model, on_key.clone());
        assert!(model.at > at, "{on_key:?} goes on");
        act(&mut model, Action::Move(Movement::PageUp));
        assert_eq!(model.at, at, "and back");
    }
    act(&mut model, Action::Popup(PopupAction::Type('2')));
    act(&mut model, Action::Enter);
    assert_eq!((&model.settings.sizes, model.popups.prompt), (&sizes, None));
    let mut model = on("typed");
    model.presentation = Some(Presentation::default());
    act(&mut model, Action::Popup(PopupAction::Type('2')));
    act(&mut model, Action::Enter);
    assert_eq!((stage(&model), &model.popups.prompt), (Stage::Held, &None));
}

#[test]
fn the_speaker_is_told_what_is_right_before_the_room_is() {
    let mut model = on("chosen");
    model.presentation = Some(Presentation::default());
    let effects = update(&mut model, Msg::Clock(1));
    let told = effects.iter().find_map(|effect| match effect {
        Effect::SendToSpeaker(spoken) => Some(spoken.answer.as_str()),
        _ => None,
    });
    let told = told.expect("is told");
    assert!(told.starts_with("**Right:** 2MN = 2,000"), "{told}");
    assert!(told.contains("what the **first** wrote"), "{told}");
    assert_eq!(stage(&model), Stage::Open);
}

#[test]
fn what_ran_at_other_sizes_runs_again_for_the_answer() {
    let mut model = on("double");
    let (job, _) = started(&act(&mut model, Action::Run(RunAction::Run))).expect("runs");
    let other = Sizes::from([("M".to_owned(), 2), ("N".to_owned(), 3)]);
    finish(&mut model, job, &other);
    act(&mut model, Action::Lesson(LessonAction::Retreat));
    let effects = act(&mut model, Action::Prediction(PredictionAction::Skip));
    assert!(
        started(&effects).is_some(),
        "{:?}",
        model.lesson.cells[model.at].id()
    );
}

#[test]
fn a_table_runs_what_it_has_no_counts_of_and_then_compares() {
    let mut model = on("counts");
    let grid = |model: &Model| model.grid(model.table().expect("is a table").0);
    assert_eq!(
        grid(&model).rows[0].fields[0].text(),
        "2,000",
        "the formula says it"
    );
    assert_eq!(grid(&model).rows[0].fields[1].text(), "-");
    let (job, _) = started(&act(&mut model, Action::Run(RunAction::Run))).expect("runs");
    let sizes = model.settings.sizes.clone();
    finish(&mut model, job, &sizes);
    let counted = &grid(&model).rows[0].fields[1];
    assert_ne!(counted.text(), "-");
    assert!(started(&act(&mut model, Action::Run(RunAction::Run))).is_none());
    assert!(
        model
            .notice
            .as_deref()
            .is_some_and(|notice| notice.contains("every count is known"))
    );
}

#[test]
fn a_sorted_table_keeps_the_cursor_on_its_row() {
    let mut model = on("gpus");
    let name = |model: &Model| {
        let (cell, state) = model.table().expect("is a table");
        let grid = model.grid(cell);
        grid.rows[state.row(&grid).expect("is a row")].name.clone()
    };
    act(&mut model, Action::Move(Movement::Down));
    assert_eq!(name(&model), "H200");
    act(&mut model, Action::Table(TableAction::Sort));
    assert_eq!(name(&model), "H200");
    assert_eq!(
        model.table().expect("is one").1.cursor.0,
        0,
        "it has the most"
    );
    act(&mut model, Action::View(ViewAction::Compare));
    act(&mut model, Action::Move(Movement::Down));
    let (cell, state) = model.table().expect("is a table");
    let grid = model.grid(cell);
    let (row, against) = state.compared(&grid).expect("are compared");
    assert_eq!(grid.rows[against].name, "H200");
    assert!(
        grid.factor(row, against, 0)
            .is_some_and(|factor| factor < 1.0)
    );
    for _ in 0..2 {
        act(&mut model, Action::Table(TableAction::Sort));
    }
    assert_eq!(model.table().expect("is one").1.sort, None);
}

#[test]
fn a_calculator_moves_types_and_goes_back() {
    let mut model = on("full");
    let inputs = |model: &Model| model.calculator().expect("is one").1.inputs.clone();
    let first = inputs(&model);
    act(&mut model, Action::Move(Movement::Right));
    assert_eq!(inputs(&model).threads, first.threads + 32);
    act(&mut model, Action::Move(Movement::Down));
    type_text(&mut model, "400");
    act(&mut model, Action::Popup(PopupAction::Confirm));
    let error = model
        .popups
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.error.clone());
    assert!(error.is_some_and(|error| error.contains("(1 to 255)")));
    act(&mut model, Action::Back);
    type_text(&mut model, "200");
    act(&mut model, Action::Popup(PopupAction::Confirm));
    assert_eq!(inputs(&model).registers, 200);
    act(
        &mut model,
        Action::Calculator(CalculatorAction::SetInput(2, 4096)),
    );
    assert_eq!(inputs(&model).value(Input::Shared), 4096);
    act(&mut model, Action::Calculator(CalculatorAction::Original));
    assert_eq!(inputs(&model), first);
}

#[test]
fn starting_over_asks_first_and_then_forgets_all_but_the_place() {
    let mut model = on("double");
    let (job, _) = started(&act(&mut model, Action::Run(RunAction::Run))).expect("runs");
    let sizes = model.settings.sizes.clone();
    finish(&mut model, job, &sizes);
    let at = model.at;
    let yes = Action::Popup(PopupAction::Type('y'));
    let other = Action::Popup(PopupAction::Type('n'));
    for no in [
        Action::Back,
        Action::Enter,
        Action::Move(Movement::Down),
        other,
    ] {
        act(&mut model, Action::Lesson(LessonAction::Restart));
        act(&mut model, no);
        assert!(model.result_of("double").is_some(), "only y forgets it");
        assert!(model.popups.prompt.is_none(), "one key is enough");
    }
    act(&mut model, Action::Run(RunAction::Run));
    act(&mut model, Action::Lesson(LessonAction::Restart));
    let effects = act(&mut model, yes);
    assert!(
        matches!(effects[..], [Effect::Cancel { .. }]),
        "{effects:?}"
    );
    assert!(model.result_of("double").is_none());
    assert_eq!(model.at, at);
}

#[test]
fn outputs_are_kept_when_one_leaves_a_cell() {
    let mut model = on("double");
    let (job, _) = started(&act(&mut model, Action::Run(RunAction::Run))).expect("runs");
    act(&mut model, Action::Lesson(LessonAction::Advance));
    let sizes = model.settings.sizes.clone();
    finish(&mut model, job, &sizes);
    act(&mut model, Action::Lesson(LessonAction::Retreat));
    let (_, state) = model.run_cell().expect("is the run cell");
    assert_eq!(state.ran.as_ref().map(|ran| ran.job), Some(job));
}

#[test]
fn a_digit_goes_to_the_field_that_is_marked() {
    let kind = |id: &str| {
        let mut model = on(id);
        act(&mut model, Action::Popup(PopupAction::Type('2')));
        model.popups.prompt.map(|prompt| prompt.kind)
    };
    assert_eq!(kind("typed"), Some(PromptKind::Prediction));
    // Choices are chosen with arrows: the sizes are marked there.
    assert_eq!(kind("chosen"), Some(PromptKind::Size(0)));
    assert_eq!(kind("double"), Some(PromptKind::Size(0)));
}
