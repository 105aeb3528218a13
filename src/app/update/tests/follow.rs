//! Counts that follow what the learner changes: sizes, block sizes, the GPU; and cells side by side.

use crate::app::state::*;
use crate::app::state::{LessonAction, Movement, PopupAction, RunAction, ViewAction};
use crate::app::testing::{sample_lesson, sample_lesson_twice, sample_progress, sample_ran};
use crate::app::update::update;
use crate::app::{Effect, Msg, RunTask};
use crate::lesson::{Cell, Lesson, Sizes};

struct Session {
    model: Model,
    effects: Vec<Effect>,
}

impl Session {
    fn of(lesson: Lesson) -> Self {
        let mut session = Session {
            model: Model::new(lesson, None),
            effects: Vec::new(),
        };
        session.act(Action::Lesson(LessonAction::Advance));
        session
    }

    fn act(&mut self, action: Action) {
        self.effects = update(&mut self.model, Msg::Action(action));
    }

    fn send(&mut self, msg: Msg) {
        self.effects = update(&mut self.model, msg);
    }

    /// Number, GPU and haste of the run that was just asked for.
    fn asked(&self) -> (u64, Option<String>, bool) {
        let run = self.effects.iter().find_map(|effect| match effect {
            Effect::Run(RunTask {
                job, gpu, settles, ..
            }) => Some((*job, gpu.clone(), *settles)),
            _ => None,
        });
        run.expect("a run was asked for")
    }

    fn run(&mut self) {
        self.act(Action::Run(RunAction::Run));
        self.finish();
    }

    fn finish(&mut self) {
        let job = self.asked().0;
        let result = Ok(sample_ran(
            job,
            &self.model.settings.sizes,
            Default::default(),
        ));
        self.send(Msg::Finished { job, result });
    }

    fn state(&self) -> &RunState {
        self.model.run_cell().expect("is on a run cell").1
    }

    fn elements(&self) -> Option<u64> {
        Some(self.state().counts()?.global_load.elements)
    }
}

/// The sample with a choice of block sizes.
fn with_blocks() -> Lesson {
    let mut lesson = sample_lesson();
    let mut size = lesson.sizes[0].clone();
    size.name = "B".to_owned();
    size.values = vec![32, 64, 128];
    (size.min, size.max, size.default) = (32, 128, 64);
    lesson.sizes.push(size);
    for cell in &mut lesson.cells {
        if let Cell::Run(cell) = cell {
            cell.choices = Sizes::from([("B".to_owned(), 64)]);
            for launch in &mut cell.launches {
                launch.block[0] = crate::lesson::Formula::parse("B").expect("is one");
            }
        }
    }
    lesson
}

#[test]
fn old_counts_stay_until_those_of_the_new_place_come() {
    let mut session = Session::of(sample_lesson());
    session.run();
    assert_eq!(session.elements(), Some(2000));
    session.act(Action::Run(RunAction::SetSize(0, 80)));
    let (job, _, settles) = session.asked();
    assert!(settles, "others may follow at once");
    session.send(Msg::Progress {
        job,
        progress: Box::new(sample_progress(0, 4)),
    });
    assert_eq!(session.elements(), Some(2000));
    let old = session.state().shown().expect("stays").clone();
    assert!(session.model.is_stale(&old));
    let ran = sample_ran(job, &session.model.settings.sizes, Default::default());
    session.send(Msg::Counted { job, ran });
    assert_eq!(session.elements(), Some(4000));
    assert!(session.state().job.is_some(), "the model still answers");
    session.send(Msg::Finished {
        job,
        result: Ok(sample_ran(
            job,
            &session.model.settings.sizes,
            Default::default(),
        )),
    });
    assert!(session.state().job.is_none());
}

#[test]
fn a_run_that_is_asked_for_starts_at_once_and_ticks() {
    let mut session = Session::of(sample_lesson());
    session.run();
    session.act(Action::Run(RunAction::Run));
    let (job, _, settles) = session.asked();
    assert!(!settles);
    session.send(Msg::Progress {
        job,
        progress: Box::new(sample_progress(0, 4)),
    });
    assert_eq!(session.elements(), Some(256));
}

#[test]
fn another_gpu_is_picked_by_a_part_of_its_name_and_counts_follow() {
    let mut session = Session::of(sample_lesson());
    session.run();
    session.act(Action::Run(RunAction::PickGpu));
    assert_eq!(session.model.context(), Context::Prompt);
    for c in "l40s".chars() {
        session.act(Action::Popup(PopupAction::Type(c)));
    }
    session.act(Action::Popup(PopupAction::Confirm));
    let (_, gpu, settles) = session.asked();
    assert_eq!((gpu.as_deref(), settles), (Some("l40s"), true));
    let old = session.state().shown().expect("stays");
    assert!(session.model.is_stale(old), "it was counted on another GPU");
    session.act(Action::Run(RunAction::PickGpu));
    for c in "nothing".chars() {
        session.act(Action::Popup(PopupAction::Type(c)));
    }
    session.act(Action::Popup(PopupAction::Confirm));
    let error = session
        .model
        .popups
        .prompt
        .as_ref()
        .and_then(|asked| asked.error.clone());
    assert!(error.is_some_and(|error| error.contains("nothing fits")));
}

#[test]
fn the_gpu_stands_behind_the_sizes_and_steps_through_the_table() {
    let mut session = Session::of(sample_lesson());
    session.act(Action::Run(RunAction::SelectSize(2)));
    session.act(Action::Run(RunAction::Increase));
    let next = session.model.simulated().to_owned();
    assert_ne!(next, "h200");
    session.act(Action::Run(RunAction::Decrease));
    assert_eq!(session.model.simulated(), "h200-sxm");
}

#[test]
fn a_block_size_takes_only_what_it_lists_and_formulas_follow() {
    let mut session = Session::of(with_blocks());
    let block = |session: &Session| {
        let plan = session.state().plan.as_ref().expect("has values");
        (
            plan.launches[0].block[0],
            session.model.settings.sizes.get("B").copied(),
        )
    };
    assert_eq!(block(&session), (64, None), "a default is not written down");
    session.act(Action::Run(RunAction::SelectSize(2)));
    session.act(Action::Run(RunAction::Double));
    assert_eq!(block(&session), (128, Some(128)));
    session.act(Action::Run(RunAction::Increase));
    assert_eq!(
        session.model.notice.as_deref(),
        Some("B is at its most, 128")
    );
    session.act(Action::Popup(PopupAction::Type('9')));
    session.act(Action::Popup(PopupAction::Confirm));
    let error = session
        .model
        .popups
        .prompt
        .as_ref()
        .and_then(|asked| asked.error.clone());
    assert_eq!(error.as_deref(), Some("B takes 32, 64, 128"));
    session.act(Action::Back);
    session.act(Action::Run(RunAction::Halve));
    assert_eq!(block(&session), (64, None));
}

#[test]
fn the_margin_counts_what_is_picked() {
    let mut session = Session::of(sample_lesson());
    session.act(Action::View(ViewAction::PickMetric));
    session.act(Action::Move(Movement::Down));
    session.act(Action::Popup(PopupAction::Confirm));
    assert_eq!(session.model.look.metric.name(), "distinct elements");
    session.act(Action::View(ViewAction::PickMetric));
    let at = session
        .model
        .popups
        .prompt
        .as_ref()
        .map(|prompt| prompt.chosen);
    assert_eq!(at, Some(1), "the list opens where it holds");
    session.act(Action::Popup(PopupAction::Choose(4)));
    assert_eq!(session.model.look.metric, GutterMetric::Efficiency);
}

#[test]
fn two_cells_stand_side_by_side_and_run_one_after_the_other() {
    let mut session = Session::of(sample_lesson());
    session.act(Action::View(ViewAction::Compare));
    assert!(session.model.notice.is_some(), "there is no other cell");
    let mut session = Session::of(sample_lesson_twice());
    session.act(Action::View(ViewAction::Compare));
    let comparison = session.model.look.comparison.expect("is open");
    assert_eq!(
        (comparison.cells, session.model.context()),
        ([2, 4], Context::Comparison)
    );
    session.act(Action::Run(RunAction::Run));
    session.finish();
    session.finish();
    let sides = session.model.sides(&comparison).expect("both run");
    assert!(sides.iter().all(|(_, state)| state.ran.is_some()));
    session.act(Action::View(ViewAction::NextView));
    assert!(
        session
            .model
            .look
            .comparison
            .is_some_and(|comparison| comparison.sources)
    );
    session.act(Action::Back);
    assert_eq!(session.model.context(), Context::Counts);
}

#[test]
fn what_is_told_of_numbers_scrolls_and_closes() {
    let mut session = Session::of(sample_lesson());
    session.act(Action::Popup(PopupAction::Evidence));
    assert_eq!(session.model.context(), Context::Evidence);
    let mut seen = session.model.look.seen;
    seen.windows.evidence = Extent {
        content: 30,
        visible: 10,
    };
    session.send(Msg::Drawn(seen));
    session.act(Action::Move(Movement::PageDown));
    assert_eq!(session.model.popups.evidence, Some(8));
    session.act(Action::Back);
    assert_eq!(session.model.context(), Context::Counts);
}
