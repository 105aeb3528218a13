//! The one table of keys. Bindings, the hints of the status bar and the help screen come from it.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::Theme;
use crate::session::{Action, Command, Context, Copied, Tab};

/// A row of the table: keys that mean the same, where, and what help says.
pub struct Binding {
    /// The keys.
    pub keys: &'static [KeyCode],
    /// Whether control is held.
    pub control: bool,
    /// What they mean.
    pub action: Action,
    /// Where they mean it; everywhere but in questions and help if empty.
    pub contexts: &'static [Context],
    /// The status bar's words; none if empty.
    pub hint: &'static str,
    /// The help screen's words; a row without them goes with the row before.
    pub help: &'static str,
}

use Context::{
    Blocks, Buffer, Counts, Explained, Figure, Help, Home as Lessons, Palette, Prompt, Prose, Ptx,
    Search, Sizes, Source, Tour, Versus, Warp,
};
use KeyCode::{
    Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up,
};

/// Where a kernel can be run.
const RUNNABLE: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes];
/// Where numbers of runs are on screen, of one cell or of two.
const NUMBERS: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes, Versus];
/// Where a cell of either kind is on screen.
const PAGES: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks,
];
/// Where the sizes stand above the cell.
const SIZED: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks];
/// Where the values of a run are looked at.
const VALUES: &[Context] = &[Buffer, Warp];
/// Every context.
const EVERYWHERE: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prompt, Help, Explained,
    Palette, Versus, Tour, Lessons, Search,
];
/// Where a lesson is open.
const IN_A_LESSON: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prompt, Help, Explained,
    Palette, Versus,
];
/// What lies over the page, and takes letters as text.
const TYPING: &[Context] = &[Prompt, Help, Palette];
/// Where lessons are chosen.
const LISTS: &[Context] = &[Lessons, Search];
/// Where up and down move through text.
const SCROLLS: &[Context] = &[Prose, Source, Counts, Buffer, Ptx, Explained, Versus];

const fn row(
    keys: &'static [KeyCode],
    action: Action,
    contexts: &'static [Context],
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        keys,
        control: false,
        action,
        contexts,
        hint,
        help,
    }
}

const fn control(key: &'static [KeyCode], action: Action, help: &'static str) -> Binding {
    Binding {
        keys: key,
        control: true,
        action,
        contexts: EVERYWHERE,
        hint: "",
        help,
    }
}

/// Every binding; the first that fits holds. Hints appear in this order.
#[rustfmt::skip]
pub static BINDINGS: &[Binding] = &[
    row(&[Enter], Action::Confirm, &[Prompt], "accept", "accept the answer"),
    row(&[Esc], Action::Back, &[Prompt], "leave it", "leave it as it was"),
    row(&[Up], Action::Up, &[Prompt], "", "in a list: the answer above"),
    row(&[Down], Action::Down, &[Prompt], "", "in a list: the answer below"),
    row(&[PageUp], Action::PageUp, &[Prompt], "", ""),
    row(&[PageDown], Action::PageDown, &[Prompt], "", ""),
    row(&[Esc, Char('?')], Action::Help, &[Help], "close", "close the help"),
    Binding { control: true, ..row(&[Char('t')], Action::Tour, &[Help], "tour", "the tour of a first visit, once more") },
    row(&[Esc, Char('i'), Char('?'), Char('q')], Action::Back, &[Explained], "close", "close it"),
    row(&[Enter], Action::Confirm, &[Palette], "do it", "do what is marked"),
    row(&[Esc], Action::Back, &[Palette], "close", "close the list"),
    row(&[Up], Action::Up, &[Palette], "", "the entry above"),
    row(&[Down], Action::Down, &[Palette], "next", "the entry below"),
    row(&[PageUp], Action::PageUp, &[Palette], "", "ten entries up"),
    row(&[PageDown], Action::PageDown, &[Palette], "", "ten entries down"),
    row(&[Home], Action::Home, &[Palette], "", "to the first entry"),
    row(&[End], Action::End, &[Palette], "", "to the last entry"),
    row(&[KeyCode::Backspace], Action::Erase, TYPING, "erase", "erase a character"),
    row(&[Char(' '), Enter, Char('n'), Right, Down, TabKey, Char('r'), Char('v'), Char('?')], Action::NextOfTour, &[Tour], "go on", ""),
    row(&[Esc, Char('x')], Action::EndTour, &[Tour], "end the tour", ""),
    row(&[Enter], Action::Confirm, LISTS, "open", "open the lesson, where you left it"),
    row(&[Up], Action::Up, LISTS, "", "the lesson above"),
    row(&[Down], Action::Down, LISTS, "choose", "the lesson below"),
    row(&[PageUp], Action::PageUp, LISTS, "", "a page up"),
    row(&[PageDown], Action::PageDown, LISTS, "", "a page down"),
    row(&[Home], Action::Home, LISTS, "", "to the first"),
    row(&[End], Action::End, LISTS, "", "to the last"),
    row(&[Char('/')], Action::Search, &[Lessons], "search", "search lessons; just typing does it too"),
    row(&[KeyCode::Backspace], Action::Erase, &[Search], "erase", "erase a letter of the search"),
    row(&[Esc], Action::Back, &[Search], "all lessons", "end the search"),
    row(&[Esc], Action::Back, &[Lessons], "", "back to the open lesson"),
    row(&[Char('?')], Action::Help, &[Lessons], "help", ""),
    row(&[Char('q')], Action::Quit, &[Lessons, Tour], "quit", ""),
    row(&[Char(' ')], Action::Advance, &[Prose], "continue", "a page on, then the next cell"),
    row(&[Left, Char('h')], Action::Left, &[Warp], "back", "one statement back"),
    row(&[Right, Char('l')], Action::Right, &[Warp], "step", "one statement on"),
    row(&[PageUp], Action::PageUp, &[Warp], "", "ten statements back"),
    row(&[PageDown, Char(' ')], Action::PageDown, &[Warp], "", "ten statements on"),
    row(&[Home], Action::Home, &[Warp], "", "to the first statement"),
    row(&[End, Char('G')], Action::End, &[Warp], "", "to the last statement"),
    row(&[Up, Char('k')], Action::Up, &[Warp], "", "the variable above"),
    row(&[Down, Char('j')], Action::Down, &[Warp], "variable", "the variable below"),
    row(&[Char('b')], Action::PickBlock, &[Warp], "block", "choose the block to watch"),
    row(&[Char('w')], Action::NextWarp, &[Warp], "warp", "watch the next warp of the block"),
    row(&[Char('W')], Action::PreviousWarp, &[Warp], "", "watch the warp before"),
    row(&[Char('d')], Action::NextDifference, &[Warp], "", "to the next value that differs on the real GPU"),
    row(&[Left, Char('h')], Action::Left, &[Ptx], "", "PTX: to the source line before"),
    row(&[Right, Char('l')], Action::Right, &[Ptx], "line", "PTX: to the next source line"),
    row(&[Enter, Char('r')], Action::Run, &[Versus], "run both", "side by side: run both cells"),
    row(&[TabKey], Action::NextFocus, &[Versus], "totals or sources", "side by side: totals or sources"),
    row(&[Esc, Char('x')], Action::Back, &[Versus], "close", "side by side: close it"),
    row(&[Left, Char('h')], Action::Left, &[Figure], "back", "the point before"),
    row(&[Right, Char('l')], Action::Right, &[Figure], "on", "the next point"),
    row(&[Up, Char('k')], Action::Up, &[Figure], "", "the series above"),
    row(&[Down, Char('j')], Action::Down, &[Figure], "series", "the series below"),
    row(&[PageUp], Action::PageUp, &[Figure], "", "ten points back"),
    row(&[PageDown], Action::PageDown, &[Figure], "", "ten points on"),
    row(&[TabKey], Action::NextFocus, &[Figure], "", "the next plot of the figure"),
    row(&[KeyCode::BackTab], Action::PreviousFocus, &[Figure], "", "the plot before"),
    row(&[Left, Char('h')], Action::Left, &[Blocks], "back", "one block back"),
    row(&[Right, Char('l')], Action::Right, &[Blocks], "on", "one block on"),
    row(&[Char(' ')], Action::Play, &[Blocks], "play", "let the blocks come by themselves, or stop"),
    row(&[PageUp, Up, Char('k')], Action::PageUp, &[Blocks], "", "ten blocks back"),
    row(&[PageDown, Down, Char('j')], Action::PageDown, &[Blocks], "ten on", "ten blocks on"),
    row(&[Home], Action::Home, &[Figure, Blocks], "", "to the first point, or before the first block"),
    row(&[End, Char('G')], Action::End, &[Figure, Blocks], "", "to the last point or block"),
    row(&[Enter, Char('r')], Action::Run, &[Figure, Blocks], "run", "run the cells that the figure shows"),
    row(&[Enter, Char('r')], Action::Run, RUNNABLE, "run", "run this cell; again: start over"),
    row(&[Enter], Action::Advance, &[Prose], "", ""),
    row(&[Char('n')], Action::NextCell, &[], "next", "next cell"),
    row(&[Char('p')], Action::PreviousCell, &[], "", "previous cell"),
    row(&[Left, Char('h')], Action::Left, &[Sizes], "", "the size before"),
    row(&[Right, Char('l')], Action::Right, &[Sizes], "which size", "the next size"),
    row(&[Up, Char('k')], Action::Up, &[Sizes], "more", "a step up"),
    row(&[Down, Char('j')], Action::Down, &[Sizes], "less", "a step down"),
    row(&[PageUp], Action::PageUp, &[Sizes], "", "double it"),
    row(&[PageDown], Action::PageDown, &[Sizes], "", "halve it"),
    row(&[Char('s')], Action::Show(Tab::Source), RUNNABLE, "source", "the source"),
    row(&[Char('c')], Action::Show(Tab::Counts), RUNNABLE, "counts", "the counts"),
    row(&[Char('v')], Action::Show(Tab::Values), RUNNABLE, "values", "the values; again: the next buffer"),
    row(&[Char('V')], Action::PreviousItem, VALUES, "", "the buffer before"),
    row(&[TabKey], Action::NextFocus, RUNNABLE, "focus", "the next pane, or the sizes"),
    row(&[KeyCode::BackTab], Action::PreviousFocus, RUNNABLE, "", "the pane before"),
    row(&[Char('t')], Action::Show(Tab::Ptx), RUNNABLE, "ptx", "the PTX, under the lines of the source"),
    row(&[Char('+'), Char('=')], Action::Increase, SIZED, "", "make the chosen size larger"),
    row(&[Char('-')], Action::Decrease, SIZED, "", "make it smaller"),
    row(&[Char('>')], Action::Double, SIZED, "", "double it"),
    row(&[Char('<')], Action::Halve, SIZED, "", "halve it"),
    row(&[Char('e')], Action::SwitchEngine, PAGES, "", "a real GPU beside the simulated one, or that alone"),
    row(&[Char('m')], Action::NextMargin, RUNNABLE, "margin", "the margin counts the next measure"),
    row(&[Char('M')], Action::PickMargin, RUNNABLE, "", "choose what the margin counts"),
    row(&[Char('C')], Action::Compare, NUMBERS, "", "this cell beside another one, and close it"),
    row(&[Char('i')], Action::Explain, NUMBERS, "", "where the numbers on screen come from"),
    row(&[Char('U')], Action::PickGpu, RUNNABLE, "", "choose the GPU that is simulated"),
    row(&[Char(']')], Action::NextLaunch, RUNNABLE, "launch", "the next launch"),
    row(&[Char('[')], Action::PreviousLaunch, RUNNABLE, "", "the launch before"),
    row(&[Char('z')], Action::Zoom, RUNNABLE, "", "widen the output, or narrow it"),
    row(&[Esc, Char('x')], Action::Back, &[], "", "cancel the run"),
    row(&[Char('R')], Action::RunAll, &[], "", "run every cell"),
    row(&[Char('H')], Action::GoHome, PAGES, "lessons", "all lessons; what you did here stays"),
    row(&[Char('B')], Action::GoOn, PAGES, "", "back to where you left this lesson the last time"),
    row(&[Char('g')], Action::GoTo, &[], "go to", "go to a cell, line, element or step"),
    row(&[Up], Action::Up, &[Help], "", "up"),
    row(&[Down], Action::Down, &[Help], "", "down"),
    row(&[PageUp], Action::PageUp, &[Help], "", "a page up"),
    row(&[PageDown], Action::PageDown, &[Help], "page", "a page down"),
    row(&[Home], Action::Home, &[Help], "", "to the start"),
    row(&[End], Action::End, &[Help], "", "to the end"),
    row(&[Up, Char('k')], Action::Up, SCROLLS, "", "up"),
    row(&[Down, Char('j')], Action::Down, SCROLLS, "", "down"),
    row(&[Left, Char('h')], Action::Left, &[Buffer, Source], "", "left"),
    row(&[Right, Char('l')], Action::Right, &[Buffer, Source], "", "right"),
    row(&[PageUp], Action::PageUp, SCROLLS, "", "a page up"),
    row(&[PageDown], Action::PageDown, SCROLLS, "", "a page down"),
    row(&[Char(' ')], Action::PageDown, &[Source, Counts, Explained, Buffer, Ptx, Versus], "", ""),
    row(&[Home], Action::Home, &[Prose, Source, Counts, Explained, Buffer, Ptx, Sizes, Versus], "", "to the start"),
    row(&[End, Char('G')], Action::End, &[Prose, Source, Counts, Explained, Buffer, Ptx, Sizes, Versus], "", "to the end"),
    row(&[Char('y')], Action::Copy(Copied::Pane), &[], "", "copy this pane: source, counts, values"),
    row(&[Char('Y')], Action::Copy(Copied::Cell), &[], "", "copy this cell with its numbers, as Markdown"),
    row(&[Char('#')], Action::Copy(Copied::Link), &[], "", "copy the link that opens this place"),
    row(&[Char('X')], Action::Export, &[], "", "write the lesson with its results to a file"),
    row(&[Char('T')], Action::NextScheme, &[], "", "the next theme: dark, light, high contrast, …"),
    Binding { control: true, ..row(&[Char('p')], Action::Palette, IN_A_LESSON, "", "find any command or cell by a part of its name") },
    row(&[Char(':')], Action::Palette, &[], "commands", ""),
    control(&[Char('z')], Action::Suspend, "suspend; fg comes back"),
    control(&[Char('c')], Action::Quit, ""),
    row(&[Char('?')], Action::Help, &[], "help", "these keys"),
    row(&[Char('q')], Action::Quit, &[], "quit", "quit"),
];

impl Binding {
    /// Whether its keys mean this in `context`.
    pub fn holds_in(&self, context: Context) -> bool {
        self.command(0).holds_in(context)
    }

    /// What the palette makes of it, as row `row` of the table.
    fn command(&self, row: usize) -> Command {
        Command {
            words: self.help,
            action: self.action.clone(),
            contexts: self.contexts,
            row,
        }
    }

    /// Its keys, and those of rows without words that mean the same.
    pub fn key_names(&'static self, theme: Theme) -> Vec<String> {
        let same = |other: &&Binding| {
            other.help.is_empty() && other.action == self.action && self.meets(other)
        };
        let others = BINDINGS.iter().filter(same);
        let rows = std::iter::once(self).chain(others);
        let mut names = Vec::new();
        for row in rows {
            for &key in row.keys {
                let name = name(key, row.control, theme);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Whether there is a place where both hold.
    fn meets(&self, other: &Binding) -> bool {
        EVERYWHERE
            .iter()
            .any(|&context| self.holds_in(context) && other.holds_in(context))
    }
}

/// Everything that a key does, for the palette: the rows of the table that have words.
pub fn commands() -> Vec<Command> {
    let rows = BINDINGS.iter().enumerate();
    let on_the_page = |row: &Binding| {
        let mut contexts = row.contexts.iter();
        row.contexts.is_empty() || contexts.any(|context| !context.is_over_the_page())
    };
    let told = rows.filter(|(_, row)| !row.help.is_empty() && on_the_page(row));
    told.map(|(index, row)| row.command(index)).collect()
}

/// What a key means in `context`. Digits, and everything typed into a question, are typing.
pub fn action(key: KeyEvent, context: Context) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let fits = |binding: &&Binding| {
        binding.control == control && binding.keys.contains(&key.code) && binding.holds_in(context)
    };
    if let Some(binding) = BINDINGS.iter().find(fits) {
        return Some(binding.action.clone());
    }
    match key.code {
        Char(c)
            if !control
                && (context.takes_text() || c.is_ascii_digit() && SIZED.contains(&context)) =>
        {
            Some(Action::Type(c))
        }
        _ => None,
    }
}

/// The hints of `context`: a key's name and what it does.
pub fn hints(context: Context, theme: Theme) -> impl Iterator<Item = (String, &'static str)> {
    let rows = BINDINGS.iter();
    let rows = rows.filter(move |row| !row.hint.is_empty() && row.holds_in(context));
    rows.map(move |row| (name(row.keys[0], row.control, theme), row.hint))
}

/// The name of the first key that means `action` in `context`; nothing if none does.
pub fn key_of(action: &Action, context: Context, theme: Theme) -> String {
    let fits = |row: &&Binding| row.action == *action && row.holds_in(context);
    let rows = BINDINGS.iter().filter(fits);
    // A plain key is easier to tell, and to press, than one with control.
    let row = rows.min_by_key(|row| row.control);
    row.map_or_else(String::new, |row| name(row.keys[0], row.control, theme))
}

/// The name of a key.
pub fn name(key: KeyCode, control: bool, theme: Theme) -> String {
    let name = match key {
        Char(' ') => "space".to_owned(),
        Char(c) => c.to_string(),
        Enter => "enter".to_owned(),
        Esc => "esc".to_owned(),
        TabKey => "tab".to_owned(),
        KeyCode::BackTab => "shift-tab".to_owned(),
        KeyCode::Backspace => "backspace".to_owned(),
        Left => theme.glyph("\u{2190}", "left").to_owned(),
        Right => theme.glyph("\u{2192}", "right").to_owned(),
        Up => theme.glyph("\u{2191}", "up").to_owned(),
        Down => theme.glyph("\u{2193}", "down").to_owned(),
        PageUp => "pgup".to_owned(),
        PageDown => "pgdn".to_owned(),
        other => format!("{other}").to_lowercase(),
    };
    if control {
        format!("ctrl-{name}")
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice_where_it_holds() {
        for &context in EVERYWHERE {
            let mut seen = Vec::new();
            for binding in BINDINGS.iter().filter(|binding| binding.holds_in(context)) {
                for &key in binding.keys {
                    let key = (key, binding.control);
                    let again = seen.iter().find(|(k, _)| *k == key);
                    assert!(
                        again.is_none_or(|(_, action)| *action == &binding.action),
                        "{key:?} in {context:?}"
                    );
                    seen.push((key, &binding.action));
                }
            }
        }
    }

    #[test]
    fn every_place_can_be_left_and_helped() {
        let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
        for context in [
            Prose, Sizes, Source, Counts, Buffer, Warp, Ptx, Figure, Blocks,
        ] {
            assert_eq!(action(key(Char('q')), context), Some(Action::Quit));
            assert_eq!(action(key(Char('?')), context), Some(Action::Help));
        }
        assert_eq!(action(key(Char('q')), Lessons), Some(Action::Quit));
        assert_eq!(action(key(Char('?')), Lessons), Some(Action::Help));
        assert_eq!(action(key(Char('q')), Search), Some(Action::Type('q')));
        assert_eq!(action(key(Esc), Search), Some(Action::Back));
        assert_eq!(action(key(Esc), Tour), Some(Action::EndTour));
        assert_eq!(action(key(Esc), Prompt), Some(Action::Back));
        assert_eq!(action(key(Esc), Help), Some(Action::Help));
        let quit = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
        assert!(
            EVERYWHERE
                .iter()
                .all(|&context| action(quit, context) == Some(Action::Quit))
        );
    }

    #[test]
    fn digits_are_typed_where_sizes_are() {
        let seven = KeyEvent::new(Char('7'), KeyModifiers::NONE);
        assert_eq!(action(seven, Source), Some(Action::Type('7')));
        assert_eq!(action(seven, Prose), None);
        let letter = KeyEvent::new(Char('q'), KeyModifiers::NONE);
        assert_eq!(action(letter, Prompt), Some(Action::Type('q')));
    }
}
