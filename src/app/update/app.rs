//! The whole program: the home screen, and the lesson that is open.

use std::sync::Arc;

use super::notebook::update;
use super::runs::stop;
use crate::app::state::{
    Action, Command, Context, Effect, Home, Listed, Model, Msg, Place, Presentation, Scheme, Seen,
};
use crate::launch::{Engine, Watch};
use crate::lesson::Lesson;

/// Everything the program knows. A lesson that was left for the home screen is kept with its results until
/// another is opened.
#[derive(Clone, Debug, Default)]
pub struct App {
    /// The home screen.
    pub home: Home,
    /// The lesson that is open, or was last.
    pub notebook: Option<Box<Model>>,
    /// Whether the home screen is on screen.
    pub at_home: bool,
    /// What every lesson begins with.
    begin: Begin,
}

/// What every lesson begins with, as the command line says.
#[derive(Clone, Debug, Default)]
pub struct Begin {
    /// Which GPU is simulated, if one is asked for: an id of the GPU table.
    pub gpu: Option<String>,
    /// What runs cells at first; nothing until it is known.
    pub engine: Option<Engine>,
    /// The warp that is looked at first, if one is asked for.
    pub watch: Option<Watch>,
    /// Whether the first lesson is shown to a room.
    pub presenting: bool,
    /// The colours.
    pub scheme: Scheme,
    /// Everything that keys do.
    pub commands: Arc<[Command]>,
}

/// Where a lesson is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// At its beginning, with a word on how to go on where the learner left it.
    Start,
    /// Where the learner left it.
    Left,
    /// At a place, and its cell's index.
    Place(Place, usize),
}

impl App {
    /// The program on its home screen, which knows no lessons yet.
    pub fn new(begin: Begin, kept: crate::app::state::Kept, notice: Option<String>) -> Self {
        App {
            home: Home {
                kept,
                notice,
                ..Home::default()
            },
            at_home: true,
            begin,
            notebook: None,
        }
    }

    /// Opens `lesson` in place of the one that is open.
    pub fn open(&mut self, lesson: Arc<Lesson>, opening: Opening) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut model = Model::new(lesson, self.begin.gpu.as_deref());
        model.begin_with(self.begin.engine, self.begin.watch);
        model.kept = self.home.kept.clone();
        model.look.scheme = self.begin.scheme;
        model.palette.commands = self.begin.commands.clone();
        model.notice = self.home.notice.take();
        if let Some(old) = &mut self.notebook {
            // News of the old lesson's runs must not be taken for news of the new one's.
            stop(old, &mut effects);
            model.last_job = old.last_job;
        }
        let left = model.kept.standing(&model.lesson).place;
        model.left = left.filter(|&cell| cell > 0);
        // Whoever only looks in keeps their place.
        model.told = left.map(|_| 0);
        match opening {
            Opening::Start => {
                if let Some(cell) = model.left.filter(|_| !self.begin.presenting) {
                    let title = model.lesson.cells[cell].title();
                    let notice = format!("you were at {}, {title}; B goes back there", cell + 1);
                    model.notice.get_or_insert(notice);
                }
            }
            Opening::Left => {
                model.at = left.unwrap_or(0);
                model.told = None;
            }
            Opening::Place(place, cell) => model.go_to_place(cell, place, &mut effects),
        }
        model.presentation = self.begin.presenting.then(Presentation::default);
        model.tell(&mut effects);
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

    /// Where keys go now.
    pub fn context(&self) -> Context {
        match &self.notebook {
            Some(model) if !self.at_home => model.context(),
            _ => self.home.context(),
        }
    }

    /// The colours.
    pub fn scheme(&self) -> Scheme {
        self.begin.scheme
    }

    /// Whether something on screen goes on by itself.
    pub fn is_playing(&self) -> bool {
        let open = self.notebook.as_ref().filter(|_| !self.at_home);
        open.is_some_and(|model| model.is_playing())
    }

    /// What the last frame of this screen showed.
    pub fn seen(&self) -> Seen {
        match &self.notebook {
            Some(model) if !self.at_home => model.look.seen,
            _ => self.home.seen,
        }
    }

    /// Takes `msg`; what is to be done outside comes back.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        if let Msg::Engine { engine, .. } = &msg {
            self.begin.engine.get_or_insert(*engine);
        }
        let effects = match msg {
            Msg::Lessons(lessons) => {
                self.home.take(lessons);
                Vec::new()
            }
            Msg::About { lesson, msg } => {
                let open = self.notebook.as_ref();
                return match open.is_some_and(|model| Arc::ptr_eq(&model.lesson, &lesson)) {
                    true => self.update(*msg),
                    false => Vec::new(),
                };
            }
            Msg::Action(Action::GoHome) if !self.at_home => self.go_home(),
            Msg::Action(action) if self.at_home => self.act_at_home(&action),
            Msg::Seen(seen) if self.at_home => {
                self.home.seen = seen;
                Vec::new()
            }
            Msg::Notice(notice) if self.at_home => {
                self.home.notice = Some(notice);
                Vec::new()
            }
            msg => match &mut self.notebook {
                Some(model) => {
                    let effects = update(model, msg);
                    self.begin.scheme = model.look.scheme;
                    effects
                }
                None => Vec::new(),
            },
        };
        let kept = effects.iter().filter_map(|effect| match effect {
            Effect::Keep(change) => Some(change.clone()),
            _ => None,
        });
        kept.for_each(|change| self.home.kept.take(change));
        effects
    }

    /// Leaves the lesson for the home screen; what runs is stopped.
    fn go_home(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::ListLessons];
        if let Some(model) = &mut self.notebook {
            model.prompt = None;
            model.queue.clear();
            stop(model, &mut effects);
        }
        self.at_home = true;
        effects
    }

    fn act_at_home(&mut self, action: &Action) -> Vec<Effect> {
        self.home.notice = None;
        match action {
            Action::Quit => vec![Effect::Quit],
            Action::Suspend => vec![Effect::Suspend],
            Action::Confirm => self.open_chosen(),
            Action::SelectLesson(row) if *row == self.home.chosen => self.open_chosen(),
            Action::Tour => {
                // It goes through a lesson.
                self.home.help = None;
                let effects = self.open_chosen();
                if let (Some(model), false) = (&mut self.notebook, self.at_home) {
                    model.begin_tour();
                }
                effects
            }
            Action::Back if self.home.context() == Context::Home => {
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
        let Some(Listed { id, lesson }) = self.home.chosen() else {
            return Vec::new();
        };
        match lesson {
            Ok(lesson) => {
                let lesson = lesson.clone();
                if self
                    .notebook
                    .as_ref()
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
