//! Recordings of real GPUs that come with the program. A debug build reads them from the disk at each
//! look.
//!
//! A file that cannot be read is as if it were not there: whoever has no recording sees counts alone.

use rust_embed::RustEmbed;

use crate::device::gpu;
use crate::launch::{NoRecording, Recording};

#[derive(RustEmbed)]
#[folder = "assets/recordings/"]
struct RecordingFiles;

/// What is recorded of a lesson on the GPU called `id`, as [`gpu`] takes it.
pub fn recorded_lesson(id: &str, lesson: &str) -> Option<Recording> {
    let row = gpu(id).ok()?;
    let file = RecordingFiles::get(&format!("{}/{lesson}.json", recording_folder(&row.id)))?;
    let recording = Recording::read(&file.data).ok()?;
    (recording.lesson == lesson && recording.provenance.gpu == row.id).then_some(recording)
}

/// The folder of a GPU's recordings: its id, cut at a hyphen where that still names it alone.
pub fn recording_folder(id: &str) -> &str {
    let cuts = id.match_indices('-').map(|(at, _)| &id[..at]);
    let names_it = |short: &&str| gpu(short).is_ok_and(|found| found.id == id);
    cuts.into_iter().find(names_it).unwrap_or(id)
}

/// Every file that comes with the program, by its path below the folder of all of them, read.
pub fn recording_files() -> impl Iterator<Item = (String, Result<Recording, NoRecording>)> {
    let files = RecordingFiles::iter().filter(|path| path.ends_with(".json"));
    files.filter_map(|path| {
        let file = RecordingFiles::get(&path)?;
        Some((path.into_owned(), Recording::read(&file.data)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu_ids;

    #[test]
    fn a_folder_is_the_shortest_name_that_is_one_gpus_alone() {
        assert_eq!(recording_folder("h200-sxm"), "h200");
        assert_eq!(recording_folder("l4"), "l4");
        assert_eq!(recording_folder("nvidia-none"), "nvidia-none");
        let mut folders: Vec<&str> = gpu_ids().map(recording_folder).collect();
        let all = folders.len();
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), all);
    }
}
