//! What a call passes: values, addresses of what references refer to, the object.

use crate::source::{Diagnostic, Span};

use super::callee::Callee;
use crate::cuda::ast;
use crate::cuda::resolve::{
    Checker, Operand, ParamType, Side, Signature, address, chosen_value, load,
};
use crate::cuda::typed::{Expr, Type};

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
                .help("put `const` after its parameters");
            return self.refuse(error);
        }
        let place = self.object_of_function(place.clone(), signature);
        Some(address(place, *is_const || signature.is_const))
    }

    /// An argument as its parameter takes it.
    pub fn passed(&mut self, argument: Operand, param: &ParamType) -> Option<Expr> {
        let by_address = self.types.is_by_address(&param.ty);
        if !param.is_reference && !by_address {
            return self.passed_by_value(argument, &param.ty);
        }
        if let (false, Type::Struct(of)) = (param.is_reference, &param.ty) {
            // What is passed is the address of an object that the caller makes, and ends.
            let span = argument.span();
            let value = self.object_value(argument, of, span)?;
            return Some(self.address_of_made(value));
        }
        let argument = self.looked_at(argument, param);
        match self.as_base(argument, &param.ty) {
            Operand::Place {
                place, is_const, ..
            } if place.ty == param.ty && (param.is_const || !is_const) => {
                Some(address(place, param.is_const))
            }
            // [dcl.init.ref]: a `const` reference may refer to a value; it gets a variable that lives as long as
            // the function.
            argument
                if param.is_const
                    || param.is_rvalue && (argument.is_rvalue() || *argument.ty() != param.ty) =>
            {
                let value = match &param.ty {
                    Type::Struct(of) if by_address => {
                        let span = argument.span();
                        self.object_value(argument, of, span)?
                    }
                    ty => self.coerce(load(argument), ty)?,
                };
                Some(self.address_of_made(value))
            }
            argument => self.refuse_reference(&argument, &param.ty),
        }
    }

    /// What a kernel chooses with `?:` and only looks at stays in registers, as where nvcc inlines the function.
    fn looked_at(&self, argument: Operand, param: &ParamType) -> Operand {
        match &argument {
            Operand::Place { place, .. } if param.is_const && self.frame.side == Side::Gpu => {
                chosen_value(place).map_or(argument, Operand::Value)
            }
            _ => argument,
        }
    }

    /// An argument as a parameter that is a value takes it.
    fn passed_by_value(&mut self, argument: Operand, ty: &Type) -> Option<Expr> {
        // The constructor sees the object itself, not a copy: a view of a container must not view a copy.
        if let Type::Struct(of) = ty
            && self.types.is_by_address(argument.ty())
            && !self.is_derived(argument.ty(), ty)
            && self.types.has_constructors(of)
        {
            let span = argument.span();
            return self.constructed(of, vec![argument], span);
        }
        self.coerce(load(argument), ty)
    }

    /// Reports what a reference of this type cannot refer to.
    fn refuse_reference<T>(&mut self, argument: &Operand, to: &Type) -> Option<T> {
        let span = argument.span();
        if let Operand::Value(_) = argument {
            let message = format!("this value cannot be passed as a `{to}&`");
            let help = "store it in a variable first, or take a `const` reference";
            return self.refuse(Diagnostic::error(span, message).help(help));
        }
        let why = match argument.ty() == to {
            true => "it is `const`".to_string(),
            false => format!("it is a `{}`, not a `{to}`", argument.ty()),
        };
        self.error(span, format!("this cannot be passed as a `{to}&`: {why}"))
    }

    /// The address of a value that is made for it, and of what it is made in.
    fn address_of_made(&mut self, value: Expr) -> Expr {
        if !self.types.is_by_address(&value.ty) {
            return self.frame.address_of_value(value);
        }
        match self.materialised(value) {
            Operand::Place { place, .. } => address(place, false),
            Operand::Value(value) => value,
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
        let value = self.within(&signature.context, |checker| match &default.kind {
            ast::ExprKind::Braces(_) => {
                let value = checker.value_of_type(default, &param.ty);
                value.map(Operand::Value)
            }
            _ => checker.operand(default),
        })?;
        let value = self.passed(value, param)?;
        Some(Expr { span, ..value })
    }
}
