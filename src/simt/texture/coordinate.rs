//! A coordinate: which texels it falls on, and how much of the second.

use crate::ir::AddressMode;

/// Where a coordinate falls in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The two texels that are weighed; nothing outside, where the border's colour is.
    pub texels: [Option<u32>; 2],
    /// How much of the second, in 256ths.
    pub weight: u32,
}

/// Steps of a normalised coordinate.
const NORMALISED_STEPS: f64 = (1 << 21) as f64;
/// Steps of a weight.
const WEIGHT_STEPS: f64 = 256.0;
/// Coordinates beyond lie outside, however large a texture is.
const FARTHEST: f64 = 1e9;

/// How coordinates of one direction are understood.
#[derive(Clone, Copy)]
pub struct Direction {
    /// Texels.
    pub extent: u32,
    /// What lies outside.
    pub mode: AddressMode,
    /// Whether coordinates go from 0 to 1.
    pub is_normalised: bool,
}

impl Direction {
    /// Where a coordinate falls between two texels.
    pub fn linear(self, coordinate: f32) -> Position {
        let at = ((self.in_texels(coordinate) - 0.5) * WEIGHT_STEPS + 0.5).floor();
        let first = (at / WEIGHT_STEPS).floor();
        let weight = (at - first * WEIGHT_STEPS) as u32;
        let (first, last) = (first as i64, i64::from(self.extent) - 1);
        // At the edge there is one texel, of which all is taken.
        let is_one = self.clamps() && (first < 0 || first >= last);
        Position {
            texels: [first, first + 1].map(|texel| self.texel(texel)),
            weight: if is_one { 0 } else { weight },
        }
    }

    /// The texel that a coordinate falls on.
    pub fn nearest(self, coordinate: f32) -> Position {
        let texel = self.in_texels(coordinate).floor() as i64;
        Position {
            texels: [self.texel(texel); 2],
            weight: 0,
        }
    }

    /// Wrapping and mirroring are for normalised coordinates; others are clamped.
    fn clamps(self) -> bool {
        self.mode == AddressMode::Clamp || (!self.is_normalised && self.mode != AddressMode::Border)
    }

    /// A coordinate in texels, the normalised ones inside the texture where they wrap or are mirrored.
    fn in_texels(self, coordinate: f32) -> f64 {
        let coordinate = f64::from(coordinate);
        if coordinate.is_nan() {
            return 0.0;
        }
        if !self.is_normalised {
            return coordinate.clamp(-FARTHEST, FARTHEST);
        }
        let extent = f64::from(self.extent);
        let steps = (coordinate * NORMALISED_STEPS).floor() / NORMALISED_STEPS;
        let (whole, part) = (steps.floor(), steps - steps.floor());
        let inside = match self.mode {
            AddressMode::Wrap if !steps.is_finite() => 0.0,
            AddressMode::Mirror if !steps.is_finite() => 0.0,
            AddressMode::Wrap => part,
            AddressMode::Mirror if whole.rem_euclid(2.0) == 1.0 => 1.0 - part,
            AddressMode::Mirror => part,
            AddressMode::Clamp | AddressMode::Border => steps,
        };
        (inside * extent).clamp(-FARTHEST, FARTHEST)
    }

    fn texel(self, texel: i64) -> Option<u32> {
        let extent = i64::from(self.extent.max(1));
        let inside = match self.mode {
            AddressMode::Wrap if self.is_normalised => texel.rem_euclid(extent),
            AddressMode::Border if !(0..extent).contains(&texel) => return None,
            _ => texel.clamp(0, extent - 1),
        };
        u32::try_from(inside).ok()
    }
}
