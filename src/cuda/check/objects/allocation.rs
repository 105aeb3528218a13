//! `new` and `delete`.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, DESTRUCTOR};
use crate::cuda::check::calls::Callee;
use crate::cuda::resolve::{
    Candidate, Checker, Operand, Side, comma, constant, convert, load, pointer, scalar,
};
use crate::cuda::typed::{
    Delete, Destructor, Expr, ExprKind, FunctionId, HostExpr, Initial, New, Scalar, StmtKind,
    Struct, Type,
};

impl Checker {
    /// `new (at) T[count](values)`
    pub fn new_expression(&mut self, written: &ast::New, span: Span) -> Option<Expr> {
        match self.frame.side {
            Side::Gpu => self.new_in_kernel(written, span),
            _ => self.new_on_host(written, span),
        }
    }

    fn new_on_host(&mut self, written: &ast::New, span: Span) -> Option<Expr> {
        let (element, _) = self.resolve(&written.ty, None, None)?;
        if !self.has_size(&element, span) {
            return None;
        }
        let count = self.count_of_new(written)?;
        let at = match self.placement(&written.at)? {
            // [expr.new]: arrays ask `operator new[]`, which is another function.
            None if count.is_none() => self.own_allocation(&element, span)?,
            at => at,
        };
        let ty = pointer(element.clone(), false);
        let has_destructor = self.ends(&element);
        let mut new = New {
            element: element.clone(),
            count,
            initial: Initial::Unset,
            has_destructor,
            is_nothrow: at.is_none() && !written.at.is_empty(),
            at,
        };
        if new.count.is_some() {
            let values = written.values.as_ref().map(|(values, _)| &values[..]);
            return self.new_array(new, values, span);
        }
        let (values, with_braces) = match &written.values {
            Some((values, with_braces)) => (&values[..], *with_braces),
            None if self.is_constructed_without_values(&element) => (&[][..], false),
            // [dcl.init]: what has no constructor keeps what the memory holds.
            None => return Some(self.host(HostExpr::New(new), ty, span)),
        };
        let value = self.construct(&element, values, with_braces, span)?;
        if !self.types.is_by_address(&element) {
            // A value is stored by `new` itself; an object has to know where it is made.
            new.initial = Initial::Value(Box::new(value));
            return Some(self.host(HostExpr::New(new), ty, span));
        }
        let new = self.host(HostExpr::New(new), ty, span);
        Some(self.constructed_in_place(new, value))
    }

    /// `(p = new T, construct(p), p)`
    fn constructed_in_place(&mut self, new: Expr, value: Expr) -> Expr {
        let (before, place) = self.pointee_once(new);
        let pointer = crate::cuda::resolve::address(place.clone(), false);
        let init = self.settle(value, &place);
        comma(before, comma(init, pointer))
    }

    /// The number of elements of `new T[n]`.
    fn count_of_new(&mut self, written: &ast::New) -> Option<Option<Box<Expr>>> {
        let Some(count) = &written.count else {
            return Some(None);
        };
        let count = self.value(count)?;
        let count = self.coerce(count, &scalar(Scalar::U64))?;
        Some(Some(Box::new(count)))
    }

    /// `new T[n]`, `new T[n]()` and `new T[n]{a, b}`
    fn new_array(
        &mut self,
        mut new: New,
        values: Option<&[ast::Expr]>,
        span: Span,
    ) -> Option<Expr> {
        let element = new.element.clone();
        let ty = pointer(element.clone(), false);
        new.initial = self.initial_of_elements(&element, values.is_some(), span)?;
        let new = self.host(HostExpr::New(new), ty, span);
        self.begin_listed(new, &element, values.unwrap_or_default())
    }

    /// A new array whose first elements begin with the values that are `given`.
    pub fn begin_listed(&mut self, new: Expr, element: &Type, given: &[ast::Expr]) -> Option<Expr> {
        if given.is_empty() {
            return Some(new);
        }
        let ty = pointer(element.clone(), false);
        let (before, first) = self.pointee_once(new);
        let start = crate::cuda::resolve::address(first, false);
        let mut all = before;
        for (at, value) in given.iter().enumerate() {
            let at = constant(scalar(Scalar::I32), at as u64, value.span);
            let kind = ExprKind::PointerOffset(Box::new(start.clone()), Box::new(at));
            let moved = crate::cuda::resolve::node(kind, ty.clone(), value.span);
            let place = self.deref_value(moved, value.span)?.into_place()?;
            let mut out = Vec::new();
            // Elements begin in order of the list ([dcl.init.list]).
            self.begin_written(&place, value, &mut out)?;
            for part in out {
                if let StmtKind::Expr(part) = part.kind {
                    all = comma(all, part);
                }
            }
        }
        Some(comma(all, start))
    }

    /// What each element of a new array begins with, where nothing is written for it.
    fn initial_of_elements(
        &mut self,
        element: &Type,
        has_values: bool,
        span: Span,
    ) -> Option<Initial> {
        let of = match element {
            Type::Struct(of) if self.types.needs_construction(element) => of,
            _ if has_values => return Some(Initial::Zero),
            _ => return Some(Initial::Unset),
        };
        let record = self.types.index_of(of)?;
        let candidates = self.constructors_for(record);
        Some(match self.default_constructor(&candidates) {
            Some(at) => Initial::Constructed(self.body_for_call(at, None, span)?, Vec::new()),
            None => Initial::Value(Box::new(self.construct(element, &[], true, span)?)),
        })
    }

    /// The constructor that needs no arguments and has no defaults to pass.
    fn default_constructor(&mut self, candidates: &[Candidate]) -> Option<usize> {
        candidates.iter().find_map(|candidate| match candidate {
            Candidate::Function(at) => {
                let params = self.functions.signatures[*at].params.as_ref();
                params.is_some_and(Vec::is_empty).then_some(*at)
            }
            Candidate::Template(_) | Candidate::Host(_) => None,
        })
    }

    /// Where `new` puts its elements, if a pointer says so; `std::nothrow` says nothing.
    fn placement(&mut self, at: &[ast::Expr]) -> Option<Option<Box<Expr>>> {
        let [at] = at else {
            return Some(None);
        };
        let at = load(self.operand(at)?);
        Some(matches!(at.ty, Type::Pointer { .. }).then(|| Box::new(at)))
    }

    /// What a class's own `operator new` answers for an object of it ([class.free]).
    fn own_allocation(&mut self, element: &Type, span: Span) -> Option<Option<Box<Expr>>> {
        let Some(candidates) = self.own_function(element, "operator new") else {
            return Some(None);
        };
        let size = constant(scalar(Scalar::U64), element.size_bytes().into(), span);
        let callee = Callee {
            name: "operator new",
            candidates: &candidates,
            template: None,
            this: None,
            at: span,
        };
        let at = load(self.call_candidates(&callee, vec![Operand::Value(size)], span)?);
        Some(Some(Box::new(convert(
            at,
            &pointer(element.clone(), false),
        ))))
    }

    /// The class's own `operator delete` that takes the pointer alone ([class.free]).
    fn own_release(&mut self, element: &Type, span: Span) -> Option<Option<FunctionId>> {
        let candidates = self.own_function(element, "operator delete");
        let takes_pointer = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => {
                let params = self.functions.signatures[*at].params.as_ref();
                params
                    .is_some_and(|params| params.len() == 1)
                    .then_some(*at)
            }
            Candidate::Template(_) | Candidate::Host(_) => None,
        };
        match candidates.iter().flatten().find_map(takes_pointer) {
            Some(at) => Some(Some(self.body_for_call(at, None, span)?)),
            None => Some(None),
        }
    }

    fn own_function(&self, element: &Type, name: &str) -> Option<Vec<Candidate>> {
        match element {
            Type::Struct(of) => self.types.methods(of, name),
            _ => None,
        }
    }

    /// Whether something is done at the end of objects of a type.
    pub fn ends(&self, ty: &Type) -> bool {
        let record = match crate::cuda::resolve::innermost(ty) {
            Type::Struct(of) => self.types.record_of(of),
            _ => None,
        };
        record.is_some_and(|record| record.class.destructor.is_some())
    }

    pub fn is_constructed_without_values(&self, ty: &Type) -> bool {
        self.types.is_by_address(ty) || self.types.needs_construction(ty)
    }

    /// `delete p` and `delete[] p`
    pub fn delete_expression(
        &mut self,
        written: &ast::Expr,
        is_array: bool,
        span: Span,
    ) -> Option<Expr> {
        if self.frame.side == Side::Gpu {
            return self.delete_in_kernel(written, is_array, span);
        }
        let pointer = self.value(written)?;
        let Type::Pointer { to, .. } = &pointer.ty else {
            let message = format!("`delete` takes a pointer, not a `{}`", pointer.ty);
            return self.refuse(Diagnostic::error(written.span, message));
        };
        let destructor = match &**to {
            Type::Struct(of) => self.destructor_for_delete(of, span)?,
            _ => None,
        };
        let release = match is_array {
            // [expr.delete]: `delete[]` asks `operator delete[]`, which is another function.
            true => None,
            false => self.own_release(&to.clone(), span)?,
        };
        let delete = HostExpr::Delete(Delete {
            pointer,
            is_array,
            destructor,
            release,
        });
        Some(self.host(delete, Type::Void, span))
    }

    /// How `delete` ends an object of a class: a virtual destructor is found at run time, through the object's table.
    fn destructor_for_delete(&mut self, of: &Struct, span: Span) -> Option<Option<Destructor>> {
        let class = self.types.record_of(of).map(|record| &record.class);
        let ends = class.and_then(|class| class.destructor);
        let mut rows = class.map_or(&[][..], |class| &class.virtuals[..]).iter();
        let row = rows.position(|row| &*row.name == DESTRUCTOR);
        Some(match (row, ends) {
            // Through the table even where the type is known: the object may be of a derived class.
            (Some(row), _) => Some(Destructor::Virtual(row as u32)),
            (None, Some(ends)) => {
                let id = self.body_for_call(ends, None, span)?;
                Some(Destructor::Function(id))
            }
            (None, None) => None,
        })
    }
}
