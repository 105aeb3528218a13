//! Places: where they are, loads and stores.

use crate::cuda::{Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::host::code::{BinaryCode, Op, Slot};
use crate::source::Span;

use super::function::{Lowering, VariableLocation};
use super::unit::is_aggregate;

/// Where a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// In a slot.
    Slot(Slot),
    /// So many bytes behind the address in a slot.
    At(Slot, i32),
    /// The element of an array: its address and the index; elements have the width of the access.
    Index(Slot, Slot),
}

/// The scalar that a slot holds for a type.
pub fn scalar_of(ty: &Type) -> Scalar {
    match ty {
        Type::Scalar(scalar) => *scalar,
        _ => Scalar::U64,
    }
}

/// The index as a number, if it is one and small.
fn constant_index(index: &Expr) -> Option<i64> {
    match index.kind {
        ExprKind::Constant(bits) => Some(bits as i64),
        _ => None,
    }
}

impl Lowering<'_, '_> {
    /// Where a place is.
    pub fn place(&mut self, place: &Place) -> Address {
        match &place.kind {
            PlaceKind::Local(id) => match self.locations[*id] {
                VariableLocation::Slot(slot) => Address::Slot(slot),
                // Slot 0 holds where the frame begins.
                VariableLocation::Frame(offset) => Address::At(0, offset),
                VariableLocation::Indirect(slot) => Address::At(slot, 0),
            },
            PlaceKind::File(id) => {
                let address = self.unit.data.variables[*id];
                Address::At(self.constant(address), 0)
            }
            PlaceKind::Deref(pointer) => self.pointed_at(pointer, place),
            PlaceKind::Index(array, index) => {
                let array = self.place(array);
                self.element(array, index, place)
            }
            PlaceKind::Component(vector, lane) => {
                let offset = place.ty.size_bytes() * lane;
                self.inside(vector, offset, place.span)
            }
            PlaceKind::Member(of, field) => {
                let offset = field_offset(&of.ty, *field);
                self.inside(of, offset, place.span)
            }
        }
    }

    /// What a pointer points to; where it is a sum, the sum is left to the access.
    pub fn pointed_at(&mut self, pointer: &Expr, place: &Place) -> Address {
        if let ExprKind::PointerOffset(base, index) = &pointer.kind
            // Read as another type than the pointer's, the index would count other elements.
            && pointee_size(&pointer.ty) == place.ty.size_bytes()
        {
            let base = self.value(base, None);
            return self.element(Address::At(base, 0), index, place);
        }
        // `*&x` is `x`.
        if let ExprKind::AddressOf(inner) = &pointer.kind
            && !self.is_in_slot(inner)
        {
            return self.place(inner);
        }
        if let Some(at) = self.inlined_place(pointer, place) {
            return at;
        }
        Address::At(self.value(pointer, None), 0)
    }

    /// Whether the place is a variable in a slot.
    fn is_in_slot(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(id) => matches!(self.locations[*id], VariableLocation::Slot(_)),
            _ => false,
        }
    }

    /// An element of what begins at an address.
    fn element(&mut self, array: Address, index: &Expr, place: &Place) -> Address {
        let size = place.ty.size_bytes();
        // An index that is known becomes part of the offset.
        let at = constant_index(index).and_then(|index| {
            let Address::At(base, offset) = array else {
                return None;
            };
            let bytes = index.checked_mul(i64::from(size))?;
            let offset = i64::from(offset).checked_add(bytes)?;
            Some(Address::At(base, i32::try_from(offset).ok()?))
        });
        if let Some(at) = at {
            return at;
        }
        let base = self.address(array, place.span);
        let index = self.value(index, None);
        // Loads and stores of 4 and 8 bytes add the index themselves.
        let scalar = (!is_aggregate(&place.ty)).then(|| scalar_of(&place.ty));
        if scalar.is_some_and(|scalar| scalar.size_bytes() >= 4) {
            return Address::Index(base, index);
        }
        let to = self.temporary();
        self.emit_element(to, base, index, size, place.span);
        Address::At(to, 0)
    }

    /// The address of an element.
    pub fn emit_element(&mut self, to: Slot, base: Slot, index: Slot, size: u32, span: Span) {
        let op = match size {
            1 => BinaryCode::Add64.with(to, base, index),
            2 => BinaryCode::Element2.with(to, base, index),
            4 => BinaryCode::Element4.with(to, base, index),
            8 => BinaryCode::Element8.with(to, base, index),
            size => Op::Element {
                to,
                base,
                index,
                size,
            },
        };
        self.emit(op, span);
    }

    /// A part of a place, so many bytes behind its beginning.
    fn inside(&mut self, of: &Place, offset: u32, span: Span) -> Address {
        match self.place(of) {
            Address::At(base, before) => match before.checked_add_unsigned(offset) {
                Some(offset) => Address::At(base, offset),
                None => Address::At(self.address(Address::At(base, before), span), offset as i32),
            },
            at => Address::At(self.address(at, span), offset as i32),
        }
    }

    /// A slot that holds the address.
    pub fn address(&mut self, at: Address, span: Span) -> Slot {
        match at {
            Address::At(base, 0) => base,
            Address::At(base, offset) => {
                let to = self.temporary();
                self.offset(to, base, offset, span);
                to
            }
            // Only elements of 4 and 8 bytes are left as sums; nobody asks for their address through here.
            Address::Index(base, index) => {
                let to = self.temporary();
                self.emit(BinaryCode::Element8.with(to, base, index), span);
                to
            }
            Address::Slot(slot) => slot,
        }
    }

    /// A pointer to a place.
    pub fn address_of(&mut self, place: &Place, want: Option<Slot>) -> Slot {
        if let PlaceKind::Local(id) = place.kind
            && let VariableLocation::Slot(_) = self.locations[id]
        {
            // It is lowered once more, with the variable in memory.
            self.known.pointed_at.insert(id);
            return self.target(want);
        }
        let span = place.span;
        match self.place(place) {
            Address::At(base, 0) => self.moved(base, want, span),
            Address::At(base, offset) => {
                let to = self.target(want);
                self.offset(to, base, offset, span);
                to
            }
            Address::Index(base, index) => {
                let to = self.target(want);
                self.emit_element(to, base, index, place.ty.size_bytes(), span);
                to
            }
            Address::Slot(slot) => slot,
        }
    }

    /// What a place holds: a scalar or a pointer; of an aggregate, its address.
    pub fn load(&mut self, at: Address, ty: &Type, want: Option<Slot>, span: Span) -> Slot {
        if is_aggregate(ty) {
            let address = self.address(at, span);
            return self.moved(address, want, span);
        }
        let scalar = scalar_of(ty);
        match at {
            Address::Slot(slot) => self.moved(slot, want, span),
            Address::At(base, offset) => {
                let to = self.target(want);
                self.emit(load_op(scalar, to, base, offset), span);
                to
            }
            Address::Index(base, index) => {
                let to = self.target(want);
                self.emit(
                    match scalar {
                        Scalar::I32 => Op::LoadIndexI32 { to, base, index },
                        scalar if scalar.size_bytes() == 4 => Op::LoadIndexU32 { to, base, index },
                        _ => Op::LoadIndex64 { to, base, index },
                    },
                    span,
                );
                to
            }
        }
    }

    /// Puts a value to a place: of an aggregate, what lies at the address in the slot.
    pub fn store(&mut self, at: Address, from: Slot, ty: &Type, span: Span) {
        if is_aggregate(ty) {
            let to = self.address(at, span);
            let bytes = ty.size_bytes();
            return self.emit(Op::Copy { to, from, bytes }, span);
        }
        let size = scalar_of(ty).size_bytes();
        let op = match at {
            // The value was computed in the variable's own slot.
            Address::Slot(to) if to == from => return,
            Address::Slot(to) => Op::Move { to, a: from },
            Address::At(base, offset) => match size {
                1 => Op::Store8 { from, base, offset },
                2 => Op::Store16 { from, base, offset },
                4 => Op::Store32 { from, base, offset },
                _ => Op::Store64 { from, base, offset },
            },
            Address::Index(base, index) => match size {
                4 => Op::StoreIndex32 { from, base, index },
                _ => Op::StoreIndex64 { from, base, index },
            },
        };
        self.emit(op, span);
    }
}

fn load_op(scalar: Scalar, to: Slot, base: Slot, offset: i32) -> Op {
    match scalar {
        Scalar::Char | Scalar::I8 => Op::LoadI8 { to, base, offset },
        Scalar::Bool | Scalar::U8 => Op::LoadU8 { to, base, offset },
        Scalar::I16 => Op::LoadI16 { to, base, offset },
        Scalar::U16 | Scalar::F16 | Scalar::Bf16 => Op::LoadU16 { to, base, offset },
        Scalar::I32 => Op::LoadI32 { to, base, offset },
        Scalar::U32 | Scalar::F32 => Op::LoadU32 { to, base, offset },
        Scalar::I64 | Scalar::U64 | Scalar::F64 => Op::Load64 { to, base, offset },
    }
}

/// Where a field begins in its struct.
pub fn field_offset(ty: &Type, field: usize) -> u32 {
    match ty {
        Type::Struct(of) => of.fields().get(field).map_or(0, |field| field.offset_bytes),
        _ => 0,
    }
}

/// The size of what a pointer points to; of `void` and functions as gcc counts it, 1.
pub fn pointee_size(ty: &Type) -> u32 {
    match ty {
        Type::Pointer { to, .. } => to.size_bytes().max(1),
        _ => 1,
    }
}
