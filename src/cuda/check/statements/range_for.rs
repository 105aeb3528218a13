//! `for` over a range, and names for the parts of a value.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::resolve::{Checker, Facts, Operand, Symbol, address, constant, load, scalar};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, Initializer, Place, PlaceKind, Scalar, Stmt, StmtKind, Storage, Type,
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
            self.report(error.help("it takes an array; else count an index"));
            return None;
        };
        let (span, i32) = (range.span, scalar(Scalar::I32));
        let index = self
            .frame
            .local("", i32.clone(), Storage::Thread, span, Facts::default());
        let ident = ast::Ident {
            name: ast::RANGE_INDEX.into(),
            span,
        };
        self.declare(&ident, Symbol::Local(index));
        let place = Place {
            kind: PlaceKind::Local(index),
            ty: i32.clone(),
            span,
        };
        let init = Initializer::Value(constant(i32.clone(), 0, span));
        let begin = Stmt {
            kind: StmtKind::Declare {
                local: index,
                init: Some(init),
            },
            span,
        };
        let now = self.frame.load_local(index, span);
        let end = constant(i32.clone(), u64::from(length), span);
        let condition = Expr {
            kind: ExprKind::Binary(BinaryOp::Lt, Box::new(now), Box::new(end)),
            ty: scalar(Scalar::Bool),
            span,
        };
        let step = Expr {
            kind: ExprKind::Step {
                place: Box::new(place),
                up: true,
                prefix: true,
            },
            ty: i32,
            span,
        };
        let mut statements = Vec::new();
        self.frame.nesting.loops += 1;
        self.frame.nesting.breakable += 1;
        self.scoped(|checker| {
            checker.declaration(element, &mut statements);
            statements.extend(checker.body(body));
        });
        self.frame.nesting.loops -= 1;
        self.frame.nesting.breakable -= 1;
        Some(StmtKind::Loop {
            init: vec![begin],
            condition: Some(condition),
            step: Some(step),
            body: statements,
            test_first: true,
        })
    }

    /// `auto [a, b] = value;`
    pub fn binding(
        &mut self,
        binding: &ast::Binding,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let bound = self.bound_parts(binding, span, out);
        if bound.is_none() {
            for name in &binding.names {
                self.declare(name, Symbol::Refused);
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
        let operand = self.operand(&binding.init)?;
        let (whole, is_const) = match operand {
            Operand::Place {
                place, is_const, ..
            } if binding.is_reference => (place, is_const),
            operand if !binding.is_reference => {
                let value = load(operand);
                let place = self.frame.temporary(value.ty.clone(), span);
                let PlaceKind::Local(local) = place.kind else {
                    return None;
                };
                let init = Some(Initializer::Value(value));
                let kind = StmtKind::Declare { local, init };
                out.push(Stmt { kind, span });
                (place, false)
            }
            _ => {
                return self.error(
                    binding.init.span,
                    "a reference to this value is not possible",
                );
            }
        };
        let parts = self.parts_of(&whole, binding.init.span)?;
        if parts.len() != binding.names.len() {
            let message = format!(
                "`{}` has {} parts, not {}",
                whole.ty,
                parts.len(),
                binding.names.len()
            );
            return self.error(binding.init.span, message);
        }
        for (name, part) in binding.names.iter().zip(parts) {
            let (local, init) = match binding.is_reference {
                true => {
                    let address = address(part, is_const);
                    (
                        self.frame
                            .reference(&name.name, address.ty.clone(), name.span),
                        address,
                    )
                }
                false => {
                    let (ty, facts) = (part.ty.clone(), Facts::default());
                    let local =
                        self.frame
                            .local(&name.name, ty.clone(), Storage::Thread, name.span, facts);
                    let span = name.span;
                    let kind = ExprKind::Load(part);
                    (local, Expr { kind, ty, span })
                }
            };
            let init = Some(Initializer::Value(init));
            let kind = StmtKind::Declare { local, init };
            out.push(Stmt { kind, span });
            self.declare(name, Symbol::Local(local));
        }
        Some(())
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
