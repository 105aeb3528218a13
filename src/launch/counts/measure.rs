//! The one table of measures: what a run counts, by every name that it has.
//!
//! A row says how lessons call a measure, what stands beside its number on screen, its unit, how it comes to be, its
//! value in [`Counts`], what a line must have executed to have it, where it stands in JSON, and which of Nsight
//! Compute's counters it stands beside. Lessons, gutter, tables, JSON and profiler all read these rows. Invariant, which
//! a test holds: every number of [`Counts`] has exactly one row.

use std::sync::LazyLock;

use super::counters::{Counts, Evidence};

/// What a measure gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many.
    Count(u64),
    /// A part of a whole, between 0 and 1, of which more is better.
    Share(f64),
}

/// How a measure is read from counts; nothing where no model ran for it.
enum Reading {
    Count(fn(&Counts) -> Option<u64>),
    Share(fn(&Counts) -> Option<f64>),
}

/// What must have been executed for a measure to say anything.
#[derive(Clone, Copy)]
enum LineEvent {
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    L1Read,
    L2Read,
    Branch,
    /// What the measure itself counts: a zero says nothing.
    Itself,
}

impl LineEvent {
    fn happened(self, counts: &Counts, amount: Amount) -> bool {
        let times = match self {
            LineEvent::GlobalLoad => counts.global_load.requests,
            LineEvent::GlobalStore => counts.global_store.requests,
            LineEvent::GlobalAtomic => counts.global_atomic.requests,
            LineEvent::SharedLoad => counts.shared_load.requests,
            LineEvent::SharedStore => counts.shared_store.requests,
            LineEvent::SharedAtomic => counts.shared_atomic.requests,
            LineEvent::L1Read => counts.global_load.sectors,
            LineEvent::L2Read => counts.l2.0.map_or(0, |l2| l2.read_sectors),
            LineEvent::Branch => counts.branches.executed,
            LineEvent::Itself => return amount != Amount::Count(0),
        };
        times > 0
    }
}

/// A row of the table.
struct MeasureRow {
    in_lessons: Option<&'static str>,
    label: &'static str,
    unit: &'static str,
    evidence: Evidence,
    reading: Reading,
    json: Option<&'static str>,
    event: LineEvent,
    profiled: Option<Profiled>,
}

/// What Nsight Compute reads for a measure.
struct Profiled {
    name: &'static str,
    adds: &'static [&'static str],
    takes: Option<&'static str>,
}

/// How a measure comes to be, its reading, and its path in JSON, from how the table writes that.
macro_rules! reading {
    (counted $path:ident $(. $field:ident)?) => {
        (
            Evidence::Counted,
            Reading::Count(|counts| Some(counts.$path $(.$field)?)),
            Some(concat!(stringify!($path) $(, ".", stringify!($field))?)),
        )
    };
    (modelled $level:ident . $field:ident) => {
        (
            Evidence::Modelled,
            Reading::Count(|counts| counts.$level.0.map(|level| level.$field)),
            Some(concat!(stringify!($level), ".", stringify!($field))),
        )
    };
    ($evidence:ident $reading:ident $read:expr) => {
        (Evidence::$evidence, Reading::$reading($read), None)
    };
}

/// `Some` of what is there.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// Measures as an enumeration and its table. `ncu` stands beside measures that the hardware counts: our name of the
/// counter, and Nsight Compute's names of what is added, and of what is taken away.
macro_rules! measures {
    ($($measure:ident {
        $(lesson: $lesson:literal,)? label: $label:literal, unit: $unit:literal, on: $event:ident,
        of: ($($of:tt)+) $(, ncu: $name:literal = $adds:literal $(+ $more:literal)? $(- $takes:literal)?)? $(,)?
    })*) => {
        /// Something that a run counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the table names them")]
        pub enum Measure {
            $($measure,)*
        }

        impl Measure {
            /// Every measure. What is read and written is global memory, unless the name says another.
            pub const ALL: &[Measure] = &[$(Measure::$measure,)*];
        }

        static ROWS: &[MeasureRow] = &[$({
            let (evidence, reading, json) = reading!($($of)+);
            MeasureRow {
                in_lessons: optional!($($lesson)?),
                label: $label,
                unit: $unit,
                evidence,
                reading,
                json,
                event: LineEvent::$event,
                profiled: optional!($(Profiled {
                    name: $name,
                    adds: &[$adds, $($more)?],
                    takes: optional!($($takes)?),
                })?),
            }
        },)*];
    };
}

measures! {
    // Loads of global memory.
    DistinctElementsRead {
        lesson: "distinct elements read", label: "distinct elements", unit: "elements", on: GlobalLoad,
        of: (counted global_load.distinct_elements)
    }
    ElementsRead {
        lesson: "elements read", label: "elements", unit: "elements", on: GlobalLoad,
        of: (counted global_load.elements)
    }
    RequestsRead {
        lesson: "read requests", label: "requests", unit: "requests", on: GlobalLoad,
        of: (counted global_load.requests),
        ncu: "global load requests" =
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    }
    SectorsRead {
        lesson: "sectors read", label: "sectors", unit: "sectors", on: GlobalLoad,
        of: (counted global_load.sectors),
        ncu: "global load sectors" =
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    }
    LinesRead {
        label: "lines", unit: "lines of 128 bytes", on: GlobalLoad,
        of: (counted global_load.lines)
    }
    BytesRead {
        label: "bytes", unit: "bytes", on: GlobalLoad,
        of: (counted global_load.bytes)
    }
    UsedBytesRead {
        label: "used bytes", unit: "bytes", on: GlobalLoad,
        of: (counted global_load.used_bytes)
    }
    ReadEfficiency {
        label: "efficiency", unit: "share of the bytes moved", on: GlobalLoad,
        of: (Counted Share |counts| counts.global_load.efficiency())
    }
    // Stores to global memory.
    DistinctElementsWritten {
        lesson: "distinct elements written", label: "distinct elements", unit: "elements", on: GlobalStore,
        of: (counted global_store.distinct_elements)
    }
    ElementsWritten {
        lesson: "elements written", label: "elements", unit: "elements", on: GlobalStore,
        of: (counted global_store.elements)
    }
    RequestsWritten {
        lesson: "write requests", label: "requests", unit: "requests", on: GlobalStore,
        of: (counted global_store.requests),
        ncu: "global store requests" =
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
    }
    SectorsWritten {
        lesson: "sectors written", label: "sectors", unit: "sectors", on: GlobalStore,
        of: (counted global_store.sectors),
        ncu: "global store sectors" =
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
    }
    LinesWritten {
        label: "lines", unit: "lines of 128 bytes", on: GlobalStore,
        of: (counted global_store.lines)
    }
    BytesWritten {
        label: "bytes", unit: "bytes", on: GlobalStore,
        of: (counted global_store.bytes)
    }
    UsedBytesWritten {
        label: "used bytes", unit: "bytes", on: GlobalStore,
        of: (counted global_store.used_bytes)
    }
    WriteEfficiency {
        label: "efficiency", unit: "share of the bytes moved", on: GlobalStore,
        of: (Counted Share |counts| counts.global_store.efficiency())
    }
    // Atomics on global memory: with an answer (`atom`), or without one (`red`).
    AtomicRequests {
        lesson: "atomic requests", label: "requests", unit: "requests", on: GlobalAtomic,
        of: (counted global_atomic.requests),
        ncu: "global atomic requests" =
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"
                + "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"
    }
    AtomicElements {
        label: "elements", unit: "elements", on: GlobalAtomic,
        of: (counted global_atomic.elements)
    }
    AtomicSectors {
        lesson: "atomic sectors", label: "sectors", unit: "sectors", on: GlobalAtomic,
        of: (counted global_atomic.sectors),
        ncu: "global atomic sectors" =
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"
                + "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"
    }
    // Shared memory. The hardware also counts as conflicts what other warps' accesses cost, so wavefronts are compared
    // without conflicts, on both sides.
    SharedReadRequests {
        lesson: "shared read requests", label: "requests", unit: "requests", on: SharedLoad,
        of: (counted shared_load.requests)
    }
    SharedReadWavefronts {
        lesson: "shared read wavefronts", label: "wavefronts", unit: "wavefronts", on: SharedLoad,
        of: (counted shared_load.wavefronts)
    }
    SharedReadConflicts {
        label: "bank conflicts", unit: "wavefronts", on: SharedLoad,
        of: (counted shared_load.bank_conflicts)
    }
    SharedReadFewestWavefronts {
        label: "wavefronts, conflicts apart", unit: "wavefronts", on: SharedLoad,
        of: (Counted Count |counts| Some(counts.shared_load.wavefronts - counts.shared_load.bank_conflicts)),
        ncu: "shared load wavefronts, conflicts apart" =
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
                - "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
    }
    SharedWriteRequests {
        lesson: "shared write requests", label: "requests", unit: "requests", on: SharedStore,
        of: (counted shared_store.requests)
    }
    SharedWriteWavefronts {
        lesson: "shared write wavefronts", label: "wavefronts", unit: "wavefronts", on: SharedStore,
        of: (counted shared_store.wavefronts)
    }
    SharedWriteConflicts {
        label: "bank conflicts", unit: "wavefronts", on: SharedStore,
        of: (counted shared_store.bank_conflicts)
    }
    SharedWriteFewestWavefronts {
        label: "wavefronts, conflicts apart", unit: "wavefronts", on: SharedStore,
        of: (Counted Count |counts| Some(counts.shared_store.wavefronts - counts.shared_store.bank_conflicts)),
        ncu: "shared store wavefronts, conflicts apart" =
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
                - "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
    }
    SharedAtomicRequests {
        label: "requests", unit: "requests", on: SharedAtomic,
        of: (counted shared_atomic.requests)
    }
    SharedAtomicWavefronts {
        label: "wavefronts", unit: "wavefronts", on: SharedAtomic,
        of: (counted shared_atomic.wavefronts)
    }
    SharedAtomicConflicts {
        label: "bank conflicts", unit: "wavefronts", on: SharedAtomic,
        of: (counted shared_atomic.bank_conflicts)
    }
    BankConflicts {
        lesson: "bank conflicts", label: "bank conflicts", unit: "wavefronts", on: Itself,
        of: (Counted Count |counts| {
            let shared = [counts.shared_load, counts.shared_store, counts.shared_atomic];
            Some(shared.iter().map(|shared| shared.bank_conflicts).sum())
        })
    }
    // Constant memory, which has a cache of its own.
    ConstantRequests {
        label: "requests", unit: "requests", on: Itself,
        of: (counted constant_load.requests)
    }
    ConstantAddresses {
        label: "addresses", unit: "addresses", on: Itself,
        of: (counted constant_load.distinct_addresses)
    }
    // Control flow and instructions.
    Branches {
        lesson: "branches", label: "executed", unit: "branches", on: Branch,
        of: (counted branches.executed)
    }
    DivergentBranches {
        lesson: "divergent branches", label: "divergent", unit: "branches", on: Branch,
        of: (counted branches.divergent)
    }
    WarpInstructions {
        lesson: "warp instructions", label: "warps", unit: "instructions", on: Itself,
        of: (counted warp_instructions)
    }
    ThreadInstructions {
        lesson: "thread instructions", label: "lanes", unit: "instructions", on: Itself,
        of: (counted thread_instructions)
    }
    // Memory levels behind the SMs, by the model of the chosen GPU.
    L1SectorsHit {
        lesson: "L1 sectors hit", label: "L1 sectors hit", unit: "sectors", on: L1Read,
        of: (modelled l1.load_sectors_hit),
        ncu: "L1 load sectors hit" =
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
    }
    L1SectorsMissed {
        label: "L1 sectors missed", unit: "sectors", on: L1Read,
        of: (Modelled Count |counts| {
            let hit = counts.l1.0?.load_sectors_hit;
            Some(counts.global_load.sectors.saturating_sub(hit))
        })
    }
    L2SectorsRead {
        lesson: "L2 sectors read", label: "L2 sectors", unit: "sectors", on: L2Read,
        of: (modelled l2.read_sectors),
        ncu: "L2 read sectors" =
            "lts__t_sectors_srcunit_tex_op_read.sum"
    }
    L2SectorsHit {
        lesson: "L2 sectors hit", label: "of them hit", unit: "sectors", on: L2Read,
        of: (modelled l2.read_sectors_hit)
    }
    L2SectorsMissed {
        label: "of them missed", unit: "sectors", on: L2Read,
        of: (Modelled Count |counts| {
            let l2 = counts.l2.0?;
            Some(l2.read_sectors.saturating_sub(l2.read_sectors_hit))
        })
    }
    L2SectorsWritten {
        lesson: "L2 sectors written", label: "L2 sectors", unit: "sectors", on: Itself,
        of: (modelled l2.write_sectors)
    }
    DramBytesRead {
        lesson: "DRAM bytes read", label: "memory bytes", unit: "bytes", on: Itself,
        of: (modelled dram.read_bytes),
        ncu: "DRAM bytes read" =
            "dram__bytes_read.sum"
    }
    DramBytesWritten {
        lesson: "DRAM bytes written", label: "memory bytes", unit: "bytes", on: Itself,
        of: (modelled dram.write_bytes),
        ncu: "DRAM bytes written" =
            "dram__bytes_write.sum"
    }
    // Arithmetic.
    Fp32Additions {
        label: "add, subtract", unit: "operations", on: Itself,
        of: (counted fp32.add),
        ncu: "fp32 add" =
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"
    }
    Fp32Multiplications {
        label: "multiply", unit: "operations", on: Itself,
        of: (counted fp32.mul),
        ncu: "fp32 mul" =
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"
    }
    Fp32FusedMultiplyAdds {
        label: "fused multiply-add", unit: "operations", on: Itself,
        of: (counted fp32.fma),
        ncu: "fp32 fma" =
            "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
    }
    SpecialOperations {
        lesson: "special operations", label: "special functions", unit: "operations", on: Itself,
        of: (counted fp32.special)
    }
    Fp32Flops {
        label: "fp32 operations", unit: "operations", on: Itself,
        of: (Counted Count |counts| Some(counts.fp32.flops()))
    }
    Flops {
        lesson: "floating-point operations", label: "floating-point operations", unit: "operations", on: Itself,
        of: (Counted Count |counts| Some(counts.flops()))
    }
    // The same pipe also carries out some arithmetic of half pairs, which is no product of matrices.
    TensorInstructions {
        lesson: "tensor instructions", label: "instructions", unit: "instructions", on: Itself,
        of: (counted tensor.mma),
        ncu: "tensor instructions" =
            "sm__inst_executed_pipe_tensor_op_hmma.sum"
                - "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"
    }
    TensorMultiplyAdds {
        lesson: "tensor multiply-adds", label: "mul-adds", unit: "multiply-adds", on: Itself,
        of: (counted tensor.multiply_adds)
    }
}

impl Measure {
    fn row(self) -> &'static MeasureRow {
        &ROWS[self as usize]
    }

    /// The measure called `name` in lessons.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|measure| measure.row().in_lessons == Some(name))
    }

    /// All names in lessons, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().filter_map(|row| row.in_lessons)
    }

    /// Its name in lessons; nothing of what they do not speak of.
    pub fn name_in_lessons(self) -> Option<&'static str> {
        self.row().in_lessons
    }

    /// Its name in lessons and reports; its label where lessons do not speak of it.
    pub fn name(self) -> &'static str {
        self.row().in_lessons.unwrap_or(self.row().label)
    }

    /// What stands beside its number, under a heading that says of which memory it is.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// What it counts.
    pub fn unit(self) -> &'static str {
        self.row().unit
    }

    /// How it comes to be.
    pub fn evidence(self) -> Evidence {
        self.row().evidence
    }

    /// Where it stands in the JSON of counts, such as `global_load.sectors`; nothing where it follows from others.
    pub fn json_path(self) -> Option<&'static str> {
        self.row().json
    }

    /// Its value in `counts`; nothing where no model ran for it.
    pub fn amount(self, counts: &Counts) -> Option<Amount> {
        match self.row().reading {
            Reading::Count(read) => read(counts).map(Amount::Count),
            Reading::Share(read) => read(counts).map(Amount::Share),
        }
    }

    /// The same as a number; nothing of a share.
    pub fn of(self, counts: &Counts) -> Option<u64> {
        match self.amount(counts)? {
            Amount::Count(count) => Some(count),
            Amount::Share(_) => None,
        }
    }

    /// Its value of a line; nothing too where the line executes nothing of the kind. A load without bank conflicts
    /// has 0 of them, an addition has none.
    pub fn of_line(self, counts: &Counts) -> Option<Amount> {
        let amount = self.amount(counts)?;
        self.row().event.happened(counts, amount).then_some(amount)
    }

    /// The measures that add up to it on hardware, each with how often it counts; none where the hardware is not
    /// asked for it.
    fn hardware_parts(self) -> &'static [(Measure, u64)] {
        match self {
            // An instruction of the tensor cores is 2048 multiply-adds (`HMMA.16816`: 16 x 8 x 16).
            Measure::Flops => &[
                (Measure::Fp32Additions, 1),
                (Measure::Fp32Multiplications, 1),
                (Measure::Fp32FusedMultiplyAdds, 2),
                (Measure::TensorInstructions, 4096),
            ],
            Measure::TensorMultiplyAdds => &[(Measure::TensorInstructions, 2048)],
            _ => &[],
        }
    }

    /// Its own place in [`HARDWARE_COUNTERS`].
    fn hardware_index(self) -> Option<usize> {
        HARDWARE_COUNTERS
            .iter()
            .position(|counter| counter.measure == self)
    }

    /// Whether the hardware has counters for it.
    pub fn is_on_hardware(self) -> bool {
        self.hardware_index().is_some() || !self.hardware_parts().is_empty()
    }

    /// Its value by the hardware's `counters`, in order of [`HARDWARE_COUNTERS`]; nothing where one is missing.
    pub fn of_hardware(self, counters: &[Option<u64>]) -> Option<u64> {
        if let Some(at) = self.hardware_index() {
            return *counters.get(at)?;
        }
        let parts = self.hardware_parts();
        let counted = parts
            .iter()
            .map(|&(part, times)| Some(times * part.of_hardware(counters)?));
        counted.sum::<Option<u64>>().filter(|_| !parts.is_empty())
    }
}

/// A counter of the hardware that ours can stand beside.
#[derive(Debug)]
pub struct HardwareCounter {
    /// What of ours it stands beside.
    pub measure: Measure,
    /// What it counts, in our words.
    pub name: &'static str,
    /// Nsight Compute's names of what is added.
    pub adds: &'static [&'static str],
    /// Nsight Compute's name of what is taken away.
    pub takes: Option<&'static str>,
}

/// What can be compared, in the table's order.
pub static HARDWARE_COUNTERS: LazyLock<Vec<HardwareCounter>> = LazyLock::new(|| {
    let rows = Measure::ALL.iter().zip(ROWS);
    let counters = rows.filter_map(|(&measure, row)| {
        let Profiled { name, adds, takes } = *row.profiled.as_ref()?;
        Some(HardwareCounter {
            measure,
            name,
            adds,
            takes,
        })
    });
    counters.collect()
});

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

    /// Whether it depends on what L2 held before the launch.
    pub fn depends_on_caches(&self) -> bool {
        matches!(
            self.measure,
            Measure::DramBytesRead | Measure::DramBytesWritten
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Every number in `json`, with its path.
    fn numbers(path: &str, json: &Value, found: &mut Vec<(String, Option<u64>)>) {
        match json {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if path.is_empty() {
                        name.clone()
                    } else {
                        format!("{path}.{name}")
                    };
                    numbers(&path, value, found);
                }
            }
            number => found.push((path.to_owned(), number.as_u64())),
        }
    }

    #[test]
    fn every_number_of_the_counts_has_one_row_which_reads_it() {
        let mut counts = Counts::default();
        (counts.l1.0, counts.l2.0, counts.dram.0) = (
            Some(Default::default()),
            Some(Default::default()),
            Some(Default::default()),
        );
        let json = serde_json::to_value(counts).expect("is plain");
        let mut found = Vec::new();
        numbers("", &json, &mut found);
        for (path, _) in &found {
            let rows = Measure::ALL
                .iter()
                .filter(|measure| measure.json_path() == Some(path));
            assert_eq!(rows.count(), 1, "{path}");
        }
        let rows = Measure::ALL
            .iter()
            .filter(|measure| measure.json_path().is_some());
        assert_eq!(rows.count(), found.len());
    }

    #[test]
    fn what_the_hardware_counts_goes_by_its_names() {
        let counters: Vec<Option<u64>> = (0..HARDWARE_COUNTERS.len() as u64).map(Some).collect();
        for &measure in Measure::ALL {
            let found = measure.of_hardware(&counters);
            assert_eq!(found.is_some(), measure.is_on_hardware(), "{measure:?}");
        }
        // Add, mul, fma and tensor cores stand last; a fused multiply-add is two operations.
        assert_eq!(
            Measure::Flops.of_hardware(&counters),
            Some(12 + 13 + 2 * 14 + 4096 * 15)
        );
        assert_eq!(Measure::Flops.of_hardware(&counters[..14]), None);
    }

    #[test]
    fn every_name_finds_its_measure_and_what_is_modelled_needs_a_model() {
        let nothing = Counts::default();
        for &measure in Measure::ALL {
            if measure.row().in_lessons.is_some() {
                assert_eq!(Measure::from_name(measure.name()), Some(measure));
            }
            if matches!(measure.row().reading, Reading::Count(_)) {
                let counted = measure.evidence() == Evidence::Counted;
                assert_eq!(measure.of(&nothing), counted.then_some(0), "{measure:?}");
            }
        }
    }

    #[test]
    fn a_line_has_only_what_it_executed() {
        let mut counts = Counts::default();
        assert_eq!(Measure::SharedReadConflicts.of_line(&counts), None);
        counts.shared_load.requests = 1;
        assert_eq!(
            Measure::SharedReadConflicts.of_line(&counts),
            Some(Amount::Count(0))
        );
        assert_eq!(Measure::SpecialOperations.of_line(&counts), None);
        counts.global_load.sectors = 1;
        assert_eq!(Measure::L1SectorsHit.of_line(&counts), None, "no model ran");
    }
}
