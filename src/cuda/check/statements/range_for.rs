//! `for` over a range, and names for the parts of a value.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, ExprKind as Written, PrefixOp};
use crate::cuda::resolve::{
    Checker, Facts, Operand, Side, Symbol, address, constant, load, node, scalar,
};
use crate::cuda::typed::{
    BinaryOp, ExprKind, Initializer, LocalId, Place, PlaceKind, Scalar, Stmt, StmtKind, Storage,
    Type,
};

/// Names, which no text can write, of a range that is gone through, and of its iterators.
const RANGE: &str = "(range)";
const LIST: &str = "(list)";
const RANGE_BEGIN: &str = "(begin)";
const RANGE_END: &str = "(end)";

/// The variable of a `for` over a range with another value.
fn with_value(element: &ast::Declaration, value: ast::Expr) -> ast::Declaration {
    let variables = element.variables.iter().map(|variable| ast::Variable {
        ty: variable.ty.clone(),
        name: variable.name.clone(),
        init: Some(value.clone()),
        arguments: None,
        bits: None,
        specialises: None,
        span: variable.span,
    });
    ast::Declaration {
        specifiers: ast::Specifiers::default(),
        variables: variables.collect(),
    }
}

impl Checker {
    /// `for (T x : array)`: an index that nobody sees counts its elements.
    pub fn range_for(
        &mut self,
        element: &ast::Declaration,
        range: &ast::Expr,
        body: &ast::Stmt,
    ) -> Option<StmtKind> {
        if let Written::Braces(values) = &range.kind {
            return self.range_for_list(element, range, values, body);
        }
        let over = self.operand(range)?;
        if let Type::Struct(of) = over.ty()
            && (self.frame.side == Side::Host || self.types.methods(of, "begin").is_some())
        {
            return self.range_for_class(element, range, body);
        }
        let Type::Array(_, length) = *over.ty() else {
            let message = format!("`for` over a `{}` is not supported", over.ty());
            let error = Diagnostic::error(range.span, message);
            return self.refuse(error.help("it takes an array; else count an index"));
        };
        let span = range.span;
        let index = self.frame.local(
            "",
            scalar(Scalar::I32),
            Storage::Thread,
            span,
            Facts::default(),
        );
        let ident = ast::Ident {
            name: ast::RANGE_INDEX.into(),
            span,
        };
        // The initialiser of the element, `range[index]`, finds it by this name.
        self.declare(&ident, Symbol::Local(index));
        let statements = self.repeated(element, body);
        Some(counted_loop(index, length, statements, span))
    }

    /// `for (T x : {a, b, c})`: over an array of these values, which have the type of the first
    /// ([dcl.type.auto.deduct]: of an initializer list all have one).
    fn range_for_list(
        &mut self,
        element: &ast::Declaration,
        range: &ast::Expr,
        values: &[ast::Expr],
        body: &ast::Stmt,
    ) -> Option<StmtKind> {
        let span = range.span;
        let Some(first) = values.first() else {
            return self.error(span, "an empty list has no type");
        };
        let before = self.reports.mark();
        let ty = self.value(first)?.ty;
        // It is looked at once more as part of the list.
        self.reports.take_back(before);
        let ty = Type::Array(Box::new(ty), values.len() as u32);
        let (storage, facts) = (Storage::Thread, Facts::default());
        let local = self.frame.local(LIST, ty.clone(), storage, span, facts);
        let kind = PlaceKind::Local(local);
        let mut out = Vec::new();
        self.begin_written(&Place { kind, ty, span }, range, &mut out)?;
        let ident = ast::Ident {
            name: LIST.into(),
            span,
        };
        self.declare(&ident, Symbol::Local(local));
        let name = |name: &str| Box::new(ast::Expr::new(Written::Name(name.into()), span));
        let value = Written::Index(name(LIST), name(ast::RANGE_INDEX));
        let element = with_value(element, ast::Expr::new(value, span));
        let kind = self.range_for(&element, &name(LIST), body)?;
        out.push(Stmt { kind, span });
        Some(StmtKind::Block(out))
    }

    /// `for (T x : object)` of a class with `begin()` and `end()` ([stmt.ranged]).
    fn range_for_class(
        &mut self,
        element: &ast::Declaration,
        range: &ast::Expr,
        body: &ast::Stmt,
    ) -> Option<StmtKind> {
        let span = range.span;
        let name = |name: &str| ast::Expr::new(Written::Name(name.into()), span);
        let mut out = Vec::new();
        // A range that is a place is not copied: the standard binds it to `auto&&`.
        let is_place = matches!(self.operand(range)?, Operand::Place { .. });
        let modifiers = match is_place {
            true => vec![ast::Modifier::Reference { is_rvalue: false }],
            false => Vec::new(),
        };
        self.hidden(RANGE, modifiers, range.clone(), &mut out);
        // Both once, before the loop ([stmt.ranged]): the body may not move the end.
        for (hidden, member) in [(RANGE_BEGIN, "begin"), (RANGE_END, "end")] {
            let call = call_of_member(name(RANGE), member);
            self.hidden(hidden, Vec::new(), call, &mut out);
        }
        let (begin, end) = (Box::new(name(RANGE_BEGIN)), Box::new(name(RANGE_END)));
        let differs = Written::Binary(BinaryOp::Ne, span, begin.clone(), end);
        let condition = self.condition(&ast::Expr::new(differs, span))?;
        let steps = Written::Prefix(PrefixOp::Increment, begin.clone());
        let step = self.discarded(&ast::Expr::new(steps, span))?;
        let value = ast::Expr::new(Written::Prefix(PrefixOp::Deref, begin), span);
        let kind = StmtKind::Loop {
            init: Vec::new(),
            condition: Some(condition),
            step: Some(step),
            body: self.repeated(&with_value(element, value), body),
            test_first: true,
        };
        out.push(Stmt { kind, span });
        Some(StmtKind::Block(out))
    }

    /// What is done for each element: its variable, and the body.
    fn repeated(&mut self, element: &ast::Declaration, body: &ast::Stmt) -> Vec<Stmt> {
        let mut statements = Vec::new();
        self.in_loop(|checker| {
            checker.scoped(|checker| {
                checker.declaration(element, &mut statements);
                statements.extend(checker.body(body));
            });
        });
        statements
    }

    /// `auto name = value;` of a variable that no text can name.
    fn hidden(
        &mut self,
        name: &str,
        modifiers: Vec<ast::Modifier>,
        value: ast::Expr,
        out: &mut Vec<Stmt>,
    ) {
        let span = value.span;
        let ty = ast::TypeName {
            modifiers,
            ..ast::TypeName::plain(ast::Base::Auto, span)
        };
        let name = ast::Ident {
            name: name.into(),
            span,
        };
        let variable = ast::Variable {
            ty,
            name,
            init: Some(value),
            arguments: None,
            bits: None,
            specialises: None,
            span,
        };
        let declaration = ast::Declaration {
            specifiers: ast::Specifiers::default(),
            variables: vec![variable],
        };
        self.declaration(&declaration, out);
    }

    /// `auto [a, b] = value;`
    pub fn binding(
        &mut self,
        binding: &ast::Binding,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let before = self.reports.mark();
        let bound = self.bound_parts(binding, span, out);
        if bound.is_none() {
            // All names are declared as refused, so that their uses are not told too.
            for name in &binding.names {
                let refused = self.refused_since(before, span);
                self.declare(name, refused);
            }
        }
        bound
    }

    fn bound_parts(
        &mut self,
        binding: &ast::Binding,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (whole, is_const) = self.bound_whole(binding, span, out)?;
        let parts = self.parts_of(&whole, binding.init.span)?;
        if parts.len() != binding.names.len() {
            let (count, wanted) = (parts.len(), binding.names.len());
            let message = format!("`{}` has {count} parts, not {wanted}", whole.ty);
            return self.error(binding.init.span, message);
        }
        // [dcl.struct.bind]: the names mean the parts themselves; plain parts are as good in variables of their own.
        let is_reference = binding.is_reference || self.types.is_by_address(&whole.ty);
        for (name, part) in binding.names.iter().zip(parts) {
            let at = name.span;
            let (local, init) = match is_reference {
                true => {
                    let address = address(part, is_const);
                    let ty = address.ty.clone();
                    (self.frame.reference(&name.name, ty, at), address)
                }
                false => {
                    let (ty, facts) = (part.ty.clone(), Facts::default());
                    let value = node(ExprKind::Load(part), ty.clone(), at);
                    let storage = Storage::Thread;
                    (self.frame.local(&name.name, ty, storage, at, facts), value)
                }
            };
            let init = Some(Initializer::Value(init));
            let kind = StmtKind::Declare { local, init };
            out.push(Stmt { kind, span });
            self.declare(name, Symbol::Local(local));
        }
        Some(())
    }

    /// What has the parts, and whether it is `const`: the value itself by reference, else a copy of it
    /// ([dcl.struct.bind]).
    fn bound_whole(
        &mut self,
        binding: &ast::Binding,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<(Place, bool)> {
        let operand = self.operand(&binding.init)?;
        match operand {
            Operand::Place {
                place, is_const, ..
            } if binding.is_reference => Some((place, is_const)),
            // Each element is copied for itself.
            Operand::Place { place, .. } if self.is_array_of_plain(&place.ty) => {
                Some((place, false))
            }
            operand if !binding.is_reference => {
                if let Type::Struct(of) = operand.ty().clone()
                    && self.types.is_by_address(operand.ty())
                {
                    let value = self.object_value(operand, &of, span)?;
                    let whole = self.living_object(value, out).into_place()?;
                    return Some((whole, false));
                }
                let value = load(operand);
                let place = self.frame.temporary(value.ty.clone(), span);
                let PlaceKind::Local(local) = place.kind else {
                    return None;
                };
                let init = Some(Initializer::Value(value));
                let kind = StmtKind::Declare { local, init };
                out.push(Stmt { kind, span });
                Some((place, false))
            }
            _ => self.error(
                binding.init.span,
                "a reference to this value is not possible",
            ),
        }
    }

    /// The fields, components or elements of a place.
    fn parts_of(&mut self, whole: &Place, span: Span) -> Option<Vec<Place>> {
        let part = |kind, ty| Place { kind, ty, span };
        let base = || Box::new(whole.clone());
        match &whole.ty {
            // What holds `std::array`'s elements.
            Type::Struct(of) if matches!(of.fields(), [only] if &*only.name == "__items") => {
                let items = of.fields()[0].ty.clone();
                self.parts_of(&part(PlaceKind::Member(base(), 0), items), span)
            }
            Type::Struct(of) => {
                let fields = of.fields().iter().enumerate();
                let parts = fields.map(|(at, f)| part(PlaceKind::Member(base(), at), f.ty.clone()));
                let parts: Vec<Place> = parts.collect();
                match parts.iter().any(|part| matches!(part.ty, Type::Array(..))) {
                    // A local that is an array cannot begin with a copy of one.
                    true => self.error(span, "a part of this is an array: name it by its field"),
                    false => Some(parts),
                }
            }
            Type::Vector(of, lanes) => {
                let parts = 0..*lanes;
                let parts = parts.map(|at| part(PlaceKind::Component(base(), at), scalar(*of)));
                Some(parts.collect())
            }
            Type::Array(of, count) => {
                let index = |at| constant(scalar(Scalar::U32), u64::from(at), span);
                let element = |at| PlaceKind::Index(base(), Box::new(index(at)));
                let parts = (0..*count).map(|at| part(element(at), (**of).clone()));
                Some(parts.collect())
            }
            ty => self.error(span, format!("a `{ty}` has no parts that can be named")),
        }
    }

    /// Whether elements of an array are copied by loading them.
    fn is_array_of_plain(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(of, _) => !matches!(**of, Type::Array(..)) && !self.types.is_by_address(of),
            _ => false,
        }
    }
}

/// `for (int index = 0; index < length; ++index) body`
fn counted_loop(index: LocalId, length: u32, body: Vec<Stmt>, span: Span) -> StmtKind {
    let i32 = scalar(Scalar::I32);
    let place = Place {
        kind: PlaceKind::Local(index),
        ty: i32.clone(),
        span,
    };
    let init = Initializer::Value(constant(i32.clone(), 0, span));
    let kind = StmtKind::Declare {
        local: index,
        init: Some(init),
    };
    let now = node(ExprKind::Load(place.clone()), i32.clone(), span);
    let end = constant(i32.clone(), u64::from(length), span);
    let is_inside = ExprKind::Binary(BinaryOp::Lt, Box::new(now), Box::new(end));
    let step = ExprKind::Step {
        place: Box::new(place),
        up: true,
        prefix: true,
    };
    StmtKind::Loop {
        init: vec![Stmt { kind, span }],
        condition: Some(node(is_inside, scalar(Scalar::Bool), span)),
        step: Some(node(step, i32, span)),
        body,
        test_first: true,
    }
}

/// `object.member()`
fn call_of_member(object: ast::Expr, member: &str) -> ast::Expr {
    let span = object.span;
    let member = ast::Ident {
        name: member.into(),
        span,
    };
    let callee = Written::Member(Box::new(object), member, None);
    let callee = Box::new(ast::Expr::new(callee, span));
    ast::Expr::new(Written::Call(callee, Vec::new()), span)
}
