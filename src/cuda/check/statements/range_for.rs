//! `for` over a range, and names for the parts of a value.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::resolve::{
    Checker, Facts, Operand, Symbol, address, constant, load, node, scalar,
};
use crate::cuda::typed::{
    BinaryOp, ExprKind, Initializer, LocalId, Place, PlaceKind, Scalar, Stmt, StmtKind, Storage,
    Type,
};

impl Checker {
    /// `for (T x : array)`: an index that nobody sees counts its elements.
    pub fn range_for(
        &mut self,
        element: &ast::Declaration,
        range: &ast::Expr,
        body: &ast::Stmt,
    ) -> Option<StmtKind> {
        let over = self.operand(range)?;
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
        let mut statements = Vec::new();
        self.frame.nesting.loops += 1;
        self.frame.nesting.breakable += 1;
        self.scoped(|checker| {
            checker.declaration(element, &mut statements);
            statements.extend(checker.body(body));
        });
        self.frame.nesting.loops -= 1;
        self.frame.nesting.breakable -= 1;
        Some(counted_loop(index, length, statements, span))
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
        for (name, part) in binding.names.iter().zip(parts) {
            let at = name.span;
            let (local, init) = match binding.is_reference {
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
            operand if !binding.is_reference => {
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
            Type::Struct(of) => {
                let fields = of.fields().iter().enumerate();
                let parts = fields.map(|(at, f)| part(PlaceKind::Member(base(), at), f.ty.clone()));
                let parts: Vec<Place> = parts.collect();
                match parts.iter().any(|part| matches!(part.ty, Type::Array(..))) {
                    true => self.error(span, "a part of this is an array: name it by its field"),
                    false => Some(parts),
                }
            }
            Type::Vector(of, lanes) => {
                let parts = 0..*lanes;
                let parts = parts.map(|at| part(PlaceKind::Component(base(), at), scalar(*of)));
                Some(parts.collect())
            }
            ty => self.error(span, format!("a `{ty}` has no parts that can be named")),
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
