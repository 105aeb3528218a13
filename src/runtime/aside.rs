//! What is found out about a lesson beside the runs, each question on a thread of its own.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;

use super::events::Event;
use super::worker::Worker;
use crate::lesson::{Cell, Lesson, Sizes};
use crate::session::Msg;

impl Worker {
    /// Reads what is recorded of the lesson on the GPU called `id`.
    pub fn recall(&self, lesson: Arc<Lesson>, id: String) {
        self.answer(move || Msg::Recalled {
            lesson: lesson.id.clone(),
            samples: lesson.recorded_samples(&id),
        });
    }

    /// Finds the order of the blocks of the figure in cell `cell`.
    pub fn order(&self, lesson: Arc<Lesson>, cell: usize, sizes: Sizes, gpu: String) {
        self.answer(move || {
            let order = match lesson.cells.get(cell) {
                Some(Cell::Figure(figure)) => figure.order(&lesson, &sizes, &gpu),
                _ => None,
            };
            let order = order.map_or_else(
                || Err("this figure shows no blocks".to_owned()),
                |order| order.map(Arc::new).map_err(|error| error.to_string()),
            );
            Msg::Ordered {
                lesson: lesson.id.clone(),
                cell,
                sizes,
                order,
            }
        });
    }

    /// Sends what `work` gives. It takes its own thread: a run may take long.
    fn answer(&self, work: impl FnOnce() -> Msg + Send + 'static) {
        let events = self.events.clone();
        thread::spawn(move || {
            let event = match panic::catch_unwind(AssertUnwindSafe(work)) {
                Ok(msg) => Event::Session(Box::new(msg)),
                Err(_) => Event::Panicked,
            };
            let _ = events.send(event);
        });
    }
}
