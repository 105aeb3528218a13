//! `tutor notes`: follows a presentation that runs in another terminal.

use std::fs;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use crossterm::event::{Event as Input, KeyCode, KeyEventKind, KeyModifiers};
use notify_debouncer_mini::new_debouncer;
use notify_debouncer_mini::notify::RecursiveMode;

use super::events::{self, Event, EventSender, InputGate};
use super::files::{presentation_file, read_presentation, seconds_since};
use super::terminal::within_terminal;
use crate::app::{self, Msg, SpeakerState};
use crate::app::{Notes, Painter};
use crate::document::Scheme;
use crate::document::Theme;

/// How long nothing must change before the file is read.
const SETTLED: Duration = Duration::from_millis(30);
/// How often the time is drawn, and the file is read where the system cannot watch it.
const SECOND: Duration = Duration::from_secs(1);

/// Follows the presentation on a screen of its own until the speaker leaves.
///
/// # Errors
/// If there is no folder to look in, or the terminal cannot be taken over.
pub fn show_notes(scheme: Option<Scheme>, ascii: bool) -> anyhow::Result<()> {
    let mut theme = Theme::detect(|name| std::env::var(name).ok());
    theme.unicode &= !ascii;
    let (sender, receiver) = EventSender::channel();
    events::send_signals(sender.clone())?;
    let changes = sender.clone();
    let _watch = watch(move || {
        changes.message(Msg::Tick);
    })?;
    within_terminal(|screen| {
        events::send_input(sender, InputGate::default());
        let painter = Painter::new(theme);
        let mut notes = Notes {
            scheme: scheme.unwrap_or_default(),
            ..Notes::default()
        };
        loop {
            notes.spoken = read_presentation();
            let began = notes.spoken.as_ref().map(|spoken| spoken.began);
            notes.seconds = began.map_or(0, seconds_since);
            screen.draw(|frame| app::view_notes(&mut notes, frame, &painter))?;
            if !follow(&receiver, &mut notes) {
                return Ok(());
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
    let (sender, changes) = mpsc::channel();
    let _watch = watch(move || {
        let _ = sender.send(());
    })?;
    let mut last = None;
    while let Some(spoken) = read_presentation() {
        if last.as_ref() != Some(&spoken) {
            print(&spoken)?;
            last = Some(spoken);
        }
        // The end of a presentation may be a file that goes, which some systems do not tell.
        let _ = changes.recv_timeout(SECOND);
    }
    Ok(())
}

/// Calls `changed` whenever the folder changes; stops when dropped.
fn watch(changed: impl Fn() + Send + 'static) -> anyhow::Result<impl Sized> {
    let folder = presentation_file().and_then(|file| file.parent().map(ToOwned::to_owned));
    let folder = folder.ok_or_else(|| {
        anyhow::anyhow!("no folder for the presentation is found; TUTOR_STATE=FOLDER names one")
    })?;
    fs::create_dir_all(&folder)?;
    let mut debouncer = new_debouncer(SETTLED, move |_| changed())?;
    // Where the system cannot watch it, the file is read every second.
    let _ = debouncer
        .watcher()
        .watch(&folder, RecursiveMode::NonRecursive);
    Ok(debouncer)
}

/// Waits for what changes the screen; whether to go on.
fn follow(receiver: &Receiver<Event>, notes: &mut Notes) -> bool {
    let first = receiver.recv_timeout(SECOND);
    if let Err(error) = first {
        return error == RecvTimeoutError::Timeout;
    }
    // All that wait are taken before the next frame.
    let mut next = first.ok();
    while let Some(event) = next {
        match event {
            Event::Input(input) if !take(&input, notes) => return false,
            Event::Ended | Event::Panicked => return false,
            _ => {}
        }
        next = receiver.try_recv().ok();
    }
    true
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
