//! What somebody does who has never been here: looks at two loads, and breaks one, or goes to the lessons.

use crate::app::state::{
    Action, App, EditorAction, GutterMetric, LessonLink, Model, Opening, SoughtStep, StateChange,
    Tab, UNBROKEN, WELCOME_SEEN, WarpLoad, Welcome, broken_by,
};
use crate::app::update::cells::run::run_this;
use crate::app::update::cells::settings::set_size;
use crate::app::update::message::{Effect, Msg};
use crate::app::update::panes;
use crate::app::update::scrolling::show_source_line;

/// What to press once the copy is open, and in its editor.
const BREAK_IT: &str = "nothing is wasted yet: > doubles the stride and breaks it, < mends it";
const EDIT_IT: &str = "write x[i * 8 % count] in this line: more bytes move; ctrl-z takes it back";

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
            Action::Enter => self.break_it(None),
            Action::Editor(EditorAction::EditKernel) => self.break_it(Some(action)),
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

    /// Opens the copy whose lanes can be set apart, with that size chosen, or its editor.
    fn break_it(&mut self, edit: Option<&Action>) -> Vec<Effect> {
        let Some(lesson) = self.home.welcoming() else {
            return Vec::new();
        };
        let Some((cell, size)) = broken_by(&lesson) else {
            return Vec::new();
        };
        let layout = self.home.seen.layout;
        let loads = self.home.welcome.iter().flat_map(|welcome| &welcome.loads);
        let load = loads.last().map(|load| load.line.clone());
        let mut effects = self.open(lesson, Opening::Place(LessonLink::default(), cell));
        if let Some(model) = &mut self.notebook {
            model.look.seen.layout = layout;
            // The tour begins with another lesson: whoever comes from here has something to do.
            model.popups.tour = None;
            model.look.size = size;
            set_size(model, size, UNBROKEN, &mut effects);
            panes::show(model, Tab::Access);
            model.look.metric = GutterMetric::Efficiency;
            if let Some(state) = model.run_state() {
                // The run is only beginning: the picture is of its first access once that is there.
                state.inspector.seeks = Some(SoughtStep::Global);
            }
            show_source_line(model, load.and_then(|load| line_of(model, &load)));
            run_this(model, &mut effects);
        }
        if let Some(edit) = edit {
            effects.extend(self.update(Msg::Action(edit.clone())));
        }
        if let Some(model) = &mut self.notebook {
            let todo = if edit.is_some() { EDIT_IT } else { BREAK_IT };
            model.notice = Some(todo.to_owned());
        }
        effects
    }
}

/// The line of the source on screen, from 1, that has this text.
fn line_of(model: &Model, text: &str) -> Option<u32> {
    let (cell, _) = model.run_cell()?;
    let at = cell
        .source
        .text()
        .lines()
        .position(|line| line.trim() == text)?;
    Some(at as u32 + 1)
}
