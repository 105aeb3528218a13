//! Checks several lessons at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use super::checked::Checked;
use super::lesson;
use crate::cli::output::{Output, Stop};
use crate::cli::run::Runner;

/// Checks `lessons`, each of `runners` one at a time. `report` gets each as soon as it and those before it are done.
///
/// # Errors
/// The first stop of a lesson or of `report`; nothing behind it is reported.
pub(super) fn check_each(
    lessons: &[String],
    runners: Vec<Runner>,
    output: &Output,
    report: impl FnMut(&Checked) -> Result<(), Stop>,
) -> Result<Vec<Checked>, Stop> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for mut runner in runners {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(id) = lessons.get(index) else {
                        return;
                    };
                    let checked = lesson::check(id, &mut runner, output);
                    // Nobody listens any more once a lesson has stopped the whole check.
                    if sender.send((index, checked)).is_err() {
                        return;
                    }
                }
            });
        }
        // The channel ends with the last worker.
        drop(sender);
        in_order(&receiver, report)
    })
}

/// What the workers send, in the order of the lessons.
fn in_order(
    checked: &Receiver<(usize, Result<Checked, Stop>)>,
    mut report: impl FnMut(&Checked) -> Result<(), Stop>,
) -> Result<Vec<Checked>, Stop> {
    let mut early = BTreeMap::new();
    let mut all = Vec::new();
    for (index, result) in checked {
        early.insert(index, result);
        while let Some(result) = early.remove(&all.len()) {
            let checked = result?;
            report(&checked)?;
            all.push(checked);
        }
    }
    Ok(all)
}
