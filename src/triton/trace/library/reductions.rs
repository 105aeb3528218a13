//! Reductions and scans along a side, as `python/triton/language/standard.py` has them.

use crate::triton::python::FunctionName;
use crate::triton::tile::{Binary, BlockId, Comparison, Element, Op, Type, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

/// How two values become one.
enum Combine {
    /// By an operator.
    Operator(Binary),
    /// The greater (or the lesser), with its place; the first of equals.
    Place(Comparison),
    /// By a function of the text.
    Function(FunctionName),
}

impl Tracer<'_> {
    /// A reduction or scan; nothing if `name` is none of these.
    pub fn reduction(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        // Options have no place in a call, but a name: 9 is further than any call gives in order.
        let with_places = given.flag(9, "return_indices");
        let traced = match name {
            "sum" => self.reduce_by(Binary::Add, given)?,
            "xor_sum" => self.reduce_by(Binary::Xor, given)?,
            "reduce_or" => self.reduce_by(Binary::Or, given)?,
            "max" if with_places => self.place(Comparison::Gt, given, true)?,
            "min" if with_places => self.place(Comparison::Lt, given, true)?,
            "max" => self.reduce_by(Binary::Max, given)?,
            "min" => self.reduce_by(Binary::Min, given)?,
            "argmax" => self.place(Comparison::Gt, given, false)?,
            "argmin" => self.place(Comparison::Lt, given, false)?,
            "cumsum" => self.scan_by(Binary::Add, given)?,
            "cumprod" => self.scan_by(Binary::Mul, given)?,
            "reduce" | "associative_scan" => self.by_function(name, given)?,
            _ => return Ok(None),
        };
        Ok(Some(traced))
    }

    /// The tile as it is reduced, and along which side.
    fn reduced_tile(&mut self, given: &Arguments) -> Traceable<(Value, usize)> {
        let (value, ty) = self.tile(given, 0, "input")?;
        if ty.is_scalar() {
            return refuse(
                given.span,
                "a single number cannot be reduced: it has no axis",
            );
        }
        self.builder.check_width(&ty)?;
        match self.axis(given, 1, ty.shape.len())? {
            Some(axis) => Ok((value, axis)),
            // Without an axis all elements are reduced, in the order of the flattened tile.
            None => Ok((self.flat(value)?, 0)),
        }
    }

    fn reduce_by(&mut self, op: Binary, given: &Arguments) -> Traceable<Traced> {
        let (value, axis) = self.reduced_tile(given)?;
        let element = self.builder.ty(value).element;
        // Sums of narrow integers would wrap, so `standard.py` adds 32 bits; it compares them so too.
        let wide = match (op, element) {
            (Binary::Max | Binary::Min, Element::F16 | Element::Bf16) => Element::F32,
            (
                Binary::Max | Binary::Min | Binary::Add,
                Element::Bool | Element::I8 | Element::I16,
            ) => Element::I32,
            (Binary::Max | Binary::Min | Binary::Add, Element::U8 | Element::U16) => Element::U32,
            _ => element,
        };
        let wide = match given.maybe(9, "dtype") {
            Some(Traced::Type(element, false)) => element,
            _ => wide,
        };
        let value = self.builder.cast(value, wide)?;
        let result = self.reduce(&[value], axis, &Combine::Operator(op))?[0];
        Ok(Traced::Value(self.with_side(result, axis, given)))
    }

    /// The result, with the side that is gone if it is asked for.
    fn with_side(&mut self, result: Value, axis: usize, given: &Arguments) -> Value {
        match given.flag(9, "keep_dims") {
            true => self.builder.expand_dims(result, axis),
            false => result,
        }
    }

    fn place(
        &mut self,
        comparison: Comparison,
        given: &Arguments,
        with_value: bool,
    ) -> Traceable<Traced> {
        if given.maybe(1, "axis").is_none() {
            return refuse(given.span, "a place is counted along one axis: say which");
        }
        let (value, axis) = self.reduced_tile(given)?;
        let ty = self.builder.ty(value).clone();
        let wide = match ty.element {
            Element::F16 | Element::Bf16 => Element::F32,
            element if element.bits() < 32 => Element::I32,
            element => element,
        };
        let value = self.builder.cast(value, wide)?;
        // Each element brings its index along the side; the pair is reduced as one value.
        let mut places = self.builder.emit(
            Op::Range(0),
            &[],
            Type::tile(&[ty.shape[axis]], Element::I32),
        );
        for side in 0..ty.shape.len() {
            if side != axis {
                places = self.builder.expand_dims(places, side);
            }
        }
        let places = self.builder.broadcast_to(places, &ty.shape)?;
        let results = self.reduce(&[value, places], axis, &Combine::Place(comparison))?;
        let place = Traced::Value(self.with_side(results[1], axis, given));
        Ok(match with_value {
            true => Traced::Tuple(vec![
                Traced::Value(self.with_side(results[0], axis, given)),
                place,
            ]),
            false => place,
        })
    }

    fn scan_by(&mut self, op: Binary, given: &Arguments) -> Traceable<Traced> {
        let (value, axis) = self.reduced_tile(given)?;
        let element = match self.builder.ty(value).element {
            Element::Bf16 => Element::F32,
            Element::Bool | Element::I8 | Element::I16 => Element::I32,
            element => element,
        };
        let value = self.builder.cast(value, element)?;
        // A scan keeps every running result, so the type that it adds in is the type of the whole tile.
        let block = self.combination(&[value], &Combine::Operator(op))?;
        let ty = self.builder.ty(value).clone();
        let op = Op::Scan(axis, given.flag(2, "reverse"));
        Ok(Traced::Value(
            self.builder.emit_all(op, &[value], vec![ty], vec![block])[0],
        ))
    }

    /// Running results along an axis, by a function of the kernel's own.
    fn scan_with(
        &mut self,
        values: &[Value],
        axis: usize,
        combine: &Combine,
        is_reverse: bool,
    ) -> Traceable<Vec<Value>> {
        let block = self.combination(values, combine)?;
        let types = values.iter().map(|&value| self.builder.ty(value).clone());
        let types = types.collect();
        let op = Op::Scan(axis, is_reverse);
        Ok(self.builder.emit_all(op, values, types, vec![block]))
    }

    fn by_function(&mut self, name: &str, given: &Arguments) -> Traceable<Traced> {
        let inputs = match given.need(0, "input")? {
            Traced::Tuple(parts) => parts,
            one => vec![one],
        };
        let mut values = Vec::new();
        for input in &inputs {
            values.push(self.builder.materialise(input)?);
        }
        let rank = self.builder.ty(values[0]).shape.len();
        let axis = self.axis(given, 1, rank)?;
        let Traced::Function(function) = given.need(2, "combine_fn")? else {
            let message = "`combine_fn` must be a function with `@triton.jit`";
            return refuse(given.span, message);
        };
        let combine = Combine::Function(function);
        let axis = match axis {
            Some(axis) => axis,
            None => {
                for value in &mut values {
                    // All of them in the same order: elements that stand together are combined together.
                    *value = self.flat(*value)?;
                }
                0
            }
        };
        let results = match name {
            "reduce" => {
                let results = self.reduce(&values, axis, &combine)?.into_iter();
                let with_side = results.map(|result| self.with_side(result, axis, given));
                with_side.collect()
            }
            _ => self.scan_with(&values, axis, &combine, given.flag(3, "reverse"))?,
        };
        let mut results: Vec<Traced> = results.into_iter().map(Traced::Value).collect();
        Ok(match results.len() {
            1 => results.remove(0),
            _ => Traced::Tuple(results),
        })
    }

    /// Elements along a side combined by an operator.
    pub fn reduced(&mut self, value: Value, op: Binary, axis: usize) -> Traceable<Value> {
        Ok(self.reduce(&[value], axis, &Combine::Operator(op))?[0])
    }

    /// The exclusive or of the elements along a side, which stays.
    pub fn xor_along(&mut self, value: Value, axis: usize) -> Traceable<Value> {
        let result = self.reduced(value, Binary::Xor, axis)?;
        Ok(self.builder.expand_dims(result, axis))
    }

    fn reduce(
        &mut self,
        values: &[Value],
        axis: usize,
        combine: &Combine,
    ) -> Traceable<Vec<Value>> {
        let block = self.combination(values, combine)?;
        let types = values.iter().map(|&value| {
            let ty = self.builder.ty(value);
            let mut shape = ty.shape.clone();
            shape.remove(axis);
            ty.shaped(&shape)
        });
        let types = types.collect();
        Ok(self
            .builder
            .emit_all(Op::Reduce(axis), values, types, vec![block]))
    }

    /// A block that makes one value out of two, or as many out of twice as many.
    fn combination(&mut self, values: &[Value], combine: &Combine) -> Traceable<BlockId> {
        let elements = values
            .iter()
            .map(|&value| Type::scalar(self.builder.ty(value).element));
        let elements: Vec<Type> = elements.collect();
        // The operands of the left, then those of the right: so a combining function takes them.
        let types = [elements.clone(), elements].concat();
        let block = self.builder.open(&types);
        let arguments = self.builder.function.blocks[block.0].arguments.clone();
        let sides: Vec<Traced> = arguments.into_iter().map(Traced::Value).collect();
        let results = match combine {
            Combine::Operator(op) => vec![self.builder.arithmetic(*op, &sides[0], &sides[1])?],
            Combine::Place(comparison) => self.better(*comparison, &sides)?,
            Combine::Function(name) => {
                let given = Arguments {
                    positional: sides,
                    named: Vec::new(),
                    span: self.builder.span,
                };
                match self.inline(name, &given)? {
                    Traced::Tuple(parts) => parts,
                    one => vec![one],
                }
            }
        };
        let mut given = Vec::new();
        for result in &results {
            given.push(self.builder.materialise(result)?);
        }
        if given.len() != values.len() {
            let message = format!(
                "a function that combines {} values must return as many, not {}",
                values.len(),
                given.len()
            );
            return refuse(self.builder.span, message);
        }
        self.builder.close(given);
        Ok(block)
    }

    /// Of two values with their places, the better one; of equals, the one further in front.
    fn better(&mut self, comparison: Comparison, sides: &[Traced]) -> Traceable<Vec<Traced>> {
        let [value, place, other, its_place] = sides else {
            return refuse(
                self.builder.span,
                "a value and a place are compared with another",
            );
        };
        let equal = self.builder.comparison(Comparison::Eq, value, other)?;
        let first = self.builder.comparison(Comparison::Lt, place, its_place)?;
        // Lanes meet in an order that the layout sets, so only the place decides which of equals was first.
        let tie = self.builder.arithmetic(Binary::And, &equal, &first)?;
        let better = self.builder.comparison(comparison, value, other)?;
        let takes = self.builder.arithmetic(Binary::Or, &better, &tie)?;
        Ok(vec![
            self.builder.select(&takes, value, other)?,
            self.builder.select(&takes, place, its_place)?,
        ])
    }
}
