//! The table of keys as people read it: place by place, for the help screen and for `tutor help keys`.

use super::binding::Binding;
use crate::app::state::Context;
use crate::document::Theme;

/// Places in the order in which the help tells of them, those with more keys first.
const PLACES: [Context; 23] = [
    Context::Home,
    Context::Search,
    Context::Prose,
    Context::Counts,
    Context::Prediction,
    Context::Table,
    Context::Calculator,
    Context::Comparison,
    Context::Lanes,
    Context::Access,
    Context::Memory,
    Context::Tiles,
    Context::BlockMap,
    Context::Code,
    Context::Ptx,
    Context::Figure,
    Context::Blocks,
    Context::Editor,
    Context::Prompt,
    Context::Palette,
    Context::Evidence,
    Context::Tour,
    Context::Welcome,
];

/// The keys of a place: its name, and keys with what they do.
pub(crate) type KeyPart = (String, Vec<(String, &'static str)>);

/// Each binding once: those that hold everywhere, then place by place.
pub(crate) fn by_place(table: &[&'static Binding], theme: Theme) -> Vec<KeyPart> {
    let mut taken: Vec<usize> = Vec::new();
    let mut rows = |fits: &dyn Fn(&Binding) -> bool| {
        let mut part = Vec::new();
        for (index, &binding) in table.iter().enumerate() {
            if !binding.help.is_empty() && !taken.contains(&index) && fits(binding) {
                taken.push(index);
                part.push((binding.key_names(theme).join("  "), binding.help));
            }
        }
        part
    };
    // Keys with control work on every page alike, though rows name the pages one by one.
    let everywhere = |row: &Binding| {
        row.contexts.is_empty() || row.control && row.contexts.contains(&Context::Prose)
    };
    let mut parts = vec![("In a lesson, everywhere".to_owned(), rows(&everywhere))];
    for place in PLACES {
        parts.push((capitalised(place.place()), rows(&|row| row.holds_in(place))));
    }
    parts
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase());
    first.into_iter().flatten().chain(letters).collect()
}
