//! Times in a file, a line for each run: a sweep that was stopped goes on behind the last.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::launch::{Evidence, Timing};
use crate::runtime::replace_file;
use crate::source::read_file;

/// Longest file that is read: a sweep has some hundreds of runs.
const MOST_BYTES: u64 = 16 << 20;

/// A run that was timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    /// The GPU, as its driver calls it.
    pub device: String,
    /// The run cell.
    pub cell: String,
    /// Hash of its kernels' file: of other kernels the times say nothing.
    pub kernels: String,
    /// Its sizes, as in `M=4096 N=256`.
    pub sizes: String,
    /// Half of the runs took at most this.
    pub median_ms: f64,
    /// A fifth of them did.
    pub p20_ms: f64,
    /// Four fifths of them did.
    pub p80_ms: f64,
    /// How many runs.
    pub runs: u32,
}

impl Row {
    /// Whether both are of the same kernels at the same sizes on the same GPU.
    pub fn is_of(&self, other: &Row) -> bool {
        let key = |row: &Row| {
            let Row {
                device,
                cell,
                kernels,
                sizes,
                ..
            } = row.clone();
            (device, cell, kernels, sizes)
        };
        key(self) == key(other)
    }

    /// Writes down what it took.
    pub fn set(&mut self, timing: &Timing) {
        self.median_ms = timing.median_ms;
        self.p20_ms = timing.p20_ms;
        self.p80_ms = timing.p80_ms;
        self.runs = timing.runs;
    }

    /// Its times. Nothing was counted, so there are no rates.
    pub fn timing(&self) -> Timing {
        Timing {
            median_ms: self.median_ms,
            p20_ms: self.p20_ms,
            p80_ms: self.p80_ms,
            graph_ms: None,
            runs: self.runs,
            gb_s: None,
            tflop_s: None,
            device: self.device.clone(),
            l2: "flushed".to_owned(),
            share_of_peak_bandwidth: None,
            share_of_copy_bandwidth: None,
            evidence: Evidence::Measured,
        }
    }
}

/// The file of a sweep, and what stands in it.
pub(super) struct RunTable {
    path: PathBuf,
    rows: Vec<Row>,
}

impl RunTable {
    /// Reads what is there; nothing if there is no such file, or `afresh` leaves it aside.
    pub fn open(path: &Path, afresh: bool) -> io::Result<Self> {
        let mut table = RunTable {
            path: path.to_owned(),
            rows: Vec::new(),
        };
        if afresh {
            return Ok(table);
        }
        match read_file(path, MOST_BYTES) {
            Ok(bytes) => {
                let mut reader = csv::Reader::from_reader(bytes.as_slice());
                table.rows = reader.deserialize().collect::<Result<_, _>>()?;
                Ok(table)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(table),
            Err(error) => Err(error),
        }
    }

    /// The run that is like `row`, if it was timed before.
    pub fn find(&self, row: &Row) -> Option<&Row> {
        self.rows.iter().rev().find(|known| known.is_of(row))
    }

    /// Writes a run behind the others: at once, so that who stops the sweep now keeps it.
    pub fn add(&mut self, row: Row) -> io::Result<()> {
        self.rows.push(row);
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &self.rows {
            writer.serialize(row)?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        replace_file(&self.path, &String::from_utf8_lossy(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sizes: &str, median_ms: f64) -> Row {
        Row {
            device: "NVIDIA H200".to_owned(),
            cell: "fused".to_owned(),
            kernels: "ab".to_owned(),
            sizes: sizes.to_owned(),
            median_ms,
            p20_ms: 1.0,
            p80_ms: 3.0,
            runs: 20,
        }
    }

    #[test]
    fn what_was_timed_is_found_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bench/softmax.csv");
        let mut table = RunTable::open(&path, false).expect("begins empty");
        table.add(row("M=4096 N=256", 2.0)).expect("is written");
        table.add(row("M=4096 N=384", 2.5)).expect("is written");
        let table = RunTable::open(&path, false).expect("reads");
        let found = table.find(&row("M=4096 N=384", 0.0)).expect("is there");
        assert_eq!((found.median_ms, found.timing().runs), (2.5, 20));
        let other = Row {
            kernels: "cd".to_owned(),
            ..row("M=4096 N=384", 0.0)
        };
        assert_eq!(table.find(&other), None);
        let afresh = RunTable::open(&path, true).expect("is put aside");
        assert_eq!(afresh.find(&row("M=4096 N=256", 0.0)), None);
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("other.csv");
        std::fs::write(&path, "a,b\n1,2\n").expect("is written");
        assert!(RunTable::open(&path, false).is_err());
    }
}
