//! Arguments of templates.

use std::fmt;

use super::scope::Symbol;
use super::{Checker, constant};
use crate::cuda::ast::{
    Base, ExprKind as Written, TemplateArgument, TemplateParam, TemplateParamKind, TypeName,
};
use crate::cuda::token::Name;
use crate::cuda::typed::{ExprKind, Scalar, Type};

/// An argument of a template: a type or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A type, and whether it is `const`.
    Type(Type, bool),
    /// The bits of an integer of a type.
    Value(Scalar, u64),
    /// A template of types: its index and its name.
    Template(usize, Name),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Type(ty, false) => ty.fmt(f),
            Argument::Type(ty, true) => write!(f, "const {ty}"),
            Argument::Value(Scalar::Bool, bits) => (*bits != 0).fmt(f),
            Argument::Value(of, bits) => constant::integer(*of, *bits).fmt(f),
            Argument::Template(_, name) => name.fmt(f),
        }
    }
}

impl Checker {
    /// Template arguments as written, each resolved by itself; wrong ones are reported.
    pub(super) fn template_arguments(
        &mut self,
        written: &[TemplateArgument],
    ) -> Option<Vec<Argument>> {
        let all: Vec<Option<Argument>> =
            written.iter().map(|a| self.template_argument(a)).collect();
        all.into_iter().collect()
    }

    /// A template of types without arguments, other than the one that is being defined.
    fn template_itself(&self, ty: &TypeName) -> Option<Argument> {
        let Base::Named(path) = &ty.base else {
            return None;
        };
        let Some(Symbol::TypeTemplate(template)) = self.find_path(path).map(|e| &e.symbol) else {
            return None;
        };
        let own = self.record.and_then(|record| self.records[record].template);
        let is_bare = ty.modifiers.is_empty() && path.arguments().is_none();
        let name = self.type_templates[*template].name.clone();
        (is_bare && own != Some(*template)).then_some(Argument::Template(*template, name))
    }

    fn template_argument(&mut self, written: &TemplateArgument) -> Option<Argument> {
        let value = match written {
            TemplateArgument::Type(ty) => {
                if let Some(template) = self.template_itself(ty) {
                    return Some(template);
                }
                let (ty, is_const) = self.resolve(ty, None, None)?;
                return Some(Argument::Type(ty, is_const));
            }
            TemplateArgument::Value(value) => value,
        };
        if let Written::Refused = value.kind {
            return None;
        }
        let checked = self.value(value)?;
        match (&checked.kind, checked.ty.scalar()) {
            (ExprKind::Constant(bits), Some(of)) if of.is_integer() => {
                Some(Argument::Value(of, *bits))
            }
            (_, Some(of)) if of.is_integer() => {
                let what = "a template argument must be a constant: this is known only when the kernel runs";
                self.error(value.span, what)
            }
            _ => {
                let message = format!(
                    "a template argument is a type or an integer, not a `{}`",
                    checked.ty
                );
                self.error(value.span, message)
            }
        }
    }
}

/// The parameters of a template as they are written.
pub fn listed(params: &[TemplateParam]) -> String {
    let texts: Vec<String> = params.iter().map(text).collect();
    texts.join(", ")
}

fn text(param: &TemplateParam) -> String {
    let name = param.name.as_ref().map_or("", |name| &name.name);
    let (what, has_default) = match &param.kind {
        TemplateParamKind::Type(default) => ("typename".to_string(), default.is_some()),
        TemplateParamKind::Value(ty, default) => {
            let what = match &ty.base {
                Base::Scalar(of) => of.name().to_string(),
                Base::Named(path) => path.joined(),
                _ => "auto".to_string(),
            };
            (what, default.is_some())
        }
        TemplateParamKind::Template(default) => ("template".to_string(), default.is_some()),
    };
    let default = if has_default { " = …" } else { "" };
    format!("{what} {name}{default}")
}
