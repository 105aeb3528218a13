//! The loop: events in, frames out.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, MouseButton, MouseEvent, MouseEventKind};

use super::export;
use crate::app::{self, Action, App, Context, Copied, Effect, Listed, Msg, Stroke};
use crate::app::{Drawn, Painter};
use crate::lesson::{CatalogError, lesson_files, load_all};
use crate::runtime::events::{Event, Gate, send_hang_up, send_input};
use crate::runtime::files::Keeper;
use crate::runtime::files::Speaker;
use crate::runtime::files::Storage;
use crate::runtime::files::{Rest, Watcher};
use crate::runtime::runs::Looker;
use crate::runtime::runs::Worker;
use crate::runtime::setup::Start;
use crate::runtime::terminal::Screen;

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Time between two steps of what plays.
const TICK: Duration = Duration::from_millis(200);
/// Lines that one notch of the wheel scrolls.
const WHEEL_LINES: usize = 3;

/// Whether the notebook goes on.
pub(crate) enum Flow {
    On,
    Quit,
}

/// The program at work.
pub(crate) struct Notebook<'a> {
    pub screen: &'a mut Screen,
    pub app: App,
    pub painter: Painter,
    pub worker: Worker,
    pub looker: Looker,
    pub storage: Storage,
    pub drawn: Drawn,
    pub rest: Rest,
    pub keeper: Keeper,
    pub watcher: Watcher,
    pub gate: Gate,
    /// The file of the lesson that is open first, if it is to be watched.
    pub file: Option<PathBuf>,
    /// The presentation, if the program shows one.
    pub speaker: Option<Speaker>,
    /// The row of the timeline or slider that the mouse holds.
    pub held_row: Option<u16>,
}

impl Notebook<'_> {
    /// Shows what `start` says until the learner leaves. The first frame is drawn before any key is
    /// read.
    pub fn run(
        mut self,
        start: Start,
        sender: Sender<Event>,
        events: &Receiver<Event>,
    ) -> anyhow::Result<()> {
        let effects = match start {
            Start::Home => vec![Effect::ListLessons],
            Start::Lesson(lesson, opening) => {
                if let Some(path) = &self.file {
                    self.watcher.lesson(path, lesson_files(path, &lesson));
                }
                self.app.open(lesson, opening)
            }
        };
        self.perform_all(effects)?;
        self.draw()?;
        send_hang_up(sender.clone());
        send_input(sender, self.gate.clone());
        self.follow(events)
    }

    fn follow(&mut self, events: &Receiver<Event>) -> anyhow::Result<()> {
        let mut last_frame = Instant::now();
        while let Some(first) = self.next(events) {
            let mut next = Some(first);
            let mut answers = false;
            loop {
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
        let (msg, wait) = match (self.app.is_playing(), &self.speaker) {
            (true, _) => (Msg::Tick, TICK),
            (false, Some(speaker)) => {
                let (seconds, wait) = speaker.clock();
                (Msg::Clock(seconds + 1), wait)
            }
            (false, None) => return events.recv().ok(),
        };
        match events.recv_timeout(wait) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(Event::Session(Box::new(msg))),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Draws the model, and once more if what the frame showed changes it.
    fn draw(&mut self) -> anyhow::Result<()> {
        for _ in 0..2 {
            let mut drawn = Drawn::default();
            let (app, painter) = (&self.app, &self.painter);
            self.screen
                .draw(|frame| drawn = app::view_app(app, frame, painter))?;
            self.drawn = drawn;
            let seen = self.drawn.seen;
            if seen == self.app.seen() {
                break;
            }
            self.send(Msg::Seen(seen))?;
        }
        Ok(())
    }

    fn take(&mut self, event: Event) -> anyhow::Result<Flow> {
        match event {
            Event::Input(input) => self.take_input(input),
            Event::Session(msg) => self.send(*msg),
            // Quitting keeps what was typed last.
            Event::Ended => self.send(Msg::Action(Action::Quit)),
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
            Context::Editor => self.send(Msg::Action(Action::Edit(Stroke::Insertion(text)))),
            Context::Prompt => {
                for c in text.chars().filter(|c| !c.is_control()) {
                    self.send(Msg::Action(Action::Type(c)))?;
                }
                Ok(Flow::On)
            }
            _ => Ok(Flow::On),
        }
    }

    fn take_mouse(&mut self, mouse: MouseEvent, context: Context) -> anyhow::Result<Flow> {
        let wheel = match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let action = self.drawn.click(mouse.column, mouse.row);
                let is_held = matches!(action, Some(Action::Scrub(_) | Action::SetSize(..)));
                self.held_row = is_held.then_some(mouse.row);
                return match action {
                    Some(action) => self.send(Msg::Action(action)),
                    None => Ok(Flow::On),
                };
            }
            MouseEventKind::Drag(MouseButton::Left) => return self.drag(mouse.column),
            MouseEventKind::Up(_) => {
                self.held_row = None;
                return Ok(Flow::On);
            }
            MouseEventKind::ScrollUp => Action::Up,
            MouseEventKind::ScrollDown => Action::Down,
            _ => return Ok(Flow::On),
        };
        let lines = match context {
            Context::Sizes | Context::Prompt | Context::Tour => 0,
            Context::Warp
            | Context::Table
            | Context::Calculator
            | Context::Figure
            | Context::Blocks
            | Context::Home
            | Context::Search => 1,
            _ => WHEEL_LINES,
        };
        for _ in 0..lines {
            self.send(Msg::Action(wheel.clone()))?;
        }
        Ok(Flow::On)
    }

    /// A timeline or slider follows the mouse, which may have left its row.
    fn drag(&mut self, column: u16) -> anyhow::Result<Flow> {
        let action = self.held_row.and_then(|row| self.drawn.click(column, row));
        match action {
            Some(action @ (Action::Scrub(_) | Action::SetSize(..))) => {
                self.send(Msg::Action(action))
            }
            _ => Ok(Flow::On),
        }
    }

    pub(crate) fn send(&mut self, msg: Msg) -> anyhow::Result<Flow> {
        let effects = self.app.update(msg);
        self.perform_all(effects)
    }

    fn perform_all(&mut self, effects: Vec<Effect>) -> anyhow::Result<Flow> {
        for effect in effects {
            if let Flow::Quit = self.perform(effect)? {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::On)
    }

    fn perform(&mut self, effect: Effect) -> anyhow::Result<Flow> {
        match effect {
            Effect::Run(task) => self.worker.run(task),
            Effect::Capture { ran } => self.worker.capture(ran),
            Effect::Cancel { job } => self.worker.cancel(job),
            Effect::Opened { lesson } => return self.find_edits(&lesson),
            Effect::Rest { revision } => self.rest.changed(revision),
            Effect::KeepEdit {
                lesson,
                original,
                edit,
            } => self.keep_edit(&lesson, original, edit),
            Effect::CompareEdit(asked) => self.worker.compare_edit(asked),
            Effect::OpenEditor {
                lesson,
                original,
                edit,
                line,
            } => return self.open_editor(&lesson, &original, &edit, line),
            Effect::Look { ran, launch, watch } => self.looker.look(ran, launch, watch),
            Effect::Summarise {
                ran,
                buffer,
                columns,
            } => self.worker.summarise(ran, buffer, columns),
            Effect::Tell(spoken) => {
                let told = self.speaker.as_ref().map(|speaker| speaker.tell(spoken));
                if let Some(Err(why)) = told {
                    let notice = format!("`tutor notes` is told nothing: {why}");
                    return self.send(Msg::Notice(notice));
                }
            }
            Effect::Copy(what) => return self.copy(what),
            Effect::Export { file, replace } => return self.export(file, replace),
            Effect::Keep(change) => self.storage.keep(change),
            Effect::Recall { lesson, gpu } => self.worker.recall(lesson, gpu),
            Effect::Replay {
                lesson,
                cell,
                sizes,
                gpu,
            } => self.worker.replay(lesson, cell, sizes, gpu),
            Effect::ListLessons => return self.send(Msg::Lessons(list_lessons())),
            Effect::Suspend => self.screen.suspend()?,
            Effect::Quit => return Ok(Flow::Quit),
        }
        Ok(Flow::On)
    }

    /// Copies `what`, or says why not.
    fn copy(&mut self, what: Copied) -> anyhow::Result<Flow> {
        let Some(model) = &self.app.notebook else {
            return Ok(Flow::On);
        };
        let copied = match export::copy(model, what) {
            Ok((sequence, copied)) => self.screen.send(&sequence).map(|()| Ok(copied))?,
            Err(why) => Err(why),
        };
        self.send(Msg::Copied(copied))
    }

    /// Writes the lesson with its results to `file`.
    fn export(&mut self, file: String, replace: bool) -> anyhow::Result<Flow> {
        let Some(model) = &self.app.notebook else {
            return Ok(Flow::On);
        };
        let written = export::export(model, file, replace);
        self.send(Msg::Written(written))
    }
}

/// The lessons that come with the program; of one that does not read, the first thing that is wrong.
fn list_lessons() -> Vec<Listed> {
    let wrong = |error: CatalogError| match &error {
        CatalogError::Broken { diagnostics, .. } => match diagnostics.first() {
            Some(first) => first.message.clone(),
            None => error.to_string(),
        },
        _ => error.to_string(),
    };
    let lessons = load_all().into_iter().map(|(id, lesson)| Listed {
        id,
        lesson: lesson.map(Arc::new).map_err(wrong),
    });
    lessons.collect()
}
