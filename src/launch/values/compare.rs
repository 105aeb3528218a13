//! Two traces of one warp side by side: what the simulated GPU's variables held, and the real one's.
//!
//! Values are matched by statement, variable, lane and visit, which counts how often this lane executed the statement
//! before: in `for (i = 0; i < n; i++) sum += x[i];`, visit 2 of `sum` in lane 5 is what `sum` held in lane 5 after
//! its third time round. So neither another order of divergent lanes nor another way of converging makes a
//! difference.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use super::relation::{Relation, Rounding, relation};
use super::trace::{LaneValues, Trace, TraceStep, TracedVariable};
use crate::launch::counts::Evidence;
use crate::launch::element::ValueType;
use crate::launch::plan::WARP_LANES;
use crate::source::Span;

/// A statement that sets a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedSite {
    /// The statement, as in [`TraceStep::span`].
    pub span: Span,
    /// Index into [`Trace::variables`].
    pub variable: u32,
    /// The variables of which one is changed at each visit: this one, or with it all other elements
    /// of its array.
    pub among: Range<u32>,
}

/// One visit of a statement: what a variable held behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedVisit {
    /// The statement.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
    /// Index into [`TraceComparison::variables`].
    pub variable: usize,
    /// Which visit of each lane's, from 0.
    pub visit: u32,
    /// What the simulated GPU's lanes held; nothing of lanes that were not there so often.
    pub simulated: [Option<u64>; WARP_LANES],
    /// What the real GPU's lanes held.
    pub real: [Option<u64>; WARP_LANES],
    /// How they relate; nothing of lanes that neither has.
    pub classes: [Option<Relation>; WARP_LANES],
    /// The step of the simulated trace behind which each lane held that; nothing of lanes that were not
    /// there so often.
    pub steps: [Option<u32>; WARP_LANES],
}

/// The first value that is neither equal nor rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Line of the statement, from 1.
    pub line: u32,
    /// Which visit, from 0.
    pub visit: u32,
    /// Which lane.
    pub lane: u32,
    /// Bits on the simulated GPU.
    pub simulated: Option<u64>,
    /// Bits on the real one.
    pub real: Option<u64>,
}

/// How one variable's values compare, each lane's of each visit counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedVariable {
    /// Its name.
    pub name: String,
    /// Its type as the source has it.
    pub type_name: String,
    /// How to read its bits.
    pub value_type: ValueType,
    /// Line that declares it, from 1.
    pub line: u32,
    /// Index into [`Trace::variables`] of the simulated trace.
    pub traced: usize,
    /// How many of its values are what.
    pub counts: ComparedCounts,
    /// The first that differs or that only one has.
    pub first_difference: Option<Difference>,
}

/// Values of one variable by how they compare, each lane's of each visit counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparedCounts {
    /// Values that both have.
    pub compared: u64,
    /// Those of them that are the same.
    pub equal: u64,
    /// Those that are rounded differently.
    pub rounding: u64,
    /// Those that differ.
    pub different: u64,
    /// Addresses that mean nothing to each other.
    pub addresses: u64,
    /// Values that only one has.
    pub one_sided: u64,
    /// Largest distance of those rounded differently.
    pub largest_ulps: u64,
}

/// A warp of a real GPU.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// What its variables held.
    pub trace: &'a Trace,
    /// Where variables were looked at; they are those of the trace.
    pub sites: &'a [TracedSite],
    /// Name of the GPU.
    pub device: &'a str,
    /// Whether it was there, or what it gave was kept.
    pub evidence: Evidence,
}

/// Two traces of one warp, compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceComparison {
    /// Name of the real GPU.
    pub device: String,
    /// Whether its values were measured here, or recorded.
    pub evidence: Evidence,
    /// The variables that were compared.
    pub variables: Vec<ComparedVariable>,
    /// Each visit, by statement as `sites` has them, then in order.
    pub visits: Vec<ComparedVisit>,
    /// Statements that the real GPU executed and that are no step of the simulated one: they only
    /// call a function, or were not reached.
    pub left_out: Vec<Span>,
}

impl TraceComparison {
    /// Whether nothing differs but by rounding.
    pub fn agrees(&self) -> bool {
        let mut all = self.variables.iter();
        all.all(|variable| variable.counts.different + variable.counts.one_sided == 0)
    }
}

/// Of a statement and a variable: each lane's visits, each with its last step and the value behind it;
/// nothing where it had none yet.
type Visits = Vec<Vec<(u32, Option<u64>)>>;

/// Sets a simulated and a real trace of one warp side by side at the sites of the real one. Floating-point
/// values up to `most_ulps` apart count as rounded differently, and so do those that are near beside the
/// largest value of their statement (`Rounding`). Where a trace is cut short, what the
/// other has beyond it is left out.
pub fn compare(simulated: &Trace, captured: Captured, most_ulps: u64) -> TraceComparison {
    let mut sides = Sides {
        // Both walks are indexed once: a loop's statement is visited thousands of times.
        simulated: Followed::new(simulated),
        real: Followed::new(captured.trace),
        numbers: HashMap::new(),
        most_ulps,
        comparison: TraceComparison {
            device: captured.device.to_owned(),
            evidence: captured.evidence,
            variables: Vec::new(),
            visits: Vec::new(),
            left_out: Vec::new(),
        },
    };
    let mut seen = HashSet::new();
    for site in captured.sites {
        // `a[0] = a[1] = x` sets one array twice in one statement.
        if seen.insert((site.span, site.variable)) {
            sides.compare_site(site);
        }
    }
    sides.comparison
}

/// The two traces, and what was found so far.
struct Sides<'a> {
    simulated: Followed<'a>,
    real: Followed<'a>,
    /// By variable of the real trace: its index among the comparison's variables.
    numbers: HashMap<u32, usize>,
    most_ulps: u64,
    comparison: TraceComparison,
}

impl Sides<'_> {
    fn compare_site(&mut self, site: &TracedSite) {
        let of = &self.real.trace.variables[site.variable as usize];
        // Two variables of one name, in two scopes, are told apart by where they are declared.
        let is_same =
            |other: &TracedVariable| other.name == of.name && other.declared == of.declared;
        let ours = self.simulated.trace.variables.iter();
        // A compiler may have dropped the variable from the simulated one.
        let Some(traced) = ours.clone().position(is_same) else {
            return;
        };
        let ours = self.simulated.visits(site.span, traced, None);
        let variable = site.variable as usize;
        let theirs = self.real.visits(site.span, variable, Some(&site.among));
        let comparison = &mut self.comparison;
        if !self.simulated.steps.contains_key(&site.span) {
            let is_new = !comparison.left_out.contains(&site.span);
            if is_new && theirs.iter().any(|visits| !visits.is_empty()) {
                comparison.left_out.push(site.span);
            }
            return;
        }
        let number = *self.numbers.entry(site.variable).or_insert_with(|| {
            comparison.variables.push(blank(of, traced));
            comparison.variables.len() - 1
        });
        let line = self.real.line(site.span);
        let line = line.or(self.simulated.line(site.span));
        let about = About {
            span: site.span,
            line: line.unwrap_or(0),
            number,
            rounding: Rounding {
                most_ulps: self.most_ulps,
                largest: largest(of.value_type, &ours),
            },
            is_simulated_cut: self.simulated.trace.truncated,
            is_real_cut: self.real.trace.truncated,
        };
        comparison.add(&about, &ours, &theirs);
    }
}

/// The largest magnitude of a statement's finite values; nothing of what is no floating-point number.
fn largest(of: ValueType, visits: &Visits) -> Option<f64> {
    let ValueType::Number(element) = of else {
        return None;
    };
    let all = visits.iter().flatten().filter_map(|visit| visit.1);
    let values = all.map(|bits| element.value(bits).as_f64().abs());
    values.filter(|value| value.is_finite()).reduce(f64::max)
}

fn blank(of: &TracedVariable, traced: usize) -> ComparedVariable {
    ComparedVariable {
        name: of.name.clone(),
        type_name: of.type_name.clone(),
        value_type: of.value_type,
        line: of.line,
        traced,
        counts: ComparedCounts::default(),
        first_difference: None,
    }
}

/// A site that is being compared.
struct About {
    span: Span,
    line: u32,
    number: usize,
    rounding: Rounding,
    /// Whether the simulated trace ends before the warp does.
    is_simulated_cut: bool,
    /// Whether the real one does.
    is_real_cut: bool,
}

impl TraceComparison {
    fn add(&mut self, about: &About, ours: &Visits, theirs: &Visits) {
        let most = ours.iter().chain(theirs).map(Vec::len).max().unwrap_or(0);
        for visit in 0..most {
            // Lane by lane, its first visit beside its first: lanes that wait meanwhile come to a statement at other
            // steps.
            let of = |all: &Visits| -> [Option<(u32, Option<u64>)>; WARP_LANES] {
                std::array::from_fn(|lane| all[lane].get(visit).copied())
            };
            let steps = of(ours).map(|visit| visit.map(|visit| visit.0));
            let values = |all| of(all).map(|visit| visit.map(|visit| visit.1));
            let (ours, theirs) = (values(ours), values(theirs));
            let variable = &mut self.variables[about.number];
            let classes = std::array::from_fn(|lane| {
                // Before it has a value there is nothing to compare.
                if matches!(ours[lane], Some(None)) || matches!(theirs[lane], Some(None)) {
                    return None;
                }
                let difference = Difference {
                    line: about.line,
                    visit: visit as u32,
                    lane: lane as u32,
                    simulated: ours[lane].flatten(),
                    real: theirs[lane].flatten(),
                };
                variable.count(difference, about)
            });
            if classes.iter().any(Option::is_some) {
                self.visits.push(ComparedVisit {
                    span: about.span,
                    line: about.line,
                    variable: about.number,
                    visit: visit as u32,
                    simulated: ours.map(Option::flatten),
                    real: theirs.map(Option::flatten),
                    classes,
                    steps,
                });
            }
        }
    }
}

impl ComparedVariable {
    /// Counts one lane's values at one visit.
    fn count(&mut self, found: Difference, about: &About) -> Option<Relation> {
        let class = match (found.simulated, found.real) {
            (Some(simulated), Some(real)) => {
                self.counts.compared += 1;
                relation(self.value_type, simulated, real, about.rounding)
            }
            // Behind the end of a recording that was cut nothing is known, which is no difference.
            (Some(_), None) if !about.is_real_cut => Relation::OnlySimulated,
            (None, Some(_)) if !about.is_simulated_cut => Relation::OnlyReal,
            _ => return None,
        };
        match class {
            Relation::Equal => self.counts.equal += 1,
            Relation::Address => self.counts.addresses += 1,
            Relation::Rounding(ulps) => {
                self.counts.rounding += 1;
                self.counts.largest_ulps = self.counts.largest_ulps.max(ulps);
            }
            Relation::Different => self.counts.different += 1,
            Relation::OnlySimulated | Relation::OnlyReal => self.counts.one_sided += 1,
        }
        if class.differs() {
            let first = self.first_difference.get_or_insert(found);
            // Places come in no order; the first in time is what somebody looks for.
            if (found.visit, found.lane) < (first.visit, first.lane) {
                *first = found;
            }
        }
        Some(class)
    }
}

/// A trace whose steps are looked up by statement.
struct Followed<'a> {
    trace: &'a Trace,
    steps: HashMap<Span, Vec<usize>>,
    /// By variable: the steps that change it, and to what.
    changes: Vec<Vec<(usize, &'a LaneValues)>>,
}

impl<'a> Followed<'a> {
    fn new(trace: &'a Trace) -> Self {
        let mut steps: HashMap<Span, Vec<usize>> = HashMap::new();
        let mut changes = vec![Vec::new(); trace.variables.len()];
        for (at, step) in trace.steps.iter().enumerate() {
            steps.entry(step.span).or_default().push(at);
            for (variable, values) in &step.changes {
                changes[*variable as usize].push((at, values));
            }
        }
        Followed {
            trace,
            steps,
            changes,
        }
    }

    fn line(&self, span: Span) -> Option<u32> {
        let first = self.steps.get(&span)?.first()?;
        Some(self.trace.steps[*first].line)
    }

    /// The last step of the visit that begins with step `at`: those of functions it calls, and its
    /// own rest, belong to it.
    fn end(&self, at: usize) -> usize {
        let begin = &self.trace.steps[at];
        // A call inside the statement has steps of its own, and the statement goes on behind it.
        let belongs = |step: &&TraceStep| {
            let is_rest = step.resumes && step.span == begin.span;
            let inside = step.callers.strip_prefix(&*begin.callers);
            inside.is_some_and(|inside| inside.first().map_or(is_rest, |span| *span == begin.span))
        };
        at + self.trace.steps[at + 1..]
            .iter()
            .take_while(belongs)
            .count()
    }

    /// What a variable held behind each visit of a statement, by lane: of each visit, or only of those
    /// that changed one of `among`.
    fn visits(&self, span: Span, variable: usize, among: Option<&Range<u32>>) -> Visits {
        let mut visits = vec![Vec::new(); WARP_LANES];
        let changes = &self.changes[variable];
        for &at in self.steps.get(&span).map_or(&[][..], Vec::as_slice) {
            let step = &self.trace.steps[at];
            let end = self.end(at);
            let is_cut = self.trace.truncated && end + 1 == self.trace.steps.len();
            // Its beginning was counted; of the last one before a cut nobody knows how it ended.
            if step.resumes || is_cut {
                continue;
            }
            // The value as the statement left it, set there or long before.
            let after = changes.partition_point(|change| change.0 <= end);
            let last = after.checked_sub(1).map(|last| changes[last].1);
            let is_among = |change: &(u32, _)| among.is_none_or(|among| among.contains(&change.0));
            if among.is_some() && !step.changes.iter().any(is_among) {
                continue;
            }
            for lane in (0..WARP_LANES).filter(|lane| step.active >> lane & 1 == 1) {
                visits[lane].push((end as u32, last.map(|values| values[lane])));
            }
        }
        // Of a function that calls itself, visits lie within each other: the device tells of each at its end.
        visits
            .iter_mut()
            .for_each(|visits| visits.sort_by_key(|&(end, _)| end));
        visits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ElementType;
    use crate::launch::Watch;

    const FIRST: Span = Span { start: 0, end: 5 };
    const SECOND: Span = Span { start: 9, end: 14 };

    fn trace(steps: Vec<TraceStep>) -> Trace {
        let variable = TracedVariable {
            name: "x".to_owned(),
            type_name: "float".to_owned(),
            value_type: ValueType::Number(ElementType::F32),
            line: 1,
            declared: Span::new(0, 1),
        };
        Trace {
            watch: Watch::default(),
            variables: vec![variable],
            steps,
            truncated: false,
        }
    }

    fn step(span: Span, active: u32, value: Option<f32>) -> TraceStep {
        let bits = |value: f32| vec![(0, [u64::from(value.to_bits()); WARP_LANES])];
        TraceStep {
            line: span.start + 1,
            span,
            callers: Default::default(),
            resumes: false,
            active,
            changes: value.map(bits).unwrap_or_default(),
        }
    }

    fn sites() -> Vec<TracedSite> {
        let site = |span| TracedSite {
            span,
            variable: 0,
            among: 0..1,
        };
        vec![site(FIRST), site(SECOND)]
    }

    fn captured<'a>(trace: &'a Trace, sites: &'a [TracedSite]) -> Captured<'a> {
        Captured {
            trace,
            sites,
            device: "NVIDIA H200",
            evidence: Evidence::Measured,
        }
    }

    #[test]
    fn visits_match_by_lane_however_lanes_are_together() {
        let simulated = trace(vec![
            step(FIRST, u32::MAX, Some(1.0)),
            step(FIRST, 0xffff, Some(2.0)),
        ]);
        // The same value again is no change on the simulated GPU.
        let real = trace(vec![
            step(FIRST, 0xff00_00ff, Some(1.0)),
            step(FIRST, 0x00ff_ff00, Some(1.0)),
            step(FIRST, 0xff, Some(2.0)),
            step(FIRST, 0xff00, Some(2.0)),
        ]);
        let found = compare(&simulated, captured(&real, &sites()), 1);
        assert!(found.agrees());
        let [x] = &found.variables[..] else { panic!() };
        assert_eq!(
            (x.counts.compared, x.counts.equal, x.counts.one_sided),
            (48, 48, 0)
        );
        assert_eq!(found.visits.len(), 2);
    }

    #[test]
    fn what_differs_is_classed_and_the_first_is_named() {
        let simulated = trace(vec![
            step(FIRST, 3, Some(1.0)),
            step(FIRST, 3, Some(4.0)),
            step(SECOND, 1, Some(8.0)),
        ]);
        let near = f32::from_bits(4.0_f32.to_bits() + 3);
        let real = trace(vec![
            step(FIRST, 3, Some(1.0)),
            step(FIRST, 3, Some(near)),
            step(SECOND, 3, Some(-8.0)),
        ]);
        let found = compare(&simulated, captured(&real, &sites()), 3);
        let [x] = &found.variables[..] else { panic!() };
        assert_eq!(
            (x.counts.compared, x.counts.equal, x.counts.rounding),
            (5, 2, 2)
        );
        assert_eq!(
            (
                x.counts.different,
                x.counts.one_sided,
                x.counts.largest_ulps
            ),
            (1, 1, 3)
        );
        let first = x.first_difference.expect("there is one");
        assert_eq!((first.line, first.visit, first.lane), (10, 0, 0));
        assert_eq!(first.real, Some(u64::from((-8.0_f32).to_bits())));
        let last = found.visits.last().expect("there are some");
        assert_eq!(
            last.classes[..3],
            [Some(Relation::Different), Some(Relation::OnlyReal), None]
        );
        let strict = compare(&simulated, captured(&real, &sites()), 2);
        assert_eq!(strict.variables[0].counts.different, 3);
    }

    #[test]
    fn a_visit_lasts_until_functions_it_calls_have_returned() {
        let inside = TraceStep {
            callers: [FIRST].into(),
            ..step(SECOND, 1, Some(2.0))
        };
        let rest = TraceStep {
            resumes: true,
            ..step(FIRST, 1, Some(3.0))
        };
        let after = TraceStep {
            callers: [SECOND].into(),
            ..step(SECOND, 1, Some(4.0))
        };
        let simulated = trace(vec![step(FIRST, 1, None), inside, rest, after]);
        let real = trace(vec![step(FIRST, 1, Some(3.0))]);
        let found = compare(&simulated, captured(&real, &sites()[..1]), 0);
        assert_eq!(
            (
                found.variables[0].counts.compared,
                found.variables[0].counts.equal
            ),
            (1, 1)
        );
    }

    #[test]
    fn beyond_the_end_of_a_cut_trace_nothing_is_missing() {
        let both = vec![step(FIRST, 1, Some(1.0)), step(FIRST, 1, Some(2.0))];
        let mut real = trace(both[..1].to_vec());
        let simulated = trace(both);
        let one_sided = |real: &Trace| {
            compare(&simulated, captured(real, &sites()), 0).variables[0]
                .counts
                .one_sided
        };
        assert_eq!(one_sided(&real), 1);
        real.truncated = true;
        assert_eq!(one_sided(&real), 0);
    }
}
