//! What the loop does for edits of kernels: their copies outside, and the learner's own editor.

use super::event_loop::{Flow, Notebook};
use crate::app::{KeptEdit, Msg};
use crate::lesson::Lesson;
use crate::runtime::files::{EditFolder, Write, read_text, state_folder};
use crate::runtime::terminal::editor;
use crate::source::SourceFile;

impl Notebook<'_> {
    /// Has the edits of a lesson shown that were kept, and their copies watched.
    pub(crate) fn find_edits(&mut self, lesson: &Lesson) -> anyhow::Result<Flow> {
        let Some(state) = state_folder() else {
            return Ok(Flow::On);
        };
        let folder = EditFolder::new(&state, &lesson.id);
        let edits = folder.load(lesson);
        for edit in &edits {
            let path = folder.path(&edit.file);
            self.watcher.edit(&path, &edit.file, Some(&edit.text));
        }
        self.send(Msg::EditsFound(edits))
    }

    /// Has an edit written, or forgotten, and its copy watched.
    pub(crate) fn keep_edit(&mut self, lesson: &str, original: SourceFile, edit: Option<KeptEdit>) {
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

    /// Opens the kept copy of a kernel in the learner's own editor, and takes what it left.
    pub(crate) fn open_editor(
        &mut self,
        lesson: &str,
        original: &SourceFile,
        edit: &KeptEdit,
        line: usize,
    ) -> anyhow::Result<Flow> {
        let notice = |text: String| Msg::Notice(text);
        let command = match editor::command(|name| std::env::var(name).ok()) {
            Ok(command) => command,
            Err(why) => return self.send(notice(why)),
        };
        let Some(state) = state_folder() else {
            let why = "there is no folder for your copy; TUTOR_STATE=FOLDER names one";
            return self.send(notice(why.to_owned()));
        };
        let folder = EditFolder::new(&state, lesson);
        let path = folder.path(&edit.file);
        if let Err(error) = folder.write(original, edit) {
            return self.send(notice(format!("{}: {error}", path.display())));
        }
        self.watcher.edit(&path, &edit.file, Some(&edit.text));
        let gate = self.gate.clone();
        let ended = self
            .screen
            .lend(|| gate.closed(|| editor::edit(&command, &path, line)))?;
        if let Some(text) = read_text(&path) {
            let file = edit.file.clone();
            self.send(Msg::FileChanged { file, text })?;
        }
        match ended {
            Ok(()) => Ok(Flow::On),
            Err(why) => self.send(notice(why)),
        }
    }
}
