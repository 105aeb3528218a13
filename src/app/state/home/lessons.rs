//! The home screen: which lessons there are, which is chosen, what is searched for.

use std::sync::Arc;

use crate::app::state::home::search::search;
use crate::app::state::home::welcome::{LESSON, SEEN, Welcome};
use crate::app::state::{Context, FrameExtents, LessonProgress, SavedState};
use crate::lesson::{Lesson, by_track};

/// Everything the home screen knows.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// Every lesson, track by track.
    pub lessons: Vec<ListedLesson>,
    /// The rows to choose from.
    pub rows: Vec<LessonRow>,
    /// The chosen row.
    pub chosen: usize,
    /// What is searched for; nothing if nobody searches.
    pub query: Option<String>,
    /// Whether the keys that mean something here are listed.
    pub help: bool,
    /// What somebody sees first who has never been here.
    pub welcome: Option<Welcome>,
    /// A short message until the next key.
    pub notice: Option<String>,
    /// What the last frame showed.
    pub seen: FrameExtents,
    /// What outlasts the program.
    pub saved: SavedState,
}

/// A lesson of the list.
#[derive(Clone, Debug)]
pub struct ListedLesson {
    /// Its id.
    pub id: String,
    /// The lesson, or why it does not read.
    pub lesson: Result<Arc<Lesson>, String>,
}

/// A row to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonRow {
    /// Index of its lesson.
    pub lesson: usize,
    /// Whether it is the way back to where the learner was, above the list.
    pub resume: bool,
    /// The characters of the title that the search meant.
    pub lit: Vec<usize>,
}

/// Everything done so far, over all lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalProgress {
    /// Lessons there are, and done.
    pub lessons: (usize, usize),
    /// Pages there are, and done.
    pub pages: (usize, usize),
    /// Minutes that the pages left may take, as their lessons estimate it.
    pub minutes_left: u32,
}

impl ListedLesson {
    /// The track it is shown in.
    pub fn track(&self) -> &str {
        let lesson = self.lesson.as_ref();
        lesson.map_or("", |lesson| &lesson.course.track)
    }

    /// Its title, or what stands in place of one.
    pub fn title(&self) -> &str {
        let lesson = self.lesson.as_ref();
        lesson.map_or(&self.id, |lesson| &lesson.title)
    }
}

impl Home {
    /// Takes the list of lessons, and chooses the way back if there is one.
    pub fn take(&mut self, lessons: Vec<ListedLesson>) {
        let tracks = by_track(&lessons, ListedLesson::track);
        let sorted = tracks.into_iter().flat_map(|(_, lessons)| lessons);
        self.lessons = sorted.cloned().collect();
        self.query = None;
        self.list();
        self.chosen = 0;
    }

    /// The lesson that was visited last, if the list has it.
    pub fn latest(&self) -> Option<usize> {
        let latest = self.saved.latest()?;
        self.lessons
            .iter()
            .position(|listed| listed.id == latest && listed.lesson.is_ok())
    }

    /// The lesson of the chosen row.
    pub fn chosen(&self) -> Option<&ListedLesson> {
        self.lessons.get(self.rows.get(self.chosen)?.lesson)
    }

    /// How far the learner is in lesson `id`; nothing if it is not in the list.
    pub fn progress(&self, id: &str) -> Option<LessonProgress> {
        let listed = self.lessons.iter().find(|listed| listed.id == id)?;
        let lesson = listed.lesson.as_ref().ok()?;
        Some(self.saved.progress(lesson))
    }

    /// The lessons that are better done before `lesson` and are not, by id.
    pub fn open_before<'a>(&self, lesson: &'a Lesson) -> Vec<&'a str> {
        let before = lesson.course.requires.iter().map(String::as_str);
        before.filter(|id| self.is_open(id)).collect()
    }

    /// Whether something is left to do in lesson `id` of the list.
    fn is_open(&self, id: &str) -> bool {
        self.progress(id)
            .is_some_and(|standing| !standing.is_done())
    }

    /// What is done of `lessons`.
    pub fn total<'a>(&self, lessons: impl IntoIterator<Item = &'a ListedLesson>) -> TotalProgress {
        let mut total = TotalProgress::default();
        for listed in lessons {
            let Ok(lesson) = &listed.lesson else { continue };
            let standing = self.saved.progress(lesson);
            let left = (standing.pages - standing.done) as u32;
            total.lessons.0 += 1;
            total.lessons.1 += usize::from(standing.is_done());
            total.pages.0 += standing.pages;
            total.pages.1 += standing.done;
            let pages = (standing.pages as u32).max(1);
            // By pages, rounded up: a lesson that is begun takes at least a minute more.
            total.minutes_left += (lesson.minutes * left).div_ceil(pages);
        }
        total
    }

    /// Where keys go now.
    pub fn context(&self) -> Context {
        match (&self.welcome, &self.query) {
            (Some(_), _) => Context::Welcome,
            (None, Some(_)) => Context::Search,
            (None, None) => Context::Home,
        }
    }

    /// The lesson that welcomes somebody who has done nothing yet; nothing if that was seen.
    pub(crate) fn welcoming(&self) -> Option<Arc<Lesson>> {
        // Whoever has opened a lesson needs no welcome, even if they never saw it.
        let is_new = self.saved.lessons.is_empty() && self.saved.value(SEEN).is_none();
        let found = || self.lessons.iter().find(|listed| listed.id == LESSON);
        let lesson = found().filter(|_| is_new)?.lesson.as_ref().ok()?;
        Some(lesson.clone())
    }

    /// Makes the rows anew: what is searched for, or the way back and all lessons.
    pub(crate) fn list(&mut self) {
        let row = |lesson, resume, lit| LessonRow {
            lesson,
            resume,
            lit,
        };
        let query = self.query.as_deref().unwrap_or("");
        self.rows = if query.trim().is_empty() {
            // The row to go on with stands on top only while nothing is searched: in a list of matches it would be a
            // double. A lesson that is done has nothing to go on with.
            let resume = self.latest().filter(|_| self.query.is_none());
            let resume = resume.filter(|&at| self.is_open(&self.lessons[at].id));
            let resume = resume.map(|lesson| row(lesson, true, Vec::new()));
            let all = (0..self.lessons.len()).map(|lesson| row(lesson, false, Vec::new()));
            resume.into_iter().chain(all).collect()
        } else {
            let lessons = self.lessons.iter().enumerate();
            let lessons =
                lessons.filter_map(|(i, listed)| Some((i, &**listed.lesson.as_ref().ok()?)));
            let found = search(query, lessons).into_iter();
            found
                .map(|found| row(found.lesson, false, found.lit))
                .collect()
        };
    }
}
