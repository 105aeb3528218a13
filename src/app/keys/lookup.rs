//! The table of keys as the program reads it: what a key means, which keys mean something, and their names.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::binding::{Binding, EVERYWHERE, RUNNABLE, SIZED};
use super::overview::{self, KeyPart};
use super::{cells, editor, inspector, pages, windows};
use crate::app::state::{
    Action, Command, Context, EditCommand, EditorAction, PopupAction, PredictionAction,
};
use crate::document::Theme;
use Context::{Calculator, Editor, Prediction};
use KeyCode::{Char, Down, Enter, Esc, Left, PageDown, PageUp, Right, Tab as TabKey, Up};

/// Every binding, in order.
pub fn bindings() -> impl Iterator<Item = &'static Binding> {
    let files = [
        windows::ROWS,
        cells::ROWS,
        inspector::ROWS,
        pages::ROWS,
        editor::ROWS,
    ];
    files.into_iter().flatten()
}

/// The table as people read it.
pub(crate) fn keys_by_place(theme: Theme) -> Vec<KeyPart> {
    overview::by_place(&bindings().collect::<Vec<_>>(), theme)
}

/// The keys that mean something in `context`, most useful first, each with what it does. Those of exercises stand there only
/// if it `has_exercise`.
pub fn keys_here(
    theme: Theme,
    context: Context,
    has_exercise: bool,
) -> Vec<(String, &'static str)> {
    let mut rows: Vec<&Binding> = Vec::new();
    let is_held = |row: &&Binding| !row.keys.is_empty() && row.holds_in(context);
    for row in bindings().filter(is_held) {
        if !has_exercise && row.is_of_exercises() {
            continue;
        }
        // The first row that says it wins, as it does when the key is pressed.
        let is_new = rows.iter().all(|other| other.action != row.action);
        // Nobody has to be told of arrows and pages, but for what they mean here.
        let is_told = !matches!(row.action, Action::Move(_)) || !row.hint.is_empty();
        if is_new && is_told && !row.help.is_empty() {
            rows.push(row);
        }
    }
    // What the bottom line has room for is what is pressed most.
    rows.sort_by_key(|row| row.hint.is_empty());
    let named = rows.into_iter();
    named
        .map(|row| (row.key_names(theme).join(" "), row.help))
        .collect()
}

impl Binding {
    /// Whether its keys mean this in `context`.
    pub fn holds_in(&self, context: Context) -> bool {
        self.command(0).holds_in(context)
    }

    /// Whether it asks for what only an exercise has, on a page that may be one.
    fn is_of_exercises(&self) -> bool {
        let asks = [Action::Hint, Action::Prediction(PredictionAction::Skip)];
        self.contexts == RUNNABLE && asks.contains(&self.action)
    }

    /// What the palette makes of it, as row `row` of the table.
    fn command(&self, row: usize) -> Command {
        Command {
            words: self.help,
            action: self.action.clone(),
            contexts: self.contexts,
            is_hinted: !self.hint.is_empty(),
            row,
        }
    }

    /// Its keys, and those of rows without words that mean the same.
    pub fn key_names(&'static self, theme: Theme) -> Vec<String> {
        let same = |other: &&Binding| {
            other.help.is_empty() && other.action == self.action && self.meets(other)
        };
        let others = bindings().filter(same);
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

/// What keys do, for the palette: the rows of the table that have words, but for steps of a cursor. Those are pressed
/// again and again, and nobody types their names.
pub fn commands() -> Vec<Command> {
    let rows = bindings().enumerate();
    let on_the_page = |row: &Binding| {
        let mut contexts = row.contexts.iter();
        row.contexts.is_empty() || contexts.any(|context| !context.is_over_the_page())
    };
    let is_step = |row: &Binding| {
        let moves = |command: &EditCommand| matches!(command, EditCommand::Move(_));
        match &row.action {
            Action::Move(_) => true,
            Action::Editor(EditorAction::Edit(command)) => moves(command),
            _ => false,
        }
    };
    let commands =
        rows.filter(|(_, row)| !row.help.is_empty() && on_the_page(row) && !is_step(row));
    commands.map(|(index, row)| row.command(index)).collect()
}

/// What a key means in `context`. Digits go to the field that is marked: a size, an input, the answer; into what asks goes
/// everything.
pub fn action(key: KeyEvent, context: Context) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let fits = |binding: &&Binding| {
        binding.control == control && binding.keys.contains(&key.code) && binding.holds_in(context)
    };
    if let Some(binding) = bindings().find(fits) {
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        return Some(match (&binding.action, shift) {
            (Action::Editor(EditorAction::Edit(command)), true) => {
                Action::Editor(EditorAction::Edit(shifted(command.clone())))
            }
            (action, _) => action.clone(),
        });
    }
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        Char(c) if context == Editor && !control && !alt => {
            Some(Action::Editor(EditorAction::Edit(EditCommand::Insert(c))))
        }
        Char(c) if !control && begins_value(c, context) => {
            Some(Action::Popup(PopupAction::Type(c)))
        }
        _ => None,
    }
}

/// What shift makes of a key of the editor.
fn shifted(command: EditCommand) -> EditCommand {
    match command {
        EditCommand::Move(motion) => EditCommand::Select(motion),
        EditCommand::FindNext => EditCommand::FindPrevious,
        EditCommand::NextFinding => EditCommand::PreviousFinding,
        other => other,
    }
}

/// Whether `c` is typed text in `context`, or the beginning of it: of a formula, too, where one may
/// answer.
fn begins_value(c: char, context: Context) -> bool {
    match context {
        place if place.takes_text() => true,
        Prediction => c.is_ascii_digit() || c.is_ascii_uppercase() || c == '(',
        Calculator => c.is_ascii_digit(),
        _ => c.is_ascii_digit() && SIZED.contains(&context),
    }
}

/// The hints of `context`: a key's name and what it does.
pub fn hints(context: Context, theme: Theme) -> impl Iterator<Item = (String, &'static str)> {
    let rows = bindings();
    let rows = rows.filter(move |row| !row.hint.is_empty() && row.holds_in(context));
    rows.map(move |row| (name(row.keys[0], row.control, theme), row.hint))
}

/// The name of the first key that means `action` in `context`; nothing if none does.
pub fn key_of(action: &Action, context: Context, theme: Theme) -> String {
    let fits = |row: &&Binding| row.action == *action && row.holds_in(context);
    let rows = bindings().filter(fits);
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
    use Context::{
        Access, Blocks, Code, Counts, Figure, Home as Lessons, Lanes, Memory, Prompt, Prose, Ptx,
        Search, Table, Tour, Welcome,
    };

    #[test]
    fn no_key_is_bound_twice_where_it_holds() {
        for &context in EVERYWHERE.iter().chain(&[Editor]) {
            let mut seen = Vec::new();
            for binding in bindings().filter(|binding| binding.holds_in(context)) {
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
    fn a_key_means_the_same_wherever_it_means_something() {
        let typed = |context: &Context| context.takes_text() || *context == Editor;
        let mut seen: Vec<((KeyCode, bool), &Action)> = Vec::new();
        for &context in EVERYWHERE.iter().filter(|context| !typed(context)) {
            for binding in bindings().filter(|binding| binding.holds_in(context)) {
                for &key in binding.keys {
                    let key = (key, binding.control);
                    let again = seen.iter().find(|(k, _)| *k == key);
                    let meaning = again.map_or(&binding.action, |(_, action)| action);
                    assert_eq!(meaning, &binding.action, "{key:?} in {context:?}");
                    seen.push((key, &binding.action));
                }
            }
        }
    }

    #[test]
    fn six_keys_are_shown_and_the_list_of_this_place_is_short() {
        let theme = Theme::new(crate::document::Depth::None, true);
        for &context in EVERYWHERE.iter().filter(|context| !context.takes_text()) {
            let hints = hints(context, theme).filter(|(_, what)| *what != "quit");
            assert!(hints.count() <= 7, "{context:?}");
        }
        let run = keys_here(theme, Lanes, false);
        let first: Vec<&str> = run.iter().take(6).map(|(keys, _)| &**keys).collect();
        assert!(run.len() > 20 && first.contains(&"tab"), "{first:?}");
    }

    #[test]
    fn every_place_can_be_left_and_helped() {
        let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
        for context in [
            Prose, Code, Lanes, Access, Memory, Counts, Ptx, Figure, Blocks, Prediction, Table,
            Calculator,
        ] {
            assert_eq!(action(key(Char('q')), context), Some(Action::Quit));
            assert_eq!(
                action(key(Char('?')), context),
                Some(Action::Popup(PopupAction::Help))
            );
        }
        assert_eq!(action(key(Char('q')), Lessons), Some(Action::Quit));
        assert_eq!(
            action(key(Char('?')), Lessons),
            Some(Action::Popup(PopupAction::Help))
        );
        assert_eq!(
            action(key(Char('q')), Search),
            Some(Action::Popup(PopupAction::Type('q')))
        );
        assert_eq!(action(key(Esc), Search), Some(Action::Back));
        assert_eq!(action(key(Esc), Tour), Some(Action::Back));
        assert_eq!(action(key(Esc), Prompt), Some(Action::Back));
        assert_eq!(action(key(Char('q')), Welcome), Some(Action::Quit));
        let quit = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
        for &context in EVERYWHERE.iter().chain(&[Welcome]) {
            assert_eq!(action(quit, context), Some(Action::Quit), "{context:?}");
        }
    }

    #[test]
    fn a_hint_names_a_key_that_does_it() {
        for &context in EVERYWHERE.iter().chain(&[Editor]) {
            for row in bindings().filter(|row| !row.hint.is_empty() && row.holds_in(context)) {
                let modifiers = match row.control {
                    true => KeyModifiers::CONTROL,
                    false => KeyModifiers::NONE,
                };
                let done = action(KeyEvent::new(row.keys[0], modifiers), context);
                assert_eq!(
                    done.as_ref(),
                    Some(&row.action),
                    "{} in {context:?}",
                    row.hint
                );
            }
        }
    }

    #[test]
    fn the_help_has_every_row_that_has_words() {
        let theme = Theme::new(crate::document::Depth::None, true);
        let parts = keys_by_place(theme);
        let words: Vec<&str> = parts
            .iter()
            .flat_map(|(_, rows)| rows.iter().map(|row| row.1))
            .collect();
        for row in bindings().filter(|row| !row.help.is_empty()) {
            assert!(words.contains(&row.help), "{}", row.help);
        }
    }

    #[test]
    fn the_palette_offers_what_is_done_once() {
        let commands = commands();
        let offers = |words: &str| commands.iter().any(|command| command.words == words);
        assert!(offers("run every cell") && offers("the next launch"));
        assert!(!offers("a page down") && !offers("one statement on"));
    }

    #[test]
    fn digits_are_typed_where_sizes_are() {
        let seven = KeyEvent::new(Char('7'), KeyModifiers::NONE);
        assert_eq!(
            action(seven, Code),
            Some(Action::Popup(PopupAction::Type('7')))
        );
        assert_eq!(action(seven, Prose), None);
        let letter = KeyEvent::new(Char('q'), KeyModifiers::NONE);
        assert_eq!(
            action(letter, Prompt),
            Some(Action::Popup(PopupAction::Type('q')))
        );
    }
}
