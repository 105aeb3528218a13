//! The file that keeps what outlasts the program, in the user's state folder.
//!
//! Invariants: the file is replaced at once or not at all; it is only ever changed by reading it,
//! applying changes and writing it back while a lock is held, so that several notebooks lose
//! nothing of each other's; a file that cannot be understood is renamed and never overwritten, and one
//! of a newer version is left alone. Whatever fails is a line for the learner, said once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::write::write_file;
use crate::app::{Msg, SavedState, StateChange};
use crate::runtime::events::EventSender;
use crate::source::{MAX_TEXT_BYTES, open_regular, read_file};

/// Names the state folder.
const FOLDER_VARIABLE: &str = "TUTOR_STATE";
/// The file in it; its lock and copies put aside are beside it.
const FILE: &str = "notebook.json";
const LOCK: &str = "notebook.lock";
/// The version of the file's format that this program reads and writes.
const FORMAT: u64 = 1;
/// The longest that the end of the program waits for the last change to be written.
const PATIENCE: Duration = Duration::from_millis(1000);

/// The file as written.
#[derive(Serialize, Deserialize)]
struct Contents {
    format: u64,
    #[serde(flatten)]
    saved: SavedState,
}

/// Why the file was not read.
#[derive(Debug)]
pub enum Unread {
    /// It is not what this program writes.
    Damaged(String),
    /// A newer version wrote it.
    Newer,
    /// The machine does not give it.
    Unreadable(io::Error),
}

/// The state folder: `TUTOR_STATE`, else `tutor` in the user's own; none if the user has no home.
pub(crate) fn state_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    let base = etcetera::choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.data_dir());
    Some(folder.join("tutor"))
}

/// What is saved in `folder`, and what the learner should know of it.
pub(crate) fn load(folder: Option<&Path>) -> (SavedState, Option<String>) {
    let Some(folder) = folder else {
        let why =
            format!("progress is not saved: there is no home folder; set {FOLDER_VARIABLE}=FOLDER");
        return (SavedState::default(), Some(why));
    };
    match read(&folder.join(FILE)) {
        Ok(saved) => (saved, None),
        Err(Unread::Newer) => (SavedState::default(), Some(newer(folder))),
        Err(Unread::Unreadable(error)) => (SavedState::default(), Some(not_kept(folder, &error))),
        Err(Unread::Damaged(_)) => {
            let mut notice = None;
            let saved = change(folder, Vec::new(), &mut notice);
            let (saved, error) = match saved {
                Ok(saved) => (saved, None),
                Err(error) => (SavedState::default(), Some(not_kept(folder, &error))),
            };
            (saved, notice.or(error))
        }
    }
}

/// What the file at `path` holds; nothing yet if there is none.
fn read(path: &Path) -> Result<SavedState, Unread> {
    let bytes = match read_file(path, MAX_TEXT_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(SavedState::default()),
        Err(error) => return Err(Unread::Unreadable(error)),
    };
    saved_in(&bytes)
}

/// What the bytes of such a file say.
pub fn saved_in(bytes: &[u8]) -> Result<SavedState, Unread> {
    let damaged = |error: serde_json::Error| Unread::Damaged(error.to_string());
    let value: Value = serde_json::from_slice(bytes).map_err(damaged)?;
    match value.get("format").and_then(Value::as_u64) {
        // Its fields may mean something else: it is neither read nor written.
        Some(format) if format > FORMAT => Err(Unread::Newer),
        _ => {
            let contents: Contents = serde_json::from_value(value).map_err(damaged)?;
            Ok(contents.saved)
        }
    }
}

/// Applies `changes` to what the file in `folder` holds now, and writes it back. A damaged file is put
/// aside first, and `notice` says where.
fn change(
    folder: &Path,
    changes: Vec<StateChange>,
    notice: &mut Option<String>,
) -> io::Result<SavedState> {
    fs::create_dir_all(folder)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    // A file of its own: that with the contents is replaced, and a lock belongs to a file, not to a name.
    let lock = open_regular(&folder.join(LOCK), &mut options)?;
    lock.lock()?;
    let path = folder.join(FILE);
    let mut saved = match read(&path) {
        Ok(saved) => saved,
        Err(Unread::Newer) => return Err(io::Error::other(NEWER)),
        Err(Unread::Unreadable(error)) => return Err(error),
        Err(Unread::Damaged(why)) => {
            let aside = keep_aside(folder, &path)?;
            *notice = Some(format!(
                "the progress file was damaged ({why}); it is now called {}",
                aside.display()
            ));
            SavedState::default()
        }
    };
    // `load` asks for no change: it only wants a damaged file put aside.
    let nothing_new = changes.is_empty();
    for change in changes {
        saved.take(change);
    }
    if !nothing_new {
        write(folder, &path, &saved)?;
    }
    Ok(saved)
}

/// Applies `changes` to what is saved, for a command that is no notebook; what the learner should know of it.
pub(crate) fn save(folder: Option<&Path>, changes: Vec<StateChange>) -> Option<String> {
    let folder = folder?;
    let mut notice = None;
    match change(folder, changes, &mut notice) {
        Ok(_) => notice,
        Err(error) => Some(not_kept(folder, &error)),
    }
}

/// Replaces the file by one that holds `saved`.
fn write(folder: &Path, path: &Path, saved: &SavedState) -> io::Result<()> {
    let contents = Contents {
        format: FORMAT,
        saved: saved.clone(),
    };
    write_file(path, &serde_json::to_vec_pretty(&contents)?, true)?;
    // The new name is as lasting as the text only once the folder is written too.
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// Renames the file to a name that is free.
fn keep_aside(folder: &Path, path: &Path) -> io::Result<PathBuf> {
    let names = (1_u64..).map(|number| folder.join(format!("notebook.damaged-{number}.json")));
    for aside in names {
        if !aside.try_exists()? {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
    }
    Err(io::Error::other("no free name was found to set it aside"))
}

const NEWER: &str = "a newer version of tutor wrote it";

fn newer(folder: &Path) -> String {
    let path = folder.join(FILE);
    format!("progress is not saved: {NEWER}, {}", path.display())
}

fn not_kept(folder: &Path, error: &io::Error) -> String {
    format!("progress is not saved in {}: {error}", folder.display())
}

/// The thread that writes, so that the notebook never waits for a disk.
pub(crate) struct StateWriter {
    // None only while it is dropped.
    changes: Option<Sender<StateChange>>,
    done: Receiver<()>,
}

impl StateWriter {
    /// Starts the thread. Without a folder, changes are forgotten.
    pub fn start(folder: Option<PathBuf>, events: EventSender) -> Self {
        let (changes, inbox) = mpsc::channel();
        let (ended, done) = mpsc::channel();
        thread::spawn(move || {
            events.answer(|| {
                write_all(folder.as_deref(), &inbox, &events);
                None
            });
            let _ = ended.send(());
        });
        StateWriter {
            changes: Some(changes),
            done,
        }
    }

    /// Writes a change, soon.
    pub fn write(&self, change: StateChange) {
        if let Some(changes) = &self.changes {
            let _ = changes.send(change);
        }
    }
}

impl Drop for StateWriter {
    /// Waits for what is still to be written, but not for a disk that does not answer.
    fn drop(&mut self) {
        self.changes = None;
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

/// Writes changes as they come, all that wait at once; says once what goes wrong.
fn write_all(folder: Option<&Path>, inbox: &Receiver<StateChange>, events: &EventSender) {
    let mut has_failed = false;
    while let Ok(first) = inbox.recv() {
        // The disk is slower than keys: what came meanwhile is one write.
        let mut changes = vec![first];
        changes.extend(inbox.try_iter());
        let Some(folder) = folder else { continue };
        let mut notice = None;
        if let Err(error) = change(folder, changes, &mut notice)
            && !has_failed
        {
            has_failed = true;
            notice = Some(not_kept(folder, &error));
        }
        if let Some(notice) = notice {
            events.message(Msg::Notice(notice));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::events::Event;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder for the test")
    }

    fn seen(cell: &str) -> StateChange {
        StateChange::Place {
            lesson: "softmax".to_owned(),
            cell: cell.to_owned(),
        }
    }

    /// Lets a storage write `changes` to `folder` and end; what it had to say.
    fn keep(folder: &Path, changes: impl IntoIterator<Item = StateChange>) -> Vec<String> {
        let (sender, receiver) = EventSender::channel();
        let storage = StateWriter::start(Some(folder.to_owned()), sender);
        for change in changes {
            storage.write(change);
        }
        drop(storage);
        let notices = receiver.try_iter().filter_map(|event| match event {
            Event::Message(msg) => match *msg {
                Msg::Notice(notice) => Some(notice),
                _ => None,
            },
            _ => None,
        });
        notices.collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = folder();
        let state = folder.path().join("not/there/yet");
        assert_eq!(load(Some(&state)), (SavedState::default(), None));
        assert_eq!(keep(&state, [seen("one"), seen("two")]), [""; 0]);
        let (saved, notice) = load(Some(&state));
        assert_eq!(saved.lessons["softmax"].place.as_deref(), Some("two"));
        assert_eq!(notice, None);
    }

    #[test]
    fn several_notebooks_keep_what_each_of_them_did() {
        let folder = folder();
        thread::scope(|scope| {
            for notebook in 0..4 {
                let path = folder.path();
                scope.spawn(move || {
                    keep(path, (0..8).map(|cell| seen(&format!("{notebook}-{cell}"))))
                });
            }
        });
        let (saved, _) = load(Some(folder.path()));
        assert_eq!(saved.lessons["softmax"].seen.len(), 32);
    }

    #[test]
    fn a_damaged_file_is_kept_aside_and_named() {
        let folder = folder();
        let path = folder.path().join(FILE);
        for (round, text) in [
            "{\"format\": 1, \"les",
            "[]",
            "\u{0}",
            "{\"format\":1,\"lessons\":7}",
        ]
        .iter()
        .enumerate()
        {
            fs::write(&path, text).expect("writes");
            let (saved, notice) = load(Some(folder.path()));
            assert_eq!(saved, SavedState::default());
            let aside = folder
                .path()
                .join(format!("notebook.damaged-{}.json", round + 1));
            assert_eq!(fs::read_to_string(&aside).expect("is kept"), *text);
            let notice = notice.expect("the learner is told");
            assert!(
                notice.contains(&aside.display().to_string()) && notice.contains("damaged"),
                "{notice}"
            );
            assert_eq!(keep(folder.path(), [seen("after")]), [""; 0]);
        }
    }

    #[test]
    fn a_file_damaged_while_the_notebook_is_open_is_kept_aside_too() {
        let folder = folder();
        let path = folder.path().join(FILE);
        fs::write(&path, "half").expect("writes");
        let notices = keep(folder.path(), [seen("one")]);
        assert!(
            notices[0].contains("notebook.damaged-1.json"),
            "{notices:?}"
        );
        assert!(load(Some(folder.path())).0.lessons.contains_key("softmax"));
    }

    #[test]
    fn a_file_of_a_newer_version_is_left_alone() {
        let folder = folder();
        let path = folder.path().join(FILE);
        let text = "{\"format\": 2, \"lessons\": \"as never before\"}";
        fs::write(&path, text).expect("writes");
        let (saved, notice) = load(Some(folder.path()));
        assert_eq!(saved, SavedState::default());
        assert!(notice.is_some_and(|notice| notice.contains("newer version")));
        let notices = keep(folder.path(), [seen("one"), seen("two")]);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert_eq!(fs::read_to_string(&path).expect("is there"), text);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_a_notice() {
        let folder = folder();
        let file = folder.path().join("file");
        fs::write(&file, "").expect("writes");
        // No folder can be made under a file, whoever runs this.
        let notices = keep(&file.join("state"), [seen("one")]);
        assert_eq!(notices.len(), 1);
        assert!(
            notices[0].starts_with("progress is not saved in"),
            "{notices:?}"
        );
        assert!(
            load(None)
                .1
                .is_some_and(|notice| notice.contains("TUTOR_STATE"))
        );
    }
}
