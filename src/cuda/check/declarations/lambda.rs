//! Lambdas: a struct of what is captured by value, whose `operator()` gets what is captured by reference as
//! more arguments. Such a lambda can only be called by the function that it stands in, and nothing that it keeps needs
//! an address: one that is passed on, and those of the host, keep addresses by value in place of references.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Candidate, Captures, Checker, Entry, Operand, ParamType, Record, Side, Symbol, address, load,
    pointer,
};
use crate::cuda::typed::{
    Expr, ExprKind, Initializer, LayoutRules, Stmt, StmtKind, Storage, Struct, Type,
};

/// The name under which a lambda keeps the object of the function around.
const THIS: &str = "this";

/// What a lambda captures.
#[derive(Default)]
struct CapturedNames {
    by_value: Vec<(Name, Operand)>,
    by_reference: Vec<(Name, ParamType, Operand)>,
    /// Of the host, the fields that hold addresses of what is captures by reference.
    addresses: HashSet<Name>,
    /// Whether the object of the function around is among them.
    has_this: bool,
}

impl CapturedNames {
    /// The fields of the lambda's struct, and the names that stand for them in its body.
    fn fields(&self) -> impl Iterator<Item = (Name, Symbol)> {
        let fields = self.by_value.iter().enumerate();
        fields.map(|(at, (name, _))| match self.addresses.contains(name) {
            true => (name.clone(), Symbol::CapturedReference(at)),
            false => (name.clone(), Symbol::Captured(at)),
        })
    }

    /// What is kept by reference, as the function of this number passes it to the lambda.
    fn passed_by(&self, frame: u32) -> Captures {
        let places = self.by_reference.clone();
        Captures { places, frame }
    }

    /// What is kept by value, as a struct of this name.
    fn as_struct(&self, name: String) -> Struct {
        let of = Struct::declared(name);
        let kept = self.by_value.iter();
        let kept = kept.map(|(name, value)| (name.to_string(), load(value.clone()).ty));
        of.define(kept.collect(), &LayoutRules::default());
        of
    }
}

/// Where a name stands in a lambda's list; last what does not.
fn listed_at(lambda: &ast::Lambda, name: &Name) -> u32 {
    let values = lambda.values.iter().map(|(listed, ..)| listed);
    let mut listed = lambda.listed.iter().map(|(listed, _)| listed).chain(values);
    let found = listed.find(|listed| listed.name == *name);
    found.map_or(u32::MAX, |listed| listed.span.start)
}

/// A parameter `T&` for this operand.
fn reference_to(operand: &Operand) -> ParamType {
    ParamType {
        ty: operand.ty().clone(),
        is_const: operand.is_const(),
        is_reference: true,
        is_rvalue: false,
    }
}

fn array_by_value(name: &Name, span: Span) -> Diagnostic {
    let message = format!("a lambda that keeps the array `{name}` by value is not supported yet");
    Diagnostic::error(span, message).help(format!("keep it by reference: `[&{name}]`"))
}

impl Checker {
    /// The value of a lambda.
    pub fn lambda(&mut self, lambda: &Rc<ast::Lambda>, span: Span) -> Option<Expr> {
        if self.names.scopes.len() < 2 && !self.host.is_program {
            let error = Diagnostic::error(span, "lambdas at file scope are not supported yet");
            return self.refuse(error.help("write a `__device__` function"));
        }
        // A listed name that is unknown is reported even if the body does not use it.
        for (name, _) in &lambda.listed {
            self.operand(&ast::Expr::new(
                ast::ExprKind::Name(name.name.clone()),
                name.span,
            ))?;
        }
        let mut captures = CapturedNames::default();
        self.capture_this(lambda, span, &mut captures)?;
        let own = |name: &Name| {
            &**name == THIS || lambda.values.iter().any(|(own, ..)| own.name == *name)
        };
        for name in lambda.names.iter().filter(|name| !own(name)) {
            self.capture(lambda, name, span, &mut captures);
        }
        self.capture_values(lambda, &mut captures)?;
        // [expr.prim.lambda.capture]: what is listed is copied in the order of the list.
        captures
            .by_value
            .sort_by_key(|(name, _)| listed_at(lambda, name));
        let of = match self.known_closure(span) {
            Some(known) => known,
            None => self.closure(lambda, &captures, span)?,
        };
        let values = captures.by_value.into_iter().map(|(_, value)| value);
        self.closure_of(of, values.collect(), span)
    }

    /// A lambda that keeps these values, each a copy, or what `std::move` took.
    fn closure_of(&mut self, of: Struct, values: Vec<Operand>, span: Span) -> Option<Expr> {
        let ty = Type::Struct(of);
        if !self.types.is_by_address(&ty) {
            let kind = ExprKind::Struct(values.into_iter().map(load).collect());
            return Some(Expr { kind, ty, span });
        }
        let place = self.frame.temporary(ty, span);
        let mut parts = Vec::new();
        for (field, value) in values.into_iter().enumerate() {
            let kept = self.raw_field(&place, field, span)?;
            self.copy_part(&kept, value, &mut parts)?;
        }
        self.object_of_parts(place, parts)
    }

    /// Captures the values that the list of a lambda gives names of their own.
    fn capture_values(&mut self, lambda: &ast::Lambda, captures: &mut CapturedNames) -> Option<()> {
        for (name, is_reference, value) in &lambda.values {
            let value = match is_reference {
                true => Operand::Value(self.address_of(value, name.span)?),
                false => self.operand(value)?,
            };
            if *is_reference {
                captures.addresses.insert(name.name.clone());
            }
            captures.by_value.push((name.name.clone(), value));
        }
        Some(())
    }

    /// The struct of a lambda that was checked before: `auto f = […] {…};` at file scope looks at it for the type, and
    /// then for the value; a function that returns one as an object is checked again once that is known.
    fn known_closure(&self, span: Span) -> Option<Struct> {
        let is_at_file = self.names.scopes.len() < 2;
        let is_same = |record: &&Record| {
            let call = record.members.get("operator()");
            let is_returned =
                || self.frame.returns.ty.as_ref() == Some(&Type::Struct(record.ty.clone()));
            record.is_closure
                && call.is_some_and(|call| call.span == span)
                && (is_at_file || is_returned())
        };
        let known = self.types.records.iter().find(is_same)?;
        Some(known.ty.clone())
    }

    /// Captures the object of the function around, where the lambda lists it or keeps what it uses of it
    /// ([expr.prim.lambda.capture]).
    fn capture_this(
        &mut self,
        lambda: &ast::Lambda,
        span: Span,
        captures: &mut CapturedNames,
    ) -> Option<()> {
        let is_used = || {
            let mut names = lambda.names.iter();
            names.any(|name| &**name == THIS || self.is_of_object(name))
        };
        let is_kept = lambda.default.is_some() && self.frame.this.is_some() && is_used();
        if lambda.this.is_none() && !is_kept {
            return Some(());
        }
        captures.has_this = true;
        let pointer = self.this_pointer(span)?;
        let object = self.deref_value(pointer.clone(), span)?;
        if lambda.this == Some(true) {
            captures.by_value.push((THIS.into(), object));
        } else if self.frame.side == Side::Host || self.is_passed_on(lambda) {
            captures.addresses.insert(THIS.into());
            let kept = Operand::Value(pointer);
            captures.by_value.push((THIS.into(), kept));
        } else {
            let param = reference_to(&object);
            captures.by_reference.push((THIS.into(), param, object));
        }
        Some(())
    }

    /// Whether a name stands for a field of the object whose function is being checked, or for one of its functions.
    fn is_of_object(&self, name: &Name) -> bool {
        let mut scopes = self.names.scopes[1..].iter().rev();
        let found = scopes.find_map(|scope| scope.get(name));
        match found.map(|entry| &entry.symbol) {
            Some(Symbol::Field(_) | Symbol::BaseField(_) | Symbol::Bits(..)) => true,
            Some(Symbol::Functions(candidates)) => candidates.iter().any(|of| match of {
                Candidate::Function(at) => self.functions.signatures[*at].has_this,
                Candidate::Template(at) => self.functions.templates[*at].context.record.is_some(),
                Candidate::Host(_) => false,
            }),
            _ => false,
        }
    }

    /// Captures what a name stands for, if that is a variable of the function around.
    fn capture(
        &mut self,
        lambda: &ast::Lambda,
        name: &Name,
        span: Span,
        captures: &mut CapturedNames,
    ) {
        let Some(operand) = self.captured(name, span) else {
            return;
        };
        let local = found_local(&self.names.scopes[1..], name).map(|id| &self.frame.locals[id]);
        // [expr.prim.lambda.capture]: only a thread's own variables are captured; shared ones are simply used.
        let is_static = local.is_some_and(|local| local.storage != Storage::Thread);
        let listed = lambda.listed.iter().find(|(ident, _)| ident.name == *name);
        let asked = listed.map_or(lambda.default, |(_, by_reference)| Some(*by_reference));
        let Some(by_reference) = asked.or(is_static.then_some(true)) else {
            return;
        };
        // What nobody changes is the same by value, and can be passed on.
        let is_changed = local.is_some_and(|local| local.is_reference)
            || operand.ty().scalar().is_none() && !matches!(operand.ty(), Type::Pointer { .. })
            || self.is_changed(name);
        let is_needed = is_static || by_reference && is_changed;
        if by_reference && self.frame.side == Side::Host || is_needed && self.is_passed_on(lambda) {
            let is_const = operand.is_const();
            if let Some(place) = operand.into_place() {
                captures.addresses.insert(name.clone());
                let kept = Operand::Value(address(place, is_const));
                captures.by_value.push((name.clone(), kept));
            }
        } else if is_needed {
            let param = reference_to(&operand);
            captures.by_reference.push((name.clone(), param, operand));
        } else if matches!(operand.ty(), Type::Array(..)) {
            self.report(array_by_value(name, span));
        } else {
            captures.by_value.push((name.clone(), operand));
        }
    }

    /// Whether others than the function around may call a lambda: then it keeps addresses, so that what it keeps by
    /// reference lives in memory.
    fn is_passed_on(&self, lambda: &ast::Lambda) -> bool {
        let written = self.frame.function.written.as_ref();
        let is_kept = |name: &Name| written.is_some_and(|of| of.summary.kept.contains(name));
        let stays = |name: &Name| !self.is_changed(name) && !is_kept(name);
        !lambda.is_called && !lambda.variable.as_ref().is_some_and(stays)
    }

    /// Whether the function around may change the variable of this name, or passes it on.
    fn is_changed(&self, name: &Name) -> bool {
        let written = self.frame.function.written.as_ref();
        written.is_none_or(|function| function.summary.changed.contains(name))
    }

    /// What a name stands for, if that is a variable around the lambda, or something that the lambda around keeps.
    fn captured(&mut self, name: &Name, span: Span) -> Option<Operand> {
        let mut scopes = self.names.scopes[1..].iter().rev();
        let found = scopes.find_map(|scope| scope.get(name))?;
        match found.symbol {
            // A variable whose value is known need not be captures: the body knows the value, too.
            Symbol::Local(id) if self.frame.facts[id].value.is_none() => {
                Some(self.frame.local_operand(id, span))
            }
            Symbol::Captured(field) => self.captured_value(field, span),
            Symbol::CapturedReference(field) => self.captured_reference(field, span),
            _ => None,
        }
    }

    /// Declares the struct of a lambda with its `operator()`.
    fn closure(
        &mut self,
        lambda: &ast::Lambda,
        captures: &CapturedNames,
        span: Span,
    ) -> Option<Struct> {
        let ty = captures.as_struct(self.unique_name("lambda"));
        let index = self.types.records.len();
        let mut context = self.inner_context(captures.has_this);
        let entry = |symbol| Entry {
            symbol,
            span,
            item: 0,
        };
        let fields = captures.fields();
        let members: HashMap<_, _> = fields.map(|(name, field)| (name, entry(field))).collect();
        context.scopes.push(members.clone());
        context.record = Some(index);
        context.captures = Rc::new(captures.passed_by(self.frame.function.number));
        let context = Rc::new(context);
        self.types.add(Record {
            members,
            defaults: vec![None; captures.by_value.len()],
            is_closure: true,
            ..Record::declared(ty.clone(), context.clone())
        });
        let mut function = lambda.function.clone();
        if self.names.scopes.len() < 2 && !lambda.has_side {
            // At file scope the text around does not say whose code this is: what begins there is the host's.
            Rc::make_mut(&mut function).specifiers.device = None;
        }
        let call = Symbol::Functions(vec![self.method_candidate(&function, &context)?]);
        self.types.records[index]
            .members
            .insert("operator()".into(), entry(call));
        // What it keeps may have to be copied by its own constructor, and to end.
        self.settle_lifetime(index, &None, span);
        Some(ty)
    }

    /// Makes what a lambda keeps by reference the last parameters of its function.
    pub fn declare_captures(&mut self, captures: &Captures, span: Span) {
        self.declare_captured_this(span);
        for (name, param, _) in &captures.places {
            let ty = pointer(param.ty.clone(), param.is_const);
            let local = self.frame.reference(name, ty, span);
            if &**name == THIS {
                self.frame.this = Some(local);
            }
            let ident = ast::Ident {
                name: name.clone(),
                span,
            };
            // A parameter of the lambda hides what is captured under its name.
            self.names.scopes.last_mut().map(|scope| {
                scope.entry(ident.name).or_insert(Entry {
                    symbol: Symbol::Local(local),
                    span,
                    item: 0,
                })
            });
        }
    }

    /// Makes `this` the object that a lambda keeps in one of its fields.
    fn declare_captured_this(&mut self, span: Span) {
        let Some(lambda) = self
            .names
            .record
            .filter(|_| self.frame.function.lambda.is_some())
        else {
            return;
        };
        let kept = self.types.records[lambda].members.get(THIS);
        let object = match kept.map(|entry| &entry.symbol) {
            Some(&Symbol::Captured(field)) => self.captured_value(field, span),
            Some(&Symbol::CapturedReference(field)) => self.captured_reference(field, span),
            _ => None,
        };
        if let Some(Operand::Place {
            place, is_const, ..
        }) = object
        {
            let init = address(place, is_const);
            let local = self.frame.reference(THIS, init.ty.clone(), span);
            let init = Some(Initializer::Value(init));
            let kind = StmtKind::Declare { local, init };
            self.frame.hoisted.push(Stmt { kind, span });
            self.frame.this = Some(local);
        }
    }

    /// What a call passes for what a lambda keeps by reference.
    pub fn captured_places(&mut self, captures: &Captures, at: Span) -> Option<Vec<Expr>> {
        let Some((name, ..)) = captures.places.first() else {
            return Some(Vec::new());
        };
        // The places are variables of the function around the lambda, which no other function has.
        if captures.frame != self.frame.function.number {
            let message = format!(
                "a lambda that keeps `{name}` by reference is called outside of the function that it stands in"
            );
            let error = Diagnostic::error(at, message);
            return self.refuse(error.help(format!(
                "keep it by value, `[=]`, or pass `{name}` as an argument"
            )));
        }
        let places = captures.places.iter();
        let passed = places.map(|(_, param, place)| self.passed(place.clone(), param));
        passed.collect()
    }
}

/// The variable that a name stands for.
fn found_local(scopes: &[HashMap<Name, Entry>], name: &Name) -> Option<usize> {
    let found = scopes.iter().rev().find_map(|scope| scope.get(name))?;
    match found.symbol {
        Symbol::Local(id) => Some(id),
        _ => None,
    }
}
