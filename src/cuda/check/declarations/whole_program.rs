//! A whole program: `main`, and what it reaches.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::Unit;
use crate::cuda::resolve::{BodyState, Candidate, Checker, RunsOn, Signature, Symbol};
use crate::cuda::typed::{FunctionId, NO_MAIN};

impl Checker {
    /// Checks `main` and all that it reaches; what else the file has is only declared.
    pub fn whole_program(&mut self, unit: &Unit) {
        self.declare_items(unit);
        self.names.go_to(unit.items.len(), "");
        let Some(main) = self.main() else {
            let error = Diagnostic::error(Span::default(), "this file has no `main`");
            let error = error.code(NO_MAIN).help("a program begins in `int main()`");
            return self.report(error);
        };
        self.program.entry = self.body_of(main);
        self.check_pending();
        self.finish_start();
    }

    /// The signature of `main`.
    fn main(&self) -> Option<usize> {
        let found = self.names.scopes[0].get("main")?;
        let Symbol::Functions(candidates) = &found.symbol else {
            return None;
        };
        let defined = |candidate: &Candidate| match candidate {
            Candidate::Function(index) => {
                let signature = &self.functions.signatures[*index];
                signature.function.body.is_some().then_some(*index)
            }
            Candidate::Template(_) | Candidate::Host(_) => None,
        };
        candidates.iter().find_map(defined)
    }

    /// Whether a function gets its number when it is called and is checked later: so functions of the host may call
    /// themselves and each other.
    pub fn is_checked_later(&self, signature: &Signature) -> bool {
        self.host.is_program
            && signature.runs_on == RunsOn::Host
            && !signature.returns.is_deduced
            && signature.function.specifiers.constexpr.is_none()
    }

    /// The number of a function that is checked later.
    pub fn reserve(&mut self, index: usize) -> FunctionId {
        let id = self.blank_function(index, true);
        self.functions.signatures[index].state = BodyState::Reserved(id);
        self.host.pending.push(index);
        id
    }

    /// Checks the functions that were called, and those that they call.
    fn check_pending(&mut self) {
        while let Some(index) = self.host.pending.pop() {
            if let BodyState::Reserved(id) = self.functions.signatures[index].state {
                let function = self.checked_body(index);
                self.program.functions[id] = function;
                self.functions.signatures[index].state = BodyState::Done(id);
            }
        }
    }
}
