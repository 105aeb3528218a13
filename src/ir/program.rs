//! A compiled kernel.

use super::instruction::Instruction;
use super::op::Op;
use super::print::PrintSite;
use super::site::{AccessSite, LaunchSite, TrapSite};
use super::source_map::SourceMap;
use super::staged_loop::StagedLoop;
use super::variables::{Allocation, Parameter, ParameterType, Variable};
use crate::launch::Fp32Counts;
use crate::source::Span;

/// The memory that a kernel has of its own: shared by a block, and of each lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelMemory {
    /// Variables that live in memory.
    pub allocations: Vec<Allocation>,
    /// Static shared memory of a block, in bytes. Dynamic shared memory follows it, aligned to 16.
    pub shared_bytes: u32,
    /// Local memory of a lane, in bytes.
    pub local_bytes: u32,
    /// Behind it, the stack of functions that call themselves: the most bytes that it may take.
    pub stack_bytes: u32,
}

/// What instructions refer to by number, beside access sites, and what is known of loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelTables {
    /// 64-bit constants.
    pub constants: Vec<u64>,
    /// What calls of `printf` print.
    pub prints: Vec<PrintSite>,
    /// Why the kernel may end with a fault of its own.
    pub traps: Vec<TrapSite>,
    /// What the kernel launches.
    pub launches: Vec<LaunchSite>,
    /// Loops in stages, in order of their ends.
    pub staged_loops: Vec<StagedLoop>,
}

/// A kernel, compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where its name is defined.
    pub span: Span,
    /// Instructions: the kernel's own to `End`, then the bodies of functions that are called, each to `Return`.
    pub code: Vec<Instruction>,
    /// The source that they come from.
    pub source: SourceMap,
    /// Places that access memory.
    pub sites: Vec<AccessSite>,
    /// What else instructions refer to by number.
    pub tables: KernelTables,
    /// Registers of one lane.
    pub registers: u16,
    /// Parameters in order, those that no launch writes an argument for behind the others.
    pub parameters: Vec<Parameter>,
    /// Variables in order of declaration, parameters first.
    pub variables: Vec<Variable>,
    /// The memory that it has of its own.
    pub memory: KernelMemory,
    /// Most threads a block may have, from `__launch_bounds__`.
    pub max_threads: Option<u32>,
    /// Instructions that cost other single-precision instructions than their operation does, in
    /// order, with what they cost: `nvcc` computes something elsewhere, otherwise or not at all.
    pub recosted: Vec<(u32, Fp32Counts)>,
}

impl Kernel {
    /// Tells it of another text, from which its own was made: `line` and `place` say where there a line and a place came
    /// from. What comes from one line of it is one statement.
    pub fn relocate(&mut self, line: &dyn Fn(u32) -> u32, place: &dyn Fn(Span) -> Span) {
        self.span = place(self.span);
        self.source.relocate(line, place);
        for site in &mut self.sites {
            (site.span, site.line) = (place(site.span), line(site.line));
        }
        let traps = self.tables.traps.iter_mut();
        traps.for_each(|trap| trap.span = place(trap.span));
        let loops = self.tables.staged_loops.iter_mut();
        loops.for_each(|staged| staged.span = place(staged.span));
        for variable in &mut self.variables {
            variable.line = line(variable.line);
            variable.declaration.relocate(place);
        }
        let allocations = self.memory.allocations.iter_mut();
        allocations.for_each(|at| at.declaration.relocate(place));
    }

    /// Whether it has a barrier of the whole grid, so that all of its blocks must run at once.
    pub fn waits_for_grid(&self) -> bool {
        self.code.iter().any(|i| i.op == Op::GridBarrier)
    }

    /// The parameters that a launch writes arguments for, in order.
    pub fn written_parameters(&self) -> &[Parameter] {
        let is_symbol = |p: &Parameter| matches!(p.parameter_type, ParameterType::Symbol(_));
        // Those come last: a launch numbers its arguments by position.
        let symbols = self.parameters.iter().rev().take_while(|p| is_symbol(p));
        &self.parameters[..self.parameters.len() - symbols.count()]
    }

    /// The same as a declaration has them: `const float* x, int count`.
    pub fn signature(&self) -> String {
        let declared = |p: &Parameter| format!("{} {}", p.type_name, p.name);
        let parameters: Vec<String> = self.written_parameters().iter().map(declared).collect();
        parameters.join(", ")
    }
}
