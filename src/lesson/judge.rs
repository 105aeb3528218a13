//! What came back, held against what the cell says it should be.

use super::{CellResult, FormulaResult, RunCell, Sizes, VerifyTemplate};
use crate::engine::{Verified, reference, verify};
use crate::launch::{Ending, Outcome};
use crate::source::Severity;

impl RunCell {
    /// Holds `outcome`, of this cell's plan at `sizes`, against the cell's formulas and reference.
    pub fn judge(&self, sizes: &Sizes, outcome: Outcome) -> CellResult {
        let finished = outcome.ending == Ending::Finished;
        let formulas = if finished {
            self.formula_results(sizes, &outcome)
        } else {
            Vec::new()
        };
        let asked = self.verify.as_ref().filter(|_| finished);
        let verified = asked.and_then(|template| self.verified(template, sizes, &outcome));
        let clean = outcome
            .reports
            .iter()
            .all(|report| report.diagnostic.severity != Severity::Error);
        let matches = verified
            .as_ref()
            .map_or(asked.is_none(), |verified| verified.ok);
        let ok = finished && clean && matches && formulas.iter().all(|formula| formula.ok);
        CellResult {
            sizes: sizes.clone(),
            outcome,
            formulas,
            verified,
            ok,
        }
    }

    /// A formula without a value counts as wrong: its `expected` is then the largest number.
    fn formula_results(&self, sizes: &Sizes, outcome: &Outcome) -> Vec<FormulaResult> {
        let counts = outcome.counts();
        let checks = self.formulas.iter();
        checks
            .map(|check| {
                let expected = check.formula.evaluate(sizes);
                let counted = check.measure.of(&counts);
                FormulaResult {
                    name: check.measure.name().to_owned(),
                    formula: check.formula.text().to_owned(),
                    ok: expected == Ok(counted),
                    expected: expected.unwrap_or(u64::MAX),
                    counted,
                }
            })
            .collect()
    }

    /// The inputs are made again as they were: a run may have overwritten them.
    fn verified(
        &self,
        template: &VerifyTemplate,
        sizes: &Sizes,
        outcome: &Outcome,
    ) -> Option<Verified> {
        let plan = self.plan(sizes).ok()?;
        let output = outcome
            .buffers
            .iter()
            .find(|buffer| buffer.name == template.buffer)?;
        let inputs: Option<Vec<_>> = template
            .inputs
            .iter()
            .map(|name| {
                let spec = plan.buffers.iter().find(|buffer| buffer.name == *name)?;
                spec.fill().ok()
            })
            .collect();
        let values: Option<Vec<usize>> = template
            .sizes
            .iter()
            .map(|formula| usize::try_from(formula.evaluate(sizes).ok()?).ok())
            .collect();
        let inputs = inputs?;
        let inputs: Vec<_> = inputs.iter().collect();
        let reference = reference(&template.against)?;
        Some(verify(
            output,
            reference,
            &inputs,
            &values?,
            template.tolerance,
        ))
    }
}
