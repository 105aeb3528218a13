//! The functions of a file as callers see them, and templates of functions.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::namespaces::is_library;
use super::packs::Packs;
use super::reports::Cause;
use super::symbol::{Candidate, Context, ParamType};
use super::template::Argument;
use crate::cuda::ast::{self, FURTHER_ARGUMENTS, Template};
use crate::cuda::lex::Name;
use crate::cuda::typed::{FunctionId, FunctionType, Type};

/// How far the checking of a function's body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyState {
    New,
    Open,
    /// It has its number, and is checked later.
    Reserved(FunctionId),
    Done(FunctionId),
}

/// Where a function runs, by the words before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsOn {
    /// `__global__`: launched, never called.
    Kernel,
    /// `__device__`.
    Device,
    /// Neither: left out.
    Host,
}

/// What a function returns.
#[derive(Clone, Debug, Default)]
pub struct Returns {
    /// Nothing for `auto` until the first `return`, and where it was refused.
    pub ty: Option<Type>,
    /// Whether it returns a reference, and whether to what is `const`.
    pub reference: Option<bool>,
    /// Whether that is written `&&`.
    pub is_rvalue: bool,
    /// Whether `return` says what it returns: `auto` ([dcl.spec.auto]).
    pub is_deduced: bool,
}

/// A function of the file, as callers see it.
#[derive(Clone, Debug)]
pub struct Signature {
    /// With template arguments.
    pub name: Name,
    pub span: Span,
    pub runs_on: RunsOn,
    pub returns: Returns,
    /// Nothing where one was refused; [`Functions::wrong`] has why.
    pub params: Option<Vec<ParamType>>,
    /// How many arguments are needed at least.
    pub least: usize,
    /// Whether it has an object: a function of a struct that is not `static`.
    pub has_this: bool,
    /// Whether that object is `const`.
    pub is_const: bool,
    pub function: Rc<ast::Function>,
    /// Its declaration in its struct, if it is defined outside.
    pub declaration: Option<Rc<ast::Function>>,
    pub context: Rc<Context>,
    pub state: BodyState,
}

impl Signature {
    /// Whether there is a body.
    pub fn is_defined(&self) -> bool {
        // A function of the host counts as defined, though its body was skipped: it is refused where a kernel calls
        // it.
        self.function.body.is_some() || self.function.source.is_host || self.function.traits.is_pure
    }
}

impl Signature {
    /// Whether a header of CUDA's declares it, or what is read before every text.
    pub fn is_library(&self) -> bool {
        is_library(&self.context.namespace)
            || self.function.source.is_library
            || self.span == Span::default()
    }

    /// Whether it is one of the C library's or of CUDA's runtime, which the host interpreter has.
    pub fn is_prototype_of_library(&self) -> bool {
        self.function.source.is_library && !self.is_defined() && self.runs_on == RunsOn::Host
    }

    /// The parameters that are written: all but the one that stands for `...`.
    pub fn named_params(&self) -> Option<&[ParamType]> {
        let params = self.params.as_deref()?;
        let last = self.function.params.last();
        let name = last.and_then(|param| param.name.as_ref());
        let is_variadic = name.is_some_and(|name| &*name.name == FURTHER_ARGUMENTS);
        Some(&params[..params.len() - usize::from(is_variadic)])
    }

    /// Whether it takes so many arguments.
    pub fn takes(&self, arguments: usize) -> bool {
        let most = self.params.as_ref().map_or(0, Vec::len);
        arguments >= self.least && (arguments <= most || self.function.traits.is_variadic)
    }
}

/// A template of functions.
pub struct FunctionTemplate {
    pub name: Name,
    pub span: Span,
    pub params: Template,
    pub function: Rc<ast::Function>,
    pub context: Rc<Context>,
    /// Signatures made so far, by their arguments; or why one was refused.
    pub instances: HashMap<Vec<Argument>, Result<usize, Cause>>,
    /// Definitions for some arguments.
    pub special: Vec<(Vec<Argument>, Rc<ast::Function>)>,
    /// What was wrong with the first instance that had errors: those of others need not be told.
    pub failed: Option<Cause>,
    /// Why a definition for some arguments is not known: any call may mean that.
    pub lost: Option<Rc<Diagnostic>>,
}

impl FunctionTemplate {
    /// The function that it is for these arguments, without packs.
    pub fn definition_for(&self, arguments: &[Argument]) -> Rc<ast::Function> {
        let special = self.special.iter().find(|special| special.0 == arguments);
        match (special, Packs::of(&self.params, arguments)) {
            (Some((_, function)), _) => function.clone(),
            (None, Some(packs)) => packs.function(&self.function),
            (None, None) => self.function.clone(),
        }
    }

    /// The same template, of which nothing has been made.
    pub fn for_another(&self) -> Self {
        FunctionTemplate {
            name: self.name.clone(),
            span: self.span,
            params: self.params.clone(),
            function: self.function.clone(),
            context: self.context.clone(),
            instances: HashMap::new(),
            special: self.special.clone(),
            failed: None,
            lost: self.lost.clone(),
        }
    }
}

/// What code of the GPU does with pointers to functions.
#[derive(Default)]
pub struct FunctionPointers {
    /// Functions that call others by their addresses.
    pub dispatchers: Vec<Dispatcher>,
    /// Functions whose address something takes.
    pub addressed: Vec<(FunctionType, FunctionId)>,
}

/// A function that calls one of several by its address.
pub struct Dispatcher {
    pub of: FunctionType,
    pub targets: Vec<FunctionId>,
    pub id: FunctionId,
}

/// What checking a file has cost so far. C++ can ask for work without end (a template that needs a larger
/// one, a `constexpr` loop), so each part has a bound.
#[derive(Default)]
pub struct Effort {
    /// How many bodies were begun.
    pub begun: u32,
    /// How many functions are being checked, each for a call in the one before.
    pub nested: u32,
    /// How many functions and types were made from templates.
    pub made: usize,
    /// Steps that calls of `constexpr` functions have taken.
    pub computed: u32,
}

/// The functions of the file, and what was made of their templates.
#[derive(Default)]
pub struct Functions {
    pub signatures: Vec<Signature>,
    pub templates: Vec<FunctionTemplate>,
    /// The numbers of functions that were called while their bodies are being checked.
    pub numbered: HashMap<usize, FunctionId>,
    /// Of each signature the number of the item that declares it first.
    pub items: Vec<usize>,
    /// What is wrong with the bodies and parameters of signatures.
    pub wrong: HashMap<usize, Cause>,
    /// All that was said of the bodies of signatures.
    pub causes: HashMap<usize, Vec<Cause>>,
    /// Why functions are for the host whose parameters are not known.
    pub of_host: Vec<Rc<Diagnostic>>,
    /// Of functions for both sides that do what only the host can, what is checked in their place for kernels.
    pub for_gpu: HashMap<usize, usize>,
    pub pointers: FunctionPointers,
    /// Signatures of kernels that kernels launch.
    pub launched: Vec<usize>,
    /// What was spent on them, each part with a bound.
    pub effort: Effort,
}

impl Functions {
    /// Adds a function; its index.
    pub fn add(&mut self, signature: Signature) -> usize {
        self.items.push(signature.context.item);
        self.signatures.push(signature);
        self.signatures.len() - 1
    }

    /// Adds a function for the host of which nothing more is known than why.
    pub fn add_host(&mut self, why: Rc<Diagnostic>) -> Candidate {
        self.of_host.push(why);
        Candidate::Host(self.of_host.len() - 1)
    }

    /// Adds a template; its index.
    pub fn add_template(&mut self, template: FunctionTemplate) -> usize {
        self.templates.push(template);
        self.templates.len() - 1
    }

    /// Says where the names in a function, or in a template's functions, are looked for.
    pub fn set_context(&mut self, candidate: Candidate, context: Rc<Context>) {
        match candidate {
            Candidate::Function(at) => self.signatures[at].context = context,
            Candidate::Template(at) => self.templates[at].context = context,
            Candidate::Host(_) => {}
        }
    }

    /// Whether a place is that of an `#include`, where what a header of CUDA's declares stands.
    pub fn is_in_header(&self, span: Span) -> bool {
        if span == Span::default() {
            return true;
        }
        let functions = self.signatures.iter();
        let functions = functions.map(|s| (s.span, &s.context, &s.function));
        let templates = self.templates.iter();
        let templates = templates.map(|t| (t.span, &t.context, &t.function));
        let mut all = functions.chain(templates);
        all.any(|(at, context, function)| {
            at == span && (function.source.is_library || is_library(&context.namespace))
        })
    }

    /// Forgets a signature that cannot be made, so that it is not chosen again.
    pub fn unmake(&mut self, template: usize, signature: usize, why: &Cause) {
        let instances = self.templates[template].instances.values_mut();
        for made in instances.filter(|made| matches!(made, Ok(at) if *at == signature)) {
            *made = Err(why.clone());
        }
    }
}
