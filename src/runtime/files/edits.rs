//! Edited kernels on disk: `edits/LESSON/KERNELFILE` in the user's state folder.
//!
//! Beside each text stands the SHA-256 of the original that it was made from, in a file of the same
//! name with `.from` behind it. Invariants: a text is replaced at once or not at all; a thread writes,
//! so that a slow disk never holds up a key; it is waited for at the end of the program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::write::replace_file;
use crate::app::{Msg, SavedEdit};
use crate::launch::KernelSource;
use crate::lesson::Lesson;
use crate::runtime::events::EventSender;
use crate::source::{SourceFile, read_text};

/// Where the edits of a lesson are.
#[derive(Clone, Debug)]
pub(crate) struct EditFolder {
    folder: PathBuf,
}

impl EditFolder {
    /// That of `lesson` in the state folder.
    pub fn new(state: &Path, lesson: &str) -> Self {
        // A lesson's name comes from its file: it must not lead out of the folder.
        let safe = |c: char| match c.is_alphanumeric() || c == '-' || c == '_' {
            true => c,
            false => '_',
        };
        let lesson: String = lesson.chars().map(safe).collect();
        EditFolder {
            folder: state.join("edits").join(lesson),
        }
    }

    /// The copy of the kernel file called `name` in the lesson, as in `kernels/softmax/fused.cu`.
    pub fn path(&self, name: &str) -> PathBuf {
        let name = name.strip_prefix("kernels/").unwrap_or(name);
        // The name is in a lesson's text, which may be anybody's.
        let parts = name
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."));
        self.folder.join(parts.collect::<PathBuf>())
    }

    /// Makes the folder that holds the copy of a file, so that it can be watched.
    pub fn make(&self, name: &str) {
        if let Some(folder) = self.path(name).parent() {
            // Where this fails the write does too, and says why.
            let _ = fs::create_dir_all(folder);
        }
    }

    fn origin(&self, name: &str) -> PathBuf {
        let mut path = self.path(name).into_os_string();
        path.push(".from");
        path.into()
    }

    /// The edits of the files of `lesson` that are kept.
    pub fn load(&self, lesson: &Lesson) -> Vec<SavedEdit> {
        let mut saved: Vec<SavedEdit> = Vec::new();
        // Several cells may run kernels of one file.
        for cell in lesson.runs() {
            let name = cell.source.name();
            if saved.iter().any(|edit| edit.file == name) {
                continue;
            }
            let Ok(text) = read_text(&self.path(name)) else {
                continue;
            };
            let from = read_text(&self.origin(name)).unwrap_or_default();
            saved.push(SavedEdit {
                file: name.to_owned(),
                text,
                of_older: from.trim() != sha256(&cell.source),
            });
        }
        saved
    }

    /// Writes an edit of `original`; of one made from an older original it stays known that it is.
    pub fn write(&self, original: &SourceFile, edit: &SavedEdit) -> io::Result<()> {
        // What the edit was made from stays on record, so that the learner hears that the lesson has changed.
        if !edit.of_older {
            replace_file(&self.origin(&edit.file), &sha256(original))?;
        }
        replace_file(&self.path(&edit.file), &edit.text)
    }

    /// Forgets the edit of a file.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        for path in [self.path(name), self.origin(name)] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

fn sha256(original: &SourceFile) -> String {
    let source = KernelSource::new(original.clone(), Vec::new());
    source.sha256()
}

/// Something for the thread to write.
pub(crate) struct EditChange {
    /// Where.
    pub folder: EditFolder,
    /// The file as the lesson has it.
    pub original: SourceFile,
    /// The edit; none forgets it.
    pub edit: Option<SavedEdit>,
}

/// The thread that writes edits, so that a slow disk never holds up a key.
pub(crate) struct EditWriter {
    // None only while it is dropped.
    changes: Option<Sender<EditChange>>,
    thread: Option<JoinHandle<()>>,
}

impl EditWriter {
    /// Starts it; what cannot be written is said once.
    pub fn start(events: EventSender) -> Self {
        let (changes, inbox) = mpsc::channel::<EditChange>();
        let thread = thread::spawn(move || {
            let mut has_failed = false;
            for change in inbox {
                let done = match &change.edit {
                    Some(edit) => change.folder.write(&change.original, edit),
                    None => change.folder.remove(change.original.name()),
                };
                if let (Err(error), false) = (done, has_failed) {
                    has_failed = true;
                    let folder = change.folder.folder.display();
                    events.message(Msg::Notice(format!(
                        "your edits are not saved in {folder}: {error}"
                    )));
                }
            }
        });
        EditWriter {
            changes: Some(changes),
            thread: Some(thread),
        }
    }

    /// Asks for a write.
    pub fn write(&self, change: EditChange) {
        if let Some(changes) = &self.changes {
            let _ = changes.send(change);
        }
    }
}

impl Drop for EditWriter {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.changes = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::load;

    #[test]
    fn an_edit_comes_back_and_is_known_to_be_of_an_older_text() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = EditFolder::new(state.path(), "softmax");
        let lesson = load("softmax").expect("reads");
        let original = &lesson.run_cell("fused").expect("is there").source;
        assert_eq!(folder.load(&lesson), []);
        let mut edit = SavedEdit {
            file: original.name().to_owned(),
            text: "// mine\n".to_owned(),
            of_older: false,
        };
        folder.write(original, &edit).expect("is written");
        assert_eq!(folder.load(&lesson), [edit.clone()]);
        let older = SourceFile::new(original.name(), "// as it was\n");
        folder.write(&older, &edit).expect("is written");
        edit.of_older = true;
        assert_eq!(folder.load(&lesson), [edit.clone()]);
        folder.write(original, &edit).expect("is written");
        assert_eq!(
            folder.load(&lesson),
            [edit],
            "it stays one of an older text"
        );
        folder.remove(original.name()).expect("is removed");
        folder.remove(original.name()).expect("is gone already");
        assert_eq!(folder.load(&lesson), []);
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let folder = EditFolder::new(Path::new("/state"), "../up");
        let path = folder.path("kernels/../../etc/passwd");
        assert_eq!(path, Path::new("/state/edits/___up/etc/passwd"));
    }
}
