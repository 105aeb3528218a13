//! Where a lesson stands among the others: its track, its place there, and what comes before it.

use serde::Deserialize;

use super::reader::{Placed, Table, one_of};
use crate::source::Diagnostic;

/// Where a lesson stands among the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// The lessons it is shown with; empty if it stands alone.
    pub track: String,
    /// Its place: lessons go by it, and a track stands where its first lesson does. One without a
    /// place comes last.
    pub order: Option<u32>,
    /// Lessons that are better done before it, by id.
    pub requires: Vec<String>,
}

/// `lessons` by track, each track where its first lesson stands.
pub fn by_track<'a, T>(lessons: &'a [T], track: impl Fn(&T) -> &str) -> Vec<(&'a str, Vec<&'a T>)>
where
    T: 'a,
{
    let mut tracks: Vec<(&str, Vec<&T>)> = Vec::new();
    for lesson in lessons {
        let name = track(lesson);
        match tracks.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of)) => of.push(lesson),
            None => tracks.push((name, vec![lesson])),
        }
    }
    tracks
}

/// What a track is called on screen.
pub fn track_title(track: &str) -> &str {
    if track.is_empty() {
        "Other lessons"
    } else {
        track
    }
}

/// The lessons that come with the program, as far as one that is being read has to know them.
pub struct OtherLessons<'a> {
    /// Their ids.
    pub ids: Vec<String>,
    /// The ids of those that one of them requires.
    pub requires: &'a dyn Fn(&str) -> Vec<String>,
}

impl OtherLessons<'_> {
    /// No others: the lesson stands alone, and can require none.
    pub fn none() -> Self {
        OtherLessons {
            ids: Vec::new(),
            requires: &|_| Vec::new(),
        }
    }
}

/// Takes `track`, `order` and `requires` out of the front matter of the lesson `id`.
pub(super) fn read_course(table: &mut Table, id: Option<&str>, others: &OtherLessons) -> Course {
    let findings = table.text.findings;
    let track: Option<Placed<String>> = table.optional("track");
    let order: Option<u64> = table.optional("order");
    let requires: Vec<Placed<String>> = table.optional("requires").unwrap_or_default();
    if let Some(track) = &track
        && track.value.trim().is_empty()
    {
        let empty = Diagnostic::error(track.span, "the track has no name");
        findings.add(empty.help("leave `track` out for a lesson that stands alone"));
    }
    for (i, required) in requires.iter().enumerate() {
        let mistake = match requires[..i].iter().find(|r| r.value == required.value) {
            Some(earlier) => {
                let message = format!("`{}` is required already", required.value);
                Some(Diagnostic::error(required.span, message).also(earlier.span, "here"))
            }
            None => mistake_in(required, id.unwrap_or(""), others),
        };
        mistake
            .into_iter()
            .for_each(|mistake| findings.add(mistake));
    }
    Course {
        track: track.map(|track| track.value).unwrap_or_default(),
        // One without a place stands there too: last.
        order: order.map(|order| u32::try_from(order).unwrap_or(u32::MAX)),
        requires: requires.into_iter().map(|of| of.value).collect(),
    }
}

/// Why the lesson `id` cannot require that one.
fn mistake_in(required: &Placed<String>, id: &str, others: &OtherLessons) -> Option<Diagnostic> {
    let name = &required.value;
    let error = |message: String| Some(Diagnostic::error(required.span, message));
    if name == id {
        return error("a lesson cannot require itself".to_owned());
    }
    if !others.ids.contains(name) {
        let ids = others.ids.iter().map(String::as_str);
        let help = one_of(name, ids);
        return Some(error(format!("there is no lesson `{name}`"))?.help(help));
    }
    let path = path_to(id, vec![name.clone()], others)?;
    let cycle = error(format!("`{name}` itself requires `{id}`"))?
        .note(format!("{id} requires {}", path.join(", which requires ")))
        .help("leave out one of these requirements: one lesson has to be the first");
    Some(cycle)
}

/// The way along requirements from the last of `path` to `id`, if there is one.
fn path_to(id: &str, path: Vec<String>, others: &OtherLessons) -> Option<Vec<String>> {
    let mut ways = vec![path];
    let mut visited: Vec<String> = Vec::new();
    while let Some(way) = ways.pop() {
        let Some(last) = way.last() else { continue };
        if last == id {
            return Some(way);
        }
        // Lessons beside this one may require each other in a circle that does not lead here.
        if visited.contains(last) {
            continue;
        }
        visited.push(last.clone());
        for next in (others.requires)(last) {
            let mut longer = way.clone();
            longer.push(next);
            ways.push(longer);
        }
    }
    None
}

/// What the front matter `toml` of a lesson requires; nothing if it does not read.
pub(super) fn requires_in(toml: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Front {
        #[serde(default)]
        requires: Vec<String>,
    }
    let front = toml::from_str(toml);
    front.map_or_else(|_| Vec::new(), |front: Front| front.requires)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::reader::{Findings, TomlText};

    /// What is said of a lesson `new` with this front matter, beside others: b requires a, and c b.
    fn findings(front: &str) -> Vec<(String, String)> {
        let findings = Findings::default();
        let text = TomlText {
            file: front,
            base: 0,
            values: &[],
            findings: &findings,
        };
        let others = OtherLessons {
            ids: ["a", "b", "c", "loop"].map(str::to_owned).to_vec(),
            requires: &|id| match id {
                "b" => vec!["a".to_owned()],
                "c" => vec!["b".to_owned()],
                "loop" => vec!["c".to_owned(), "new".to_owned()],
                _ => Vec::new(),
            },
        };
        let mut table = Table::parse(front, text, "the front matter").expect("is TOML");
        read_course(&mut table, Some("new"), &others);
        table.finish();
        let found = findings.in_order();
        let found = found.iter().map(|found| {
            let help = found.help.clone().unwrap_or_default();
            let notes = found.notes.join("; ");
            let said = format!("{}; {notes}; {help}", found.message);
            (front[found.span().range()].to_owned(), said)
        });
        found.collect()
    }

    #[test]
    fn a_place_among_the_others_reads() {
        let front = "track = \"Memory\"\norder = 20\nrequires = [\"a\", \"c\"]";
        assert_eq!(findings(front), []);
        assert_eq!(requires_in(front), ["a", "c"]);
        assert_eq!(findings(""), []);
    }

    #[test]
    fn what_cannot_come_before_is_reported_at_its_place() {
        for (front, at, says) in [
            ("requires = [\"a\", \"d\"]", "\"d\"", "no lesson `d`"),
            ("requires = [\"lop\"]", "\"lop\"", "perhaps `loop`"),
            ("requires = [\"new\"]", "\"new\"", "require itself"),
            ("requires = [\"a\", \"a\"]", "\"a\"", "required already"),
            (
                "requires = [\"loop\"]",
                "\"loop\"",
                "new requires loop, which requires new",
            ),
            ("requires = \"a\"", "\"a\"", "is an array"),
            ("track = \" \"", "\" \"", "has no name"),
            ("order = -1", "-1", "whole number"),
        ] {
            let found = findings(front);
            let is_said = |(place, said): &(String, String)| place == at && said.contains(says);
            assert!(found.iter().any(is_said), "{front}: {found:#?}");
        }
    }
}
