//! `printf` and `assert`.
//!
//! The format is taken apart here, so that what runs needs to know no text: pieces, and values that
//! already have the types that their conversions want.

use crate::ir::{Conversion, PrintFormat, PrintPiece};
use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::lex;
use crate::cuda::resolve::{Checker, Side, convert, node, promoted, scalar};
use crate::cuda::typed::{Expr, ExprKind, HostExpr, Scalar, Type};

/// Most values that one call prints, as in CUDA.
const MOST_VALUES: usize = 32;

/// A part of a format.
enum Part {
    /// As it is.
    Text(String),
    /// The next value, by a conversion of this letter.
    Value(PrintFormat, char),
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

impl Checker {
    /// `printf(…)` or `assert(…)`.
    pub fn call_printing(
        &mut self,
        name: &str,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        if name == "printf" {
            return self.printf(arguments, span);
        }
        self.arity(name, 1, arguments.len(), span)?;
        let condition = Box::new(self.condition(arguments.first()?)?);
        Some(Expr {
            kind: ExprKind::Trap(Some(condition)),
            ty: Type::Void,
            span,
        })
    }

    /// What `assert` expands to in a program: the condition, its text, file and line.
    pub fn assertion(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        if self.frame.side != Side::Host {
            return self.call_printing("assert", arguments.get(..1)?, span);
        }
        let (condition, rest) = arguments.split_first()?;
        let condition = self.condition(condition)?;
        let rest: Vec<Option<Expr>> = rest.iter().map(|a| self.value(a)).collect();
        let mut values = rest.into_iter().collect::<Option<Vec<_>>>()?;
        let function = self.frame.function.name.clone();
        values.push(self.text(&function, span)?);
        let void = |kind| node(kind, Type::Void, span);
        let call = HostExpr::Library("__assert_fail".to_owned(), values);
        let fails = Box::new(void(ExprKind::Host(Box::new(call))));
        let nothing = Box::new(void(ExprKind::Nothing(Vec::new())));
        let kind = ExprKind::Conditional(Box::new(condition), nothing, fails);
        Some(void(kind))
    }

    fn printf(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let first = arguments.split_first();
        // Only a literal will do, as the format is taken apart before the kernel runs.
        let text = first.and_then(|(first, rest)| match &first.kind {
            Written::String(text) => Some((text.clone(), first.span, rest)),
            _ => None,
        });
        let Some((format, at, rest)) = text else {
            let at = arguments.first().map_or(span, |first| first.span);
            let error = Diagnostic::error(at, "`printf` needs its format as a string");
            return self.refuse(error.help("write `printf(\"%d\\n\", i)`"));
        };
        let parts = match parts(&format) {
            Ok(parts) => parts,
            Err(message) => return self.error(at, message),
        };
        let wanted = parts
            .iter()
            .filter(|part| matches!(part, Part::Value(..)))
            .count();
        if wanted != rest.len() {
            let message = format!("this format takes {wanted} values, not {}", rest.len());
            let error = Diagnostic::error(at, message);
            return self.refuse(error.help("one value for each `%`, and `%%` for a percent sign"));
        }
        if wanted > MOST_VALUES {
            let message = format!("`printf` prints at most {MOST_VALUES} values");
            return self.error(span, message);
        }
        let (pieces, values) = self.printed_parts(parts, rest)?;
        Some(Expr {
            kind: ExprKind::Print { pieces, values },
            ty: scalar(Scalar::I32),
            span,
        })
    }

    /// The pieces that a format's parts are at run time, and the values among them.
    fn printed_parts(
        &mut self,
        parts: Vec<Part>,
        written: &[ast::Expr],
    ) -> Option<(Vec<PrintPiece>, Vec<Expr>)> {
        let mut rest = written.iter();
        let (mut pieces, mut values) = (Vec::new(), Vec::new());
        for part in parts {
            let (format, letter) = match part {
                Part::Text(text) => {
                    pieces.push(PrintPiece::Text(text));
                    continue;
                }
                Part::Value(format, letter) => (format, letter),
            };
            let written = rest.next()?;
            // A string that is known now becomes a part of the text.
            if letter == 's' && matches!(written.kind, Written::String(_)) {
                pieces.push(PrintPiece::Text(self.printed_string(format, written)?));
                continue;
            }
            let value = self.value(written)?;
            let (conversion, value) = self.printed(letter, value)?;
            pieces.push(PrintPiece::Value(PrintFormat {
                conversion,
                ..format
            }));
            values.push(value);
        }
        Some((pieces, values))
    }

    fn printed_string(&mut self, format: PrintFormat, written: &ast::Expr) -> Option<String> {
        let Written::String(text) = &written.kind else {
            return None;
        };
        let text = match unescaped(text) {
            Ok(text) => text,
            Err(message) => return self.error(written.span, message),
        };
        let cut: String = text
            .chars()
            .take(format.precision.unwrap_or(usize::MAX))
            .collect();
        Some(match format.left {
            true => format!("{cut:<0$}", format.width),
            false => format!("{cut:>0$}", format.width),
        })
    }

    /// How a value is printed by the conversion `letter`, and the value as the type for that.
    fn printed(&mut self, letter: char, value: Expr) -> Option<(Conversion, Expr)> {
        let (is_float, is_integer, is_pointer) = match &value.ty {
            Type::Scalar(of) => (of.is_float() && !of.is_half(), of.is_integer(), false),
            Type::Pointer { .. } => (false, false, true),
            _ => (false, false, false),
        };
        // [expr.call]: behind `...`, narrow integers are passed as `int`, and `float` as `double`.
        let of = value.ty.scalar();
        let wide = of.is_some_and(|of| promoted(of).size_bytes() == 8);
        let upper = letter.is_ascii_uppercase();
        let signed = if wide { Scalar::I64 } else { Scalar::I32 };
        let unsigned = if wide { Scalar::U64 } else { Scalar::U32 };
        let radix = match letter {
            'o' => 8,
            'x' | 'X' => 16,
            _ => 10,
        };
        let (conversion, to) = match letter {
            'd' | 'i' if is_integer => (Conversion::Signed { wide }, scalar(signed)),
            'u' | 'x' | 'X' | 'o' if is_integer => {
                let conversion = Conversion::Unsigned { wide, radix, upper };
                (conversion, scalar(unsigned))
            }
            'c' if is_integer => (Conversion::Character, scalar(Scalar::I32)),
            's' if is_text(&value.ty) => (Conversion::Text, scalar(Scalar::U64)),
            'p' if is_pointer => (Conversion::Pointer, scalar(Scalar::U64)),
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' if is_float => {
                let letter = letter.to_ascii_lowercase();
                (Conversion::Float { letter, upper }, scalar(Scalar::F64))
            }
            _ => {
                let message = format!("`%{letter}` does not print `{}`", value.ty);
                let error = Diagnostic::error(value.span, message);
                return self.refuse(error.help(how_to_print(&value.ty)));
            }
        };
        Some((conversion, convert(value, &to)))
    }
}

fn is_text(ty: &Type) -> bool {
    let Type::Pointer { to, .. } = ty else {
        return false;
    };
    matches!(**to, Type::Scalar(Scalar::Char | Scalar::I8 | Scalar::U8))
}

fn how_to_print(ty: &Type) -> &'static str {
    match ty {
        Type::Scalar(of) if of.is_half() => "convert it to `float`, and write `%f`",
        Type::Scalar(of) if of.is_float() => "write `%f`, `%g` or `%e`",
        Type::Scalar(of) if of.is_signed() => "write `%d`, or `%lld` for `long long`",
        Type::Scalar(_) => "write `%u`, or `%llu` for `unsigned long long`",
        Type::Pointer { .. } => "write `%p`, or print what it points to",
        _ => "print its parts",
    }
}

/// Takes a format apart.
fn parts(format: &str) -> Result<Vec<Part>, String> {
    let format = unescaped(format)?;
    let (mut parts, mut text) = (Vec::new(), String::new());
    let mut rest = format.chars().peekable();
    while let Some(next) = rest.next() {
        if next != '%' {
            text.push(next);
            continue;
        }
        if rest.next_if_eq(&'%').is_some() {
            text.push('%');
            continue;
        }
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(value(&mut rest)?);
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

/// What follows a `%`.
fn value(rest: &mut Chars<'_>) -> Result<Part, String> {
    let mut format = PrintFormat {
        conversion: Conversion::Character,
        left: false,
        zeros: false,
        plus: false,
        space: false,
        alternate: false,
        width: 0,
        precision: None,
    };
    while let Some(flag) = rest.next_if(|next| "-0+ #".contains(*next)) {
        match flag {
            '-' => format.left = true,
            '0' => format.zeros = true,
            '+' => format.plus = true,
            ' ' => format.space = true,
            _ => format.alternate = true,
        }
    }
    format.width = number(rest)?.unwrap_or(0);
    if rest.next_if_eq(&'.').is_some() {
        format.precision = Some(number(rest)?.unwrap_or(0));
    }
    // Lengths say nothing new: the value's own type is known.
    while rest.next_if(|next| "hljztL".contains(*next)).is_some() {}
    match rest.next() {
        Some(letter) if "diuxXocpfFeEgGs".contains(letter) => Ok(Part::Value(format, letter)),
        Some('*') => Err("`*` in a format is not supported: write the number".to_string()),
        Some(letter) => Err(format!("`%{letter}` is no conversion of `printf`")),
        None => Err("this format ends after `%`".to_string()),
    }
}

/// A width or precision, of at most three digits.
fn number(rest: &mut Chars<'_>) -> Result<Option<usize>, String> {
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    match digits.len() {
        0 => Ok(None),
        1..=3 => Ok(digits.parse().ok()),
        _ => Err(format!("{digits} characters are too many for one value")),
    }
}

/// A string's text, from what stands between its quotes.
fn unescaped(written: &str) -> Result<String, String> {
    let bytes = lex::unescaped(written).map_err(|why| format!("{why} in a string"))?;
    // Texts are UTF-8 here, whatever bytes escapes make.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_come_apart_and_wrong_ones_are_told() {
        let parts = |format| {
            let parts = super::parts(format)?;
            Ok::<_, String>(
                parts
                    .into_iter()
                    .map(|part| match part {
                        Part::Text(text) => text,
                        Part::Value(format, letter) => {
                            format!("<{}{:?}{letter}>", format.width, format.precision)
                        }
                    })
                    .collect::<Vec<_>>(),
            )
        };
        let found = parts("a%5.2fb%%%-3lld\\n").expect("is right");
        assert_eq!(found, ["a", "<5Some(2)f>", "b%", "<3Noned>", "\n"]);
        for wrong in ["%", "%y", "%*d", "%12345d", "\\q"] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }
}
