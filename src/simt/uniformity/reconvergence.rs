//! Where lanes reconverge: lanes that left an open `if` or scope wait in its frame until the code
//! reaches the instruction where they go on.

use crate::ir::{Kernel, Op};

/// Where lanes of a frame go on.
#[derive(Clone, Copy, Debug)]
pub struct Reconvergence {
    /// Those that wait for the frame's next join: an `else`, or the `Rejoin` of a loop.
    pub join: usize,
    /// Those that wait for its end.
    pub end: usize,
}

/// Of the frames that are open at each of `leaders` (instructions, in order), the outermost first.
pub fn reconvergence(kernel: &Kernel, leaders: &[usize]) -> Vec<Vec<Reconvergence>> {
    let mut open: Vec<Reconvergence> = Vec::new();
    let mut all = Vec::new();
    for (at, i) in kernel.code.iter().enumerate() {
        if leaders.get(all.len()) == Some(&at) {
            all.push(open.clone());
        }
        match i.op {
            Op::If => {
                // The target is the `Else`, or the `EndIf` where there is none.
                let join = i.imm as usize;
                open.push(match kernel.code[join].op {
                    Op::Else => Reconvergence {
                        // The `Else` itself is run by lanes of the first side; those of the other begin behind it.
                        join: join + 1,
                        end: kernel.code[join].imm as usize,
                    },
                    _ => Reconvergence { join, end: join },
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

/// That of the scope that opens at instruction `begin`.
fn of_scope(kernel: &Kernel, begin: usize) -> Reconvergence {
    let (mut depth, mut rejoin) = (0, None);
    for (at, i) in kernel.code.iter().enumerate().skip(begin) {
        match i.op {
            Op::If | Op::ScopeBegin => depth += 1,
            Op::EndIf | Op::ScopeEnd => {
                depth -= 1;
                if depth == 0 {
                    let join = rejoin.unwrap_or(at);
                    return Reconvergence { join, end: at };
                }
            }
            // Lanes that `continue` wait for the `Rejoin` of their own loop, not of one inside it.
            Op::Rejoin if depth == 1 => rejoin = Some(at),
            _ => {}
        }
    }
    Reconvergence {
        join: begin,
        end: begin,
    }
}
