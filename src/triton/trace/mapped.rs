//! Functions that `tl.map_elementwise` applies: their conditions choose element by element, where those of a kernel branch.
//!
//! Both sides are computed, and what they leave is chosen; Triton branches for each element, and its compiler mostly
//! makes the same of short branches.

use ruff_python_ast::Stmt;

use super::arguments::Arguments;
use super::builder::{Traceable, refuse};
use super::control::Clause;
use super::tracer::{Scope, Tracer};
use super::value::Traced;

impl Tracer<'_> {
    /// `tl.map_elementwise(f, x, …)`; nothing if `name` does not ask for it.
    pub fn mapped(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        if name != "map_elementwise" {
            return Ok(None);
        }
        let Traced::Function(function) = given.need(0, "scalar_fn")? else {
            return refuse(
                given.span,
                "`tl.map_elementwise` applies a function with `@triton.jit`",
            );
        };
        if given
            .integer(usize::MAX, "pack")?
            .is_some_and(|pack| pack != 1)
        {
            return refuse(
                given.span,
                "`tl.map_elementwise` is read here with `pack=1`",
            );
        }
        let mut of_function = Arguments {
            span: given.span,
            ..Arguments::default()
        };
        for operand in self.tiles_of_one_shape(&given.positional[1..])? {
            of_function.positional.push(Traced::Value(operand));
        }
        let is_mapped = std::mem::replace(&mut self.is_mapped, true);
        let result = self.inline(&function, &of_function);
        self.is_mapped = is_mapped;
        result.map(Some)
    }

    /// What both sides of a condition leave, chosen element by element; as `clauses` returns it.
    pub fn mapped_branches(
        &mut self,
        test: &Traced,
        body: &[Stmt],
        others: &[Clause],
        rest: &[Stmt],
    ) -> Traceable<(Option<Traced>, bool)> {
        let before = self.scope.clone();
        let yes = match self.statements(body)? {
            Some(returned) => Some(returned),
            None => self.statements(rest)?,
        };
        let after_yes = std::mem::replace(&mut self.scope, before);
        let no = match self.clauses(others, rest)? {
            (None, false) => self.statements(rest)?,
            (returned, _) => returned,
        };
        let after_no = std::mem::take(&mut self.scope);
        self.scope = self.chosen_names(test, &after_yes, after_no)?;
        let returned = match (yes, no) {
            (Some(yes), Some(no)) => Some(self.chosen(test, &yes, &no)?),
            (None, None) => None,
            _ => {
                let message = "each branch of a mapped function returns, or none does";
                return refuse(self.builder.span, message);
            }
        };
        Ok((returned, true))
    }

    /// Names behind both sides.
    fn chosen_names(&mut self, test: &Traced, yes: &Scope, no: Scope) -> Traceable<Scope> {
        let mut names = Scope::new();
        for (name, other) in no {
            let Some(own) = yes.get(&name) else { continue };
            let chosen = match *own == other {
                true => other,
                false => self.chosen(test, own, &other)?,
            };
            names.insert(name, chosen);
        }
        Ok(names)
    }

    /// One of two, element by element, and part by part.
    fn chosen(&mut self, test: &Traced, yes: &Traced, no: &Traced) -> Traceable<Traced> {
        let (Traced::Tuple(yes), Traced::Tuple(no)) = (yes, no) else {
            return self.builder.select(test, yes, no);
        };
        if yes.len() != no.len() {
            let message = "the branches of a mapped function return as many values each";
            return refuse(self.builder.span, message);
        }
        let mut parts = Vec::new();
        for (yes, no) in yes.iter().zip(no) {
            parts.push(self.chosen(test, yes, no)?);
        }
        Ok(Traced::Tuple(parts))
    }
}
