//! How the notebook begins: on what its cells run, and what is on screen first.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::app::Opening;
use crate::document::Scheme;
use crate::gpu::TimingChoice;
use crate::launch::{Engine, Watch};
use crate::lesson::{Lesson, Lessons};

/// What cells run on, and how.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which GPU is simulated, if one is asked for: an id of the GPU table.
    pub gpu: Option<String>,
    /// What runs cells at first; nothing for a real GPU where there is one that works.
    pub engine: Option<Engine>,
    /// What a timed run finds in the L2 cache.
    pub timing: TimingChoice,
    /// Whether to read the hardware's counters.
    pub counters: bool,
    /// How long a kernel may run, if somebody has said so.
    pub time_limit: Option<Duration>,
    /// The warp that is looked at first, if one is asked for.
    pub watch: Option<Watch>,
    /// Whether every run is watched for races and for reads of what was never set.
    pub check: bool,
    /// The lesson's own file, read again when it changes; none of one that comes with the program.
    pub file: Option<PathBuf>,
    /// The lessons of the home screen.
    pub lessons: Lessons,
    /// Whether the first lesson is shown to a room.
    pub presenting: bool,
    /// The colours, if some are asked for.
    pub scheme: Option<Scheme>,
    /// Whether to draw with ASCII alone, whatever the terminal can do.
    pub ascii: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            gpu: None,
            engine: None,
            timing: TimingChoice::Flushed,
            counters: false,
            time_limit: None,
            watch: None,
            check: false,
            file: None,
            lessons: Lessons::default(),
            presenting: false,
            scheme: None,
            ascii: false,
        }
    }
}

/// What is on screen first.
pub enum Start {
    /// The home screen.
    Home,
    /// A lesson.
    Lesson(Arc<Lesson>, Opening),
}
