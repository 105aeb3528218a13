//! The operations of cuBLAS and cuDNN that are timed, by the few functions of theirs that do them: of
//! cuBLAS from version 11 on, of cuDNN from version 8 on. Signatures and constants of this file are those of
//! cublas_api.h, library_types.h and cudnn_ops.h.

#![allow(unsafe_code, reason = "calls into shared libraries of NVIDIA's")]

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::gpu::library::OpenLibrary;
use crate::gpu::worker::device::Device;
use crate::launch::{Baseline, Operation};

/// Why no library times some operations.
pub(super) const IN_PYTHON: &str = "Python runs it, not a library";

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
pub(crate) struct ReadyOperation<'a> {
    // Goes before the context: a tensor was made in it.
    function: LibraryFunction<'a>,
    context: Object<'a>,
    /// Rows and columns of a softmax; m, n and k of a product.
    sizes: Vec<c_int>,
}

/// The library's function that does it.
enum LibraryFunction<'a> {
    /// Of the rows of a matrix that is described.
    Softmax(Object<'a>),
    Sgemm,
    /// For `bf16`, with sums in single precision.
    GemmEx,
}

impl<'a> ReadyOperation<'a> {
    /// Readies it; the error says which function is missing or refused, and how.
    pub fn new(
        baseline: &Baseline,
        library: &'a OpenLibrary,
        device: &Device,
    ) -> Result<Self, String> {
        let (context, set_stream) = match baseline.operation {
            Operation::Softmax => (&CUDNN_CONTEXT, "cudnnSetStream"),
            Operation::Sgemm | Operation::Bf16 => (&CUBLAS_CONTEXT, "cublasSetStream_v2"),
            _ => return Err(IN_PYTHON.to_owned()),
        };
        let context = Object::new(library, context)?;
        let stream = device.stream.cu_stream().cast();
        context.call::<SetStream>(set_stream, |set| {
            // SAFETY: the handle and the stream are there.
            unsafe { set(context.handle, stream) }
        })?;
        let set_math_mode = |mode| {
            // SAFETY: the handle is there.
            let set = |set: SetMathMode| unsafe { set(context.handle, mode) };
            context.call("cublasSetMathMode", set)
        };
        let function = match baseline.operation {
            Operation::Softmax => LibraryFunction::Softmax(matrix_of_rows(library, baseline)?),
            Operation::Sgemm => {
                set_math_mode(DEFAULT_MATH)?;
                LibraryFunction::Sgemm
            }
            Operation::Bf16 => {
                set_math_mode(DEFAULT_MATH | NO_REDUCED_PRECISION_REDUCTION)?;
                LibraryFunction::GemmEx
            }
            _ => return Err(IN_PYTHON.to_owned()),
        };
        Ok(ReadyOperation {
            function,
            context,
            sizes: c_sizes(baseline),
        })
    }

    /// Calls it behind what was asked of the stream before. `inputs` and `output` are addresses of memory
    /// on the device, as large as the baseline says.
    pub fn call(&self, inputs: &[u64], output: u64) -> Result<(), String> {
        let inputs: Vec<Handle> = inputs.iter().map(|&address| pointer(address)).collect();
        let output = pointer(output);
        match &self.function {
            LibraryFunction::Softmax(matrix) => self.softmax(matrix, inputs[0], output),
            LibraryFunction::Sgemm => self.sgemm(inputs[0], inputs[1], output),
            LibraryFunction::GemmEx => self.gemm_ex(inputs[0], inputs[1], output),
        }
    }

    fn softmax(&self, matrix: &Object, x: Handle, y: Handle) -> Result<(), String> {
        let (one, zero) = (1.0_f32, 0.0_f32);
        // SAFETY: both are as large as the description says; the factors outlive the call, which copies
        // them.
        let call = |softmax: SoftmaxForward| unsafe {
            softmax(
                self.context.handle,
                ACCURATE,
                OVER_AN_IMAGE,
                (&raw const one).cast(),
                matrix.handle,
                x,
                (&raw const zero).cast(),
                matrix.handle,
                y,
            )
        };
        self.context.call("cudnnSoftmaxForward", call)
    }

    // Products: of `a` (m × k) and `b` (k × n). Ours stand row by row, the library's matrices column by
    // column: what it takes for the transposed `b` and `a` it multiplies in that order, and leaves the
    // transposed product, which is `c` row by row.

    fn sgemm(&self, a: Handle, b: Handle, c: Handle) -> Result<(), String> {
        let (m, n, k) = (self.sizes[0], self.sizes[1], self.sizes[2]);
        let (one, zero) = (1.0, 0.0);
        // SAFETY: the matrices are as large as the caller says; the factors outlive the call, which copies
        // them.
        let call = |sgemm: Sgemm| unsafe {
            sgemm(
                self.context.handle,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
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
        self.context.call("cublasSgemm_v2", call)
    }

    fn gemm_ex(&self, a: Handle, b: Handle, c: Handle) -> Result<(), String> {
        let (m, n, k) = (self.sizes[0], self.sizes[1], self.sizes[2]);
        let (one, zero) = (1.0_f32, 0.0_f32);
        // SAFETY: as above.
        let call = |gemm: GemmEx| unsafe {
            gemm(
                self.context.handle,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
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
        self.context.call("cublasGemmEx", call)
    }
}

/// A matrix of `f32` whose rows a softmax goes over.
///
/// To cuDNN a row is an image of `columns` channels of one pixel. `CUDNN_SOFTMAX_MODE_INSTANCE` goes
/// over all of an image, which is what lies together; `…_CHANNEL` would give the same, but is made
/// for many pixels, whose channels lie apart.
fn matrix_of_rows<'a>(library: &'a OpenLibrary, baseline: &Baseline) -> Result<Object<'a>, String> {
    let sizes = c_sizes(baseline);
    let (rows, columns) = (sizes[0], sizes[1]);
    let matrix = Object::new(library, &CUDNN_TENSOR)?;
    matrix.call::<Describe>("cudnnSetTensor4dDescriptor", |describe| {
        // SAFETY: the description is there.
        unsafe { describe(matrix.handle, NCHW, FLOAT, rows, columns, 1, 1) }
    })?;
    Ok(matrix)
}

fn c_sizes(baseline: &Baseline) -> Vec<c_int> {
    let sizes = baseline.sizes().iter();
    let sizes = sizes.map(|&size| c_int::try_from(size).unwrap_or(c_int::MAX));
    sizes.collect()
}

fn pointer(address: u64) -> Handle {
    ptr::without_provenance_mut(address as usize)
}
