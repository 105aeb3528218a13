//! The cache model beside a launch: what it needs to know of GPU and kernel, and what it answers.

use std::sync::atomic::AtomicBool;

use crate::device::{Gpu, occupancy};
use crate::ir::Kernel;
use crate::launch::{Launch, Modelled};
use crate::memory::{
    CacheShape, L2, LaunchTraffic, LogQueue, MOST_BLOCK_WORDS, Traffic, model_launch,
};
use crate::simt::{End, Run};
use crate::source::Diagnostic;

/// Registers a thread is taken to have: the simulator does not allocate registers as `nvcc` does.
/// Simple kernels have 16 to 32 of them, which limit the blocks on an SM equally little.
const REGISTERS: u32 = 32;
const MIB: f64 = (1 << 20) as f64;

/// The caches of a GPU from launch to launch.
pub(crate) struct Caches {
    gpu: &'static Gpu,
    sms: usize,
    l2: L2,
}

impl Caches {
    /// Cold caches; nothing for a GPU of which too little is known.
    pub(crate) fn new(gpu: &'static Gpu) -> Option<Self> {
        gpu.l1_shared_kib_per_sm?;
        Some(Caches {
            gpu,
            sms: gpu.sm_count? as usize,
            l2: L2::new((gpu.l2_mib? * MIB) as u64),
        })
    }

    /// Runs a launch by `run`, which must feed the queue, and adds its modelled traffic; where that cannot be told,
    /// says why, and whether the caches know what they hold.
    pub(crate) fn launch(
        &mut self,
        kernel: &Kernel,
        launch: &Launch,
        cancel: &AtomicBool,
        run: impl FnOnce(&LogQueue) -> Run,
    ) -> (Run, CacheState) {
        let shape = self.shape(kernel, launch);
        let queue = LogQueue::default();
        let (mut ran, traffic) = std::thread::scope(|scope| {
            let (l2, queue, sites) = (&mut self.l2, &queue, kernel.sites.len());
            // The model takes blocks in order of their numbers while others still run: its thread does not wait for
            // the launch to end.
            let model = scope.spawn(move || model_launch(l2, shape, sites, queue, cancel));
            let ran = {
                let _closing = Closing(queue);
                run(queue)
            };
            // Only behind the run: `Closing` has ended the queue, or the model would wait for more logs for ever.
            let modelled = model.join();
            (
                ran,
                modelled.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        // Blocks that wait for each other keep no logs: they do not run one behind the other.
        if !kernel.waits_for_grid() {
            if let (End::Finished, Some(traffic)) = (&ran.end, traffic) {
                add(&mut ran, kernel, &traffic);
            }
            if !queue.has_given_up() {
                return (ran, CacheState::Known);
            }
        }
        // A launch that has failed has more important things to say.
        if ran.end == End::Finished {
            ran.reports.push(not_modelled(kernel));
        }
        (ran, CacheState::Unknown)
    }

    /// SMs, and on each the blocks and what they leave of L1.
    fn shape(&self, kernel: &Kernel, launch: &Launch) -> CacheShape {
        let limits = self.gpu.limits();
        let threads = launch.block.iter().product();
        // A block of 1024 threads with 65 registers each would not launch at all.
        let most = limits.max_registers_per_block / u32::max(threads, 1);
        let shared_bytes = kernel.memory.shared_bytes + launch.shared_bytes;
        let occupancy = occupancy(limits, threads, REGISTERS.min(most), shared_bytes);
        let in_use = occupancy.blocks * occupancy.shared_bytes_per_block;
        CacheShape {
            sms: self.sms,
            l1_bytes: self.gpu.l1_bytes(in_use).unwrap_or_default(),
            resident_blocks: occupancy.blocks.max(1) as usize,
        }
    }
}

/// Whether the caches hold what the launches so far have left there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheState {
    Known,
    /// A launch was too long to be followed.
    Unknown,
}

fn not_modelled(kernel: &Kernel) -> Diagnostic {
    if kernel.waits_for_grid() {
        let why = "its blocks wait for each other";
        let message = format!("L1, L2 and device memory are not modelled from here on: {why}");
        return Diagnostic::warning(kernel.span, message);
    }
    let message = "L1, L2 and device memory are not modelled: one block makes too many accesses";
    Diagnostic::warning(kernel.span, message)
        .note(format!(
            "the model stores at most {MOST_BLOCK_WORDS} accesses to lines and barriers per block, for all its warps together"
        ))
        .help("share the work among more blocks")
}

/// Closes the queue also if the launch panics, so that whoever takes logs ends.
pub(crate) struct Closing<'a>(pub(crate) &'a LogQueue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn add(ran: &mut Run, kernel: &Kernel, traffic: &LaunchTraffic) {
    let total = traffic.total();
    set(&mut ran.counts, total);
    for line in &mut ran.lines {
        let mut sum = Traffic::default();
        let sites = kernel.sites.iter().zip(&traffic.sites);
        sites
            .filter(|(site, _)| site.line == line.line)
            .for_each(|(_, &site)| sum += site);
        set(&mut line.counts, sum);
    }
}

fn set(counts: &mut crate::launch::Counts, traffic: Traffic) {
    counts.l1 = Modelled(Some(traffic.l1));
    counts.l2 = Modelled(Some(traffic.l2));
    counts.dram = Modelled(Some(traffic.dram));
}
