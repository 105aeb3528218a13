//! Built-in functions that are more than an operation on numbers.

use super::lowering::Lower;
use super::place::Located;
use crate::compile::tree::{parts, words};
use crate::cuda::{
    AtomicOperation, Axis, BarrierVote, Coordinate, Expr, ExprKind, MathFunction, MatrixOperation,
    Order, Scalar, ShuffleKind, TextureOperation, Type, VoteKind,
};
use crate::ir::{
    AccessRole, AccessSite, LaunchArgument, LaunchSite, Op, PrintPiece, PrintSite, Register,
    TrapSite,
};
use crate::memory::AccessKind;
use crate::source::Span;

/// What stands before the arguments of a launch: grid, block, shared memory and stream.
const SHAPE_VALUES: usize = 4;

impl Lower<'_> {
    /// An expression that `expr` leaves to this.
    pub fn special(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        match &expr.kind {
            ExprKind::Coordinate(what, axis) => {
                // One register for the whole kernel: a thread's coordinates never change.
                let register = self.emitter.registers.coordinate(coordinate(*what, *axis));
                self.copy_to(register, 1, into)
            }
            ExprKind::ActiveMask => self.operation(Op::ActiveMask, 1, &[], into),
            ExprKind::VirtualTable { class, .. } => {
                let register = self.constant(*class, 2);
                self.copy_to(register, 2, into)
            }
            ExprKind::Atomic { .. } => self.atomic(expr, true, into),
            ExprKind::Shuffle { .. }
            | ExprKind::Vote { .. }
            | ExprKind::Reduce { .. }
            | ExprKind::Match { .. } => self.among_lanes(expr, into),
            ExprKind::Matrix(operation, operands) => self.matrix(*operation, operands, into),
            ExprKind::Texture(operation, operands) => self.texture(*operation, operands, into),
            ExprKind::BarrierVote(vote, predicate) => self.barrier_vote(*vote, predicate, into),
            ExprKind::MathTo {
                outputs,
                result,
                operand,
            } => self.math_to(outputs, *result, operand, into),
            ExprKind::Print { pieces, values } => self.print(pieces, values, into),
            ExprKind::Launch(kernel, values) => self.launch(*kernel, values, expr.span),
            ExprKind::Trap(condition) => self.trap(condition.as_deref(), expr),
            ExprKind::Clock => self.operation(Op::Clock, 2, &[], into),
            ExprKind::Nothing(operands) => {
                for operand in operands {
                    self.effect(operand);
                }
                self.emitter.op(Op::Nop, 0, &[], 0);
                0
            }
            ExprKind::Order(order, operands) => self.order(*order, operands),
            kind => unreachable!("{kind:?} is handled where expressions are"),
        }
    }

    /// What orders a thread among others, and has no value.
    fn order(&mut self, order: Order, operands: &[Expr]) -> Register {
        let operands = self.operands(operands);
        match order {
            Order::CommitCopies => self.emitter.op(Op::CopyCommit, 0, &[], 0),
            Order::AwaitCopies => self.emitter.op(Op::CopyWait, 0, &operands, 0),
            Order::Yield => self.emitter.op(Op::Yield, 0, &[], 0),
            Order::GridBarrier => self.emitter.op(Op::GridBarrier, 0, &[], 0),
        }
        0
    }

    /// What lanes of a warp do together.
    fn among_lanes(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        match &expr.kind {
            ExprKind::Shuffle {
                kind,
                mask,
                value,
                lane,
                width,
            } => self.shuffle(*kind, [mask, value, lane], *width, into),
            ExprKind::Vote {
                kind,
                mask,
                predicate,
            } => {
                let operands = [mask, predicate].map(|operand| self.expr(operand, None));
                let op = match kind {
                    VoteKind::Any => Op::VoteAny,
                    VoteKind::All => Op::VoteAll,
                    VoteKind::Ballot => Op::Ballot,
                };
                // Evaluated as written, mask first; passed as the operation has them.
                self.operation(op, 1, &[operands[1], operands[0]], into)
            }
            ExprKind::Reduce {
                operation,
                mask,
                value,
            } => {
                let is_signed = value.ty == Type::Scalar(Scalar::I32);
                let operands = [value, mask].map(|operand| self.expr(operand, None));
                self.operation(reduction(*operation, is_signed), 1, &operands, into)
            }
            ExprKind::Match { mask, value, all } => {
                self.match_lanes(mask, value, all.as_deref(), into)
            }
            kind => unreachable!("{kind:?} is of one lane"),
        }
    }

    fn shuffle(
        &mut self,
        kind: ShuffleKind,
        operands: [&Expr; 3],
        width: u32,
        into: Option<Register>,
    ) -> Register {
        let op = match kind {
            ShuffleKind::Idx => Op::ShflIdx,
            ShuffleKind::Up => Op::ShflUp,
            ShuffleKind::Down => Op::ShflDown,
            ShuffleKind::Xor => Op::ShflXor,
        };
        let size = words(&operands[1].ty);
        let [mask, value, lane] = operands.map(|operand| self.expr(operand, None));
        let result = self.result(size, into);
        // A shuffle moves 32 bits: nvcc makes two of a `double`.
        for word in 0..size as Register {
            self.emitter
                .op(op, result + word, &[value + word, lane, mask], width);
        }
        result
    }

    /// `__syncthreads_count` and its kin: a barrier, then what it has counted.
    fn barrier_vote(
        &mut self,
        vote: BarrierVote,
        predicate: &Expr,
        into: Option<Register>,
    ) -> Register {
        let predicate = self.expr(predicate, None);
        match vote {
            BarrierVote::Arrive => return self.operation(Op::BarrierArrive, 1, &[predicate], into),
            BarrierVote::Opened => return self.operation(Op::BarrierOpened, 1, &[predicate], into),
            BarrierVote::Count | BarrierVote::And | BarrierVote::Or => {}
        }
        // Two operations: others may come to the barrier first, and the count is only right behind it.
        self.emitter.op(Op::BarrierVote, 0, &[predicate], 0);
        let op = match vote {
            BarrierVote::Count => Op::BarrierCount,
            BarrierVote::And => Op::BarrierAnd,
            _ => Op::BarrierOr,
        };
        self.operation(op, 1, &[], into)
    }

    /// An atomic operation; `is_used` if somebody wants its value.
    pub fn atomic(&mut self, expr: &Expr, is_used: bool, into: Option<Register>) -> Register {
        let ExprKind::Atomic {
            operation,
            pointer,
            operands,
        } = &expr.kind
        else {
            unreachable!("callers looked")
        };
        if *operation == AtomicOperation::Copy {
            return self.copy_asynchronously(pointer, &operands[0]);
        }
        let one_lane = self.goes_as_one(*operation, pointer, &expr.ty, is_used);
        let region = self.context.region_of_pointer(pointer);
        let address = self.expr(pointer, None);
        let mut operands = self.atomic_operands(*operation, &expr.ty, operands);
        let site = AccessSite {
            is_atomic: true,
            one_lane,
            ..AccessSite::new(AccessKind::Store, expr.ty.size_bytes(), expr.span)
        };
        let site = self.emitter.site(site, region);
        let op = atomic(*operation, &expr.ty);
        // Evaluated first, and written first.
        operands.insert(0, address);
        let Type::Vector(of, lanes) = expr.ty else {
            return self.site_operation(op, words(&expr.ty), &operands, site, into);
        };
        // Not `into`: the halves of a vector have a register each, the packed word has one.
        let packed = self.site_operation(op, 1, &operands, site, None);
        let result = self.result(lanes, into);
        self.unpacked(of, packed, result);
        result
    }

    /// The operands as the GPU's operation takes them.
    fn atomic_operands(
        &mut self,
        operation: AtomicOperation,
        ty: &Type,
        operands: &[Expr],
    ) -> Vec<Register> {
        let mut operands = self.operands(operands);
        if operation == AtomicOperation::Sub {
            // The GPU has no atomic subtraction.
            operands[0] = self.operation(Op::NegI32, 1, &operands, None);
        }
        if let Type::Vector(of, _) = *ty {
            // `__half2`: two halves of one word, added at once.
            operands[0] = self.packed(of, operands[0]);
        }
        operands
    }

    /// The store of an asynchronous copy, wherever the pointer points.
    fn copy_asynchronously(&mut self, pointer: &Expr, value: &Expr) -> Register {
        let region = self.context.region_of_pointer(pointer);
        let address = self.expr(pointer, None);
        let before = self.emitter.tables.sites.len();
        let stored = self.expr(value, None);
        if value.ty.size_bytes() == 16 {
            // `cp.async.cg`: narrower copies go by way of L1.
            let made = self.emitter.tables.sites[before..].iter_mut();
            let is_own = |role| matches!(role, AccessRole::Own | AccessRole::Volatile);
            made.filter(|site| site.kind == AccessKind::Load && is_own(site.role))
                .for_each(|site| site.role = AccessRole::PastL1);
        }
        let site = AccessSite {
            role: AccessRole::Copy,
            ..AccessSite::new(AccessKind::Store, value.ty.size_bytes(), value.span)
        };
        let site = self.emitter.site(site, region);
        self.emitter.op(Op::Store, stored, &[address], site);
        stored
    }

    /// An operation on memory with a result of `words` registers.
    fn site_operation(
        &mut self,
        op: Op,
        words: u32,
        operands: &[Register],
        site: u32,
        into: Option<Register>,
    ) -> Register {
        let result = self.result(words, into);
        self.emitter.op(op, result, operands, site);
        result
    }

    /// Whether nvcc lets one lane go for all: integers of 32 bits, put together at an address that is
    /// the same for the whole block. With its result in use only a sum is.
    fn goes_as_one(
        &mut self,
        operation: AtomicOperation,
        pointer: &Expr,
        ty: &Type,
        is_used: bool,
    ) -> bool {
        use AtomicOperation::*;
        let joins = match operation {
            // Even with its result in use: each lane's is the old value and what the lanes before it add.
            Add | Sub => true,
            Min | Max | And | Or | Xor => !is_used,
            // Their result depends on each lane's turn: no single operation stands for all.
            Exch | Cas | Inc | Dec | Copy => false,
        };
        let is_word = matches!(ty, Type::Scalar(Scalar::I32 | Scalar::U32));
        if !self.optimises() || !joins || !is_word {
            return false;
        }
        let address = self.affine(pointer);
        address.is_some_and(|address| self.emitter.facts.affine.is_uniform(&address))
    }

    fn match_lanes(
        &mut self,
        mask: &Expr,
        value: &Expr,
        all: Option<&Expr>,
        into: Option<Register>,
    ) -> Register {
        let wide = words(&value.ty) == 2;
        let operands = [value, mask].map(|operand| self.expr(operand, None));
        let op = match (all.is_some(), wide) {
            (false, false) => Op::MatchAny32,
            (false, true) => Op::MatchAny64,
            (true, false) => Op::MatchAll32,
            (true, true) => Op::MatchAll64,
        };
        let result = self.operation(op, 1, &operands, into);
        if let Some(all) = all {
            let zero = self.emitter.registers.const32(0);
            // `__match_all_sync` gives the mask or 0, so its predicate is whether that is not 0.
            let same = self.operation(Op::Ne32, 1, &[result, zero], None);
            let at = Located::Memory(self.address_of_pointer(all));
            self.store(at, &Type::Scalar(Scalar::I32), same, all.span);
        }
        result
    }

    /// A product of matrices, or one turned over.
    fn matrix(
        &mut self,
        operation: MatrixOperation,
        operands: &[Expr],
        into: Option<Register>,
    ) -> Register {
        let of = |expr: &Expr| expr.ty.scalar();
        let op = match (operation, operands.first().and_then(of)) {
            (MatrixOperation::Transpose, _) => {
                let pair = self.expr(&operands[0], None);
                return self.operation(Op::Transpose, 2, &[pair], into);
            }
            (MatrixOperation::Multiply, Some(Scalar::Bf16)) => Op::MmaF32Bf16,
            (MatrixOperation::MultiplyEight, _) => Op::MmaF32Tf32,
            (MatrixOperation::MultiplyFour, _) => Op::MmaF32Tf32K4,
            (MatrixOperation::MultiplyBytes, Some(Scalar::I32)) => Op::MmaS32S8,
            (MatrixOperation::MultiplyBytes, _) => Op::MmaS32U8,
            (MatrixOperation::MultiplyMoreBytes, Some(Scalar::I32)) => Op::MmaS32S8K32,
            (MatrixOperation::MultiplyMoreBytes, _) => Op::MmaS32U8K32,
            (MatrixOperation::MultiplyDoubles, _) => Op::MmaF64,
            _ if operands.last().and_then(of) == Some(Scalar::F16) => Op::MmaF16F16,
            _ => Op::MmaF32F16,
        };
        // Of A, then B, then the sums (PTX ISA, matrix fragments): mma.m16n8k16 takes 8 halves and 4 of a lane.
        let (of_a, of_b) = match operation {
            MatrixOperation::MultiplyEight => (4, 2),
            MatrixOperation::MultiplyBytes => (2, 1),
            MatrixOperation::MultiplyMoreBytes => (4, 2),
            MatrixOperation::MultiplyDoubles => (1, 1),
            _ => (8, 4),
        };
        let (a, rest) = operands.split_at(of_a);
        let (b, c) = rest.split_at(of_b);
        let operands = [a, b, c].map(|part| self.side_by_side(part));
        // Not `into`: nothing may stand where another part is read.
        let result = self.operation(op, 4, &operands, None);
        self.copy_to(result, 4, into)
    }

    /// Reads a texture or surface, or writes a surface.
    fn texture(
        &mut self,
        operation: TextureOperation,
        operands: &[Expr],
        into: Option<Register>,
    ) -> Register {
        let object = self.expr(&operands[0], None);
        let place = self.side_by_side(&operands[1..5]);
        match operation {
            TextureOperation::Store => {
                let value = self.side_by_side(&operands[5..]);
                self.emitter
                    .op(Op::SurfaceStore, 0, &[object, place, value], 0);
                0
            }
            _ => {
                let op = match operation {
                    TextureOperation::Fetch => Op::Texture,
                    _ => Op::SurfaceLoad,
                };
                // Not `into`: nothing may stand where another operand is read.
                let result = self.operation(op, 4, &[object, place], None);
                self.copy_to(result, 4, into)
            }
        }
    }

    /// Values of a register each, in consecutive registers: where they are, if they are so already.
    fn side_by_side(&mut self, values: &[Expr]) -> Register {
        let registers = self.operands(values);
        let is_double = values.iter().any(|value| value.ty.size_bytes() == 8);
        let words = if is_double { 2 } else { 1 };
        // Fragments that were declared as an array lie side by side already.
        let follow = registers.windows(2).all(|pair| pair[0] + words == pair[1]);
        if follow {
            return registers[0];
        }
        let all = registers.len() as u32 * u32::from(words);
        let first = self.emitter.registers.take(all);
        for (&from, to) in registers.iter().zip((first..).step_by(words.into())) {
            self.copy_to(from, words.into(), Some(to));
        }
        first
    }

    fn math_to(
        &mut self,
        outputs: &[(MathFunction, Expr)],
        result: Option<MathFunction>,
        operand: &Expr,
        into: Option<Register>,
    ) -> Register {
        let of = operand.ty.scalar().unwrap_or(Scalar::F32);
        let register = self.expr(operand, None);
        let to = |function: &MathFunction| match function {
            MathFunction::FrexpExponent => Scalar::I32,
            _ => of,
        };
        let functions = outputs.iter().map(|(function, _)| *function);
        let values: Vec<Register> = match (outputs, of) {
            ([(MathFunction::Sin, _), (MathFunction::Cos, _)], Scalar::F32) => {
                self.sine_and_cosine(register).into()
            }
            _ => functions
                .map(|function| {
                    let size = words(&Type::Scalar(to(&function)));
                    self.math_of(function, of, &[register], size, None)
                })
                .collect(),
        };
        for ((function, pointer), value) in outputs.iter().zip(values) {
            let at = Located::Memory(self.address_of_pointer(pointer));
            self.store(at, &Type::Scalar(to(function)), value, pointer.span);
        }
        let size = words(&operand.ty);
        match result {
            Some(function) => self.math_of(function, of, &[register], size, into),
            None => register,
        }
    }

    fn print(
        &mut self,
        pieces: &[PrintPiece],
        values: &[Expr],
        into: Option<Register>,
    ) -> Register {
        let first = self.in_a_row(values);
        let pieces = pieces.to_vec();
        let print = self.emitter.tables.print(PrintSite { pieces });
        self.emitter.op(Op::Print, 0, &[first], print);
        // CUDA's `printf` returns the number of its arguments (Programming Guide, formatted output).
        let count = self.emitter.registers.const32(values.len() as u32);
        self.copy_to(count, 1, into)
    }

    /// A launch of another kernel, whose arguments lie as its parameters do.
    fn launch(&mut self, kernel: usize, values: &[Expr], span: Span) -> Register {
        let first = self.in_a_row(values);
        let mut arguments = Vec::new();
        let mut end_bytes = 0_u32;
        for value in values.get(SHAPE_VALUES..).unwrap_or_default() {
            // The layout of a struct of all parameters (Programming Guide, kernel parameters).
            let begin = end_bytes.next_multiple_of(value.ty.align_bytes().max(1));
            end_bytes = begin + value.ty.size_bytes();
            arguments.extend(parts(&value.ty).iter().map(|part| LaunchArgument {
                offset_bytes: begin + part.offset_bytes,
                size_bytes: part.ty.size_bytes(),
            }));
        }
        let site = LaunchSite {
            kernel,
            span,
            arguments,
        };
        let launch = self.emitter.tables.launch(site);
        self.emitter.op(Op::Launch, 0, &[first], launch);
        0
    }

    /// Values in registers one behind the other; the first.
    fn in_a_row(&mut self, values: &[Expr]) -> Register {
        let sizes: Vec<u32> = values.iter().map(|value| words(&value.ty)).collect();
        let first = self.emitter.registers.take(sizes.iter().sum());
        let mut next = first;
        for (value, size) in values.iter().zip(&sizes) {
            self.expr(value, Some(next));
            next += *size as Register;
        }
        first
    }

    /// Ends the launch, where `condition` is false or in any case.
    fn trap(&mut self, condition: Option<&Expr>, expr: &Expr) -> Register {
        let span = condition.map_or(expr.span, |condition| condition.span);
        let condition_text = condition.map(|condition| self.emitter.source.text_of(condition.span));
        let trap = self.emitter.tables.trap(TrapSite {
            span,
            condition: condition_text,
        });
        let Some(condition) = condition else {
            self.emitter.op(Op::Fault, 0, &[], trap);
            return 0;
        };
        let holds = self.expr(condition, None);
        let zero = self.emitter.registers.const32(0);
        // A branch around the fault: only lanes in which the assertion fails may end the launch.
        let fails = self.operation(Op::Eq32, 1, &[holds, zero], None);
        self.emitter.open_if(fails);
        self.emitter.op(Op::Fault, 0, &[], trap);
        self.emitter.close();
        0
    }
}

fn reduction(operation: AtomicOperation, is_signed: bool) -> Op {
    match (operation, is_signed) {
        (AtomicOperation::Min, true) => Op::ReduceMinI32,
        (AtomicOperation::Min, false) => Op::ReduceMinU32,
        (AtomicOperation::Max, true) => Op::ReduceMaxI32,
        (AtomicOperation::Max, false) => Op::ReduceMaxU32,
        (AtomicOperation::And, _) => Op::ReduceAnd,
        (AtomicOperation::Or, _) => Op::ReduceOr,
        (AtomicOperation::Xor, _) => Op::ReduceXor,
        _ => Op::ReduceAdd,
    }
}

/// The operation on values of a type; the checker lets no others through.
fn atomic(operation: AtomicOperation, ty: &Type) -> Op {
    use AtomicOperation::*;
    use Scalar::*;
    let scalar = match ty {
        Type::Vector(F16, _) => return Op::AtomAddF16x2,
        Type::Vector(..) => return Op::AtomAddBf16x2,
        ty => ty.scalar().unwrap_or(I32),
    };
    let wide = scalar.size_bytes() == 8;
    let pick = |narrow, broad| if wide { broad } else { narrow };
    match (operation, scalar) {
        (Add, F16) => Op::AtomAddF16,
        (Add, Bf16) => Op::AtomAddBf16,
        (Add, F32) => Op::AtomAddF32,
        (Add, F64) => Op::AtomAddF64,
        (Add | Sub, _) => pick(Op::AtomAddI32, Op::AtomAddI64),
        (Min, I32 | I64) => pick(Op::AtomMinI32, Op::AtomMinI64),
        (Min, _) => pick(Op::AtomMinU32, Op::AtomMinU64),
        (Max, I32 | I64) => pick(Op::AtomMaxI32, Op::AtomMaxI64),
        (Max, _) => pick(Op::AtomMaxU32, Op::AtomMaxU64),
        (And, _) => pick(Op::AtomAnd32, Op::AtomAnd64),
        (Or, _) => pick(Op::AtomOr32, Op::AtomOr64),
        (Xor, _) => pick(Op::AtomXor32, Op::AtomXor64),
        (Exch, _) => pick(Op::AtomExch32, Op::AtomExch64),
        (Cas, U16) => Op::AtomCas16,
        (Cas, _) => pick(Op::AtomCas32, Op::AtomCas64),
        (Inc, _) => Op::AtomInc32,
        (Dec, _) => Op::AtomDec32,
        (Copy, _) => unreachable!("an asynchronous copy is a store"),
    }
}

fn coordinate(what: Coordinate, axis: Axis) -> Op {
    let of_axis = |x, y, z| match axis {
        Axis::X => x,
        Axis::Y => y,
        Axis::Z => z,
    };
    match what {
        Coordinate::ThreadIdx => of_axis(Op::ThreadX, Op::ThreadY, Op::ThreadZ),
        Coordinate::BlockIdx => of_axis(Op::BlockX, Op::BlockY, Op::BlockZ),
        Coordinate::BlockDim => of_axis(Op::BlockDimX, Op::BlockDimY, Op::BlockDimZ),
        Coordinate::GridDim => of_axis(Op::GridDimX, Op::GridDimY, Op::GridDimZ),
    }
}
