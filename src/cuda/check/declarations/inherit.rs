//! Structs that begin with another: its fields come first, and its functions are made anew for them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{Candidate, Checker, Context, Entry, State, Symbol};
use crate::cuda::typed::Type;

/// Names and what they stand for.
type Members = HashMap<Name, Entry>;

impl Checker {
    /// Gives the struct number `index` what it inherits: fields go to `fields`, scopes to `inner`.
    /// The members inherited.
    pub fn inherit(
        &mut self,
        written: &ast::Record,
        index: usize,
        inner: &mut Context,
        fields: &mut Vec<(String, Type)>,
    ) -> Members {
        let mut all = Members::new();
        for base in &written.bases {
            let context = inner.clone();
            let found = self.within(&context, |checker| checker.base(base));
            let Some(base_index) = found else {
                continue;
            };
            if self.refuse_base(base_index, !fields.is_empty(), base.span) {
                continue;
            }
            let of = &self.types.records[base_index];
            let own = of.ty.fields().iter();
            fields.extend(own.map(|field| (field.name.clone(), field.ty.clone())));
            let defaults = of.defaults.clone();
            self.types.records[index].defaults.extend(defaults);
            let scopes = self.types.records[base_index].context.scopes.clone();
            let members = self.remade(base_index, index);
            let outer = scopes.len().saturating_sub(1);
            inner.scopes.extend(scopes.into_iter().take(outer));
            inner.scopes.push(members.clone());
            all.extend(members);
        }
        all
    }

    /// The struct that a type names.
    fn base(&mut self, written: &ast::TypeName) -> Option<usize> {
        let (ty, _) = self.resolve(written, None, None)?;
        let found = match &ty {
            Type::Struct(of) if of.layout().is_some() => self
                .types
                .records
                .iter()
                .position(|record| record.ty == *of),
            _ => None,
        };
        if found.is_none() {
            self.error::<()>(written.span, format!("`{ty}` is no struct that is defined"));
        }
        found
    }

    /// Reports a base that is not supported.
    fn refuse_base(&mut self, base: usize, has_fields: bool, span: Span) -> bool {
        let of = &self.types.records[base];
        let fields = of.ty.fields();
        let end = fields
            .last()
            .map_or(0, |f| f.offset_bytes + f.ty.size_bytes());
        // Compilers may put fields of the derived struct into the unused bytes at a base's end: where they
        // lie would be a guess.
        let is_padded = !fields.is_empty() && of.ty.layout().is_some_and(|l| l.size_bytes != end);
        let what = if !of.constructors.is_empty() {
            "a base with constructors"
        } else if has_fields && !fields.is_empty() {
            "more than one base with fields"
        } else if is_padded {
            "a base that ends with unused bytes"
        } else {
            return false;
        };
        let error = Diagnostic::error(span, format!("{what} is not supported yet"));
        self.report(error.help("put the other struct into a member"));
        true
    }

    /// The members of struct `base`, its functions made for objects of struct `index`.
    fn remade(&mut self, base: usize, index: usize) -> Members {
        let mut members = self.types.records[base].members.clone();
        let mut made = Vec::new();
        for entry in members.values_mut() {
            let Symbol::Functions(candidates) = &mut entry.symbol else {
                continue;
            };
            for candidate in candidates {
                *candidate = self.copied(*candidate);
                made.push(*candidate);
            }
        }
        let mut context = (*self.types.records[base].context).clone();
        context.record = Some(index);
        if let Some(last) = context.scopes.last_mut() {
            last.clone_from(&members);
        }
        let context = Rc::new(context);
        for candidate in made {
            self.functions.set_context(candidate, context.clone());
        }
        members
    }

    fn copied(&mut self, candidate: Candidate) -> Candidate {
        match candidate {
            Candidate::Function(at) => {
                let mut signature = self.functions.signatures[at].clone();
                signature.state = State::New;
                let copy = self.functions.add(signature);
                if let Some(cause) = self.functions.wrong.get(&at).cloned() {
                    self.functions.wrong.insert(copy, cause);
                }
                Candidate::Function(copy)
            }
            Candidate::Template(at) => {
                let template = self.functions.templates[at].for_another();
                Candidate::Template(self.functions.add_template(template))
            }
            host @ Candidate::Host(_) => host,
        }
    }
}
