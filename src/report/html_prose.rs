//! A lesson's text as HTML: headings one level deeper, below the page's title; code coloured; HTML of its
//! own as text.

use pulldown_cmark::html::push_html;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::html::{Page, escaped};

/// The text as part of `page`, whose contents get its headings.
pub(super) fn prose(page: &mut Page, markdown: &str) -> String {
    let mut reader = Reader {
        page,
        events: Vec::new(),
        code: None,
        heading: None,
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.event(event);
    }
    let mut html = String::new();
    push_html(&mut html, reader.events.into_iter());
    html
}

struct Reader<'a, 'b> {
    page: &'a mut Page,
    /// What goes into the page.
    events: Vec<Event<'b>>,
    /// The open block of code: whether it is CUDA C++, and its text.
    code: Option<(bool, String)>,
    /// The open heading: where its events begin, and its text.
    heading: Option<(usize, String)>,
}

impl<'b> Reader<'_, 'b> {
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
