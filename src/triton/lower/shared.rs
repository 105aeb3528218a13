//! Stores to shared memory and loads from it, as loops over the accesses that `layout` lists.

use super::index::{Index, LANE_BITS, exclusive_or, scattered};
use super::lowering::Lowering;
use super::memory::LastAccess;
use crate::triton::layout::{SharedAccess, SharedSide};

/// A tile in shared memory.
#[derive(Clone, Debug)]
pub struct SharedPlace {
    /// The type of the elements.
    pub element: String,
    /// Where it begins, an address.
    pub memory: String,
    /// What a thread adds to it by exclusive or.
    pub thread: String,
    /// Whether 8 x 8 elements of 16 bits are transposed on the way, as `stmatrix.trans` and `ldmatrix.trans` do.
    pub is_turned: bool,
}

/// Accesses whose number's bits each change the registers and the address in one way.
#[derive(Clone, Debug)]
pub struct AccessLoop {
    /// How many there are.
    pub count: u32,
    /// Registers of each.
    pub width: u32,
    /// For each bit of an access's number, the bit of the register's number.
    pub across: Vec<usize>,
    /// For each bit of a register's number within an access, the bit of the register's number.
    pub within: Vec<usize>,
    /// For each bit of an access's number, what it adds to the address, in bytes.
    pub offsets: Vec<u32>,
    first: u32,
    first_offset: u32,
}

impl AccessLoop {
    /// The accesses of one round.
    pub fn of(accesses: &[SharedAccess]) -> Self {
        let (first, count) = (&accesses[0], accesses.len() as u32);
        let width = first.registers.len() as u32;
        let start = first.registers[0];
        // An exchange's accesses differ by one bit each, so the first and its powers of two say where all the others
        // are.
        // As numbers, not as distances: addresses are put together by exclusive or.
        let bit = |register: u32| (register ^ start).trailing_zeros() as usize;
        let powers = |count: u32| (0..count.ilog2()).map(|bit| 1usize << bit);
        AccessLoop {
            across: powers(count)
                .map(|at| bit(accesses[at].registers[0]))
                .collect(),
            within: powers(width).map(|at| bit(first.registers[at])).collect(),
            offsets: powers(count)
                .map(|at| accesses[at].offset_bytes ^ first.offset_bytes)
                .collect(),
            first: start,
            first_offset: first.offset_bytes,
            count,
            width,
        }
    }

    /// The register that access `index` moves at place `at`.
    pub fn register(&self, index: &Index, at: u32) -> Index {
        let within = scattered(&Index::Known(at), &self.within);
        let start = within.plus(&Index::Known(self.first));
        scattered(index, &self.across).plus(&start)
    }

    /// What access `index` adds to the address; empty for nothing.
    pub fn offset(&self, index: &Index) -> String {
        let text = match index {
            Index::Text(text) => exclusive_or(text, &self.offsets, 0),
            // Known only where there is a single access, the first.
            Index::Known(_) => String::new(),
        };
        match (text.is_empty(), self.first_offset) {
            (true, 0) => String::new(),
            (true, first) => first.to_string(),
            (false, 0) => text,
            (false, first) => format!("{text} ^ {first}"),
        }
    }
}

impl SharedPlace {
    /// The address of what a thread accesses there.
    pub fn address(&self, offset: &str) -> String {
        match (self.thread.as_str(), offset) {
            (thread, "") => format!("({} + {thread})", self.memory),
            ("0", offset) => format!("({} + ({offset}))", self.memory),
            (thread, offset) => format!("({} + ({thread} ^ {offset}))", self.memory),
        }
    }
}

impl Lowering<'_> {
    /// A variable for what lane and warp add to the addresses of one side; `0` if nothing.
    pub fn shared_thread(&mut self, wish: &str, side: &SharedSide) -> String {
        let mut parts = vec![
            exclusive_or("threadIdx.x", &side.lanes, 0),
            exclusive_or("threadIdx.x", &side.warps, LANE_BITS),
        ];
        // Bases of 0 add nothing: these threads access the same place.
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() {
            return "0".to_owned();
        }
        // Computed once: lane and warp do not change within a loop over registers.
        let name = self.fresh(wish);
        let text = parts.join(" ^ ");
        self.writer.line(format!("const int {name} = {text};"));
        name
    }

    /// Stores what `text` gives for each register.
    pub fn store_side(
        &mut self,
        place: &SharedPlace,
        accesses: &[SharedAccess],
        text: &mut dyn FnMut(&mut Self, &Index) -> String,
    ) {
        let all = AccessLoop::of(accesses);
        let index = self.each(all.count, 1);
        let registers = (0..all.width).map(|at| all.register(&index, at));
        let texts: Vec<String> = registers.map(|register| text(self, &register)).collect();
        let at = place.address(&all.offset(&index));
        match &texts[..] {
            // `movmatrix` transposes pairs of 16 bits, a word for each lane.
            [low, high] if place.is_turned => {
                let bits = |text: &str| format!("(unsigned int){}", bits_of(&place.element, text));
                let word = format!("{} | {} << 16", bits(low), bits(high));
                self.writer
                    .line(format!("*(unsigned int*){at} = turned({word});"));
            }
            texts => self.store_shared(&place.element, &at, texts),
        }
        self.end_each(all.count, 1);
    }

    /// Loads into what `target` names for each register. What only the last access of a store needs is loaded where that
    /// takes place.
    pub fn load_side(
        &mut self,
        place: &SharedPlace,
        accesses: &[SharedAccess],
        last: Option<&LastAccess>,
        target: &mut dyn FnMut(&mut Self, &Index) -> String,
    ) {
        let all = AccessLoop::of(accesses);
        let index = self.each(all.count, 1);
        let registers = (0..all.width).map(|at| all.register(&index, at));
        let targets: Vec<String> = registers.map(|register| target(self, &register)).collect();
        let at = place.address(&all.offset(&index));
        match &targets[..] {
            [low, high] if place.is_turned => {
                let word = self.fresh("word");
                self.writer.line(format!(
                    "const unsigned int {word} = turned(*(const unsigned int*){at});"
                ));
                for (target, half) in [(low, word.clone()), (high, format!("({word} >> 16)"))] {
                    let text = from_bits(&place.element, &half);
                    self.writer.line(format!("{target} = {text};"));
                }
            }
            targets => {
                let condition = last.and_then(|last| last.needs(&all.register(&index, 0)));
                if let Some(condition) = &condition {
                    for target in targets {
                        self.writer.line(format!("{target} = 0;"));
                    }
                    self.writer.open(format!("if ({condition})"));
                }
                self.load_shared(&place.element, &at, targets);
                if condition.is_some() {
                    self.writer.close();
                }
            }
        }
        self.end_each(all.count, 1);
    }

    fn store_shared(&mut self, element: &str, at: &str, texts: &[String]) {
        match texts {
            [one] => self.writer.line(format!("*({element}*){at} = {one};")),
            several => {
                let vector = format!("Vector<{element}, {}>", several.len());
                let name = self.fresh("several");
                self.writer.line(format!("{vector} {name};"));
                for (number, text) in several.iter().enumerate() {
                    self.writer.line(format!("{name}.at[{number}] = {text};"));
                }
                self.writer.line(format!("*({vector}*){at} = {name};"));
            }
        }
    }

    /// A load of one or several elements that lie side by side.
    pub fn load_shared(&mut self, element: &str, at: &str, targets: &[String]) {
        match targets {
            // LLVM has bits in such a vector, and takes it apart: all but the last two are loaded one by one.
            [pair @ .., _, _] if element == "bool" && targets.len() <= 4 => {
                let apart = if pair.is_empty() { 2 } else { pair.len() };
                for (byte, target) in targets[..apart].iter().enumerate() {
                    self.writer
                        .line(format!("{target} = *(bool*)({at} + {byte});"));
                }
                if apart < targets.len() {
                    self.load_vector(element, &format!("({at} + {apart})"), &targets[apart..]);
                }
            }
            several @ [_, _, ..] => self.load_vector(element, at, several),
            [one] => self.writer.line(format!("{one} = *({element}*){at};")),
            [] => {}
        }
    }

    fn load_vector(&mut self, element: &str, at: &str, targets: &[String]) {
        let vector = format!("Vector<{element}, {}>", targets.len());
        let name = self.fresh("several");
        self.writer
            .line(format!("const {vector} {name} = *(const {vector}*){at};"));
        for (number, target) in targets.iter().enumerate() {
            self.writer.line(format!("{target} = {name}.at[{number}];"));
        }
    }
}

/// The bits of an element of 16 bits, as an `unsigned short`.
pub fn bits_of(element: &str, text: &str) -> String {
    match element {
        "__half" => format!("__half_as_ushort({text})"),
        "__nv_bfloat16" => format!("__bfloat16_as_ushort({text})"),
        _ => format!("(unsigned short)({text})"),
    }
}

/// An element of 16 bits out of the lower half of a word.
fn from_bits(element: &str, word: &str) -> String {
    match element {
        "__half" => format!("__ushort_as_half((unsigned short){word})"),
        "__nv_bfloat16" => format!("__ushort_as_bfloat16((unsigned short){word})"),
        _ => format!("({element}){word}"),
    }
}
