//! Loops compiled for the vectors that the processor has. Results are the same, bit for bit: nothing is fused.

/// A loop. What it calls has to be `#[inline(always)]`, to be compiled with it.
pub trait Vectorised {
    /// What it computes.
    type Output;
    /// Whether vectors of 512 bits are worth it. Floats are computed in less time with those of 256.
    const IS_WIDEST: bool = false;
    /// Runs it.
    fn run(self) -> Self::Output;
}

/// Runs a loop in the version for this processor.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub fn vectorised<W: Vectorised>(work: W) -> W::Output {
    let is_512 = W::IS_WIDEST
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    if is_512 {
        // SAFETY: the processor has what the function is compiled for, as was just asked.
        unsafe { with_avx512(work) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        unsafe { with_avx2(work) }
    } else {
        work.run()
    }
}

/// Runs a loop.
#[cfg(not(target_arch = "x86_64"))]
pub fn vectorised<W: Vectorised>(work: W) -> W::Output {
    work.run()
}

/// Multiplies integers of 64 bits by one instruction, which random numbers are made of.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512dq,avx512vl")]
fn with_avx512<W: Vectorised>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Vectorised>(work: W) -> W::Output {
    work.run()
}
