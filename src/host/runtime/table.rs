//! The functions of the runtime by their names.

use super::numeric_libraries::cublas::{self, BlasFunction};
use super::numeric_libraries::{cublas_service, cufft};
use super::state::{Answer, Runtime};
use super::{copies, devices, graphs, launches, memory, timeline};
use crate::host::machine::{Call, Machine};
use crate::launch::ElementType::{self, F32, F64};

/// A function of the runtime.
pub type StatusFunction = fn(&mut Runtime<'_>, &mut Machine<'_>, &Call<'_>) -> Answer;

/// A function of the library, by what it gives.
#[derive(Clone, Copy)]
pub enum Function {
    /// An error of CUDA's; behind a fault of a kernel that.
    Work(StatusFunction),
    /// An error of CUDA's, as ever.
    Status(StatusFunction),
    /// The error that a call left, and whether it stays.
    LastError { is_taken: bool },
    /// A status of cuBLAS.
    Blas(BlasFunction, ElementType),
    /// A status of cuBLAS or cuFFT, whatever the precision.
    LibraryStatus(StatusFunction),
}

use Function::{Blas, LastError, LibraryStatus, Status, Work};

/// The number of the function called `name`.
pub fn find(name: &str) -> Option<usize> {
    TABLE.iter().position(|row| row.0 == name)
}

/// All functions.
pub const TABLE: &[(&str, Function)] = &[
    ("cudaMalloc", Work(memory::malloc)),
    ("cudaMallocAsync", Work(memory::malloc)),
    ("cudaMallocManaged", Work(memory::malloc_managed)),
    ("cudaMallocHost", Work(memory::malloc_host)),
    ("cudaHostAlloc", Work(memory::malloc_host)),
    ("cudaMallocPitch", Work(memory::malloc_pitch)),
    ("cudaFree", Work(memory::free)),
    ("cudaFreeAsync", Work(memory::free)),
    ("cudaFreeHost", Work(memory::free_host)),
    (
        "cudaHostGetDevicePointer",
        Work(memory::host_get_device_pointer),
    ),
    ("cudaHostRegister", Work(memory::host_register)),
    ("cudaHostUnregister", Work(memory::host_unregister)),
    ("cudaMemGetInfo", Work(memory::mem_get_info)),
    (
        "cudaPointerGetAttributes",
        Work(memory::pointer_get_attributes),
    ),
    ("__cudaGetSymbolAddress", Work(memory::get_symbol_address)),
    ("__cudaGetSymbolSize", Work(memory::get_symbol_size)),
    ("cudaMemcpy", Work(copies::memcpy)),
    ("cudaMemcpyAsync", Work(copies::memcpy_async)),
    ("cudaMemcpy2D", Work(copies::memcpy_2d)),
    ("cudaMemcpy2DAsync", Work(copies::memcpy_2d_async)),
    ("cudaMemcpyPeer", Work(copies::memcpy_peer)),
    ("cudaMemcpyPeerAsync", Work(copies::memcpy_peer)),
    ("cudaMemset", Work(copies::memset)),
    ("cudaMemsetAsync", Work(copies::memset)),
    ("cudaMemset2D", Work(copies::memset_2d)),
    ("cudaMemset2DAsync", Work(copies::memset_2d)),
    ("__cudaMemcpyToSymbol", Work(copies::memcpy_to_symbol)),
    ("__cudaMemcpyFromSymbol", Work(copies::memcpy_from_symbol)),
    ("__cudaTextureError", Work(devices::as_given)),
    ("cudaMemAdvise", Work(devices::nothing)),
    ("cudaMemPrefetchAsync", Work(devices::nothing)),
    ("cudaStreamAttachMemAsync", Work(devices::nothing)),
    ("cudaGetLastError", LastError { is_taken: true }),
    ("cudaPeekAtLastError", LastError { is_taken: false }),
    ("cudaGetDeviceCount", Status(devices::get_device_count)),
    ("cudaGetDevice", Status(devices::zero)),
    ("cudaSetDevice", Status(devices::set_device)),
    ("cudaSetDeviceFlags", Status(devices::nothing)),
    ("cudaGetDeviceFlags", Status(devices::zero)),
    ("cudaDeviceGetAttribute", Status(devices::get_attribute)),
    ("cudaGetDeviceProperties", Status(devices::get_properties)),
    ("cudaChooseDevice", Status(devices::zero)),
    ("cudaDeviceSynchronize", Work(devices::synchronize)),
    ("cudaThreadSynchronize", Work(devices::synchronize)),
    ("cudaDeviceReset", Status(devices::reset)),
    ("__gpuCodeBegins", Status(devices::gpu_code_begins)),
    ("__gpuCodeEnds", Status(devices::gpu_code_ends)),
    ("cudaThreadExit", Status(devices::reset)),
    ("cudaDeviceGetLimit", Work(devices::get_limit)),
    ("cudaDeviceSetLimit", Work(devices::set_limit)),
    ("cudaDeviceGetCacheConfig", Work(devices::zero)),
    ("cudaDeviceSetCacheConfig", Work(devices::nothing)),
    ("cudaDeviceGetSharedMemConfig", Work(devices::get_bank_size)),
    ("cudaDeviceSetSharedMemConfig", Work(devices::nothing)),
    ("cudaDeviceGetPCIBusId", Status(devices::get_pci_bus_id)),
    (
        "cudaDeviceGetStreamPriorityRange",
        Work(devices::get_stream_priority_range),
    ),
    ("cudaDeviceCanAccessPeer", Status(devices::zero)),
    (
        "cudaDeviceEnablePeerAccess",
        Work(devices::enable_peer_access),
    ),
    (
        "cudaDeviceDisablePeerAccess",
        Work(devices::enable_peer_access),
    ),
    ("cudaDeviceGetP2PAttribute", Status(devices::zero)),
    ("cudaDriverGetVersion", Status(devices::get_version)),
    ("cudaRuntimeGetVersion", Status(devices::get_version)),
    ("cudaProfilerStart", Status(devices::nothing)),
    ("cudaProfilerStop", Status(devices::nothing)),
    ("cudaDeviceGetDefaultMemPool", Work(devices::default_pool)),
    ("cudaMemPoolTrimTo", Work(devices::nothing)),
    ("cudaStreamCreate", Work(timeline::stream_create)),
    ("cudaStreamCreateWithFlags", Work(timeline::stream_create)),
    (
        "cudaStreamCreateWithPriority",
        Work(timeline::stream_create),
    ),
    ("cudaStreamGetPriority", Work(timeline::stream_get_priority)),
    ("cudaStreamGetFlags", Work(timeline::stream_get_flags)),
    ("cudaStreamDestroy", Work(timeline::stream_destroy)),
    ("cudaStreamSynchronize", Work(timeline::stream_synchronize)),
    ("cudaStreamQuery", Work(timeline::stream_query)),
    ("cudaStreamWaitEvent", Work(timeline::stream_wait_event)),
    ("cudaStreamAddCallback", Work(timeline::stream_add_callback)),
    ("cudaLaunchHostFunc", Work(timeline::launch_host_func)),
    ("cudaEventCreate", Work(timeline::event_create)),
    ("cudaEventCreateWithFlags", Work(timeline::event_create)),
    ("cudaEventDestroy", Work(timeline::event_destroy)),
    ("cudaEventRecord", Work(timeline::event_record)),
    ("cudaEventSynchronize", Work(timeline::event_synchronize)),
    ("cudaEventQuery", Work(timeline::event_query)),
    ("cudaEventElapsedTime", Work(timeline::event_elapsed_time)),
    (
        "__cudaFuncGetAttributes",
        Work(launches::func_get_attributes),
    ),
    ("__cudaFuncSetAttribute", Work(launches::func_set_attribute)),
    ("__cudaLaunchKernel", Work(launches::launch_kernel)),
    (
        "__cudaPushCallConfiguration",
        Status(launches::push_configuration),
    ),
    (
        "__cudaLaunchConfigured",
        Status(launches::launch_configured),
    ),
    (
        "__cudaLaunchCooperativeKernel",
        Work(launches::launch_cooperative_kernel),
    ),
    ("__cudaOccupancyBlocks", Work(launches::occupancy_blocks)),
    (
        "__cudaOccupancyBlockSize",
        Work(launches::occupancy_block_size),
    ),
    ("cudaStreamBeginCapture", Work(graphs::begin_capture)),
    ("cudaStreamEndCapture", Work(graphs::end_capture)),
    ("cudaStreamIsCapturing", Work(graphs::is_capturing)),
    ("cudaGraphCreate", Work(graphs::create)),
    ("cudaGraphDestroy", Work(graphs::destroy)),
    ("cudaGraphInstantiate", Work(graphs::instantiate)),
    ("cudaGraphInstantiateWithFlags", Work(graphs::instantiate)),
    ("cudaGraphLaunch", Work(graphs::launch)),
    ("cudaGraphExecDestroy", Work(graphs::exec_destroy)),
    ("cudaGraphGetNodes", Work(graphs::get_nodes)),
    ("cudaGraphGetRootNodes", Work(graphs::get_root_nodes)),
    ("cudaGraphGetEdges", Work(graphs::get_edges)),
    ("cudaGraphAddDependencies", Work(graphs::add_dependencies)),
    ("__cudaGraphNodeGetType", Work(graphs::node_type)),
    ("cudaGraphAddEmptyNode", Work(graphs::add_empty_node)),
    ("cudaGraphAddKernelNode", Work(graphs::add_kernel_node)),
    ("cudaGraphAddHostNode", Work(graphs::add_host_node)),
    ("cudaGraphAddMemsetNode", Work(graphs::add_memset_node)),
    (
        "cudaGraphAddChildGraphNode",
        Work(graphs::add_child_graph_node),
    ),
    ("cudaGraphClone", Work(graphs::clone)),
    ("__cudaGraphExecUpdate", Work(graphs::exec_update)),
    ("cudaGraphAddMemcpyNode1D", Work(graphs::add_memcpy_node_1d)),
    ("__cufftTransform", LibraryStatus(cufft::transform)),
    ("cublasCreate", LibraryStatus(cublas_service::create)),
    ("cublasDestroy", LibraryStatus(devices::nothing)),
    ("cublasSetStream", LibraryStatus(cublas_service::set_stream)),
    ("cublasGetStream", LibraryStatus(cublas_service::get_stream)),
    ("cublasSetPointerMode", LibraryStatus(devices::nothing)),
    ("cublasSetMathMode", LibraryStatus(devices::nothing)),
    ("cublasSetAtomicsMode", LibraryStatus(devices::nothing)),
    ("cublasSetWorkspace", LibraryStatus(devices::nothing)),
    (
        "cublasGetVersion",
        LibraryStatus(cublas_service::get_version),
    ),
    (
        "cublasSetVector",
        LibraryStatus(cublas_service::move_vector),
    ),
    (
        "cublasGetVector",
        LibraryStatus(cublas_service::move_vector),
    ),
    (
        "cublasSetMatrix",
        LibraryStatus(cublas_service::move_matrix),
    ),
    (
        "cublasGetMatrix",
        LibraryStatus(cublas_service::move_matrix),
    ),
    ("cublasSgemm", Blas(cublas::gemm, F32)),
    ("cublasDgemm", Blas(cublas::gemm, F64)),
    (
        "cublasSgemmStridedBatched",
        Blas(cublas::gemm_strided_batched, F32),
    ),
    (
        "cublasDgemmStridedBatched",
        Blas(cublas::gemm_strided_batched, F64),
    ),
    ("__cublasGemmEx", Blas(cublas::gemm_ex, F32)),
    ("__cublasLtEpilogue", Blas(cublas::epilogue, F32)),
    ("cublasSgeam", Blas(cublas::geam, F32)),
    ("cublasDgeam", Blas(cublas::geam, F64)),
    ("cublasSsymm", Blas(cublas::symm, F32)),
    ("cublasDsymm", Blas(cublas::symm, F64)),
    ("cublasSrot", Blas(cublas::rot, F32)),
    ("cublasDrot", Blas(cublas::rot, F64)),
    ("cublasSgemv", Blas(cublas::gemv, F32)),
    ("cublasDgemv", Blas(cublas::gemv, F64)),
    ("cublasSdot", Blas(cublas::dot, F32)),
    ("cublasDdot", Blas(cublas::dot, F64)),
    ("cublasSnrm2", Blas(cublas::nrm2, F32)),
    ("cublasDnrm2", Blas(cublas::nrm2, F64)),
    ("cublasSasum", Blas(cublas::asum, F32)),
    ("cublasDasum", Blas(cublas::asum, F64)),
    ("cublasIsamax", Blas(cublas::amax, F32)),
    ("cublasIdamax", Blas(cublas::amax, F64)),
    ("cublasIsamin", Blas(cublas::amin, F32)),
    ("cublasIdamin", Blas(cublas::amin, F64)),
    ("cublasSaxpy", Blas(cublas::axpy, F32)),
    ("cublasDaxpy", Blas(cublas::axpy, F64)),
    ("cublasSscal", Blas(cublas::scal, F32)),
    ("cublasDscal", Blas(cublas::scal, F64)),
    ("cublasScopy", Blas(cublas::copy, F32)),
    ("cublasDcopy", Blas(cublas::copy, F64)),
    ("cublasSswap", Blas(cublas::swap, F32)),
    ("cublasDswap", Blas(cublas::swap, F64)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_one_row() {
        for (at, (name, _)) in TABLE.iter().enumerate() {
            assert_eq!(find(name), Some(at), "{name}");
        }
        assert_eq!(find("cudaMallocs"), None);
    }
}
