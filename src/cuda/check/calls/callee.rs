//! How a call names its function.

use std::collections::HashSet;

use crate::source::Span;

use crate::cuda::ast;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{Candidate, Checker};
use crate::cuda::typed::Place;

/// How a call names its function.
pub struct Callee<'a> {
    pub name: &'a str,
    pub candidates: &'a [Candidate],
    /// Template arguments that are written.
    pub template: Option<&'a [ast::TemplateArgument]>,
    /// The place of the object, and whether it is `const`, for functions of structs.
    pub this: Option<(Place, bool)>,
    /// Where the name stands.
    pub at: Span,
}

/// A function of a struct, as a call names it.
pub struct Method<'a> {
    pub name: &'a str,
    pub candidates: &'a [Candidate],
    /// Template arguments that are written.
    pub template: Option<&'a [ast::TemplateArgument]>,
    /// Where the name stands.
    pub at: Span,
}

impl<'a> Method<'a> {
    /// One without template arguments.
    pub fn plain(name: &'a str, candidates: &'a [Candidate], at: Span) -> Self {
        let template = None;
        Method {
            name,
            candidates,
            template,
            at,
        }
    }
}

/// Where a virtual function stands.
#[derive(Clone, Copy)]
pub struct VirtualRow {
    /// The struct that declares or overrides it.
    pub record: usize,
    /// Its row in the struct's table.
    pub row: usize,
}

pub fn count(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        many => format!("{many} arguments"),
    }
}

impl Checker {
    /// How little the parameters of a template say, from 1 on.
    // A count in place of the rules of [temp.func.order]: `A<T>*` says more than `T*`, and that more than `T`.
    pub fn generality(&self, template: usize) -> u8 {
        let of = &self.functions.templates[template];
        let is_param = |name: &Name| {
            let mut params = of.params.iter().filter_map(|param| param.name.as_ref());
            params.any(|param| param.name == *name)
        };
        let params = &of.function.params;
        let detail: usize = params.iter().map(|param| detail(param, is_param)).sum();
        let names = params.iter().filter_map(|param| {
            let ast::Base::Named(path) = &param.ty.base else {
                return None;
            };
            let [only] = &path.segments[..] else {
                return None;
            };
            is_param(&only.name.name).then_some(&only.name.name)
        });
        let names: Vec<&Name> = names.collect();
        let distinct: HashSet<&Name> = names.iter().copied().collect();
        // `f(T, T)` says more than `f(T, U)`.
        let detail = detail + names.len() - distinct.len();
        // [temp.deduct.partial]: one without packs says more.
        let has_pack = of.params.iter().any(|param| param.is_pack);
        // Never 0, which plain functions have: these win where all else is equal.
        u8::try_from(MOST_DETAIL + 1 - detail.min(MOST_DETAIL)).unwrap_or(1)
            + 120 * u8::from(has_pack)
    }
}

/// Beyond this, parameters of templates count as equally detailed.
const MOST_DETAIL: usize = 119;

/// How much the type of a parameter says of what it takes.
fn detail(param: &ast::Param, is_param: impl Fn(&Name) -> bool) -> usize {
    let ty = &param.ty;
    let base = match &ty.base {
        ast::Base::Named(path) => match &path.segments[..] {
            [only] if only.arguments.is_none() => usize::from(!is_param(&only.name.name)),
            _ => 2,
        },
        _ => 1,
    };
    let reference = match ty.modifiers.last() {
        Some(ast::Modifier::Reference { is_rvalue }) => Some(*is_rvalue),
        _ => None,
    };
    // [temp.deduct.partial]: `const T&` says more than `T&`, and `const T*` than `T*`; of a value, `const` says nothing.
    let is_const = ty.is_const && !ty.modifiers.is_empty();
    let detail = 2 * (2 * base + ty.modifiers.len() - usize::from(reference.is_some()));
    // And `T&` says more than `T&&`, which takes everything.
    2 * (detail + usize::from(is_const)) + usize::from(reference != Some(true))
}
