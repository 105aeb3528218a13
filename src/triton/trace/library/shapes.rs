//! Tiles that are made, and tiles in other shapes.

use crate::triton::tile::{Binary, Constant, Element, Op, Type, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::{LoopRange, Traced};

/// Most elements of a tile, as Triton has it.
const MAX_ELEMENTS: i128 = 1 << 20;

impl Tracer<'_> {
    /// A function that makes a tile or reshapes one; nothing if `name` is none of these.
    pub fn shape_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        let value = match name {
            "program_id" | "num_programs" => self.program(name, given)?,
            "arange" => self.arange(given)?,
            "zeros" => self.full(given, given.shape(0, "shape")?, &Traced::Integer(0), 1)?,
            "full" => self.full(given, given.shape(0, "shape")?, &given.need(1, "value")?, 2)?,
            "zeros_like" => {
                let ty = self.tile(given, 0, "input")?.1;
                self.builder.constant(Constant::Integer(0), ty)
            }
            "reshape" | "view" | "ravel" | "expand_dims" | "broadcast_to" => {
                self.viewed(name, given)?
            }
            "trans" | "permute" => self.permuted(given)?,
            "join" | "interleave" => self.alternating(name, given)?,
            "split" => return self.split(given).map(Some),
            "broadcast" => {
                let (a, b) = (
                    self.tile(given, 0, "input")?.0,
                    self.tile(given, 1, "other")?.0,
                );
                let both = self.builder.broadcast_pair(a, b)?;
                return Ok(Some(Traced::Tuple(both.map(Traced::Value).to_vec())));
            }
            "cat" => self.one_behind_another(given)?,
            // The only element of a tile.
            "item" => {
                let (value, ty) = self.tile(given, 0, "x")?;
                if ty.count() != 1 {
                    return refuse(given.span, format!("{} has no single element", ty.words()));
                }
                self.only_element(value, given)?
            }
            "gather" => self.gathered(given)?,
            _ => return Ok(None),
        };
        Ok(Some(Traced::Value(value)))
    }

    /// The elements of a tile in another shape.
    fn viewed(&mut self, name: &str, given: &Arguments) -> Traceable<Value> {
        match name {
            "ravel" => {
                let value = self.tile(given, 0, "x")?.0;
                self.flat(value)
            }
            "expand_dims" => {
                let value = self.tile(given, 0, "input")?.0;
                self.with_sides(value, given)
            }
            "broadcast_to" => {
                let value = self.tile(given, 0, "input")?.0;
                let shape = given.shape(1, "shape")?;
                self.builder.broadcast_to(value, &shape)
            }
            _ => {
                let value = self.tile(given, 0, "input")?.0;
                let shape = given.shape(1, "shape")?;
                self.reshaped(value, &shape)
            }
        }
    }

    /// What a tile of one element holds.
    fn only_element(&mut self, value: Value, given: &Arguments) -> Traceable<Value> {
        if self.builder.ty(value).is_scalar() {
            return refuse(given.span, "a number has no elements");
        }
        let flat = self.flat(value)?;
        self.reduced(flat, Binary::Max, 0)
    }

    /// A tile with one side of 1 more, or several: each is numbered in the shape that results.
    fn with_sides(&mut self, value: Value, given: &Arguments) -> Traceable<Value> {
        let rank = self.builder.ty(value).shape.len();
        let Some(Traced::Tuple(parts)) = given.get(1, "axis") else {
            let axis = self.axis(given, 1, rank + 1)?.unwrap_or(0);
            return Ok(self.builder.expand_dims(value, axis));
        };
        let rank = (rank + parts.len()) as i128;
        let axes = parts.iter().map(|part| {
            let axis = part.integer()?;
            let from_start = if axis < 0 { axis + rank } else { axis };
            usize::try_from(from_start)
                .ok()
                .filter(|_| from_start < rank)
        });
        let Some(mut axes) = axes.collect::<Option<Vec<_>>>() else {
            return refuse(given.span, format!("the new sides are among {rank}"));
        };
        axes.sort_unstable();
        let each = axes.into_iter();
        Ok(each.fold(value, |value, axis| self.builder.expand_dims(value, axis)))
    }

    /// `tl.join`, or `tl.interleave`, which joins along the last side that there is.
    fn alternating(&mut self, name: &str, given: &Arguments) -> Traceable<Value> {
        let (a, b) = (given.need(0, "a")?, given.need(1, "b")?);
        let [a, b] = self.builder.pair(&a, &b, false)?;
        let joined = self.joined(a, b);
        if name == "join" {
            return Ok(joined);
        }
        // Of a number there is no last side: both make a pair.
        let mut shape = self.builder.ty(a).shape.clone();
        if let Some(last) = shape.last_mut() {
            // Joined, then flattened: elements of both in turn.
            *last *= 2;
        }
        self.reshaped(joined, &shape)
    }

    fn one_behind_another(&mut self, given: &Arguments) -> Traceable<Value> {
        let (a, b) = (given.need(0, "input")?, given.need(1, "other")?);
        if !given.flag(2, "can_reorder") {
            let refusal: Traceable<Value> = refuse(
                given.span,
                "`tl.cat` of Triton 3.6 may put elements in another order, and wants to be told that it may",
            );
            return refusal.map_err(|error| Box::new(error.help("say `can_reorder=True`")));
        }
        let [a, b] = self.builder.pair(&a, &b, false)?;
        let length = self.builder.ty(a).shape.first().copied().unwrap_or(1);
        let joined = self.joined(a, b);
        // Which of the two becomes the slower index, so one stands behind the other.
        let order = self.transposed(joined, &[1, 0])?;
        self.reshaped(order, &[length * 2])
    }

    fn gathered(&mut self, given: &Arguments) -> Traceable<Value> {
        let (value, ty) = self.tile(given, 0, "src")?;
        let (index, places) = self.tile(given, 1, "index")?;
        let axis = self.axis(given, 2, ty.shape.len())?.unwrap_or(0);
        let ty = ty.shaped(&places.shape);
        Ok(self.builder.emit(Op::Gather(axis), &[value, index], ty))
    }

    /// An argument that has to be a tensor, with its type.
    pub fn tile(&mut self, given: &Arguments, at: usize, name: &str) -> Traceable<(Value, Type)> {
        let value = self.builder.materialise(&given.need(at, name)?)?;
        Ok((value, self.builder.ty(value).clone()))
    }

    /// A side by its number; negative ones count from the end.
    // Triton calls it `axis` in most functions, and `dim` in some.
    pub fn axis(&mut self, given: &Arguments, at: usize, rank: usize) -> Traceable<Option<usize>> {
        let name = if given.named.iter().any(|(name, _)| name == "dim") {
            "dim"
        } else {
            "axis"
        };
        let Some(axis) = given.integer(at, name)? else {
            return Ok(None);
        };
        let from_start = if axis < 0 { axis + rank as i128 } else { axis };
        match usize::try_from(from_start).ok().filter(|&axis| axis < rank) {
            Some(axis) => Ok(Some(axis)),
            None => refuse(
                given.span,
                format!("there is no axis {axis}: the tile has the rank {rank}"),
            ),
        }
    }

    fn program(&mut self, name: &str, given: &Arguments) -> Traceable<Value> {
        let axis = given.integer(0, "axis")?.unwrap_or(0);
        let Some(axis) = u8::try_from(axis).ok().filter(|&axis| axis < 3) else {
            return refuse(
                given.span,
                format!("a grid has the axes 0, 1 and 2, not {axis}"),
            );
        };
        let op = if name == "program_id" {
            Op::ProgramId(axis)
        } else {
            Op::ProgramCount(axis)
        };
        Ok(self.builder.emit(op, &[], Type::scalar(Element::I32)))
    }

    fn arange(&mut self, given: &Arguments) -> Traceable<Value> {
        let bounds = [given.need(0, "start")?, given.need(1, "end")?];
        let [Some(start), Some(end)] = [bounds[0].integer(), bounds[1].integer()] else {
            let refusal: Traceable<Value> = refuse(
                given.span,
                "the bounds of `tl.arange` must be constexpr: known when the kernel is compiled",
            );
            return refusal.map_err(|error| {
                Box::new(error.help(
                    "make the size a `tl.constexpr` parameter, and mask the elements past the end",
                ))
            });
        };
        let length = end - start;
        // `tl.arange` of Triton refuses all others, as tiles are spread over powers of two of threads.
        if length <= 0 || !(length as u64).is_power_of_two() {
            let refusal: Traceable<Value> = refuse(
                given.span,
                format!(
                    "`tl.arange({start}, {end})` has {length} elements, and their number must be a power of two"
                ),
            );
            return refusal.map_err(|error| {
                Box::new(
                    error.help("take the next power of two, and mask the elements past the end"),
                )
            });
        }
        // `TRITON_MAX_TENSOR_NUMEL` of Triton.
        if length > MAX_ELEMENTS || u32::try_from(start).is_err() {
            return refuse(given.span, "a tile has at most 1,048,576 elements");
        }
        let ty = Type::tile(&[length as u32], Element::I32);
        Ok(self.builder.emit(Op::Range(start as u32), &[], ty))
    }

    fn full(
        &mut self,
        given: &Arguments,
        shape: Vec<u32>,
        value: &Traced,
        at: usize,
    ) -> Traceable<Value> {
        let Some(Traced::Type(element, false)) = given.get(at, "dtype").cloned() else {
            return refuse(
                given.span,
                "`dtype` must name the type of the elements, such as `tl.float32`",
            );
        };
        let count: i128 = shape.iter().map(|&side| i128::from(side)).product();
        if count > MAX_ELEMENTS {
            return refuse(
                given.span,
                format!("a tile has at most 1,048,576 elements, and this has {count}"),
            );
        }
        // Converted before it is spread: one conversion, not one for each element.
        let value = self.builder.materialise(value)?;
        let value = self.builder.cast(value, element)?;
        self.builder.broadcast_to(value, &shape)
    }

    /// The same elements in another shape.
    pub fn reshaped(&mut self, value: Value, shape: &[u32]) -> Traceable<Value> {
        let ty = self.builder.ty(value).clone();
        let reshaped = ty.shaped(shape);
        if reshaped.count() != ty.count() {
            let message = format!(
                "{:?} has {} elements, and {shape:?} has {}",
                ty.shape,
                ty.count(),
                reshaped.count()
            );
            return refuse(self.builder.span, message);
        }
        // The same shape needs no operation, which would ask for a layout of its own.
        Ok(match ty.shape == shape {
            true => value,
            false => self.builder.emit(Op::Reshape, &[value], reshaped),
        })
    }

    /// All elements along one side.
    pub fn flat(&mut self, value: Value) -> Traceable<Value> {
        let count = self.builder.ty(value).count() as u32;
        self.reshaped(value, &[count])
    }

    fn permuted(&mut self, given: &Arguments) -> Traceable<Value> {
        let (value, ty) = self.tile(given, 0, "input")?;
        let rank = ty.shape.len();
        let order = match given.positional.get(1) {
            // As `tl.trans` of Triton 3.6 has it.
            None if rank < 2 => {
                let message = format!("a tensor of {rank} dimensions has no two to swap");
                return refuse(given.span, message);
            }
            None => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.swap(rank - 2, rank - 1);
                order
            }
            Some(first) => {
                let parts = match first {
                    Traced::Tuple(parts) => parts.clone(),
                    _ => given.positional[1..].to_vec(),
                };
                let sides = parts
                    .iter()
                    .map(|part| part.integer().and_then(|side| usize::try_from(side).ok()));
                match sides.collect::<Option<Vec<_>>>() {
                    Some(sides) if sides.iter().all(|&side| side < rank) => sides,
                    _ => {
                        return refuse(
                            given.span,
                            format!("the order of {rank} dimensions lists their numbers, from 0"),
                        );
                    }
                }
            }
        };
        self.transposed(value, &order)
    }

    fn joined(&mut self, a: Value, b: Value) -> Value {
        let ty = self.builder.ty(a).clone();
        let mut shape = ty.shape.clone();
        // Which of the two is the fastest index: neighbours in the result come from both.
        shape.push(2);
        self.builder.emit(Op::Join, &[a, b], ty.shaped(&shape))
    }

    fn split(&mut self, given: &Arguments) -> Traceable<Traced> {
        let (value, ty) = self.tile(given, 0, "a")?;
        let Some((&2, rest)) = ty.shape.split_last() else {
            return refuse(
                given.span,
                format!(
                    "`tl.split` needs a last dimension of 2, and the shape is {:?}",
                    ty.shape
                ),
            );
        };
        let half = ty.shaped(rest);
        // Index 0 of the last side, then index 1.
        let halves =
            self.builder
                .emit_all(Op::Split, &[value], vec![half.clone(), half], Vec::new());
        Ok(Traced::Tuple(
            halves.into_iter().map(Traced::Value).collect(),
        ))
    }

    /// `range`, `tl.range`, `tl.static_range`.
    pub fn range(&mut self, given: &Arguments, is_static: bool) -> Traceable<Traced> {
        // `range(n)` begins at 0, as Python's does.
        let (start, stop) = match given.positional.len() {
            1 => (Traced::Integer(0), given.need(0, "stop")?),
            _ => (given.need(0, "start")?, given.need(1, "stop")?),
        };
        let step = given.maybe(2, "step").unwrap_or(Traced::Integer(1));
        let stages = given.integer(9, "num_stages")?;
        Ok(Traced::Range(Box::new(LoopRange {
            start,
            stop,
            step,
            is_static,
            stages: stages.and_then(|stages| u32::try_from(stages).ok()),
        })))
    }
}
