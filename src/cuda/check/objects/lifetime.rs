//! What a struct does at the begin and the end of its objects, and when they are copied: functions
//! that are written, and those that C++ makes where members need them ([special]).

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::Span;

use crate::cuda::ast::{self, Base as Written, DESTRUCTOR, TypeName};
use crate::cuda::resolve::{
    BodyState, Candidate, Checker, Context, Entry, ParamType, Returns, RunsOn, Signature, Symbol,
    innermost,
};
use crate::cuda::typed::{Struct, Type};

/// What a struct declares of these functions.
#[derive(Default)]
struct Declared {
    has_copy: bool,
    has_move: bool,
    has_copy_assign: bool,
    has_move_assign: bool,
    /// Whether anything else is assigned to it, or a template assigns.
    has_other_assign: bool,
    /// Whether one of them is more than member by member.
    copies_specially: bool,
    assigns_specially: bool,
}

/// What the members of a struct need.
#[derive(Default)]
struct Parts {
    begins: bool,
    copies: bool,
    assigns: bool,
    ends: bool,
}

impl Checker {
    /// Whether a function takes an object of just this struct first, and then whether as `T&&`.
    pub fn takes_same(&self, candidate: Candidate, of: &Struct) -> Option<bool> {
        let Candidate::Function(at) = candidate else {
            return None;
        };
        let signature = &self.functions.signatures[at];
        let first = signature.params.as_ref()?.first()?;
        let is_same = first.ty == Type::Struct(of.clone()) && signature.least <= 1;
        (is_same && first.is_reference).then_some(first.is_rvalue)
    }

    /// Finds out what the begin, the copies and the end of the objects of a struct with these members are.
    pub fn settle_lifetime(
        &mut self,
        index: usize,
        members: &Option<Vec<ast::Member>>,
        span: Span,
    ) {
        let record = &self.types.records[index];
        let (of, context) = (record.ty.clone(), record.context.clone());
        let (declared, parts) = (self.declared(index), self.needs_of(&of));
        let destructor = self.destructor_of(index, parts.ends);
        let class = &mut self.types.records[index].class;
        let has_table = !class.virtuals.is_empty();
        // A copy has its own class's table, not the other object's: bytes alone would be wrong.
        class.copies_specially = parts.copies || has_table || declared.copies_specially;
        class.assigns_specially = parts.assigns
            || has_table
            || !class.references.is_empty()
            || declared.assigns_specially;
        let implied = Implied {
            of: &of,
            context: &context,
            span,
        };
        let is_begun = parts.begins || destructor.is_some() || has_table;
        self.add_begin(index, members, is_begun, &implied);
        self.add_copies(index, &declared, destructor, &implied);
        let class = &mut self.types.records[index].class;
        class.destructor = destructor;
        if destructor.is_none() && parts.ends {
            let at = self.add_implied(index, DESTRUCTOR, implied.destructor());
            self.types.records[index].class.destructor = Some(at);
            // A destructor that nobody wrote overrides a virtual one all the same ([class.dtor]).
            self.add_virtual(index, Candidate::Function(at));
        }
    }

    /// What the members and bases of a struct need: whatever one of them needs, the whole does.
    fn needs_of(&self, of: &Struct) -> Parts {
        let mut parts = Parts::default();
        for field in of.fields() {
            let Type::Struct(of) = innermost(&field.ty) else {
                continue;
            };
            if let Some(record) = self.types.record_of(of) {
                let class = &record.class;
                parts.copies |= class.copies_specially;
                parts.assigns |= class.assigns_specially;
                parts.ends |= class.destructor.is_some();
                parts.begins |= class.begins.is_some() || class.destructor.is_some();
            }
        }
        parts
    }

    /// Adds the constructor without arguments that nobody wrote, where there is one.
    fn add_begin(
        &mut self,
        index: usize,
        members: &Option<Vec<ast::Member>>,
        is_begun: bool,
        implied: &Implied,
    ) {
        let has_constructors = !self.types.records[index].constructors.is_empty();
        // `A() = default;` beside others that are written.
        let mut members = members.iter().flatten();
        let has_default =
            members.any(|member| matches!(member, ast::Member::Function(of) if of.does_nothing()));
        if is_begun && !has_constructors || has_default && has_constructors {
            let begins = self.functions.add(implied.constructor(None));
            self.types.records[index].class.begins = Some(begins);
        }
    }

    /// Adds the constructors and assignments that copy and move, and that nobody wrote.
    fn add_copies(
        &mut self,
        index: usize,
        declared: &Declared,
        destructor: Option<usize>,
        implied: &Implied,
    ) {
        let class = &self.types.records[index].class;
        let copies = class.copies_specially;
        // [class.copy.assign]: no other assignment, and no template, takes the place of the one that copies.
        let assigns = class.assigns_specially || declared.has_other_assign;
        let is_plain = !declared.has_copy
            && !declared.has_move
            && !declared.has_copy_assign
            && !declared.has_move_assign;
        // [class.copy.ctor]: what declares a move is not copied by itself; what declares a copy or an end is not moved.
        let is_moved = is_plain && destructor.is_none_or(|at| self.is_implied(at));
        let is_copied = !declared.has_move && !declared.has_move_assign;
        if copies && is_copied && !declared.has_copy {
            self.add_copy(index, implied.constructor(Some(false)));
        }
        if copies && is_moved {
            self.add_copy(index, implied.constructor(Some(true)));
        }
        if assigns && is_copied && !declared.has_copy_assign {
            self.add_implied(index, "operator=", implied.assignment(false));
        }
        if assigns && is_moved {
            self.add_implied(index, "operator=", implied.assignment(true));
        }
    }

    fn is_implied(&self, signature: usize) -> bool {
        self.functions.signatures[signature]
            .function
            .traits
            .is_implicit
    }

    fn declared(&self, index: usize) -> Declared {
        let record = &self.types.records[index];
        let mut declared = Declared::default();
        let is_special = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => !self.functions.signatures[*at].function.traits.is_default,
            Candidate::Template(_) | Candidate::Host(_) => true,
        };
        for candidate in &record.class.copies {
            match self.takes_same(*candidate, &record.ty) {
                Some(true) => declared.has_move = true,
                _ => declared.has_copy = true,
            }
            declared.copies_specially |= is_special(candidate);
        }
        let assigns = self.types.methods(&record.ty, "operator=");
        for candidate in assigns.iter().flatten() {
            let first = match candidate {
                Candidate::Function(at) => self.functions.signatures[*at].params.as_ref(),
                Candidate::Template(_) | Candidate::Host(_) => None,
            };
            let first = first.and_then(|params| params.first());
            let own = Type::Struct(record.ty.clone());
            let Some(first) = first.filter(|first| first.ty == own) else {
                declared.has_other_assign = true;
                continue;
            };
            match first.is_rvalue {
                true => declared.has_move_assign = true,
                false => declared.has_copy_assign = true,
            }
            declared.assigns_specially |= is_special(candidate);
        }
        declared
    }

    /// The destructor that is written, unless it does nothing.
    fn destructor_of(&mut self, index: usize, ends: bool) -> Option<usize> {
        let record = &self.types.records[index];
        let methods = self.types.methods(&record.ty, DESTRUCTOR)?;
        let Some(Candidate::Function(at)) = methods.first().copied() else {
            return None;
        };
        let traits = &self.functions.signatures[at].function.traits;
        // `= default` with no member that ends has nothing to do: objects need not be kept for it.
        let does_nothing = traits.is_default && !ends && record.class.virtuals.is_empty();
        (!does_nothing && !traits.is_deleted).then_some(at)
    }

    fn add_copy(&mut self, index: usize, signature: Signature) {
        let at = self.functions.add(signature);
        let copies = &mut self.types.records[index].class.copies;
        copies.push(Candidate::Function(at));
    }

    /// Adds a function that nobody wrote to those of its name in a struct; its signature.
    fn add_implied(&mut self, index: usize, name: &str, signature: Signature) -> usize {
        let span = signature.span;
        let at = self.functions.add(signature);
        let members: &mut HashMap<_, Entry> = &mut self.types.records[index].members;
        let entry = members.entry(name.into()).or_insert(Entry {
            symbol: Symbol::Functions(Vec::new()),
            span,
            item: 0,
        });
        if let Symbol::Functions(all) = &mut entry.symbol {
            all.push(Candidate::Function(at));
        }
        at
    }
}

/// Makes the heads of functions that nobody wrote.
struct Implied<'a> {
    of: &'a Struct,
    context: &'a Rc<Context>,
    span: Span,
}

impl Implied<'_> {
    /// A constructor without arguments, or one that copies, or moves.
    fn constructor(&self, moves: Option<bool>) -> Signature {
        let name = self.of.name().to_owned();
        self.signature(&name, true, moves, None)
    }

    fn assignment(&self, moves: bool) -> Signature {
        let returns = Type::Struct(self.of.clone());
        self.signature("operator=", false, Some(moves), Some(returns))
    }

    fn destructor(&self) -> Signature {
        self.signature(DESTRUCTOR, false, None, None)
    }

    fn signature(
        &self,
        name: &str,
        is_constructor: bool,
        moves: Option<bool>,
        returns: Option<Type>,
    ) -> Signature {
        let span = self.span;
        let param = |is_rvalue: bool| ParamType {
            ty: Type::Struct(self.of.clone()),
            is_const: !is_rvalue,
            is_reference: true,
            is_rvalue,
        };
        let params: Vec<ParamType> = moves.map(param).into_iter().collect();
        let function = implicit_function(name, is_constructor, span);
        Signature {
            name: format!("{}::{name}", self.of.name()).into(),
            span,
            runs_on: RunsOn::Device,
            returns: Returns {
                reference: returns.is_some().then_some(false),
                ty: Some(returns.unwrap_or(Type::Void)),
                ..Returns::default()
            },
            least: params.len(),
            params: Some(params),
            has_this: true,
            is_const: false,
            function: Rc::new(function),
            declaration: None,
            context: self.context.clone(),
            state: BodyState::New,
        }
    }
}

/// A function as the compiler writes it where the class does not: callable from both sides, with an empty body.
fn implicit_function(name: &str, is_constructor: bool, span: Span) -> ast::Function {
    let name = ast::Ident {
        name: name.into(),
        span,
    };
    let returned = TypeName::plain(Written::Void, span);
    let mut function = ast::Function::new(returned, name, Vec::new());
    (function.specifiers.device, function.specifiers.host) = (Some(span), Some(span));
    function.body = Some(Vec::new());
    function.constructs = is_constructor.then(Vec::new);
    function.traits.is_implicit = true;
    function
}
