//! Blocks as one page of HTML that needs no network and no script, and can be read by a screen reader:
//! headings in order, tables with captions and scopes, marks in words.

use pulldown_cmark::html::push_html;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::style_sheet;
use crate::document::block::{Block, Listing, ListingLine, Table};
use crate::document::columns::thousands;
use crate::document::style::Highlighter;

/// `blocks` as a page.
pub(crate) fn html(blocks: &[Block]) -> String {
    let mut page = HtmlPage {
        highlighter: Highlighter::default(),
        contents: Vec::new(),
    };
    let parts: Vec<String> = blocks.iter().map(|block| page.block(block)).collect();
    let title = blocks.iter().find_map(|block| match block {
        Block::Title { title, .. } => Some(escaped(title)),
        _ => None,
    });
    let contents: String = page
        .contents
        .iter()
        .map(|(id, title)| format!("<li><a href=\"#{id}\">{}</a></li>\n", escaped(title)))
        .collect();
    // The contents stand below the title, its first part.
    let (head, rest) = parts.split_at(parts.len().min(1));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}\
         <nav aria-label=\"Contents\"><details open><summary>Contents</summary><ol>\n{contents}</ol></details></nav>\n{}\
         </main>\n</body>\n</html>\n",
        title.unwrap_or_default(),
        style_sheet::sheet(),
        head.concat(),
        rest.concat()
    )
}

/// A page as it is written.
pub(crate) struct HtmlPage {
    highlighter: Highlighter,
    /// Ids and titles of what the contents list.
    contents: Vec<(String, String)>,
}

impl HtmlPage {
    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Title { title, summary } => format!(
                "<h1>{}</h1>\n<p class=\"summary\">{}</p>\n",
                escaped(title),
                escaped(summary)
            ),
            Block::Prose(markdown) => prose(self, markdown),
            Block::Heading { title, id } => {
                let anchor = self.anchor(id, title);
                format!(
                    "<h3 id=\"{anchor}\">{} <code>{}</code></h3>\n",
                    escaped(title),
                    escaped(id)
                )
            }
            Block::Table(of) => table(of),
            Block::Source(listing) => self.source(listing),
            Block::Verdict {
                title,
                ok,
                text,
                detail,
            } => verdict(title, *ok, text, detail),
            Block::Lines {
                title,
                lines,
                is_code,
            } => lines_block(title, lines, *is_code),
            Block::Note(text) => format!("<p class=\"note\">{}</p>\n", escaped(text)),
            Block::Paragraph(text) => format!("<p>{}</p>\n", escaped(text)),
            Block::Drawing { title, lines } => self.drawing(title, lines),
        }
    }

    /// A new id for something with this name, and its place in the contents.
    pub fn anchor(&mut self, name: &str, title: &str) -> String {
        // Ids are letters, digits and hyphens, so that links need no escapes.
        let letters = name
            .to_lowercase()
            .replace(|c: char| !c.is_alphanumeric(), "-");
        let letters = letters.trim_matches('-');
        let taken = |id: &str| self.contents.iter().any(|(other, _)| other == id);
        // A second `run` becomes `run-2`, as forges number headings.
        let numbered = (2..).map(|number| format!("{letters}-{number}"));
        let mut ids = std::iter::once(letters.to_owned()).chain(numbered);
        let id = ids.find(|id| !taken(id)).unwrap_or_default();
        self.contents.push((id.clone(), title.to_owned()));
        id
    }

    /// A picture, which a screen reader names and does not spell: its numbers stand in the table below.
    fn drawing(&self, title: &str, lines: &[String]) -> String {
        let heading = self.contents.last().map_or("", |(_, title)| title);
        let name = if title.is_empty() { heading } else { title };
        let name = escaped(name);
        let picture = escaped(&lines.join("\n"));
        let caption = caption(title);
        format!("{caption}<pre role=\"img\" aria-label=\"{name}\">{picture}</pre>\n")
    }

    /// Each line of CUDA C++ in coloured pieces.
    pub fn highlighted(&self, code: &str) -> Vec<String> {
        let pieces = self.highlighter.text(code);
        let lines = code.lines().zip(pieces.iter());
        lines
            .map(|(line, pieces)| {
                let pieces = pieces.iter().map(|(range, role)| {
                    let text = escaped(line.get(range.clone()).unwrap_or(""));
                    match style_sheet::class(*role) {
                        Some(class) => format!("<span class=\"{class}\">{text}</span>"),
                        None => text,
                    }
                });
                pieces.collect()
            })
            .collect()
    }

    /// A source with its margin, as a table: a line's counts stand before it for ears too.
    fn source(&self, listing: &Listing) -> String {
        let code: Vec<&str> = listing
            .lines
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        let code = self.highlighted(&code.join("\n"));
        let numbers = |line: &ListingLine| [line.reads, line.writes];
        // Bars of both columns have one scale, so that reads and writes compare.
        let most = listing.lines.iter().flat_map(numbers).max().unwrap_or(0);
        let cell = |number: u64| match number {
            0 => "<td></td>".to_owned(),
            number => {
                let share = number as f64 / most.max(1) as f64 * 100.0;
                let number = thousands(number);
                format!("<td class=\"n\" style=\"--share:{share:.0}%\">{number}</td>")
            }
        };
        let mut rows = String::new();
        for ((number, line), code) in listing.numbered().zip(&code) {
            let margin = match listing.is_counted {
                true => cell(line.reads) + &cell(line.writes),
                false => String::new(),
            };
            rows += &format!(
                "<tr>{margin}<th scope=\"row\" class=\"line\">{number}</th><td class=\"text\">{code}</td></tr>\n"
            );
        }
        let margin = match listing.is_counted {
            true => {
                "<th scope=\"col\" class=\"n\">reads</th><th scope=\"col\" class=\"n\">writes</th>"
            }
            false => "",
        };
        format!(
            "<div class=\"scroll listing\"><table class=\"source\"><caption>{}</caption>\n<thead><tr>{margin}<th scope=\"col\" class=\"line\">line</th>\
             <th scope=\"col\">source</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
            escaped(&listing.caption())
        )
    }
}

/// The first column names its row, in the row's header.
fn table(table: &Table) -> String {
    let in_rows = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    let columns = table.header.len().max(in_rows);
    let class = |column: usize| {
        // Words on the left, numbers on the right, so that digits stand under digits.
        let is_words = column < table.left || table.ends_in_words && column + 1 == columns;
        if is_words { "" } else { " class=\"n\"" }
    };
    let mut html = String::from("<div class=\"scroll\"><table>");
    if !table.title.is_empty() {
        html += &format!("<caption>{}</caption>", escaped(&table.title));
    }
    if !table.header.is_empty() {
        let names = table.header.iter().enumerate();
        let cells = names.map(|(column, name)| match name.as_str() {
            "" => "<td></td>".to_owned(),
            name => {
                let class = class(column);
                format!("<th scope=\"col\"{class}>{}</th>", escaped(name))
            }
        });
        html += &format!("\n<thead><tr>{}</tr></thead>", cells.collect::<String>());
    }
    html += "\n<tbody>\n";
    for row in &table.rows {
        // Marks such as a tick come before the name: the first cell with a letter or digit names the row.
        let head = row
            .iter()
            .position(|cell| cell.chars().any(char::is_alphanumeric));
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let (cell, class) = (marked(cell), class(column));
            match Some(column) == head && column < table.left {
                true => format!("<th scope=\"row\"{class}>{cell}</th>"),
                false => format!("<td{class}>{cell}</td>"),
            }
        });
        html += &format!("<tr>{}</tr>\n", cells.collect::<String>());
    }
    html + "</tbody></table></div>\n"
}

/// A cell; what is right and what is wrong is coloured too.
fn marked(cell: &str) -> String {
    // Coloured besides, never instead: the mark or word itself says it.
    let class = match cell {
        "\u{2713}" | "equal" | "=" => "good",
        "\u{2717}" | "DIFFERENT" | "\u{2260}" => "bad",
        _ => return escaped(cell),
    };
    format!("<span class=\"{class}\">{cell}</span>")
}

fn verdict(title: &str, ok: bool, text: &str, detail: &str) -> String {
    let (class, mark) = match ok {
        true => ("good", "\u{2713} right:"),
        false => ("bad", "\u{2717} wrong:"),
    };
    let title = match title {
        "" => String::new(),
        title => format!("<span class=\"muted\">{}</span><br>", escaped(title)),
    };
    format!(
        "<p>{title}<span class=\"{class}\">{mark}</span> {}<br><span class=\"muted\">{}</span></p>\n",
        escaped(text),
        escaped(detail)
    )
}

/// A title above what it is of, if there is one.
fn caption(title: &str) -> String {
    match title {
        "" => String::new(),
        title => format!("<p class=\"muted\">{}</p>\n", escaped(title)),
    }
}

fn lines_block(title: &str, lines: &[String], is_code: bool) -> String {
    let title = caption(title);
    let lines = lines.iter().map(|line| escaped(line));
    if is_code {
        let text: Vec<String> = lines.collect();
        return format!("{title}<pre>{}</pre>\n", text.join("\n"));
    }
    let items: String = lines.map(|line| format!("<li>{line}</li>\n")).collect();
    format!("{title}<ul>\n{items}</ul>\n")
}

/// `text` with what HTML would take for its own written out.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

/// The text as part of `page`, whose contents get its headings.
fn prose(page: &mut HtmlPage, markdown: &str) -> String {
    let mut reader = ProseReader {
        page,
        events: Vec::new(),
        code: None,
        heading: None,
    };
    // Tables are no part of CommonMark, and lessons have them.
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.event(event);
    }
    let mut html = String::new();
    push_html(&mut html, reader.events.into_iter());
    html
}

struct ProseReader<'a, 'b> {
    page: &'a mut HtmlPage,
    /// What goes into the page.
    events: Vec<Event<'b>>,
    /// The open block of code: whether it is CUDA C++, and its text.
    code: Option<(bool, String)>,
    /// The open heading: where its events begin, and its text.
    heading: Option<(usize, String)>,
}

impl<'b> ProseReader<'_, 'b> {
    fn event(&mut self, event: Event<'b>) {
        match (event, &mut self.code) {
            (Event::Start(Tag::CodeBlock(kind)), _) => {
                self.code = Some((is_cuda(&kind), String::new()));
            }
            (Event::Text(text), Some((_, code))) => code.push_str(&text),
            (Event::End(TagEnd::CodeBlock), _) => self.end_code(),
            (Event::Start(Tag::Heading { .. }), _) => {
                self.heading = Some((self.events.len(), String::new()));
            }
            (Event::End(TagEnd::Heading(level)), _) => self.end_heading(deeper(level)),
            (event, _) => {
                // HTML of a lesson is shown, not obeyed: a page that is handed on must not run anything.
                let event = match event {
                    Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
                    event => event,
                };
                let heading = self.heading.as_mut();
                if let (Some((_, title)), Event::Text(text) | Event::Code(text)) = (heading, &event)
                {
                    title.push_str(text);
                }
                self.events.push(event);
            }
        }
    }

    fn end_code(&mut self) {
        let (is_cuda, code) = self.code.take().unwrap_or_default();
        let text = match is_cuda {
            true => self.page.highlighted(&code).join("\n"),
            false => escaped(code.trim_end()),
        };
        self.html(format!("<pre><code>{text}</code></pre>\n"));
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let (at, title) = self.heading.take().unwrap_or_default();
        let id = self.page.anchor(&title, &title);
        let open = format!("<{level} id=\"{id}\">");
        // The id is known only once the heading's text is: its tag is put before what was collected since.
        self.events.insert(at, Event::Html(CowStr::from(open)));
        self.html(format!("</{level}>\n"));
    }

    fn html(&mut self, text: String) {
        self.events.push(Event::Html(CowStr::from(text)));
    }
}

fn is_cuda(kind: &CodeBlockKind) -> bool {
    match kind {
        CodeBlockKind::Fenced(language) => {
            matches!(&**language, "cuda" | "cu" | "cpp" | "c++" | "c")
        }
        CodeBlockKind::Indented => false,
    }
}

fn deeper(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_lesson_cannot_become_markup() {
        let prose = Block::Prose(
            "# A <b>\n\n<script>x</script> `a < b`\n\n```cuda\nif (a < b) {}\n```\n".to_owned(),
        );
        let page = html(&[prose]);
        assert!(
            !page.contains("<script>") && !page.contains("<b>"),
            "{page}"
        );
        assert!(page.contains("&lt;script&gt;"), "{page}");
        assert!(page.contains("<span class=\"keyword\">if</span>"), "{page}");
        assert!(page.contains("<h2 id=\"a--b\">"), "{page}");
    }

    #[test]
    fn headings_of_one_name_have_ids_of_their_own() {
        let heading = || Block::Heading {
            title: "Run".to_owned(),
            id: "run".to_owned(),
        };
        let page = html(&[heading(), heading()]);
        assert!(page.contains("id=\"run\"") && page.contains("id=\"run-2\""));
        assert!(page.contains("href=\"#run-2\""));
    }
}
