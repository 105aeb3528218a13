//! Floating-point numbers of 8 bits, as the GPU's `cvt` has them (PTX ISA, `e4m3` and `e5m2`).

/// How such numbers are made of bits.
#[derive(Clone, Copy, Debug)]
pub struct Float8 {
    /// Bits of the fraction.
    fraction: u32,
    /// What is added to exponents.
    bias: i32,
    /// The code of the greatest number.
    greatest: u8,
    /// The code of infinity, which `e4m3` has none of.
    infinity: Option<u8>,
}

/// Four bits of exponent, three of fraction.
pub const E4M3: Float8 = Float8 {
    fraction: 3,
    bias: 7,
    greatest: 0x7e,
    infinity: None,
};

/// Five bits of exponent, two of fraction.
pub const E5M2: Float8 = Float8 {
    fraction: 2,
    bias: 15,
    greatest: 0x7b,
    infinity: Some(0x7c),
};

/// The one code for what is no number that conversions give.
const NAN: u8 = 0x7f;

impl Float8 {
    /// The number that a code stands for.
    pub fn value(self, code: u8) -> f64 {
        let size = code & 0x7f;
        let sign = if code > 0x7f { -1.0 } else { 1.0 };
        match size {
            _ if self.infinity == Some(size) => sign * f64::INFINITY,
            _ if size > self.greatest => f64::NAN,
            _ => sign * self.size(size),
        }
    }

    fn size(self, code: u8) -> f64 {
        let fraction = f64::from(code & ((1 << self.fraction) - 1));
        let hidden = f64::from(1 << self.fraction);
        let exponent = i32::from(code >> self.fraction);
        // The smallest exponent has no hidden bit.
        let (whole, exponent) = match exponent {
            0 => (fraction, 1),
            _ => (fraction + hidden, exponent),
        };
        whole / hidden * 2_f64.powi(exponent - self.bias)
    }

    /// The code of the nearest number, of two as near the even one; of what is too large that of the greatest, as
    /// `satfinite` says.
    pub fn nearest(self, value: f64) -> u8 {
        if value.is_nan() {
            return NAN;
        }
        let sign = u8::from(value.is_sign_negative()) << 7;
        let size = value.abs();
        // Codes are ordered as their numbers are.
        let (mut low, mut high) = (0, self.greatest);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.size(middle) <= size {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (below, above) = (size - self.size(low), self.size(high) - size);
        let is_nearer = above < below || (above == below && high % 2 == 0);
        sign | if is_nearer { high } else { low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_codes_of_the_formats() {
        // PTX ISA and OCP's "8-bit Floating Point Specification": the greatest, the smallest normal and the smallest number.
        assert_eq!(E4M3.value(0x7e), 448.0);
        assert_eq!(E4M3.value(0x08), 2_f64.powi(-6));
        assert_eq!(E4M3.value(0x01), 2_f64.powi(-9));
        assert!(E4M3.value(0xff).is_nan());
        assert_eq!(E5M2.value(0x7b), 57344.0);
        assert_eq!(E5M2.value(0x04), 2_f64.powi(-14));
        assert_eq!(E5M2.value(0x81), -2_f64.powi(-16));
        assert_eq!(E5M2.value(0xfc), f64::NEG_INFINITY);
    }

    #[test]
    fn every_number_is_nearest_to_itself() {
        for of in [E4M3, E5M2] {
            for code in (0..=255).filter(|code| of.value(*code).is_finite()) {
                assert_eq!(of.nearest(of.value(code)), code);
            }
        }
    }

    #[test]
    fn halves_go_to_the_even_number_and_what_is_too_large_to_the_greatest() {
        // Between 1.0 (0x38) and 1.125 (0x39), and between 1.125 and 1.25 (0x3a).
        assert_eq!(E4M3.nearest(1.0625), 0x38);
        assert_eq!(E4M3.nearest(1.1875), 0x3a);
        assert_eq!(E4M3.nearest(1e9), 0x7e);
        assert_eq!(E4M3.nearest(-f64::INFINITY), 0xfe);
        assert_eq!(E5M2.nearest(f64::INFINITY), 0x7b);
        assert_eq!(E4M3.nearest(2_f64.powi(-11)), 0);
        assert_eq!(E4M3.nearest(f64::NAN), 0x7f);
    }
}
