//! What a launch may ask for, on compute capability 9.0.
//!
//! Source of the figures: CUDA C++ Programming Guide, technical specifications per compute
//! capability.

use crate::ir::Kernel;
use crate::launch::Launch;
use crate::source::Diagnostic;

/// Most threads in a block.
const THREADS: u64 = 1024;
/// Most threads of a block in x, y and z.
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most blocks of a grid in x, y and z.
const GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// Most static shared memory of a block, in bytes.
const STATIC_SHARED_BYTES: u32 = 48 * 1024;
/// Most shared memory of a block, in bytes; over 48 KiB only as dynamic shared memory.
const SHARED_BYTES: u64 = 227 * 1024;

/// Checks a launch of `kernel`; the error points at the kernel.
pub(super) fn check(kernel: &Kernel, launch: &Launch) -> Result<(), Box<Diagnostic>> {
    let error = |message: String, help: String| {
        Box::new(
            Diagnostic::error(kernel.span, message)
                .label("launched here")
                .help(help),
        )
    };
    let axes = ["x", "y", "z"].into_iter().enumerate();
    for (axis, name) in axes {
        let (blocks, threads) = (launch.grid[axis], launch.block[axis]);
        if !(1..=GRID[axis]).contains(&blocks) {
            let message = format!("a grid of {blocks} blocks in {name}");
            return Err(error(
                message,
                format!("give it 1 to {} blocks", GRID[axis]),
            ));
        }
        if !(1..=BLOCK[axis]).contains(&threads) {
            let message = format!("a block of {threads} threads in {name}");
            return Err(error(
                message,
                format!("give it 1 to {} threads", BLOCK[axis]),
            ));
        }
    }
    let threads: u64 = launch
        .block
        .iter()
        .map(|&threads| u64::from(threads))
        .product();
    if threads > THREADS {
        let message = format!("a block of {threads} threads");
        return Err(error(
            message,
            format!("a block has at most {THREADS} threads in all"),
        ));
    }
    if let Some(most) = kernel.max_threads.filter(|&most| threads > u64::from(most)) {
        let message = format!("a block of {threads} threads, but `__launch_bounds__` says {most}");
        return Err(error(
            message,
            "launch smaller blocks, or raise the bound".to_owned(),
        ));
    }
    let shared_bytes = u64::from(kernel.shared_bytes) + u64::from(launch.shared_bytes);
    if kernel.shared_bytes > STATIC_SHARED_BYTES {
        let message = format!("{} bytes of static shared memory", kernel.shared_bytes);
        let most = format!("at most {STATIC_SHARED_BYTES}; use `extern __shared__` for more");
        return Err(error(message, most));
    }
    if shared_bytes > SHARED_BYTES {
        let message = format!("{shared_bytes} bytes of shared memory for a block");
        return Err(error(
            message,
            format!("a block has at most {SHARED_BYTES} bytes"),
        ));
    }
    Ok(())
}
