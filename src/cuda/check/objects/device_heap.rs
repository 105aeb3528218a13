//! `new` and `delete` in kernels: memory of the heap that the header `device_heap.cuh` keeps, as calls of its functions.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, ExprKind as Written, TemplateArgument};
use crate::cuda::resolve::{Checker, address, comma, convert, innermost, pointer};
use crate::cuda::typed::{Expr, Type};

const ALLOCATE: &str = "__device_malloc";

impl Checker {
    /// `new (at) T[count](values)` in a kernel.
    pub fn new_in_kernel(&mut self, written: &ast::New, span: Span) -> Option<Expr> {
        let (element, _) = self.resolve(&written.ty, None, None)?;
        if !self.has_size(&element, span) {
            return None;
        }
        if let Some(count) = &written.count {
            return self.new_array_in_kernel(written, count, &element, span);
        }
        let call;
        let at = match &written.at[..] {
            [at] => at,
            _ => {
                let size = ast::Expr::new(Written::SizeOfType(written.ty.clone()), span);
                call = called(ALLOCATE, None, vec![size], span);
                &call
            }
        };
        let at = self.value(at)?;
        let at = convert(at, &pointer(element.clone(), false));
        let (values, with_braces) = match &written.values {
            Some((values, with_braces)) => (&values[..], *with_braces),
            None if self.is_constructed_without_values(&element) => (&[][..], false),
            // [dcl.init]: what has no constructor keeps what the memory holds.
            None => return Some(at),
        };
        let value = self.construct(&element, values, with_braces, span)?;
        let (before, place) = self.pointee_once(at);
        let made = address(place.clone(), false);
        let init = self.settle(value, &place);
        Some(comma(before, comma(init, made)))
    }

    fn new_array_in_kernel(
        &mut self,
        written: &ast::New,
        count: &ast::Expr,
        element: &Type,
        span: Span,
    ) -> Option<Expr> {
        let names = match (&written.values, self.types.needs_construction(element)) {
            (_, true) => ["__device_new_objects", "__device_objects_at"],
            (Some(_), false) => ["__device_new_zeroes", "__device_zeroes_at"],
            (None, false) => ["__device_new_elements", "__device_elements_at"],
        };
        // `new (std::nothrow) T[n]` says nothing of a place.
        let place = self.is_placed(written)?.then(|| written.at[0].clone());
        let name = names[usize::from(place.is_some())];
        let arguments = place.into_iter().chain([count.clone()]).collect();
        let ty = TemplateArgument::Type(written.ty.clone());
        let new = self.value(&called(name, Some(ty), arguments, span))?;
        let values = written.values.as_ref().map(|(values, _)| &values[..]);
        self.begin_listed(new, element, values.unwrap_or_default())
    }

    /// Whether a pointer says where `new` makes what it makes.
    fn is_placed(&mut self, written: &ast::New) -> Option<bool> {
        let [at] = &written.at[..] else {
            return Some(false);
        };
        let before = self.reports.mark();
        let at = self.value(at)?;
        // It is looked at once more as an argument.
        self.reports.take_back(before);
        Some(matches!(at.ty, Type::Pointer { .. }))
    }

    /// `delete p` and `delete[] p` in a kernel.
    pub fn delete_in_kernel(
        &mut self,
        written: &ast::Expr,
        is_array: bool,
        span: Span,
    ) -> Option<Expr> {
        let before = self.reports.mark();
        let ty = self.value(written)?.ty;
        // It is looked at once more as an argument.
        self.reports.take_back(before);
        let Type::Pointer { to, .. } = &ty else {
            let message = format!("`delete` takes a pointer, not a `{ty}`");
            return self.refuse(Diagnostic::error(written.span, message));
        };
        let name = match (self.ends(innermost(to)), is_array) {
            (false, _) => "__device_free",
            (true, false) => "__device_delete_object",
            (true, true) => "__device_delete_objects",
        };
        self.value(&called(name, None, vec![written.clone()], span))
    }
}

/// A call of a function, or of a template for a type, as somebody might have written it.
fn called(
    name: &str,
    template: Option<TemplateArgument>,
    arguments: Vec<ast::Expr>,
    span: Span,
) -> ast::Expr {
    let callee = match template {
        None => Written::Name(name.into()),
        Some(argument) => Written::Path(Box::new(ast::Path {
            is_global: true,
            segments: vec![ast::Segment {
                name: ast::Ident {
                    name: name.into(),
                    span,
                },
                arguments: Some(vec![argument]),
            }],
            span,
        })),
    };
    let callee = ast::Expr::new(callee, span);
    ast::Expr::new(Written::Call(Box::new(callee), arguments), span)
}
