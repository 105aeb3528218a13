//! What the open palette lists.

use crate::app::state::{Action, FuzzySearch, Model, PaletteEntry, PaletteTarget, TableAction};

impl Model {
    /// What the open palette lists, the best first; nothing while it is closed.
    ///
    /// As long as nothing is typed: what was used lately, then what does something here, what is pressed most first, then
    /// the cells, then what orders tables and what moves, then the rest.
    pub fn palette_entries(&self) -> Vec<PaletteEntry> {
        let Some(search) = &self.popups.palette.open else {
            return Vec::new();
        };
        let mut entries = self.all_entries();
        let recent = |entry: &PaletteEntry| {
            let mut recent = self.popups.palette.recent.iter();
            let at = recent.position(|target| *target == entry.target);
            at.unwrap_or(RECENT)
        };
        entries.sort_by_key(|entry| {
            let rank = match entry.target {
                PaletteTarget::Command(index) => self.command_rank(index),
                PaletteTarget::Cell(_) => 2,
            };
            // The order without a query. Sorting by score below is stable, so it also decides between equal scores.
            (recent(entry), !entry.holds, rank)
        });
        let mut fuzzy = FuzzySearch::new(&search.input);
        let found = entries.into_iter().filter_map(|entry| {
            let fit = fuzzy.fit(&entry.words)?;
            let letters = fit.letters;
            Some((fit.score, PaletteEntry { letters, ..entry }))
        });
        let mut found: Vec<(u32, PaletteEntry)> = found.collect();
        found.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        // Letters strewn over a text are no find beside one that has them together.
        let best = found.first().map_or(0, |&(score, _)| score);
        found.retain(|&(score, _)| score * 2 >= best);
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    /// Where a command stands among those that do something here; 2 is where the cells stand.
    fn command_rank(&self, index: usize) -> usize {
        let command = self.popups.palette.commands.get(index);
        match command.map(|command| (&command.action, command.is_hinted)) {
            // Nobody needs a list for what only moves in what is on screen.
            None | Some((Action::Move(_), _)) => 4,
            Some((Action::Table(TableAction::Sort), _)) => 3,
            Some((action, true)) if *action != Action::Quit => 0,
            Some(_) => 1,
        }
    }

    pub(crate) fn all_entries(&self) -> Vec<PaletteEntry> {
        // The palette itself lies on top now: what holds is asked of what it was opened over.
        let here = self.context_below();
        let entry = |words: String, target, holds| PaletteEntry {
            words,
            target,
            holds,
            letters: Vec::new(),
        };
        let commands = self.popups.palette.commands.iter().enumerate();
        let commands = commands.map(|(index, command)| {
            let holds = command.holds_in(here);
            entry(
                command.words.to_owned(),
                PaletteTarget::Command(index),
                holds,
            )
        });
        let cells = self.lesson.cells.iter().enumerate();
        let cells =
            cells.map(|(index, cell)| entry(cell.title(), PaletteTarget::Cell(index), true));
        commands.chain(cells).collect()
    }
}

/// Entries that stay on top because they were used.
pub(crate) const RECENT: usize = 5;
