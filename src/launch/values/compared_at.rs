//! A comparison seen from a step of the simulated trace: what the real GPU held there, and where the
//! next difference is.

use crate::launch::{ComparedVisit, Relation, Trace, TraceComparison, WARP_LANES};

/// One variable of the real GPU, lane by lane, behind a step of the simulated trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedLanes {
    /// What it holds; nothing of lanes that are not compared, or where the real GPU was not.
    pub real: [Option<u64>; WARP_LANES],
    /// How that relates to what the simulated GPU holds; nothing of lanes that are not compared: they
    /// have no value yet, or one from a statement that is not captured.
    pub classes: [Option<Relation>; WARP_LANES],
}

impl ComparedLanes {
    /// The class that says most against the lanes: of several roundings the largest; nothing where no
    /// lane is compared.
    pub fn worst(&self) -> Option<Relation> {
        let compared = self.classes.iter().flatten().copied();
        compared.max_by_key(|&class| class.weight())
    }

    /// Lanes of which `what` holds: bit `i` is lane `i`.
    pub fn lanes(&self, what: impl Fn(Relation) -> bool) -> u32 {
        mask(&self.classes, what)
    }
}

/// A visit at which values differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingVisit {
    /// The step of the simulated trace behind which they do.
    pub step: usize,
    /// Index into [`Trace::variables`] of the simulated trace.
    pub variable: usize,
    /// Lanes that differ there: bit `i` is lane `i`.
    pub lanes: u32,
    /// How the worst of them differs.
    pub class: Relation,
}

impl TraceComparison {
    /// What the real GPU held in `variable` of the simulated `trace` behind its step `step`: each lane's
    /// last visit up to there. A lane whose simulated value comes from elsewhere is not compared. Nothing
    /// of variables that are not captured.
    pub fn at(&self, trace: &Trace, variable: usize, step: usize) -> Option<ComparedLanes> {
        let mut of = self.variables.iter();
        let number = of.position(|of| of.traced == variable)?;
        let mut last: [Option<(u32, &ComparedVisit)>; WARP_LANES] = [None; WARP_LANES];
        for visit in self.visits.iter().filter(|visit| visit.variable == number) {
            for (last, at) in last.iter_mut().zip(visit.steps) {
                let is_before = |at: &u32| *at as usize <= step;
                let Some(at) = at.filter(is_before) else {
                    continue;
                };
                // Of several visits the last before this step: a loop sets its variable each time round.
                if last.is_none_or(|(other, _)| other <= at) {
                    *last = Some((at, visit));
                }
            }
        }
        let values = trace.value(variable, step);
        let is_held = |lane: usize, visit: &ComparedVisit| {
            values.is_some_and(|values| visit.simulated[lane] == Some(values[lane]))
        };
        let here: [Option<&ComparedVisit>; WARP_LANES] = std::array::from_fn(|lane| {
            let (_, visit) = last[lane]?;
            is_held(lane, visit).then_some(visit)
        });
        Some(ComparedLanes {
            real: std::array::from_fn(|lane| here[lane]?.real[lane]),
            classes: std::array::from_fn(|lane| here[lane]?.classes[lane]),
        })
    }

    /// The first visit behind `step` whose values differ, else the first of all; where none does, the
    /// same of values that are rounded differently.
    pub fn next_difference(&self, step: usize) -> Option<DifferingVisit> {
        let visits = self.differing().into_iter();
        // `false` sorts first: what lies ahead, and only then, from the start, what lies behind.
        visits.min_by_key(|found| (found.step <= step, found.step))
    }

    /// The same the other way: the last before `step`, else the last of all.
    pub fn previous_difference(&self, step: usize) -> Option<DifferingVisit> {
        let visits = self.differing().into_iter();
        // The other way round: what lies behind first, then from the end.
        visits.max_by_key(|found| (found.step < step, found.step))
    }

    /// Visits whose values differ; where none do, those whose values are rounded differently.
    fn differing(&self) -> Vec<DifferingVisit> {
        let of_kind = |is_kind: &dyn Fn(Relation) -> bool| -> Vec<DifferingVisit> {
            let found = self.visits.iter().filter_map(|visit| {
                let lanes = mask(&visit.classes, is_kind);
                let at = (0..WARP_LANES).filter(|lane| lanes >> lane & 1 == 1);
                let at = at.filter_map(|lane| visit.steps[lane]).min()?;
                let classes = visit.classes.iter().flatten().copied();
                Some(DifferingVisit {
                    step: at as usize,
                    variable: self.variables[visit.variable].traced,
                    lanes,
                    class: classes.max_by_key(|&class| class.weight())?,
                })
            });
            found.collect()
        };
        let differing = of_kind(&Relation::differs);
        // With no real difference, the rounding errors are what there is to see.
        if differing.is_empty() {
            return of_kind(&|class| matches!(class, Relation::Rounding(_)));
        }
        differing
    }
}

fn mask(classes: &[Option<Relation>; WARP_LANES], what: impl Fn(Relation) -> bool) -> u32 {
    let lanes = classes.iter().enumerate();
    lanes.fold(0, |lanes, (lane, class)| {
        lanes | u32::from(class.is_some_and(&what)) << lane
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::launch::values::compare;
    use crate::launch::{
        Captured, ElementType, Evidence, TraceStep, TracedSite, TracedVariable, ValueType, Watch,
    };
    use crate::source::Span;

    const BEGIN: Span = Span { start: 0, end: 5 };
    const LOOP: Span = Span { start: 9, end: 14 };
    const OTHER: Span = Span { start: 20, end: 24 };

    /// A trace of one variable from steps: statement, active lanes, and to what these lanes set it.
    fn trace(steps: &[(Span, u32, Option<f32>)]) -> Trace {
        let mut values = [0; WARP_LANES];
        let steps = steps.iter().map(|&(span, active, value)| {
            let bits = value.map(|value| u64::from(value.to_bits()));
            for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                values[lane] = bits.unwrap_or(values[lane]);
            }
            TraceStep {
                line: span.start + 1,
                span,
                callers: Arc::default(),
                resumes: false,
                active,
                changes: bits.map(|_| (0, values)).into_iter().collect(),
            }
        });
        Trace {
            watch: Watch::default(),
            variables: vec![TracedVariable {
                name: "sum".to_owned(),
                type_name: "float".to_owned(),
                value_type: ValueType::Number(ElementType::F32),
                line: 1,
                declared: Span::new(0, 1),
            }],
            steps: steps.collect(),
            truncated: false,
        }
    }

    fn compared(simulated: &Trace, real: &Trace) -> TraceComparison {
        let site = |span| TracedSite {
            span,
            variable: 0,
            among: 0..1,
        };
        let captured = Captured {
            trace: real,
            sites: &[site(BEGIN), site(LOOP)],
            device: "NVIDIA H200",
            evidence: Evidence::Measured,
        };
        compare(simulated, captured, 4)
    }

    fn next(value: f32) -> f32 {
        f32::from_bits(value.to_bits() + 1)
    }

    fn bits(value: f32) -> Option<u64> {
        Some(u64::from(value.to_bits()))
    }

    /// Two lanes begin together, then go round a loop: lane 0 once, lane 1 twice.
    const ROUNDS: [(Span, u32, Option<f32>); 4] = [
        (BEGIN, 3, Some(0.0)),
        (LOOP, 3, Some(1.0)),
        (OTHER, 3, None),
        (LOOP, 2, Some(2.0)),
    ];

    #[test]
    fn each_lane_holds_what_its_own_last_round_gave() {
        let simulated = trace(&ROUNDS);
        // The real GPU takes the lanes one after the other, and rounds in the second round.
        let real = trace(&[
            (BEGIN, 3, Some(0.0)),
            (LOOP, 2, Some(1.0)),
            (LOOP, 2, Some(next(2.0))),
            (LOOP, 1, Some(1.0)),
        ]);
        let found = compared(&simulated, &real);
        let at = |step| found.at(&simulated, 0, step).expect("is captured");
        assert_eq!(at(0).real[..3], [bits(0.0), bits(0.0), None]);
        assert_eq!(at(2).real[..2], [bits(1.0), bits(1.0)]);
        assert_eq!(at(2).worst(), Some(Relation::Equal));
        assert_eq!(at(3).real[..2], [bits(1.0), bits(next(2.0))]);
        assert_eq!(
            at(3).classes[..3],
            [Some(Relation::Equal), Some(Relation::Rounding(1)), None]
        );
        assert_eq!(at(3).worst(), Some(Relation::Rounding(1)));
        assert_eq!(at(3).lanes(|class| class == Relation::Equal), 1);
        assert_eq!(found.at(&simulated, 1, 3), None);
    }

    #[test]
    fn a_value_from_a_statement_that_is_not_captured_is_not_compared() {
        let mut steps = ROUNDS.to_vec();
        steps[2] = (OTHER, 1, Some(7.0));
        let simulated = trace(&steps);
        let found = compared(&simulated, &trace(&ROUNDS));
        let at = found.at(&simulated, 0, 3).expect("is captured");
        assert_eq!(at.classes[..2], [None, Some(Relation::Equal)]);
        assert_eq!(at.real[0], None);
    }

    #[test]
    fn where_the_real_gpu_was_not_nothing_is_held() {
        let simulated = trace(&ROUNDS);
        let found = compared(&simulated, &trace(&ROUNDS[..3]));
        let at = found.at(&simulated, 0, 3).expect("is captured");
        assert_eq!(at.real[..2], [bits(1.0), None]);
        assert_eq!(at.worst(), Some(Relation::OnlySimulated));
    }

    #[test]
    fn the_next_difference_goes_round_and_passes_over_roundings() {
        let simulated = trace(&ROUNDS);
        let mut steps = ROUNDS.to_vec();
        steps[1] = (LOOP, 3, Some(next(1.0)));
        let rounded = compared(&simulated, &trace(&steps));
        let first = rounded.next_difference(0).expect("one is rounded");
        assert_eq!((first.step, first.variable, first.lanes), (1, 0, 3));
        assert_eq!(first.class, Relation::Rounding(1));
        assert_eq!(rounded.next_difference(1), Some(first));
        steps[0] = (BEGIN, 2, Some(5.0));
        steps[3] = (LOOP, 2, Some(-2.0));
        let differs = compared(&simulated, &trace(&steps));
        let step = |from| differs.next_difference(from).map(|found| found.step);
        assert_eq!([step(0), step(1), step(3)], [Some(3), Some(3), Some(0)]);
        let back = |from| differs.previous_difference(from).map(|found| found.step);
        assert_eq!([back(0), back(1), back(3)], [Some(3), Some(0), Some(0)]);
        assert_eq!(compared(&simulated, &simulated).next_difference(0), None);
    }
}
