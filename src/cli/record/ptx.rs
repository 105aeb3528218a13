//! `tutor record --ptx`: the lessons' kernels as PTX, for machines without NVRTC.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::lessons::RecordArguments;
use crate::cli::output::{Output, Stop};
use crate::cli::run::load_lesson;
use crate::device::{DEFAULT_GPU, gpu_or_usual};
use crate::engine::{SHIPPED_MARK, ShippedFile, ptx_to_ship};
use crate::gpu::Gpu;
use crate::launch::Plan;
use crate::lesson::{Lessons, lesson_ids};
use crate::runtime::replace_file;
use crate::source::read_text;

/// Where the program's own are.
const FOLDER: &str = "assets/ptx";

/// Compiles the kernels and writes them; files of kernels that no lesson launches any more are removed.
pub(crate) fn record_ptx(arguments: &RecordArguments, output: &Output) -> Result<bool, Stop> {
    let folder = arguments.out.clone().unwrap_or_else(|| FOLDER.into());
    let plans = plans(output)?;
    let files = ptx_to_ship(&plans, &mut Gpu::default());
    let files = files.map_err(|error| Stop::Failed(error.to_string()))?;
    for file in &files {
        let path = folder.join(&file.path);
        let written = replace_file(&path, &file.text);
        written.map_err(|error| Stop::Failed(format!("{}: {error}", path.display())))?;
        output.print(&format!("wrote {}\n", path.display()))?;
    }
    let removed = remove_others(&folder, &files);
    let removed =
        removed.map_err(|error| Stop::Failed(format!("{}: {error}", folder.display())))?;
    for path in removed {
        output.print(&format!("removed {}\n", path.display()))?;
    }
    Ok(true)
}

/// What the lessons launch, at their default sizes: kernels do not depend on sizes.
fn plans(output: &Output) -> Result<Vec<Plan>, Stop> {
    let mut plans = Vec::new();
    for id in lesson_ids() {
        let lesson = load_lesson(&Lessons::default(), &id, output)?;
        let sizes = lesson.sizes_with(&[]);
        let sizes = sizes.map_err(|error| Stop::Failed(format!("{id}: {error}")))?;
        for cell in lesson.run_cells() {
            let plan = cell
                .with_all_launches()
                .plan(&sizes, gpu_or_usual(DEFAULT_GPU));
            plans.push(plan.map_err(|error| Stop::Failed(format!("{id}, {}: {error}", cell.id)))?);
        }
    }
    Ok(plans)
}

/// Removes the files under `folder` that this command wrote before and that are not among `files`.
fn remove_others(folder: &Path, files: &[ShippedFile]) -> io::Result<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut removed = Vec::new();
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(&inside)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_wanted = files.iter().any(|file| folder.join(&file.path) == path);
            let is_ptx = path.extension().is_some_and(|extension| extension == "ptx");
            // Only what this command wrote: the folder is named by a person, and may hold PTX of others.
            if is_ptx && !is_wanted && read_text(&path)?.starts_with(SHIPPED_MARK) {
                fs::remove_file(&path)?;
                removed.push(path);
            }
        }
    }
    removed.sort();
    Ok(removed)
}
