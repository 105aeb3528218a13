//! Code for the host: left out, and wrong only where a kernel uses it.

use std::collections::HashSet;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, Item, Specifiers, Unit};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{Checker, Entry, Mark, Symbol};

impl Checker {
    /// Takes back what is wrong with an item for the host, until a kernel uses its name.
    pub fn leave_to_host(&mut self, item: &Item, place: Span, before: Mark) {
        let names: Vec<&ast::Ident> = match item {
            Item::Function(function) if function.member_of.is_some() => Vec::new(),
            Item::Function(function) => vec![&function.name],
            Item::Record(record) => vec![&record.name],
            Item::Alias(alias) => vec![&alias.name],
            Item::Variables(declaration) => declaration.variables.iter().map(|v| &v.name).collect(),
            _ => return,
        };
        let mut why = self.reports.take_back(before).into_iter();
        let Some(mut why) = why.next() else {
            return;
        };
        self.host.left_out.push(place);
        if let Item::Function(function) = item {
            let name = &function.name;
            let message = "it has no `__device__`";
            why = Diagnostic::error(name.span, message).help("put `__device__` before it");
        }
        let why = Rc::new(why);
        for name in names {
            let whole: Name = self.names.namespaces.qualify(&name.name);
            let entry = Entry {
                symbol: Symbol::Host(why.clone()),
                span: name.span,
                item: self.names.item,
            };
            self.names.scopes[0].insert(whole, entry);
        }
    }

    /// Says that code for the host is not run, unless a kernel tried to call it.
    pub fn warn_of_host_code(&mut self, unit: &Unit) {
        let called: HashSet<&Name> = unit
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) => Some(&function.summary.calls),
                _ => None,
            })
            .flatten()
            .map(|call| &call.name)
            .collect();
        let mut left_out = unit.items.iter().filter_map(|item| match item {
            Item::Function(function)
                if function.is_host
                    && function.member_of.is_none()
                    && function.template.is_none()
                    && &*function.name.name != "main"
                    && !called.contains(&function.name.name)
                    && !is_inlined_constant(&function.specifiers)
                    && !matches!(function.returns.base, ast::Base::Refused) =>
            {
                Some(&function.name)
            }
            _ => None,
        });
        let Some(first) = left_out.next() else {
            return;
        };
        let message = match left_out.count() {
            0 => format!("`{}` runs on the host, so it is left out", first.name),
            more => format!(
                "`{}` and {more} more run on the host, so they are left out",
                first.name
            ),
        };
        let warning = Diagnostic::warning(first.span, message);
        self.report(warning.help("only kernels and `__device__` functions run here"));
    }
}

/// `constexpr` functions are host functions that nobody need hear of.
fn is_inlined_constant(specifiers: &Specifiers) -> bool {
    specifiers.constexpr.is_some()
}
