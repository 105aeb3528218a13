//! An access to shared memory, drawn: from lanes to the 32 banks, a row for each wavefront.

use ratatui::text::Line;

use super::lane_marks::{Row32, user};
use super::step::WarpStep;
use crate::app::view::widgets::Canvas;
use crate::device::counted;
use crate::document::Role;
use crate::memory::Wavefront;
use crate::simt::Accessed;

/// Cells of the name before a pass.
const NAMES: usize = 10;

/// What it cost, and the passes through the banks, one below the other.
pub(crate) fn lines(
    canvas: &Canvas,
    width: usize,
    step: &WarpStep,
    access: &Accessed,
) -> Vec<Line<'static>> {
    let waves = access.wavefronts();
    let mut lines = vec![totals(canvas, width, access)];
    let form = Row32::fitting(width, NAMES);
    lines.push(form.numbers(canvas, "  bank    "));
    let phases = waves.last().map_or(0, |wave| wave.phase + 1);
    for (at, wave) in waves.iter().enumerate() {
        // The first pass of a phase serves as many lanes as it can; each further one of it is for lanes that
        // want another word of a bank that is taken.
        let is_conflict = at > 0 && waves[at - 1].phase == wave.phase;
        let mut row = row(canvas, step, form, at, wave, is_conflict);
        let note = note(wave, phases, is_conflict);
        if row.width() + note.len() <= width {
            let role = if is_conflict { Role::Bad } else { Role::Muted };
            row.push_span(canvas.span(note, role));
        }
        lines.push(row);
    }
    lines
}

fn totals(canvas: &Canvas, width: usize, access: &Accessed) -> Line<'static> {
    let Some(request) = access.shared else {
        return Line::default();
    };
    let wavefronts = counted(request.wavefronts, "wavefront");
    let (conflicts, role) = match request.bank_conflicts() {
        0 => ("no bank conflict".to_owned(), Role::Good),
        count => (counted(count, "bank conflict"), Role::Bad),
    };
    // The number that matters comes first.
    let mut line = canvas.text(format!("  {conflicts}"), role);
    let whole = format!(": {wavefronts}, {} would do", request.fewest);
    let room = width.saturating_sub(line.width());
    let forms = [whole, format!(", {wavefronts}")];
    if let Some(rest) = forms.into_iter().find(|form| form.len() <= room) {
        line.push_span(canvas.span(rest, Role::Text));
    }
    line
}

/// One pass: by bank the lane that it serves.
fn row(
    canvas: &Canvas,
    step: &WarpStep,
    form: Row32,
    at: usize,
    wave: &Wavefront,
    is_conflict: bool,
) -> Line<'static> {
    let role = if is_conflict { Role::Bad } else { Role::Good };
    let label = format!("  wave {:<3}", at + 1);
    form.line(canvas, &label, |bank| match wave.served[bank] {
        Some((_, lanes)) => user(canvas, step, lanes, role),
        None => canvas.span(canvas.theme().dot(), Role::Muted),
    })
}

/// What the pass is for: `  phase 2 of 4  conflict`.
fn note(wave: &Wavefront, phases: usize, is_conflict: bool) -> String {
    let mut note = String::new();
    // 64- and 128-bit accesses go in two and four phases: that is their least, and no conflict.
    if phases > 1 {
        note += &format!("  phase {} of {phases}", wave.phase + 1);
    }
    if is_conflict {
        note += "  conflict";
    }
    note
}
