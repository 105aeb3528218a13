//! What a texture gives at a place.

use super::coordinate::{Direction, Position};
use super::{texel, weights};
use crate::ir::{AddressMode, TexelKind, Texture, TextureRequest};
use crate::simt::global_memory::GlobalMemory;

/// A texture and the memory that its texels lie in.
#[derive(Clone, Copy)]
pub struct Sampler<'a> {
    pub texture: &'a Texture,
    pub memory: &'a GlobalMemory,
    /// What is asked of it.
    pub request: TextureRequest,
}

impl Sampler<'_> {
    /// The four channels, as bits, at coordinates that are floats, but for a layer; nothing where memory is missing.
    pub fn sample(&self, coordinates: [u32; 3]) -> Option<[u32; 4]> {
        if self.request.is_fetch() {
            return self.fetch(coordinates[0]);
        }
        if let Some(channel) = self.request.gathered_channel() {
            return self.gather(coordinates, channel);
        }
        let positions = self.positions(coordinates);
        let Texture {
            format, sampling, ..
        } = *self.texture;
        let is_number = sampling.gives_floats || format.kind == TexelKind::Float;
        if !sampling.is_linear || !is_number {
            return self.nearest(positions.map(|position| position.texels[0]));
        }
        let sums = self.weighted_sums(&positions)?;
        // A channel that the format lacks reads as 0, alpha as 1.
        let mut values = [0.0, 0.0, 0.0, 1.0f32];
        for (value, sum) in values
            .iter_mut()
            .zip(sums)
            .take(usize::from(format.channels))
        {
            *value = texel::weighed(format, sum / 256.0);
        }
        Some(values.map(f32::to_bits))
    }

    /// A channel of each of the four texels that linear filtering would weigh, in the order of PTX's `tld4`: from that
    /// with the lowest x and the highest y on, towards higher x, and then back at lower y.
    fn gather(&self, coordinates: [u32; 3], channel: usize) -> Option<[u32; 4]> {
        let mut texture = *self.texture;
        texture.sampling.is_linear = true;
        let around = Sampler {
            texture: &texture,
            ..*self
        };
        let [x, y, _] = around.positions(coordinates);
        let mut gathered = [0; 4];
        for (to, (at_x, at_y)) in gathered.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            *to = self.nearest([x.texels[at_x], y.texels[at_y], Some(0)])?[channel];
        }
        Some(gathered)
    }

    /// The sums of the texels around `positions`, each channel times the texel's weight in 256ths.
    fn weighted_sums(&self, positions: &[Position; 3]) -> Option<[f64; 4]> {
        let Texture {
            format, sampling, ..
        } = *self.texture;
        let mut sums = [0.0; 4];
        let weights = self.weights(positions).into_iter().enumerate();
        // Without weight a texel adds nothing, be it infinite or no number.
        for (at, weight) in weights.filter(|(_, weight)| *weight > 0) {
            let which = [at & 1, at >> 1 & 1, at >> 2];
            let place = [0, 1, 2].map(|axis| positions[axis].texels[which[axis]]);
            let bytes = self.texel(place)?;
            for (channel, sum) in sums
                .iter_mut()
                .enumerate()
                .take(usize::from(format.channels))
            {
                let number = match &bytes {
                    Some(bytes) => texel::number(format, bytes, channel),
                    None => texel::border_number(format, sampling.border[channel]),
                };
                *sum += f64::from(weight) * number;
            }
        }
        Some(sums)
    }

    /// The weights of the eight texels around `positions`: bit 0 of a texel's number is its side in x, bit 1 in y, bit 2 in z.
    fn weights(&self, positions: &[Position; 3]) -> [u32; 8] {
        let shares = [0, 1, 2].map(|axis| positions[axis].weight);
        match self.request.dimensions() == 3 && !self.request.is_layered() {
            true => weights::of_cube(shares),
            false => {
                let [a, b, c, d] = weights::of_square([shares[0], shares[1]]);
                [a, b, c, d, 0, 0, 0, 0]
            }
        }
    }

    /// A texel of linear memory; zero behind its end.
    fn fetch(&self, at: u32) -> Option<[u32; 4]> {
        let Texture {
            extent,
            format,
            sampling,
            ..
        } = *self.texture;
        match at < extent[0] {
            true => self.nearest([Some(at), Some(0), Some(0)]),
            false => Some(texel::channels(format, &[0; 16], sampling.gives_floats)),
        }
    }

    fn positions(&self, coordinates: [u32; 3]) -> [Position; 3] {
        let Texture {
            extent, sampling, ..
        } = *self.texture;
        let request = self.request;
        [0, 1, 2].map(|axis| {
            let direction = Direction {
                extent: extent[axis].max(1),
                mode: sampling.address_modes[axis],
                is_normalised: sampling.is_normalised,
            };
            if request.is_layered() && axis + 1 == request.dimensions() {
                let layer = (coordinates[axis] as i32).clamp(0, direction.extent as i32 - 1);
                let texels = [u32::try_from(layer).ok(); 2];
                return Position { texels, weight: 0 };
            }
            let is_named = axis < request.dimensions();
            let coordinate = match is_named {
                true => f32::from_bits(coordinates[axis]),
                false => 0.0,
            };
            // A texture of one dimension is one of two whose second coordinate is 0, which falls half outside.
            let is_half_outside = axis == 1 && direction.mode == AddressMode::Border;
            match sampling.is_linear && (is_named || is_half_outside) {
                true => direction.linear(coordinate),
                false => direction.nearest(coordinate),
            }
        })
    }

    fn nearest(&self, place: [Option<u32>; 3]) -> Option<[u32; 4]> {
        let Texture {
            format, sampling, ..
        } = *self.texture;
        if let Some(bytes) = self.texel(place)? {
            return Some(texel::channels(format, &bytes, sampling.gives_floats));
        }
        let is_number = sampling.gives_floats || format.kind == TexelKind::Float;
        let mut outside = texel::channels(format, &[0; 16], sampling.gives_floats);
        for (to, colour) in outside
            .iter_mut()
            .zip(sampling.border)
            .take(usize::from(format.channels))
        {
            *to = match is_number {
                true => texel::unweighed(format, texel::border_number(format, colour)).to_bits(),
                // The colour of integers is given as their bits.
                false => colour.to_bits(),
            };
        }
        Some(outside)
    }

    /// The bytes of a texel; none outside. Nothing where memory is missing.
    fn texel(&self, place: [Option<u32>; 3]) -> Option<Option<[u8; 16]>> {
        let [Some(x), Some(y), Some(z)] = place else {
            return Some(None);
        };
        let mut bytes = [0; 16];
        let wide = self.texture.format.size_bytes();
        let address = address(self.texture, [u64::from(x) * wide, y.into(), z.into()]);
        let is_read = self.memory.read(address, &mut bytes[..wide as usize]);
        is_read.then_some(Some(bytes))
    }
}

/// Where the byte x of the row y of the layer z lies.
pub fn address(texture: &Texture, [x, y, z]: [u64; 3]) -> u64 {
    texture.address + x + y * texture.row_bytes + z * texture.slice_bytes
}
