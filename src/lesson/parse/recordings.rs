//! The sizes that a lesson is recorded at, beside its defaults.

use std::collections::BTreeSet;

use crate::lesson::outline::RecordedSizes;
use crate::lesson::reader::{Findings, Numbers, Placed, Table};
use crate::lesson::sizes::{Size, Sizes, defaults};
use crate::source::Diagnostic;

/// The sizes of each `[[recordings]]` table; what a table does not say is the default.
pub(super) fn read_recordings(
    tables: Vec<Table>,
    sizes: &[Size],
    findings: &Findings,
) -> Vec<RecordedSizes> {
    let mut reader = Reader {
        sizes,
        findings,
        // The defaults are always recorded: they stand here to be compared with, and not in the result.
        known: BTreeSet::from([(Vec::new(), defaults(sizes))]),
        all: Vec::new(),
    };
    for table in tables {
        reader.read(table);
    }
    reader.all
}

struct Reader<'a> {
    sizes: &'a [Size],
    findings: &'a Findings,
    known: BTreeSet<(Vec<String>, Sizes)>,
    all: Vec<RecordedSizes>,
}

impl Reader<'_> {
    fn read(&mut self, mut table: Table) {
        let (span, before) = (table.span, self.findings.count());
        let cells: Vec<String> = table.optional("cells").unwrap_or_default();
        let is_counted = table.optional("counted").unwrap_or(true);
        let mut chosen = vec![defaults(self.sizes)];
        for (name, numbers) in table.entries::<Placed<Numbers>>() {
            if let Some(size) = self.size(&name) {
                self.check_least(size, &numbers);
                chosen = each(&chosen, size, &numbers.value.0);
            }
        }
        for sizes in chosen {
            let is_new = self.known.insert((cells.clone(), sizes.clone()));
            if self.findings.count() == before && !is_new {
                self.findings.add(
                    Diagnostic::error(span, "these sizes are recorded already")
                        .help("the defaults always are; list others"),
                );
            }
            self.all.push(RecordedSizes {
                sizes,
                cells: cells.clone(),
                is_counted,
            });
        }
    }

    fn size(&self, name: &Placed<String>) -> Option<&Size> {
        let size = self.sizes.iter().find(|size| size.name == name.value);
        size.or_else(|| {
            let names = self.sizes.iter().map(|size| size.name.as_str());
            let message = format!("`{}` is not a size of this lesson", name.value);
            self.findings.unknown(name, message, names)
        })
    }

    fn check_least(&self, size: &Size, numbers: &Placed<Numbers>) {
        if numbers.value.0.iter().any(|&value| value < size.min) {
            let message = format!("{} is at least {}", size.name, size.min);
            self.findings.error(numbers.span, message);
        }
    }
}

/// Each of `chosen` with each of the values of `size`.
fn each(chosen: &[Sizes], size: &Size, values: &[u64]) -> Vec<Sizes> {
    let with = |sizes: &Sizes, value| {
        let mut sizes = sizes.clone();
        size.set(&mut sizes, value);
        sizes
    };
    let each = chosen
        .iter()
        .flat_map(|sizes| values.iter().map(|&value| with(sizes, value)));
    each.collect()
}
