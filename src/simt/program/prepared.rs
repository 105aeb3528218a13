//! A launch made ready to run: instructions with their functions, registers with the arguments.

use std::ops::Range;

use super::action::{PreparedInstruction, action};
use super::basic_blocks::BasicBlocks;
use super::launch_limits::check_limits;
use crate::ir::{Instruction, Kernel, ParameterType};
use crate::launch::{ElementType, ValueType, WARP_LANES};
use crate::simt::launch::Launch;
use crate::simt::warp::{Geometry, Vector};
use crate::source::{Diagnostic, Span};

/// What is the same for all blocks of a launch.
pub struct Program<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its instructions.
    pub code: Vec<PreparedInstruction>,
    /// Its instructions, cut where control flow may part.
    pub basic_blocks: BasicBlocks,
    /// Runs of registers that a block must find as `image` has them.
    pub unset: Vec<Range<usize>>,
    /// Shape of the launch.
    pub geometry: Geometry,
    /// Registers of a block as it begins: register by register, in each warp by warp.
    pub image: Vec<Vector>,
    /// Registers behind the kernel's own, laid out like `image`: values that no block changes.
    pub constants: Vec<Vector>,
    /// Shared memory of a block.
    pub shared_bytes: u32,
}

impl<'a> Program<'a> {
    /// Checks the launch's shape and makes it ready, for so many blocks side by side.
    pub fn new(launch: &Launch<'a>, side_by_side: usize) -> Result<Self, Diagnostic> {
        check_limits(launch)?;
        let kernel = launch.kernel;
        let geometry = Geometry::new(launch.grid, launch.block, side_by_side);
        let prepared = |&instruction: &Instruction| PreparedInstruction {
            instruction,
            action: action(instruction.op),
        };
        // Dynamic shared memory begins behind the static, aligned to 16 bytes as `extern __shared__
        // float4` needs.
        let shared_bytes = match launch.dynamic_shared_bytes {
            0 => kernel.memory.shared_bytes,
            bytes => kernel
                .memory
                .shared_bytes
                .next_multiple_of(16)
                .saturating_add(bytes),
        };
        Ok(Program {
            kernel,
            code: kernel.code.iter().map(prepared).collect(),
            basic_blocks: BasicBlocks::new(kernel),
            unset: vec![Range {
                start: 0,
                end: usize::from(kernel.registers),
            }],
            image: image(launch, geometry.warps()),
            constants: Vec::new(),
            geometry,
            shared_bytes,
        })
    }

    /// Registers as a machine begins: those of a block, and constants behind them.
    pub fn registers(&self) -> Vec<Vector> {
        [self.image.as_slice(), &self.constants].concat()
    }

    /// The statement that holds an instruction, as a place in the source.
    pub fn span_at(&self, pc: usize) -> Span {
        self.kernel.source.span_at(pc)
    }
}

/// Zeros, and the arguments in the parameters' registers.
fn image(launch: &Launch<'_>, warps: usize) -> Vec<Vector> {
    let registers = usize::from(launch.kernel.registers);
    let mut image = vec![[0; WARP_LANES]; registers * warps];
    for (parameter, &bits) in launch.kernel.parameters.iter().zip(&launch.arguments) {
        // Arguments are the same in all lanes of all warps.
        let words = [bits as u32, (bits >> 32) as u32];
        let used = parameter_words(parameter.parameter_type);
        for (at, &word) in words[..used].iter().enumerate() {
            let first = (usize::from(parameter.register) + at) * warps;
            image[first..first + warps].fill([word; WARP_LANES]);
        }
    }
    image
}

/// Registers that a parameter takes.
pub fn parameter_words(parameter: ParameterType) -> usize {
    let is_wide = match parameter {
        ParameterType::Pointer | ParameterType::Symbol(_) => true,
        ParameterType::Scalar(value_type) => is_wide_value(value_type),
    };
    if is_wide { 2 } else { 1 }
}

/// Whether values of the type take two registers.
pub fn is_wide_value(value_type: ValueType) -> bool {
    use ElementType::{F64, I64, U64};
    match value_type {
        ValueType::Bool => false,
        ValueType::Pointer => true,
        ValueType::Number(element) => matches!(element, F64 | I64 | U64),
    }
}
