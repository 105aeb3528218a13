use proptest::prelude::*;

use super::*;

fn span() -> impl Strategy<Value = Span> {
    (0_u32..9, 0_u32..9).prop_map(|(start, length)| Span {
        start,
        end: start + length,
    })
}

/// Lanes with runs of equal ones, of ones that grow, and anything between them.
fn values() -> impl Strategy<Value = LaneValues> {
    let run = (any::<u64>(), 0_u64..3, 1_usize..12);
    prop::collection::vec(run, 32).prop_map(|runs| {
        let runs = runs.into_iter().flat_map(|(first, by, length)| {
            (0..length as u64).map(move |i| first.wrapping_add(i * by))
        });
        let all: Vec<u64> = runs.take(WARP_LANES).collect();
        std::array::from_fn(|lane| all[lane])
    })
}

fn step_of(variables: u32) -> impl Strategy<Value = TraceStep> {
    let changes = prop::collection::vec((0..variables, values()), 0..3);
    let callers = prop::collection::vec(span(), 0..2);
    let parts = (
        1_u32..99,
        span(),
        callers,
        any::<bool>(),
        any::<u32>(),
        changes,
    );
    parts.prop_map(
        |(line, span, callers, resumes, active, changes)| TraceStep {
            line,
            span,
            callers: callers.into(),
            resumes,
            active,
            changes,
        },
    )
}

fn recorded() -> impl Strategy<Value = RecordedTrace> {
    let value_types = prop::sample::select(vec![
        ValueType::Bool,
        ValueType::Pointer,
        ValueType::Number(ElementType::Bf16),
    ]);
    let variable = (value_types, span()).prop_map(|(value_type, declared)| TracedVariable {
        name: "acc[2].x".to_owned(),
        type_name: "const float*".to_owned(),
        value_type,
        line: 3,
        declared,
    });
    let site = (span(), 0_u32..3).prop_map(|(span, variable)| TracedSite {
        span,
        variable,
        among: variable..3,
    });
    let parts = (
        prop::collection::vec(variable, 3),
        prop::collection::vec(site, 0..3),
        prop::collection::vec(step_of(3), 0..5),
        any::<bool>(),
    );
    parts.prop_map(|(variables, sites, steps, truncated)| RecordedTrace {
        trace: Trace {
            watch: Watch {
                block: [4, 2, 1],
                warp: 3,
            },
            variables,
            steps,
            truncated,
        },
        sites,
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(of in recorded()) {
        let text = serde_json::to_string(&of).expect("can be written");
        let read: RecordedTrace = serde_json::from_str(&text).expect("can be read");
        prop_assert_eq!(read, of);
    }
}

#[test]
fn runs_of_lanes_are_short() {
    let grows: LaneValues = std::array::from_fn(|lane| 4 * lane as u64);
    assert_eq!(lanes(&grows), "0+4*32");
    assert_eq!(lanes(&[7; 32]), "7*32");
    let mut mixed = [1; 32];
    (mixed[0], mixed[31]) = (0xff, 9);
    assert_eq!(lanes(&mixed), "ff,1*30,9");
}

#[test]
fn what_does_not_fit_is_refused() {
    let step = |step: &str| {
        let text = format!(
            r#"{{"block": [0, 0, 0], "warp": 0, "truncated": false, "variables": [], "sites": [],
               "steps": ["{step}"]}}"#
        );
        serde_json::from_str::<RecordedTrace>(&text)
    };
    assert!(step("5 1-2 ff").is_ok());
    for wrong in [
        "",
        "5 1-2",
        "5 12 ff",
        "5 1-2 fg",
        "5 1-2 ff 0=0*32",
        "5 1-2 ff x",
    ] {
        assert!(step(wrong).is_err(), "{wrong}");
    }
    for wrong in ["0*31", "0*33", "0*99999999999999999999", "", "0+0", "z*32"] {
        assert_eq!(read_lanes(wrong), None, "{wrong}");
    }
}
