//! What an edit changed in the counts: only what differs from the lesson's kernel.

use ratatui::text::Line;

use crate::app::state::RunState;
use crate::app::view::widgets::Canvas;
use crate::device::grouped;
use crate::document::{Role, Theme, spread};
use crate::launch::Counts;
use crate::lesson::{Difference, Measure, difference};

/// A count by name; nothing where nobody modelled it.
type Of = fn(&Counts) -> Option<u64>;

/// Most columns, so that numbers stand near their names.
const WIDTH: usize = 60;

/// Counts that are held against the original's, in the order they are shown.
const COUNTS: [(&str, Of); 23] = [
    ("elements read", |counts| Some(counts.global_load.elements)),
    ("elements written", |counts| {
        Some(counts.global_store.elements)
    }),
    ("distinct elements read", |counts| {
        Some(counts.global_load.distinct_elements)
    }),
    ("distinct elements written", |counts| {
        Some(counts.global_store.distinct_elements)
    }),
    ("read requests", |counts| Some(counts.global_load.requests)),
    ("write requests", |counts| {
        Some(counts.global_store.requests)
    }),
    ("sectors read", |counts| Some(counts.global_load.sectors)),
    ("sectors written", |counts| {
        Some(counts.global_store.sectors)
    }),
    ("atomic requests", |counts| {
        Some(counts.global_atomic.requests)
    }),
    ("shared wavefronts read", |counts| {
        Some(counts.shared_load.wavefronts)
    }),
    ("shared wavefronts written", |counts| {
        Some(counts.shared_store.wavefronts)
    }),
    ("bank conflicts", |counts| {
        Some(counts.shared_load.bank_conflicts + counts.shared_store.bank_conflicts)
    }),
    ("L2 sectors read", |counts| Some(counts.l2.0?.read_sectors)),
    ("L2 sectors written", |counts| {
        Some(counts.l2.0?.write_sectors)
    }),
    ("memory bytes read", |counts| {
        Some(counts.dram.0?.read_bytes)
    }),
    ("memory bytes written", |counts| {
        Some(counts.dram.0?.write_bytes)
    }),
    ("adds", |counts| Some(counts.fp32.add)),
    ("multiplies", |counts| Some(counts.fp32.mul)),
    ("fused multiply-adds", |counts| Some(counts.fp32.fma)),
    ("special functions", |counts| Some(counts.fp32.special)),
    ("tensor multiply-adds", |counts| {
        Some(counts.tensor.multiply_adds)
    }),
    ("divergent branches", |counts| {
        Some(counts.branches.divergent)
    }),
    ("warp instructions", |counts| Some(counts.warp_instructions)),
];

/// The counts that differ, each with by how much; nothing where no edited kernel ran.
pub(crate) fn lines(canvas: &Canvas, width: usize, state: &RunState) -> Vec<Line<'static>> {
    let Some((original, edited)) = state.tallies() else {
        return Vec::new();
    };
    let mut lines = vec![canvas.text("against the original", Role::Strong)];
    for (name, of) in COUNTS {
        if let Some(found) =
            difference(&original, &edited, state.launch, of).filter(|found| found.by != 0)
        {
            lines.push(line(canvas, width, name, &found));
        }
    }
    if lines.len() == 1 {
        lines.push(canvas.text("  every count is the same", Role::Muted));
    }
    lines.push(Line::default());
    lines
}

/// A count's name, and by how much it differs: `−2MN = −2,847,526`, or the number alone.
fn line(canvas: &Canvas, width: usize, name: &str, difference: &Difference) -> Line<'static> {
    let theme = canvas.theme();
    let number = signed(difference.by, theme);
    let formula = difference.formula.as_ref();
    let formula = formula.map(|formula| format!("{formula} = "));
    let mut right = Line::default();
    right.extend(formula.map(|formula| canvas.span(formula, Role::Strong)));
    right.push_span(canvas.span(number, Role::Text));
    let name = canvas.span(format!("  {name}"), Role::Muted);
    spread(Line::from(name), right, width.min(WIDTH), theme)
}

/// A difference with its sign.
fn signed(by: i128, theme: Theme) -> String {
    let sign = if by < 0 {
        theme.glyph("\u{2212}", "-")
    } else {
        "+"
    };
    // Two counts of 64 bits differ by at most that.
    let most = u64::try_from(by.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", grouped(most))
}

/// What an edit changed, in a few words: `−2MN elements read`; where it moves the same elements, what it changed in sectors.
pub(crate) fn summary(theme: Theme, state: &RunState) -> Option<String> {
    let (original, edited) = state.tallies()?;
    let changes = |measures: [Measure; 2]| {
        let parts = measures.iter().filter_map(|measure| {
            let found = difference(&original, &edited, None, |counts| measure.of(counts))?;
            let by = found.formula.unwrap_or_else(|| signed(found.by, theme));
            (found.by != 0).then(|| format!("{by} {}", measure.name()))
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    let elements = changes([Measure::ElementsRead, Measure::ElementsWritten]);
    let sectors = || changes([Measure::SectorsRead, Measure::SectorsWritten]);
    let changed = elements.or_else(sectors);
    Some(changed.unwrap_or_else(|| "the same elements and sectors".to_owned()))
}
