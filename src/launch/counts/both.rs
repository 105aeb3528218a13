//! Accesses counted on a real GPU, beside the simulated one.

use serde::Serialize;

use crate::launch::{Counts, SharedCounts};

/// What one launch did, of the text as it is written, on both engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CountedBoth {
    /// Counted on the device. What is not counted there is 0: wavefronts and bank conflicts of shared
    /// memory, operations, branches and instructions.
    pub device: Counts,
    /// Counted while the simulated GPU ran.
    pub simulated: Counts,
    /// Accesses of the text that are not counted on the device.
    pub uncounted: usize,
}

impl CountedBoth {
    /// Names and pairs of what both count: the device first. Which elements only accesses that are not counted
    /// on the device touch is not known, so with such accesses distinct elements are left out.
    pub fn pairs(&self) -> Vec<(&'static str, u64, u64)> {
        let (device, simulated) = (of(&self.device), of(&self.simulated));
        let pairs = device.into_iter().zip(simulated);
        pairs
            .map(|((name, a), (_, b))| (name, a, b))
            .filter(|(name, ..)| self.uncounted == 0 || !name.contains("distinct"))
            .collect()
    }

    /// Whether all that both count is equal.
    pub fn agrees(&self) -> bool {
        self.pairs()
            .iter()
            .all(|(_, device, simulated)| device == simulated)
    }
}

/// What is counted on a device, by name.
fn of(counts: &Counts) -> [(&'static str, u64); 17] {
    let requests = |shared: SharedCounts| shared.requests;
    let (load, store, atomic) = (
        counts.global_load,
        counts.global_store,
        counts.global_atomic,
    );
    [
        ("global load requests", load.requests),
        ("global load elements", load.elements),
        ("global load distinct elements", load.distinct_elements),
        ("global load bytes", load.bytes),
        ("global load sectors", load.sectors),
        ("global load lines", load.lines),
        ("global store requests", store.requests),
        ("global store elements", store.elements),
        ("global store distinct elements", store.distinct_elements),
        ("global store bytes", store.bytes),
        ("global store sectors", store.sectors),
        ("global store lines", store.lines),
        ("global atomic requests", atomic.requests),
        ("global atomic elements", atomic.elements),
        ("shared load requests", requests(counts.shared_load)),
        ("shared store requests", requests(counts.shared_store)),
        ("shared atomic requests", requests(counts.shared_atomic)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_that_differs_is_found() {
        let mut both = CountedBoth {
            device: Counts::default(),
            simulated: Counts::default(),
            uncounted: 0,
        };
        // Operations are not counted on the device.
        both.simulated.fp32.add = 7;
        assert!(both.agrees());
        both.simulated.shared_load.requests = 1;
        assert!(!both.agrees());
        assert!(both.pairs().contains(&("shared load requests", 0, 1)));
    }
}
