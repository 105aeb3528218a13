//! From lesson to lesson and back, told through `App::update` alone.

use std::sync::Arc;

use crate::app::state::*;
use crate::app::state::{HomeAction, LessonAction, Movement, PopupAction, RunAction, ViewAction};
use crate::app::testing::{sample_lesson, sample_lessons, sample_ran};
use crate::app::{Effect, Msg, RunTask};
use crate::document::Scheme;
use crate::lesson::{Cell, Lesson};

/// A program that was used before: the tour is over.
fn used() -> SavedState {
    let mut kept = SavedState::default();
    kept.take(StateChange::Value {
        key: "tour".to_owned(),
        value: Some("seen".to_owned()),
    });
    kept
}

/// The program on its home screen, with a dozen lessons.
fn app() -> App {
    let mut app = App::new(StartOptions::default(), used(), None);
    app.update(Msg::Lessons(sample_lessons()));
    app
}

fn act(app: &mut App, action: Action) -> Vec<Effect> {
    app.update(Msg::Action(action))
}

fn type_text(app: &mut App, text: &str) {
    for character in text.chars() {
        act(app, Action::Popup(PopupAction::Type(character)));
    }
}

fn open(app: &App) -> &Model {
    assert!(!app.at_home, "a lesson is on screen");
    app.notebook.as_ref().expect("a lesson is open")
}

/// The ids of the rows to choose from.
fn rows(app: &App) -> Vec<&str> {
    let rows = app.home.rows.iter();
    rows.map(|row| app.home.lessons[row.lesson].id.as_str())
        .collect()
}

fn lesson(id: &str) -> Arc<Lesson> {
    let lessons = sample_lessons().into_iter();
    let mut found = lessons.filter(|listed| listed.id == id);
    let listed = found.next().expect("is one of the lessons");
    listed.lesson.expect("reads")
}

#[test]
fn a_lesson_that_is_done_is_nothing_to_go_on_with() {
    let mut app = app();
    let lesson = lesson("vector-add");
    for cell in lesson.cell_names() {
        let lesson = lesson.id.clone();
        app.home.saved.take(StateChange::Place { lesson, cell });
    }
    app.update(Msg::Lessons(sample_lessons()));
    assert!(app.home.rows[0].resume, "its kernels did not run");
    for (cell, digest) in &lesson.digests {
        let (cell, digest) = (cell.clone(), digest.clone());
        let lesson = lesson.id.clone();
        app.home.saved.take(StateChange::Ran {
            lesson,
            cell,
            digest,
        });
    }
    app.update(Msg::Lessons(sample_lessons()));
    assert!(!app.home.rows[0].resume);
}

#[test]
fn a_lesson_is_left_for_home_and_opened_where_it_was_left() {
    let mut app = app();
    act(&mut app, Action::Move(Movement::Down));
    act(&mut app, Action::Popup(PopupAction::Confirm));
    assert_eq!(open(&app).lesson.id, "vector-add");
    act(&mut app, Action::Lesson(LessonAction::Advance));
    let effects = act(&mut app, Action::GoHome);
    assert!(
        matches!(
            effects[..],
            [Effect::ListLessons, Effect::Cancel { job: 1 }]
        ),
        "what ran because its page was open is stopped: {effects:?}"
    );
    app.update(Msg::Lessons(sample_lessons()));
    assert!(app.home.rows[0].resume && rows(&app)[0] == "vector-add");
    act(&mut app, Action::Move(Movement::End));
    act(&mut app, Action::Popup(PopupAction::Confirm));
    assert_eq!(
        (open(&app).lesson.id.as_str(), open(&app).at),
        ("matmul-ordering", 0)
    );
    act(&mut app, Action::GoHome);
    app.update(Msg::Lessons(sample_lessons()));
    let again = rows(&app).iter().rposition(|id| *id == "vector-add");
    act(
        &mut app,
        Action::Home(HomeAction::SelectLesson(again.expect("is in the list"))),
    );
    act(&mut app, Action::Popup(PopupAction::Confirm));
    assert_eq!(
        (open(&app).lesson.id.as_str(), open(&app).at),
        ("vector-add", 2)
    );
}

#[test]
fn going_home_stops_the_run_and_its_news_do_not_reach_another_lesson() {
    let mut app = app();
    act(&mut app, Action::Popup(PopupAction::Confirm));
    act(&mut app, Action::Lesson(LessonAction::Advance));
    let effects = act(&mut app, Action::Run(RunAction::Run));
    let job = effects.iter().find_map(|effect| match effect {
        Effect::Run(RunTask { job, lesson, .. }) if lesson.id == "hardware" => Some(*job),
        _ => None,
    });
    let job = job.expect("the open lesson's cell runs");
    let effects = act(&mut app, Action::GoHome);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Cancel { job: j } if *j == job))
    );
    app.update(Msg::Lessons(sample_lessons()));
    act(&mut app, Action::Move(Movement::End));
    act(&mut app, Action::Popup(PopupAction::Confirm));
    act(&mut app, Action::Lesson(LessonAction::Advance));
    act(&mut app, Action::Run(RunAction::Run));
    let sizes = open(&app).settings.sizes.clone();
    let result = Ok(sample_ran(job, &sizes, Default::default()));
    app.update(Msg::Finished { job, result });
    let (_, state) = open(&app).run_cell().expect("is a run cell");
    assert!(state.job.is_some() && state.ran.is_none());
}

#[test]
fn results_of_the_lesson_that_was_left_are_still_there() {
    let mut app = app();
    act(&mut app, Action::Popup(PopupAction::Confirm));
    act(&mut app, Action::Lesson(LessonAction::Advance));
    let sizes = open(&app).settings.sizes.clone();
    let result = Ok(sample_ran(1, &sizes, Default::default()));
    let effects = app.update(Msg::Finished { job: 1, result });
    let ran = |effect: &Effect| matches!(effect, Effect::Save(StateChange::Ran { .. }));
    assert!(effects.iter().any(ran), "{effects:?}");
    act(&mut app, Action::GoHome);
    app.update(Msg::Lessons(sample_lessons()));
    assert_eq!(
        app.home.progress("hardware").map(|standing| standing.ran),
        Some(1)
    );
    act(&mut app, Action::Back);
    let (_, state) = open(&app).run_cell().expect("is a run cell");
    assert!(state.ran.is_some());
}

#[test]
fn a_search_finds_letters_in_names_and_lights_those_of_titles() {
    let mut app = app();
    act(&mut app, Action::Home(HomeAction::Search));
    type_text(&mut app, "sftmx");
    assert_eq!(rows(&app), ["softmax"]);
    let lit = &app.home.rows[0].lit;
    assert_eq!(lit, &[0, 2, 3, 4, 6]);
    for _ in 0..5 {
        act(&mut app, Action::Popup(PopupAction::Erase));
    }
    assert_eq!(rows(&app).len(), 12);
    type_text(&mut app, "memory bank");
    assert_eq!(rows(&app)[0], "bank-conflicts");
    type_text(&mut app, " zzz");
    assert_eq!(rows(&app).len(), 0);
    assert!(act(&mut app, Action::Popup(PopupAction::Confirm)).is_empty() && app.at_home);
    act(&mut app, Action::Back);
    assert_eq!((rows(&app).len(), app.context()), (12, Context::Home));
}

#[test]
fn a_lesson_named_on_the_command_line_begins_at_its_start_and_says_how_to_go_on() {
    let mut app = app();
    app.home.saved.take(StateChange::Place {
        lesson: "double".to_owned(),
        cell: "what-it-cost".to_owned(),
    });
    app.open(Arc::new(sample_lesson()), Opening::Start);
    let model = open(&app);
    assert_eq!(model.at, 0);
    let notice = model.notice.as_deref();
    assert_eq!(
        notice,
        Some("you were on page 3, What it cost; :back goes there")
    );
    let effects = app.update(Msg::Drawn(FrameExtents::default()));
    assert!(
        effects.is_empty(),
        "whoever only looks in keeps their place"
    );
    act(&mut app, Action::Lesson(LessonAction::GoOn));
    assert_eq!(open(&app).at, 3);
}

#[test]
fn a_link_runs_its_cell_and_stands_at_its_step() {
    let mut app = app();
    let (id, place) = LessonLink::parse("gelu#double@warp=1@step=3").expect("is a link");
    let place = place.expect("has a place");
    let cell = place.find(&lesson(id)).expect("is there");
    let effects = app.open(lesson(id), Opening::Place(place, cell));
    let job = effects.iter().find_map(|effect| match effect {
        Effect::Run(RunTask { job, watch, .. }) if watch.warp == 1 => Some(*job),
        _ => None,
    });
    let job = job.expect("the cell runs with the warp of the link");
    let watch = open(&app)
        .run_cell()
        .expect("is a run cell")
        .1
        .inspector
        .watch;
    let sizes = open(&app).settings.sizes.clone();
    let result = Ok(sample_ran(job, &sizes, watch));
    app.update(Msg::Finished { job, result });
    let model = open(&app);
    assert_eq!(
        model.run_cell().and_then(|(_, state)| state.step()),
        Some(2)
    );
    assert_eq!(model.context(), Context::Lanes);
    assert_eq!(model.link(), "gelu#double@warp=1@step=3");
}

#[test]
fn a_step_past_the_end_is_the_last_one_and_is_said() {
    let mut app = app();
    let (_, place) = LessonLink::parse("gelu#3@step=400").expect("is a link");
    app.open(
        lesson("gelu"),
        Opening::Place(place.expect("has a place"), 2),
    );
    let sizes = open(&app).settings.sizes.clone();
    let result = Ok(sample_ran(1, &sizes, Default::default()));
    app.update(Msg::Finished { job: 1, result });
    let notice = open(&app).notice.as_deref();
    assert_eq!(notice, Some("there is no step 400: this warp takes 4"));
}

#[test]
fn a_link_names_a_line_only_where_somebody_chose_one() {
    let mut app = app();
    let softmax = Arc::new(crate::lesson::load("softmax").expect("reads"));
    let follow = |app: &mut App, link: &str| {
        let (_, place) = LessonLink::parse(link).expect("is a link");
        let place = place.expect("has a place");
        let cell = place.find(&softmax).expect("is there");
        app.open(softmax.clone(), Opening::Place(place, cell));
        let source = SourceExtent {
            lines: 60,
            visible: 10,
            last: 50,
            ..SourceExtent::default()
        };
        app.update(Msg::Drawn(FrameExtents {
            source,
            ..FrameExtents::default()
        }));
    };
    let first_line = |app: &App| open(app).run_cell().expect("runs").1.scroll.source;
    follow(&mut app, "softmax#naive");
    assert!(first_line(&app) > 0, "it opens at its kernel");
    assert_eq!(open(&app).link(), "softmax#naive");
    act(&mut app, Action::Lesson(LessonAction::Retreat));
    act(&mut app, Action::Lesson(LessonAction::Advance));
    assert_eq!(open(&app).link(), "softmax#naive");
    act(&mut app, Action::View(ViewAction::Show(Tab::Code)));
    act(&mut app, Action::Move(Movement::Down));
    let chosen = format!("softmax#naive@line={}", first_line(&app) + 1);
    assert_eq!(open(&app).link(), chosen);
    follow(&mut app, "softmax#naive@line=40");
    assert!(open(&app).link().starts_with("softmax#naive@line="));
}

#[test]
fn a_wrong_place_says_which_there_are() {
    let wrong = |link: &str| match LessonLink::parse(link) {
        Err(why) => why,
        Ok((id, place)) => {
            let found = place.expect("has a place").find(&lesson(id));
            found.expect_err("there is no such place")
        }
    };
    for (link, says) in [
        ("gelu#", "after `#` goes a cell"),
        ("gelu#doubel", "perhaps `double`"),
        ("gelu#5", "4  what-it-cost"),
        ("gelu#double@stp=3", "expected @step=41"),
        ("gelu#double@step=0", "a number from 1"),
        ("gelu#double@block=1,2,3,4", "one to three numbers"),
        ("gelu#double@launch=3", "`double` has 2"),
        ("gelu#double@line=900", "the source of `double` has"),
        ("gelu#doubling@step=1", "is text"),
    ] {
        assert!(wrong(link).contains(says), "{link}: {}", wrong(link));
    }
}

#[test]
fn the_tour_is_shown_once_goes_through_the_lesson_and_comes_back() {
    let mut app = App::new(StartOptions::default(), SavedState::default(), None);
    app.update(Msg::Lessons(sample_lessons()));
    act(&mut app, Action::Popup(PopupAction::Confirm));
    let mut steps = Vec::new();
    let mut effects = Vec::new();
    while let Some((step, ..)) = open(&app).tour_step() {
        assert_eq!(app.context(), Context::Tour);
        steps.push((step, open(&app).at));
        effects.extend(act(&mut app, Action::Enter));
    }
    use TourStep::*;
    assert_eq!(
        steps,
        [(Welcome, 0), (Next, 0), (Run, 2), (Inside, 2), (Help, 2)]
    );
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Run(_)))
    );
    assert_eq!(open(&app).at, 0);
    assert_eq!(app.home.saved.value("tour"), Some("seen"));
    app.open(lesson("gelu"), Opening::Start);
    assert_eq!(open(&app).tour_step(), None);
    act(&mut app, Action::Popup(PopupAction::Help));
    act(&mut app, Action::Popup(PopupAction::Tour));
    assert_eq!(open(&app).tour_step(), Some((Welcome, 1, 5)));
    act(&mut app, Action::Back);
    assert_eq!(app.context(), Context::Prose);
    act(&mut app, Action::GoHome);
    act(&mut app, Action::Popup(PopupAction::Help));
    act(&mut app, Action::Popup(PopupAction::Tour));
    assert_eq!(app.context(), Context::Tour);
}

#[test]
fn a_lesson_that_does_not_read_is_listed_and_says_what_helps() {
    let mut app = app();
    let broken = ListedLesson {
        id: "rope".to_owned(),
        lesson: Err("there is no kernel file `rope.cu`".to_owned()),
    };
    app.update(Msg::Lessons(vec![broken]));
    act(&mut app, Action::Popup(PopupAction::Confirm));
    assert!(app.at_home);
    let notice = app.home.notice.as_deref().unwrap_or_default();
    assert!(notice.contains("tutor run lesson rope"), "{notice}");
}

#[test]
fn the_choice_holds_in_the_next_lesson_and_outlasts_the_program() {
    let mut app = App::new(StartOptions::default(), SavedState::default(), None);
    app.open(Arc::new(sample_lesson()), Opening::Start);
    app.update(Msg::Action(Action::Back));
    let effects = app.update(Msg::Action(Action::View(ViewAction::NextScheme)));
    assert!(matches!(effects[..], [Effect::Save(_)]), "{effects:?}");
    assert_eq!(app.scheme(), Scheme::Dark);
    app.open(Arc::new(sample_lesson()), Opening::Start);
    let open = app.notebook.as_ref().expect("is open");
    assert_eq!(open.look.scheme, Scheme::Dark);
    assert_eq!(Scheme::of_last_time(&app.home.saved), Scheme::Dark);
}

#[test]
fn a_cell_runs_when_somebody_comes_to_it_and_stops_when_they_leave() {
    let mut app = app();
    app.open(lesson("gelu"), Opening::Start);
    let started = |effects: &[Effect]| {
        let mut runs = effects.iter().filter_map(|effect| match effect {
            Effect::Run(RunTask { job, engine, .. }) => Some((*job, *engine)),
            _ => None,
        });
        runs.next()
    };
    let job = |app: &App| {
        let (_, state) = open(app).run_cell()?;
        state.job.as_ref().map(|job| job.id)
    };
    let effects = act(&mut app, Action::Lesson(LessonAction::Advance));
    assert_eq!(started(&effects), Some((1, crate::launch::Engine::Sim)));
    let effects = act(&mut app, Action::Lesson(LessonAction::Advance));
    assert!(
        matches!(effects[..], [Effect::Cancel { job: 1 }, ..]),
        "{effects:?}"
    );
    act(&mut app, Action::Lesson(LessonAction::Retreat));
    assert_eq!(job(&app), Some(2), "it begins anew");
    act(&mut app, Action::Back);
    act(&mut app, Action::Move(Movement::Down));
    assert_eq!(job(&app), None, "what was stopped stays so");
    act(&mut app, Action::Run(RunAction::Run));
    act(&mut app, Action::Lesson(LessonAction::Advance));
    act(&mut app, Action::Lesson(LessonAction::Retreat));
    assert_eq!(job(&app), Some(3), "what was asked for goes on");
}

/// The loads of a warp whose lanes read `apart` bytes from each other.
fn warp_load(apart: u64) -> WarpLoad {
    WarpLoad {
        line: "y[i] = x[i];".to_owned(),
        addresses: std::array::from_fn(|lane| 4096 + lane as u64 * apart),
        width_bytes: 4,
    }
}

/// The lesson that somebody new begins with, as it is listed.
fn first_steps() -> ListedLesson {
    let id = "first-steps".to_owned();
    let lesson = crate::lesson::load(&id).expect("reads");
    ListedLesson {
        id,
        lesson: Ok(Arc::new(lesson)),
    }
}

#[test]
fn somebody_new_sees_two_loads_and_breaks_one() {
    let listed = first_steps();
    let mut app = App::new(StartOptions::default(), SavedState::default(), None);
    let effects = app.update(Msg::Lessons(vec![listed.clone()]));
    assert!(
        matches!(effects[..], [Effect::LoadWelcome { .. }]),
        "{effects:?}"
    );
    assert_eq!(app.context(), Context::Welcome);
    assert!(!app.is_playing(), "nothing is shown before it ran");
    app.update(Msg::WelcomeLoaded(vec![warp_load(4), warp_load(32)]));
    while app.is_playing() {
        app.update(Msg::Tick);
    }
    let welcome = app.home.welcome.clone().expect("is on screen");
    let used: Vec<(u64, u64)> = welcome
        .loads
        .iter()
        .map(|load| load.used_bytes(32))
        .collect();
    assert_eq!(used, [(128, 128), (128, 1024)]);
    act(&mut app, Action::Enter);
    let is_read = open(&app).run_cell().is_none();
    assert!(is_read, "what a kernel is comes first");
    assert!(open(&app).popups.tour.is_none(), "there is something to do");
    let next = Action::Lesson(LessonAction::Advance);
    act(&mut app, next.clone());
    while open(&app).run_cell().is_none() {
        act(&mut app, next.clone());
    }
    let stride = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Run(task) => Some(task.sizes["S"]),
            _ => None,
        })
    };
    let effects = act(&mut app, Action::Enter);
    assert_eq!(stride(&effects), Some(1), "nothing is wasted at first");
    let effects = act(&mut app, Action::Run(RunAction::Double));
    assert_eq!(stride(&effects), Some(2), "one key breaks it");
    // Once is enough.
    act(&mut app, Action::GoHome);
    app.update(Msg::Lessons(vec![listed]));
    assert_eq!(app.context(), Context::Home);
}

#[test]
fn the_welcome_gives_way_to_the_lessons() {
    let listed = first_steps();
    let mut app = App::new(StartOptions::default(), SavedState::default(), None);
    app.update(Msg::Lessons(vec![listed.clone()]));
    app.update(Msg::WelcomeLoaded(Vec::new()));
    assert_eq!(
        app.context(),
        Context::Home,
        "what does not run is not shown"
    );
    let mut app = App::new(StartOptions::default(), SavedState::default(), None);
    app.update(Msg::Lessons(vec![listed]));
    app.update(Msg::WelcomeLoaded(vec![warp_load(4), warp_load(32)]));
    let effects = act(&mut app, Action::Back);
    assert!(matches!(effects[..], [Effect::Save(_)]), "{effects:?}");
    assert_eq!(app.context(), Context::Home);
}

#[test]
fn the_tour_runs_nothing_that_a_question_is_about() {
    let mut with_run = 0;
    for (id, lesson) in crate::lesson::load_all() {
        let lesson = Arc::new(lesson.unwrap_or_else(|error| panic!("{id}: {error}")));
        let model = Model::new(lesson.clone(), None);
        let Some(run) = model.first_run() else {
            assert!(!model.tour_steps().contains(&TourStep::Inside), "{id}");
            continue;
        };
        with_run += 1;
        let id = lesson.cells[run].id();
        let asked = lesson.cells.iter().filter_map(|cell| match cell {
            Cell::Prediction(asked) => asked.runs(),
            _ => None,
        });
        assert!(asked.into_iter().all(|asked| Some(asked) != id), "{id:?}");
    }
    assert!(with_run > 0, "the tour shows a run somewhere");
}
