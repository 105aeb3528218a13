//! Branches, loops, early returns and barriers.

use super::code::{Code, Site, ZERO};
use super::{Case, floats, to_words, words};
use crate::ir::{Kernel, Op, Register};

/// Ends the threads whose `condition` holds.
fn exit_if(code: &mut Code, condition: Register) {
    code.begin_if(condition);
    code.put(Op::Exit, 0, &[]);
    code.end_if();
}

/// `if (i >= n) return; c[i] = a[i] + b[i];`
fn vector_add() -> Kernel {
    let (mut code, parameters) = Code::new(3, 1);
    let [a, b, c, n] = parameters[..] else {
        panic!("four parameters");
    };
    let i = code.global_index();
    let past = code.value(Op::LeI32, &[n, i]);
    exit_if(&mut code, past);
    let x = code.load(Op::Load, a, i, Site::of(4));
    let y = code.load(Op::Load, b, i, Site::of(4));
    let sum = code.value(Op::AddF32, &[x, y]);
    code.store(Op::Store, sum, c, i, Site::of(4));
    code.done()
}

#[test]
fn a_guarded_vector_addition_stops_at_its_end() {
    let kernel = vector_add();
    let mut case = Case::new(&kernel, 3, 48);
    case.scalars = vec![130];
    let (_, buffers) = case
        .buffer(floats((0..130).map(|i| i as f32)))
        .buffer(floats((0..130).map(|i| 0.5 * i as f32)))
        .buffer(floats([0.0; 144]))
        .finish();
    let sums = (0..144).map(|i| if i < 130 { 1.5 * i as f32 } else { 0.0 });
    assert_eq!(buffers[2], floats(sums));
}

/// `for (int k = 0; k < n; ++k) { if (k % 2) { if (k == t) break; if (k > 9) continue; ++s; }`
/// `else { if (t % 3 == 0) s += 10; } s += 100; } x[t] = s;`
fn nested_loop() -> Kernel {
    let (mut code, parameters) = Code::new(1, 1);
    let [x, n] = parameters[..] else {
        panic!("two parameters");
    };
    let t = code.value(Op::ThreadX, &[]);
    let [one, two, three, nine, ten, hundred] =
        [1, 2, 3, 9, 10, 100].map(|value| code.constant(value));
    let zero = code.constant(0);
    let (k, sum) = (code.constant(0), code.constant(0));
    code.begin_loop();
    let goes_on = code.value(Op::LtI32, &[k, n]);
    code.put(Op::LeaveUnless, 0, &[goes_on]);
    let odd = code.value(Op::RemI32, &[k, two]);
    code.begin_if(odd);
    let hit = code.value(Op::Eq32, &[k, t]);
    code.begin_if(hit);
    code.put(Op::Leave, 0, &[2]);
    code.end_if();
    let late = code.value(Op::LtI32, &[nine, k]);
    code.begin_if(late);
    code.put(Op::Continue, 0, &[2]);
    code.end_if();
    code.put(Op::AddI32, sum, &[sum, one]);
    code.begin_else();
    let third = code.value(Op::RemI32, &[t, three]);
    let is_third = code.value(Op::Eq32, &[third, zero]);
    code.begin_if(is_third);
    code.put(Op::AddI32, sum, &[sum, ten]);
    code.end_if();
    code.end_else();
    code.put(Op::AddI32, sum, &[sum, hundred]);
    code.rejoin();
    code.put(Op::AddI32, k, &[k, one]);
    code.end_loop();
    code.store(Op::Store, sum, x, t, Site::of(4));
    code.done()
}

#[test]
fn breaks_and_continues_in_nested_branches_reach_their_loop() {
    let kernel = nested_loop();
    let thread = |t: i32, n: i32| {
        let mut sum = 0;
        for k in 0..n {
            if k % 2 == 1 {
                if k == t {
                    break;
                }
                if k > 9 {
                    continue;
                }
                sum += 1;
            } else if t % 3 == 0 {
                sum += 10;
            }
            sum += 100;
        }
        sum as u32
    };
    for n in [0, 1, 7, 20] {
        let mut case = Case::new(&kernel, 1, 40);
        case.scalars = vec![n as u64];
        let (_, buffers) = case.buffer(words([7; 40])).finish();
        let sums: Vec<u32> = (0..40).map(|t| thread(t, n)).collect();
        assert_eq!(to_words(&buffers[0]), sums, "n = {n}");
    }
}

/// Odd threads return from inside a loop after `t` turns; the others store.
#[test]
fn threads_that_return_inside_a_loop_do_not_come_back() {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    let (one, five) = (code.constant(1), code.constant(5));
    let k = code.constant(0);
    code.begin_loop();
    let goes_on = code.value(Op::LtI32, &[k, five]);
    code.put(Op::LeaveUnless, 0, &[goes_on]);
    let odd = code.value(Op::And32, &[t, one]);
    let now = code.value(Op::LeI32, &[t, k]);
    let returns = code.value(Op::And32, &[odd, now]);
    exit_if(&mut code, returns);
    code.rejoin();
    code.put(Op::AddI32, k, &[k, one]);
    code.end_loop();
    code.store(Op::Store, k, parameters[0], t, Site::of(4));
    let kernel = code.done();
    let (_, buffers) = Case::new(&kernel, 1, 32).buffer(words([0; 32])).finish();
    let stays = |t: u32| if t.is_multiple_of(2) || t > 4 { 5 } else { 0 };
    assert_eq!(
        to_words(&buffers[0]),
        (0..32).map(stays).collect::<Vec<_>>()
    );
}

#[test]
fn a_branch_that_no_lane_takes_is_skipped_whole() {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    let (zero, one) = (code.constant(0), code.constant(1));
    code.begin_if(zero);
    code.begin_if(one);
    // Would fault: there is nothing at address 0.
    code.load(Op::Load, ZERO, t, Site::of(4));
    code.end_if();
    code.end_if();
    code.store(Op::Store, one, parameters[0], t, Site::of(4));
    let kernel = code.done();
    let (run, buffers) = Case::new(&kernel, 1, 32).buffer(words([0; 32])).finish();
    assert_eq!(to_words(&buffers[0]), [1; 32]);
    assert_eq!(run.counts.branches.executed, 1);
    assert_eq!(run.counts.branches.divergent, 0);
}

/// Halving reduction of a block in shared memory; thread 0 stores the block's sum.
pub fn block_sum() -> Kernel {
    let (mut code, parameters) = Code::new(2, 0);
    code.shared(256 * 4);
    let (t, i) = (code.value(Op::ThreadX, &[]), code.global_index());
    let block = code.value(Op::BlockX, &[]);
    let (zero, one) = (code.constant(0), code.constant(1));
    let value = code.load(Op::Load, parameters[0], i, Site::of(4));
    code.store(Op::StoreShared, value, ZERO, t, Site::of(4));
    code.put(Op::Barrier, 0, &[]);
    let size = code.value(Op::BlockDimX, &[]);
    let half = code.value(Op::ShrU32, &[size, one]);
    code.begin_loop();
    code.put(Op::LeaveUnless, 0, &[half]);
    let adds = code.value(Op::LtI32, &[t, half]);
    code.begin_if(adds);
    let other = code.value(Op::AddI32, &[t, half]);
    let mine = code.load(Op::LoadShared, ZERO, t, Site::of(4));
    let theirs = code.load(Op::LoadShared, ZERO, other, Site::of(4));
    let sum = code.value(Op::AddI32, &[mine, theirs]);
    code.store(Op::StoreShared, sum, ZERO, t, Site::of(4));
    code.end_if();
    code.put(Op::Barrier, 0, &[]);
    code.put(Op::ShrU32, half, &[half, one]);
    code.end_loop();
    let is_first = code.value(Op::Eq32, &[t, zero]);
    code.begin_if(is_first);
    let sum = code.load(Op::LoadShared, ZERO, zero, Site::of(4));
    code.store(Op::Store, sum, parameters[1], block, Site::of(4));
    code.end_if();
    code.done()
}

#[test]
fn warps_meet_at_barriers() {
    let kernel = block_sum();
    let (_, buffers) = Case::new(&kernel, 5, 256)
        .buffer(words((0..5 * 256).map(|i| i * i)))
        .buffer(words([0; 5]))
        .finish();
    let sum = |block: u32| (256 * block..256 * (block + 1)).map(|i| i * i).sum::<u32>();
    assert_eq!(to_words(&buffers[1]), (0..5).map(sum).collect::<Vec<_>>());
}

#[test]
fn threads_that_have_ended_count_as_arrived() {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    let limit = code.constant(50);
    let past = code.value(Op::LeI32, &[limit, t]);
    exit_if(&mut code, past);
    code.put(Op::Barrier, 0, &[]);
    code.store(Op::Store, t, parameters[0], t, Site::of(4));
    let kernel = code.done();
    let (_, buffers) = Case::new(&kernel, 1, 128).buffer(words([0; 50])).finish();
    assert_eq!(to_words(&buffers[0]), (0..50).collect::<Vec<_>>());
}
