//! cuBLAS' matrix products: the few functions of any version since 11 that time them.

#![allow(unsafe_code, reason = "calls into a shared library of NVIDIA's")]

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::gpu::library::Opened;
use crate::gpu::worker::device::Device;

/// A context of the library; owned by [`Cublas`].
type Handle = *mut c_void;
type Status = c_int;

type Create = unsafe extern "C" fn(*mut Handle) -> Status;
type Destroy = unsafe extern "C" fn(Handle) -> Status;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> Status;
type SetMathMode = unsafe extern "C" fn(Handle, c_int) -> Status;
type Sgemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    *const f32,
    *mut f32,
    c_int,
) -> Status;
type GemmEx = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;

/// Constants of cublas_api.h and library_types.h: a matrix as it is, single precision without TF32, sums
/// that are not rounded in between, bf16, sums in single precision, the library's choice.
const AS_IT_IS: c_int = 0;
const DEFAULT_MATH: c_int = 0;
const NO_REDUCED_PRECISION_REDUCTION: c_int = 16;
const BF16: c_int = 14;
const COMPUTE_F32: c_int = 68;
const BEST_ALGORITHM: c_int = -1;

/// How products are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// `f32` in, sums and out.
    Single,
    /// `bf16` in and out, sums in `f32`.
    Bf16,
}

/// cuBLAS, ready to multiply on a device's stream.
pub(crate) struct Cublas<'a> {
    library: &'a Opened,
    handle: Handle,
    precision: Precision,
}

impl<'a> Cublas<'a> {
    /// Readies it; the error says which function is missing or refused, and how.
    pub fn new(library: &'a Opened, precision: Precision, device: &Device) -> Result<Self, String> {
        let create = library.function::<Create>("cublasCreate_v2")?;
        let mut cublas = Cublas {
            library,
            handle: ptr::null_mut(),
            precision,
        };
        // SAFETY: the signatures of this file are those of cublas_api.h; the pointer is valid.
        let status = unsafe { create(&mut cublas.handle) };
        cublas.check("cublasCreate_v2", status)?;
        let set_stream = library.function::<SetStream>("cublasSetStream_v2")?;
        let stream = device.stream.cu_stream().cast();
        // SAFETY: the handle and the stream are there.
        let status = unsafe { set_stream(cublas.handle, stream) };
        cublas.check("cublasSetStream_v2", status)?;
        let set_mode = library.function::<SetMathMode>("cublasSetMathMode")?;
        let mode = match precision {
            Precision::Single => DEFAULT_MATH,
            Precision::Bf16 => DEFAULT_MATH | NO_REDUCED_PRECISION_REDUCTION,
        };
        // SAFETY: the handle is there.
        let status = unsafe { set_mode(cublas.handle, mode) };
        cublas.check("cublasSetMathMode", status)?;
        Ok(cublas)
    }

    fn check(&self, function: &str, status: Status) -> Result<(), String> {
        self.library.check(function, "cublasGetStatusName", status)
    }

    /// Writes the product of `a` (m × k) and `b` (k × n) to `c` (m × n), all of them row by row, behind
    /// what was asked of the stream before. They are addresses of memory on the device that is as large
    /// as that.
    ///
    /// The library's matrices stand column by column: what it takes for the transposed `b` and `a` it
    /// multiplies in that order, and leaves the transposed product, which is `c` row by row.
    pub fn multiply(&self, [m, n, k]: [c_int; 3], [a, b, c]: [u64; 3]) -> Result<(), String> {
        let (one, zero) = (1.0_f32, 0.0_f32);
        let [a, b, c] =
            [a, b, c].map(|address| ptr::without_provenance_mut::<c_void>(address as usize));
        match self.precision {
            Precision::Single => {
                let name = "cublasSgemm_v2";
                let sgemm = self.library.function::<Sgemm>(name)?;
                // SAFETY: the matrices are as large as the caller says; the factors outlive the call,
                // which copies them.
                let status = unsafe {
                    sgemm(
                        self.handle,
                        AS_IT_IS,
                        AS_IT_IS,
                        n,
                        m,
                        k,
                        &one,
                        b.cast(),
                        n,
                        a.cast(),
                        k,
                        &zero,
                        c.cast(),
                        n,
                    )
                };
                self.check(name, status)
            }
            Precision::Bf16 => {
                let name = "cublasGemmEx";
                let gemm = self.library.function::<GemmEx>(name)?;
                // SAFETY: as above.
                let status = unsafe {
                    gemm(
                        self.handle,
                        AS_IT_IS,
                        AS_IT_IS,
                        n,
                        m,
                        k,
                        (&raw const one).cast(),
                        b,
                        BF16,
                        n,
                        a,
                        BF16,
                        k,
                        (&raw const zero).cast(),
                        c,
                        BF16,
                        n,
                        COMPUTE_F32,
                        BEST_ALGORITHM,
                    )
                };
                self.check(name, status)
            }
        }
    }
}

impl Drop for Cublas<'_> {
    fn drop(&mut self) {
        if let (false, Ok(destroy)) = (
            self.handle.is_null(),
            self.library.function::<Destroy>("cublasDestroy_v2"),
        ) {
            // SAFETY: nobody uses the handle after this.
            unsafe { destroy(self.handle) };
        }
    }
}
