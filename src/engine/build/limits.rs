//! What a launch may ask for, on the GPU that is simulated.

use crate::device::Gpu;
use crate::ir::Kernel;
use crate::launch::{Launch, volume};
use crate::source::Diagnostic;

/// Most threads of a block in x, y and z, on every GPU of the table (CUDA C++ Programming Guide,
/// technical specifications per compute capability).
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most blocks of a grid in x, y and z (the same table).
const GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// Checks a launch of `kernel`; the error points at the kernel.
pub(crate) fn check(kernel: &Kernel, launch: &Launch, gpu: &Gpu) -> Result<(), Box<Diagnostic>> {
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
    check_threads(kernel, launch, gpu).map_err(|(message, help)| error(message, help))?;
    check_shared(kernel, launch, gpu).map_err(|(message, help)| error(message, help))
}

/// What is wrong, and what to try.
type Refusal = (String, String);

fn check_threads(kernel: &Kernel, launch: &Launch, gpu: &Gpu) -> Result<(), Refusal> {
    let threads = volume(launch.block);
    let most = gpu.limits().max_threads_per_block;
    if threads > u64::from(most) {
        return Err((
            format!("a block of {threads} threads"),
            format!("a block has at most {most} threads in all"),
        ));
    }
    // The driver refuses such a launch: the compiler gave each thread registers for fewer of them.
    if let Some(most) = kernel.max_threads.filter(|&most| threads > u64::from(most)) {
        return Err((
            format!("a block of {threads} threads, but `__launch_bounds__` says {most}"),
            "launch smaller blocks, or raise the bound".to_owned(),
        ));
    }
    Ok(())
}

fn check_shared(kernel: &Kernel, launch: &Launch, gpu: &Gpu) -> Result<(), Refusal> {
    let limits = gpu.limits();
    let (most_static, most) = (
        limits.shared_per_block_bytes,
        limits.shared_per_block_optin_bytes,
    );
    // Only dynamic shared memory can be asked for beyond what every GPU has; `ptxas` refuses more of the static kind.
    if kernel.memory.shared_bytes > most_static {
        return Err((
            format!(
                "{} bytes of static shared memory",
                kernel.memory.shared_bytes
            ),
            format!("at most {most_static}; use `extern __shared__` for more"),
        ));
    }
    let bytes = u64::from(kernel.memory.shared_bytes) + u64::from(launch.shared_bytes);
    if bytes > u64::from(most) {
        return Err((
            format!("{bytes} bytes of shared memory per block"),
            format!("a block has at most {most} bytes on {}", gpu.name),
        ));
    }
    Ok(())
}
