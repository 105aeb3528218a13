//! Objects: `new` and `delete`, objects that end, exceptions.

use crate::cuda::{
    Delete, Destructor, Handler, HostExpr, Initial, LocalId, New, Object, Stmt, Thrown, Type,
};
use crate::host::code::{BinaryCode, HandlerSite, ObjectSite, Op, Slot, ThrowSite};
use crate::source::Span;

use super::function::{Lowering, VariableLocation};
use super::place::Address;
use super::unit::is_aggregate;

/// Bytes before the elements of an array whose number is kept: at least the number, and a multiple of the alignment
/// (Itanium C++ ABI, 2.7).
fn cookie_bytes(element: &Type) -> u64 {
    u64::from(element.align_bytes()).max(8)
}

impl Lowering<'_, '_> {
    /// An expression that makes or ends objects.
    pub fn object_expression(&mut self, host: &HostExpr, span: Span, want: Option<Slot>) -> Slot {
        match host {
            HostExpr::New(new) => return self.new_objects(new, span, want),
            HostExpr::Delete(delete) => self.delete(delete, span),
            HostExpr::TemporaryBegins(object) => {
                let expression = self.flow.expressions;
                // Noted for the lowering that follows: it marks where this full expression begins, and ends objects behind it.
                self.known.with_temporaries.insert(expression);
                self.object_begins(object, false, span);
            }
            HostExpr::Throw(thrown) => self.throw(thrown.as_ref(), span),
            _ => {}
        }
        self.constant(0)
    }

    /// `new`: the address of the first element.
    fn new_objects(&mut self, new: &New, span: Span, want: Option<Slot>) -> Slot {
        let to = self.temporary();
        let count = new.count.as_ref().map(|count| self.value(count, None));
        self.room_for(new, to, count, span);
        let made = self.label();
        if new.is_nothrow {
            self.jump_when(to, false, made, span);
        }
        match (&count, &new.initial) {
            (_, Initial::Unset) => {}
            (None, initial) => self.begin_element(&new.element, initial, to, span),
            // The condition stands behind the body, and `new T[0]` makes nothing.
            (Some(count), initial) => {
                let element = self.temporary();
                let left = self.temporary();
                let (test, body) = (self.label(), self.label());
                self.move_slot(element, to, span);
                self.move_slot(left, *count, span);
                self.jump(test, span);
                self.bind(body);
                self.begin_element(&new.element, initial, element, span);
                let offset = new.element.size_bytes() as i32;
                self.offset(element, element, offset, span);
                self.offset(left, left, -1, span);
                self.bind(test);
                self.jump_when(left, true, body, span);
            }
        }
        self.bind(made);
        self.slots.next = to + 1;
        self.moved(to, want, span)
    }

    /// Where the elements of `new` are to lie.
    fn room_for(&mut self, new: &New, to: Slot, count: Option<Slot>, span: Span) {
        if let Some(at) = &new.at {
            self.value(at, Some(to));
            return;
        }
        let size = self.constant(u64::from(new.element.size_bytes()));
        let bytes = self.temporary();
        match count {
            None => self.move_slot(bytes, size, span),
            Some(count) => self.emit(BinaryCode::Mul64.with(bytes, count, size), span),
        }
        // `delete[]` needs the number only where elements have to be ended.
        let Some(count) = count.filter(|_| new.has_destructor) else {
            let allocate = match new.is_nothrow {
                true => Op::AllocateOrNull { to, bytes },
                false => Op::Allocate { to, bytes },
            };
            return self.emit(allocate, span);
        };
        let cookie = cookie_bytes(&new.element) as i32;
        self.offset(bytes, bytes, cookie, span);
        self.emit(Op::Allocate { to, bytes }, span);
        self.offset(to, to, cookie, span);
        self.emit(
            Op::Store64 {
                from: count,
                // Right before the first element, however large the cookie is.
                base: to,
                offset: -8,
            },
            span,
        );
    }

    /// What one element begins with.
    fn begin_element(&mut self, ty: &Type, initial: &Initial, to: Slot, span: Span) {
        let mark = self.slots.next;
        match initial {
            Initial::Unset => {}
            Initial::Zero => {
                let bytes = ty.size_bytes();
                self.emit(Op::Zero { to, bytes }, span);
            }
            Initial::Value(value) if is_aggregate(ty) => self.fill(value, to),
            Initial::Value(value) => {
                let slot = self.value(value, None);
                self.store(Address::At(to, 0), slot, ty, span);
            }
            Initial::Constructed(constructor, arguments) => {
                self.call_method(*constructor, to, arguments, span);
            }
        }
        self.slots.next = mark;
    }

    /// `delete`: of null, nothing happens.
    fn delete(&mut self, delete: &Delete, span: Span) {
        let object = self.temporary();
        self.value(&delete.pointer, Some(object));
        let end = self.label();
        self.jump_when(object, false, end, span);
        let element = match &delete.pointer.ty {
            Type::Pointer { to, .. } => &**to,
            other => other,
        };
        match &delete.destructor {
            // The block begins before the elements, at their number.
            Some(destructor) if delete.is_array => {
                self.end_array(element, destructor, object, span);
                let to = self.temporary();
                let offset = -(cookie_bytes(element) as i32);
                self.offset(to, object, offset, span);
                self.emit(Op::Free { a: to }, span);
            }
            destructor => {
                if let Some(destructor) = destructor {
                    self.end_object(destructor, object, span);
                }
                match delete.release {
                    Some(release) => self.call_method(release, object, &[], span),
                    None => self.emit(Op::Free { a: object }, span),
                }
            }
        }
        self.bind(end);
    }

    /// Ends the elements of an array with its number before it, the last one first.
    fn end_array(&mut self, element: &Type, destructor: &Destructor, first: Slot, span: Span) {
        let (left, at) = (self.temporary(), self.temporary());
        let size = element.size_bytes();
        let (test, body) = (self.label(), self.label());
        // The number that `new[]` has put before them.
        self.load_word(left, first, -8, span);
        self.emit_element(at, first, left, size, span);
        self.jump(test, span);
        self.bind(body);
        self.offset(at, at, -(size as i32), span);
        self.offset(left, left, -1, span);
        self.end_object(destructor, at, span);
        self.bind(test);
        // [expr.delete]: the test comes first here too, for arrays of no elements.
        self.jump_when(left, true, body, span);
    }

    fn end_object(&mut self, destructor: &Destructor, object: Slot, span: Span) {
        match destructor {
            Destructor::Function(function) => self.call_method(*function, object, &[], span),
            Destructor::Virtual(row) => {
                let mark = self.slots.next;
                let pointer = self.temporary();
                self.virtual_function(pointer, object, *row, span);
                self.call_through(pointer, object, span);
                self.slots.next = mark;
            }
        }
    }

    /// An object exists from here on.
    pub fn object_begins(&mut self, object: &Object, until_exit: bool, span: Span) {
        let mark = self.slots.next;
        let pointer = self.value(&object.pointer, None);
        self.unit.reach(object.destructor);
        self.unit.sites.objects.push(ObjectSite {
            size_bytes: u64::from(object.element.size_bytes()),
            count: object.count,
            destructor: object.destructor,
            until_exit,
        });
        let site = self.unit.sites.objects.len() as u32 - 1;
        self.emit(Op::ObjectBegins { pointer, site }, span);
        self.slots.next = mark;
    }

    fn throw(&mut self, thrown: Option<&Thrown>, span: Span) {
        let Some(thrown) = thrown else {
            return self.emit(Op::ThrowAgain, span);
        };
        let a = self.value(&thrown.value, None);
        self.unit.sites.thrown.push(ThrowSite {
            catchable: thrown.catchable.clone(),
            ty: thrown.value.ty.clone(),
            is_address: is_aggregate(&thrown.value.ty),
            destructor: thrown.destructor,
        });
        thrown
            .destructor
            .into_iter()
            .for_each(|id| self.unit.reach(id));
        let site = self.unit.sites.thrown.len() as u32 - 1;
        self.emit(Op::Throw { a, site }, span);
    }

    /// `try` and its handlers.
    pub fn try_statement(&mut self, body: &[Stmt], handlers: &[Handler], span: Span) {
        let (mark, caught) = (self.temporary(), self.temporary());
        // Objects that begin from here on end when the block is left, whichever way.
        self.emit(Op::Mark { to: mark }, span);
        let site = self.unit.sites.handlers.len();
        // The place is taken first: handlers of inner `try` get numbers behind it.
        self.unit.sites.handlers.push(Vec::new());
        self.emit(
            // The slot where a handler finds the address of what was thrown.
            Op::HandlersBegin {
                to: caught,
                site: site as u32,
            },
            span,
        );
        self.flow.marks.push(mark);
        let end = self.label();
        self.statements(body);
        self.emit(Op::EndTo { mark }, span);
        self.jump(end, span);
        for handler in handlers {
            self.unit.sites.handlers[site].push(HandlerSite {
                catches: handler.catches.clone(),
                target: self.ops.len() as u32,
            });
            if let Some(local) = handler.local {
                self.caught_in(local, caught, span);
            }
            self.statements(&handler.body);
            self.emit(Op::EndTo { mark }, span);
            self.jump(end, span);
        }
        self.flow.marks.pop();
        self.bind(end);
    }

    /// Gives a handler's variable what was caught, or its address.
    fn caught_in(&mut self, local: LocalId, caught: Slot, span: Span) {
        let variable = &self.function.locals[local];
        let at = match self.locations[local] {
            VariableLocation::Slot(slot) => Address::Slot(slot),
            VariableLocation::Frame(offset) => Address::At(0, offset),
            VariableLocation::Indirect(slot) => Address::At(slot, 0),
        };
        let mark = self.slots.next;
        let value = match variable.is_reference {
            true => caught,
            false => self.load(Address::At(caught, 0), &variable.ty, None, span),
        };
        self.store(at, value, &variable.ty, span);
        self.slots.next = mark;
    }
}
