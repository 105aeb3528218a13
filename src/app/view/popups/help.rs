//! The help: every key, from the one table, what helps here first; and what the marks mean.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::keys::keys_by_place;
use crate::app::state::{Action, Context, Extent, HelpPage};
use crate::app::view::widgets::{Canvas, Pane, below, inset, top};
use crate::document::{Role, Theme, pad};
use crate::launch::Evidence;

/// Widest window.
const WIDTH: u16 = 78;
/// Columns of the keys.
const KEYS: usize = 20;

/// What the key to the marks beside numbers is called.
const EVIDENCE: &str = "Marks beside numbers: how each came to be";

/// Draws the help over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, page: &HelpPage, here: Context) {
    let width = area.width.saturating_sub(4).min(WIDTH);
    let lines = lines(canvas, page, here);
    let height = (lines.len() as u16).saturating_add(3);
    let height = height.clamp(4, area.height.saturating_sub(2));
    let window = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + 1,
        width,
        height,
    };
    canvas.window(window, Action::Back);
    let extent = Extent {
        content: lines.len(),
        visible: usize::from(height.saturating_sub(3)),
    };
    canvas.drawn.seen.windows.help = extent;
    let scroll = page.scroll.min(extent.max_scroll());
    let pane = Pane {
        title: canvas.text(" Keys ", Role::Strong),
        note: canvas.text(" esc closes ", Role::Muted),
        foot: canvas.position(scroll, extent),
        focused: true,
    };
    let inner = inset(canvas.pane(window, pane), 1);
    let search = match page.search.as_str() {
        "" => canvas.text("type to search", Role::Muted),
        typed => Line::from(vec![
            canvas.span("search: ", Role::Muted),
            canvas.span(format!("{typed}_"), Role::Strong),
        ]),
    };
    canvas.line(top(inner, 1), search);
    canvas.lines(below(inner, 1), lines.into_iter().skip(scroll));
}

fn lines(canvas: &Canvas, page: &HelpPage, here: Context) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let mut parts = keys_by_place(theme, Some(here));
    parts.push(("What the marks mean".to_owned(), marks(theme)));
    let evidence = Evidence::ALL.map(|evidence| {
        let mark = format!("{} {}", theme.evidence(evidence), evidence.word());
        (mark, evidence.meaning())
    });
    parts.push((EVIDENCE.to_owned(), evidence.to_vec()));
    let search = page.search.to_lowercase();
    let mut lines = Vec::new();
    for (heading, mut rows) in parts {
        rows.retain(|(keys, words)| {
            let row = format!("{keys} {heading} {words}").to_lowercase();
            // Words in any order: `lane next` finds "look at the next lane".
            search.split_whitespace().all(|word| row.contains(word))
        });
        if rows.is_empty() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(canvas.text(heading, Role::Heading));
        lines.extend(rows.into_iter().map(|(keys, words)| {
            let keys = pad(&format!("  {keys} "), KEYS, theme);
            Line::from(vec![
                canvas.span(keys, Role::Key),
                canvas.span(words, Role::Text),
            ])
        }));
    }
    if lines.is_empty() {
        let none = "no key and no mark has these words";
        lines.push(canvas.text(none, Role::Muted));
    }
    lines
}

/// What the marks beside numbers mean.
pub(crate) fn evidence_key(canvas: &Canvas) -> Vec<Line<'static>> {
    let mut lines = vec![canvas.text(EVIDENCE, Role::Heading)];
    lines.extend(Evidence::ALL.map(|evidence| {
        Line::from(vec![
            canvas.span("  ", Role::Text),
            canvas.mark(evidence),
            canvas.span(format!(" {:<16} ", evidence.word()), Role::Strong),
            canvas.span(evidence.meaning(), Role::Text),
        ])
    }));
    lines
}

/// What stands for what, wherever it is drawn.
fn marks(theme: Theme) -> Vec<(String, &'static str)> {
    let bars: String = [0.125, 0.5, 1.0].map(|share| theme.bar(share)).concat();
    let marks: [(&str, &str); 10] = [
        (
            theme.check(),
            "right: the count is its formula, the result its reference",
        ),
        (theme.cross(), "wrong, or failed"),
        (theme.glyph("\u{25cb}", "o"), "it has not run"),
        (
            theme.glyph("\u{25b6}", ">"),
            "it runs; the line of this step",
        ),
        (theme.dot(), "it waits; or this lane takes no part"),
        (theme.glyph("\u{25a0}", "#"), "this lane takes part"),
        (&bars, "a share, of the largest in sight"),
        ("=", "the real GPU holds the same value"),
        (
            theme.glyph("\u{2248}", "~"),
            "the real GPU rounds it differently",
        ),
        (
            theme.glyph("\u{2260}", "!"),
            "the real GPU holds another value",
        ),
    ];
    marks.map(|(mark, words)| (mark.to_owned(), words)).to_vec()
}
