//! Where the numbers on screen come from: what was counted or modelled and how, formulas with values filled
//! in, what a recording was made on, and how far the model is from hardware where that is recorded.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::help::evidence_key;
use crate::app::state::cells::run::evidence::{distances, filled_in};
use crate::app::state::cells::run::levels::levels;
use crate::app::state::{Action, Context, CounterDifference, Extent, FinishedRun, Model, RunState};
use crate::app::view::cells::run::whose;
use crate::app::view::widgets::{Canvas, Pane, centred, inset};
use crate::device::grouped;
use crate::document::{Role, pad, wrap};
use crate::launch::{Engine, Evidence, Provenance, Recorded};
use crate::lesson::RunCell;

/// Widest text.
const WIDTH: u16 = 84;
/// Width of names.
const NAMES: usize = 18;

/// Draws the explanation over `area` from line `scroll`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model, scroll: usize) {
    let width = area.width.saturating_sub(4).min(WIDTH);
    let lines = lines(canvas, usize::from(width.saturating_sub(4)), model);
    let height = (lines.len() as u16 + 2).min(area.height.saturating_sub(2));
    let window = centred(area, width, height);
    canvas.window(window, Action::Back);
    let extent = Extent {
        content: lines.len(),
        visible: usize::from(height.saturating_sub(2)),
    };
    canvas.drawn.seen.windows.evidence = extent;
    let scroll = scroll.min(extent.max_scroll());
    let pane = Pane {
        title: canvas.text(" Where these numbers come from ", Role::Strong),
        note: canvas.text(" esc closes ", Role::Muted),
        foot: canvas.position(scroll, extent),
        focused: true,
    };
    let inner = canvas.pane(window, pane);
    canvas.lines(inset(inner, 1), lines.into_iter().skip(scroll));
}

/// What the learner looks at comes first.
fn lines(canvas: &Canvas, width: usize, model: &Model) -> Vec<Line<'static>> {
    let mut page = Page {
        canvas,
        width,
        lines: Vec::new(),
    };
    if let Some((cell, state)) = model.run_cell() {
        // What one looks at comes first: from the source, its margin.
        let from_source = model.look.comparison.is_none() && model.context_below() == Context::Code;
        if from_source {
            page.margin(model);
        }
        page.counts(model, cell, state);
        if !from_source {
            page.margin(model);
        }
    }
    page.lines.extend(evidence_key(canvas));
    page.lines
}

struct Page<'a, 'b, 'c> {
    canvas: &'a Canvas<'b, 'c>,
    width: usize,
    lines: Vec<Line<'static>>,
}

impl Page<'_, '_, '_> {
    fn head(&mut self, evidence: Evidence, text: &str) {
        let space = Span::raw(" ");
        let head = self.canvas.span(text, Role::Heading);
        let line = Line::from(vec![self.canvas.mark(evidence), space, head]);
        self.lines.push(line);
    }

    /// A name, and text that wraps beside it.
    fn fact(&mut self, name: &str, text: &str) {
        let theme = self.canvas.theme();
        let pieces = [(theme.text(text).into_owned(), theme.style(Role::Text))];
        let name = pad(&format!("  {name}"), NAMES, theme) + " ";
        let first = [self.canvas.span(name, Role::Muted)];
        let rest = [Span::raw(" ".repeat(NAMES + 1))];
        self.lines.extend(wrap(&pieces, self.width, &first, &rest));
    }

    fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    fn margin(&mut self, model: &Model) {
        let margin = model.look.metric;
        self.head(
            margin.evidence(),
            &format!("The margin: {} per line", margin.name()),
        );
        self.fact(margin.evidence().word(), margin.meaning());
        self.fact("heat", "relative to the line with the most; M chooses");
        self.gap();
    }

    fn counts(&mut self, model: &Model, cell: &RunCell, state: &RunState) {
        let Some(ran) = state.shown() else {
            self.fact("nothing yet", "this cell has not run yet; enter runs it");
            self.gap();
            return;
        };
        self.formulas(cell, ran);
        self.levels(state);
        self.caches(model, ran);
        if let Some(recorded) = &ran.result.recorded {
            self.recorded(recorded);
        }
        self.measured(ran);
    }

    fn formulas(&mut self, cell: &RunCell, ran: &FinishedRun) {
        if ran.result.formulas.is_empty() {
            return;
        }
        // Of the run, which may be at other sizes than those that are chosen now.
        let sizes = cell.complete(&ran.result.sizes);
        self.head(Evidence::Computed, &format!("Formulas at {}", whose(ran)));
        for formula in &ran.result.formulas {
            let equals = format!(
                "{} = {} = {}; {} were counted",
                formula.formula,
                filled_in(&formula.formula, &sizes),
                formula.expected_text(),
                grouped(formula.counted)
            );
            self.fact("", &format!("{}: {equals}", formula.name));
        }
        self.gap();
    }

    fn levels(&mut self, state: &RunState) {
        let Some(counts) = state.counts() else { return };
        self.head(
            Evidence::Counted,
            "Bytes moved, level by level, and what is counted of them",
        );
        for level in levels(&counts) {
            self.fact(
                level.name,
                &format!("{}: {}", level.evidence.word(), level.meaning),
            );
        }
        self.fact(
            "mark",
            "distinct elements of each launch: the least that its SMs ask for; what L2 still has of the \
             launch before does not come from device memory",
        );
        self.gap();
    }

    fn caches(&mut self, model: &Model, ran: &FinishedRun) {
        let Some(gpu) = model.simulated_row() else {
            return;
        };
        self.head(
            Evidence::Modelled,
            &format!("Caches: a model of the {}", gpu.name),
        );
        let mib = gpu.l2_mib.map(|mib| format!("L2 of {mib} MiB"));
        let l1 = gpu.l1_bytes(0);
        let l1 = l1.map(|bytes| format!("up to {} KiB of L1 each", bytes >> 10));
        let sms = gpu.sm_count.map(|sms| format!("{sms} SMs"));
        let shape: Vec<String> = [sms, l1, mib].into_iter().flatten().collect();
        self.fact("shape", &shape.join(", "));
        self.fact("source", &gpu.source);
        self.fact(
            "how",
            "blocks go to SMs in order, warps take turns, and every sector goes through tags of L1 and L2; \
             time is not modelled",
        );
        let distances = distances(ran);
        if distances.is_empty() {
            // Said, not left out: a model without a distance from hardware is worth less.
            let text = "no hardware counters are recorded for this cell at these sizes on this GPU";
            self.fact("distance", text);
        }
        for (at, distance) in distances.iter().enumerate() {
            let name = if at == 0 { "distance" } else { "" };
            self.fact(name, &difference_text(distance));
        }
        self.gap();
    }

    fn recorded(&mut self, recorded: &Recorded) {
        let from = &recorded.provenance;
        self.head(Evidence::Recorded, &format!("Recorded on {}", from.device));
        self.provenance(from);
        // Twelve digits tell versions of a kernel apart, and fit beside the words.
        let hash: String = recorded.cell.sha256.chars().take(12).collect();
        let state = match recorded.is_stale {
            true => "stale: the kernel or its launches have changed since",
            false => "kernel and launches are the same today",
        };
        self.fact("kernel", &format!("SHA-256 {hash}\u{2026}; {state}"));
        for note in &recorded.cell.notes {
            self.fact("note", note);
        }
        self.gap();
    }

    fn provenance(&mut self, from: &Provenance) {
        let driver = from.driver.as_deref().unwrap_or("not known");
        self.fact(
            "software",
            &format!(
                "driver {driver}, CUDA {}, NVRTC {}, tutor {}",
                from.cuda, from.nvrtc, from.tutor
            ),
        );
        let clocks = &from.clocks_mhz;
        if let (Some(sm), Some(memory)) = (clocks.sm, clocks.memory) {
            let text = format!("SMs at {} MHz, memory at {} MHz", sm, memory);
            self.fact("clocks", &text);
        }
        let when = format!(
            "{}; before each timed run the L2 was {}",
            from.date, from.l2
        );
        self.fact("when", &when);
    }

    fn measured(&mut self, ran: &FinishedRun) {
        let outcome = &ran.result.outcome;
        let Some(timing) = &outcome.timing else {
            return;
        };
        // A recorded run has times as well, which were told above with their GPU.
        if outcome.engine == Engine::Gpu {
            self.head(
                Evidence::Measured,
                &format!("Measured on {}", timing.device),
            );
            let text = format!(
                "the median of {} runs between CUDA events, L2 {}",
                timing.runs, timing.l2
            );
            self.fact("times", &text);
            self.gap();
        }
    }
}

/// How far a counter of ours is from the hardware's, as a sentence.
fn difference_text(distance: &CounterDifference) -> String {
    let CounterDifference {
        name,
        ours,
        hardware,
    } = distance;
    let numbers = format!("{} here, {} there", grouped(*ours), grouped(*hardware));
    match (*ours as f64 / (*hardware).max(1) as f64 - 1.0) * 100.0 {
        // Equal counts are said to be equal, not 0.0 % off.
        _ if ours == hardware => format!("{name}: {}, equal", grouped(*ours)),
        percent if percent < 0.0 => format!("{name}: {:.1} % low ({numbers})", -percent),
        percent => format!("{name}: {percent:.1} % high ({numbers})"),
    }
}
