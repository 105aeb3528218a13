//! How two values relate that ought to be the same.

use serde::Serialize;

use crate::launch::ValueType;

/// Units in the last place up to which floating-point values count as rounded differently, where
/// nobody says otherwise.
pub const ROUNDING_ULPS: u64 = 64;

/// How far apart values may be for it, in distances of neighbours of the largest value that the statement gives:
/// `1.0f - 2.0f / (expf(x) + 1.0f)` gives values from -1 to 1, and where it is nearly zero, what is left of its
/// operands' last bit is many units of its own.
const ROUNDING_OF_LARGEST: f64 = 4.0;

/// Which floating-point values count as rounded differently.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// Those so many units in the last place apart.
    pub most_ulps: u64,
    /// The largest magnitude that the statement gives; nothing where only units in the last place count.
    pub largest: Option<f64>,
}

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
pub fn relation(value_type: ValueType, simulated: u64, real: u64, rounding: Rounding) -> Relation {
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
    let spacing = rounding
        .largest
        .and_then(|largest| element.spacing(largest));
    let most = ROUNDING_OF_LARGEST.min(rounding.most_ulps as f64);
    let is_near = spacing.is_some_and(|spacing| (a - b).abs() <= most * spacing);
    match element.ulps_apart(simulated, real) {
        Some(ulps) if a.is_finite() && b.is_finite() && (is_near || ulps <= rounding.most_ulps) => {
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
        let rounding = |largest| Rounding {
            most_ulps: 2,
            largest,
        };
        let relation = |of, a, b| relation(of, a, b, rounding(None));
        let number = |element, a, b| relation(ValueType::Number(element), a, b);
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
        assert_eq!(relation(ValueType::Pointer, 1, 2), Relation::Address);
        assert_eq!(relation(ValueType::Bool, 1, 255), Relation::Equal);
    }

    #[test]
    fn what_is_left_of_larger_values_is_rounded_as_they_are() {
        // 1 - 2 / (e + 1) near zero, where e is one unit of 1.0 apart.
        let bits = |value: f32| u64::from(value.to_bits());
        let (a, b) = (bits(0.0019), bits(0.0019 + f32::EPSILON));
        let of = |largest| {
            let rounding = Rounding {
                most_ulps: ROUNDING_ULPS,
                largest,
            };
            relation(ValueType::Number(ElementType::F32), a, b, rounding)
        };
        assert!(matches!(of(Some(0.9)), Relation::Rounding(512..=1024)));
        assert_eq!(of(Some(0.002)), Relation::Different);
        assert_eq!(of(None), Relation::Different);
    }
}
