//! The home screen: which lesson is chosen, and what is searched for.

use crate::app::state::{Action, HelpPage, Home};
use crate::app::update::scrolling::scroll_by;

impl Home {
    /// Takes what the learner asks for, but for what leaves the screen.
    pub(crate) fn act(&mut self, action: &Action) {
        use Action::*;
        match action {
            Help => self.help = HelpPage::toggled(self.help.take()),
            Back if self.help.take().is_some() => {}
            Back => self.search_for(None),
            Search => self.search_for(Some(String::new())),
            Type(character) => {
                if let Some(help) = &mut self.help {
                    return help.push(*character);
                }
                let mut query = self.query.take().unwrap_or_default();
                query.push(*character);
                self.search_for(Some(query));
            }
            Erase => {
                if let Some(help) = &mut self.help {
                    return help.erase();
                }
                let mut query = self.query.take().unwrap_or_default();
                let rest = query.pop().map(|_| query);
                self.search_for(rest);
            }
            SelectLesson(row) => self.chosen = (*row).min(self.rows.len().saturating_sub(1)),
            Up | Down | PageUp | PageDown | Home | End => self.travel(action),
            _ => {}
        }
    }

    /// Searches, and chooses the best; without a query all lessons are back, and the chosen one stays.
    pub(crate) fn search_for(&mut self, query: Option<String>) {
        let was = self.rows.get(self.chosen).map(|row| row.lesson);
        self.query = query;
        self.list();
        let keeps = self.query.as_deref().is_none_or(str::is_empty);
        let again = self
            .rows
            .iter()
            .position(|row| Some(row.lesson) == was && !row.resume);
        self.chosen = again.filter(|_| keeps).unwrap_or(0);
    }

    pub(crate) fn travel(&mut self, action: &Action) {
        if let Some(help) = &mut self.help {
            scroll_by(&mut help.scroll, action, self.seen.help);
            return;
        }
        let last = self.rows.len().saturating_sub(1);
        let page = self.seen.lessons.visible.saturating_sub(2).max(1);
        self.chosen = match action {
            Action::Up => self.chosen.saturating_sub(1),
            Action::Down => self.chosen + 1,
            Action::PageUp => self.chosen.saturating_sub(page),
            Action::PageDown => self.chosen + page,
            Action::End => last,
            _ => 0,
        }
        .min(last);
    }
}
