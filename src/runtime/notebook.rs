//! The loop: events in, frames out.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, MouseButton, MouseEvent, MouseEventKind};

use super::Start;
use super::contrast::Contrast;
use super::editing::Editing;
use super::events::{Event, send_input};
use super::storage::Storage;
use super::terminal::Screen;
use super::worker::{Task, Worker};
use crate::lesson::{CatalogError, load_all};
use crate::session::{Action, App, Context, Effect, KeptEdit, Listed, Msg, Stroke};
use crate::source::SourceFile;
use crate::tui::{self, Drawn, Painter};

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Time between two steps of what plays.
const TICK: Duration = Duration::from_millis(200);
/// Lines that one notch of the wheel scrolls.
const WHEEL_LINES: usize = 3;

/// Whether the notebook goes on.
enum Flow {
    On,
    Quit,
}

/// The program at work.
pub(super) struct Notebook<'a> {
    pub screen: &'a mut Screen,
    pub app: App,
    pub painter: Painter,
    pub worker: Worker,
    pub storage: Storage,
    pub editing: Editing,
    pub drawn: Drawn,
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
            Start::Lesson(lesson, opening) => self.app.open(lesson, opening),
        };
        self.perform_all(effects)?;
        self.draw()?;
        send_input(sender, self.editing.gate.clone());
        self.follow(events)
    }

    fn follow(&mut self, events: &Receiver<Event>) -> anyhow::Result<()> {
        let mut last_frame = Instant::now();
        while let Some(first) = self.next(events) {
            let mut next = Some(first);
            loop {
                while let Some(event) = next {
                    if let Flow::Quit = self.take(event)? {
                        return Ok(());
                    }
                    next = events.try_recv().ok();
                }
                let wait = FRAME.saturating_sub(last_frame.elapsed());
                if wait.is_zero() {
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

    /// The next event; none once nobody can send any. Time is an event only while something plays.
    fn next(&self, events: &Receiver<Event>) -> Option<Event> {
        if !self.app.is_playing() {
            return events.recv().ok();
        }
        match events.recv_timeout(TICK) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(Event::Session(Box::new(Msg::Tick))),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Draws the model, and once more if what the frame showed changes it.
    fn draw(&mut self) -> anyhow::Result<()> {
        for _ in 0..2 {
            let mut drawn = Drawn::default();
            let (app, painter) = (&self.app, &self.painter);
            self.screen
                .draw(|frame| drawn = tui::view_app(app, frame, painter))?;
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
            Input::Key(key) => match tui::action(key, context) {
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
                return match self.drawn.click(mouse.column, mouse.row) {
                    Some(action) => self.send(Msg::Action(action)),
                    None => Ok(Flow::On),
                };
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                return match self.drawn.click(mouse.column, mouse.row) {
                    Some(action @ Action::SetSize(..)) => self.send(Msg::Action(action)),
                    _ => Ok(Flow::On),
                };
            }
            MouseEventKind::ScrollUp => Action::Up,
            MouseEventKind::ScrollDown => Action::Down,
            _ => return Ok(Flow::On),
        };
        let lines = match context {
            Context::Sizes | Context::Prompt | Context::Tour => 0,
            Context::Warp | Context::Figure | Context::Blocks | Context::Home | Context::Search => {
                1
            }
            _ => WHEEL_LINES,
        };
        for _ in 0..lines {
            self.send(Msg::Action(wheel.clone()))?;
        }
        Ok(Flow::On)
    }

    fn send(&mut self, msg: Msg) -> anyhow::Result<Flow> {
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
            Effect::Run {
                job,
                lesson,
                cell,
                plan,
                sizes,
                watch,
                engine,
                edited,
                gpu,
                settles,
            } => self.worker.run(Task {
                job,
                lesson,
                cell,
                plan,
                sizes,
                watch,
                engine,
                edited,
                gpu,
                settles,
            }),
            Effect::Capture { ran } => self.worker.capture(ran),
            Effect::Cancel { job } => self.worker.cancel(job),
            Effect::FindEdits { lesson } => {
                let edits = self.editing.find(&lesson);
                return self.send(Msg::EditsFound(edits));
            }
            Effect::Rest { revision } => self.editing.rest.changed(revision),
            Effect::KeepEdit {
                lesson,
                original,
                edit,
            } => self.editing.keep(&lesson, original, edit),
            Effect::Contrast {
                ran,
                cell,
                sizes,
                original,
                known,
            } => self.worker.contrast(Contrast {
                ran,
                cell,
                sizes,
                original,
                known,
            }),
            Effect::OpenEditor {
                lesson,
                original,
                edit,
                line,
            } => return self.open_editor(&lesson, &original, edit, line),
            Effect::Summarise { ran, buffer } => self.worker.summarise(ran, buffer),
            Effect::Keep(change) => self.storage.keep(change),
            Effect::Recall { lesson, gpu } => self.worker.recall(lesson, gpu),
            Effect::Order {
                lesson,
                cell,
                sizes,
                gpu,
            } => self.worker.order(lesson, cell, sizes, gpu),
            Effect::ListLessons => return self.send(Msg::Lessons(list_lessons())),
            Effect::Suspend => self.screen.suspend()?,
            Effect::Quit => return Ok(Flow::Quit),
        }
        Ok(Flow::On)
    }

    /// Opens a kernel in the learner's own editor, and takes what it left.
    fn open_editor(
        &mut self,
        lesson: &str,
        original: &SourceFile,
        edit: KeptEdit,
        line: usize,
    ) -> anyhow::Result<Flow> {
        let of = (original, &edit);
        let (text, why) = self.editing.open(self.screen, lesson, of, line)?;
        if let Some(text) = text {
            let file = edit.file;
            self.send(Msg::FileChanged { file, text })?;
        }
        match why {
            Some(why) => self.send(Msg::Notice(why)),
            None => Ok(Flow::On),
        }
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
