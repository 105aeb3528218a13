//! Tiles turned round and sorted, as `python/triton/language/standard.py` has them: the tile becomes a cube with sides of
//! 2, neighbours along one of which change places by exclusive ors.

use crate::triton::tile::{Binary, Comparison, Element, Op, Type, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

/// Said of what Triton counts in shared memory.
const HISTOGRAM: &str = "the counts of this line differ from Triton's: Triton adds up in shared memory, and here each bin is summed by itself";

/// Which way a step of the sort puts its pairs.
enum Order {
    /// All up, or all down.
    Same(bool),
    /// By turns, as far apart as the stage says.
    Alternating(usize),
}

impl Tracer<'_> {
    /// A function that orders elements or counts them; nothing if `name` is none of these.
    pub fn order_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        let value = match name {
            "flip" => self.flipped(given)?,
            "sort" => self.sorted(given, None, given.flag(2, "descending"))?,
            "topk" => {
                let count = given.integer(1, "k")?;
                self.sorted(given, count, true)?
            }
            "histogram" => self.histogram(given)?,
            "softmax" => return self.softmax(given).map(Some),
            "swizzle2d" => return self.swizzled(given).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(Traced::Value(value)))
    }

    fn flipped(&mut self, given: &Arguments) -> Traceable<Value> {
        let (value, ty) = self.tile(given, 0, "x")?;
        let Some(axis) = self.axis(given, 1, ty.shape.len())? else {
            return refuse(
                given.span,
                "`tl.flip` must be told which dimension: `dim=0`",
            );
        };
        let steps = ty.shape[axis].trailing_zeros() as usize;
        let sides = [&ty.shape[..axis], &vec![2; steps], &ty.shape[axis + 1..]].concat();
        let mut cube = self.reshaped(value, &sides)?;
        // Counting a side from its other end flips every bit of the index, and each bit is a side of the cube.
        for step in 0..steps {
            cube = self.neighbour(cube, axis + step)?;
        }
        self.reshaped(cube, &ty.shape)
    }

    /// Each element's neighbour along a side of 2.
    fn neighbour(&mut self, value: Value, axis: usize) -> Traceable<Value> {
        let ty = self.builder.ty(value).clone();
        let bits = self.bits(value, integer_of(ty.element));
        // Both less one's own is the other's: one exclusive or along the side turns every pair round.
        let both = self.xor_along(bits, axis)?;
        let (bits, both) = (Traced::Value(bits), Traced::Value(both));
        let other = self.builder.arithmetic(Binary::Xor, &bits, &both)?;
        let other = self.builder.materialise(&other)?;
        Ok(self.bits(other, ty.element))
    }

    /// The same bits as another type.
    fn bits(&mut self, value: Value, element: Element) -> Value {
        let ty = self.builder.ty(value).clone();
        match ty.element == element {
            true => value,
            false => self.builder.emit(Op::Bitcast, &[value], ty.of(element)),
        }
    }

    /// A bitonic sort along the last side; only the first `count` where they are asked for.
    fn sorted(
        &mut self,
        given: &Arguments,
        count: Option<i128>,
        is_descending: bool,
    ) -> Traceable<Value> {
        let (value, ty) = self.tile(given, 0, "x")?;
        let rank = ty.shape.len();
        let at = if count.is_some() { 2 } else { 1 };
        // `sort_impl` compares the number as it is written: -1 is not the last one's.
        let axis = given.integer(at, "dim")?;
        let is_last = axis.is_none_or(|axis| axis + 1 == rank as i128);
        let Some((&last, rest)) = ty.shape.split_last().filter(|_| is_last) else {
            return refuse(
                given.span,
                "a tile can only be sorted along its last dimension, whose number is not written as -1",
            );
        };
        let count = match count.map_or(Some(last), |count| u32::try_from(count).ok()) {
            Some(count) if count.is_power_of_two() && count <= last => count,
            _ => {
                return refuse(
                    given.span,
                    "`k` must be a power of two, and no larger than the last dimension",
                );
            }
        };
        let sides = ty.count().trailing_zeros() as usize;
        let cube = self.reshaped(value, &vec![2; sides])?;
        let cube = self.stages(cube, [last, count], is_descending)?;
        self.reshaped(cube, &[rest, &[count]].concat())
    }

    /// The stages of a sort of runs of so many elements, of which so many are kept.
    fn stages(&mut self, cube: Value, lengths: [u32; 2], is_descending: bool) -> Traceable<Value> {
        let [all, kept] = lengths.map(|length| length.trailing_zeros() as usize);
        let best = match is_descending {
            true => Binary::Max,
            false => Binary::Min,
        };
        let mut cube = cube;
        for stage in 1..=all {
            // Of two runs, one up and one down, the better ones of all pairs are the better half of both.
            if stage > kept {
                let axis = self.builder.ty(cube).shape.len() - 1 - kept;
                cube = self.reduced(cube, best, axis)?;
            }
            let order = match stage < all {
                true => Order::Alternating(stage.min(kept)),
                false => Order::Same(is_descending),
            };
            cube = self.merged(cube, stage.min(kept), &order)?;
        }
        Ok(cube)
    }

    /// Pairs of sorted runs become sorted runs of `2^stage`.
    fn merged(&mut self, cube: Value, stage: usize, order: &Order) -> Traceable<Value> {
        let mut cube = cube;
        for place in (0..stage).rev() {
            let sides = self.builder.ty(cube).shape.len();
            let is_right = self.second_along(sides, place);
            let turned = match order {
                Order::Same(is_descending) => Traced::Truth(*is_descending),
                Order::Alternating(stage) if *stage < sides => self.second_along(sides, *stage),
                // The run is all there is.
                Order::Alternating(_) => Traced::Truth(false),
            };
            // The second of a pair is to be the greater one: for it, and in falling order, the question is turned.
            let turned = self
                .builder
                .comparison(Comparison::Ne, &turned, &is_right)?;
            let other = Traced::Value(self.neighbour(cube, sides - 1 - place)?);
            let own = Traced::Value(cube);
            let is_greater = self.builder.comparison(Comparison::Gt, &own, &other)?;
            let swaps = self
                .builder
                .comparison(Comparison::Ne, &is_greater, &turned)?;
            let chosen = self.builder.select(&swaps, &other, &own)?;
            cube = self.builder.materialise(&chosen)?;
        }
        Ok(cube)
    }

    /// Where an element is the second along a side of a cube, counted from the last.
    fn second_along(&mut self, sides: usize, from_last: usize) -> Traced {
        let mut place = self
            .builder
            .emit(Op::Range(0), &[], Type::tile(&[2], Element::I32));
        for side in 0..sides {
            if side != sides - 1 - from_last {
                place = self.builder.expand_dims(place, side);
            }
        }
        let cast = self.builder.cast(place, Element::Bool);
        cast.map_or(Traced::Truth(false), Traced::Value)
    }

    fn histogram(&mut self, given: &Arguments) -> Traceable<Value> {
        let (value, ty) = self.tile(given, 0, "input")?;
        let bins = given.shape(1, "num_bins")?;
        let is_counted = !ty.element.is_float() && ty.element.bits() <= 32;
        if !is_counted || ty.shape.len() != 1 {
            let message = format!(
                "`tl.histogram` counts a tile of integers of 32 bits with one dimension, and this is {}",
                ty.words()
            );
            return refuse(given.span, message);
        }
        self.say_once(given.span, HISTOGRAM, "its values are right");
        let numbers = Type::tile(&bins[..1], Element::I32);
        let numbers = self.builder.emit(Op::Range(0), &[], numbers);
        let numbers = self.builder.expand_dims(numbers, 0);
        let mut value = self.builder.expand_dims(value, 1);
        if let Some(mask) = given.maybe(2, "mask") {
            let mask = self.builder.materialise(&mask)?;
            let mask = Traced::Value(self.builder.expand_dims(mask, 1));
            // No bin has this number.
            let nowhere = Traced::Integer(-1);
            let masked = self
                .builder
                .select(&mask, &Traced::Value(value), &nowhere)?;
            value = self.builder.materialise(&masked)?;
        }
        let (value, numbers) = (Traced::Value(value), Traced::Value(numbers));
        let is_in = self.builder.comparison(Comparison::Eq, &value, &numbers)?;
        let is_in = self.builder.materialise(&is_in)?;
        let is_in = self.builder.cast(is_in, Element::I32)?;
        self.reduced(is_in, Binary::Add, 0)
    }

    /// `exp(x - max(x)) / sum(…)` along a side.
    fn softmax(&mut self, given: &Arguments) -> Traceable<Traced> {
        let (value, ty) = self.tile(given, 0, "x")?;
        let axis = self.axis(given, 1, ty.shape.len())?.unwrap_or(0);
        // Taken off before: `exp` of 89 is infinite in float32.
        let greatest = self.reduced(value, Binary::Max, axis)?;
        let greatest = Traced::Value(self.builder.expand_dims(greatest, axis));
        let value = Traced::Value(value);
        let shifted = self.builder.arithmetic(Binary::Sub, &value, &greatest)?;
        let powers = self.float_of(crate::triton::tile::Unary::Exp, &shifted)?;
        let tile = self.builder.materialise(&powers)?;
        let sum = self.reduced(tile, Binary::Add, axis)?;
        let sum = Traced::Value(self.builder.expand_dims(sum, axis));
        self.builder.true_division(&powers, &sum)
    }

    /// The place of a tile of a grid when groups of `size_g` rows are walked column by column.
    fn swizzled(&mut self, given: &Arguments) -> Traceable<Traced> {
        let names = ["i", "j", "size_i", "size_j", "size_g"];
        let mut numbers = Vec::new();
        for (at, name) in names.into_iter().enumerate() {
            numbers.push(given.need(at, name)?);
        }
        let mut of = |op, a: &Traced, b: &Traced| self.builder.arithmetic(op, a, b);
        let [row, column, rows, columns, group] = &numbers[..] else {
            return refuse(given.span, "`tl.swizzle2d` takes five numbers");
        };
        let first = of(Binary::Mul, row, columns)?;
        let number = of(Binary::Add, &first, column)?;
        let in_group = of(Binary::Mul, group, columns)?;
        let which = of(Binary::Div, &number, &in_group)?;
        let first = of(Binary::Mul, &which, group)?;
        let left = of(Binary::Sub, rows, &first)?;
        let height = of(Binary::Min, &left, group)?;
        let place = of(Binary::Rem, &number, &in_group)?;
        let down = of(Binary::Rem, &place, &height)?;
        Ok(Traced::Tuple(vec![
            of(Binary::Add, &first, &down)?,
            of(Binary::Div, &place, &height)?,
        ]))
    }
}

/// The integer with as many bits.
fn integer_of(element: Element) -> Element {
    match element.bits() {
        8 => Element::I8,
        16 => Element::I16,
        64 => Element::I64,
        _ => Element::I32,
    }
}
