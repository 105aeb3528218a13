//! What a warp of a real GPU did, in a form that is short and can be compared line by line.
//!
//! A step is a line: `LINE FIRST-LAST ACTIVE`, then the places of its callers as `@FIRST-LAST`, `~`
//! where it resumes, and each change as `VARIABLE=LANES`. Lanes are runs with commas between them:
//! `3f800000` is one lane, `7*8` eight equal ones, `0+4*32` thirty-two that grow by four. Numbers of
//! lanes, lines and places are decimal, bits are hexadecimal.

use serde::{Deserialize, Serialize};

use super::{
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
        let by = after.first().map_or(0, |next| next.wrapping_sub(*first));
        let goes_on = |pair: &&[u64]| pair[1].wrapping_sub(pair[0]) == by;
        let length = 1 + rest.windows(2).take_while(goes_on).count();
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
        for lane in values.get_mut(filled..filled.checked_add(length)?)? {
            *lane = value;
            value = value.wrapping_add(by);
        }
        filled += length;
    }
    (filled == WARP_LANES).then_some(values)
}

#[cfg(test)]
#[path = "recorded_trace_tests.rs"]
mod tests;
