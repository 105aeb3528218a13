//! What there is to know of a run at the first look: two or three numbers, how much of what moved was needed, the time and
//! what it is held against. All else is folded under one line.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{real_gpu, title};
use crate::app::state::cells::run::evidence::distances;
use crate::app::state::{Action, FinishedRun, Model, RunState, Tab, ViewAction};
use crate::app::view::widgets::{Canvas, below, inset, large, top};
use crate::device::{counted, grouped, percent};
use crate::document::{Role, bytes, fold, spread};
use crate::launch::{Counts, Evidence};
use crate::lesson::{POOR_EFFICIENCY, Verdict};
use crate::memory::SECTOR_BYTES;

/// Share of what moved from which none of it is worth a word.
const ALL: f64 = 0.995;
/// Rows from which the bar has one of its own, and from which there is room for how the rest is known.
const ROOMY: u16 = 14;
const WITH_EVIDENCE: u16 = 8;
/// Cells of the bar, in a row of its own and beside the numbers.
const BAR: usize = 24;
const SHORT_BAR: usize = 10;
const LEAST_BAR: usize = 5;

/// What of a run's traffic was needed: in words, and as a share.
struct Needed {
    text: String,
    of: &'static str,
    share: f64,
}

/// How large the numbers are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The share in large digits, for a room.
    Large,
    /// A bar of its own.
    Roomy,
    /// All in one row.
    Low,
}

/// Draws what there is to know first above, and what the rest is known by below; what is left between them.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model, state: &RunState) -> Rect {
    let mut rest = area;
    let inner = inset(area, 1);
    let width = usize::from(inner.width);
    let form = match area.height {
        ROOMY.. if model.presentation.is_some() => Form::Large,
        ROOMY.. => Form::Roomy,
        _ => Form::Low,
    };
    let mut lines = title::lines(canvas, width, area.height.into(), model, state);
    // Tiles and listings say nothing of what moved: where there are few rows, they have them.
    let is_apart = form == Form::Low && matches!(model.look.tab, Tab::Tiles | Tab::Ptx);
    if let Some(ran) = state.shown().filter(|ran| is_known(ran) && !is_apart) {
        lines.extend(numbers(canvas, width, state, ran, form));
        if area.height >= WITH_EVIDENCE && model.presentation.is_none() {
            let row = below(inner, inner.height - 1);
            let line = evidence(canvas, width, model, ran);
            canvas.line(row, line);
            canvas.click(top(row, 1), Action::View(ViewAction::Evidence));
            // The evidence keeps the last row: what is drawn next must not cover it.
            rest.height -= 1;
        }
    }
    let height = (lines.len() as u16).min(rest.height);
    canvas.lines(top(inner, height), lines);
    below(rest, height)
}

/// Whether the counts of a run can be read as such.
fn is_known(ran: &FinishedRun) -> bool {
    let verdict = ran.result.verdict(ran.edited);
    !matches!(
        verdict,
        Verdict::Failed | Verdict::Cancelled | Verdict::Uncounted | Verdict::NotRun
    )
}

/// Two or three numbers: what moved and how much of it was needed, and the time.
fn numbers(
    canvas: &Canvas,
    width: usize,
    state: &RunState,
    ran: &FinishedRun,
    form: Form,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let needed = state
        .counts()
        .and_then(|counts| needed(&counts, ran, state));
    let times = real_gpu::time_lines(canvas, width, state, ran);
    if let Some(needed) = needed {
        let text = vec![
            canvas.mark(Evidence::Counted),
            canvas.span(format!(" {}", needed.text), Role::Strong),
        ];
        let text = Line::from(text);
        match form {
            Form::Large => {
                lines.extend(large_share(canvas, &needed));
                lines.extend(fold(text, width));
            }
            Form::Roomy => {
                lines.extend(fold(text, width));
                lines.push(bar(canvas, width, &needed, BAR));
            }
            Form::Low => {
                if let [time] = &times[..]
                    && let Some(line) = in_one_row(canvas, width, &text, &needed, time)
                {
                    return vec![line];
                }
                lines.push(beside(canvas, width, text, &needed));
            }
        }
    }
    lines.extend(times);
    lines
}

/// What moved, how much of it was needed, and the time, where one row has room for that: the picture below has few.
fn in_one_row(
    canvas: &Canvas,
    width: usize,
    text: &Line<'static>,
    needed: &Needed,
    time: &Line<'static>,
) -> Option<Line<'static>> {
    let share = format!(" {}  ", percent(needed.share));
    let taken = text.width() + 2 + share.chars().count() + time.width();
    let cells = width.checked_sub(taken)?.min(SHORT_BAR);
    if cells < LEAST_BAR {
        return None;
    }
    let mut line = text.clone();
    line.push_span(Span::raw("  "));
    line.spans.extend(gauge(canvas, needed.share, cells));
    line.push_span(canvas.span(share, Role::Text));
    line.spans.extend(time.spans.iter().cloned());
    Some(line)
}

/// What moved and how much of it was needed: where bank conflicts cost most, wavefronts; else bytes.
fn needed(counts: &Counts, ran: &FinishedRun, state: &RunState) -> Option<Needed> {
    // A kernel with bank conflicts is one in which shared memory is what the learner works on.
    needed_wavefronts(counts).or_else(|| needed_bytes(counts, ran, state))
}

/// Nothing where there are no bank conflicts.
fn needed_wavefronts(counts: &Counts) -> Option<Needed> {
    let (wavefronts, conflicts) = (counts.shared_wavefronts(), counts.shared_bank_conflicts());
    if conflicts == 0 {
        return None;
    }
    let fewest = wavefronts - conflicts;
    let moved = counted(wavefronts, "wavefront");
    Some(Needed {
        text: format!("{moved}, {} needed", grouped(fewest)),
        of: "of the wavefronts were needed",
        share: fewest as f64 / wavefronts as f64,
    })
}

/// Nothing where none moved.
fn needed_bytes(counts: &Counts, ran: &FinishedRun, state: &RunState) -> Option<Needed> {
    let both = [counts.global_load, counts.global_store];
    let sectors: u64 = both.iter().map(|of| of.sectors).sum();
    let used: u64 = both.iter().map(|of| of.used_bytes).sum();
    let moved = sectors * SECTOR_BYTES;
    if moved == 0 {
        return None;
    }
    let efficiency = used as f64 / moved as f64;
    // What is loaded again counts as used each time: the least is each element once.
    let least = ran.distinct_bytes(state.launch).unwrap_or(used);
    let share = least as f64 / moved as f64;
    // Every sector is used, and yet too much moves: then the same elements come again and again.
    if efficiency >= ALL && share < ALL {
        let times = moved as f64 / least as f64;
        return Some(Needed {
            text: format!("{} moved, {times:.1} times the minimum", bytes(moved)),
            of: "of it moved for the first time",
            share,
        });
    }
    Some(Needed {
        text: format!("{} moved, {} used", bytes(moved), bytes(used)),
        of: "of what moved was used",
        // Broadcasts use one sector many times, so that more than all of it counts as used.
        share: efficiency.min(1.0),
    })
}

/// The share that was needed in large digits, and what it is of behind them.
fn large_share(canvas: &Canvas, needed: &Needed) -> Vec<Line<'static>> {
    let role = match needed.share < POOR_EFFICIENCY {
        true => Role::Bad,
        false => Role::Strong,
    };
    let block = canvas.theme().glyph("\u{2588}", "#");
    let rows = large(&percent(needed.share), block);
    let last = rows.len().saturating_sub(1);
    let lines = rows.into_iter().enumerate().map(|(at, row)| {
        let words = if at == last { needed.of } else { "" };
        Line::from(vec![canvas.span(row, role), canvas.span(words, Role::Text)])
    });
    lines.chain([Line::default()]).collect()
}

/// A bar filled as far as was needed, and that in words; what was not is red where it is most of it.
fn bar(canvas: &Canvas, width: usize, needed: &Needed, cells: usize) -> Line<'static> {
    let words = in_words(needed, width.saturating_sub(SHORT_BAR));
    let cells = cells.min(width.saturating_sub(words.chars().count()));
    let mut line = Line::from_iter(gauge(canvas, needed.share, cells));
    line.push_span(canvas.span(words, Role::Text));
    line
}

/// What share was needed, in as many words as fit.
fn in_words(needed: &Needed, width: usize) -> String {
    let share = percent(needed.share);
    let forms = [
        format!(" {share} {}", needed.of),
        format!(" {share} needed"),
    ];
    let fitting = forms.into_iter().find(|form| form.chars().count() <= width);
    fitting.unwrap_or_else(|| format!(" {share}"))
}

fn gauge(canvas: &Canvas, share: f64, cells: usize) -> [Span<'static>; 2] {
    let [full, empty] = canvas.gauge(share, cells);
    match share < POOR_EFFICIENCY {
        true => [full, empty.style(canvas.theme().style(Role::Bad))],
        false => [full, empty],
    }
}

/// The same in one row.
fn beside(
    canvas: &Canvas,
    width: usize,
    mut text: Line<'static>,
    needed: &Needed,
) -> Line<'static> {
    let share = in_words(needed, width.saturating_sub(text.width() + 2 + SHORT_BAR));
    text.push_span(Span::raw("  "));
    text.spans.extend(gauge(canvas, needed.share, SHORT_BAR));
    text.push_span(canvas.span(share, Role::Text));
    text
}

/// By what the numbers are known: checks, and counters of the hardware; and the key that shows all of it.
fn evidence(canvas: &Canvas, width: usize, model: &Model, ran: &FinishedRun) -> Line<'static> {
    let mut line = canvas.text("Evidence  ", Role::Muted);
    line.push_span(checks(canvas, ran));
    let is_shown = model.look.tab == Tab::Counts && model.look.unfolded;
    let what = if is_shown { " less" } else { " all" };
    let key = canvas.keys(&[("i", what)]);
    // What has no room is left out whole.
    let room = width.saturating_sub(line.width() + key.width());
    let counters = counters(canvas, ran).filter(|counters| counters.width() < room);
    line.extend(counters);
    spread(line, key, width, canvas.theme())
}

/// How many checks a run has passed, or how many it has not.
fn checks(canvas: &Canvas, ran: &FinishedRun) -> Span<'static> {
    let (result, theme) = (&ran.result, canvas.theme());
    let formulas = result.formulas.iter();
    // A formula is of the lesson's kernel: an edited one may rightly count something else.
    let formulas = formulas.map(|formula| formula.ok || ran.edited);
    let verified = result.verified.iter().map(|verified| verified.ok);
    let clean = result.is_clean().then_some(true);
    let checks: Vec<bool> = formulas.chain(verified).chain(clean).collect();
    let wrong = checks.iter().filter(|ok| !**ok).count();
    let all = counted(checks.len() as u64, "check");
    match wrong {
        _ if checks.is_empty() => canvas.span("counted", Role::Text),
        0 => canvas.span(format!("{} {all}", theme.check()), Role::Good),
        _ => canvas.span(format!("{} {wrong} of {all}", theme.cross()), Role::Bad),
    }
}

/// How many of the hardware's counters are ours too, where some are recorded.
fn counters(canvas: &Canvas, ran: &FinishedRun) -> Option<Span<'static>> {
    let (counters, dot) = (distances(ran), canvas.theme().dot());
    let equal = counters.iter().filter(|of| of.ours == of.hardware).count();
    let text = match counters.len() {
        0 => return None,
        all if all == equal => format!(" {dot} {all} counters = hardware's"),
        all => format!(" {dot} {equal} of {all} counters = hardware's"),
    };
    Some(canvas.span(text, Role::Muted))
}
