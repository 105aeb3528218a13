//! The command palette: everything that can be asked for, found by a few letters of its words.

use std::sync::Arc;

use crate::app::state::fuzzy::Fuzzy;
use crate::app::state::{Action, Context, Model};

/// Something that a key does. The views' table of keys gives them; see [`Palette::commands`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it does, in the words of the help.
    pub words: &'static str,
    /// What is asked for.
    pub action: Action,
    /// Where it can be asked for; everywhere but in questions, help and palette if empty.
    pub contexts: &'static [Context],
    /// Its row in the table of keys, from 0.
    pub row: usize,
}

impl Command {
    /// Whether it can be asked for in `context`.
    pub fn holds_in(&self, context: Context) -> bool {
        if self.contexts.is_empty() {
            return !context.is_over_the_page();
        }
        self.contexts.contains(&context)
    }
}

/// What an entry of the palette leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A command, by its index.
    Command(usize),
    /// A cell of the lesson, by its index.
    Cell(usize),
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it says.
    pub words: String,
    /// What it leads to.
    pub target: Target,
    /// Whether it does something where the palette was opened.
    pub holds: bool,
    /// The characters of the words that were typed, from 0, in order.
    pub letters: Vec<usize>,
}

/// The palette, open or not.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// All commands, in the order of the table of keys.
    pub commands: Arc<[Command]>,
    /// What is typed, and which entry is marked, while it is open.
    pub open: Option<Search>,
    /// What was performed from here, the latest first.
    recent: Vec<Target>,
}

/// A search under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// What is typed.
    pub input: String,
    /// The entry that is marked, from 0.
    pub chosen: usize,
}

/// Entries that stay on top because they were used.
const RECENT: usize = 5;
/// Entries that a page is.
const PAGE: isize = 10;

impl Model {
    /// What the open palette lists, the best first; nothing while it is closed.
    ///
    /// As long as nothing is typed: what was used lately, then what does something here, then the
    /// cells, then what moves in them, then the rest.
    pub fn palette_entries(&self) -> Vec<Entry> {
        let Some(search) = &self.palette.open else {
            return Vec::new();
        };
        let mut entries = self.all_entries();
        let recent = |entry: &Entry| {
            let mut recent = self.palette.recent.iter();
            let at = recent.position(|target| *target == entry.target);
            at.unwrap_or(RECENT)
        };
        entries.sort_by_key(|entry| {
            let rank = match entry.target {
                Target::Command(index) if self.moves(index) => 2,
                Target::Command(_) => 0,
                Target::Cell(_) => 1,
            };
            (recent(entry), !entry.holds, rank)
        });
        let mut fuzzy = Fuzzy::new(&search.input);
        let found = entries.into_iter().filter_map(|entry| {
            let fit = fuzzy.fit(&entry.words)?;
            let letters = fit.letters;
            Some((fit.score, Entry { letters, ..entry }))
        });
        let mut found: Vec<(u32, Entry)> = found.collect();
        found.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        // Letters strewn over a text are no find beside one that has them together.
        let best = found.first().map_or(0, |&(score, _)| score);
        found.retain(|&(score, _)| score * 2 >= best);
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    /// Whether a command only moves in what is on screen, which nobody needs a list for.
    fn moves(&self, index: usize) -> bool {
        use Action::{Down, End, Home, Left, PageDown, PageUp, Right, Up};
        let command = self.palette.commands.get(index);
        command.is_some_and(|command| {
            matches!(
                command.action,
                Up | Down | Left | Right | PageUp | PageDown | Home | End
            )
        })
    }

    fn all_entries(&self) -> Vec<Entry> {
        let here = self.context_below();
        let entry = |words: String, target, holds| Entry {
            words,
            target,
            holds,
            letters: Vec::new(),
        };
        let commands = self.palette.commands.iter().enumerate();
        let commands = commands.map(|(index, command)| {
            let holds = command.holds_in(here);
            entry(command.words.to_owned(), Target::Command(index), holds)
        });
        let cells = self.lesson.cells.iter().enumerate();
        let cells = cells.map(|(index, cell)| entry(cell.title(), Target::Cell(index), true));
        commands.chain(cells).collect()
    }
}

/// Opens the palette, or closes it.
pub(crate) fn toggle(model: &mut Model) {
    let palette = &mut model.palette;
    palette.open = match palette.open {
        Some(_) => None,
        None => Some(Search::default()),
    };
}

/// Arrows, pages, home and end: which entry is marked. From the last, down leads to the first.
pub(crate) fn travel(model: &mut Model, action: &Action) {
    let count = model.palette_entries().len();
    let Some(search) = &mut model.palette.open else {
        return;
    };
    let last = count.saturating_sub(1);
    let at = search.chosen.min(last);
    search.chosen = match action {
        Action::Up if at == 0 => last,
        Action::Up => at - 1,
        Action::Down if at == last => 0,
        Action::Down => at + 1,
        Action::PageUp => at.saturating_add_signed(-PAGE),
        Action::PageDown => at.saturating_add_signed(PAGE).min(last),
        Action::Home => 0,
        Action::End => last,
        _ => at,
    };
}

/// Closes the palette on entry `chosen`, and what else lies over the page. What it asks for comes back, to
/// be done on the page; of a command that means nothing there, only where it would is said.
pub(crate) fn pick(model: &mut Model, chosen: usize) -> Option<Action> {
    let entry = model.palette_entries().into_iter().nth(chosen)?;
    model.palette.open = None;
    model.prompt = None;
    model.help = None;
    let command = match entry.target {
        Target::Command(index) => model.palette.commands.get(index).cloned(),
        Target::Cell(_) => None,
    };
    if let Some(command) = command.as_ref().filter(|_| !entry.holds) {
        let place = command.contexts.first().map_or("elsewhere", |c| c.place());
        model.notice = Some(format!("`{}` is for {place}", command.words));
        return None;
    }
    let recent = &mut model.palette.recent;
    recent.retain(|target| *target != entry.target);
    recent.insert(0, entry.target);
    recent.truncate(RECENT);
    match entry.target {
        Target::Command(_) => command.map(|command| command.action),
        Target::Cell(index) => Some(Action::GoToCell(index)),
    }
}
