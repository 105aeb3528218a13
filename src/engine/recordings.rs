//! Recordings of real GPUs: those that come with the program, and in their place those in a folder that
//! [`FOLDER_VARIABLE`] names. A debug build reads all of them from the disk at each look.
//!
//! A file that cannot be read is as if it were not there: whoever has no recording sees counts alone.

use std::path::Path;

use crate::assets::Folder;
use crate::device::gpu;
use crate::launch::{NoRecording, Recording};
use crate::source::read_file;

/// The environment variable that names a folder of recordings: in it a folder for each GPU, and in that a
/// file for each lesson.
pub const FOLDER_VARIABLE: &str = "TUTOR_RECORDINGS";

/// Most bytes of a recording; those that come with the program have up to 2 MB.
const MAX_RECORDING_BYTES: u64 = 128 << 20;

/// What is recorded of a lesson on the GPU called `id`, as [`gpu`] takes it.
pub fn recorded_lesson(id: &str, lesson: &str) -> Option<Recording> {
    let row = gpu(id).ok()?;
    let path = format!("{}/{lesson}.json", recording_folder(&row.id));
    let is_of_it = |of: &Recording| of.lesson == lesson && of.provenance.gpu == row.id;
    let read = |text: &[u8]| Recording::read(text).ok().filter(is_of_it);
    let own = std::env::var_os(FOLDER_VARIABLE).map(|folder| Path::new(&folder).join(&path));
    let own = own.and_then(|file| read(&read_file(&file, MAX_RECORDING_BYTES).ok()?));
    // What somebody recorded on their own GPU comes first.
    own.or_else(|| read(&Folder::Recordings.read(&path)?))
}

/// The folder of a GPU's recordings: its id, cut at a hyphen where that still names it alone.
pub fn recording_folder(id: &str) -> &str {
    let cuts = id.match_indices('-').map(|(at, _)| &id[..at]);
    let names_it = |short: &&str| gpu(short).is_ok_and(|found| found.id == id);
    // `h200` for `h200-sxm`, as long as no other row begins so.
    cuts.into_iter().find(names_it).unwrap_or(id)
}

/// Every file that comes with the program, by its path below the folder of all of them, read.
pub fn recording_files() -> impl Iterator<Item = (String, Result<Recording, NoRecording>)> {
    let files = Folder::Recordings.paths().into_iter();
    let files = files.filter(|path| path.ends_with(".json"));
    files.filter_map(|path| {
        let file = Folder::Recordings.read(&path)?;
        Some((path.into_owned(), Recording::read(&file)))
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
