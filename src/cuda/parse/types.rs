//! Types, specifiers and declarators; what stands where a type should, and is none.

use std::rc::Rc;

use crate::source::{Diagnostic, Span, nearest};

use super::parser::{Meaning, Parse, Parser};
use super::refused;
use crate::cuda::ast::*;
use crate::cuda::builtin::unsupported::refused_library;
use crate::cuda::lex::{Punct, TokenKind};
use crate::cuda::typed::{Scalar, Type, named_type};

/// What precedes the declarators of a declaration.
pub struct Head {
    pub specifiers: Specifiers,
    pub ty: TypeName,
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

    /// The words reach to the end of `span`.
    fn reach(&mut self, span: Span) {
        self.span = Some(self.span.map_or(span, |before| before.to(span)));
    }

    /// They are this type; true, as a word was taken.
    fn take(&mut self, base: Base, span: Span) -> bool {
        self.base = Some(base);
        self.reach(span);
        true
    }
}

/// A name with the type around it.
pub struct Declarator {
    pub name: Option<Ident>,
    pub modifiers: Vec<Modifier>,
}

/// Words that may begin a declaration, for suggestions.
const DECLARATION_WORDS: [&str; 28] = [
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__forceinline__",
    "__launch_bounds__",
    "extern",
    "static",
    "inline",
    "const",
    "constexpr",
    "using",
    "typedef",
    "void",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "float",
    "double",
    "float2",
    "float4",
    "size_t",
    "uint32_t",
    "int64_t",
];

/// Whether a specifier changes nothing that a kernel computes.
fn is_dropped(word: &str) -> bool {
    matches!(
        word,
        "inline"
            | "explicit"
            | "__forceinline__"
            | "__noinline__"
            | "__inline__"
            | "__inline_hint__"
            | "__grid_constant__"
            | "register"
    )
}

impl Parser {
    /// Whether a type begins here.
    pub fn begins_type(&self) -> bool {
        if self.begins_std_integer() {
            return true;
        }
        if self.begins_path() {
            return self.path_is_type();
        }
        let word = self.word();
        // First what the program declares: it hides a type of the same name that is built in.
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

    /// Whether `std::size_t` stands here, or another of C's names of integers.
    fn begins_std_integer(&self) -> bool {
        self.word() == "std"
            && self.ahead(1).is(Punct::Scope)
            && self.word_ahead(2).ends_with("_t")
            && matches!(named_type(self.word_ahead(2)), Some(Type::Scalar(_)))
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
                // `a::B & c` alone could compute; with `=` behind the name, it declares a reference.
                let is_reference = self.ahead(count).is(Punct::And) && follows(count + 1);
                follows(count) || is_reference && self.ahead(count + 2).is(Punct::Assign)
            }
            _ => false,
        }
    }

    /// Whether a declaration begins here: a type or a specifier.
    pub fn begins_declaration(&self) -> bool {
        let specifier = matches!(
            self.word(),
            "constexpr"
                | "static"
                | "extern"
                | "inline"
                | "__shared__"
                | "__constant__"
                | "__device__"
                | "__managed__"
                | "thread_local"
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
    pub fn head(&mut self) -> Parse<Head> {
        self.head_after(Specifiers::default())
    }

    /// The rest of a head, some of whose specifiers were read.
    pub fn head_after(&mut self, mut specifiers: Specifiers) -> Parse<Head> {
        let start = self.span();
        let mut words = TypeWords::default();
        while !self.is_end() && (self.specifier(&mut specifiers)? || self.type_word(&mut words)?) {}
        // If nothing was read, the token before stands before `start`.
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
    pub fn type_name(&mut self) -> Parse<TypeName> {
        let head = self.head()?;
        let start = head.ty.span;
        let declarator = self.declarator(false)?;
        Ok(self.around(head.ty, declarator, start))
    }

    /// The type that a declarator makes of a head's.
    pub fn around(&self, ty: TypeName, declarator: Declarator, start: Span) -> TypeName {
        TypeName {
            modifiers: declarator.modifiers,
            span: start.to(self.previous),
            ..ty
        }
    }

    pub fn specifier(&mut self, specifiers: &mut Specifiers) -> Parse<bool> {
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
            // Code of the host is one thread.
            "static" | "thread_local" | "__thread" => &mut specifiers.storage.fixed,
            "__managed__" => &mut specifiers.managed,
            "friend" => &mut specifiers.friend,
            "mutable" => &mut specifiers.storage.mutable,
            // [dcl.link]: `extern "C"` before a single declaration is `extern` as well.
            "extern" if matches!(self.ahead(1).kind, TokenKind::Str(_)) => {
                let start = self.bump();
                specifiers.storage.external = Some(start.to(self.bump()));
                return Ok(true);
            }
            "extern" => &mut specifiers.storage.external,
            "__align__" | "alignas" | "__builtin_align__" => {
                let (span, arguments) = self.specifier_with_arguments()?;
                self.align(specifiers, span, arguments);
                return Ok(true);
            }
            "__launch_bounds__" => {
                specifiers.launch_bounds = Some(self.specifier_with_arguments()?);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        *slot = Some(self.bump());
        Ok(true)
    }

    /// Skips `[[…]]` and `__attribute__((…))`; of the latter, keeps an alignment.
    pub fn skips_attribute(&mut self, specifiers: &mut Specifiers) -> Parse<bool> {
        // As in `[[maybe_unused]] int x`: nothing that is computed depends on attributes.
        if self.is(Punct::OpenBracket) && self.ahead(1).is(Punct::OpenBracket) {
            self.skip_tree_whole();
            return Ok(true);
        }
        if is_dropped(self.word()) {
            self.bump();
            return Ok(true);
        }
        // How many registers a thread gets changes nothing that is computed.
        if self.word() == "__maxnreg__" {
            self.bump();
            self.skip_tree();
            return Ok(true);
        }
        let is_attribute = matches!(self.word(), "__attribute__" | "__declspec");
        if is_attribute {
            self.layout_attribute(specifiers)?;
        }
        Ok(is_attribute)
    }

    /// `__attribute__((…))`: what it says of alignment is kept.
    fn layout_attribute(&mut self, specifiers: &mut Specifiers) -> Parse<()> {
        let start = self.bump();
        // `__attribute__((aligned(16)))` is GCC's spelling of `alignas(16)`.
        if matches!(self.word_ahead(2), "aligned" | "__aligned__")
            && self.ahead(3).is(Punct::OpenParen)
        {
            let open = self.bump();
            self.bump();
            self.bump();
            let arguments = self.arguments_in_parentheses()?;
            self.close(Punct::CloseParen, open)?;
            self.close(Punct::CloseParen, open)?;
            self.align(specifiers, start.to(self.previous), arguments);
        } else if self.is(Punct::OpenParen) {
            let begin = self.at;
            let pack_bytes = self.packing();
            self.skip_tree_whole();
            match pack_bytes {
                Some(_) => specifiers.pack_bytes = pack_bytes,
                None => self.refuse_layout(begin),
            }
        }
        Ok(())
    }

    /// The bytes to which `((packed))`, or what stands for `#pragma pack`, aligns members at most.
    fn packing(&self) -> Option<u32> {
        match (self.word_ahead(2), &self.ahead(4).kind) {
            ("packed" | "__packed__", _) if self.ahead(3).is(Punct::CloseParen) => Some(1),
            ("__pack__", TokenKind::Number(bytes)) => bytes.parse().ok(),
            _ => None,
        }
    }

    /// `alignas(16)`
    fn specifier_with_arguments(&mut self) -> Parse<(Span, Vec<Expr>)> {
        let start = self.bump();
        let arguments = self.arguments_in_parentheses()?;
        Ok((start.to(self.previous), arguments))
    }

    /// Takes an alignment.
    fn align(&mut self, specifiers: &mut Specifiers, span: Span, arguments: Vec<Expr>) {
        if let Some((first, _)) = specifiers.align.replace((span, arguments)) {
            let error = Diagnostic::error(span, "two alignments of one thing are not supported");
            self.report(error.also(first, "the first"));
        }
    }

    /// Reports an attribute, among the tokens from `begin`, that changes what sizes and places are.
    fn refuse_layout(&mut self, begin: usize) {
        let words = self.tokens[begin..self.at].iter();
        let found = words.filter_map(|token| token.ident().map(|word| (word, token.span)));
        let changes = |word: &str| {
            let word = word.trim_matches('_');
            matches!(
                word,
                "packed" | "aligned" | "mode" | "vector_size" | "alias" | "weak"
            )
        };
        let Some((word, span)) = found.into_iter().find(|(word, _)| changes(word)) else {
            return;
        };
        let message = format!("the attribute `{word}` is not supported here");
        let error = Diagnostic::error(span, message);
        self.report(error.help("leave it out; `__align__` aligns a struct"));
    }

    fn arguments_in_parentheses(&mut self) -> Parse<Vec<Expr>> {
        let open = self.span();
        self.expect(Punct::OpenParen, "and arguments here")?;
        self.arguments(Punct::CloseParen, open)
    }

    /// Takes a word of a type, if one stands here.
    fn type_word(&mut self, words: &mut TypeWords) -> Parse<bool> {
        let span = self.span();
        if !words.has_type() && self.begins_std_integer() {
            self.bump();
            self.bump();
        }
        if !words.has_type() && self.begins_path() && self.begins_type() {
            return self.path_of_type(words);
        }
        let Some(name) = self.token().ident().cloned() else {
            return Ok(false);
        };
        if !words.has_type()
            && let Some(found) = self.keyword_type(&name, words)?
        {
            return Ok(found);
        }
        match &*name {
            "const" => words.is_const = true,
            "volatile" => words.is_volatile = true,
            "unsigned" => words.is_unsigned = true,
            "signed" => words.is_signed = true,
            "long" => words.longs += 1,
            "short" => words.is_short = true,
            "char" => words.is_char = true,
            "int" => words.is_int = true,
            // [dcl.spec]: with a type read, the next word is the name declared, be it a type elsewhere: `int A;`.
            _ if words.has_type() => return Ok(false),
            "void" => words.base = Some(Base::Void),
            "auto" => words.base = Some(Base::Auto),
            word => return self.name_of_type(word, words),
        }
        self.bump();
        words.reach(span);
        Ok(true)
    }

    /// Takes a name, if it is declared as that of a type or known as one.
    fn name_of_type(&mut self, name: &str, words: &mut TypeWords) -> Parse<bool> {
        let span = self.span();
        // Behind `long` only `double` goes on with the type: `long half` declares `half`.
        if words.longs > 0 && name != "double" {
            return Ok(false);
        }
        let base = match (self.meaning(name), named_type(name)) {
            (Some(Meaning::Type | Meaning::TypeTemplate), _) => return self.path_of_type(words),
            // What is wrong with it was reported at its definition.
            (Some(Meaning::RefusedType), _) => {
                self.skip_refused_path();
                return Ok(words.take(Base::Refused, span));
            }
            // The name of a value: here no type begins.
            (Some(_), _) => return Ok(false),
            (None, Some(Type::Scalar(of))) => Base::Scalar(of),
            (None, Some(Type::Vector(of, lanes))) => Base::Vector(of, lanes),
            (None, _) => return self.refused_type(words),
        };
        self.bump();
        Ok(words.take(base, span))
    }

    /// Takes a type that begins with a keyword of its own; nothing where `word` is none of them.
    fn keyword_type(&mut self, word: &str, words: &mut TypeWords) -> Parse<Option<bool>> {
        let span = self.span();
        let base = match word {
            "typename" => {
                self.bump();
                let path = self.path("a type")?;
                words.span = Some(words.span.map_or(span, |before| before.to(path.span)));
                words.base = Some(Base::Named(Box::new(path)));
                return Ok(Some(true));
            }
            "struct" | "class" | "union" if self.defines_type() => Base::Record(self.record(None)?),
            "enum" if self.defines_enum() => Base::Enum(self.enumeration()?),
            // [dcl.type.elab]: `struct A* a;` declares an unknown `A`.
            "struct" | "class" | "union" if self.declares_elaborated() => {
                self.bump();
                let name = self.ident("the name of a struct")?;
                self.declare(&name.name, Meaning::Type);
                Base::Record(Rc::new(Record::declared(name, word == "union")))
            }
            // [dcl.type.elab]: in `struct A a;` the word before a known name adds nothing.
            "struct" | "class" | "union" | "enum" if self.ahead(1).ident().is_some() => {
                self.bump();
                self.hidden_type(words, span)?;
                return Ok(Some(true));
            }
            "decltype" => {
                words.base = Some(self.decltype()?);
                words.span = Some(span.to(self.previous));
                return Ok(Some(true));
            }
            _ => return Ok(None),
        };
        words.base = Some(base);
        words.span = Some(span);
        Ok(Some(true))
    }

    /// Whether a struct is defined where a type stands: `new struct A;` names one, and declares none.
    fn defines_type(&self) -> bool {
        self.defines_record() && !self.ahead(2).is(Punct::Semicolon)
    }

    /// The name behind `struct`, if a function or variable hides the type: not from who says `struct`
    /// ([basic.lookup.elab]).
    fn hidden_type(&mut self, words: &mut TypeWords, begin: Span) -> Parse<()> {
        if matches!(self.meaning(self.word()), Some(Meaning::Other)) {
            let path = self.path("a type")?;
            words.span = Some(begin.to(path.span));
            words.base = Some(Base::Named(Box::new(path)));
        }
        Ok(())
    }

    /// `decltype(e)`
    fn decltype(&mut self) -> Parse<Base> {
        self.bump();
        let open = self.span();
        self.expect(Punct::OpenParen, "and an expression")?;
        if self.eat_word("auto") {
            self.close(Punct::CloseParen, open)?;
            return Ok(Base::Auto);
        }
        let of = self.bracketed(Parser::expression)?;
        self.close(Punct::CloseParen, open)?;
        Ok(Base::Decltype(Box::new(of)))
    }

    /// Whether the type here is `struct A` of an `A` that nothing declares.
    fn declares_elaborated(&self) -> bool {
        let name = self.word_ahead(1);
        let is_name = !name.is_empty() && !refused::is_keyword(name);
        self.mode.is_program
            && is_name
            && !self.ahead(2).is(Punct::Scope)
            && self.meaning(name).is_none()
            && named_type(name).is_none()
    }

    /// Whether `struct A` stands here, and no definition of `A`.
    pub fn begins_elaborated(&self) -> bool {
        refused::is_type_word(self.word())
            && self.ahead(1).ident().is_some()
            && !(self.word() == "enum" && self.defines_enum())
            && !(self.word() != "enum" && self.defines_record())
    }

    /// The message about the construct that the word here begins, if it is not supported.
    pub fn refused_construct(&self) -> Option<Diagnostic> {
        match self.begins_elaborated() {
            true => None,
            false => refused::construct(self.word(), self.span()),
        }
    }

    /// Takes the name of a type, with the names and template arguments that it consists of.
    fn path_of_type(&mut self, words: &mut TypeWords) -> Parse<bool> {
        let path = self.path("a type")?;
        let span = path.span;
        Ok(words.take(Base::Named(Box::new(path)), span))
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
        // `long operator-(…)`: the name of what has this type.
        if self.word() == "operator" {
            return Ok(false);
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
                return self.long_double(base, span);
            }
        }
        // [dcl.type.simple]: which words together are a type, in any order.
        let sizes = u8::from(words.is_short) + u8::from(words.is_char) + u8::from(words.longs > 0);
        let wrong = words.base.is_some()
            || sizes > 1
            || words.longs > 2
            || words.is_char && words.is_int
            || words.is_signed && words.is_unsigned;
        if wrong {
            let message = "these words together are not a type";
            return Err(self.report(Diagnostic::error(span, message)));
        }
        if !words.has_integer_words() {
            return self.unknown_type();
        }
        // `long` has 64 bits, as on the x86-64 Linux hosts of CUDA.
        let (signed, unsigned) = match words {
            TypeWords { is_char: true, .. } if words.is_signed => (Scalar::I8, Scalar::U8),
            TypeWords { is_char: true, .. } => (Scalar::Char, Scalar::U8),
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

    /// The wider type of x86 hosts is left out: programs get the precision of `double`.
    fn long_double(&mut self, double: &Base, span: Span) -> Parse<Base> {
        if self.mode.is_program {
            return Ok(double.clone());
        }
        let error = Diagnostic::error(span, "`long double` does not exist on a GPU");
        Err(self.report(error.help("use `double`")))
    }

    /// `* const x[3]` and the like. `named` says whether a name must stand in it.
    pub fn declarator(&mut self, named: bool) -> Parse<Declarator> {
        self.deeper(|parser| parser.declarator_inner(named))
    }

    fn declarator_inner(&mut self, named: bool) -> Parse<Declarator> {
        let mut modifiers = self.pointers()?;
        let (mut inner, mut name) = (None, None);
        // `int (*p)[3]`: this parenthesis groups; that of parameters stands behind a name.
        let is_pointer = self.ahead(1).is(Punct::Star) || self.ahead(1).is(Punct::And);
        if self.is(Punct::OpenParen) && is_pointer {
            let open = self.bump();
            let declarator = self.declarator(named)?;
            self.close(Punct::CloseParen, open)?;
            if self.is(Punct::OpenParen) {
                modifiers.push(self.function_modifier()?);
            }
            inner = Some(declarator);
        } else if named && !self.is(Punct::CloseParen) {
            name = Some(self.ident("a name")?);
        }
        let mut arrays = Vec::new();
        while self.is(Punct::OpenBracket) {
            arrays.push(self.array_length()?);
        }
        // `int a[2][3]` is 2 arrays of 3. Modifiers are listed from the base outwards: first 3, then 2.
        modifiers.extend(arrays.into_iter().rev());
        // `int (*p)[3]` is an array first, and then a pointer to it.
        if let Some(inner) = inner {
            modifiers.extend(inner.modifiers);
            name = inner.name;
        }
        if modifiers.len() > 16 {
            return Err(self.give_up());
        }
        Ok(Declarator { name, modifiers })
    }

    /// The parameters of a function that is pointed to.
    pub fn function_modifier(&mut self) -> Parse<Modifier> {
        let (params, _) = self.scoped(Parser::parameters)?;
        self.eat_word("const");
        self.eat_word("noexcept");
        Ok(Modifier::Function(Rc::new(params)))
    }

    /// A type with nothing declared of it, which may be that of a function: `int(float)`.
    pub fn type_or_function(&mut self) -> Parse<TypeName> {
        let mut ty = self.type_name()?;
        if self.is(Punct::OpenParen) {
            ty.modifiers.push(self.function_modifier()?);
        }
        Ok(ty)
    }

    pub fn array_length(&mut self) -> Parse<Modifier> {
        let open = self.bump();
        let length = match self.is(Punct::CloseBracket) {
            true => None,
            false => Some(self.assignment()?),
        };
        self.close(Punct::CloseBracket, open)?;
        Ok(Modifier::Array(length, open.to(self.previous)))
    }

    /// The same before a function's name, where its specifiers may stand as well: `float* __device__ f()`.
    pub fn pointers_of(&mut self, specifiers: &mut Specifiers) -> Parse<Vec<Modifier>> {
        let modifiers = self.pointers()?;
        while !modifiers.is_empty() && self.specifier(specifiers)? {}
        Ok(modifiers)
    }

    /// `*`, `* const`, `* __restrict__`, `&`, `&&`.
    pub fn pointers(&mut self) -> Parse<Vec<Modifier>> {
        let mut modifiers = Vec::new();
        loop {
            if self.eat(Punct::Star) {
                modifiers.push(Modifier::Pointer {
                    is_const: false,
                    is_restrict: false,
                });
            } else if self.eat(Punct::And) {
                modifiers.push(Modifier::Reference { is_rvalue: false });
            } else if self.eat(Punct::AndAnd) {
                modifiers.push(Modifier::Reference { is_rvalue: true });
            } else if matches!(self.word(), "__restrict__" | "__restrict") {
                self.bump();
                if let Some(Modifier::Pointer { is_restrict, .. }) = modifiers.last_mut() {
                    *is_restrict = true;
                }
            } else if self.word() == "volatile" {
                self.bump();
            } else if self.word() == "const" {
                self.bump();
                if let Some(Modifier::Pointer { is_const, .. }) = modifiers.last_mut() {
                    *is_const = true;
                }
            } else {
                return Ok(modifiers);
            }
        }
    }

    fn unknown_type_error(&self, name: &str, span: Span) -> Diagnostic {
        if let Some((what, help)) = refused_library(name) {
            return Diagnostic::error(span, what).help(help);
        }
        let error = Diagnostic::error(span, format!("unknown type `{name}`"));
        let declared = self.scopes.iter().flatten();
        let types = declared.filter(|(_, meaning)| **meaning == Meaning::Type);
        let candidates = DECLARATION_WORDS
            .into_iter()
            .chain(types.map(|(name, _)| &**name));
        match nearest(name, candidates).first() {
            // Names in namespaces are not among those that are known here.
            Some(near) if !name.contains("::") => error.help(format!("did you mean `{near}`?")),
            _ => error,
        }
    }

    /// Reports what stands where a type should; an unknown name before another name is taken as one.
    pub fn unknown_type(&mut self) -> Parse<Base> {
        let span = self.span();
        let Some(name) = self.token().ident().cloned() else {
            return Err(self.expected("a type"));
        };
        if self.begins_path() {
            let path = self.path("a type")?;
            let name = path.joined();
            let error = self.unknown_type_error(&name, path.span);
            return Err(self.report(error));
        }
        if let Some(error) = refused::construct(&name, span) {
            return Err(self.report(error));
        }
        // `Foo x` or `Foo* x`: a type whose definition is missing, so reading can go on.
        let names_something = self.ahead(1).ident().is_some() || self.ahead(1).is(Punct::Star);
        let error = self.unknown_type_error(&name, span);
        let reported = self.report(error);
        if !names_something {
            return Err(reported);
        }
        self.bump();
        // `__globl__ void f()`: the type comes after the word that was misspelt.
        if self.begins_type() {
            self.head()?;
        }
        Ok(Base::Refused)
    }
}
