//! Lambdas: a struct of what is kept by value, whose `operator()` gets what is kept by reference as
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

/// What a lambda keeps.
#[derive(Default)]
struct CapturedNames {
    by_value: Vec<(Name, Expr)>,
    by_reference: Vec<(Name, ParamType, Operand)>,
    /// Of the host, the fields that hold addresses of what is kept by reference.
    addresses: HashSet<Name>,
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
        let mut kept = CapturedNames::default();
        for name in &lambda.names {
            self.keep(lambda, name, span, &mut kept);
        }
        let ty = Struct::declared(self.unique_name("lambda"));
        let fields = kept.by_value.iter();
        let fields = fields.map(|(name, value)| (name.to_string(), value.ty.clone()));
        ty.define(fields.collect(), 1, false);
        self.closure(lambda, &ty, &kept, span)?;
        let values = kept.by_value.into_iter().map(|(_, value)| value);
        Some(Expr {
            kind: ExprKind::Struct(values.collect()),
            ty: Type::Struct(ty),
            span,
        })
    }

    /// Keeps what a name stands for, if that is a variable of the function around.
    fn keep(&mut self, lambda: &ast::Lambda, name: &Name, span: Span, kept: &mut CapturedNames) {
        let Some(operand) = self.captured(name, span) else {
            return;
        };
        let local = found_local(&self.names.scopes[1..], name);
        let local = local.map(|id| &self.frame.locals[id]);
        // [expr.prim.lambda.capture]: only a thread's own variables are captured; shared ones are simply used.
        let is_static = local.is_some_and(|local| local.storage != Storage::Thread);
        let listed = lambda.listed.iter().find(|(ident, _)| ident.name == *name);
        let asked = listed.map_or(lambda.default, |(_, by_reference)| Some(*by_reference));
        let Some(by_reference) = asked.or(is_static.then_some(true)) else {
            return;
        };
        // What nobody changes is the same by value, and can be passed on.
        let written = self.frame.function.written.as_ref();
        let is_changed = written.is_none_or(|function| function.summary.changed.contains(name))
            || local.is_some_and(|local| local.is_reference)
            || operand.ty().scalar().is_none() && !matches!(operand.ty(), Type::Pointer { .. });
        let is_const = operand.is_const();
        if by_reference && self.frame.side == Side::Host {
            if let Operand::Place { place, .. } = operand {
                kept.addresses.insert(name.clone());
                kept.by_value.push((name.clone(), address(place, is_const)));
            }
        } else if is_static || by_reference && is_changed {
            let param = ParamType {
                ty: operand.ty().clone(),
                is_const,
                is_reference: true,
                is_rvalue: false,
            };
            kept.by_reference.push((name.clone(), param, operand));
        } else if matches!(operand.ty(), Type::Array(..)) {
            let message =
                format!("a lambda that keeps the array `{name}` by value is not supported yet");
            let error = Diagnostic::error(span, message);
            self.report(error.help(format!("keep it by reference: `[&{name}]`")));
        } else {
            kept.by_value.push((name.clone(), load(operand)));
        }
    }

    /// What a name stands for, if that is a variable around the lambda, or something that the lambda around keeps.
    fn captured(&mut self, name: &Name, span: Span) -> Option<Operand> {
        let mut scopes = self.names.scopes[1..].iter().rev();
        let found = scopes.find_map(|scope| scope.get(name))?;
        let own = self.names.record.map(|record| &self.types.records[record]);
        match found.symbol {
            // A variable whose value is known need not be kept: the body knows the value, too.
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
        kept: &CapturedNames,
        span: Span,
    ) -> Option<()> {
        let index = self.types.records.len();
        let mut context = self.inner_context();
        let entry = |symbol| Entry {
            symbol,
            span,
            item: 0,
        };
        let fields = kept.by_value.iter().enumerate();
        let fields = fields.map(|(at, (name, _))| {
            let symbol = match kept.addresses.contains(name) {
                true => Symbol::FieldReference(at),
                false => Symbol::Field(at),
            };
            (name.clone(), entry(symbol))
        });
        let members: HashMap<_, _> = fields.collect();
        context.scopes.push(members.clone());
        context.record = Some(index);
        context.captures = Rc::new(Captures {
            places: kept.by_reference.clone(),
            frame: self.frame.function.number,
        });
        let context = Rc::new(context);
        self.types.add(Record {
            members,
            defaults: vec![None; kept.by_value.len()],
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
    pub fn declare_captures(&mut self, kept: &Captures, span: Span) {
        for (name, param, _) in &kept.places {
            let ty = pointer(param.ty.clone(), param.is_const);
            let local = self.frame.reference(name, ty, span);
            let ident = ast::Ident {
                name: name.clone(),
                span,
            };
            // A parameter of the lambda hides what is kept under its name.
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
    pub fn captured_places(&mut self, kept: &Captures, at: Span) -> Option<Vec<Expr>> {
        let Some((name, ..)) = kept.places.first() else {
            return Some(Vec::new());
        };
        // The places are variables of the function around the lambda, which no other function has.
        if kept.frame != self.frame.function.number {
            let message = format!(
                "a lambda that keeps `{name}` by reference is called outside of the function that it stands in"
            );
            let error = Diagnostic::error(at, message);
            return self.refuse(error.help(format!(
                "keep it by value, `[=]`, or pass `{name}` as an argument"
            )));
        }
        let places = kept.places.iter();
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
