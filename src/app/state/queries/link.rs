//! The link to where the learner is.

use crate::app::state::{LessonLink, Model};
use crate::launch::Watch;

impl Model {
    /// The link to where the learner is.
    pub fn link(&self) -> String {
        let names = self.lesson.cell_names();
        let mut place = LessonLink {
            cell: names.into_iter().nth(self.at).unwrap_or_default(),
            ..LessonLink::default()
        };
        if let Some((_, state)) = self.run_cell() {
            let inspector = &state.inspector;
            place.launch = state.launch.map(|launch| launch + 1);
            if self.shows_values() {
                // A link is typed and read by people: what it leaves out is as it would be anyway.
                let usual = Watch::default();
                let watch = inspector.watch;
                place.block = Some(watch.block).filter(|&block| block != usual.block);
                place.warp = Some(watch.warp).filter(|&warp| warp != usual.warp);
                place.step = state.step().map(|step| step + 1);
            } else {
                let line = state.scroll.chosen_source();
                place.line = line.and_then(|line| u32::try_from(line + 1).ok());
            }
        }
        format!("{}{place}", self.lesson.id)
    }
}
