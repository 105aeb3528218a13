//! The PTX of each launch: each stretch under the source line that it comes from.

use crate::document::block::Block;
use crate::launch::{LaunchOutcome, Outcome, ptx_lines, resources};
use crate::source::SourceFile;

/// The PTX of every launch; `files` are the plan's.
pub fn ptx(outcome: &Outcome, files: &[&SourceFile]) -> Vec<Block> {
    let launches = outcome.launches.iter();
    launches.map(|launch| of_launch(launch, files)).collect()
}

fn of_launch(launch: &LaunchOutcome, files: &[&SourceFile]) -> Block {
    let kernel = &launch.kernel;
    let Some(report) = &launch.real.compiled else {
        return Block::lines(
            format!("PTX of {kernel}: none, because only the compiler of a real GPU makes PTX"),
            vec!["--engine gpu runs it on one".to_owned()],
        );
    };
    let resources = resources(report).into_iter();
    let mut lines: Vec<String> = resources.filter(|line| !line.is_empty()).collect();
    let source = files.get(launch.source).map_or("", |file| file.text());
    // The compiler moves code: a line of the source may come several times.
    for stretch in ptx_lines(&report.ptx).chunk_by(|a, b| a.line == b.line) {
        lines.push(String::new());
        lines.push(match stretch[0].line {
            Some(line) => {
                let of = source.lines().nth(line.saturating_sub(1) as usize);
                format!("line {line}: {}", of.unwrap_or("").trim())
            }
            None => "parameters and registers".to_owned(),
        });
        lines.extend(stretch.iter().map(|line| format!("    {}", line.text)));
    }
    Block::Lines {
        title: format!("PTX of {kernel}, under the lines of its source"),
        lines,
        is_code: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu_or_usual;
    use crate::document::plain;
    use crate::engine::{Control, Options, run};
    use crate::launch::CompileReport;
    use crate::lesson::load;

    #[test]
    fn each_stretch_stands_under_its_line_and_what_is_missing_is_said() {
        let lesson = load("softmax").expect("reads");
        let cell = lesson.run_cell("fused").expect("is there");
        let sizes = [("M".to_owned(), 1), ("N".to_owned(), 1)];
        let sizes = lesson.sizes_with(&sizes).expect("are in range");
        let plan = cell.plan(&sizes, gpu_or_usual("h200")).expect("is a plan");
        let outcome = run(&plan, &Options::default(), &Control::default());
        let mut outcome = outcome.expect("runs");
        let none = plain(&ptx(&outcome, &[&cell.source]));
        assert!(
            none.contains("none, because only the compiler of a real GPU"),
            "{none}"
        );
        assert!(none.contains("--engine gpu"), "{none}");
        outcome.launches[0].real.compiled = Some(CompileReport {
            compiled_by: "NVRTC 13.0".to_owned(),
            registers: 40,
            static_shared_bytes: 128,
            local_bytes: 8,
            constant_bytes: 0,
            max_threads: 1024,
            blocks_per_sm: 6,
            occupancy: Some(0.75),
            limited_by: vec!["registers".to_owned()],
            ptx: ".visible .entry f(\n)\n{\n\t.loc 1 3 1\n\tmov.u32 \t%r1, %tid.x;\n}\n".to_owned(),
        });
        let text = plain(&ptx(&outcome, &[&cell.source]));
        let third = cell.source.text().lines().nth(2).expect("has lines");
        for part in [
            "registers 40, shared 128 B, local (spills) 8 B",
            "occupancy 75 %, 6 blocks per SM\n  limited by registers",
            "parameters and registers\n      .visible .entry f(",
            &format!(
                "line 3: {}\n          mov.u32 %r1, %tid.x;\n      }}",
                third.trim()
            ),
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
