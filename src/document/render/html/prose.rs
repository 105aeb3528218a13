//! Text of a lesson as part of a page of HTML. What its author wrote becomes text, links and pictures that
//! `policy` allows, and nothing else.

use pulldown_cmark::html::push_html;
use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::page::{HtmlPage, escaped};
use super::policy::{is_link_allowed, picture_source};

/// The text as part of `page`, whose contents get its headings.
pub(crate) fn prose(page: &mut HtmlPage, markdown: &str) -> String {
    let mut reader = ProseReader {
        page,
        events: Vec::new(),
        code: None,
        heading: None,
        picture: None,
        columns: Columns::default(),
        is_link: false,
    };
    // Tables are no part of CommonMark, and lessons have them.
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.event(event);
    }
    let mut html = String::new();
    push_html(&mut html, reader.events.into_iter());
    html
}

struct ProseReader<'a, 'b, 'c> {
    page: &'a mut HtmlPage<'c>,
    /// What goes into the page.
    events: Vec<Event<'b>>,
    /// The open block of code: whether it is CUDA C++, and its text.
    code: Option<(bool, String)>,
    /// The open heading: where its events begin, and its text.
    heading: Option<(usize, String)>,
    /// The open picture.
    picture: Option<Picture>,
    columns: Columns,
    /// Whether the open link leads anywhere.
    is_link: bool,
}

/// A picture, whose words come piece by piece.
struct Picture {
    /// Where it is.
    target: String,
    /// What stands in its place where it cannot be seen.
    words: String,
    /// Pictures in its words, which are words as well.
    nested: usize,
}

/// The columns of the open table.
#[derive(Default)]
struct Columns {
    alignments: Vec<Alignment>,
    /// The one of the next cell.
    next: usize,
    is_header: bool,
}

impl<'b> ProseReader<'_, 'b, '_> {
    fn event(&mut self, event: Event<'b>) {
        if let Some(picture) = &mut self.picture {
            if picture.take(&event) {
                self.end_picture();
            }
            return;
        }
        match (event, &mut self.code) {
            (Event::Start(Tag::CodeBlock(kind)), _) => {
                self.code = Some((is_cuda(&kind), String::new()));
            }
            (Event::Text(text), Some((_, code))) => code.push_str(&text),
            (Event::End(TagEnd::CodeBlock), _) => self.end_code(),
            (Event::Start(tag), _) => self.start(tag),
            (Event::End(tag), _) => self.end(tag),
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

    fn start(&mut self, tag: Tag<'b>) {
        match tag {
            Tag::Heading { .. } => self.heading = Some((self.events.len(), String::new())),
            Tag::Link { dest_url, .. } if !is_link_allowed(&dest_url) => self.is_link = false,
            tag @ Tag::Link { .. } => {
                self.is_link = true;
                self.events.push(Event::Start(tag));
            }
            Tag::Image { dest_url, .. } => {
                self.picture = Some(Picture {
                    target: dest_url.into_string(),
                    words: String::new(),
                    nested: 0,
                });
            }
            // As written by the library, an aligned cell has a style of its own, which the page's policy forbids.
            Tag::Table(alignments) => {
                let unaligned = vec![Alignment::None; alignments.len()];
                self.columns.alignments = alignments;
                self.events.push(Event::Start(Tag::Table(unaligned)));
            }
            Tag::TableCell => {
                let tag = self.columns.open_cell();
                self.html(tag);
            }
            tag => {
                if matches!(tag, Tag::TableHead | Tag::TableRow) {
                    self.columns.next = 0;
                    self.columns.is_header = tag == Tag::TableHead;
                }
                self.events.push(Event::Start(tag));
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.end_heading(level as u8 + 1),
            TagEnd::Link if !self.is_link => {}
            TagEnd::TableCell => {
                let tag = format!("</{}>", self.columns.cell());
                self.html(tag);
            }
            tag => self.events.push(Event::End(tag)),
        }
    }

    fn end_code(&mut self) {
        let (is_cuda, code) = self.code.take().unwrap_or_default();
        let text = match is_cuda {
            true => self.page.highlighted(&code).join("\n"),
            false => escaped(code.trim_end()),
        };
        self.html(format!("<pre tabindex=\"0\"><code>{text}</code></pre>\n"));
    }

    fn end_heading(&mut self, wanted: u8) {
        let level = self.page.level(wanted);
        let (at, title) = self.heading.take().unwrap_or_default();
        let id = self.page.anchor(&title, &title);
        let open = format!("<h{level} id=\"{id}\">");
        // The id is known only once the heading's text is: its tag is put before what was collected since.
        self.events.insert(at, Event::Html(CowStr::from(open)));
        self.html(format!("</h{level}>\n"));
    }

    /// The picture itself where the page may hold it, else its words: nothing is loaded from anywhere.
    fn end_picture(&mut self) {
        let Some(Picture { target, words, .. }) = self.picture.take() else {
            return;
        };
        let bytes = self.page.picture(&target);
        match bytes.and_then(|bytes| picture_source(&bytes)) {
            Some(source) => {
                self.page.has_pictures = true;
                self.html(format!(
                    "<img src=\"{source}\" alt=\"{}\">",
                    escaped(&words)
                ));
            }
            None => self.html(escaped(&words)),
        }
    }

    fn html(&mut self, text: String) {
        self.events.push(Event::Html(CowStr::from(text)));
    }
}

impl Picture {
    /// Takes what stands between its brackets; whether it ends.
    fn take(&mut self, event: &Event) -> bool {
        match event {
            Event::Start(Tag::Image { .. }) => self.nested += 1,
            Event::End(TagEnd::Image) if self.nested == 0 => return true,
            Event::End(TagEnd::Image) => self.nested -= 1,
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.words += text
            }
            Event::SoftBreak | Event::HardBreak => self.words.push(' '),
            _ => {}
        }
        false
    }
}

impl Columns {
    fn cell(&self) -> &'static str {
        if self.is_header { "th" } else { "td" }
    }

    fn open_cell(&mut self) -> String {
        let alignment = self.alignments.get(self.next);
        self.next += 1;
        let class = match alignment {
            Some(Alignment::Right) => " class=\"n\"",
            Some(Alignment::Center) => " class=\"centred\"",
            Some(Alignment::Left | Alignment::None) | None => "",
        };
        format!("<{}{class}>", self.cell())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What prose may become: tags, and the attributes that each may have.
    const TAGS: [(&str, &[&str]); 26] = [
        ("h1", &[]),
        ("h2", &["id"]),
        ("h3", &["id"]),
        ("h4", &["id"]),
        ("h5", &["id"]),
        ("h6", &["id"]),
        ("p", &[]),
        ("a", &["href", "title"]),
        ("img", &["src", "alt"]),
        ("em", &[]),
        ("strong", &[]),
        ("code", &[]),
        ("pre", &["tabindex"]),
        ("span", &["class"]),
        ("ul", &[]),
        ("ol", &["start"]),
        ("li", &[]),
        ("blockquote", &[]),
        ("hr", &[]),
        ("br", &[]),
        ("table", &[]),
        ("thead", &[]),
        ("tbody", &[]),
        ("tr", &[]),
        ("th", &["class"]),
        ("td", &["class"]),
    ];

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

    /// The lesson's only picture, and a page that calls itself one.
    fn picture(name: &str) -> Option<Vec<u8>> {
        match name {
            "a.png" => Some(PNG.to_vec()),
            "a.svg" => Some(b"<svg onload=alert(1)>".to_vec()),
            _ => None,
        }
    }

    fn page(markdown: &str) -> String {
        prose(&mut HtmlPage::new(&picture), markdown)
    }

    /// Fails if `html` has a tag or an attribute that it may not have, or leads where it may not.
    fn assert_harmless(html: &str, of: &str) {
        for tag in html.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("every tag ends");
            let tag = tag.trim_end_matches('/').trim_end();
            let Some(tag) = tag.strip_prefix('/').is_none().then_some(tag) else {
                continue;
            };
            let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
            let known = TAGS.iter().find(|(known, _)| *known == name);
            let (_, attributes) = known.unwrap_or_else(|| panic!("<{tag}> of {of}"));
            while let Some((attribute, value)) = rest.split_once("=\"") {
                let (value, after) = value.split_once('"').expect("every value ends");
                assert!(attributes.contains(&attribute.trim()), "<{tag}> of {of}");
                match attribute.trim() {
                    "href" => assert!(is_link_allowed(&value.replace("&amp;", "&")), "{of}"),
                    "src" => assert!(value.starts_with("data:image/png;base64,"), "{of}"),
                    _ => {}
                }
                rest = after;
            }
            assert_eq!(rest.trim(), "", "<{tag}> of {of}");
        }
    }

    /// Links and pictures as attackers write them (after OWASP's XSS Filter Evasion Cheat Sheet).
    const TARGETS: [&str; 30] = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "javascript&colon;alert(1)",
        "javascript&#58;alert(1)",
        "&#106;avascript:alert(1)",
        "&#x6A;avascript:alert(1)",
        "&#0000106;avascript:alert(1)",
        "java&Tab;script:alert(1)",
        "java&NewLine;script:alert(1)",
        "java&#9;script:alert(1)",
        "java&#xA;script:alert(1)",
        "java&#0;script:alert(1)",
        "&#1;javascript:alert(1)",
        "&#14;javascript:alert(1)",
        "&nbsp;javascript:alert(1)",
        "java\\script:alert(1)",
        "javascript\\:alert(1)",
        "javascript://a.b/%0aalert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "DATA:text/html,x",
        "vbscript:msgbox(1)",
        "livescript:x",
        "mocha:x",
        "file:///etc/passwd",
        "//evil.example/x.png",
        "\\\\evil.example\\x",
        "https&colon;//evil.example/\"onclick=alert(1)",
        "a.png\"onerror=\"alert(1)",
        "a.svg",
    ];

    #[test]
    fn no_link_or_picture_of_a_lesson_runs_or_loads_anything() {
        for target in TARGETS {
            for markdown in [
                format!("[x]({target})"),
                format!("[x](<{target}> \"t\")"),
                format!("[x][r]\n\n[r]: {target}\n"),
                format!("[x][r]\n\n[r]: <{target}> 'a\" onclick=\"b'\n"),
                format!("[r]\n\n[r]: {target}\n"),
                format!("<{target}>"),
                format!("![x]({target})"),
                format!("![x](<{target}> \"t\")"),
                format!("![\" onerror=alert(1) x=\"][r]\n\n[r]: <{target}>\n"),
                format!("[![x]({target})]({target})"),
                format!("# [x]({target})\n"),
                format!("| a |\n|--:|\n| [x]({target}) ![y]({target}) |\n"),
                format!("- > *[x]({target})*"),
            ] {
                let html = page(&markdown);
                assert_harmless(&html, &markdown);
                let lower = html.to_lowercase();
                assert!(!lower.contains("=\"javascript"), "{markdown}: {html}");
            }
        }
    }

    #[test]
    fn html_of_a_lesson_is_shown_and_not_obeyed() {
        for markdown in [
            "<script>alert(1)</script>",
            "<SCRIPT SRC=//evil.example></SCRIPT>",
            "a <img src=x onerror=alert(1)> b",
            "<svg/onload=alert(1)>",
            "<svg><script>alert&#40;1)</script>",
            "<iframe srcdoc='<script>x</script>'></iframe>",
            "<style>@import 'http://evil.example'</style>",
            "<base href='//evil.example/'>",
            "<meta http-equiv=refresh content='0;url=javascript:x'>",
            "<a href='javascript:x'>x</a>",
            "<!--><script>x</script>-->",
            "<![CDATA[<script>x</script>]]>",
            "<?php x ?><script>",
            "<math><mi xlink:href='javascript:x'>",
            "<details open ontoggle=alert(1)>",
            "</style></title><script>x",
            "`</code><script>x</script>`",
            "```\n</code></pre><script>x</script>\n```",
            "```cuda\n// </span><script>x</script>\n```",
            "```\"><script>x</script>\nx\n```",
            "    </pre><script>x",
            "# <script>x</script> \" onclick=alert(1)",
            "&lt;script&gt;x&lt;/script&gt; &#60;script&#62;",
            "<scr\u{0}ipt>x",
            "[x](https://a.b 'a\"><script>x</script>')",
            "| <script>x</script> | \"><b> |\n|---|:-:|\n| <b> | <i> |",
        ] {
            let html = page(markdown);
            assert_harmless(&html, markdown);
            assert!(!html.contains("<script"), "{markdown}: {html}");
        }
    }

    #[test]
    fn harmless_links_and_the_lesson_s_own_pictures_stay() {
        let html = page("[a](https://a.b/?c&d) [b](#b) [c](next.md) <x@y.z> ![a *p* `q`](a.png)");
        for part in [
            "<a href=\"https://a.b/?c&amp;d\">a</a>",
            "<a href=\"#b\">b</a>",
            "<a href=\"next.md\">c</a>",
            "<a href=\"mailto:x@y.z\">x@y.z</a>",
            "<img src=\"data:image/png;base64,iVBORw0KGgog",
            "alt=\"a p q\">",
        ] {
            assert!(html.contains(part), "{part} is missing in {html}");
        }
        assert_harmless(&html, "what is allowed");
        let refused = page("[words](javascript:x) ![more](http://a.b/c.png) ![<b>](a.svg)");
        assert_eq!(refused, "<p>words more &lt;b&gt;</p>\n");
    }
}
