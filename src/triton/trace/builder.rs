//! Operations are appended to the block at hand. What is known is folded, and what was computed before in a block
//! around is taken again, as MLIR's canonicalisation and common-subexpression elimination do before Triton looks.

use std::collections::{BTreeMap, HashMap};

use crate::source::{Diagnostic, Span};
use crate::triton::tile::{
    Binary, BlockId, Comparison, Constant, Element, Function, Node, NodeId, Op, Type, Value,
};

/// A step that may be refused.
pub type Traceable<T> = Result<T, Box<Diagnostic>>;

/// A refusal at `span`.
pub fn refuse<T>(span: Span, message: impl Into<String>) -> Traceable<T> {
    Err(Box::new(Diagnostic::error(span, message)))
}

/// A batch of products that is added to nothing yet.
#[derive(Clone, Debug)]
pub struct BatchedProduct {
    /// How its matrices are multiplied.
    pub op: Op,
    /// The batches of matrices.
    pub factors: [Value; 2],
}

/// Appends to a function.
#[derive(Debug, Default)]
pub struct Builder {
    /// What is made.
    pub function: Function,
    /// Blocks that are open, the innermost last, each with what was computed in it.
    open: Vec<(BlockId, HashMap<String, Value>)>,
    /// Where what is appended is written.
    pub span: Span,
    /// How often memory may have changed: loads of the same are one until it does.
    writes: usize,
    /// Batches of products that are added to nothing yet.
    pub batched: BTreeMap<Value, BatchedProduct>,
    /// What each value that a loop carries is in the first round.
    pub begins: BTreeMap<Value, Value>,
}

impl Builder {
    /// Opens a block with arguments of these types.
    pub fn open(&mut self, arguments: &[Type]) -> BlockId {
        let block = self.function.block(arguments);
        self.open.push((block, HashMap::new()));
        block
    }

    /// Leaves the innermost block for now.
    pub fn suspend(&mut self) {
        self.open.pop();
    }

    /// Goes on with a block that was left.
    pub fn resume(&mut self, block: BlockId) {
        self.open.push((block, HashMap::new()));
    }

    /// Ends the innermost block, which gives `results`.
    pub fn close(&mut self, results: Vec<Value>) {
        if let Some((block, _)) = self.open.pop() {
            self.function.blocks[block.0].results = results;
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> &Type {
        self.function.ty(value)
    }

    /// Appends an operation with one result.
    pub fn emit(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        if let Some(folded) = self.fold(&op, operands, &ty) {
            return folded;
        }
        // Debug text names the operation with its attributes; operands are numbers of values, equal where they are
        // the same.
        let key = match op {
            Op::Load(_) => {
                let block = self.open.last().map(|(block, _)| *block);
                Some(format!("{op:?}{operands:?}{block:?}{}", self.writes))
            }
            _ => op.is_pure().then(|| format!("{op:?}{operands:?}{ty:?}")),
        };
        let known = key.as_ref().and_then(|key| {
            // A block around has run whenever this one does; one beside it may not have.
            let mut blocks = self.open.iter();
            blocks.find_map(|(_, known)| known.get(key).copied())
        });
        if let Some(known) = known {
            return known;
        }
        let results = self.emit_all(op, operands, vec![ty], Vec::new());
        if let (Some(key), Some((_, known))) = (key, self.open.last_mut()) {
            known.insert(key, results[0]);
        }
        results[0]
    }

    /// Appends an operation with any number of results and blocks.
    pub fn emit_all(
        &mut self,
        op: Op,
        operands: &[Value],
        types: Vec<Type>,
        blocks: Vec<BlockId>,
    ) -> Vec<Value> {
        self.writes += usize::from(op.has_effect());
        let id = NodeId(self.function.nodes.len());
        let results = types
            .into_iter()
            .map(|ty| self.function.value(ty, Some(id)));
        let results: Vec<Value> = results.collect();
        self.function.nodes.push(Node {
            op,
            operands: operands.to_vec(),
            results: results.clone(),
            blocks,
            span: self.span,
        });
        if let Some((block, _)) = self.open.last() {
            self.function.blocks[block.0].nodes.push(id);
        }
        results
    }

    /// A known number as a tile of this type.
    pub fn constant(&mut self, constant: Constant, ty: Type) -> Value {
        let constant = match (constant, ty.element.is_float()) {
            (Constant::Integer(value), true) => Constant::Float(value as f64),
            // As a cast has it: all but zero is true, where cutting the fraction off would make 0.5 false.
            (Constant::Float(value), false) if ty.element == Element::Bool => {
                Constant::Integer(i128::from(value != 0.0))
            }
            (Constant::Float(value), false) => Constant::Integer(value as i128),
            (constant, _) => constant,
        };
        let constant = match constant {
            Constant::Integer(value) if !ty.is_pointer => {
                Constant::Integer(ty.element.wrapped(value))
            }
            constant => constant,
        };
        self.emit(Op::Constant(constant), &[], ty)
    }

    /// What is known of the result before anything runs.
    fn fold(&mut self, op: &Op, operands: &[Value], ty: &Type) -> Option<Value> {
        let constant = |at: usize| self.function.constant(*operands.get(at)?);
        let integer = |at: usize| match constant(at) {
            Some(Constant::Integer(value)) => Some(value),
            _ => None,
        };
        match op {
            Op::Splat | Op::Broadcast | Op::ExpandDims(_) | Op::Reshape => {
                let constant = constant(0)?;
                Some(self.constant(constant, ty.clone()))
            }
            Op::Cast if !ty.is_pointer => {
                let constant = constant(0)?;
                Some(self.constant(constant, ty.clone()))
            }
            Op::Offset if integer(1) == Some(0) => Some(operands[0]),
            // Floats are left to the GPU: 0 × NaN is no 0, and a known sum would be rounded differently.
            Op::Binary(binary) if !ty.element.is_float() => {
                let (left, right) = (integer(0), integer(1));
                if let (Some(left), Some(right)) = (left, right)
                    && let Some(value) = folded(*binary, left, right)
                {
                    return Some(self.constant(Constant::Integer(value), ty.clone()));
                }
                self.identity(*binary, [left, right], operands, ty)
                    .or_else(|| self.reassociated(*binary, operands, ty))
            }
            Op::Binary(Binary::Add) => self.added(operands, ty),
            Op::Compare(comparison) => {
                let (left, right) = (integer(0)?, integer(1)?);
                let holds = compared(*comparison, left, right);
                Some(self.constant(Constant::Integer(i128::from(holds)), ty.clone()))
            }
            Op::Select => {
                let chosen = if integer(0)? != 0 { 1 } else { 2 };
                Some(operands[chosen])
            }
            _ => None,
        }
    }

    /// `(x + 2) - 3` is `x - 1`, and `(x * 2) * 3` is `x * 6` (`ArithCanonicalization.td` of MLIR): what is known of how
    /// `x + tap - 2` lies in memory depends on it.
    fn reassociated(&mut self, binary: Binary, operands: &[Value], ty: &Type) -> Option<Value> {
        if binary == Binary::Mul {
            let (value, by) = self.scaled(operands)?;
            let node = self.function.definition(value)?;
            let inner = node.operands.clone();
            let (value, first) = match node.op {
                Op::Binary(Binary::Mul) => self.scaled(&inner)?,
                _ => return None,
            };
            let by = self.constant(Constant::Integer(first.checked_mul(by)?), ty.clone());
            return Some(self.emit(Op::Binary(Binary::Mul), &[value, by], ty.clone()));
        }
        let outer = self.shifted(binary, operands)?;
        let node = self.function.definition(outer.value)?;
        let Op::Binary(inner) = node.op else {
            return None;
        };
        let operands = node.operands.clone();
        let inner = self.shifted(inner, &operands)?;
        let sign = if outer.is_negative { -1 } else { 1 };
        let known = inner.known.checked_mul(sign)?.checked_add(outer.known)?;
        let known = self.constant(Constant::Integer(known), ty.clone());
        let (op, operands) = match inner.is_negative == outer.is_negative {
            true => (Binary::Add, [inner.value, known]),
            false => (Binary::Sub, [known, inner.value]),
        };
        Some(self.emit(Op::Binary(op), &operands, ty.clone()))
    }

    /// A product with a known number.
    fn scaled(&self, operands: &[Value]) -> Option<(Value, i128)> {
        let known = |at: usize| match self.function.constant(operands[at]) {
            Some(Constant::Integer(value)) => Some(value),
            _ => None,
        };
        let by_right = known(1).map(|by| (operands[0], by));
        by_right.or_else(|| known(0).map(|by| (operands[1], by)))
    }

    fn shifted(&self, binary: Binary, operands: &[Value]) -> Option<Shifted> {
        let (value, known) = self.scaled(operands)?;
        let is_right = value == operands[0];
        let (is_negative, known) = match (binary, is_right) {
            (Binary::Add, _) => (false, known),
            (Binary::Sub, true) => (false, known.checked_neg()?),
            (Binary::Sub, false) => (true, known),
            _ => return None,
        };
        Some(Shifted {
            value,
            is_negative,
            known,
        })
    }

    /// A sum that a product begins with.
    fn added(&mut self, operands: &[Value], ty: &Type) -> Option<Value> {
        let product = self.added_to_product(operands, ty);
        product.or_else(|| self.added_to_batch(operands, ty))
    }

    /// `total + tl.dot(a, b)` is a product added to `total` (`CombineDotAddFPattern` of `Combine.td`).
    fn added_to_product(&mut self, operands: &[Value], ty: &Type) -> Option<Value> {
        for (at, other) in [(1, 0), (0, 1)] {
            let Some(node) = self.function.definition(operands[at]) else {
                continue;
            };
            let of = node.operands.clone();
            let op = node.op.clone();
            if matches!(op, Op::Dot(_))
                && self.function.constant(of[2]) == Some(Constant::Float(0.0))
            {
                return Some(self.emit(op, &[of[0], of[1], operands[other]], ty.clone()));
            }
        }
        None
    }

    /// `x + 0`, `x * 1` and their kin.
    fn identity(
        &mut self,
        binary: Binary,
        known: [Option<i128>; 2],
        operands: &[Value],
        ty: &Type,
    ) -> Option<Value> {
        let all_ones = if ty.element == Element::Bool { 1 } else { -1 };
        match (binary, known[0], known[1]) {
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) => Some(operands[1]),
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor, _, Some(0)) => Some(operands[0]),
            (Binary::ShiftLeft | Binary::ShiftRight, _, Some(0)) => Some(operands[0]),
            (Binary::Mul, Some(1), _) => Some(operands[1]),
            (Binary::Mul | Binary::Div, _, Some(1)) => Some(operands[0]),
            (Binary::Mul | Binary::And, Some(0), _) => Some(operands[0]),
            (Binary::Mul | Binary::And, _, Some(0)) => Some(operands[1]),
            (Binary::And, Some(value), _) if value == all_ones => Some(operands[1]),
            (Binary::And, _, Some(value)) if value == all_ones => Some(operands[0]),
            (Binary::Rem, _, Some(1)) => Some(self.constant(Constant::Integer(0), ty.clone())),
            _ => None,
        }
    }
}

/// A sum or difference with a known number, as `sign * value + known`.
struct Shifted {
    value: Value,
    is_negative: bool,
    known: i128,
}

/// A whole number out of two; nothing where there is none.
pub fn folded(binary: Binary, left: i128, right: i128) -> Option<i128> {
    // A shift by more than the width has no value in LLVM: it is left to the GPU.
    let shift = || u32::try_from(right).ok().filter(|&by| by < 64);
    match binary {
        Binary::Add => left.checked_add(right),
        Binary::Sub => left.checked_sub(right),
        Binary::Mul => left.checked_mul(right),
        Binary::Div => left.checked_div(right),
        Binary::Rem => left.checked_rem(right),
        Binary::And => Some(left & right),
        Binary::Or => Some(left | right),
        Binary::Xor => Some(left ^ right),
        Binary::ShiftLeft => left.checked_mul(1 << shift()?),
        Binary::ShiftRight => Some(left >> shift()?),
        Binary::Min => Some(left.min(right)),
        Binary::Max => Some(left.max(right)),
        // Its operands' width is not known here.
        Binary::MulHigh => None,
    }
}

/// Whether a comparison of what can be ordered holds.
pub fn compared<T: PartialOrd>(comparison: Comparison, left: T, right: T) -> bool {
    match comparison {
        Comparison::Eq => left == right,
        Comparison::Ne => left != right,
        Comparison::Lt => left < right,
        Comparison::Le => left <= right,
        Comparison::Gt => left > right,
        Comparison::Ge => left >= right,
    }
}
