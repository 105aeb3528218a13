//! What differs between the results of one plan in two legal orders of blocks and warps.

use crate::launch::{BufferValues, Value};
use crate::source::{Diagnostic, Span};

/// Differences of floats up to this part of their size may come from another order of additions.
const ROUNDING: f64 = 1e-4;

/// [`Diagnostic::code`] of a result that depends on the order of warps and blocks.
pub const ORDER_DEPENDENT: &str = "order";

/// What is to be said of every buffer that the order of `seed` leaves with other values than the usual one; `span` is
/// where the last kernel is defined.
pub(super) fn differences(
    usual: &[BufferValues],
    other: &[BufferValues],
    seed: u64,
    span: Span,
) -> Vec<Diagnostic> {
    let pairs = usual.iter().zip(other);
    let found = pairs.filter_map(|(usual, other)| difference(usual, other, seed, span));
    found.collect()
}

/// What is to be said of a buffer that holds other values in another order.
fn difference(
    usual: &BufferValues,
    other: &BufferValues,
    seed: u64,
    span: Span,
) -> Option<Diagnostic> {
    // By bytes, so that a NaN in both is no difference.
    if usual.bytes == other.bytes {
        return None;
    }
    let size = usual.element.size_bytes();
    let elements = usual.bytes.chunks(size).zip(other.bytes.chunks(size));
    let differing = elements.enumerate().filter(|(_, (a, b))| a != b);
    let differing = differing.map(|(at, _)| {
        let value = |buffer: &BufferValues| buffer.get(at).map_or(f64::NAN, Value::as_f64);
        (at, value(usual), value(other))
    });
    let differing: Vec<(usize, f64, f64)> = differing.collect();
    // Relative to the larger: with the smaller, any value would be far from 0.
    let is_small = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
    let is_rounding = usual.element.is_float() && differing.iter().all(|&(_, a, b)| is_small(a, b));
    let &(first, a, b) = differing.first()?;
    let (count, length, name) = (differing.len(), usual.len(), &usual.name);
    let place = format!("element {first} is {a} in order and {b} in the order of seed {seed}");
    let message = format!("`{name}` depends on the order of warps and blocks");
    // Sums of floats by atomics differ on a GPU too, from run to run: no error.
    let described = if is_rounding {
        Diagnostic::warning(span, message).note("all differences are as small as rounding")
    } else {
        Diagnostic::error(span, message)
            .code(ORDER_DEPENDENT)
            .help("run with `--check` to see where threads race")
    };
    Some(
        described
            .label(place)
            .note(format!("{count} of {length} elements differ")),
    )
}
