//! The driver and one GPU: what there is, memory, modules and launches, as far as runs need them.
//!
//! The driver's library is loaded at the first call. A library that lacks a function makes
//! `cudarc` panic: callers stand behind `catch_unwind` (see `serve`).

#![allow(unsafe_code, reason = "calls into the CUDA driver")]

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};

use crate::gpu::protocol::{FoundGpu, Reporter, Stage, Startup, Unavailable};
use crate::launch::Dim3;

/// Bytes of free memory that a run leaves to the driver: for local memory of kernels, their `printf`, and
/// what it keeps for itself.
const RESERVE_BYTES: usize = 64 << 20;

/// A GPU with a context and a stream.
pub(crate) struct Device {
    pub context: Arc<CudaContext>,
    pub stream: Arc<CudaStream>,
}

/// Starts the driver; its version as `cuDriverGetVersion` gives it.
pub(crate) fn start_driver(report: &mut Reporter) -> Result<i32, Unavailable> {
    report.stage(Stage::Starting(Startup::DriverLibrary));
    // SAFETY: only tries to load the library.
    if !unsafe { sys::is_culib_present() } {
        return Err(Unavailable::NoDriver);
    }
    report.stage(Stage::Starting(Startup::Driver));
    let visible = || std::env::var("CUDA_VISIBLE_DEVICES").ok();
    result::init().map_err(|error| match error.0 {
        CUresult::CUDA_ERROR_STUB_LIBRARY => Unavailable::StubDriver,
        CUresult::CUDA_ERROR_NO_DEVICE => Unavailable::NoGpu(visible()),
        other => Unavailable::DriverFailed(format!("{other:?}")),
    })?;
    let mut version = 0;
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::cuDriverGetVersion(&mut version) };
    status.result().map_err(refused)?;
    match result::device::get_count().map_err(refused)? {
        0 => Err(Unavailable::NoGpu(visible())),
        _ => Ok(version),
    }
}

pub(crate) fn refused(error: DriverError) -> Unavailable {
    Unavailable::DriverFailed(format!("{:?}", error.0))
}

/// Every GPU that the driver finds.
pub(crate) fn found_gpus() -> Result<Vec<FoundGpu>, Unavailable> {
    let count = result::device::get_count().map_err(refused)?;
    (0..count)
        .map(|ordinal| found_gpu(ordinal).map_err(refused))
        .collect()
}

fn found_gpu(ordinal: i32) -> Result<FoundGpu, DriverError> {
    let device = result::device::get(ordinal)?;
    // SAFETY: the device is one that the driver gave.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let size = |bytes: i32| u64::try_from(bytes).unwrap_or_default();
    Ok(FoundGpu {
        name: result::device::get_name(device)?,
        compute_capability: format!("{major}.{minor}"),
        // SAFETY: as above.
        memory_bytes: unsafe { result::device::total_mem(device) }? as u64,
        sm_count: size(attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        )?) as u32,
        l2_bytes: size(attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
    })
}

impl Device {
    /// The first GPU.
    pub fn open() -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        let stream = context.new_stream()?;
        Ok(Device { context, stream })
    }

    /// Waits for all that was asked of it.
    pub fn wait(&self) -> Result<(), DriverError> {
        self.stream.synchronize()
    }

    /// Bytes of its memory that nobody has.
    pub fn free_bytes(&self) -> Result<usize, DriverError> {
        Ok(self.context.mem_get_info()?.0)
    }

    /// Whether buffers of so many bytes fit, and leave the driver what it needs.
    pub fn has_room(&self, wanted_bytes: usize) -> Result<bool, DriverError> {
        Ok(wanted_bytes.saturating_add(RESERVE_BYTES) <= self.free_bytes()?)
    }

    /// What is said of buffers that do not fit: a sentence without its subject.
    pub fn no_room(&self, wanted_bytes: usize) -> Result<String, DriverError> {
        let mib = |bytes: usize| bytes.div_ceil(1 << 20);
        let (wanted, free) = (mib(wanted_bytes), mib(self.free_bytes()?));
        Ok(format!(
            "take {wanted} MiB, but the GPU has {free} MiB free"
        ))
    }

    /// Memory that holds `bytes`. The copy may still be under way: see [`Device::wait_for_copies`].
    pub fn filled(&self, bytes: &[u8]) -> Result<DeviceMemory, DriverError> {
        let memory = DeviceMemory::new(self, bytes.len())?;
        write(memory.address, bytes)?;
        Ok(memory)
    }

    /// Waits for copies from the host. `cuMemcpyHtoD` from pageable memory may return before the copy has
    /// reached the device (CUDA driver API, "API synchronization behavior"), and our stream does not
    /// wait for it.
    pub fn wait_for_copies(&self) -> Result<(), DriverError> {
        self.context.synchronize()
    }
}

/// DeviceMemory of a GPU, freed when dropped.
pub(crate) struct DeviceMemory {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub size_bytes: usize,
    device: Arc<CudaContext>,
}

impl DeviceMemory {
    /// DeviceMemory that holds anything.
    pub fn new(device: &Device, size_bytes: usize) -> Result<Self, DriverError> {
        device.context.bind_to_thread()?;
        // The driver refuses to allocate nothing, but a plan may have an empty buffer.
        // SAFETY: the context is current; nothing of the driver's is touched before it is there.
        let address = unsafe { result::malloc_sync(size_bytes.max(1)) }?;
        Ok(DeviceMemory {
            address,
            size_bytes,
            device: device.context.clone(),
        })
    }

    /// Reads it.
    pub fn read(&self) -> Result<Vec<u8>, DriverError> {
        read(self.address, self.size_bytes)
    }

    /// Copies `other`, of the same size, behind what was asked of the device before.
    pub fn copy_from(&self, other: &DeviceMemory, device: &Device) -> Result<(), DriverError> {
        assert_eq!(self.size_bytes, other.size_bytes, "the sizes are equal");
        if self.size_bytes == 0 {
            return Ok(());
        }
        let stream = device.stream.cu_stream();
        // SAFETY: both are as long as this.
        unsafe { result::memcpy_dtod_async(self.address, other.address, self.size_bytes, stream) }
    }

    /// Fills it, behind what was asked of the device before.
    pub fn fill(&self, byte: u8, device: &Device) -> Result<(), DriverError> {
        let stream = device.stream.cu_stream();
        // SAFETY: it is as long as this.
        unsafe { result::memset_d8_async(self.address, byte, self.size_bytes, stream) }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        self.device.record_err(self.device.bind_to_thread());
        // SAFETY: nobody else frees it. After a fault the driver refuses, and the process ends.
        self.device
            .record_err(unsafe { result::free_sync(self.address) });
    }
}

/// Reads the device's memory. What lies outside of it, the driver refuses.
pub(crate) fn read(address: u64, size_bytes: usize) -> Result<Vec<u8>, DriverError> {
    let mut bytes = vec![0; size_bytes];
    if size_bytes > 0 {
        // SAFETY: the host's side is this long, and the driver knows its own memory.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, address) }?;
    }
    Ok(bytes)
}

/// Writes the device's memory. The copy may still be under way: see [`Device::wait_for_copies`].
pub(crate) fn write(address: u64, bytes: &[u8]) -> Result<(), DriverError> {
    if !bytes.is_empty() {
        // SAFETY: as for reading.
        unsafe { result::memcpy_htod_sync(address, bytes) }?;
    }
    Ok(())
}

/// Compiled kernels on a GPU, unloaded when dropped.
pub(crate) struct LoadedModule {
    handle: sys::CUmodule,
    device: Arc<CudaContext>,
}

/// A kernel of a module that is loaded.
#[derive(Clone, Copy)]
pub(crate) struct LoadedKernel {
    handle: sys::CUfunction,
}

/// How many threads a launch has, and how much dynamic shared memory.
#[derive(Clone, Copy)]
pub(crate) struct LaunchShape {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: u32,
    /// Whether its blocks may wait for each other.
    pub is_cooperative: bool,
}

impl LoadedModule {
    /// Loads machine code, or PTX that ends with a zero.
    pub fn load(device: &Device, image: &[u8]) -> Result<Self, DriverError> {
        device.context.bind_to_thread()?;
        // SAFETY: the image is what NVRTC gave, or PTX with a zero at its end.
        let handle = unsafe { result::module::load_data(image.as_ptr().cast()) }?;
        Ok(LoadedModule {
            handle,
            device: device.context.clone(),
        })
    }

    /// The kernel with this linker's name.
    pub fn kernel(&self, name: &str) -> Result<LoadedKernel, DriverError> {
        let name = CString::new(name).map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
        // SAFETY: the module is loaded.
        let handle = unsafe { result::module::get_function(self.handle, name) }?;
        Ok(LoadedKernel { handle })
    }

    /// What the variable at file scope with this linker's name holds: at most `most_bytes`.
    pub fn symbol(&self, name: &str, most_bytes: usize) -> Result<Vec<u8>, DriverError> {
        let (address, size_bytes) = self.global(name)?;
        read(address, (size_bytes as usize).min(most_bytes))
    }

    /// Has the variable with this linker's name hold `bytes`, as far as it is long. The copy may still be under way:
    /// see [`Device::wait_for_copies`].
    pub fn set_symbol(&self, name: &str, bytes: &[u8]) -> Result<(), DriverError> {
        let (address, size_bytes) = self.global(name)?;
        write(address, &bytes[..bytes.len().min(size_bytes as usize)])
    }

    /// Where the variable with this linker's name lies, and its size in bytes.
    pub fn global(&self, name: &str) -> Result<(u64, u64), DriverError> {
        let name = CString::new(name).map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
        // SAFETY: the module is loaded.
        let (address, size_bytes) = unsafe { result::module::get_global(self.handle, name) }?;
        Ok((address, size_bytes as u64))
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        self.device.record_err(self.device.bind_to_thread());
        // SAFETY: functions do not outlive the run that holds the module.
        self.device
            .record_err(unsafe { result::module::unload(self.handle) });
    }
}

/// What a kernel is given.
#[derive(Default)]
pub(crate) struct KernelParameters {
    /// The bytes of all parameters, laid out as the kernel has them where its parameters begin at a multiple of each
    /// alignment.
    pub bytes: Vec<u8>,
    /// Where each parameter begins, for a kernel that takes tensor maps; else nothing. Those must lie at multiples of 64
    /// bytes, and a GPU's parameters begin at 0x210: the driver puts them 48 bytes further, but only those that it is
    /// given one by one (seen on an H200 with CUDA 13.0).
    pub starts: Vec<usize>,
}

impl KernelParameters {
    /// Where each parameter lies, if they are given one by one.
    fn pointers(&mut self) -> Vec<*mut c_void> {
        let all = self.bytes.as_mut_ptr();
        let starts = self.starts.iter();
        starts
            .map(|&start| all.wrapping_add(start).cast())
            .collect()
    }
}

impl LoadedKernel {
    /// A property of the compiled kernel.
    pub fn attribute(&self, which: sys::CUfunction_attribute) -> Result<u32, DriverError> {
        // SAFETY: the module is loaded.
        let value = unsafe { result::function::get_function_attribute(self.handle, which) }?;
        Ok(u32::try_from(value).unwrap_or_default())
    }

    /// Lets blocks have so much dynamic shared memory: more than 48 KiB must be asked for (CUDA C++
    /// Programming Guide, "Compute Capabilities").
    pub fn allow_shared(&self, bytes: u32) -> Result<(), DriverError> {
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the module is loaded.
        unsafe { result::function::set_function_attribute(self.handle, which, bytes) }
    }

    /// Blocks that an SM holds at a time.
    pub fn blocks_per_sm(&self, threads: u32, shared_bytes: u32) -> Result<u32, DriverError> {
        // SAFETY: the module is loaded.
        let blocks = unsafe {
            result::occupancy::max_active_block_per_multiprocessor(
                self.handle,
                threads as i32,
                shared_bytes as usize,
            )
        }?;
        Ok(u32::try_from(blocks).unwrap_or_default())
    }

    /// Launches it, behind what was asked of the device before.
    pub fn launch(
        &self,
        device: &Device,
        shape: LaunchShape,
        parameters: &mut KernelParameters,
    ) -> Result<(), DriverError> {
        let mut each = parameters.pointers();
        let mut size = parameters.bytes.len();
        // Keys of cuLaunchKernel's `extra`: the parameters' bytes, their number, the end (cuda.h).
        let mut extra: [*mut c_void; 5] = [
            std::ptr::without_provenance_mut(1),
            parameters.bytes.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(2),
            (&raw mut size).cast(),
            std::ptr::null_mut(),
        ];
        let (each, extra) = match each.is_empty() {
            true => (std::ptr::null_mut(), extra.as_mut_ptr()),
            false => (each.as_mut_ptr(), std::ptr::null_mut()),
        };
        let mut attribute = shape.attribute();
        let config = shape.config(device, &mut attribute);
        // SAFETY: the parameters are laid out as the compiler that knows the kernel says; all pointers outlive the call,
        // which copies what they point at.
        let status = unsafe { sys::cuLaunchKernelEx(&raw const config, self.handle, each, extra) };
        status.result()
    }
}

impl LaunchShape {
    fn attribute(self) -> sys::CUlaunchAttribute {
        sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue {
                cooperative: self.is_cooperative.into(),
            },
        }
    }

    fn config(
        self,
        device: &Device,
        attribute: &mut sys::CUlaunchAttribute,
    ) -> sys::CUlaunchConfig {
        sys::CUlaunchConfig {
            gridDimX: self.grid[0],
            gridDimY: self.grid[1],
            gridDimZ: self.grid[2],
            blockDimX: self.block[0],
            blockDimY: self.block[1],
            blockDimZ: self.block[2],
            sharedMemBytes: self.shared_bytes,
            hStream: device.stream.cu_stream(),
            attrs: attribute,
            numAttrs: 1,
        }
    }
}
