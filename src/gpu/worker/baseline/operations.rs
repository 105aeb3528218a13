//! The operations of cuBLAS and cuDNN that are timed, by the few functions of theirs that do them: of
//! cuBLAS from version 11 on, of cuDNN from version 8 on. Signatures and constants of this file are those of
//! cublas_api.h, library_types.h and cudnn_ops.h.

#![allow(unsafe_code, reason = "calls into shared libraries of NVIDIA's")]

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::gpu::library::OpenLibrary;
use crate::gpu::worker::device::Device;
use crate::launch::{Baseline, Operation};

/// A context of a library, or its description of a matrix; owned by an [`Object`].
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
type Describe = unsafe extern "C" fn(Handle, c_int, c_int, c_int, c_int, c_int, c_int) -> Status;
type SoftmaxForward = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    *const c_void,
    Handle,
    *const c_void,
    *const c_void,
    Handle,
    *mut c_void,
) -> Status;

/// `CUBLAS_OP_N`: a matrix as it is.
const NOT_TRANSPOSED: c_int = 0;
/// `CUBLAS_DEFAULT_MATH`: single precision without TF32.
const DEFAULT_MATH: c_int = 0;
/// `CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION`: sums are not rounded in between.
const NO_REDUCED_PRECISION_REDUCTION: c_int = 16;
/// `CUDA_R_16BF`.
const BF16: c_int = 14;
/// `CUBLAS_COMPUTE_32F`: sums in single precision.
const COMPUTE_F32: c_int = 68;
/// `CUBLAS_GEMM_DEFAULT`: the library's choice.
const BEST_ALGORITHM: c_int = -1;
/// `CUDNN_TENSOR_NCHW`: images one after the other.
const NCHW: c_int = 0;
/// `CUDNN_DATA_FLOAT`.
const FLOAT: c_int = 0;
/// `CUDNN_SOFTMAX_ACCURATE`: the row's maximum is taken away first.
const ACCURATE: c_int = 1;
/// `CUDNN_SOFTMAX_MODE_INSTANCE`: a softmax of everything in an image.
const OVER_AN_IMAGE: c_int = 0;

/// What the functions of a library are called that every object of it needs.
struct ObjectNames {
    create: &'static str,
    destroy: &'static str,
    status_name: &'static str,
}

const CUBLAS_CONTEXT: ObjectNames = ObjectNames {
    create: "cublasCreate_v2",
    destroy: "cublasDestroy_v2",
    status_name: "cublasGetStatusName",
};
const CUDNN_CONTEXT: ObjectNames = ObjectNames {
    create: "cudnnCreate",
    destroy: "cudnnDestroy",
    status_name: "cudnnGetErrorString",
};
const CUDNN_TENSOR: ObjectNames = ObjectNames {
    create: "cudnnCreateTensorDescriptor",
    destroy: "cudnnDestroyTensorDescriptor",
    status_name: "cudnnGetErrorString",
};

/// An object that a library made; destroyed when dropped.
struct Object<'a> {
    library: &'a OpenLibrary,
    names: &'static ObjectNames,
    handle: Handle,
}

impl<'a> Object<'a> {
    fn new(library: &'a OpenLibrary, names: &'static ObjectNames) -> Result<Self, String> {
        let mut made = ptr::null_mut();
        let mut object = Object {
            library,
            names,
            handle: ptr::null_mut(),
        };
        // SAFETY: the pointer is valid.
        object.call::<Create>(names.create, |create| unsafe { create(&mut made) })?;
        object.handle = made;
        Ok(object)
    }

    /// Has `call` call the library's function `name`; the error says that it is missing, or what it answers.
    fn call<F: Copy>(&self, name: &str, call: impl FnOnce(F) -> Status) -> Result<(), String> {
        match call(self.library.function::<F>(name)?) {
            0 => Ok(()),
            status => {
                let status = self.library.status_name(self.names.status_name, status);
                Err(format!("`{name}` says {status}"))
            }
        }
    }
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: nobody uses the handle after this.
            let destroy = |destroy: Destroy| unsafe { destroy(self.handle) };
            // There is nobody left to tell.
            let _ = self.call(self.names.destroy, destroy);
        }
    }
}

/// An operation, ready to be called on a device's stream.
pub(crate) enum ReadyOperation<'a> {
    Softmax(RowSoftmax<'a>),
    Product(MatrixProduct<'a>),
}

impl<'a> ReadyOperation<'a> {
    /// Readies it; the error says which function is missing or refused, and how.
    pub fn new(
        baseline: &Baseline,
        library: &'a OpenLibrary,
        device: &Device,
    ) -> Result<Self, String> {
        Ok(match baseline.operation {
            Operation::Softmax => {
                ReadyOperation::Softmax(RowSoftmax::new(baseline, library, device)?)
            }
            Operation::Sgemm | Operation::Bf16 => {
                ReadyOperation::Product(MatrixProduct::new(baseline, library, device)?)
            }
        })
    }

    /// Calls it behind what was asked of the stream before. `inputs` and `output` are addresses of memory
    /// on the device, as large as the baseline says.
    pub fn call(&self, inputs: &[u64], output: u64) -> Result<(), String> {
        match self {
            ReadyOperation::Softmax(softmax) => softmax.call(inputs[0], output),
            ReadyOperation::Product(product) => product.call(inputs[0], inputs[1], output),
        }
    }
}

/// One of the baseline's sizes, as in `softmax:ROWSxCOLUMNS` and `sgemm:MxNxK`.
fn size(baseline: &Baseline, at: usize) -> c_int {
    c_int::try_from(baseline.sizes()[at]).unwrap_or(c_int::MAX)
}

fn pointer(address: u64) -> *mut c_void {
    ptr::without_provenance_mut(address as usize)
}

/// The product of `a` (m × k) and `b` (k × n), by cuBLAS: `f32` with sums in `f32`, or `bf16` with the same.
///
/// Ours stand row by row, the library's matrices column by column: what it takes for the transposed `b`
/// and `a` it multiplies in that order, and leaves the transposed product, which is `c` row by row.
pub(crate) struct MatrixProduct<'a> {
    context: Object<'a>,
    is_bf16: bool,
    m: c_int,
    n: c_int,
    k: c_int,
}

impl<'a> MatrixProduct<'a> {
    fn new(baseline: &Baseline, library: &'a OpenLibrary, device: &Device) -> Result<Self, String> {
        let is_bf16 = baseline.operation == Operation::Bf16;
        let context = Object::new(library, &CUBLAS_CONTEXT)?;
        let stream = device.stream.cu_stream().cast();
        context.call::<SetStream>("cublasSetStream_v2", |set| {
            // SAFETY: the handle and the stream are there.
            unsafe { set(context.handle, stream) }
        })?;
        let mode = match is_bf16 {
            true => DEFAULT_MATH | NO_REDUCED_PRECISION_REDUCTION,
            false => DEFAULT_MATH,
        };
        context.call::<SetMathMode>("cublasSetMathMode", |set| {
            // SAFETY: the handle is there.
            unsafe { set(context.handle, mode) }
        })?;
        Ok(MatrixProduct {
            context,
            is_bf16,
            m: size(baseline, 0),
            n: size(baseline, 1),
            k: size(baseline, 2),
        })
    }

    fn call(&self, a: u64, b: u64, c: u64) -> Result<(), String> {
        let (a, b, c) = (pointer(a), pointer(b), pointer(c));
        match self.is_bf16 {
            true => self.gemm_ex(a, b, c),
            false => self.sgemm(a, b, c),
        }
    }

    fn sgemm(&self, a: Handle, b: Handle, c: Handle) -> Result<(), String> {
        let (one, zero) = (1.0, 0.0);
        // SAFETY: the matrices are as large as the caller says; the factors outlive the call, which copies
        // them.
        let call = |sgemm: Sgemm| unsafe {
            sgemm(
                self.context.handle,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                self.n,
                self.m,
                self.k,
                &one,
                b.cast(),
                self.n,
                a.cast(),
                self.k,
                &zero,
                c.cast(),
                self.n,
            )
        };
        self.context.call("cublasSgemm_v2", call)
    }

    fn gemm_ex(&self, a: Handle, b: Handle, c: Handle) -> Result<(), String> {
        let (one, zero) = (1.0_f32, 0.0_f32);
        // SAFETY: as above.
        let call = |gemm: GemmEx| unsafe {
            gemm(
                self.context.handle,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                self.n,
                self.m,
                self.k,
                (&raw const one).cast(),
                b,
                BF16,
                self.n,
                a,
                BF16,
                self.k,
                (&raw const zero).cast(),
                c,
                BF16,
                self.n,
                COMPUTE_F32,
                BEST_ALGORITHM,
            )
        };
        self.context.call("cublasGemmEx", call)
    }
}

/// The softmax of each row of a matrix of `f32`, by cuDNN.
///
/// To cuDNN a row is an image of `columns` channels of one pixel. `CUDNN_SOFTMAX_MODE_INSTANCE` goes
/// over all of an image, which is what lies together; `…_CHANNEL` would give the same, but is made
/// for many pixels, whose channels lie apart.
pub(crate) struct RowSoftmax<'a> {
    // Goes before the context that it was made in.
    matrix: Object<'a>,
    context: Object<'a>,
}

impl<'a> RowSoftmax<'a> {
    fn new(baseline: &Baseline, library: &'a OpenLibrary, device: &Device) -> Result<Self, String> {
        let (rows, columns) = (size(baseline, 0), size(baseline, 1));
        let context = Object::new(library, &CUDNN_CONTEXT)?;
        let stream = device.stream.cu_stream().cast();
        context.call::<SetStream>("cudnnSetStream", |set| {
            // SAFETY: the handle and the stream are there.
            unsafe { set(context.handle, stream) }
        })?;
        let matrix = Object::new(library, &CUDNN_TENSOR)?;
        matrix.call::<Describe>("cudnnSetTensor4dDescriptor", |describe| {
            // SAFETY: the description is there.
            unsafe { describe(matrix.handle, NCHW, FLOAT, rows, columns, 1, 1) }
        })?;
        Ok(RowSoftmax { matrix, context })
    }

    fn call(&self, x: u64, y: u64) -> Result<(), String> {
        let (one, zero) = (1.0_f32, 0.0_f32);
        // SAFETY: both are as large as the description says; the factors outlive the call, which copies
        // them.
        let call = |softmax: SoftmaxForward| unsafe {
            softmax(
                self.context.handle,
                ACCURATE,
                OVER_AN_IMAGE,
                (&raw const one).cast(),
                self.matrix.handle,
                pointer(x),
                (&raw const zero).cast(),
                self.matrix.handle,
                pointer(y),
            )
        };
        self.context.call("cudnnSoftmaxForward", call)
    }
}
