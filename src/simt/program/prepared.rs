//! A launch made ready to run: instructions with their functions, registers with the arguments.

use std::ops::Range;

use super::basic_blocks::Stretches;
use crate::ir::{Instruction, Kernel, Op, ParameterType};
use crate::launch::{ElementType, ValueType, WARP_LANES};
use crate::simt::batch::is_regular;
use crate::simt::batch::windows;
use crate::simt::batch::{Order, together};
use crate::simt::launch::Launch;
use crate::simt::operations::{Vectors, lane_operation, vectors};
use crate::simt::uniformity::Looks;
use crate::simt::uniformity::{Launched, Plan};
use crate::simt::warp::{Geometry, volume};
use crate::simt::warp::{LaneOperation, Vector};
use crate::source::{Diagnostic, Span};

/// Most threads in a block, on every NVIDIA GPU so far.
const MAX_BLOCK_THREADS: u64 = 1024;
/// Largest block in x, y and z (CUDA C++ Programming Guide, compute capabilities).
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Largest grid in x, y and z (the same table).
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// Who carries out an instruction.
#[derive(Clone, Copy)]
pub enum Action {
    /// A function over registers.
    Lanes(LaneOperation),
    /// A load or store.
    Access,
    /// An atomic operation.
    Atomic,
    /// Something beyond registers and memory.
    Effect,
    /// A shuffle, vote, reduction, match or product of matrices.
    Exchange,
    /// Control flow and barriers.
    Control,
}

/// An instruction and who carries it out.
#[derive(Clone, Copy)]
pub struct Step {
    /// The instruction.
    pub instruction: Instruction,
    /// Who carries it out.
    pub action: Action,
}

/// What is the same for all blocks of a launch.
pub struct Program<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its instructions.
    pub steps: Vec<Step>,
    /// Its instructions, cut where control flow may part.
    pub stretches: Stretches,
    /// The code as warps run it that have gone in unison since the block began; nothing where
    /// warps may not run as gangs at all.
    pub plan: Option<Plan>,
    /// By instruction: whether a block's warps may go on from there together.
    pub together: Vec<Order>,
    /// By access site: whether it is in a window.
    pub in_window: Vec<bool>,
    /// By access site: which registers are looked at, by warps that know nothing of each other.
    pub looks: Vec<Looks>,
    /// Runs of registers that a block must find as `image` has them.
    pub unset: Vec<Range<usize>>,
    /// By access site: whether patterns of its addresses can be remembered.
    pub regular: Vec<bool>,
    /// The fastest work on gangs.
    pub vectors: Vectors,
    /// Shape of the launch.
    pub geometry: Geometry,
    /// Registers of a block as it begins.
    pub image: Vec<Vector>,
    /// Shared memory of a block.
    pub shared_bytes: u32,
}

impl<'a> Program<'a> {
    /// Checks the launch's shape and makes it ready, for so many blocks side by side.
    pub fn new(launch: &Launch<'a>, side_by_side: usize) -> Result<Self, Diagnostic> {
        check(launch)?;
        let kernel = launch.kernel;
        let geometry = Geometry::new(launch.grid, launch.block, side_by_side);
        let step = |&instruction: &Instruction| Step {
            instruction,
            action: action(instruction.op),
        };
        let shared_bytes = match launch.dynamic_shared_bytes {
            0 => kernel.shared_bytes,
            bytes => kernel
                .shared_bytes
                .next_multiple_of(16)
                .saturating_add(bytes),
        };
        Ok(Program {
            kernel,
            steps: kernel.code.iter().map(step).collect(),
            stretches: Stretches::new(kernel),
            plan: None,
            together: Vec::new(),
            in_window: vec![false; kernel.sites.len()],
            looks: looks(kernel),
            unset: vec![Range {
                start: 0,
                end: usize::from(kernel.registers),
            }],
            regular: kernel.sites.iter().map(is_regular).collect(),
            vectors: vectors(),
            image: image(launch, geometry.warps()),
            geometry,
            shared_bytes,
        })
    }

    /// Plans what gangs do, unless there are none.
    pub fn plan_gangs(&mut self, launch: &Launch<'_>) {
        if self.kernel.code.iter().any(|i| is_ordered(i.op)) {
            return;
        }
        let launched = Launched {
            kernel: self.kernel,
            steps: &self.steps,
            geometry: &self.geometry,
            image: &self.image,
        };
        let Some(plan) = Plan::new(&launched, &self.stretches) else {
            return;
        };
        let windows = windows(self.kernel, &self.stretches);
        let are_read = plan.are_read(self.kernel);
        self.together = together(launch, &plan.webs, &windows, &are_read);
        for i in windows
            .into_iter()
            .flat_map(|window| &self.kernel.code[window])
        {
            if matches!(action(i.op), Action::Access) {
                self.in_window[i.imm as usize] = true;
            }
        }
        self.unset = plan.unset(self.kernel);
        self.plan = Some(plan);
    }

    /// Registers as a machine begins: those of a block, and constants behind them.
    pub fn registers(&self) -> Vec<Vector> {
        let constants = self.plan.iter().flat_map(|plan| &plan.constants);
        self.image.iter().chain(constants).copied().collect()
    }

    /// The statement that holds an instruction, as a place in the source.
    pub fn span_at(&self, pc: usize) -> Span {
        let statements = &self.kernel.statements;
        let after = statements.partition_point(|statement| statement.first as usize <= pc);
        let statement = after.checked_sub(1).map(|at| statements[at].span);
        statement.unwrap_or_default()
    }
}

/// Who carries out an operation.
pub fn action(op: Op) -> Action {
    if let Some(operation) = lane_operation(op) {
        return Action::Lanes(operation);
    }
    match op {
        Op::Load
        | Op::Store
        | Op::LoadShared
        | Op::StoreShared
        | Op::LoadLocal
        | Op::StoreLocal => Action::Access,
        op if op.is_exchange() => Action::Exchange,
        Op::Clock | Op::Print | Op::Fault | Op::BarrierCount | Op::BarrierAnd | Op::BarrierOr => {
            Action::Effect
        }
        op if op.is_atomic() => Action::Atomic,
        _ => Action::Control,
    }
}

/// By access site: the registers of its address that instructions write.
fn looks(kernel: &Kernel) -> Vec<Looks> {
    let fixed = fixed(kernel);
    let mut looks = vec![Looks::default(); kernel.sites.len()];
    for &i in &kernel.code {
        if matches!(action(i.op), Action::Access) {
            looks[i.imm as usize] = Looks::all(i, &kernel.sites[i.imm as usize], &fixed);
        }
    }
    looks
}

/// Registers that no instruction writes.
fn fixed(kernel: &Kernel) -> Vec<bool> {
    let mut fixed = vec![true; usize::from(kernel.registers)];
    for written in kernel.code.iter().filter_map(|&i| kernel.writes(i)) {
        for register in written.each() {
            fixed[usize::from(register)] = false;
        }
    }
    fixed
}

/// Zeros, and the arguments in the parameters' registers.
fn image(launch: &Launch<'_>, warps: usize) -> Vec<Vector> {
    let registers = usize::from(launch.kernel.registers);
    let mut image = vec![[0; WARP_LANES]; registers * warps];
    for (parameter, &bits) in launch.kernel.parameters.iter().zip(&launch.arguments) {
        let words = [bits as u32, (bits >> 32) as u32];
        let used = parameter_words(parameter.parameter_type);
        for (at, &word) in words[..used].iter().enumerate() {
            let first = (usize::from(parameter.register) + at) * warps;
            image[first..first + warps].fill([word; WARP_LANES]);
        }
    }
    image
}

/// Registers that a parameter takes.
pub fn parameter_words(parameter: ParameterType) -> usize {
    let is_wide = match parameter {
        ParameterType::Pointer | ParameterType::Symbol(_) => true,
        ParameterType::Scalar(value_type) => is_wide_value(value_type),
    };
    if is_wide { 2 } else { 1 }
}

/// Whether values of the type take two registers.
pub fn is_wide_value(value_type: ValueType) -> bool {
    use ElementType::{F64, I64, U64};
    match value_type {
        ValueType::Bool => false,
        ValueType::Pointer => true,
        ValueType::Number(element) => matches!(element, F64 | I64 | U64),
    }
}

/// Whether CUDA would accept the launch's shape.
fn check(launch: &Launch<'_>) -> Result<(), Diagnostic> {
    let kernel = launch.kernel;
    let fail = |text: String, help: &str| {
        let span = kernel.statements.first().map(|first| first.span);
        let message = format!("`{}` cannot be launched: {text}", kernel.name);
        Err(Diagnostic::error(span.unwrap_or_default(), message).help(help))
    };
    let sides = |what: &str, size: [u32; 3], most: [u32; 3]| {
        let axes = ["x", "y", "z"].iter().zip(size).zip(most);
        let mut bad = axes.filter(|((_, side), most)| *side == 0 || side > most);
        bad.next().map(|((axis, side), most)| {
            format!("the {what} is {side} in {axis}, which must be from 1 to {most}")
        })
    };
    if let Some(text) = sides("grid", launch.grid, MAX_GRID) {
        return fail(text, "choose another grid size");
    }
    if let Some(text) = sides("block", launch.block, MAX_BLOCK) {
        return fail(text, "choose another block size");
    }
    let threads = volume(launch.block);
    let most = kernel.max_threads.map_or(MAX_BLOCK_THREADS, u64::from);
    if threads > most.min(MAX_BLOCK_THREADS) {
        let text = format!("a block of {threads} threads, at most {most} are allowed");
        return fail(
            text,
            "choose a smaller block, or change `__launch_bounds__`",
        );
    }
    let (given, wanted) = (launch.arguments.len(), kernel.parameters.len());
    if given != wanted {
        let text = format!("{given} arguments for {wanted} parameters");
        return fail(text, "give one argument a parameter, in order");
    }
    Ok(())
}

/// Whether somebody can see in which order warps run the operation, wherever it stands: by what is
/// printed, by a clock, or by which assertion fails first.
fn is_ordered(op: Op) -> bool {
    matches!(action(op), Action::Effect) || op == Op::BarrierVote
}
