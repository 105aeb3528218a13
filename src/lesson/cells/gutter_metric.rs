//! What the gutter of a source can show of a line: pairs of measures. Their values are the measures' own.

use crate::launch::{Amount, Counts, Evidence, Measure};

/// A measure of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table names them")]
pub enum GutterMetric {
    #[default]
    Elements,
    Distinct,
    Requests,
    Sectors,
    Efficiency,
    Wavefronts,
    Conflicts,
    Atomics,
    L1,
    L2,
    Dram,
    Operations,
    Tensor,
    Branches,
    Instructions,
}

/// A measure of the gutter: what its two columns show.
struct MetricRow {
    metric: GutterMetric,
    name: &'static str,
    columns: [(&'static str, Measure); 2],
    meaning: &'static str,
}

/// Every measure, in the order a key goes through them.
#[rustfmt::skip]
static ROWS: [MetricRow; 15] = [
    MetricRow { metric: GutterMetric::Elements, name: "reads and writes",
        columns: [("reads", Measure::ElementsRead), ("writes", Measure::ElementsWritten)],
        meaning: "elements of global memory that lanes loaded and stored; every lane counts" },
    MetricRow { metric: GutterMetric::Distinct, name: "distinct elements",
        columns: [("reads", Measure::DistinctElementsRead), ("writes", Measure::DistinctElementsWritten)],
        meaning: "different elements of global memory that the line touched in a launch: traffic that no cache can spare" },
    MetricRow { metric: GutterMetric::Requests, name: "requests",
        columns: [("reads", Measure::RequestsRead), ("writes", Measure::RequestsWritten)],
        meaning: "loads and stores of global memory that warps executed; one request serves all lanes of a warp" },
    MetricRow { metric: GutterMetric::Sectors, name: "sectors",
        columns: [("reads", Measure::SectorsRead), ("writes", Measure::SectorsWritten)],
        meaning: "sectors of 32 bytes that the requests moved between SM and L1" },
    MetricRow { metric: GutterMetric::Efficiency, name: "efficiency",
        columns: [("reads", Measure::ReadEfficiency), ("writes", Measure::WriteEfficiency)],
        meaning: "share of the bytes that lanes used, among all bytes of the sectors that moved" },
    MetricRow { metric: GutterMetric::Wavefronts, name: "shared wavefronts",
        columns: [("reads", Measure::SharedReadWavefronts), ("writes", Measure::SharedWriteWavefronts)],
        meaning: "passes through the 32 banks that loads and stores of shared memory took" },
    MetricRow { metric: GutterMetric::Conflicts, name: "bank conflicts",
        columns: [("reads", Measure::SharedReadConflicts), ("writes", Measure::SharedWriteConflicts)],
        meaning: "wavefronts beyond the fewest that accesses of that width could take" },
    MetricRow { metric: GutterMetric::Atomics, name: "atomics",
        columns: [("global", Measure::AtomicRequests), ("shared", Measure::SharedAtomicRequests)],
        meaning: "requests of atomic operations that warps executed, on global and on shared memory" },
    MetricRow { metric: GutterMetric::L1, name: "L1 sectors",
        columns: [("hit", Measure::L1SectorsHit), ("missed", Measure::L1SectorsMissed)],
        meaning: "sectors of loads that were in the L1 of their SM, and those that came from L2" },
    MetricRow { metric: GutterMetric::L2, name: "L2 read sectors",
        columns: [("hit", Measure::L2SectorsHit), ("missed", Measure::L2SectorsMissed)],
        meaning: "sectors that L1 read from L2: those that were there, and those that came from device memory" },
    MetricRow { metric: GutterMetric::Dram, name: "DRAM bytes",
        columns: [("read", Measure::DramBytesRead), ("written", Measure::DramBytesWritten)],
        meaning: "bytes between L2 and device memory; written bytes count when they leave L2" },
    MetricRow { metric: GutterMetric::Operations, name: "fp32 operations",
        columns: [("FLOPs", Measure::Fp32Flops), ("special", Measure::SpecialOperations)],
        meaning: "additions, multiplications, and fused multiply-adds as two; beside them exponentials, roots and the like" },
    MetricRow { metric: GutterMetric::Tensor, name: "tensor cores",
        columns: [("instrs", Measure::TensorInstructions), ("mul-adds", Measure::TensorMultiplyAdds)],
        meaning: "instructions of the tensor cores that warps executed, and their multiplications, each with an addition" },
    MetricRow { metric: GutterMetric::Branches, name: "divergence",
        columns: [("all", Measure::Branches), ("split", Measure::DivergentBranches)],
        meaning: "branches that warps executed, and those where lanes took both ways" },
    MetricRow { metric: GutterMetric::Instructions, name: "instructions",
        columns: [("warps", Measure::WarpInstructions), ("lanes", Measure::ThreadInstructions)],
        meaning: "instructions of the simulated GPU's own bytecode, counted per warp and per active lane" },
];

impl GutterMetric {
    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = GutterMetric> {
        ROWS.iter().map(|row| row.metric)
    }

    fn row(self) -> &'static MetricRow {
        let found = ROWS.iter().find(|row| row.metric == self);
        found.unwrap_or(&ROWS[0])
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|metric| metric.name() == name)
    }

    /// The one after this.
    pub fn next(self) -> Self {
        let mut after = Self::all().skip_while(|&metric| metric != self).skip(1);
        after.next().unwrap_or(ROWS[0].metric)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether all that it counts costs time for nothing.
    pub fn counts_waste(self) -> bool {
        self == GutterMetric::Conflicts
    }

    /// What its two columns are.
    pub fn columns(self) -> [&'static str; 2] {
        self.row().columns.map(|(name, _)| name)
    }

    /// What they count.
    #[cfg(test)]
    pub fn measures(self) -> [Measure; 2] {
        self.row().columns.map(|(_, measure)| measure)
    }

    /// How its numbers come to be.
    pub fn evidence(self) -> Evidence {
        self.row().columns[0].1.evidence()
    }

    /// What it counts, as a sentence without a full stop.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// What it shows of `counts`.
    pub fn of(self, counts: &Counts) -> [Option<Amount>; 2] {
        let columns = self.row().columns;
        columns.map(|(_, measure)| measure.of_line(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{L1Counts, Modelled};

    #[test]
    fn a_key_goes_through_every_measure_and_comes_back() {
        let mut at = GutterMetric::default();
        let mut seen = Vec::new();
        while !seen.contains(&at) {
            seen.push(at);
            at = at.next();
        }
        assert_eq!((seen.len(), at), (ROWS.len(), GutterMetric::default()));
    }

    #[test]
    fn what_nobody_modelled_is_not_a_zero() {
        let mut counts = Counts::default();
        counts.global_load.sectors = 10;
        assert_eq!(GutterMetric::L1.of(&counts), [None; 2]);
        counts.l1 = Modelled(Some(L1Counts {
            load_sectors_hit: 7,
        }));
        let missed = [7, 3].map(|count| Some(Amount::Count(count)));
        assert_eq!(GutterMetric::L1.of(&counts), missed);
    }

    #[test]
    fn a_line_without_conflicts_says_zero_and_one_without_accesses_nothing() {
        let mut counts = Counts::default();
        counts.shared_load.requests = 4;
        let zero = [Some(Amount::Count(0)), None];
        assert_eq!(GutterMetric::Conflicts.of(&counts), zero);
    }
}
