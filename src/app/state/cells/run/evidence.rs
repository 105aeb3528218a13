//! What stands behind numbers: formulas with values filled in, and our counts beside the hardware's.

use crate::app::state::FinishedRun;
use crate::device::grouped;
use crate::launch::HARDWARE_COUNTERS;
use crate::lesson::Sizes;

/// A counter of ours beside the hardware's, summed over the launches that have both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterDifference {
    /// What is counted.
    pub name: &'static str,
    /// What we count.
    pub ours: u64,
    /// What the hardware counted.
    pub hardware: u64,
}

/// Every counter that a real GPU gave beside ours; those that are zero on both sides are left out.
pub fn distances(ran: &FinishedRun) -> Vec<CounterDifference> {
    let launches = &ran.result.outcome.launches;
    let sums = HARDWARE_COUNTERS.iter().enumerate().map(|(at, counter)| {
        let pairs = launches.iter().filter_map(|launch| {
            let (_, hardware, ours) = launch.hardware_and_ours().nth(at)?;
            Some((ours?, hardware?))
        });
        let (ours, hardware) = pairs.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        CounterDifference {
            name: counter.name,
            ours,
            hardware,
        }
    });
    sums.filter(|sum| sum.ours + sum.hardware > 0).collect()
}

/// A formula's text with the sizes' values in place of their names.
pub fn filled_in(formula: &str, sizes: &Sizes) -> String {
    let mut text = String::new();
    let mut name = String::new();
    for c in formula.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            name.push(c);
            continue;
        }
        match sizes.get(&name) {
            Some(&value) => text += &grouped(value),
            None => text += &name,
        }
        name.clear();
        text.push(c);
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values_and_functions_stay() {
        let sizes = Sizes::from([("M".to_owned(), 1823), ("N".to_owned(), 7)]);
        let text = filled_in("5*M*N + ceil_div(M, 256)", &sizes);
        assert_eq!(text, "5*1,823*7 + ceil_div(1,823, 256)");
    }
}
