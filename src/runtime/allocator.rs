//! The C library's allocator, which keeps what it was given back.

#![allow(unsafe_code, reason = "the allocator is told by a C function only")]

/// Gives memory that nothing holds any more back to the system.
///
/// What a lesson's kernels were compiled in is freed piece by piece, and glibc keeps the pages between pieces that are
/// still held: 80 MB stayed after the lesson on matrix products in pipelines, of which 33 MB were in use.
pub fn release_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it has no condition but that `malloc` is glibc's, which it is for this target.
    unsafe {
        libc::malloc_trim(0);
    }
}
