//! `using`, `typedef` and `static_assert`.

use std::rc::Rc;

use crate::source::Diagnostic;

use super::Checker;
use super::record::TypeTemplateKind;
use super::scope::Symbol;
use crate::cuda::ast::{Alias, Base, StaticAssert};
use crate::cuda::typed::ExprKind;

impl Checker {
    /// `using` and `typedef`.
    pub(super) fn alias(&mut self, alias: &Alias) {
        if let Some(params) = &alias.template {
            let kind = TypeTemplateKind::Alias(alias.ty.clone());
            let (name, context) = match self.scopes.len() {
                1 => {
                    let name = format!("{}{}", self.spaces.current, alias.name.name);
                    (name, self.file_context())
                }
                _ => (
                    self.unique_name(&alias.name.name),
                    Rc::new(self.inner_context()),
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
        let symbol = match self.resolve(&alias.ty, None, None) {
            Some((ty, is_const)) => Symbol::Type(ty, is_const),
            None => Symbol::Refused,
        };
        self.declare(&alias.name, symbol);
    }

    /// `static_assert`.
    pub(super) fn static_assert(&mut self, assert: &StaticAssert) {
        let Some(condition) = self.condition(&assert.condition) else {
            return;
        };
        let span = assert.condition.span;
        match condition.kind {
            ExprKind::Constant(0) => {
                let message = match assert.message.as_deref() {
                    Some(reason) if self.is_in_header(span) => reason.to_owned(),
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
}
