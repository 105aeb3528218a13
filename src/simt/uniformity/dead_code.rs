//! Dead code: instructions of whose results nothing that can be seen depends, as the masks of the elements that a wide
//! access takes along with its first one. A scalarised batch leaves them out; they count all the same, since a basic block
//! is counted as a whole.

use super::live_ranges::{LiveRange, LiveRanges};
use crate::simt::program::{Action, PreparedInstruction};

/// By instruction: whether only dead code reads what it writes.
pub fn dead_code(code: &[PreparedInstruction], ranges: &LiveRanges) -> Vec<bool> {
    let mut is_used = vec![false; ranges.count];
    let mut is_dead = vec![true; code.len()];
    let mut changed = true;
    while changed {
        changed = false;
        // Backwards, as uses stand behind what they use: but for loops, once is enough.
        for at in (0..code.len()).rev() {
            let is_needed = |&range: &LiveRange| is_used[range as usize];
            let is_plain = matches!(code[at].action, Action::Lanes(_));
            if is_dead[at] && (!is_plain || ranges.writes(at).iter().any(is_needed)) {
                is_dead[at] = false;
                changed = true;
                for &range in ranges.reads(at).flat_map(|(_, ranges)| ranges) {
                    is_used[range as usize] = true;
                }
            }
        }
    }
    is_dead
}
