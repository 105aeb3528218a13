//! A file: what it declares, in order, then the bodies of its functions, callees first.

use std::collections::HashSet;

use super::order::callees_first;
use crate::cuda::ast::{self, Item, Unit};
use crate::cuda::resolve::{Candidate, Checker, Frame, RunsOn, Symbol};

impl Checker {
    pub fn file(&mut self, unit: &Unit) {
        self.declare_items(unit);
        let plain: Vec<usize> = (0..self.functions.signatures.len())
            .filter(|&index| self.is_checked_unasked(index))
            .collect();
        // A callee that is checked first need not be checked in the middle of its caller, where the depth
        // is bounded.
        for index in self.order(&plain) {
            let before = self.reports.mark();
            self.body_of(index);
            if self.aside.is_used {
                self.put_aside(before);
            }
        }
        self.warn_of_host_code(unit);
    }

    /// Declares what stands at file scope, in order.
    pub fn declare_items(&mut self, unit: &Unit) {
        self.names.namespaces.declare_all(&unit.namespaces);
        for number in 0..unit.items.len() {
            self.numbered_item(number, unit);
        }
    }

    fn numbered_item(&mut self, number: usize, unit: &Unit) {
        let item = &unit.items[number];
        self.names.go_to(number, &unit.namespaces[number]);
        self.frame = Frame::default();
        let before = self.reports.mark();
        for wrong in unit.wrong.get(&number).into_iter().flatten() {
            self.reports.add(wrong.clone(), true);
        }
        let unread = self.reports.told_since(before);
        if !unread.is_empty() {
            self.aside.unread.insert(number, unread.clone());
        }
        let first = unread.iter().find(|cause| cause.is_error()).cloned();
        let known = self.reports.set_of_parser(None);
        self.reports.set_of_parser(first.or_else(|| known.clone()));
        self.declare_item(item);
        self.reports.set_of_parser(known);
        if unit.for_host[number] && self.reports.any_since(before) {
            self.leave_to_host(item, unit.places[number], before);
        } else if self.aside.is_used {
            self.leave_until_reached(item, number, before);
        }
    }

    fn declare_item(&mut self, item: &Item) {
        match item {
            Item::Nothing => {}
            Item::Function(function) => self.declare_function(function),
            Item::Record(record) => self.record(record),
            Item::Enum(written) => self.enumeration(written),
            Item::Variables(declaration) => self.file_variables(declaration),
            Item::StaticMember(path, variable) => drop(self.static_member_value(path, variable)),
            Item::Alias(alias) => self.alias(alias),
            Item::Assert(assert) => self.static_assert(assert),
            Item::VariableTemplate(params, declaration) => {
                self.variable_template(params, declaration);
            }
            Item::Host(item) => self.unread_host_item(item),
            Item::UsingNamespace(path) => self.using_namespace(path),
            Item::NamespaceAlias(name, path) => self.namespace_alias(name, path),
            Item::UsingName(path) => self.using_name(path),
            Item::Refused(name) => {
                let span = Default::default();
                let ident = ast::Ident {
                    name: name.clone(),
                    span,
                };
                if self.names.find(name).is_none() {
                    let before = self.reports.mark();
                    self.reports.repeat_parser(span);
                    let refused = self.refused_since(before, span);
                    self.declare(&ident, refused);
                }
            }
        }
    }

    /// Whether a function's body is checked even if nothing calls it.
    fn is_checked_unasked(&self, index: usize) -> bool {
        let signature = &self.functions.signatures[index];
        let traits = &signature.function.traits;
        signature.function.body.is_some()
            && !traits.is_implicit
            && !traits.is_default
            && signature.runs_on != RunsOn::Host
            && !signature.is_library()
    }

    /// Functions in an order such that few are checked while others are.
    fn order(&mut self, plain: &[usize]) -> Vec<usize> {
        let calls: Vec<Vec<usize>> = plain
            .iter()
            .map(|&index| self.called(index, plain))
            .collect();
        let order = callees_first(&calls);
        order.into_iter().map(|at| plain[at]).collect()
    }

    /// Which of the `plain` functions one seems to call, as positions in that list.
    fn called(&mut self, index: usize, plain: &[usize]) -> Vec<usize> {
        let signature = self.functions.signatures[index].clone();
        self.names.namespaces.current = signature.context.namespace.clone();
        let mut seen = HashSet::new();
        let mut called = Vec::new();
        for call in &signature.function.summary.calls {
            let Some(Symbol::Functions(candidates)) =
                self.names.find(&call.name).map(|e| &e.symbol)
            else {
                continue;
            };
            for candidate in candidates {
                if let Candidate::Function(callee) = candidate
                    && let Ok(at) = plain.binary_search(callee)
                    && seen.insert(at)
                {
                    called.push(at);
                }
            }
        }
        called
    }
}
