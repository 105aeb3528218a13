//! What keeps a result from being right, in words.

use crate::document::columns::thousands;
use crate::launch::Ending;
use crate::lesson::CellResult;

/// Why `result` is not right; nothing if it is.
pub fn faults(result: &CellResult) -> Vec<String> {
    if result.ok {
        return Vec::new();
    }
    let formulas = result.formulas.iter().filter(|formula| !formula.ok);
    let mut faults: Vec<String> = formulas
        .map(|formula| {
            let (expected, counted) = (formula.expected_text(), thousands(formula.counted));
            format!(
                "{}: {counted} counted, but the formula {} gives {expected}",
                formula.name, formula.formula
            )
        })
        .collect();
    if let Some(verified) = result.verified.as_ref().filter(|verified| !verified.ok) {
        let (buffer, error) = (&verified.buffer, verified.max_abs_error);
        faults.push(format!(
            "`{buffer}` differs from {} by {error:.1e}, and at most {:e} is allowed",
            verified.against, verified.tolerance
        ));
    }
    faults.extend(result.errors().map(|error| error.message.clone()));
    // It is not right, so something must be said, whatever the reason was.
    if faults.is_empty() {
        let fault = match result.outcome.ending {
            Ending::Finished => "its output cannot be verified at these sizes",
            _ => "it did not run to its end",
        };
        faults.push(fault.to_owned());
    }
    faults
}
