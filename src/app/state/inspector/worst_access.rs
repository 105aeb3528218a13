//! The statement of a block to begin with: the access that wastes most, where its picture says most, or one on the line
//! that its lesson names.

use std::collections::BTreeMap;

use super::value_range::MOST_STEPS;
use crate::app::state::{BlockHistory, SoughtStep};
use crate::memory::SECTOR_BYTES;
use crate::simt::{Accessed, MemoryKind};

impl BlockHistory {
    /// The step of the statement that is looked for.
    pub fn sought_step(&self, sought: SoughtStep) -> Option<usize> {
        match sought {
            SoughtStep::Line(line) => self.first_on(line),
            SoughtStep::Global | SoughtStep::Shared | SoughtStep::Any => self.worst_access(sought),
            // Only what looks into the block knows what the lesson taps.
            SoughtStep::Taps => None,
        }
    }

    /// The first step on a line of the source, from 1.
    fn first_on(&self, line: u32) -> Option<usize> {
        let is_on = |&step: &usize| {
            let cursor = self.history.cursor(step);
            cursor.is_some_and(|cursor| self.history.statement(cursor).line == line)
        };
        (0..self.marks.len()).find(is_on)
    }

    /// The first step with the access that wastes most of what is sought; where nothing is wasted, the first with
    /// such an access.
    fn worst_access(&self, sought: SoughtStep) -> Option<usize> {
        let marks = self.marks.iter().enumerate().take(MOST_STEPS);
        let has_access = marks.filter(|(_, mark)| match sought {
            SoughtStep::Global => mark.global,
            SoughtStep::Shared => mark.shared,
            SoughtStep::Any => mark.global || mark.shared,
            SoughtStep::Line(_) | SoughtStep::Taps => false,
        });
        let mut worst: Option<(u64, usize)> = None;
        for (step, _) in has_access {
            let Some(cursor) = self.history.cursor(step) else {
                continue;
            };
            let accesses = self.history.accesses(cursor);
            let waste = accesses.iter().filter_map(|access| wasted(access, sought));
            let waste = waste.max();
            if let Some(waste) = waste
                && worst.is_none_or(|(most, _)| waste > most)
            {
                worst = Some((waste, step));
            }
        }
        match worst? {
            // Where banks serve all at once, the statement that asks them most often is what there is to see.
            (0, _) if sought == SoughtStep::Shared => self.most_shared(),
            (_, step) => Some(step),
        }
    }

    /// The first step of the line with most accesses of shared memory.
    fn most_shared(&self) -> Option<usize> {
        let mut lines: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (step, mark) in self.marks.iter().enumerate().take(MOST_STEPS) {
            if let (true, Some(cursor)) = (mark.shared, self.history.cursor(step)) {
                let line = self.history.statement(cursor).line;
                lines.entry(line).or_insert((0, step)).0 += 1;
            }
        }
        // Of a store and the load that comes back to it, the load: it is where conflicts are.
        let most = lines.into_values().max();
        most.map(|(_, step)| step)
    }
}

/// Bytes that sectors and banks moved, or could have moved, for nothing; none of an access that counts nothing.
fn wasted(access: &Accessed, sought: SoughtStep) -> Option<u64> {
    // What nvcc makes with another access is counted there.
    if access.site.is_silent() {
        return None;
    }
    let global = access.global.map_or(0, |request| {
        (request.sectors * SECTOR_BYTES).saturating_sub(request.used_bytes)
    });
    // A wavefront can deliver a line's worth.
    let shared = access
        .shared
        .map_or(0, |request| request.bank_conflicts() * 4 * SECTOR_BYTES);
    match (sought, access.memory) {
        (SoughtStep::Global, MemoryKind::Global) => Some(global),
        (SoughtStep::Shared, MemoryKind::Shared) => Some(shared),
        (SoughtStep::Any, _) => Some(global.max(shared)),
        _ => None,
    }
}
