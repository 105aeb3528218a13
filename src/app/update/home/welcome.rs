//! What somebody does who has never been here: looks at two loads, and goes to the first lesson, or to all.

use crate::app::state::{Action, App, Opening, StateChange, WELCOME_SEEN, WarpLoad, Welcome};
use crate::app::update::message::Effect;

impl App {
    /// Begins the welcome if nothing was done yet: its two runs are asked for.
    pub(crate) fn welcome(&mut self) -> Vec<Effect> {
        let Some(lesson) = self
            .home
            .welcoming()
            .filter(|_| self.home.welcome.is_none())
        else {
            return Vec::new();
        };
        self.home.welcome = Some(Welcome::default());
        let gpu = self.begin.gpu.clone();
        vec![Effect::LoadWelcome { lesson, gpu }]
    }

    /// Takes the loads of both runs; without them there is nothing to see, and the lessons stand there.
    pub(crate) fn take_welcome(&mut self, loads: Vec<WarpLoad>) {
        match &mut self.home.welcome {
            // A lesson that does not run, or a GPU that is not known: the list of lessons is no worse a beginning.
            Some(welcome) if !loads.is_empty() => welcome.loads = loads,
            welcome => *welcome = None,
        }
    }

    /// Does what is asked for while it is on screen.
    pub(crate) fn act_at_welcome(&mut self, action: &Action) -> Vec<Effect> {
        let mut effects = match action {
            Action::Quit => return vec![Effect::Quit],
            Action::Suspend => return vec![Effect::Suspend],
            Action::Enter => self.take_first_steps(),
            Action::Back => Vec::new(),
            _ => return Vec::new(),
        };
        self.home.welcome = None;
        let change = StateChange::Value {
            key: WELCOME_SEEN.to_owned(),
            value: Some("seen".to_owned()),
        };
        // Seen is seen, whichever way one left: it comes once.
        effects.push(Effect::Save(change));
        effects
    }

    /// Opens the lesson that both loads are of.
    fn take_first_steps(&mut self) -> Vec<Effect> {
        let Some(lesson) = self.home.welcoming() else {
            return Vec::new();
        };
        let mut effects = self.open(lesson, Opening::Start);
        if let Some(model) = &mut self.notebook {
            // The lesson itself shows how to go on: whoever takes it needs no tour.
            model.end_tour(&mut effects);
        }
        effects
    }
}
