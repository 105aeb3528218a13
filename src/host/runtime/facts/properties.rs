//! What a GPU says of itself: `cudaDeviceProp` and the attributes of a device.
//!
//! Figures of the GPU are those of `assets/gpus.toml`; what all of these years share is as an H200 with CUDA 13.0
//! answers.

use crate::device::Gpu;

/// What the driver leaves of an H200's memory.
const H200_TOTAL_BYTES: u64 = 150_109_880_320;
const H200: &str = "h200-sxm";
const H200_BUS_BITS: i64 = 6016;
const USUAL_BUS_BITS: i64 = 5120;

/// Memory in bytes; of GPUs but the usual one what they are sold by.
pub fn total_bytes(gpu: &Gpu) -> u64 {
    match gpu.id.as_str() {
        H200 => H200_TOTAL_BYTES,
        _ => (gpu.memory_gb.unwrap_or(16.0) * 1e9) as u64 & !0xfffff,
    }
}

/// The name that the driver gives.
pub fn name(gpu: &Gpu) -> String {
    format!("NVIDIA {}", gpu.name)
}

/// Major and minor number of the compute capability.
fn compute_capability(gpu: &Gpu) -> (i64, i64) {
    let (major, minor) = gpu.compute_capability.split_once('.').unwrap_or(("0", "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

fn bus_bits(gpu: &Gpu) -> i64 {
    match gpu.id.as_str() {
        H200 => H200_BUS_BITS,
        _ => USUAL_BUS_BITS,
    }
}

/// In kHz: what gives the bandwidth, at two transfers in each clock.
fn memory_clock(gpu: &Gpu) -> i64 {
    match gpu.id.as_str() {
        H200 => 3_201_000,
        _ => (gpu.memory_bandwidth_gb_s.unwrap_or(0.0) * 8e6 / (2 * USUAL_BUS_BITS) as f64) as i64,
    }
}

/// The fields of `cudaDeviceProp` but its name, each with the number of its attribute, if it has one.
pub fn properties(gpu: &Gpu) -> Vec<(&'static str, Option<i32>, Vec<i64>)> {
    let limits = gpu.limits();
    let (major, minor) = compute_capability(gpu);
    let one = |name, attribute, value: i64| (name, Some(attribute), vec![value]);
    let fixed = FIXED
        .iter()
        .map(|&(name, attribute, value)| one(name, attribute, value));
    let mut all: Vec<_> = fixed.collect();
    let l2_bytes = (gpu.l2_mib.unwrap_or(0.0) * f64::from(1 << 20)) as i64;
    all.extend([
        one("sharedMemPerBlock", 8, limits.shared_per_block_bytes.into()),
        one("warpSize", 10, limits.threads_per_warp.into()),
        one("regsPerBlock", 12, limits.max_registers_per_block.into()),
        one("maxThreadsPerBlock", 1, limits.max_threads_per_block.into()),
        one(
            "clockRate",
            13,
            i64::from(gpu.boost_clock_mhz.unwrap_or(0)) * 1000,
        ),
        one("multiProcessorCount", 16, gpu.sm_count.unwrap_or(1).into()),
        one("memoryClockRate", 36, memory_clock(gpu)),
        one("memoryBusWidth", 37, bus_bits(gpu)),
        one("l2CacheSize", 38, l2_bytes),
        one(
            "maxThreadsPerMultiProcessor",
            39,
            limits.max_threads_per_sm.into(),
        ),
        one("major", 75, major),
        one("minor", 76, minor),
        one(
            "sharedMemPerMultiprocessor",
            81,
            limits.shared_per_sm_bytes.into(),
        ),
        one("regsPerMultiprocessor", 82, limits.registers_per_sm.into()),
        one(
            "sharedMemPerBlockOptin",
            97,
            limits.shared_per_block_optin_bytes.into(),
        ),
        one(
            "maxBlocksPerMultiProcessor",
            106,
            limits.max_blocks_per_sm.into(),
        ),
        one("persistingL2CacheMaxSize", 108, l2_bytes / 8 * 5),
        one(
            "reservedSharedMemPerBlock",
            111,
            limits.shared_reserved_per_block_bytes.into(),
        ),
        one("clusterLaunch", 120, i64::from(major >= 9)),
        ("totalGlobalMem", None, vec![total_bytes(gpu) as i64]),
        ("maxThreadsDim", None, vec![1024, 1024, 64]),
        ("maxGridSize", None, vec![i32::MAX.into(), 65_535, 65_535]),
        ("maxTexture2D", None, vec![131_072, 65_536]),
        ("maxTexture3D", None, vec![16_384; 3]),
        ("maxTexture1DLayered", None, vec![32_768, 2048]),
        ("maxTexture2DLayered", None, vec![32_768, 32_768, 2048]),
    ]);
    all
}

/// Attributes of the same value on all GPUs of the table, with the fields that hold them; some have none.
const FIXED: [(&str, i32, i64); 48] = [
    ("", 2, 1024),
    ("", 3, 1024),
    ("", 4, 64),
    ("", 5, i32::MAX as i64),
    ("", 6, 65_535),
    ("", 7, 65_535),
    ("totalConstMem", 9, 65_536),
    ("memPitch", 11, i32::MAX as i64),
    ("textureAlignment", 14, 512),
    ("deviceOverlap", 15, 1),
    ("kernelExecTimeoutEnabled", 17, 0),
    ("integrated", 18, 0),
    ("canMapHostMemory", 19, 1),
    ("computeMode", 20, 0),
    ("maxTexture1D", 21, 131_072),
    ("", 22, 131_072),
    ("", 23, 65_536),
    ("", 24, 16_384),
    ("", 25, 16_384),
    ("", 26, 16_384),
    ("surfaceAlignment", 30, 512),
    ("concurrentKernels", 31, 1),
    ("ECCEnabled", 32, 1),
    ("pciBusID", 33, 0),
    ("pciDeviceID", 34, 6),
    ("tccDriver", 35, 0),
    ("asyncEngineCount", 40, 3),
    ("unifiedAddressing", 41, 1),
    ("pciDomainID", 50, 0),
    ("texturePitchAlignment", 51, 32),
    ("streamPrioritiesSupported", 78, 1),
    ("globalL1CacheSupported", 79, 1),
    ("localL1CacheSupported", 80, 1),
    ("managedMemory", 83, 1),
    ("isMultiGpuBoard", 84, 0),
    ("hostNativeAtomicSupported", 86, 0),
    ("singleToDoublePrecisionPerfRatio", 87, 2),
    ("pageableMemoryAccess", 88, 0),
    ("concurrentManagedAccess", 89, 1),
    ("computePreemptionSupported", 90, 1),
    ("canUseHostPointerForRegisteredMem", 91, 1),
    ("cooperativeLaunch", 95, 1),
    ("accessPolicyMaxWindowSize", 109, 134_217_728),
    ("hostRegisterSupported", 99, 1),
    ("hostRegisterReadOnlySupported", 113, 1),
    ("timelineSemaphoreInteropSupported", 114, 1),
    ("memoryPoolsSupported", 115, 1),
    ("sparseCudaArraySupported", 112, 1),
];

/// The value of an attribute; nothing if there is none of that number.
pub fn attribute(gpu: &Gpu, number: i32) -> Option<i64> {
    let all = properties(gpu);
    let known = all
        .iter()
        .find(|(_, attribute, _)| *attribute == Some(number));
    match known {
        Some((_, _, values)) => values.first().copied(),
        // What else there is, textures and ways to share memory, few ask for.
        None => (1..=134).contains(&number).then_some(0),
    }
}
