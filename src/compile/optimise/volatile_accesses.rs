//! Accesses of generated programs: Triton writes each access to global memory as volatile inline assembly, so every one is
//! made, where it stands and as wide as it stands. Shared memory is left to the compiler.

use crate::cuda::{Program, Type};

/// What the pointers of kernels lead to is volatile from here on.
pub(super) fn run(program: &mut Program) {
    for function in &mut program.functions {
        if function.is_kernel {
            let parameters = function.locals[..function.parameter_count].iter_mut();
            for parameter in parameters {
                parameter.is_volatile |= matches!(parameter.ty, Type::Pointer { .. });
            }
        }
    }
}
