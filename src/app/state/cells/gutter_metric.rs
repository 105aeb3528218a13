//! What the source's margin can show of a line: one table of measures.

use crate::launch::{Counts, Evidence, GlobalCounts};

/// A measure of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table names them")]
pub enum Margin {
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

/// What a line did, by a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many.
    Count(u64),
    /// A part of a whole, between 0 and 1, of which more is better.
    Share(f64),
}

/// Both columns of a measure; nothing where the line does nothing of the kind, or nobody modelled it.
type Columns = [Option<Amount>; 2];

struct Row {
    margin: Margin,
    name: &'static str,
    columns: [&'static str; 2],
    evidence: Evidence,
    meaning: &'static str,
    of: fn(&Counts) -> Columns,
}

/// Every measure, in the order a key goes through them.
#[rustfmt::skip]
static ROWS: [Row; 15] = [
    Row { margin: Margin::Elements, name: "elements", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "elements of global memory that lanes loaded and stored, each lane's counted",
        of: |counts| global(counts, |of| Some(Amount::Count(of.elements))) },
    Row { margin: Margin::Distinct, name: "distinct elements", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "different elements of global memory that the line touched in a launch: traffic that no cache can spare",
        of: |counts| global(counts, |of| Some(Amount::Count(of.distinct_elements))) },
    Row { margin: Margin::Requests, name: "requests", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "loads and stores of global memory that warps executed, one for all lanes of a warp",
        of: |counts| global(counts, |of| Some(Amount::Count(of.requests))) },
    Row { margin: Margin::Sectors, name: "sectors", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "sectors of 32 bytes that the requests moved between SM and L1",
        of: |counts| global(counts, |of| Some(Amount::Count(of.sectors))) },
    Row { margin: Margin::Efficiency, name: "efficiency", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "bytes that lanes used, of all bytes in the sectors that moved; less is hotter",
        of: |counts| global(counts, |of| of.efficiency().map(Amount::Share)) },
    Row { margin: Margin::Wavefronts, name: "shared wavefronts", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "passes through the 32 banks that loads and stores of shared memory took",
        of: |counts| pair((counts.shared_load.requests, counts.shared_load.wavefronts),
            (counts.shared_store.requests, counts.shared_store.wavefronts)) },
    Row { margin: Margin::Conflicts, name: "bank conflicts", columns: ["reads", "writes"], evidence: Evidence::Counted,
        meaning: "wavefronts beyond the fewest that accesses of that width could take",
        of: |counts| pair((counts.shared_load.requests, counts.shared_load.bank_conflicts),
            (counts.shared_store.requests, counts.shared_store.bank_conflicts)) },
    Row { margin: Margin::Atomics, name: "atomics", columns: ["global", "shared"], evidence: Evidence::Counted,
        meaning: "requests of atomic operations that warps executed, on global and on shared memory",
        of: |counts| pair((counts.global_atomic.requests, counts.global_atomic.requests),
            (counts.shared_atomic.requests, counts.shared_atomic.requests)) },
    Row { margin: Margin::L1, name: "L1 sectors", columns: ["hit", "missed"], evidence: Evidence::Modelled,
        meaning: "sectors of loads that the L1 of their SM had, and that it had to ask L2 for",
        of: |counts| cached(counts.global_load.sectors, counts.l1.0.map(|l1| l1.load_sectors_hit)) },
    Row { margin: Margin::L2, name: "L2 read sectors", columns: ["hit", "missed"], evidence: Evidence::Modelled,
        meaning: "sectors that L1 read from L2: those L2 had, and those that had to come from device memory",
        of: |counts| cached(counts.l2.0.map_or(0, |l2| l2.read_sectors), counts.l2.0.map(|l2| l2.read_sectors_hit)) },
    Row { margin: Margin::Dram, name: "DRAM bytes", columns: ["read", "written"], evidence: Evidence::Modelled,
        meaning: "bytes between L2 and device memory; what is written is charged when it leaves L2",
        of: |counts| counts.dram.0.map_or([None; 2], |dram| some([dram.read_bytes, dram.write_bytes])) },
    Row { margin: Margin::Operations, name: "fp32 operations", columns: ["FLOPs", "special"], evidence: Evidence::Counted,
        meaning: "additions, multiplications, and fused multiply-adds as two; and exponentials, roots and the like",
        of: |counts| some([counts.fp32.flops(), counts.fp32.special]) },
    Row { margin: Margin::Tensor, name: "tensor cores", columns: ["instrs", "mul-adds"], evidence: Evidence::Counted,
        meaning: "instructions of the tensor cores that warps executed, and their multiplications, each with an addition",
        of: |counts| some([counts.tensor.mma, counts.tensor.multiply_adds]) },
    Row { margin: Margin::Branches, name: "branches", columns: ["all", "split"], evidence: Evidence::Counted,
        meaning: "branches that warps executed, and those whose lanes went both ways",
        of: |counts| pair((counts.branches.executed, counts.branches.executed),
            (counts.branches.executed, counts.branches.divergent)) },
    Row { margin: Margin::Instructions, name: "instructions", columns: ["warps", "lanes"], evidence: Evidence::Counted,
        meaning: "instructions of the simulated GPU's own bytecode, once a warp and once for each active lane",
        of: |counts| some([counts.warp_instructions, counts.thread_instructions]) },
];

fn global(counts: &Counts, of: fn(&GlobalCounts) -> Option<Amount>) -> Columns {
    let amount = |counts: &GlobalCounts| of(counts).filter(|_| counts.requests > 0);
    [amount(&counts.global_load), amount(&counts.global_store)]
}

/// Each column's number where its first number, of requests, is not zero.
fn pair(first: (u64, u64), second: (u64, u64)) -> Columns {
    [first, second].map(|(requests, count)| (requests > 0).then_some(Amount::Count(count)))
}

fn cached(sectors: u64, hit: Option<u64>) -> Columns {
    let Some(hit) = hit.filter(|_| sectors > 0) else {
        return [None; 2];
    };
    [hit, sectors.saturating_sub(hit)].map(|count| Some(Amount::Count(count)))
}

/// Each column's number, unless it is zero.
fn some(counts: [u64; 2]) -> Columns {
    counts.map(|count| (count > 0).then_some(Amount::Count(count)))
}

impl Margin {
    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Margin> {
        ROWS.iter().map(|row| row.margin)
    }

    fn row(self) -> &'static Row {
        let found = ROWS.iter().find(|row| row.margin == self);
        found.unwrap_or(&ROWS[0])
    }

    /// The one after this.
    pub fn next(self) -> Self {
        let mut after = Self::all().skip_while(|&margin| margin != self).skip(1);
        after.next().unwrap_or(ROWS[0].margin)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What its two columns are.
    pub fn columns(self) -> [&'static str; 2] {
        self.row().columns
    }

    /// How its numbers come to be.
    pub fn evidence(self) -> Evidence {
        self.row().evidence
    }

    /// What it counts, as a sentence without a full stop.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// What it shows of `counts`.
    pub fn of(self, counts: &Counts) -> [Option<Amount>; 2] {
        (self.row().of)(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{L1Counts, Modelled};

    #[test]
    fn a_key_goes_through_every_measure_and_comes_back() {
        let mut at = Margin::default();
        let mut seen = Vec::new();
        while !seen.contains(&at) {
            seen.push(at);
            at = at.next();
        }
        assert_eq!((seen.len(), at), (ROWS.len(), Margin::default()));
    }

    #[test]
    fn what_nobody_modelled_is_not_a_zero() {
        let mut counts = Counts::default();
        counts.global_load.sectors = 10;
        assert_eq!(Margin::L1.of(&counts), [None; 2]);
        counts.l1 = Modelled(Some(L1Counts {
            load_sectors_hit: 7,
        }));
        let missed = [7, 3].map(|count| Some(Amount::Count(count)));
        assert_eq!(Margin::L1.of(&counts), missed);
    }

    #[test]
    fn a_line_without_conflicts_says_zero_and_one_without_accesses_nothing() {
        let mut counts = Counts::default();
        counts.shared_load.requests = 4;
        let zero = [Some(Amount::Count(0)), None];
        assert_eq!(Margin::Conflicts.of(&counts), zero);
    }
}
