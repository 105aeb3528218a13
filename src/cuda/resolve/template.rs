//! Arguments and parameters of templates.

use std::collections::HashMap;
use std::fmt;

use super::operand::scalar;
use super::symbol::{Candidate, Context, Entry, Symbol};
use crate::cuda::ast::{Base, TemplateParam, TemplateParamKind};
use crate::cuda::lex::Name;
use crate::cuda::typed::{Scalar, Type, arithmetic};

/// Most functions that are checked within each other.
pub const MOST_NESTED: u32 = 48;

/// An argument of a template: a type or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A type, and whether it is `const`.
    Type(Type, bool),
    /// A reference to a type, whether that is `const`, and whether it is `&&`.
    Reference(Type, bool, bool),
    /// The bits of an integer of a type.
    Value(Scalar, u64),
    /// A template of types: its index and its name.
    Template(usize, Name),
    /// Functions of one name.
    Function(Name, Vec<Candidate>),
    /// What a parameter pack stands for.
    Pack(Vec<Argument>),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Type(ty, false) => ty.fmt(f),
            Argument::Type(ty, true) => write!(f, "const {ty}"),
            Argument::Reference(ty, is_const, is_rvalue) => {
                let before = if *is_const { "const " } else { "" };
                let behind = if *is_rvalue { "&&" } else { "&" };
                write!(f, "{before}{ty}{behind}")
            }
            Argument::Value(Scalar::Bool, bits) => (*bits != 0).fmt(f),
            Argument::Value(of, bits) => arithmetic::integer(*of, *bits).fmt(f),
            Argument::Template(_, name) | Argument::Function(name, _) => name.fmt(f),
            Argument::Pack(parts) => parts
                .iter()
                .map(Argument::to_string)
                .collect::<Vec<_>>()
                .join(", ")
                .fmt(f),
        }
    }
}

/// `<float, 4>`
pub fn argument_list(arguments: &[Argument]) -> String {
    let texts: Vec<String> = flat(arguments).map(Argument::to_string).collect();
    format!("<{}>", texts.join(", "))
}

/// Arguments with those in packs among them.
pub fn flat(arguments: &[Argument]) -> impl Iterator<Item = &Argument> {
    arguments.iter().flat_map(|argument| match argument {
        Argument::Pack(parts) => &parts[..],
        one => std::slice::from_ref(one),
    })
}

/// A parameter as it is written.
pub fn param_text(param: &TemplateParam) -> String {
    listed(std::slice::from_ref(param))
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
    let dots = if param.is_pack { "..." } else { "" };
    format!("{what}{dots} {name}{default}")
}

/// The context of a template's definition for the arguments known so far.
pub fn bound(params: &[TemplateParam], arguments: &[Argument], context: &Context) -> Context {
    // Template arguments are a scope between that of the template and that of its parameters.
    let mut scope = HashMap::new();
    for (param, argument) in params.iter().zip(arguments) {
        let Some(name) = &param.name else {
            continue;
        };
        let entry = |symbol| Entry {
            symbol,
            span: name.span,
            // Never later than what is checked: arguments are known wherever the template stands.
            item: 0,
        };
        match argument {
            Argument::Pack(parts) => scope.extend(parts.iter().enumerate().map(|(at, part)| {
                let name = part_name(&name.name, at);
                (name, entry(symbol_of(part)))
            })),
            argument => drop(scope.insert(name.name.clone(), entry(symbol_of(argument)))),
        }
    }
    let mut context = context.clone();
    context.scopes.push(scope);
    context
}

/// The name of a part of a pack, which no text can write.
pub fn part_name(pack: &str, part: usize) -> Name {
    format!("{pack}[{part}]").into()
}

/// What the parameter for an argument stands for.
fn symbol_of(argument: &Argument) -> Symbol {
    match argument {
        Argument::Type(ty, is_const) => Symbol::Type(ty.clone(), *is_const),
        Argument::Reference(ty, is_const, is_rvalue) => {
            Symbol::Reference(ty.clone(), *is_const, *is_rvalue)
        }
        Argument::Value(of, bits) => Symbol::Constant(scalar(*of), *bits),
        Argument::Template(template, _) => Symbol::TypeTemplate(*template),
        Argument::Function(_, candidates) => Symbol::Functions(candidates.clone()),
        // Its parts have names of their own.
        Argument::Pack(_) => Symbol::Outer,
    }
}
