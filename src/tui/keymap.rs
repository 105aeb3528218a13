//! The one table of keys. Bindings, the hints of the status bar and the help screen come from it.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::Theme;
use crate::session::{Action, Context, Motion, Stroke, Tab};

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
    Blocks, Buffer, Counts, Editor, Figure, Help, Home as Lessons, Prompt, Prose, Ptx, Search,
    Sizes, Source, Tour, Versus, Warp,
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
/// Where what was changed in a kernel is at hand.
const EDITED: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes, Editor];
/// Every context but the editor, which has the usual keys of editors.
const EVERYWHERE: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prompt, Help, Versus, Tour,
    Lessons, Search,
];
/// Where lessons are chosen.
const LISTS: &[Context] = &[Lessons, Search];
/// Where up and down move through text.
const SCROLLS: &[Context] = &[Prose, Source, Counts, Buffer, Ptx, Help, Versus];

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

/// A key of the editor.
const fn edit(
    keys: &'static [KeyCode],
    stroke: Stroke,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    row(keys, Action::Edit(stroke), &[Editor], hint, help)
}

/// A key of the editor, with control.
const fn edit_control(
    keys: &'static [KeyCode],
    stroke: Stroke,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    with_control(keys, Action::Edit(stroke), &[Editor], hint, help)
}

const fn with_control(
    keys: &'static [KeyCode],
    action: Action,
    contexts: &'static [Context],
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        keys,
        control: true,
        action,
        contexts,
        hint,
        help,
    }
}

/// Every binding; the first that fits holds. Hints appear in this order.
#[rustfmt::skip]
pub static BINDINGS: &[Binding] = &[
    row(&[Esc], Action::Back, &[Editor], "done", "leave the editor; the edit stays"),
    row(&[Enter], Action::Confirm, &[Prompt], "accept", "accept the answer"),
    row(&[Esc], Action::Back, &[Prompt], "leave it", "leave it as it was"),
    row(&[Up], Action::Up, &[Prompt], "", "in a list: the answer above"),
    row(&[Down], Action::Down, &[Prompt], "", "in a list: the answer below"),
    row(&[PageUp], Action::PageUp, &[Prompt], "", ""),
    row(&[PageDown], Action::PageDown, &[Prompt], "", ""),
    row(&[KeyCode::Backspace], Action::Erase, &[Prompt], "erase", "erase a character"),
    row(&[Esc, Char('?'), Char('q'), KeyCode::F(1)], Action::Help, &[Help], "close", ""),
    row(&[Char('t')], Action::Tour, &[Help], "tour", "the tour of a first visit, once more"),
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
    row(&[Char('E')], Action::EditKernel, RUNNABLE, "edit", "edit the kernel; its counts follow what you type"),
    with_control(&[Char('e')], Action::OpenEditor, EDITED, "", "open the kernel in $VISUAL or $EDITOR"),
    with_control(&[Char('d')], Action::ShowChanges, EDITED, "", "what you changed in the kernel, or the text again"),
    with_control(&[Char('o')], Action::ResetKernel, EDITED, "", "the kernel as the lesson has it; asks first"),
    row(&[Char('+'), Char('=')], Action::Increase, SIZED, "", "make the chosen size larger"),
    row(&[Char('-')], Action::Decrease, SIZED, "", "make it smaller"),
    row(&[Char('>')], Action::Double, SIZED, "", "double it"),
    row(&[Char('<')], Action::Halve, SIZED, "", "halve it"),
    row(&[Char('e')], Action::SwitchEngine, PAGES, "", "a real GPU beside the simulated one, or that alone"),
    row(&[Char('m')], Action::NextMargin, RUNNABLE, "margin", "the margin counts the next measure"),
    row(&[Char('M')], Action::PickMargin, RUNNABLE, "", "choose what the margin counts"),
    row(&[Char('C')], Action::Compare, NUMBERS, "", "this cell beside another one, and close it"),
    row(&[Char('i')], Action::Explain, NUMBERS, "", "where the numbers on screen come from"),
    row(&[Char('i')], Action::Explain, &[Help], "", ""),
    row(&[Char('U')], Action::PickGpu, RUNNABLE, "", "choose the GPU that is simulated"),
    row(&[Char(']')], Action::NextLaunch, RUNNABLE, "launch", "the next launch"),
    row(&[Char('[')], Action::PreviousLaunch, RUNNABLE, "", "the launch before"),
    row(&[Char('z')], Action::Zoom, RUNNABLE, "", "widen the output, or narrow it"),
    row(&[Esc, Char('x')], Action::Back, &[], "", "cancel the run"),
    row(&[Char('R')], Action::RunAll, &[], "", "run every cell"),
    row(&[Char('H')], Action::GoHome, PAGES, "lessons", "all lessons; what you did here stays"),
    row(&[Char('B')], Action::GoOn, PAGES, "", "back to where you left this lesson the last time"),
    row(&[Char('g')], Action::GoTo, &[], "go to", "go to a cell, line, element or step"),
    row(&[Up, Char('k')], Action::Up, SCROLLS, "", "up"),
    row(&[Down, Char('j')], Action::Down, SCROLLS, "", "down"),
    row(&[Left, Char('h')], Action::Left, &[Buffer, Source], "", "left"),
    row(&[Right, Char('l')], Action::Right, &[Buffer, Source], "", "right"),
    row(&[PageUp], Action::PageUp, SCROLLS, "", "a page up"),
    row(&[PageDown], Action::PageDown, SCROLLS, "", "a page down"),
    row(&[Char(' ')], Action::PageDown, &[Source, Counts, Help, Buffer, Ptx, Versus], "", ""),
    row(&[Home], Action::Home, &[Prose, Source, Counts, Help, Buffer, Ptx, Sizes, Versus], "", "to the start"),
    row(&[End, Char('G')], Action::End, &[Prose, Source, Counts, Help, Buffer, Ptx, Sizes, Versus], "", "to the end"),
    edit(&[Left], Stroke::Move(Motion::Left), "", "a character left; with shift, select; so with all moves"),
    edit(&[Right], Stroke::Move(Motion::Right), "", "a character right"),
    edit(&[Up], Stroke::Move(Motion::Up), "", "a line up"),
    edit(&[Down], Stroke::Move(Motion::Down), "", "a line down"),
    edit_control(&[Left], Stroke::Move(Motion::WordLeft), "", "a word left"),
    edit_control(&[Right], Stroke::Move(Motion::WordRight), "", "a word right"),
    edit(&[Home], Stroke::Move(Motion::LineStart), "", "to the start of the line"),
    edit(&[End], Stroke::Move(Motion::LineEnd), "", "to the end of the line"),
    edit(&[PageUp], Stroke::Move(Motion::PageUp), "", "a page up"),
    edit(&[PageDown], Stroke::Move(Motion::PageDown), "", "a page down"),
    edit_control(&[Home], Stroke::Move(Motion::Start), "", "to the start of the text"),
    edit_control(&[End], Stroke::Move(Motion::End), "", "to the end of the text"),
    edit(&[Enter], Stroke::Newline, "", "a new line, as far in as this one"),
    edit(&[KeyCode::Backspace], Stroke::Erase, "", "erase the character before, or the selection"),
    edit_control(&[Char('h')], Stroke::Erase, "", ""),
    edit(&[KeyCode::Delete], Stroke::Delete, "", "erase the character behind, or the selection"),
    edit_control(&[Char('w'), KeyCode::Backspace], Stroke::EraseWord, "", "erase the word before"),
    edit_control(&[KeyCode::Delete], Stroke::DeleteWord, "", "erase the word behind"),
    edit(&[TabKey], Stroke::Indent, "", "indent, or the selected lines"),
    edit(&[KeyCode::BackTab], Stroke::Outdent, "", "outdent the line, or the selected ones"),
    edit_control(&[Char('/'), Char('7')], Stroke::Comment, "", "make the line a comment, or code again"),
    edit_control(&[Char('a')], Stroke::SelectAll, "", "select everything"),
    edit_control(&[Char('c')], Stroke::Copy, "", "copy the selection, or the line"),
    edit_control(&[Char('x')], Stroke::Cut, "", "cut the selection, or the line"),
    edit_control(&[Char('v')], Stroke::Paste, "", "paste what was cut or copied"),
    edit_control(&[Char('z')], Stroke::Undo, "undo", "undo"),
    edit_control(&[Char('y')], Stroke::Redo, "", "redo"),
    edit_control(&[Char('f')], Stroke::Find, "find", "find"),
    edit(&[KeyCode::F(3)], Stroke::FindNext, "", "the next place found; with shift, the one before"),
    edit(&[KeyCode::F(8)], Stroke::NextFinding, "next error", "the next error or warning; with shift, the one before"),
    with_control(&[Char('g')], Action::GoTo, &[Editor], "", "go to a line"),
    with_control(&[Char('s')], Action::Run, &[Editor], "", "run the cell, as enter does outside; edits are always kept"),
    row(&[KeyCode::F(1)], Action::Help, &[Editor], "help", "these keys"),
    with_control(&[Char('q')], Action::Quit, &[Editor], "", "quit"),
    control(&[Char('z')], Action::Suspend, "suspend; fg comes back"),
    control(&[Char('c')], Action::Quit, ""),
    row(&[Char('?')], Action::Help, &[], "help", "these keys"),
    row(&[Char('q')], Action::Quit, &[], "quit", "quit; ctrl-c too"),
];

impl Binding {
    fn holds_in(&self, context: Context) -> bool {
        if self.contexts.is_empty() {
            return !matches!(context, Prompt | Help | Tour | Lessons | Search | Editor);
        }
        self.contexts.contains(&context)
    }
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
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        return Some(match (&binding.action, shift) {
            (Action::Edit(stroke), true) => Action::Edit(shifted(stroke.clone())),
            (action, _) => action.clone(),
        });
    }
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        Char(c) if context == Editor && !control && !alt => Some(Action::Edit(Stroke::Insert(c))),
        Char(c)
            if !control
                && (matches!(context, Prompt | Lessons | Search)
                    || c.is_ascii_digit() && SIZED.contains(&context)) =>
        {
            Some(Action::Type(c))
        }
        _ => None,
    }
}

/// What shift makes of a key of the editor.
fn shifted(stroke: Stroke) -> Stroke {
    match stroke {
        Stroke::Move(motion) => Stroke::Select(motion),
        Stroke::FindNext => Stroke::FindPrevious,
        Stroke::NextFinding => Stroke::PreviousFinding,
        other => other,
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
        for &context in EVERYWHERE.iter().chain(&[Editor]) {
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
