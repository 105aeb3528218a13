//! `typeid`: a type's name as GCC mangles it (Itanium C++ ABI, 5.1).

use crate::source::Span;

use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::resolve::Checker;
use crate::cuda::typed::{Expr, Scalar, Type};

impl Checker {
    /// The `std::type_info` of a type.
    pub fn type_info(&mut self, ty: &ast::TypeName, span: Span) -> Option<Expr> {
        // [expr.typeid]: a reference counts as what it refers to.
        let (ty, _) = self.referred(ty);
        let ty = self.plain_type(&ty)?;
        let info = ast::TypeName::of_std("type_info", span);
        let name = Written::String(mangled(&ty).into());
        let call = Written::Construct(info, vec![ast::Expr::new(name, span)], false);
        self.value(&ast::Expr::new(call, span))
    }
}

fn mangled(ty: &Type) -> String {
    match ty {
        Type::Void => "v".to_owned(),
        Type::Scalar(of) => letter(*of).to_owned(),
        Type::Pointer { to, is_const: true } => format!("PK{}", mangled(to)),
        Type::Pointer { to, .. } => format!("P{}", mangled(to)),
        Type::Array(of, length) => format!("A{length}_{}", mangled(of)),
        Type::Function(of) => {
            let params = of.params.iter().zip(&of.references);
            let params: String = params.map(mangled_param).collect();
            let params = if params.is_empty() { "v" } else { &params };
            format!("F{}{params}E", mangled(&of.returns))
        }
        Type::Vector(..) => nested(&ty.to_string()),
        Type::Struct(of) => nested(of.name()),
    }
}

fn mangled_param((ty, reference): (&Type, &Option<bool>)) -> String {
    match (mangled(ty), reference) {
        (text, None) => text,
        (text, Some(false)) => text.replacen('P', "R", 1),
        (text, Some(true)) => text.replacen('P', "O", 1),
    }
}

/// `a::B` is `N1a1BE`, and `B` alone `1B`. Template arguments stay as they are written.
fn nested(name: &str) -> String {
    let outer = name.split('<').next().unwrap_or(name);
    let parts: Vec<&str> = match outer.contains("::") && outer == name {
        true => name.split("::").collect(),
        false => vec![name],
    };
    let each: String = parts
        .iter()
        .map(|part| format!("{}{part}", part.len()))
        .collect();
    match parts.len() {
        1 => each,
        _ => format!("N{each}E"),
    }
}

fn letter(of: Scalar) -> &'static str {
    match of {
        Scalar::Bool => "b",
        Scalar::Char => "c",
        Scalar::I8 => "a",
        Scalar::U8 => "h",
        Scalar::I16 => "s",
        Scalar::U16 => "t",
        Scalar::I32 => "i",
        Scalar::U32 => "j",
        Scalar::I64 => "l",
        Scalar::U64 => "m",
        Scalar::F16 => "6__half",
        Scalar::Bf16 => "13__nv_bfloat16",
        Scalar::F32 => "f",
        Scalar::F64 => "d",
    }
}
