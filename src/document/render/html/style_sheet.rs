//! How a page of HTML looks: the notebook's colours, dark and light, as a style sheet.

use ratatui::style::{Color, Style};

use crate::document::style::{Depth, Role, Scheme, Theme};

/// What a page colours, and the names of the classes and variables.
const COLOURED: [(Role, &str); 12] = [
    (Role::Muted, "muted"),
    (Role::Heading, "accent"),
    (Role::Good, "good"),
    (Role::Bad, "bad"),
    (Role::Code, "code"),
    (Role::Comment, "comment"),
    (Role::Keyword, "keyword"),
    (Role::Type, "type"),
    (Role::Function, "function"),
    (Role::Number, "number"),
    (Role::Intrinsic, "intrinsic"),
    (Role::Preprocessor, "preprocessor"),
];

/// The class of a role; none where text is text.
pub(crate) fn class(role: Role) -> Option<&'static str> {
    let found = COLOURED.iter().find(|coloured| coloured.0 == role);
    found.map(|coloured| coloured.1)
}

/// Everything but the colours.
const RULES: &str = "\
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:58rem;background:var(--ground);color:var(--text);font:1rem/1.6 system-ui,sans-serif}
h1,h2,h3{line-height:1.25;color:var(--accent)}
h1{font-size:1.9rem;margin:0 0 .3rem}
h2{margin:2.6rem 0 .6rem}
h3{margin:2.6rem 0 .8rem;padding-top:1rem;border-top:1px solid var(--line)}
h3 code{font-weight:normal;font-size:.85em}
.summary{font-size:1.1rem;color:var(--muted)}
a{color:var(--accent)}
nav ol{columns:2;column-gap:2rem;padding-left:1.4rem}
nav summary{cursor:pointer;color:var(--muted)}
code,pre,.source,td{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.86rem}
:not(pre)>code{color:var(--code)}
pre{padding:.8rem 1rem;overflow-x:auto;background:var(--panel);border-radius:.4rem;line-height:1.45}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .3rem;color:var(--muted);font-size:.86rem}
th{font-weight:600;text-align:left}
thead th{color:var(--muted);font-weight:normal;border-bottom:1px solid var(--line)}
th,td{padding:.12rem .7rem .12rem 0;white-space:nowrap}
.n{text-align:right}
.centred{text-align:center}
img{max-width:100%}
.listing{background:var(--panel);border-radius:.4rem;padding:.6rem .8rem}
.source th,.source td{padding:0 .7rem 0 0;line-height:1.45}
.source .line{color:var(--muted);text-align:right;font-weight:normal}
.source td.n{background:linear-gradient(to left,var(--heat) var(--share),transparent var(--share))}
.source td.text{white-space:pre;padding:0 0 0 .7rem;border-left:1px solid var(--line)}
.good{color:var(--good)}
.bad{color:var(--bad);font-weight:600}
.muted,.note{color:var(--muted)}
.comment{font-style:italic}
@media print{body{max-width:none;padding:0;font-size:10pt}nav{display:none}h2,h3{break-after:avoid}table,pre{break-inside:avoid}.source{break-inside:auto}pre,.listing{border:1px solid var(--line)}}
";

/// The style sheet: light, dark where the reader prefers that, and light on paper.
pub(crate) fn sheet() -> String {
    // The first four are used by rules below under other names.
    let classes: String = COLOURED[4..]
        .iter()
        .map(|(_, name)| format!(".{name}{{color:var(--{name})}}\n"))
        .collect();
    format!(
        ":root{{color-scheme:light dark;{}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n\
         {classes}{RULES}",
        variables(Scheme::Light),
        variables(Scheme::Dark)
    )
}

fn variables(scheme: Scheme) -> String {
    // The notebook's own schemes, so that a page and the screen look alike; a test holds their contrast.
    let theme = Theme {
        scheme,
        ..Theme::new(Depth::True, true)
    };
    let page = theme.page();
    let text = hex(page.fg);
    let mut variables = format!(
        "--ground:{};--text:{text};--line:{text}30;--panel:{text}0d;--heat:{}55;",
        hex(page.bg),
        hex(theme.heat(0.66).fg)
    );
    for (role, name) in COLOURED {
        let Style { fg, .. } = theme.style(role);
        variables += &format!("--{name}:{};", hex(fg.or(page.fg)));
    }
    variables
}

/// A colour of 24 bits as CSS has it.
fn hex(colour: Option<Color>) -> String {
    match colour {
        Some(Color::Rgb(r, g, b)) => format!("#{r:02x}{g:02x}{b:02x}"),
        _ => "currentColor".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_the_sheet_is_known_in_both_schemes() {
        let sheet = sheet();
        assert!(!sheet.contains("currentColor"), "{sheet}");
        assert!(sheet.contains("prefers-color-scheme:dark") && sheet.contains("@media print"));
        for (_, name) in COLOURED {
            assert_eq!(sheet.matches(&format!("--{name}:#")).count(), 2, "{name}");
        }
    }
}
