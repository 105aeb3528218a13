//! Values between places and registers: which accesses move them.

use super::kernel::{Lower, words};
use super::place::{Address, Located, at_home};
use crate::compile::analysis::Region;
use crate::compile::tree::{ValuePart, parts};
use crate::cuda::{FunctionId, Local, LocalId, Scalar, Type};
use crate::ir::{AccessSite, Extend, Op, Register, Space};
use crate::memory::AccessKind;
use crate::source::Span;

impl Lower<'_> {
    /// What a place of type `ty` holds.
    pub fn load(&mut self, at: Located, ty: &Type, span: Span, into: Option<Register>) -> Register {
        let address = match at {
            Located::Register(register) => return self.settle(register, words(ty), into),
            Located::Memory(address) => address,
        };
        let result = self.result(words(ty), into);
        for chunk in chunks(ty) {
            let part = result + chunk.word as Register;
            let address = address.plus(chunk.offset_bytes);
            if chunk.packed == 1 {
                self.access(AccessKind::Load, address, &chunk, part, span);
            } else {
                let packed = self.emitter.registers(chunk.width_bytes.div_ceil(4));
                self.access(AccessKind::Load, address, &chunk, packed, span);
                self.unpack(&chunk, packed, part);
            }
        }
        result
    }

    /// Stores the value in `register` to a place of type `ty`.
    pub fn store(&mut self, at: Located, ty: &Type, register: Register, span: Span) {
        let address = match at {
            Located::Register(home) => {
                self.settle(register, words(ty), Some(home));
                return;
            }
            Located::Memory(address) => address,
        };
        for chunk in chunks(ty) {
            let part = register + chunk.word as Register;
            let packed = if chunk.packed == 1 {
                part
            } else {
                self.pack(&chunk, part)
            };
            let address = address.plus(chunk.offset_bytes);
            self.access(AccessKind::Store, address, &chunk, packed, span);
        }
    }

    /// Stores a parameter's or result's value to its home, wherever that is.
    pub fn store_local(
        &mut self,
        (function, id): (FunctionId, LocalId),
        local: &Local,
        register: Register,
    ) {
        let home = at_home(self.home_in(function, id), Region::Local);
        self.store(home, &local.ty, register, local.span);
    }

    fn access(
        &mut self,
        kind: AccessKind,
        address: Address,
        chunk: &Chunk,
        register: Register,
        span: Span,
    ) {
        let offset_bytes = i32::try_from(address.offset_bytes).unwrap_or_else(|_| {
            self.refuse(
                span,
                "this offset is over 2 GiB",
                "index from a pointer nearer to it",
            );
            0
        });
        let site = AccessSite {
            kind,
            is_atomic: false,
            one_lane: false,
            is_silent: false,
            is_extra: false,
            space: address.space,
            width_bytes: chunk.width_bytes,
            extend: if chunk.scalar.is_signed() {
                Extend::Sign
            } else {
                Extend::Zero
            },
            index: address.index_type,
            scale_bytes: address.scale_bytes,
            offset_bytes,
            span,
            line: self.emitter.line_of(span),
        };
        let site = self.emitter.site(site, address.region);
        let op = match (kind, address.space) {
            (AccessKind::Load, Space::Generic) => Op::Load,
            (AccessKind::Load, Space::Shared) => Op::LoadShared,
            (AccessKind::Load, Space::Local) => Op::LoadLocal,
            (AccessKind::Store, Space::Generic) => Op::Store,
            (AccessKind::Store, Space::Shared) => Op::StoreShared,
            (AccessKind::Store, Space::Local) => Op::StoreLocal,
        };
        self.emitter
            .op(op, register, &[address.base, address.index], site);
    }

    /// A pair of 16-bit values in one word.
    pub fn packed(&mut self, of: Scalar, first: Register) -> Register {
        self.pack(&pair(of), first)
    }

    /// The two values of such a word, in `first` and the next register.
    pub fn unpacked(&mut self, of: Scalar, word: Register, first: Register) {
        self.unpack(&pair(of), word, first);
    }

    /// Spreads components of fewer than 32 bits over a register each.
    fn unpack(&mut self, chunk: &Chunk, packed: Register, first: Register) {
        let bits = chunk.scalar.size_bytes() * 8;
        for i in 0..chunk.packed {
            let word = packed + (i * bits / 32) as Register;
            let left = self.emitter.const32(32 - bits - i * bits % 32);
            let right = self.emitter.const32(32 - bits);
            let shift = if chunk.scalar.is_signed() {
                Op::ShrI32
            } else {
                Op::ShrU32
            };
            let component = first + i as Register;
            self.emitter.op(Op::Shl32, component, &[word, left], 0);
            self.emitter.op(shift, component, &[component, right], 0);
        }
    }

    /// Joins components of fewer than 32 bits into words.
    fn pack(&mut self, chunk: &Chunk, first: Register) -> Register {
        let bits = chunk.scalar.size_bytes() * 8;
        let packed = self.emitter.registers(chunk.width_bytes.div_ceil(4));
        let mask = self.emitter.const32(u32::MAX >> (32 - bits));
        let part = self.emitter.registers(1);
        for i in 0..chunk.packed {
            let (word, left) = (packed + (i * bits / 32) as Register, i * bits % 32);
            let component = first + i as Register;
            if left == 0 {
                self.emitter.op(Op::And32, word, &[component, mask], 0);
                continue;
            }
            let distance = self.emitter.const32(left);
            self.emitter.op(Op::And32, part, &[component, mask], 0);
            self.emitter.op(Op::Shl32, part, &[part, distance], 0);
            self.emitter.op(Op::Or32, word, &[word, part], 0);
        }
        packed
    }
}

/// A part of a value that one access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk {
    /// Type of its components.
    scalar: Scalar,
    /// Bytes.
    width_bytes: u32,
    /// Where it begins in memory.
    offset_bytes: u32,
    /// Where it begins in registers.
    word: u32,
    /// Components that share a word in memory but not in registers; 1 if none do.
    packed: u32,
}

/// Two 16-bit values that share a word.
fn pair(of: Scalar) -> Chunk {
    Chunk {
        scalar: of,
        width_bytes: 4,
        offset_bytes: 0,
        word: 0,
        packed: 2,
    }
}

/// The accesses that move a value: as few as its alignment allows, of up to 16 bytes, as `nvcc`
/// joins them. Padding is never moved.
fn chunks(ty: &Type) -> Vec<Chunk> {
    let align_bytes = ty.align_bytes().min(16);
    let parts = parts(ty);
    let mut chunks = Vec::new();
    let mut rest = &parts[..];
    while let Some(first) = rest.first() {
        let count = joined(rest, align_bytes);
        let scalar = match first.ty {
            Type::Scalar(scalar) => scalar,
            _ => Scalar::U64,
        };
        let size_bytes = scalar.size_bytes();
        let packs = size_bytes < 4 && count > 1;
        chunks.push(Chunk {
            scalar,
            width_bytes: rest[..count].iter().map(|part| part.ty.size_bytes()).sum(),
            offset_bytes: first.offset_bytes,
            word: first.word,
            packed: if packs { count as u32 } else { 1 },
        });
        rest = &rest[count..];
    }
    chunks
}

/// The accesses that move a value of a type as it is written: how far each lies from its beginning,
/// and how many bytes it moves.
pub fn access_widths(ty: &Type) -> Vec<(u32, u32)> {
    let chunks = chunks(ty).into_iter();
    let places = chunks.map(|chunk| (chunk.offset_bytes, chunk.width_bytes));
    places.collect()
}

/// How many of the parts that come first one access can move.
fn joined(parts: &[ValuePart], align_bytes: u32) -> usize {
    let first = &parts[0];
    let narrow = first.ty.size_bytes() < 4;
    let mut best = 1;
    let mut bytes = 0;
    for (count, part) in parts.iter().enumerate() {
        let follows = part.offset_bytes == first.offset_bytes + bytes;
        let same = match narrow {
            true => part.ty == first.ty,
            false => part.ty.size_bytes() >= 4,
        };
        if !follows || !same {
            break;
        }
        bytes += part.ty.size_bytes();
        if bytes > align_bytes {
            break;
        }
        let fits = bytes.is_power_of_two() && first.offset_bytes.is_multiple_of(bytes);
        if fits {
            best = count + 1;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(scalar: Scalar, lanes: u32) -> Vec<u32> {
        chunks(&Type::Vector(scalar, lanes))
            .iter()
            .map(|chunk| chunk.width_bytes)
            .collect()
    }

    #[test]
    fn vectors_move_in_one_access_where_their_alignment_allows() {
        assert_eq!(widths(Scalar::F32, 4), [16]);
        assert_eq!(widths(Scalar::F32, 3), [4, 4, 4]);
        assert_eq!(widths(Scalar::F64, 4), [16, 16]);
        assert_eq!(widths(Scalar::U8, 4), [4]);
        assert_eq!(widths(Scalar::U8, 3), [1, 1, 1]);
    }
}
