//! Values from one layout to another: within a thread, by shuffles, or through shared memory.
//!
//! What is moved where is `layout`'s to say; this writes it down.

use super::index::Index;
use super::lowering::Lowering;
use crate::triton::layout::{
    Conversion, Instruction, SharedAccess, SharedExchange, SharedSide, Shuffles, convert,
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

/// A change through shared memory, with what is declared for it.
struct Exchange<'a> {
    change: &'a Change,
    /// The type of the elements.
    element: String,
    /// The array in shared memory.
    memory: String,
    /// What a thread adds to the addresses that it stores to.
    stored: String,
    /// What it adds to those that it loads from.
    loaded: String,
    /// What is loaded, where it does not come as it is wanted.
    fetched: Option<String>,
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

    /// The registers of an array are put where they are wanted.
    fn in_order(&mut self, change: &Change, values: &str, sources: &[u32]) {
        for (at, &source) in sources.iter().enumerate() {
            let index = Index::Known(at as u32);
            let target = self.register(change.value, change.to, &change.name, &index);
            self.writer.line(format!("{target} = {values}[{source}];"));
        }
    }

    /// The type of the elements.
    fn element(&self, change: &Change) -> String {
        let ty = self.function.ty(change.value);
        match ty.is_pointer {
            true => format!("{}*", ty.element.cuda()),
            false => ty.element.cuda().to_owned(),
        }
    }

    fn by_shuffles(&mut self, change: &Change, shuffles: &Shuffles) {
        let element = self.element(change);
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
        if let Some(exchange) = &shuffles.exchange {
            let (register, lane) = (1usize << exchange.register_bit, 1u32 << exchange.lane_bit);
            for at in (0..shuffles.sources.len()).filter(|at| at & register == 0) {
                let pair = [at, at | register].map(|at| format!("{values}[{at}]"));
                self.exchanged(&element, &pair, lane);
            }
        }
        self.in_order(change, &values, &shuffles.results);
    }

    /// Two registers of which a lane keeps one, and swaps the other with its neighbour `lane` apart.
    fn exchanged(&mut self, element: &str, [low, high]: &[String; 2], lane: u32) {
        let upper = format!("(threadIdx.x & {lane}) != 0");
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

    fn through_shared(&mut self, change: &Change, exchange: &SharedExchange) {
        let mut sides = [&exchange.stores, &exchange.loads].into_iter();
        if sides.any(|side| side.instruction != Instruction::Plain) {
            // Triton takes `stmatrix` or `ldmatrix` here.
            self.through_rows(change.value, change.from, change.to, &change.name);
            return;
        }
        let barrier = match exchange.is_within_warps {
            true => "__syncwarp();",
            false => "__syncthreads();",
        };
        let moved = self.exchange_memory(change, exchange);
        let rounds = exchange.stores.rounds.iter().zip(&exchange.loads.rounds);
        for (round, (stores, loads)) in rounds.enumerate() {
            if round > 0 || self.is_in_loop() {
                self.writer.line(barrier);
            }
            for access in stores {
                self.store_access(&moved, access);
            }
            self.writer.line(barrier);
            for access in loads {
                self.load_access(&moved, access);
            }
        }
        if let Some(fetched) = &moved.fetched {
            self.in_order(change, fetched, &exchange.results);
        }
    }

    /// Declares what an exchange needs.
    fn exchange_memory<'c>(
        &mut self,
        change: &'c Change,
        exchange: &SharedExchange,
    ) -> Exchange<'c> {
        let wish = format!("{}_exchange", change.name);
        let bytes = Type::scalar(Element::U8);
        let memory = self.shared_array(&wish, &bytes, u64::from(exchange.bytes));
        let stored = self.shared_place(&format!("{memory}_to"), &exchange.stores);
        let loaded = self.shared_place(&format!("{memory}_from"), &exchange.loads);
        let element = self.element(change);
        let mut results = exchange.results.iter().enumerate();
        let fetched = match results.all(|(at, &from)| from == at as u32) {
            true => None,
            false => {
                let rounds = exchange.loads.rounds.iter().flatten();
                let count: usize = rounds.map(|access| access.registers.len()).sum();
                let name = self.fresh("fetched");
                self.writer.line(format!("{element} {name}[{count}];"));
                Some(name)
            }
        };
        Exchange {
            change,
            element,
            memory,
            stored,
            loaded,
            fetched,
        }
    }

    fn store_access(&mut self, moved: &Exchange, access: &SharedAccess) {
        let change = moved.change;
        let at = place(&moved.memory, &moved.stored, access.offset_bytes);
        let mut texts = Vec::new();
        for &register in &access.registers {
            texts.push(self.expression(change.value, change.from, &Index::Known(register)));
        }
        self.store_shared(&moved.element, &at, &texts);
    }

    fn load_access(&mut self, moved: &Exchange, access: &SharedAccess) {
        let change = moved.change;
        let at = place(&moved.memory, &moved.loaded, access.offset_bytes);
        let registers = access.registers.iter();
        let targets = registers.map(|&register| match &moved.fetched {
            Some(fetched) => format!("{fetched}[{register}]"),
            None => {
                let index = Index::Known(register);
                self.register(change.value, change.to, &change.name, &index)
            }
        });
        let targets: Vec<String> = targets.collect();
        self.load_shared(&moved.element, &at, &targets);
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
