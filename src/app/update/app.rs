//! The whole program: the home screen, and the lesson that is open.

use std::sync::Arc;

use crate::app::state::{
    Action, App, Context, HomeAction, ListedLesson, Model, Opening, PopupAction, Presentation,
    Welcome,
};
use crate::app::update::message::{Effect, Msg};
use crate::app::update::notebook::update;
use crate::app::update::runs::stop;
use crate::app::update::selection::go_to_cell;
use crate::lesson::Lesson;

/// Where the learner left the lesson before, and how to go there.
fn way_back(model: &Model) -> Option<String> {
    let (number, page) = model.lesson.page_of(model.visit.left_at?)?;
    let title = model.lesson.page_title(&page);
    Some(format!(
        "you were on page {}, {title}; :back goes there",
        number + 1
    ))
}

impl App {
    /// Opens `lesson` in place of the one that is open.
    pub fn open(&mut self, lesson: Arc<Lesson>, opening: Opening) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut model = self.notebook_of(lesson);
        if let Some(old) = &mut self.notebook {
            // News of the old lesson's runs must not be taken for news of the new one's.
            stop(old, &mut effects);
            model.runs.last_job = old.runs.last_job;
        }
        let left = model.visit.saved.progress(&model.lesson).place;
        model.visit.left_at = left.filter(|&cell| cell > 0);
        // Whoever only looks in keeps their place.
        // With this the first cell counts as saved, so that opening alone does not overwrite the place.
        model.visit.saved_cell = left.map(|_| 0);
        match opening {
            Opening::Start if self.begin.presenting => {}
            Opening::Start => model.notice = model.notice.take().or(way_back(&model)),
            Opening::Left => {
                go_to_cell(&mut model, left.unwrap_or(0));
                model.visit.saved_cell = None;
            }
            Opening::Place(place, cell) => model.go_to_place(cell, place, &mut effects),
        }
        model.presentation = self.begin.presenting.then(Presentation::default);
        model.send_to_speaker(&mut effects);
        effects.push(Effect::Opened {
            lesson: model.lesson.clone(),
        });
        if !self.begin.presenting {
            model.offer_tour();
        }
        self.at_home = false;
        self.notebook = Some(Box::new(model));
        effects
    }

    /// A notebook of `lesson` as the program was begun, and with what the home screen knows.
    fn notebook_of(&mut self, lesson: Arc<Lesson>) -> Model {
        let mut model = Model::new(lesson, self.begin.gpu.as_deref());
        model.begin_with(self.begin.engine, self.begin.watch);
        model.settings.on_arrival = true;
        model.visit.saved = self.home.saved.clone();
        model.look.scheme = self.begin.scheme;
        model.popups.palette.commands = self.begin.commands.clone();
        model.notice = self.home.notice.take();
        model
    }

    /// Takes `msg`; what is to be done outside comes back.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let effects = self.take(msg);
        // The home screen shows progress: it takes what is saved as it is saved.
        for effect in &effects {
            if let Effect::Save(change) = effect {
                self.home.saved.take(change.clone());
            }
        }
        effects
    }

    fn take(&mut self, msg: Msg) -> Vec<Effect> {
        if let Msg::Engine { engine, .. } = &msg {
            // What the command line asked for stays, whatever is found later.
            self.begin.engine.get_or_insert(*engine);
        }
        match msg {
            Msg::Lessons(lessons) => {
                self.home.take(lessons);
                self.welcome()
            }
            Msg::WelcomeLoaded(loads) => {
                self.take_welcome(loads);
                Vec::new()
            }
            Msg::Tick if self.at_home => {
                self.home.welcome.iter_mut().for_each(Welcome::tick);
                Vec::new()
            }
            Msg::About { lesson, msg } => {
                let open = self.notebook.as_ref();
                // By identity: the same lesson opened again is at other sizes, and asks again.
                match open.is_some_and(|model| Arc::ptr_eq(&model.lesson, &lesson)) {
                    true => self.take(*msg),
                    false => Vec::new(),
                }
            }
            Msg::Action(Action::GoHome) if !self.at_home => self.go_home(),
            Msg::Action(action) if self.at_home => self.act_at_home(&action),
            Msg::Drawn(seen) if self.at_home => {
                self.home.seen = seen;
                Vec::new()
            }
            // The lesson that is still open behind would show it when nobody remembers why.
            Msg::Notice(notice) if self.at_home => {
                self.home.notice = Some(notice);
                Vec::new()
            }
            msg => self.update_notebook(msg),
        }
    }

    fn update_notebook(&mut self, msg: Msg) -> Vec<Effect> {
        let Some(model) = &mut self.notebook else {
            return Vec::new();
        };
        let effects = update(model, msg);
        // The next lesson opens in the theme that was chosen in this one.
        self.begin.scheme = model.look.scheme;
        effects
    }

    /// Leaves the lesson for the home screen; what runs is stopped.
    fn go_home(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::ListLessons];
        if let Some(model) = &mut self.notebook {
            // A prompt that is still open would take the first key when the lesson is opened again.
            model.popups.prompt = None;
            // What waits would run behind the home screen, unseen.
            model.runs.queue.clear();
            stop(model, &mut effects);
        }
        self.at_home = true;
        effects
    }

    fn act_at_home(&mut self, action: &Action) -> Vec<Effect> {
        self.home.notice = None;
        if self.home.welcome.is_some() {
            return self.act_at_welcome(action);
        }
        match action {
            Action::Quit => vec![Effect::Quit],
            Action::Suspend => vec![Effect::Suspend],
            Action::Popup(PopupAction::Confirm) => self.open_chosen(),
            Action::Home(HomeAction::SelectLesson(row)) if *row == self.home.chosen => {
                self.open_chosen()
            }
            Action::Popup(PopupAction::Tour) => {
                // It goes through a lesson.
                self.home.help = false;
                let effects = self.open_chosen();
                if let (Some(model), false) = (&mut self.notebook, self.at_home) {
                    model.begin_tour();
                }
                effects
            }
            Action::Back if self.home.context() == Context::Home => {
                // Back to the lesson that one came from, if there was one.
                self.at_home = self.notebook.is_none();
                Vec::new()
            }
            action => {
                self.home.act(action);
                Vec::new()
            }
        }
    }

    /// Opens the chosen lesson where the learner left it: as it is, if it is still there.
    fn open_chosen(&mut self) -> Vec<Effect> {
        let Some(ListedLesson { id, lesson }) = self.home.chosen() else {
            return Vec::new();
        };
        match lesson {
            Ok(lesson) => {
                let lesson = lesson.clone();
                if self
                    .notebook
                    .as_ref()
                    // By value: one that was edited outside is read anew, and opened anew.
                    .is_some_and(|open| *open.lesson == *lesson)
                {
                    self.at_home = false;
                    return Vec::new();
                }
                self.open(lesson, Opening::Left)
            }
            Err(_) => {
                let command = format!("`tutor run lesson {id}` says what is wrong in it");
                self.home.notice = Some(command);
                Vec::new()
            }
        }
    }
}
