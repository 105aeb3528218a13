//! Structs that begin with another: its fields come first, and its functions are made anew for them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::DESTRUCTOR;
use crate::cuda::ast::{self, Member};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Base, BodyState, Candidate, Checker, Context, Entry, ParamType, Symbol, TABLE, UNNAMED, Virtual,
};
use crate::cuda::typed::{Scalar, Type};

/// Names and what they stand for.
type Members = HashMap<Name, Entry>;

/// What a member is in a struct whose field `at` has it.
fn within_field(at: usize, member: &Symbol) -> Symbol {
    match member {
        Symbol::Field(field) => Symbol::BaseField([at, *field].into()),
        Symbol::BaseField(way) => Symbol::BaseField([&[at], &way[..]].concat().into()),
        Symbol::Bits(way, bits) => Symbol::Bits([&[at], &way[..]].concat().into(), *bits),
        other => other.clone(),
    }
}

impl Checker {
    /// Gives the struct number `index` what it inherits: fields go to `fields`, scopes to `inner`.
    /// The members inherited.
    pub fn inherit(
        &mut self,
        written: &ast::Record,
        index: usize,
        inner: &mut Context,
        fields: &mut Vec<(String, Type)>,
    ) -> Members {
        let mut all = Members::new();
        let mut bases = Vec::new();
        for base in &written.bases {
            let context = inner.clone();
            let found = self.within(&context, |checker| checker.base(base));
            bases.extend(found.map(|found| (found, base.span)));
        }
        // Before the fields: the table's address must come first for a base pointer to find it.
        self.inherit_table(written, index, &mut bases, fields);
        for (base, _) in bases {
            let is_plain = self.is_plain_base(base, !fields.is_empty());
            let record = base;
            let field = (!is_plain).then_some(fields.len());
            let base = Base { record, field };
            self.types.records[index].class.bases.push(base);
            let members = match is_plain {
                true => self.inherit_plainly(record, index, inner, fields),
                false => self.inherit_object(record, index, inner, fields),
            };
            for (name, entry) in members {
                all.entry(name).or_insert(entry);
            }
        }
        all
    }

    /// An object begins with the address of its virtual table: in its base, which then comes first, or in a field of
    /// its own.
    fn inherit_table(
        &mut self,
        written: &ast::Record,
        index: usize,
        bases: &mut [(usize, Span)],
        fields: &mut Vec<(String, Type)>,
    ) {
        let has_table = |record: usize| !self.types.records[record].class.virtuals.is_empty();
        let mut polymorphic = bases.iter().filter(|(record, _)| has_table(*record));
        let (first, second) = (polymorphic.next().copied(), polymorphic.next().copied());
        if let Some((_, span)) = second {
            let message = "two bases with virtual functions are not supported yet";
            self.report(Diagnostic::error(span, message));
        }
        match first {
            Some((record, _)) => {
                // Stable, so the other bases keep the order in which they are written.
                bases.sort_by_key(|(base, _)| *base != record);
                let rows = self.types.records[record].class.virtuals.clone();
                self.types.records[index].class.virtuals = rows;
            }
            None if declares_virtual(written) => {
                fields.push((TABLE.to_owned(), Type::Scalar(Scalar::U64)));
                self.types.records[index].defaults.push(None);
            }
            None => {}
        }
    }

    /// Makes the fields of a base the first ones of a struct.
    fn inherit_plainly(
        &mut self,
        base: usize,
        index: usize,
        inner: &mut Context,
        fields: &mut Vec<(String, Type)>,
    ) -> Members {
        let of = &self.types.records[base];
        let own = of.ty.fields().iter();
        fields.extend(own.map(|field| (field.name.clone(), field.ty.clone())));
        let (defaults, words) = (of.defaults.clone(), of.class.words.clone());
        self.types.records[index].class.words.extend(words);
        self.types.records[index].defaults.extend(defaults);
        let scopes = self.types.records[base].context.scopes.clone();
        // Copied, not shared: their object is the derived struct now, so bodies are checked anew.
        let members = self.remade(base, index);
        // The innermost scope is the base's own members, whose place the copies take.
        let outer = scopes.len().saturating_sub(1);
        inner.scopes.extend(scopes.into_iter().take(outer));
        inner.scopes.push(members.clone());
        members
    }

    /// Makes a base a field of a struct, whose members are found through it.
    fn inherit_object(
        &mut self,
        base: usize,
        index: usize,
        inner: &mut Context,
        fields: &mut Vec<(String, Type)>,
    ) -> Members {
        let of = &self.types.records[base];
        let at = fields.len();
        fields.push((format!("({})", of.ty.name()), Type::Struct(of.ty.clone())));
        let mut members = of.members.clone();
        self.types.records[index].defaults.push(None);
        // Neither is inherited: they would end, or assign, only a part of the object.
        members.remove(DESTRUCTOR);
        members.remove("operator=");
        for entry in members.values_mut() {
            entry.symbol = within_field(at, &entry.symbol);
        }
        inner.scopes.push(members.clone());
        members
    }

    /// Makes a struct or union without a name a field of the struct around it, which has its members ([class.union.anon]).
    pub fn unnamed_member(
        &mut self,
        written: &Rc<ast::Record>,
        index: usize,
        fields: &mut Vec<(String, Type)>,
    ) {
        let Some(Type::Struct(of)) = self.record_in_place(written) else {
            return;
        };
        let at = fields.len();
        fields.push((UNNAMED.to_owned(), Type::Struct(of.clone())));
        self.types.records[index].defaults.push(None);
        let members = self
            .types
            .record_of(&of)
            .map(|record| record.members.clone());
        for (name, entry) in members.into_iter().flatten() {
            let span = entry.span;
            let symbol = within_field(at, &entry.symbol);
            if matches!(symbol, Symbol::BaseField(_) | Symbol::Bits(..)) {
                self.declare(&ast::Ident { name, span }, symbol);
            }
        }
    }

    /// The struct that a type names.
    fn base(&mut self, written: &ast::TypeName) -> Option<usize> {
        let (ty, _) = self.resolve(written, None, None)?;
        let found = match &ty {
            Type::Struct(of) if of.layout().is_some() => self.types.index_of(of),
            _ => None,
        };
        if found.is_none() {
            self.error::<()>(
                written.span,
                format!("`{ty}` is not a struct that is defined"),
            );
        }
        found
    }

    /// Whether the fields of a base may be those of the struct itself: nothing happens to it as a whole.
    fn is_plain_base(&self, base: usize, has_fields: bool) -> bool {
        let of = &self.types.records[base];
        let fields = of.ty.fields();
        let end = fields
            .last()
            .map_or(0, |f| f.offset_bytes + f.ty.size_bytes());
        // Compilers may put fields of the derived struct into the unused bytes at a base's end.
        let is_padded = !fields.is_empty() && of.ty.layout().is_some_and(|l| l.size_bytes != end);
        let class = &of.class;
        let is_object = !of.constructors.is_empty()
            || class.begins.is_some()
            || class.destructor.is_some()
            || !class.copies.is_empty()
            || class.assigns_specially
            || !class.virtuals.is_empty();
        !is_object && !is_padded && (!has_fields || fields.is_empty())
    }

    /// `using A::f;` and `using A::A;` in a struct.
    pub fn using_member(
        &mut self,
        path: &ast::Path,
        index: usize,
        inner: &mut Context,
        made: &mut Vec<Candidate>,
    ) {
        let context = inner.clone();
        let (Some((last, before)), false) = (path.segments.split_last(), path.segments.len() < 2)
        else {
            return;
        };
        let mut outer = path.clone();
        outer.segments = before.to_vec();
        let written = ast::TypeName::plain(ast::Base::Named(Box::new(outer)), path.span);
        let Some(base) = self.within(&context, |checker| checker.base(&written)) else {
            return;
        };
        // `using A::A` names constructors: the last name is that of the struct itself.
        let is_constructor = before
            .last()
            .is_some_and(|own| own.name.name == last.name.name);
        if is_constructor {
            return self.inherit_constructors(base, index, &written, inner, made);
        }
        let of = self.types.records[base].ty.clone();
        for candidate in self
            .types
            .methods(&of, &last.name.name)
            .into_iter()
            .flatten()
        {
            if let Some(scope) = inner.scopes.last_mut() {
                self.add_method(scope, &last.name, candidate);
            }
        }
    }

    /// Gives a struct the constructors of a base ([class.inhctor.init]).
    fn inherit_constructors(
        &mut self,
        base: usize,
        index: usize,
        written: &ast::TypeName,
        inner: &mut Context,
        made: &mut Vec<Candidate>,
    ) {
        let ast::Base::Named(path) = &written.base else {
            return;
        };
        let Some(scope) = inner.scopes.last_mut() else {
            return;
        };
        for candidate in self.types.records[base].constructors.clone() {
            let Candidate::Function(at) = candidate else {
                continue;
            };
            let mut signature = self.functions.signatures[at].clone();
            let of = signature.declaration.as_ref();
            let of = of.unwrap_or(&signature.function);
            let mut params = of.params.clone();
            let types = signature.params.iter().flatten();
            for (param, of) in params.iter_mut().zip(types) {
                let name: Name = format!("inherited:{index}:{}", scope.len()).into();
                param.ty = named_type(&name, of, param.span);
                scope.insert(name, type_entry(of, param.span));
            }
            signature.function = Rc::new(inherited_constructor(of, params, path));
            signature.declaration = None;
            signature.state = BodyState::New;
            let at = self.functions.add(signature);
            let candidate = Candidate::Function(at);
            self.types.records[index].constructors.push(candidate);
            made.push(candidate);
        }
    }

    /// Gives a virtual function its row in the table of its struct.
    pub fn add_virtual(&mut self, index: usize, candidate: Candidate) {
        let Candidate::Function(signature) = candidate else {
            return;
        };
        let of = &self.functions.signatures[signature];
        let name = of.function.name.name.clone();
        let rows = &self.types.records[index].class.virtuals;
        let is_same = |row: &Virtual| {
            let known = &self.functions.signatures[row.signature];
            let same_params = known.params == of.params && known.is_const == of.is_const;
            // A destructor overrides the base's whatever its name is ([class.virtual]).
            row.name == name && (same_params || &*name == DESTRUCTOR)
        };
        let known = rows.iter().position(is_same);
        let is_virtual = of.function.traits.is_virtual;
        let rows = &mut self.types.records[index].class.virtuals;
        match known {
            Some(row) => rows[row].signature = signature,
            None if is_virtual => rows.push(Virtual { name, signature }),
            None => {}
        }
    }

    /// The members of struct `base`, its functions made for objects of struct `index`.
    fn remade(&mut self, base: usize, index: usize) -> Members {
        let mut members = self.types.records[base].members.clone();
        let mut made = Vec::new();
        for entry in members.values_mut() {
            let Symbol::Functions(candidates) = &mut entry.symbol else {
                continue;
            };
            for candidate in candidates {
                *candidate = self.copied(*candidate);
                made.push(*candidate);
            }
        }
        let mut context = (*self.types.records[base].context).clone();
        context.record = Some(index);
        if let Some(last) = context.scopes.last_mut() {
            last.clone_from(&members);
        }
        let context = Rc::new(context);
        for candidate in made {
            self.functions.set_context(candidate, context.clone());
        }
        members
    }

    fn copied(&mut self, candidate: Candidate) -> Candidate {
        match candidate {
            Candidate::Function(at) => {
                let mut signature = self.functions.signatures[at].clone();
                signature.state = BodyState::New;
                let copy = self.functions.add(signature);
                // Or the copy would be told as having no parameters at all.
                if let Some(cause) = self.functions.wrong.get(&at).cloned() {
                    self.functions.wrong.insert(copy, cause);
                }
                Candidate::Function(copy)
            }
            Candidate::Template(at) => {
                let template = self.functions.templates[at].for_another();
                Candidate::Template(self.functions.add_template(template))
            }
            host @ Candidate::Host(_) => host,
        }
    }
}

/// `Derived(int a) : Base(a) {}`, for a constructor `Base(int a)` ([class.inhctor.init]).
fn inherited_constructor(
    of: &ast::Function,
    mut params: Vec<ast::Param>,
    base: &ast::Path,
) -> ast::Function {
    for (at, param) in params.iter_mut().enumerate() {
        // With a colon, so that no name of the text can be the same.
        let name: Name = format!("inherited:{at}").into();
        let span = param.span;
        param.name = Some(ast::Ident { name, span });
    }
    // [class.inhctor.init]: as it was passed: what may be taken from still may.
    let value = |param: &ast::Param| {
        let name = param.name.as_ref().map(|name| name.name.clone());
        let named = ast::Expr::new(ast::ExprKind::Name(name.unwrap_or_default()), param.span);
        match param.ty.modifiers.last() {
            Some(ast::Modifier::Reference { is_rvalue: true }) => {
                let (kind, ty) = (ast::CastKind::Static, param.ty.clone());
                let cast = ast::ExprKind::Cast(kind, ty, Box::new(named));
                ast::Expr::new(cast, param.span)
            }
            _ => named,
        }
    };
    let init = ast::MemberInit {
        name: base.clone(),
        values: params.iter().map(value).collect(),
        with_braces: false,
    };
    let mut function = ast::Function::new(of.returns.clone(), of.name.clone(), params);
    function.specifiers.device = of.specifiers.device;
    function.specifiers.host = of.specifiers.host;
    function.source.is_library = of.source.is_library;
    function.body = Some(Vec::new());
    function.constructs = Some(vec![init]);
    function.traits = of.traits.clone();
    function
}

/// The type of a parameter, by a name for what it is or refers to.
fn named_type(name: &Name, of: &ParamType, span: Span) -> ast::TypeName {
    let name = ast::Ident {
        name: name.clone(),
        span,
    };
    let path = ast::Path {
        is_global: false,
        segments: vec![ast::Segment {
            name,
            arguments: None,
        }],
        span,
    };
    let ty = ast::TypeName::plain(ast::Base::Named(Box::new(path)), span);
    let is_rvalue = of.is_rvalue;
    let reference = ast::Modifier::Reference { is_rvalue };
    ast::TypeName {
        modifiers: of.is_reference.then_some(reference).into_iter().collect(),
        ..ty
    }
}

/// What a name for the type of a parameter stands for: the names in it are those of the base, which may mean something
/// else in the struct that inherits it.
fn type_entry(of: &ParamType, span: Span) -> Entry {
    Entry {
        symbol: Symbol::Type(of.ty.clone(), of.is_const),
        span,
        item: 0,
    }
}

/// Whether a struct declares virtual functions.
fn declares_virtual(written: &ast::Record) -> bool {
    let mut members = written.members.iter().flatten();
    members.any(|member| matches!(member, Member::Function(of) if of.traits.is_virtual))
}
