//! Code, finished: targets, prologue, pinned registers.

use super::{Code, Emitter, PINNED, Pinned};
use crate::ir::{Instruction, Op, Operand, Register};
use crate::source::Span;

impl Emitter<'_> {
    /// Ends the code, places the pinned registers and puts the prologue before it.
    pub fn finish(mut self, kernel: Span) -> Code {
        let kernel_line = self.line_of(kernel);
        let end = self.here();
        for at in std::mem::take(&mut self.to_end) {
            self.code[at].imm = end;
        }
        self.op(Op::End, 0, &[], 0);
        let base = self.highest as Register;
        let (mut prologue, constants) = self.prologue();
        let shift = prologue.len() as u32;
        for instruction in &mut self.code {
            if instruction.op.operands().contains(&Operand::Target) {
                instruction.imm += shift;
            }
        }
        for statement in &mut self.statements {
            statement.first += shift;
        }
        prologue.append(&mut self.code);
        for instruction in &mut prologue {
            place_pinned(instruction, base);
        }
        let mut lines = vec![kernel_line; shift as usize];
        lines.append(&mut self.lines);
        Code {
            code: prologue,
            lines,
            statements: self.statements,
            calls: self.calls.into_list(),
            constants,
            tables: self.tables,
            registers: base + self.pinned_words as u16,
        }
    }

    fn prologue(&self) -> (Vec<Instruction>, Vec<u64>) {
        let mut constants = Vec::new();
        let instructions = self.pinned_order.iter().map(|what| {
            let dst = self.pinned[what];
            let (op, imm) = match *what {
                Pinned::Const32(value) => (Op::Const32, value),
                Pinned::Const64(value) => {
                    constants.push(value);
                    (Op::Const64, constants.len() as u32 - 1)
                }
                Pinned::Coordinate(op) => (op, 0),
            };
            Instruction {
                op,
                dst,
                a: 0,
                b: 0,
                c: 0,
                imm,
            }
        });
        (instructions.collect(), constants)
    }
}

fn place_pinned(instruction: &mut Instruction, base: Register) {
    let Instruction { dst, a, b, c, .. } = instruction;
    for register in [dst, a, b, c] {
        if (PINNED..Register::MAX).contains(register) {
            *register = *register - PINNED + base;
        }
    }
}
