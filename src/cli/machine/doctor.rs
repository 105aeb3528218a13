//! `tutor doctor`.

use std::env;
use std::io::IsTerminal;

use clap::Args;
use serde::Serialize;

use crate::cli::output::{Output, Stop};
use crate::document::columns;
use crate::gpu::{self, Facts, FoundLibrary, Gpu, Startup, Unavailable};

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Smallest terminal that the notebook is made for, in columns and rows.
const SMALLEST: (u16, u16) = (80, 24);

/// Something that the program uses where it is there.
#[derive(Debug, Serialize)]
struct Finding {
    /// What it is.
    name: &'static str,
    /// Whether it is there and can be used.
    found: bool,
    /// Where it is and which version, or what is wrong.
    what: String,
    /// What it is for.
    purpose: &'static str,
    /// How to get it; nothing if it is there.
    help: Option<String>,
}

/// Says what is found and what is missing. Lessons need nothing of it, so it succeeds.
pub(crate) fn doctor(arguments: &DoctorArguments, output: &Output) -> Result<bool, Stop> {
    let mut facts = Gpu::default().probe(true);
    if let Err(Unavailable::Hangs(Startup::BaselineLibraries)) = facts {
        facts = Gpu::default().probe(false);
    }
    let findings = findings(&facts);
    let usable = facts.as_ref().and_then(|facts| facts.usable());
    let can_compile = facts.as_ref().is_ok_and(|facts| facts.nvrtc.is_ok());
    // Nothing here is needed for a lesson, so nothing missing is an error.
    let engine = match (usable, can_compile) {
        (Ok(gpu), true) => format!("Kernels run on the {} and on the simulated GPU.", gpu.name),
        (Ok(gpu), false) => format!(
            "The lessons' kernels run on the {} and on the simulated GPU, your own and changed ones on \
             the simulated GPU alone.",
            gpu.name
        ),
        (Err(_), _) => "Kernels run on the simulated GPU: every lesson works.".to_owned(),
    };
    if arguments.json {
        let findings = serde_json::json!({"ok": true, "engine": engine, "findings": findings});
        output.print_json(&findings)?;
    } else {
        output.print(&plain(&findings, &engine))?;
    }
    Ok(true)
}

fn findings(facts: &Result<Facts, Unavailable>) -> Vec<Finding> {
    let mut findings = vec![driver(facts), gpus(facts), nvrtc(facts)];
    for (name, purpose, help) in [
        (
            "cublas",
            "to time matrix products against",
            "`pip install nvidia-cublas`, or the CUDA toolkit",
        ),
        (
            "cudnn",
            "to time softmax against",
            "`pip install nvidia-cudnn-cu13`",
        ),
    ] {
        // Where the probe itself failed, nothing was looked for.
        let baselines = facts.as_ref().map(|facts| facts.baselines.as_slice());
        let mut baselines = baselines.unwrap_or_default().iter();
        let found = baselines.find(|library| library.name == name);
        findings.push(Finding {
            name,
            found: found.is_some(),
            what: found.map_or_else(|| "not found".to_owned(), library),
            purpose,
            help: found.is_none().then(|| help.to_owned()),
        });
    }
    findings.extend([profiler(), terminal_colours(), terminal_size()]);
    findings
}

fn library(library: &FoundLibrary) -> String {
    format!("{} at {}", library.version, library.path)
}

fn finding<T>(
    name: &'static str,
    purpose: &'static str,
    found: Result<T, &Unavailable>,
    what: impl FnOnce(T) -> String,
) -> Finding {
    match found {
        Ok(found) => Finding {
            name,
            found: true,
            what: what(found),
            purpose,
            help: None,
        },
        Err(why) => Finding {
            name,
            found: false,
            what: why.to_string(),
            purpose,
            help: Some(why.help().to_owned()),
        },
    }
}

fn driver(facts: &Result<Facts, Unavailable>) -> Finding {
    let driver = facts.as_ref().and_then(|facts| facts.driver.as_ref());
    finding("driver", "to run on a real GPU", driver, |driver| {
        // Two versions are told: the driver's own, and that of the newest CUDA it can run.
        let own = gpu::driver_and_clocks(&driver.gpus[0]).0;
        let own = own.map_or_else(String::new, |own| format!("{own}, "));
        let place = driver.path.as_ref().map(|path| format!(" at {path}"));
        let (cuda, place) = (&driver.version, place.unwrap_or_default());
        format!("{own}for CUDA {cuda}{place}")
    })
}

fn gpus(facts: &Result<Facts, Unavailable>) -> Finding {
    let driver = facts.as_ref().and_then(|facts| facts.driver.as_ref());
    finding("gpu", "to measure times on", driver, |driver| {
        let gpus = driver.gpus.iter().map(|gpu| {
            let gib = gpu.memory_bytes >> 30;
            let (name, cc) = (&gpu.name, &gpu.compute_capability);
            format!(
                "{name}, compute capability {cc}, {} SMs, {gib} GiB",
                gpu.sm_count
            )
        });
        gpus.collect::<Vec<_>>().join("; ")
    })
}

fn nvrtc(facts: &Result<Facts, Unavailable>) -> Finding {
    let nvrtc = facts.as_ref().and_then(|facts| facts.nvrtc.as_ref());
    let purpose = "to compile kernels of your own and changed ones for a real GPU; \
                   the lessons' run without it";
    finding("nvrtc", purpose, nvrtc, library)
}

fn profiler() -> Finding {
    let found = gpu::find_profiler();
    Finding {
        name: "ncu",
        found: found.is_some(),
        what: found
            .as_ref()
            .map_or_else(|| "not found".to_owned(), library),
        purpose: "to compare with the hardware's own counters",
        help: found
            .is_none()
            .then(|| "install Nsight Compute; it comes with the CUDA toolkit".to_owned()),
    }
}

fn terminal_colours() -> Finding {
    let says = |name: &str| env::var(name).unwrap_or_default();
    // There is no way to ask a terminal; these variables are what programs agree on.
    let has_all = ["truecolor", "24bit"].contains(&says("COLORTERM").as_str());
    let term = says("TERM");
    let (found, what) = match (has_all, term.as_str()) {
        (true, _) => (true, "16 million".to_owned()),
        (false, term) if term.contains("256color") => (true, "256".to_owned()),
        (false, "") => (false, "TERM is not set".to_owned()),
        (false, term) => (false, format!("TERM is `{term}`: few")),
    };
    Finding {
        name: "colours",
        found,
        what,
        purpose: "to tell things apart; words say the same",
        help: (!found).then(|| "set TERM=xterm-256color where the terminal can do it".to_owned()),
    }
}

fn terminal_size() -> Finding {
    let is_terminal = std::io::stdout().is_terminal();
    let size = is_terminal
        .then(crossterm::terminal::size)
        .and_then(Result::ok);
    let (columns, rows) = SMALLEST;
    let fits = size.is_some_and(|size| size.0 >= columns && size.1 >= rows);
    Finding {
        name: "size",
        found: fits,
        what: match size {
            Some((columns, rows)) => format!("{columns} × {rows}"),
            None => "standard output is not a terminal".to_owned(),
        },
        purpose: "to open the notebook",
        help: (!fits)
            .then(|| format!("the notebook needs {columns} × {rows}; --plain needs no terminal")),
    }
}

fn plain(findings: &[Finding], engine: &str) -> String {
    let mut rows = Vec::new();
    for finding in findings {
        let mark = if finding.found { "✓" } else { "✗" };
        let mut row = |cells: [&str; 3]| rows.push(cells.map(str::to_owned).to_vec());
        row([mark, finding.name, &finding.what]);
        if let Some(help) = &finding.help {
            row(["", "", &format!("{}: {help}", finding.purpose)]);
        }
    }
    format!("{}\n{engine}\n", columns(&rows, 3))
}
