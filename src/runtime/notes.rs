//! `tutor notes`: follows a presentation that runs in another terminal.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event as Input, KeyCode, KeyEventKind, KeyModifiers};
use notify_debouncer_mini::notify::{self, RecursiveMode, Watcher, recommended_watcher};

use super::events::{Event, EventSender};
use super::files::{presentation_file, read_presentation, seconds_since};
use super::terminal::{self, InputGate, Screen, within_terminal};
use crate::app::{self, Msg, SpeakerState};
use crate::app::{Notes, Painter};
use crate::document::Scheme;
use crate::document::Theme;

/// How often the time is drawn, and the file is read where the system cannot watch it.
const SECOND: Duration = Duration::from_secs(1);

/// Follows the presentation on a screen of its own until the speaker leaves, or a signal ends the program: then its
/// number.
///
/// # Errors
/// If there is no folder to look in, or the terminal cannot be taken over.
pub fn show_notes(scheme: Option<Scheme>, ascii: bool) -> anyhow::Result<Option<i32>> {
    let theme = Theme::detect(|name| std::env::var(name).ok()).in_ascii_if(ascii);
    let (sender, receiver) = EventSender::channel();
    terminal::send_signals(sender.clone())?;
    let watcher = watch(sender.clone())?;
    within_terminal(|screen| {
        terminal::send_input(sender, InputGate::default())?;
        let painter = Painter::new(theme);
        let mut notes = Notes {
            scheme: scheme.unwrap_or_default(),
            ..Notes::default()
        };
        loop {
            notes.spoken = read_presentation().map(|presentation| presentation.spoken);
            let began = notes.spoken.as_ref().map(|spoken| spoken.began);
            notes.seconds = began.map_or(0, seconds_since);
            screen.draw(|frame| app::view_notes(&mut notes, frame, &painter))?;
            // Without a presentation there is no time to show, only a folder to watch.
            let wait = (notes.spoken.is_some() || watcher.is_none()).then_some(SECOND);
            if let ControlFlow::Break(signal) = follow(&receiver, wait, screen, &mut notes)? {
                return Ok(signal);
            }
        }
    })
}

/// Follows it line by line, for whoever has no screen, until the presentation ends; `print` gets each part.
///
/// # Errors
/// If there is no folder to look in, and those of `print`.
pub fn print_notes(
    mut print: impl FnMut(&SpeakerState) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    presentation_file().ok_or_else(no_folder)?;
    let mut last = None;
    while let Some(presentation) = read_presentation() {
        if last.as_ref() != Some(&presentation.spoken) {
            print(&presentation.spoken)?;
            last = Some(presentation.spoken.clone());
        }
        if presentation.wait_for_news().is_err() {
            thread::park_timeout(SECOND);
        }
    }
    Ok(())
}

/// Has a tick sent whenever something in the folder changes; nothing where the system cannot watch it.
fn watch(events: EventSender) -> anyhow::Result<Option<impl Sized>> {
    let file = presentation_file().ok_or_else(no_folder)?;
    let folder = file.parent().ok_or_else(no_folder)?.to_owned();
    fs::create_dir_all(&folder)?;
    let watcher = recommended_watcher(move |event: notify::Result<notify::Event>| {
        // That the file was read is no news: to read it for that would go on for ever.
        let is_it = |path: &PathBuf| path.file_name() == file.file_name();
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(is_it)) {
            events.message(Msg::Tick);
        }
    });
    Ok(watcher.ok().and_then(|mut watcher| {
        let watched = watcher.watch(&folder, RecursiveMode::NonRecursive);
        watched.is_ok().then_some(watcher)
    }))
}

fn no_folder() -> anyhow::Error {
    anyhow::anyhow!("there is no folder for the presentation; set TUTOR_STATE=FOLDER")
}

/// Waits for what changes the screen, so long at most; breaks when the speaker leaves.
fn follow(
    receiver: &Receiver<Event>,
    wait: Option<Duration>,
    screen: &mut Screen,
    notes: &mut Notes,
) -> anyhow::Result<ControlFlow<Option<i32>>> {
    let first = match wait {
        Some(wait) => receiver.recv_timeout(wait),
        None => receiver.recv().map_err(Into::into),
    };
    let mut next = match first {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => return Ok(ControlFlow::Break(None)),
    };
    // All that wait are taken before the next frame.
    while let Some(event) = next {
        match event {
            Event::Input(input) if !take(&input, notes) => return Ok(ControlFlow::Break(None)),
            Event::Ended(signal) => return Ok(ControlFlow::Break(Some(signal))),
            Event::Panicked => return Ok(ControlFlow::Break(None)),
            Event::ReadOn(reader) => {
                // A reader that has ended meanwhile needs no answer.
                let _ = reader.send(());
            }
            Event::Stop => screen.suspend()?,
            Event::Continued => screen.resume()?,
            Event::Input(_) | Event::Message(_) => {}
        }
        next = receiver.try_recv().ok();
    }
    Ok(ControlFlow::Continue(()))
}

/// Takes a key; whether to go on.
fn take(input: &Input, notes: &mut Notes) -> bool {
    let Input::Key(key) = input else {
        return true;
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        // Some terminals tell both ends of a key.
        _ if key.kind == KeyEventKind::Release => {}
        KeyCode::Char('q') | KeyCode::Esc => return false,
        KeyCode::Char('c') if control => return false,
        KeyCode::Down | KeyCode::Char('j' | ' ') | KeyCode::PageDown => notes.scroll += 1,
        KeyCode::Up | KeyCode::Char('k') | KeyCode::PageUp => {
            notes.scroll = notes.scroll.saturating_sub(1);
        }
        KeyCode::Char('T') => notes.scheme = notes.scheme.next(),
        _ => {}
    }
    true
}
