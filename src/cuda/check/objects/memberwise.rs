//! What constructors, assignments and destructors do with the parts of an object.

use crate::source::Span;

use super::initialise::assigned;
use crate::cuda::ast::DESTRUCTOR;
use crate::cuda::resolve::{
    Candidate, Checker, Facts, Operand, ParamType, Side, Signature, TABLE, address, constant,
    element_of, load, node, pointer, scalar,
};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, Place, PlaceKind, Scalar, Stmt, StmtKind, Storage, Type,
};

impl Checker {
    /// Whether the body of a function goes over the parts of its object, and what it does with them.
    pub fn memberwise(&mut self, signature: &Signature) -> Option<Vec<Stmt>> {
        let traits = &signature.function.traits;
        if !traits.is_implicit && !traits.is_default {
            return None;
        }
        let param = signature.params.as_ref()?.first()?.clone();
        let span = signature.span;
        let (this, _) = self.frame.this_place(span)?;
        // Another constructor: it takes no object of this struct to copy.
        if param.ty != this.ty {
            return None;
        }
        let from = self.frame.local_operand(1, span);
        let from = from.into_place()?;
        if &*signature.function.name.name == "operator==" {
            let pairs = self.pairs_of_parts(&this, &from, &param, span)?;
            return self.parts_are_equal(pairs, span);
        }
        let is_constructor = signature.function.constructs.is_some();
        let mut out = Vec::new();
        for (to, part) in self.pairs_of_parts(&this, &from, &param, span)? {
            match is_constructor {
                true => self.copy_part(&to, part, &mut out),
                false => self.assign_part(&to, part, &mut out),
            };
        }
        match is_constructor {
            // After the parts: a base's constructor has set the table to the base's.
            true => self.set_table(span, &mut out),
            false => {
                let kind = StmtKind::Return(Some(address(this, false)));
                out.push(Stmt { kind, span });
            }
        }
        Some(out)
    }

    /// `bool operator==(const A&) const = default;` ([class.compare.default]).
    fn parts_are_equal(&mut self, pairs: Vec<(Place, Operand)>, span: Span) -> Option<Vec<Stmt>> {
        let truth = scalar(Scalar::Bool);
        let mut all = constant(truth.clone(), 1, span);
        for (place, other) in pairs {
            if matches!(place.ty, Type::Array(..)) {
                let message = "`= default` does not compare arrays here yet";
                return self.error(span, message);
            }
            let operands = [Operand::place(place, true), other];
            let same = match self.own_operator("==", &operands, span, span) {
                Some(called) => load(called?),
                None => {
                    let [a, b] = operands.map(|operand| Box::new(load(operand)));
                    let kind = ExprKind::Binary(BinaryOp::Eq, a, b);
                    node(kind, truth.clone(), span)
                }
            };
            let kind = ExprKind::And(Box::new(all), Box::new(same));
            all = node(kind, truth.clone(), span);
        }
        let kind = StmtKind::Return(Some(all));
        Some(vec![Stmt { kind, span }])
    }

    /// Each part of `this`, and the part of `from` that goes there, as `param` lets it be taken.
    fn pairs_of_parts(
        &self,
        this: &Place,
        from: &Place,
        param: &ParamType,
        span: Span,
    ) -> Option<Vec<(Place, Operand)>> {
        let Type::Struct(of) = &this.ty else {
            return None;
        };
        // The address of its virtual functions is the class's, not the other object's.
        let fields = of.fields().iter().enumerate();
        let fields = fields.filter(|(_, field)| field.name != TABLE);
        let pair = |(at, _)| {
            let part = Operand::place(self.raw_field(from, at, span)?, param.is_const);
            let part = match param.is_rvalue {
                true => part.expiring(),
                false => part,
            };
            Some((self.raw_field(this, at, span)?, part))
        };
        fields.map(pair).collect()
    }

    /// Declares the parameter that a function which nobody wrote has.
    pub fn implied_parameters(&mut self, signature: &Signature) {
        if !signature.function.traits.is_implicit {
            return;
        }
        let params = signature.params.iter().flatten();
        for param in params {
            let ParamType { ty, is_const, .. } = param.clone();
            self.frame
                .reference("other", pointer(ty, is_const), signature.span);
        }
    }

    fn assign_part(&mut self, to: &Place, from: Operand, out: &mut Vec<Stmt>) -> Option<()> {
        let span = to.span;
        if let (
            Type::Array(element, length),
            Operand::Place {
                place,
                is_const,
                is_expiring,
                ..
            },
        ) = (&to.ty, &from)
        {
            return self.for_elements(*length, span, out, |checker, index, out| {
                let part = element_of(place, index.clone(), (**element).clone());
                let part = Operand::place(part, *is_const);
                let part = if *is_expiring { part.expiring() } else { part };
                checker.assign_part(&element_of(to, index, (**element).clone()), part, out)
            });
        }
        let operands = [Operand::place(to.clone(), false), from];
        let own = match &to.ty {
            Type::Struct(of) => self.types.methods(of, "operator=").is_some(),
            _ => false,
        };
        let called = match own {
            true => self.own_operator("=", &operands, span, span).flatten()?,
            false => {
                let [_, from] = operands;
                Operand::Value(assigned(to.clone(), load(from), span))
            }
        };
        let kind = StmtKind::Expr(self.of_effect(called));
        out.push(Stmt { kind, span });
        Some(())
    }

    /// An operand whose value nobody uses.
    pub fn of_effect(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Value(value) if self.types.is_by_address(&value.ty) => {
                match self.materialised(value) {
                    Operand::Place { place, .. } => address(place, false),
                    Operand::Value(value) => value,
                }
            }
            Operand::Place { place, .. } if self.types.is_by_address(&place.ty) => {
                address(place, false)
            }
            // The reference that a call gives, which nobody reads. For kernels it stays a read, as of `a += b;`: then
            // functions that return what they were given need no address of it.
            Operand::Place {
                place:
                    Place {
                        kind: PlaceKind::Deref(pointer),
                        ..
                    },
                ..
            } if self.frame.side == Side::Host
                && matches!(pointer.kind, ExprKind::Call(..) | ExprKind::Host(_)) =>
            {
                *pointer
            }
            operand => load(operand),
        }
    }

    /// In a destructor: the parts of the object end with its body, the last one first.
    pub fn parts_end(&mut self, signature: &Signature) -> Vec<Stmt> {
        let mut out = Vec::new();
        let span = signature.span;
        let is_destructor = &*signature.function.name.name == DESTRUCTOR;
        let Some((this, _)) = self.frame.this_place(span).filter(|_| is_destructor) else {
            return out;
        };
        // [class.cdtor]: in a destructor virtual calls mean the functions of its own class.
        self.set_table(span, &mut out);
        let Type::Struct(of) = this.ty.clone() else {
            return out;
        };
        for at in 0..of.fields().len() {
            if let Some(part) = self.raw_field(&this, at, span) {
                // They begin here only to end with the block, after the body and in reverse order.
                self.begins(&part, &mut out);
            }
        }
        out
    }

    /// Declares the parameter that says where the object is to be made that a function returns.
    pub fn declare_result(&mut self, signature: &Signature) {
        let Some(ty) = self.result_type(signature) else {
            return;
        };
        let ty = pointer(ty, false);
        let (span, facts) = (signature.span, Facts::default());
        let local = self.frame.local("", ty, Storage::Thread, span, facts);
        self.frame.objects.result = Some(local);
    }

    /// The type of the object that a function returns, if it is made where the caller says.
    pub fn result_type(&self, signature: &Signature) -> Option<Type> {
        let ty = signature.returns.ty.clone()?;
        let is_value = signature.returns.reference.is_none();
        (is_value && self.types.is_by_address(&ty)).then_some(ty)
    }

    /// The address of where the object is to be made that the function being checked returns.
    pub fn result_address(&self, span: Span) -> Option<Expr> {
        Some(self.frame.load_local(self.frame.objects.result?, span))
    }

    /// Where the object is to be made that the function being checked returns.
    pub fn result_place(&self, span: Span) -> Option<Place> {
        let address = self.result_address(span)?;
        let Type::Pointer { to, .. } = address.ty.clone() else {
            return None;
        };
        let kind = PlaceKind::Deref(Box::new(address));
        let ty = *to;
        Some(Place { kind, ty, span })
    }

    /// Constructors of a struct for these arguments, with those that copy.
    pub fn constructors_for(&self, record: usize) -> Vec<Candidate> {
        let record = &self.types.records[record];
        let begins = record.class.begins.map(Candidate::Function);
        let all = record.constructors.iter().chain(&record.class.copies);
        all.copied().chain(begins).collect()
    }

    /// What a pointer points to, as a place whose pointer is computed once.
    pub fn pointee_once(&mut self, pointer: Expr) -> (Expr, Place) {
        let span = pointer.span;
        let (place, before) = self.frame.stored(pointer);
        let Type::Pointer { to, .. } = place.ty.clone() else {
            let ty = place.ty.clone();
            return (before, Place { ty, ..place });
        };
        let ty = place.ty.clone();
        let load = node(ExprKind::Load(place), ty, span);
        let kind = PlaceKind::Deref(Box::new(load));
        let ty = *to;
        (before, Place { kind, ty, span })
    }
}
