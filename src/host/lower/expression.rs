//! Expressions. A value is written to the slot that is wanted as the last thing that happens, so that the slot of a
//! variable may be wanted by an expression that reads the variable.

use crate::cuda::{BinaryOp, Expr, ExprKind, HostExpr, Place, PlaceKind, Scalar, Type, UnaryOp};
use crate::host::code::{BinaryCode, Op, Slot, UnaryCode};
use crate::host::memory::function_address;
use crate::source::Span;

use super::function::{Lowering, VariableLocation};
use super::place::{Address, pointee_size, scalar_of};
use super::unit::is_aggregate;

impl Lowering<'_, '_> {
    /// The slot that holds the value of an expression: that of a variable, or one that is free. Of an aggregate, it
    /// holds the address.
    pub fn value(&mut self, expr: &Expr, want: Option<Slot>) -> Slot {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(bits) => self.moved_constant(*bits, want, span),
            ExprKind::Load(place) => self.value_of_place(place, want),
            ExprKind::AddressOf(place) => self.address_of(place, want),
            ExprKind::Convert(inner) => self.conversion(inner, &expr.ty, want, span),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, &expr.ty, want, span),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, want, span),
            ExprKind::PointerOffset(base, index) => self.pointer_offset(base, index, want, span),
            ExprKind::PointerDifference(a, b) => self.difference(a, b, want, span),
            ExprKind::And(..) | ExprKind::Or(..) => self.truth(expr, want),
            ExprKind::Conditional(test, a, b) => self.conditional(test, [a, b], want, span),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.value(b, want)
            }
            ExprKind::Call(..) => self.call_expression(expr, want),
            ExprKind::Assign(place, value) => self.assign(place, value, want, span),
            ExprKind::AssignOp {
                place,
                op,
                value,
                computed,
            } => self.assign_op(place, *op, value, computed, want),
            ExprKind::Step { place, up, prefix } => self.step(place, *up, Some(*prefix), want),
            ExprKind::Vector(_) | ExprKind::Struct(_) => self.aggregate(expr, want),
            ExprKind::Component(vector, lane) => {
                self.part(vector, expr.ty.size_bytes() * lane, &expr.ty, want, span)
            }
            ExprKind::Member(of, field) => {
                let offset = super::place::field_offset(&of.ty, *field);
                self.part(of, offset, &expr.ty, want, span)
            }
            ExprKind::VirtualTable { table, .. } => self.virtual_table(*table, want, span),
            ExprKind::Host(host) => self.host(host, expr, want),
            _ => self.device_expression(expr, want),
        }
    }

    /// The address of a table of virtual functions.
    fn virtual_table(&mut self, table: usize, want: Option<Slot>, span: Span) -> Slot {
        // Only reached functions are lowered, and a call through a table is seen by nobody else.
        for function in &self.unit.program.virtual_tables[table] {
            self.unit.reach(*function);
        }
        self.moved_constant(self.unit.data.tables[table], want, span)
    }

    fn moved_constant(&mut self, bits: u64, want: Option<Slot>, span: Span) -> Slot {
        let slot = self.constant(bits);
        self.moved(slot, want, span)
    }

    /// A value of another type.
    fn conversion(&mut self, inner: &Expr, ty: &Type, want: Option<Slot>, span: Span) -> Slot {
        if is_aggregate(ty) {
            let to = self.room(ty);
            self.convert_vector(inner, ty, to, span);
            return self.moved(to, want, span);
        }
        let mark = self.slots.next;
        let value = self.value(inner, None);
        // Freed before the result gets its slot: result and operand may share one.
        self.slots.next = mark;
        self.converted(inner, ty, value, want, span)
    }

    /// The address of an element.
    fn pointer_offset(
        &mut self,
        base: &Expr,
        index: &Expr,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let mark = self.slots.next;
        let base_slot = self.value(base, None);
        let index = self.value(index, None);
        self.slots.next = mark;
        let to = self.target(want);
        self.emit_element(to, base_slot, index, pointee_size(&base.ty), span);
        to
    }

    /// A vector or struct put together.
    fn aggregate(&mut self, expr: &Expr, want: Option<Slot>) -> Slot {
        let to = self.room(&expr.ty);
        self.fill(expr, to);
        self.moved(to, want, expr.span)
    }

    /// What lies so many bytes behind the beginning of an aggregate that is no place.
    fn part(&mut self, of: &Expr, offset: u32, ty: &Type, want: Option<Slot>, span: Span) -> Slot {
        let base = self.value(of, None);
        self.load(Address::At(base, offset as i32), ty, want, span)
    }

    /// The same for what a place holds.
    fn value_of_place(&mut self, place: &Place, want: Option<Slot>) -> Slot {
        let mark = self.slots.next;
        let at = self.place(place);
        if is_aggregate(&place.ty) {
            // The slots stay taken: an aggregate's value is an address that one of them may hold.
            return self.load(at, &place.ty, want, place.span);
        }
        self.slots.next = mark;
        self.load(at, &place.ty, want, place.span)
    }

    /// A value converted; from a function or an array to a pointer nothing changes.
    fn converted(
        &mut self,
        inner: &Expr,
        ty: &Type,
        value: Slot,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        match ty {
            Type::Void => value,
            ty => {
                // The slot of the operand may be free again, but it is read before the result is written.
                let value_is_temporary = value >= self.slots.next;
                let to = self.convert(&inner.ty, ty, value, want, span);
                if value_is_temporary && to == value {
                    self.slots.next = value + 1;
                }
                to
            }
        }
    }

    /// An expression for its effect alone.
    pub fn effect(&mut self, expr: &Expr) {
        let mark = self.slots.next;
        match &expr.kind {
            ExprKind::Step { place, up, .. } => {
                // As a statement `i++` needs no copy of the old value.
                self.step(place, *up, None, None);
            }
            ExprKind::Convert(inner) if expr.ty == Type::Void => self.effect(inner),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            _ => {
                self.value(expr, None);
            }
        }
        self.slots.next = mark;
    }

    /// Elements between two pointers.
    fn difference(&mut self, a: &Expr, b: &Expr, want: Option<Slot>, span: Span) -> Slot {
        let size = pointee_size(&a.ty);
        let mark = self.slots.next;
        let a = self.value(a, None);
        let b = self.value(b, None);
        self.slots.next = mark;
        let to = self.target(want);
        self.emit(BinaryCode::Sub64.with(to, a, b), span);
        if size > 1 {
            let size = self.constant(u64::from(size));
            // Signed: the difference of two pointers may be negative ([expr.add]).
            self.emit(Op::DivI64 { to, a: to, b: size }, span);
        }
        to
    }

    /// `c ? a : b`.
    fn conditional(
        &mut self,
        condition: &Expr,
        [a, b]: [&Expr; 2],
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let is_void = a.ty == Type::Void;
        let to = self.target(want);
        // Both values are put to one slot, which the caller may already have chosen.
        let (otherwise, end) = (self.label(), self.label());
        self.branch(condition, false, otherwise);
        for (at, value) in [a, b].into_iter().enumerate() {
            let mark = self.slots.next;
            match is_void {
                true => self.effect(value),
                false => {
                    self.value(value, Some(to));
                }
            }
            self.slots.next = mark;
            if at == 0 {
                self.jump(end, span);
                self.bind(otherwise);
            }
        }
        self.bind(end);
        to
    }

    /// `&&`, `||` and the like as a value.
    pub fn truth(&mut self, expr: &Expr, want: Option<Slot>) -> Slot {
        let to = self.target(want);
        let (otherwise, end) = (self.label(), self.label());
        self.branch(expr, false, otherwise);
        // Branches, not operations: the second operand must not be evaluated where the first decides.
        let (one, zero) = (self.constant(1), self.constant(0));
        self.move_slot(to, one, expr.span);
        self.jump(end, expr.span);
        self.bind(otherwise);
        self.move_slot(to, zero, expr.span);
        self.bind(end);
        to
    }

    /// `place = value`; the value comes first ([expr.ass]).
    fn assign(&mut self, place: &Place, value: &Expr, want: Option<Slot>, span: Span) -> Slot {
        if let PlaceKind::Local(id) = place.kind
            && let VariableLocation::Slot(slot) = self.locations[id]
        {
            // Straight into the variable's slot: the value is written last, so reads of it come before.
            self.value(value, Some(slot));
            return self.moved(slot, want, span);
        }
        let mark = self.slots.next;
        // C++17, [expr.ass]: the right side is evaluated before the left.
        let value_slot = self.value(value, None);
        let at = self.place(place);
        self.store(at, value_slot, &place.ty, place.span);
        if is_aggregate(&place.ty) {
            return self.moved(value_slot, want, span);
        }
        self.slots.next = mark.max(value_slot.saturating_add(1).min(self.slots.next));
        self.moved(value_slot, want, span)
    }

    /// `place op= value`; the value comes first.
    fn assign_op(
        &mut self,
        place: &Place,
        op: BinaryOp,
        value: &Expr,
        computed: &Type,
        want: Option<Slot>,
    ) -> Slot {
        let span = place.span;
        let other = self.value(value, None);
        let at = self.place(place);
        let old = self.load(at, &place.ty, None, span);
        let changed = match (&place.ty, at) {
            (Type::Pointer { .. }, _) => {
                let to = self.result_slot(at);
                self.move_pointer(&place.ty, op, [to, old, other], span);
                to
            }
            (ty, _) => {
                let scalar = match op.is_shift() {
                    true => scalar_of(computed),
                    false => scalar_of(&value.ty),
                };
                let left = self.convert_scalar(scalar_of(ty), scalar, old, None, span);
                match scalar == scalar_of(ty) {
                    true => {
                        let to = self.result_slot(at);
                        self.emit_binary(op, scalar, [to, left, other], span)
                    }
                    false => {
                        let to = self.temporary();
                        let result = self.emit_binary(op, scalar, [to, left, other], span);
                        self.convert_scalar(scalar, scalar_of(ty), result, None, span)
                    }
                }
            }
        };
        self.store(at, changed, &place.ty, span);
        self.moved(changed, want, span)
    }

    /// Where a changed value is computed: in the variable itself if that is in a slot.
    fn result_slot(&mut self, at: Address) -> Slot {
        match at {
            Address::Slot(slot) => slot,
            _ => self.temporary(),
        }
    }

    /// A pointer and so many elements more or less.
    fn move_pointer(&mut self, ty: &Type, op: BinaryOp, [to, old, count]: [Slot; 3], span: Span) {
        let size = pointee_size(ty);
        match op {
            // The operation for elements only adds; a negative size would not fit its operand.
            BinaryOp::Sub => {
                let bytes = self.temporary();
                let size = self.constant(u64::from(size));
                self.emit(BinaryCode::Mul64.with(bytes, count, size), span);
                self.emit(BinaryCode::Sub64.with(to, old, bytes), span);
            }
            _ => self.emit_element(to, old, count, size, span),
        }
    }

    /// `++` and `--`; `prefix` says whether the value is that after the change, or that nobody asks for it.
    fn step(&mut self, place: &Place, up: bool, prefix: Option<bool>, want: Option<Slot>) -> Slot {
        let span = place.span;
        let at = self.place(place);
        let mut old = self.load(at, &place.ty, None, span);
        // The variable is changed where it is: its old value would be gone.
        if prefix == Some(false) && matches!(at, Address::Slot(_)) {
            let copy = self.temporary();
            self.move_slot(copy, old, span);
            old = copy;
        }
        let to = self.result_slot(at);
        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
        match &place.ty {
            Type::Pointer { .. } => {
                let size = i64::from(pointee_size(&place.ty));
                let by = self.constant(if up { size } else { -size } as u64);
                self.emit(BinaryCode::Add64.with(to, old, by), span);
            }
            ty => {
                let scalar = scalar_of(ty);
                // As it stands in a slot of that type.
                let one = match scalar {
                    Scalar::F32 => u64::from(1f32.to_bits()),
                    Scalar::F64 => 1f64.to_bits(),
                    Scalar::F16 => 0x3c00,
                    Scalar::Bf16 => 0x3f80,
                    _ => 1,
                };
                let one = self.constant(one);
                self.emit_binary(op, scalar, [to, old, one], span);
            }
        }
        self.store(at, to, &place.ty, span);
        let result = if prefix == Some(false) { old } else { to };
        self.moved(result, want, span)
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        inner: &Expr,
        ty: &Type,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let mark = self.slots.next;
        let value = self.value(inner, None);
        self.slots.next = mark;
        let scalar = scalar_of(ty);
        if op == UnaryOp::BitNot {
            // Narrow types stand zero-extended in slots, and must stay so.
            let ones = self.constant(mask_of(scalar));
            let to = self.target(want);
            self.emit(BinaryCode::Xor.with(to, value, ones), span);
            return to;
        }
        let to = self.target(want);
        let code = match (op, scalar) {
            (UnaryOp::LogicalNot, _) => UnaryCode::IsZero,
            (_, Scalar::F32) => UnaryCode::NegF32,
            (_, Scalar::F64) => UnaryCode::NegF64,
            (_, Scalar::F16 | Scalar::Bf16) => {
                // On bits: a detour by single precision would quiet a signalling NaN.
                let sign = self.constant(0x8000);
                self.emit(BinaryCode::Xor.with(to, value, sign), span);
                return to;
            }
            (_, Scalar::I64 | Scalar::U64) => UnaryCode::Neg64,
            (_, Scalar::U32) => UnaryCode::NegU32,
            _ => UnaryCode::NegI32,
        };
        self.emit(code.with(to, value), span);
        to
    }

    /// What only code of the host has.
    fn host(&mut self, host: &HostExpr, expr: &Expr, want: Option<Slot>) -> Slot {
        let span = expr.span;
        match host {
            HostExpr::FunctionAddress(function) => {
                // Only reached functions are lowered, and a call by address is seen by nobody else.
                self.unit.reach(*function);
                self.moved_constant(function_address(*function), want, span)
            }
            HostExpr::Text(bytes) => {
                let address = self.unit.data.text(bytes);
                self.moved_constant(address, want, span)
            }
            HostExpr::CallPointer(..)
            | HostExpr::CallVirtual { .. }
            | HostExpr::Library(..)
            | HostExpr::Launch(_) => self.call_expression(expr, want),
            _ => self.object_expression(host, span, want),
        }
    }
}

/// All bits of a type, as they stand in a slot.
fn mask_of(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => 1,
        Scalar::U8 => 0xff,
        Scalar::U16 => 0xffff,
        Scalar::U32 => 0xffff_ffff,
        _ => u64::MAX,
    }
}
