//! Types, specifiers and declarators.

use crate::source::{Diagnostic, Span};

use super::declarator::Declarator;
use super::word::named_type;
use super::{Meaning, Parse, Parser, refused};
use crate::cuda::ast::*;
use crate::cuda::token::{Punct, TokenKind};
use crate::cuda::typed::Scalar;

/// What precedes the declarators of a declaration.
pub struct Head {
    pub specifiers: Specifiers,
    pub ty: TypeName,
}

impl Parser {
    /// Whether a type begins here.
    pub(super) fn begins_type(&self) -> bool {
        if self.begins_path() {
            return self.path_is_type();
        }
        let word = self.word();
        match self.meaning(word) {
            Some(Meaning::Type | Meaning::TypeTemplate | Meaning::RefusedType) => return true,
            Some(_) => return false,
            None => {}
        }
        let keyword = matches!(
            word,
            "void"
                | "char"
                | "short"
                | "int"
                | "long"
                | "signed"
                | "unsigned"
                | "const"
                | "volatile"
                | "auto"
                | "typename"
                | "decltype"
                | "struct"
                | "class"
                | "union"
                | "enum"
        );
        keyword || named_type(word).is_some() || refused::named_type(word).is_some()
    }

    /// Whether the path here names a type: one that is known as such, or unknown and before a name.
    fn path_is_type(&self) -> bool {
        match self.path_meaning() {
            Some((Some(Meaning::Type | Meaning::TypeTemplate | Meaning::RefusedType), _)) => true,
            Some((None, count)) => {
                let follows = |at: usize| {
                    let word = self.ahead(at).ident();
                    word.is_some_and(|word| !refused::is_keyword(word))
                };
                let is_reference = self.ahead(count).is(Punct::And) && follows(count + 1);
                follows(count) || is_reference && self.ahead(count + 2).is(Punct::Assign)
            }
            _ => false,
        }
    }

    /// Whether a declaration begins here: a type or a specifier.
    pub(super) fn begins_declaration(&self) -> bool {
        let specifier = matches!(
            self.word(),
            "constexpr"
                | "static"
                | "extern"
                | "inline"
                | "__shared__"
                | "__constant__"
                | "__device__"
                | "__align__"
                | "__builtin_align__"
                | "alignas"
                | "__attribute__"
                | "__grid_constant__"
                | "__forceinline__"
                | "__noinline__"
                | "register"
                | "typedef"
                | "using"
                | "static_assert"
        );
        let attribute = self.is(Punct::OpenBracket) && self.ahead(1).is(Punct::OpenBracket);
        specifier || attribute || self.begins_type()
    }

    /// Specifiers and the innermost type.
    pub(super) fn head(&mut self) -> Parse<Head> {
        self.head_after(Specifiers::default())
    }

    /// The rest of a head, some of whose specifiers were read.
    pub(super) fn head_after(&mut self, mut specifiers: Specifiers) -> Parse<Head> {
        let start = self.span();
        let mut words = TypeWords::default();
        while !self.is_end() && (self.specifier(&mut specifiers)? || self.type_word(&mut words)?) {}
        let end = if self.previous.end >= start.start {
            self.previous
        } else {
            start
        };
        let base = self.base(&words, start.to(end))?;
        let ty = TypeName {
            base,
            is_const: words.is_const,
            is_volatile: words.is_volatile,
            modifiers: Vec::new(),
            span: words.span.unwrap_or(start),
        };
        Ok(Head { specifiers, ty })
    }

    /// A type with nothing declared of it, as in casts.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        let head = self.head()?;
        let start = head.ty.span;
        let declarator = self.declarator(false)?;
        Ok(self.around(head.ty, declarator, start))
    }

    /// The type that a declarator makes of a head's.
    pub(super) fn around(&self, ty: TypeName, declarator: Declarator, start: Span) -> TypeName {
        TypeName {
            base: if declarator.is_refused {
                Base::Refused
            } else {
                ty.base
            },
            modifiers: declarator.modifiers,
            span: start.to(self.previous),
            ..ty
        }
    }

    pub(super) fn specifier(&mut self, specifiers: &mut Specifiers) -> Parse<bool> {
        let span = self.span();
        if self.skips_attribute(specifiers)? {
            return Ok(true);
        }
        let slot = match self.word() {
            "__global__" => &mut specifiers.global,
            "__device__" => &mut specifiers.device,
            "__host__" => &mut specifiers.host,
            "__shared__" => &mut specifiers.shared,
            "__constant__" => &mut specifiers.constant,
            "constexpr" => &mut specifiers.constexpr,
            "static" => &mut specifiers.fixed,
            "friend" => &mut specifiers.friend,
            "inline" | "explicit" | "__forceinline__" | "__noinline__" | "__inline__"
            | "__inline_hint__" | "__grid_constant__" | "register" | "mutable" => {
                self.bump();
                return Ok(true);
            }
            "extern" => {
                self.bump();
                match self.token().kind {
                    TokenKind::Str(_) => drop(self.bump()),
                    _ => specifiers.external = Some(span),
                }
                return Ok(true);
            }
            "__align__" | "alignas" | "__builtin_align__" => {
                self.bump();
                let arguments = self.arguments_in_parentheses()?;
                specifiers.align = Some((span.to(self.previous), arguments));
                return Ok(true);
            }
            "__launch_bounds__" => {
                self.bump();
                let arguments = self.arguments_in_parentheses()?;
                specifiers.launch_bounds = Some((span.to(self.previous), arguments));
                return Ok(true);
            }
            _ => return Ok(false),
        };
        *slot = Some(span);
        self.bump();
        Ok(true)
    }

    /// Skips `[[…]]` and `__attribute__((…))`; of the latter, keeps an alignment.
    fn skips_attribute(&mut self, specifiers: &mut Specifiers) -> Parse<bool> {
        if self.is(Punct::OpenBracket) && self.ahead(1).is(Punct::OpenBracket) {
            self.skip_tree_whole();
            return Ok(true);
        }
        if !matches!(self.word(), "__attribute__" | "__declspec") {
            return Ok(false);
        }
        let start = self.bump();
        if self.word_ahead(2) == "aligned" && self.ahead(3).is(Punct::OpenParen) {
            let open = self.bump();
            self.bump();
            self.bump();
            let arguments = self.arguments_in_parentheses()?;
            self.close(Punct::CloseParen, open)?;
            self.close(Punct::CloseParen, open)?;
            specifiers.align = Some((start.to(self.previous), arguments));
        } else if self.is(Punct::OpenParen) {
            self.skip_tree_whole();
        }
        Ok(true)
    }

    fn arguments_in_parentheses(&mut self) -> Parse<Vec<Expr>> {
        let open = self.span();
        self.expect(Punct::OpenParen, "and arguments here")?;
        self.arguments(Punct::CloseParen, open)
    }

    /// Takes a word of a type, if one stands here.
    fn type_word(&mut self, words: &mut TypeWords) -> Parse<bool> {
        let span = self.span();
        if !words.has_type() && self.begins_path() && self.begins_type() {
            let path = self.path("a type")?;
            words.span = Some(words.span.map_or(path.span, |before| before.to(path.span)));
            words.base = Some(Base::Named(Box::new(path)));
            return Ok(true);
        }
        let Some(name) = self.token().ident().cloned() else {
            return Ok(false);
        };
        match &*name {
            "const" => words.is_const = true,
            "volatile" => words.is_volatile = true,
            "typename" if !words.has_type() => {
                self.bump();
                let path = self.path("a type")?;
                words.span = Some(words.span.map_or(span, |before| before.to(path.span)));
                words.base = Some(Base::Named(Box::new(path)));
                return Ok(true);
            }
            "struct" | "class" | "union" if !words.has_type() && self.defines_record() => {
                words.base = Some(Base::Record(self.record(None)?));
                words.span = Some(span);
                return Ok(true);
            }
            "enum" if !words.has_type() && self.defines_enum() => {
                words.base = Some(Base::Enum(self.enumeration()?));
                words.span = Some(span);
                return Ok(true);
            }
            "struct" | "class" | "union" | "enum"
                if !words.has_type() && self.ahead(1).ident().is_some() =>
            {
                self.bump();
                return Ok(true);
            }
            "decltype" if !words.has_type() => {
                self.bump();
                let open = self.span();
                self.expect(Punct::OpenParen, "and an expression")?;
                let of = self.bracketed(Parser::expression)?;
                self.close(Punct::CloseParen, open)?;
                words.base = Some(Base::Decltype(Box::new(of)));
                words.span = Some(span.to(self.previous));
                return Ok(true);
            }
            "unsigned" => words.is_unsigned = true,
            "signed" => words.is_signed = true,
            "long" => words.longs += 1,
            "short" => words.is_short = true,
            "char" => words.is_char = true,
            "int" => words.is_int = true,
            _ if words.has_type() => return Ok(false),
            "void" => words.base = Some(Base::Void),
            "auto" => words.base = Some(Base::Auto),
            word => match (self.meaning(word), named_type(word)) {
                (Some(Meaning::Type | Meaning::TypeTemplate), _) => {
                    let path = self.path("a type")?;
                    words.span = Some(words.span.map_or(path.span, |before| before.to(path.span)));
                    words.base = Some(Base::Named(Box::new(path)));
                    return Ok(true);
                }
                (Some(Meaning::RefusedType), _) => {
                    self.skip_refused_path();
                    words.base = Some(Base::Refused);
                    words.span = Some(words.span.map_or(span, |before| before.to(span)));
                    return Ok(true);
                }
                (Some(_), _) => return Ok(false),
                (None, Some(base)) => words.base = Some(base),
                (None, None) => return self.refused_type(words),
            },
        }
        self.bump();
        words.span = Some(words.span.map_or(span, |before| before.to(span)));
        Ok(true)
    }

    /// Skips the name of a type that was refused, with what belongs to it.
    fn skip_refused_path(&mut self) {
        loop {
            self.bump();
            if self.is(Punct::Lt)
                && let Some(behind) = self.behind_template_arguments(0)
            {
                for _ in 0..behind {
                    self.bump();
                }
            }
            if !self.is(Punct::Scope) || self.ahead(1).ident().is_none() {
                return;
            }
            self.bump();
        }
    }

    fn refused_type(&mut self, words: &mut TypeWords) -> Parse<bool> {
        let span = self.span();
        if let Some((what, help)) = refused::named_type(self.word()) {
            let message = format!("{what} not supported yet");
            self.report(Diagnostic::error(span, message).help(help));
            self.bump();
            words.base = Some(Base::Refused);
            words.span = Some(span);
            return Ok(true);
        }
        if let Some(error) = refused::construct(self.word(), span) {
            return Err(self.report(error));
        }
        Ok(false)
    }

    fn base(&mut self, words: &TypeWords, span: Span) -> Parse<Base> {
        if let Some(base) = &words.base {
            if !words.has_integer_words() {
                return Ok(base.clone());
            }
            if matches!(base, Base::Scalar(Scalar::F64)) && words.longs == 1 {
                let error = Diagnostic::error(span, "`long double` does not exist on a GPU")
                    .help("use `double`");
                return Err(self.report(error));
            }
        }
        let sizes = u8::from(words.is_short) + u8::from(words.is_char) + u8::from(words.longs > 0);
        let wrong = words.base.is_some()
            || sizes > 1
            || words.longs > 2
            || words.is_char && words.is_int
            || words.is_signed && words.is_unsigned;
        if wrong {
            let message = "these words together are no type";
            return Err(self.report(Diagnostic::error(span, message)));
        }
        if !words.has_integer_words() {
            return self.unknown_type();
        }
        let (signed, unsigned) = match words {
            TypeWords { is_char: true, .. } => (Scalar::I8, Scalar::U8),
            TypeWords { is_short: true, .. } => (Scalar::I16, Scalar::U16),
            TypeWords { longs: 1.., .. } => (Scalar::I64, Scalar::U64),
            _ => (Scalar::I32, Scalar::U32),
        };
        Ok(Base::Scalar(if words.is_unsigned {
            unsigned
        } else {
            signed
        }))
    }
}

/// The words of a type, in any order.
#[derive(Default)]
struct TypeWords {
    base: Option<Base>,
    is_const: bool,
    is_volatile: bool,
    is_signed: bool,
    is_unsigned: bool,
    longs: u32,
    is_short: bool,
    is_char: bool,
    is_int: bool,
    span: Option<Span>,
}

impl TypeWords {
    fn has_integer_words(&self) -> bool {
        let sizes = self.is_char || self.is_short || self.is_int || self.longs > 0;
        sizes || self.is_signed || self.is_unsigned
    }

    fn has_type(&self) -> bool {
        // `long double` is read as one type so that it can be refused as one.
        let only_long = self.longs > 0 && !self.is_int && !self.is_signed && !self.is_unsigned;
        self.base.is_some() || self.has_integer_words() && !only_long
    }
}
