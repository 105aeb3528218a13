//! The typed program, one thread at a time: slow, small, and written from its documentation.

use tutor::cuda::{
    BinaryOp, Coordinate, Expr, ExprKind, Function, Initializer, Place, PlaceKind, Program, Scalar,
    Stmt, StmtKind, Type, UnaryOp,
};
use tutor::launch::BufferValues;

use super::value::{Value, binary};

/// The buffers that pointers point into.
pub struct Memory {
    pub buffers: Vec<BufferValues>,
}

impl Memory {
    pub fn new(buffers: Vec<BufferValues>) -> Self {
        Memory { buffers }
    }
}

/// What a variable holds: scalars in order of memory; a pointer is a buffer and an element.
#[derive(Clone, Debug)]
enum Slot {
    Scalars(Vec<Value>),
    Pointer(usize, i128),
}

/// Why statements stop.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Value>),
}

struct Frame<'a> {
    program: &'a Program,
    function: &'a Function,
    memory: &'a mut Memory,
    /// blockIdx.x, threadIdx.x, blockDim.x, gridDim.x.
    at: [u32; 4],
    slots: Vec<Slot>,
}

/// Runs the kernel `generated` for one thread.
pub fn evaluate(program: &Program, memory: &mut Memory, at: [u32; 4]) {
    let kernel = program.kernels().next().expect("there is a kernel");
    let mut frame = Frame::new(program, kernel, memory, at);
    for parameter in 0..kernel.parameter_count {
        frame.slots[parameter] = Slot::Pointer(parameter, 0);
    }
    frame.stmts(&kernel.body);
}

fn scalars(ty: &Type) -> (Scalar, usize) {
    match ty {
        Type::Scalar(scalar) => (*scalar, 1),
        Type::Array(element, length) => {
            let (scalar, count) = scalars(element);
            (scalar, count * *length as usize)
        }
        ty => panic!("{ty} is not generated"),
    }
}

fn scalar(ty: &Type) -> Scalar {
    ty.scalar().unwrap_or_else(|| panic!("{ty} is no scalar"))
}

impl<'a> Frame<'a> {
    fn new(
        program: &'a Program,
        function: &'a Function,
        memory: &'a mut Memory,
        at: [u32; 4],
    ) -> Self {
        let slots = function.locals.iter().map(|local| match &local.ty {
            Type::Pointer { .. } => Slot::Pointer(0, 0),
            ty => {
                let (scalar, count) = scalars(ty);
                Slot::Scalars(vec![Value::zero(scalar); count])
            }
        });
        Frame {
            program,
            function,
            memory,
            at,
            slots: slots.collect(),
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Flow {
        for stmt in stmts {
            match self.stmt(stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.expr(expr);
            }
            StmtKind::Declare { local, init } => self.declare(*local, init.as_ref()),
            StmtKind::Block(body) => return self.stmts(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let taken = self.expr(condition).is_true();
                return self.stmts(if taken { then } else { otherwise });
            }
            StmtKind::Loop { .. } => return self.repeat(stmt),
            StmtKind::Break => return Flow::Break,
            StmtKind::Continue => return Flow::Continue,
            StmtKind::Return(value) => {
                return Flow::Return(value.as_ref().map(|value| self.expr(value)));
            }
            kind => panic!("{kind:?} is not generated"),
        }
        Flow::Next
    }

    fn repeat(&mut self, stmt: &Stmt) -> Flow {
        let StmtKind::Loop {
            init,
            condition,
            step,
            body,
            test_first,
        } = &stmt.kind
        else {
            panic!("callers looked")
        };
        self.stmts(init);
        let mut is_first = true;
        loop {
            let tests = *test_first || !is_first;
            let condition = condition.as_ref().filter(|_| tests);
            if condition.is_some_and(|condition| !self.expr(condition).is_true()) {
                return Flow::Next;
            }
            is_first = false;
            match self.stmts(body) {
                Flow::Break => return Flow::Next,
                Flow::Return(value) => return Flow::Return(value),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = step {
                self.expr(step);
            }
        }
    }

    fn declare(&mut self, local: usize, init: Option<&Initializer>) {
        let (ty, count) = scalars(&self.function.locals[local].ty);
        let mut values = match init {
            None => return,
            Some(Initializer::Value(value)) => vec![self.expr(value)],
            Some(Initializer::List(list)) => list.iter().map(|value| self.expr(value)).collect(),
        };
        values.resize(count, Value::zero(ty));
        self.slots[local] = Slot::Scalars(values);
    }

    /// The variable and scalar of a local place.
    fn local(&mut self, place: &Place) -> (usize, usize) {
        match &place.kind {
            PlaceKind::Local(local) => (*local, 0),
            PlaceKind::Index(base, index) => {
                let (local, first) = self.local(base);
                let (_, count) = scalars(&place.ty);
                let index = self.expr(index).integer();
                let index = usize::try_from(index).expect("indices are masked");
                (local, first + index * count)
            }
            kind => panic!("{kind:?} is not generated"),
        }
    }

    /// The buffer and element of an expression that points.
    fn pointer(&mut self, expr: &Expr) -> (usize, i128) {
        match &expr.kind {
            ExprKind::Load(place) => {
                let (local, _) = self.local(place);
                match self.slots[local] {
                    Slot::Pointer(buffer, element) => (buffer, element),
                    Slot::Scalars(_) => panic!("is no pointer"),
                }
            }
            ExprKind::PointerOffset(base, offset) => {
                let (buffer, element) = self.pointer(base);
                (buffer, element + self.expr(offset).integer())
            }
            ExprKind::Convert(inner) => self.pointer(inner),
            kind => panic!("{kind:?} is not generated"),
        }
    }

    fn load(&mut self, place: &Place) -> Value {
        if let PlaceKind::Deref(pointer) = &place.kind {
            let (buffer, element) = self.pointer(pointer);
            let (ty, size) = (scalar(&place.ty), place.ty.size_bytes() as usize);
            let first = element as usize * size;
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(&self.memory.buffers[buffer].bytes[first..first + size]);
            return Value::of_bits(u64::from_le_bytes(bits), ty);
        }
        let (local, at) = self.local(place);
        match &self.slots[local] {
            Slot::Scalars(values) => values[at],
            Slot::Pointer(..) => panic!("pointers are loaded by `pointer`"),
        }
    }

    fn store(&mut self, place: &Place, value: Value) {
        if let PlaceKind::Deref(pointer) = &place.kind {
            let (buffer, element) = self.pointer(pointer);
            let (ty, size) = (scalar(&place.ty), place.ty.size_bytes() as usize);
            let first = element as usize * size;
            let bits = value.bits(ty).to_le_bytes();
            self.memory.buffers[buffer].bytes[first..first + size].copy_from_slice(&bits[..size]);
            return;
        }
        let (local, at) = self.local(place);
        match &mut self.slots[local] {
            Slot::Scalars(values) => values[at] = value,
            Slot::Pointer(..) => panic!("pointers do not change"),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Value {
        let truth = |truth: bool| Value::Integer(truth.into());
        match &expr.kind {
            ExprKind::Constant(bits) => Value::of_bits(*bits, scalar(&expr.ty)),
            ExprKind::Load(place) => self.load(place),
            ExprKind::Coordinate(what, _) => self.coordinate(*what),
            ExprKind::Convert(operand) => self.expr(operand).convert(scalar(&expr.ty)),
            ExprKind::Unary(op, operand) => {
                let value = self.expr(operand);
                self.unary(*op, value, scalar(&expr.ty))
            }
            ExprKind::Binary(op, a, b) => self.sum_or_other(*op, a, b),
            ExprKind::And(a, b) => truth(self.expr(a).is_true() && self.expr(b).is_true()),
            ExprKind::Or(a, b) => truth(self.expr(a).is_true() || self.expr(b).is_true()),
            ExprKind::Conditional(condition, a, b) => {
                let taken = self.expr(condition).is_true();
                self.expr(if taken { a } else { b })
            }
            ExprKind::Assign(place, value) => {
                let value = self.expr(value);
                self.store(place, value);
                value
            }
            ExprKind::AssignOp {
                place,
                op,
                value,
                computed,
            } => self.assign_op(place, *op, value, scalar(computed)),
            ExprKind::Step { place, up, prefix } => {
                let ty = scalar(&place.ty);
                let old = self.load(place);
                let one = Value::Integer(1).convert(ty);
                let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
                let new = binary(op, old, one, ty);
                self.store(place, new);
                if *prefix { new } else { old }
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments),
            ExprKind::Comma(first, second) => {
                self.expr(first);
                self.expr(second)
            }
            kind => panic!("{kind:?} is not generated"),
        }
    }

    fn coordinate(&self, what: Coordinate) -> Value {
        let [block, thread, block_dim, grid_dim] = self.at;
        Value::Integer(i128::from(match what {
            Coordinate::BlockIdx => block,
            Coordinate::ThreadIdx => thread,
            Coordinate::BlockDim => block_dim,
            Coordinate::GridDim => grid_dim,
        }))
    }

    fn unary(&self, op: UnaryOp, value: Value, ty: Scalar) -> Value {
        match (op, value) {
            (UnaryOp::LogicalNot, value) => Value::Integer((!value.is_true()).into()),
            (UnaryOp::Negate, Value::F32(float)) => Value::F32(-float),
            (UnaryOp::Negate, Value::F64(float)) => Value::F64(-float),
            (UnaryOp::Negate, Value::Integer(integer)) => Value::Integer(-integer).convert(ty),
            (UnaryOp::BitNot, value) => Value::Integer(!value.integer()).convert(ty),
        }
    }

    /// Sums of products are rounded once, the left product first: `-fmad=true`.
    fn sum_or_other(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Value {
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let ty = scalar(&a.ty);
        if is_sum && ty.is_float() {
            if let ExprKind::Binary(BinaryOp::Mul, x, y) = &a.kind {
                let (x, y) = (self.expr(x), self.expr(y));
                let addend = self.expr(b);
                let negated = self.unary(UnaryOp::Negate, addend, ty);
                return fused(x, y, if op == BinaryOp::Sub { negated } else { addend });
            }
            if let ExprKind::Binary(BinaryOp::Mul, ..) = &b.kind {
                let addend = self.expr(a);
                return self.plus_product(op, addend, b);
            }
        }
        let (a, b) = (self.expr(a), self.expr(b));
        binary(op, a, b, ty)
    }

    fn plus_product(&mut self, op: BinaryOp, addend: Value, product: &Expr) -> Value {
        let ExprKind::Binary(BinaryOp::Mul, x, y) = &product.kind else {
            panic!("callers looked")
        };
        let (x, y) = (self.expr(x), self.expr(y));
        let negated = self.unary(UnaryOp::Negate, x, scalar(&product.ty));
        fused(if op == BinaryOp::Sub { negated } else { x }, y, addend)
    }

    fn assign_op(&mut self, place: &Place, op: BinaryOp, value: &Expr, ty: Scalar) -> Value {
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let is_product = matches!(value.kind, ExprKind::Binary(BinaryOp::Mul, ..));
        let new = if is_sum && is_product && ty.is_float() && value.ty == Type::Scalar(ty) {
            let old = self.load(place).convert(ty);
            self.plus_product(op, old, value)
        } else {
            let value = self.expr(value);
            let old = self.load(place).convert(ty);
            binary(op, old, value, ty)
        };
        let new = new.convert(scalar(&place.ty));
        self.store(place, new);
        new
    }

    fn call(&mut self, id: usize, arguments: &[Expr]) -> Value {
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.expr(argument))
            .collect();
        let function = &self.program.functions[id];
        let mut frame = Frame::new(self.program, function, self.memory, self.at);
        for (parameter, value) in values.into_iter().enumerate() {
            frame.slots[parameter] = Slot::Scalars(vec![value]);
        }
        match frame.stmts(&function.body) {
            Flow::Return(Some(value)) => value,
            _ => panic!("generated functions return values"),
        }
    }
}

fn fused(x: Value, y: Value, addend: Value) -> Value {
    match (x, y, addend) {
        (Value::F32(x), Value::F32(y), Value::F32(addend)) => Value::F32(x.mul_add(y, addend)),
        (Value::F64(x), Value::F64(y), Value::F64(addend)) => Value::F64(x.mul_add(y, addend)),
        other => panic!("{other:?} are not of one type"),
    }
}
