//! What variables begin with: values, and lists in braces.

use crate::source::Diagnostic;

use super::super::ast::{self, ExprKind as Written};
use super::super::typed::{Expr, ExprKind, Initializer, PlaceKind, Storage, Type};
use super::Checker;
use super::convert::constant;
use super::types::scalar;

impl Checker {
    /// The initialiser of a variable of type `ty`.
    pub(super) fn initializer(&mut self, written: &ast::Expr, ty: &Type) -> Option<Initializer> {
        match (&written.kind, ty) {
            (Written::Braces(values), Type::Array(..) | Type::Vector(..)) => {
                let mut list = Vec::new();
                let mut values = &values[..];
                self.fill(ty, &mut values, &mut list)?;
                if let Some(extra) = values.first() {
                    let message = format!("there are more values than `{ty}` holds");
                    return self.error(extra.span, message);
                }
                Some(Initializer::List(list))
            }
            (Written::Braces(values), _) => match &values[..] {
                [] => Some(Initializer::Value(constant(ty.clone(), 0, written.span))),
                [value] => self.initializer(value, ty),
                [_, extra, ..] => self.error(extra.span, format!("`{ty}` holds one value")),
            },
            (_, Type::Array(..)) => {
                self.value(written)?;
                let error =
                    Diagnostic::error(written.span, "an array begins with values in braces");
                self.report(error.help("write `= {…}`, or fill it in a loop"));
                None
            }
            _ => {
                let value = self.value(written)?;
                self.coerce(value, ty).map(Initializer::Value)
            }
        }
    }

    /// Takes from `values` what fills a `ty`, as scalars in order of memory, to `list`.
    fn fill(&mut self, ty: &Type, values: &mut &[ast::Expr], list: &mut Vec<Expr>) -> Option<()> {
        let (part, count) = match ty {
            Type::Array(element, length) => ((**element).clone(), *length),
            Type::Vector(of, lanes) => (scalar(*of), *lanes),
            _ => return None,
        };
        let scalars = scalar_count(&part);
        for index in 0..count {
            let Some((value, rest)) = values.split_first() else {
                return Some(());
            };
            let begin = list.len();
            let complete = begin + scalars;
            match (&value.kind, &part) {
                (Written::Braces(inner), Type::Array(..) | Type::Vector(..)) => {
                    *values = rest;
                    let mut inner = &inner[..];
                    self.fill(&part, &mut inner, list)?;
                    if let Some(extra) = inner.first() {
                        let message = format!("there are more values than `{part}` holds");
                        return self.error(extra.span, message);
                    }
                }
                (_, Type::Array(..)) => self.fill(&part, values, list)?,
                (_, Type::Vector(..)) => {
                    let vector = self.value(value)?;
                    if vector.ty == part {
                        *values = rest;
                        self.spread(vector, list)?;
                    } else {
                        self.fill(&part, values, list)?;
                    }
                }
                _ => {
                    *values = rest;
                    let Initializer::Value(value) = self.initializer(value, &part)? else {
                        return None;
                    };
                    list.push(value);
                }
            }
            let is_last = index + 1 == count || values.is_empty();
            if !is_last && list.len() < complete {
                let leaf = leaf(&part);
                let span = value.span;
                list.resize_with(complete, || constant(leaf.clone(), 0, span));
            }
        }
        Some(())
    }

    /// The components of a vector that can be had without computing it twice.
    fn spread(&mut self, vector: Expr, list: &mut Vec<Expr>) -> Option<()> {
        let span = vector.span;
        match (vector.kind, &vector.ty) {
            (ExprKind::Vector(components), _) => list.extend(components),
            (ExprKind::Load(place), Type::Vector(of, lanes))
                if matches!(place.kind, PlaceKind::Local(id)
                    if self.frame.locals[id].storage == Storage::Thread) =>
            {
                for at in 0..*lanes {
                    let whole = Expr {
                        kind: ExprKind::Load(place.clone()),
                        ty: vector.ty.clone(),
                        span,
                    };
                    list.push(Expr {
                        kind: ExprKind::Component(Box::new(whole), at),
                        ty: scalar(*of),
                        span,
                    });
                }
            }
            _ => {
                let message = "only `make_…` and variables can begin a vector in an array";
                let error = Diagnostic::error(span, message);
                self.report(error.help("assign this element in a statement of its own"));
                return None;
            }
        }
        Some(())
    }

    /// The length of `T x[] = {…}`.
    pub(super) fn length_of_list(&self, init: Option<&ast::Expr>) -> Option<u32> {
        match &init?.kind {
            Written::Braces(values) if !values.is_empty() => u32::try_from(values.len()).ok(),
            _ => None,
        }
    }
}

fn scalar_count(ty: &Type) -> usize {
    match ty {
        Type::Array(element, length) => scalar_count(element) * *length as usize,
        Type::Vector(_, lanes) => *lanes as usize,
        _ => 1,
    }
}

fn leaf(ty: &Type) -> Type {
    match ty {
        Type::Array(element, _) => leaf(element),
        Type::Vector(of, _) => scalar(*of),
        ty => ty.clone(),
    }
}
