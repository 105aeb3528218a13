//! What is wrong and need not be understood: what no kernel reaches that is asked for.

use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::ast::{self, Item};
use crate::cuda::resolve::{Cause, Checker, Mark};

impl Checker {
    /// Takes back what is wrong with an item since `before`, until a kernel reaches it.
    pub fn leave_until_reached(&mut self, item: &Item, number: usize, before: Mark) {
        let wrong = self.reports.cause_since(before);
        let is_unread = self.aside.unread.contains_key(&number);
        self.put_aside(before);
        let Some(wrong) = wrong else {
            return;
        };
        let why = Rc::new(wrong.diagnostic().clone());
        self.aside.places.insert(why.span());
        match item {
            Item::Function(function) => self.leave_definition(function, &why),
            // Its fields, and so its size, are known only if all of it was read.
            Item::Record(record) => self.declare_for_host(&record.name, &why),
            Item::Alias(alias) if is_unread => self.declare_for_host(&alias.name, &why),
            Item::Variables(declaration) if is_unread => {
                for variable in &declaration.variables {
                    self.declare_for_host(&variable.name, &why);
                }
            }
            // Of what else is wrong, the names stand for what was refused.
            _ => {}
        }
    }

    /// A function whose body is wrong is wrong where it is called. But a template of which a definition for some
    /// arguments is wrong must not be used as if there were none.
    fn leave_definition(&mut self, function: &ast::Function, why: &Rc<Diagnostic>) {
        let name = self.names.namespaces.qualify(&function.name.name);
        match &function.member_of {
            Some(path) => self.leave_member(function, path, why),
            None if function.specialises.is_some() => self.lose_functions(&name, why),
            None => {}
        }
    }

    /// Takes back what was reported since `before`.
    pub fn put_aside(&mut self, before: Mark) {
        let causes = self.reports.told_since(before);
        self.aside
            .causes
            .extend(causes.into_iter().filter(Cause::is_error));
        self.reports.take_back(before);
    }

    /// Says what the parser found wrong with the item that a function is written in. What it had found before.
    pub fn repeat_unread(&mut self, index: usize) -> Option<Cause> {
        let item = self.functions.signatures[index].context.definition;
        let unread = self.aside.unread.get(&item).cloned().unwrap_or_default();
        for cause in &unread {
            self.reports.repeat(cause);
        }
        let mut errors = unread.into_iter().filter(Cause::is_error);
        let first = errors.next();
        let known = self.reports.set_of_parser(None);
        self.reports.set_of_parser(first.or_else(|| known.clone()));
        known
    }

    /// Says what is wrong with a kernel that is asked for and could not be read.
    pub fn report_unread(&mut self, why: &Diagnostic) {
        if self.aside.places.contains(&why.span()) {
            self.report(why.clone());
        }
    }

    /// One warning of all that is wrong and that nothing reaches. Beside what is reached and wrong it says nothing.
    pub fn warn_of_unreached(&mut self) {
        if self.reports.any_since(Mark::default()) {
            return;
        }
        let causes = std::mem::take(&mut self.aside.causes);
        let mut unreached = causes.iter();
        let Some(first) = unreached.next() else {
            return;
        };
        let wrong = first.diagnostic();
        let message = "what stands here is not understood, and nothing that runs needs it";
        let warning = Diagnostic::warning(wrong.span(), message).label(&wrong.message);
        let mut places: Vec<_> = unreached.map(|cause| cause.diagnostic().span()).collect();
        places.sort_by_key(|place| (place.start, place.end));
        places.dedup();
        places.retain(|place| *place != wrong.span());
        self.report(match places.len() {
            0 => warning,
            1 => warning.note("the same holds of one more place"),
            count => warning.note(format!("the same holds of {count} more places")),
        });
    }
}
