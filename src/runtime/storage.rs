//! The file that keeps what outlasts the program, in the user's state folder.
//!
//! Invariants: the file is replaced at once or not at all; it is only ever changed by reading it,
//! applying changes and writing it back while a lock is held, so that several notebooks lose
//! nothing of each other's; a file that cannot be understood is renamed and never overwritten, and one
//! of a newer version is left alone. Whatever fails is a line for the learner, said once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::events::Event;
use crate::session::{Change, Kept, Msg};

/// Names the state folder.
const FOLDER_VARIABLE: &str = "TUTOR_STATE";
/// The file in it; its lock and copies kept aside are beside it.
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
    kept: Kept,
}

/// Why the file was not read.
enum Unread {
    /// It is not what this program writes.
    Damaged(String),
    /// A newer version wrote it.
    Newer,
    /// The machine does not give it.
    Unreadable(io::Error),
}

/// The state folder: `TUTOR_STATE`, else `tutor` in the user's own; none if the user has no home.
pub(super) fn state_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    let base = etcetera::choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.data_dir());
    Some(folder.join("tutor"))
}

/// What is kept in `folder`, and what the learner should know of it.
pub(super) fn load(folder: Option<&Path>) -> (Kept, Option<String>) {
    let Some(folder) = folder else {
        let why = format!(
            "progress is not kept: no home folder is found; {FOLDER_VARIABLE}=FOLDER names one"
        );
        return (Kept::default(), Some(why));
    };
    match read(&folder.join(FILE)) {
        Ok(kept) => (kept, None),
        Err(Unread::Newer) => (Kept::default(), Some(newer(folder))),
        Err(Unread::Unreadable(error)) => (Kept::default(), Some(not_kept(folder, &error))),
        Err(Unread::Damaged(_)) => {
            let mut notice = None;
            let kept = change(folder, Vec::new(), &mut notice);
            let (kept, error) = match kept {
                Ok(kept) => (kept, None),
                Err(error) => (Kept::default(), Some(not_kept(folder, &error))),
            };
            (kept, notice.or(error))
        }
    }
}

/// What the file at `path` holds; nothing yet if there is none.
fn read(path: &Path) -> Result<Kept, Unread> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Kept::default()),
        Err(error) => return Err(Unread::Unreadable(error)),
    };
    let damaged = |error: serde_json::Error| Unread::Damaged(error.to_string());
    let value: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
    match value.get("format").and_then(Value::as_u64) {
        Some(format) if format > FORMAT => Err(Unread::Newer),
        _ => {
            let contents: Contents = serde_json::from_value(value).map_err(damaged)?;
            Ok(contents.kept)
        }
    }
}

/// Applies `changes` to what the file in `folder` holds now, and writes it back. A damaged file is kept
/// aside first, and `notice` says where.
fn change(folder: &Path, changes: Vec<Change>, notice: &mut Option<String>) -> io::Result<Kept> {
    fs::create_dir_all(folder)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    let lock = options.open(folder.join(LOCK))?;
    lock.lock()?;
    let path = folder.join(FILE);
    let mut kept = match read(&path) {
        Ok(kept) => kept,
        Err(Unread::Newer) => return Err(io::Error::other(NEWER)),
        Err(Unread::Unreadable(error)) => return Err(error),
        Err(Unread::Damaged(why)) => {
            let aside = keep_aside(folder, &path)?;
            *notice = Some(format!(
                "the progress file was damaged ({why}); it is kept as {}",
                aside.display()
            ));
            Kept::default()
        }
    };
    let nothing_new = changes.is_empty();
    for change in changes {
        kept.take(change);
    }
    if !nothing_new {
        write(folder, &path, &kept)?;
    }
    Ok(kept)
}

/// Replaces the file by one that holds `kept`.
fn write(folder: &Path, path: &Path, kept: &Kept) -> io::Result<()> {
    let contents = Contents {
        format: FORMAT,
        kept: kept.clone(),
    };
    let text = serde_json::to_vec_pretty(&contents)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&text)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The new name is as lasting as the text only once the folder is written too.
    #[cfg(unix)]
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
    Err(io::Error::other("no name is free to keep it aside"))
}

const NEWER: &str = "a newer version of tutor wrote it";

fn newer(folder: &Path) -> String {
    let path = folder.join(FILE);
    format!("progress is not kept: {NEWER}, {}", path.display())
}

fn not_kept(folder: &Path, error: &io::Error) -> String {
    format!("progress is not kept in {}: {error}", folder.display())
}

/// The thread that writes, so that the notebook never waits for a disk.
pub(super) struct Storage {
    changes: Option<Sender<Change>>,
    done: Receiver<()>,
}

impl Storage {
    /// Starts the thread. Without a folder, changes are forgotten.
    pub fn start(folder: Option<PathBuf>, events: Sender<Event>) -> Self {
        let (changes, inbox) = mpsc::channel();
        let (ended, done) = mpsc::channel();
        thread::spawn(move || {
            let work = AssertUnwindSafe(|| write_all(folder.as_deref(), &inbox, &events));
            if panic::catch_unwind(work).is_err() {
                let _ = events.send(Event::Panicked);
            }
            let _ = ended.send(());
        });
        Storage {
            changes: Some(changes),
            done,
        }
    }

    /// Writes a change, soon.
    pub fn keep(&self, change: Change) {
        if let Some(changes) = &self.changes {
            let _ = changes.send(change);
        }
    }
}

impl Drop for Storage {
    /// Waits for what is still to be written, but not for a disk that does not answer.
    fn drop(&mut self) {
        self.changes = None;
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

/// Writes changes as they come, all that wait at once; says once what goes wrong.
fn write_all(folder: Option<&Path>, inbox: &Receiver<Change>, events: &Sender<Event>) {
    let mut told = false;
    while let Ok(first) = inbox.recv() {
        let mut changes = vec![first];
        changes.extend(inbox.try_iter());
        let Some(folder) = folder else { continue };
        let mut notice = None;
        if let Err(error) = change(folder, changes, &mut notice)
            && !told
        {
            told = true;
            notice = Some(not_kept(folder, &error));
        }
        if let Some(notice) = notice {
            let _ = events.send(Event::Session(Box::new(Msg::Notice(notice))));
        }
    }
}

#[cfg(test)]
mod tests;
