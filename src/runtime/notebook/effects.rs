//! Performs the effects of the notebook: what it asks of threads, files and the terminal, and what they answer
//! at once. What takes long is answered later, as an event.

use std::path::PathBuf;
use std::thread;

use super::{catalog::Catalog, export};
use crate::app::{CopyTarget, Effect, LessonFile, Model, Msg, SavedEdit, SpeakerState};
use crate::lesson::{Lesson, lesson_files};
use crate::runtime::allocator::release_freed_memory;
use crate::runtime::events::EventSender;
use crate::runtime::files::{
    EditChange, EditFolder, EditWriter, FileWatcher, Presentation, StateWriter, TypingPause,
    state_folder,
};
use crate::runtime::runs::{BlockRecorder, Runner, load_welcome};
use crate::runtime::setup::Setup;
use crate::runtime::terminal::{InputGate, Screen, editor};
use crate::source::read_text;

/// What effects are performed with.
pub(crate) struct EffectHandler<'a> {
    pub screen: &'a mut Screen,
    pub gate: InputGate,
    pub watcher: FileWatcher,
    /// The presentation, if the program shows one.
    pub presentation: Option<Presentation>,
    /// The file of the first lesson, if it is on disk.
    file: Option<PathBuf>,
    catalog: Catalog,
    runner: Runner,
    blocks: BlockRecorder,
    typing: TypingPause,
    state_writer: StateWriter,
    edit_writer: EditWriter,
    /// Where what takes long is answered.
    events: EventSender,
}

impl<'a> EffectHandler<'a> {
    /// Starts the threads.
    pub fn start(
        screen: &'a mut Screen,
        setup: Setup,
        state_writer: StateWriter,
        events: &EventSender,
    ) -> Self {
        EffectHandler {
            screen,
            gate: InputGate::default(),
            watcher: FileWatcher::start(events.clone()),
            presentation: setup.presenting.then(Presentation::begin),
            file: setup.file.clone(),
            catalog: Catalog::new(setup.lessons.clone()),
            runner: Runner::start(setup, events.clone()),
            blocks: BlockRecorder::start(events.clone()),
            typing: TypingPause::start(events.clone()),
            state_writer,
            edit_writer: EditWriter::start(events.clone()),
            events: events.clone(),
        }
    }

    /// Performs an effect; what is answered at once. `notebook` is the lesson that is open.
    pub fn perform(
        &mut self,
        effect: Effect,
        notebook: Option<&Model>,
    ) -> anyhow::Result<Vec<Msg>> {
        match effect {
            Effect::Run(task) => self.runner.run(task),
            Effect::Cancel { job } => self.runner.cancel(job),
            Effect::Capture { ran } => self.runner.capture(ran),
            Effect::CompareEdit(asked) => self.runner.compare_edit(asked),
            Effect::CheckAnswer(asked) => self.runner.check_answer(asked),
            Effect::LoadRecordings { lesson, gpu } => self.runner.recall(lesson, gpu),
            Effect::ReplayBlocks { lesson, request } => self.runner.replay(lesson, request),
            Effect::Summarise {
                ran,
                buffer,
                columns,
            } => self.runner.summarise(ran, buffer, columns),
            Effect::LoadHistory { ran, launch, watch } => self.blocks.record(ran, launch, watch),
            Effect::Rest { revision } => self.typing.changed(revision),
            Effect::Save(change) => self.state_writer.write(change),
            Effect::SaveEdit { file, edit } => self.keep_edit(file, edit),
            Effect::Suspend => self.screen.suspend()?,
            Effect::Opened { lesson } => return Ok(self.begin(&lesson)),
            Effect::OpenEditor { file, edit, line } => return self.open_editor(&file, &edit, line),
            Effect::SendToSpeaker(spoken) => return Ok(self.publish(spoken)),
            Effect::Copy(what) => return self.copy(what, notebook),
            Effect::Export { file, replace } => return Ok(self.export(file, replace, notebook)),
            Effect::LoadWelcome { lesson, gpu } => load_welcome(lesson, gpu, &self.events),
            Effect::ListLessons => return Ok(vec![Msg::Lessons(self.catalog.listed())]),
            // The loop ends before it comes here.
            Effect::Quit => {}
        }
        Ok(Vec::new())
    }

    /// Begins with a lesson that is open now.
    fn begin(&mut self, lesson: &Lesson) -> Vec<Msg> {
        // What the lesson before took is freed by now.
        thread::spawn(release_freed_memory);
        if let Some(file) = self.catalog.lessons.file(&lesson.id) {
            self.watcher.lesson(&file, lesson_files(&file, lesson));
        }
        self.find_edits(lesson)
    }

    /// Tells `tutor notes` where the presentation is.
    fn publish(&mut self, spoken: SpeakerState) -> Vec<Msg> {
        let published = self.presentation.as_mut().map(|p| p.publish(spoken));
        match published {
            Some(Err(why)) => {
                let notice = format!("`tutor notes` cannot follow: {why}");
                vec![Msg::Notice(notice)]
            }
            _ => Vec::new(),
        }
    }

    /// Writes the lesson that is open to `file`, if one is.
    fn export(&self, file: String, replace: bool, notebook: Option<&Model>) -> Vec<Msg> {
        let Some(model) = notebook else {
            return Vec::new();
        };
        let written = export::export(model, self.file.as_deref(), file, replace);
        vec![Msg::Written(written)]
    }

    /// Copies `what`, or says why not.
    fn copy(&mut self, what: CopyTarget, notebook: Option<&Model>) -> anyhow::Result<Vec<Msg>> {
        let Some(model) = notebook else {
            return Ok(Vec::new());
        };
        let copied = match export::copy(model, what) {
            Ok((sequence, copied)) => self.screen.send(&sequence).map(|()| Ok(copied))?,
            Err(why) => Err(why),
        };
        Ok(vec![Msg::Copied(copied)])
    }

    /// Has the edits of a lesson shown that were kept, and their copies watched.
    fn find_edits(&mut self, lesson: &Lesson) -> Vec<Msg> {
        let Some(state) = state_folder() else {
            return Vec::new();
        };
        let folder = EditFolder::new(&state, &lesson.id);
        let edits = folder.load(lesson);
        for edit in &edits {
            let path = folder.path(&edit.file);
            self.watcher.edit(&path, &edit.file, Some(&edit.text));
        }
        vec![Msg::EditsFound(edits)]
    }

    /// Has an edit written, or forgotten, and its copy watched.
    fn keep_edit(&mut self, file: LessonFile, edit: Option<SavedEdit>) {
        let LessonFile { lesson, original } = file;
        let Some(state) = state_folder() else { return };
        let folder = EditFolder::new(&state, &lesson);
        let path = folder.path(original.name());
        let text = edit.as_ref().map(|edit| edit.text.as_str());
        // A folder must be there before it can be watched.
        if text.is_some() {
            folder.make(original.name());
        }
        self.watcher.edit(&path, original.name(), text);
        self.edit_writer.write(EditChange {
            folder,
            original,
            edit,
        });
    }

    /// Opens the kept copy of a kernel in the learner's own editor, and takes what it left.
    fn open_editor(
        &mut self,
        file: &LessonFile,
        edit: &SavedEdit,
        line: usize,
    ) -> anyhow::Result<Vec<Msg>> {
        let notice = |text: String| Ok(vec![Msg::Notice(text)]);
        let command = match editor::command(|name| std::env::var(name).ok()) {
            Ok(command) => command,
            Err(why) => return notice(why),
        };
        let Some(state) = state_folder() else {
            let why = "there is no folder for your copy; set TUTOR_STATE=FOLDER";
            return notice(why.to_owned());
        };
        let folder = EditFolder::new(&state, &file.lesson);
        let path = folder.path(&edit.file);
        if let Err(error) = folder.write(&file.original, edit) {
            return notice(format!("{}: {error}", path.display()));
        }
        self.watcher.edit(&path, &edit.file, Some(&edit.text));
        // Two programs that read one terminal would each get half of the keys.
        let gate = self.gate.clone();
        let ended = self
            .screen
            .lend(|| gate.closed(|| editor::edit(&command, &path, line)))?;
        let left = read_text(&path).ok().map(|text| Msg::FileChanged {
            file: edit.file.clone(),
            text,
        });
        Ok(left
            .into_iter()
            .chain(ended.err().map(Msg::Notice))
            .collect())
    }
}
