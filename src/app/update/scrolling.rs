//! How far movements scroll, and which lines of the source are on screen.

use crate::app::state::{Extent, Model, Movement, RunState};
use crate::launch::{Amount, LineCounts};
use crate::lesson::{GutterMetric, ShownCode};

pub(crate) fn page(visible: usize) -> isize {
    visible.saturating_sub(2).max(1) as isize
}

pub(crate) fn scrolled(scroll: usize, by: isize, max: usize) -> usize {
    scroll.min(max).saturating_add_signed(by).min(max)
}

/// Lines that `movement` moves by in a pane of which `visible` lines are on screen.
pub(crate) fn lines_of(movement: Movement, visible: usize) -> isize {
    match movement {
        Movement::Up => -1,
        Movement::Down => 1,
        Movement::PageUp => -page(visible),
        Movement::PageDown => page(visible),
        Movement::Home => -(isize::MAX / 2),
        Movement::End => isize::MAX / 2,
        _ => 0,
    }
}

/// Moves `at`, the first line on screen of `extent`, as `movement` says.
pub(crate) fn scroll_by(at: &mut usize, movement: Movement, extent: Extent) {
    let by = lines_of(movement, extent.visible);
    *at = scrolled(*at, by, extent.max_scroll());
}

/// The run whose source is on screen.
pub(crate) fn shown_run(model: &mut Model) -> Option<&mut RunState> {
    let Some(ShownCode::Run(at, _)) = model.shown_code() else {
        return None;
    };
    model.cells.get_mut(at)?.as_run_mut()
}

/// Sees to it that the line of the step is on screen.
pub(crate) fn show_step_line(model: &mut Model) {
    let line = model.run_cell().and_then(|(_, state)| {
        let (_, walk) = state.steps_shown()?;
        walk.line(state.step()?)
    });
    show_source_line(model, line);
}

/// Sees to it that a line of the source, from 1, is on screen, whatever room there is for it.
pub(crate) fn show_source_line(model: &mut Model, line: Option<u32>) {
    if let (Some(line), Some(state)) = (line, shown_run(model)) {
        state.scroll.focus = Some(line.saturating_sub(1) as usize);
    }
}

/// Scrolls to a line of the source, from 1, that somebody asked for.
pub(crate) fn go_to_source_line(model: &mut Model, line: u32) {
    let seen = model.look.seen.source;
    if let Some(state) = shown_run(model) {
        let line = line.saturating_sub(1) as usize;
        let first = line.saturating_sub(seen.visible / 3).min(seen.last);
        state.scroll.choose_source(first);
    }
}

/// The line (from 0) on which `kernel` begins: it names it before a parenthesis, or is the first of those that lead to that.
pub(crate) fn kernel_line(text: &str, kernel: &str) -> Option<usize> {
    let named = text.lines().position(|line| {
        let code = line.split("//").next().unwrap_or("");
        code.match_indices(kernel).any(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let before = code[..at].chars().next_back();
            let after = code[at + kernel.len()..].trim_start();
            !before.is_some_and(word) && after.starts_with('(')
        })
    })?;
    // `extern "C" __global__ void __launch_bounds__(256)` may stand on lines of its own.
    let before: Vec<&str> = text.lines().take(named).collect();
    let leads = |line: &&&str| {
        !line.trim().is_empty() && !line.starts_with(['/', '#']) && !line.ends_with(['}', ';'])
    };
    Some(named - before.iter().rev().take_while(leads).count())
}

/// Puts the first kernel of the code on the page at the top, unless somebody scrolled.
pub(crate) fn show_kernel(model: &mut Model) {
    let Some(ShownCode::Run(_, cell)) = model.shown_code() else {
        return;
    };
    let text = cell.source.text().to_owned();
    let own = model.own_lines();
    if let Some(state) = shown_run(model)
        && state.scroll.source == 0
        && let Ok(plan) = &state.plan
        && let Some(launch) = plan.launches.first()
    {
        let kernel = kernel_line(&text, &launch.kernel).unwrap_or(0);
        state.scroll.put_source(kernel);
        state.scroll.focus = own.map(|own| *own.start() as usize - 1);
    }
}

/// Scrolls the source so that the line with the most of what the margin shows is on screen; of a share the one with the
/// least. Where no line has any, as without bank conflicts, the line with most wavefronts, then with most elements.
pub(crate) fn show_hot_line(model: &mut Model) {
    let line = hot_line(model);
    show_source_line(model, line);
}

/// The first line of an exercise that is the learner's; the line of the run on screen where an error is, or else the one that its lesson names, or else that with most of what
/// its margin counts, from 1.
pub(crate) fn hot_line(model: &mut Model) -> Option<u32> {
    // In an exercise what counts is where the learner has to write.
    if let Some(own) = model.own_lines() {
        return Some(*own.start());
    }
    let named = match model.shown_code() {
        Some(ShownCode::Run(_, cell)) => cell.first_look.line,
        _ => None,
    };
    let margins = [
        model.look.metric,
        GutterMetric::Wavefronts,
        GutterMetric::Elements,
    ];
    shown_run(model).and_then(|state| {
        let lines = state.lines(0);
        let hottest = || {
            margins
                .into_iter()
                .find_map(|margin| hottest(&lines, margin))
        };
        // Of an edited text nobody knows where the lesson's line went.
        let is_edited = state.ran.as_ref().is_some_and(|ran| ran.edited);
        let named = named.filter(|_| !is_edited);
        state.error_line().or(named).or_else(hottest)
    })
}

/// The line with the most of what `margin` counts, from 1; of equal lines the first: a kernel loads before it stores.
fn hottest(lines: &[LineCounts], margin: GutterMetric) -> Option<u32> {
    let heat = |line: &LineCounts| {
        let amounts = margin.of(&line.counts).into_iter().flatten();
        let heats = amounts.map(|amount| match amount {
            Amount::Count(count) => count as f64,
            // An access that wastes nothing is still one.
            Amount::Share(share) => (1.0 - share).max(f64::MIN_POSITIVE),
        });
        heats.fold(0.0, f64::max)
    };
    let found = lines
        .iter()
        .rev()
        .max_by(|a, b| heat(a).total_cmp(&heat(b)))?;
    (heat(found) > 0.0).then_some(found.line)
}
