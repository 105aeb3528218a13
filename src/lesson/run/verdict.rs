//! What came back, held against what the cell says it should be.

use std::sync::Arc;

use super::result::{CellResult, FormulaResult};
use crate::device::{Gpu, gpu_or_usual};
use crate::engine::{Expected, Verified, expected, reference, verify};
use crate::launch::{Ending, Engine, Outcome};
use crate::lesson::cells::{RunCell, VerifyTemplate};
use crate::lesson::sizes::Sizes;

impl RunCell {
    /// Holds `outcome`, of this cell's plan at `sizes`, against the cell's formulas and reference.
    pub fn check_outcome(&self, sizes: &Sizes, outcome: Outcome) -> CellResult {
        let finished = outcome.ending == Ending::Finished;
        let formulas = match finished {
            // What was stopped has counted a part: every formula would seem to be wrong.
            true => self.formula_results(sizes, &outcome),
            false => Vec::new(),
        };
        // A launch may not be simulated, or not to its end, and have run on a real GPU: its output counts.
        let is_real_alone = !outcome.is_counted() && outcome.engine == Engine::Gpu;
        let has_result = finished || is_real_alone;
        let is_elsewhere = outcome.ending == Ending::HardwareOnly;
        let asked = self.verify.as_ref().filter(|_| has_result);
        let verified = asked.and_then(|template| self.verified(template, sizes, &outcome));
        let matches = verified
            .as_ref()
            // Asked for and impossible is no match.
            .map_or(asked.is_none(), |verified| verified.ok);
        let formulas_ok = formulas.iter().all(|formula| formula.ok);
        let mut result = CellResult {
            sizes: sizes.clone(),
            outcome,
            formulas,
            verified,
            result_ok: false,
            ok: false,
            checked: false,
            recorded: None,
        };
        // What only a real GPU runs is no fault where there is none.
        let is_whole = is_elsewhere || finished && result.errors().next().is_none();
        result.result_ok = is_whole && matches;
        result.ok = result.result_ok && formulas_ok;
        result
    }

    fn formula_results(&self, sizes: &Sizes, outcome: &Outcome) -> Vec<FormulaResult> {
        let (counts, sizes) = (outcome.counts(), &self.complete(sizes));
        let gpu = gpu_or_usual(&outcome.simulated);
        let checks = self.formulas.iter();
        checks
            .map(|check| {
                let expected = check.formula.evaluate(sizes, gpu).ok();
                let counted = check.measure.of(&counts).unwrap_or_default();
                FormulaResult {
                    name: check.measure.name().to_owned(),
                    formula: check.formula.text().to_owned(),
                    ok: expected == Some(counted),
                    expected,
                    counted,
                }
            })
            .collect()
    }

    fn verified(
        &self,
        template: &VerifyTemplate,
        sizes: &Sizes,
        outcome: &Outcome,
    ) -> Option<Verified> {
        let expected = self.expected_output(template, sizes, gpu_or_usual(&outcome.simulated))?;
        let mut buffers = outcome.buffers.iter();
        let output = buffers.find(|buffer| buffer.name == template.buffer)?;
        let reference = reference(&template.against)?;
        Some(verify(
            output,
            reference,
            &expected.elements,
            expected.tolerance,
        ))
    }

    /// What the output should be at `sizes`; nothing where the reference has no values there.
    pub(crate) fn expected_output(
        &self,
        template: &VerifyTemplate,
        sizes: &Sizes,
        gpu: &Gpu,
    ) -> Option<ExpectedOutput> {
        let (plan, sizes) = (self.plan(sizes, gpu).ok()?, &self.complete(sizes));
        let mut buffers = plan.buffers.iter();
        let buffer = buffers.position(|buffer| buffer.name == template.buffer)?;
        // The inputs are made again as they were: a run may have overwritten them.
        let named = |name: &String| plan.buffers.iter().find(|buffer| buffer.name == *name);
        let inputs: Option<Vec<_>> = template
            .inputs
            .iter()
            .map(|name| named(name).cloned())
            .collect();
        let values: Option<Vec<usize>> = template
            .sizes
            .iter()
            .map(|formula| usize::try_from(formula.evaluate(sizes, gpu).ok()?).ok())
            .collect();
        let reference = reference(&template.against)?;
        let times = match &template.per {
            Some(per) => per.evaluate(sizes, gpu).ok()? as f64,
            None => 1.0,
        };
        Some(ExpectedOutput {
            buffer,
            elements: expected(reference, &inputs?, &values?).ok()?,
            // Rounding adds up: a sum of more terms may be further off.
            tolerance: template.tolerance * times,
        })
    }
}

/// What an output should be.
pub(crate) struct ExpectedOutput {
    /// Its buffer, as an index into the plan's.
    pub buffer: usize,
    /// Its elements.
    pub elements: Arc<Expected>,
    /// How far each may be off.
    pub tolerance: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{BufferValues, Counts, ElementType, LaunchOutcome};
    use crate::lesson::load;

    /// Two rows of one element: their softmax is one, whatever they are.
    fn outcome(read: u64, written: u64, y: [f32; 2]) -> Outcome {
        let (cell, sizes) = fused();
        let plan = cell.plan(&sizes, gpu_or_usual("h200")).expect("has values");
        let mut counts = Counts::default();
        counts.global_load.distinct_elements = read;
        counts.global_load.elements = 6;
        counts.global_store.distinct_elements = written;
        counts.global_store.elements = 2;
        let bytes = y.iter().flat_map(|value| value.to_le_bytes()).collect();
        Outcome {
            launches: vec![LaunchOutcome {
                counts,
                ..LaunchOutcome::blank(&plan.launches[0])
            }],
            buffers: vec![BufferValues {
                name: "y".to_owned(),
                element: ElementType::F32,
                bytes,
            }],
            ..Outcome::blank("h200")
        }
    }

    fn fused() -> (RunCell, Sizes) {
        let lesson = load("softmax").expect("reads");
        let sizes = [("M".to_owned(), 2), ("N".to_owned(), 1)];
        let sizes = lesson.sizes_with(&sizes).expect("are in range");
        (lesson.run_cell("fused").expect("is there").clone(), sizes)
    }

    fn judge(outcome: Outcome) -> CellResult {
        let (cell, sizes) = fused();
        cell.check_outcome(&sizes, outcome)
    }

    #[test]
    fn a_cell_is_right_only_if_every_formula_and_the_output_are() {
        let right = judge(outcome(2, 2, [1.0, 1.0]));
        assert!(right.ok, "{right:?}");
        assert_eq!(right.formulas[0].expected, Some(2));
        let miscounted = judge(outcome(3, 2, [1.0, 1.0]));
        assert!(!miscounted.ok && !miscounted.formulas[0].ok && miscounted.formulas[1].ok);
        let wrong = judge(outcome(2, 2, [1.0, 0.5]));
        let verified = wrong.verified.expect("finished");
        assert!(!wrong.ok && !verified.ok && verified.worst_element == 1);
    }

    #[test]
    fn what_did_not_finish_is_neither_verified_nor_right() {
        let cancelled = judge(Outcome {
            ending: Ending::Cancelled,
            ..outcome(2, 2, [1.0, 1.0])
        });
        assert!(!cancelled.ok && cancelled.formulas.is_empty() && cancelled.verified.is_none());
        let lost = judge(Outcome {
            buffers: Vec::new(),
            ..outcome(2, 2, [1.0, 1.0])
        });
        assert!(!lost.ok, "an output that is missing cannot be right");
    }
}
