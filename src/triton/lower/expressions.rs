//! Values as expressions of CUDA C++, one register at a time.

use super::index::{Index, scattered};
use super::lowering::{Lowering, stored};
use crate::launch::{E4M3, E5M2};
use crate::triton::layout::Layout;
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Binary, Comparison, Constant, Element, Node, Op, Type, Unary, Value};

/// Log2 of e, by which powers of e become powers of 2.
const LOG2_E: &str = "1.4426950408889634f";

impl Lowering<'_> {
    /// A register of `value` in `layout`, as an operand: a name, a number, or something in parentheses.
    pub fn operand(&mut self, value: Value, layout: LayoutId, index: &Index) -> String {
        let text = self.expression(value, layout, index);
        match is_operand(&text) {
            true => text,
            false => format!("({text})"),
        }
    }

    /// A register of `value` in `layout`.
    pub fn expression(&mut self, value: Value, layout: LayoutId, index: &Index) -> String {
        let layout = if self.function.ty(value).is_scalar() {
            None
        } else {
            layout
        };
        if let Some(name) = self.names.get(&(value, layout)) {
            return self.register(value, layout, name, index);
        }
        let function = self.function;
        let Some(node) = function.definition(value) else {
            return "0".to_owned();
        };
        self.definition(node, value, layout, index)
    }

    /// The expression that defines a register of `value`.
    pub fn definition(
        &mut self,
        node: &Node,
        value: Value,
        layout: LayoutId,
        index: &Index,
    ) -> String {
        let ty = self.function.ty(value).clone();
        match &node.op {
            Op::Parameter(number) => self.function.parameters[*number].name.clone(),
            Op::Constant(constant) => literal(*constant, ty.element),
            Op::ProgramId(axis) => format!("blockIdx.{}", ["x", "y", "z"][usize::from(*axis)]),
            Op::ProgramCount(axis) => format!("gridDim.{}", ["x", "y", "z"][usize::from(*axis)]),
            Op::Range(start) => {
                let linear = self.linear(value, layout);
                let place = self.coordinate(&linear, 0, index);
                if *start == 0 {
                    place
                } else {
                    format!("{start} + {place}")
                }
            }
            Op::Splat => self.expression(node.operands[0], None, index),
            Op::Broadcast | Op::ExpandDims(_) | Op::Transpose(_) | Op::Reshape => {
                self.moved(node, value, layout, index)
            }
            Op::Join => self.joined(node, value, layout, index),
            Op::Split => self.half(node, value, layout, index),
            _ => self.operated(node, &ty, layout, index),
        }
    }

    /// An operation on operands, element by element.
    fn operated(&mut self, node: &Node, ty: &Type, layout: LayoutId, index: &Index) -> String {
        if let Some(is_yes) = self.predicated_side(node, layout) {
            return self.predicated(node, layout, index, is_yes);
        }
        let mut operands = Vec::new();
        for &operand in &node.operands {
            let wanted = self.wanted(node, operand, layout);
            operands.push(self.operand(operand, wanted, index));
        }
        let of = self.function.ty(node.operands[0]).clone();
        operation(&node.op, &operands, ty, &of)
    }

    /// A choice of which one side is an operation that only those threads execute who take it; what it is computed with is
    /// computed by all.
    fn predicated(&mut self, node: &Node, layout: LayoutId, index: &Index, is_yes: bool) -> String {
        let function = self.function;
        let [condition, yes, no] = [0, 1, 2].map(|at| node.operands[at]);
        let (arm, other) = if is_yes { (yes, no) } else { (no, yes) };
        let [condition, other] = [condition, other].map(|value| {
            let wanted = self.wanted(node, value, layout);
            self.operand(value, wanted, index)
        });
        let layout = self.wanted(node, arm, layout);
        let Some(computed) = function.definition(arm) else {
            return other;
        };
        let mut operands = Vec::new();
        for &operand in &computed.operands {
            operands.push(self.part_of_arm(computed, operand, layout, index));
        }
        let of = function.ty(computed.operands[0]);
        let text = operation(&computed.op, &operands, function.ty(arm), of);
        let other = bare(&other);
        match is_yes {
            true => format!("{condition} ? {text} : {other}"),
            false => format!("{condition} ? {other} : {text}"),
        }
    }

    /// An operand of such an operation: a product becomes part of a sum.
    fn part_of_arm(
        &mut self,
        node: &Node,
        value: Value,
        layout: LayoutId,
        index: &Index,
    ) -> String {
        let function = self.function;
        let wanted = self.wanted(node, value, layout);
        let product = function.definition(value).filter(|product| {
            let is_sum = matches!(node.op, Op::Binary(Binary::Add | Binary::Sub));
            is_sum && product.op == Op::Binary(Binary::Mul) && self.is_inline(value)
        });
        let Some(product) = product else {
            return self.settled(value, wanted, index);
        };
        let mut factors = Vec::new();
        for &factor in &product.operands {
            let wanted = self.wanted(product, factor, wanted);
            factors.push(self.settled(factor, wanted, index));
        }
        format!("({})", factors.join(" * "))
    }

    /// A register of a value, computed in a variable if it is no number and has no name.
    fn settled(&mut self, value: Value, layout: LayoutId, index: &Index) -> String {
        let text = self.operand(value, layout, index);
        let is_known = self.function.constant(value).is_some();
        let is_name = !text.contains([' ', '(']) || (text.ends_with(']') && !text.starts_with('('));
        if is_known || is_name {
            return text;
        }
        let name = self.fresh("term");
        let element = stored(self.function.ty(value).element);
        self.writer
            .line(format!("const {element} {name} = {text};"));
        name
    }

    /// Whether one side of a choice is an operation and nobody needs the other side after, and if so whether it is that
    /// where the condition holds: `ptxas` predicates the operation then, in the register of the other side.
    fn predicated_side(&self, node: &Node, layout: LayoutId) -> Option<bool> {
        let is_of_groups = matches!(
            self.placement.layout(layout),
            Some(Layout::Mma(mma)) if mma.version == 3
        );
        if node.op != Op::Select || is_of_groups || self.are_kept() {
            return None;
        }
        let &[_, yes, no] = node.operands.as_slice() else {
            return None;
        };
        let is_side = |arm: Value, other: Value| {
            let computed = self.function.definition(arm);
            let sums = computed.filter(|computed| {
                let is_float = self.function.ty(arm).element == Element::F32;
                let is_sum = matches!(computed.op, Op::Binary(Binary::Add | Binary::Sub));
                is_float && is_sum && self.is_inline(arm)
            });
            let overwrites = |sum: &Node| {
                let is_operand = sum.operands.contains(&other) && self.is_used_twice(other);
                // In one round of a loop what the round before left is read for the last time.
                (is_operand
                    && sum
                        .operands
                        .iter()
                        .all(|&operand| self.is_at_hand(operand, layout)))
                    || self.function.is_next_of(node.results[0], other)
            };
            sums.is_some_and(overwrites)
        };
        match (is_side(yes, no), is_side(no, yes)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Whether a value is a number, known or computed by all threads, or has a variable.
    fn is_at_hand(&self, value: Value, layout: LayoutId) -> bool {
        self.function.ty(value).is_scalar()
            || self.function.constant(value).is_some()
            || self.names.contains_key(&(value, layout))
            || self
                .function
                .definition(value)
                .is_some_and(|node| node.op == Op::Splat)
    }

    /// The layout that an operand is in for a result in `layout`.
    pub fn wanted(&mut self, node: &Node, operand: Value, layout: LayoutId) -> LayoutId {
        let function = self.function;
        self.placement.operand(function, node, operand, layout)
    }

    /// One of two tiles, by the last index.
    fn joined(&mut self, node: &Node, value: Value, layout: LayoutId, index: &Index) -> String {
        let whole = self.linear(value, layout);
        // Elements are numbered with the first index fastest: the top bit of a number is the last index, of which there
        // are two.
        let side = whole.elements() / 2;
        let last = whole.registers.iter().position(|&basis| basis == side);
        let bits: Vec<usize> = (0..whole.registers.len())
            .filter(|&bit| Some(bit) != last)
            .collect();
        // Without the pair's bit the register's number is that of either tile.
        let inner = index.select(&bits);
        let which = last.map_or(Index::Known(0), |last| index.select(&[last]));
        let [a, b] = [node.operands[0], node.operands[1]].map(|operand| {
            let wanted = self.wanted(node, operand, layout);
            match which {
                Index::Known(_) => self.operand(operand, wanted, &inner),
                // Both are computed once, and not where one of them is chosen.
                Index::Text(_) => self.settled(operand, wanted, &inner),
            }
        });
        match which {
            Index::Known(0) => a,
            Index::Known(_) => b,
            Index::Text(text) => format!("{text} == 0 ? {a} : {b}"),
        }
    }

    /// A half of a tile.
    fn half(&mut self, node: &Node, value: Value, layout: LayoutId, index: &Index) -> String {
        let operand = node.operands[0];
        let wanted = self.wanted(node, operand, layout);
        let whole = self.linear(operand, wanted);
        let side = whole.elements() / 2;
        let last = whole
            .registers
            .iter()
            .position(|&basis| basis == side)
            .unwrap_or(0);
        let bits: Vec<usize> = (0..whole.registers.len())
            .filter(|&bit| bit != last)
            .collect();
        // `tl.split` gives index 0 of the last side first, then index 1.
        let which = u32::from(node.results.first() != Some(&value));
        let index = scattered(index, &bits).plus(&Index::Known(which << last));
        self.expression(operand, wanted, &index)
    }

    /// The same element under other indices.
    fn moved(&mut self, node: &Node, value: Value, layout: LayoutId, index: &Index) -> String {
        let operand = node.operands[0];
        let wanted = self.wanted(node, operand, layout);
        let (to, from) = (self.linear(value, layout), self.linear(operand, wanted));
        let bits: Vec<usize> = from
            .registers
            .iter()
            .map(|&basis| {
                let indices = from.indices(basis);
                let there = moved_indices(
                    &node.op,
                    &indices,
                    self.function.ty(operand),
                    self.function.ty(value),
                );
                let there = to.number(&there);
                to.registers
                    .iter()
                    .position(|&basis| basis == there)
                    .unwrap_or(0)
            })
            .collect();
        let index = index.select(&bits);
        self.expression(operand, wanted, &index)
    }
}

/// Where the element at `indices` of the operand is in the result.
fn moved_indices(op: &Op, indices: &[u32], from: &Type, to: &Type) -> Vec<u32> {
    match op {
        Op::ExpandDims(axis) => {
            let mut indices = indices.to_vec();
            indices.insert(*axis, 0);
            indices
        }
        Op::Transpose(order) => order.iter().map(|&side| indices[side]).collect(),
        Op::Reshape => {
            let pairs = from.shape.iter().zip(indices);
            let mut number = pairs.fold(0, |at, (side, index)| at * side + index);
            let mut split: Vec<u32> = Vec::new();
            for side in to.shape.iter().rev() {
                split.push(number % side);
                number /= side;
            }
            split.reverse();
            split
        }
        _ => indices.to_vec(),
    }
}

/// Whether a text needs no parentheses between operators.
fn is_operand(text: &str) -> bool {
    let mut depth = 0i32;
    let mut chars = text.chars().peekable();
    let mut is_first = true;
    while let Some(c) = chars.next() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth -= 1;
                // What begins with a parenthesis goes on behind its partner: `(float)x`, `(a) + (b)`.
                if depth == 0 && text.starts_with('(') && chars.peek().is_some() {
                    return false;
                }
            }
            ' ' | '-' | '!' | '?' | '+' if depth == 0 && !(is_first && c == '-') => return false,
            _ => {}
        }
        is_first = false;
    }
    // Of what begins with a minus only numbers stand alone: `-1.5f`, but not `-x`.
    !text.starts_with('-')
        || text[1..]
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == 'f')
}

/// A number as CUDA C++ writes it.
pub fn literal(constant: Constant, element: Element) -> String {
    match (constant, element) {
        (Constant::Integer(value), Element::Bool) => (value != 0).to_string(),
        (Constant::Integer(value), Element::I64) => format!("{value}LL"),
        (Constant::Integer(value), Element::U64) => format!("{value}ULL"),
        (Constant::Integer(value), Element::U32) => format!("{value}u"),
        (Constant::Integer(value), Element::F8E4M3 | Element::F8E5M2) => {
            literal(Constant::Float(value as f64), element)
        }
        (Constant::Float(value), Element::F8E4M3) => E4M3.nearest(value).to_string(),
        (Constant::Float(value), Element::F8E5M2) => E5M2.nearest(value).to_string(),
        (Constant::Integer(value), _) => value.to_string(),
        (Constant::Float(value), Element::F64) if value.is_finite() => format!("{value:?}"),
        (Constant::Float(value), _) if value.is_finite() => {
            // Rust prints the fewest digits that read back as the same float.
            let text = format!("{:?}f", value as f32);
            match element {
                Element::F32 => text,
                _ => format!("({}){text}", element.cuda()),
            }
        }
        (Constant::Float(value), _) => {
            let word = if value.is_nan() {
                "NOT_A_NUMBER"
            } else {
                "INFINITE"
            };
            let sign = if value < 0.0 { "-" } else { "" };
            match element {
                Element::F32 | Element::F64 => format!("{sign}{word}"),
                _ => format!("({})({sign}{word})", element.cuda()),
            }
        }
    }
}

/// An operation on operands that stand as text; `of` is the type of the first.
pub fn operation(op: &Op, operands: &[String], ty: &Type, of: &Type) -> String {
    let [a, b, c] = [0, 1, 2].map(|at| operands.get(at).map_or("", String::as_str));
    match op {
        Op::Unary(unary) => function(*unary, a, of.element),
        // What gives no float has one name for both types.
        Op::Call(name) if of.element == Element::F32 && ty.element.is_float() => {
            format!("{name}f({})", operands.join(", "))
        }
        Op::Call(name) => format!("{name}({})", operands.join(", ")),
        Op::Assembly(assembly) => format!("{}({})", assembly.name, operands.join(", ")),
        Op::Binary(binary) => arithmetic(*binary, a, b, of.element),
        Op::Compare(comparison) => {
            let sign = match comparison {
                Comparison::Eq => "==",
                Comparison::Ne => "!=",
                Comparison::Lt => "<",
                Comparison::Le => "<=",
                Comparison::Gt => ">",
                Comparison::Ge => ">=",
            };
            format!("{a} {sign} {b}")
        }
        // Both are computed, whichever is taken.
        Op::Select if [b, c].iter().any(|side| side.contains('(')) => {
            let star = if ty.is_pointer { "*" } else { "" };
            let cuda = ty.element.cuda();
            format!("where<{cuda}{star}>({a}, {}, {})", bare(b), bare(c))
        }
        Op::Select => format!("{a} ? {b} : {c}"),
        // Called by name: in `a * b + c` the compiler may choose not to contract.
        Op::Fma if ty.element == Element::F64 => format!("fma({a}, {b}, {c})"),
        Op::Fma => format!("fmaf({a}, {b}, {c})"),
        Op::Cast if ty.is_pointer => format!("({}*){a}", stored(ty.element)),
        Op::Cast if of.is_pointer => format!("({}){a}", ty.element.cuda()),
        Op::Cast => cast(a, of.element, ty.element),
        Op::Bitcast => bitcast(a, of.element, ty.element),
        Op::Offset => format!("{a} + {b}"),
        _ => String::from("0"),
    }
}

/// A text without the parentheses around all of it.
fn bare(text: &str) -> &str {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    // `(a) + (b)` begins and ends with parentheses that are no pair.
    inner
        .filter(|inner| !inner.contains(['(', ')']))
        .unwrap_or(text)
}

/// A number of one type as one of another.
pub fn cast(a: &str, from: Element, to: Element) -> String {
    let number = match from {
        Element::F8E4M3 => format!("float_of_e4m3({a})"),
        Element::F8E5M2 => format!("float_of_e5m2({a})"),
        _ => a.to_owned(),
    };
    match to {
        Element::F8E4M3 => format!("e4m3_of((float){number})"),
        Element::F8E5M2 => format!("e5m2_of((float){number})"),
        _ => format!("({}){number}", to.cuda()),
    }
}

fn bitcast(a: &str, from: Element, to: Element) -> String {
    match (from, to) {
        (Element::F32, Element::I32) => format!("__float_as_int({a})"),
        (Element::F32, Element::U32) => format!("__float_as_uint({a})"),
        (Element::I32, Element::F32) => format!("__int_as_float({a})"),
        (Element::U32, Element::F32) => format!("__uint_as_float({a})"),
        (Element::F64, Element::I64 | Element::U64) => format!("__double_as_longlong({a})"),
        (Element::I64 | Element::U64, Element::F64) => format!("__longlong_as_double({a})"),
        (Element::F16, _) => format!("({})__half_as_short({a})", to.cuda()),
        (_, Element::F16) => format!("__short_as_half((short){a})"),
        (Element::Bf16, _) => format!("({})__bfloat16_as_short({a})", to.cuda()),
        (_, Element::Bf16) => format!("__short_as_bfloat16((short){a})"),
        _ => format!("({}){a}", to.cuda()),
    }
}

fn function(unary: Unary, a: &str, element: Element) -> String {
    let is_double = element == Element::F64;
    let name = match unary {
        Unary::Negate => return format!("-{a}"),
        Unary::Not => return format!("!{a}"),
        // `ExpOpToLLVM` of the NVIDIA back end: `ex2.approx` of the product with log2(e), unlike CUDA's `expf`.
        Unary::Exp if !is_double => return format!("power_of_two({a} * {LOG2_E})"),
        // `Exp2OpToLLVM` is `ex2.approx.ftz`, which takes tiny results for zero.
        Unary::Exp2 if !is_double => return format!("exp2_flushed({a})"),
        Unary::Abs if !element.is_float() => return format!("abs({a})"),
        Unary::Abs if element.bits() == 16 => return format!("__habs({a})"),
        Unary::Abs => "fabs",
        Unary::Exp => "exp",
        Unary::Exp2 => "exp2",
        Unary::Log => "log",
        Unary::Log2 => "log2",
        Unary::Tanh if !is_double => return format!("hyperbolic_tangent({a})"),
        Unary::Erf if !is_double => return format!("error_function({a})"),
        Unary::Sqrt if !is_double => return format!("square_root({a})"),
        Unary::Sqrt => "sqrt",
        Unary::Rsqrt => "rsqrt",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Tanh => "tanh",
        Unary::Erf => "erf",
        Unary::Floor => "floor",
        Unary::Ceil => "ceil",
    };
    format!("{name}{}({a})", if is_double { "" } else { "f" })
}

/// The lesser or the greater of two.
fn extreme(name: &str, a: &str, b: &str, element: Element) -> String {
    let is_half = element.bits() == 16 && element.is_float();
    match element {
        Element::F32 => format!("f{name}f({a}, {b})"),
        Element::F64 => format!("f{name}({a}, {b})"),
        _ if is_half => format!("__h{name}({a}, {b})"),
        _ => format!("{name}({a}, {b})"),
    }
}

fn arithmetic(binary: Binary, a: &str, b: &str, element: Element) -> String {
    let sign = match binary {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        // Triton's `/` is `div.full.f32`, within 2 units in the last place as `__fdividef` is; `tl.math.div_rn`
        // rounds right.
        Binary::Div if element == Element::F32 => return format!("__fdividef({a}, {b})"),
        Binary::Div => "/",
        Binary::Rem if element == Element::F32 => return format!("fmodf({a}, {b})"),
        Binary::Rem if element == Element::F64 => return format!("fmod({a}, {b})"),
        Binary::Rem => "%",
        Binary::And if element == Element::Bool => "&&",
        Binary::Or if element == Element::Bool => "||",
        // `not` is traced as an exclusive or with 1.
        Binary::Xor if element == Element::Bool && b == "true" => return format!("!{a}"),
        Binary::Xor if element == Element::Bool => "!=",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::MulHigh if element == Element::U32 => return format!("__umulhi({a}, {b})"),
        Binary::MulHigh if element == Element::I32 => return format!("__mulhi({a}, {b})"),
        Binary::MulHigh if element == Element::I64 => return format!("__mul64hi({a}, {b})"),
        Binary::MulHigh => return format!("__umul64hi({a}, {b})"),
        Binary::Min => return extreme("min", a, b, element),
        Binary::Max => return extreme("max", a, b, element),
    };
    match element {
        // Smaller integers are computed as int.
        Element::I8 | Element::U8 | Element::I16 | Element::U16 => {
            format!("({})({a} {sign} {b})", element.cuda())
        }
        _ => format!("{a} {sign} {b}"),
    }
}
