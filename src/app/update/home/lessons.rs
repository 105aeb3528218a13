//! The home screen: which lesson is chosen, and what is searched for.

use crate::app::state::{Action, Home, HomeAction, Movement, PopupAction};

impl Home {
    /// Takes what the learner asks for, but for what leaves the screen.
    pub(crate) fn act(&mut self, action: &Action) {
        // Whatever is pressed closes the list of keys; what the key means, it does.
        let was_open = std::mem::take(&mut self.help);
        match *action {
            Action::Popup(PopupAction::Help) => self.help = !was_open,
            Action::Back if was_open => {}
            Action::Back => self.search_for(None),
            Action::Home(HomeAction::Search) => self.search_for(Some(String::new())),
            Action::Home(HomeAction::SelectLesson(row)) => {
                self.chosen = row.min(self.rows.len().saturating_sub(1));
            }
            Action::Popup(PopupAction::Type(character)) => {
                let mut query = self.query.take().unwrap_or_default();
                query.push(character);
                self.search_for(Some(query));
            }
            Action::Popup(PopupAction::Erase) => {
                let mut query = self.query.take().unwrap_or_default();
                let rest = query.pop().map(|_| query);
                self.search_for(rest);
            }
            // The list has one column.
            Action::Move(Movement::Left | Movement::Right) => {}
            Action::Move(movement) => self.navigate(movement),
            _ => {}
        }
    }

    /// Searches, and chooses the best; without a query all lessons are back, and the chosen one stays.
    pub(crate) fn search_for(&mut self, query: Option<String>) {
        let was = self.rows.get(self.chosen).map(|row| row.lesson);
        self.query = query;
        self.list();
        let keeps = self.query.as_deref().is_none_or(str::is_empty);
        // The same lesson, in whatever row it stands now; the row to resume is only its double.
        let again = self
            .rows
            .iter()
            .position(|row| Some(row.lesson) == was && !row.resume);
        self.chosen = again.filter(|_| keeps).unwrap_or(0);
    }

    pub(crate) fn navigate(&mut self, movement: Movement) {
        let last = self.rows.len().saturating_sub(1);
        let page = self.seen.lessons.visible.saturating_sub(2).max(1);
        self.chosen = match movement {
            Movement::Up => self.chosen.saturating_sub(1),
            Movement::Down => self.chosen + 1,
            Movement::PageUp => self.chosen.saturating_sub(page),
            Movement::PageDown => self.chosen + page,
            Movement::End => last,
            _ => 0,
        }
        .min(last);
    }
}
