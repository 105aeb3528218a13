//! Loads, stores and atomic operations.

use crate::triton::tile::{Access, Atomic, Element, Op, Type, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

/// What a cache does with a line first.
const EVICTION: (&str, &str) = ("eviction_policy", "evict_last evict_first");

impl Tracer<'_> {
    /// A function that accesses memory; nothing if `name` is none of these.
    pub fn memory_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        let atomic = match name {
            "load" => return self.load(given).map(Some),
            "store" => return self.store(given).map(Some),
            "atomic_add" => Atomic::Add,
            "atomic_min" => Atomic::Min,
            "atomic_max" => Atomic::Max,
            "atomic_and" => Atomic::And,
            "atomic_or" => Atomic::Or,
            "atomic_xor" => Atomic::Xor,
            "atomic_xchg" => Atomic::Exchange,
            "atomic_cas" => Atomic::CompareAndSwap,
            _ => return Ok(None),
        };
        self.atomic(atomic, given).map(Some)
    }

    /// Options of an access, which are among those that Triton knows (`semantic.py`).
    fn check_options(&self, given: &Arguments, options: &[(&str, &str)]) -> Traceable<()> {
        for (name, known) in options {
            // By name alone: 9 is further than any call gives in order.
            if let Some(Traced::Text(text)) = given.maybe(9, name)
                && !text.is_empty()
                && !known.split(' ').any(|known| known == text)
            {
                let message = format!("`{name}` is one of {known}, not {text}");
                return refuse(given.span, message);
            }
        }
        Ok(())
    }

    fn pointer(&mut self, given: &Arguments) -> Traceable<(Value, Type)> {
        let (pointer, ty) = self.tile(given, 0, "pointer")?;
        if !ty.is_pointer {
            let message = format!(
                "a load or store needs a pointer, and this is {}",
                ty.words()
            );
            return refuse(given.span, message);
        }
        Ok((pointer, ty))
    }

    /// The mask in the shape of the pointers, which may become that of the mask.
    fn masked(
        &mut self,
        pointer: Value,
        mask: Option<Traced>,
    ) -> Traceable<(Value, Option<Value>)> {
        let Some(mask) = mask else {
            return Ok((pointer, None));
        };
        let mask = self.builder.materialise(&mask)?;
        let ty = self.builder.ty(mask).clone();
        if ty.element != Element::Bool {
            let message = format!("a mask is of truth values, and this is {}", ty.words());
            let refusal: Traceable<_> = refuse(self.builder.span, message);
            return refusal.map_err(|error| error.help("compare it: `mask != 0`").into());
        }
        if self.builder.ty(pointer).is_scalar() && !self.builder.ty(mask).is_scalar() {
            return refuse(
                self.builder.span,
                "the mask is a tile, but the pointer is a single one",
            );
        }
        let [pointer, mask] = self.builder.broadcast_pair(pointer, mask)?;
        Ok((pointer, Some(mask)))
    }

    /// `tl.load` through pointers to elements.
    pub fn load(&mut self, given: &Arguments) -> Traceable<Traced> {
        let options = [("cache_modifier", ".ca .cg .cv"), EVICTION];
        self.check_options(given, &options)?;
        let (pointer, _) = self.pointer(given)?;
        let (pointer, mask) = self.masked(pointer, given.maybe(1, "mask"))?;
        let ty = self.builder.ty(pointer).clone();
        let other = match given.maybe(2, "other") {
            // `semantic.py` refuses it in the same way.
            Some(_) if mask.is_none() => {
                return refuse(
                    given.span,
                    "`other` is the value of masked elements, so it needs a mask",
                );
            }
            Some(other) => {
                let other = self.builder.materialise(&other)?;
                let other = self.builder.cast(other, ty.element)?;
                Some(self.builder.broadcast_to(other, &ty.shape)?)
            }
            None => None,
        };
        let access = Access {
            is_masked: mask.is_some(),
            has_other: other.is_some(),
        };
        let operands: Vec<Value> = [Some(pointer), mask, other].into_iter().flatten().collect();
        Ok(Traced::Value(self.builder.emit(
            Op::Load(access),
            &operands,
            ty.of(ty.element),
        )))
    }

    /// `tl.store` through pointers to elements.
    pub fn store(&mut self, given: &Arguments) -> Traceable<Traced> {
        let options = [("cache_modifier", ".wb .cg .cs .wt"), EVICTION];
        self.check_options(given, &options)?;
        let (pointer, _) = self.pointer(given)?;
        let value = self.builder.materialise(&given.need(1, "value")?)?;
        let (pointer, mask) = self.masked(pointer, given.maybe(2, "mask"))?;
        let (pointer, value) = self.stored(pointer, value)?;
        let operands: Vec<Value> = [Some(pointer), Some(value), mask]
            .into_iter()
            .flatten()
            .collect();
        let access = Access {
            is_masked: mask.is_some(),
            has_other: false,
        };
        self.builder
            .emit_all(Op::Store(access), &operands, Vec::new(), Vec::new());
        Ok(Traced::Nothing)
    }

    /// A value as its pointers' elements, in their shape.
    fn stored(&mut self, pointer: Value, value: Value) -> Traceable<(Value, Value)> {
        let ty = self.builder.ty(pointer).clone();
        // Broadcasting goes one way only: what is stored never makes more pointers.
        if ty.is_scalar() && !self.builder.ty(value).is_scalar() {
            return refuse(
                self.builder.span,
                "a tile cannot be stored at a single pointer: add `tl.arange` to the pointer",
            );
        }
        let value = self.builder.broadcast_to(value, &ty.shape)?;
        Ok((pointer, self.builder.cast(value, ty.element)?))
    }

    fn atomic(&mut self, atomic: Atomic, given: &Arguments) -> Traceable<Traced> {
        let options = [
            ("sem", "acquire release acq_rel relaxed"),
            ("scope", "gpu cta sys"),
        ];
        self.check_options(given, &options)?;
        let (pointer, ty) = self.pointer(given)?;
        if !is_atomic(atomic, ty.element) {
            let message = format!("there is no such atomic operation on {}", ty.element.name());
            return refuse(given.span, message);
        }
        let values = atomic.values();
        // `tl.atomic_cas` has no mask.
        let mask = if values == 1 {
            given.maybe(2, "mask")
        } else {
            None
        };
        let (pointer, mask) = self.masked(pointer, mask)?;
        let mut operands = vec![pointer];
        for at in 1..=values {
            let value = self.builder.materialise(&given.need(at, "val")?)?;
            operands.push(self.stored(pointer, value)?.1);
        }
        operands.extend(mask);
        let access = Access {
            is_masked: mask.is_some(),
            has_other: false,
        };
        let ty = self.builder.ty(pointer).clone();
        let results = self.builder.emit_all(
            Op::Atomic(atomic, access),
            &operands,
            vec![ty.of(ty.element)],
            Vec::new(),
        );
        Ok(Traced::Value(results[0]))
    }
}

/// Whether an operation can be atomic on such elements: Triton's rule, less floats of 64 bits for the smaller and the
/// larger, and floats that are compared and swapped, which have no name in CUDA.
fn is_atomic(atomic: Atomic, element: Element) -> bool {
    match atomic {
        _ if element.bits() < 16 || matches!(element, Element::I16 | Element::U16) => false,
        Atomic::Add => true,
        Atomic::Exchange => element.bits() >= 32 && element != Element::F64,
        Atomic::Min | Atomic::Max => !element.is_float() || element == Element::F32,
        Atomic::And | Atomic::Or | Atomic::Xor | Atomic::CompareAndSwap => !element.is_float(),
    }
}
