//! Sinking: what only the last branch of a kernel needs is computed there.
//!
//! ```text
//! s = s + shuffled;        if (lane == 0) {
//! if (lane == 0)     →         s = s + shuffled;
//!     y[i] = s;                y[i] = s;
//!                          }
//! ```

use super::cost_model::CostModel;
use crate::launch::Fp32Counts;

/// Moves costs into the last branch that needs their values, last ones first.
pub(super) fn run(model: &mut CostModel) {
    // Backwards: what an operand is needed for has moved before it.
    for pc in (0..model.kernel.code.len()).rev() {
        if model.costs[pc] == Fp32Counts::default() {
            continue;
        }
        let Some(users) = model.users(pc).filter(|users| !users.is_empty()) else {
            continue;
        };
        let places = users.iter().map(|&user| model.region_of(user));
        let Some(around) = places.reduce(|a, b| model.flow.common_region(a, b)) else {
            continue;
        };
        if let Some(around) = model.flow.last_within(around, model.flow.region_of[pc]) {
            let first = model.flow.regions[around].first;
            let direct = users
                .iter()
                .map(|user| model.moved.get(user).unwrap_or(user));
            let to = direct
                .copied()
                .filter(|&user| model.flow.region_of[user] == around)
                .min();
            // Users that are all in branches further in leave none here: it goes to the front.
            let to = to.unwrap_or(first);
            let cost = std::mem::take(&mut model.costs[pc]);
            model.costs[to] += cost;
            model.moved.insert(pc, to);
        }
    }
}
