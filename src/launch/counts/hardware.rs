//! The hardware's own counters, beside what we count.

use crate::launch::Counts;

/// A counter of the hardware that ours can stand beside.
#[derive(Debug)]
pub struct HardwareCounter {
    /// What it counts, in our words.
    pub name: &'static str,
    /// Nsight Compute's names of what is added.
    pub adds: &'static [&'static str],
    /// Nsight Compute's name of what is taken away.
    pub takes: Option<&'static str>,
    /// Whether it depends on what L2 held before the launch.
    pub of_caches: bool,
    /// What we count; nothing where no model ran.
    pub ours: fn(&Counts) -> Option<u64>,
}

/// What can be compared. Wavefronts are without bank conflicts on both sides: the hardware also counts
/// as conflicts what other warps' accesses cost.
pub const HARDWARE_COUNTERS: [HardwareCounter; 16] = [
    HardwareCounter {
        name: "global load requests",
        adds: &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.global_load.requests),
    },
    HardwareCounter {
        name: "global load sectors",
        adds: &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.global_load.sectors),
    },
    HardwareCounter {
        name: "global store requests",
        adds: &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.global_store.requests),
    },
    HardwareCounter {
        name: "global store sectors",
        adds: &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.global_store.sectors),
    },
    HardwareCounter {
        name: "global atomic requests",
        adds: &[
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
        ],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.global_atomic.requests),
    },
    HardwareCounter {
        name: "global atomic sectors",
        adds: &[
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        ],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.global_atomic.sectors),
    },
    HardwareCounter {
        name: "shared load wavefronts, conflicts apart",
        adds: &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
        takes: Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
        of_caches: false,
        ours: |counts| Some(counts.shared_load.wavefronts - counts.shared_load.bank_conflicts),
    },
    HardwareCounter {
        name: "shared store wavefronts, conflicts apart",
        adds: &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
        takes: Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
        of_caches: false,
        ours: |counts| Some(counts.shared_store.wavefronts - counts.shared_store.bank_conflicts),
    },
    HardwareCounter {
        name: "L1 load sectors hit",
        adds: &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| counts.l1.0.map(|l1| l1.load_sectors_hit),
    },
    HardwareCounter {
        name: "L2 read sectors",
        adds: &["lts__t_sectors_srcunit_tex_op_read.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| counts.l2.0.map(|l2| l2.read_sectors),
    },
    HardwareCounter {
        name: "DRAM bytes read",
        adds: &["dram__bytes_read.sum"],
        takes: None,
        of_caches: true,
        ours: |counts| counts.dram.0.map(|dram| dram.read_bytes),
    },
    HardwareCounter {
        name: "DRAM bytes written",
        adds: &["dram__bytes_write.sum"],
        takes: None,
        of_caches: true,
        ours: |counts| counts.dram.0.map(|dram| dram.write_bytes),
    },
    HardwareCounter {
        name: "fp32 add",
        adds: &["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.fp32.add),
    },
    HardwareCounter {
        name: "fp32 mul",
        adds: &["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.fp32.mul),
    },
    HardwareCounter {
        name: "fp32 fma",
        adds: &["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"],
        takes: None,
        of_caches: false,
        ours: |counts| Some(counts.fp32.fma),
    },
    // The same pipe also carries out some arithmetic of half pairs, which is no product of matrices.
    HardwareCounter {
        name: "tensor instructions",
        adds: &["sm__inst_executed_pipe_tensor_op_hmma.sum"],
        takes: Some("sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"),
        of_caches: false,
        ours: |counts| Some(counts.tensor.mma),
    },
];

impl HardwareCounter {
    /// Its value, where `metric` gives Nsight Compute's; nothing if it lacks one.
    pub fn value(&self, metric: impl Fn(&str) -> Option<u64>) -> Option<u64> {
        let mut sum = 0_u64;
        for name in self.adds {
            sum += metric(name)?;
        }
        match self.takes {
            Some(name) => sum.checked_sub(metric(name)?),
            None => Some(sum),
        }
    }
}
