//! How a page of HTML looks: the notebook's colours, dark and light, as a style sheet.

use ratatui::style::{Color, Style};

use crate::document::style::{Depth, Role, Scheme, Theme};

/// Shades from the first block of an order to the last.
pub(crate) const ORDER_STEPS: usize = 5;
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
caption{text-align:left;padding:0 0 .3rem;color:var(--muted);font-size:.86rem;max-width:calc(100vw - 2rem)}
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
.skipped{color:var(--muted);font-size:.8rem;padding:.1rem 0}
details{margin:1rem 0}
summary{cursor:pointer}
.answer{border-left:3px solid var(--accent);padding:.1rem 0 .1rem .9rem}
.answer>summary{font-weight:600;color:var(--accent)}
.numbers>summary{color:var(--muted);font-size:.9rem}
.evidence{font-size:.9rem}
.evidence h3{border:0;padding:0;margin:1.6rem 0 .4rem;font-size:1rem}
figure{margin:1.2rem 0;max-width:44rem}
figcaption{color:var(--muted);font-size:.9rem}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--muted);font:13px system-ui,sans-serif}
.grid{stroke:var(--line);stroke-width:1}
.axis{stroke:var(--muted);fill:none}
.line{fill:none;stroke:var(--series,var(--muted));stroke-width:2}
.mark{fill:var(--series);stroke:var(--series);stroke-width:1.5}
.open{fill:var(--ground)}
.dash-1{stroke-dasharray:7 5}
.dash-2{stroke-dasharray:2 4}
.dash-3{stroke-dasharray:11 4 2 4}
.legend{list-style:none;padding:0;margin:.3rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;font-size:.9rem}
.sign{display:inline-block;width:1.5rem;height:1rem;vertical-align:middle}
.matrices{display:flex;flex-wrap:wrap;align-items:start;gap:1rem 1.6rem}
.matrices svg text{font-size:12px}
.matrices svg{flex:1 1 14rem;max-width:22rem}
.untouched{fill:var(--panel);stroke:var(--line)}
.now{fill:var(--series-1)}
.loaded{fill:var(--series-1)}
.found{fill:var(--good)}
.held{fill:var(--series-0)}
.gone{fill:none;stroke:var(--series-0);stroke-width:1.5}
.matrices svg .digits{fill:var(--text);font-size:10px;paint-order:stroke;stroke:var(--ground);stroke-width:2.5px}
@media(max-width:34rem){body{padding:1rem .8rem 3rem}nav ol{columns:1}h1{font-size:1.5rem}th,td{white-space:normal}td.n{white-space:nowrap}pre,.source td,.source .line{font-size:.74rem}.source th,.source td{padding-right:.35rem}}
@media print{body{max-width:none;padding:0;font-size:10pt}nav,.numbers{display:none}h2,h3,h4{break-after:avoid}table,pre,figure,.answer{break-inside:avoid}.source{break-inside:auto}pre,.listing{border:1px solid var(--line)}.scroll{overflow:visible}.source td.text{white-space:pre-wrap}.evidence{font-size:8pt}a{color:inherit;text-decoration:none}}
";

/// The style sheet: light, dark where the reader prefers that, and light on paper.
pub(crate) fn sheet() -> String {
    // The first four are used by rules below under other names.
    let classes: String = COLOURED[4..]
        .iter()
        .map(|(_, name)| format!(".{name}{{color:var(--{name})}}\n"))
        .collect();
    let series: String = (0..Theme::SERIES_COLOURS)
        .map(|at| format!(".series-{at}{{--series:var(--series-{at})}}\n"))
        .collect();
    let order: String = (0..ORDER_STEPS)
        .map(|at| {
            let share = 25 + 75 * at / (ORDER_STEPS - 1);
            format!(
                ".order-{at}{{fill:color-mix(in srgb,var(--series-0) {share}%,var(--ground))}}\n"
            )
        })
        .collect();
    format!(
        ":root{{color-scheme:light dark;{}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n\
         {classes}{series}{order}{RULES}",
        variables(Scheme::Light),
        variables(Scheme::Dark)
    )
}

/// What a picture of its own takes of it, in the light colours.
pub(crate) fn of_picture() -> String {
    let series: String = (0..Theme::SERIES_COLOURS)
        .map(|at| format!(".series-{at}{{--series:var(--series-{at})}}\n"))
        .collect();
    let rules = RULES.lines().filter(|rule| {
        let kinds = [
            ".grid", ".axis", ".line", ".mark", ".open", ".dash", "svg text",
        ];
        kinds.iter().any(|kind| rule.starts_with(kind))
    });
    let rules: Vec<&str> = rules.collect();
    format!(
        ":root{{{}}}\n{series}{}\nsvg .title{{fill:var(--text)}}",
        variables(Scheme::Light),
        rules.join("\n")
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
        hex(theme.series(0).fg)
    );
    for at in 0..Theme::SERIES_COLOURS {
        variables += &format!("--series-{at}:{};", hex(theme.series(at).fg));
    }
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

    /// The numbers behind `#` in hexadecimal digits: red, green, blue, and perhaps how much covers what is below.
    fn bytes(colour: &str) -> Vec<f64> {
        let digits = colour.strip_prefix('#').expect("is a colour").as_bytes();
        let pairs = digits.chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).expect("is ASCII");
            f64::from(u8::from_str_radix(pair, 16).expect("is hexadecimal"))
        });
        pairs.collect()
    }

    /// What is seen of `colour` over `ground`.
    fn over(colour: &str, ground: &[f64]) -> Vec<f64> {
        let colour = bytes(colour);
        let share = colour.get(3).map_or(1.0, |alpha| alpha / 255.0);
        let mixed = colour.iter().zip(ground);
        mixed.map(|(c, g)| c * share + g * (1.0 - share)).collect()
    }

    /// Relative luminance, <https://www.w3.org/TR/WCAG21/#dfn-relative-luminance>.
    fn luminance(colour: &[f64]) -> f64 {
        let linear = |c: f64| match c / 255.0 {
            c if c <= 0.03928 => c / 12.92,
            c => ((c + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    }

    fn contrast(a: &[f64], b: &[f64]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_pictures_keep_the_contrast_of_the_web_guidelines() {
        for scheme in [Scheme::Light, Scheme::Dark] {
            let variables = variables(scheme);
            let value = |name: &str| {
                let from = variables
                    .split_once(&format!("--{name}:"))
                    .expect("is there")
                    .1;
                from.split_once(';').expect("ends").0.to_owned()
            };
            let ground = bytes(&value("ground"));
            let panel = over(&value("panel"), &ground);
            let bar = over(&value("heat"), &panel);
            let texts = COLOURED.iter().map(|coloured| coloured.1).chain(["text"]);
            for name in texts {
                for below in [&ground, &panel] {
                    let ratio = contrast(&bytes(&value(name)), below);
                    assert!(ratio >= 4.5, "{scheme:?}: {name} has {ratio:.2}");
                }
            }
            let ratio = contrast(&bytes(&value("text")), &bar);
            assert!(ratio >= 4.5, "{scheme:?}: numbers on bars have {ratio:.2}");
            for at in 0..Theme::SERIES_COLOURS {
                let ratio = contrast(&bytes(&value(&format!("series-{at}"))), &ground);
                assert!(ratio >= 3.0, "{scheme:?}: series {at} has {ratio:.2}");
            }
        }
    }
}
