//! The launches of a plan and how each stands.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{Action, LaunchState, RunAction, RunState};
use crate::app::view::widgets::{Canvas, Pane, dims, top};
use crate::document::{Role, compact, pad, spread};
use crate::launch::{Evidence, Launch, Plan, Timing, time_text};

/// Rows that the list takes, its rule included.
pub(crate) fn height(state: &RunState) -> u16 {
    let launches = state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    let rows = if launches > 1 { launches + 1 } else { launches };
    rows as u16 + 1
}

/// Draws all launches, the selected one marked.
pub(crate) fn draw_list(canvas: &mut Canvas, area: Rect, state: &RunState) {
    let Ok(plan) = &state.plan else {
        return;
    };
    let ran = state.ran.is_some() || state.job.is_some();
    let times = time_width(canvas, state);
    let mut note = Line::default();
    if ran {
        let text = canvas.span(columns(times), Role::Muted);
        note = Line::from(vec![Span::raw(" "), canvas.mark(Evidence::Counted), text]);
    }
    let pane = Pane {
        title: canvas.text(" Launches ", Role::Muted),
        note,
        ..Pane::default()
    };
    let inner = canvas.ruled(area, pane);
    let mut rows: Vec<Option<usize>> = (0..plan.launches.len()).map(Some).collect();
    if plan.launches.len() > 1 {
        rows.insert(0, None);
    }
    let selected = rows
        .iter()
        .position(|&row| row == state.launch)
        .unwrap_or(0);
    let width = usize::from(inner.width);
    // As little scrolling as keeps the chosen row on screen.
    let first = (selected + 1).saturating_sub(inner.height.into());
    for (place, launch) in inner.rows().zip(rows.into_iter().skip(first)) {
        let chosen = launch == state.launch || plan.launches.len() == 1;
        let line = match launch {
            None => all(canvas, plan, state, chosen, width),
            Some(i) => row(canvas, &plan.launches[i], i, state, chosen, times, width),
        };
        canvas.line(place, line);
        canvas.click(top(place, 1), Action::Run(RunAction::SelectLaunch(launch)));
    }
}

/// What stands behind each launch, with times of so many columns.
fn columns(times: Option<usize>) -> String {
    // Beside code there is no room for more words than columns.
    match times {
        Some(width) => format!(" read written {:>width$} ", "time"),
        None => " distinct:  read  written ".to_owned(),
    }
}

fn all(
    canvas: &Canvas,
    plan: &Plan,
    state: &RunState,
    chosen: bool,
    width: usize,
) -> Line<'static> {
    let role = if chosen { Role::Strong } else { Role::Text };
    let mut left = Line::from(vec![canvas.pointer(chosen), Span::raw("   ")]);
    let text = match &state.job {
        Some(job) => format!(
            "all launches: {} of {} runs",
            job.current + 1,
            plan.launches.len()
        ),
        None if plan.launches.len() == 2 => "both together".to_owned(),
        None => format!("all {} together", plan.launches.len()),
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
    times: Option<usize>,
    width: usize,
) -> Line<'static> {
    let right = match touched(state, index) {
        Some([read, written]) => {
            let numbers = match (time(canvas, state, index), times) {
                (Some(time), Some(width)) => format!("{read:>5} {written:>7} {time:>width$} "),
                _ => format!("{read:>6}  {written:>7} "),
            };
            canvas.text(numbers, Role::Text)
        }
        None => how_far(canvas, state, index),
    };
    let room = width.saturating_sub(right.width() + 1);
    let left = what(canvas, launch, index, state, chosen, room);
    spread(left, right, width, canvas.theme())
}

/// What a launch runs, in blocks of which size.
fn what(
    canvas: &Canvas,
    launch: &Launch,
    index: usize,
    state: &RunState,
    chosen: bool,
    width: usize,
) -> Line<'static> {
    let theme = canvas.theme();
    let (mark, role) = launch_mark(canvas, state.launch_state(index));
    let name_role = if chosen { Role::Strong } else { Role::Text };
    let names = state.plan.as_ref().map_or(0, |plan| {
        let names = plan.launches.iter().map(|launch| launch.kernel.len());
        names.max().unwrap_or(0)
    });
    let mut line = Line::from(vec![
        canvas.pointer(chosen),
        canvas.span(mark, role),
        canvas.span(format!(" {} ", index + 1), Role::Muted),
        canvas.span(pad(&launch.kernel, names.min(24), theme), name_role),
    ]);
    let shape = format!(
        "  {} {} {}",
        dims(launch.grid, theme.times()),
        theme.dot(),
        dims(launch.block, theme.times())
    );
    // Beside numbers that stand close together a shape needs a gap of its own.
    if line.width() + shape.chars().count() < width {
        line.push_span(canvas.span(shape, Role::Muted));
    }
    line
}

/// How a launch that has not ended stands.
fn how_far(canvas: &Canvas, state: &RunState, index: usize) -> Line<'static> {
    match state.launch_state(index) {
        LaunchState::Running { done, blocks } => {
            let share = done as f64 / blocks.max(1) as f64;
            let [full, empty] = canvas.gauge(share, 8);
            Line::from(vec![
                full,
                empty,
                canvas.span(format!(" {:>3.0} % ", (share * 100.0).floor()), Role::Text),
            ])
        }
        LaunchState::Waiting => canvas.text("waits ", Role::Muted),
        LaunchState::Stopped => canvas.text("stopped ", Role::Bad),
        LaunchState::Idle | LaunchState::Done => Line::default(),
    }
}

/// Distinct elements that a finished launch read, and those that it wrote.
fn touched(state: &RunState, index: usize) -> Option<[String; 2]> {
    // Distinct elements of a part of a launch would grow and mean nothing yet.
    if state.launch_state(index) != LaunchState::Done {
        return None;
    }
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
    let counts = counts?;
    let both = [counts.global_load, counts.global_store];
    Some(both.map(|of| compact(of.distinct_elements)))
}

/// Whether a real GPU's time of each launch is known.
fn is_timed(state: &RunState) -> bool {
    let mut launches = 0..state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    launches.all(|index| timing(state, index).is_some())
}

fn timing(state: &RunState, index: usize) -> Option<&Timing> {
    let ran = state.ran.as_ref().filter(|_| state.job.is_none())?;
    let launch = ran.result.outcome.launches.get(index)?;
    launch.real.timing.as_ref()
}

/// How long a launch took by itself, if that is known of all.
fn time(canvas: &Canvas, state: &RunState, index: usize) -> Option<String> {
    let timing = timing(state, index).filter(|_| is_timed(state))?;
    let micro = canvas.theme().glyph("\u{b5}s", "us");
    Some(time_text(timing.median_ms, micro))
}

/// Columns of the longest time, if times are known.
fn time_width(canvas: &Canvas, state: &RunState) -> Option<usize> {
    let launches = 0..state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    let times = launches.filter_map(|index| time(canvas, state, index));
    times.map(|time| time.chars().count()).max()
}

/// One glyph for how a launch stands.
pub(crate) fn launch_mark(canvas: &Canvas, state: LaunchState) -> (&'static str, Role) {
    let theme = canvas.theme();
    match state {
        LaunchState::Idle => (theme.glyph("\u{25cb}", "o"), Role::Muted),
        LaunchState::Waiting => (theme.dot(), Role::Muted),
        LaunchState::Running { .. } => (theme.glyph("\u{25b6}", ">"), Role::Accent),
        LaunchState::Done => (theme.glyph("\u{2713}", "+"), Role::Good),
        LaunchState::Stopped => (theme.cross(), Role::Bad),
    }
}
