//! The launches of a plan and how each stands.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Role;
use super::canvas::{Canvas, Pane, inset, top};
use super::prose::launch_mark;
use super::text::{compact, pad, spread};
use crate::launch::{Dim3, Evidence, Launch, Plan};
use crate::session::{Action, LaunchState, RunState, grouped};

/// Rows that the list takes, frame included.
pub(super) fn height(state: &RunState) -> u16 {
    let launches = state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    let rows = if launches > 1 { launches + 1 } else { launches };
    rows as u16 + 2
}

/// Draws all launches, the selected one marked.
pub(super) fn draw_list(canvas: &mut Canvas, area: Rect, state: &RunState) {
    let Ok(plan) = &state.plan else {
        return;
    };
    let ran = state.ran.is_some() || state.job.is_some();
    let note = if ran {
        " distinct:  read  written "
    } else {
        ""
    };
    let mut note = Line::from(canvas.span(note, Role::Muted));
    if ran {
        note.spans.insert(0, canvas.mark(Evidence::Counted));
        note.spans.insert(0, Span::raw(" "));
    }
    let inner = canvas.pane(
        area,
        Pane {
            title: Line::from(canvas.span(" Launches ", Role::Muted)),
            note,
            foot: Line::default(),
            focused: false,
        },
    );
    let mut rows: Vec<Option<usize>> = (0..plan.launches.len()).map(Some).collect();
    if plan.launches.len() > 1 {
        rows.insert(0, None);
    }
    let selected = rows
        .iter()
        .position(|&row| row == state.launch)
        .unwrap_or(0);
    let first = (selected + 1).saturating_sub(inner.height.into());
    for (place, launch) in inner.rows().zip(rows.into_iter().skip(first)) {
        let chosen = launch == state.launch || plan.launches.len() == 1;
        let line = match launch {
            None => all(canvas, plan, state, chosen, inner.width.into()),
            Some(i) => row(
                canvas,
                &plan.launches[i],
                i,
                state,
                chosen,
                inner.width.into(),
            ),
        };
        canvas.line(place, line);
        canvas.click(top(place, 1), Action::SelectLaunch(launch));
    }
}

/// Draws the selected launch on one line.
pub(super) fn draw_selected(canvas: &mut Canvas, area: Rect, state: &RunState) {
    let Ok(plan) = &state.plan else {
        return;
    };
    let area = inset(area, 1);
    let width = usize::from(area.width);
    let line = match (state.launch, &plan.launches[..]) {
        (None, [only]) => row(canvas, only, 0, state, false, width),
        (Some(i), launches) if i < launches.len() => {
            row(canvas, &launches[i], i, state, false, width)
        }
        _ => all(canvas, plan, state, false, width),
    };
    canvas.line(area, line);
}

fn pointer(canvas: &Canvas, chosen: bool) -> Span<'static> {
    let glyph = if chosen {
        canvas.theme().glyph("\u{25b8}", ">")
    } else {
        " "
    };
    canvas.span(glyph, Role::Accent)
}

fn all(
    canvas: &Canvas,
    plan: &Plan,
    state: &RunState,
    chosen: bool,
    width: usize,
) -> Line<'static> {
    let role = if chosen { Role::Strong } else { Role::Text };
    let mut left = Line::from(vec![pointer(canvas, chosen), Span::raw("   ")]);
    let text = match &state.job {
        Some(job) => format!(
            "all launches: {} of {} runs",
            job.current + 1,
            plan.launches.len()
        ),
        None => format!("all {} launches together", plan.launches.len()),
    };
    left.push_span(canvas.span(text, role));
    let hint = Line::from(vec![
        canvas.span("[", Role::Key),
        canvas.span(" ", Role::Muted),
        canvas.span("]", Role::Key),
        canvas.span(" select ", Role::Muted),
    ]);
    spread(left, hint, width, canvas.theme())
}

fn row(
    canvas: &Canvas,
    launch: &Launch,
    index: usize,
    state: &RunState,
    chosen: bool,
    width: usize,
) -> Line<'static> {
    let theme = canvas.theme();
    let stands = state.launch_state(index);
    let (mark, role) = launch_mark(canvas, stands);
    let name_role = if chosen { Role::Strong } else { Role::Text };
    let names = state.plan.as_ref().map_or(0, |plan| {
        let names = plan.launches.iter().map(|launch| launch.kernel.len());
        names.max().unwrap_or(0)
    });
    let left = Line::from(vec![
        pointer(canvas, chosen),
        canvas.span(mark, role),
        canvas.span(format!(" {} ", index + 1), Role::Muted),
        canvas.span(pad(&launch.kernel, names.min(24), theme), name_role),
        canvas.span(
            format!(
                "  {} {} {}",
                dims(launch.grid, theme.times()),
                theme.dot(),
                dims(launch.block, theme.times())
            ),
            Role::Muted,
        ),
    ]);
    let right = match stands {
        LaunchState::Running { done, blocks } => {
            let share = done as f64 / blocks.max(1) as f64;
            let (full, empty) = theme.gauge(share, 8);
            Line::from(vec![
                canvas.span(full, Role::Accent),
                canvas.span(empty, Role::Muted),
                canvas.span(format!(" {:>3.0} % ", (share * 100.0).floor()), Role::Text),
            ])
        }
        LaunchState::Waiting => Line::from(canvas.span("waits ", Role::Muted)),
        LaunchState::Stopped => Line::from(canvas.span("stopped ", Role::Bad)),
        LaunchState::Idle => Line::default(),
        LaunchState::Done => done(canvas, state, index),
    };
    spread(left, right, width, theme)
}

/// Distinct elements that a finished launch read and wrote.
fn done(canvas: &Canvas, state: &RunState, index: usize) -> Line<'static> {
    let counts = match state.ticking() {
        Some(job) => job
            .launches
            .get(index)
            .and_then(|news| news.as_ref())
            .map(|news| news.counts),
        None => {
            let ran = state.ran.as_ref();
            let launch = ran.and_then(|ran| ran.result.outcome.launches.get(index));
            launch.map(|launch| launch.counts)
        }
    };
    let Some(counts) = counts else {
        return Line::default();
    };
    let read = compact(counts.global_load.distinct_elements);
    let written = compact(counts.global_store.distinct_elements);
    Line::from(canvas.span(format!("{read:>6}  {written:>7} "), Role::Text))
}

/// Sizes in x, y and z, without those after the last that is not 1.
pub(super) fn dims(dims: Dim3, times: &str) -> String {
    let last = dims.iter().rposition(|&size| size != 1).unwrap_or(0);
    let sizes: Vec<String> = dims[..=last]
        .iter()
        .map(|&size| grouped(size.into()))
        .collect();
    sizes.join(times)
}
