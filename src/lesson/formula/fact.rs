//! What a formula may ask of the GPU: figures of its row of the table, and limits of its compute capability.

use std::fmt;

use crate::device::Gpu;

/// A whole number that is known of a GPU.
pub(super) struct Fact {
    /// Its name in formulas.
    pub name: &'static str,
    value: fn(&Gpu) -> Option<u64>,
}

impl Fact {
    /// Its value for `gpu`; nothing where it is not known, or does not exist on it.
    pub fn of(&self, gpu: &Gpu) -> Option<u64> {
        (self.value)(gpu)
    }

    /// Its name as people write it: `registers per SM`.
    pub fn words(&self) -> String {
        let (_, name) = self.name.split_once('.').unwrap_or(("", self.name));
        let words = name.split('_').map(|word| match word {
            "sm" | "l2" | "fp32" | "bf16" => word.to_uppercase(),
            word => word.to_owned(),
        });
        let words = words.collect::<Vec<_>>().join(" ");
        // `memory_bandwidth_gb_s` has become `memory bandwidth gb s` by now.
        let words = words.replace(" gb s", " in GB/s");
        words.replace(" gflop s", " in GFLOP/s")
    }

    /// The fact called so.
    pub fn from_name(name: &str) -> Option<&'static Fact> {
        FACTS.iter().find(|fact| fact.name == name)
    }

    /// All names, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        FACTS.iter().map(|fact| fact.name)
    }
}

impl PartialEq for Fact {
    fn eq(&self, other: &Self) -> bool {
        // A function cannot be compared, and each name stands for one.
        self.name == other.name
    }
}

impl Eq for Fact {}

impl fmt::Debug for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Every fact, by its name.
macro_rules! facts {
    ($($name:literal, |$gpu:ident| $value:expr;)*) => {
        static FACTS: &[Fact] = &[$(Fact { name: $name, value: |$gpu| $value },)*];
    };
}

facts! {
    "gpu.sm_count", |gpu| gpu.sm_count.map(u64::from);
    "gpu.l2_bytes", |gpu| whole(gpu.l2_mib, 1_048_576.0);
    "gpu.memory_bandwidth_gb_s", |gpu| whole(gpu.memory_bandwidth_gb_s, 1.0);
    "gpu.fp32_gflop_s", |gpu| whole(gpu.fp32_tflops, 1e3);
    "gpu.bf16_tensor_gflop_s", |gpu| whole(gpu.bf16_tensor_dense_tflops, 1e3);
    "cc.threads_per_warp", |gpu| Some(gpu.limits().threads_per_warp.into());
    "cc.max_threads_per_block", |gpu| Some(gpu.limits().max_threads_per_block.into());
    "cc.max_threads_per_sm", |gpu| Some(gpu.limits().max_threads_per_sm.into());
    "cc.max_warps_per_sm", |gpu| Some(gpu.limits().max_warps_per_sm.into());
    "cc.max_blocks_per_sm", |gpu| Some(gpu.limits().max_blocks_per_sm.into());
    "cc.registers_per_sm", |gpu| Some(gpu.limits().registers_per_sm.into());
    "cc.max_registers_per_block", |gpu| Some(gpu.limits().max_registers_per_block.into());
    "cc.max_registers_per_thread", |gpu| Some(gpu.limits().max_registers_per_thread.into());
    "cc.register_unit", |gpu| Some(gpu.limits().register_allocation_unit.into());
    "cc.warp_unit", |gpu| Some(gpu.limits().warp_allocation_granularity.into());
    "cc.sub_partitions_per_sm", |gpu| Some(gpu.limits().sub_partitions_per_sm.into());
    "cc.shared_bytes_per_sm", |gpu| Some(gpu.limits().shared_per_sm_bytes.into());
    "cc.shared_bytes_per_block", |gpu| Some(gpu.limits().shared_per_block_bytes.into());
    "cc.shared_bytes_per_block_optin", |gpu| Some(gpu.limits().shared_per_block_optin_bytes.into());
    "cc.shared_bytes_reserved_per_block", |gpu| Some(gpu.limits().shared_reserved_per_block_bytes.into());
    "cc.shared_unit", |gpu| Some(gpu.limits().shared_allocation_unit_bytes.into());
    "cc.shared_banks", |gpu| Some(gpu.limits().shared_banks.into());
    "cc.shared_bank_bytes", |gpu| Some(gpu.limits().shared_bank_bytes.into());
}

/// A figure in another unit, rounded to a whole number.
fn whole(figure: Option<f64>, factor: f64) -> Option<u64> {
    figure.map(|figure| (figure * factor).round() as u64)
}
