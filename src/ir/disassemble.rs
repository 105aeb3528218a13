//! Bytecode as text, for tests, bug reports and curious readers.

use std::fmt::Write;

use super::instruction::{Instruction, NO_REGISTER};
use super::op::Operand;
use super::program::Kernel;

/// The kernel as text, one instruction a line.
pub fn disassemble(kernel: &Kernel) -> String {
    let mut text = format!("{} ({} registers)\n", kernel.name, kernel.registers);
    for (at, (instruction, line)) in kernel.code.iter().zip(&kernel.source.lines).enumerate() {
        let operands: Vec<String> = instruction
            .op
            .operands()
            .iter()
            .map(|&operand| show(operand, instruction))
            .collect();
        // Columns stay where they are, so that a diff of two kernels shows what changed.
        let row = format!(
            "{at:4}  {:12} {}",
            instruction.op.mnemonic(),
            operands.join(", ")
        );
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{row:44} ; line {line}");
    }
    text
}

fn show(operand: Operand, instruction: &Instruction) -> String {
    let register = |register| match register {
        NO_REGISTER => "-".to_owned(),
        register => format!("r{register}"),
    };
    match operand {
        Operand::Dst32 | Operand::Dst64 | Operand::Dst128 | Operand::DstSite | Operand::SrcSite => {
            register(instruction.dst)
        }
        Operand::A32 | Operand::A64 | Operand::A128 | Operand::A256 | Operand::Base => {
            register(instruction.a)
        }
        Operand::B32 | Operand::B64 | Operand::B128 | Operand::Index => register(instruction.b),
        Operand::C32 | Operand::C64 | Operand::C128 => register(instruction.c),
        Operand::Immediate => format!("{:#x}", instruction.imm),
        Operand::Constant => format!("constant {}", instruction.imm),
        Operand::Cases => format!("cases {}", instruction.imm),
        Operand::Site => format!("site {}", instruction.imm),
        Operand::Target => format!("@{}", instruction.imm),
        Operand::Depth => format!("up {}", instruction.a),
        Operand::Print => format!("{}, print {}", register(instruction.a), instruction.imm),
        Operand::Launch => {
            format!("{}, launch {}", register(instruction.a), instruction.imm)
        }
        Operand::Trap => format!("trap {}", instruction.imm),
    }
}
