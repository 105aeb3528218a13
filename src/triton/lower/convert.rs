//! Values from one layout to another: within a thread, by shuffles, or through shared memory.
//!
//! What is moved where is `layout`'s to say; this writes it down.

use super::index::{Index, exclusive_or};
use super::lowering::{Copied, Lowering};
use super::memory::{LastAccess, order};
use super::shared::SharedPlace;
use crate::triton::layout::{
    Conversion, Instruction, SharedExchange, SharedSide, Shuffles, convert,
};
use crate::triton::placement::{LayoutId, product};
use crate::triton::tile::{Element, Type, Value};

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
        let is_late = || {
            let late = self.before_last_store();
            late.is_some_and(|late| late.exchanged == Some(value))
        };
        if wanted.is_empty() || is_late() {
            return;
        }
        for to in wanted {
            self.conversion(value, to, None);
        }
    }

    /// How `value` gets from its own layout to another.
    pub fn way(&self, value: Value, to: LayoutId) -> Conversion {
        let own = self.linear(value, self.placement.own(value));
        let ty = self.function.ty(value);
        let bits = if ty.is_pointer { 64 } else { ty.element.bits() };
        convert(&own, &self.linear(value, to), bits)
    }

    /// A conversion for any use, or for a store whose last access may be left out.
    pub fn conversion(&mut self, value: Value, to: LayoutId, last: Option<&LastAccess>) {
        let from = self.placement.own(value);
        let conversion = self.way(value, to);
        let name = self.name_of(value, "moved");
        let change = Change {
            value,
            from,
            to,
            name,
        };
        // A variable that holds it already is called so in the other layout too; an expression needs one.
        if conversion == Conversion::Nothing
            && let Some(name) = self.names.get(&(value, from)).cloned()
        {
            self.bind(value, to, &name);
            return;
        }
        if let Some(copied) = self.copied_for(value, to, &conversion) {
            self.load_staged(value, to, &copied, &change.name);
            self.bind(value, to, &change.name);
            return;
        }
        let declaration = self.declaration(value, to, &change.name);
        self.writer.line(format!("{declaration};"));
        match &conversion {
            Conversion::Nothing => {
                let sources: Vec<u32> = (0..self.registers(value, to)).collect();
                self.within_thread(&change, &sources);
            }
            Conversion::Registers(sources) => self.within_thread(&change, sources),
            Conversion::Shuffles(shuffles) => self.by_shuffles(&change, shuffles),
            Conversion::Shared(exchange) => self.through_shared(&change, exchange, last),
        }
        self.bind(value, to, &change.name);
    }

    /// Where a tile lies in shared memory that threads need in the layout of a factor: it was copied there, or is put there
    /// as the factor itself would be (`ReduceDataDuplication.cpp`).
    fn copied_for(
        &mut self,
        value: Value,
        to: LayoutId,
        conversion: &Conversion,
    ) -> Option<Copied> {
        if let Some(copied) = self.rounds.copied.get(&value)
            && !copied.staging.has_others
        {
            return Some(copied.clone());
        }
        let is_shared = matches!(conversion, Conversion::Shared(_));
        let (readers, _) = is_shared.then(|| self.readers(value))?;
        let reader = readers.iter().find(|reader| {
            let factor = (reader.node.results[0], reader.at);
            let held = self.placement.held_factors.get(&factor) == Some(&to);
            held && !product(self.function, reader.node, self.warps).is_of_warp_groups()
        })?;
        let own = self.placement.own(value);
        let fastest = order(&self.linear(value, own), self.placement.layout(own))[0];
        let bits = self.function.ty(value).element.bits().max(8);
        let staging = self.read_staging_of(reader, fastest, true, bits);
        let memory = self.stage_tile(value, &staging.shared.clone(), "factor", &str::to_owned);
        self.writer.line("__syncthreads();");
        Some(Copied {
            memory,
            staging,
            is_from_registers: true,
        })
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
            // No bit of the lane's number matters: all read lane 0's.
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
                // One shuffle swaps both: each lane sends the register that its partner wants.
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

    fn through_shared(
        &mut self,
        change: &Change,
        exchange: &SharedExchange,
        last: Option<&LastAccess>,
    ) {
        let barrier = barrier(exchange);
        let bytes = exchange.element_bytes;
        let (stores, loads) = (exchange.stores.words(bytes), exchange.loads.words(bytes));
        let [to, from] = self.exchange_places(change, exchange, [&stores, &loads]);
        let fetched = self.fetched(change, exchange, &loads);
        // Each lane of `ldmatrix` loads for others, so all of them have to; and what is moved on is needed anyway.
        let is_plain = exchange.loads.instruction == Instruction::Plain && fetched.is_none();
        let last_round = loads.rounds.len() - 1;
        // Another warp may still read what shares the memory.
        if exchange.is_within_warps || !self.is_in_loop() {
            self.writer.reuse();
        }
        for (round, (stores, loads)) in stores.rounds.iter().zip(&loads.rounds).enumerate() {
            // The same memory is written again: those who read it last have to be through.
            if round > 0 || self.is_in_loop() {
                self.writer.line(barrier);
            }
            self.store_side(&to, stores, &mut |lowering, register| {
                lowering.expression(change.value, change.from, register)
            });
            self.writer.line(barrier);
            let last = last.filter(|_| is_plain && round == last_round);
            let mut target = |lowering: &mut Self, register: &Index| match &fetched {
                Some(fetched) => format!("{fetched}[{}]", register.text()),
                None => lowering.register(change.value, change.to, &change.name, register),
            };
            self.load_side(&from, loads, last, &mut target);
        }
        if let Some(fetched) = &fetched {
            self.in_order(change, fetched, &exchange.results);
        }
    }

    /// Where an exchange is stored and loaded, as these plain accesses.
    fn exchange_places(
        &mut self,
        change: &Change,
        exchange: &SharedExchange,
        sides: [&SharedSide; 2],
    ) -> [SharedPlace; 2] {
        let wish = format!("{}_exchange", change.name);
        let memory =
            self.shared_array(&wish, &Type::scalar(Element::U8), u64::from(exchange.bytes));
        let whole = [&exchange.stores, &exchange.loads];
        [0, 1].map(|at| SharedPlace {
            element: self.element(change),
            thread: self.shared_thread(&format!("{memory}_{}", ["to", "from"][at]), sides[at]),
            memory: memory.clone(),
            is_turned: whole[at].instruction == Instruction::MatrixTransposed,
        })
    }

    /// An array for what is loaded, where it does not come as it is wanted.
    fn fetched(
        &mut self,
        change: &Change,
        exchange: &SharedExchange,
        loads: &SharedSide,
    ) -> Option<String> {
        let mut results = exchange.results.iter().enumerate();
        if results.all(|(at, &from)| from == at as u32) {
            return None;
        }
        let registers = loads.rounds.iter().flatten();
        let registers = registers.flat_map(|access| &access.registers);
        let count = registers.max().map_or(1, |last| last + 1);
        let name = self.fresh("fetched");
        let element = self.element(change);
        self.writer.line(format!("{element} {name}[{count}];"));
        Some(name)
    }
}

/// What those wait at who exchange.
fn barrier(exchange: &SharedExchange) -> &'static str {
    match exchange.is_within_warps {
        true => "__syncwarp();",
        false => "__syncthreads();",
    }
}
