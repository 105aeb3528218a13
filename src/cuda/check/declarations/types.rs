//! Names for types, enumerations and `static_assert`.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::ast::{self, Alias, Base, StaticAssert};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{Checker, Entry, Symbol, TypeTemplateKind, scalar};
use crate::cuda::typed::{ExprKind, Scalar, arithmetic};

impl Checker {
    /// `using` and `typedef`.
    pub fn alias(&mut self, alias: &Alias) {
        if let Some(params) = &alias.template {
            let kind = TypeTemplateKind::Alias(alias.ty.clone());
            let (name, context) = match self.names.scopes.len() {
                1 => {
                    let name = format!("{}{}", self.names.namespaces.current, alias.name.name);
                    (name, self.names.file_context())
                }
                _ => (
                    self.unique_name(&alias.name.name),
                    Rc::new(self.inner_context(false)),
                ),
            };
            return self.type_template(&alias.name, name.into(), params, kind, true, context);
        }
        // `typedef struct P {…} P;` names what has the name already.
        if let Base::Record(record) = &alias.ty.base
            && record.name.name == alias.name.name
            && alias.ty.modifiers.is_empty()
        {
            self.resolve(&alias.ty, None, None);
            return;
        }
        let before = self.reports.mark();
        let (written, reference) = self.referred(&alias.ty);
        let symbol = match self.resolve(&written, None, None) {
            Some((ty, is_const)) if reference.is_some() => {
                Symbol::Reference(ty, is_const, reference == Some(true))
            }
            Some((ty, is_const)) => Symbol::Type(ty, is_const),
            None => self.refused_since(before, alias.name.span),
        };
        self.declare(&alias.name, symbol);
    }

    /// `static_assert`.
    pub fn static_assert(&mut self, assert: &StaticAssert) {
        let Some(condition) = self.condition(&assert.condition) else {
            return;
        };
        let span = assert.condition.span;
        match condition.kind {
            ExprKind::Constant(0) => {
                let message = match assert.message.as_deref() {
                    Some(reason) if self.functions.is_in_header(span) => reason.to_owned(),
                    Some(reason) => format!("this does not hold: {reason}"),
                    None => "this does not hold".to_owned(),
                };
                self.report(Diagnostic::error(span, message));
            }
            ExprKind::Constant(_) => {}
            _ => {
                let message = "the condition of `static_assert` must be a constant";
                self.report(Diagnostic::error(span, message));
            }
        }
    }

    /// An enumeration: its constants, and its name for the type of them.
    pub fn enumeration(&mut self, written: &ast::Enum) {
        let before = self.reports.mark();
        let of = match &written.ty {
            Some(ty) => self.resolve(ty, None, None).and_then(|(ty, _)| ty.scalar()),
            None => Some(Scalar::I32),
        };
        let Some(of) = of.filter(|of| of.is_integer()) else {
            if let (Some(ty), Some(_)) = (&written.ty, of) {
                let message = "an enumeration has an integer type";
                self.report(Diagnostic::error(ty.span, message));
            }
            let names = written.constants.iter().map(|(name, _)| name);
            for name in names.chain(&written.name) {
                let refused = self.refused_since(before, name.span);
                self.declare(name, refused);
            }
            return;
        };
        if let Some(name) = &written.name {
            self.declare(name, Symbol::Type(scalar(of), false));
        }
        self.constants_of(written, of);
    }

    /// The constants of an enumeration whose type is `of`.
    fn constants_of(&mut self, written: &ast::Enum, of: Scalar) {
        // [dcl.enum]: one more than the constant before, the first is 0. Wider than any type, so that the
        // last value of a type is told from overflow.
        let mut next = Some(0i128);
        let mut wrong = None;
        let mut own = HashMap::new();
        for (name, value) in &written.constants {
            let before = self.reports.mark();
            let value = match value {
                Some(value) => self.value_among(value, &mut own),
                None => next,
            };
            next = None;
            let symbol = match value {
                Some(value) if arithmetic::integer(of, arithmetic::wrap(of, value)) == value => {
                    next = Some(value + 1);
                    Symbol::Constant(scalar(of), arithmetic::wrap(of, value))
                }
                Some(value) => {
                    let message = format!("{value} is no `{}`", of.name());
                    self.report(Diagnostic::error(name.span, message));
                    self.refused_since(before, name.span)
                }
                // What follows a constant without a value has none either.
                None => {
                    wrong = wrong.or_else(|| self.reports.cause_since(before));
                    match &wrong {
                        Some(cause) => Symbol::Refused(cause.clone()),
                        None => self.refused_since(before, name.span),
                    }
                }
            };
            own.insert(name.name.clone(), self.entry_of(name, symbol.clone()));
            self.declare_constant(written, name, symbol);
        }
    }

    /// The value of a constant of an enumeration: those before it need no name of the enumeration before their own
    /// within its braces ([basic.scope.enum]).
    fn value_among(&mut self, value: &ast::Expr, own: &mut HashMap<Name, Entry>) -> Option<i128> {
        self.names.scopes.push(std::mem::take(own));
        let value = self.constant_integer(value, "the value of a constant");
        *own = self.names.scopes.pop().unwrap_or_default();
        value
    }

    fn entry_of(&self, name: &ast::Ident, symbol: Symbol) -> Entry {
        let (span, item) = (name.span, self.names.item);
        Entry { symbol, span, item }
    }

    /// Declares a constant behind the name of its enumeration, and by itself if that is not scoped.
    fn declare_constant(&mut self, written: &ast::Enum, name: &ast::Ident, symbol: Symbol) {
        if let Some(of) = &written.name {
            let qualified = ast::Ident {
                name: format!("{}::{}", of.name, name.name).into(),
                span: name.span,
            };
            self.declare(&qualified, symbol.clone());
        }
        if !written.is_scoped {
            self.declare(name, symbol);
        }
    }
}
