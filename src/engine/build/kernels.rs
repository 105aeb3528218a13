//! A plan's sources, compiled, and its launches, checked against them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::arguments::bind;
use super::limits;
use super::memory::{MemoryNeed, free_bytes};
use super::symbols::{Symbols, filled, left_to_host};
use super::tile::compile_tiles;
use crate::compile::{Compiled, compile_within};
use crate::device::{Gpu, gpu};
use crate::engine::options::{Control, Options, RunError};
use crate::engine::preparing::Preparing;
use crate::ir::Kernel;
use crate::launch::{Ending, FillControl, Launch, Outcome, Plan, Report, TileProgram};
use crate::simt::GlobalMemory;
use crate::source::{Diagnostic, Severity, SourceFile, Span, Work, is_python};

/// Buffers that are filled before anybody could read how far it is.
const SLOW_TO_FILL_BYTES: u64 = 64 << 20;

/// A plan's sources, compiled.
pub(crate) struct Built {
    pub compiled: Vec<Arc<Compiled>>,
    pub symbols: Symbols,
    /// The plan's launches, as they are made: a Triton kernel's are those of its thread program.
    pub launches: Vec<Launch>,
    /// By source, what a Triton kernel became.
    pub tiles: Vec<Option<Arc<TileProgram>>>,
    /// Whether a GPU will run it, which may have what the simulated one lacks.
    for_hardware: bool,
}

impl Built {
    /// Compiles the plan's sources; what is to be said of them goes to the outcome.
    pub fn new(plan: &Plan, options: &Options, cancel: &AtomicBool, outcome: &mut Outcome) -> Self {
        Self::made(plan, options, cancel, outcome, false)
    }

    /// The same for a GPU.
    pub fn for_hardware(
        plan: &Plan,
        options: &Options,
        cancel: &AtomicBool,
        outcome: &mut Outcome,
    ) -> Self {
        Self::made(plan, options, cancel, outcome, true)
    }

    fn made(
        plan: &Plan,
        options: &Options,
        cancel: &AtomicBool,
        outcome: &mut Outcome,
        for_hardware: bool,
    ) -> Self {
        let mut built = Built {
            compiled: Vec::new(),
            symbols: Symbols::default(),
            launches: plan.launches.clone(),
            tiles: Vec::new(),
            for_hardware,
        };
        built.compile_all(plan, options, cancel, outcome);
        outcome.reports.extend(left_to_host(plan, &built.compiled));
        built.symbols = Symbols::new(plan, &built.compiled);
        built
    }

    /// Of a plan with one source, in CUDA C++, that is compiled already: its diagnostics are the caller's.
    pub fn of_compiled(plan: &Plan, compiled: &Arc<Compiled>) -> Self {
        let compiled = vec![compiled.clone()];
        Built {
            symbols: Symbols::new(plan, &compiled),
            compiled,
            launches: plan.launches.clone(),
            tiles: vec![None],
            for_hardware: true,
        }
    }

    /// Compiles the plan's sources; what is to be said of them goes to the outcome.
    fn compile_all(
        &mut self,
        plan: &Plan,
        options: &Options,
        cancel: &AtomicBool,
        outcome: &mut Outcome,
    ) {
        // One limit for all of them.
        let work = Work::new(cancel)
            .at_most(options.compile_steps)
            .within(options.time_limit);
        for (index, source) in plan.sources.iter().enumerate() {
            let compiled = match is_python(source.file.name()) {
                true => self.compile_python(plan, index, options, &work),
                false => {
                    let launched = plan.launches.iter().filter(|launch| launch.source == index);
                    let names: Vec<&str> = launched.map(|launch| launch.kernel.as_str()).collect();
                    let (file, defines) = (&source.file, &source.defines);
                    self.tiles.push(None);
                    compile_within(file, defines, &names, options.fidelity, &work)
                }
            };
            let compiled = match self.for_hardware {
                true => compiled.for_hardware(),
                false => compiled,
            };
            let reports = compiled.diagnostics.iter().cloned();
            let reports = reports.map(|diagnostic| Report {
                source: index,
                diagnostic,
            });
            outcome.reports.extend(reports);
            self.compiled.push(Arc::new(compiled));
        }
        if cancel.load(Relaxed) {
            outcome.ending = Ending::Cancelled;
        }
    }

    /// What the kernels use that the simulated GPU lacks, and in which source.
    pub fn hardware_only(&self) -> Option<(usize, &Diagnostic)> {
        let mut sources = self.compiled.iter().enumerate();
        sources.find_map(|(index, compiled)| Some((index, compiled.hardware_only.as_ref()?)))
    }

    /// The text of a source that is compiled.
    pub fn text<'a>(&'a self, plan: &'a Plan, source: usize) -> &'a SourceFile {
        let tiles = self.tiles[source].as_ref();
        tiles.map_or(&plan.sources[source].file, |tiles| &tiles.file)
    }

    /// The macros that it is compiled with: those of a Triton kernel are in the text already.
    pub fn macros(&self, plan: &Plan, source: usize) -> Vec<(String, String)> {
        match self.tiles[source] {
            Some(_) => Vec::new(),
            None => plan.sources[source].defines.clone(),
        }
    }

    /// Compiles a Triton kernel for the launch of this source.
    fn compile_python(
        &mut self,
        plan: &Plan,
        index: usize,
        options: &Options,
        work: &Work,
    ) -> Compiled {
        let mut launches = self.launches.iter_mut();
        let Some(launch) = launches.find(|launch| launch.source == index) else {
            let nothing = Diagnostic::error(Span::default(), "no kernel of it is launched");
            self.tiles.push(None);
            return Compiled::failed(nothing);
        };
        let source = &plan.sources[index];
        let made = compile_tiles(source, launch, plan, options.fidelity, work);
        *launch = made.launch;
        self.tiles.push(made.program);
        made.compiled
    }

    /// The plan with its launches checked; the outcome has failed if there is an error in it.
    pub fn prepare<'a>(
        &'a self,
        plan: &'a Plan,
        options: &Options,
        outcome: &mut Outcome,
    ) -> Result<ReadyPlan<'a>, RunError> {
        let gpu = gpu(&options.gpu)?;
        let mut launches = Vec::new();
        for launch in &self.launches {
            let source = &self.compiled[launch.source];
            // Its errors are in the outcome already.
            if source.has_failed() {
                continue;
            }
            // A launch that is refused does not keep the others from being checked: all faults are told at once.
            let symbols = self.symbols.of_source(launch.source);
            match prepare_one(plan, launch, source, symbols, gpu) {
                Ok(launch) => launches.push(launch),
                Err(diagnostic) => {
                    outcome.reports.push(Report {
                        source: launch.source,
                        diagnostic: *diagnostic,
                    });
                }
            }
        }
        let memory = self.memory_need(plan, &launches, options, outcome);
        let is_error = |report: &Report| report.diagnostic.severity == Severity::Error;
        if outcome.ending == Ending::Finished && outcome.reports.iter().any(is_error) {
            outcome.ending = Ending::Failed;
        }
        Ok(ReadyPlan {
            plan,
            built: self,
            launches,
            memory,
        })
    }

    /// What the plan takes of the host's memory; where it has too little, the outcome says so.
    fn memory_need(
        &self,
        plan: &Plan,
        launches: &[Prepared],
        options: &Options,
        outcome: &mut Outcome,
    ) -> MemoryNeed {
        let launched = launches.iter().map(|launch| (launch.kernel, launch.launch));
        let need = MemoryNeed::of(plan, launched, options);
        if let Some(first) = launches.first()
            && let Some(diagnostic) = need.refusal(first.kernel.span, free_bytes())
        {
            outcome.reports.push(Report {
                source: first.launch.source,
                diagnostic,
            });
        }
        need
    }
}

/// A launch with its kernel and the bits of its arguments.
pub(crate) struct Prepared<'a> {
    pub launch: &'a Launch,
    pub kernel: &'a Kernel,
    pub arguments: Vec<u64>,
}

/// A plan that can be run. Where the outcome has failed, launches with errors are missing.
pub(crate) struct ReadyPlan<'a> {
    pub plan: &'a Plan,
    pub built: &'a Built,
    pub launches: Vec<Prepared<'a>>,
    memory: MemoryNeed,
}

impl ReadyPlan<'_> {
    /// Global memory as the first launch finds it: the plan's buffers and the variables at file scope. Not whole
    /// once the run is cancelled.
    pub fn memory(&self, control: &Control) -> Result<GlobalMemory, RunError> {
        if self.memory.is_unusual() {
            (control.preparing)(self.memory.preparing());
        }
        let bytes = self.memory.buffer_bytes;
        let done = AtomicU64::new(0);
        let on_filled = |piece: u64| {
            let before = done.fetch_add(piece, Relaxed);
            let percent = |bytes_done: u64| bytes_done * 100 / bytes.max(1);
            // Told a hundred times, whatever the size.
            if bytes >= SLOW_TO_FILL_BYTES && percent(before) != percent(before + piece) {
                let bytes_done = before + piece;
                (control.preparing)(Preparing::Filling { bytes_done, bytes });
            }
        };
        let follow = FillControl {
            cancel: control.cancel,
            filled: &on_filled,
        };
        let buffers = self.plan.buffers.iter().map(|spec| filled(spec, &follow));
        let symbols = &self.built.symbols;
        symbols.memory(self.plan, buffers.collect::<Result<_, _>>()?)
    }
}

/// The kernel of one launch, checked against what it is launched with.
fn prepare_one<'a>(
    plan: &'a Plan,
    launch: &'a Launch,
    source: &'a Compiled,
    symbols: &[Option<usize>],
    gpu: &Gpu,
) -> Result<Prepared<'a>, Box<Diagnostic>> {
    let kernel = source.kernel(&launch.kernel)?;
    limits::check(kernel, launch, gpu)?;
    let arguments = bind(kernel, &launch.arguments, &plan.buffers, symbols)?;
    Ok(Prepared {
        launch,
        kernel,
        arguments,
    })
}
