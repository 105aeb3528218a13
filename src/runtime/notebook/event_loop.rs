//! The loop: events in, frames out.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, MouseButton, MouseEvent, MouseEventKind};

use super::effects::EffectHandler;
use crate::app::{
    self, Action, App, Context, Drawn, EditCommand, EditorAction, Effect, InspectorAction,
    Movement, Msg, Painter, PopupAction, RunAction,
};
use crate::lesson::lesson_files;
use crate::runtime::events::{Event, EventSender};
use crate::runtime::setup::Start;
use crate::runtime::terminal::send_input;

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Time between two steps of what plays.
const TICK: Duration = Duration::from_millis(200);
/// Most characters that are pasted into a question: an answer is a number, a name or a formula.
const PROMPT_CHARACTERS: usize = 1000;
/// Lines that one notch of the wheel scrolls.
const WHEEL_LINES: usize = 3;

/// Whether the notebook goes on.
enum Flow {
    On,
    Quit,
}

/// The program at work.
pub(crate) struct Notebook<'a> {
    pub app: App,
    pub painter: Painter,
    pub effects: EffectHandler<'a>,
    /// What the last frame showed, and where.
    drawn: Drawn,
    /// The row of the timeline or slider that the mouse drags.
    dragged_row: Option<u16>,
    /// The signal that ends the program.
    signal: Option<i32>,
}

impl<'a> Notebook<'a> {
    pub fn new(app: App, painter: Painter, effects: EffectHandler<'a>) -> Self {
        Notebook {
            app,
            painter,
            effects,
            drawn: Drawn::default(),
            dragged_row: None,
            signal: None,
        }
    }

    /// Shows what `start` says until the learner leaves, or a signal ends the program. `file` is that of the lesson,
    /// if it is to be watched. The first frame is drawn before any key is read.
    pub fn run(
        mut self,
        start: Start,
        file: Option<&Path>,
        sender: EventSender,
        events: &Receiver<Event>,
    ) -> anyhow::Result<Option<i32>> {
        let effects = match start {
            Start::Home => vec![Effect::ListLessons],
            Start::Lesson(lesson, opening) => {
                if let Some(path) = file {
                    self.effects
                        .watcher
                        .lesson(path, lesson_files(path, &lesson));
                }
                self.app.open(lesson, opening)
            }
        };
        self.perform_all(effects)?;
        // The frame is there before anything is read: a first key belongs to something that was seen.
        self.draw()?;
        send_input(sender, self.effects.gate.clone())?;
        self.follow(events)?;
        Ok(self.signal)
    }

    fn follow(&mut self, events: &Receiver<Event>) -> anyhow::Result<()> {
        let mut last_frame = Instant::now();
        while let Some(first) = self.next(events) {
            let mut next = Some(first);
            let mut answers = false;
            loop {
                // All that wait are taken before a frame is drawn.
                while let Some(event) = next {
                    answers |= matches!(event, Event::Input(_));
                    if let Flow::Quit = self.take(event)? {
                        return Ok(());
                    }
                    next = events.try_recv().ok();
                }
                let wait = FRAME.saturating_sub(last_frame.elapsed());
                // Whoever presses a key waits for nothing; what comes by itself may wait for more of it.
                if answers || wait.is_zero() {
                    break;
                }
                match events.recv_timeout(wait) {
                    Ok(event) => next = Some(event),
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
            self.draw()?;
            last_frame = Instant::now();
        }
        Ok(())
    }

    /// The next event; none once nobody can send any. Time is an event only while something plays, or the
    /// time of a presentation is on screen.
    fn next(&self, events: &Receiver<Event>) -> Option<Event> {
        let (msg, wait) = match (self.app.is_playing(), &self.effects.presentation) {
            (true, _) => (Msg::Tick, TICK),
            (false, Some(presentation)) => {
                let (seconds, wait) = presentation.clock();
                (Msg::Clock(seconds + 1), wait)
            }
            (false, None) => return events.recv().ok(),
        };
        match events.recv_timeout(wait) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(Event::Message(Box::new(msg))),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Draws the model, and once more if what the frame showed changes it.
    fn draw(&mut self) -> anyhow::Result<()> {
        // What is drawn says how many rows there are room for, on which scrolling depends. Twice, not for ever:
        // two sizes that make each other would draw without end.
        for _ in 0..2 {
            let mut drawn = Drawn::default();
            let (app, painter) = (&self.app, &self.painter);
            self.effects
                .screen
                .draw(|frame| drawn = app::view_app(app, frame, painter))?;
            self.drawn = drawn;
            let seen = self.drawn.seen;
            // The frame fits what the model knew of it.
            if seen == self.app.seen() {
                break;
            }
            self.send(Msg::Drawn(seen))?;
        }
        Ok(())
    }

    fn take(&mut self, event: Event) -> anyhow::Result<Flow> {
        match event {
            Event::Input(input) => self.take_input(input),
            Event::Message(msg) => self.send(*msg),
            Event::ReadOn(reader) => {
                // A reader that has ended meanwhile needs no answer.
                let _ = reader.send(());
                Ok(Flow::On)
            }
            Event::Stop => self
                .effects
                .screen
                .suspend()
                .map(|()| Flow::On)
                .map_err(Into::into),
            Event::Continued => self
                .effects
                .screen
                .resume()
                .map(|()| Flow::On)
                .map_err(Into::into),
            // Quitting keeps what was typed last.
            Event::Ended(signal) => {
                self.signal = Some(signal);
                self.send(Msg::Action(Action::Quit))
            }
            Event::Panicked => anyhow::bail!("a thread of the notebook stopped"),
        }
    }

    fn take_input(&mut self, input: Input) -> anyhow::Result<Flow> {
        let context = self.app.context();
        match input {
            Input::Key(key) => match app::action(key, context) {
                Some(action) => self.send(Msg::Action(action)),
                None => Ok(Flow::On),
            },
            Input::Paste(text) => self.take_paste(text, context),
            Input::Mouse(mouse) => self.take_mouse(mouse, context),
            _ => Ok(Flow::On),
        }
    }

    fn take_paste(&mut self, text: String, context: Context) -> anyhow::Result<Flow> {
        match context {
            Context::Editor => self.send(Msg::Action(Action::Editor(EditorAction::Edit(
                EditCommand::Insertion(text),
            )))),
            Context::Prompt => {
                // A pasted line break must not press enter.
                let typed = text.chars().filter(|c| !c.is_control());
                for c in typed.take(PROMPT_CHARACTERS) {
                    self.send(Msg::Action(Action::Popup(PopupAction::Type(c))))?;
                }
                Ok(Flow::On)
            }
            _ => Ok(Flow::On),
        }
    }

    fn take_mouse(&mut self, mouse: MouseEvent, context: Context) -> anyhow::Result<Flow> {
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let action = self.drawn.click(mouse.column, mouse.row);
                let is_dragged = matches!(
                    action,
                    Some(
                        Action::Inspector(InspectorAction::Scrub(_))
                            | Action::Run(RunAction::SetSize(..))
                    )
                );
                self.dragged_row = is_dragged.then_some(mouse.row);
                match action {
                    Some(action) => self.send(Msg::Action(action)),
                    None => Ok(Flow::On),
                }
            }
            // A drag is a click again and again, in the row where it began.
            MouseEventKind::Drag(MouseButton::Left) => self.drag(mouse.column),
            MouseEventKind::Up(_) => {
                self.dragged_row = None;
                Ok(Flow::On)
            }
            MouseEventKind::ScrollUp => self.scroll(Movement::Up, context),
            MouseEventKind::ScrollDown => self.scroll(Movement::Down, context),
            _ => Ok(Flow::On),
        }
    }

    /// One notch of the wheel: a step where there is a choice, nothing where a step changes something.
    fn scroll(&mut self, to: Movement, context: Context) -> anyhow::Result<Flow> {
        let lines = match context {
            Context::Prompt | Context::Tour => 0,
            Context::Lanes
            | Context::Table
            | Context::Calculator
            | Context::Figure
            | Context::Blocks
            | Context::Home
            | Context::Search => 1,
            _ => WHEEL_LINES,
        };
        for _ in 0..lines {
            self.send(Msg::Action(Action::Move(to)))?;
        }
        Ok(Flow::On)
    }

    /// A timeline or slider follows the mouse, which may have left its row.
    fn drag(&mut self, column: u16) -> anyhow::Result<Flow> {
        let action = self
            .dragged_row
            .and_then(|row| self.drawn.click(column, row));
        match action {
            Some(
                action @ (Action::Inspector(InspectorAction::Scrub(_))
                | Action::Run(RunAction::SetSize(..))),
            ) => self.send(Msg::Action(action)),
            _ => Ok(Flow::On),
        }
    }

    fn send(&mut self, msg: Msg) -> anyhow::Result<Flow> {
        let effects = self.app.update(msg);
        self.perform_all(effects)
    }

    fn perform_all(&mut self, effects: Vec<Effect>) -> anyhow::Result<Flow> {
        for effect in effects {
            if matches!(effect, Effect::Quit) {
                return Ok(Flow::Quit);
            }
            for msg in self.effects.perform(effect, self.app.notebook.as_deref())? {
                if let Flow::Quit = self.send(msg)? {
                    return Ok(Flow::Quit);
                }
            }
        }
        Ok(Flow::On)
    }
}
