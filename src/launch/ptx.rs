//! The PTX of a kernel beside the lines of its source.
//!
//! A compiler that keeps line information puts `.loc FILE LINE COLUMN` before the instructions of each
//! place, and behind it `inlined_at FILE LINE COLUMN` where they come from a function that was put in
//! place of its call. An instruction belongs to its own line if that lies in the kernel's file, so that
//! functions written beside the kernel keep their lines; else to the nearest call around it that does,
//! so that a header's function counts for the line that calls it. The kernel's file is that of its first
//! `.loc`, which is where the kernel itself begins.

use std::collections::HashMap;

use serde::Serialize;

use super::CompileReport;
use crate::device::occupancy_text;

/// A line of PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PtxLine {
    /// Line of the kernel's file that it comes from, from 1; nothing of what stands for the kernel as a
    /// whole, such as its parameters and registers.
    pub line: Option<u32>,
    /// Its text: a tab of its indentation as four spaces, other blanks as one.
    pub text: String,
}

/// File, line and column.
type SourceLocation = [u32; 3];

/// The lines of one kernel's PTX, in their order, without blank lines and what is for debuggers only.
pub fn ptx_lines(ptx: &str) -> Vec<PtxLine> {
    let mut lines: Vec<PtxLine> = Vec::new();
    let mut calls = HashMap::new();
    let mut own_file = None;
    let mut line = None;
    let mut is_debug = false;
    for text in ptx.lines() {
        let words = text.trim();
        if words.starts_with(".section") {
            is_debug = true;
        } else if let Some((place, call)) = words.strip_prefix(".loc").and_then(places) {
            calls.insert(place, call);
            // Files are numbered as the compiler met them, which may be headers first.
            let file = *own_file.get_or_insert(place[0]);
            line = line_in(file, place, &calls).or(line);
        } else if is_debug {
            is_debug = words != "}";
        } else if !is_noise(words) {
            lines.push(PtxLine {
                line,
                text: shown(text),
            });
        }
    }
    // A label stands before the line of what it leads to.
    for at in (0..lines.len().saturating_sub(1)).rev() {
        if lines[at].text.starts_with('$') {
            lines[at].line = lines[at + 1].line;
        }
    }
    lines
}

/// What a `.loc` says: the place, and that of the call in whose place it stands.
fn places(loc: &str) -> Option<(SourceLocation, Option<SourceLocation>)> {
    let place = |text: &str| -> Option<SourceLocation> {
        let mut numbers = text.split_whitespace();
        let mut next = || numbers.next()?.trim_end_matches(',').parse().ok();
        Some([next()?, next()?, next()?])
    };
    let call = loc.split_once("inlined_at");
    Some((place(loc)?, call.and_then(|(_, call)| place(call))))
}

/// The line of `file` that `place` belongs to, through the calls around it.
fn line_in(
    file: u32,
    place: SourceLocation,
    calls: &HashMap<SourceLocation, Option<SourceLocation>>,
) -> Option<u32> {
    let mut at = place;
    // No call lies in itself, so there are no more around it than there are calls.
    for _ in 0..=calls.len() {
        // Line 0 is code of no line.
        if at[0] == file && at[1] > 0 {
            return Some(at[1]);
        }
        at = (*calls.get(&at)?)?;
    }
    None
}

fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let blanks = text.chars().take_while(|c| c.is_whitespace());
    let columns = blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum();
    " ".repeat(columns) + &words.join(" ")
}

/// How a report of what the compiler made begins: registers and memory; then how the launch fills an SM,
/// and what keeps it from filling it more.
pub fn resources(report: &CompileReport) -> [String; 3] {
    let (shared, local) = (report.static_shared_bytes, report.local_bytes);
    let registers = report.registers;
    let blocks = match report.blocks_per_sm {
        1 => "1 block an SM".to_owned(),
        blocks => format!("{blocks} blocks per SM"),
    };
    let occupancy = report.occupancy.map_or_else(String::new, |occupancy| {
        format!("occupancy {}, ", occupancy_text(occupancy))
    });
    [
        format!("registers {registers}, shared {shared} B, local (spills) {local} B"),
        format!("{occupancy}{blocks}"),
        match &report.limited_by[..] {
            [] => String::new(),
            limits => format!("limited by {}", limits.join(" and ")),
        },
    ]
}

/// Whether a line says nothing of what the kernel does.
fn is_noise(words: &str) -> bool {
    let label = words.strip_suffix(':').unwrap_or("");
    let is_of_debugger =
        |label: &str| label.starts_with("$L__tmp") || label.starts_with("$L__func");
    words.is_empty()
        || words.starts_with(".file")
        || words.starts_with("// begin inline asm")
        || words.starts_with("// end inline asm")
        || is_of_debugger(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiled by NVRTC 13.0 for sm_90, with line information, of `powers.cu`.
    const PTX: &str = include_str!("../../tests/tutor/fixtures/ptx/powers.ptx");
    const SOURCE: &str = include_str!("../../tests/tutor/fixtures/ptx/powers.cu");

    /// The source's line that each instruction with this name comes from.
    fn lines_of(name: &str) -> Vec<&'static str> {
        let of = |line: &PtxLine| {
            let number = line.line? as usize;
            let found = line.text.split_whitespace().next()?;
            (found == name).then(|| SOURCE.lines().nth(number - 1).map(str::trim))?
        };
        ptx_lines(PTX).iter().filter_map(of).collect()
    }

    #[test]
    fn instructions_stand_beside_the_line_they_come_from() {
        assert_eq!(lines_of("st.global.f32"), ["y[threadIdx.x] = sum;"]);
        assert_eq!(
            lines_of("ld.global.u16"),
            ["sum += fourth(__half2float(x[i]));"]
        );
        assert_eq!(lines_of("ex2.approx.ftz.f32"), ["sum = expf(-sum);"]);
        assert_eq!(lines_of("ld.param.u32").len(), 1);
        // The end of the loop's body is where its step begins.
        assert_eq!(lines_of("$L__BB0_4:"), lines_of("add.s32"));
    }

    #[test]
    fn functions_of_the_file_keep_their_lines_and_those_of_headers_have_their_callers() {
        assert_eq!(lines_of("mul.f32")[0], "return value * value;");
        // `__half2float` is inline assembly in a header.
        assert_eq!(lines_of("{"), ["sum += fourth(__half2float(x[i]));"]);
        let nested = ".loc 1 9 0\n.loc 1 12 3\n.loc 2 700 5, function_name $a, inlined_at 1 12 3\n\
                      .loc 3 5 1, function_name $b, inlined_at 2 700 5\nadd.s32 %r1, %r2, %r3;\n\
                      .loc 4 5 1\nsub.s32 %r1, %r2, %r3;\n.loc 1 0 0\nneg.s32 %r1, %r2;";
        let lines: Vec<_> = ptx_lines(nested).iter().map(|line| line.line).collect();
        // Whatever lies elsewhere and was called from nowhere stays with the line before.
        assert_eq!(lines, [Some(12); 3]);
    }

    #[test]
    fn what_is_for_debuggers_is_left_out() {
        let lines = ptx_lines(PTX);
        let has = |part: &str| lines.iter().any(|line| line.text.contains(part));
        assert!(!has(".loc") && !has(".file") && !has(".b8") && !has("inline asm"));
        assert!(lines.iter().all(|line| !line.text.contains('\t')));
        let first = lines.first().expect("has lines");
        assert_eq!(
            (first.line, first.text.as_str()),
            (None, ".visible .entry powers(")
        );
        assert_eq!(lines.last().map(|line| line.text.as_str()), Some("}"));
        let registers = lines.iter().find(|line| line.text.contains(".reg .pred"));
        assert_eq!(registers.and_then(|line| line.line), None);
    }

    #[test]
    fn text_that_is_no_ptx_is_shown_as_it_is() {
        let lines = ptx_lines(".loc\n.loc x y\nwhatever\n");
        let text: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(text, [".loc", ".loc x y", "whatever"]);
        assert_eq!(ptx_lines(""), []);
    }
}
