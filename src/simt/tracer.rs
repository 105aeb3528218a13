//! Keeps what the variables of one warp held after each statement.

use super::lanes::{Lanes, join};
use super::observer::{Moment, Observer};
use super::program::is_wide_value;
use crate::ir::{Instruction, Kernel, Operand, Variable};
use crate::launch::{LaneValues, Trace, TraceStep, TracedVariable, WARP_LANES, Watch};

/// Before the first statement.
const NONE: u32 = u32::MAX;

/// Follows the watched warp, instruction by instruction.
pub struct Tracer<'a> {
    kernel: &'a Kernel,
    /// Statement of each instruction.
    statement_of: Vec<u32>,
    current: u32,
    /// Line and active lanes of the statement that is being executed.
    open: Option<(u32, u32)>,
    /// By variable: what it held when last looked at, if it ever had a value.
    held: Vec<Option<LaneValues>>,
    /// By register: whether the open statement writes it.
    written: Vec<bool>,
    limit: usize,
    trace: Trace,
}

impl<'a> Tracer<'a> {
    /// A tracer that keeps up to `limit` statements.
    pub fn new(kernel: &'a Kernel, watch: Watch, limit: usize) -> Self {
        let statement = |pc: usize| {
            let firsts = &kernel.statements;
            let after = firsts.partition_point(|statement| statement.first as usize <= pc);
            (after as u32).checked_sub(1).unwrap_or(NONE)
        };
        let traced = |variable: &Variable| TracedVariable {
            name: variable.name.clone(),
            type_name: variable.type_name.clone(),
            value_type: variable.value_type,
            line: variable.line,
        };
        Tracer {
            kernel,
            statement_of: (0..kernel.code.len()).map(statement).collect(),
            current: NONE,
            open: None,
            held: vec![None; kernel.variables.len()],
            written: vec![false; usize::from(kernel.registers)],
            limit,
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

    /// Looks at an instruction of the watched warp.
    fn look(&mut self, pc: usize, i: Instruction, lanes: &Lanes<'_>) {
        let statement = self.statement_of[pc];
        let first = |statement: u32| self.kernel.statements[statement as usize].first as usize;
        if statement != NONE && (statement != self.current || pc == first(statement)) {
            self.close(lanes);
            self.current = statement;
            // A joining instruction that no lane reaches executes nothing.
            if lanes.active() != 0 {
                self.enter(statement, lanes.active());
            }
        }
        if lanes.active() != 0 {
            self.note_writes(i);
        }
    }

    fn enter(&mut self, statement: u32, active: u32) {
        if self.trace.steps.len() < self.limit {
            let line = self.kernel.statements[statement as usize].line;
            self.open = Some((line, active));
        } else {
            self.trace.truncated = true;
        }
    }

    fn note_writes(&mut self, i: Instruction) {
        for operand in i.op.operands() {
            let words = match operand {
                Operand::Dst32 => 1,
                Operand::Dst64 => 2,
                Operand::DstSite => self.kernel.sites[i.imm as usize].words() as usize,
                _ => continue,
            };
            let first = usize::from(i.dst);
            self.written[first..first + words].fill(true);
        }
    }

    /// Ends the open statement: keeps what it changed.
    fn close(&mut self, lanes: &Lanes<'_>) {
        let Some((line, active)) = self.open.take() else {
            return;
        };
        let is_first = self.trace.steps.is_empty();
        let mut changes = Vec::new();
        for (at, variable) in self.kernel.variables.iter().enumerate() {
            let values = values(variable, lanes);
            let changed = match &self.held[at] {
                Some(held) => *held != values,
                None => {
                    let is_argument = is_first && at < self.kernel.parameters.len();
                    is_argument || self.written[usize::from(variable.register)]
                }
            };
            if changed {
                changes.push((at as u32, values));
                self.held[at] = Some(values);
            }
        }
        self.written.fill(false);
        self.trace.steps.push(TraceStep {
            line,
            active,
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
            self.look(moment.pc, moment.instruction(), moment.lanes());
        }
    }

    /// At a barrier the statement is over too, at an interruption it may not be: what it changes
    /// later comes under the same statement's next part.
    fn pause(&mut self, moment: &Moment<'_, '_>) {
        if self.watches(moment.lanes()) {
            self.close(moment.lanes());
        }
    }
}

fn values(variable: &Variable, lanes: &Lanes<'_>) -> LaneValues {
    if is_wide_value(variable.value_type) {
        let pair = lanes.pair(variable.register);
        return std::array::from_fn(|lane| join(&pair, lane));
    }
    let mut values = [0; WARP_LANES];
    for (value, &word) in values.iter_mut().zip(lanes.get(variable.register)) {
        *value = u64::from(word);
    }
    values
}
