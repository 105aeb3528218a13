//! What is counted of a launch: by the simulated GPU, by code that counts on a real one, and by the hardware's
//! own counters. `measure` names all of it, once.

mod counters;

mod both;
mod measure;

pub use both::CountedBoth;
pub use counters::{
    AccessCounts, AccessKind, AtomicCounts, BranchCounts, ConstantCounts, Counts, DramCounts,
    Evidence, Fp32Counts, GlobalCounts, L1Counts, L2Counts, LineCounts, Modelled, SharedCounts,
    TensorCounts,
};
pub use measure::{Amount, HARDWARE_COUNTERS, HardwareCounter, Measure};
