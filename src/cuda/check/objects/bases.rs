//! Objects as one of their bases: places, pointers, references, and back.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::resolve::{
    Base, Checker, Operand, Signature, address, comma, constant, convert, load, node, place_as,
    pointer, scalar,
};
use crate::cuda::typed::{BinaryOp, Expr, ExprKind, Place, Scalar, Struct, Type};

impl Checker {
    /// The fields on the way from a struct to one of its bases; nothing stands for a base whose fields are the first
    /// ones of the struct itself.
    pub fn way_to_base(&self, from: &Struct, to: &Struct) -> Option<Vec<Option<usize>>> {
        if from == to {
            return Some(Vec::new());
        }
        let record = self.types.record_of(from)?;
        // The first way that leads there: one that is ambiguous in C++ is not told from others.
        record.class.bases.iter().find_map(|base| {
            let of = &self.types.records[base.record].ty;
            let mut way = self.way_to_base(of, to)?;
            way.insert(0, base.field);
            Some(way)
        })
    }

    /// Whether the parts of a struct without constructors are made one by one, in their places.
    pub fn is_made_of_parts(&self, of: &Struct, values: &[ast::Expr]) -> bool {
        self.types.is_by_address(&Type::Struct(of.clone()))
            || self.has_lambda_bases(of) && !values.is_empty()
    }

    /// Such a struct of the values of its parts.
    pub fn made_of_parts(&mut self, of: &Struct, values: &[ast::Expr], span: Span) -> Option<Expr> {
        match self.has_lambda_bases(of) && !values.is_empty() {
            true => self.aggregate_of_lambdas(of, values, span),
            false => self.aggregate(of, values, span),
        }
    }

    /// Whether all bases of a struct are lambdas.
    fn has_lambda_bases(&self, of: &Struct) -> bool {
        let record = self.types.record_of(of);
        let bases = record.map_or(&[][..], |record| &record.class.bases);
        let is_closure = |base: &Base| self.types.records[base.record].is_closure;
        !bases.is_empty() && bases.iter().all(is_closure)
    }

    /// A struct made of its bases, which are lambdas ([dcl.init.aggr]): `overloaded{[](int) {…}, [](float) {…}}`.
    fn aggregate_of_lambdas(
        &mut self,
        of: &Struct,
        values: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        let bases = self.types.record_of(of)?.class.bases.clone();
        if let Some(extra) = values.get(bases.len()) {
            let message = format!("there are more values than `{}` has bases", of.name());
            return self.error(extra.span, message);
        }
        let place = self.frame.temporary(Type::Struct(of.clone()), span);
        // A comma needs a first operand; a constant costs nothing.
        let mut init = constant(scalar(Scalar::I32), 0, span);
        for (base, value) in bases.iter().zip(values) {
            let base = self.types.records[base.record].ty.clone();
            let to = self.base_place(place.clone(), &base)?;
            let value = self.value_of_type(value, &to.ty)?;
            init = comma(init, self.settle(value, &to));
        }
        Some(self.pending_object(place, init))
    }

    /// Whether a struct has another as a base.
    pub fn is_derived(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Struct(a), Type::Struct(b)) => a != b && self.way_to_base(a, b).is_some(),
            _ => false,
        }
    }

    /// A place as that of one of its bases, if `to` is one.
    fn base_place(&self, mut place: Place, to: &Struct) -> Option<Place> {
        let Type::Struct(from) = place.ty.clone() else {
            return None;
        };
        let mut of = from.clone();
        for step in self.way_to_base(&from, to)? {
            let bases = &self.types.record_of(&of)?.class.bases;
            // Several bases may share a step (all plain ones are `None`): only one of them leads on.
            let base = bases.iter().find(|base| {
                let of = &self.types.records[base.record].ty;
                base.field == step && self.way_to_base(of, to).is_some()
            })?;
            of = self.types.records[base.record].ty.clone();
            place = match step {
                Some(field) => self.raw_field(&place, field, place.span)?,
                // A plain base begins where the struct does: only the type changes.
                None => place_as(place, &Type::Struct(of.clone()), false),
            };
        }
        Some(place)
    }

    /// An operand as one of its bases, where `to` is that.
    pub fn as_base(&mut self, operand: Operand, to: &Type) -> Operand {
        if !self.is_derived(operand.ty(), to) {
            return operand;
        }
        let Type::Struct(to) = to else {
            return operand;
        };
        let operand = match operand {
            // A base is a part of an object, and only what lies in memory has parts.
            Operand::Value(value) => self.materialised(value),
            place => place,
        };
        let (is_const, is_expiring) = (operand.is_const(), operand.is_rvalue());
        let Operand::Place { place, .. } = operand else {
            return operand;
        };
        let place = self.base_place(place.clone(), to).unwrap_or(place);
        let operand = Operand::place(place, is_const);
        if is_expiring {
            operand.expiring()
        } else {
            operand
        }
    }

    /// The object that a function is called on, as its own struct.
    pub fn object_of_function(&self, place: Place, signature: &Signature) -> Place {
        let record = signature.context.record;
        let of = record.map(|record| self.types.records[record].ty.clone());
        let base = of.and_then(|of| self.base_place(place.clone(), &of));
        base.unwrap_or(place)
    }

    /// A pointer converted to one to a base ([conv.ptr]).
    pub fn pointer_to_base(&mut self, value: &Expr, to: &Type) -> Option<Expr> {
        let (
            Type::Pointer { to: from, is_const },
            Type::Pointer {
                to: base,
                is_const: to_const,
            },
        ) = (&value.ty, to)
        else {
            return None;
        };
        // `const` may be added, never lost ([conv.qual]).
        if !self.is_derived(from, base) || *is_const && !to_const {
            return None;
        }
        let offset = self.offset_of_base(from, base)?;
        Some(moved(value.clone(), i64::from(offset), to))
    }

    /// Where a base lies in a struct, in bytes.
    fn offset_of_base(&self, from: &Type, base: &Type) -> Option<u32> {
        let (Type::Struct(from), Type::Struct(to)) = (from, base) else {
            return None;
        };
        let (mut of, mut offset) = (from.clone(), 0);
        for step in self.way_to_base(from, to)? {
            let bases = &self.types.record_of(&of)?.class.bases;
            let next = bases.iter().find(|base| {
                let of = &self.types.records[base.record].ty;
                base.field == step && self.way_to_base(of, to).is_some()
            })?;
            offset += step.map_or(0, |field| of.fields()[field].offset_bytes);
            of = self.types.records[next.record].ty.clone();
        }
        Some(offset)
    }

    /// A conversion between pointers to a struct and to one of its bases, in either direction.
    pub fn cast_in_hierarchy(&mut self, value: &Expr, to: &Type) -> Option<Expr> {
        if let Some(up) = self.pointer_to_base(value, to) {
            return Some(up);
        }
        let (Type::Pointer { to: from, .. }, Type::Pointer { to: derived, .. }) = (&value.ty, to)
        else {
            return None;
        };
        if !self.is_derived(derived, from) {
            return None;
        }
        let offset = self.offset_of_base(derived, from)?;
        // Unchecked, as in C++: whether there is a derived object is the program's promise.
        Some(moved(value.clone(), -i64::from(offset), to))
    }

    /// `dynamic_cast<T*>(p)`: the pointer if the object's table is that of a `T` or of what derives from it, else null.
    pub fn dynamic_cast(&mut self, value: Expr, to: &Type, span: Span) -> Option<Expr> {
        let (Type::Pointer { to: from, .. }, Type::Pointer { to: wanted, .. }) = (&value.ty, to)
        else {
            return self.error(
                span,
                "`dynamic_cast` takes pointers and references to classes",
            );
        };
        // Upwards nothing need be looked up at run time ([expr.dynamic.cast]).
        if from == wanted || self.is_derived(from, wanted) {
            return self
                .cast_in_hierarchy(&value, to)
                .or_else(|| Some(convert(value, to)));
        }
        // All classes are known here, so the table is compared with each: no type information is laid out.
        let derived = self.polymorphic_kinds_of(wanted);
        // Used three times, and its effects must happen once.
        let (stored, assign) = self.frame.stored(value);
        let pointer_of = || load(Operand::place(stored.clone(), false));
        let word = scalar(Scalar::U64);
        let at = convert(pointer_of(), &pointer(word.clone(), true));
        let table = load(self.deref_value(at, span)?);
        let mut is_one = constant(scalar(Scalar::Bool), 0, span);
        for index in derived {
            let known = self.table_address(index, span);
            let same = ExprKind::Binary(BinaryOp::Eq, Box::new(table.clone()), Box::new(known));
            let same = node(same, scalar(Scalar::Bool), span);
            let either = ExprKind::Or(Box::new(same), Box::new(is_one));
            is_one = node(either, scalar(Scalar::Bool), span);
        }
        let is_set = self.truth(pointer_of())?;
        // Null has no table: it is asked first.
        let holds = ExprKind::And(Box::new(is_set), Box::new(is_one));
        let holds = node(holds, scalar(Scalar::Bool), span);
        let cast = self.cast_in_hierarchy(&pointer_of(), to);
        let cast = cast.unwrap_or_else(|| convert(pointer_of(), to));
        let null = constant(to.clone(), 0, span);
        let kind = ExprKind::Conditional(Box::new(holds), Box::new(cast), Box::new(null));
        Some(comma(assign, node(kind, to.clone(), span)))
    }

    /// The structs with virtual functions that objects of a type may really be: itself, and what derives from it.
    pub fn polymorphic_kinds_of(&self, wanted: &Type) -> Vec<usize> {
        let is_kind = |index: &usize| {
            let record = &self.types.records[*index];
            let of = Type::Struct(record.ty.clone());
            let has_table = !record.class.virtuals.is_empty();
            has_table && (of == *wanted || self.is_derived(&of, wanted))
        };
        (0..self.types.records.len()).filter(is_kind).collect()
    }

    /// `dynamic_cast<T&>(x)`, which throws where `x` is no `T`.
    fn dynamic_reference(
        &mut self,
        place: Place,
        to: &Type,
        is_const: bool,
        span: Span,
    ) -> Option<Operand> {
        let cast = self.dynamic_cast(
            address(place, is_const),
            &pointer(to.clone(), is_const),
            span,
        )?;
        let (stored, assign) = self.frame.stored(cast);
        let found = || load(Operand::place(stored.clone(), false));
        // Written as source, so that the handler of `std::bad_cast` finds the type of the header.
        let thrown = ast::TypeName::of_std("bad_cast", span);
        let thrown = ast::ExprKind::Construct(thrown, Vec::new(), false);
        let throw = self.throw_expression(Some(&ast::Expr::new(thrown, span)), span)?;
        let nothing = node(ExprKind::Nothing(Vec::new()), Type::Void, span);
        let is_set = self.truth(found())?;
        let kind = ExprKind::Conditional(Box::new(is_set), Box::new(nothing), Box::new(throw));
        let checked = comma(assign, comma(node(kind, Type::Void, span), found()));
        self.deref_value(checked, span)
    }

    /// `static_cast<T&&>(x)` and its kin: a place.
    pub fn reference_cast(
        &mut self,
        kind: ast::CastKind,
        ty: &ast::TypeName,
        inner: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let (written, reference) = self.referred(ty);
        let is_rvalue = reference == Some(true);
        let (to, is_const) = self.resolve(&written, None, None)?;
        let place = match self.operand(inner)? {
            Operand::Value(value) if value.ty == to => self.materialised(value),
            Operand::Value(value) => {
                let value = self.cast(kind, value, &to, span)?;
                self.materialised(value)
            }
            place => self.as_base(place, &to),
        };
        let place = place.into_place()?;
        if kind == ast::CastKind::Dynamic && place.ty != to {
            return self.dynamic_reference(place, &to, is_const, span);
        }
        let place = if place.ty == to {
            place
        } else if self.is_derived(&to, &place.ty) {
            let value = address(place, is_const);
            let pointer = self.cast_in_hierarchy(&value, &pointer(to, is_const))?;
            return self.deref_value(pointer, span);
        } else if matches!(kind, ast::CastKind::Plain | ast::CastKind::Reinterpret) {
            place_as(place, &to, is_const)
        } else {
            let message = format!("a `{}` is no `{to}`", place.ty);
            return self.refuse(Diagnostic::error(span, message).help("write `reinterpret_cast`"));
        };
        let operand = Operand::place(place, is_const);
        Some(match is_rvalue {
            true => operand.expiring(),
            false => operand,
        })
    }

    /// `c ? a : b` of objects.
    pub fn conditional_object(
        &mut self,
        c: Expr,
        a: Operand,
        b: Operand,
        span: Span,
    ) -> Option<Operand> {
        let ty = match self.types.is_by_address(a.ty()) {
            true => a.ty().clone(),
            false => b.ty().clone(),
        };
        let Type::Struct(of) = &ty else {
            return None;
        };
        let place = self.frame.temporary(ty.clone(), span);
        let mut made = Vec::new();
        for operand in [a, b] {
            let value = self.object_value(operand, of, span)?;
            let init = self.settle(value, &place);
            // Both sides of `?:` need one type; making an object has none.
            let zero = constant(scalar(Scalar::I32), 0, span);
            made.push(Box::new(comma(init, zero)));
        }
        let (y, x) = (made.pop()?, made.pop()?);
        let kind = ExprKind::Conditional(Box::new(c), x, y);
        let init = node(kind, scalar(Scalar::I32), span);
        Some(Operand::Value(self.pending_object(place, init)))
    }
}

/// A pointer so many bytes further, as a pointer of type `to`; null stays null.
fn moved(value: Expr, offset: i64, to: &Type) -> Expr {
    // Null stays null without being asked.
    if offset == 0 {
        return convert(value, to);
    }
    let span = value.span;
    // By number: pointers of the tree move by whole elements only.
    let number = convert(value.clone(), &scalar(Scalar::U64));
    let offset = constant(scalar(Scalar::U64), offset as u64, span);
    let sum = ExprKind::Binary(BinaryOp::Add, Box::new(number), Box::new(offset));
    let sum = convert(node(sum, scalar(Scalar::U64), span), to);
    let null = constant(value.ty.clone(), 0, span);
    let is_set = ExprKind::Binary(BinaryOp::Ne, Box::new(value), Box::new(null));
    let is_set = node(is_set, scalar(Scalar::Bool), span);
    let null = constant(to.clone(), 0, span);
    let kind = ExprKind::Conditional(Box::new(is_set), Box::new(sum), Box::new(null));
    node(kind, to.clone(), span)
}

/// Whether a type ends with `&` or `&&`.
pub fn is_reference(ty: &ast::TypeName) -> bool {
    matches!(ty.modifiers.last(), Some(ast::Modifier::Reference { .. }))
}
