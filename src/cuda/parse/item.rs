//! What a file declares: functions, in structs or outside of them, constants, names of types.

use std::rc::Rc;

use crate::source::{Diagnostic, Severity, Span};

use super::names::Using;
use super::parser::{Meaning, Parse, Parser, Reported};
use super::refused::{self, is_type_word};
use super::types::{Declarator, Head};
use crate::cuda::ast::*;
use crate::cuda::lex::{Name, Punct, Token, TokenKind};

/// The library's functions with `...`.
const VARIADIC_LIBRARY: [&str; 7] = [
    "printf", "fprintf", "sprintf", "snprintf", "scanf", "fscanf", "sscanf",
];

impl Parser {
    /// The whole file.
    pub fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        // What each open brace began: a namespace adds its name to this prefix.
        let mut blocks: Vec<(Span, usize)> = Vec::new();
        let mut namespace = String::new();
        while !self.is_end() {
            // `extern "C" {…}` is no scope: what it holds is read as if it stood in the file.
            if self.opens_language_block() {
                self.bump();
                self.bump();
                blocks.push((self.bump(), namespace.len()));
                continue;
            }
            if self.is(Punct::CloseBrace)
                && let Some((_, length)) = blocks.pop()
            {
                namespace.truncate(length);
                self.bump();
                continue;
            }
            self.unfold_inline_namespace(&namespace);
            if let Some(name) = self.opens_namespace() {
                blocks.push((self.previous, namespace.len()));
                namespace.push_str(&name);
            } else if self.is(Punct::CloseBrace) {
                let span = self.bump();
                self.report(Diagnostic::error(span, "this `}` closes nothing"));
            } else if !self.eat(Punct::Semicolon) {
                self.next_item(&namespace, &mut unit);
            }
        }
        if let Some((open, _)) = blocks.pop() {
            let error = Diagnostic::error(open, "this `{` is never closed").help("add `}`");
            self.report(error);
        }
        unit
    }

    /// Reads one item, and adds it with where it stands; what cannot be read is skipped.
    fn next_item(&mut self, namespace: &str, unit: &mut Unit) {
        let before = self.at;
        let reported = self.diagnostics.len();
        let item = self.item();
        let is_host = matches!(&item, Ok(Item::Function(function)) if function.source.is_host);
        // What fails and has no word of CUDA's in it is the host's: an error only where a kernel uses it.
        let is_wrong = self.diagnostics.len() > reported && !self.gave_up;
        let is_refused = is_wrong && self.is_for_host(before);
        let can_be_kept = self.mode.keeps_errors && self.mode.is_balanced;
        match item {
            _ if is_refused => self.host_item(before, reported, unit),
            Ok(item) if is_wrong && can_be_kept => {
                self.keep_wrong(item, before, reported, unit);
            }
            Err(Reported) if is_wrong && can_be_kept => self.host_item(before, reported, unit),
            Ok(item) => unit.items.push(item),
            Err(Reported) => self.skip_item(before, unit),
        }
        let first = self.tokens[before].span;
        let place = first.to(self.tokens[self.at - 1].span);
        let is_unread = is_wrong && matches!(unit.items.last(), Some(Item::Host(_)));
        if is_host || is_refused || is_unread {
            unit.skipped.push(place);
        }
        // These lists have one entry for each item: `resize` adds one if this turn added an item.
        unit.places.resize(unit.items.len(), place);
        let is_host = self.is_for_host(before);
        unit.for_host.resize(unit.items.len(), is_host);
        unit.namespaces.resize(unit.items.len(), namespace.into());
    }

    /// Adds an item from token `start` on with what is wrong in it, which `reported` and later diagnostics tell.
    fn keep_wrong(&mut self, item: Item, start: usize, reported: usize, unit: &mut Unit) {
        // Where reading went on may lie within the body, if what is wrong there looked like its end.
        if matches!(item, Item::Function(_)) {
            self.at = self.at.max(self.item_end(start));
        }
        let wrong = self.diagnostics.split_off(reported);
        unit.wrong.insert(unit.items.len(), wrong);
        unit.items.push(item);
    }

    fn opens_language_block(&self) -> bool {
        let is_string = matches!(self.ahead(1).kind, TokenKind::Str(_));
        self.word() == "extern" && is_string && self.ahead(2).is(Punct::OpenBrace)
    }

    /// Whether a function begins here that cannot stand in a block.
    pub fn begins_item(&self) -> bool {
        let is_string = matches!(self.ahead(1).kind, TokenKind::Str(_));
        matches!(
            self.word(),
            "__global__" | "__device__" | "__host__" | "template"
        ) || self.word() == "extern" && is_string
    }

    /// Whether a function begins here that belongs behind a block which is not closed. A template is
    /// only taken for one where braces are missing.
    pub fn leaves_block(&self) -> bool {
        self.begins_item() && !(self.word() == "template" && self.mode.is_balanced)
    }

    /// Skips the rest of a declaration that could not be read, from `start`; remembers its name.
    fn skip_item(&mut self, start: usize, unit: &mut Unit) {
        let from = start;
        // At least one token, or the loop over the file would not get on.
        if self.at == start {
            self.bump();
        }
        let is_type = self.tokens[start]
            .ident()
            .is_some_and(|word| is_type_word(word) || &**word == "typedef");
        let is_template = self.tokens[start]
            .ident()
            .is_some_and(|word| &**word == "template");
        while !self.is_end() && (is_template || !self.begins_item()) {
            let ends = self.is(Punct::OpenBrace) || self.is(Punct::CloseBrace);
            if self.is(Punct::Semicolon) {
                self.bump();
                break;
            }
            self.skip_tree();
            // Behind the `}` of a function nothing of it follows; behind that of a struct, its variables and `;` do.
            if ends && !is_type {
                self.eat(Punct::Semicolon);
                break;
            }
        }
        if let Some((name, meaning)) = self.skipped_name(from) {
            self.declare(&name, meaning);
            unit.items.push(Item::Refused(name));
        }
    }

    /// The name that the tokens from `start` declare, as far as can be guessed.
    pub fn skipped_name(&self, start: usize) -> Option<(Name, Meaning)> {
        let skipped = &self.tokens[start..self.at];
        let word = |at: usize| skipped.get(at).and_then(|token| token.ident());
        let first = word(0)?;
        if &**first == "using" && skipped.get(2).is_some_and(|token| token.is(Punct::Assign)) {
            return Some((word(1)?.clone(), Meaning::RefusedType));
        }
        if is_type_word(first) || &**first == "typedef" {
            let name = skipped_type(skipped, &**first == "typedef")?;
            return Some((name, Meaning::RefusedType));
        }
        let is_template = &**first == "template";
        // In `template <class T>` the word `class` defines nothing.
        let (begin, of_function) = match is_template {
            true => (behind_arguments(skipped, 1), Meaning::RefusedTemplate),
            false => (0, Meaning::Other),
        };
        for at in begin..skipped.len() {
            let Some(name) = word(at) else {
                continue;
            };
            if &**name == "operator" {
                return Some((operator_name(&skipped[at + 1..]), Meaning::Other));
            }
            if refused::is_keyword(name) {
                continue;
            }
            let behind = behind_arguments(skipped, at + 1);
            let follows = |punct| skipped.get(behind).is_some_and(|token| token.is(punct));
            let before = at.checked_sub(1).and_then(word).map_or("", |word| &**word);
            if is_template && matches!(before, "struct" | "class") {
                return Some((name.clone(), Meaning::RefusedType));
            }
            // `__launch_bounds__(256)` has parentheses as well, but is no function.
            if follows(Punct::OpenParen) && !name.starts_with("__launch") {
                return Some((name.clone(), of_function));
            }
        }
        None
    }

    fn item(&mut self) -> Parse<Item> {
        match self.word() {
            "template" => return self.template_item(),
            "enum" if self.defines_enum() => return Ok(Item::Enum(self.whole_enumeration()?)),
            "struct" | "class" | "union" if self.defines_record() => {
                return Ok(match self.record_or_variables()? {
                    Ok(record) => Item::Record(record),
                    Err(declaration) => Item::Variables(declaration),
                });
            }
            "namespace" => {
                let (name, path) = self.namespace_alias()?;
                return Ok(Item::NamespaceAlias(name, path));
            }
            "using" | "typedef" => {
                return match self.using() {
                    Some(Ok(Using::Namespace(path))) => Ok(Item::UsingNamespace(path)),
                    Some(Ok(Using::Name(path))) => Ok(Item::UsingName(path)),
                    Some(Err(reported)) => Err(reported),
                    None => Ok(Item::Alias(self.alias()?)),
                };
            }
            "static_assert" => return Ok(Item::Assert(self.static_assert()?)),
            _ => {}
        }
        self.plain_item(None)
    }

    /// A function, or variables.
    pub fn plain_item(&mut self, template: Option<Template>) -> Parse<Item> {
        if let Some(error) = self.refused_construct() {
            return Err(self.report(error));
        }
        if matches!(self.token().kind, TokenKind::Punct(_)) && !self.begins_declaration() {
            return Err(self.expected("a function or a constant"));
        }
        let mut specifiers = Specifiers::default();
        while self.specifier(&mut specifiers)? {}
        // [class.ctor]: `A::A(…)` has no type before its name.
        if let Some((names, true)) = self.member_path() {
            return self.out_of_line_constructor(specifiers, names, template);
        }
        if self.begins_guide() {
            let guide = self.guide(template)?;
            return Ok(Item::Function(Rc::new(guide)));
        }
        let head = self.head_after(specifiers)?;
        // `__host__ __device__ struct A {…};`: nothing is declared that could run anywhere.
        if let (Base::Record(record), true) = (&head.ty.base, self.is(Punct::Semicolon)) {
            self.bump();
            return Ok(Item::Record(record.clone()));
        }
        if self.word() != "operator"
            && let Some(error) = refused::construct(self.word(), self.span())
        {
            return Err(self.report(error));
        }
        self.function_or_variables(head, template)
    }

    /// What a head begins: a function, also one of a struct outside of it, or else variables.
    fn function_or_variables(&mut self, mut head: Head, template: Option<Template>) -> Parse<Item> {
        // Tried as a function first. If it is none, the tokens read and what they reported are taken back.
        let start = self.at;
        let count = self.diagnostics.len();
        let mut declarator = Declarator {
            name: None,
            modifiers: self.pointers_of(&mut head.specifiers)?,
        };
        self.unwrap_function(&mut declarator)?;
        if let Some((names, _)) = self.member_path() {
            return self.out_of_line_method(head, declarator, names, template);
        }
        let is_specialised = template.is_some() && self.begins_special_function();
        if self.begins_function() && !self.begins_arguments()
            || is_specialised
            || head.specifiers.global.is_some()
        {
            let name = self.function_name()?;
            let specialises = is_specialised
                .then(|| self.template_arguments())
                .transpose()?;
            // Its body may name it: `f<N - 1>(x)`.
            if template.is_some() {
                self.declare(&name.name, Meaning::Template);
            }
            let mut function = self.function(head, declarator, name)?;
            // `template <> void f(float* x)`: its parameters say of what.
            let is_deduced = template.as_ref().is_some_and(|params| params.is_empty());
            function.template = template;
            function.specialises = specialises.or(is_deduced.then(Vec::new));
            return Ok(Item::Function(Rc::new(function)));
        }
        self.at = start;
        self.diagnostics.truncate(count);
        if self.mode.is_program && self.begins_static_member() {
            return self.static_member(head);
        }
        Ok(Item::Variables(self.declaration(head)?))
    }

    /// `int (&f(float x))[4]`: a function that returns a reference to an array, or a pointer to one or to a function.
    /// What stands around its name and parameters goes to the declarator, and `f(float x)` is left to be read.
    fn unwrap_function(&mut self, declarator: &mut Declarator) -> Parse<()> {
        let open = self.at;
        let is_around = self.is(Punct::OpenParen)
            && [Punct::And, Punct::AndAnd, Punct::Star]
                .iter()
                .any(|&punct| self.ahead(1).is(punct))
            && self.ahead(2).ident().is_some()
            && self.ahead(3).is(Punct::OpenParen);
        if !is_around {
            return Ok(());
        }
        self.skip_tree_whole();
        let close = self.at - 1;
        if self.is(Punct::OpenParen) {
            let function = self.function_modifier()?;
            declarator.modifiers.push(function);
        }
        let mut arrays = Vec::new();
        while self.is(Punct::OpenBracket) {
            arrays.push(self.array_length()?);
        }
        declarator.modifiers.extend(arrays.into_iter().rev());
        self.tokens.drain(close..self.at);
        self.tokens.remove(open);
        self.at = open;
        let outer = self.pointers()?;
        declarator.modifiers.extend(outer);
        self.tokens.remove(open);
        self.at = open;
        Ok(())
    }

    /// `template <> void f<int>(…)`: an explicit specialisation ([temp.expl.spec]).
    fn begins_special_function(&self) -> bool {
        // `template <> constexpr int size<char> = 1;` is one of a constant.
        let is_constant = self.behind_template_arguments(1).is_some_and(|behind| {
            self.ahead(behind).is(Punct::Assign) || self.ahead(behind).is(Punct::OpenBrace)
        });
        self.word() != "operator" && self.ahead(1).is(Punct::Lt) && !is_constant
    }

    /// Whether values stand in the parentheses behind a name, and no parameters: `T x(1, 2);`
    fn begins_arguments(&mut self) -> bool {
        if self.word() == "operator" {
            return false;
        }
        if !self.mode.is_program {
            // Types of the host are not known here: only numbers and constants are sure to be values.
            let first = (2..)
                .find(|&at| !self.ahead(at).is(Punct::OpenParen))
                .unwrap_or(2);
            let token = self.ahead(first);
            let name = token.ident().and_then(|name| self.meaning(name));
            return matches!(token.kind, TokenKind::Number(_))
                || matches!(name, Some(Meaning::Other));
        }
        let at = self.at;
        self.at += 2;
        let is_empty = self.is(Punct::CloseParen) || self.is(Punct::Ellipsis);
        let is_parameter = is_empty || self.begins_declaration() || self.declares();
        self.at = at;
        !is_parameter
    }

    /// Whether a name in a class stands here behind its pointers, with no function's parameters behind it.
    fn begins_static_member(&self) -> bool {
        let mut at = 0;
        while self.ahead(at).is(Punct::Star) {
            at += 1;
        }
        self.ahead(at).ident().is_some() && self.ahead(at + 1).is(Punct::Scope)
    }

    /// `int A::count = 0;`, from behind its type on.
    fn static_member(&mut self, head: Head) -> Parse<Item> {
        let start = head.ty.span;
        let modifiers = self.pointers()?;
        let path = self.path("a member of a class")?;
        let (mut variable, declarator) = (
            None,
            Declarator {
                name: None,
                modifiers,
            },
        );
        if let Some(last) = path.segments.last() {
            let ty = self.around(head.ty, declarator, start);
            variable = Some(self.variable(ty, last.name.clone(), start)?);
        }
        self.semicolon("this declaration");
        Ok(variable.map_or(Item::Nothing, |variable| Item::StaticMember(path, variable)))
    }

    /// A function from its parameters on.
    fn function(&mut self, head: Head, declarator: Declarator, name: Ident) -> Parse<Function> {
        // `template <> void f<int>(…)` must not make the template `f` an ordinary function.
        if self.meaning(&name.name) != Some(Meaning::Template) {
            self.declare(&name.name, Meaning::Other);
        }
        let start = head.ty.span;
        let returns = self.around(head.ty, declarator, start);
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        let result = self.signature_and_body(head.specifiers, returns, name, false);
        self.scopes.truncate(depth);
        result
    }

    pub fn signature_and_body(
        &mut self,
        specifiers: Specifiers,
        returns: TypeName,
        name: Ident,
        is_constructor: bool,
    ) -> Parse<Function> {
        let is_library = self.token().is_library;
        let (mut params, is_variadic) = self.parameters()?;
        // A program may declare the library's functions itself.
        if is_variadic && !is_library && !VARIADIC_LIBRARY.contains(&&*name.name) {
            params.push(self.further_arguments()?);
        }
        let (traits, trailing) = self.behind_parameters()?;
        let constructs = is_constructor
            .then(|| self.member_initializers())
            .transpose()?;
        let mut function = Function::new(trailing.unwrap_or(returns), name, params);
        function.specifiers = specifiers;
        function.summary.end = self.previous;
        function.source.is_library = is_library;
        function.constructs = constructs;
        function.traits = Traits {
            is_variadic,
            ..traits
        };
        self.function_body(&mut function)?;
        Ok(function)
    }

    /// The parameter that stands for `...`: where the further arguments lie, each in a word of 8 bytes.
    fn further_arguments(&mut self) -> Parse<Param> {
        let span = self.previous;
        let name = Ident {
            name: FURTHER_ARGUMENTS.into(),
            span,
        };
        self.declare(&name.name, Meaning::Other);
        let mut ty = TypeName::plain(Base::Void, span);
        ty.modifiers.push(Modifier::Pointer {
            is_const: false,
            is_restrict: false,
        });
        Ok(Param {
            ty,
            name: Some(name),
            default: Some(self.node(ExprKind::Null, span)?),
            span,
        })
    }

    /// What stands behind a function's parameters: its body, `= default;`, or nothing but the `;` of a prototype.
    fn function_body(&mut self, function: &mut Function) -> Parse<()> {
        if self.eat(Punct::Assign) {
            return self.without_body(function);
        }
        let is_tried = self.mode.is_program && self.word() == "try";
        if !self.is(Punct::OpenBrace) && !is_tried {
            if self.is(Punct::Semicolon) || !self.token().first_on_line {
                self.expect(Punct::Semicolon, "or `{` after the parameters")?;
            } else {
                self.semicolon("this function's parameters");
            }
            return Ok(());
        }
        let specifiers = &function.specifiers;
        let runs_on_gpu = specifiers.global.or(specifiers.device);
        // `constexpr` functions run on the GPU without a word, as with nvcc's `--expt-relaxed-constexpr`.
        let is_host = runs_on_gpu.or(specifiers.constexpr).is_none();
        if is_host && !self.mode.is_program {
            // Code of the host may use all of C++, so its body is skipped unread.
            function.source.is_host = true;
            self.skip_braces();
            return Ok(());
        }
        self.calls.clear();
        self.kept.clear();
        let (start, reported) = (self.at, self.diagnostics.len());
        // A body that is broken at its end is kept as empty, so that its name stays known.
        let around = std::mem::replace(&mut self.mode.in_host_body, is_host);
        let (body, end) = self.body_block().unwrap_or_default();
        self.mode.in_host_body = around;
        function.body = Some(body);
        if self.mode.is_program {
            self.keep_broken(function, start, reported);
            self.body_on_host(function, start);
        }
        function.summary = self.body_summary(start, end);
        Ok(())
    }

    /// What the body shows that was read from token `start` on and ends at `end`.
    fn body_summary(&mut self, start: usize, end: Span) -> BodySummary {
        BodySummary {
            end,
            calls: std::mem::take(&mut self.calls),
            changed: self.changed_names(start),
            kept: std::mem::take(&mut self.kept),
        }
    }

    /// The block of a function, or `try {…} catch (…) {…}` in place of it ([except.pre]).
    pub fn body_block(&mut self) -> Parse<(Vec<Stmt>, Span)> {
        if self.word() != "try" {
            return self.block();
        }
        let tried = self.try_statement()?;
        Ok((vec![tried], self.previous))
    }

    /// What is wrong with the body of a host function from token `start` on matters only where it is called.
    fn keep_broken(&mut self, function: &mut Function, start: usize, reported: usize) {
        let wrong = self
            .diagnostics
            .split_off(reported.min(self.diagnostics.len()));
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        if let Some(first) = wrong.into_iter().find(is_error)
            && !self.gave_up
        {
            function.source.broken = Some(Rc::new(first));
            function.body = Some(Vec::new());
            self.at = start;
            self.skip_braces();
        }
    }

    /// `default;`, `delete;` or `0;` in place of a body.
    fn without_body(&mut self, function: &mut Function) -> Parse<()> {
        let span = self.span();
        let traits = &mut function.traits;
        match self.word() {
            "default" => {
                traits.is_default = true;
                function.body = Some(Vec::new());
                // CUDA C++ Programming Guide, "Defaulted functions": it runs where what it calls does.
                function.specifiers.device.get_or_insert(span);
                function.specifiers.host.get_or_insert(span);
            }
            "delete" => traits.is_deleted = true,
            _ if matches!(&self.token().kind, TokenKind::Number(zero) if &**zero == "0") => {
                (traits.is_pure, traits.is_virtual) = (true, true);
            }
            _ => return Err(self.expected("`default`, `delete` or `0`")),
        }
        self.bump();
        self.semicolon("this function");
        Ok(())
    }

    /// `const volatile noexcept override -> T` behind a function's parameters.
    fn behind_parameters(&mut self) -> Parse<(Traits, Option<TypeName>)> {
        let (mut traits, mut returns) = (Traits::default(), None);
        loop {
            if self.eat_word("const") {
                traits.is_const = true;
            } else if self.eat_word("volatile") {
                traits.is_volatile = true;
            } else if self.eat_word("override") || self.eat_word("final") {
                traits.is_virtual = true;
            } else if self.eat_word("noexcept") || self.eat_word("throw") {
                if self.is(Punct::OpenParen) {
                    self.skip_tree_whole();
                }
            } else if self.eat(Punct::Arrow) {
                returns = Some(self.type_name()?);
                traits.has_trailing_return = true;
            // Whether the object is a temporary is not looked at.
            } else if !self.eat(Punct::And) && !self.eat(Punct::AndAnd) {
                return Ok((traits, returns));
            }
        }
    }

    /// Parameters, and whether `...` stands behind them.
    pub fn parameters(&mut self) -> Parse<(Vec<Param>, bool)> {
        let open = self.span();
        self.expect(Punct::OpenParen, "and parameters")?;
        let mut params = Vec::new();
        // [dcl.fct]: `f(void)` takes nothing, as in C.
        if self.word() == "void" && self.ahead(1).is(Punct::CloseParen) {
            self.bump();
        }
        let mut is_variadic = false;
        while !self.is(Punct::CloseParen) {
            is_variadic = self.mode.is_program && self.eat(Punct::Ellipsis);
            if is_variadic {
                break;
            }
            params.push(self.parameter()?);
            if !self.eat(Punct::Comma) {
                break;
            }
            if self.is(Punct::CloseParen) {
                return Err(self.expected("another parameter after `,`"));
            }
        }
        self.close(Punct::CloseParen, open)?;
        Ok((params, is_variadic))
    }

    pub fn parameter(&mut self) -> Parse<Param> {
        let start = self.span();
        if self.is(Punct::Ellipsis) {
            let error = Diagnostic::error(start, "variable numbers of arguments are not supported");
            return Err(self.report(error));
        }
        let head = self.head()?;
        let has_name = |parser: &Parser| {
            let word = parser.token().ident();
            word.is_some_and(|word| !refused::is_keyword(word))
        };
        // Read twice: to see whether a name follows at all, and then by the declarator.
        let at = self.at;
        let count = self.diagnostics.len();
        self.pointers()?;
        let is_pack = self.is(Punct::Ellipsis);
        let named = has_name(self) || self.is(Punct::OpenParen);
        self.at = at;
        self.diagnostics.truncate(count);
        let declarator = match is_pack {
            true => self.pack_declarator()?,
            false => self.declarator(named)?,
        };
        let name = declarator.name.clone();
        if let Some(name) = &name {
            self.declare(&name.name, Meaning::Other);
        }
        let ty = self.around(head.ty, declarator, start);
        let span = start.to(self.previous);
        let default = self.after(Punct::Assign, |parser| match parser.is(Punct::OpenBrace) {
            true => parser.braces(),
            false => parser.assignment(),
        })?;
        Ok(Param {
            ty,
            name,
            default,
            span,
        })
    }

    /// `&&... xs`
    fn pack_declarator(&mut self) -> Parse<Declarator> {
        let mut modifiers = self.pointers()?;
        modifiers.push(Modifier::Expand);
        self.bump();
        let is_named = self.token().ident().is_some();
        let name = is_named.then(|| self.ident("a name")).transpose()?;
        Ok(Declarator { name, modifiers })
    }

    /// How many names stand before the last one of the path here, if a function's parameters follow
    /// it, and whether it names a constructor.
    pub fn member_path(&self) -> Option<(usize, bool)> {
        let (mut at, mut names) = (0, 0);
        loop {
            let name = self.ahead(at).ident()?;
            let behind = match self.begins_template_arguments(at) {
                true => self.behind_template_arguments(at + 1)?,
                false => at + 1,
            };
            if !self.ahead(behind).is(Punct::Scope) {
                return None;
            }
            names += 1;
            at = behind + 1;
            // [class.dtor]: as in a constructor's name, no type stands before `A::~A`.
            if self.ahead(at).is(Punct::Tilde) {
                return Some((names, true));
            }
            if self.word_ahead(at) == "operator" {
                return Some((names, false));
            }
            let last = self.ahead(at).ident()?;
            // [class.ctor]: `A::A(` names a constructor, as its last two names are the same.
            if self.ahead(at + 1).is(Punct::OpenParen) {
                return Some((names, last == name));
            }
        }
    }

    /// A constructor, from its struct's name on.
    pub fn out_of_line_constructor(
        &mut self,
        specifiers: Specifiers,
        names: usize,
        template: Option<Template>,
    ) -> Parse<Item> {
        let returns = TypeName::plain(Base::Void, self.span());
        self.out_of_line_function(specifiers, returns, names, template, true)
    }

    /// Another function, from its struct's name on.
    pub fn out_of_line_method(
        &mut self,
        head: Head,
        declarator: Declarator,
        names: usize,
        template: Option<Template>,
    ) -> Parse<Item> {
        let start = head.ty.span;
        let returns = self.around(head.ty, declarator, start);
        self.out_of_line_function(head.specifiers, returns, names, template, false)
    }

    /// The `A<T>::` before the name of a member, of so many names.
    fn path_of_member(&mut self, names: usize) -> Parse<Path> {
        let start = self.span();
        let mut segments = Vec::new();
        for _ in 0..names {
            let has_arguments = self.begins_template_arguments(0);
            let name = self.ident("the name of a struct")?;
            let arguments = has_arguments
                .then(|| self.template_arguments())
                .transpose()?;
            segments.push(Segment { name, arguments });
            self.expect(Punct::Scope, "and the name of the function")?;
        }
        Ok(Path {
            is_global: false,
            segments,
            span: start.to(self.previous),
        })
    }

    fn out_of_line_function(
        &mut self,
        specifiers: Specifiers,
        returns: TypeName,
        names: usize,
        template: Option<Template>,
        is_constructor: bool,
    ) -> Parse<Item> {
        let path = self.path_of_member(names)?;
        let is_destructor = self.is(Punct::Tilde);
        let name = self.function_name()?;
        // [basic.lookup.unqual]: a body outside of its struct sees the members by their plain names.
        let last = path.segments.last().map(|segment| &segment.name.name);
        let scope = last.and_then(|last| self.record_scopes.get(last));
        let scope = scope.cloned().unwrap_or_default();
        let depth = self.scopes.len();
        self.scopes.push(scope);
        self.scopes.push(Default::default());
        let is_constructor = is_constructor && !is_destructor;
        let function = self.signature_and_body(specifiers, returns, name, is_constructor);
        self.scopes.truncate(depth);
        let mut function = function?;
        function.template = template;
        function.member_of = Some(path);
        Ok(Item::Function(Rc::new(function)))
    }
}

/// `operator+`, of the tokens behind `operator`.
fn operator_name(tokens: &[Token]) -> Name {
    let mut name = String::from("operator");
    for token in tokens {
        match token.kind {
            // `operator()` has parentheses in its name.
            TokenKind::Punct(Punct::OpenParen) if name.len() > "operator".len() => break,
            TokenKind::Punct(punct) => name.push_str(punct.spelling()),
            _ => break,
        }
    }
    name.into()
}

/// The token behind the template arguments that may begin at `at`.
pub fn behind_arguments(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0i32;
    for (count, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            TokenKind::Punct(Punct::Lt) => depth += 1,
            TokenKind::Punct(Punct::Gt) => depth -= 1,
            TokenKind::Punct(Punct::Shr) => depth -= 2,
            TokenKind::Punct(Punct::Semicolon | Punct::OpenBrace) | TokenKind::End => return at,
            _ => {}
        }
        if depth <= 0 {
            return if count == at { at } else { count + 1 };
        }
    }
    at
}

/// `typedef struct {…} A;` declares its last name, `struct A : B {…}` the last before the `:`.
fn skipped_type(skipped: &[Token], is_alias: bool) -> Option<Name> {
    let ends = |token: &Token| !is_alias && (token.is(Punct::OpenBrace) || token.is(Punct::Colon));
    let end = skipped.iter().position(ends).unwrap_or(skipped.len());
    skipped[..end].iter().rev().find_map(Token::ident).cloned()
}
