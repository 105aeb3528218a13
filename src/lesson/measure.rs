//! What a run counts, by the names that lessons use.

use crate::launch::{Counts, Evidence};

/// A count, summed over the launches of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table below says what each is")]
pub enum Measure {
    DistinctElementsRead,
    DistinctElementsWritten,
    ElementsRead,
    ElementsWritten,
    RequestsRead,
    RequestsWritten,
    SectorsRead,
    SectorsWritten,
    BankConflicts,
    DramBytesRead,
    DramBytesWritten,
}

use Measure::*;

/// A measure, its name, and its value; nothing where no model ran.
type Row = (Measure, &'static str, fn(&Counts) -> Option<u64>);

/// Every measure. What is read and written is global memory.
const MEASURES: [Row; 11] = [
    (DistinctElementsRead, "distinct elements read", |counts| {
        Some(counts.global_load.distinct_elements)
    }),
    (
        DistinctElementsWritten,
        "distinct elements written",
        |counts| Some(counts.global_store.distinct_elements),
    ),
    (ElementsRead, "elements read", |counts| {
        Some(counts.global_load.elements)
    }),
    (ElementsWritten, "elements written", |counts| {
        Some(counts.global_store.elements)
    }),
    (RequestsRead, "read requests", |counts| {
        Some(counts.global_load.requests)
    }),
    (RequestsWritten, "write requests", |counts| {
        Some(counts.global_store.requests)
    }),
    (SectorsRead, "sectors read", |counts| {
        Some(counts.global_load.sectors)
    }),
    (SectorsWritten, "sectors written", |counts| {
        Some(counts.global_store.sectors)
    }),
    (BankConflicts, "bank conflicts", |counts| {
        let [load, store, atomic] = [
            counts.shared_load,
            counts.shared_store,
            counts.shared_atomic,
        ];
        Some(load.bank_conflicts + store.bank_conflicts + atomic.bank_conflicts)
    }),
    (DramBytesRead, "DRAM bytes read", |counts| {
        counts.dram.0.map(|dram| dram.read_bytes)
    }),
    (DramBytesWritten, "DRAM bytes written", |counts| {
        counts.dram.0.map(|dram| dram.write_bytes)
    }),
];

impl Measure {
    /// The measure called `name` in lessons.
    pub fn from_name(name: &str) -> Option<Self> {
        let entry = MEASURES.iter().find(|entry| entry.1 == name);
        entry.map(|entry| entry.0)
    }

    /// All names, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MEASURES.iter().map(|entry| entry.1)
    }

    /// Its name in lessons and reports.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.1)
    }

    /// Its value in `counts`; nothing where no model ran for it.
    pub fn of(self, counts: &Counts) -> Option<u64> {
        self.row().and_then(|row| (row.2)(counts))
    }

    /// How it comes to be.
    pub fn evidence(self) -> Evidence {
        match self {
            DramBytesRead | DramBytesWritten => Evidence::Modelled,
            _ => Evidence::Counted,
        }
    }

    fn row(self) -> Option<&'static Row> {
        MEASURES.iter().find(|row| row.0 == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_one_row_and_its_name_finds_it() {
        for (measure, name, _) in MEASURES {
            assert_eq!(Measure::from_name(name), Some(measure));
            assert_eq!(measure.name(), name);
        }
        let nothing = Counts::default();
        assert_eq!(BankConflicts.of(&nothing), Some(0));
        assert_eq!(DramBytesRead.of(&nothing), None, "no model ran");
    }
}
