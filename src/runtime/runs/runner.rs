//! The thread that runs kernels, and what it is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::buffer_summary::summary;
use super::capture_values::capture_values;
use super::check_text::check_text;
use super::compare_counts::compare_counts;
use super::priority::give_way;
use super::run_cell::CellRunner;
use crate::app::{AnswerCheck, EditComparison, FinishedRun, Msg, ReplayRequest, RunTask};
use crate::lesson::{Cell, Lesson};
use crate::runtime::events::EventSender;
use crate::runtime::setup::Setup;

/// Time without moves after which a slider rests.
const REST: Duration = Duration::from_millis(60);

/// What the thread is given, and what stops it.
struct Request {
    work: Job,
    cancel: Arc<AtomicBool>,
}

/// What the thread is given.
enum Job {
    Run(RunTask),
    Capture(Arc<FinishedRun>),
    CompareEdit(EditComparison),
    CheckAnswer(AnswerCheck),
}

/// The thread, seen from outside.
pub(crate) struct Runner {
    requests: Sender<Request>,
    /// The number of the latest run.
    latest: u64,
    /// What stops it, and what follows it.
    cancel: Arc<AtomicBool>,
    events: EventSender,
}

impl Runner {
    /// Starts the thread.
    pub fn start(setup: Setup, events: EventSender) -> Self {
        let (requests, inbox) = mpsc::channel::<Request>();
        let answers = events.clone();
        thread::spawn(move || {
            give_way();
            let mut cells = CellRunner::new(setup, answers.clone());
            cells.choose_engine();
            let mut last = None;
            while let Ok(request) = inbox.recv() {
                let Request { work, cancel } = settle(request, &inbox, &mut last);
                answers.answer(|| match work {
                    Job::Run(task) => cells.run(&task, &cancel),
                    Job::Capture(ran) => capture_values(ran, &mut cells.gpu(), &cancel),
                    Job::CompareEdit(asked) => compare_counts(asked, &cancel),
                    Job::CheckAnswer(asked) => check_text(asked, &cancel),
                });
            }
        });
        Runner {
            requests,
            latest: 0,
            cancel: Arc::default(),
            events,
        }
    }

    /// Asks for a run; the one before is stopped.
    pub fn run(&mut self, task: RunTask) {
        // A flag of its own for each run: the old one stays set for whoever still looks at it.
        self.cancel.store(true, Ordering::Relaxed);
        self.cancel = Arc::default();
        self.latest = task.job;
        self.request(task.job, Job::Run(task));
    }

    /// Asks for the values of a run, unless another was asked for since.
    pub fn capture(&self, ran: Arc<FinishedRun>) {
        self.request(ran.job, Job::Capture(ran));
    }

    /// Asks for what the original of an edited run counts, unless another run was asked for since.
    pub fn compare_edit(&self, asked: EditComparison) {
        self.request(asked.ran.job, Job::CompareEdit(asked));
    }

    /// Asks for a check of an answer that ran, unless another run was asked for since.
    pub fn check_answer(&self, asked: AnswerCheck) {
        self.request(asked.job, Job::CheckAnswer(asked));
    }

    /// Asks for something about run `job`, if it is the latest.
    fn request(&self, job: u64, work: Job) {
        if job == self.latest {
            let cancel = self.cancel.clone();
            let _ = self.requests.send(Request { work, cancel });
        }
    }

    /// Stops run `job`, and its capture, if it is the latest.
    pub fn cancel(&self, job: u64) {
        if job == self.latest {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    // What follows takes threads of its own: a run may take long.

    /// Asks for the summary of a buffer.
    pub fn summarise(&self, ran: Arc<FinishedRun>, buffer: usize, columns: usize) {
        self.events.answer_on_thread(move || {
            let values = ran.result.outcome.buffers.get(buffer)?;
            Some(Msg::Summarised {
                job: ran.job,
                buffer,
                summary: summary(values, columns),
            })
        });
    }

    /// Reads what is recorded of the lesson on the GPU called `id`.
    pub fn recall(&self, lesson: Arc<Lesson>, id: String) {
        self.answer_about(lesson, move |lesson| Msg::RecordingsLoaded {
            samples: lesson.recorded_samples(&id),
        });
    }

    /// Has the blocks of a figure run.
    pub fn replay(&self, lesson: Arc<Lesson>, request: ReplayRequest) {
        self.answer_about(lesson, move |lesson| {
            let ReplayRequest { cell, sizes, gpu } = &request;
            let replayed = match lesson.cells.get(*cell) {
                Some(Cell::Figure(figure)) => figure.replayed(lesson, sizes, gpu),
                _ => None,
            };
            let replayed = replayed.map_or_else(
                || Err("this figure shows no blocks".to_owned()),
                |replayed| replayed.map_err(|error| error.to_string()),
            );
            Msg::Replayed { request, replayed }
        });
    }

    /// Sends what `work` gives for `lesson`. It is dropped if another is open by then.
    fn answer_about(
        &self,
        lesson: Arc<Lesson>,
        work: impl FnOnce(&Lesson) -> Msg + Send + 'static,
    ) {
        self.events.answer_on_thread(move || {
            let msg = Box::new(work(&lesson));
            Some(Msg::About { lesson, msg })
        });
    }
}

/// Of runs that follow moves of a slider, the last one: waits until the slider rests. The first move
/// after a rest does not wait. What another run has replaced is stopped already.
fn settle(mut request: Request, inbox: &Receiver<Request>, last: &mut Option<Instant>) -> Request {
    let is_move = |request: &Request| matches!(&request.work, Job::Run(task) if task.settles);
    let rested = last.is_none_or(|last: Instant| last.elapsed() > REST);
    if is_move(&request) {
        *last = Some(Instant::now());
        let mut rests = Instant::now() + REST;
        while !rested && is_move(&request) {
            let wait = rests.saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(newer) => request = newer,
                Err(_) => break,
            }
            *last = Some(Instant::now());
            rests = Instant::now() + REST;
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sample_lesson;
    use crate::launch::{Engine, Watch};
    use crate::lesson::Sizes;

    fn asked(job: u64, settles: bool) -> Request {
        let task = RunTask {
            job,
            lesson: Arc::new(sample_lesson()),
            cell: 0,
            plan: Arc::default(),
            sizes: Sizes::new(),
            watch: Watch::default(),
            engine: Engine::Sim,
            edited: false,
            gpu: None,
            settles,
            checks: false,
        };
        Request {
            work: Job::Run(task),
            cancel: Arc::default(),
        }
    }

    fn job(request: &Request) -> u64 {
        match &request.work {
            Job::Run(task) => task.job,
            Job::Capture(ran) => ran.job,
            Job::CompareEdit(asked) => asked.ran.job,
            Job::CheckAnswer(asked) => asked.job,
        }
    }

    #[test]
    fn of_moves_that_follow_each_other_the_first_and_the_last_run() {
        let (outbox, inbox) = mpsc::channel();
        let mut last = None;
        for at in 2..5 {
            outbox.send(asked(at, true)).expect("is open");
        }
        let first = settle(asked(1, true), &inbox, &mut last);
        assert_eq!(job(&first), 1, "nothing is gained by waiting after a rest");
        let next = inbox.recv().expect("is there");
        assert_eq!(job(&settle(next, &inbox, &mut last)), 4);
        let enter = settle(asked(5, false), &inbox, &mut last);
        assert_eq!(job(&enter), 5);
    }
}
