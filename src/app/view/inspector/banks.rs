//! An access to shared memory, drawn: from lanes to the 32 banks, a row for each wavefront.

use ratatui::text::Line;

use super::access::{by_eights, user};
use super::moment::Moment;
use crate::app::view::widgets::Canvas;
use crate::document::Role;
use crate::memory::Wavefront;
use crate::simt::Accessed;

/// What it cost, and the passes through the banks, one below the other.
pub(crate) fn lines(
    canvas: &Canvas,
    width: usize,
    moment: &Moment,
    access: &Accessed,
) -> Vec<Line<'static>> {
    let waves = access.wavefronts();
    let mut lines = vec![totals(canvas, access)];
    lines.push(Line::from(
        canvas.span("  bank   0        8        16       24", Role::Muted),
    ));
    let phases = waves.last().map_or(0, |wave| wave.phase + 1);
    for (at, wave) in waves.iter().enumerate() {
        let is_conflict = at > 0 && waves[at - 1].phase == wave.phase;
        let row = row(canvas, moment, at, wave, is_conflict);
        lines.push(with_note(canvas, row, width, (wave, phases, is_conflict)));
    }
    lines
}

fn totals(canvas: &Canvas, access: &Accessed) -> Line<'static> {
    let Some(request) = access.shared else {
        return Line::default();
    };
    let wavefronts = match request.wavefronts {
        1 => "1 wavefront".to_owned(),
        count => format!("{count} wavefronts"),
    };
    let (conflicts, role) = match request.bank_conflicts() {
        0 => ("no bank conflict".to_owned(), Role::Good),
        1 => ("1 bank conflict".to_owned(), Role::Bad),
        count => (format!("{count} bank conflicts"), Role::Bad),
    };
    Line::from(vec![
        canvas.span(
            format!("  {wavefronts}, at least {}: ", request.fewest),
            Role::Text,
        ),
        canvas.span(conflicts, role),
    ])
}

/// One pass: by bank the lane that it serves.
fn row(
    canvas: &Canvas,
    moment: &Moment,
    at: usize,
    wave: &Wavefront,
    is_conflict: bool,
) -> Line<'static> {
    let role = if is_conflict { Role::Bad } else { Role::Good };
    let label = format!("  wave {:<2}", at + 1);
    by_eights(canvas, &label, |bank| match wave.served[bank] {
        Some((_, lanes)) => user(canvas, moment, lanes, role),
        None => canvas.span(canvas.theme().dot(), Role::Muted),
    })
}

/// The row with what it is for, where there is room.
fn with_note(
    canvas: &Canvas,
    mut row: Line<'static>,
    width: usize,
    (wave, phases, is_conflict): (&Wavefront, usize, bool),
) -> Line<'static> {
    let mut note = String::new();
    if phases > 1 {
        note += &format!("  phase {} of {phases}", wave.phase + 1);
    }
    if is_conflict {
        note += "  conflict";
    }
    if row.width() + note.len() <= width {
        let role = if is_conflict { Role::Bad } else { Role::Muted };
        row.push_span(canvas.span(note, role));
    }
    row
}
