//! Loops, split (`index_splitting`), unswitched and then unrolled as `nvcc` does.
//!
//! Unrolling, of a loop whose number of iterations is known:
//!
//! ```text
//! for (k = 0; k < 2; ++k)          k = 0; { s += a[0]; } k = 1; { s += a[1]; } k = 2;
//!     s += a[k];           →
//! ```
//!
//! In each copy of the body the loop's counter is a constant: arrays that only it indexes live in
//! registers, and addresses differ by constants, so that neighbouring loads can be joined. To who
//! steps through the kernel nothing changes but that the loop's test is no stop: each copy has the
//! statements of the body, and the counter takes its values where the loop stepped.
//!
//! The limits come from what nvcc 13.0 makes of loops with one to sixteen sums over 8 to 256
//! iterations: it unrolls whole loops of up to 260 instructions (as `size` counts them), and of longer
//! ones as many iterations as take up to 90, a power of two that divides their number. A loop whose
//! counter is an index of the thread's own array may be longer, so that the array can be in registers:
//! whole were 128 iterations of an exponential and a sum, or 48 of a branch with an exponential and a
//! logarithm, and not 160 and 64. `#pragma unroll` asks for more, or less.

mod asked;
mod fold;
mod body;
mod size;
mod iterations;
mod unroller;
mod unswitch;
mod index_splitting;
mod runtime_unrolling;
#[cfg(test)]
mod tests;

use crate::compile::tree::any_expr_of;
use crate::cuda::{ExprKind, Program, Stmt};
use crate::source::SourceFile;
pub(crate) use asked::asked;
pub(crate) use body::changes;
use index_splitting::IndexSplitter;
pub(crate) use runtime_unrolling::{RuntimeUnrolling, changed_integers};
pub(crate) use size::Sizes;
use unroller::Unroller;
use unswitch::Unswitcher;

/// `program` with its loops split, unswitched and unrolled; its text is `file`.
pub(crate) fn run(program: &Program, file: &SourceFile) -> Program {
    let mut changed = program.clone();
    let called = called_sizes(program);
    for (function, old) in changed.functions.iter_mut().zip(&program.functions) {
        // Sizes are those of functions as they are written.
        let sizes = Sizes {
            program,
            called: &called,
            function: old,
            counter: None,
        };
        if old.is_kernel {
            IndexSplitter::new(old).stmts(&mut function.body);
            Unswitcher::new(sizes).stmts(&mut function.body);
        }
        Unroller { sizes, file }.stmts(&mut function.body);
    }
    changed
}

/// The size of each function with all that it calls.
fn called_sizes(program: &Program) -> Vec<u32> {
    let mut called = Vec::new();
    // Callees come before callers: each is looked at once, however many calls lead to it.
    for function in &program.functions {
        let sizes = Sizes {
            program,
            called: &called,
            function,
            counter: None,
        };
        let size = sizes.of(&function.body);
        called.push(size);
    }
    called
}

/// The same for what a loop's body calls; all functions are looked at for it, so nothing where it calls none.
pub(crate) fn sizes_of_calls(program: &Program, body: &[Stmt]) -> Vec<u32> {
    let calls = any_expr_of(body, |expr| matches!(expr.kind, ExprKind::Call(..)));
    match calls {
        true => called_sizes(program),
        false => Vec::new(),
    }
}
