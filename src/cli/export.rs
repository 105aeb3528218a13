//! `tutor export`.

use std::io::ErrorKind;

use super::arguments::{ExportArguments, Format};
use super::cells::Cells;
use super::lesson::load_lesson;
use super::output::{Output, Stop};
use crate::report::{self, Form};
use crate::runtime::write_file;

/// Runs every cell, and writes the lesson down with what they gave.
pub(super) fn export(arguments: &ExportArguments, output: &Output) -> Result<bool, Stop> {
    let form = form(arguments)?;
    let lesson = load_lesson(&arguments.id, output)?;
    let sizes = lesson
        .sizes_with(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    let mut run = Cells::new(&lesson, &sizes, &arguments.on, output)?;
    let mut cells = Vec::new();
    let mut all_right = true;
    for cell in &lesson.cells {
        let mut shown = run.show(cell)?;
        if let Some((of, result)) = &shown.ran {
            shown.blocks.extend(report::diagnostics(of, result));
        }
        all_right &= shown.failed.is_none();
        cells.push(shown.blocks);
    }
    let blocks = report::document(&lesson, &sizes, cells);
    write(arguments, &form.render(&blocks), output)?;
    if !all_right {
        output.message("not everything is right: the document says what is not");
    }
    Ok(all_right)
}

/// The form that is asked for, by name or by the end of the file's.
fn form(arguments: &ExportArguments) -> Result<Form, Stop> {
    match (arguments.format, &arguments.out) {
        (Some(format), _) => Ok(format.into()),
        (None, Some(file)) => Form::of_file(&file.to_string_lossy())
            .map_err(|error| Stop::Usage(format!("{error}, or --format must say the form"))),
        (None, None) => Ok(Format::Md.into()),
    }
}

fn write(arguments: &ExportArguments, text: &str, output: &Output) -> Result<(), Stop> {
    let Some(file) = &arguments.out else {
        return Ok(output.print(text)?);
    };
    let name = file.display();
    write_file(file, text, arguments.force).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Stop::Usage(format!("{name} is there already: --force replaces it"))
        }
        _ => Stop::Failed(format!("{name}: {error}")),
    })?;
    let bytes = report::thousands(text.len() as u64);
    output.message(&format!("{name}: {bytes} bytes"));
    Ok(())
}
