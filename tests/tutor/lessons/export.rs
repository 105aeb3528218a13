//! Lessons written down: Markdown and HTML, from the command line.

use std::path::Path;

use crate::program::{Run, tutor};

fn export(line: &str) -> Run {
    let mut arguments = vec!["export", "softmax", "--size", "M=3", "--size", "N=5"];
    arguments.extend(line.split_whitespace());
    let run = tutor(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

#[test]
fn markdown_has_text_sources_with_counts_and_checked_formulas() {
    let text = export("--engine sim").stdout;
    for part in [
        "# Softmax: one kernel instead of five\n",
        "\n## Why subtract the maximum?\n",
        "\n### Fused: one block per row (`fused`)\n",
        "```cuda\nreads  writes │\n",
        "| \u{2713} | distinct elements read | 5MN + 2M | 81 | 81 | equal |",
        "\u{2713} y matches softmax of each row",
        "**Reads of global memory (counted)**\n\n|  | elements | distinct |",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    let fences = text.lines().filter(|line| line.starts_with("```"));
    assert_eq!(fences.count() % 2, 0, "every fence is closed");
}

#[test]
fn html_is_one_page_that_needs_no_network_and_says_what_its_tables_are() {
    let page = export("--engine sim --format html").stdout;
    for part in [
        "<!doctype html>",
        "<html lang=\"en\">",
        "<title>Softmax: one kernel instead of five</title>",
        "prefers-color-scheme:dark",
        "<a href=\"#fused\">Fused: one block per row</a>",
        "<h3 id=\"fused\">",
        "<caption>Reads of global memory (counted)</caption>",
        "<th scope=\"row\">row_max</th>",
        "<span class=\"keyword\">__global__</span>",
        "class=\"good\">\u{2713}</span>",
    ] {
        assert!(page.contains(part), "{part:?} is missing in\n{page}");
    }
    assert_needs_no_network(&page);
    for tag in [
        "table", "tr", "td", "th", "div", "p", "pre", "span", "ul", "li", "h2", "h3",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        let closed = page.matches(&format!("</{tag}>")).count();
        assert_eq!(opened, closed, "<{tag}>");
    }
    assert_eq!(page.matches("<h1>").count(), 1);
}

/// The value of `attribute` in each tag of `page` that begins with `tag`; nothing where it has none.
fn attributes<'p>(page: &'p str, tag: &str, attribute: &str) -> Vec<Option<&'p str>> {
    let tags = page.split(tag).skip(1);
    let tags = tags.map(|rest| rest.split_once('>').map_or(rest, |(tag, _)| tag));
    let find = format!(" {attribute}=\"");
    tags.map(|tag| Some(tag.split_once(&find)?.1.split_once('"')?.0))
        .collect()
}

fn assert_needs_no_network(page: &str) {
    for outside in [
        "http:", "https:", "url(", "<script", "<link", "src=", "@import",
    ] {
        assert!(!page.contains(outside), "{outside} needs a network");
    }
}

/// Fails unless the first heading is of level 1 and none skips a level.
fn assert_headings(page: &str) {
    let levels = page.match_indices("<h").filter_map(|(at, _)| {
        let level = page[at + 2..].chars().next()?.to_digit(10)?;
        Some(level)
    });
    let levels: Vec<u32> = levels.collect();
    assert_eq!(levels[0], 1);
    let skips = levels.windows(2).find(|pair| pair[1] > pair[0] + 1);
    assert_eq!(skips, None, "a level of headings is skipped");
}

/// Fails if an id is there twice, or a link within the page leads nowhere.
fn assert_links(page: &str) {
    let ids: Vec<&str> = attributes(page, "<", "id").into_iter().flatten().collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id is there twice");
    for target in attributes(page, "<a", "href").into_iter().flatten() {
        let is_there = target.strip_prefix('#').is_none_or(|id| ids.contains(&id));
        assert!(is_there, "{target} leads nowhere");
    }
}

/// Fails if a picture, a fold, or what scrolls has no name.
fn assert_names(page: &str) {
    let names = attributes(page, "<svg", "aria-label");
    let hidden = attributes(page, "<svg", "aria-hidden");
    assert!(names.iter().any(Option::is_some), "no picture");
    for (name, hidden) in names.into_iter().zip(hidden) {
        let is_named = name.is_some_and(|name| !name.trim().is_empty());
        assert!(is_named || hidden == Some("true"), "a picture has no name");
    }
    for scrolled in attributes(page, "<div class=\"scroll", "aria-label") {
        assert!(scrolled.is_some_and(|name| !name.is_empty()));
    }
    let folds = page.matches("<details").count();
    let named = page.matches("><summary>").count();
    assert_eq!(named, folds, "a fold has no name");
}

#[test]
fn a_page_keeps_the_rules_of_accessible_structure() {
    // One with plots, one with blocks over matrices.
    for (lesson, size) in [("softmax", "M=3"), ("matmul-ordering", "M=64")] {
        println!("{lesson}");
        let line = [
            "export", lesson, "--size", size, "--size", "N=64", "--engine", "sim",
        ];
        let run = tutor(&[&line[..], &["--format", "html"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_headings(&run.stdout);
        assert_links(&run.stdout);
        assert_names(&run.stdout);
        assert_needs_no_network(&run.stdout);
    }
}

#[test]
fn answers_are_folded_until_asked_for_and_evidence_can_be_left_out() {
    let page = export("--engine sim --format html").stdout;
    assert!(page.contains("<details class=\"answer\"><summary>Answer</summary>"));
    assert!(page.contains("href=\"#evidence-1\"") && page.contains("id=\"evidence-1\""));
    let shown = page.matches("extern").count();
    let open = export("--engine sim --format html --answers").stdout;
    assert!(open.contains("<details class=\"answer\" open>"));
    assert!(!open.contains("<details class=\"answer\">"));
    let short = export("--engine sim --format html --short").stdout;
    assert!(!short.contains("evidence-1") && !short.contains("class=\"numbers\""));
    assert!(short.contains("<svg class=\"plot\"") && short.contains("class=\"answer\""));
    assert_eq!(short.matches("extern").count(), shown, "the code stays");
    // A source of several cells stands once; later only the lines that something was counted of.
    assert_eq!(page.matches(">divide</span>(").count(), 1);
}

#[test]
fn a_file_says_its_form_and_is_not_replaced_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("softmax.html");
    let name = file.display().to_string();
    let run = export(&format!("--engine sim --out {name}"));
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("bytes"), "{}", run.stderr);
    let read = |file: &Path| std::fs::read_to_string(file).expect("was written");
    assert!(read(&file).starts_with("<!doctype html>"));
    let again = tutor(&["export", "softmax", "--size", "M=1", "--out", &name]);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(
        again.stderr.contains("--force replaces it"),
        "{}",
        again.stderr
    );
    export(&format!("--engine sim --out {name} --force --format md"));
    assert!(read(&file).starts_with("# Softmax"));
    let form = tutor(&["export", "softmax", "--out", "softmax.txt"]);
    assert_eq!(form.code, 2);
    assert!(
        form.stderr.contains("must end in .md or .html"),
        "{}",
        form.stderr
    );
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = tutor(&["completions", shell]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        for word in ["export", "lesson", "theme"] {
            assert!(run.stdout.contains(word), "{shell} knows {word}");
        }
    }
    let unknown = tutor(&["completions", "tcsh"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("bash"), "{}", unknown.stderr);
}

#[test]
fn a_theme_that_is_not_there_is_refused_with_those_that_are() {
    let run = tutor(&["run", "lesson", "softmax", "--theme", "drak"]);
    assert_eq!(run.code, 2);
    let names = "auto, dark, light, contrast, colour-blind";
    assert!(run.stderr.contains(names), "{}", run.stderr);
}
