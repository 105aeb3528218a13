//! Keeps what the variables of one warp last_values after each statement.

use std::sync::Arc;

use super::machine::{Moment, Observer};
use super::program::is_wide_value;
use super::warp::{Lanes, Vector, join, set_bits};
use crate::ir::{
    AccessSite, IndexType, Instruction, Kernel, LOCAL_BASE, NO_REGISTER, Op, Registers, Space,
    Statement, Variable, VariablePlace,
};
use crate::launch::{LaneValues, Trace, TraceStep, TracedVariable, ValueType, Watch};
use crate::source::Span;

/// Most bytes of values that a trace keeps, however many steps it may have: a statement that copies a large struct
/// changes a hundred variables at once.
// Less in tests: without optimisation so many values take minutes.
const MOST_BYTES: usize = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// A statement that is being executed.
struct OpenStatement {
    /// Its index.
    statement: usize,
    /// The lanes that began it.
    active: u32,
    /// Whether it goes on after a call or barrier in its middle.
    resumes: bool,
    /// The statements that lead there.
    callers: Arc<[Span]>,
}

/// The statements that lead to what runs.
struct CallChains {
    /// By call of the source: from the kernel, or from the body that the call stands in.
    within: Vec<Arc<[Span]>>,
    /// By body that the warp is in, outermost first: from the kernel.
    bodies: Vec<Arc<[Span]>>,
}

impl CallChains {
    /// From the kernel to the statements of a call.
    fn of(&self, call: usize) -> Arc<[Span]> {
        let within = &self.within[call];
        match self.bodies.last() {
            None => within.clone(),
            Some(body) => body.iter().chain(&**within).copied().collect(),
        }
    }
}

/// Follows the watched warp, instruction by instruction.
pub struct Tracer<'a> {
    kernel: &'a Kernel,
    /// Statement of each instruction.
    statement_of: Vec<Option<usize>>,
    current: Option<usize>,
    open: Option<OpenStatement>,
    /// By variable: what it last_values when last looked at, if it ever had a value.
    last_values: Vec<Option<LaneValues>>,
    chains: CallChains,
    /// By register: whether a variable of one word, or the first of two, lives in it.
    named: Vec<bool>,
    /// By register: whether the open statement writes it.
    written: Vec<bool>,
    /// By word of local memory: whether the open statement writes it in some lane.
    written_local: Vec<bool>,
    limit: usize,
    bytes: usize,
    trace: Trace,
}

impl<'a> Tracer<'a> {
    /// A tracer that keeps up to `limit` statements.
    pub fn new(kernel: &'a Kernel, watch: Watch, limit: usize) -> Self {
        let traced = |variable: &Variable| TracedVariable {
            name: variable.name.clone(),
            type_name: variable.type_name.clone(),
            value_type: variable.value_type,
            line: variable.line,
            declared: variable.declaration.span,
        };
        Tracer {
            kernel,
            statement_of: (0..kernel.code.len())
                .map(|pc| kernel.source.statement_at(pc))
                .collect(),
            current: None,
            open: None,
            last_values: vec![None; kernel.variables.len()],
            chains: CallChains {
                within: callers(kernel),
                bodies: Vec::new(),
            },
            named: named(kernel),
            written: vec![false; usize::from(kernel.registers)],
            written_local: vec![false; kernel.memory.local_bytes.div_ceil(4) as usize],
            limit,
            bytes: 0,
            trace: Trace {
                watch,
                variables: kernel.variables.iter().map(traced).collect(),
                steps: Vec::new(),
                truncated: false,
            },
        }
    }

    /// Whether the tracer follows that warp.
    fn watches(&self, lanes: &Lanes<'_>) -> bool {
        let watch = &self.trace.watch;
        watch.block == lanes.block && watch.warp as usize == lanes.warp && !self.trace.truncated
    }

    /// Sees an instruction of the watched warp; `local` is the block's local memory, word by
    /// word, in each warp by warp.
    fn observe(&mut self, pc: usize, i: Instruction, lanes: &Lanes<'_>, local: &[Vector]) {
        let statement = self.statement_of[pc];
        let begins =
            statement.is_some_and(|at| self.kernel.source.statements[at].first as usize == pc);
        if statement.is_some() && (statement != self.current || begins) {
            self.close(lanes, local);
            self.current = statement;
            // A joining instruction that no lane reaches executes nothing.
            if let Some(at) = statement.filter(|_| lanes.active() != 0) {
                let resumes = self.kernel.source.statements[at].resumes;
                self.enter(at, lanes.active(), resumes);
            }
        } else if let Some(at) = statement
            && self.open.is_none()
            && lanes.active() != 0
            && self.writes_variable(i)
        {
            // A statement with a barrier in its middle goes on after it as a step of its own.
            self.enter(at, lanes.active(), true);
        }
        self.note_call(pc, i);
        if lanes.active() != 0 {
            self.note_writes(i);
            if matches!(i.op, Op::Store | Op::StoreLocal) {
                self.note_local_writes(i, lanes);
            }
        }
    }

    fn enter(&mut self, statement: usize, active: u32, resumes: bool) {
        if self.trace.steps.len() < self.limit && self.bytes < MOST_BYTES {
            self.open = Some(OpenStatement {
                statement,
                active,
                resumes,
                callers: self.callers_of(statement),
            });
        } else {
            self.trace.truncated = true;
        }
    }

    /// The statements that lead from the kernel to one that runs now.
    fn callers_of(&self, statement: usize) -> Arc<[Span]> {
        let call = self.kernel.source.statements[statement].call;
        self.chains.of(call as usize)
    }

    /// Follows the warp into a body that several calls share, and out again.
    fn note_call(&mut self, pc: usize, i: Instruction) {
        match (i.op, self.statement_of[pc]) {
            (Op::Call, Some(statement)) => {
                let callers = self.callers_of(statement);
                let span = self.kernel.source.statements[statement].span;
                let chain = callers.iter().copied().chain([span]);
                self.chains.bodies.push(chain.collect());
            }
            // A call that no statement has, as of a destructor, leads nowhere new.
            (Op::Call, None) => {
                let around = self.chains.bodies.last().cloned();
                self.chains.bodies.push(around.unwrap_or_default());
            }
            (Op::Return, _) => {
                self.chains.bodies.pop();
            }
            _ => {}
        }
    }

    /// Whether an instruction writes a register that a variable lives in.
    fn writes_variable(&self, i: Instruction) -> bool {
        let mut written = self.kernel.writes(i).into_iter().flat_map(Registers::each);
        written.any(|register| self.named[usize::from(register)])
    }

    fn note_writes(&mut self, i: Instruction) {
        for register in self.kernel.writes(i).into_iter().flat_map(Registers::each) {
            self.written[usize::from(register)] = true;
        }
    }

    fn note_local_writes(&mut self, i: Instruction, lanes: &Lanes<'_>) {
        let site = &self.kernel.sites[i.imm as usize];
        for lane in set_bits(lanes.active()) {
            let Some(first) = local_offset(i, site, lanes, lane) else {
                continue;
            };
            let words =
                first as usize / 4..(first + u64::from(site.width_bytes)).div_ceil(4) as usize;
            // An address outside is about to fault.
            if let Some(words) = self.written_local.get_mut(words) {
                words.fill(true);
            }
        }
    }

    fn is_written(&self, place: VariablePlace) -> bool {
        match place {
            VariablePlace::Register(register) => self.written[usize::from(register)],
            VariablePlace::Local(offset) => self.written_local[offset as usize / 4],
        }
    }

    /// Ends the open statement: keeps what it changed.
    fn close(&mut self, lanes: &Lanes<'_>, local: &[Vector]) {
        let Some(open) = self.open.take() else {
            return;
        };
        let Statement { line, span, .. } = self.kernel.source.statements[open.statement];
        let is_first = self.trace.steps.is_empty();
        let mut changes = Vec::new();
        for (at, variable) in self.kernel.variables.iter().enumerate() {
            let values = values(variable, lanes, local);
            let changed = match &self.last_values[at] {
                Some(last_values) => *last_values != values,
                None => {
                    // Arguments have their values from the beginning, without a statement that
                    // writes them.
                    let is_argument = is_first && at < self.kernel.written_parameters().len();
                    is_argument || self.is_written(variable.place)
                }
            };
            if changed {
                changes.push((at as u32, values));
                self.last_values[at] = Some(values);
            }
        }
        // What a statement wrote is looked at once, when it ends.
        self.written.fill(false);
        self.written_local.fill(false);
        self.bytes += size_of::<TraceStep>() + size_of_val(&changes[..]);
        self.trace.steps.push(TraceStep {
            line,
            span,
            callers: open.callers,
            resumes: open.resumes,
            active: open.active,
            changes,
        });
    }

    /// What was kept.
    pub fn into_trace(self) -> Trace {
        self.trace
    }
}

impl Observer for Tracer<'_> {
    fn before(&mut self, moment: &Moment<'_, '_>) {
        if self.watches(moment.lanes()) {
            self.observe(
                moment.pc,
                moment.instruction(),
                moment.lanes(),
                moment.locals(),
            );
        }
    }

    /// At a barrier the statement is over too, at an interruption it may not be: what it changes
    /// later comes under the same statement's next part.
    fn pause(&mut self, moment: &Moment<'_, '_>) {
        if self.watches(moment.lanes()) {
            self.close(moment.lanes(), moment.locals());
        }
    }
}

/// By call of a kernel: the statements that lead there, the kernel's own first.
fn callers(kernel: &Kernel) -> Vec<Arc<[Span]>> {
    let mut all: Vec<Arc<[Span]>> = Vec::new();
    for call in &kernel.source.calls {
        // A call comes behind the one that it stands in; the first is the kernel itself.
        // Depth 0 is the kernel, which nobody calls.
        let is_known = call.depth > 0 && !call.is_shared;
        let around = all.get(call.caller as usize).filter(|_| is_known);
        let own = around.map(|around| around.iter().copied().chain([call.span]).collect());
        all.push(own.unwrap_or_default());
    }
    all
}

fn named(kernel: &Kernel) -> Vec<bool> {
    let mut named = vec![false; usize::from(kernel.registers)];
    for variable in &kernel.variables {
        if let VariablePlace::Register(register) = variable.place {
            named[usize::from(register)] = true;
        }
    }
    named
}

fn values(variable: &Variable, lanes: &Lanes<'_>, local: &[Vector]) -> LaneValues {
    let register = match variable.place {
        VariablePlace::Register(register) => register,
        VariablePlace::Local(offset) => {
            return local_values(variable.value_type, offset, lanes, local);
        }
    };
    if is_wide_value(variable.value_type) {
        let pair = lanes.pair(register);
        return std::array::from_fn(|lane| join(&pair, lane));
    }
    std::array::from_fn(|lane| u64::from(lanes.get(register)[lane]))
}

fn local_values(
    value_type: ValueType,
    offset: u32,
    lanes: &Lanes<'_>,
    local: &[Vector],
) -> LaneValues {
    let word = |at: u32| &local[at as usize * lanes.geometry.warps() + lanes.warp];
    let first = word(offset / 4);
    if is_wide_value(value_type) {
        let high = word(offset / 4 + 1);
        return std::array::from_fn(|lane| u64::from(first[lane]) | u64::from(high[lane]) << 32);
    }
    let size_bytes = match value_type {
        ValueType::Bool => 1,
        ValueType::Number(element) => element.size_bytes() as u32,
        ValueType::Pointer => 8,
    };
    // Narrow variables share words of local memory with others.
    let mask = u32::MAX >> (32 - 8 * size_bytes.min(4));
    std::array::from_fn(|lane| u64::from(first[lane] >> (offset % 4 * 8) & mask))
}

/// How far into its local memory a lane stores, if that is where it stores.
fn local_offset(i: Instruction, site: &AccessSite, lanes: &Lanes<'_>, lane: usize) -> Option<u64> {
    let word = |register| u64::from(lanes.get(register)[lane]);
    let wide = |register| join(&lanes.pair(register), lane);
    let base = match (i.a, site.space) {
        (NO_REGISTER, _) => 0,
        (register, Space::Generic) => wide(register),
        (register, _) => word(register),
    };
    let index = match site.index {
        IndexType::None => 0,
        IndexType::I32 => word(i.b) as i32 as i64 as u64,
        IndexType::U32 => word(i.b),
        IndexType::I64 => wide(i.b),
    };
    let address = base
        .wrapping_add(index.wrapping_mul(u64::from(site.scale_bytes)))
        .wrapping_add(site.offset_bytes as i64 as u64);
    match site.space {
        Space::Generic => address.checked_sub(LOCAL_BASE),
        Space::Local => Some(address & u64::from(u32::MAX)),
        Space::Shared => None,
    }
}
