//! The cache model of a launch: blocks on SMs, warps in turn, their accesses through the levels.
//!
//! Blocks are dispatched in order, each to the SM with most room, the first of several: so at first
//! one to each SM, then a second; afterwards each goes where one has ended. An SM serves the
//! warps of its resident blocks in turn, a line an access; a warp at a barrier waits for its block.
//! SMs take short turns. Time is not modelled: every access takes one turn.
//!
//! Each SM's L1 stands alone, and so do its reads of L2. On Hopper they do not: the L2 request coalescer of a GPC
//! (Nsight Compute's name for it) merges them, so that where blocks share what they read more sectors are read here
//! than there. What it does was found on an H200 with kernels in which chosen SMs read the same 256 lines, by
//! `lts__t_sectors_srcunit_tex_op_read`:
//! - two SMs of one GPC read 1,152 sectors together, as one of them does alone; two of different GPCs 2,178;
//! - one read serves four SMs: four in each of the eight GPCs read every line 8 times in all, eight in each 16 times,
//!   all 132 SMs 35 times;
//! - a read joins another until that is answered: where the lines are in L2, SMs that begin up to 300 cycles apart
//!   merge all reads, and 500 cycles apart none; where they are not, thousands of cycles apart;
//! - SMs are numbered across GPCs, but blocks that follow each other are dispatched to SMs of one GPC.
//!
//! It is not modelled, because it depends on time. Tried by these rules, with SMs that go alike, a naive product reads
//! 19 % more sectors than an H200 in place of 83 %, a tiled one 1 % fewer (53 % more); but stencils and products of
//! several rows per thread up to 64 % fewer, because SMs drift apart there.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::cache::{LineSet, ReadCache};
use super::level::{L2, Traffic, missing_in_l1};
use super::log::{AccessLog, LineAccess};
use super::queue::LogQueue;

/// Accesses that an SM makes before the next one has its turn. Long enough for its tags to be in
/// the host's cache, short for the L2 to see all SMs at about the same time.
const TURN: usize = 8;
/// SMs whose turns are made side by side: enough accesses that wait for the host's memory together.
const GROUP: usize = 4;
/// Words of the logs of resident blocks. Where they are longer, fewer blocks are resident.
const MOST_RESIDENT_WORDS: usize = 3 << 20;

/// The SMs of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheShape {
    /// SMs of the GPU; at least one.
    pub sms: usize,
    /// Size of each SM's L1.
    pub l1_bytes: u64,
    /// Blocks on an SM at once; at least one.
    pub resident_blocks: usize,
}

/// What a launch moved between the levels of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchTraffic {
    /// By access site of the kernel.
    pub sites: Vec<Traffic>,
}

impl LaunchTraffic {
    /// All of it.
    pub fn total(&self) -> Traffic {
        let mut total = Traffic::default();
        self.sites.iter().for_each(|&site| total += site);
        total
    }
}

/// Takes the logs of a launch's blocks from `queue` until it is closed, and gives the traffic they
/// cause; nothing if `cancel` becomes true before, or the queue gives up. L1 is empty at the start, L2 is as the launch
/// before left it. `sites` is the number of the kernel's access sites.
pub fn model_launch(
    l2: &mut L2,
    shape: CacheShape,
    sites: usize,
    queue: &LogQueue,
    cancel: &AtomicBool,
) -> Option<LaunchTraffic> {
    l2.next_launch();
    let mut model = Model {
        sms: (0..shape.sms).map(|_| Sm::new(shape.l1_bytes)).collect(),
        residents: vec![0; shape.sms],
        traffic: vec![Traffic::default(); sites.max(1)],
        shape,
        queue,
        next: None,
        resident_words: 0,
        made: Vec::new(),
    };
    model.dispatch();
    while model.sms.iter().any(|sm| !sm.blocks.is_empty()) {
        for first in (0..model.sms.len()).step_by(GROUP) {
            model.turns(l2, first);
        }
        if cancel.load(Relaxed) || queue.has_given_up() {
            return None;
        }
    }
    if queue.has_given_up() {
        return None;
    }
    Some(LaunchTraffic {
        sites: model.traffic,
    })
}

struct Model<'a> {
    sms: Vec<Sm>,
    /// By SM: the blocks on it (32 at most, by CUDA's compute capabilities), in bytes side by side because the least
    /// is asked for at every block.
    residents: Vec<u8>,
    traffic: Vec<Traffic>,
    shape: CacheShape,
    queue: &'a LogQueue,
    /// A block that waits for room.
    next: Option<AccessLog>,
    resident_words: usize,
    /// The accesses of some turns: a list that is filled again and again.
    made: Vec<Made>,
}

/// An access that an SM makes.
struct Made {
    sm: usize,
    access: LineAccess,
    /// Where its line is in L1, then in L2.
    set: LineSet,
}

struct Sm {
    l1: ReadCache,
    blocks: Vec<Resident>,
    /// Whose turn it is.
    at: usize,
}

/// A block on an SM.
struct Resident {
    log: AccessLog,
    /// Where it is in its accesses.
    at: usize,
}

impl Model<'_> {
    /// Brings blocks to SMs while there are blocks, and room for them.
    fn dispatch(&mut self) {
        while let Some(sm) = self.emptiest() {
            let Some(log) = self.next.take().or_else(|| self.queue.take()) else {
                return;
            };
            let words = log.words();
            // At least one block is resident, however long its log.
            if self.resident_words > 0 && self.resident_words + words > MOST_RESIDENT_WORDS {
                self.next = Some(log);
                return;
            }
            self.resident_words += words;
            self.residents[sm] += 1;
            self.sms[sm].blocks.push(Resident { log, at: 0 });
        }
    }

    /// The SM with most room, the first of several, as the dispatcher chooses; none while all are full.
    fn emptiest(&self) -> Option<usize> {
        let fewest = self.residents.iter().copied().min();
        let fewest = fewest.filter(|&blocks| usize::from(blocks) < self.shape.resident_blocks)?;
        self.residents.iter().position(|&blocks| blocks == fewest)
    }

    /// Lets the SMs of a group make some accesses each: all of them in its L1, then what that lacks in L2, which sees
    /// the SMs one after the other. All that the next step looks at is asked for before the first of them waits.
    fn turns(&mut self, l2: &mut L2, first: usize) {
        let mut made = std::mem::take(&mut self.made);
        let last = self.sms.len().min(first + GROUP);
        let next = self.sms.iter().skip(last).take(GROUP);
        next.for_each(Sm::fetch_blocks);
        (first..last).for_each(|sm| self.begin_turn(sm, &mut made));
        for Made { sm, set, .. } in &made {
            self.sms[*sm].l1.fetch(*set);
        }
        for Made { sm, access, set } in &mut made {
            let l1 = &mut self.sms[*sm].l1;
            access.sectors = missing_in_l1(l1, access, *set, &mut self.traffic);
            // L2 is touched for what it is asked only: an SM that finds all in its L1 leaves the host's cache alone.
            if access.sectors != 0 {
                *set = l2.set_of(access.line);
            }
        }
        made.retain(|made| made.access.sectors != 0);
        made.iter()
            .for_each(|made| l2.fetch(&made.access, made.set));
        for Made { access, set, .. } in &made {
            l2.access(access, *set, &mut self.traffic);
        }
        made.clear();
        self.made = made;
    }

    /// Takes what an SM does in its turn from the logs of its blocks.
    fn begin_turn(&mut self, sm: usize, made: &mut Vec<Made>) {
        let end = made.len() + TURN;
        while made.len() < end && !self.sms[sm].blocks.is_empty() {
            let Sm { l1, blocks, at } = &mut self.sms[sm];
            *at = if *at + 1 < blocks.len() { *at + 1 } else { 0 };
            match blocks[*at].step() {
                Some(access) => made.push(Made {
                    sm,
                    access,
                    set: l1.set_of(access.line),
                }),
                None => self.end_block(sm),
            }
        }
    }

    /// The block whose turn it is has ended: another one comes.
    fn end_block(&mut self, sm: usize) {
        let Sm { blocks, at, .. } = &mut self.sms[sm];
        let ended = blocks.remove(*at);
        self.residents[sm] -= 1;
        self.resident_words -= ended.log.words();
        self.queue.recycle(ended.log);
        self.dispatch();
    }
}

impl Sm {
    fn new(l1_bytes: u64) -> Self {
        Sm {
            l1: ReadCache::new(l1_bytes),
            blocks: Vec::new(),
            at: 0,
        }
    }

    /// Asks the host's memory for the accesses that its blocks make next.
    fn fetch_blocks(&self) {
        let blocks = self.blocks.iter();
        blocks.for_each(|block| block.log.fetch(block.at));
    }
}

impl Resident {
    /// The next access; none once all warps have ended.
    fn step(&mut self) -> Option<LineAccess> {
        let (access, next) = self.log.access(self.at)?;
        self.at = next;
        Some(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AccessKind;

    const SHAPE: CacheShape = CacheShape {
        sms: 2,
        l1_bytes: 4096,
        resident_blocks: 2,
    };

    /// The traffic of blocks of one warp, each of which loads some lines.
    fn model(l2: &mut L2, shape: CacheShape, blocks: &[&[u64]]) -> Traffic {
        let queue = LogQueue::default();
        let deliver = || {
            for (block, lines) in blocks.iter().enumerate() {
                let mut log = queue.blank(1).expect("is open");
                for line in *lines {
                    log.run(0, 0, AccessKind::Load, (1 << 40) + line * 128, 128);
                }
                queue.deliver(block as u64, log);
            }
            queue.close();
        };
        let never = AtomicBool::new(false);
        let traffic = std::thread::scope(|scope| {
            scope.spawn(deliver);
            model_launch(l2, shape, 1, &queue, &never)
        });
        traffic.expect("is not cancelled").total()
    }

    #[test]
    fn neighbouring_blocks_share_no_l1_and_blocks_of_one_sm_do() {
        let mut l2 = L2::new(1 << 20);
        let traffic = model(&mut l2, SHAPE, &[&[1, 2], &[1, 2], &[1, 2], &[]]);
        assert_eq!(
            (traffic.l1.load_sectors_hit, traffic.l2.read_sectors),
            (8, 16)
        );
        assert_eq!(traffic.dram.read_bytes, 256);
    }

    #[test]
    fn l1_starts_cold_and_l2_as_the_launch_before_left_it() {
        let mut l2 = L2::new(1 << 20);
        model(&mut l2, SHAPE, &[&[1, 2]]);
        let again = model(&mut l2, SHAPE, &[&[1, 2]]);
        assert_eq!((again.l2.read_sectors, again.l2.read_sectors_hit), (8, 8));
        assert_eq!(again.dram.read_bytes, 0);
    }

    #[test]
    fn warps_meet_at_barriers() {
        // The second warp loads what the first loaded before the barrier, 64 lines ago: a cache of
        // 32 lines has it only if the first waits.
        let queue = LogQueue::default();
        let mut log = queue.blank(2).expect("is open");
        let lines = |log: &mut AccessLog, warp, lines: std::ops::Range<u64>| {
            for line in lines {
                log.run(warp, 0, AccessKind::Load, (1 << 40) + line * 128, 128);
            }
        };
        lines(&mut log, 0, 0..1);
        log.barrier(0..1);
        lines(&mut log, 0, 100..164);
        lines(&mut log, 1, 200..202);
        log.barrier(1..2);
        lines(&mut log, 1, 0..1);
        queue.deliver(0, log);
        queue.close();
        let mut l2 = L2::new(1 << 20);
        let never = AtomicBool::new(false);
        let traffic = model_launch(&mut l2, SHAPE, 1, &queue, &never).expect("ends");
        assert_eq!(traffic.total().l1.load_sectors_hit, 4);
    }

    #[test]
    fn a_block_too_long_for_the_others_runs_alone() {
        let long: Vec<u64> = (0..MOST_RESIDENT_WORDS as u64 + 5)
            .map(|at| at % 16)
            .collect();
        let mut l2 = L2::new(1 << 20);
        let traffic = model(&mut l2, SHAPE, &[&[1], &long, &[1]]);
        let sectors = traffic.l1.load_sectors_hit + traffic.l2.read_sectors;
        assert_eq!(sectors, 4 * (long.len() as u64 + 2));
    }

    #[test]
    fn a_cancelled_launch_has_no_traffic() {
        let queue = LogQueue::default();
        let mut log = queue.blank(1).expect("is open");
        log.run(0, 0, AccessKind::Load, 1 << 40, 4);
        queue.deliver(0, log);
        queue.close();
        let ended = model_launch(&mut L2::new(4096), SHAPE, 1, &queue, &AtomicBool::new(true));
        assert_eq!(ended, None);
    }
}
