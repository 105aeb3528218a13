//! The front matter of a lesson: what it is called, its sizes, named values and recordings.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::recordings::read_recordings;
use crate::lesson::cells::check_names;
use crate::lesson::course::{OtherLessons, read_course};
use crate::lesson::formula::NamedValue;
use crate::lesson::outline::Lesson;
use crate::lesson::reader::{Findings, Placed, Table, TomlText};
use crate::lesson::sizes::Size;
use crate::source::Diagnostic;

/// What stands between the first line, `+++`, and the next such line.
pub(crate) fn front_matter(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        match (start, line.trim_end() == "+++") {
            (None, true) => start = Some(at + line.len()),
            (None, false) => return None,
            (Some(start), true) => return Some(start..at),
            (Some(_), false) => {}
        }
        at += line.len();
    }
    None
}

/// The lesson without cells, with guesses for what is missing so that cells still read; nothing if it is no
/// TOML.
pub(super) fn read_front(
    file: &str,
    range: Range<usize>,
    others: &OtherLessons,
    findings: &Findings,
) -> Option<Lesson> {
    let text = TomlText {
        file,
        base: range.start,
        values: &[],
        findings,
    };
    let mut table = Table::parse(&file[range], text, "the front matter")?;
    let id: Option<Placed<String>> = table.required("id");
    let id = id.map(|id| checked_id(id, findings));
    let title: Option<String> = table.required("title");
    let summary: Option<String> = table.required("summary");
    let minutes: Option<u64> = table.required("minutes");
    // Before `finish`, which complains about all keys that nobody took.
    let course = read_course(&mut table, id.as_deref(), others);
    let sizes = table.optional_table("sizes", "the list of sizes");
    let values = table.optional_table("values", "the list of values");
    let recordings = table.optional_tables("recordings", "a recording");
    table.finish();
    let sizes = sizes.map_or_else(Vec::new, read_sizes);
    Some(Lesson {
        id: id.unwrap_or_default(),
        title: title.unwrap_or_default(),
        summary: summary.unwrap_or_default(),
        minutes: minutes.map_or(0, |minutes| u32::try_from(minutes).unwrap_or(u32::MAX)),
        course,
        values: values.map_or_else(Vec::new, |table| read_values(table, &sizes)),
        recordings: read_recordings(recordings, &sizes, findings),
        sizes,
        begins: BTreeMap::new(),
        cells: Vec::new(),
        notes: BTreeMap::new(),
        digests: BTreeMap::new(),
    })
}

/// The id, which becomes the name of files: of recordings and of edited kernels.
fn checked_id(id: Placed<String>, findings: &Findings) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    if id.value.is_empty() || !id.value.chars().all(is_part) {
        let message = format!("`{}` is no id of a lesson", id.value);
        let help = "an id has letters, digits, `-` and `_`, as in `bank-conflicts`";
        findings.add(Diagnostic::error(id.span, message).help(help));
    }
    id.value
}

fn read_sizes(table: Table) -> Vec<Size> {
    let tables = table.tables_by_key("a size").into_iter();
    tables
        .map(|(name, table)| read_size(name.value, table))
        .collect()
}

/// The size, with guesses for what is missing so that formulas over it still read.
fn read_size(name: String, mut table: Table) -> Size {
    let findings = table.text.findings;
    let label: Option<String> = table.required("label");
    let default: Option<Placed<u64>> = table.required("default");
    let values = table.optional_numbers("values").map(|values| {
        let values = values.into_iter().map(|value| value.value);
        values.collect::<Vec<u64>>()
    });
    let (min, max) = match &values {
        Some(values) => (values.first().copied(), values.last().copied()),
        None => (table.required("min"), table.required("max")),
    };
    table.finish();
    let values = values.unwrap_or_default();
    if let Some(default) = &default {
        let is_listed = values.is_empty() || values.contains(&default.value);
        if !values.is_sorted() || !is_listed {
            let message = "`values` are in order, and the default is one of them";
            findings.error(default.span, message);
        }
        if let (Some(min), Some(max)) = (min, max)
            && !(min..=max).contains(&default.value)
        {
            let message = format!("the default is outside of the range, which is {min} to {max}");
            findings.error(default.span, message);
        }
    }
    Size {
        name,
        label: label.unwrap_or_default(),
        default: default.map_or(1, |default| default.value),
        min: min.unwrap_or(1),
        // A guess, like the others: the lesson has a diagnostic already, and this keeps others from following.
        max: max.unwrap_or(u64::MAX),
        values,
    }
}

/// The named values: formulas that stand in `[values]` once, and in others by name. Each may use those above it.
fn read_values(table: Table, sizes: &[Size]) -> Vec<Arc<NamedValue>> {
    let text = table.text;
    let mut values: Vec<Arc<NamedValue>> = Vec::new();
    for (name, written) in table.entries::<Placed<String>>() {
        check_value_name(&name, sizes, text.findings);
        let above = TomlText {
            values: &values,
            ..text
        };
        let Some(formula) = above.formula(&written, 0) else {
            continue;
        };
        let known = sizes.iter().map(|size| &size.name);
        let known = known.chain(values.iter().map(|value| &value.name));
        check_names(&formula, known.map(String::as_str), text.findings);
        values.push(Arc::new(NamedValue {
            name: name.value,
            formula: formula.value,
        }));
    }
    values
}

fn check_value_name(name: &Placed<String>, sizes: &[Size], findings: &Findings) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let text = &name.value;
    if !text.starts_with(begins) || !text.chars().all(is_word) {
        let message = format!("`{text}` is not a name that a formula can use");
        let help = "use letters, digits and `_`, a letter first";
        findings.add(Diagnostic::error(name.span, message).help(help));
    } else if sizes.iter().any(|size| size.name == *text) {
        findings.error(name.span, format!("there is a size `{text}` already"));
    }
}
