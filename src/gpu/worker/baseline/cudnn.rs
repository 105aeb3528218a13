//! cuDNN's softmax: the few functions of versions 8 and 9 that time it.

#![allow(unsafe_code, reason = "calls into a shared library of NVIDIA's")]

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::gpu::library::Opened;
use crate::gpu::worker::device::Device;

/// A context of the library, or its description of a matrix; owned by [`Cudnn`].
type Handle = *mut c_void;
type Status = c_int;

type Create = unsafe extern "C" fn(*mut Handle) -> Status;
type Destroy = unsafe extern "C" fn(Handle) -> Status;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> Status;
type Describe = unsafe extern "C" fn(Handle, c_int, c_int, c_int, c_int, c_int, c_int) -> Status;
type Softmax = unsafe extern "C" fn(
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

/// Constants of cudnn_ops.h: images one after the other, single precision, the row's maximum taken away
/// first, and a softmax of everything in an image.
const NCHW: c_int = 0;
const FLOAT: c_int = 0;
const ACCURATE: c_int = 1;
const OVER_AN_IMAGE: c_int = 0;

/// cuDNN, ready for softmax of a matrix's rows on a device's stream.
pub(crate) struct Cudnn<'a> {
    library: &'a Opened,
    handle: Handle,
    matrix: Handle,
}

impl<'a> Cudnn<'a> {
    /// Readies it for a matrix of `f32`; the error says which function is missing or refused, and how.
    ///
    /// To cuDNN a row is an image of `columns` channels of one pixel. `CUDNN_SOFTMAX_MODE_INSTANCE` goes
    /// over all of an image, which is what lies together; `…_CHANNEL` would give the same, but is made
    /// for many pixels, whose channels lie apart.
    pub fn new(
        library: &'a Opened,
        [rows, columns]: [c_int; 2],
        device: &Device,
    ) -> Result<Self, String> {
        let mut cudnn = Cudnn {
            library,
            handle: ptr::null_mut(),
            matrix: ptr::null_mut(),
        };
        let create = library.function::<Create>("cudnnCreate")?;
        // SAFETY: the signatures of this file are those of cudnn_ops.h; the pointer is valid.
        let status = unsafe { create(&mut cudnn.handle) };
        cudnn.check("cudnnCreate", status)?;
        let set_stream = library.function::<SetStream>("cudnnSetStream")?;
        let stream = device.stream.cu_stream().cast();
        // SAFETY: the handle and the stream are there.
        let status = unsafe { set_stream(cudnn.handle, stream) };
        cudnn.check("cudnnSetStream", status)?;
        let name = "cudnnCreateTensorDescriptor";
        let create = library.function::<Create>(name)?;
        // SAFETY: the pointer is valid.
        let status = unsafe { create(&mut cudnn.matrix) };
        cudnn.check(name, status)?;
        let name = "cudnnSetTensor4dDescriptor";
        let describe = library.function::<Describe>(name)?;
        // SAFETY: the description is there.
        let status = unsafe { describe(cudnn.matrix, NCHW, FLOAT, rows, columns, 1, 1) };
        cudnn.check(name, status)?;
        Ok(cudnn)
    }

    fn check(&self, function: &str, status: Status) -> Result<(), String> {
        self.library.check(function, "cudnnGetErrorString", status)
    }

    /// Writes the softmax of each row of `x` to `y`, behind what was asked of the stream before. They are
    /// addresses of memory on the device, each as large as the matrix.
    pub fn softmax(&self, [x, y]: [u64; 2]) -> Result<(), String> {
        let name = "cudnnSoftmaxForward";
        let softmax = self.library.function::<Softmax>(name)?;
        let (one, zero) = (1.0_f32, 0.0_f32);
        let [x, y] = [x, y].map(|address| ptr::without_provenance_mut::<c_void>(address as usize));
        // SAFETY: both are as large as the description says; the factors outlive the call, which copies
        // them.
        let status = unsafe {
            softmax(
                self.handle,
                ACCURATE,
                OVER_AN_IMAGE,
                (&raw const one).cast(),
                self.matrix,
                x,
                (&raw const zero).cast(),
                self.matrix,
                y,
            )
        };
        self.check(name, status)
    }
}

impl Drop for Cudnn<'_> {
    fn drop(&mut self) {
        for (name, handle) in [
            ("cudnnDestroyTensorDescriptor", self.matrix),
            ("cudnnDestroy", self.handle),
        ] {
            if let (false, Ok(destroy)) = (handle.is_null(), self.library.function::<Destroy>(name))
            {
                // SAFETY: nobody uses it after this.
                unsafe { destroy(handle) };
            }
        }
    }
}
