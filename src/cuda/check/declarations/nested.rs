//! Structs and enumerations that are defined within functions and structs, or where a type stands.

use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::ast;
use crate::cuda::resolve::{Checker, Context, Entry, Symbol, TypeTemplateKind, scalar};
use crate::cuda::typed::{Struct, Type};

impl Checker {
    /// Where a definition stands that is being checked now: variables of the function around are
    /// out of reach, unless they are constants; fields of its object are, unless it `keeps_this`.
    pub fn inner_context(&self, keeps_this: bool) -> Context {
        let mut scopes = self.names.scopes[1..].to_vec();
        for entry in scopes.iter_mut().flat_map(|scope| scope.values_mut()) {
            entry.symbol = match &entry.symbol {
                Symbol::Local(id) => {
                    match self.frame.facts.get(*id).and_then(|facts| facts.value) {
                        // [class.local]: constants may be used, as no object is needed for their value.
                        Some(bits) => Symbol::Constant(self.frame.locals[*id].ty.clone(), bits),
                        // Not removed: a message can then say that the variable is out of reach.
                        None => Symbol::Outer,
                    }
                }
                Symbol::Captured(_) | Symbol::CapturedReference(_) => Symbol::Outer,
                Symbol::Field(_) | Symbol::BaseField(_) | Symbol::Bits(..) if !keeps_this => {
                    Symbol::Outer
                }
                symbol => symbol.clone(),
            };
        }
        Context {
            namespace: self.names.namespaces.current.clone(),
            scopes,
            item: self.names.item,
            definition: self.names.definition,
            ..Context::default()
        }
    }

    /// What stands before the names of structs that are defined here, with `::`.
    fn namespace_around(&self) -> String {
        match self.types.defining {
            Some(record) => format!("{}::", self.types.records[record].ty.name()),
            None if self.names.scopes.len() > 1 => format!("{}::", self.frame.function.name),
            None => self.names.namespaces.current.clone(),
        }
    }

    /// A name for a struct that no other has.
    pub fn unique_name(&self, name: &str) -> String {
        let name = if name.is_empty() { "(unnamed)" } else { name };
        let whole = format!("{}{name}", self.namespace_around());
        let is_taken = |name: &str| {
            self.types
                .records
                .iter()
                .any(|record| record.ty.name() == name)
        };
        let mut unique = whole.clone();
        let mut count = 1;
        while is_taken(&unique) {
            count += 1;
            unique = format!("{whole}#{count}");
        }
        unique
    }

    /// Declares a struct, or a template of structs, within a function or struct.
    pub fn inner_record(&mut self, record: &Rc<ast::Record>) {
        if record.name.name.is_empty() {
            let what = if record.is_union { "unions" } else { "structs" };
            let message = format!("{what} without a name are not supported yet here");
            let error = Diagnostic::error(record.name.span, message);
            return self.report(error.help("give it a name, and the member too"));
        }
        let context = Rc::new(self.inner_context(false));
        let name = self.unique_name(&record.name.name);
        match (&record.template, &record.specialises) {
            (Some(_), Some(written)) => {
                let name = format!("{}{}", self.namespace_around(), record.name.name).into();
                self.specialise_record(record, &name, written, context);
            }
            (Some(params), None) => {
                let kind = TypeTemplateKind::Record(record.clone());
                let is_defined = record.members.is_some();
                self.type_template(&record.name, name.into(), params, kind, is_defined, context);
            }
            (None, _) => {
                let ty = self.declared_here(&record.name).unwrap_or_else(|| {
                    let ty = Struct::declared(name);
                    let symbol = Symbol::Type(Type::Struct(ty.clone()), false);
                    self.declare(&record.name, symbol);
                    ty
                });
                if record.members.is_some() {
                    // Once it is declared: a struct may name itself.
                    let context = Rc::new(self.inner_context(false));
                    self.define_record(record, ty, context, None, Vec::new());
                }
            }
        }
    }

    /// The struct that `struct A;` has declared in this scope, and that is defined nowhere yet.
    fn declared_here(&self, name: &ast::Ident) -> Option<Struct> {
        let scope = self.names.scopes.last()?;
        match &scope.get(&name.name)?.symbol {
            Symbol::Type(Type::Struct(of), _) if of.layout().is_none() => Some(of.clone()),
            _ => None,
        }
    }

    /// A struct that is defined where a type stands, as in `typedef struct {…} P;`: it is declared
    /// when its type is first asked for.
    pub fn record_in_place(&mut self, record: &Rc<ast::Record>) -> Option<Type> {
        let whole = match self.names.scopes.len() {
            1 => format!("{}{}", self.names.namespaces.current, record.name.name),
            _ => record.name.name.to_string(),
        };
        let known = self
            .names
            .scopes
            .last()
            .and_then(|scope| scope.get(whole.as_str()));
        // By its place: a type may be asked for several times, and is defined once.
        if let Some(entry) = known.filter(|entry| entry.span == record.name.span)
            && let Symbol::Type(ty, _) = &entry.symbol
        {
            return Some(ty.clone());
        }
        if !record.name.name.is_empty() {
            self.record(record);
            let scope = self.names.scopes.last()?;
            return match &scope.get(whole.as_str())?.symbol {
                Symbol::Type(ty, _) => Some(ty.clone()),
                _ => None,
            };
        }
        Some(self.unnamed_record(record))
    }

    /// A struct without a name, which is one for all that is declared with it: `struct {…} a[4], *p;`
    fn unnamed_record(&mut self, record: &Rc<ast::Record>) -> Type {
        let span = record.name.span;
        // No text can write the name.
        let name = ast::Ident {
            name: format!("(unnamed at {:p})", Rc::as_ptr(record)).into(),
            span,
        };
        let scope = self.names.scopes.last();
        if let Some(Symbol::Type(known, _)) = scope
            .and_then(|scope| scope.get(&name.name))
            .map(|entry| &entry.symbol)
        {
            return known.clone();
        }
        let ty = Struct::declared(self.unique_name(""));
        let context = Rc::new(self.inner_context(false));
        self.define_record(record, ty.clone(), context, None, Vec::new());
        let ty = Type::Struct(ty);
        let item = self.names.item;
        if let Some(scope) = self.names.scopes.last_mut() {
            let symbol = Symbol::Type(ty.clone(), false);
            scope.insert(name.name, Entry { symbol, span, item });
        }
        ty
    }

    /// An enumeration that is defined where a type stands.
    pub fn enumeration_in_place(&mut self, written: &ast::Enum) -> Option<Type> {
        let is_known = |name: &ast::Ident| {
            let whole = format!("{}{}", self.names.namespaces.current, name.name);
            let scope = self.names.scopes.last();
            let entry = scope.and_then(|s| s.get(whole.as_str()).or_else(|| s.get(&name.name)));
            entry.is_some_and(|entry| entry.span == name.span)
        };
        let first = written.constants.first().map(|(name, _)| name);
        if !written.name.as_ref().or(first).is_some_and(is_known) {
            self.enumeration(written);
        }
        match &written.ty {
            Some(ty) => self.resolve(ty, None, None).map(|(ty, _)| ty),
            None => Some(scalar(crate::cuda::typed::Scalar::I32)),
        }
    }
}
