//! What edited kernels need outside: their copies on disk, news of files, and the learner's own editor.

use std::path::Path;
use std::sync::mpsc::Sender;

use super::editor;
use super::edits::{EditFolder, Keeper, Write, read};
use super::events::{Event, Gate};
use super::storage::state_folder;
use super::terminal::Screen;
use super::watch::{Rest, Watcher};
use crate::lesson::{Lesson, lesson_files};
use crate::session::KeptEdit;
use crate::source::SourceFile;

/// All of it.
pub(super) struct Editing {
    /// Says when a text rests.
    pub rest: Rest,
    /// Keeps keys from the thread that reads them while another program has the terminal.
    pub gate: Gate,
    keeper: Keeper,
    watcher: Watcher,
}

impl Editing {
    /// Starts its threads, which sleep until there is something to do.
    pub fn start(events: &Sender<Event>) -> Self {
        Editing {
            rest: Rest::start(events.clone()),
            gate: Gate::default(),
            keeper: Keeper::start(events.clone()),
            watcher: Watcher::start(events.clone()),
        }
    }

    /// Watches the files that `lesson` was read from when it came from the file `path`.
    pub fn watch_lesson(&mut self, path: &Path, lesson: &Lesson) {
        self.watcher.lesson(path, lesson_files(path, lesson));
    }

    /// The edits of the kernels of `lesson` that are kept; their copies are watched from now on.
    pub fn find(&mut self, lesson: &Lesson) -> Vec<KeptEdit> {
        let Some(state) = state_folder() else {
            return Vec::new();
        };
        let folder = EditFolder::new(&state, &lesson.id);
        let edits = folder.load(lesson);
        for edit in &edits {
            let path = folder.path(&edit.file);
            self.watcher.edit(&path, &edit.file, Some(&edit.text));
        }
        edits
    }

    /// Has an edit written, or forgotten, and its copy watched.
    pub fn keep(&mut self, lesson: &str, original: SourceFile, edit: Option<KeptEdit>) {
        let Some(state) = state_folder() else { return };
        let folder = EditFolder::new(&state, lesson);
        let path = folder.path(original.name());
        let text = edit.as_ref().map(|edit| edit.text.as_str());
        if text.is_some() {
            folder.make(original.name());
        }
        self.watcher.edit(&path, original.name(), text);
        self.keeper.write(Write {
            folder,
            original,
            edit,
        });
    }

    /// Opens the copy of a kernel in the learner's own editor, at a line from 1; the text that it left,
    /// and what to say if all was not well.
    ///
    /// # Errors
    /// If the terminal cannot be taken over again.
    pub fn open(
        &mut self,
        screen: &mut Screen,
        lesson: &str,
        (original, edit): (&SourceFile, &KeptEdit),
        line: usize,
    ) -> std::io::Result<(Option<String>, Option<String>)> {
        let command = match editor::command(|name| std::env::var(name).ok()) {
            Ok(command) => command,
            Err(why) => return Ok((None, Some(why))),
        };
        let Some(state) = state_folder() else {
            let why = "there is no folder for your copy; TUTOR_STATE=FOLDER names one";
            return Ok((None, Some(why.to_owned())));
        };
        let folder = EditFolder::new(&state, lesson);
        let path = folder.path(&edit.file);
        if let Err(error) = folder.write(original, edit) {
            let why = format!("{}: {error}", path.display());
            return Ok((None, Some(why)));
        }
        self.watcher.edit(&path, &edit.file, Some(&edit.text));
        let edited = || editor::edit(&command, &path, line);
        let ended = screen.lend(|| self.gate.closed(edited))?;
        Ok((read(&path), ended.err()))
    }
}
