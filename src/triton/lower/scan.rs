//! Scans: within a thread, between lanes by shuffles, between warps through shared memory.
//!
//! `layout::scan` says which registers, lanes and warps take part in which order (its documentation numbers the steps);
//! this writes it down. A condition stands where Triton's own code leaves an operation out.

use super::index::{Index, LANE_BITS, scattered, shared_offset};
use super::lowering::Lowering;
use crate::triton::layout::{Positions, Scan, ScanChunk, ScanExchange, SharedOffsets, scan};
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Element, Node, Op, Value};

/// Most bytes that a thread loads at once.
const MOST_BYTES: u32 = 16;
/// A scan being written. Each list has an entry for each operand.
struct Scanned<'a> {
    node: &'a Node,
    layout: LayoutId,
    scan: Scan,
    is_reverse: bool,
    /// Arrays of values, in the order in which they are scanned.
    values: Vec<String>,
    /// Types of elements.
    elements: Vec<&'static str>,
    /// The position of the lane, where there are several.
    lane: Option<String>,
    /// The position of the warp, where there are several.
    warp: Option<String>,
}

/// A chunk being written.
struct Chunk {
    /// Its number.
    index: Index,
    /// Its last register.
    last: Index,
    /// Says whether it is of the first block, and whether of the last.
    is_first: String,
    is_last: String,
    /// Names of the values of what is before it.
    before: Vec<String>,
    /// Names of the totals.
    totals: Vec<String>,
}

impl Lowering<'_> {
    /// A scan along `axis` whose results are needed in `layout`.
    pub fn scan(&mut self, node: &Node, axis: usize, is_reverse: bool, layout: LayoutId) {
        let steps = scan(&self.linear(node.results[0], layout), axis);
        // The stride of warps counts threads, that of lanes lanes: warp 1 begins at thread 32.
        let lane = self.position("lane", steps.lanes, 1, false);
        let warp = self.position("warp", steps.warps, 32, is_reverse);
        let mut scanned = Scanned {
            node,
            layout,
            is_reverse,
            values: Vec::new(),
            elements: Vec::new(),
            scan: steps,
            lane,
            warp,
        };
        for (&operand, &result) in node.operands.iter().zip(&node.results) {
            let name = self.values_in_order(&scanned, operand, result);
            let element = self.function.ty(result).element.cuda();
            scanned.elements.push(element);
            scanned.values.push(name);
        }
        self.scan_warps(&scanned);
        self.scan_blocks(&scanned);
        if is_reverse {
            self.turn_back(&mut scanned);
        }
        for (&result, name) in node.results.iter().zip(&scanned.values) {
            self.bind(result, layout, name);
        }
    }

    /// An array with what is scanned, in that order.
    fn values_in_order(&mut self, scanned: &Scanned, operand: Value, result: Value) -> String {
        let layout = scanned.layout;
        let name = self.name_of(result, "scanned");
        let declaration = self.declaration(result, layout, &name);
        self.writer.line(format!("{declaration};"));
        let wanted = self.wanted(scanned.node, operand, layout);
        let count = self.registers(result, layout);
        let index = self.each(count, 1);
        let target = self.register(result, layout, &name, &index);
        let text = match scanned.is_reverse {
            false => self.expression(operand, wanted, &index),
            true => {
                let text = self.expression(operand, wanted, &from_the_end(&index, count));
                // Lanes the other way round: 31 flips all five bits.
                format!("__shfl_xor_sync(0xffffffff, {text}, 31)")
            }
        };
        self.writer.line(format!("{target} = {text};"));
        self.end_each(count, 1);
        name
    }

    /// A variable for the position of the lane or warp, where there is more than one.
    fn position(
        &mut self,
        wish: &str,
        positions: Positions,
        unit: u32,
        is_reverse: bool,
    ) -> Option<String> {
        if positions.count < 2 {
            return None;
        }
        let name = self.fresh(wish);
        let mut text = format!(
            "threadIdx.x / {} % {}",
            positions.stride * unit,
            positions.count
        );
        // A scan from the end goes through warps backwards; lanes are turned by shuffles, so their positions stay.
        if is_reverse {
            text = format!("{} - {text}", positions.count - 1);
        }
        self.writer.line(format!("const int {name} = {text};"));
        Some(name)
    }

    /// The registers of all operands at one place.
    fn scanned_at(&self, scanned: &Scanned, index: &Index) -> Vec<String> {
        let pairs = scanned.node.results.iter().zip(&scanned.values);
        let registers =
            pairs.map(|(&result, name)| self.register(result, scanned.layout, name, index));
        registers.collect()
    }

    /// Steps 1 and 2: chunks within threads, then their last values within warps.
    fn scan_warps(&mut self, scanned: &Scanned) {
        let (count, length) = (scanned.chunks(), scanned.length());
        let block = scanned.node.blocks[0];
        let index = self.each(count, 1);
        if length > 1 {
            self.writer.margin("#pragma unroll");
            self.writer
                .open(format!("for (int j = 1; j < {length}; j++)"));
            let own = scanned.register(&index, &Index::Text("j".to_owned()));
            let front = scanned.register(&index, &Index::Text("(j - 1)".to_owned()));
            let [own, front] = [own, front].map(|at| self.scanned_at(scanned, &at));
            self.combine_into(block, [&front, &own], &own);
            self.writer.close();
        }
        if let Some(lane) = &scanned.lane {
            let last = self.scanned_at(scanned, &scanned.last(&index));
            let first = self.first_step(scanned, lane, &last);
            self.other_steps(scanned, lane, &last, first);
        }
        self.end_each(count, 1);
    }

    /// The step to the neighbouring lane where what is scanned is needed after: `ptxas` cannot predicate the combination in
    /// its register, so all lanes make it. Gives where the other steps begin.
    fn first_step(&mut self, scanned: &Scanned, lane: &str, last: &[String]) -> u32 {
        let mut operands = scanned.node.operands.iter();
        if scanned.length() > 1 || operands.all(|&operand| self.is_used_once(operand)) {
            return 1;
        }
        let distance = scanned.scan.lanes.stride.to_string();
        let got = self.lanes_below(scanned, last, &distance);
        self.combine_for_some(scanned, &format!("{lane} >= 1"), [&got, last], last);
        2
    }

    /// All lanes combine, and those keep the result for which a condition holds.
    fn combine_for_some(
        &mut self,
        scanned: &Scanned,
        condition: &str,
        sides: [&[String]; 2],
        targets: &[String],
    ) {
        let mut both = Vec::new();
        for element in &scanned.elements {
            let name = self.fresh("combined");
            self.writer.line(format!("{element} {name};"));
            both.push(name);
        }
        self.keep_operands(true);
        self.combine_into(scanned.node.blocks[0], sides, &both);
        self.keep_operands(false);
        for (both, target) in both.iter().zip(targets) {
            self.writer
                .line(format!("if ({condition}) {target} = {both};"));
        }
    }

    /// Whether a combination chooses: under one more condition none of its operations is predicated.
    fn chooses(&self, scanned: &Scanned) -> bool {
        let block = &self.function.blocks[scanned.node.blocks[0].0];
        let mut nodes = block.nodes.iter().map(|id| &self.function.nodes[id.0]);
        nodes.any(|node| node.op == Op::Select)
    }

    /// Combines in all chunks but those of the first block, and there where a condition holds.
    fn combine_behind(
        &mut self,
        scanned: &Scanned,
        chunk: &Chunk,
        condition: &str,
        sides: [&[String]; 2],
        targets: &[String],
    ) {
        if condition.is_empty() || !self.chooses(scanned) {
            let mut comes_after = format!("!({})", chunk.is_first);
            if !condition.is_empty() {
                comes_after += &format!(" || {condition}");
            }
            self.writer.open(format!("if ({comes_after})"));
            self.combine_into(scanned.node.blocks[0], sides, targets);
        } else {
            self.writer.open(format!("if ({})", chunk.is_first));
            self.combine_for_some(scanned, condition, sides, targets);
            self.writer.other("else");
            self.combine_into(scanned.node.blocks[0], sides, targets);
        }
        self.writer.close();
    }

    /// The steps from a distance on.
    fn other_steps(&mut self, scanned: &Scanned, lane: &str, last: &[String], first: u32) {
        let lanes = scanned.scan.lanes;
        if first >= lanes.count {
            return;
        }
        self.writer.margin("#pragma unroll");
        self.writer.open(format!(
            "for (int reach = {first}; reach < {}; reach *= 2)",
            lanes.count
        ));
        let distance = match lanes.stride {
            1 => "reach".to_owned(),
            stride => format!("reach * {stride}"),
        };
        // All lanes take part in the shuffle; only the combination is conditional.
        let got = self.lanes_below(scanned, last, &distance);
        let condition = format!("{lane} >= reach");
        if self.chooses(scanned) {
            self.combine_for_some(scanned, &condition, [&got, last], last);
        } else {
            self.writer.open(format!("if ({condition})"));
            self.combine_into(scanned.node.blocks[0], [&got, last], last);
            self.writer.close();
        }
        self.writer.close();
    }

    /// Variables with what lanes so far below hold.
    fn lanes_below(&mut self, scanned: &Scanned, of: &[String], distance: &str) -> Vec<String> {
        let mut names = Vec::new();
        for (text, element) in of.iter().zip(&scanned.elements) {
            let name = self.fresh("below");
            self.writer.line(format!(
                "{element} {name} = __shfl_up_sync(0xffffffff, {text}, {distance});"
            ));
            names.push(name);
        }
        names
    }

    /// Steps 3 and 4: what comes before each chunk, from warps and chunks before.
    fn scan_blocks(&mut self, scanned: &Scanned) {
        let exchange = scanned.scan.across_warps.clone();
        // One value per thread in one warp: step 2 was all of it.
        if exchange.is_none() && scanned.scan.blocks == 1 && scanned.length() == 1 {
            return;
        }
        let memories = exchange
            .as_ref()
            .map(|exchange| self.store_lasts(scanned, exchange));
        let totals = self.variables(scanned, "total", scanned.accumulators());
        let count = scanned.chunks();
        let index = self.each(count, 1);
        let chunk = self.chunk(scanned, index, &totals);
        for (before, total) in chunk.before.iter().zip(&chunk.totals) {
            let text = format!("if (!({})) {before} = {total};", chunk.is_first);
            if scanned.scan.blocks > 1 {
                self.writer.line(text);
            }
        }
        if let (Some(exchange), Some(memories)) = (&exchange, &memories) {
            self.take_parts(scanned, &chunk, exchange, memories);
        }
        self.prepend(scanned, &chunk);
        if exchange.is_none() && scanned.scan.blocks > 1 {
            self.total_of_lanes(scanned, &chunk);
        }
        self.end_each(count, 1);
    }

    /// The chunk of a number, with variables for what is before it.
    fn chunk(&mut self, scanned: &Scanned, index: Index, totals: &[String]) -> Chunk {
        let accumulator = index
            .select(&scanned.bits(|chunk| chunk.accumulator))
            .text();
        let block = index.select(&scanned.bits(|chunk| chunk.block)).text();
        let several = scanned.accumulators() > 1;
        let at = |name: &String| match several {
            true => format!("{name}[{accumulator}]"),
            false => name.clone(),
        };
        Chunk {
            last: scanned.last(&index),
            is_first: format!("{block} == 0"),
            is_last: format!("{block} == {}", scanned.scan.blocks - 1),
            before: self.variables(scanned, "before", 1),
            totals: totals.iter().map(at).collect(),
            index,
        }
    }

    /// Variables of the elements' types.
    fn variables(&mut self, scanned: &Scanned, wish: &str, count: u32) -> Vec<String> {
        let mut names = Vec::new();
        for element in &scanned.elements {
            let name = self.fresh(wish);
            self.writer.line(match count {
                1 => format!("{element} {name} = {element}();"),
                _ => format!("{element} {name}[{count}];"),
            });
            names.push(name);
        }
        names
    }

    /// The last lanes store what their warps come to; gives the arrays.
    fn store_lasts(&mut self, scanned: &Scanned, exchange: &ScanExchange) -> Vec<String> {
        let mut memories = Vec::new();
        for (&result, name) in scanned.node.results.iter().zip(&scanned.values) {
            let ty = self.function.ty(result);
            let wish = format!("{name}_of_warps");
            memories.push(self.shared_array(&wish, ty, u64::from(exchange.elements)));
        }
        self.begin_reuse();
        let condition = scanned.holds_last(exchange);
        // Of a scan from the end, the last warp's part comes first: parts lie in the order of the scan.
        let flipped = match scanned.is_reverse {
            true => (scanned.scan.warps.count - 1) * exchange.part_stride,
            false => 0,
        };
        let count = scanned.chunks();
        let index = self.each(count, 1);
        let last = self.scanned_at(scanned, &scanned.last(&index));
        let mut place = chunk_offset(&exchange.stores, &index);
        if flipped != 0 {
            place = format!("({place}) ^ {flipped}");
        }
        for (memory, last) in memories.iter().zip(&last) {
            self.writer
                .line(format!("{condition}{memory}[{place}] = {last};"));
        }
        self.end_each(count, 1);
        self.writer.line("__syncthreads();");
        memories
    }

    /// Loads what the warps came to, and adds it up: what is before this warp, and the total.
    fn take_parts(
        &mut self,
        scanned: &Scanned,
        chunk: &Chunk,
        exchange: &ScanExchange,
        memories: &[String],
    ) {
        let warps = scanned.scan.warps.count;
        let results = &scanned.node.results;
        let elements = results
            .iter()
            .map(|&result| self.function.ty(result).element);
        let elements: Vec<Element> = elements.collect();
        let parts: Vec<String> = memories
            .iter()
            .zip(elements)
            .map(|(memory, element)| self.load_parts(memory, element, chunk, exchange, warps))
            .collect();
        if let Some(warp) = &scanned.warp {
            self.add_parts(scanned, chunk, warp, &parts);
        }
    }

    /// Adds up what the warps came to.
    fn add_parts(&mut self, scanned: &Scanned, chunk: &Chunk, warp: &str, parts: &[String]) {
        let warps = scanned.scan.warps.count;
        let (is_first, is_last) = (&chunk.is_first, &chunk.is_last);
        self.writer.unrolled("part", warps, 1);
        self.writer.open(format!("if ({is_first} && part == 0)"));
        for ((total, before), part) in chunk.totals.iter().zip(&chunk.before).zip(parts) {
            self.writer.line(format!("{total} = {part}[part];"));
            self.writer.line(format!("{before} = {total};"));
        }
        // The last total of all is of no use, and the one before it only to the last warp.
        self.writer.other(&format!(
            "else if (!({is_last}) || part < {} || (part == {} && {warp} > part))",
            warps.saturating_sub(2),
            warps.saturating_sub(2)
        ));
        let loaded: Vec<String> = parts.iter().map(|part| format!("{part}[part]")).collect();
        let block = scanned.node.blocks[0];
        self.combine_into(block, [&chunk.totals, &loaded], &chunk.totals);
        self.writer.close();
        for (total, before) in chunk.totals.iter().zip(&chunk.before) {
            self.writer
                .line(format!("if ({warp} > part) {before} = {total};"));
        }
        self.writer.close();
    }

    /// An array with what the warps came to; what lies side by side is loaded at once.
    fn load_parts(
        &mut self,
        memory: &str,
        element: Element,
        chunk: &Chunk,
        exchange: &ScanExchange,
        warps: u32,
    ) -> String {
        let name = self.fresh("parts");
        self.writer
            .line(format!("{} {name}[{warps}];", element.cuda()));
        let place = chunk_offset(&exchange.loads, &chunk.index);
        if exchange.part_stride > 1 {
            self.writer.unrolled("part", warps, 1);
            let (stride, last) = (exchange.part_stride, warps - 1);
            // The last of all parts is before nothing.
            self.writer.line(format!(
                "if (!({}) || part < {last}) {name}[part] = {memory}[({place}) + part * {stride}];",
                chunk.is_last
            ));
            self.writer.close();
            return name;
        }
        // Parts of neighbouring warps lie side by side where no other scan is between.
        let width = warps.min(MOST_BYTES / element.bytes());
        let element = element.cuda();
        for from in (0..warps).step_by(width as usize) {
            let targets = (from..from + width).map(|part| format!("{name}[{part}]"));
            let targets: Vec<String> = targets.collect();
            let at = format!("&{memory}[({place}) + {from}]");
            self.load_shared(element, &format!("({at})"), &targets);
        }
        name
    }

    /// Puts what is before a chunk in front of its values.
    fn prepend(&mut self, scanned: &Scanned, chunk: &Chunk) {
        let mut conditions: Vec<String> = Vec::new();
        conditions.extend(scanned.warp.iter().map(|warp| format!("{warp} > 0")));
        let last = self.scanned_at(scanned, &chunk.last);
        let condition = conditions.join(" || ");
        self.combine_behind(scanned, chunk, &condition, [&chunk.before, &last], &last);
        let length = scanned.length();
        if length == 1 {
            // The chunk's last register is ahead already; the others still need what is before this lane.
            return;
        }
        let mut carried = chunk.before.clone();
        if let Some(lane) = &scanned.lane {
            conditions.push(format!("{lane} > 0"));
            let distance = scanned.scan.lanes.stride.to_string();
            carried = self.lanes_below(scanned, &last, &distance);
            for (carried, before) in carried.iter().zip(&chunk.before) {
                self.writer
                    .line(format!("if ({lane} == 0) {carried} = {before};"));
            }
        }
        self.writer.unrolled("j", length - 1, 1);
        let own = scanned.register(&chunk.index, &Index::Text("j".to_owned()));
        let own = self.scanned_at(scanned, &own);
        let condition = conditions.join(" || ");
        self.combine_behind(scanned, chunk, &condition, [&carried, &own], &own);
        self.writer.close();
    }

    /// Where there is one warp, its last lane has the total.
    fn total_of_lanes(&mut self, scanned: &Scanned, chunk: &Chunk) {
        let last = self.scanned_at(scanned, &chunk.last);
        let lanes = scanned.scan.lanes;
        // The last lane of a row of lanes has all of their position's bits set.
        let mask = (lanes.count - 1) * lanes.stride;
        for (total, last) in chunk.totals.iter().zip(&last) {
            self.writer.line(match mask {
                0 => format!("{total} = {last};"),
                _ => {
                    format!("{total} = __shfl_sync(0xffffffff, {last}, threadIdx.x % 32 | {mask});")
                }
            });
        }
    }

    /// Puts the values of a scan from the end back where they belong.
    fn turn_back(&mut self, scanned: &mut Scanned) {
        for at in 0..scanned.values.len() {
            let result = scanned.node.results[at];
            let name = self.fresh(&format!("{}_in_order", scanned.values[at]));
            let declaration = self.declaration(result, scanned.layout, &name);
            self.writer.line(format!("{declaration};"));
            let count = self.registers(result, scanned.layout);
            let index = self.each(count, 1);
            let other = from_the_end(&index, count);
            let text = self.register(result, scanned.layout, &scanned.values[at], &other);
            let target = self.register(result, scanned.layout, &name, &index);
            self.writer.line(format!(
                "{target} = __shfl_xor_sync(0xffffffff, {text}, 31);"
            ));
            self.end_each(count, 1);
            scanned.values[at] = name;
        }
    }
}

impl Scanned<'_> {
    /// Whether a thread holds what its warp comes to, and is the one that stores it: `if (…) `, or nothing if all do.
    fn holds_last(&self, exchange: &ScanExchange) -> String {
        let mut conditions = Vec::new();
        if let Some(lane) = &self.lane {
            conditions.push(format!("{lane} == {}", self.scan.lanes.count - 1));
        }
        let idle = exchange.idle_lanes | exchange.idle_warps << LANE_BITS;
        if idle != 0 {
            conditions.push(format!("(threadIdx.x & {idle}) == 0"));
        }
        match conditions.is_empty() {
            true => String::new(),
            false => format!("if ({}) ", conditions.join(" && ")),
        }
    }

    fn chunks(&self) -> u32 {
        self.scan.chunks.len() as u32
    }

    /// Values of a chunk.
    fn length(&self) -> u32 {
        self.scan.chunks[0].registers.len() as u32
    }

    fn accumulators(&self) -> u32 {
        self.chunks() / self.scan.blocks
    }

    /// Bits of a chunk's number that count what `part` gives.
    fn bits(&self, part: impl Fn(&ScanChunk) -> u32) -> Vec<usize> {
        let bits = 0..self.chunks().ilog2() as usize;
        bits.filter(|&bit| part(&self.scan.chunks[1 << bit]) != 0)
            .collect()
    }

    /// The register of a value of a chunk.
    fn register(&self, chunk: &Index, at: &Index) -> Index {
        let chunks = &self.scan.chunks;
        let bit = |register: u32| register.trailing_zeros() as usize;
        let across = (0..self.chunks().ilog2()).map(|at| bit(chunks[1 << at].registers[0]));
        let within = (0..self.length().ilog2()).map(|at| bit(chunks[0].registers[1 << at]));
        let (across, within): (Vec<usize>, Vec<usize>) = (across.collect(), within.collect());
        scattered(chunk, &across).plus(&scattered(at, &within))
    }

    fn last(&self, chunk: &Index) -> Index {
        self.register(chunk, &Index::Known(self.length() - 1))
    }
}

/// The register that is as far from the end as `index` from the start.
fn from_the_end(index: &Index, count: u32) -> Index {
    match index {
        Index::Known(at) => Index::Known(count - 1 - at),
        Index::Text(text) => Index::Text(format!("({} - {text})", count - 1)),
    }
}

/// The place of a chunk's part in shared memory.
fn chunk_offset(offsets: &SharedOffsets, chunk: &Index) -> String {
    let bits = 0..offsets.values.len().ilog2();
    let values: Vec<u32> = bits.map(|bit| offsets.values[1 << bit]).collect();
    shared_offset(offsets, &values, chunk)
}
