//! The instructions of textures and surfaces.

use super::sample::{Sampler, address};
use crate::ir::{DESCRIPTOR_BYTES, Instruction, Op, Register, Texture, TextureRequest};
use crate::launch::WARP_LANES;
use crate::simt::fault;
use crate::simt::machine::Machine;
use crate::simt::warp::set_bits;
use crate::source::{Diagnostic, Span};

/// Numbers of `cudaSurfaceBoundaryMode`.
const ZERO_OUTSIDE: u32 = 0;
const CLAMP_OUTSIDE: u32 = 1;

impl Machine<'_> {
    /// Carries out an instruction of textures or surfaces, which stands at `span`, by at least one lane.
    pub(crate) fn texture(&mut self, i: Instruction, span: Span) -> Result<(), Box<Diagnostic>> {
        let mut results = [[0; WARP_LANES]; 4];
        let mut known: Option<(u64, Texture)> = None;
        for lane in set_bits(self.lanes.active()) {
            let word = |register: Register| self.lanes.get(register)[lane];
            let object = u64::from(word(i.a)) | u64::from(word(i.a + 1)) << 32;
            // Lanes mostly share one texture: its descriptor is read again only where another one follows.
            let texture = match known {
                Some((of, texture)) if of == object => texture,
                _ => self.object(object, i.op, span, lane)?,
            };
            known = Some((object, texture));
            let Some(given) = self.lane_channels(i, &texture, lane) else {
                let fault = fault::outside_texture(span, i.op, lane, self.place());
                return Err(Box::new(fault));
            };
            for (to, value) in results.iter_mut().zip(given) {
                to[lane] = value;
            }
        }
        if i.op != Op::SurfaceStore {
            for (at, values) in results.into_iter().enumerate() {
                self.lanes.set(i.dst + at as u16, values);
            }
        }
        Ok(())
    }

    fn object(
        &self,
        object: u64,
        op: Op,
        span: Span,
        lane: usize,
    ) -> Result<Texture, Box<Diagnostic>> {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        let is_read = self.memory.read(object, &mut bytes);
        let texture = Texture::from_bytes(&bytes).filter(|_| is_read);
        let texture = texture.filter(|texture| texture.is_surface == (op != Op::Texture));
        texture.ok_or_else(|| Box::new(fault::no_texture(span, op, lane, self.place())))
    }

    /// What one lane's access of `texture` gives: four channels as bits; nothing where it is a fault.
    fn lane_channels(&self, i: Instruction, texture: &Texture, lane: usize) -> Option<[u32; 4]> {
        let word = |register: Register| self.lanes.get(register)[lane];
        let coordinates = [0, 1, 2].map(|at| word(i.b + at));
        let request = TextureRequest(word(i.b + 3));
        match i.op {
            Op::Texture => Sampler {
                texture,
                memory: self.memory,
                request,
            }
            .sample(coordinates),
            Op::SurfaceLoad => self.surface(texture, request, coordinates, None),
            _ => {
                let value = [0, 1, 2, 3].map(|at| word(i.c + at));
                self.surface(texture, request, coordinates, Some(value))
            }
        }
    }

    /// Reads or writes through a surface; nothing where that is a fault.
    fn surface(
        &self,
        texture: &Texture,
        request: TextureRequest,
        coordinates: [u32; 3],
        value: Option<[u32; 4]>,
    ) -> Option<[u32; 4]> {
        let width = request.width_bytes();
        let address = match surface_offset(texture, request, coordinates)? {
            SurfaceOffset::Inside(offset) => address(texture, offset),
            SurfaceOffset::Zero => return Some([0; 4]),
        };
        let mut bytes = [0; 16];
        let is_moved = match value {
            None => self.memory.read(address, &mut bytes[..width]),
            Some(value) => {
                for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(value) {
                    *to = word.to_le_bytes();
                }
                self.memory.write(address, &bytes[..width])
            }
        };
        let mut words = [0; 4];
        for (to, &from) in words.iter_mut().zip(bytes.as_chunks().0) {
            *to = u32::from_le_bytes(from);
        }
        is_moved.then_some(words)
    }
}

/// Where an access of a surface leads.
enum SurfaceOffset {
    /// To these bytes of a row, row and layer.
    Inside([u64; 3]),
    /// Outside, where reads give zeros and writes do nothing.
    Zero,
}

/// Where coordinates lie after the boundary mode; nothing where outside is a fault.
fn surface_offset(
    texture: &Texture,
    request: TextureRequest,
    coordinates: [u32; 3],
) -> Option<SurfaceOffset> {
    // CUDA C++ Programming Guide, "Surface Functions": x counts bytes, of whole texels.
    let row_bytes = u64::from(texture.extent[0]) * texture.format.size_bytes();
    let mut offset = [0; 3];
    for (axis, to) in offset.iter_mut().enumerate().take(request.dimensions()) {
        let last = match axis {
            0 => row_bytes.checked_sub(request.width_bytes() as u64)?,
            _ => u64::from(texture.extent[axis].max(1)) - 1,
        };
        let at = i64::from(coordinates[axis] as i32);
        *to = match request.boundary_mode() {
            _ if (0..=last as i64).contains(&at) => at as u64,
            ZERO_OUTSIDE => return Some(SurfaceOffset::Zero),
            CLAMP_OUTSIDE => at.clamp(0, last as i64) as u64,
            _ => return None,
        };
    }
    Some(SurfaceOffset::Inside(offset))
}
