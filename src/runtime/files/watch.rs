//! Waits: for a text to rest, and for files to change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use notify_debouncer_mini::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_mini::{DebounceEventResult, Debouncer, new_debouncer};

use crate::app::{LessonErrors, Msg};
use crate::lesson::{CatalogError, load_file};
use crate::runtime::events::EventSender;
use crate::source::read_text;

/// How long nothing must be typed before a text rests.
const REST: Duration = Duration::from_millis(60);
/// How long nothing must change on disk before a file is read: some programs write in several steps.
const SETTLED: Duration = Duration::from_millis(50);

/// Sends `Msg::Rested` once nothing changed for a moment.
pub(crate) struct TypingPause {
    changes: Sender<u64>,
}

impl TypingPause {
    /// Starts the thread; it sleeps until something changes.
    pub fn start(events: EventSender) -> Self {
        let (changes, inbox) = mpsc::channel::<u64>();
        thread::spawn(move || {
            while let Ok(mut revision) = inbox.recv() {
                loop {
                    match inbox.recv_timeout(REST) {
                        Ok(later) => revision = later,
                        Err(RecvTimeoutError::Timeout) => break,
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
                events.message(Msg::Rested { revision });
            }
        });
        TypingPause { changes }
    }

    /// Something changed.
    pub fn changed(&self, revision: u64) {
        let _ = self.changes.send(revision);
    }
}

/// What a watched file is.
#[derive(Clone, Debug)]
enum FileRole {
    /// A part of the lesson in this file.
    Lesson(PathBuf),
    /// The copy of an edited kernel file, by its name in the lesson.
    Edit(String),
}

/// A watched file.
struct WatchedFile {
    role: FileRole,
    /// The text that is known.
    known: Option<String>,
    /// When it was changed, and its length, once it was read. Systems tell that a file was read, too: to read it for
    /// that would go on for ever.
    stamp: Option<Stamp>,
}

type Stamp = (SystemTime, u64);

type Files = HashMap<PathBuf, WatchedFile>;

/// Says when files of the lesson, or copies of edited kernels, become others. Where the system cannot
/// watch files, nothing is said.
///
/// Folders are watched, not files: editors put a new file in the place of the old one.
pub(crate) struct FileWatcher {
    debouncer: Option<Debouncer<RecommendedWatcher>>,
    files: Arc<Mutex<Files>>,
}

impl FileWatcher {
    /// Watches nothing yet.
    pub fn start(events: EventSender) -> Self {
        let files = Arc::new(Mutex::new(Files::new()));
        let known = files.clone();
        let handle = move |result: DebounceEventResult| {
            let paths = result
                .unwrap_or_default()
                .into_iter()
                .map(|event| event.path);
            for msg in news(&known, paths) {
                events.message(msg);
            }
        };
        FileWatcher {
            debouncer: new_debouncer(SETTLED, handle).ok(),
            files,
        }
    }

    /// Watches the files that the lesson in `path` was read from.
    pub fn lesson(&mut self, path: &Path, files: Vec<PathBuf>) {
        for file in files {
            let known = read_text(&file).ok();
            self.add(&file, FileRole::Lesson(path.to_owned()), known);
        }
    }

    /// Watches the copy of the kernel file called `name`, which holds `text`, or is about to.
    pub fn edit(&mut self, path: &Path, name: &str, text: Option<&str>) {
        let role = FileRole::Edit(name.to_owned());
        self.add(path, role, text.map(str::to_owned));
    }

    fn add(&mut self, path: &Path, role: FileRole, known: Option<String>) {
        // Systems tell canonical paths, without links.
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let (Some(folder), Some(name)) = (folder, path.file_name()) else {
            return;
        };
        let watched = WatchedFile {
            role,
            known,
            stamp: None,
        };
        let mut files = locked(&self.files);
        let is_new = !files.keys().any(|path| path.parent() == Some(&folder));
        files.insert(folder.join(name), watched);
        drop(files);
        // A folder is watched once for all of its files.
        if let (true, Some(debouncer)) = (is_new, &mut self.debouncer) {
            let _ = debouncer
                .watcher()
                .watch(&folder, RecursiveMode::NonRecursive);
        }
    }
}

/// Says when one file becomes another, for a command that is no notebook.
pub(crate) struct FileChanges {
    _debouncer: Debouncer<RecommendedWatcher>,
}

impl FileChanges {
    /// Calls `tell` whenever something happened to the file at `path`: what it holds then, the caller reads. Nothing
    /// where the system cannot watch files.
    pub fn start(path: &Path, tell: impl Fn() + Send + 'static) -> Option<Self> {
        let folder = path.parent()?.canonicalize().ok()?;
        let file = folder.join(path.file_name()?);
        let handle = move |result: DebounceEventResult| {
            let mut events = result.unwrap_or_default().into_iter();
            if events.any(|event| event.path == file) {
                tell();
            }
        };
        let mut debouncer = new_debouncer(SETTLED, handle).ok()?;
        let watcher = debouncer.watcher();
        watcher.watch(&folder, RecursiveMode::NonRecursive).ok()?;
        Some(FileChanges {
            _debouncer: debouncer,
        })
    }
}

fn locked(files: &Mutex<Files>) -> MutexGuard<'_, Files> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to say of the files that changed; each lesson is read once.
fn news(files: &Mutex<Files>, paths: impl Iterator<Item = PathBuf>) -> Vec<Msg> {
    let mut news = Vec::new();
    let mut lessons: Vec<PathBuf> = Vec::new();
    let mut files = locked(files);
    for path in paths {
        let Some(file) = files.get_mut(&path) else {
            continue;
        };
        let stamp = stamp(&path);
        if stamp.is_some() && stamp == file.stamp {
            continue;
        }
        file.stamp = stamp;
        // Editors that replace a file remove it first: then there is none for a moment.
        let read = read_text(&path).ok();
        let Some(text) = read.filter(|text| file.known.as_ref() != Some(text)) else {
            continue;
        };
        file.known = Some(text.clone());
        match &file.role {
            FileRole::Lesson(lesson) if !lessons.contains(lesson) => lessons.push(lesson.clone()),
            FileRole::Lesson(_) => {}
            FileRole::Edit(name) => news.push(Msg::FileChanged {
                file: name.clone(),
                text,
            }),
        }
    }
    // Reading a lesson takes long; the main thread may want to add a file meanwhile.
    drop(files);
    news.extend(lessons.iter().map(|path| lesson(path)));
    news
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = path.metadata().ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// The lesson in a file, or why there is none.
fn lesson(path: &Path) -> Msg {
    match load_file(path) {
        Ok(lesson) => Msg::Reloaded(Box::new(lesson)),
        Err(CatalogError::Broken { file, diagnostics }) => {
            Msg::Broken(LessonErrors { file, diagnostics })
        }
        Err(error) => Msg::Notice(error.to_string()),
    }
}
