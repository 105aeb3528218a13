//! Lambdas: a struct of what is captures by value, whose `operator()` gets what is captures by reference as
//! more arguments. So a lambda that keeps something by reference can only be called by the function
//! that it stands in, and nothing that it keeps needs an address.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Captures, Checker, Entry, Operand, ParamType, Record, Side, Symbol, address, load, pointer,
};
use crate::cuda::typed::{Expr, ExprKind, Storage, Struct, Type};

/// What a lambda captures.
#[derive(Default)]
struct CapturedNames {
    by_value: Vec<(Name, Expr)>,
    by_reference: Vec<(Name, ParamType, Operand)>,
    /// Of the host, the fields that hold addresses of what is captures by reference.
    addresses: HashSet<Name>,
}

impl CapturedNames {
    /// The fields of the lambda's struct, and the names that stand for them in its body.
    fn fields(&self) -> impl Iterator<Item = (Name, Symbol)> {
        let fields = self.by_value.iter().enumerate();
        fields.map(|(at, (name, _))| match self.addresses.contains(name) {
            true => (name.clone(), Symbol::FieldReference(at)),
            false => (name.clone(), Symbol::Field(at)),
        })
    }
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
        if self.names.scopes.len() < 2 {
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
        let own = |name: &Name| lambda.values.iter().any(|(own, ..)| own.name == *name);
        for name in lambda.names.iter().filter(|name| !own(name)) {
            self.capture(lambda, name, span, &mut captures);
        }
        for (name, is_reference, value) in &lambda.values {
            let value = match is_reference {
                true => self.address_of(value, name.span)?,
                false => self.value(value)?,
            };
            if *is_reference {
                captures.addresses.insert(name.name.clone());
            }
            captures.by_value.push((name.name.clone(), value));
        }
        let ty = Struct::declared(self.unique_name("lambda"));
        let fields = captures.by_value.iter();
        let fields = fields.map(|(name, value)| (name.to_string(), value.ty.clone()));
        ty.define(fields.collect(), 1, false);
        self.closure(lambda, &ty, &captures, span)?;
        let values = captures.by_value.into_iter().map(|(_, value)| value);
        Some(Expr {
            kind: ExprKind::Struct(values.collect()),
            ty: Type::Struct(ty),
            span,
        })
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
        if by_reference && self.frame.side == Side::Host {
            let is_const = operand.is_const();
            if let Some(place) = operand.into_place() {
                captures.addresses.insert(name.clone());
                captures
                    .by_value
                    .push((name.clone(), address(place, is_const)));
            }
        } else if is_static || by_reference && is_changed {
            let param = reference_to(&operand);
            captures.by_reference.push((name.clone(), param, operand));
        } else if matches!(operand.ty(), Type::Array(..)) {
            self.report(array_by_value(name, span));
        } else {
            captures.by_value.push((name.clone(), load(operand)));
        }
    }

    /// Whether the function around may change the variable of this name.
    fn is_changed(&self, name: &Name) -> bool {
        let written = self.frame.function.written.as_ref();
        written.is_none_or(|function| function.summary.changed.contains(name))
    }

    /// What a name stands for, if that is a variable around the lambda, or something that the lambda around keeps.
    fn captured(&mut self, name: &Name, span: Span) -> Option<Operand> {
        let mut scopes = self.names.scopes[1..].iter().rev();
        let found = scopes.find_map(|scope| scope.get(name))?;
        let own = self.names.record.map(|record| &self.types.records[record]);
        match found.symbol {
            // A variable whose value is known need not be captures: the body knows the value, too.
            Symbol::Local(id) if self.frame.facts[id].value.is_none() => {
                Some(self.frame.local_operand(id, span))
            }
            Symbol::Field(field) if own.is_some_and(|record| record.is_closure) => {
                self.own_field(&[field], span)
            }
            Symbol::FieldReference(field) => self.own_reference(field, span),
            _ => None,
        }
    }

    /// Declares the struct of a lambda with its `operator()`.
    fn closure(
        &mut self,
        lambda: &ast::Lambda,
        ty: &Struct,
        captures: &CapturedNames,
        span: Span,
    ) -> Option<()> {
        let index = self.types.records.len();
        let mut context = self.inner_context();
        let entry = |symbol| Entry {
            symbol,
            span,
            item: 0,
        };
        let fields = captures.fields();
        let members: HashMap<_, _> = fields.map(|(name, field)| (name, entry(field))).collect();
        context.scopes.push(members.clone());
        context.record = Some(index);
        context.captures = Rc::new(Captures {
            places: captures.by_reference.clone(),
            frame: self.frame.function.number,
        });
        let context = Rc::new(context);
        self.types.add(Record {
            members,
            defaults: vec![None; captures.by_value.len()],
            is_closure: true,
            ..Record::declared(ty.clone(), context.clone())
        });
        let call = Symbol::Functions(vec![self.method_candidate(&lambda.function, &context)?]);
        self.types.records[index]
            .members
            .insert("operator()".into(), entry(call));
        Some(())
    }

    /// Makes what a lambda keeps by reference the last parameters of its function.
    pub fn declare_captures(&mut self, captures: &Captures, span: Span) {
        for (name, param, _) in &captures.places {
            let ty = pointer(param.ty.clone(), param.is_const);
            let local = self.frame.reference(name, ty, span);
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
