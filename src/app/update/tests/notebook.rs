//! What the notebook does, told through `update` alone.

use crate::app::state::*;
use crate::app::state::{
    InspectorAction, LessonAction, Movement, PopupAction, RunAction, ViewAction,
};
use crate::app::testing::{sample_lesson, sample_plan, sample_progress, sample_ran};
use crate::app::update::update;
use crate::app::{Effect, Msg, RunTask};
use crate::launch::Engine;

/// A notebook on the run cell, and what it asked to be done.
struct Session {
    model: Model,
    effects: Vec<Effect>,
}

impl Session {
    fn new() -> Self {
        let mut session = Session {
            model: Model::new(sample_lesson(), None),
            effects: Vec::new(),
        };
        session.act(Action::Lesson(LessonAction::Advance));
        session
    }

    fn send(&mut self, msg: Msg) {
        self.effects = update(&mut self.model, msg);
    }

    fn act(&mut self, action: Action) {
        self.send(Msg::Action(action));
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.act(Action::Popup(PopupAction::Type(c)));
        }
    }

    fn state(&self) -> &RunState {
        self.model.run_cell().expect("is on a run cell").1
    }

    /// The job that was just asked for.
    fn started(&self) -> u64 {
        let job = self.effects.iter().find_map(|effect| match effect {
            Effect::Run(RunTask { job, .. }) => Some(*job),
            _ => None,
        });
        job.expect("a run was asked for")
    }

    fn cancelled(&self) -> Vec<u64> {
        let jobs = self.effects.iter().filter_map(|effect| match effect {
            Effect::Cancel { job } => Some(*job),
            _ => None,
        });
        jobs.collect()
    }

    fn finish(&mut self, job: u64) {
        let watch = self.state().inspector.watch;
        let result = Ok(sample_ran(job, &self.model.settings.sizes, watch));
        self.send(Msg::Finished { job, result });
    }

    fn run(&mut self) -> u64 {
        self.act(Action::Run(RunAction::Run));
        let job = self.started();
        self.finish(job);
        job
    }
}

#[test]
fn a_run_shows_its_counts_as_they_come_and_then_its_result() {
    let mut session = Session::new();
    assert_eq!(session.state().counts(), None);
    session.act(Action::Run(RunAction::Run));
    let job = session.started();
    let news = |launch, done| Msg::Progress {
        job,
        progress: Box::new(sample_progress(launch, done)),
    };
    session.send(news(0, 4));
    assert_eq!(
        session.state().counts().map(|c| c.global_load.elements),
        Some(256)
    );
    assert_eq!(session.state().lines(0)[0].line, 5);
    session.send(news(1, 8));
    assert_eq!(session.state().launch_state(0), LaunchState::Done);
    let running = LaunchState::Running {
        done: 8,
        blocks: 16,
    };
    assert_eq!(session.state().launch_state(1), running);
    assert_eq!(session.state().blocks_done(), Some((24, 32)));
    session.finish(job);
    assert!(session.state().job.is_none());
    assert_eq!(
        session.state().counts().map(|c| c.global_load.elements),
        Some(2000)
    );
}

#[test]
fn news_of_an_old_run_is_dropped() {
    let mut session = Session::new();
    session.act(Action::Run(RunAction::Run));
    let old = session.started();
    session.act(Action::Run(RunAction::Run));
    let new = session.started();
    assert_eq!(session.cancelled(), [old]);
    session.send(Msg::Progress {
        job: old,
        progress: Box::new(sample_progress(0, 16)),
    });
    assert_eq!(
        session.state().counts().map(|c| c.global_load.elements),
        Some(0)
    );
    session.finish(old);
    assert!(session.state().ran.is_none());
    session.finish(new);
    assert_eq!(session.state().ran.as_ref().map(|ran| ran.job), Some(new));
}

#[test]
fn escape_cancels_the_run_and_keeps_the_last_result() {
    let mut session = Session::new();
    let first = session.run();
    session.act(Action::Run(RunAction::Run));
    let second = session.started();
    session.act(Action::Back);
    assert_eq!(session.cancelled(), [second]);
    session.finish(second);
    assert_eq!(session.state().ran.as_ref().map(|ran| ran.job), Some(first));
}

#[test]
fn a_size_is_typed_checked_and_taken() {
    let mut session = Session::new();
    session.act(Action::Run(RunAction::SelectSize(1)));
    session.type_text("5000");
    session.act(Action::Popup(PopupAction::Confirm));
    let error = session
        .model
        .popups
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.error.clone());
    assert_eq!(error.as_deref(), Some("N takes 1 to 4,096"));
    assert_eq!(session.model.settings.sizes["N"], 25);
    for _ in 0..4 {
        session.act(Action::Popup(PopupAction::Erase));
    }
    session.type_text("64");
    session.act(Action::Popup(PopupAction::Confirm));
    assert_eq!(session.model.settings.sizes["N"], 64);
    assert!(session.model.popups.prompt.is_none());
    assert!(
        session.effects.is_empty(),
        "a cell that never ran does not start by itself"
    );
    let state_plan = session.state().plan.as_ref().expect("sizes are in range");
    assert_eq!(*state_plan, sample_plan(&session.model.settings.sizes));
}

#[test]
fn a_changed_size_runs_a_cell_again_that_has_run() {
    let mut session = Session::new();
    session.run();
    session.act(Action::Run(RunAction::Increase));
    assert_eq!(session.model.settings.sizes["M"], 41);
    let first = session.started();
    session.act(Action::Run(RunAction::Double));
    assert_eq!(
        (session.model.settings.sizes["M"], session.cancelled()),
        (82, vec![first])
    );
    for _ in 0..9 {
        session.act(Action::Run(RunAction::Double));
    }
    assert_eq!(session.model.settings.sizes["M"], 4096);
    assert_eq!(
        session.model.notice.as_deref(),
        Some("M is at its most, 4,096")
    );
}

#[test]
fn escape_leaves_a_size_as_it_was() {
    let mut session = Session::new();
    session.type_text("7");
    assert_eq!(session.model.context(), Context::Prompt);
    session.act(Action::Back);
    assert_eq!(
        (session.model.settings.sizes["M"], session.model.context()),
        (40, Context::Counts)
    );
}

#[test]
fn what_the_machine_got_wrong_is_kept_for_the_screen() {
    let mut session = Session::new();
    session.act(Action::Run(RunAction::Run));
    let job = session.started();
    let result = Err("buffer `x`: no such file".to_owned());
    session.send(Msg::Finished { job, result });
    assert_eq!(
        session.state().error.as_deref(),
        Some("buffer `x`: no such file")
    );
    session.act(Action::Run(RunAction::Run));
    assert_eq!(session.state().error, None);
}

#[test]
fn run_all_starts_cells_from_any_place() {
    let mut session = Session::new();
    session.act(Action::Lesson(LessonAction::Retreat));
    session.act(Action::Run(RunAction::RunAll));
    assert_eq!((session.started(), session.model.at), (1, 0));
}

#[test]
fn another_engine_runs_the_cell_again_if_it_ran_before() {
    let engines = |session: &Session| -> Vec<Engine> {
        let engine = |effect: &Effect| match effect {
            Effect::Run(RunTask { engine, .. }) => Some(*engine),
            _ => None,
        };
        session.effects.iter().filter_map(engine).collect()
    };
    let mut session = Session::new();
    session.act(Action::Run(RunAction::SwitchEngine));
    assert_eq!(session.model.settings.engine, Engine::Gpu);
    assert!(engines(&session).is_empty());
    session.run();
    session.act(Action::Run(RunAction::SwitchEngine));
    assert_eq!(engines(&session).last(), Some(&Engine::Sim));
}

#[test]
fn a_gpu_that_is_found_is_taken_unless_something_ran() {
    let found = || Msg::Engine {
        found: None,
        engine: Engine::Gpu,
        why: "engine: gpu".to_owned(),
    };
    let mut session = Session::new();
    session.send(found());
    assert_eq!(session.model.settings.engine, Engine::Gpu);
    assert_eq!(session.model.notice.as_deref(), Some("engine: gpu"));
    let mut session = Session::new();
    session.run();
    session.send(found());
    assert_eq!(
        (session.model.settings.engine, session.model.notice),
        (Engine::Sim, None)
    );
}

#[test]
fn stepping_stays_inside_the_trace_and_selects_lines() {
    let mut session = Session::new();
    session.run();
    session.act(Action::View(ViewAction::Show(Tab::Lanes)));
    assert_eq!(session.model.context(), Context::Lanes);
    assert_eq!(session.state().step(), Some(0));
    session.act(Action::Move(Movement::Left));
    assert_eq!(session.state().step(), Some(0));
    session.act(Action::Move(Movement::PageDown));
    assert_eq!(session.state().step(), Some(3));
    session.act(Action::Move(Movement::Home));
    session.act(Action::Move(Movement::Right));
    assert_eq!(session.state().step(), Some(1));
}

#[test]
fn another_block_or_warp_is_looked_into_without_another_run() {
    let mut session = Session::new();
    session.run();
    session.act(Action::View(ViewAction::Show(Tab::Lanes)));
    session.act(Action::Inspector(InspectorAction::PickBlock));
    session.act(Action::Popup(PopupAction::Ask(PromptKind::Block)));
    session.type_text("16");
    session.act(Action::Popup(PopupAction::Confirm));
    let error = session
        .model
        .popups
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.error.clone());
    assert_eq!(error.as_deref(), Some("expected: block (0 to 15)"));
    session.act(Action::Popup(PopupAction::Erase));
    session.act(Action::Popup(PopupAction::Confirm));
    let watch = session.effects.iter().find_map(|effect| match effect {
        Effect::LoadHistory { watch, .. } => Some(*watch),
        _ => None,
    });
    assert_eq!(watch.map(|watch| watch.block), Some([1, 0, 0]));
    session.act(Action::Inspector(InspectorAction::NextWarp));
    assert_eq!(session.state().inspector.watch.warp, 1);
    session.act(Action::Inspector(InspectorAction::NextWarp));
    assert_eq!(
        session.state().inspector.watch.warp,
        0,
        "a block of 64 threads has two warps"
    );
}

#[test]
fn a_buffer_is_summarised_once_and_only_when_looked_at() {
    let mut session = Session::new();
    let job = session.run();
    let asked = |session: &Session| {
        let effects = session.effects.iter();
        let asked = effects.filter(|effect| matches!(effect, Effect::Summarise { .. }));
        asked.count()
    };
    assert_eq!(asked(&session), 0);
    session.act(Action::View(ViewAction::Show(Tab::Memory)));
    assert_eq!(
        session.state().inspector.item(),
        Some(InspectedItem::Buffer(1)),
        "the lesson taps y first"
    );
    assert_eq!(asked(&session), 1);
    session.act(Action::Move(Movement::Down));
    assert_eq!(asked(&session), 0);
    let summary = Summary {
        min: 0.0,
        max: 999.0,
        mean: 499.5,
        nan: 0,
        tiles: Vec::new(),
    };
    session.send(Msg::Summarised {
        job,
        buffer: 1,
        summary: summary.clone(),
    });
    assert_eq!(session.state().summaries[1], Some(summary));
}

#[test]
fn an_element_is_found_by_row_and_column() {
    let mut session = Session::new();
    session.run();
    session.act(Action::View(ViewAction::Show(Tab::Memory)));
    session.act(Action::Popup(PopupAction::Ask(PromptKind::Element)));
    session.type_text("39, 24");
    session.act(Action::Popup(PopupAction::Confirm));
    assert_eq!(session.state().inspector.buffer.cursor, (39, 24));
    session.act(Action::Move(Movement::Down));
    assert_eq!(
        session.state().inspector.buffer.cursor,
        (39, 24),
        "the matrix has 40 rows"
    );
    session.act(Action::Popup(PopupAction::Ask(PromptKind::Element)));
    session.type_text("40");
    session.act(Action::Popup(PopupAction::Confirm));
    assert!(
        session.model.popups.prompt.is_some(),
        "row 40 is past the end"
    );
}

#[test]
fn scrolling_stops_at_the_end_of_what_was_seen() {
    let mut session = Session::new();
    let seen = FrameExtents {
        source: SourceExtent {
            lines: 14,
            visible: 10,
            last: 4,
            ..SourceExtent::default()
        },
        ..FrameExtents::default()
    };
    session.send(Msg::Drawn(seen));
    session.act(Action::View(ViewAction::Show(Tab::Code)));
    for _ in 0..9 {
        session.act(Action::Move(Movement::Down));
    }
    assert_eq!(session.state().scroll.source, 4);
    session.act(Action::Move(Movement::Home));
    assert_eq!(session.state().scroll.source, 0);
}

#[test]
fn selecting_a_launch_brings_its_kernel_on_screen() {
    let mut session = Session::new();
    let seen = FrameExtents {
        source: SourceExtent {
            lines: 14,
            visible: 6,
            last: 8,
            ..SourceExtent::default()
        },
        ..FrameExtents::default()
    };
    session.send(Msg::Drawn(seen));
    session.act(Action::Run(RunAction::PreviousLaunch));
    assert_eq!(session.state().launch, Some(1));
    assert_eq!(session.state().scroll.source, 6, "`add_one` is on line 9");
    session.act(Action::Run(RunAction::NextLaunch));
    assert_eq!(session.state().launch, None);
}
