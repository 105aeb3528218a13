//! One statement of a watched warp, and what its variables hold after it, as text.

use super::text::{real, value};
use crate::ir::{GLOBAL_STRIDE, LOCAL_BASE, SHARED_BASE};
use crate::launch::{
    ComparedLanes, Comparison, LaneValues, Plan, Trace, TraceStep, ValueType, WARP_LANES,
};
use crate::session::Ran;

/// What is looked at: a step of a trace.
pub(super) struct Moment<'a> {
    pub ran: &'a Ran,
    pub trace: &'a Trace,
    pub launch: usize,
    pub index: usize,
    pub step: &'a TraceStep,
    pub variable: usize,
    /// The variables in the order they are shown.
    pub order: Vec<usize>,
    /// The values of a real GPU, where they are there.
    pub compared: Option<&'a Comparison>,
}

impl Moment<'_> {
    /// Where the chosen variable stands in the order.
    pub fn place(&self) -> usize {
        let place = self.order.iter().position(|&index| index == self.variable);
        place.unwrap_or(0)
    }

    /// What `variable` holds after this step.
    pub fn values(&self, variable: usize) -> Option<&LaneValues> {
        self.trace.value(variable, self.index)
    }

    /// What a real GPU holds in `variable` after this step; nothing where none of its lanes is compared.
    pub fn beside(&self, variable: usize) -> Option<ComparedLanes> {
        let lanes = self.compared?.at(self.trace, variable, self.index)?;
        lanes.worst().map(|_| lanes)
    }

    /// Lanes in which this step changed `variable`.
    pub fn changed(&self, variable: usize) -> u32 {
        let mut changes = self.step.changes.iter();
        let Some((_, new)) = changes.find(|change| change.0 as usize == variable) else {
            return 0;
        };
        let before = self.index.checked_sub(1);
        let before = before.and_then(|before| self.trace.value(variable, before));
        let Some(old) = before else {
            return self.step.active;
        };
        (0..WARP_LANES).fold(0, |lanes, lane| {
            lanes | u32::from(new[lane] != old[lane]) << lane
        })
    }

    pub fn text(&self, variable: usize, bits: u64, width: usize) -> String {
        let value_type = self
            .trace
            .variables
            .get(variable)
            .map(|variable| variable.value_type);
        match value_type {
            Some(ValueType::Bool) => if bits & 0xff != 0 { "true" } else { "false" }.to_owned(),
            Some(ValueType::Pointer) => pointer(bits, &self.ran.plan, width),
            Some(ValueType::Number(element)) => value(element.value(bits), width),
            None => String::new(),
        }
    }

    /// A variable's values in a few words: the one value of all active lanes, or their range.
    pub fn in_words(&self, variable: usize, width: usize) -> String {
        let Some(values) = self.values(variable) else {
            return "not set yet".to_owned();
        };
        let active = (0..WARP_LANES).filter(|lane| self.step.active >> lane & 1 == 1);
        let active: Vec<u64> = active.map(|lane| values[lane]).collect();
        let lanes = if active.is_empty() {
            &values[..]
        } else {
            &active[..]
        };
        if lanes.iter().all(|bits| *bits == lanes[0]) {
            return self.text(variable, lanes[0], width);
        }
        let value_type = self
            .trace
            .variables
            .get(variable)
            .map(|variable| variable.value_type);
        let Some(ValueType::Number(element)) = value_type else {
            let (first, last) = (lanes[0], lanes[lanes.len() - 1]);
            let half = width.saturating_sub(4) / 2;
            return format!(
                "{} .. {}",
                self.text(variable, first, half),
                self.text(variable, last, half)
            );
        };
        let numbers = lanes.iter().map(|&bits| element.value(bits).as_f64());
        let (least, most) = numbers.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), number| (least.min(number), most.max(number)),
        );
        let show = |number: f64| match element.is_float() {
            true => real(number, 9),
            false => format!("{number:.0}"),
        };
        format!("{} .. {}", show(least), show(most))
    }
}

/// An address as a place in a buffer or memory, else in hexadecimal.
fn pointer(address: u64, plan: &Plan, width: usize) -> String {
    let buffer = (address / GLOBAL_STRIDE).checked_sub(1);
    let offset = address % GLOBAL_STRIDE;
    let text = match buffer.and_then(|buffer| plan.buffers.get(buffer as usize)) {
        Some(spec) => format!(
            "{}+{}",
            spec.name,
            offset / spec.element.size_bytes() as u64
        ),
        None if buffer.is_none() && address >= LOCAL_BASE => {
            format!("local+{}", address - LOCAL_BASE)
        }
        None if buffer.is_none() && address >= SHARED_BASE => {
            format!("shared+{}", address - SHARED_BASE)
        }
        None => format!("{address:#x}"),
    };
    match text.split_once('+') {
        Some((_, offset)) if text.len() > width => format!("+{offset}"),
        _ => text,
    }
}
