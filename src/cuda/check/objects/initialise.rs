//! Objects in the making, and where.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::resolve::{
    Checker, Operand, Side, address, comma, constant, element_of, load, node, scalar,
};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, HostExpr, HostStmt, Initializer, LocalId, Object, Place, PlaceKind,
    Scalar, Stmt, StmtKind, Struct, Type,
};

impl Checker {
    /// An object that `init` makes in the variable without a name `place`.
    pub fn pending_object(&mut self, place: Place, init: Expr) -> Expr {
        if let PlaceKind::Local(local) = place.kind {
            // [class.copy.elision]: a prvalue is made where it ends up, so the place is open until somebody takes it.
            self.frame.facts[local].is_pending = true;
        }
        let (ty, span) = (place.ty.clone(), init.span);
        let value = node(ExprKind::Load(place), ty.clone(), span);
        node(ExprKind::Comma(Box::new(init), Box::new(value)), ty, span)
    }

    /// The variable in which a value is made, if it is made only where somebody takes it.
    fn pending(&self, value: &Expr) -> Option<LocalId> {
        match &value.kind {
            ExprKind::Comma(_, last) => self.pending(last),
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => self.frame.facts[*local].is_pending.then_some(*local),
            _ => None,
        }
    }

    /// An object of a struct that an operand gives: it is copied if it is somebody else's.
    pub fn object_value(&mut self, operand: Operand, of: &Struct, span: Span) -> Option<Expr> {
        if let Operand::Value(value) = &operand {
            // Nobody else can see it: no copy, as C++17 guarantees.
            if value.ty == Type::Struct(of.clone()) && self.pending(value).is_some() {
                return Some(value.clone());
            }
            // What was a place once is one again.
            if let ExprKind::Load(place) = &value.kind {
                let place = Operand::place(place.clone(), true);
                return self.copied_object(place, of, span);
            }
        }
        if *operand.ty() == Type::Struct(of.clone()) {
            return self.copied_object(operand, of, span);
        }
        self.constructed(of, vec![operand], span)
    }

    /// A copy of an object, or what is left of it moved.
    fn copied_object(&mut self, operand: Operand, of: &Struct, span: Span) -> Option<Expr> {
        let ty = Type::Struct(of.clone());
        let record = self.types.record_of(of)?;
        // Copying bytes is what the implicit constructor would do, without a call.
        if *operand.ty() == ty && !record.class.copies_specially {
            let place = self.frame.temporary(ty, span);
            let init = assigned(place.clone(), load(operand), span);
            return Some(self.pending_object(place, init));
        }
        self.constructed(of, vec![operand], span)
    }

    /// Makes a pending object at a place; any other value is stored there.
    pub fn settle(&mut self, value: Expr, place: &Place) -> Expr {
        let span = value.span;
        let Some(local) = self.pending(&value) else {
            return assigned(place.clone(), value, span);
        };
        self.frame.facts[local].is_pending = false;
        let mut init = without_value(value);
        // The making is rewritten to the place itself; the variable without a name is never used.
        init.for_places(&mut |inner| {
            if matches!(inner.kind, PlaceKind::Local(at) if at == local) {
                *inner = Place {
                    span: inner.span,
                    ..place.clone()
                };
            }
        });
        init
    }

    /// The place of a pending object, which ends with the full expression.
    pub fn materialised(&mut self, value: Expr) -> Operand {
        let span = value.span;
        if let ExprKind::Load(place) = &value.kind
            && self.pending(&value).is_none()
            && self.types.is_by_address(&value.ty)
        {
            return Operand::place(place.clone(), false);
        }
        let Some(local) = self.pending(&value) else {
            let (place, before) = self.frame.stored(value);
            return behind(before, place, span);
        };
        self.frame.facts[local].is_pending = false;
        let (ty, kind) = (value.ty.clone(), PlaceKind::Local(local));
        let place = Place { kind, ty, span };
        let init = without_value(value);
        // A temporary lives to the end of the full expression ([class.temporary]), and then its destructor runs.
        let before = match self.object_at(&place) {
            Some(object) => comma(init, self.temporary_begins(object, span)),
            None => init,
        };
        behind(before, place, span)
    }

    /// Says that an object ends with the full expression.
    pub fn temporary_begins(&mut self, object: Object, span: Span) -> Expr {
        self.notes_object();
        let kind = ExprKind::Host(Box::new(HostExpr::TemporaryBegins(object)));
        node(kind, Type::Void, span)
    }

    /// Notes that an object ends in the function being checked.
    fn notes_object(&mut self) {
        match self.frame.side {
            Side::Gpu => self.frame.objects.end = true,
            Side::Both | Side::Host => self.frame.uses_host = true,
        }
    }

    /// An expression that only the host has.
    pub fn host(&mut self, host: HostExpr, ty: Type, span: Span) -> Expr {
        self.frame.uses_host = true;
        node(ExprKind::Host(Box::new(host)), ty, span)
    }

    /// Reports what only the host does, in a kernel.
    pub fn only_on_host(&mut self, what: &str, span: Span) -> Option<()> {
        if self.frame.side != Side::Gpu {
            return Some(());
        }
        let message = format!("{what} not supported in a kernel yet");
        self.refuse(Diagnostic::error(span, message))
    }

    /// The object at a place, if something is to be done at its end.
    pub fn object_at(&mut self, place: &Place) -> Option<Object> {
        let (mut first, mut count) = (place.clone(), 1u64);
        // Arrays of arrays are ended as one row of elements.
        while let Type::Array(element, length) = first.ty.clone() {
            count *= u64::from(length);
            first = element_of(
                &first,
                constant(scalar(Scalar::I32), 0, place.span),
                *element,
            );
        }
        let Type::Struct(of) = &first.ty else {
            return None;
        };
        let destructor = self.types.record_of(of)?.class.destructor?;
        let record = self.types.index_of(of)?;
        if self.frame.side != Side::Host && self.ends_without_effect(record) {
            return None;
        }
        let destructor = self.number_for_call(destructor, None, place.span, place.span)?;
        Some(Object {
            element: first.ty.clone(),
            pointer: address(first, false),
            count,
            destructor,
        })
    }

    /// Says that an object at a place exists from here on, up to the end of the block.
    pub fn begins(&mut self, place: &Place, out: &mut Vec<Stmt>) {
        if let Some(object) = self.object_at(place) {
            self.notes_object();
            let kind = StmtKind::Host(Box::new(HostStmt::ObjectBegins(object)));
            let span = place.span;
            out.push(Stmt { kind, span });
        }
    }

    /// Makes a place begin with what is written, in place.
    pub fn begin_written(
        &mut self,
        place: &Place,
        written: &ast::Expr,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let span = written.span;
        // Objects with constructors cannot be stored as one list: each is made in its place.
        if let (Type::Array(element, length), Written::Braces(values)) = (&place.ty, &written.kind)
            && self.types.is_by_address(&place.ty)
        {
            return self.begin_elements(place, values, element, *length, out);
        }
        let value = match self.initializer(written, &place.ty)? {
            Initializer::Value(value) => value,
            Initializer::List(list) if matches!(place.ty, Type::Array(..)) => {
                return self.begin_array(place, list, span, out);
            }
            Initializer::List(list) => node(ExprKind::Struct(list), place.ty.clone(), span),
        };
        let init = self.settle(value, place);
        let kind = StmtKind::Expr(init);
        out.push(Stmt { kind, span });
        Some(())
    }

    fn begin_elements(
        &mut self,
        place: &Place,
        values: &[ast::Expr],
        element: &Type,
        length: u32,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        if let Some(extra) = values.get(length as usize) {
            let message = format!("there are more values than `{}` holds", place.ty);
            return self.error(extra.span, message);
        }
        // Written out, not a loop: each element has an initialiser of its own.
        for at in 0..length {
            let index = constant(scalar(Scalar::I32), u64::from(at), place.span);
            let part = element_of(place, index, element.clone());
            match values.get(at as usize) {
                Some(value) => self.begin_written(&part, value, out)?,
                None => self.default_construction(part, out)?,
            }
        }
        Some(())
    }

    /// Stores the scalars of an array's list one by one.
    fn begin_array(
        &mut self,
        place: &Place,
        list: Vec<Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        // A list can only declare a variable, so it goes by way of one and is copied.
        let local = self.frame.temporary(place.ty.clone(), span);
        let PlaceKind::Local(id) = local.kind else {
            return None;
        };
        let init = Some(Initializer::List(list));
        let kind = StmtKind::Declare { local: id, init };
        out.push(Stmt { kind, span });
        let from = Operand::place(local, false);
        self.copy_part(place, from, out)
    }

    /// Makes a place begin with a copy of another, arrays element by element.
    pub fn copy_part(&mut self, to: &Place, from: Operand, out: &mut Vec<Stmt>) -> Option<()> {
        let span = to.span;
        match (&to.ty, from) {
            (
                Type::Array(element, length),
                Operand::Place {
                    place,
                    is_const,
                    is_expiring,
                    ..
                },
            ) => self.for_elements(*length, span, out, |checker, index, out| {
                let part = element_of(&place, index.clone(), (**element).clone());
                let part = Operand::place(part, is_const);
                let part = if is_expiring { part.expiring() } else { part };
                let to = element_of(to, index, (**element).clone());
                checker.copy_part(&to, part, out)
            }),
            (Type::Struct(of), from) if self.types.is_by_address(&to.ty) => {
                let value = self.object_value(from, &of.clone(), span)?;
                let kind = StmtKind::Expr(self.settle(value, to));
                out.push(Stmt { kind, span });
                Some(())
            }
            (_, from) => {
                let kind = StmtKind::Expr(assigned(to.clone(), load(from), span));
                out.push(Stmt { kind, span });
                Some(())
            }
        }
    }

    /// A loop over the elements of an array.
    pub fn for_elements(
        &mut self,
        length: u32,
        span: Span,
        out: &mut Vec<Stmt>,
        body: impl FnOnce(&mut Self, Expr, &mut Vec<Stmt>) -> Option<()>,
    ) -> Option<()> {
        let i32 = scalar(Scalar::I32);
        let index = self.frame.temporary(i32.clone(), span);
        let PlaceKind::Local(local) = index.kind else {
            return None;
        };
        let now = node(ExprKind::Load(index.clone()), i32.clone(), span);
        let mut inner = Vec::new();
        body(self, now.clone(), &mut inner)?;
        let end = constant(i32.clone(), u64::from(length), span);
        let is_inside = ExprKind::Binary(BinaryOp::Lt, Box::new(now), Box::new(end));
        let step = ExprKind::Step {
            place: Box::new(index),
            up: true,
            prefix: true,
        };
        let zero = constant(i32.clone(), 0, span);
        let init = Some(Initializer::Value(zero));
        let kind = StmtKind::Declare { local, init };
        let kind = StmtKind::Loop {
            init: vec![Stmt { kind, span }],
            condition: Some(node(is_inside, scalar(Scalar::Bool), span)),
            step: Some(node(step, i32, span)),
            body: inner,
            test_first: true,
        };
        out.push(Stmt { kind, span });
        Some(())
    }

    /// A struct without constructors from the values of its fields.
    pub fn aggregate(&mut self, of: &Struct, values: &[ast::Expr], span: Span) -> Option<Expr> {
        if values.is_empty() {
            return self.constructed(of, Vec::new(), span);
        }
        let place = self.frame.temporary(Type::Struct(of.clone()), span);
        if let Some(extra) = values.get(of.fields().len()) {
            let message = format!("there are more values than `{}` holds", of.name());
            return self.error(extra.span, message);
        }
        let mut parts = Vec::new();
        for field in 0..of.fields().len() {
            let to = self.raw_field(&place, field, span)?;
            match values.get(field) {
                Some(value) => self.begin_field_with(&place, field, value, &mut parts)?,
                None if self.types.needs_construction(&to.ty) || self.has_default(of, field) => {
                    self.begin_field(place.clone(), field, span, &mut parts)?;
                }
                // [dcl.init.aggr]: what a list leaves out begins as zero.
                None => self.begin_zero(&to, &mut parts)?,
            }
        }
        self.object_of_parts(place, parts)
    }

    /// An object in the variable without a name `place`, whose parts these statements begin.
    pub fn object_of_parts(&mut self, place: Place, parts: Vec<Stmt>) -> Option<Expr> {
        // A comma needs a first operand; a constant costs nothing.
        let mut init = constant(scalar(Scalar::I32), 0, place.span);
        for part in parts {
            match part.kind {
                StmtKind::Expr(part) => init = comma(init, part),
                // Parts other than expressions are loops, which no expression can hold.
                _ => {
                    let message = "an array of objects cannot begin with values here yet";
                    return self.error(part.span, message);
                }
            }
        }
        Some(self.pending_object(place, init))
    }

    fn has_default(&self, of: &Struct, field: usize) -> bool {
        let record = self.types.record_of(of);
        record.is_some_and(|record| matches!(record.defaults.get(field), Some(Some(_))))
    }

    /// Makes what has no constructor begin as zero.
    pub fn begin_zero(&mut self, place: &Place, out: &mut Vec<Stmt>) -> Option<()> {
        let span = place.span;
        let value = match &place.ty {
            Type::Array(element, length) => {
                return self.for_elements(*length, span, out, |checker, index, out| {
                    let part = element_of(place, index, (**element).clone());
                    checker.begin_zero(&part, out)
                });
            }
            Type::Struct(_) | Type::Vector(..) => self.construct(&place.ty, &[], true, span)?,
            ty => constant(ty.clone(), 0, span),
        };
        let kind = StmtKind::Expr(self.settle(value, place));
        out.push(Stmt { kind, span });
        Some(())
    }

    /// Makes a field begin with what is written; a reference refers to it.
    pub fn begin_field_with(
        &mut self,
        object: &Place,
        field: usize,
        written: &ast::Expr,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let to = self.raw_field(object, field, written.span)?;
        let Some(is_const) = self.reference_field(object, field) else {
            return self.begin_written(&to, written, out);
        };
        let span = written.span;
        let written = match &written.kind {
            Written::Braces(values) if values.len() == 1 => &values[0],
            _ => written,
        };
        let operand = self.operand(written)?;
        let Type::Pointer { to: referred, .. } = &to.ty else {
            return None;
        };
        let Operand::Place { place, .. } = self.as_base(operand, referred) else {
            let error = Diagnostic::error(span, "a reference in a struct refers to a variable");
            return self.refuse(error.help("store the value in a variable first"));
        };
        let kind = StmtKind::Expr(assigned(to, address(place, is_const), span));
        out.push(Stmt { kind, span });
        Some(())
    }

    /// Whether a field is a reference, and then whether to what is `const`.
    pub fn reference_field(&self, object: &Place, field: usize) -> Option<bool> {
        let Type::Struct(of) = &object.ty else {
            return None;
        };
        let record = self.types.record_of(of)?;
        record.class.references.get(&field).copied()
    }

    /// A field as it lies in memory: of a reference, the pointer.
    pub fn raw_field(&self, object: &Place, field: usize, span: Span) -> Option<Place> {
        let Type::Struct(of) = &object.ty else {
            return None;
        };
        let ty = of.fields().get(field)?.ty.clone();
        let kind = PlaceKind::Member(Box::new(object.clone()), field);
        Some(Place { kind, ty, span })
    }
}

/// `place = value`
pub fn assigned(place: Place, value: Expr, span: Span) -> Expr {
    let ty = place.ty.clone();
    node(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span)
}

/// What makes a pending object, without its value.
fn without_value(value: Expr) -> Expr {
    let span = value.span;
    match value.kind {
        ExprKind::Comma(init, last) => match last.kind {
            ExprKind::Comma(..) => comma(*init, without_value(*last)),
            _ => *init,
        },
        _ => constant(scalar(Scalar::I32), 0, span),
    }
}

/// A place of what nobody else looks at, once something is done.
fn behind(before: Expr, place: Place, span: Span) -> Operand {
    let ty = place.ty.clone();
    let pointer = comma(before, address(place, false));
    let kind = PlaceKind::Deref(Box::new(pointer));
    Operand::place(Place { kind, ty, span }, false).expiring()
}
