//! What a lesson's prose says of two runs: held against recordings and counts where it is quoted, pointed out where it
//! is only claimed.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::device::{DEFAULT_GPU, Gpu};
use crate::lesson::{Cell, Compared, Comparison, Lesson, Sizes, front_matter};
use crate::source::{Diagnostic, SourceFile, Span};

/// Words that say of two runs which takes less time.
const WORDS: [&str; 12] = [
    "faster",
    "fastest",
    "slower",
    "slowest",
    "wins",
    "beats",
    "outruns",
    "overtakes",
    "outperforms",
    "as fast as",
    "times as fast",
    "times as long",
];

/// What is said of two runs and does not hold at `sizes` on `gpu`.
pub(super) fn unheld(lesson: &Lesson, sizes: &Sizes, gpu: &Gpu) -> Vec<Diagnostic> {
    let texts = lesson.cells.iter().flat_map(|cell| match cell {
        Cell::Prose(prose) => vec![&prose.markdown],
        Cell::Prediction(asked) => vec![&asked.question, &asked.explain],
        _ => Vec::new(),
    });
    let stated: Vec<&Comparison> = texts.flat_map(|text| text.comparisons()).collect();
    if stated.is_empty() {
        return Vec::new();
    }
    // Recordings are read only where something is said of them.
    let recorded = lesson.recorded_samples(DEFAULT_GPU);
    let changed = |of: &Compared| {
        let mut cells = of.timed_cells();
        let cell = cells.find(|cell| !recorded.iter().any(|sample| sample.cell == *cell))?;
        Some(format!("there is no recording of `{cell}` as it is now"))
    };
    let faults = stated.into_iter().filter_map(|comparison| {
        let of = &comparison.of;
        let fault = changed(of).or_else(|| of.fault(sizes, gpu))?;
        let help =
            "write what the numbers say, or compare at other sizes, as in {{faster: a, b at N=4096}}";
        Some(Diagnostic::error(comparison.span, fault).help(help))
    });
    faults.collect()
}

/// Sentences that compare speeds in a paragraph that quotes no number, each with the word that does.
pub(super) fn claims(file: &SourceFile) -> Vec<Diagnostic> {
    paragraphs(file.text())
        .into_iter()
        .filter(|range| !file.text()[range.clone()].contains("{{"))
        .flat_map(|range| claims_in(file.text(), range))
        .collect()
}

/// The paragraphs of the prose and of the text in predictions.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    // Behind the second line of pluses.
    let body = front_matter(text).map_or(0, |front| front.end + "+++".len());
    let mut found = Vec::new();
    for (event, range) in Parser::new(&text[body..]).into_offset_iter() {
        let range = range.start + body..range.end + body;
        match event {
            Event::Start(Tag::Paragraph | Tag::Item) => found.push(range),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if info.starts_with("prediction ") =>
            {
                // Without the line that opens it, whose backticks quote nothing.
                let head = text[range.clone()].find('\n').unwrap_or(0);
                found.push(range.start + head..range.end);
            }
            _ => {}
        }
    }
    found
}

fn claims_in(text: &str, range: Range<usize>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut start = range.start;
    for sentence in text[range].split_inclusive(['.', '?', '!', ':']) {
        let lower = sentence.to_lowercase();
        let word = WORDS
            .iter()
            .find_map(|word| Some((word, find_word(&lower, word)?)));
        // "Which is faster?" claims nothing, and lower case may be of another length.
        if let Some((word, at)) = word
            && !sentence.ends_with('?')
            && lower.len() == sentence.len()
        {
            let span = Span::new(start + at, start + at + word.len());
            let message = format!("`{word}` compares two runs without a number");
            let help = "quote it: {{faster: a, b}} is how many times as fast the run `a` is by its recorded time, \
                        {{time: a}} that time";
            found.push(Diagnostic::warning(span, message).help(help));
        }
        start += sentence.len();
    }
    found
}

/// Where `word` stands in `text` as a word of its own, and not in code.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '`');
    let mut places = text.match_indices(word).map(|(at, _)| at);
    places.find(|&at| {
        let is_in_code = text[..at].matches('`').count() % 2 == 1;
        !is_in_code
            && !text[..at].ends_with(is_letter)
            && !text[at + word.len()..].starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu_or_usual;
    use crate::lesson::{lesson_text, load_file};

    #[test]
    fn words_that_compare_speeds_need_a_number_in_their_paragraph() {
        let text = "+++\nsummary = \"faster\"\n+++\nIt is faster.\n\nIt is {{faster: a, b}}, so it wins.\n\n\
                    Which is faster? The `faster` one, a breakfaster.\n\n```cuda\n// wins\n```\n\n\
                    ```prediction p\nexplain = \"Now it Beats the rest.\"\n```\n";
        let file = SourceFile::new("a.md", text);
        let words: Vec<&str> = claims(&file)
            .iter()
            .map(|found| file.slice(found.span()))
            .collect();
        assert_eq!(words, ["faster", "Beats"]);
    }

    #[test]
    fn what_is_said_of_two_runs_is_held_against_their_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("softmax.md");
        let text = lesson_text("softmax").expect("is there").text().to_owned();
        let said = "\nIt is {{faster: fused, naive}} and takes {{time: fused}}; {{faster: naive, fused}}.\n\
                    {{more: elements read of naive, elements read of fused}}, \
                    {{more: elements read of fused, elements read of naive}} {{time: fused at M=3 B=128}}\n";
        std::fs::write(&path, text + said).expect("is written");
        let lesson = load_file(&path).expect("reads");
        let (sizes, gpu) = (lesson.complete(&Sizes::new()), gpu_or_usual(DEFAULT_GPU));
        let faults = unheld(&lesson, &sizes, gpu).into_iter();
        let faults: Vec<String> = faults.map(|found| found.message).collect();
        let [slower, fewer, missing] = &faults[..] else {
            panic!("{faults:?}");
        };
        assert!(
            slower.starts_with("`naive` is not faster than `fused`: ")
                && slower.contains("against")
        );
        assert!(
            fewer.starts_with(
                "elements read of `fused` is not more than elements read of `naive`: "
            )
        );
        assert!(
            missing.starts_with("no time of `fused` is recorded at B = 128, M = 3, "),
            "{missing}"
        );
        let Some(Cell::Prose(last)) = lesson.cells.last() else {
            panic!("ends in prose");
        };
        let shown = last.markdown.at(&sizes, gpu).into_owned();
        assert!(
            shown.contains(" times as fast and takes ") && shown.contains(" times as many"),
            "{shown}"
        );
    }
}
