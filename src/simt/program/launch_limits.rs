//! Which shapes of a launch CUDA accepts.

use crate::launch::volume;
use crate::simt::launch::Launch;
use crate::source::Diagnostic;

/// Most threads in a block, on every NVIDIA GPU so far.
const MAX_BLOCK_THREADS: u64 = 1024;
/// Largest block in x, y and z (CUDA C++ Programming Guide, compute capabilities).
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Largest grid in x, y and z (the same table).
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// Whether CUDA would accept the launch's shape.
pub fn check_limits(launch: &Launch<'_>) -> Result<(), Diagnostic> {
    let kernel = launch.kernel;
    let fail = |text: String, help: &str| {
        let span = kernel.source.statements.first().map(|first| first.span);
        let message = format!("`{}` cannot be launched: {text}", kernel.name);
        Err(Diagnostic::error(span.unwrap_or_default(), message).help(help))
    };
    let sides = |what: &str, size: [u32; 3], most: [u32; 3]| {
        let axes = ["x", "y", "z"].iter().zip(size).zip(most);
        let mut bad = axes.filter(|((_, side), most)| *side == 0 || side > most);
        bad.next().map(|((axis, side), most)| {
            format!("the {what} is {side} in {axis}, which must be from 1 to {most}")
        })
    };
    if let Some(text) = sides("grid", launch.grid, MAX_GRID) {
        return fail(text, "choose another grid size");
    }
    if let Some(text) = sides("block", launch.block, MAX_BLOCK) {
        return fail(text, "choose another block size");
    }
    // `__launch_bounds__` promises the compiler a block no larger, which nvcc uses to give
    // registers.
    let threads = volume(launch.block);
    let most = kernel.max_threads.map_or(MAX_BLOCK_THREADS, u64::from);
    if threads > most.min(MAX_BLOCK_THREADS) {
        let text = format!("a block of {threads} threads, at most {most} are allowed");
        return fail(
            text,
            "choose a smaller block, or change `__launch_bounds__`",
        );
    }
    let (given, wanted) = (launch.arguments.len(), kernel.parameters.len());
    if given != wanted {
        let text = format!("{given} arguments for {wanted} parameters");
        return fail(text, "give one argument a parameter, in order");
    }
    Ok(())
}
