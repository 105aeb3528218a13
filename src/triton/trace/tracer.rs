//! A function of the text read statement by statement, as Triton's code generator does
//! (`python/triton/compiler/code_generator.py`): numbers that are known are computed at once, all else is appended.

use std::collections::BTreeMap;

use super::builder::{Builder, Traceable, refuse};
use super::value::Traced;
use crate::source::{Diagnostic, Span};
use crate::triton::python::{FunctionName, Python};
use crate::triton::tile::{Type, Value};

/// Calls of functions inside of each other.
pub const MAX_CALLS: usize = 32;

/// Reads functions.
#[derive(Debug)]
pub struct Tracer<'a> {
    /// The file.
    pub python: &'a Python,
    /// What is made of it.
    pub builder: Builder,
    /// What names stand for in the function at hand.
    pub scope: Scope,
    /// What a piece of the text says, for messages and names.
    pub text: &'a str,
    /// Functions that are being read, the innermost last.
    pub calls: Vec<FunctionName>,
    /// The number of the file that names are looked up in.
    pub module: usize,
    /// What ought to be said although it runs.
    pub warnings: Vec<Diagnostic>,
    /// Whether conditions choose element by element: in a function that `tl.map_elementwise` applies.
    pub is_mapped: bool,
    /// Whether the statements at hand stand in a loop of the same function.
    pub is_in_loop: bool,
}

impl Tracer<'_> {
    /// What `span` says.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Reads something at the level of a file, whose names do not see those of the kernel, which may hide them.
    pub fn in_file<T>(
        &mut self,
        module: usize,
        read: impl FnOnce(&mut Self) -> Traceable<T>,
    ) -> Traceable<T> {
        let locals = std::mem::take(&mut self.scope);
        let outer = std::mem::replace(&mut self.module, module);
        let read = read(self);
        self.module = outer;
        self.scope = locals;
        read
    }

    /// Gives a name of the text to what it stands for.
    pub fn assign(&mut self, name: &str, value: Traced) {
        if let Traced::Value(value) = value {
            let known = &mut self.builder.function.values[value.0].name;
            // The first name is the one that the thread program uses; a part's is that of the whole.
            let whole = name.split('.').next().unwrap_or(name);
            known.get_or_insert_with(|| whole.to_owned());
        }
        self.scope.insert(name.to_owned(), value);
    }

    /// What is carried through a loop, or out of a condition, under these names; parts have been taken apart.
    pub fn carried(&mut self, names: &[String]) -> Traceable<Vec<(String, Value)>> {
        let mut carried = Vec::new();
        let part_of = |part: &str| part.split('.').next().unwrap_or(part).to_owned();
        let parts = self.scope.keys().filter(|name| name.contains('.'));
        let parts = parts.filter(|part| names.contains(&part_of(part)));
        let all: Vec<String> = names.iter().chain(parts).cloned().collect();
        for name in &all {
            let traced = self.scope.get(name).cloned();
            let is_number = matches!(
                traced,
                Some(Traced::Value(_) | Traced::Truth(_) | Traced::Integer(_) | Traced::Float(_))
            );
            // What the GPU can hold in a register. Functions, types and texts cannot change from round to round.
            if let Some(traced) = traced.filter(|_| is_number) {
                carried.push((name.clone(), self.builder.materialise(&traced)?));
            }
        }
        Ok(carried)
    }

    /// The values that names stand for at the end of a loop's body, which have to be of the types that went in.
    pub fn yielded(&mut self, carried: &[(String, Value)]) -> Traceable<Vec<Value>> {
        let mut yielded = Vec::new();
        for (name, before) in carried {
            let traced = self.scope.get(name).cloned().unwrap_or(Traced::Nothing);
            let after = self.builder.materialise(&traced)?;
            let (from, to) = (self.builder.ty(*before), self.builder.ty(after));
            if from != to {
                let message = format!(
                    "`{name}` is {} before the loop and {} at the end of its body",
                    from.words(),
                    to.words()
                );
                let refusal: Traceable<Vec<Value>> = refuse(self.builder.span, message);
                return refusal.map_err(|error| {
                    Box::new(error.help("a value that a loop carries must keep its type and shape: cast it, or start with `tl.zeros` of that type and shape"))
                });
            }
            yielded.push(after);
        }
        Ok(yielded)
    }

    /// Types of what is carried.
    pub fn types(&self, carried: &[(String, Value)]) -> Vec<Type> {
        let types = carried
            .iter()
            .map(|(_, value)| self.builder.ty(*value).clone());
        types.collect()
    }
}

/// What names stand for.
// Ordered, so that what loops carry comes in the same order each time.
pub type Scope = BTreeMap<String, Traced>;

/// Gives the parts of what is made of several names of their own, which no text can say: `p.0`.
pub fn take_apart(scope: &mut Scope) {
    let whole = scope.iter().filter_map(|(name, traced)| {
        let parts = traced.leaves()?.into_iter().cloned();
        Some((name.clone(), parts.collect::<Vec<_>>()))
    });
    // Collected before: the scope that they come from grows now.
    for (name, parts) in whole.collect::<Vec<_>>() {
        for (at, part) in parts.into_iter().enumerate() {
            scope.insert(format!("{name}.{at}"), part);
        }
    }
}

/// Makes what is made of several out of what the names of its parts stand for now.
pub fn put_together(scope: &mut Scope) {
    let parts = scope.clone();
    scope.retain(|name, _| !name.contains('.'));
    for (name, whole) in scope.iter_mut() {
        let mut named = (0..).map(|at| parts.get(&format!("{name}.{at}")).cloned());
        if whole.leaves().is_some() {
            *whole = whole.with_leaves(&mut || named.next().flatten());
        }
    }
}
