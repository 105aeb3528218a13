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
        "\n### Fused: one block a row (`fused`)\n",
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
        "<a href=\"#fused\">Fused: one block a row</a>",
        "<h3 id=\"fused\">",
        "<caption>Reads of global memory (counted)</caption>",
        "<th scope=\"row\">row_max</th>",
        "<span class=\"keyword\">__global__</span>",
        "class=\"good\">\u{2713}</span>",
    ] {
        assert!(page.contains(part), "{part:?} is missing in\n{page}");
    }
    for outside in ["http://", "https://", "<script", "<link", "src=", "@import"] {
        assert!(!page.contains(outside), "{outside} needs a network");
    }
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
