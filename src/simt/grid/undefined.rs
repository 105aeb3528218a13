//! What exchanges between lanes and barriers did that CUDA leaves undefined, though GPUs do something definite.

use std::collections::BTreeMap;

use crate::ir::Kernel;
use crate::simt::fault;
use crate::simt::operations::Undefined;
use crate::source::{Diagnostic, Span};

/// What is to be said of them: one sentence of each kind for each place in the source.
pub fn undefined(kernel: &Kernel, found: &BTreeMap<usize, Undefined>) -> Vec<Diagnostic> {
    let mut by_span: BTreeMap<_, (Span, Undefined)> = BTreeMap::new();
    for (&pc, undefined) in found {
        // A value of 64 bits takes two shuffles.
        let span = kernel.source.span_at(pc);
        let known = by_span.entry((span.start, span.end)).or_default();
        known.0 = span;
        known.1.add(*undefined);
    }
    let mut warnings = Vec::new();
    for (span, undefined) in by_span.into_values() {
        // Who reads a lane that is elsewhere mostly names it in its mask too.
        if undefined.ending != 0 {
            warnings.push(fault::ending_lanes(span, undefined.ending));
        } else if undefined.without_source != 0 {
            warnings.push(fault::inactive_sources(span, undefined.without_source));
        } else {
            warnings.push(fault::absent_lanes(span, undefined.absent));
        }
    }
    warnings
}
