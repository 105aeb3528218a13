//! A factor of a product as a thread holds it: so much of it at a time as one step along the inner dimension takes.

use crate::triton::layout::{Instruction, LinearLayout, SharedSide};
use crate::triton::lower::index::{Index, exclusive_or, pieces, scattered};
use crate::triton::lower::lowering::Lowering;
use crate::triton::lower::shared::{AccessLoop, SharedPlace};
use crate::triton::lower::text::UNCOUNTED;
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
    /// The loads; none where it is in registers.
    pub loads: SharedSide,
    /// Whether the loads are none of Triton's: `wgmma` reads shared memory itself, and what another product has read is there.
    pub is_read_before: bool,
}

/// An array of a step's elements.
#[derive(Clone, Debug)]
pub struct Fragment {
    name: String,
    layout: LinearLayout,
    inner_side: usize,
    /// Bits of registers that count its elements, in their order.
    bits: Vec<usize>,
    /// Whether it holds the factor whole, and not one step of it.
    pub is_whole: bool,
}

impl FragmentPlan {
    /// Of a factor that those hold who multiply it on tensor cores.
    pub fn in_registers(layout: &LinearLayout, at: usize, element: Element) -> Self {
        FragmentPlan {
            layout: layout.clone(),
            inner_side: 1 - at,
            element,
            has_words: true,
            loads: SharedSide::none(),
            is_read_before: false,
        }
    }

    /// Where each bit of a register's number stands in the order in which an instruction takes the words of a factor: of
    /// the left one, the two of its upper and its lower rows before the next along the inner dimension.
    pub fn order_of_words(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.layout.registers.len()).collect();
        let first = self.bits_of_word();
        let is_lower = |&bit: &usize| {
            bit >= first && self.layout.indices(self.layout.registers[bit]) == [8, 0]
        };
        if self.inner_side == 1
            && let Some(lower) = order.iter().position(is_lower)
        {
            order[first..=lower].rotate_right(1);
        }
        order
    }

    /// With registers in that order.
    pub fn in_order(mut self) -> Self {
        let bases = self.order_of_words();
        let bases = bases.iter().map(|&bit| self.layout.registers[bit]);
        self.layout.registers = bases.collect();
        self
    }

    /// Elements that lie in one word.
    pub fn elements_of_word(&self) -> u32 {
        1 << self.bits_of_word()
    }

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
        if self.loads.rounds.is_empty() {
            return 1;
        }
        let side = self.accesses();
        let within = AccessLoop::of(&side.rounds[0]).within;
        // A load of several elements is not cut in two by a step's end.
        let ends = within.into_iter().map(|bit| self.along(bit) * 2);
        ends.max().unwrap_or(1).max(1)
    }

    /// The bits of a register's number that count the elements of a word.
    fn bits_of_word(&self) -> usize {
        match self.has_words {
            true => (4 / self.element.bytes()).trailing_zeros() as usize,
            false => 0,
        }
    }

    /// The bits of registers that count what one step holds: all within it, but those within a word.
    fn step_bits(&self, step: u32) -> Vec<usize> {
        let all = 0..self.layout.registers.len();
        let is_counted = |&bit: &usize| self.along(bit) < step && bit >= self.bits_of_word();
        all.filter(is_counted).collect()
    }

    /// What the loads of `all` are to a step whose elements these bits count.
    fn step_loads(&self, all: &AccessLoop, bits: &[usize], step: u32) -> StepLoads {
        let mut loads = StepLoads {
            from_steps: vec![0; 32],
            from_loads: Vec::new(),
            places: Vec::new(),
            within_word: Vec::new(),
            words: Vec::new(),
        };
        // Of a load of several words the elements of each come first.
        if self.has_words && !self.is_read_before {
            let beyond = all.within.iter().filter(|&&bit| bit >= self.bits_of_word());
            loads.words = beyond.map(|&bit| number_of(bits, bit)).collect();
        }
        for (&bit, &offset) in all.across.iter().zip(&all.offsets) {
            let distance = self.along(bit);
            // Bits beyond the step are counted by `k`, those within it by the load's number.
            if distance >= step {
                loads.from_steps[distance.trailing_zeros() as usize] = offset;
            } else if bit < self.bits_of_word() {
                loads.within_word.push(offset);
            } else {
                loads.places.push(number_of(bits, bit));
                loads.from_loads.push(offset);
            }
        }
        loads
    }

    /// What stands behind its loads.
    fn mark(&self) -> String {
        match self.is_read_before {
            true => format!(" {UNCOUNTED}"),
            false => String::new(),
        }
    }

    /// The word at an offset from the thread's address.
    fn word(&self, place: &SharedPlace, offset: &str, within: &[u32]) -> String {
        let word = match within {
            [] => format!("*(const unsigned int*){}", place.address(offset)),
            _ => split_word(place, offset, within),
        };
        match self.loads.instruction {
            // Words are loaded along the rows; what `ldmatrix.trans` would have turned is turned after.
            Instruction::MatrixTransposed => format!("turned({word})"),
            _ => word,
        }
    }
}

/// The loads of one step.
struct StepLoads {
    /// For each bit of the inner dimension's number, what it adds to the address.
    from_steps: Vec<u32>,
    /// For each bit of a load's number within the step, what it adds to the address.
    from_loads: Vec<u32>,
    /// The bit of the element's number that each of these is.
    places: Vec<usize>,
    /// For each bit that counts the parts of a word that lie apart, what it adds to the address.
    within_word: Vec<u32>,
    /// The bits of the element's number that count the words of one load.
    words: Vec<usize>,
}

impl StepLoads {
    /// The words of an array that one load fills, of which `first` is the first.
    fn targets(&self, name: &str, first: &Index) -> Vec<String> {
        let words = 0..1u32 << self.words.len();
        let targets = words.map(|word| {
            let place = first.plus(&scattered(&Index::Known(word), &self.words));
            format!("{name}[{}]", place.text())
        });
        targets.collect()
    }

    /// What load `index` adds to the address of its step.
    fn offset(&self, index: &Index) -> String {
        match index {
            Index::Text(text) => exclusive_or(text, &self.from_loads, 0),
            // A single load has the number 0, which adds nothing.
            Index::Known(_) => String::new(),
        }
    }
}

/// The place of `bit` among `bits`.
fn number_of(bits: &[usize], bit: usize) -> usize {
    bits.iter().position(|&other| other == bit).unwrap_or(0)
}

impl Fragment {
    /// A factor whose words are in an array already.
    pub fn of_registers(plan: &FragmentPlan, name: &str) -> Self {
        Fragment {
            name: name.to_owned(),
            layout: plan.layout.clone(),
            inner_side: plan.inner_side,
            bits: plan.step_bits(u32::MAX),
            is_whole: true,
        }
    }

    /// What one load fills, of whose elements `first` is the first.
    fn targets(&self, all: &AccessLoop, first: &Index) -> Vec<String> {
        let within = all.within.iter().map(|&bit| number_of(&self.bits, bit));
        let within: Vec<usize> = within.collect();
        let targets = (0..all.width).map(|at| {
            let register = first.plus(&scattered(&Index::Known(at), &within));
            format!("{}[{}]", self.name, register.text())
        });
        targets.collect()
    }

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
                // A bit of the result's register that moves along this side chooses another element of the factor;
                // others do not.
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
        let fragment = Fragment {
            // The inner dimension of A is its second, that of B its first.
            name: self.fresh(["b_part", "a_part"][plan.inner_side]),
            layout: plan.layout.clone(),
            inner_side: plan.inner_side,
            bits: plan.step_bits(step),
            is_whole: false,
        };
        let name = &fragment.name;
        let element = match plan.has_words {
            true => "unsigned int",
            false => plan.element.cuda(),
        };
        self.writer.line(format!(
            "{element} {name}[{}];",
            1u32 << fragment.bits.len()
        ));
        let loads = plan.step_loads(&all, &fragment.bits, step);
        let place = &self.place_of_step(place, &loads);
        let count = 1u32 << loads.places.len();
        let index = self.each(count, 1);
        let offset = loads.offset(&index);
        let first = scattered(&index, &loads.places);
        if plan.has_words && loads.words.is_empty() {
            let word = plan.word(place, &offset, &loads.within_word);
            let (to, mark) = (first.text(), plan.mark());
            self.writer.line(format!("{name}[{to}] = {word};{mark}"));
        } else {
            let targets = match plan.has_words {
                true => loads.targets(name, &first),
                false => fragment.targets(&all, &first),
            };
            self.load_shared(element, &place.address(&offset), &targets);
        }
        self.end_each(count, 1);
        fragment
    }

    /// The place that the loads of step `k` count from: computed once for all of them.
    fn place_of_step(&mut self, place: &SharedPlace, loads: &StepLoads) -> SharedPlace {
        let mut place = place.clone();
        let from_step = exclusive_or("k", &loads.from_steps, 0);
        if !from_step.is_empty() {
            let name = self.fresh("from_step");
            let text = format!("{} ^ {from_step}", place.thread);
            self.writer.line(format!("const int {name} = {text};"));
            place.thread = name;
        }
        place
    }
}

/// Parts of a word that lie apart, put together.
fn split_word(place: &SharedPlace, offset: &str, within: &[u32]) -> String {
    let parts = 1u32 << within.len();
    let element = if parts == 2 {
        "unsigned short"
    } else {
        "unsigned char"
    };
    let part = |number: u32| {
        let bits = within.iter().enumerate();
        let more = bits
            .filter(|(bit, _)| number >> bit & 1 == 1)
            .fold(0, |sum, (_, more)| sum ^ more);
        let offset = match (offset, number) {
            (offset, 0) => offset.to_owned(),
            ("", _) => more.to_string(),
            (offset, _) => format!("{offset} ^ {more}"),
        };
        let text = format!("*(const {element}*){}", place.address(&offset));
        match number * 32 / parts {
            0 => text,
            shift => format!("(unsigned int){text} << {shift}"),
        }
    };
    (0..parts).map(part).collect::<Vec<_>>().join(" | ")
}
