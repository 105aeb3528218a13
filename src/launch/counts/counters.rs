//! What a run did, as numbers. The names are the JSON contract's, and mean what the counters of
//! those names mean in Nsight Compute.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use crate::source::Span;

/// How a number came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Computed from a formula, of what was chosen or is specified.
    Computed,
    /// Said of the hardware by who makes it.
    Specified,
    /// Counted while the simulated GPU ran.
    Counted,
    /// The answer of a model, whose distance from hardware is stated where it is known.
    Modelled,
    /// Measured on this machine's GPU.
    Measured,
    /// Measured earlier, elsewhere, and shipped with its provenance.
    Recorded,
    /// Counted by a GPU's own counters, which a profiler reads.
    Profiled,
}

impl Evidence {
    /// All of them, what is surest first.
    pub const ALL: [Evidence; 7] = [
        Evidence::Computed,
        Evidence::Counted,
        Evidence::Specified,
        Evidence::Modelled,
        Evidence::Profiled,
        Evidence::Measured,
        Evidence::Recorded,
    ];

    /// As a word.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Computed => "computed",
            Evidence::Specified => "specified",
            Evidence::Counted => "counted",
            Evidence::Modelled => "modelled",
            Evidence::Measured => "measured",
            Evidence::Recorded => "recorded",
            Evidence::Profiled => "hardware counter",
        }
    }

    /// What stands behind a number of this kind, as a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Evidence::Computed => "follows from a formula",
            Evidence::Specified => "stands in the specification of the GPU",
            Evidence::Counted => "counted while the simulated GPU ran; exact",
            Evidence::Modelled => "the answer of a model; i tells how far from hardware",
            Evidence::Measured => "measured on the GPU of this machine",
            Evidence::Recorded => "measured earlier on a GPU elsewhere; i tells on which",
            Evidence::Profiled => "counted by a GPU's own counters",
        }
    }
}

/// Declares counts that add up field by field.
macro_rules! counts {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)*
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(mut self, other: Self) -> Self {
                self += other;
                self
            }
        }
    };
}

counts!(
    /// Loads or stores of global memory.
    GlobalCounts {
        /// Warp accesses: one for each executed load or store with at least one active lane.
        requests: u64,
        /// Buffer elements that lanes touched, each lane's counted: a `float4` touches four of
        /// an f32 buffer.
        elements: u64,
        /// Different elements touched in each buffer by one launch: traffic no cache can avoid.
        distinct_elements: u64,
        /// Bytes that lanes asked for.
        bytes: u64,
        /// Different bytes of each request, summed over the requests.
        used_bytes: u64,
        /// 32-byte sectors moved between SM and L1.
        sectors: u64,
        /// 128-byte lines touched by the requests.
        lines: u64,
    }
);

impl GlobalCounts {
    /// Bytes used of bytes moved, between 0 and 1; nothing where nothing moved.
    pub fn efficiency(&self) -> Option<f64> {
        (self.sectors > 0).then(|| self.used_bytes as f64 / (32 * self.sectors) as f64)
    }
}

counts!(
    /// Atomic operations on global memory.
    AtomicCounts {
        /// Warp accesses.
        requests: u64,
        /// Lanes' operations.
        elements: u64,
        /// 32-byte sectors.
        sectors: u64,
    }
);

counts!(
    /// Loads or stores of shared memory.
    SharedCounts {
        /// Warp accesses.
        requests: u64,
        /// Passes through the 32 banks that the accesses took.
        wavefronts: u64,
        /// Wavefronts beyond the fewest possible for accesses of that width.
        bank_conflicts: u64,
    }
);

counts!(
    /// Loads of constant memory, which has a cache of its own beside L1.
    ConstantCounts {
        /// Warp accesses.
        requests: u64,
        /// Different addresses of each request, summed over the requests: the constant cache serves
        /// one at a time (CUDA C++ Programming Guide, device memory accesses).
        distinct_addresses: u64,
    }
);

counts!(
    /// Hits in the L1 cache, by the model of the selected GPU.
    L1Counts {
        /// Sectors of loads found in L1.
        load_sectors_hit: u64,
    }
);

counts!(
    /// Traffic between L1 and L2, by the model of the selected GPU.
    L2Counts {
        /// Sectors read.
        read_sectors: u64,
        /// Sectors written.
        write_sectors: u64,
        /// Sectors read and found.
        read_sectors_hit: u64,
    }
);

counts!(
    /// Traffic between L2 and device memory, by the model of the selected GPU.
    DramCounts {
        /// Bytes read.
        read_bytes: u64,
        /// Bytes written.
        write_bytes: u64,
    }
);

counts!(
    /// Single-precision operations of all active lanes.
    Fp32Counts {
        /// Additions and subtractions.
        add: u64,
        /// Multiplications.
        mul: u64,
        /// Fused multiply-adds.
        fma: u64,
        /// Exponentials, logarithms, roots, reciprocals and the like.
        special: u64,
    }
);

impl Fp32Counts {
    /// Floating-point operations, a fused multiply-add as two; special functions are apart.
    pub fn flops(&self) -> u64 {
        self.add + self.mul + 2 * self.fma
    }
}

counts!(
    /// Products of matrices on the tensor cores.
    TensorCounts {
        /// Instructions, once a warp.
        mma: u64,
        /// Multiplications, each with the addition of its product.
        multiply_adds: u64,
    }
);

counts!(
    /// Branches that warps executed.
    BranchCounts {
        /// All of them.
        executed: u64,
        /// Those whose lanes went both ways.
        divergent: u64,
    }
);

counts!(
    /// Everything counted of one line, one launch or several.
    Counts {
        /// Loads of global memory.
        global_load: GlobalCounts,
        /// Stores to global memory.
        global_store: GlobalCounts,
        /// Atomics on global memory.
        global_atomic: AtomicCounts,
        /// Loads of shared memory.
        shared_load: SharedCounts,
        /// Stores to shared memory.
        shared_store: SharedCounts,
        /// Atomics on shared memory: requests as hardware counts them, wavefronts as a store by the
        /// same lanes would take; what lanes at the same address wait for each other is not in it.
        shared_atomic: SharedCounts,
        /// Loads of constant memory.
        constant_load: ConstantCounts,
        /// The L1 cache; nothing where no model ran.
        l1: Modelled<L1Counts>,
        /// The L2 cache; nothing where no model ran.
        l2: Modelled<L2Counts>,
        /// Device memory; nothing where no model ran.
        dram: Modelled<DramCounts>,
        /// Single-precision operations.
        fp32: Fp32Counts,
        /// Products of matrices.
        tensor: TensorCounts,
        /// Branches.
        branches: BranchCounts,
        /// Instructions of the simulated GPU's own bytecode, once a warp.
        warp_instructions: u64,
        /// The same, once for each active lane.
        thread_instructions: u64,
    }
);

impl Counts {
    /// Warp accesses to global memory: loads, stores and atomics.
    pub fn global_requests(&self) -> u64 {
        self.global_load.requests + self.global_store.requests + self.global_atomic.requests
    }

    /// Wavefronts of all accesses to shared memory.
    pub fn shared_wavefronts(&self) -> u64 {
        self.shared_load.wavefronts + self.shared_store.wavefronts + self.shared_atomic.wavefronts
    }

    /// Those of them that bank conflicts cost.
    pub fn shared_bank_conflicts(&self) -> u64 {
        let of_accesses = self.shared_load.bank_conflicts + self.shared_store.bank_conflicts;
        of_accesses + self.shared_atomic.bank_conflicts
    }

    /// Bytes used of bytes moved by loads and stores of global memory, between 0 and 1; nothing where nothing moved.
    pub fn global_efficiency(&self) -> Option<f64> {
        let both = GlobalCounts {
            sectors: self.global_load.sectors + self.global_store.sectors,
            used_bytes: self.global_load.used_bytes + self.global_store.used_bytes,
            ..GlobalCounts::default()
        };
        both.efficiency()
    }

    /// Floating-point operations on fp32 lanes and tensor cores, a multiply-add as two; special
    /// functions are apart.
    pub fn flops(&self) -> u64 {
        self.fp32.flops() + 2 * self.tensor.multiply_adds
    }
}

/// Counts that exist only where a model ran; `null` in JSON otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Modelled<T>(pub Option<T>);

impl<T: AddAssign> AddAssign for Modelled<T> {
    fn add_assign(&mut self, other: Self) {
        match (&mut self.0, other.0) {
            (Some(mine), Some(theirs)) => *mine += theirs,
            (mine @ None, theirs) => *mine = theirs,
            (Some(_), None) => {}
        }
    }
}

/// What one line of the source did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// Line of the kernel's source, from 1.
    pub line: u32,
    /// Its counts. `distinct_elements` are those of this line alone.
    pub counts: Counts,
}

/// Which way an access moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessKind {
    /// From memory.
    Load,
    /// To memory.
    Store,
}

/// What one load or store of the source did. Distinct elements are known only by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessCounts {
    /// The expression that loads or stores.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
    /// Which of the two.
    pub kind: AccessKind,
    /// What it did in global memory, without distinct elements.
    pub global: GlobalCounts,
    /// What it did in shared memory.
    pub shared: SharedCounts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_and_missing_models_stay_missing() {
        let one = Counts {
            warp_instructions: 1,
            ..Counts::default()
        };
        let sum = one + one;
        assert_eq!(sum.warp_instructions, 2);
        assert_eq!(sum.l2.0, None);
        let modelled = Counts {
            l1: Modelled(Some(L1Counts {
                load_sectors_hit: 3,
            })),
            ..one
        };
        assert_eq!((one + modelled).l1.0.map(|l1| l1.load_sectors_hit), Some(3));
    }

    #[test]
    fn efficiency_is_used_of_moved() {
        let load = GlobalCounts {
            used_bytes: 128,
            sectors: 32,
            ..GlobalCounts::default()
        };
        assert_eq!(load.efficiency(), Some(0.125));
        assert_eq!(GlobalCounts::default().efficiency(), None);
    }
}
