//! From what a function calls and compares to its parameters, through the names that it assigns.

use std::collections::{BTreeMap, HashMap, HashSet};

use ruff_python_ast::{CmpOp, Expr, ExprBinOp, ExprCall, Operator};

use super::body::Body;
use super::parameter_use::ParameterUse;

/// What is known of a function's parameters so far.
pub struct Flow<'a> {
    body: &'a Body<'a>,
    uses: BTreeMap<&'a str, ParameterUse>,
    /// Names whose values are known to be integers: a loop may assign a name from itself.
    integers: HashSet<&'a str>,
}

/// What a library function does with its arguments, by their position and keyword.
struct Signature {
    name: &'static str,
    arguments: &'static [(&'static str, Argument)],
}

#[derive(Clone, Copy)]
enum Argument {
    Address,
    AddressOfIntegers,
    Integer,
    Bound,
    /// A bound of a loop that is written out.
    Unrolled,
    Stride,
    TileSide,
    Factor,
    Type,
    Other,
}

const SIGNATURES: [Signature; 26] = {
    use Argument::*;
    const fn of(name: &'static str, arguments: &'static [(&'static str, Argument)]) -> Signature {
        Signature { name, arguments }
    }
    [
        of("load", &[("pointer", Address)]),
        of("store", &[("pointer", Address)]),
        of("atomic_add", &[("pointer", Address)]),
        of("atomic_max", &[("pointer", Address)]),
        of("atomic_min", &[("pointer", Address)]),
        of("atomic_and", &[("pointer", AddressOfIntegers)]),
        of("atomic_or", &[("pointer", AddressOfIntegers)]),
        of("atomic_xor", &[("pointer", AddressOfIntegers)]),
        of("atomic_xchg", &[("pointer", Address)]),
        of("atomic_cas", &[("pointer", AddressOfIntegers)]),
        of(
            "make_block_ptr",
            &[
                ("base", Address),
                ("shape", Bound),
                ("strides", Stride),
                ("offsets", Integer),
                ("block_shape", TileSide),
            ],
        ),
        of(
            "make_tensor_descriptor",
            &[
                ("base", Address),
                ("shape", Bound),
                ("strides", Stride),
                ("block_shape", TileSide),
            ],
        ),
        of(
            "range",
            &[("arg1", Bound), ("arg2", Bound), ("step", Integer)],
        ),
        of(
            "static_range",
            &[("arg1", Unrolled), ("arg2", Unrolled), ("step", Integer)],
        ),
        of("cdiv", &[("x", Bound), ("div", Integer)]),
        of("arange", &[("start", TileSide), ("end", TileSide)]),
        of("dot", &[("input", Factor), ("other", Factor)]),
        of("zeros", &[("shape", TileSide), ("dtype", Type)]),
        of(
            "full",
            &[("shape", TileSide), ("value", Other), ("dtype", Type)],
        ),
        of("reshape", &[("input", Other), ("shape", TileSide)]),
        of("view", &[("input", Other), ("shape", TileSide)]),
        of("broadcast_to", &[("input", Other), ("shape", TileSide)]),
        of("multiple_of", &[("input", Other), ("values", Integer)]),
        of(
            "swizzle2d",
            &[
                ("i", Integer),
                ("j", Integer),
                ("size_i", Integer),
                ("size_j", Integer),
            ],
        ),
        of("rand", &[("seed", Integer), ("offset", Integer)]),
        of("randint", &[("seed", Integer), ("offset", Integer)]),
    ]
};

/// Whether a bound is a count of copies as it stands, `TILES - 1`, not one that follows from sizes, `tl.cdiv(N, BLOCK)`.
fn is_count(bound: &Expr) -> bool {
    match bound {
        Expr::Name(_) | Expr::NumberLiteral(_) => true,
        Expr::BinOp(sum) if matches!(sum.op, Operator::Add | Operator::Sub) => {
            is_count(&sum.left) && is_count(&sum.right)
        }
        _ => false,
    }
}

/// Functions of the library that give what their first argument is, in another form.
const FORMS: [&str; 9] = [
    "multiple_of",
    "max_contiguous",
    "advance",
    "broadcast_to",
    "expand_dims",
    "reshape",
    "trans",
    "make_block_ptr",
    "make_tensor_descriptor",
];

impl<'a> Flow<'a> {
    pub fn new(body: &'a Body<'a>) -> Self {
        Flow {
            body,
            uses: BTreeMap::new(),
            integers: HashSet::new(),
        }
    }

    pub fn uses(self) -> BTreeMap<String, ParameterUse> {
        let uses = self.uses.into_iter();
        uses.map(|(name, uses)| (name.to_owned(), uses)).collect()
    }

    /// What calls of the library, comparisons and conditions say.
    pub fn follow_library(&mut self) {
        for call in &self.body.calls {
            let (name, method_of) = self.body.called(call);
            let signature = SIGNATURES.iter().find(|of| of.name == name);
            if let (Some(signature), None) = (signature, method_of) {
                self.follow_call(call, signature);
            }
            if let ("to", Some(_), Some(given)) = (name, method_of, call.arguments.args.first()) {
                self.names_type(given);
            }
        }
        for operation in &self.body.operations {
            // Bits, remainders and quotients that are rounded down are of integers.
            if is_of_integers(operation.op) {
                self.integer(&operation.left);
                self.integer(&operation.right);
            }
        }
        for comparison in &self.body.comparisons {
            if let ([op], [right]) = (&*comparison.ops, &*comparison.comparators) {
                self.follow_comparison(&comparison.left, *op, right);
            }
        }
        for name in &self.body.flags {
            self.add(name, |uses| uses.is_flag = true);
        }
    }

    /// What an argument of another function is used as there.
    pub fn follow_argument(&mut self, argument: &'a Expr, there: ParameterUse) {
        if there.is_pointer {
            self.address(argument);
        }
        if there.is_integer {
            self.integer(argument);
        }
        let passed = ParameterUse {
            is_pointer: false,
            is_integer: false,
            holds_integers: false,
            ..there
        };
        for name in self.leaves(argument) {
            self.add(name, |uses| *uses = uses.or(passed));
        }
        if there.holds_integers {
            self.at_bases(argument, |uses| uses.holds_integers = true);
        }
    }

    fn add(&mut self, name: &'a str, change: impl FnOnce(&mut ParameterUse)) {
        if self.body.is_parameter(name) {
            change(self.uses.entry(name).or_default());
        }
    }

    /// The same for the parameters that an address may begin with.
    fn at_bases(&mut self, address: &'a Expr, change: fn(&mut ParameterUse)) {
        for name in self.bases(address) {
            self.add(name, change);
        }
    }

    fn follow_call(&mut self, call: &'a ExprCall, signature: &Signature) {
        // By steps of a tile there are as many copies as tiles.
        let has_step = call.arguments.find_argument_value("step", 2).is_some();
        for (at, (name, argument)) in signature.arguments.iter().enumerate() {
            let Some(given) = call.arguments.find_argument_value(name, at) else {
                continue;
            };
            let use_of: fn(&mut ParameterUse) = match argument {
                Argument::Address => {
                    self.address(given);
                    continue;
                }
                Argument::AddressOfIntegers => {
                    self.address(given);
                    self.at_bases(given, |uses| uses.holds_integers = true);
                    continue;
                }
                Argument::Factor => {
                    self.factor(given, &mut HashSet::new());
                    continue;
                }
                Argument::Type => {
                    self.names_type(given);
                    continue;
                }
                Argument::Other => continue,
                Argument::Integer => |_| {},
                Argument::Unrolled if is_count(given) && !has_step => {
                    |uses| uses.is_unrolled = true
                }
                Argument::Bound | Argument::Unrolled => |uses| uses.is_bound = true,
                Argument::Stride => |uses| uses.is_stride = true,
                Argument::TileSide => |uses| uses.is_tile_side = true,
            };
            self.integer(given);
            for name in self.leaves(given) {
                self.add(name, use_of);
            }
        }
    }

    /// What names the type of elements.
    fn names_type(&mut self, given: &'a Expr) {
        if let Expr::Name(name) = given {
            self.add(name.id.as_str(), |uses| uses.is_type = true);
        }
    }

    /// A factor of a matrix product: what it is loaded from has matrices.
    fn factor(&mut self, expression: &'a Expr, seen: &mut HashSet<&'a str>) {
        match expression {
            Expr::Name(name) if seen.insert(name.id.as_str()) => {
                for value in self.values(name.id.as_str()) {
                    self.factor(value, seen);
                }
            }
            Expr::Call(call) => {
                let first = call.arguments.args.first();
                match self.body.called(call) {
                    ("load", None) => {
                        if let Some(address) = first {
                            self.at_bases(address, |uses| uses.is_factor = true);
                        }
                    }
                    (_, Some(of)) => self.factor(of, seen),
                    ("trans", None) => first.into_iter().for_each(|of| self.factor(of, seen)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// `offsets < n` says that `n` is a bound.
    fn follow_comparison(&mut self, left: &'a Expr, op: CmpOp, right: &'a Expr) {
        let is_order = matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE);
        for (index, other) in [(left, right), (right, left)] {
            if !self.is_index(index, &mut HashSet::new()) {
                continue;
            }
            self.integer(other);
            if is_order && !self.is_index(other, &mut HashSet::new()) {
                for name in self.leaves(other) {
                    self.add(name, |uses| uses.is_bound = true);
                }
            }
        }
    }

    /// An address: one of its parts is a pointer, all others are integers.
    fn address(&mut self, expression: &'a Expr) {
        self.at_bases(expression, |uses| uses.is_pointer = true);
        self.offsets(expression, &mut HashSet::new());
    }

    /// What is added to the pointer of an address.
    fn offsets(&mut self, expression: &'a Expr, seen: &mut HashSet<&'a str>) {
        match expression {
            Expr::BinOp(sum) if matches!(sum.op, Operator::Add | Operator::Sub) => {
                let (pointer, offset) = match self.bases(&sum.left).is_empty() {
                    false => (&sum.left, &sum.right),
                    true => (&sum.right, &sum.left),
                };
                self.offsets(pointer, seen);
                self.integer(offset);
                self.strides(offset, &mut HashSet::new());
            }
            Expr::Name(name) if seen.insert(name.id.as_str()) => {
                for value in self.values(name.id.as_str()) {
                    self.offsets(value, seen);
                }
                // `pointers += BLOCK * stride`.
                for offset in self.changes(name.id.as_str()) {
                    self.integer(offset);
                    self.strides(offset, &mut HashSet::new());
                }
            }
            Expr::Call(call) => {
                let (name, method_of) = self.body.called(call);
                let first = method_of.or(call.arguments.args.first());
                if let Some(first) = first.filter(|_| method_of.is_some() || FORMS.contains(&name))
                {
                    self.offsets(first, seen);
                }
            }
            Expr::Subscript(part) => self.offsets(&part.value, seen),
            _ => {}
        }
    }

    /// Numbers that indices are multiplied by.
    fn strides(&mut self, offset: &'a Expr, seen: &mut HashSet<&'a str>) {
        match offset {
            Expr::BinOp(product) if product.op == Operator::Mult => {
                for side in [&product.left, &product.right] {
                    match &**side {
                        Expr::Name(name) if self.body.is_parameter(name.id.as_str()) => {
                            self.add(name.id.as_str(), |uses| uses.is_stride = true);
                        }
                        other => self.strides(other, seen),
                    }
                }
            }
            Expr::BinOp(sum) => {
                self.strides(&sum.left, seen);
                self.strides(&sum.right, seen);
            }
            Expr::Subscript(part) => self.strides(&part.value, seen),
            Expr::Name(name) if seen.insert(name.id.as_str()) => {
                for value in self.values(name.id.as_str()) {
                    self.strides(value, seen);
                }
            }
            Expr::Call(call) => {
                if let (_, Some(of)) = self.body.called(call) {
                    self.strides(of, seen);
                }
            }
            _ => {}
        }
    }

    /// An expression whose value is an integer.
    fn integer(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                self.add(name, |uses| uses.is_integer = true);
                if self.integers.insert(name) {
                    for value in self.values(name).into_iter().chain(self.changes(name)) {
                        self.integer(value);
                    }
                }
            }
            Expr::BinOp(operation) if operation.op != Operator::Div => {
                self.integer(&operation.left);
                self.integer(&operation.right);
            }
            Expr::UnaryOp(operation) => self.integer(&operation.operand),
            Expr::Subscript(part) => self.integer(&part.value),
            Expr::Tuple(parts) => parts.elts.iter().for_each(|part| self.integer(part)),
            Expr::List(parts) => parts.elts.iter().for_each(|part| self.integer(part)),
            Expr::If(choice) => {
                self.integer(&choice.body);
                self.integer(&choice.orelse);
            }
            Expr::Call(call) => self.integer_call(call),
            _ => {}
        }
    }

    /// A call that gives an integer: of what is loaded, the memory has integers.
    fn integer_call(&mut self, call: &'a ExprCall) {
        let arguments = &call.arguments.args;
        match self.body.called(call) {
            ("load", None) => {
                if let Some(address) = arguments.first() {
                    self.at_bases(address, |uses| uses.holds_integers = true);
                }
            }
            // A cast gives an integer, whatever it is given.
            ("to" | "cast", _) => {}
            ("where", None) => arguments.iter().skip(1).for_each(|of| self.integer(of)),
            (_, None) => arguments.iter().for_each(|of| self.integer(of)),
            (_, Some(of)) => self.integer(of),
        }
    }

    /// What is assigned to a name of the function.
    fn values(&self, name: &str) -> Vec<&'a Expr> {
        self.body.values.get(name).cloned().unwrap_or_default()
    }

    fn changes(&self, name: &str) -> Vec<&'a Expr> {
        self.body.changes.get(name).cloned().unwrap_or_default()
    }

    /// The parameters that an address may begin with.
    fn bases(&self, expression: &'a Expr) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.find_bases(expression, &mut HashMap::new(), &mut found);
        found
    }

    /// The same; whether there are any. `known` has the names that were asked already: `p += 4` leads back to `p`.
    fn find_bases(
        &self,
        expression: &'a Expr,
        known: &mut HashMap<&'a str, bool>,
        found: &mut Vec<&'a str>,
    ) -> bool {
        let mut find = |part: &'a Expr| self.find_bases(part, known, found);
        match expression {
            Expr::Name(name) => self.find_bases_of_name(name.id.as_str(), known, found),
            // The pointer mostly comes first.
            Expr::BinOp(sum) if matches!(sum.op, Operator::Add | Operator::Sub) => {
                find(&sum.left) || find(&sum.right)
            }
            Expr::Subscript(part) => find(&part.value),
            // Either way may be gone.
            Expr::If(choice) => find(&choice.body) | find(&choice.orelse),
            Expr::Call(call) => {
                let given = &call.arguments;
                match self.body.called(call) {
                    ("where", None) => given
                        .args
                        .iter()
                        .skip(1)
                        .fold(false, |any, choice| find(choice) | any),
                    (name, None) if FORMS.contains(&name) => {
                        given.find_argument_value("base", 0).is_some_and(find)
                    }
                    ("to", Some(of)) => find(of),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn find_bases_of_name(
        &self,
        name: &'a str,
        known: &mut HashMap<&'a str, bool>,
        found: &mut Vec<&'a str>,
    ) -> bool {
        if let Some(&is_base) = known.get(name) {
            return is_base;
        }
        known.insert(name, true);
        let mut is_base = self.body.is_parameter(name);
        if is_base {
            found.push(name);
        }
        for value in self.values(name) {
            is_base |= self.find_bases(value, known, found);
        }
        known.insert(name, is_base);
        is_base
    }

    /// Parameters that an expression of integers is made of, but for what is loaded.
    fn leaves(&self, expression: &'a Expr) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.find_leaves(expression, &mut HashSet::new(), &mut found);
        found
    }

    fn find_leaves(
        &self,
        expression: &'a Expr,
        seen: &mut HashSet<&'a str>,
        found: &mut Vec<&'a str>,
    ) {
        let parts: Vec<&'a Expr> = match expression {
            Expr::Name(name) if self.body.is_parameter(name.id.as_str()) => {
                found.push(name.id.as_str());
                return;
            }
            Expr::Name(name) if seen.insert(name.id.as_str()) => self.values(name.id.as_str()),
            Expr::BinOp(ExprBinOp { left, right, .. }) => vec![left, right],
            Expr::Tuple(parts) => parts.elts.iter().collect(),
            Expr::List(parts) => parts.elts.iter().collect(),
            Expr::Call(call) => match self.body.called(call) {
                ("min" | "max" | "minimum" | "maximum" | "cdiv", None) => {
                    call.arguments.args.iter().collect()
                }
                ("to", Some(of)) => vec![of],
                _ => return,
            },
            _ => return,
        };
        for part in parts {
            self.find_leaves(part, seen, found);
        }
    }

    /// Whether an expression counts programs, elements of a tile, or turns of a loop.
    fn is_index(&self, expression: &'a Expr, seen: &mut HashSet<&'a str>) -> bool {
        match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                self.body.loops.contains_key(name)
                    || seen.insert(name)
                        && self.values(name).iter().any(|of| self.is_index(of, seen))
            }
            Expr::BinOp(operation) => {
                self.is_index(&operation.left, seen) || self.is_index(&operation.right, seen)
            }
            Expr::Subscript(part) => self.is_index(&part.value, seen),
            Expr::Call(call) => match self.body.called(call) {
                ("program_id" | "num_programs" | "arange", None) => true,
                ("to" | "cast", Some(of)) => self.is_index(of, seen),
                (name, None) if FORMS.contains(&name) => {
                    let first = call.arguments.args.first();
                    first.is_some_and(|first| self.is_index(first, seen))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

fn is_of_integers(op: Operator) -> bool {
    use Operator::{BitAnd, BitOr, BitXor, FloorDiv, LShift, Mod, RShift};
    matches!(
        op,
        BitAnd | BitOr | BitXor | FloorDiv | LShift | Mod | RShift
    )
}
