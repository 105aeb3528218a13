//! Blocks as one page of HTML that needs no network and no script, and can be read by a screen reader:
//! headings in order, tables with captions and scopes, marks in words.

use super::page::{Footnote, HtmlPage, ReadPicture, escaped};
use super::policy::content_security_policy;
use super::prose::prose;
use super::svg;
use crate::document::block::{Block, Figure, Fold, Listing, ListingLine, Mark, Table};
use crate::document::columns::thousands;

/// `blocks` as a page, with the pictures that `read_picture` has, and with open `answers` or folded ones.
pub(crate) fn html(blocks: &[&Block], answers: bool, read_picture: &ReadPicture) -> String {
    let mut page = HtmlPage::new(read_picture);
    page.answers = answers;
    let parts: Vec<String> = blocks.iter().map(|block| page.block(block)).collect();
    let title = blocks.iter().find_map(|block| match block {
        Block::Title { title, .. } => Some(escaped(title)),
        _ => None,
    });
    let footnotes = page.footnote_list();
    let contents: String = page
        .contents
        .iter()
        .map(|(id, title)| format!("<li><a href=\"#{id}\">{}</a></li>\n", escaped(title)))
        .collect();
    // Browsers hash what stands between the tags, newlines included.
    let style = format!("\n{}", page.style_sheet());
    let policy = content_security_policy(&style, page.has_pictures);
    // The contents stand below the title, its first part.
    let (head, rest) = parts.split_at(parts.len().min(1));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{}\
         <nav aria-label=\"Contents\"><details><summary>Contents</summary><ol>\n{contents}</ol></details></nav>\n{}\
         {footnotes}</main>\n</body>\n</html>\n",
        title.unwrap_or_default(),
        head.concat(),
        rest.concat()
    )
}

impl HtmlPage<'_> {
    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Title { title, summary } => format!(
                "<h1>{}</h1>\n<p class=\"summary\">{}</p>\n",
                escaped(title),
                escaped(summary)
            ),
            Block::Prose(markdown) => prose(self, markdown),
            Block::Heading { title, id } => {
                let (anchor, level) = (self.anchor(id, title), self.level(3));
                format!(
                    "<h{level} id=\"{anchor}\">{} <code>{}</code></h{level}>\n",
                    escaped(title),
                    escaped(id)
                )
            }
            Block::Table(of) => table(of),
            Block::Source(listing) => self.source(listing),
            Block::Verdict {
                title,
                mark,
                text,
                detail,
            } => verdict(title, *mark, text, detail),
            Block::Lines {
                title,
                lines,
                is_code,
            } => lines_block(title, lines, *is_code),
            Block::Note(text) => format!("<p class=\"note\">{}</p>\n", escaped(text)),
            Block::Paragraph(text) => format!("<p>{}</p>\n", escaped(text)),
            Block::Drawing {
                title,
                lines,
                figure,
            } => self.drawing(title, lines, figure),
            Block::Folded { fold, blocks } => self.folded(*fold, blocks),
        }
    }

    fn folded(&mut self, fold: Fold, blocks: &[Block]) -> String {
        let inside: String = blocks.iter().map(|block| self.block(block)).collect();
        let details = |class: &str, open: &str, name: &str| {
            format!(
                "<details class=\"{class}\"{open}><summary>{name}</summary>\n{inside}</details>\n"
            )
        };
        match fold {
            Fold::Answer if self.answers => details("answer", " open", "Answer"),
            Fold::Answer => details("answer", "", "Answer"),
            Fold::Numbers => details("numbers", "", "These points as a table"),
            Fold::Evidence => self.footnote(inside),
        }
    }

    /// The mark of a footnote; nothing where this part has one already, which then says this, too.
    fn footnote(&mut self, html: String) -> String {
        let (of, title) = self.part();
        if let Some(last) = self.footnotes.last_mut().filter(|last| last.of == of) {
            last.html += &html;
            return String::new();
        }
        self.footnotes.push(Footnote { of, title, html });
        let number = self.footnotes.len();
        format!(
            "<p class=\"note\" id=\"note-{number}\">Launches, counts and measurements: \
             <a href=\"#evidence-{number}\">evidence {number}</a></p>\n"
        )
    }

    /// The footnotes, which stand behind everything else.
    fn footnote_list(&mut self) -> String {
        if self.footnotes.is_empty() {
            return String::new();
        }
        let id = self.anchor("evidence", "Evidence");
        let mut html = format!("<h2 id=\"{id}\">Evidence</h2>\n");
        for (number, note) in (1..).zip(&self.footnotes) {
            html += &format!(
                "<section class=\"evidence\" aria-labelledby=\"evidence-{number}\">\n\
                 <h3 id=\"evidence-{number}\">{number}. <a href=\"#note-{number}\">{}</a></h3>\n{}</section>\n",
                escaped(&note.title),
                note.html
            );
        }
        html
    }

    /// A picture, which a screen reader names and does not spell: its numbers stand in the table below.
    fn drawing(&self, title: &str, lines: &[String], figure: &Figure) -> String {
        let (_, heading) = self.part();
        let name = if title.is_empty() { &heading } else { title };
        if let Some(drawn) = svg::figure(figure, name) {
            let caption = match title {
                "" => String::new(),
                title => format!("<figcaption>{}</figcaption>\n", escaped(title)),
            };
            return format!("<figure>\n{caption}{drawn}</figure>\n");
        }
        let picture = escaped(&lines.join("\n"));
        let caption = caption(title);
        let name = escaped(name);
        format!("{caption}<pre tabindex=\"0\" role=\"img\" aria-label=\"{name}\">{picture}</pre>\n")
    }

    /// A source with its margin, as a table: a line's counts stand before it for ears too.
    fn source(&mut self, listing: &Listing) -> String {
        let rows = self.source_rows(listing);
        let margin = match listing.is_counted {
            true => {
                "<th scope=\"col\" class=\"n\">reads</th><th scope=\"col\" class=\"n\">writes</th>"
            }
            false => "",
        };
        format!(
            "<div class=\"scroll listing\" role=\"group\" aria-label=\"{}\" tabindex=\"0\"><table class=\"source\"><caption>{}</caption>\n<thead><tr>{margin}<th scope=\"col\" class=\"line\">line</th>\
             <th scope=\"col\">source</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
            escaped(&listing.name),
            escaped(&listing.caption())
        )
    }

    /// Its lines. A source stands once: what another part has is shown again only where something is counted of it.
    fn source_rows(&mut self, listing: &Listing) -> String {
        let code = listing.lines.iter().map(|line| line.text.as_str());
        let code = self.highlighted(&code.collect::<Vec<_>>().join("\n"));
        let numbers = |line: &ListingLine| [line.reads, line.writes];
        // Bars of both columns have one scale, so that reads and writes compare.
        let most = listing.lines.iter().flat_map(numbers).max().unwrap_or(0);
        let mut rows = String::new();
        let mut skipped: Option<String> = None;
        for ((number, line), code) in listing.numbered().zip(&code) {
            let before = self.take_line(&listing.name, number);
            if line.reads + line.writes == 0 && before.is_some() {
                skipped = before;
                continue;
            }
            rows += &skipped_lines(skipped.take(), listing.is_counted);
            let margin = match listing.is_counted {
                true => numbers(line).map(|number| self.count_cell(number, most)),
                false => Default::default(),
            };
            rows += &format!(
                "<tr>{}<th scope=\"row\" class=\"line\">{number}</th><td class=\"text\">{code}</td></tr>\n",
                margin.concat()
            );
        }
        rows + &skipped_lines(skipped, listing.is_counted)
    }

    /// A number of a listing's margin over a bar of its share of `most`; blank for nothing.
    fn count_cell(&mut self, number: u64, most: u64) -> String {
        if number == 0 {
            return "<td></td>".to_owned();
        }
        let share = self.share(number as f64 / most.max(1) as f64);
        format!("<td class=\"n {share}\">{}</td>", thousands(number))
    }
}

/// A row in place of lines that the part `of` has.
fn skipped_lines(of: Option<String>, is_counted: bool) -> String {
    let columns = if is_counted { 4 } else { 2 };
    of.map_or_else(String::new, |of| {
        format!("<tr><td colspan=\"{columns}\" class=\"skipped\"><a href=\"#{of}\">lines shown above</a></td></tr>\n")
    })
}

/// What scrolls has to be reached by keys, and so has a name.
fn table(table: &Table) -> String {
    let name = match table.title.as_str() {
        "" => "Table",
        title => title,
    };
    let mut html = format!(
        "<div class=\"scroll\" role=\"group\" aria-label=\"{}\" tabindex=\"0\"><table>",
        escaped(name)
    );
    if !table.title.is_empty() {
        html += &format!("<caption>{}</caption>", escaped(&table.title));
    }
    if !table.header.is_empty() {
        html += &format!("\n<thead><tr>{}</tr></thead>", header(table));
    }
    html += "\n<tbody>\n";
    for row in &table.rows {
        html += &format!("<tr>{}</tr>\n", cells(table, row));
    }
    html + "</tbody></table></div>\n"
}

/// The names of a table's columns.
fn header(table: &Table) -> String {
    let names = table.header.iter().enumerate();
    let cells = names.map(|(column, name)| match name.as_str() {
        "" => "<td></td>".to_owned(),
        name => {
            let class = column_class(table, column);
            format!("<th scope=\"col\"{class}>{}</th>", escaped(name))
        }
    });
    cells.collect()
}

/// A row of a table. Its first column names it, in the row's header.
fn cells(table: &Table, row: &[String]) -> String {
    // Marks such as a tick come before the name: the first cell with a letter or digit names the row.
    let head = row
        .iter()
        .position(|cell| cell.chars().any(char::is_alphanumeric));
    let cells = row.iter().enumerate().map(|(column, cell)| {
        let (cell, class) = (marked(cell), column_class(table, column));
        match Some(column) == head && column < table.left {
            true => format!("<th scope=\"row\"{class}>{cell}</th>"),
            false => format!("<td{class}>{cell}</td>"),
        }
    });
    cells.collect()
}

fn column_class(table: &Table, column: usize) -> &'static str {
    match table.is_words(column) {
        true => "",
        false => " class=\"n\"",
    }
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

fn verdict(title: &str, mark: Mark, text: &str, detail: &str) -> String {
    let (class, word) = match mark {
        Mark::Right => ("good", "right:"),
        Mark::Warned => ("bad", "right, but:"),
        Mark::Wrong => ("bad", "wrong:"),
    };
    let mark = mark.glyph();
    let title = match title {
        "" => String::new(),
        title => format!("<span class=\"muted\">{}</span><br>", escaped(title)),
    };
    format!(
        "<p>{title}<span class=\"{class}\">{mark} {word}</span> {}<br><span class=\"muted\">{}</span></p>\n",
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
        return format!("{title}<pre tabindex=\"0\">{}</pre>\n", text.join("\n"));
    }
    let items: String = lines.map(|line| format!("<li>{line}</li>\n")).collect();
    format!("{title}<ul>\n{items}</ul>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(blocks: &[Block]) -> String {
        let blocks: Vec<&Block> = blocks.iter().collect();
        super::html(&blocks, false, &|_| None)
    }

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

    #[test]
    fn a_page_says_what_a_browser_may_do_with_it() {
        let picture = |name: &str| (name == "a.png").then(|| b"\x89PNG\r\n\x1a\n".to_vec());
        let table = "| a | b | c |\n|--:|:-:|---|\n| 1 | 2 | 3 |\n";
        let with =
            |markdown: &str| super::html(&[&Block::Prose(markdown.to_owned())], false, &picture);
        let plain = with(table);
        assert!(plain.contains("<td class=\"n\">1</td><td class=\"centred\">2</td><td>3</td>"));
        let style = plain
            .split("<style>")
            .nth(1)
            .and_then(|rest| rest.split("</style>").next());
        let style = style.expect("has a style sheet");
        let policy = content_security_policy(style, false);
        let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
        assert!(plain.contains(&meta), "{plain}");
        assert!(policy.contains("default-src 'none'") && policy.contains("img-src 'none'"));
        assert!(
            !plain.contains("style=\""),
            "a policy with a hash forbids styles of tags"
        );
        assert!(with("![a](a.png)").contains("img-src data:"));
    }
}
