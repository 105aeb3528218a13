//! What the first of two lowerings observes of a kernel's accesses, and the plan that the second one
//! carries out.

use super::access_groups::AccessKey;
use super::load_vectorisation::{LoadPlan, ObservedLoads};
use super::partial_redundancy::MergedLoad;
use super::store_vectorisation::{ObservedStores, StorePlan};
use crate::cuda::Place;
use crate::source::Span;

/// The accesses that a lowering comes to.
#[derive(Debug, Default)]
pub(crate) struct ObservedAccesses {
    /// The number of the current statement.
    statement: u32,
    pub loads: ObservedLoads,
    pub stores: ObservedStores,
    pub merged: Vec<MergedLoad>,
}

impl ObservedAccesses {
    /// Another statement begins.
    pub fn next_statement(&mut self) {
        self.statement += 1;
    }

    /// Which access one of the current statement is.
    pub fn key(&self, place: &Place) -> AccessKey {
        // Where a place begins tells apart the accesses of one statement: `x[i] + x[i + 1]` has two.
        self.branch(place.span)
    }

    /// Which `if` the current statement is.
    pub fn branch(&self, span: Span) -> AccessKey {
        AccessKey {
            statement: self.statement,
            offset: span.start,
        }
    }

    /// What to do the second time; nothing if no accesses are to be joined.
    pub fn plan(&self) -> Option<AccessPlan> {
        let (loads, stores) = (self.loads.plan(), self.stores.plan());
        let merged = self.merged.clone();
        let is_needed = !loads.is_empty() || !stores.is_empty() || !merged.is_empty();
        // A second lowering costs as much as the first: only where it would come to something else.
        is_needed.then_some(AccessPlan {
            loads,
            stores,
            merged,
        })
    }
}

/// What the second lowering does; of the first, nothing.
#[derive(Debug, Default)]
pub(crate) struct AccessPlan {
    pub loads: LoadPlan,
    pub stores: StorePlan,
    /// Loads that the sides of `if`s make for what follows.
    pub merged: Vec<MergedLoad>,
}

impl AccessPlan {
    /// Whether nothing is to be done: this is the first lowering.
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty() && self.stores.is_empty() && self.merged.is_empty()
    }
}
