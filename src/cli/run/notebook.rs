//! From a command line to the notebook on a terminal.

use crate::cli::options::{EngineArguments, EngineChoice, LookArguments};
use crate::cli::output::Stop;
use crate::launch::Engine;
use crate::runtime::{self, Setup, Start};

/// What a command line says of the notebook's runs.
pub(crate) fn setup(arguments: &EngineArguments, look: LookArguments) -> Result<Setup, Stop> {
    if arguments.verify_counts {
        let message = "--verify-counts prints what it found: add --plain or --json";
        return Err(Stop::Usage(message.to_owned()));
    }
    Ok(Setup {
        gpu: arguments.gpu.clone(),
        engine: match arguments.engine {
            EngineChoice::Sim => Some(Engine::Sim),
            EngineChoice::Gpu => Some(Engine::Gpu),
            // Whether there is a GPU that works, the notebook finds out for itself.
            EngineChoice::Auto => None,
        },
        timing: arguments.l2.into(),
        counters: arguments.counters,
        time_limit: arguments.time_limit,
        watch: arguments.watch,
        scheme: look.theme,
        ascii: look.ascii,
        ..Setup::default()
    })
}

/// Opens the program on a terminal.
pub(crate) fn open(start: Start, setup: Setup) -> Result<bool, Stop> {
    match runtime::open(start, setup) {
        Ok(None) => Ok(true),
        Ok(Some(signal)) => Err(Stop::Signal(signal)),
        Err(error) => Err(Stop::Failed(format!("{error:#}"))),
    }
}
