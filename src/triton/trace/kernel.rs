//! A kernel with its arguments: those that Triton's JIT compiles in, and those that stay parameters.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, StmtFunctionDef};

use super::builder::{Builder, Traceable, refuse};
use super::tracer::Tracer;
use super::value::Traced;
use crate::launch::{ElementType, Number};
use crate::source::{Diagnostic, SourceFile, Span};
use crate::triton::python::{FunctionName, Python, span_of};
use crate::triton::tile::{
    Element, Function, Op, Parameter, Type, hoist_invariants, remove_unused, share_choices,
};

/// What a parameter is given, as far as the compiler may know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentFact {
    /// A buffer of such elements; buffers begin at multiples of 256 bytes.
    Buffer(ElementType),
    /// A number.
    Number(Number),
}

/// What a kernel is compiled for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launched {
    /// Values of its `constexpr` parameters, as they are written in Python.
    pub meta: Vec<(String, String)>,
    /// What its other parameters are given, in order.
    pub arguments: Vec<ArgumentFact>,
    /// Whether what the arguments are must not be used.
    pub is_general: bool,
}

/// There is no kernel called so: which there are.
pub fn unknown_kernel(python: &Python, name: &str) -> Box<Diagnostic> {
    let names: Vec<String> = python.functions().map(|name| format!("`{name}`")).collect();
    let message = format!("there is no kernel called `{name}`");
    let error = Diagnostic::error(Span::default(), message);
    Box::new(error.help(format!(
        "the functions with `@triton.jit` are {}",
        names.join(", ")
    )))
}

/// Reads the kernel called `name` as it is launched; with it, warnings.
pub fn trace(
    file: &SourceFile,
    python: &Python,
    name: &str,
    launched: &Launched,
) -> Traceable<(Function, Vec<Diagnostic>)> {
    let Some(definition) = python.function(name) else {
        return Err(unknown_kernel(python, name));
    };
    let mut tracer = Tracer {
        python,
        builder: Builder::default(),
        scope: BTreeMap::new(),
        text: file.whole(),
        calls: vec![FunctionName {
            module: 0,
            name: name.to_owned(),
        }],
        module: 0,
        warnings: Vec::new(),
        is_mapped: false,
        is_in_loop: false,
    };
    // A class's name does not belong to what a GPU can call.
    let short = name.rsplit('.').next().unwrap_or(name);
    tracer.builder.function.name = short.to_owned();
    tracer.builder.open(&[]);
    bind(&mut tracer, definition, launched)?;
    match tracer.statements(&definition.body)? {
        None | Some(Traced::Nothing) => {}
        Some(_) => {
            return refuse(
                span_of(&definition.name),
                "a kernel returns nothing: it stores what it computes",
            );
        }
    }
    tracer.builder.close(Vec::new());
    Ok((simplified(tracer.builder.function), tracer.warnings))
}

/// Without what nobody uses, and with what loops do not change before them.
fn simplified(mut function: Function) -> Function {
    remove_unused(&mut function);
    share_choices(&mut function);
    remove_unused(&mut function);
    hoist_invariants(&mut function);
    function
}

/// Gives each parameter its argument.
fn bind(tracer: &mut Tracer, definition: &StmtFunctionDef, launched: &Launched) -> Traceable<()> {
    let mut rest = launched.arguments.iter().enumerate();
    let names = launched.meta.iter().map(|(name, _)| name.as_str());
    let mut unknown: Vec<&str> = names.collect();
    for parameter in definition.parameters.iter_non_variadic_params() {
        let name = parameter.parameter.name.to_string();
        let span = span_of(&parameter.parameter.name);
        let annotation = parameter.parameter.annotation.as_deref();
        let is_constexpr = annotation.is_some_and(is_constexpr);
        let meta = launched.meta.iter().find(|(given, _)| *given == name);
        // What is left at the end names no parameter: a slip of the pen in `--meta` is said, not ignored.
        unknown.retain(|given| *given != name);
        let traced = match (meta, is_constexpr) {
            // Before its default, and for any parameter: Triton takes what a launch says by name.
            (Some((_, text)), _) => Some(constant(text)),
            (None, true) => match &parameter.default {
                // In the scope of the file, where all of its variables may be read.
                Some(default) => Some(tracer.in_file(0, |tracer| tracer.expression(default))?),
                None => return missing(&name, span),
            },
            (None, false) => None,
        };
        match traced {
            Some(traced) => tracer.assign(&name, traced),
            None => match rest.next() {
                Some((at, fact)) => argument(tracer, &name, at, fact, launched.is_general),
                None => return too_few(&name, span),
            },
        }
    }
    let too_much = match (unknown.first(), rest.next()) {
        (Some(name), _) => format!("`{}` has no parameter `{name}`", definition.name),
        (None, Some((at, _))) => {
            format!("the kernel takes {at} arguments besides its constexprs, and more are given")
        }
        (None, None) => return Ok(()),
    };
    refuse(span_of(&definition.name), too_much)
}

fn missing(name: &str, span: Span) -> Traceable<()> {
    let error = Diagnostic::error(span, format!("`{name}` is a constexpr and has no value"));
    Err(Box::new(error.help(format!(
        "give it one: `--meta {name}=…`; what `@triton.heuristics` computes is not computed here"
    ))))
}

fn too_few(name: &str, span: Span) -> Traceable<()> {
    let error = Diagnostic::error(span, format!("no argument is given for `{name}`"));
    Err(Box::new(error.help(
        "give one `--arg` per parameter that is not a `tl.constexpr`, in order",
    )))
}

/// Whether an annotation says `tl.constexpr`, or writes it as a text (`KernelParam` of Triton 3.6).
pub fn is_constexpr(annotation: &Expr) -> bool {
    match annotation {
        Expr::Attribute(attribute) => attribute.attr.as_str() == "constexpr",
        Expr::Name(name) => name.id.as_str() == "constexpr",
        Expr::StringLiteral(text) => text.value.to_str().contains("constexpr"),
        _ => false,
    }
}

/// A value as `--meta` writes it: a number, `True`, `None`, a type, several in parentheses, or else a text.
fn constant(text: &str) -> Traced {
    let text = text.trim();
    let pairs = [('(', ')'), ('[', ']')];
    let mut pairs = pairs.into_iter();
    if let Some(inner) =
        pairs.find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close))
    {
        let parts = parts(inner).into_iter().map(constant);
        return Traced::Tuple(parts.collect());
    }
    let last = text.rsplit('.').next().unwrap_or(text);
    match text {
        "True" | "true" => Traced::Truth(true),
        "False" | "false" => Traced::Truth(false),
        "None" => Traced::Nothing,
        _ => match (
            text.parse::<i128>(),
            text.parse::<f64>(),
            Element::named(last),
        ) {
            (Ok(value), _, _) => Traced::Integer(value),
            (_, Ok(value), _) => Traced::Float(value),
            (_, _, Some(element)) => Traced::Type(element, false),
            _ => Traced::Text(text.trim_matches(['"', '\'']).to_owned()),
        },
    }
}

/// What commas part that stand in no parentheses of their own; one behind the last part begins none.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_comma = |c: char| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    };
    let mut parts: Vec<&str> = text.split(is_comma).collect();
    if parts.last().is_some_and(|last| last.trim().is_empty()) {
        parts.pop();
    }
    parts
}

/// One argument by the rules of Triton's JIT: an integer of 1 is compiled in, one divisible by 16 is known to be.
fn argument(tracer: &mut Tracer, name: &str, at: usize, fact: &ArgumentFact, is_general: bool) {
    let (ty, divisibility) = match fact {
        ArgumentFact::Number(Number::Integer(1)) if !is_general => {
            tracer.assign(name, Traced::Integer(1));
            return;
        }
        ArgumentFact::Number(Number::Integer(value)) => {
            // What tells that loads of 16 bytes are aligned, as a row's length does; no other factor is of use to them.
            let by = if value % 16 == 0 && !is_general {
                16
            } else {
                1
            };
            (Type::scalar(Element::of_integer(*value)), by)
        }
        // The JIT passes Python's floats as fp32, whichever value they have.
        ArgumentFact::Number(Number::Float(_)) => (Type::scalar(Element::F32), 1),
        ArgumentFact::Buffer(element) => {
            // Of a pointer the JIT tells the compiler whether 16 divides it, and not that more might.
            let mut ty = Type::scalar((*element).into());
            ty.is_pointer = true;
            (ty, if is_general { 1 } else { 16 })
        }
    };
    let number = tracer.builder.function.parameters.len();
    tracer.builder.function.parameters.push(Parameter {
        name: name.to_owned(),
        argument: at,
        ty: ty.clone(),
        divisibility,
    });
    let value = tracer.builder.emit(Op::Parameter(number), &[], ty);
    tracer.assign(name, Traced::Value(value));
}
