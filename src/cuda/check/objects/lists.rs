//! `std::initializer_list`: the values in braces as an array that a constructor takes.

use crate::source::Span;

use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::check::calls::rank;
use crate::cuda::resolve::{
    Argument, Candidate, Checker, Operand, ParamType, address, comma, constant, element_of, scalar,
};
use crate::cuda::typed::{Expr, Object, Place, Scalar, StmtKind, Struct, Type};

impl Checker {
    /// The type of a list's elements, if a type is a `std::initializer_list`.
    fn element_of_list(&self, ty: &Type) -> Option<Type> {
        let Type::Struct(of) = ty else {
            return None;
        };
        let record = self.types.record_of(of)?;
        let template = &self.types.templates[record.template?];
        match (&*template.name, record.arguments.first()) {
            ("std::initializer_list", Some(Argument::Type(element, _))) => Some(element.clone()),
            _ => None,
        }
    }

    /// An object of values in braces, if a constructor of it takes a list of them ([over.match.list]), or if it is
    /// such a list itself.
    pub fn made_of_initializer_list(
        &mut self,
        ty: &Type,
        values: &[ast::Expr],
        with_braces: bool,
        span: Span,
    ) -> Option<Option<Expr>> {
        let Type::Struct(of) = ty else {
            return None;
        };
        // [over.match.list]: parentheses never make a list.
        if !with_braces {
            return None;
        }
        if let Some(element) = self.element_of_list(ty) {
            let is_copy = match values {
                // `T{list}` with a list of that type copies it ([dcl.init.list]).
                [value] => self.is_list_of(value, ty),
                _ => false,
            };
            return (!is_copy).then(|| self.list_value(of, &element, values, span));
        }
        let (list, element) = self.list_of_constructor(of)?;
        // `T{}` is the constructor without arguments, even beside one that takes a list.
        if values.is_empty()
            || !values
                .iter()
                .all(|value| self.may_be_element(value, &element))
        {
            return None;
        }
        let value = self.list_value(&list, &element, values, span);
        Some(value.and_then(|value| self.constructed(of, vec![Operand::Value(value)], span)))
    }

    /// The list that a constructor of a struct takes, and the type of its elements.
    fn list_of_constructor(&self, of: &Struct) -> Option<(Struct, Type)> {
        let constructors = &self.types.record_of(of)?.constructors;
        constructors.iter().find_map(|candidate| match candidate {
            Candidate::Function(at) => {
                let signature = &self.functions.signatures[*at];
                let first = signature.params.as_ref()?.first()?;
                let element = self.element_of_list(&first.ty)?;
                match &first.ty {
                    Type::Struct(list) if signature.takes(1) => Some((list.clone(), element)),
                    _ => None,
                }
            }
            Candidate::Template(_) | Candidate::Host(_) => None,
        })
    }

    fn is_list_of(&mut self, value: &ast::Expr, ty: &Type) -> bool {
        let before = self.reports.mark();
        let found = match value.kind {
            Written::Braces(_) => None,
            _ => self.operand(value),
        };
        // Only a question: the value is checked again where it is used, and told then.
        self.reports.take_back(before);
        found.is_some_and(|operand| operand.ty() == ty)
    }

    /// Whether a value may be an element of a list.
    fn may_be_element(&mut self, value: &ast::Expr, element: &Type) -> bool {
        if let Written::Braces(_) = value.kind {
            return matches!(element, Type::Struct(_));
        }
        let before = self.reports.mark();
        let operand = self.operand(value);
        self.reports.take_back(before);
        let Some(operand) = operand else {
            return false;
        };
        let param = ParamType {
            ty: element.clone(),
            is_const: true,
            is_reference: false,
            is_rvalue: false,
        };
        operand.ty() == element
            || rank(&operand, &param).is_some()
            || self.rank_of_construction(&operand, &param).is_some()
            || self.rank_of_base(&operand, &param).is_some()
    }

    /// A `std::initializer_list` of these values: an array of them that ends with the expression.
    fn list_value(
        &mut self,
        list: &Struct,
        element: &Type,
        values: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        // An array has at least one element; the list's own count is 0.
        let length = u32::try_from(values.len()).ok()?.max(1);
        let ty = Type::Array(Box::new(element.clone()), length);
        let array = self.frame.temporary(ty, span);
        let mut made: Option<Expr> = None;
        for (at, value) in values.iter().enumerate() {
            let index = constant(scalar(Scalar::I32), at as u64, span);
            let place = element_of(&array, index, element.clone());
            let mut out = Vec::new();
            self.begin_written(&place, value, &mut out)?;
            for part in out {
                let StmtKind::Expr(part) = part.kind else {
                    return self.error(value.span, "this is not supported in a list yet");
                };
                made = Some(match made {
                    Some(before) => comma(before, part),
                    None => part,
                });
            }
        }
        made = self.list_ends(&array, made);
        let first = first_of(&array, element, span);
        let count = constant(scalar(Scalar::U64), values.len() as u64, span);
        let operands = vec![Operand::Value(first), Operand::Value(count)];
        let value = self.constructed(list, operands, span)?;
        Some(match made {
            Some(made) => comma(made, value),
            None => value,
        })
    }

    /// Says that the elements of a list end with the expression.
    fn list_ends(&mut self, array: &Place, made: Option<Expr>) -> Option<Expr> {
        let object: Option<Object> = self.object_at(array);
        let (Some(object), Some(before)) = (object, made.clone()) else {
            return made;
        };
        let span = array.span;
        Some(comma(before, self.temporary_begins(object, span)))
    }
}

/// A pointer to the first element of an array that nobody changes.
fn first_of(array: &Place, element: &Type, span: Span) -> Expr {
    let first = element_of(
        array,
        constant(scalar(Scalar::I32), 0, span),
        element.clone(),
    );
    address(first, true)
}
