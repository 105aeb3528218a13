//! Checks that a kernel keeps the bytecode's rules, so that the machine need not.

use thiserror::Error;

use super::case_table::CaseTable;
use super::instruction::Instruction;
use super::op::{Op, Operand};
use super::program::Kernel;
use super::registers::Registers;

/// A rule that the bytecode breaks: a fault of the compiler, never of its user.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("instruction {at} ({}): {rule}", op.mnemonic())]
pub struct VerifyError {
    /// Index of the instruction.
    pub at: usize,
    /// Its operation.
    pub op: Op,
    /// The rule.
    pub rule: &'static str,
}

/// Checks registers, targets, sites, constants, and that frames nest and code ends.
pub fn verify(kernel: &Kernel) -> Result<(), VerifyError> {
    let mut open = Vec::new();
    for (at, instruction) in kernel.code.iter().enumerate() {
        let fail = |rule| VerifyError {
            at,
            op: instruction.op,
            rule,
        };
        check(kernel, *instruction).map_err(fail)?;
        nest(&mut open, instruction).map_err(fail)?;
        let begins_body = |&at: &usize| ends(kernel.code[at]);
        let target = (instruction.imm as usize).checked_sub(1);
        if instruction.op == Op::Call && target.filter(begins_body).is_none() {
            return Err(fail("a call goes to the beginning of a body"));
        }
        if ends(*instruction) && !open.is_empty() {
            return Err(fail("every frame is closed"));
        }
    }
    let last = kernel.code.last();
    let rule = match last.copied().is_some_and(ends) {
        true if kernel.source.lines.len() == kernel.code.len() => return Ok(()),
        true => "every instruction has a line",
        false => "code ends with `end` or `return`",
    };
    let last = last.map(|instruction| instruction.op);
    Err(VerifyError {
        at: kernel.code.len(),
        op: last.unwrap_or(Op::End),
        rule,
    })
}

/// Whether the kernel's own code or a function's body ends with it.
fn ends(i: Instruction) -> bool {
    matches!(i.op, Op::End | Op::Return)
}

fn check(kernel: &Kernel, i: Instruction) -> Result<(), &'static str> {
    let at = i.imm as usize;
    for operand in i.op.operands() {
        let (lacks, rule) = match operand {
            Operand::Print => (at >= kernel.tables.prints.len(), "the print exists"),
            Operand::Launch => (at >= kernel.tables.launches.len(), "the launch exists"),
            Operand::Trap => (at >= kernel.tables.traps.len(), "the trap exists"),
            Operand::Constant => (at >= kernel.tables.constants.len(), "the constant exists"),
            Operand::Cases => {
                let table = CaseTable::at(&kernel.tables.constants, at);
                (table.is_none(), "the table of cases exists")
            }
            Operand::Site => (at >= kernel.sites.len(), "the access site exists"),
            // A target is an instruction, never one past the end: code ends with `end`.
            Operand::Target => (at >= kernel.code.len(), "the target exists"),
            _ => continue,
        };
        if lacks {
            return Err(rule);
        }
    }
    // The machine indexes registers without looking: a pair must not begin at the last one.
    let past = |registers: Registers| u32::from(registers.first) + u32::from(registers.words);
    let mut touched = kernel.reads(i).chain(kernel.writes(i));
    match touched.all(|registers| past(registers) <= u32::from(kernel.registers)) {
        true => Ok(()),
        false => Err("the register exists"),
    }
}

/// Follows the frames: `open` holds the operations that opened them.
fn nest(open: &mut Vec<Op>, instruction: &Instruction) -> Result<(), &'static str> {
    match instruction.op {
        // Targets are not followed: code is structured, so frames nest in the order of the text.
        Op::If | Op::ScopeBegin => open.push(instruction.op),
        Op::Else if open.last() != Some(&Op::If) => return Err("`else` is inside an `if`"),
        Op::EndIf if open.pop() != Some(Op::If) => return Err("`endif` closes an `if`"),
        Op::ScopeEnd if open.pop() != Some(Op::ScopeBegin) => {
            return Err("`scope.end` closes a `scope`");
        }
        Op::Leave | Op::Continue => {
            let above = open.len().checked_sub(1 + usize::from(instruction.a));
            if above.map(|at| open[at]) != Some(Op::ScopeBegin) {
                return Err("lanes leave or continue a `scope`");
            }
        }
        Op::LeaveUnless | Op::Rejoin if open.last() != Some(&Op::ScopeBegin) => {
            return Err("the innermost frame is a `scope`");
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{KernelMemory, KernelTables, SourceMap};

    fn kernel(code: &[(Op, u16, u16, u32)]) -> Kernel {
        let instruction = |&(op, dst, a, imm): &(Op, u16, u16, u32)| Instruction {
            op,
            dst,
            a,
            b: 0,
            c: 0,
            imm,
        };
        Kernel {
            name: "k".to_owned(),
            span: crate::source::Span::default(),
            code: code.iter().map(instruction).collect(),
            source: SourceMap {
                lines: vec![1; code.len()],
                ..SourceMap::default()
            },
            sites: vec![],
            tables: KernelTables::default(),
            registers: 2,
            parameters: vec![],
            variables: vec![],
            memory: KernelMemory::default(),
            max_threads: None,
            recosted: Vec::new(),
        }
    }

    #[test]
    fn good_code_passes_and_each_broken_rule_is_named() {
        let good = [
            (Op::If, 0, 0, 1),
            (Op::Else, 0, 0, 2),
            (Op::EndIf, 0, 0, 3),
            (Op::End, 0, 0, 0),
        ];
        assert_eq!(verify(&kernel(&good)), Ok(()));
        let rule = |code: &[_]| verify(&kernel(code)).map_err(|error| error.rule);
        assert_eq!(rule(&[]), Err("code ends with `end` or `return`"));
        assert_eq!(rule(&[(Op::Mov32, 2, 0, 0)]), Err("the register exists"));
        assert_eq!(rule(&[(Op::Mov64, 1, 0, 0)]), Err("the register exists"));
        assert_eq!(rule(&[(Op::Const64, 0, 0, 0)]), Err("the constant exists"));
        assert_eq!(rule(&[(Op::Load, 0, 0, 0)]), Err("the access site exists"));
        assert_eq!(rule(&[(Op::Jump, 0, 0, 9)]), Err("the target exists"));
        assert_eq!(
            rule(&[(Op::ScopeBegin, 0, 0, 0), (Op::End, 0, 0, 0)]),
            Err("every frame is closed")
        );
        let calls = |target| {
            rule(&[
                (Op::Call, 0, 0, target),
                (Op::End, 0, 0, 0),
                (Op::Return, 0, 0, 0),
            ])
        };
        assert_eq!(calls(2), Ok(()));
        assert_eq!(calls(0), Err("a call goes to the beginning of a body"));
        assert_eq!(calls(1), Err("a call goes to the beginning of a body"));
        assert_eq!(
            rule(&[(Op::Leave, 0, 0, 0)]),
            Err("lanes leave or continue a `scope`")
        );
    }
}
