//! What a texture or surface object stands for: code of the host writes it to a buffer, whose address is the object,
//! and the machine reads it there. What NVIDIA's objects hold is not documented; this is our own.

/// Bytes of a descriptor: the struct `__cudaTexture` in the header of arrays.
pub const DESCRIPTOR_BYTES: usize = 80;

/// What the first bytes of a descriptor say, so that a number that is no object is refused.
const MARK: u64 = u64::from_le_bytes(*b"texture\x01");

/// What a channel of a texel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelKind {
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A floating-point number of 16 or 32 bits.
    Float,
}

/// How a texel is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFormat {
    /// 1, 2 or 4.
    pub channels: u8,
    /// Of a channel: 8, 16 or 32.
    pub bits: u8,
    /// What a channel holds.
    pub kind: TexelKind,
}

impl TexelFormat {
    /// Bytes of a texel.
    pub fn size_bytes(self) -> u64 {
        u64::from(self.channels) * u64::from(self.bits) / 8
    }
}

/// What is read outside of a texture, numbered as `cudaTextureAddressMode` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// The texture again.
    Wrap,
    /// Its edge.
    Clamp,
    /// The texture again, every other one turned over.
    Mirror,
    /// A colour.
    Border,
}

/// How values are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Of x, y and z.
    pub address_modes: [AddressMode; 3],
    /// Whether neighbours are weighed, or the nearest texel is taken.
    pub is_linear: bool,
    /// Whether coordinates go from 0 to 1.
    pub is_normalised: bool,
    /// Whether integers are read as numbers between 0 or -1 and 1.
    pub gives_floats: bool,
    /// The colour outside.
    pub border: [f32; 4],
}

/// A texture or surface object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// Where its first texel lies.
    pub address: u64,
    /// Texels in x, y and z; 0 in the directions that it has not.
    pub extent: [u32; 3],
    /// Bytes from one row to the next.
    pub row_bytes: u64,
    /// Bytes from one layer to the next.
    pub slice_bytes: u64,
    /// How texels are stored.
    pub format: TexelFormat,
    /// Whether it was made for surface functions, or for texture functions.
    pub is_surface: bool,
    /// Of a texture, how it is read.
    pub sampling: Sampling,
}

impl Texture {
    /// What a descriptor says; nothing where it is none.
    pub fn from_bytes(bytes: &[u8; DESCRIPTOR_BYTES]) -> Option<Texture> {
        let (words, rest) = bytes.split_at(32);
        let (halves, small) = rest.split_at(28);
        let (words, halves) = (words.as_chunks().0.iter(), halves.as_chunks().0.iter());
        let mut words = words.map(|&word| u64::from_le_bytes(word));
        let mut halves = halves.map(|&half| u32::from_le_bytes(half));
        let mut half = || halves.next().unwrap_or(0);
        if words.next() != Some(MARK) {
            return None;
        }
        let mut word = || words.next().unwrap_or(0);
        Some(Texture {
            address: word(),
            row_bytes: word(),
            slice_bytes: word(),
            extent: [half(), half(), half()],
            format: TexelFormat {
                channels: small[0],
                bits: small[1],
                kind: texel_kind(small[2]),
            },
            is_surface: small[3] != 0,
            sampling: Sampling {
                address_modes: [7, 8, 9].map(|at| address_mode(small[at])),
                is_linear: small[4] != 0,
                is_normalised: small[5] != 0,
                gives_floats: small[6] != 0,
                border: [half(), half(), half(), half()].map(f32::from_bits),
            },
        })
    }
}

/// The mode of a number of `cudaTextureAddressMode`.
fn address_mode(number: u8) -> AddressMode {
    match number {
        0 => AddressMode::Wrap,
        1 => AddressMode::Clamp,
        2 => AddressMode::Mirror,
        _ => AddressMode::Border,
    }
}

/// The kind that [`Texture::to_bytes`] has written as this number.
fn texel_kind(number: u8) -> TexelKind {
    match number {
        0 => TexelKind::Signed,
        1 => TexelKind::Unsigned,
        _ => TexelKind::Float,
    }
}

/// What a texture or surface function asks for, as it stands in the last operand of its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRequest(pub u32);

impl TextureRequest {
    /// Directions that its coordinates name: 1, 2 or 3.
    pub fn dimensions(self) -> usize {
        (self.0 & 3) as usize
    }

    /// Whether coordinates are whole numbers, as of `tex1Dfetch`.
    pub fn is_fetch(self) -> bool {
        self.0 & 4 != 0
    }

    /// Whether the third coordinate is the number of a layer.
    pub fn is_layered(self) -> bool {
        self.0 & 8 != 0
    }

    /// Of a texture function, the channel that is asked of each of the four texels around, as of `tex2Dgather`.
    pub fn gathered_channel(self) -> Option<usize> {
        (self.0 & 64 != 0).then_some((self.0 >> 8 & 3) as usize)
    }

    /// Of a surface function: zero outside, the edge, or a fault, as `cudaSurfaceBoundaryMode` has them.
    pub fn boundary_mode(self) -> u32 {
        self.0 >> 4 & 3
    }

    /// Of a surface function: bytes that are moved.
    pub fn width_bytes(self) -> usize {
        (self.0 >> 8 & 31) as usize
    }
}
