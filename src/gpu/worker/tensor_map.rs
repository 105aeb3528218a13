//! Tensor maps: how the copy unit of a GPU of compute capability 9.0 sees a matrix. The driver makes them, and a kernel
//! takes them by value.

#![allow(unsafe_code, reason = "calls into the CUDA driver")]

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::DriverError;
use cudarc::driver::sys::{
    self, CUresult, CUtensorMap, CUtensorMapDataType as DataType,
    CUtensorMapFloatOOBfill as Outside, CUtensorMapInterleave as Interleave,
    CUtensorMapL2promotion as Promotion, CUtensorMapSwizzle as Swizzle,
};

use crate::launch::{ElementType, TensorMap};

/// Rows of a box that are swizzled: eight of them use all banks for each column of 16 bytes.
const SWIZZLED_ROW_BYTES: u32 = 128;

/// The bytes of `map`, whose buffer has elements of type `element` and lies at `address` on the device.
pub(crate) fn encoded(
    map: TensorMap,
    element: ElementType,
    address: u64,
) -> Result<[u8; TensorMap::SIZE_BYTES as usize], DriverError> {
    let data_type = data_type(element)?;
    let size_bytes = element.size_bytes() as u32;
    let swizzle = match map.box_columns * size_bytes == SWIZZLED_ROW_BYTES {
        true => Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        false => Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
    };
    // Innermost first, all of them.
    let extents = [map.columns, map.rows];
    let row_bytes = [map.columns * u64::from(size_bytes)];
    let boxes = [map.box_columns, map.box_rows];
    let steps = [1, 1];
    let mut made = CUtensorMap { opaque: [0; 16] };
    let place: *mut c_void = ptr::without_provenance_mut(address as usize);
    // SAFETY: all pointers are valid for two dimensions; the driver only reads the address as a number.
    let status = unsafe {
        sys::cuTensorMapEncodeTiled(
            &mut made,
            data_type,
            2,
            place,
            extents.as_ptr(),
            row_bytes.as_ptr(),
            boxes.as_ptr(),
            steps.as_ptr(),
            Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle,
            Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            Outside::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    status.result()?;
    Ok(bytes_of(&made))
}

/// What the driver calls the elements that the copy unit takes here.
fn data_type(element: ElementType) -> Result<DataType, DriverError> {
    match element {
        ElementType::Bf16 => Ok(DataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16),
        ElementType::F16 => Ok(DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT16),
        ElementType::F32 => Ok(DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32),
        _ => Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE)),
    }
}

fn bytes_of(map: &CUtensorMap) -> [u8; TensorMap::SIZE_BYTES as usize] {
    let mut bytes = [0; TensorMap::SIZE_BYTES as usize];
    for (to, word) in bytes.chunks_exact_mut(8).zip(map.opaque) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
