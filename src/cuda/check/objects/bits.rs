//! Bit-fields: the words that a struct keeps them in, and what changes their bits.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, Ident};
use crate::cuda::resolve::{
    Checker, Operand, Symbol, address, comma, constant, convert, load, node, pointer, scalar,
};
use crate::cuda::typed::{
    BinaryOp, BitField, Bits, Expr, ExprKind, LayoutRules, Place, PlaceKind, Scalar, Struct, Type,
    Words,
};

/// The bit-fields of a struct that stand behind each other, and what the struct takes from them.
#[derive(Default)]
pub struct BitFields {
    run: Vec<BitField>,
    pub align_bytes: u32,
    /// Where the last run ended, in the middle of its last word.
    end_bytes: Option<u32>,
}

type Fields = Vec<(String, Type)>;

impl Checker {
    /// Adds a bit-field to its run.
    pub fn bit_field(&mut self, variable: &ast::Variable, bits: &ast::Expr, all: &mut BitFields) {
        let span = variable.span;
        let ty = self.resolve(&variable.ty, None, None);
        let width = self.constant_integer(bits, "the width of a bit-field");
        let (Some((ty, _)), Some(width)) = (ty, width) else {
            return;
        };
        let Some(of) = ty.scalar().filter(|scalar| scalar.is_integer()) else {
            return self.report(Diagnostic::error(
                span,
                format!("a bit-field is an integer, not `{ty}`"),
            ));
        };
        let name = variable.name.name.to_string();
        // [class.bit]: more bits than the type has would be padding, which C++ allows and nobody needs.
        let most = if of == Scalar::Bool {
            1
        } else {
            of.size_bytes() * 8
        };
        // [class.bit]: only one without a name may have a width of 0; it ends the word.
        let least = i128::from(!name.is_empty());
        if !(least..=i128::from(most)).contains(&width) {
            let message = format!("a bit-field of `{ty}` has from {least} to {most} bits");
            return self.report(Diagnostic::error(bits.span, message));
        }
        if !name.is_empty() {
            all.align_bytes = all.align_bytes.max(of.size_bytes());
        }
        all.run.push(BitField {
            name,
            span,
            scalar: of,
            width_bits: width as u32,
        });
    }

    /// Gives a run of bit-fields its words among the fields of struct `index`.
    pub fn end_bit_fields(
        &mut self,
        index: usize,
        is_union: bool,
        fields: &mut Fields,
        all: &mut BitFields,
    ) {
        let run = std::mem::take(&mut all.run);
        if run.is_empty() {
            return;
        }
        // In a union every member begins at byte 0.
        if is_union {
            for field in run {
                self.place_bit_fields(index, &[field], 0, fields, all);
            }
            all.end_bytes = None;
            return;
        }
        // Where the run before it ended, so that two runs with a static member between them share a word as in C++.
        let begin = all.end_bytes.take().unwrap_or_else(|| end_of(fields));
        self.place_bit_fields(index, &run, begin, fields, all);
    }

    fn place_bit_fields(
        &mut self,
        index: usize,
        run: &[BitField],
        begin: u32,
        fields: &mut Fields,
        all: &mut BitFields,
    ) {
        let Some(words) = Words::of(run, begin) else {
            let span = run.first().map_or_else(Span::default, |field| field.span);
            let message = "this bit-field shares a word with the member before it, which is not supported yet";
            let error = Diagnostic::error(span, message);
            return self.report(
                error.help("give that member a bit-field's width, or an own word: `int : 0;`"),
            );
        };
        let mut at = begin;
        let mut places = Vec::new();
        for &(offset, size) in &words.words {
            // Bytes that no word can take: alignment would leave out others.
            if at.next_multiple_of(size) != offset {
                self.add_word(index, gap(offset - at), fields);
            }
            places.push(fields.len());
            self.add_word(index, scalar(unsigned_of(size)), fields);
            at = offset + size;
        }
        if words.end_bytes > at {
            self.add_word(index, gap(words.end_bytes - at), fields);
        }
        // The last word may reach further than the bits do: what comes behind may have to begin within it.
        all.end_bytes = (words.end_bytes < at).then_some(words.end_bytes);
        self.declare_bits(index, run, &words, &places);
    }

    /// Declares bit-fields whose words are the fields `places`.
    fn declare_bits(&mut self, index: usize, run: &[BitField], words: &Words, places: &[usize]) {
        for (field, first) in run.iter().zip(&words.first_bits) {
            let holds =
                |(offset, size): &(u32, u32)| (offset * 8..(offset + size) * 8).contains(first);
            let Some(word) = words.words.iter().position(holds) else {
                continue;
            };
            if field.name.is_empty() {
                continue;
            }
            let bits = Bits {
                scalar: field.scalar,
                shift_bits: first - words.words[word].0 * 8,
                width_bits: field.width_bits,
            };
            let class = &mut self.types.records[index].class;
            class.words.entry(places[word]).or_default().push(bits);
            let (name, span) = (field.name.as_str().into(), field.span);
            let way = Rc::from([places[word]]);
            self.declare(&Ident { name, span }, Symbol::Bits(way, bits));
        }
    }

    fn add_word(&mut self, index: usize, ty: Type, fields: &mut Fields) {
        let record = &mut self.types.records[index];
        record.class.words.insert(fields.len(), Vec::new());
        record.defaults.push(None);
        fields.push(("(bits)".to_owned(), ty));
    }

    /// Reports a member behind bit-fields that would begin within their last word.
    pub fn behind_bit_fields(
        &mut self,
        ty: &Type,
        span: Span,
        fields: &Fields,
        all: &mut BitFields,
    ) {
        let Some(end) = all.end_bytes.take() else {
            return;
        };
        let align = ty.align_bytes();
        if end.next_multiple_of(align) != end_of(fields).next_multiple_of(align) {
            let message = "this member shares a word with the bit-fields before it, which is not supported yet";
            let error = Diagnostic::error(span, message);
            self.report(error.help("put `int : 0;` before it, if its place does not matter"));
        }
    }

    /// What stands in a field that holds bit-fields.
    pub fn word(&self, ty: &Type, field: u32) -> Option<Vec<Bits>> {
        let Type::Struct(of) = ty else {
            return None;
        };
        let of: &Struct = of;
        let words = &self.types.record_of(of)?.class.words;
        words.get(&(field as usize)).cloned()
    }

    /// A word with a value put to its bits.
    pub fn with_bits(&mut self, word: Expr, bits: Bits, value: Expr) -> Option<Expr> {
        let span = value.span;
        let (unsigned, moved) = bits.moved(&word.ty);
        // A `bool` is 1 for any value that is not 0, and not its lowest bit.
        let to = if bits.scalar == Scalar::Bool {
            Scalar::Bool
        } else {
            moved
        };
        let value = convert(self.coerce(value, &scalar(to))?, &scalar(unsigned));
        let (ty, word_ty) = (scalar(unsigned), word.ty.clone());
        // A shift by 64 would overflow: a bit-field has 1 bit at least.
        let mask = u64::MAX >> (64 - bits.width_bits);
        let all = u64::MAX >> (64 - unsigned.size_bytes() * 8);
        let number = |bits: u64| constant(ty.clone(), bits, span);
        let binary = |op, a: Expr, b: Expr| {
            node(
                ExprKind::Binary(op, Box::new(a), Box::new(b)),
                ty.clone(),
                span,
            )
        };
        let shift = constant(scalar(Scalar::I32), u64::from(bits.shift_bits), span);
        let value = binary(BinaryOp::BitAnd, value, number(mask));
        let value = binary(BinaryOp::Shl, value, shift);
        let others = number(all & !(mask << bits.shift_bits));
        let rest = binary(BinaryOp::BitAnd, convert(word, &ty), others);
        // The value first: computing it may change other bits of the word.
        Some(convert(binary(BinaryOp::BitOr, value, rest), &word_ty))
    }

    /// `x.a = value`, where `new` gives the value from what the bits are before.
    pub fn change_bits(
        &mut self,
        word: Expr,
        bits: Bits,
        span: Span,
        new: impl FnOnce(&mut Self, Expr) -> Option<Expr>,
    ) -> Option<Expr> {
        let ExprKind::Load(place) = word.kind else {
            return None;
        };
        let (place, before) = match is_plain(&place) {
            true => (place, None),
            false => self.looked_up(place),
        };
        let loaded = || load(Operand::place(place.clone(), false));
        let value = new(self, bits.read(loaded(), span))?;
        let value = self.with_bits(loaded(), bits, value)?;
        let ty = place.ty.clone();
        let kind = ExprKind::Assign(Box::new(place.clone()), Box::new(value));
        // The value of an assignment is what the bits hold afterwards: 3 in two bits of a signed type reads as -1.
        let changed = comma(node(kind, ty, span), bits.read(loaded(), span));
        Some(match before {
            Some(before) => comma(before, changed),
            None => changed,
        })
    }

    /// A place by an address that is computed once.
    fn looked_up(&mut self, place: Place) -> (Place, Option<Expr>) {
        let (ty, span) = (place.ty.clone(), place.span);
        let (kept, before) = self.frame.stored(address(place, false));
        let value = node(ExprKind::Load(kept), pointer(ty.clone(), false), span);
        let kind = PlaceKind::Deref(Box::new(value));
        (Place { kind, ty, span }, Some(before))
    }

    /// `x.a++`, and the like.
    pub fn step_bits(
        &mut self,
        word: Expr,
        bits: Bits,
        op: BinaryOp,
        prefix: bool,
        span: Span,
    ) -> Option<Expr> {
        let one = constant(scalar(Scalar::I32), 1, span);
        let mut old = None;
        let changed = self.change_bits(word, bits, span, |checker, value| {
            let (place, before) = checker.frame.stored(value);
            let value = load(Operand::place(place, false));
            old = Some(value.clone());
            let new = checker.binary_values(op, span, value, one, span)?;
            Some(comma(before, new))
        })?;
        Some(match (prefix, old) {
            (false, Some(old)) => comma(changed, old),
            _ => changed,
        })
    }
}

/// Whether looking a place up twice is the same as once.
fn is_plain(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::File(_) => true,
        PlaceKind::Member(of, _) => is_plain(of),
        // `p->a`: a pointer in a variable is looked up without effects.
        PlaceKind::Deref(pointer) => {
            matches!(&pointer.kind, ExprKind::Load(place) if is_plain(place))
        }
        _ => false,
    }
}

fn end_of(fields: &Fields) -> u32 {
    // Laid out as a struct of its own, so that alignment is counted as for any other.
    let whole = Struct::declared(String::new());
    whole.define(fields.clone(), &LayoutRules::default());
    let last = whole.fields().last();
    last.map_or(0, |field| field.offset_bytes + field.ty.size_bytes())
}

fn gap(size_bytes: u32) -> Type {
    Type::Array(Box::new(scalar(Scalar::U8)), size_bytes)
}

fn unsigned_of(size_bytes: u32) -> Scalar {
    match size_bytes {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}
