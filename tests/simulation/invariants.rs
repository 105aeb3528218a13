//! What the typed program promises to those who lower it, checked node by node.

use tutor::compile::{expressions, walk};
use tutor::cuda::{
    Expr, ExprKind, Function, Initializer, MathFunction, MatrixOperation, Node, Place, PlaceKind,
    Program, Scalar, Stmt, StmtKind, Storage, TextureOperation, Type,
};

use tutor::ir::PrintPiece;

/// Panics at the first promise that `program` breaks.
pub fn hold(program: &Program) {
    for (id, function) in program.functions.iter().enumerate() {
        let walker = Walker {
            program,
            function,
            id,
        };
        assert!(function.parameter_count <= function.locals.len());
        for local in &function.locals {
            let is_dynamic = matches!(local.ty, Type::Array(_, 0));
            assert_eq!(
                is_dynamic,
                local.storage == Storage::DynamicShared,
                "{local:?}"
            );
            assert_ne!(local.ty, Type::Void, "{local:?}");
        }
        walker.body(&function.body);
    }
}

fn components(ty: &Type) -> Option<(Scalar, u32)> {
    match ty {
        Type::Vector(of, lanes) => Some((*of, *lanes)),
        _ => None,
    }
}

fn is_vector(ty: &Type) -> bool {
    components(ty).is_some()
}

struct Walker<'a> {
    program: &'a Program,
    function: &'a Function,
    id: usize,
}

const BOOL: Type = Type::Scalar(Scalar::Bool);

fn is_integer(ty: &Type) -> bool {
    ty.scalar().is_some_and(Scalar::is_integer)
}

fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Pointer { .. })
}

fn points_to(ty: &Type, pointee: &Type) -> bool {
    matches!(ty, Type::Pointer { to, .. } if **to == *pointee)
}

fn is_field(object: &Type, at: usize, ty: &Type) -> bool {
    matches!(object, Type::Struct(of) if of.fields()[at].ty == *ty)
}

/// The functions that one calls.
fn calls(program: &Program, id: usize) -> Vec<usize> {
    let mut found = Vec::new();
    expressions(&program.functions[id].body, &mut |expr| {
        walk(expr, &mut |node| {
            if let Node::Expr(Expr {
                kind: ExprKind::Call(callee, _),
                ..
            }) = node
            {
                found.push(*callee);
            }
        });
    });
    found
}

impl Walker<'_> {
    /// Whether what is called calls the function again, by way of others or not.
    fn is_called_back_by(&self, callee: usize) -> bool {
        let (mut seen, mut open) = (Vec::new(), vec![callee]);
        while let Some(id) = open.pop() {
            if !seen.contains(&id) {
                seen.push(id);
                open.extend(calls(self.program, id));
            }
        }
        seen.contains(&self.id)
    }

    fn body(&self, body: &[Stmt]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Declare { local, init } => {
                let ty = &self.function.locals[*local].ty;
                match init {
                    Some(Initializer::Value(value)) => {
                        self.expr(value);
                        assert_eq!(value.ty, *ty);
                    }
                    Some(Initializer::List(list)) => list.iter().for_each(|value| {
                        self.expr(value);
                        assert!(!matches!(value.ty, Type::Array(..) | Type::Void));
                    }),
                    None => {}
                }
            }
            StmtKind::Block(body) => self.body(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.typed(condition, &BOOL);
                self.body(then);
                self.body(otherwise);
            }
            StmtKind::Loop {
                init,
                condition,
                step,
                body,
                ..
            } => {
                self.body(init);
                if let Some(condition) = condition {
                    self.typed(condition, &BOOL);
                }
                step.iter().for_each(|step| self.expr(step));
                self.body(body);
            }
            StmtKind::Switch { value, sections } => {
                self.integer(value);
                sections.iter().for_each(|section| self.body(&section.body));
            }
            StmtKind::Return(Some(value)) => self.typed(value, &self.function.returns),
            StmtKind::Return(None) => assert_eq!(self.function.returns, Type::Void),
            StmtKind::SyncWarp(mask) => self.typed(mask, &Type::Scalar(Scalar::U32)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Barrier => {}
            StmtKind::Host(_) => panic!("a kernel's file has code of the host: {statement:?}"),
        }
    }

    fn typed(&self, expr: &Expr, ty: &Type) {
        self.expr(expr);
        assert_eq!(expr.ty, *ty, "{expr:?}");
    }

    fn integer(&self, expr: &Expr) {
        self.expr(expr);
        assert!(is_integer(&expr.ty), "{expr:?}");
    }

    fn place(&self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(id) => assert_eq!(place.ty, self.function.locals[*id].ty),
            PlaceKind::File(id) => assert_eq!(place.ty, self.program.variables[*id].ty),
            PlaceKind::Deref(pointer) => {
                self.expr(pointer);
                assert!(points_to(&pointer.ty, &place.ty), "{place:?}");
            }
            PlaceKind::Index(array, index) => {
                self.place(array);
                self.integer(index);
                assert!(matches!(&array.ty, Type::Array(element, _) if **element == place.ty));
            }
            PlaceKind::Member(object, at) => {
                self.place(object);
                assert!(is_field(&object.ty, *at, &place.ty), "{place:?}");
            }
            PlaceKind::Component(vector, at) => {
                self.place(vector);
                assert!(matches!(vector.ty, Type::Vector(of, lanes)
                    if *at < lanes && place.ty == Type::Scalar(of)));
            }
        }
    }

    fn expr(&self, expr: &Expr) {
        let ty = &expr.ty;
        match &expr.kind {
            ExprKind::Host(_) => panic!("a kernel's file has code of the host: {expr:?}"),
            ExprKind::Constant(_) => assert!(ty.scalar().is_some() || is_pointer(ty)),
            ExprKind::Coordinate(..) | ExprKind::ActiveMask => {
                assert_eq!(*ty, Type::Scalar(Scalar::U32));
            }
            ExprKind::Load(place) => {
                self.place(place);
                assert_eq!(place.ty, *ty);
                assert!(
                    !matches!(ty, Type::Array(..)),
                    "an array is loaded: {expr:?}"
                );
            }
            ExprKind::AddressOf(place) => {
                self.place(place);
                let decayed = match &place.ty {
                    Type::Array(element, _) => points_to(ty, element),
                    _ => false,
                };
                assert!(decayed || points_to(ty, &place.ty), "{expr:?}");
            }
            ExprKind::Convert(inner) => {
                self.expr(inner);
                let wide = |ty: &Type| is_integer(ty) && ty.size_bytes() == 8;
                let fits = match (inner.ty.scalar(), ty.scalar()) {
                    (Some(_), Some(_)) => true,
                    (Some(of), None) if is_vector(ty) => components(ty) == Some((of, 2)),
                    (None, None) if is_vector(ty) => is_vector(&inner.ty),
                    (None, None) => is_pointer(&inner.ty) && is_pointer(ty),
                    (Some(_), None) => wide(&inner.ty) && is_pointer(ty),
                    (None, Some(_)) => is_pointer(&inner.ty) && wide(ty),
                };
                assert!(fits && inner.ty != *ty, "{expr:?}");
            }
            ExprKind::Unary(_, inner) => self.typed(inner, ty),
            ExprKind::Binary(op, a, b) => self.binary(expr, *op, a, b),
            ExprKind::PointerOffset(pointer, offset) => {
                self.typed(pointer, ty);
                assert!(is_pointer(ty));
                self.integer(offset);
            }
            ExprKind::PointerDifference(a, b) => {
                self.expr(a);
                self.typed(b, &a.ty);
                assert_eq!(*ty, Type::Scalar(Scalar::I64));
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.typed(a, &BOOL);
                self.typed(b, &BOOL);
                assert_eq!(*ty, BOOL);
            }
            ExprKind::Conditional(condition, a, b) => {
                self.typed(condition, &BOOL);
                self.typed(a, ty);
                self.typed(b, ty);
            }
            ExprKind::Assign(place, value) => {
                self.place(place);
                assert_eq!(place.ty, *ty);
                self.typed(value, ty);
            }
            ExprKind::AssignOp { place, .. } | ExprKind::Step { place, .. } => {
                self.place(place);
                assert_eq!(place.ty, *ty);
                self.assign_op(expr);
            }
            ExprKind::Call(callee, arguments) => {
                let comes_first = *callee < self.id || self.is_called_back_by(*callee);
                assert!(comes_first, "a callee comes first");
                let callee = &self.program.functions[*callee];
                assert_eq!(callee.returns, *ty);
                assert_eq!(callee.parameter_count, arguments.len());
                for (argument, param) in arguments.iter().zip(&callee.locals) {
                    self.typed(argument, &param.ty);
                }
            }
            ExprKind::Math(MathFunction::Ldexp, operands) => {
                self.typed(&operands[0], ty);
                self.typed(&operands[1], &Type::Scalar(Scalar::I32));
            }
            ExprKind::Math(_, operands) => {
                for operand in operands {
                    self.typed(operand, &operands[0].ty);
                }
            }
            ExprKind::Shuffle {
                mask, value, lane, ..
            } => {
                self.typed(mask, &Type::Scalar(Scalar::U32));
                self.typed(value, ty);
                assert!(matches!(ty.size_bytes(), 2 | 4 | 8));
                self.integer(lane);
            }
            ExprKind::Vote {
                mask, predicate, ..
            } => {
                self.typed(mask, &Type::Scalar(Scalar::U32));
                self.typed(predicate, &BOOL);
            }
            ExprKind::Atomic {
                pointer, operands, ..
            } => {
                self.expr(pointer);
                assert!(points_to(&pointer.ty, ty), "{expr:?}");
                operands.iter().for_each(|operand| self.typed(operand, ty));
            }
            ExprKind::Reduce { mask, value, .. } => {
                self.typed(mask, &Type::Scalar(Scalar::U32));
                self.typed(value, ty);
            }
            ExprKind::Match { mask, value, all } => {
                self.typed(mask, &Type::Scalar(Scalar::U32));
                self.expr(value);
                assert!(matches!(value.ty.size_bytes(), 4 | 8));
                if let Some(all) = all {
                    assert!(points_to(&all.ty, &Type::Scalar(Scalar::I32)));
                }
            }
            ExprKind::Matrix(MatrixOperation::Transpose, operands) => {
                self.typed(&operands[0], ty);
            }
            ExprKind::Texture(operation, operands) => {
                let expected = match operation {
                    TextureOperation::Store => Type::Void,
                    _ => Type::Vector(Scalar::U32, 4),
                };
                assert_eq!(*ty, expected);
                operands.iter().for_each(|operand| self.expr(operand));
            }
            ExprKind::Matrix(_, operands) => {
                let Type::Vector(of, count) = ty else {
                    panic!("no vector of sums: {expr:?}");
                };
                let (factors, sums) = operands.split_at(operands.len() - *count as usize);
                let factor = &factors[0].ty;
                // Bytes stand four in an integer.
                let words = [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::F64];
                let is_factor = |of: Scalar| of.is_half() || words.contains(&of);
                assert!(factor.scalar().is_some_and(is_factor));
                factors.iter().for_each(|value| self.typed(value, factor));
                let sum = Type::Scalar(*of);
                sums.iter().for_each(|value| self.typed(value, &sum));
            }
            ExprKind::BarrierVote(_, predicate) | ExprKind::Trap(Some(predicate)) => {
                self.typed(predicate, &BOOL);
            }
            ExprKind::MathTo {
                outputs,
                result,
                operand,
            } => {
                self.expr(operand);
                outputs.iter().for_each(|(_, pointer)| self.expr(pointer));
                assert!(result.is_none() || operand.ty == *ty);
            }
            ExprKind::Print { pieces, values } => {
                let formats = pieces.iter().filter_map(|piece| match piece {
                    PrintPiece::Value(format) => Some(format.conversion.words()),
                    PrintPiece::Text(_) => None,
                });
                let words: Vec<u32> = formats.collect();
                assert_eq!(words.len(), values.len());
                for (value, words) in values.iter().zip(words) {
                    self.expr(value);
                    assert_eq!(value.ty.size_bytes(), 4 * words, "{expr:?}");
                }
            }
            ExprKind::Trap(None) => assert_eq!(*ty, Type::Void),
            ExprKind::Clock => assert_eq!(*ty, Type::Scalar(Scalar::I64)),
            ExprKind::VirtualTable { .. } => assert_eq!(*ty, Type::Scalar(Scalar::U64)),
            ExprKind::Launch(_, values) => {
                let sizes = values.iter().map(|value| value.ty.size_bytes());
                assert_eq!(sizes.take(4).collect::<Vec<_>>(), [12, 12, 8, 8]);
                assert_eq!(*ty, Type::Void);
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Nothing(operands) | ExprKind::Order(_, operands) => {
                operands.iter().for_each(|operand| self.expr(operand))
            }
            ExprKind::Vector(components) => {
                let Type::Vector(of, lanes) = ty else {
                    panic!("not a vector: {expr:?}");
                };
                assert_eq!(components.len(), *lanes as usize);
                for component in components {
                    self.typed(component, &Type::Scalar(*of));
                }
            }
            ExprKind::Struct(parts) => {
                assert!(matches!(ty, Type::Struct(_)), "{expr:?}");
                parts.iter().for_each(|part| self.expr(part));
            }
            ExprKind::Member(object, at) => {
                self.expr(object);
                assert!(is_field(&object.ty, *at, ty), "{expr:?}");
            }
            ExprKind::Component(vector, at) => {
                self.expr(vector);
                assert!(matches!(vector.ty, Type::Vector(of, lanes)
                    if *at < lanes && *ty == Type::Scalar(of)));
            }
            ExprKind::Comma(a, b) => {
                self.expr(a);
                self.typed(b, ty);
            }
        }
    }

    fn binary(&self, expr: &Expr, op: tutor::cuda::BinaryOp, a: &Expr, b: &Expr) {
        use tutor::cuda::BinaryOp::{Shl, Shr};
        self.expr(a);
        self.expr(b);
        if matches!(op, Shl | Shr) {
            assert!(is_integer(&b.ty) && a.ty == expr.ty, "{expr:?}");
            return;
        }
        assert_eq!(a.ty, b.ty, "{expr:?}");
        let result = if op.is_comparison() { &BOOL } else { &a.ty };
        assert_eq!(expr.ty, *result, "{expr:?}");
        let is_half_pair = components(&a.ty).is_some_and(|(of, _)| of.is_half());
        let compares = op.is_comparison() && is_pointer(&a.ty);
        assert!(a.ty.scalar().is_some() || compares || is_half_pair);
    }

    fn assign_op(&self, expr: &Expr) {
        use tutor::cuda::BinaryOp::{Shl, Shr};
        let ExprKind::AssignOp {
            op,
            value,
            computed,
            ..
        } = &expr.kind
        else {
            return;
        };
        self.expr(value);
        match (op, is_pointer(&expr.ty)) {
            (Shl | Shr, _) | (_, true) => assert!(is_integer(&value.ty), "{expr:?}"),
            _ => assert_eq!(value.ty, *computed, "{expr:?}"),
        }
    }
}
