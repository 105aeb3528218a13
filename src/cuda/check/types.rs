//! Types as written, to types.

use crate::source::{Diagnostic, Span};

use super::convert::Operand;
use super::convert::constant as constant_expr;
use super::scope::Symbol;
use super::{Checker, constant};
use crate::cuda::ast::{Base, Expr, Modifier, Path, TypeName};
use crate::cuda::typed;
use crate::cuda::typed::{ExprKind, Scalar, Type};

/// Most bytes that a variable of a thread may have.
const MOST_LOCAL_BYTES: u64 = 512 * 1024;

/// Most bytes that a variable in global memory may have.
const MOST_GLOBAL_BYTES: u64 = 256 * 1024 * 1024;

/// A type, and whether values of it are `const`.
pub type Qualified = (Type, bool);

pub fn scalar(scalar: Scalar) -> Type {
    Type::Scalar(scalar)
}

pub fn pointer(to: Type, is_const: bool) -> Type {
    Type::Pointer {
        to: Box::new(to),
        is_const,
    }
}

/// The type of the elements of an array, through all its dimensions.
pub fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(element, _) => innermost(element),
        ty => ty,
    }
}

impl Checker {
    /// The type that `ty` names; `auto` stands for `deduced`, and a first `[]` for `length`.
    pub(super) fn resolve(
        &mut self,
        ty: &TypeName,
        deduced: Option<Type>,
        length: Option<u32>,
    ) -> Option<Qualified> {
        let mut qualified = match &ty.base {
            Base::Void => (Type::Void, ty.is_const),
            Base::Scalar(of) => (scalar(*of), ty.is_const),
            Base::Vector(of, lanes) => (Type::Vector(*of, *lanes), ty.is_const),
            Base::Refused => return None,
            Base::Record(record) => (self.record_in_place(record)?, ty.is_const),
            Base::Enum(written) => (self.enumeration_in_place(written)?, ty.is_const),
            Base::Decltype(of) => match self.operand(of)? {
                Operand::Place { place, .. } => (place.ty, ty.is_const),
                Operand::Value(value) => (value.ty, ty.is_const),
            },
            Base::Named(path) => {
                let (named, is_const) = self.named_type(path)?;
                (named, is_const || ty.is_const)
            }
            Base::Auto => match deduced {
                Some(deduced) if ty.modifiers.is_empty() => (deduced, ty.is_const),
                Some(Type::Pointer { to, is_const }) => (*to, is_const || ty.is_const),
                _ => {
                    self.report(
                        Diagnostic::error(ty.span, "`auto` stands for no type here")
                            .help("write the type"),
                    );
                    return None;
                }
            },
        };
        for (at, modifier) in ty.modifiers.iter().enumerate() {
            qualified = match modifier {
                Modifier::Pointer { is_const, .. } => {
                    (pointer(qualified.0, qualified.1), *is_const)
                }
                Modifier::Reference => {
                    let error = Diagnostic::error(ty.span, "a reference cannot stand here")
                        .help("references are parameters, variables and results");
                    self.report(error);
                    return None;
                }
                Modifier::Array(written, span) => {
                    let is_last = at + 1 == ty.modifiers.len();
                    let length = match (written, length) {
                        (Some(written), _) => self.array_length(written)?,
                        (None, Some(length)) if is_last => length,
                        _ => {
                            self.report(
                                Diagnostic::error(*span, "this array has no length")
                                    .help("write its length between the brackets"),
                            );
                            return None;
                        }
                    };
                    if qualified.0 == Type::Void {
                        return self.error(ty.span, "there are no arrays of `void`");
                    }
                    let bytes = u64::from(qualified.0.size_bytes()) * u64::from(length);
                    let most = match self.in_global_memory {
                        true => MOST_GLOBAL_BYTES,
                        false => MOST_LOCAL_BYTES,
                    };
                    if bytes > most {
                        let message = format!("this array has {bytes} bytes, more than fit");
                        self.report(Diagnostic::error(*span, message));
                        return None;
                    }
                    (Type::Array(Box::new(qualified.0), length), qualified.1)
                }
            };
        }
        Some(qualified)
    }

    /// `sizeof` a type.
    pub(super) fn size_of(&mut self, ty: &Type, span: Span) -> Option<typed::Expr> {
        match ty.size_bytes() {
            0 => self.error(span, format!("`{ty}` has no size")),
            bytes => Some(constant_expr(scalar(Scalar::U64), u64::from(bytes), span)),
        }
    }

    /// The type that a path names.
    fn named_type(&mut self, path: &Path) -> Option<Qualified> {
        let found = match self.static_member(path)? {
            Some(entry) => Some(entry.symbol),
            None => {
                let found = self.find_path(path).cloned();
                if let Some(Symbol::Host(_) | Symbol::Outer) = found.as_ref().map(|e| &e.symbol) {
                    self.known(&path.joined(), found, path.span)?;
                    return None;
                }
                found.map(|entry| entry.symbol)
            }
        };
        match found {
            Some(Symbol::TypeTemplate(template)) => {
                self.made_type(template, path).map(|ty| (ty, false))
            }
            Some(Symbol::Type(ty, is_const)) => match path.arguments() {
                Some(_) => self.no_template(&path.joined(), path.span),
                None => Some((ty, is_const)),
            },
            Some(Symbol::Refused) => None,
            Some(_) => self.error(path.span, format!("`{}` is no type", path.joined())),
            None => {
                self.unknown_path(path, false);
                None
            }
        }
    }

    fn array_length(&mut self, written: &Expr) -> Option<u32> {
        let value = self.constant_integer(written, "the length of an array")?;
        match u32::try_from(value) {
            Ok(length) if length > 0 => Some(length),
            _ => self.error(
                written.span,
                format!("the length of an array must be positive, not {value}"),
            ),
        }
    }

    /// The value of an integer that must be known before the kernel runs.
    pub(super) fn constant_integer(&mut self, written: &Expr, what: &str) -> Option<i128> {
        let value = self.value(written)?;
        let Some(of) = value.ty.scalar().filter(|scalar| scalar.is_integer()) else {
            let message = format!("{what} must be an integer, not `{}`", value.ty);
            return self.error(written.span, message);
        };
        match value.kind {
            ExprKind::Constant(bits) => Some(constant::integer(of, bits)),
            _ => {
                self.report(
                    Diagnostic::error(written.span, format!("{what} must be a constant"))
                        .label("known only when the kernel runs")
                        .help("use a number, a `#define` or a `constexpr int`"),
                );
                None
            }
        }
    }
}
