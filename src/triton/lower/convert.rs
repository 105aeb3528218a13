//! Values from one layout to another: within a thread, by shuffles, or through shared memory.
//!
//! What is moved where is `layout`'s to say; this writes it down.

use super::index::Index;
use super::lowering::Lowering;
use crate::triton::layout::{
    Conversion, Instruction, SharedExchange, SharedSide, Shuffles, convert,
};
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Element, Type, Value};

/// Bits of `threadIdx.x` that are the lane.
const LANE_BITS: usize = 5;

/// A tile that changes its layout.
struct Change {
    value: Value,
    from: LayoutId,
    to: LayoutId,
    name: String,
}

impl Lowering<'_> {
    /// `value` in each layout that it is converted to.
    pub fn conversions(&mut self, value: Value) {
        let wanted = self
            .placement
            .converted
            .get(&value)
            .cloned()
            .unwrap_or_default();
        let from = self.placement.own(value);
        for to in wanted {
            let (source, target) = (self.linear(value, from), self.linear(value, to));
            let ty = self.function.ty(value);
            let bits = if ty.is_pointer { 64 } else { ty.element.bits() };
            let conversion = convert(&source, &target, bits);
            let name = self.name_of(value, "moved");
            let change = Change {
                value,
                from,
                to,
                name,
            };
            if conversion != Conversion::Nothing {
                let declaration = self.declaration(value, to, &change.name);
                self.writer.line(format!("{declaration};"));
            }
            match &conversion {
                Conversion::Nothing => {
                    if let Some(name) = self.names.get(&(value, from)).cloned() {
                        self.bind(value, to, &name);
                        continue;
                    }
                    let declaration = self.declaration(value, to, &change.name);
                    self.writer.line(format!("{declaration};"));
                    let sources: Vec<u32> = (0..target.registers()).collect();
                    self.within_thread(&change, &sources);
                }
                Conversion::Registers(sources) => self.within_thread(&change, sources),
                Conversion::Shuffles(shuffles) => self.by_shuffles(&change, shuffles),
                Conversion::Shared(exchange) => self.through_shared(&change, exchange),
            }
            self.bind(value, to, &change.name);
        }
    }

    fn within_thread(&mut self, change: &Change, sources: &[u32]) {
        for (at, &source) in sources.iter().enumerate() {
            let text = self.expression(change.value, change.from, &Index::Known(source));
            let target = self.register(
                change.value,
                change.to,
                &change.name,
                &Index::Known(at as u32),
            );
            self.writer.line(format!("{target} = {text};"));
        }
    }

    fn by_shuffles(&mut self, change: &Change, shuffles: &Shuffles) {
        let element = self.function.ty(change.value).element.cuda();
        let values = self.fresh("shuffled");
        self.writer
            .line(format!("{element} {values}[{}];", shuffles.sources.len()));
        for (at, &source) in shuffles.sources.iter().enumerate() {
            let text = self.expression(change.value, change.from, &Index::Known(source));
            self.writer.line(format!("{values}[{at}] = {text};"));
        }
        if let Some(lanes) = &shuffles.lanes {
            let lane = exclusive_or("threadIdx.x", lanes, 0);
            let lane = if lane.is_empty() { "0" } else { &lane };
            for at in 0..shuffles.sources.len() {
                self.writer.line(format!(
                    "{values}[{at}] = __shfl_sync(0xffffffff, {values}[{at}], {lane});"
                ));
            }
        }
        if let Some(exchange) = shuffles.exchange {
            let (register, lane) = (1usize << exchange.register_bit, 1u32 << exchange.lane_bit);
            let upper = format!("(threadIdx.x & {lane}) != 0");
            for at in (0..shuffles.sources.len()).filter(|at| at & register == 0) {
                let (low, high) = (
                    format!("{values}[{at}]"),
                    format!("{values}[{}]", at | register),
                );
                let (sent, got) = (self.fresh("sent"), self.fresh("got"));
                self.writer.line(format!(
                    "const {element} {sent} = {upper} ? {low} : {high};"
                ));
                self.writer.line(format!(
                    "const {element} {got} = __shfl_xor_sync(0xffffffff, {sent}, {lane});"
                ));
                self.writer
                    .line(format!("if ({upper}) {low} = {got}; else {high} = {got};"));
            }
        }
        for (at, &source) in shuffles.results.iter().enumerate() {
            let target = self.register(
                change.value,
                change.to,
                &change.name,
                &Index::Known(at as u32),
            );
            self.writer.line(format!("{target} = {values}[{source}];"));
        }
    }

    fn through_shared(&mut self, change: &Change, exchange: &SharedExchange) {
        let mut sides = [&exchange.stores, &exchange.loads].into_iter();
        if sides.any(|side| side.instruction != Instruction::Plain) {
            // Triton takes `stmatrix` or `ldmatrix` here.
            self.through_rows(change.value, change.from, change.to, &change.name);
            return;
        }
        let bytes = Type::scalar(Element::U8);
        let wish = format!("{}_exchange", change.name);
        let memory = self.shared_array(&wish, &bytes, u64::from(exchange.bytes));
        let barrier = if exchange.is_within_warps {
            "__syncwarp();"
        } else {
            "__syncthreads();"
        };
        let stored = self.shared_place(&format!("{memory}_to"), &exchange.stores);
        let loaded = self.shared_place(&format!("{memory}_from"), &exchange.loads);
        let fetched: usize = exchange
            .loads
            .rounds
            .iter()
            .flatten()
            .map(|access| access.registers.len())
            .sum();
        let is_plain = exchange
            .results
            .iter()
            .enumerate()
            .all(|(at, &from)| from == at as u32);
        let ty = self.function.ty(change.value);
        let element = if ty.is_pointer {
            format!("{}*", ty.element.cuda())
        } else {
            ty.element.cuda().to_owned()
        };
        let values = if is_plain {
            change.name.clone()
        } else {
            self.fresh("fetched")
        };
        if !is_plain {
            self.writer.line(format!("{element} {values}[{fetched}];"));
        }
        for (round, (stores, loads)) in exchange
            .stores
            .rounds
            .iter()
            .zip(&exchange.loads.rounds)
            .enumerate()
        {
            if round > 0 || self.is_in_loop() {
                self.writer.line(barrier);
            }
            for access in stores {
                let at = place(&memory, &stored, access.offset_bytes);
                let texts: Vec<String> = access
                    .registers
                    .iter()
                    .map(|&register| {
                        self.expression(change.value, change.from, &Index::Known(register))
                    })
                    .collect();
                self.store_shared(&element, &at, &texts);
            }
            self.writer.line(barrier);
            for access in loads {
                let at = place(&memory, &loaded, access.offset_bytes);
                let targets: Vec<String> = access
                    .registers
                    .iter()
                    .map(|&register| match (is_plain, fetched) {
                        (true, _) => {
                            self.register(change.value, change.to, &values, &Index::Known(register))
                        }
                        _ => format!("{values}[{register}]"),
                    })
                    .collect();
                self.load_shared(&element, &at, &targets);
            }
        }
        if !is_plain {
            for (at, &source) in exchange.results.iter().enumerate() {
                let target = self.register(
                    change.value,
                    change.to,
                    &change.name,
                    &Index::Known(at as u32),
                );
                self.writer.line(format!("{target} = {values}[{source}];"));
            }
        }
    }

    /// A variable for what lane and warp add to the address.
    fn shared_place(&mut self, wish: &str, side: &SharedSide) -> String {
        let parts = [
            exclusive_or("threadIdx.x", &side.lanes, 0),
            exclusive_or("threadIdx.x", &side.warps, LANE_BITS),
        ];
        let parts: Vec<&str> = parts
            .iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        let name = self.fresh(wish);
        let text = if parts.is_empty() {
            "0".to_owned()
        } else {
            parts.join(" ^ ")
        };
        self.writer.line(format!("const int {name} = {text};"));
        name
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

    fn load_shared(&mut self, element: &str, at: &str, targets: &[String]) {
        match targets {
            [one] => self
                .writer
                .line(format!("{one} = *(const {element}*){at};")),
            several => {
                let vector = format!("Vector<{element}, {}>", several.len());
                let name = self.fresh("several");
                self.writer
                    .line(format!("const {vector} {name} = *(const {vector}*){at};"));
                for (number, target) in several.iter().enumerate() {
                    self.writer.line(format!("{target} = {name}.at[{number}];"));
                }
            }
        }
    }
}

fn place(memory: &str, thread: &str, offset: u32) -> String {
    match offset {
        0 => format!("({memory} + {thread})"),
        _ => format!("({memory} + ({thread} ^ {offset}))"),
    }
}

/// The exclusive or of the bases whose bits are set in `text` from bit `first` on.
fn exclusive_or(text: &str, bases: &[u32], first: usize) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bases.len() {
        let basis = bases[at];
        if basis == 0 {
            at += 1;
            continue;
        }
        let doubled = |more: usize| basis.is_power_of_two() && bases[at + more] == basis << more;
        let run = (1..bases.len() - at)
            .take_while(|&more| doubled(more))
            .count()
            + 1;
        let mut part = text.to_owned();
        if first + at > 0 {
            part += &format!(" / {}", 1u32 << (first + at));
        }
        part += &format!(" % {}", 1u32 << run);
        if basis > 1 {
            part += &format!(" * {basis}");
        }
        parts.push(part);
        at += run;
    }
    parts.join(" ^ ")
}
