//! Where lanes go on that wait in open frames.

use crate::ir::{Kernel, Op};

/// Where lanes of a frame go on: those that wait for its next join, and those that wait for its end.
pub type Joins = [usize; 2];

/// Of the frames that are open at each of `leaders` (instructions, in order), the outermost first.
pub fn joins(kernel: &Kernel, leaders: &[usize]) -> Vec<Vec<Joins>> {
    let mut open: Vec<Joins> = Vec::new();
    let mut all = Vec::new();
    for (at, i) in kernel.code.iter().enumerate() {
        if leaders.get(all.len()) == Some(&at) {
            all.push(open.clone());
        }
        match i.op {
            Op::If => {
                let join = i.imm as usize;
                open.push(match kernel.code[join].op {
                    Op::Else => [join + 1, kernel.code[join].imm as usize],
                    _ => [join, join],
                });
            }
            Op::ScopeBegin => open.push(of_scope(kernel, at)),
            Op::EndIf | Op::ScopeEnd => {
                open.pop();
            }
            _ => {}
        }
    }
    all
}

/// Those of the scope that opens at instruction `begin`.
fn of_scope(kernel: &Kernel, begin: usize) -> Joins {
    let (mut depth, mut rejoin) = (0, None);
    for (at, i) in kernel.code.iter().enumerate().skip(begin) {
        match i.op {
            Op::If | Op::ScopeBegin => depth += 1,
            Op::EndIf | Op::ScopeEnd => {
                depth -= 1;
                if depth == 0 {
                    return [rejoin.unwrap_or(at), at];
                }
            }
            Op::Rejoin if depth == 1 => rejoin = Some(at),
            _ => {}
        }
    }
    [begin, begin]
}
