use super::*;
use crate::launch::ElementType;
use crate::launch::{TracedVariable, Watch};

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
    assert_eq!((x.compared, x.equal, x.one_sided), (48, 48, 0));
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
    assert_eq!((x.compared, x.equal, x.rounding), (5, 2, 2));
    assert_eq!((x.different, x.one_sided, x.largest_ulps), (1, 1, 3));
    let first = x.first_difference.expect("there is one");
    assert_eq!((first.line, first.visit, first.lane), (10, 0, 0));
    assert_eq!(first.real, Some(u64::from((-8.0_f32).to_bits())));
    let last = found.visits.last().expect("there are some");
    assert_eq!(
        last.classes[..3],
        [Some(Class::Different), Some(Class::OnlyReal), None]
    );
    let strict = compare(&simulated, captured(&real, &sites()), 2);
    assert_eq!(strict.variables[0].different, 3);
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
        (found.variables[0].compared, found.variables[0].equal),
        (1, 1)
    );
}

#[test]
fn beyond_the_end_of_a_cut_trace_nothing_is_missing() {
    let both = vec![step(FIRST, 1, Some(1.0)), step(FIRST, 1, Some(2.0))];
    let mut real = trace(both[..1].to_vec());
    let simulated = trace(both);
    let one_sided =
        |real: &Trace| compare(&simulated, captured(real, &sites()), 0).variables[0].one_sided;
    assert_eq!(one_sided(&real), 1);
    real.truncated = true;
    assert_eq!(one_sided(&real), 0);
}
