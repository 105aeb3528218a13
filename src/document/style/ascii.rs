//! What is drawn in place of a character where only ASCII can be.

use std::borrow::Cow;

/// `c` in ASCII: what looks or reads like it, else a question mark.
pub(crate) fn ascii(c: char) -> Cow<'static, str> {
    let text = match c {
        c if c.is_ascii() => return String::from(c).into(),
        '\u{2026}' => "...",
        '\u{d7}' => "x",
        '\u{b7}' => "*",
        '\u{2013}' | '\u{2212}' => "-",
        '\u{2014}' => "--",
        '\u{2018}' | '\u{2019}' => "'",
        '\u{201c}' | '\u{201d}' => "\"",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2260}' => "!=",
        '\u{2248}' => "~",
        // Formulas have ceilings and floors in brackets; a closing one is the same for both.
        '\u{2308}' => "ceil(",
        '\u{230a}' => "floor(",
        '\u{2309}' | '\u{230b}' => ")",
        '\u{2190}' => "<-",
        '\u{2192}' => "->",
        '\u{2191}' => "^",
        '\u{2193}' => "v",
        '\u{2713}' => "ok",
        '\u{2717}' => "X",
        '\u{b5}' | '\u{3bc}' => "u",
        '\u{2022}' => "*",
        '\u{b2}' => "2",
        '\u{b3}' => "3",
        // Pictures of controls, as `cat -v` writes them.
        '\u{2400}'..='\u{241f}' => return format!("^{}", control(c)).into(),
        '\u{2421}' => "^?",
        '\u{2500}'..='\u{257f}' => line(c),
        '\u{2580}'..='\u{259f}' => "#",
        _ => "?",
    };
    Cow::Borrowed(text)
}

/// The letter of a control's picture.
fn control(picture: char) -> char {
    char::from_u32(u32::from(picture) - 0x2400 + u32::from('@')).unwrap_or('?')
}

/// Lines of frames and tables.
fn line(c: char) -> &'static str {
    match c {
        '\u{2500}' | '\u{2501}' | '\u{2550}' => "-",
        '\u{2502}' | '\u{2503}' | '\u{2551}' => "|",
        _ => "+",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_likeness_is_no_question_mark() {
        let text = "\u{2308}M / 2\u{2309} \u{230a}M / 2\u{230b} M \u{d7} N \u{2260} \u{2502}\u{2500}\u{253c} \u{2588} 2 \u{b5}s \u{1f600} \u{241b}[31m";
        let drawn: String = text.chars().map(ascii).collect();
        assert_eq!(
            drawn,
            "ceil(M / 2) floor(M / 2) M x N != |-+ # 2 us ? ^[[31m"
        );
    }
}
