//! Factors that threads store to shared memory, where they are multiplied or, for inner loops, where they are computed.

use crate::triton::layout::{Instruction, SharedLayout, shared_access};
use crate::triton::lower::lowering::{Copied, Lowering};
use crate::triton::lower::memory::order;
use crate::triton::lower::pipeline::Reader;
use crate::triton::lower::shared::SharedPlace;
use crate::triton::placement::product;
use crate::triton::tile::{Element, NodeId, Type, Value};

impl Lowering<'_> {
    /// Stores a tile to an array in shared memory, as `shared` arranges it, and gives the array's name; `text` says what of
    /// an element is stored.
    pub fn stage_tile(
        &mut self,
        value: Value,
        shared: &SharedLayout,
        wish: &str,
        text: &dyn Fn(&str) -> String,
    ) -> String {
        let own = self.placement.own(value);
        let ty = self.function.ty(value).clone();
        let linear = self.linear(value, own);
        let stores = shared_access(&linear, shared, ty.element.bits());
        let words = stores.words(ty.element.bytes());
        let bytes = ty.count() * u64::from(ty.element.bytes());
        let memory = self.shared_array(&format!("{wish}_tile"), &Type::scalar(Element::U8), bytes);
        self.begin_reuse();
        let place = SharedPlace {
            element: ty.element.cuda().to_owned(),
            thread: self.shared_thread(&format!("{memory}_to"), &words),
            memory: memory.clone(),
            is_turned: stores.instruction == Instruction::MatrixTransposed,
        };
        for round in &words.rounds {
            self.store_side(&place, round, &mut |lowering, register| {
                text(&lowering.operand(value, own, register))
            });
        }
        memory
    }

    /// Whether a product takes a factor from registers.
    pub fn is_held(&self, reader: &Reader) -> bool {
        let factor = (reader.node.results[0], reader.at);
        self.placement.held_factors.contains_key(&factor)
    }

    /// Stores a tile that products of inner loops read, or several with `wgmma`, once: `local_alloc` stands behind what it
    /// is made of (`getSharedMemoryMMAOperand` of `AccelerateMatmul.cpp`), what does not change in a loop is moved before
    /// it, and of two that are alike one is left.
    pub fn stage_once(&mut self, value: Value) {
        if self.rounds.copied.contains_key(&value) {
            return;
        }
        let function = self.function;
        let (readers, has_others) = self.readers(value);
        if readers.is_empty() {
            return;
        }
        let home = function.values[value.0].node;
        let blocks = &function.blocks;
        let is_home = |node: &NodeId| home == Some(*node);
        let Some(home) = blocks.iter().find(|block| block.nodes.iter().any(is_home)) else {
            return;
        };
        let is_inner = |reader: &&Reader| {
            let is_read = |id: &NodeId| std::ptr::eq(&function.nodes[id.0], reader.node);
            !self.is_held(reader) && !home.nodes.iter().any(is_read)
        };
        let own = self.placement.own(value);
        let fastest = order(&self.linear(value, own), self.placement.layout(own))[0];
        let is_shared = || self.are_alike(&readers, fastest, has_others);
        let inner = readers.iter().find(is_inner);
        let Some(reader) = inner.or_else(|| readers.first().filter(|_| is_shared())) else {
            return;
        };
        let staging = self.read_staging(reader, fastest, has_others);
        let shared = staging.shared.clone();
        let memory = self.stage_tile(value, &shared, "factor", &str::to_owned);
        let copied = Copied {
            memory,
            staging,
            is_from_registers: true,
        };
        self.rounds.copied.insert(value, copied);
    }

    /// Whether several products take a tile from shared memory with `wgmma`, all in the same arrangement.
    fn are_alike(&self, readers: &[Reader], fastest: usize, has_others: bool) -> bool {
        let [first, others @ ..] = readers else {
            return false;
        };
        let staging = |reader: &Reader| self.read_staging(reader, fastest, has_others);
        let is_of_groups = |reader: &Reader| {
            product(self.function, reader.node, self.warps).is_of_warp_groups()
                && !self.is_held(reader)
        };
        let first_staging = staging(first);
        let is_alike =
            |reader: &Reader| is_of_groups(reader) && staging(reader).lies_as(&first_staging);
        is_of_groups(first) && !others.is_empty() && others.iter().all(is_alike)
    }
}
