//! Results that cost time and are asked for again and again, such as the contents that a buffer begins with
//! while a learner edits a kernel.

use std::sync::{Arc, Mutex, PoisonError};

/// The last results of a function, the latest first. A result is only ever what the function would give
/// again: what is kept saves time and changes nothing.
pub struct ResultCache<K, V> {
    entries: Mutex<Vec<(K, Arc<V>)>>,
    most: usize,
}

impl<K: PartialEq, V> ResultCache<K, V> {
    /// Keeps the last `most` results.
    pub const fn new(most: usize) -> Self {
        ResultCache {
            entries: Mutex::new(Vec::new()),
            most,
        }
    }

    /// What is kept for `key`, else what `make` gives; what fails is not kept. Two threads that ask at once may
    /// both make it.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let lock = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = lock();
        if let Some(at) = entries.iter().position(|(known, _)| *known == key) {
            entries[..=at].rotate_right(1);
            return Ok(entries[0].1.clone());
        }
        // Making it may take long: others are not to wait meanwhile.
        drop(entries);
        let value = Arc::new(make()?);
        let mut entries = lock();
        entries.insert(0, (key, value.clone()));
        entries.truncate(self.most);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_is_kept() {
        let cache = ResultCache::new(2);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 1, 2] {
            let value = cache.get(key, || {
                made.push(key);
                Ok::<_, ()>(key * 10)
            });
            assert_eq!(value.as_deref(), Ok(&(key * 10)));
        }
        assert_eq!(made, [1, 2, 3, 2]);
    }
}
