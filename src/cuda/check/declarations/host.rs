//! Code for the host: left out, and wrong only where a kernel uses it.

use std::collections::HashSet;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, Item, Specifiers, Unit};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{Candidate, Checker, Entry, Mark, Symbol};

impl Checker {
    /// Takes back what is wrong with an item for the host, until a kernel uses its name.
    pub fn leave_to_host(&mut self, item: &Item, place: Span, before: Mark) {
        let names: Vec<&ast::Ident> = match item {
            Item::Function(function) => return self.leave_function(function, place, before),
            Item::Record(record) => vec![&record.name],
            Item::Alias(alias) => vec![&alias.name],
            Item::Variables(declaration) => declaration.variables.iter().map(|v| &v.name).collect(),
            _ => return,
        };
        let Some(why) = self.reports.take_back(before) else {
            return;
        };
        self.host.left_out.push(place);
        let why = Rc::new(why.diagnostic().clone());
        for name in names {
            self.declare_for_host(name, &why);
        }
    }

    /// Makes a name at file scope stand for something of the host, whatever it stood for.
    pub fn declare_for_host(&mut self, name: &ast::Ident, why: &Rc<Diagnostic>) {
        let whole: Name = self.names.namespaces.qualify(&name.name);
        let entry = Entry {
            symbol: Symbol::Host(why.clone()),
            span: name.span,
            item: self.names.item,
        };
        self.names.scopes[0].insert(whole, entry);
    }

    /// Takes back what is wrong with a function for the host. Its name may have overloads for the GPU:
    /// calls may mean those only where it is sure that they cannot mean this one.
    fn leave_function(&mut self, function: &Rc<ast::Function>, place: Span, before: Mark) {
        let Some(found) = self.reports.take_back(before) else {
            return;
        };
        self.host.left_out.push(place);
        let name = &function.name;
        let no_device = |span| match self.host.is_program {
            true => Rc::new(found.diagnostic().clone()),
            false => no_device(span),
        };
        let whole: Name = self.names.namespaces.qualify(&name.name);
        if let Some(path) = &function.member_of {
            return self.leave_member(function, path, &no_device(path.span));
        }
        if function.specialises.is_some() {
            return self.lose_functions(&whole, &no_device(name.span));
        }
        let of_this = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => {
                Rc::ptr_eq(&self.functions.signatures[*at].function, function)
            }
            Candidate::Template(at) => {
                Rc::ptr_eq(&self.functions.templates[*at].function, function)
            }
            Candidate::Host(_) => false,
        };
        match self.names.scopes[0]
            .get_mut(&whole)
            .map(|entry| &mut entry.symbol)
        {
            Some(Symbol::Functions(candidates)) => candidates.retain(|known| !of_this(known)),
            Some(Symbol::Host(_) | Symbol::Refused(_)) | None => {}
            Some(_) => return self.declare_for_host(name, &no_device(name.span)),
        }
        self.add_host_function(name, no_device(name.span));
    }

    /// Without its definition, a member is declared only, and no call can mean it. One for some arguments of a template
    /// is another matter: there is one for the others.
    pub fn leave_member(
        &mut self,
        function: &ast::Function,
        path: &ast::Path,
        why: &Rc<Diagnostic>,
    ) {
        let template = function.template.as_ref();
        let found = self.names.find_path(path).map(|entry| &entry.symbol);
        if let Some(Symbol::TypeTemplate(of)) = found
            && template.is_some_and(|params| params.is_empty())
        {
            let lost = &mut self.types.templates[*of].lost;
            lost.get_or_insert(why.clone());
        }
    }

    /// Adds a function of which nothing is known but that it is for the host.
    fn add_host_function(&mut self, name: &ast::Ident, why: Rc<Diagnostic>) {
        let host = self.functions.add_host(why);
        self.add_candidate(name, host);
    }

    /// Templates of functions of which a definition for some arguments is not known.
    pub fn lose_functions(&mut self, whole: &Name, why: &Rc<Diagnostic>) {
        let templates = self.functions.templates.iter_mut();
        for template in templates.filter(|template| template.name == *whole) {
            template.lost.get_or_insert(why.clone());
        }
    }

    /// What could not even be read, and has no word of CUDA's in it. A name that stands for something
    /// already may mean another thing from here on: a specialisation, an overload, a definition.
    pub fn unread_host_item(&mut self, item: &ast::HostItem) {
        let (name, why) = (&item.name, &item.why);
        if item.is_unread {
            self.aside.places.insert(why.span());
        }
        let whole: Name = self.names.namespaces.qualify(&name.name);
        let known = self.names.scopes[0].get(&whole).map(|entry| &entry.symbol);
        match known {
            Some(Symbol::TypeTemplate(template)) => {
                self.types.templates[*template]
                    .lost
                    .get_or_insert(why.clone());
            }
            Some(Symbol::Functions(_)) if item.specialises => self.lose_functions(&whole, why),
            Some(Symbol::Functions(_)) => self.add_host_function(name, why.clone()),
            // Looked for among all overloads.
            None if name.name.starts_with("operator") => self.add_host_function(name, why.clone()),
            // A guess from what could not be read changes nothing that is known.
            Some(symbol) if self.host.is_program && !matches!(symbol, Symbol::Host(_)) => {}
            _ => self.declare_for_host(name, why),
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
                if function.source.is_host
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

fn no_device(span: Span) -> Rc<Diagnostic> {
    let error = Diagnostic::error(span, "it has no `__device__`");
    Rc::new(error.help("put `__device__` before it"))
}

/// `constexpr` functions are host functions that nobody need hear of.
fn is_inlined_constant(specifiers: &Specifiers) -> bool {
    specifiers.constexpr.is_some()
}
