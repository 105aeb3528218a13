//! The tables of `assets/gpus.toml` as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use crate::source::nearest;

/// The GPU that is simulated unless another is asked for: an id of the table.
pub const DEFAULT_GPU: &str = "h200";

/// One GPU. What is missing is not known, or does not exist on it. Peaks are dense and accumulate
/// in fp32 unless the name says `fp16acc`; TFLOP/s and GB/s are decimal, KiB and MiB binary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say what and in which unit")]
pub struct Gpu {
    /// What `--gpu` takes.
    pub id: String,
    pub name: String,
    pub architecture: String,
    pub chip: String,
    /// Such as `9.0`: a row of the other table.
    pub compute_capability: String,
    pub sm_count: Option<u32>,
    pub boost_clock_mhz: Option<u32>,
    /// Where the tensor peaks are given at another clock.
    pub tensor_boost_clock_mhz: Option<u32>,
    pub fp32_lanes_per_sm: Option<u32>,
    pub fp32_tflops: Option<f64>,
    pub fp16_tensor_dense_tflops: Option<f64>,
    pub fp16_tensor_fp16acc_dense_tflops: Option<f64>,
    pub bf16_tensor_dense_tflops: Option<f64>,
    pub fp8_tensor_dense_tflops: Option<f64>,
    pub fp8_tensor_fp16acc_dense_tflops: Option<f64>,
    pub l2_mib: Option<f64>,
    /// What the vendor sells it by.
    pub memory_gb: Option<f64>,
    pub memory_type: Option<String>,
    pub memory_bandwidth_gb_s: Option<f64>,
    pub register_file_kib_per_sm: Option<u32>,
    /// L1 cache and shared memory together.
    pub l1_shared_kib_per_sm: Option<u32>,
    pub shared_max_kib_per_sm: Option<u32>,
    pub shared_max_kib_per_block: Option<u32>,
    pub tensor_memory_kib_per_sm: Option<u32>,
    pub tdp_w: Option<u32>,
    /// Sources disagree, or no product is out.
    #[serde(default)]
    pub preliminary: bool,
    pub note: Option<String>,
    pub source: String,
    /// The source of each figure, by its name.
    pub from: BTreeMap<String, String>,
    /// Bandwidths on the chip, peak or measured, by name.
    #[serde(default)]
    pub onchip: BTreeMap<String, toml::Value>,
    /// The source of each of those.
    #[serde(default)]
    pub onchip_from: BTreeMap<String, String>,
}

impl Gpu {
    /// A figure of the chip, by its name in [`Self::onchip`].
    pub fn onchip_number(&self, key: &str) -> Option<f64> {
        match self.onchip.get(key)? {
            toml::Value::Integer(number) => Some(*number as f64),
            toml::Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The limits of its compute capability.
    pub fn limits(&self) -> &'static ComputeCapability {
        compute_capability(&self.compute_capability)
            .expect("a test holds that every GPU's compute capability is in the table")
    }

    /// Size of an SM's L1 cache while its resident blocks take `shared_bytes` of shared memory
    /// together, what is reserved for each included: all of L1 and shared memory less the smallest
    /// setting of shared memory that holds them, as the driver chooses if it is told nothing.
    pub fn l1_bytes(&self, shared_bytes: u32) -> Option<u64> {
        let settings = &self.limits().shared_configs_kib;
        let fits = settings.iter().filter(|&&kib| kib * 1024 >= shared_bytes);
        let chosen = fits.min().or(settings.iter().max())?;
        let both = self.l1_shared_kib_per_sm?;
        Some(u64::from(both.saturating_sub(*chosen)) * 1024)
    }
}

/// What every GPU of a compute capability can do. The comments of the table explain the rules.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say what and in which unit")]
pub struct ComputeCapability {
    /// Such as `9.0`.
    pub cc: String,
    pub architecture: String,
    pub threads_per_warp: u32,
    pub max_threads_per_block: u32,
    pub max_threads_per_sm: u32,
    pub max_warps_per_sm: u32,
    pub max_blocks_per_sm: u32,
    pub registers_per_sm: u32,
    pub max_registers_per_block: u32,
    pub max_registers_per_thread: u32,
    /// A warp's registers are rounded up to a multiple of this.
    pub register_allocation_unit: u32,
    pub register_allocation_granularity: String,
    /// A launch's registers are checked as if its block had a multiple of this many warps.
    pub warp_allocation_granularity: u32,
    pub sub_partitions_per_sm: u32,
    pub shared_per_sm_bytes: u32,
    /// What a block may use without opting in; static shared memory cannot opt in.
    pub shared_per_block_bytes: u32,
    /// What a block may use in all.
    pub shared_per_block_optin_bytes: u32,
    /// Taken from the SM for each block besides.
    pub shared_reserved_per_block_bytes: u32,
    /// A block's shared memory, with what is reserved, is rounded up to a multiple of this.
    pub shared_allocation_unit_bytes: u32,
    /// Sizes that an SM's shared memory can be set to; what is left is L1.
    pub shared_configs_kib: Vec<u32>,
    pub l1_shared_kib: Option<u32>,
    pub fp32_lanes_per_sm: Option<u32>,
    pub shared_banks: u32,
    pub shared_bank_bytes: u32,
    /// CUDA 13 no longer compiles for it.
    #[serde(default)]
    pub legacy: bool,
    #[serde(default)]
    pub preliminary: bool,
    pub source: String,
    pub note: Option<String>,
}

/// A row of the published table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// What it is about, as it says.
    pub row: String,
    /// The key of the column of our table that is of the same thing.
    pub(super) column: String,
    /// What it says of each GPU.
    pub(super) a100: String,
    pub(super) h100: String,
    pub(super) b200: String,
    /// What is to be thought of it.
    pub verdict: Verdict,
    /// GPUs whose cells are wrong, in small letters.
    #[serde(default)]
    pub(super) wrong: Vec<String>,
    /// What is right, and how that is known.
    pub note: Option<String>,
}

/// What is to be thought of a published row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is right.
    Ok,
    /// It is rounded, or holds for one kind of the GPU.
    Rough,
    /// A cell of it is wrong.
    Wrong,
}

/// The file. It holds more, for people.
#[derive(Deserialize)]
struct Tables {
    gpu: Vec<Gpu>,
    compute_capability: Vec<ComputeCapability>,
    cs336: Vec<Published>,
    source: Vec<Source>,
}

/// A document that figures come from.
#[derive(Deserialize)]
struct Source {
    id: String,
    title: String,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    toml::from_str(include_str!("../../assets/gpus.toml"))
        // As a sentence with its line: the error itself would print the whole file.
        .map_err(|error: toml::de::Error| error.to_string())
        .expect("a test holds that the embedded file can be read")
});

/// A GPU that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no GPU `{id}`; {hint}")]
pub struct UnknownGpu {
    id: String,
    hint: String,
}

/// The GPU called `id`. The part of an id before one of its hyphens will do where only one row
/// begins so: `h200` is `h200-sxm`.
pub fn gpu(id: &str) -> Result<&'static Gpu, UnknownGpu> {
    let gpus = &TABLES.gpu;
    if let Some(gpu) = gpus.iter().find(|gpu| gpu.id == id) {
        return Ok(gpu);
    }
    let begins = |gpu: &&Gpu| {
        let rest = gpu.id.strip_prefix(id);
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    let beginning: Vec<&Gpu> = gpus.iter().filter(begins).collect();
    // `h100` begins two rows: a guess would simulate another GPU than was meant.
    if let [gpu] = beginning[..] {
        return Ok(gpu);
    }
    let names = |names: Vec<&str>| names.join(", ");
    let several: Vec<&str> = beginning.iter().map(|gpu| gpu.id.as_str()).collect();
    let near = nearest(id, gpu_ids());
    let hint = if !several.is_empty() {
        format!("there are {}", names(several))
    } else if !near.is_empty() {
        format!("perhaps {}", names(near))
    } else {
        format!("there are {}", names(gpu_ids().collect()))
    };
    Err(UnknownGpu {
        id: id.to_owned(),
        hint,
    })
}

/// What people call the GPU of this id: `H200` for `h200-sxm`; the id itself where the table does not have it.
pub fn gpu_title(id: &str) -> &str {
    gpu(id).map_or(id, |row| &row.name)
}

/// The GPU called `id`, as [`gpu`] takes it; the usual one where the table has none of that name.
pub fn gpu_or_usual(id: &str) -> &'static Gpu {
    gpu(id)
        .or_else(|_| gpu(DEFAULT_GPU))
        .expect("a test holds that the usual GPU is in the table")
}

/// The row of a GPU that a driver describes, if it is in the table. Names differ from driver to
/// driver; compute capability, SMs and memory do not, and no two rows have all three in common.
pub fn described_gpu(cc: &str, sm_count: u32, memory_bytes: u64) -> Option<&'static Gpu> {
    let gib = memory_bytes as f64 / f64::from(1 << 30);
    // What is sold as so many GB has up to a tenth less for use: error correction, the driver.
    let fits = |gb: f64| (0.9..=1.02).contains(&(gib / gb));
    TABLES.gpu.iter().find(|gpu| {
        gpu.compute_capability == cc
            && gpu.sm_count == Some(sm_count)
            && gpu.memory_gb.is_some_and(fits)
    })
}

/// The id of every GPU of the table, in its order.
pub fn gpu_ids() -> impl Iterator<Item = &'static str> {
    TABLES.gpu.iter().map(|gpu| gpu.id.as_str())
}

/// The limits of a compute capability such as `9.0`.
pub fn compute_capability(cc: &str) -> Option<&'static ComputeCapability> {
    TABLES.compute_capability.iter().find(|row| row.cc == cc)
}

/// Every compute capability of the table, in its order.
pub fn compute_capabilities() -> impl Iterator<Item = &'static ComputeCapability> {
    TABLES.compute_capability.iter()
}

/// The rows of the published table.
pub(super) fn published_rows() -> &'static [Published] {
    &TABLES.cs336
}

/// The title of a document that figures come from.
pub(super) fn source_title(id: &str) -> Option<&'static str> {
    let source = TABLES.source.iter().find(|source| source.id == id)?;
    Some(&source.title)
}

/// Every compute capability of the same major version as `cc`.
pub(super) fn same_major(cc: &str) -> impl Iterator<Item = &'static ComputeCapability> {
    let major = |cc: &str| cc.split('.').next().unwrap_or_default().to_owned();
    let wanted = major(cc);
    let rows = TABLES.compute_capability.iter();
    rows.filter(move |row| major(&row.cc) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_described_gpu_is_its_own_row() {
        for gpu in &TABLES.gpu {
            let (Some(sms), Some(gb)) = (gpu.sm_count, gpu.memory_gb) else {
                continue;
            };
            for gb in [gb, 0.95 * gb] {
                let bytes = (gb * f64::from(1 << 30)) as u64;
                let found = described_gpu(&gpu.compute_capability, sms, bytes);
                assert_eq!(found.map(|found| &found.id), Some(&gpu.id), "{gb} GiB");
            }
        }
        // What the driver of an H200 says.
        let h200 = described_gpu("9.0", 132, 143_771 << 20).expect("is there");
        assert_eq!(h200.id, "h200-sxm");
        assert!(described_gpu("9.0", 1, 143_771 << 20).is_none());
    }

    #[test]
    fn every_gpu_has_limits_and_a_source_for_each_figure() {
        assert!(gpu_ids().count() >= 16);
        for row in gpu_ids().map(|id| gpu(id).expect("is in the table")) {
            assert_eq!(row.limits().cc, row.compute_capability, "{}", row.id);
            for (known, figure) in [
                (row.sm_count.is_some(), "sm_count"),
                (row.l2_mib.is_some(), "l2_mib"),
                (row.fp32_tflops.is_some(), "fp32_tflops"),
                (row.memory_bandwidth_gb_s.is_some(), "memory_bandwidth_gb_s"),
                (row.l1_shared_kib_per_sm.is_some(), "l1_shared_kib_per_sm"),
            ] {
                assert_eq!(known, row.from.contains_key(figure), "{} {figure}", row.id);
            }
        }
        let h200 = gpu("h200-sxm").expect("is in the table");
        assert_eq!((h200.sm_count, h200.l2_mib), (Some(132), Some(60.0)));
    }

    #[test]
    fn l1_is_what_shared_memory_leaves() {
        let h200 = gpu("h200").expect("is in the table");
        let kib = |shared| h200.l1_bytes(shared).map(|bytes| bytes / 1024);
        assert_eq!(kib(0), Some(256));
        assert_eq!(kib(8 * 1024), Some(248));
        assert_eq!(kib(8 * 1024 + 1), Some(240));
        assert_eq!(kib(228 * 1024), Some(28));
    }

    #[test]
    fn an_id_may_be_cut_at_a_hyphen_where_that_names_one_gpu() {
        let id = |id| gpu(id).map(|gpu| gpu.id.as_str());
        assert_eq!(id("h200"), Ok("h200-sxm"));
        assert_eq!(id("l4"), Ok("l4"));
        let refused = |id| gpu(id).expect_err("is not there").to_string();
        assert_eq!(
            refused("h100"),
            "there is no GPU `h100`; there are h100-sxm5-80gb, h100-pcie-80gb"
        );
        assert!(refused("rtx4090").contains("perhaps rtx-4090"));
        assert!(refused("h20").contains("h200-sxm"));
        assert!(refused("").contains("jetson-agx-orin-64gb"));
        assert_eq!(gpu_or_usual("t4").id, "t4");
        assert_eq!(gpu_or_usual("nonsense").id, "h200-sxm");
    }
}
