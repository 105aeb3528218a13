//! Kernels that a launch names.

use crate::source::{Diagnostic, Span};

use super::Checker;
use super::scope::{Candidate, Symbol};
use crate::cuda::ast;
use crate::cuda::typed::FunctionId;

impl Checker {
    pub(super) fn plain_request(
        &mut self,
        candidates: &[Candidate],
        path: &ast::Path,
    ) -> Result<FunctionId, Diagnostic> {
        let name = path.joined();
        let error = |message: String| Diagnostic::error(Span::default(), message);
        if path.arguments().is_some() {
            return Err(error(format!("`{name}` is no template: leave `<…>` out")));
        }
        let kernel = candidates.iter().find_map(|candidate| match candidate {
            Candidate::Function(index) if self.signatures[*index].is_kernel => Some(*index),
            _ => None,
        });
        let id = kernel.and_then(|index| self.body_of(index));
        id.ok_or_else(|| error(format!("`{name}` is no kernel")))
    }

    /// The kernel that a launch names, as in `softmax<float, 4>`; or what is wrong with the name.
    pub(super) fn request(&mut self, path: &ast::Path) -> Result<FunctionId, Diagnostic> {
        let error = |message: String| Diagnostic::error(Span::default(), message);
        let name = path.joined();
        let found = self.find_path(path).map(|entry| entry.symbol.clone());
        let Some(Symbol::Functions(candidates)) = found else {
            return Err(error(format!("no kernel is called `{name}`")));
        };
        let template = candidates.iter().find_map(|candidate| match candidate {
            Candidate::Template(template) => Some(*template),
            Candidate::Function(_) => None,
        });
        let Some(template) = template else {
            return self.plain_request(&candidates, path);
        };
        let of = &self.templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        if of.function.specifiers.global.is_none() {
            return Err(error(format!("`{name}` is no kernel")));
        }
        let reported = self.diagnostics.len();
        let written = self.template_arguments(path.arguments().unwrap_or(&[]));
        let Some(written) = written else {
            let mut wrong = self.diagnostics.split_off(reported).into_iter();
            let why = wrong.next().map_or(String::new(), |d| d.message);
            return Err(error(format!("`{name}`: {why}")));
        };
        let given = written.into_iter().map(Some).collect();
        let arguments = self
            .complete(&params, &context, given)
            .map_err(|why| error(format!("`{name}`: {why}")))?;
        let instance = self.instantiate(template, arguments);
        let id = instance.and_then(|index| self.instance_body(index, template));
        id.ok_or_else(|| error(format!("`{name}` cannot be made from its template")))
    }
}
