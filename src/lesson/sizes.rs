//! The sizes that a learner may change, and values chosen for them.

use std::collections::BTreeMap;

use crate::device::grouped;

/// Values chosen for the sizes of a lesson, by name. A size that takes listed values only stands here
/// where it is not at its default: what was recorded before there was a choice stays as it is.
pub type Sizes = BTreeMap<String, u64>;

/// A size that the learner may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its name in formulas.
    pub name: String,
    /// What it means.
    pub label: String,
    /// What it begins with.
    pub default: u64,
    /// The least it may be.
    pub min: u64,
    /// The most it may be.
    pub max: u64,
    /// All it may be, in order, such as the block sizes that a kernel can be launched with; every number
    /// from least to most if empty.
    pub values: Vec<u64>,
}

impl Size {
    /// Whether it may be `value`.
    pub fn takes(&self, value: u64) -> bool {
        match self.values.is_empty() {
            true => (self.min..=self.max).contains(&value),
            false => self.values.contains(&value),
        }
    }

    /// What it may be, in words: `1 to 4,096`, or `64, 128, 256`.
    pub fn range(&self) -> String {
        if self.values.is_empty() {
            return format!("{} to {}", grouped(self.min), grouped(self.max));
        }
        let values = self.values.iter().map(|&value| grouped(value));
        values.collect::<Vec<_>>().join(", ")
    }

    /// Its value in `sizes`.
    pub fn of(&self, sizes: &Sizes) -> u64 {
        sizes.get(&self.name).copied().unwrap_or(self.default)
    }

    /// Puts `value` into `sizes`.
    pub fn set(&self, sizes: &mut Sizes, value: u64) {
        // Recordings made before the size was a choice lack it: they stay recordings of the default.
        if !self.values.is_empty() && value == self.default {
            sizes.remove(&self.name);
        } else {
            sizes.insert(self.name.clone(), value);
        }
    }
}

/// What `sizes` are before anybody chose.
pub(super) fn defaults(sizes: &[Size]) -> Sizes {
    at_default(sizes.iter().filter(|size| size.values.is_empty()))
}

/// What those of `sizes` are that take listed values, before anybody chose.
pub(super) fn listed_defaults(sizes: &[Size]) -> Sizes {
    at_default(sizes.iter().filter(|size| !size.values.is_empty()))
}

fn at_default<'a>(sizes: impl Iterator<Item = &'a Size>) -> Sizes {
    sizes
        .map(|size| (size.name.clone(), size.default))
        .collect()
}

/// `sizes`, and from `defaults` those that are left out there.
pub(super) fn completed(defaults: &Sizes, sizes: &Sizes) -> Sizes {
    let mut all = defaults.clone();
    // What was chosen wins over the defaults.
    all.extend(sizes.iter().map(|(name, &value)| (name.clone(), value)));
    all
}

/// `M = 4,096`.
pub fn equation(name: &str, value: u64) -> String {
    format!("{name} = {}", grouped(value))
}

/// `M = 4,096, N = 781`.
pub fn equations<'a>(sizes: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let texts = sizes.into_iter();
    let texts = texts.map(|(name, &value)| equation(name, value));
    texts.collect::<Vec<_>>().join(", ")
}

/// `M 4,096, N 781`, where there is little room.
pub fn sizes_named(sizes: &Sizes) -> String {
    let texts = sizes.iter();
    let texts = texts.map(|(name, &value)| format!("{name} {}", grouped(value)));
    texts.collect::<Vec<_>>().join(", ")
}
