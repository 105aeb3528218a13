//! Places: their addresses, and the accesses that move values between them and registers.

use super::lowering::Lower;
use crate::compile::analysis::{Binding, ByteRange, Location, Region, is_offset};
use crate::compile::tree::{Chunk, chunks, field, words};
use crate::cuda::{Expr, ExprKind, FunctionId, LocalId, Place, PlaceKind, Scalar, Type};
use crate::ir::{
    AccessSite, IndexType, LOCAL_BASE, NO_REGISTER, Op, Register, SHARED_BASE, Space, ValueKind,
};
use crate::memory::AccessKind;
use crate::source::Span;

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Located {
    /// In registers, from this one on.
    Register(Register),
    /// In memory.
    Memory(Address),
}

impl Located {
    /// A part of what is here: so many bytes further on in memory, or so many registers.
    pub fn plus(self, bytes: u32, words: u32) -> Self {
        match self {
            Located::Register(first) => Located::Register(first + words as Register),
            Located::Memory(address) => Located::Memory(address.plus(bytes)),
        }
    }
}

/// An address in the form that accesses take: base + index * scale + offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub space: Space,
    /// What it may meet.
    pub region: Region,
    pub base: Register,
    pub index: Register,
    pub index_type: IndexType,
    pub scale_bytes: u32,
    pub offset_bytes: i64,
}

impl Address {
    pub fn new(space: Space, region: Region, base: Register, offset_bytes: i64) -> Self {
        // Verification knows this register: an index that is none is read by nobody.
        let (index, index_type) = (NO_REGISTER, IndexType::None);
        Address {
            space,
            region,
            base,
            index,
            index_type,
            scale_bytes: 0,
            offset_bytes,
        }
    }

    /// The address so many bytes further on.
    pub fn plus(self, bytes: u32) -> Self {
        Address {
            offset_bytes: self.offset_bytes + i64::from(bytes),
            ..self
        }
    }
}

fn index_type(ty: &Type) -> IndexType {
    match ty.scalar() {
        Some(Scalar::I64 | Scalar::U64) => IndexType::I64,
        // Narrower integers are extended to 32 bits in registers.
        Some(scalar) if scalar.is_signed() => IndexType::I32,
        _ => IndexType::U32,
    }
}

impl Lower<'_> {
    /// Evaluates what a place needs and says where it is.
    pub fn locate(&mut self, place: &Place) -> Located {
        match &place.kind {
            PlaceKind::Local(local) => {
                let region = self.context.region_of(place);
                located(self.context.location(*local), region)
            }
            PlaceKind::File(id) => Located::Memory(self.file_address(*id)),
            PlaceKind::Deref(pointer) => match self.context.binding(pointer).cloned() {
                Some(Binding { function, place }) => {
                    // A reference parameter of an inlined call stands for a place of the caller, in the caller's
                    // variables.
                    self.in_function(function, |lower| lower.locate(&place))
                }
                None => Located::Memory(self.address_of_pointer(pointer)),
            },
            PlaceKind::Index(base, index) => match self.locate(base) {
                Located::Memory(address) => {
                    Located::Memory(self.indexed(address, index, place.ty.size_bytes()))
                }
                Located::Register(register) => {
                    let ExprKind::Constant(at) = index.kind else {
                        unreachable!("arrays with other indices live in memory")
                    };
                    Located::Register(register + (at as u32 * words(&place.ty)) as Register)
                }
            },
            PlaceKind::Member(base, index) => {
                let part = field(&base.ty, *index).expect("the checker found the field");
                self.locate(base).plus(part.offset_bytes, part.word)
            }
            PlaceKind::Component(base, component) => {
                let (size_bytes, size) = (place.ty.size_bytes(), words(&place.ty));
                let base = self.locate(base);
                base.plus(component * size_bytes, component * size)
            }
        }
    }

    /// Where a pointer points.
    pub fn address_of_pointer(&mut self, pointer: &Expr) -> Address {
        if let Some(Binding { function, place }) = self.context.binding(pointer).cloned() {
            return match self.in_function(function, |lower| lower.locate(&place)) {
                Located::Memory(address) => address,
                Located::Register(_) => unreachable!("what has an address lives in memory"),
            };
        }
        match &pointer.kind {
            ExprKind::AddressOf(place) => match self.locate(place) {
                Located::Memory(address) => address,
                Located::Register(_) => unreachable!("what has an address lives in memory"),
            },
            // A cast leaves a pointer where it is.
            ExprKind::Convert(other)
                if self.context.is_generated && matches!(other.ty, Type::Pointer { .. }) =>
            {
                self.address_of_pointer(other)
            }
            ExprKind::PointerOffset(base, index) => {
                if let Some(address) = self.known_address(pointer) {
                    return address;
                }
                let address = match self.context.is_generated && is_offset(base) {
                    true => self.address_in_register(base),
                    false => self.address_of_pointer(base),
                };
                let size_bytes = match &pointer.ty {
                    Type::Pointer { to, .. } => to.size_bytes(),
                    _ => 1,
                };
                self.indexed(address, index, size_bytes)
            }
            // Any other expression gives an address at run time.
            _ => self.address_in_register(pointer),
        }
    }

    /// The address that a pointer's value is: which memory it leads to, only the value says.
    fn address_in_register(&mut self, pointer: &Expr) -> Address {
        let region = self.context.region_of_pointer(pointer);
        let base = self.expr(pointer, None);
        Address::new(Space::Generic, region, base, 0)
    }

    /// The address that a pointer is known to have, as it was computed before a loop.
    fn known_address(&mut self, pointer: &Expr) -> Option<Address> {
        if !self.context.is_generated || !self.optimises() {
            return None;
        }
        let function = self.context.function;
        let known = self.emitter.facts.expressions.find(function, pointer)?;
        let region = self.context.region_of_pointer(pointer);
        Some(Address::new(Space::Generic, region, known, 0))
    }

    /// `address` plus `index` elements of `size_bytes`.
    fn indexed(&mut self, address: Address, index: &Expr, size_bytes: u32) -> Address {
        if let ExprKind::Constant(bits) = index.kind {
            let offset_bytes = (bits as i64)
                .checked_mul(i64::from(size_bytes))
                .and_then(|bytes| bytes.checked_add(address.offset_bytes))
                // Larger offsets go through a register.
                .filter(|&bytes| i32::try_from(bytes).is_ok());
            if let Some(offset_bytes) = offset_bytes {
                return Address {
                    offset_bytes,
                    ..address
                };
            }
        }
        // One index at a time: of `a[i][j]`, `i` is multiplied and added first.
        let base = self.folded(address);
        let register = self.expr(index, None);
        let index_type = index_type(&index.ty);
        Address {
            index: register,
            index_type,
            scale_bytes: size_bytes,
            ..base
        }
    }

    /// The same address without an index.
    fn folded(&mut self, address: Address) -> Address {
        if address.index_type == IndexType::None {
            return address;
        }
        let base = if address.space == Space::Generic {
            self.folded_generic(address)
        } else {
            // Shared and local memory are addressed by 32-bit offsets: one multiply-add does it.
            let scale = self.emitter.registers.const32(address.scale_bytes);
            let none = self.emitter.registers.const32(0);
            let base = if address.base == NO_REGISTER {
                none
            } else {
                address.base
            };
            let sum = self.emitter.registers.take(1);
            self.emitter
                .op(Op::MadI32, sum, &[address.index, scale, base], 0);
            sum
        };
        Address::new(address.space, address.region, base, address.offset_bytes)
    }

    fn folded_generic(&mut self, address: Address) -> Register {
        let index = self.widened(address.index, address.index_type);
        // Bytes are counted as they are.
        if address.scale_bytes == 1 && address.base != NO_REGISTER {
            let sum = self.emitter.registers.take(2);
            self.emitter.op(Op::AddI64, sum, &[address.base, index], 0);
            return sum;
        }
        let scale = self
            .emitter
            .registers
            .const64(u64::from(address.scale_bytes));
        let sum = self.emitter.registers.take(2);
        self.emitter.op(Op::MulI64, sum, &[index, scale], 0);
        if address.base != NO_REGISTER {
            self.emitter.op(Op::AddI64, sum, &[address.base, sum], 0);
        }
        sum
    }

    /// An index as 64 bits.
    pub fn widened(&mut self, index: Register, index_type: IndexType) -> Register {
        let op = match index_type {
            IndexType::I32 => Op::I32ToI64,
            IndexType::U32 => Op::U32ToI64,
            IndexType::I64 | IndexType::None => return index,
        };
        let wide = self.emitter.registers.take(2);
        self.emitter.op(op, wide, &[index], 0);
        wide
    }

    /// A place's address as a 64-bit pointer.
    pub fn pointer_to(&mut self, place: &Place, into: Option<Register>) -> Register {
        let Located::Memory(address) = self.locate(place) else {
            unreachable!("what has an address lives in memory")
        };
        self.pointer(address, into)
    }

    /// `pointer` plus `index` elements, as a 64-bit pointer.
    pub fn pointer_plus(&mut self, pointer: &Expr, into: Option<Register>) -> Register {
        let address = self.address_of_pointer(pointer);
        self.pointer(address, into)
    }

    fn pointer(&mut self, address: Address, into: Option<Register>) -> Register {
        let address = self.folded(address);
        let window = match address.space {
            Space::Generic => 0,
            Space::Shared => SHARED_BASE,
            Space::Local => LOCAL_BASE,
        };
        // A negative offset wraps here, and the addition wraps back.
        let constant = window.wrapping_add(address.offset_bytes as u64);
        if address.base == NO_REGISTER {
            let register = self.emitter.registers.const64(constant);
            return self.copy_to(register, 2, into);
        }
        let base = if address.space == Space::Generic {
            address.base
        } else {
            // Offsets in shared and local memory have 32 bits; pointers have 64.
            self.widened(address.base, IndexType::U32)
        };
        if constant == 0 {
            return self.copy_to(base, 2, into);
        }
        let constant = self.emitter.registers.const64(constant);
        let sum = self.result(2, into);
        self.emitter.op(Op::AddI64, sum, &[base, constant], 0);
        sum
    }
}

/// Where a variable is that lives at `location`, which lies in `region` if it is memory.
fn located(location: Location, region: Region) -> Located {
    let (space, base, offset) = match location {
        Location::Register(register) => return Located::Register(register),
        Location::Shared(offset) => (Space::Shared, NO_REGISTER, offset),
        Location::Local(offset) => (Space::Local, NO_REGISTER, offset),
        Location::Stack(frame, offset) => (Space::Local, frame, offset),
    };
    Located::Memory(Address::new(space, region, base, i64::from(offset)))
}

/// Values between places and registers.
impl Lower<'_> {
    /// What a place of type `ty` holds.
    pub fn load(&mut self, at: Located, ty: &Type, span: Span, into: Option<Register>) -> Register {
        self.load_aligned(at, ty, ty.align_bytes(), span, into)
    }

    /// The same of a value that is known to lie at a multiple of so many bytes.
    pub fn load_aligned(
        &mut self,
        at: Located,
        ty: &Type,
        align_bytes: u32,
        span: Span,
        into: Option<Register>,
    ) -> Register {
        let address = match at {
            Located::Register(register) => return self.copy_to(register, words(ty), into),
            Located::Memory(address) => address,
        };
        let result = self.result(words(ty), into);
        for chunk in chunks(ty, align_bytes) {
            let part = result + chunk.word as Register;
            let address = address.plus(chunk.offset_bytes);
            // `uchar4` comes as one word and is spread over four registers.
            if chunk.packed == 1 {
                self.access(AccessKind::Load, address, &chunk, part, span);
            } else {
                let packed = self.emitter.registers.take(chunk.width_bytes.div_ceil(4));
                self.access(AccessKind::Load, address, &chunk, packed, span);
                self.unpack(&chunk, packed, part);
            }
        }
        result
    }

    /// Stores the value in `register` to a place of type `ty`.
    pub fn store(&mut self, at: Located, ty: &Type, register: Register, span: Span) {
        self.store_aligned(at, ty, ty.align_bytes(), register, span);
    }

    /// The same to a place that is known to lie at a multiple of so many bytes.
    pub fn store_aligned(
        &mut self,
        at: Located,
        ty: &Type,
        align_bytes: u32,
        register: Register,
        span: Span,
    ) {
        let address = match at {
            Located::Register(variable) => {
                self.copy_to(register, words(ty), Some(variable));
                return;
            }
            Located::Memory(address) => address,
        };
        let whole = self.emitter.facts.stores.writing.take();
        for chunk in chunks(ty, align_bytes) {
            // Each access changes its own bytes: what is known of the others stays so.
            let is_part = |whole: &ByteRange| whole.size_bytes > chunk.width_bytes;
            let written = whole.clone().map(|whole| match is_part(&whole) {
                true => whole.moved(chunk.offset_bytes.into(), chunk.width_bytes),
                false => whole,
            });
            self.emitter.facts.stores.writing = written;
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

    /// Stores a parameter's value to its variable, wherever that is.
    pub fn store_local(&mut self, function: FunctionId, id: LocalId, register: Register) {
        let local = &self.context.program.functions[function].locals[id];
        let at = located(self.context.location_in(function, id), Region::Local);
        self.store(at, &local.ty, register, local.span);
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
            space: address.space,
            value: value_kind(chunk),
            index: address.index_type,
            scale_bytes: address.scale_bytes,
            offset_bytes,
            ..AccessSite::new(kind, chunk.width_bytes, span)
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
            let left = self.emitter.registers.const32(32 - bits - i * bits % 32);
            let right = self.emitter.registers.const32(32 - bits);
            let shift = if chunk.scalar.is_signed() {
                Op::ShrI32
            } else {
                Op::ShrU32
            };
            let component = first + i as Register;
            // Up to the top, then down again: that extends the sign.
            self.emitter.op(Op::Shl32, component, &[word, left], 0);
            self.emitter.op(shift, component, &[component, right], 0);
        }
    }

    /// Joins components of fewer than 32 bits into words.
    fn pack(&mut self, chunk: &Chunk, first: Register) -> Register {
        let bits = chunk.scalar.size_bytes() * 8;
        let packed = self.emitter.registers.take(chunk.width_bytes.div_ceil(4));
        // Narrow integers are extended in registers: the bits above must not reach the neighbour.
        let mask = self.emitter.registers.const32(u32::MAX >> (32 - bits));
        let part = self.emitter.registers.take(1);
        for i in 0..chunk.packed {
            let (word, left) = (packed + (i * bits / 32) as Register, i * bits % 32);
            let component = first + i as Register;
            if left == 0 {
                self.emitter.op(Op::And32, word, &[component, mask], 0);
                continue;
            }
            let distance = self.emitter.registers.const32(left);
            self.emitter.op(Op::And32, part, &[component, mask], 0);
            self.emitter.op(Op::Shl32, part, &[part, distance], 0);
            self.emitter.op(Op::Or32, word, &[word, part], 0);
        }
        packed
    }
}

/// Two 16-bit values that share a word.
fn pair(of: Scalar) -> Chunk {
    Chunk {
        scalar: of,
        is_address: false,
        width_bytes: 4,
        offset_bytes: 0,
        word: 0,
        packed: 2,
    }
}

/// What the first component of a part is to who looks at it.
fn value_kind(chunk: &Chunk) -> ValueKind {
    match chunk.scalar.is_signed() {
        _ if chunk.is_address => ValueKind::Address,
        true => ValueKind::Signed,
        false => ValueKind::Unsigned,
    }
}
