//! Indices as text: which register of a thread, and which element of a tile a register holds.

use crate::triton::layout::{LinearLayout, SharedOffsets};

/// Bits of `threadIdx.x` that are the lane.
pub const LANE_BITS: usize = 5;

/// The number of a register: known, or a variable of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// Known.
    Known(u32),
    /// Computed by this text, a variable or something in parentheses.
    Text(String),
}

impl Index {
    /// The number of which bit `j` is bit `bits[j]` of this one.
    pub fn select(&self, bits: &[usize]) -> Index {
        match self {
            Index::Known(value) => {
                let picked = bits.iter().enumerate();
                Index::Known(picked.map(|(to, from)| (value >> from & 1) << to).sum())
            }
            Index::Text(text) => {
                let moves: Vec<(usize, usize)> = bits
                    .iter()
                    .copied()
                    .enumerate()
                    .map(|(to, from)| (from, to))
                    .collect();
                // How many bits the text has is not known, so that each piece takes a remainder.
                match pieces(text, &moves, usize::MAX) {
                    piece if piece.is_empty() => Index::Known(0),
                    piece => Index::Text(piece),
                }
            }
        }
    }

    /// As it stands between brackets.
    pub fn text(&self) -> String {
        match self {
            Index::Known(value) => value.to_string(),
            Index::Text(text) => text.clone(),
        }
    }

    /// So many more.
    pub fn plus(&self, more: &Index) -> Index {
        match (self, more) {
            (Index::Known(a), Index::Known(b)) => Index::Known(a + b),
            (Index::Known(0), other) | (other, Index::Known(0)) => other.clone(),
            (a, b) => Index::Text(format!("{} + {}", a.text(), b.text())),
        }
    }
}

/// The sum of the bits of `text` that move from one place to another: `i % 4 + i / 4 * 512`. `top` is the number of bits
/// that `text` has, if it is known.
pub fn pieces(text: &str, moves: &[(usize, usize)], top: usize) -> String {
    // `a + b % 4` would divide b alone.
    let simple = text
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let text = if simple {
        text.to_owned()
    } else {
        format!("({text})")
    };
    let mut moves = moves.to_vec();
    moves.sort_unstable();
    let mut sum: Vec<String> = Vec::new();
    let mut at = 0;
    while at < moves.len() {
        let (from, to) = moves[at];
        // Neighbouring bits that move by the same distance are one division and one product, not one for each bit.
        let run = moves[at..]
            .iter()
            .enumerate()
            .take_while(|(more, next)| **next == (from + more, to + more))
            .count();
        let mut piece = text.clone();
        if from > 0 {
            piece += &format!(" / {}", 1u64 << from);
        }
        // No remainder where no higher bits exist: the text is read by people.
        if from + run != top {
            piece += &format!(" % {}", 1u64 << run);
        }
        if to > 0 {
            piece += &format!(" * {}", 1u64 << to);
        }
        sum.push(piece);
        at += run;
    }
    sum.join(" + ")
}

/// The bits of each basis along `dim`, as moves from the bits of a number that counts the bases.
fn moves(layout: &LinearLayout, bases: &[u32], dim: usize) -> Vec<(usize, usize)> {
    let mut moves = Vec::new();
    for (from, &basis) in bases.iter().enumerate() {
        let along = layout.indices(basis)[dim];
        if basis != 0 && along != 0 {
            moves.push((from, along.trailing_zeros() as usize));
        }
    }
    moves
}

/// Along `dim`, the element of a thread's first register.
pub fn thread_part(layout: &LinearLayout, dim: usize) -> String {
    let mut all = moves(layout, &layout.lanes, dim);
    let warps = moves(layout, &layout.warps, dim).into_iter();
    all.extend(warps.map(|(from, to)| (from + LANE_BITS, to)));
    pieces("threadIdx.x", &all, LANE_BITS + layout.warps.len())
}

/// Along `dim`, how far the element of a register is from that of the first.
pub fn register_part(layout: &LinearLayout, dim: usize, index: &Index) -> String {
    let all = moves(layout, &layout.registers, dim);
    match index {
        Index::Known(value) => {
            let sum: u32 = all.iter().map(|(from, to)| (value >> from & 1) << to).sum();
            if sum == 0 {
                String::new()
            } else {
                sum.to_string()
            }
        }
        Index::Text(text) => pieces(text, &all, layout.registers.len()),
    }
}

/// Bits of registers that move elements along `dim`, and those that do not.
pub fn register_bits(layout: &LinearLayout, dim: usize) -> (Vec<usize>, Vec<usize>) {
    let bits = 0..layout.registers.len();
    bits.partition(|&bit| layout.indices(layout.registers[bit])[dim] != 0)
}

/// The number with the bits of one number at some places.
pub fn scattered(index: &Index, bits: &[usize]) -> Index {
    match index {
        Index::Known(value) => {
            let spread = bits.iter().enumerate();
            Index::Known(spread.map(|(from, to)| (value >> from & 1) << to).sum())
        }
        Index::Text(text) => {
            let moves: Vec<(usize, usize)> = bits.iter().copied().enumerate().collect();
            match pieces(text, &moves, bits.len()) {
                piece if piece.is_empty() => Index::Known(0),
                piece => Index::Text(piece),
            }
        }
    }
}

/// Whether a thread is the one that stores what several hold: a condition, if any is needed.
pub fn first_of_replicas(layout: &LinearLayout) -> Option<String> {
    let free = layout.replicated();
    let threads = 1u32 << (LANE_BITS + layout.warps.len());
    threads_without(free.lane | free.warp << LANE_BITS, threads)
}

/// Whether none of these bits of the thread's number is set: a condition, if any is needed.
pub fn threads_without(mask: u32, threads: u32) -> Option<String> {
    match mask {
        0 => None,
        // Only the first of all.
        _ if mask == threads - 1 => Some("threadIdx.x == 0".to_owned()),
        // The threads whose highest bits are zero.
        _ if (threads - mask).is_power_of_two() => {
            // Of 16 threads, `threadIdx.x < 4` for a mask of 0b1100.
            Some(format!("threadIdx.x < {}", threads - mask))
        }
        _ => Some(format!("(threadIdx.x & {mask}) == 0")),
    }
}

/// The exclusive or of the bases whose bits are set in `text` from bit `first` on.
pub fn exclusive_or(text: &str, bases: &[u32], first: usize) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bases.len() {
        let basis = bases[at];
        // This bit of the number decides nothing here.
        if basis == 0 {
            at += 1;
            continue;
        }
        // Bases that double are a product: `threadIdx.x % 8 * 4` for 4, 8 and 16.
        let doubled = |more: usize| basis.is_power_of_two() && bases[at + more] == basis << more;
        let run = (1..bases.len() - at)
            .take_while(|&more| doubled(more))
            .count()
            + 1;
        let mut part = text.to_owned();
        if first + at > 0 {
            part += &format!(" / {}", 1u32 << (first + at));
        }
        part += &format!(" % {}", 1u32 << run);
        if basis > 1 {
            part += &format!(" * {basis}");
        }
        parts.push(part);
        at += run;
    }
    parts.join(" ^ ")
}

/// A place in shared memory as text; `values` is what each bit of a value's number adds.
pub fn shared_offset(offsets: &SharedOffsets, values: &[u32], index: &Index) -> String {
    let of_value = match index {
        Index::Text(text) => exclusive_or(text, values, 0),
        Index::Known(number) => {
            let set = values.iter().enumerate();
            let set = set.filter(|(bit, _)| number >> bit & 1 == 1);
            match set.fold(0, |sum, (_, basis)| sum ^ basis) {
                0 => String::new(),
                sum => sum.to_string(),
            }
        }
    };
    let mut parts = vec![
        exclusive_or("threadIdx.x", &offsets.lanes, 0),
        exclusive_or("threadIdx.x", &offsets.warps, LANE_BITS),
        of_value,
    ];
    parts.retain(|part| !part.is_empty());
    match parts.is_empty() {
        true => "0".to_owned(),
        false => parts.join(" ^ "),
    }
}
