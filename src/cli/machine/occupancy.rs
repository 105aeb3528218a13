//! `tutor occupancy`: one launch, or as many as standard input has rows.

use std::io;

use crate::cli::value;
use clap::Args;

use crate::cli::output::{Output, Stop};
use crate::device::{Occupancy, compute_capability, gpu};
use crate::document;
use crate::lesson::Inputs;

const HELP: &str = "\
Examples:
  tutor occupancy --cc 9.0 --threads 128 --registers 160 --shared 0
  echo 9.0,128,160,0 | tutor occupancy --batch

With --batch, CSV rows cc,threads,regs,smem on standard input become rows
cc,threads,regs,smem,active_blocks,active_warps,limiting_factors on standard output. Limiting factors
are joined with +; 0 blocks means that the launch is refused. A first row of column names is passed through.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct OccupancyArguments {
    /// Compute capability, such as 9.0.
    #[arg(long, value_name = "CC", required_unless_present_any = ["gpu", "batch"], value_parser = value::compute_capability)]
    pub cc: Option<String>,
    /// That of a GPU of the table instead.
    #[arg(long, value_name = "ID", conflicts_with_all = ["cc", "batch"], value_parser = value::gpu)]
    pub gpu: Option<String>,
    /// Threads of a block.
    #[arg(long, required_unless_present = "batch")]
    pub threads: Option<u32>,
    /// Registers of a thread.
    #[arg(long, required_unless_present = "batch")]
    pub registers: Option<u32>,
    /// Shared memory of a block, static and dynamic together.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Read CSV rows from standard input.
    #[arg(long, conflicts_with_all = ["cc", "threads", "registers", "shared", "json"])]
    pub batch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Columns of a batch: those read, and those added.
const READ: [&str; 4] = ["cc", "threads", "regs", "smem"];
const ADDED: [&str; 3] = ["active_blocks", "active_warps", "limiting_factors"];

/// Prints how full an SM is.
pub(crate) fn occupancy(arguments: &OccupancyArguments, output: &Output) -> Result<bool, Stop> {
    if arguments.batch {
        let text = batch(io::stdin().lock()).map_err(Stop::Usage)?;
        output.print(&text)?;
        return Ok(true);
    }
    let asked = arguments.gpu.as_deref().map(gpu).transpose();
    let asked = asked.map_err(|unknown| Stop::Usage(unknown.to_string()))?;
    let cc = match (asked, arguments.cc.as_deref()) {
        (Some(gpu), _) => Some(gpu.limits()),
        (None, cc) => cc.and_then(compute_capability),
    };
    let limits = cc.ok_or_else(|| Stop::Usage("expected --cc, such as 9.0".to_owned()))?;
    let inputs = Inputs {
        limits,
        threads: arguments.threads.unwrap_or(0),
        registers: arguments.registers.unwrap_or(0),
        shared_bytes: arguments.shared,
    };
    match arguments.json {
        true => output.print_json(&document::occupancy_json(&inputs))?,
        false => output.print(&document::plain(&document::occupancy(&inputs)))?,
    }
    Ok(true)
}

fn factors(occupancy: &Occupancy) -> Vec<&'static str> {
    let factors = occupancy.limiting_factors.iter();
    factors.map(|limit| limit.name()).collect()
}

/// The rows of `input` with what an SM holds of each; a first row of names gets names too.
fn batch(input: impl io::Read) -> Result<String, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        // A row of the wrong length gets our message, with what is expected, instead of the reader's.
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(input);
    let mut text = String::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(|error| format!("standard input: {error}"))?;
        let fields: Vec<&str> = record.iter().collect();
        // A header is what a spreadsheet exports, so it is answered by one.
        let answer = if i == 0 && fields == READ {
            ADDED.join(",")
        } else {
            // A quoted field may span lines: the reader's count is right where ours of rows is not.
            let line = record.position().map_or(i as u64 + 1, csv::Position::line);
            answer(&fields).map_err(|wrong| format!("standard input, line {line}: {wrong}"))?
        };
        text += &format!("{},{answer}\n", fields.join(","));
    }
    Ok(text)
}

fn answer(fields: &[&str]) -> Result<String, String> {
    let [cc, threads, registers, shared_bytes] = fields else {
        let found = fields.len();
        return Err(format!(
            "{found} fields, where {} are expected",
            READ.join(",")
        ));
    };
    let limits = value::compute_capability(cc)?;
    let limits = compute_capability(&limits).ok_or("no such compute capability")?;
    let number = |name: &str, text: &str| {
        let number = text.parse::<u32>();
        number.map_err(|_| format!("{name} is `{text}`, where a whole number is expected"))
    };
    let inputs = Inputs {
        limits,
        threads: number(READ[1], threads)?,
        registers: number(READ[2], registers)?,
        shared_bytes: number(READ[3], shared_bytes)?,
    };
    let found = inputs.occupancy();
    Ok(format!(
        "{},{},{}",
        found.blocks,
        found.warps,
        factors(&found).join("+")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_answers_every_row_as_nvidias_calculator_does() {
        let sample = include_str!("../../../tests/tutor/fixtures/occupancy_sample.csv");
        let cut = |line: &str, fields: usize| {
            line.split(',').take(fields).collect::<Vec<_>>().join(",") + "\n"
        };
        let questions: String = sample.lines().map(|line| cut(line, 4)).collect();
        let answers: String = sample.lines().map(|line| cut(line, 7)).collect();
        assert!(sample.lines().count() > 60, "the fixture is there");
        assert_eq!(batch(questions.as_bytes()), Ok(answers));
    }

    #[test]
    fn a_row_that_does_not_read_is_named_with_what_was_expected() {
        let refused = |text: &str| batch(text.as_bytes()).expect_err("does not read");
        let line = refused("9.0,128,32,0\n9.0,128,x,0\n");
        assert!(line.contains("line 2: regs is `x`"), "{line}");
        assert!(refused("9.0,128\n").contains("2 fields, where cc,threads,regs,smem"));
        assert!(refused("4.2,128,32,0\n").contains("there is no compute capability `4.2`"));
        assert_eq!(batch("".as_bytes()), Ok(String::new()));
    }
}
