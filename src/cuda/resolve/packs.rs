//! Parameter packs: a template's text for the arguments at hand, in which no pack is left ([temp.variadic]).
//!
//! `T... xs` of two parts becomes `T[0] xs[0], T[1] xs[1]`, `f(xs...)` becomes `f(xs[0], xs[1])`, and `(xs + ...)` becomes
//! `xs[0] + xs[1]`. These names cannot be written, so nothing hides them; the parts of template parameters are
//! declared under them by [`super::bound`]. Nobody else need know of packs.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::template::{Argument, part_name};
use crate::cuda::ast::*;
use crate::cuda::lex::{Literal, Name};
use crate::cuda::typed::Scalar;

/// The packs of a template, and which part of them is written out.
#[derive(Clone, Default)]
pub struct Packs {
    /// How many parts each has.
    counts: HashMap<Name, usize>,
    part: Option<usize>,
    /// How many parts the packs have that were met in what is repeated.
    met: Cell<Option<usize>>,
}

impl Packs {
    /// Those among a template's parameters; nothing if there is none.
    pub fn of(params: &[TemplateParam], arguments: &[Argument]) -> Option<Self> {
        let mut counts = HashMap::new();
        for (param, argument) in params.iter().zip(arguments) {
            if let (Some(name), Argument::Pack(parts)) = (&param.name, argument) {
                counts.insert(name.name.clone(), parts.len());
            }
        }
        params.iter().any(|param| param.is_pack).then(|| Packs {
            counts,
            ..Packs::default()
        })
    }

    fn at(&self, part: usize) -> Self {
        Packs {
            part: Some(part),
            ..self.clone()
        }
    }

    fn renamed(&self, name: &Name) -> Name {
        match (self.counts.get(name), self.part) {
            (Some(count), Some(part)) => {
                self.met.set(Some(*count));
                part_name(name, part)
            }
            _ => name.clone(),
        }
    }

    fn ident(&self, ident: &Ident) -> Ident {
        let name = self.renamed(&ident.name);
        Ident {
            name,
            ..ident.clone()
        }
    }

    /// One of what `write` gives for each part of the packs in it; nothing if it has none of these packs.
    fn repeated<T>(&self, write: impl Fn(&Packs) -> T) -> Option<Vec<T>> {
        // A dry run over the first part shows which packs stand in it, and so how often it is repeated; of a pack
        // without parts nothing is written all the same.
        let probe = self.at(0);
        probe.met.set(None);
        write(&probe);
        let count = probe.met.get()?;
        Some((0..count).map(|part| write(&self.at(part))).collect())
    }

    /// A list, in which `pattern` says what an entry repeats.
    fn list<T, P>(
        &self,
        all: &[T],
        pattern: impl Fn(&T) -> Option<P>,
        write: impl Fn(&Packs, &P) -> T,
        plain: impl Fn(&Packs, &T) -> T,
    ) -> Vec<T> {
        let mut written = Vec::with_capacity(all.len());
        for entry in all {
            let repeated =
                pattern(entry).and_then(|of| self.repeated(|packs: &Packs| write(packs, &of)));
            match repeated {
                Some(repeated) => written.extend(repeated),
                // A pack of a template further in stays as it is.
                None => written.push(plain(self, entry)),
            }
        }
        written
    }

    pub fn arguments(&self, all: &[TemplateArgument]) -> Vec<TemplateArgument> {
        let pattern = |argument: &TemplateArgument| match argument {
            TemplateArgument::Type(ty) => ty.pattern().map(TemplateArgument::Type),
            TemplateArgument::Value(value) => value.pattern().map(TemplateArgument::Value),
        };
        self.list(all, pattern, Packs::argument, Packs::argument)
    }

    fn argument(&self, argument: &TemplateArgument) -> TemplateArgument {
        match argument {
            TemplateArgument::Type(ty) => TemplateArgument::Type(self.ty(ty)),
            TemplateArgument::Value(value) => TemplateArgument::Value(self.expr(value)),
        }
    }

    /// Template arguments, where some are written.
    fn given(&self, written: &Option<Vec<TemplateArgument>>) -> Option<Vec<TemplateArgument>> {
        written.as_ref().map(|written| self.arguments(written))
    }

    fn path(&self, path: &Path) -> Path {
        let mut path = path.clone();
        for (at, segment) in path.segments.iter_mut().enumerate() {
            // Only the first name of a path can be a parameter: in `T::value` the rest belongs to what `T` is.
            if at == 0 {
                segment.name = self.ident(&segment.name);
            }
            segment.arguments = segment.arguments.as_deref().map(|all| self.arguments(all));
        }
        path
    }

    pub fn ty(&self, ty: &TypeName) -> TypeName {
        let base = match &ty.base {
            Base::Named(path) => Base::Named(Box::new(self.path(path))),
            Base::Record(record) => Base::Record(self.record(record)),
            Base::Decltype(of) => Base::Decltype(Box::new(self.expr(of))),
            base => base.clone(),
        };
        let modifier = |modifier: &Modifier| match modifier {
            Modifier::Array(length, span) => Modifier::Array(self.maybe(length), *span),
            Modifier::Function(params) => Modifier::Function(Rc::new(self.params(params))),
            modifier => modifier.clone(),
        };
        TypeName {
            base,
            modifiers: ty.modifiers.iter().map(modifier).collect(),
            ..ty.clone()
        }
    }

    fn types(&self, all: &[TypeName]) -> Vec<TypeName> {
        self.list(all, TypeName::pattern, Packs::ty, Packs::ty)
    }

    fn params(&self, all: &[Param]) -> Vec<Param> {
        let pattern = |param: &Param| {
            let ty = param.ty.pattern()?;
            Some(Param {
                ty,
                ..param.clone()
            })
        };
        // The name of what is repeated is a pack from here on.
        let write = |packs: &Packs, param: &Param| {
            let name = param.name.as_ref().zip(packs.part);
            let name = name.map(|(name, part)| Ident {
                name: part_name(&name.name, part),
                span: name.span,
            });
            Param {
                name,
                ..packs.param(param)
            }
        };
        self.list(all, pattern, write, Packs::param)
    }

    fn param(&self, param: &Param) -> Param {
        Param {
            ty: self.ty(&param.ty),
            default: self.maybe(&param.default),
            ..param.clone()
        }
    }

    /// With the packs that a function's parameters are.
    fn within(&self, params: &[Param]) -> Packs {
        let mut packs = self.clone();
        for param in params {
            let parts = param.ty.pattern();
            // Counted in the text that is still packed: how many parts `Ts... xs` has is how many `Ts` has.
            let parts = parts.and_then(|ty| self.repeated(|packs: &Packs| packs.ty(&ty)));
            if let (Some(name), Some(parts)) = (&param.name, parts) {
                packs.counts.insert(name.name.clone(), parts.len());
            }
        }
        packs
    }

    /// A function for these packs.
    pub fn function(&self, function: &Rc<Function>) -> Rc<Function> {
        let packs = self.within(&function.params);
        let constructs = function.constructs.as_deref();
        let mut summary = function.summary.clone();
        for (pack, count) in &packs.counts {
            // The parts have names of their own: what is known of the pack holds for each of them.
            if summary.changed.contains(pack) {
                let parts = (0..*count).map(|part| part_name(pack, part));
                summary.changed.extend(parts);
            }
        }
        Rc::new(Function {
            returns: packs.ty(&function.returns),
            params: self.params(&function.params),
            body: function.body.as_deref().map(|body| packs.stmts(body)),
            constructs: constructs.map(|all| packs.member_inits(all)),
            summary,
            ..(**function).clone()
        })
    }

    fn member_inits(&self, all: &[MemberInit]) -> Vec<MemberInit> {
        let write = |packs: &Packs, init: &MemberInit| MemberInit {
            name: packs.path(&init.name),
            values: packs.exprs(&init.values),
            with_braces: init.with_braces,
        };
        // Only a pack of bases has the name of a pack, so the `...` behind it need not be kept.
        let pattern = |init: &MemberInit| self.is_pack(&init.name).then(|| init.clone());
        self.list(all, pattern, write, write)
    }

    fn is_pack(&self, path: &Path) -> bool {
        self.counts.contains_key(&path.segments[0].name.name)
    }

    /// A struct for these packs.
    pub fn record(&self, record: &Rc<Record>) -> Rc<Record> {
        let members = record.members.as_ref().map(|members| {
            let pattern = |member: &Member| match member {
                Member::Using(path) if self.is_pack(path) => Some(member.clone()),
                _ => None,
            };
            self.list(members, pattern, Packs::member, Packs::member)
        });
        Rc::new(Record {
            bases: self.types(&record.bases),
            align: self.maybe(&record.align),
            pack_bytes: record.pack_bytes,
            members,
            ..(**record).clone()
        })
    }

    fn member(&self, member: &Member) -> Member {
        match member {
            Member::Variables(declaration) => Member::Variables(self.declaration(declaration)),
            Member::Function(function) => Member::Function(self.function(function)),
            Member::Alias(alias) => Member::Alias(self.alias(alias)),
            Member::Assert(assert) => Member::Assert(self.assertion(assert)),
            Member::Record(record) => Member::Record(self.record(record)),
            Member::Using(path) => Member::Using(self.path(path)),
            Member::Enum(_) | Member::Nothing => member.clone(),
        }
    }

    fn alias(&self, alias: &Alias) -> Alias {
        Alias {
            ty: self.ty(&alias.ty),
            ..alias.clone()
        }
    }

    fn assertion(&self, assert: &StaticAssert) -> StaticAssert {
        StaticAssert {
            condition: self.expr(&assert.condition),
            ..assert.clone()
        }
    }

    pub fn declaration(&self, declaration: &Declaration) -> Declaration {
        Declaration {
            variables: declaration
                .variables
                .iter()
                .map(|v| self.variable(v))
                .collect(),
            specifiers: declaration.specifiers.clone(),
        }
    }

    fn variable(&self, variable: &Variable) -> Variable {
        let mut arguments = variable.arguments.as_deref().map(|all| self.exprs(all));
        let mut init = self.maybe(&variable.init);
        // `T x(xs...)` of one part is read as `T x = xs[0]`, and of none as `T x{}`.
        if let Some(all) = arguments.take_if(|all| all.len() < 2) {
            let none = || Expr::new(ExprKind::Braces(Vec::new()), variable.name.span);
            init = Some(all.into_iter().next().unwrap_or_else(none));
        }
        Variable {
            ty: self.ty(&variable.ty),
            init,
            arguments,
            bits: self.maybe(&variable.bits),
            ..variable.clone()
        }
    }

    fn stmts(&self, all: &[Stmt]) -> Vec<Stmt> {
        all.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn boxed(&self, stmt: &Stmt) -> Box<Stmt> {
        Box::new(self.stmt(stmt))
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        use StmtKind::*;
        let kind = match &stmt.kind {
            Expr(e) => Expr(self.expr(e)),
            Declare(declaration) => Declare(self.declaration(declaration)),
            Alias(alias) => Alias(self.alias(alias)),
            Assert(assert) => Assert(self.assertion(assert)),
            Block(body) => Block(self.stmts(body)),
            Record(record) => Record(self.record(record)),
            Bind(binding) => Bind(Binding {
                init: self.expr(&binding.init),
                ..binding.clone()
            }),
            RangeFor {
                element,
                range,
                body,
            } => RangeFor {
                element: self.declaration(element),
                range: self.expr(range),
                body: self.boxed(body),
            },
            Case(value) => Case(self.maybe(value)),
            Switch(value, body) => Switch(self.expr(value), self.stmts(body)),
            If { .. } => self.if_of(&stmt.kind),
            Loop { .. } => self.loop_of(&stmt.kind),
            Return(value) => Return(self.maybe(value)),
            Try(body, handlers) => Try(
                self.stmts(body),
                handlers.iter().map(|h| self.handler(h)).collect(),
            ),
            other => other.clone(),
        };
        Stmt { kind, ..*stmt }
    }

    fn if_of(&self, kind: &StmtKind) -> StmtKind {
        let mut kind = kind.clone();
        if let StmtKind::If {
            condition,
            then,
            otherwise,
            ..
        } = &mut kind
        {
            *condition = self.expr(condition);
            *then = self.boxed(then);
            *otherwise = otherwise.as_deref().map(|stmt| self.boxed(stmt));
        }
        kind
    }

    fn loop_of(&self, kind: &StmtKind) -> StmtKind {
        let mut kind = kind.clone();
        if let StmtKind::Loop {
            init,
            condition,
            step,
            body,
            ..
        } = &mut kind
        {
            *init = init.as_deref().map(|stmt| self.boxed(stmt));
            *condition = self.maybe(condition);
            *step = self.maybe(step);
            *body = self.boxed(body);
        }
        kind
    }

    fn handler(&self, handler: &Handler) -> Handler {
        Handler {
            param: handler.param.as_ref().map(|param| self.param(param)),
            body: self.stmts(&handler.body),
        }
    }

    pub fn exprs(&self, all: &[Expr]) -> Vec<Expr> {
        self.list(all, Expr::pattern, Packs::expr, Packs::expr)
    }

    fn maybe(&self, e: &Option<Expr>) -> Option<Expr> {
        e.as_ref().map(|e| self.expr(e))
    }

    fn binary(&self, e: &Expr, a: &Expr, b: &Expr) -> Expr {
        match self.folded(e, a, b) {
            Some(folded) => folded,
            None => Expr::new(joined(&e.kind, self.expr(a), self.expr(b)), e.span),
        }
    }

    fn expr(&self, e: &Expr) -> Expr {
        use ExprKind::*;
        let one = |e: &Expr| Box::new(self.expr(e));
        let kind = match &e.kind {
            Name(name) => Name(self.renamed(name)),
            Path(path) => Path(Box::new(self.path(path))),
            MemberOf(a, path) => MemberOf(one(a), Box::new(self.path(path))),
            SizeOfPack(pack) => match self.counts.get(pack) {
                Some(count) => Literal(unsigned(*count)),
                None => e.kind.clone(),
            },
            Prefix(op, a) => Prefix(*op, one(a)),
            PostfixStep(a, up) => PostfixStep(one(a), *up),
            Binary(_, _, a, b) | Logical(_, a, b) | Assign(_, _, a, b) | Comma(a, b) => {
                return self.binary(e, a, b);
            }
            Conditional(a, b, c) => Conditional(one(a), one(b), one(c)),
            Call(callee, all) => Call(one(callee), self.exprs(all)),
            Launch(kernel, config, all) => Launch(one(kernel), self.exprs(config), self.exprs(all)),
            Index(a, b) => Index(one(a), one(b)),
            Member(a, name, given) => Member(one(a), name.clone(), self.given(given)),
            ExprKind::Lambda(lambda) => ExprKind::Lambda(Rc::new(self.lambda(lambda))),
            Cast(kind, ty, a) => Cast(*kind, self.ty(ty), one(a)),
            Construct(ty, all, braces) => constructed(self.ty(ty), self.exprs(all), *braces),
            SizeOfType(ty) => SizeOfType(self.ty(ty)),
            TypeId(ty) => TypeId(self.ty(ty)),
            SizeOfExpr(a) => SizeOfExpr(one(a)),
            OfType(property, ty) => OfType(*property, self.ty(ty)),
            Braces(all) => Braces(self.exprs(all)),
            ExprKind::New(new) => ExprKind::New(Box::new(self.new_of(new))),
            Delete(a, is_array) => Delete(one(a), *is_array),
            Throw(a) => Throw(a.as_deref().map(one)),
            Expand(a) => Expand(one(a)),
            Designated(name, a) => Designated(name.clone(), one(a)),
            other => other.clone(),
        };
        Expr::new(kind, e.span)
    }

    fn new_of(&self, new: &New) -> New {
        let values = new.values.as_ref();
        New {
            ty: self.ty(&new.ty),
            count: self.maybe(&new.count),
            at: self.exprs(&new.at),
            values: values.map(|(all, braces)| (self.exprs(all), *braces)),
        }
    }

    fn lambda(&self, lambda: &Lambda) -> Lambda {
        let mut names = Vec::new();
        for name in &lambda.names {
            // A capture of a pack captures each of its parts.
            match self.counts.get(name) {
                Some(count) => names.extend((0..*count).map(|part| part_name(name, part))),
                None => names.push(name.clone()),
            }
        }
        let pattern = |listed: &(Ident, bool)| {
            let is_pack = self.counts.contains_key(&listed.0.name);
            is_pack.then(|| listed.clone())
        };
        let write = |packs: &Packs, (name, by): &(Ident, bool)| (packs.ident(name), *by);
        let values = lambda.values.iter();
        let values = values.map(|(name, by, value)| (self.ident(name), *by, self.expr(value)));
        Lambda {
            values: values.collect(),
            function: self.function(&lambda.function),
            default: lambda.default,
            listed: self.list(&lambda.listed, pattern, write, write),
            this: lambda.this,
            names,
            has_side: lambda.has_side,
            is_called: lambda.is_called,
            variable: lambda.variable.clone(),
        }
    }

    /// A fold written out ([expr.prim.fold]); nothing if this is none, or one of a pack further in.
    fn folded(&self, e: &Expr, a: &Expr, b: &Expr) -> Option<Expr> {
        // `(init + ... + xs)` is read as `(init + ...) + xs`, with the operator twice.
        let (pattern, init, from_right) = match (&a.kind, &b.kind) {
            (ExprKind::Ellipsis, _) => (b, None, false),
            (_, ExprKind::Ellipsis) => (a, None, true),
            _ => {
                let first = operands(&a.kind).filter(|(_, last)| last.is_ellipsis())?.0;
                match self.repeated(|packs: &Packs| packs.expr(first)) {
                    // Of `a op ... op b` one side is the pack, and only looking for it tells which.
                    Some(_) => (first, Some(b), true),
                    None => (b, Some(first), false),
                }
            }
        };
        let mut parts = self.repeated(|packs: &Packs| packs.expr(pattern))?;
        match (init.map(|init| self.expr(init)), from_right) {
            (Some(init), true) => parts.push(init),
            (Some(init), false) => parts.insert(0, init),
            (None, _) => {}
        }
        let join = |a, b| Expr::new(joined(&e.kind, a, b), e.span);
        let folded = match from_right {
            // A right fold: `x0 op (x1 op x2)` ([expr.prim.fold]).
            true => parts
                .into_iter()
                .rev()
                .reduce(|behind, part| join(part, behind)),
            false => parts.into_iter().reduce(join),
        };
        Some(folded.unwrap_or_else(|| Expr::new(of_none(&e.kind), e.span)))
    }
}

/// The operands of an operator between two.
fn operands(kind: &ExprKind) -> Option<(&Expr, &Expr)> {
    use ExprKind::*;
    match kind {
        Binary(_, _, a, b) | Logical(_, a, b) | Assign(_, _, a, b) | Comma(a, b) => Some((a, b)),
        _ => None,
    }
}

/// `T(values)` or `T{values}`; with one value in parentheses a conversion, as [expr.type.conv] has it.
fn constructed(ty: TypeName, mut values: Vec<Expr>, with_braces: bool) -> ExprKind {
    match (values.len(), with_braces) {
        (1, false) => ExprKind::Cast(CastKind::Plain, ty, Box::new(values.remove(0))),
        _ => ExprKind::Construct(ty, values, with_braces),
    }
}

/// The same operator between others.
fn joined(kind: &ExprKind, a: Expr, b: Expr) -> ExprKind {
    let (a, b) = (Box::new(a), Box::new(b));
    match kind {
        ExprKind::Binary(op, span, ..) => ExprKind::Binary(*op, *span, a, b),
        ExprKind::Logical(is_or, ..) => ExprKind::Logical(*is_or, a, b),
        ExprKind::Assign(op, span, ..) => ExprKind::Assign(*op, *span, a, b),
        _ => ExprKind::Comma(a, b),
    }
}

/// A fold over nothing: true for `&&`, false for `||`, no value for a comma; others must not be ([temp.variadic]).
fn of_none(kind: &ExprKind) -> ExprKind {
    let truth = |value: bool| Literal {
        scalar: Scalar::Bool,
        bits: u64::from(value),
    };
    match kind {
        ExprKind::Logical(is_or, ..) => ExprKind::Literal(truth(!is_or)),
        ExprKind::Comma(..) => ExprKind::Literal(truth(false)),
        // Left as it is, so that it is refused where it is looked at.
        _ => ExprKind::Ellipsis,
    }
}

fn unsigned(value: usize) -> Literal {
    Literal {
        scalar: Scalar::U64,
        bits: value as u64,
    }
}
