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
        // A gigabyte has 8e9 bits, and a kHz is a thousand clocks of two transfers.
        _ => (gpu.memory_bandwidth_gb_s.unwrap_or(0.0) * 8e6 / (2 * USUAL_BUS_BITS) as f64) as i64,
    }
}

fn l2_bytes(gpu: &Gpu) -> i64 {
    (gpu.l2_mib.unwrap_or(0.0) * f64::from(1 << 20)) as i64
}

/// A field of `cudaDeviceProp`: its name, the number of its attribute, if it has one, and its values.
pub type Property = (&'static str, Option<i32>, Vec<i64>);

/// The fields of `cudaDeviceProp` but its name.
pub fn properties(gpu: &Gpu) -> Vec<Property> {
    let fixed = FIXED.map(|(name, attribute, value)| (name, Some(attribute), vec![value]));
    let own = OF_THE_GPU.map(|(name, attribute, value)| (name, Some(attribute), vec![value(gpu)]));
    let several = SEVERAL.map(|(name, values)| (name, None, values.to_vec()));
    let memory = ("totalGlobalMem", None, vec![total_bytes(gpu) as i64]);
    let all = fixed.into_iter().chain(own).chain(several);
    all.chain([memory]).collect()
}

/// What is asked of a row of the table.
type Figure = fn(&Gpu) -> i64;

/// Attributes that differ from GPU to GPU.
const OF_THE_GPU: [(&str, i32, Figure); 19] = [
    ("maxThreadsPerBlock", 1, |gpu| {
        gpu.limits().max_threads_per_block.into()
    }),
    ("sharedMemPerBlock", 8, |gpu| {
        gpu.limits().shared_per_block_bytes.into()
    }),
    ("warpSize", 10, |gpu| gpu.limits().threads_per_warp.into()),
    ("regsPerBlock", 12, |gpu| {
        gpu.limits().max_registers_per_block.into()
    }),
    // In kHz.
    ("clockRate", 13, |gpu| {
        i64::from(gpu.boost_clock_mhz.unwrap_or(0)) * 1000
    }),
    ("multiProcessorCount", 16, |gpu| {
        gpu.sm_count.unwrap_or(1).into()
    }),
    ("memoryClockRate", 36, memory_clock),
    ("memoryBusWidth", 37, bus_bits),
    ("l2CacheSize", 38, l2_bytes),
    ("maxThreadsPerMultiProcessor", 39, |gpu| {
        gpu.limits().max_threads_per_sm.into()
    }),
    ("major", 75, |gpu| compute_capability(gpu).0),
    ("minor", 76, |gpu| compute_capability(gpu).1),
    ("sharedMemPerMultiprocessor", 81, |gpu| {
        gpu.limits().shared_per_sm_bytes.into()
    }),
    ("regsPerMultiprocessor", 82, |gpu| {
        gpu.limits().registers_per_sm.into()
    }),
    ("sharedMemPerBlockOptin", 97, |gpu| {
        gpu.limits().shared_per_block_optin_bytes.into()
    }),
    ("maxBlocksPerMultiProcessor", 106, |gpu| {
        gpu.limits().max_blocks_per_sm.into()
    }),
    // An H200 lets five eighths of its L2 be set aside.
    ("persistingL2CacheMaxSize", 108, |gpu| l2_bytes(gpu) / 8 * 5),
    ("reservedSharedMemPerBlock", 111, |gpu| {
        gpu.limits().shared_reserved_per_block_bytes.into()
    }),
    ("clusterLaunch", 120, |gpu| {
        i64::from(compute_capability(gpu).0 >= 9)
    }),
];

/// Fields of several numbers, whose attributes stand below one by one.
const SEVERAL: [(&str, &[i64]); 6] = [
    ("maxThreadsDim", &[1024, 1024, 64]),
    ("maxGridSize", &[i32::MAX as i64, 65_535, 65_535]),
    ("maxTexture2D", &[131_072, 65_536]),
    ("maxTexture3D", &[16_384; 3]),
    ("maxTexture1DLayered", &[32_768, 2048]),
    ("maxTexture2DLayered", &[32_768, 32_768, 2048]),
];

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
