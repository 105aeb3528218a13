//! Places: their addresses, and what moves between them and registers.

use super::kernel::{Home, Lower, words};
use crate::compile::analysis::Region;
use crate::compile::analysis::reference;
use crate::compile::tree::field;
use crate::cuda::{Expr, ExprKind, FunctionId, Place, PlaceKind, Scalar, Type};
use crate::ir::{IndexType, LOCAL_BASE, NO_REGISTER, Op, Register, SHARED_BASE, Space};

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Located {
    /// In registers, from this one on.
    Register(Register),
    /// In memory.
    Memory(Address),
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
        Some(scalar) if scalar.is_signed() => IndexType::I32,
        _ => IndexType::U32,
    }
}

impl Lower<'_> {
    /// Evaluates what a place needs and says where it is.
    pub fn locate(&mut self, place: &Place) -> Located {
        match &place.kind {
            PlaceKind::Local(local) => {
                let region = self.region_of(place);
                at_home(self.home(*local), region)
            }
            PlaceKind::File(id) => Located::Memory(self.file_address(*id)),
            PlaceKind::Deref(pointer) => match self.alias(pointer) {
                Some((function, place)) => self.within(function, |lower| lower.locate(&place)),
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
                match self.locate(base) {
                    Located::Register(register) => {
                        Located::Register(register + part.word as Register)
                    }
                    Located::Memory(address) => Located::Memory(address.plus(part.offset_bytes)),
                }
            }
            PlaceKind::Component(base, component) => match self.locate(base) {
                Located::Register(register) => {
                    Located::Register(register + (component * words(&place.ty)) as Register)
                }
                Located::Memory(address) => {
                    Located::Memory(address.plus(component * place.ty.size_bytes()))
                }
            },
        }
    }

    /// What the reference in `pointer` stands for, if that is a place of the caller.
    pub fn alias(&self, pointer: &Expr) -> Option<(FunctionId, Place)> {
        self.alias_in(self.context.function, pointer)
    }

    /// The same of a reference of another function.
    pub fn alias_in(&self, function: FunctionId, pointer: &Expr) -> Option<(FunctionId, Place)> {
        let local = reference(pointer)?;
        self.aliases.get(&(function, local)).cloned()
    }

    /// Whether a value is a reference that stands for a place of the caller.
    pub fn is_alias(&self, pointer: &Expr) -> bool {
        self.alias(pointer).is_some()
    }

    /// Lowers something that belongs to another function.
    pub fn within<T>(&mut self, function: FunctionId, lower: impl FnOnce(&mut Self) -> T) -> T {
        let own = std::mem::replace(&mut self.context.function, function);
        let result = lower(self);
        self.context.function = own;
        result
    }

    /// What a place of the current function may meet.
    pub fn region_of(&self, place: &Place) -> Region {
        let function = self.context.function;
        self.regions.of_place(self.program, function, place)
    }

    /// What an access through a pointer of the current function may meet.
    pub fn region_of_pointer(&self, pointer: &Expr) -> Region {
        let function = self.context.function;
        self.regions.of_pointer(self.program, function, pointer)
    }

    /// Where a pointer points.
    pub fn address_of_pointer(&mut self, pointer: &Expr) -> Address {
        if let Some((function, place)) = self.alias(pointer) {
            return match self.within(function, |lower| lower.locate(&place)) {
                Located::Memory(address) => address,
                Located::Register(_) => unreachable!("what has an address lives in memory"),
            };
        }
        match &pointer.kind {
            ExprKind::AddressOf(place) => match self.locate(place) {
                Located::Memory(address) => address,
                Located::Register(_) => unreachable!("what has an address lives in memory"),
            },
            ExprKind::PointerOffset(base, index) => {
                let address = self.address_of_pointer(base);
                let size_bytes = match &pointer.ty {
                    Type::Pointer { to, .. } => to.size_bytes(),
                    _ => 1,
                };
                self.indexed(address, index, size_bytes)
            }
            _ => {
                let region = self.region_of_pointer(pointer);
                let base = self.expr(pointer, None);
                Address::new(Space::Generic, region, base, 0)
            }
        }
    }

    /// `address` plus `index` elements of `size_bytes`.
    fn indexed(&mut self, address: Address, index: &Expr, size_bytes: u32) -> Address {
        if let ExprKind::Constant(bits) = index.kind {
            let offset_bytes = (bits as i64)
                .checked_mul(i64::from(size_bytes))
                .and_then(|bytes| bytes.checked_add(address.offset_bytes))
                .filter(|&bytes| i32::try_from(bytes).is_ok());
            if let Some(offset_bytes) = offset_bytes {
                return Address {
                    offset_bytes,
                    ..address
                };
            }
        }
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
            let scale = self.emitter.const32(address.scale_bytes);
            let none = self.emitter.const32(0);
            let base = if address.base == NO_REGISTER {
                none
            } else {
                address.base
            };
            let sum = self.emitter.registers(1);
            self.emitter
                .op(Op::MadI32, sum, &[address.index, scale, base], 0);
            sum
        };
        Address::new(address.space, address.region, base, address.offset_bytes)
    }

    fn folded_generic(&mut self, address: Address) -> Register {
        let index = self.widened(address.index, address.index_type);
        let scale = self.emitter.const64(u64::from(address.scale_bytes));
        let sum = self.emitter.registers(2);
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
        let wide = self.emitter.registers(2);
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
        let constant = window.wrapping_add(address.offset_bytes as u64);
        if address.base == NO_REGISTER {
            let register = self.emitter.const64(constant);
            return self.settle(register, 2, into);
        }
        let base = if address.space == Space::Generic {
            address.base
        } else {
            self.widened(address.base, IndexType::U32)
        };
        if constant == 0 {
            return self.settle(base, 2, into);
        }
        let constant = self.emitter.const64(constant);
        let sum = self.result(2, into);
        self.emitter.op(Op::AddI64, sum, &[base, constant], 0);
        sum
    }
}

/// Where a variable is that lives in `home`, which lies in `region` if it is memory.
pub(crate) fn at_home(home: Home, region: Region) -> Located {
    match home {
        Home::Register(register) => Located::Register(register),
        Home::Shared(offset) => Located::Memory(Address::new(
            Space::Shared,
            region,
            NO_REGISTER,
            i64::from(offset),
        )),
        Home::Local(offset) => Located::Memory(Address::new(
            Space::Local,
            region,
            NO_REGISTER,
            i64::from(offset),
        )),
    }
}
