//! A factor of a product as a thread holds it: so much of it at a time as one step along the inner dimension takes.

use crate::triton::layout::{Instruction, LinearLayout, SharedSide};
use crate::triton::lower::index::{Index, exclusive_or, pieces, scattered};
use crate::triton::lower::lowering::Lowering;
use crate::triton::lower::shared::{AccessLoop, SharedPlace};
use crate::triton::tile::Element;

/// How a factor gets from shared memory into registers.
#[derive(Clone, Debug)]
pub struct FragmentPlan {
    /// Which thread multiplies which elements.
    pub layout: LinearLayout,
    /// The inner dimension.
    pub inner_side: usize,
    /// What its elements are.
    pub element: Element,
    /// Whether they are wanted as words of 4 bytes, as tensor cores take them.
    pub has_words: bool,
    /// The loads.
    pub loads: SharedSide,
}

/// An array of a step's elements.
#[derive(Clone, Debug)]
pub struct Fragment {
    name: String,
    layout: LinearLayout,
    inner_side: usize,
    /// Bits of registers that count its elements, in their order.
    bits: Vec<usize>,
}

impl FragmentPlan {
    /// The loads, each of what a thread gets by itself.
    pub fn accesses(&self) -> SharedSide {
        self.loads.words(self.element.bytes())
    }

    /// How far a register's bit goes along the inner dimension.
    fn along(&self, bit: usize) -> u32 {
        self.layout.indices(self.layout.registers[bit])[self.inner_side]
    }

    /// The shortest step in which no load goes beyond its end.
    pub fn step(&self) -> u32 {
        let side = self.accesses();
        let within = AccessLoop::of(&side.rounds[0]).within;
        let ends = within.into_iter().map(|bit| self.along(bit) * 2);
        ends.max().unwrap_or(1).max(1)
    }

    /// Whether pairs of elements of 16 bits lie apart in memory.
    fn is_split(&self) -> bool {
        self.has_words
            && self.element.bytes() == 2
            && self.accesses().rounds[0][0].registers.len() == 1
    }
}

impl Fragment {
    /// The element, or the first of several, that a register of the result takes; the lowest `skipped` bits of the
    /// register's number are without meaning for it, and `index` counts without them.
    pub fn at(
        &self,
        result: &LinearLayout,
        operand: usize,
        skipped: usize,
        index: &Index,
        along: &Index,
    ) -> String {
        let mut moves = Vec::new();
        for (from, &basis) in result.registers.iter().enumerate().skip(skipped) {
            let distance = result.indices(basis)[operand];
            let is_same = |bit: &&usize| {
                let indices = self.layout.indices(self.layout.registers[**bit]);
                distance != 0 && indices[operand] == distance
            };
            if let Some(to) = self.bits.iter().position(|bit| is_same(&bit)) {
                moves.push((from - skipped, to));
            }
        }
        let inner = self.bits.iter().enumerate().filter_map(|(to, &bit)| {
            let indices = self.layout.indices(self.layout.registers[bit]);
            let distance = indices[self.inner_side];
            (distance != 0).then(|| (distance.trailing_zeros() as usize, to))
        });
        let parts = [
            moved(index, &moves),
            moved(along, &inner.collect::<Vec<_>>()),
        ];
        let place = parts[0].plus(&parts[1]);
        format!("{}[{}]", self.name, place.text())
    }
}

/// The number whose bits are those of another at other places.
fn moved(index: &Index, moves: &[(usize, usize)]) -> Index {
    match index {
        Index::Known(number) => Index::Known(
            moves
                .iter()
                .map(|(from, to)| (number >> from & 1) << to)
                .sum(),
        ),
        Index::Text(text) => match pieces(text, moves, usize::MAX) {
            piece if piece.is_empty() => Index::Known(0),
            piece => Index::Text(piece),
        },
    }
}

impl Lowering<'_> {
    /// Loads what one step takes, `k` of the inner dimension being its first element where there are several steps.
    pub fn fragment(&mut self, plan: &FragmentPlan, place: &SharedPlace, step: u32) -> Fragment {
        let side = plan.accesses();
        let all = AccessLoop::of(&side.rounds[0]);
        let is_far = |bit: usize| plan.along(bit) >= step;
        // Pairs of elements of 16 bits are one word.
        let pair = plan.has_words && plan.element.bytes() == 2;
        let bits = 0..plan.layout.registers.len();
        let bits: Vec<usize> = bits
            .filter(|&bit| !(is_far(bit) || pair && bit == 0))
            .collect();
        let wish = ["b_part", "a_part"][plan.inner_side];
        let name = self.fresh(wish);
        let element = match plan.has_words {
            true => "unsigned int",
            false => plan.element.cuda(),
        };
        self.writer
            .line(format!("{element} {name}[{}];", 1u32 << bits.len()));
        let mut far = vec![0; 32];
        let mut near = (Vec::new(), Vec::new());
        let mut to_second = 0;
        for (&bit, &offset) in all.across.iter().zip(&all.offsets) {
            if is_far(bit) {
                far[plan.along(bit).trailing_zeros() as usize] = offset;
            } else if pair && bit == 0 {
                to_second = offset;
            } else {
                near.0
                    .push(bits.iter().position(|&other| other == bit).unwrap_or(0));
                near.1.push(offset);
            }
        }
        let count = 1u32 << near.0.len();
        let index = self.each(count, 1);
        let mut offsets = vec![exclusive_or("k", &far, 0)];
        if let Index::Text(text) = &index {
            offsets.push(exclusive_or(text, &near.1, 0));
        }
        offsets.retain(|offset| !offset.is_empty());
        let address = place.address(&offsets.join(" ^ "));
        let first = scattered(&index, &near.0);
        if plan.has_words {
            let word = match plan.is_split() {
                true => split_word(place, &offsets.join(" ^ "), to_second),
                false => format!("*(const unsigned int*){address}"),
            };
            let word = match plan.loads.instruction {
                Instruction::MatrixTransposed => format!("turned({word})"),
                _ => word,
            };
            self.writer
                .line(format!("{name}[{}] = {word};", first.text()));
        } else {
            let within: Vec<usize> = all
                .within
                .iter()
                .map(|bit| bits.iter().position(|other| other == bit).unwrap_or(0))
                .collect();
            let targets = (0..all.width).map(|at| {
                let register = first.plus(&scattered(&Index::Known(at), &within));
                format!("{name}[{}]", register.text())
            });
            let targets: Vec<String> = targets.collect();
            self.load_shared(element, &address, &targets);
        }
        self.end_each(count, 1);
        Fragment {
            name,
            layout: plan.layout.clone(),
            inner_side: plan.inner_side,
            bits,
        }
    }
}

/// Two elements of 16 bits that lie apart, as one word.
fn split_word(place: &SharedPlace, offset: &str, to_second: u32) -> String {
    let second = match offset {
        "" => to_second.to_string(),
        offset => format!("{offset} ^ {to_second}"),
    };
    let half = |offset: &str| format!("*(const unsigned short*){}", place.address(offset));
    format!("{} | (unsigned int){} << 16", half(offset), half(&second))
}
