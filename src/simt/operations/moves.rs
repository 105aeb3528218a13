//! Constants, copies and who a thread is.

use crate::ir::{CaseTable, Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::warp::{LaneOperation, Lanes, join};

versions! {
operation operation_avx2(op) {
    let operation: LaneOperation = match op {
        Op::Const32 => |l, i| uniform(l, i, i.imm),
        Op::Const64 => constant64,
        Op::Mov32 => |l, i| l.unary(i, |a| a),
        Op::Mov64 => |l, i| l.unary64(i, |a| a),
        // Both sides are computed, as a `selp` does: no branch, no divergence.
        Op::Select32 => |l, i| l.ternary(i, |a, b, c| if a != 0 { b } else { c }),
        Op::Select64 => select64,
        Op::Case32 => case32,
        Op::Case64 => case64,
        Op::ThreadX => |l, i| thread(l, i, 0),
        Op::ThreadY => |l, i| thread(l, i, 1),
        Op::ThreadZ => |l, i| thread(l, i, 2),
        Op::BlockX => block_x,
        Op::BlockY => |l, i| uniform(l, i, l.block[1]),
        Op::BlockZ => |l, i| uniform(l, i, l.block[2]),
        Op::BlockDimX => |l, i| uniform(l, i, l.geometry.block[0]),
        Op::BlockDimY => |l, i| uniform(l, i, l.geometry.block[1]),
        Op::BlockDimZ => |l, i| uniform(l, i, l.geometry.block[2]),
        Op::GridDimX => |l, i| uniform(l, i, l.geometry.grid[0]),
        Op::GridDimY => |l, i| uniform(l, i, l.geometry.grid[1]),
        Op::GridDimZ => |l, i| uniform(l, i, l.geometry.grid[2]),
        Op::ActiveMask => |l, i| uniform(l, i, l.active()),
        // In lockstep there is nothing to wait for.
        Op::SyncWarp | Op::Nop | Op::CopyCommit | Op::CopyWait => |_, _| {},
        _ => return None,
    };
    Some(operation)
}
}

fn uniform(lanes: &mut Lanes<'_>, i: Instruction, value: u32) {
    lanes.each(|lanes| lanes.set(i.dst, [value; WARP_LANES]));
}

fn block_x(lanes: &mut Lanes<'_>, i: Instruction) {
    lanes.each(|lanes| {
        let block = lanes.block[0] + lanes.geometry.steps[lanes.warp];
        lanes.set(i.dst, [block; WARP_LANES]);
    });
}

fn constant64(lanes: &mut Lanes<'_>, i: Instruction) {
    let value = lanes.constants[i.imm as usize];
    let words = [value as u32, (value >> 32) as u32];
    let pair = ([words[0]; WARP_LANES], [words[1]; WARP_LANES]);
    lanes.each(|lanes| lanes.set_pair(i.dst, pair));
}

fn case32(lanes: &mut Lanes<'_>, i: Instruction) {
    // Verified before it runs.
    if let Some(table) = CaseTable::at(lanes.constants, i.imm as usize) {
        lanes.unary(i, |a| table.number(u64::from(a)));
    }
}

fn case64(lanes: &mut Lanes<'_>, i: Instruction) {
    let Some(table) = CaseTable::at(lanes.constants, i.imm as usize) else {
        return;
    };
    lanes.each(|lanes| {
        let a = lanes.pair(i.a);
        let numbers = std::array::from_fn(|lane| table.number(join(&a, lane)));
        lanes.set(i.dst, numbers);
    });
}

fn select64(lanes: &mut Lanes<'_>, i: Instruction) {
    lanes.each(|lanes| {
        let (a, b, c) = (*lanes.get(i.a), lanes.pair(i.b), lanes.pair(i.c));
        let pick = |b: &[u32; WARP_LANES], c: &[u32; WARP_LANES]| {
            std::array::from_fn(|lane| if a[lane] != 0 { b[lane] } else { c[lane] })
        };
        lanes.set_pair(i.dst, (pick(&b.0, &c.0), pick(&b.1, &c.1)));
    });
}

fn thread(lanes: &mut Lanes<'_>, i: Instruction, axis: usize) {
    lanes.each(|lanes| lanes.set(i.dst, lanes.geometry.threads[lanes.warp][axis]));
}
