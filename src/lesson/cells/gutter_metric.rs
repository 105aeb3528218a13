//! What the gutter of a source can show of a line: pairs of measures. Their values are the measures' own.

use crate::launch::{Amount, Counts, Evidence, Measure};

/// A measure of the gutter: what its two columns show.
struct MetricRow {
    name: &'static str,
    columns: [(&'static str, Measure); 2],
    meaning: &'static str,
}

/// Measures as an enumeration and its table.
macro_rules! metrics {
    ($($(#[$attribute:meta])? $metric:ident = $name:literal
       [$first:literal $of_first:ident, $second:literal $of_second:ident] $meaning:literal;)*) => {
        /// What the gutter shows. A key goes through them in order.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the table names them")]
        pub enum GutterMetric {
            $($(#[$attribute])? $metric,)*
        }

        impl GutterMetric {
            const ALL: &[GutterMetric] = &[$(GutterMetric::$metric,)*];
        }

        static ROWS: &[MetricRow] = &[$(MetricRow {
            name: $name,
            columns: [($first, Measure::$of_first), ($second, Measure::$of_second)],
            meaning: $meaning,
        },)*];
    };
}

metrics! {
    #[default]
    Elements = "reads and writes" ["reads" ElementsRead, "writes" ElementsWritten]
        "elements of global memory that lanes loaded and stored; every lane counts";
    Distinct = "distinct elements" ["reads" DistinctElementsRead, "writes" DistinctElementsWritten]
        "different elements of global memory that the line touched in a launch: traffic that no cache can spare";
    Requests = "requests" ["reads" RequestsRead, "writes" RequestsWritten]
        "loads and stores of global memory that warps executed; one request serves all lanes of a warp";
    Sectors = "sectors" ["reads" SectorsRead, "writes" SectorsWritten]
        "sectors of 32 bytes that the requests moved between SM and L1";
    Efficiency = "efficiency" ["reads" ReadEfficiency, "writes" WriteEfficiency]
        "share of the bytes that lanes used, among all bytes of the sectors that moved";
    Wavefronts = "shared wavefronts" ["reads" SharedReadWavefronts, "writes" SharedWriteWavefronts]
        "passes through the 32 banks that loads and stores of shared memory took";
    Conflicts = "bank conflicts" ["reads" SharedReadConflicts, "writes" SharedWriteConflicts]
        "wavefronts beyond the fewest that accesses of that width could take";
    Atomics = "atomics" ["global" AtomicRequests, "shared" SharedAtomicRequests]
        "requests of atomic operations that warps executed, on global and on shared memory";
    L1 = "L1 sectors" ["hit" L1SectorsHit, "missed" L1SectorsMissed]
        "sectors of loads that were in the L1 of their SM, and those that came from L2";
    L2 = "L2 read sectors" ["hit" L2SectorsHit, "missed" L2SectorsMissed]
        "sectors that L1 read from L2: those that were there, and those that came from device memory";
    Dram = "DRAM bytes" ["read" DramBytesRead, "written" DramBytesWritten]
        "bytes between L2 and device memory; written bytes count when they leave L2";
    Operations = "fp32 operations" ["FLOPs" Fp32Flops, "special" SpecialOperations]
        "additions, multiplications, and fused multiply-adds as two; beside them exponentials, roots and the like";
    Tensor = "tensor cores" ["instrs" TensorInstructions, "mul-adds" TensorMultiplyAdds]
        "instructions of the tensor cores that warps executed, and their multiplications, each with an addition";
    Branches = "divergence" ["all" Branches, "split" DivergentBranches]
        "branches that warps executed, and those where lanes took both ways";
    Instructions = "instructions" ["warps" WarpInstructions, "lanes" ThreadInstructions]
        "instructions of the simulated GPU's own bytecode, counted per warp and per active lane";
}

impl GutterMetric {
    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = GutterMetric> {
        Self::ALL.iter().copied()
    }

    fn row(self) -> &'static MetricRow {
        &ROWS[self as usize]
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|metric| metric.name() == name)
    }

    /// The one after this.
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
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
