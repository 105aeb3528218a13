//! CUDA's own functions as values: `float (*f)(float) = sqrtf;`. They have no address here, so a lambda that calls them
//! stands in their place.

use std::rc::Rc;

use crate::source::Span;

use super::function_pointer::named_arguments;

use crate::cuda::ast::{self, Base, ExprKind as Written, Ident, Param, PrefixOp, TypeName};
use crate::cuda::builtin::{self, Builtin};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{Candidate, Checker, Operand, Side, Symbol, pointer, scalar};
use crate::cuda::typed::{Expr, FunctionType, Type};

/// The name of CUDA's function that an expression names.
fn builtin_named(written: &ast::Expr) -> Option<Name> {
    let name: Name = match &written.kind {
        Written::Name(name) => name.clone(),
        Written::Path(path) => path.joined().strip_prefix("std::")?.into(),
        Written::Prefix(PrefixOp::AddressOf, inner) => return builtin_named(inner),
        _ => return None,
    };
    builtin::function(&name).map(|_| name)
}

/// The type of one of CUDA's functions that has no overloads.
fn only_type(name: &str) -> Option<FunctionType> {
    let Builtin::Fixed(_, params, returns) = builtin::function(name)? else {
        return None;
    };
    let params = params.iter().map(|of| scalar(*of)).collect();
    Some(FunctionType::of_values(params, scalar(returns)))
}

impl Checker {
    /// CUDA's function as a value, if it has only one type.
    pub fn builtin_value(&mut self, name: &Name, span: Span) -> Option<Operand> {
        let of = only_type(name)?;
        let named = ast::Expr::new(Written::Name(name.clone()), span);
        match self.frame.side {
            Side::Gpu => self.lambda_that_calls(&named, &of).map(Operand::Value),
            Side::Both | Side::Host => self.builtin_of_type(&named, &of).map(Operand::Value),
        }
    }

    /// CUDA's function as a pointer to a function of this type, if the expression names one.
    pub fn builtin_of_type(&mut self, written: &ast::Expr, of: &FunctionType) -> Option<Expr> {
        builtin_named(written)?;
        let lambda = self.lambda_that_calls(written, of)?;
        let Type::Struct(closure) = &lambda.ty else {
            return None;
        };
        let to = pointer(Type::Function(Box::new(of.clone())), false);
        self.lambda_as_pointer(closure, &to, written.span)
    }

    /// `[](float a) -> float { return f(a); }`
    fn lambda_that_calls(&mut self, written: &ast::Expr, of: &FunctionType) -> Option<Expr> {
        let (span, name) = (written.span, builtin_named(written)?);
        let type_name = |ty: &Type| match ty {
            Type::Scalar(of) => Some(TypeName::plain(Base::Scalar(*of), span)),
            _ => None,
        };
        let ident = |name: Name| Ident { name, span };
        let named = |at: usize| -> Name { format!("argument:{at}").into() };
        let param = |(at, ty)| {
            Some(Param {
                ty: type_name(ty)?,
                name: Some(ident(named(at))),
                default: None,
                span,
            })
        };
        let params: Option<Vec<Param>> = of.params.iter().enumerate().map(param).collect();
        let arguments = (0..of.params.len())
            .map(|at| ast::Expr::new(Written::Name(named(at)), span))
            .collect();
        let call = Written::Call(
            Box::new(ast::Expr::new(Written::Name(name), span)),
            arguments,
        );
        let kind = ast::StmtKind::Return(Some(ast::Expr::new(call, span)));
        let operator = ident("operator()".into());
        let mut function = ast::Function::new(type_name(&of.returns)?, operator, params?);
        function.traits.is_const = true;
        function.specifiers.device = (self.frame.side == Side::Gpu).then_some(span);
        function.body = Some(vec![ast::Stmt { kind, span }]);
        let lambda = without_list(function);
        self.lambda(&Rc::new(lambda), span)
    }

    /// Whether an argument names several functions, of which the parameter's type says one ([over.over]).
    pub fn names_overloads(&self, argument: &ast::Expr) -> bool {
        let Some(found) = self.names.find_named(argument) else {
            return false;
        };
        match found.map(|entry| &entry.symbol) {
            Some(Symbol::Functions(candidates)) if named_arguments(argument).is_some() => {
                let templates = candidates.iter();
                let templates = templates.filter(|one| matches!(one, Candidate::Template(_)));
                templates.count() > 1
            }
            Some(Symbol::Functions(candidates)) => {
                !matches!(candidates[..], [Candidate::Function(_)])
            }
            Some(_) => false,
            None => builtin_named(argument).is_some_and(|name| only_type(&name).is_none()),
        }
    }
}

/// A lambda that keeps nothing.
fn without_list(function: ast::Function) -> ast::Lambda {
    ast::Lambda {
        function: Rc::new(function),
        default: None,
        listed: Vec::new(),
        values: Vec::new(),
        this: None,
        names: Vec::new(),
        is_called: false,
        has_side: false,
        variable: None,
    }
}
