//! What a call passes: values, addresses of what references refer to, the object.

use crate::source::{Diagnostic, Span};

use super::callee::Callee;
use crate::cuda::resolve::{Checker, Operand, ParamType, Signature, address, load};
use crate::cuda::typed::Expr;

impl Checker {
    /// The address of the object whose function is called.
    pub fn object(&mut self, signature: &Signature, callee: &Callee, span: Span) -> Option<Expr> {
        let Some((place, is_const)) = &callee.this else {
            let message = format!(
                "`{}` needs an object: it is no `static` function",
                callee.name
            );
            return self.error(span, message);
        };
        // [class.this]: without `const` behind it, a function may change the object.
        if *is_const && !signature.is_const && signature.function.constructs.is_none() {
            let message = format!(
                "`{}` may change its object, which is `const`",
                signature.name
            );
            let error = Diagnostic::error(span, message)
                .also(signature.span, "declared here")
                .help("put `const` behind its parameters");
            return self.refuse(error);
        }
        Some(address(place.clone(), *is_const || signature.is_const))
    }

    /// An argument as its parameter takes it.
    pub fn passed(&mut self, argument: Operand, param: &ParamType) -> Option<Expr> {
        if !param.is_reference {
            return self.coerce(load(argument), &param.ty);
        }
        match argument {
            Operand::Place {
                place, is_const, ..
            } if place.ty == param.ty && (param.is_const || !is_const) => {
                Some(address(place, param.is_const))
            }
            // [dcl.init.ref]: a `const` reference may refer to a value; it gets a variable that lives as long as
            // the function.
            argument if param.is_const => {
                let value = self.coerce(load(argument), &param.ty)?;
                Some(self.frame.address_of_value(value))
            }
            Operand::Place { place, .. } => {
                let why = match place.ty == param.ty {
                    true => "it is `const`".to_string(),
                    false => format!("it is a `{}`, not a `{}`", place.ty, param.ty),
                };
                let message = format!("this cannot be passed as a `{}&`: {why}", param.ty);
                self.error(place.span, message)
            }
            Operand::Value(value) => {
                let message = format!("this value cannot be passed as a `{}&`", param.ty);
                let error = Diagnostic::error(value.span, message)
                    .help("store it in a variable first, or take a `const` reference");
                self.refuse(error)
            }
        }
    }

    pub fn default_argument_of(
        &mut self,
        signature: &Signature,
        at: usize,
        param: &ParamType,
        span: Span,
    ) -> Option<Expr> {
        // [dcl.fct.default]: defaults stand in the struct, also of a function that is defined outside.
        let declared = signature
            .declaration
            .as_ref()
            .unwrap_or(&signature.function);
        let default = declared.params.get(at)?.default.as_ref()?;
        // [dcl.fct.default]: names in a default are those where the function is declared, not where it is called.
        let value = self.within(&signature.context, |checker| checker.operand(default))?;
        let value = self.passed(value, param)?;
        Some(Expr { span, ..value })
    }
}
