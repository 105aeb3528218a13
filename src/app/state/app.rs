//! The whole program: the home screen, and the lesson that is open.

use std::sync::Arc;

use crate::app::state::{
    Command, Context, FrameExtents, Home, LessonLink, Model, SavedState, Welcome,
};
use crate::document::Scheme;
use crate::launch::{Engine, Watch};

impl App {
    /// The program on its home screen, which knows no lessons yet.
    pub fn new(begin: StartOptions, saved: SavedState, notice: Option<String>) -> Self {
        App {
            home: Home {
                saved,
                notice,
                ..Home::default()
            },
            at_home: true,
            begin,
            notebook: None,
        }
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
        match &self.notebook {
            Some(model) if !self.at_home => model.is_playing(),
            _ => self.home.welcome.as_ref().is_some_and(Welcome::is_playing),
        }
    }

    /// What the last frame of this screen showed.
    pub fn seen(&self) -> FrameExtents {
        match &self.notebook {
            Some(model) if !self.at_home => model.look.seen,
            _ => self.home.seen,
        }
    }
}

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
    pub(crate) begin: StartOptions,
}

/// What every lesson begins with, as the command line says.
#[derive(Clone, Debug, Default)]
pub struct StartOptions {
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
    Place(LessonLink, usize),
}
