//! How two values relate that ought to be the same.

use serde::Serialize;

use crate::launch::ValueType;

/// Units in the last place up to which floating-point values count as rounded differently, where
/// nobody says otherwise.
pub const ROUNDING_ULPS: u64 = 64;

/// How two values relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The same bits, or no numbers both.
    Equal,
    /// Floating-point values so many units in the last place apart.
    Rounding(u64),
    /// Different addresses that lie in none of the plan's buffers: they mean nothing to each other.
    Address,
    /// Anything else.
    Different,
    /// The real GPU did not execute it.
    OnlySimulated,
    /// The simulated GPU did not execute it.
    OnlyReal,
}

impl Relation {
    /// Whether values are neither the same, nor rounded differently, nor addresses.
    pub fn differs(self) -> bool {
        !matches!(
            self,
            Relation::Equal | Relation::Address | Relation::Rounding(_)
        )
    }

    /// How much it says against a value.
    pub(crate) fn weight(self) -> (u8, u64) {
        match self {
            Relation::Equal => (0, 0),
            Relation::Address => (1, 0),
            Relation::Rounding(ulps) => (2, ulps),
            Relation::OnlySimulated | Relation::OnlyReal => (3, 0),
            Relation::Different => (4, 0),
        }
    }
}

/// How the bits of two values of a type relate.
pub fn relation(value_type: ValueType, simulated: u64, real: u64, most_ulps: u64) -> Relation {
    let element = match value_type {
        ValueType::Bool if (simulated != 0) == (real != 0) => return Relation::Equal,
        ValueType::Pointer if simulated == real => return Relation::Equal,
        ValueType::Pointer => return Relation::Address,
        ValueType::Bool => return Relation::Different,
        ValueType::Number(element) => element,
    };
    let mask = u64::MAX >> (64 - 8 * element.size_bytes());
    let (simulated, real) = (simulated & mask, real & mask);
    if simulated == real {
        return Relation::Equal;
    }
    if !element.is_float() {
        return Relation::Different;
    }
    let (a, b) = (
        element.value(simulated).as_f64(),
        element.value(real).as_f64(),
    );
    if a.is_nan() && b.is_nan() {
        return Relation::Equal;
    }
    match element.ulps_apart(simulated, real) {
        Some(ulps) if a.is_finite() && b.is_finite() && ulps <= most_ulps => {
            Relation::Rounding(ulps)
        }
        _ => Relation::Different,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ElementType;

    #[test]
    fn values_are_classed_by_their_type() {
        let number = |element, a, b| relation(ValueType::Number(element), a, b, 2);
        assert_eq!(number(ElementType::F32, 0, 1 << 31), Relation::Rounding(0));
        assert_eq!(
            number(ElementType::F32, 1, 1 << 31 | 1),
            Relation::Rounding(2)
        );
        assert_eq!(
            number(ElementType::F16, 0x3c00, 0x3c02),
            Relation::Rounding(2)
        );
        assert_eq!(
            number(ElementType::F16, 0x3c00, 0x3c03),
            Relation::Different
        );
        assert_eq!(
            number(ElementType::F32, 0x7fc0_0000, 0xffc0_0001),
            Relation::Equal
        );
        assert_eq!(
            number(ElementType::F32, 0x7f7f_ffff, 0x7f80_0000),
            Relation::Different
        );
        assert_eq!(number(ElementType::I32, 1, 2), Relation::Different);
        // Narrow integers may be extended, or not.
        assert_eq!(number(ElementType::I8, 0xffff_ffff, 0xff), Relation::Equal);
        assert_eq!(relation(ValueType::Pointer, 1, 2, 0), Relation::Address);
        assert_eq!(relation(ValueType::Bool, 1, 255, 0), Relation::Equal);
    }
}
