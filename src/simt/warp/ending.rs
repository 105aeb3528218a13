//! Lanes that wait for the end of a branch behind which the kernel ends: nvcc lets them end where they branch off, as in
//! `if (i < n) { …; __syncthreads(); …; }` at the end of a kernel.

use super::control_flow::{Frame, Warp};
use crate::ir::Op;

/// Whether `lanes`, which wait in the frames of a warp, have nothing to do any more but to end. `code` is what follows
/// where the warp is.
pub fn have_only_to_end(warp: &Warp, code: impl Iterator<Item = Op>, lanes: u32) -> bool {
    // What follows in the body of a function that is called is not the end of the kernel.
    if warp.is_in_call() {
        return false;
    }
    let mut search = Search {
        frames: warp.frames().collect(),
        lanes,
        opened: 0,
        have_joined: false,
    };
    code.map_while(|op| search.step(op))
        .any(|step| step == Step::End)
}

/// Code after a place, gone through up to the end of the kernel.
struct Search {
    /// The frames that are open at the place, and have not ended yet, the outermost first.
    frames: Vec<Frame>,
    lanes: u32,
    /// Frames that open behind the place.
    opened: usize,
    /// Whether some of the lanes go on here.
    have_joined: bool,
}

#[derive(PartialEq)]
enum Step {
    On,
    End,
}

impl Search {
    /// Takes an instruction; nothing where it is work for the lanes.
    fn step(&mut self, op: Op) -> Option<Step> {
        match op {
            Op::If | Op::ScopeBegin if !self.have_joined => self.opened += 1,
            Op::EndIf | Op::ScopeEnd if self.opened > 0 => self.opened -= 1,
            Op::EndIf | Op::ScopeEnd => {
                let frame = self.frames.pop()?;
                self.have_joined |= (frame.leaving | frame.waiting) & self.lanes != 0;
            }
            // An `else` may have nothing in it: lanes that wait go on here.
            Op::Else | Op::Rejoin if self.opened == 0 => {
                if self.have_joined {
                    return None;
                }
                self.have_joined = self.frames.last()?.waiting & self.lanes != 0;
            }
            Op::End => return Some(Step::End),
            _ if self.have_joined => return None,
            _ => {}
        }
        Some(Step::On)
    }
}
