//! Template arguments found in the types of what is passed ([temp.deduct.type]).

use super::operand::Operand;
use super::records::{Record, TypeTemplate, TypeTemplateKind, Types};
use super::template::{Argument, flat};
use crate::cuda::ast::{self, Modifier, TemplateArgument, TemplateParam};
use crate::cuda::typed::{FunctionType, Scalar, Type, arithmetic};

impl Types {
    /// Deduces template arguments that `pattern`, the type of a parameter, finds in `ty`; `is_const`
    /// says whether what is passed may not be changed. Wrong when it finds two for one.
    pub fn unify(
        &self,
        params: &[TemplateParam],
        pattern: &ast::TypeName,
        ty: &Type,
        is_const: bool,
        is_rvalue: bool,
        found: &mut [Option<Argument>],
    ) -> bool {
        // [temp.deduct.call]: for `T&&` a variable makes `T` a reference. `const T&&` is no such parameter.
        if let ([Modifier::Reference { is_rvalue: true }], ast::Base::Named(path)) =
            (&pattern.modifiers[..], &pattern.base)
            && !is_rvalue
            && let Some(at) = position(params, &path.joined())
            && !pattern.is_const
        {
            return bind(found, at, Argument::Reference(ty.clone(), is_const, false));
        }
        let modifiers = pattern.modifiers.len();
        // [temp.deduct.call]: an array that is passed by value counts as a pointer to its elements.
        if let (0, Type::Array(element, _)) = (modifiers, ty) {
            let to = element.clone();
            let decayed = Type::Pointer { to, is_const };
            return self.unify_modified(params, pattern, 0, &decayed, false, found);
        }
        // [temp.deduct.call]: `T` of a parameter by value is never `const`.
        let is_const = is_const && modifiers > 0;
        self.unify_modified(params, pattern, modifiers, ty, is_const, found)
    }

    /// The template arguments that the arguments of a call say; nothing if they say two for one. The first `written`
    /// stay open: what is written needs no deduction, and to it an argument converts.
    pub fn deduced(
        &self,
        params: &[TemplateParam],
        patterns: &[ast::Param],
        arguments: &[Operand],
        written: usize,
    ) -> Option<Vec<Option<Argument>>> {
        let mut found = vec![None; params.len()];
        let mut arguments = arguments.iter();
        for pattern in patterns {
            found[..written].fill(None);
            let is_alike = match pattern.ty.pattern() {
                Some(repeated) => {
                    let rest: Vec<&Operand> = arguments.by_ref().collect();
                    unify_pack(params, &mut found, &rest, |argument, found| {
                        self.unify_operand(params, &repeated, argument, found)
                    })
                }
                // A parameter without an argument has a default, which says nothing of `T`.
                None => arguments.next().is_none_or(|argument| {
                    self.unify_operand(params, &pattern.ty, argument, &mut found)
                }),
            };
            if !is_alike {
                return None;
            }
        }
        Some(found)
    }

    /// [`Types::unify`] for an argument of a call.
    fn unify_operand(
        &self,
        params: &[TemplateParam],
        pattern: &ast::TypeName,
        argument: &Operand,
        found: &mut [Option<Argument>],
    ) -> bool {
        let (is_const, is_rvalue) = (argument.is_const(), argument.is_rvalue());
        self.unify(params, pattern, argument.ty(), is_const, is_rvalue, found)
    }

    fn unify_modified(
        &self,
        params: &[TemplateParam],
        pattern: &ast::TypeName,
        modifiers: usize,
        ty: &Type,
        is_const: bool,
        found: &mut [Option<Argument>],
    ) -> bool {
        // Modifiers are taken off from the outside: of `const T*&` first `&`, then `*`, and then the base is left.
        let Some(last) = modifiers.checked_sub(1) else {
            // `const T&` for a `const int`: the `const` is in the pattern, so `T` is `int`.
            let is_const = is_const && !pattern.is_const;
            return self.unify_base(params, &pattern.base, ty, is_const, found);
        };
        let mut inner =
            |to, is_const| self.unify_modified(params, pattern, last, to, is_const, found);
        match (&pattern.modifiers[last], ty) {
            (Modifier::Reference { .. }, ty) => inner(ty, is_const),
            (Modifier::Pointer { .. } | Modifier::Array(..), Type::Pointer { to, is_const }) => {
                inner(to, *is_const)
            }
            // [temp.deduct.call]: an array that is passed for `T*` counts as a pointer to its elements.
            (Modifier::Pointer { .. } | Modifier::Array(None, _), Type::Array(to, _)) => {
                inner(to, is_const)
            }
            (Modifier::Array(Some(length), _), Type::Array(to, known)) => {
                let value = Argument::Value(Scalar::I32, u64::from(*known));
                inner(to, is_const) && unify_value(params, length, value, found)
            }
            (Modifier::Function(params_of), Type::Function(of)) => {
                inner(of.returned(), false) && self.unify_params(params, params_of, of, found)
            }
            // Null and what does not fit: left to the conversions of the call.
            _ => true,
        }
    }

    /// The parameters of a function that is pointed to.
    fn unify_params(
        &self,
        params: &[TemplateParam],
        patterns: &[ast::Param],
        of: &FunctionType,
        found: &mut [Option<Argument>],
    ) -> bool {
        let one = |pattern: &ast::TypeName,
                   (ty, reference): &(&Type, Option<bool>),
                   found: &mut [Option<Argument>]| {
            self.unify_param(params, pattern, ty, *reference, found)
        };
        let types: Vec<_> = of
            .params
            .iter()
            .zip(of.references.iter().copied())
            .collect();
        let last = patterns.split_last();
        if let Some((repeated, before)) =
            last.and_then(|(l, before)| Some((l.ty.pattern()?, before)))
        {
            if types.len() < before.len() {
                return false;
            }
            let (first, rest) = types.split_at(before.len());
            let mut pairs = before.iter().zip(first);
            return pairs.all(|(param, ty)| one(&param.ty, ty, found))
                && unify_pack(params, found, rest, |ty, found| one(&repeated, ty, found));
        }
        let mut pairs = patterns.iter().zip(&types);
        patterns.len() == types.len() && pairs.all(|(param, ty)| one(&param.ty, ty, found))
    }

    /// One of these parameters.
    fn unify_param(
        &self,
        params: &[TemplateParam],
        pattern: &ast::TypeName,
        ty: &Type,
        reference: Option<bool>,
        found: &mut [Option<Argument>],
    ) -> bool {
        // A reference among the parameters of a function's type is a pointer by now.
        let is_reference = matches!(pattern.modifiers.last(), Some(Modifier::Reference { .. }));
        let modifiers = pattern.modifiers.len() - usize::from(is_reference);
        match (ty, reference) {
            (Type::Pointer { to, is_const }, Some(_)) if is_reference => {
                self.unify_modified(params, pattern, modifiers, to, *is_const, found)
            }
            // `T` of `R(T)` is a reference itself where the parameter is one ([temp.deduct.type]).
            (Type::Pointer { to, is_const }, Some(is_rvalue)) if modifiers == 0 => {
                let argument = Argument::Reference((**to).clone(), *is_const, is_rvalue);
                bind_named(params, &pattern.base, &argument, found)
            }
            (ty, None) if !is_reference => {
                self.unify_modified(params, pattern, modifiers, ty, false, found)
            }
            _ => false,
        }
    }

    fn unify_base(
        &self,
        params: &[TemplateParam],
        base: &ast::Base,
        ty: &Type,
        is_const: bool,
        found: &mut [Option<Argument>],
    ) -> bool {
        let ast::Base::Named(path) = base else {
            return true;
        };
        let Some(last) = path.segments.last() else {
            return true;
        };
        match (&path.segments[..], &last.arguments) {
            ([only], None) => match position(params, &only.name.name) {
                Some(at) => bind(found, at, Argument::Type(ty.clone(), is_const)),
                None => true,
            },
            (_, Some(written)) => self.unify_template(params, &last.name.name, written, ty, found),
            _ => true,
        }
    }

    /// `A<T>` for an `A<float>`: their arguments are compared one by one.
    fn unify_template(
        &self,
        params: &[TemplateParam],
        name: &str,
        written: &[TemplateArgument],
        ty: &Type,
        found: &mut [Option<Argument>],
    ) -> bool {
        let Type::Struct(of) = ty else {
            return true;
        };
        if let Some((name, written)) = self.behind_alias(name, written) {
            return self.unify_template(params, &name, &written, ty, found);
        }
        let is_parameter = position(params, name);
        let record = self.index_of(of).and_then(|at| match is_parameter {
            Some(_) => Some(&self.records[at]),
            None => self.instance(at, name),
        });
        // To a parameter whose template arguments are written, the argument may still be converted.
        let Some(record) = record else {
            return true;
        };
        // `template <template <typename> class C> void f(C<int>)`: the name of the template is a parameter itself.
        if let (Some(at), Some(template)) = (is_parameter, record.template) {
            let name = self.templates[template].name.clone();
            if !bind(found, at, Argument::Template(template, name)) {
                return false;
            }
        }
        let arguments: Vec<Argument> = flat(&record.arguments).cloned().collect();
        self.unify_all(params, written, &arguments, found)
    }

    /// What `name<…>` stands for, where `name` is that of an alias for a template alone: `bool_constant<B>` is an
    /// `integral_constant<bool, B>` ([temp.alias]).
    fn behind_alias(
        &self,
        name: &str,
        written: &[TemplateArgument],
    ) -> Option<(String, Vec<TemplateArgument>)> {
        let is_called = |of: &&TypeTemplate| of.name.rsplit("::").next() == Some(name);
        let mut all = self.templates.iter().filter(is_called);
        let (only, None) = (all.next()?, all.next()) else {
            return None;
        };
        let TypeTemplateKind::Alias(target) = &only.kind else {
            return None;
        };
        let ast::Base::Named(path) = &target.base else {
            return None;
        };
        let last = path
            .segments
            .last()
            .filter(|_| target.modifiers.is_empty())?;
        let of_target = last.arguments.as_ref()?;
        let written_for = |argument: &TemplateArgument| {
            let named = match argument {
                TemplateArgument::Type(ty) if ty.modifiers.is_empty() => match &ty.base {
                    ast::Base::Named(path) => Some(path.joined()),
                    _ => None,
                },
                TemplateArgument::Value(value) => match &value.kind {
                    ast::ExprKind::Name(name) => Some(name.to_string()),
                    _ => None,
                },
                TemplateArgument::Type(_) => None,
            };
            let at = named.and_then(|name| position(&only.params, &name));
            let written = at.and_then(|at| written.get(at));
            written.unwrap_or(argument).clone()
        };
        let arguments = of_target.iter().map(written_for).collect();
        Some((last.name.name.to_string(), arguments))
    }

    /// What `name<…>` is of a struct: the struct itself or a base ([temp.deduct.call]). A name for types (`using`) may
    /// stand for any.
    fn instance(&self, at: usize, name: &str) -> Option<&Record> {
        let record = &self.records[at];
        // A template's own name has its namespaces before it.
        let is_called = |template: &TypeTemplate| template.name.rsplit("::").next() == Some(name);
        let makes_structs =
            |of: &TypeTemplate| is_called(of) && matches!(of.kind, TypeTemplateKind::Record(_));
        let of = record.template.map(|template| &self.templates[template]);
        if of.is_some_and(is_called) || !self.templates.iter().any(makes_structs) {
            return Some(record);
        }
        let mut bases = record.class.bases.iter();
        bases.find_map(|base| self.instance(base.record, name))
    }

    /// [`Types::unify_argument`] for a list, whose last pattern may stand for any number of arguments.
    pub fn unify_all(
        &self,
        params: &[TemplateParam],
        patterns: &[TemplateArgument],
        arguments: &[Argument],
        found: &mut [Option<Argument>],
    ) -> bool {
        let Some((repeated, before)) = patterns
            .split_last()
            .and_then(|(last, before)| Some((pattern_of(last)?, before)))
        else {
            let mut pairs = patterns.iter().zip(arguments);
            return pairs
                .all(|(pattern, argument)| self.unify_argument(params, pattern, argument, found));
        };
        if arguments.len() < before.len() {
            return false;
        }
        let (first, rest) = arguments.split_at(before.len());
        let mut pairs = before.iter().zip(first);
        pairs.all(|(pattern, argument)| self.unify_argument(params, pattern, argument, found))
            && unify_pack(params, found, rest, |argument, found| {
                self.unify_argument(params, &repeated, argument, found)
            })
    }

    /// [`Types::unify`] for an argument of a template.
    pub fn unify_argument(
        &self,
        params: &[TemplateParam],
        pattern: &TemplateArgument,
        argument: &Argument,
        found: &mut [Option<Argument>],
    ) -> bool {
        match (pattern, argument) {
            (TemplateArgument::Type(pattern), Argument::Type(ty, is_const)) => {
                let modifiers = pattern.modifiers.len();
                self.unify_modified(params, pattern, modifiers, ty, *is_const, found)
            }
            (
                TemplateArgument::Value(pattern),
                value @ (Argument::Value(..) | Argument::Function(..)),
            ) => unify_value(params, pattern, value.clone(), found),
            (TemplateArgument::Type(pattern), Argument::Reference(ty, is_const, is_rvalue)) => {
                match (pattern.modifiers.last(), &pattern.base) {
                    // `A<T&>` for an `A<int&>`
                    (Some(Modifier::Reference { is_rvalue: wanted }), _) => {
                        let modifiers = pattern.modifiers.len() - 1;
                        wanted == is_rvalue
                            && self.unify_modified(params, pattern, modifiers, ty, *is_const, found)
                    }
                    (None, base) => bind_named(params, base, argument, found),
                    _ => false,
                }
            }
            (TemplateArgument::Type(pattern), Argument::Template(..)) => {
                bind_named(params, &pattern.base, argument, found)
            }
            _ => false,
        }
    }
}

/// Binds the parameter that a type is the name of.
fn bind_named(
    params: &[TemplateParam],
    base: &ast::Base,
    argument: &Argument,
    found: &mut [Option<Argument>],
) -> bool {
    let ast::Base::Named(path) = base else {
        return false;
    };
    let at = position(params, &path.joined());
    at.is_none_or(|at| bind(found, at, argument.clone()))
}

/// What is repeated, of `T...` or `N...`.
fn pattern_of(argument: &TemplateArgument) -> Option<TemplateArgument> {
    match argument {
        TemplateArgument::Type(ty) => ty.pattern().map(TemplateArgument::Type),
        TemplateArgument::Value(value) => value.pattern().map(TemplateArgument::Value),
    }
}

/// Deduces packs from the things that one pattern is repeated for ([temp.deduct.type]).
fn unify_pack<T>(
    params: &[TemplateParam],
    found: &mut [Option<Argument>],
    all: &[T],
    mut unify: impl FnMut(&T, &mut [Option<Argument>]) -> bool,
) -> bool {
    let packs = || (0..params.len()).filter(|&at| params[at].is_pack);
    let mut parts = vec![Vec::new(); params.len()];
    for one in all {
        // Each part is deduced for itself; what is no pack must be the same in all of them.
        let mut known = found.to_vec();
        packs().for_each(|at| known[at] = None);
        if !unify(one, &mut known) {
            return false;
        }
        packs().for_each(|at| parts[at].extend(known[at].take()));
        for (at, argument) in known.into_iter().enumerate() {
            if !params[at].is_pack {
                found[at] = argument;
            }
        }
    }
    packs().all(|at| match std::mem::take(&mut parts[at]) {
        parts if parts.len() == all.len() => bind(found, at, Argument::Pack(parts)),
        // This pattern does not say what the pack is.
        _ => true,
    })
}

fn unify_value(
    params: &[TemplateParam],
    pattern: &ast::Expr,
    value: Argument,
    found: &mut [Option<Argument>],
) -> bool {
    match &pattern.kind {
        ast::ExprKind::Name(name) => match position(params, name) {
            Some(at) => bind(found, at, value),
            None => true,
        },
        _ => true,
    }
}

fn bind(found: &mut [Option<Argument>], at: usize, argument: Argument) -> bool {
    let same = |before: &Argument| match (before, &argument) {
        // Values are compared, not their types: `4` and `4u` both stand for one `N`.
        (Argument::Value(a, x), Argument::Value(b, y)) => {
            arithmetic::integer(*a, *x) == arithmetic::integer(*b, *y)
        }
        (before, argument) => before == argument,
    };
    match &found[at] {
        Some(before) => same(before),
        None => {
            found[at] = Some(argument);
            true
        }
    }
}

fn position(params: &[TemplateParam], name: &str) -> Option<usize> {
    params
        .iter()
        .position(|param| param.name.as_ref().is_some_and(|n| &*n.name == name))
}
