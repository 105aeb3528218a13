//! What a warp of a real GPU did, in a form that is short and can be compared line by line.
//!
//! A step is a line: `LINE FIRST-LAST ACTIVE`, then the places of its callers as `@FIRST-LAST`, `~`
//! where it resumes, and each change as `VARIABLE=LANES`. Lanes are runs with commas between them:
//! `3f800000` is one lane, `7*8` eight equal ones, `0+4*32` thirty-two that grow by four. Numbers of
//! lanes, lines and places are decimal, bits are hexadecimal.

use serde::{Deserialize, Serialize};

use crate::launch::{
    Dim3, ElementType, LaneValues, Trace, TraceStep, TracedSite, TracedVariable, ValueType,
    WARP_LANES, Watch,
};
use crate::source::Span;

/// A real GPU's trace, and the places where it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub struct RecordedTrace {
    /// What the warp's variables held.
    pub trace: Trace,
    /// The statements that set them; their variables are those of the trace.
    pub sites: Vec<TracedSite>,
}

/// The form in the file.
#[derive(Serialize, Deserialize)]
struct Text {
    block: Dim3,
    warp: u32,
    truncated: bool,
    variables: Vec<VariableText>,
    /// `FIRST-LAST VARIABLE AMONG-AMONG`.
    sites: Vec<String>,
    steps: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct VariableText {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    /// `bool`, `pointer` or a type of elements.
    value: String,
    line: u32,
    declared: String,
}

impl From<RecordedTrace> for Text {
    fn from(of: RecordedTrace) -> Self {
        let RecordedTrace { trace, sites } = of;
        let site = |site: &TracedSite| {
            let among = format!("{}-{}", site.among.start, site.among.end);
            format!("{} {} {among}", place(site.span), site.variable)
        };
        Text {
            block: trace.watch.block,
            warp: trace.watch.warp,
            truncated: trace.truncated,
            variables: trace.variables.into_iter().map(Into::into).collect(),
            sites: sites.iter().map(site).collect(),
            steps: trace.steps.iter().map(step).collect(),
        }
    }
}

impl From<TracedVariable> for VariableText {
    fn from(variable: TracedVariable) -> Self {
        VariableText {
            name: variable.name,
            type_name: variable.type_name,
            value: match variable.value_type {
                ValueType::Bool => "bool",
                ValueType::Pointer => "pointer",
                ValueType::Number(element) => element.name(),
            }
            .to_owned(),
            line: variable.line,
            declared: place(variable.declared),
        }
    }
}

impl TryFrom<Text> for RecordedTrace {
    type Error = String;

    fn try_from(text: Text) -> Result<Self, String> {
        let read = |line: &String, of: Option<_>| of.ok_or_else(|| format!("`{line}` is no step"));
        let known = text.variables.len() as u32;
        let steps = text.steps.iter().map(|line| {
            let step = read_step(line);
            // Whoever shows a trace indexes by these numbers: a file that was edited must not end the program.
            let fits = |step: &TraceStep| step.changes.iter().all(|change| change.0 < known);
            read(line, step.filter(fits))
        });
        let steps = steps.collect::<Result<_, _>>()?;
        let sites = text.sites.iter().map(|line| {
            let site = read_site(line);
            let fits = |site: &TracedSite| site.variable < known && site.among.end <= known;
            let site = site.filter(fits);
            site.ok_or_else(|| format!("`{line}` is no place where a variable is set"))
        });
        let sites = sites.collect::<Result<_, _>>()?;
        let variables = text.variables.into_iter().map(TryInto::try_into);
        Ok(RecordedTrace {
            trace: Trace {
                watch: Watch {
                    block: text.block,
                    warp: text.warp,
                },
                variables: variables.collect::<Result<_, _>>()?,
                steps,
                truncated: text.truncated,
            },
            sites,
        })
    }
}

impl TryFrom<VariableText> for TracedVariable {
    type Error = String;

    fn try_from(text: VariableText) -> Result<Self, String> {
        let value_type = match text.value.as_str() {
            "bool" => Some(ValueType::Bool),
            "pointer" => Some(ValueType::Pointer),
            name => ElementType::from_name(name).map(ValueType::Number),
        };
        let of = value_type.zip(read_place(&text.declared));
        let (value_type, declared) = of.ok_or_else(|| format!("`{}` is unclear", text.name))?;
        Ok(TracedVariable {
            name: text.name,
            type_name: text.type_name,
            value_type,
            line: text.line,
            declared,
        })
    }
}

fn place(span: Span) -> String {
    format!("{}-{}", span.start, span.end)
}

fn step(step: &TraceStep) -> String {
    let mut text = format!("{} {} {:x}", step.line, place(step.span), step.active);
    for caller in step.callers.iter() {
        text += &format!(" @{}", place(*caller));
    }
    if step.resumes {
        text += " ~";
    }
    for (variable, values) in &step.changes {
        text += &format!(" {variable}={}", lanes(values));
    }
    text
}

/// Lanes as runs, the longest that can be made at each.
fn lanes(values: &LaneValues) -> String {
    let mut runs = Vec::new();
    let mut rest = &values[..];
    while let [first, after @ ..] = rest {
        // Lanes that count up, as `threadIdx.x` does, are a start, a stride and a length: `0+1*20`.
        let by = after.first().map_or(0, |next| next.wrapping_sub(*first));
        let goes_on = |pair: &&[u64]| pair[1].wrapping_sub(pair[0]) == by;
        let length = 1 + rest.windows(2).take_while(goes_on).count();
        // `a,b` is as short as `a+1*2`, and two values say nothing of a rule.
        let length = if by != 0 && length < 3 { 1 } else { length };
        runs.push(match (length, by) {
            (1, _) => format!("{first:x}"),
            (_, 0) => format!("{first:x}*{length}"),
            _ => format!("{first:x}+{by:x}*{length}"),
        });
        rest = &rest[length..];
    }
    runs.join(",")
}

fn read_place(text: &str) -> Option<Span> {
    let (start, end) = text.split_once('-')?;
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    Some(Span { start, end })
}

fn read_site(text: &str) -> Option<TracedSite> {
    let mut words = text.split(' ');
    let (span, variable) = (read_place(words.next()?)?, words.next()?.parse().ok()?);
    let among = read_place(words.next()?)?;
    Some(TracedSite {
        span,
        variable,
        among: among.start..among.end,
    })
}

fn read_step(text: &str) -> Option<TraceStep> {
    let mut words = text.split(' ');
    let (line, span) = (words.next()?.parse().ok()?, read_place(words.next()?)?);
    let active = u32::from_str_radix(words.next()?, 16).ok()?;
    let (mut callers, mut resumes, mut changes) = (Vec::new(), false, Vec::new());
    for word in words {
        if let Some(caller) = word.strip_prefix('@') {
            callers.push(read_place(caller)?);
        } else if word == "~" {
            resumes = true;
        } else {
            let (variable, values) = word.split_once('=')?;
            changes.push((variable.parse().ok()?, read_lanes(values)?));
        }
    }
    Some(TraceStep {
        line,
        span,
        callers: callers.into(),
        resumes,
        active,
        changes,
    })
}

fn read_lanes(text: &str) -> Option<LaneValues> {
    let bits = |text: &str| u64::from_str_radix(text, 16).ok();
    let (mut values, mut filled) = ([0; WARP_LANES], 0_usize);
    for run in text.split(',') {
        let (run, length) = run.split_once('*').unwrap_or((run, "1"));
        let (first, by) = run.split_once('+').unwrap_or((run, "0"));
        let (mut value, by, length) = (bits(first)?, bits(by)?, length.parse::<usize>().ok()?);
        // A length from a file may be any number: past the last lane it is no step.
        for lane in values.get_mut(filled..filled.checked_add(length)?)? {
            *lane = value;
            value = value.wrapping_add(by);
        }
        filled += length;
    }
    // A line that was cut off or edited is refused, not filled up with zeros.
    (filled == WARP_LANES).then_some(values)
}

#[cfg(test)]
mod tests {
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
}
