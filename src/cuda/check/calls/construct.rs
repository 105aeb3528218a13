//! Objects in the making: constructors, and what fields begin with.

use crate::source::{Diagnostic, Span};

use super::callee::Callee;
use crate::cuda::ast::{self, Ident};
use crate::cuda::resolve::{Candidate, Checker, Operand, ParamType, constant, load, scalar};
use crate::cuda::typed::{
    Expr, ExprKind, Initializer, Place, PlaceKind, Scalar, Stmt, StmtKind, Struct, Type,
};

/// Most elements of an array of structs that have to be constructed.
const MOST_CONSTRUCTED: u32 = 256;

impl Checker {
    /// A struct made by one of its constructors, or nothing if it has none.
    pub fn constructed(
        &mut self,
        of: &Struct,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Expr> {
        // The constructor fills a variable without a name, whose value is the result: `(construct(&temporary),
        // temporary)`.
        let place = self.frame.temporary(Type::Struct(of.clone()), span);
        let call = self.constructor_call(of, place.clone(), arguments, span)?;
        let value = Expr {
            ty: place.ty.clone(),
            kind: ExprKind::Load(place),
            span,
        };
        let ty = value.ty.clone();
        let kind = ExprKind::Comma(Box::new(call), Box::new(value));
        Some(Expr { kind, ty, span })
    }

    /// Whether a constructor makes a `to` of just this type.
    pub fn converts(&self, from: &Type, to: &Type) -> bool {
        let Type::Struct(of) = to else {
            return false;
        };
        let takes = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => match self.functions.signatures[*at].params.as_deref() {
                Some([param]) => param.ty == *from && (!param.is_reference || param.is_const),
                _ => false,
            },
            Candidate::Template(_) | Candidate::Host(_) => false,
        };
        let record = self.types.record_of(of);
        record.is_some_and(|record| record.constructors.iter().any(takes))
    }

    /// The rank of passing what a constructor makes of the argument.
    pub fn rank_of_construction(&self, argument: &Operand, param: &ParamType) -> Option<u8> {
        let may_be_value = !param.is_reference || param.is_const;
        // [over.ics.rank]: worse than any conversion that needs no constructor.
        (may_be_value && self.converts(argument.ty(), &param.ty)).then_some(4)
    }

    /// The call of a constructor for an object.
    pub fn constructor_call(
        &mut self,
        of: &Struct,
        object: Place,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Expr> {
        let candidates = self.types.record_of(of)?.constructors.clone();
        let name = of.name().to_string();
        let callee = Callee {
            name: &name,
            candidates: &candidates,
            template: None,
            // [class.ctor]: an object is not `const` yet while its constructor runs.
            this: Some((object, false)),
            at: span,
        };
        self.call_candidates(&callee, arguments, span).map(load)
    }

    /// What constructs an object that is declared without a value; empty if nothing has to.
    pub fn default_construction(&mut self, place: Place, out: &mut Vec<Stmt>) -> Option<()> {
        let span = place.span;
        let ty = place.ty.clone();
        if !self.types.needs_construction(&ty) {
            return Some(());
        }
        match &ty {
            Type::Array(element, length) => {
                // Each element gets a call of its own in the program, so there is a bound.
                if *length > MOST_CONSTRUCTED {
                    let message =
                        format!("more than {MOST_CONSTRUCTED} structs would be constructed");
                    return self.error(span, message);
                }
                for at in 0..*length {
                    let index = constant(scalar(Scalar::I32), u64::from(at), span);
                    let kind = PlaceKind::Index(Box::new(place.clone()), Box::new(index));
                    let ty = (**element).clone();
                    self.default_construction(Place { kind, ty, span }, out)?;
                }
            }
            Type::Struct(of) => {
                let record = self.types.record_of(of);
                if record.is_some_and(|record| !record.constructors.is_empty()) {
                    let call = self.constructor_call(of, place, Vec::new(), span)?;
                    let kind = StmtKind::Expr(call);
                    out.push(Stmt { kind, span });
                    return Some(());
                }
                for field in 0..of.fields().len() {
                    self.begin_field(place.clone(), field, span, out)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Gives a field what it begins with by its declaration.
    pub fn begin_field(
        &mut self,
        object: Place,
        field: usize,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let Type::Struct(of) = &object.ty else {
            return None;
        };
        let record = self.types.record_of(of)?;
        let (default, context) = (record.defaults.get(field)?.clone(), record.context.clone());
        let Operand::Place { place, .. } = self.field_of(object, false, field, span)? else {
            return None;
        };
        let Some(default) = default else {
            return self.default_construction(place, out);
        };
        let ty = place.ty.clone();
        let value = self.within(&context, |checker| checker.value_of_type(&default, &ty))?;
        out.push(store(place, value, span));
        Some(())
    }

    /// What the members of an object begin with in a constructor.
    pub fn construct_members(
        &mut self,
        initializers: &[(Ident, Vec<ast::Expr>)],
        span: Span,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        let (Some((object, _)), Some(record)) = (self.frame.this_place(span), self.names.record)
        else {
            return out;
        };
        let names: Vec<String> = {
            let fields = self.types.records[record].ty.fields();
            fields.iter().map(|field| field.name.clone()).collect()
        };
        self.refuse_unknown(initializers, &names);
        // [class.base.init]: members begin in the order of their declaration, whatever order is written.
        for (field, name) in names.iter().enumerate() {
            let written = initializers.iter().find(|(of, _)| *of.name == **name);
            let Some((ident, values)) = written else {
                self.begin_field(object.clone(), field, span, &mut out);
                continue;
            };
            let Some(Operand::Place { place, .. }) =
                self.field_of(object.clone(), false, field, ident.span)
            else {
                continue;
            };
            let ty = place.ty.clone();
            let value = match (&values[..], &ty) {
                ([value], ty) if !matches!(ty, Type::Struct(_)) => self.value_of_type(value, ty),
                (values, ty) => self.construct(ty, values, false, ident.span),
            };
            if let Some(value) = value {
                out.push(store(place, value, ident.span));
            }
        }
        out
    }

    fn refuse_unknown(&mut self, initializers: &[(Ident, Vec<ast::Expr>)], fields: &[String]) {
        for (name, _) in initializers {
            if !fields.iter().any(|field| **field == *name.name) {
                let message = format!("`{}` is no field of this struct", name.name);
                self.report(Diagnostic::error(name.span, message));
            }
        }
    }

    /// A declared variable's constructor call, if arguments stand behind it in parentheses.
    pub fn initialized_by(
        &mut self,
        arguments: &[ast::Expr],
        ty: &Type,
        span: Span,
    ) -> Option<Initializer> {
        if arguments.is_empty() {
            // [dcl.init]: `T x();` declares a function.
            let message = "this declares a function, not a variable";
            let error = Diagnostic::error(span, message);
            return self.refuse(error.help("leave `()` out, or write `{}`"));
        }
        self.construct(ty, arguments, false, span)
            .map(Initializer::Value)
    }
}

fn store(place: Place, value: Expr, span: Span) -> Stmt {
    let assign = Expr {
        ty: place.ty.clone(),
        kind: ExprKind::Assign(Box::new(place), Box::new(value)),
        span,
    };
    let kind = StmtKind::Expr(assign);
    Stmt { kind, span }
}
