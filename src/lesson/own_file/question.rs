//! What a page asks of a kernel, by what a first run of it counted: the picture beside the kernel answers it.

use crate::device::percent;
use crate::launch::{Counts, GlobalCounts};
use crate::lesson::cells::{FirstView, POOR_EFFICIENCY};

/// The question; nothing of a kernel that moves nothing.
pub fn question(counts: &Counts) -> Option<String> {
    let asked = match FirstView::telling(counts) {
        FirstView::Banks => {
            let wavefronts = counts.shared_wavefronts();
            let needed = share(wavefronts - counts.shared_bank_conflicts(), wavefronts);
            format!("{needed} of its wavefronts are needed. Which lanes ask for the same bank?")
        }
        FirstView::Access => {
            let load = counts.global_load;
            let is_poor = |of: GlobalCounts| of.efficiency().is_some_and(|of| of < POOR_EFFICIENCY);
            let (of, moved) = match is_poor(load) {
                true => (load, "loads"),
                false => (counts.global_store, "stores"),
            };
            let used = percent(of.efficiency()?);
            format!(
                "{used} of the bytes that its {moved} move are used. Which line moves the rest?"
            )
        }
        FirstView::Lanes => {
            let branches = counts.branches;
            let parted = share(branches.divergent, branches.executed);
            format!("the lanes of a warp part at {parted} of its branches. Where do they wait?")
        }
        _ => {
            let used = percent(counts.global_efficiency()?.min(1.0));
            format!("{used} of the bytes that it moves are used. Which line moves most?")
        }
    };
    Some(format!("As written, {asked}"))
}

fn share(part: u64, whole: u64) -> String {
    percent(part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wastes_most_is_asked_for() {
        let mut counts = Counts::default();
        assert_eq!(question(&counts), None);
        let mut asks = |change: fn(&mut Counts), part: &str| {
            change(&mut counts);
            let asked = question(&counts).unwrap_or_default();
            assert!(
                asked.starts_with("As written, ") && asked.contains(part),
                "{asked}"
            );
        };
        asks(
            |counts| (counts.global_load.sectors, counts.global_load.used_bytes) = (100, 3200),
            "100 % of the bytes that it moves are used. Which line moves most?",
        );
        asks(
            |counts| (counts.branches.executed, counts.branches.divergent) = (50, 6),
            "part at 12.0 % of its branches",
        );
        asks(
            |counts| (counts.global_store.sectors, counts.global_store.used_bytes) = (100, 400),
            "12.5 % of the bytes that its stores move",
        );
        asks(
            |counts| counts.global_load.used_bytes = 800,
            "25.0 % of the bytes that its loads move",
        );
        asks(
            |counts| {
                counts.shared_load.wavefronts = 32;
                counts.shared_load.bank_conflicts = 28;
            },
            "12.5 % of its wavefronts are needed",
        );
    }
}
