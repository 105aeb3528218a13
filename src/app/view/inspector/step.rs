//! One statement of a watched warp, and what its variables hold after it, as text.

use std::ops::RangeInclusive;

use crate::app::state::{FinishedRun, RunState, WarpSteps};
use crate::document::{real, value};
use crate::ir::{Allocation, GLOBAL_STRIDE, LOCAL_BASE, SHARED_BASE, Space};
use crate::launch::{
    ComparedLanes, LaneValues, Trace, TraceComparison, Value, ValueType, WARP_LANES, volume,
};

/// Characters of either end of a range of real numbers, as far as there is room.
const RANGE_DIGITS: RangeInclusive<usize> = 5..=9;

/// What is looked at: a step of a warp.
pub(crate) struct WarpStep<'a> {
    pub ran: &'a FinishedRun,
    pub walk: WarpSteps<'a>,
    pub launch: usize,
    pub index: usize,
    pub variable: usize,
    /// The lane that is looked at.
    pub lane: usize,
    /// The variables in the order they are shown.
    pub order: Vec<usize>,
    /// The values of a real GPU, where they are there.
    pub compared: Option<&'a TraceComparison>,
}

impl<'a> WarpStep<'a> {
    /// The step that is looked at; nothing before there is one.
    pub fn new(state: &'a RunState) -> Option<Self> {
        let ran = state.ran.as_deref()?;
        let (launch, walk) = state.steps_shown()?;
        let index = state.step()?;
        Some(WarpStep {
            ran,
            walk,
            launch,
            index,
            variable: state.inspector.variable(walk),
            lane: state.inspector.lane,
            order: state.inspector.order(walk, index),
            compared: state.compared(),
        })
    }

    /// Where the chosen variable stands in the order.
    pub fn place(&self) -> usize {
        let place = self.order.iter().position(|&index| index == self.variable);
        place.unwrap_or(0)
    }

    /// Lanes that executed the step.
    pub fn active(&self) -> u32 {
        self.walk.active(self.index)
    }

    /// What `variable` holds after this step.
    pub fn values(&self, variable: usize) -> Option<LaneValues> {
        self.walk.value(variable, self.index)
    }

    /// Threads of the warp: the last warp of a block may have fewer than 32.
    pub fn threads(&self) -> usize {
        let launch = self.ran.result.outcome.launches.get(self.launch);
        let block = launch.map_or([WARP_LANES as u32, 1, 1], |launch| launch.block);
        let before = u64::from(self.walk.watch().warp) * WARP_LANES as u64;
        volume(block).saturating_sub(before).min(WARP_LANES as u64) as usize
    }

    fn trace(&self) -> Option<&'a Trace> {
        let launches = &self.ran.result.outcome.launches;
        launches.get(self.launch)?.trace.as_ref()
    }

    /// What a real GPU holds in `variable` after this step; nothing where none of its lanes is compared.
    pub fn compared_lanes(&self, variable: usize) -> Option<ComparedLanes> {
        let lanes = self.compared?.at(self.trace()?, variable, self.index)?;
        lanes.worst().map(|_| lanes)
    }

    /// Lanes in which this step changed `variable`.
    pub fn changed(&self, variable: usize) -> u32 {
        self.walk.changed(variable, self.index)
    }

    /// Whether `variable` exists here: one of a loop that is over does not.
    pub fn is_alive(&self, variable: usize) -> bool {
        self.walk.is_alive(variable, self.index)
    }

    fn type_of(&self, variable: usize) -> Option<ValueType> {
        Some(self.walk.variable(variable)?.value_type)
    }

    pub fn text(&self, variable: usize, bits: u64, width: usize) -> String {
        match self.type_of(variable) {
            Some(ValueType::Bool) => if bits & 0xff != 0 { "true" } else { "false" }.to_owned(),
            Some(ValueType::Pointer) => self.pointer(bits, width),
            Some(ValueType::Number(element)) => value(element.value(bits), width),
            None => String::new(),
        }
    }

    /// A variable's values in a few words: the one value of all active lanes, a rule, or their range.
    pub fn in_words(&self, variable: usize, width: usize) -> String {
        let Some(values) = self.values(variable) else {
            return "not set yet".to_owned();
        };
        let active = self.active();
        // Inactive lanes hold what they had before: they say nothing of this step, unless no lane is active at
        // all.
        let is_meant = |&lane: &usize| active == 0 || active >> lane & 1 == 1;
        let lanes: Vec<usize> = (0..WARP_LANES).filter(is_meant).collect();
        let (first, last) = (values[lanes[0]], values[lanes[lanes.len() - 1]]);
        if lanes.iter().all(|&lane| values[lane] == first) {
            return self.text(variable, first, width);
        }
        let Some(ValueType::Number(element)) = self.type_of(variable) else {
            let half = width.saturating_sub(4) / 2;
            let ends = [first, last].map(|bits| self.text(variable, bits, half));
            return ends.join(" .. ");
        };
        let numbers: Vec<(usize, Value)> = lanes
            .iter()
            .map(|&lane| (lane, element.value(values[lane])))
            .collect();
        if let Some(rule) = rule(&numbers) {
            return rule;
        }
        let all = numbers.iter().map(|(_, number)| number.as_f64());
        let (least, most) = all.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), number| (least.min(number), most.max(number)),
        );
        range([least, most], element.is_float(), width)
    }

    /// An address as a place in a buffer or array, cut to its index where it is too wide.
    fn pointer(&self, address: u64, width: usize) -> String {
        let text = self.place_of(address);
        match text.find('[') {
            // `scores[17]` as `[17]`: the index differs from lane to lane, the name does not.
            Some(index) if text.len() > width => text[index..].to_owned(),
            _ => text,
        }
    }

    /// An address as an element of a buffer or array, else in hexadecimal.
    pub fn place_of(&self, address: u64) -> String {
        // Buffer b of a launch begins at (b + 1) * GLOBAL_STRIDE; below that are shared and local memory.
        let offset = address % GLOBAL_STRIDE;
        let buffer = (address / GLOBAL_STRIDE).checked_sub(1);
        if let Some(spec) = buffer.and_then(|at| self.ran.plan.buffers.get(at as usize)) {
            let index = offset / spec.element.size_bytes() as u64;
            return format!("{}[{index}]", spec.name);
        }
        let (space, offset) = match address {
            SHARED_BASE..LOCAL_BASE => (Space::Shared, address - SHARED_BASE),
            LOCAL_BASE..GLOBAL_STRIDE => (Space::Local, address - LOCAL_BASE),
            _ => return format!("{address:#x}"),
        };
        let kernel = self
            .walk
            .block_history()
            .map(|block| block.history.kernel());
        let mut arrays = kernel
            .into_iter()
            .flat_map(|kernel| &kernel.memory.allocations);
        let holds = |array: &&Allocation| {
            let from = u64::from(array.offset_bytes);
            let size = u64::from(array.size_bytes);
            // Dynamic shared memory has no size of its own: it goes on to the end.
            array.space == space && from <= offset && (size == 0 || offset < from + size)
        };
        match arrays.find(holds) {
            Some(array) => format!("{}{}", array.name, index_in(array, offset)),
            None if space == Space::Shared => format!("shared[byte {offset}]"),
            None => format!("local[byte {offset}]"),
        }
    }
}

/// The subscripts of the element of `array` that lies `offset` bytes into its memory.
fn index_in(array: &Allocation, offset: u64) -> String {
    let element = u64::from(array.element_bytes.max(1));
    let mut rest = (offset - u64::from(array.offset_bytes)) / element;
    let mut subscripts = String::new();
    for &length in array.lengths.iter().skip(1).rev() {
        let length = u64::from(length.max(1));
        subscripts = format!("[{}]{subscripts}", rest % length);
        rest /= length;
    }
    format!("[{rest}]{subscripts}")
}

/// Two ends, with as many digits as fit into `width`.
fn range(ends: [f64; 2], is_float: bool, width: usize) -> String {
    let of = |digits| {
        let ends = ends.map(|end| match is_float {
            true => real(end, digits),
            false => format!("{end:.0}"),
        });
        ends.join(" .. ")
    };
    let mut texts = RANGE_DIGITS.rev().map(of);
    let fits = texts.find(|text| text.chars().count() <= width);
    fits.unwrap_or_else(|| of(*RANGE_DIGITS.start()))
}

/// The rule that integers follow along the lanes, as in `960 + 4*lane`; of three lanes at least, for any
/// two follow one.
fn rule(numbers: &[(usize, Value)]) -> Option<String> {
    let [
        (a, Value::Integer(first)),
        (b, Value::Integer(second)),
        _,
        ..,
    ] = numbers
    else {
        return None;
    };
    // Lanes may be missing between two active ones: lanes 1 and 3 with 4 and 12 go by 4 a lane.
    let distance = (b - a) as i128;
    let step = (second - first) / distance;
    let base = first - step * *a as i128;
    let follows =
        |(lane, number): &(usize, Value)| *number == Value::Integer(base + step * *lane as i128);
    if !numbers.iter().all(follows) {
        return None;
    }
    let times = match step.unsigned_abs() {
        1 => "lane".to_owned(),
        factor => format!("{factor}*lane"),
    };
    let sign = if step > 0 { '+' } else { '-' };
    Some(format!("{base} {sign} {times}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(usize, i128)]) -> Option<String> {
        let numbers: Vec<(usize, Value)> = values
            .iter()
            .map(|&(lane, value)| (lane, Value::Integer(value)))
            .collect();
        rule(&numbers)
    }

    #[test]
    fn a_range_has_as_many_digits_as_its_place() {
        let ends = [-2.283711, 2.431922];
        assert_eq!(range(ends, true, 24), "-2.283711 .. 2.431922");
        assert_eq!(range(ends, true, 18), "-2.2837 .. 2.43192");
        assert_eq!(range(ends, true, 4), "-2.28 .. 2.432");
        assert_eq!(range([0.0, 7.0], true, 12), "0 .. 7.00000");
        assert_eq!(range([3.0, 100003.0], false, 8), "3 .. 100003");
    }

    #[test]
    fn values_that_follow_the_lanes_are_told_as_a_rule() {
        assert_eq!(
            of(&[(0, 960), (1, 961), (2, 962)]).as_deref(),
            Some("960 + lane")
        );
        assert_eq!(
            of(&[(1, 4), (3, 12), (4, 16)]).as_deref(),
            Some("0 + 4*lane")
        );
        assert_eq!(
            of(&[(0, 31), (1, 30), (5, 26)]).as_deref(),
            Some("31 - lane")
        );
        assert_eq!(of(&[(0, 1), (1, 2), (2, 4)]), None);
        assert_eq!(of(&[(0, 1), (1, 2)]), None);
    }
}
