//! The inner loops of batches: moving values between registers and memory, and comparing registers
//! over all lanes of all warps. `portable` has them for any processor, `avx2` for those that most
//! readers have; both give the same results.

mod movement;
mod portable;
#[cfg(target_arch = "x86_64")]
mod avx2;

pub(crate) use movement::{Movement, load_narrow, store, store_every, store_narrow};
pub(crate) use portable::{Agree, Loops};

use crate::simt::operations::has_avx2;

/// The fastest loops for the processor that this runs on.
pub(crate) fn loops() -> Loops {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        return avx2::loops();
    }
    portable::loops()
}
