//! What a block asked of global memory, in order: the input of the cache model.
//!
//! One word a warp, line and access, so that a launch's accesses stream through little memory:
//! address of the line, which of its four sectors, load or store, access site. A store that leaves
//! bytes of a sector alone is followed by the bytes it writes, in two words; in an exact log a load
//! likewise.

use std::ops::Range;

use super::cache::prefetch;
use super::global::{LINE_BYTES, SECTOR_BYTES};
use crate::launch::{AccessKind, WARP_LANES};

// A line's address is a multiple of 128 with 48 bits: the low seven bits and the high sixteen are free for the rest.
const STORE: u64 = 1 << 4;
const PARTIAL: u64 = 1 << 5;
const BARRIER: u64 = 1 << 6;
const LINE_MASK: u64 = (1 << SITE_SHIFT) - LINE_BYTES;
const SITE_SHIFT: u32 = 48;
const SECTORS: u64 = LINE_BYTES / SECTOR_BYTES;

/// Most words of a log whose lists are kept.
const MOST_KEPT: usize = 1 << 12;
/// Most words that the log of one block may take, 64 MiB: some 1 GiB that one block reads. Of a longer one, which
/// mostly never ends, nothing is modelled.
pub const MOST_BLOCK_WORDS: usize = 1 << 23;

/// The accesses of one block to global memory.
#[derive(Debug, Default)]
pub struct AccessLog {
    /// While all warps make their accesses together: a row of them after the other, a word per warp. It spares most
    /// launches from putting lists into order.
    rows: Vec<u64>,
    /// By warp, what it asked for: all of it once `is_in_rows` is false, nothing before.
    warps: Vec<Vec<u64>>,
    is_in_rows: bool,
    /// All of them in the order in which an SM makes them, once they are complete.
    merged: Vec<u64>,
    /// Whether loads too are followed by their bytes where they leave some of a sector alone.
    exact: bool,
}

/// Accesses of several warps, to be repeated elsewhere.
#[derive(Debug)]
pub struct LogTemplate {
    warps: Vec<Vec<u64>>,
    /// The same as rows, where each warp has as many accesses, of one word each.
    rows: Option<Vec<u64>>,
}

impl LogTemplate {
    /// The accesses that a log has so far.
    pub fn new(mut log: AccessLog) -> Self {
        log.separate();
        let accesses = log.warps.first().map_or(0, Vec::len);
        let is_even = |list: &Vec<u64>| {
            let is_simple = |word: &u64| word & (PARTIAL | BARRIER) == 0;
            list.len() == accesses && list.iter().all(is_simple)
        };
        let row = |at: usize| log.warps.iter().map(move |list| list[at]);
        let rows = log.warps.iter().all(is_even);
        let rows = rows.then(|| (0..accesses).flat_map(row).collect());
        LogTemplate {
            rows,
            warps: log.warps,
        }
    }
}

/// One warp's access to one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineAccess {
    /// Address of the line, a multiple of 128.
    pub line: u64,
    /// Its sectors, a bit each.
    pub sectors: u8,
    /// Load or store.
    pub kind: AccessKind,
    /// The access site.
    pub site: u16,
    /// Bytes that a store writes, a bit each; those that a load reads in an exact log, and all of
    /// `sectors` in others.
    pub bytes: u128,
}

/// Where a warp is in its list, while the lists are merged.
#[derive(Clone, Copy, Default)]
struct WarpCursor {
    at: usize,
    waits: bool,
    ended: bool,
}

impl AccessLog {
    /// An empty log that keeps the bytes of loads, and not their sectors alone.
    pub fn exact() -> Self {
        AccessLog {
            exact: true,
            ..AccessLog::default()
        }
    }

    /// An empty log that keeps as much as this one does.
    pub fn alike(&self) -> Self {
        AccessLog {
            exact: self.exact,
            ..AccessLog::default()
        }
    }

    /// Empties the log and makes it one of `warps` warps.
    pub fn reset(&mut self, warps: usize) {
        if !self.is_in_rows {
            self.warps.iter_mut().for_each(Vec::clear);
        }
        self.warps.resize_with(warps, Vec::new);
        self.is_in_rows = true;
        self.rows.clear();
        self.merged.clear();
    }

    /// Words that the warps have written, while they are not merged.
    pub fn written_words(&self) -> usize {
        self.rows.len() + self.warps.iter().map(Vec::len).sum::<usize>()
    }

    /// Words of the merged accesses.
    pub fn words(&self) -> usize {
        self.merged.len()
    }

    /// Puts the accesses into the order in which an SM makes them: the warps take turns, an access
    /// each, from the second on; one at a barrier waits for all that have not ended.
    pub fn merge(&mut self) {
        if self.is_in_rows {
            std::mem::swap(&mut self.rows, &mut self.merged);
            let rows = self.merged.chunks_exact_mut(self.warps.len().max(1));
            return rows.for_each(|row| row.rotate_left(1));
        }
        self.merge_lists();
    }

    /// The same where each warp has a list of its own.
    fn merge_lists(&mut self) {
        let AccessLog { warps, merged, .. } = self;
        let words = warps.iter().map(Vec::len).sum();
        merged.reserve_exact(words);
        let mut cursors = vec![WarpCursor::default(); warps.len()];
        let (mut running, mut waiting, mut turn) = (warps.len(), 0, 0);
        while running > 0 {
            // From the second warp on, as the doc says: the turn is moved before it is used.
            turn = if turn + 1 < warps.len() { turn + 1 } else { 0 };
            let (cursor, list) = (&mut cursors[turn], &warps[turn]);
            if cursor.ended || cursor.waits {
                continue;
            }
            match list.get(cursor.at) {
                None => {
                    cursor.ended = true;
                    running -= 1;
                }
                Some(&BARRIER) => {
                    cursor.at += 1;
                    cursor.waits = true;
                    waiting += 1;
                }
                Some(word) => {
                    let words = if word & PARTIAL != 0 { 3 } else { 1 };
                    merged.extend_from_slice(&list[cursor.at..cursor.at + words]);
                    cursor.at += words;
                }
            }
            // All that have not ended have come: the barrier opens.
            if waiting == running {
                cursors.iter_mut().for_each(|cursor| cursor.waits = false);
                waiting = 0;
            }
        }
        if words > MOST_KEPT {
            self.free_lists();
        }
    }

    /// A log that is filled again keeps its lists, but long ones are not worth their memory. Whether they are, their
    /// own length says: barriers are in the lists alone.
    fn free_lists(&mut self) {
        self.warps.iter_mut().for_each(|list| *list = Vec::new());
    }

    /// The accesses of a template, whose first warp is `first` here, moved by `bytes`, a multiple
    /// of a line's size.
    #[inline]
    pub fn repeat(&mut self, first: usize, template: &LogTemplate, bytes: u64) {
        if let Some(rows) = &template.rows
            && self.is_in_rows
            && template.warps.len() == self.warps.len()
        {
            let moved = rows.iter().map(|word| word.wrapping_add(bytes));
            return self.rows.extend(moved);
        }
        self.separate();
        for (list, words) in self.warps[first..].iter_mut().zip(&template.warps) {
            let from = list.len();
            list.extend_from_slice(words);
            let mut rest = list[from..].iter_mut();
            while let Some(word) = rest.next() {
                *word = word.wrapping_add(bytes);
                if *word & PARTIAL != 0 {
                    // The two words behind a partial access hold its bytes, not addresses.
                    rest.nth(1);
                }
            }
        }
    }

    /// From here on the warps do not go together any more: each gets a list of its own.
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_in_rows) {
            return;
        }
        for row in self.rows.chunks_exact(self.warps.len().max(1)) {
            let lists = self.warps.iter_mut().zip(row);
            lists.for_each(|(list, &word)| list.push(word));
        }
        self.rows.clear();
    }

    /// Gives the accesses of blocks that ran side by side to the log of each.
    pub fn divide(&self, blocks: &mut [AccessLog]) {
        let all = self.warps.len();
        let warps = all / blocks.len().max(1);
        for (block, log) in blocks.iter_mut().enumerate() {
            let mine = block * warps..(block + 1) * warps;
            log.reset(warps);
            if self.is_in_rows {
                let rows = self.rows.chunks_exact(all.max(1));
                rows.for_each(|row| log.rows.extend_from_slice(&row[mine.clone()]));
                continue;
            }
            log.is_in_rows = false;
            log.warps.clone_from_slice(&self.warps[mine]);
        }
    }

    /// An access of a warp to the bytes from `first` on: to each once, or all lanes to the same.
    #[inline]
    pub fn run(&mut self, warp: usize, site: u32, kind: AccessKind, first: u64, bytes: u64) {
        self.separate();
        let end = first + bytes;
        let list = &mut self.warps[warp];
        let mut at = first;
        while at < end {
            let line = at & !(LINE_BYTES - 1);
            let until = end.min(line + LINE_BYTES);
            let (from, to) = (at - line, until - line);
            let sectors = (1 << to.div_ceil(SECTOR_BYTES)) - (1 << (from / SECTOR_BYTES));
            // Whole sectors need no bytes: their bits in the word tell all.
            let whole = (from | to).is_multiple_of(SECTOR_BYTES);
            let word = entry(line, sectors, site);
            match kind {
                AccessKind::Load if whole || !self.exact => list.push(word),
                AccessKind::Store if whole => list.push(word | STORE),
                _ => push_partial(list, word, kind, byte_range(from, to - from)),
            }
            at = until;
        }
    }

    /// An access of `width` bytes (1, 2, 4, 8 or 16) by the lanes of `active`, each at its address,
    /// a multiple of the width.
    pub fn scattered(
        &mut self,
        warp: usize,
        site: u32,
        kind: AccessKind,
        addresses: &[u64; WARP_LANES],
        active: u32,
        width: u64,
    ) {
        let mut lines = [(0_u64, 0_u128); WARP_LANES];
        let mut count = 0;
        let mut rest = active;
        while rest != 0 {
            let address = addresses[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let line = address & !(LINE_BYTES - 1);
            let bytes = byte_range(address - line, width);
            // Neighbours mostly share the line before, or begin a new one.
            match lines[..count].iter().rposition(|known| known.0 == line) {
                Some(at) => lines[at].1 |= bytes,
                None => {
                    lines[count] = (line, bytes);
                    count += 1;
                }
            }
        }
        self.separate();
        let list = &mut self.warps[warp];
        for &(line, bytes) in &lines[..count] {
            let sectors = touched(bytes);
            let word = entry(line, sectors.into(), site);
            let whole = bytes == bytes_of(sectors);
            match kind {
                AccessKind::Load if whole || !self.exact => list.push(word),
                AccessKind::Store if whole => list.push(word | STORE),
                _ => push_partial(list, word, kind, bytes),
            }
        }
    }

    /// Some warps wait for the others of their block.
    pub fn barrier(&mut self, warps: Range<usize>) {
        // Warps that have made their accesses together so far would go on in the same turns without it.
        if self.is_in_rows && warps.len() == self.warps.len() {
            return;
        }
        self.separate();
        let lists = self.warps[warps].iter_mut();
        lists.for_each(|list| list.push(BARRIER));
    }

    /// Asks the host's memory for the merged access at `at`.
    #[inline(always)]
    pub fn fetch(&self, at: usize) {
        prefetch(&self.merged, at);
    }

    /// The merged access at `at`, and where the next one is; none at the end.
    #[inline]
    pub fn access(&self, at: usize) -> Option<(LineAccess, usize)> {
        let list = &self.merged;
        let word = *list.get(at)?;
        let sectors = (word & 0xf) as u8;
        let (bytes, next) = if word & PARTIAL != 0 {
            let [low, high] = [list[at + 1], list[at + 2]].map(u128::from);
            (low | high << 64, at + 3)
        } else {
            (bytes_of(sectors), at + 1)
        };
        let kind = match word & STORE {
            0 => AccessKind::Load,
            _ => AccessKind::Store,
        };
        let access = LineAccess {
            line: word & LINE_MASK,
            sectors,
            kind,
            site: (word >> SITE_SHIFT) as u16,
            bytes,
        };
        Some((access, next))
    }
}

/// Sites from 65 535 on share the last number.
fn entry(line: u64, sectors: u64, site: u32) -> u64 {
    (line & LINE_MASK) | sectors | u64::from(site.min(0xffff)) << SITE_SHIFT
}

fn push_partial(list: &mut Vec<u64>, word: u64, kind: AccessKind, bytes: u128) {
    let store = match kind {
        AccessKind::Load => 0,
        AccessKind::Store => STORE,
    };
    list.extend([word | store | PARTIAL, bytes as u64, (bytes >> 64) as u64]);
}

/// `count` bytes (at least one) of a line from `first` on.
fn byte_range(first: u64, count: u64) -> u128 {
    (u128::MAX >> (u64::from(u128::BITS) - count)) << first
}

/// The sectors that have any of `bytes`.
fn touched(bytes: u128) -> u8 {
    let sector = |at: u64| u8::from(bytes >> (at * SECTOR_BYTES) & 0xffff_ffff != 0) << at;
    (0..SECTORS).map(sector).sum()
}

/// All bytes of some sectors: from a table, because each access of the cache model asks.
pub fn bytes_of(sectors: u8) -> u128 {
    BYTES_OF[usize::from(sectors & 0xf)]
}

const BYTES_OF: [u128; 1 << SECTORS] = {
    let mut bytes = [0; 1 << SECTORS];
    let mut sectors = 1;
    while sectors < bytes.len() {
        // Those of the lowest sector, and those of the others.
        let lowest = 0xffff_ffff << (sectors.trailing_zeros() as u64 * SECTOR_BYTES);
        bytes[sectors] = lowest | bytes[sectors & (sectors - 1)];
        sectors += 1;
    }
    bytes
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn accesses(mut log: AccessLog) -> Vec<LineAccess> {
        log.merge();
        let mut at = 0;
        let mut all = Vec::new();
        while let Some((access, next)) = log.access(at) {
            all.push(access);
            at = next;
        }
        all
    }

    fn blank() -> AccessLog {
        let mut log = AccessLog::default();
        log.reset(2);
        log
    }

    fn kinds() -> impl Strategy<Value = AccessKind> {
        prop::sample::select(vec![AccessKind::Load, AccessKind::Store])
    }

    proptest! {
        #[test]
        fn a_log_gives_back_the_bytes_of_each_line(
            slots in prop::array::uniform32(0_u64..200),
            active: u32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
            base in 0_u64..100,
            kind in kinds(),
            exact: bool,
        ) {
            let base = (3 << 40) + base * 16;
            let addresses = slots.map(|slot| base + slot * width);
            let mut log = if exact { AccessLog::exact() } else { AccessLog::default() };
            log.reset(2);
            log.scattered(1, 7, kind, &addresses, active, width);
            let mut expected = BTreeMap::<u64, u128>::new();
            for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                for byte in addresses[lane]..addresses[lane] + width {
                    *expected.entry(byte / 128 * 128).or_default() |= 1 << (byte % 128);
                }
            }
            let found = accesses(log);
            prop_assert_eq!(found.len(), expected.len());
            for access in found {
                let bytes = expected[&access.line];
                prop_assert_eq!((access.kind, access.site), (kind, 7));
                prop_assert_eq!(access.sectors, touched(bytes));
                if kind == AccessKind::Store || exact {
                    prop_assert_eq!(access.bytes, bytes);
                }
            }
        }

        #[test]
        fn a_run_is_the_same_as_its_lanes(
            first in 0_u64..64,
            lanes in 1_u32..=32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
            kind in kinds(),
        ) {
            let first = (1 << 40) + first * width;
            let addresses = std::array::from_fn(|lane| first + lane as u64 * width);
            let (mut run, mut scattered) = (blank(), blank());
            run.run(0, 3, kind, first, u64::from(lanes) * width);
            scattered.scattered(1, 3, kind, &addresses, u32::MAX >> (32 - lanes), width);
            prop_assert_eq!(accesses(run), accesses(scattered));
        }
    }

    /// Four warps load a line each (the third two of them, if `is_uneven`), all together or one after the other.
    fn load_each(log: &mut AccessLog, first: u64, is_uneven: bool, together: bool) {
        let load = |log: &mut AccessLog, at: u64| {
            for warp in 0..4 {
                let bytes = if is_uneven && warp == 2 { 256 } else { 128 };
                let line = at + (first + warp as u64) * 128;
                log.run(warp, 0, AccessKind::Load, line, bytes);
            }
        };
        if !together {
            return load(log, 1 << 40);
        }
        let mut template = AccessLog::default();
        template.reset(4);
        load(&mut template, 0);
        log.repeat(0, &LogTemplate::new(template), 1 << 40);
    }

    proptest! {
        #[test]
        fn warps_together_are_logged_as_one_after_the_other(
            steps in prop::collection::vec((0_u64..50, 0_u8..8), 0..20),
            by_warp: bool,
        ) {
            let logs = [true, false].map(|together| {
                let mut log = AccessLog::default();
                log.reset(4);
                for &(line, kind) in &steps {
                    match kind {
                        // Rare, or no log would stay in rows.
                        0 if by_warp => log.run(1, 1, AccessKind::Store, (1 << 40) + line * 128, 128),
                        1 if by_warp => load_each(&mut log, line, true, together),
                        2 if together => log.barrier(0..4),
                        2 => (0..4).for_each(|warp| log.barrier(warp..warp + 1)),
                        _ => load_each(&mut log, line, false, together),
                    }
                }
                log
            });
            let blocks = logs.each_ref().map(|log| {
                let mut blocks = [AccessLog::default(), AccessLog::default()];
                log.divide(&mut blocks);
                blocks.map(accesses)
            });
            let [together, one_by_one] = logs;
            prop_assert_eq!(together.written_words() == 0, steps.iter().all(|step| step.1 == 2));
            // Blocks side by side meet at no barrier.
            if steps.iter().all(|step| step.1 != 2) {
                prop_assert_eq!(&blocks[0], &blocks[1]);
            }
            prop_assert_eq!(accesses(together), accesses(one_by_one));
        }
    }

    #[test]
    fn warps_take_turns_and_wait_at_barriers() {
        let mut log = blank();
        let load = |log: &mut AccessLog, warp, lines: &[u64]| {
            let lines = lines.iter().map(|line| (1 << 40) + line * 128);
            lines.for_each(|line| log.run(warp, 0, AccessKind::Load, line, 4));
        };
        load(&mut log, 0, &[1]);
        log.barrier(0..1);
        load(&mut log, 0, &[2, 3]);
        load(&mut log, 1, &[10, 11, 12]);
        log.barrier(1..2);
        load(&mut log, 1, &[13]);
        let lines = accesses(log).into_iter();
        let lines: Vec<u64> = lines.map(|access| access.line % (1 << 40) / 128).collect();
        assert_eq!(lines, [10, 1, 11, 12, 2, 13, 3]);
    }

    #[test]
    fn a_reset_forgets() {
        let mut log = blank();
        log.run(0, 0, AccessKind::Load, 1 << 40, 4);
        log.merge();
        assert_eq!(log.words(), 1);
        log.reset(3);
        log.merge();
        assert_eq!((log.words(), log.access(0)), (0, None));
    }
}
