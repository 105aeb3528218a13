//! What a run counts, by the names that lessons use.

use crate::launch::{Counts, Evidence, HARDWARE_COUNTERS};

/// Measures as an enumeration and a table: each with its name, how it comes to be, and its value; nothing where
/// no model ran.
macro_rules! measures {
    ($($measure:ident, $name:literal, $evidence:ident, |$counts:ident| $value:expr;)*) => {
        /// A count, summed over the launches of a cell.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names say what each is")]
        pub enum Measure {
            $($measure,)*
        }

        impl Measure {
            /// Every measure. What is read and written is global memory, unless the name says another.
            pub const ALL: &[Measure] = &[$(Measure::$measure,)*];

            /// Its name in lessons and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Measure::$measure => $name,)*
                }
            }

            /// How it comes to be.
            pub fn evidence(self) -> Evidence {
                match self {
                    $(Measure::$measure => Evidence::$evidence,)*
                }
            }

            /// Its value in `counts`; nothing where no model ran for it.
            pub fn of(self, counts: &Counts) -> Option<u64> {
                match self {
                    $(Measure::$measure => {
                        let $counts = counts;
                        $value
                    })*
                }
            }
        }
    };
}

measures! {
    DistinctElementsRead, "distinct elements read", Counted, |counts| Some(counts.global_load.distinct_elements);
    DistinctElementsWritten, "distinct elements written", Counted, |counts| Some(counts.global_store.distinct_elements);
    ElementsRead, "elements read", Counted, |counts| Some(counts.global_load.elements);
    ElementsWritten, "elements written", Counted, |counts| Some(counts.global_store.elements);
    RequestsRead, "read requests", Counted, |counts| Some(counts.global_load.requests);
    RequestsWritten, "write requests", Counted, |counts| Some(counts.global_store.requests);
    SectorsRead, "sectors read", Counted, |counts| Some(counts.global_load.sectors);
    SectorsWritten, "sectors written", Counted, |counts| Some(counts.global_store.sectors);
    AtomicRequests, "atomic requests", Counted, |counts| Some(counts.global_atomic.requests);
    AtomicSectors, "atomic sectors", Counted, |counts| Some(counts.global_atomic.sectors);
    SharedReadRequests, "shared read requests", Counted, |counts| Some(counts.shared_load.requests);
    SharedWriteRequests, "shared write requests", Counted, |counts| Some(counts.shared_store.requests);
    SharedReadWavefronts, "shared read wavefronts", Counted, |counts| Some(counts.shared_load.wavefronts);
    SharedWriteWavefronts, "shared write wavefronts", Counted, |counts| Some(counts.shared_store.wavefronts);
    BankConflicts, "bank conflicts", Counted, |counts| {
        let shared = [counts.shared_load, counts.shared_store, counts.shared_atomic];
        Some(shared.iter().map(|shared| shared.bank_conflicts).sum())
    };
    Branches, "branches", Counted, |counts| Some(counts.branches.executed);
    DivergentBranches, "divergent branches", Counted, |counts| Some(counts.branches.divergent);
    WarpInstructions, "warp instructions", Counted, |counts| Some(counts.warp_instructions);
    ThreadInstructions, "thread instructions", Counted, |counts| Some(counts.thread_instructions);
    Flops, "floating-point operations", Counted, |counts| Some(counts.flops());
    TensorInstructions, "tensor instructions", Counted, |counts| Some(counts.tensor.mma);
    TensorMultiplyAdds, "tensor multiply-adds", Counted, |counts| Some(counts.tensor.multiply_adds);
    SpecialOperations, "special operations", Counted, |counts| Some(counts.fp32.special);
    L1SectorsHit, "L1 sectors hit", Modelled, |counts| counts.l1.0.map(|l1| l1.load_sectors_hit);
    L2SectorsRead, "L2 sectors read", Modelled, |counts| counts.l2.0.map(|l2| l2.read_sectors);
    L2SectorsHit, "L2 sectors hit", Modelled, |counts| counts.l2.0.map(|l2| l2.read_sectors_hit);
    L2SectorsWritten, "L2 sectors written", Modelled, |counts| counts.l2.0.map(|l2| l2.write_sectors);
    DramBytesRead, "DRAM bytes read", Modelled, |counts| counts.dram.0.map(|dram| dram.read_bytes);
    DramBytesWritten, "DRAM bytes written", Modelled, |counts| counts.dram.0.map(|dram| dram.write_bytes);
}

impl Measure {
    /// The measure called `name` in lessons.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|measure| measure.name() == name)
    }

    /// The hardware's counters that add up to it, by the names of [`HARDWARE_COUNTERS`], each with how often it
    /// counts; none where the hardware is not asked for it.
    fn hardware(self) -> &'static [(&'static str, u64)] {
        match self {
            Measure::RequestsRead => &[("global load requests", 1)],
            Measure::RequestsWritten => &[("global store requests", 1)],
            Measure::SectorsRead => &[("global load sectors", 1)],
            Measure::SectorsWritten => &[("global store sectors", 1)],
            Measure::AtomicRequests => &[("global atomic requests", 1)],
            Measure::AtomicSectors => &[("global atomic sectors", 1)],
            // An instruction of the tensor cores is 2048 multiply-adds.
            Measure::Flops => &[
                ("fp32 add", 1),
                ("fp32 mul", 1),
                ("fp32 fma", 2),
                ("tensor instructions", 4096),
            ],
            Measure::TensorInstructions => &[("tensor instructions", 1)],
            Measure::TensorMultiplyAdds => &[("tensor instructions", 2048)],
            Measure::L1SectorsHit => &[("L1 load sectors hit", 1)],
            Measure::L2SectorsRead => &[("L2 read sectors", 1)],
            Measure::DramBytesRead => &[("DRAM bytes read", 1)],
            Measure::DramBytesWritten => &[("DRAM bytes written", 1)],
            _ => &[],
        }
    }

    /// Whether the hardware has counters for it.
    pub fn is_on_hardware(self) -> bool {
        !self.hardware().is_empty()
    }

    /// Its value by the hardware's `counters`, in order of [`HARDWARE_COUNTERS`]; nothing where one is missing.
    pub fn of_hardware(self, counters: &[Option<u64>]) -> Option<u64> {
        let value = |name: &str| {
            let at = HARDWARE_COUNTERS.iter().position(|of| of.name == name)?;
            *counters.get(at)?
        };
        let parts = self.hardware();
        let counted = parts
            .iter()
            .map(|&(name, times)| Some(times * value(name)?));
        counted.sum::<Option<u64>>().filter(|_| !parts.is_empty())
    }

    /// All names, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|measure| measure.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_hardware_counts_goes_by_its_names() {
        let counters: Vec<Option<u64>> = (0..HARDWARE_COUNTERS.len() as u64).map(Some).collect();
        for &measure in Measure::ALL {
            let found = measure.of_hardware(&counters);
            assert_eq!(
                found.is_some(),
                measure.is_on_hardware(),
                "{}",
                measure.name()
            );
        }
        // Add, mul, fma and tensor cores stand last; a fused multiply-add is two operations.
        assert_eq!(
            Measure::Flops.of_hardware(&counters),
            Some(12 + 13 + 2 * 14 + 4096 * 15)
        );
        assert_eq!(Measure::Flops.of_hardware(&counters[..14]), None);
    }

    #[test]
    fn every_name_finds_its_measure_and_what_is_modelled_needs_a_model() {
        let nothing = Counts::default();
        for &measure in Measure::ALL {
            assert_eq!(Measure::from_name(measure.name()), Some(measure));
            let counted = measure.evidence() == Evidence::Counted;
            assert_eq!(
                measure.of(&nothing),
                counted.then_some(0),
                "{}",
                measure.name()
            );
        }
    }
}
