//! `int a[n][m]` of the host with lengths that are known at run time only, as GCC has them: a pointer to memory that is
//! given back when the function ends.

use crate::source::Span;

use crate::cuda::ast::{self, ExprKind as Written, Modifier, Variable};
use crate::cuda::resolve::{
    Checker, Facts, Operand, RuntimeArray, Side, Symbol, constant, convert, load, node, pointer,
    scalar,
};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, HostExpr, Initializer, LocalId, Scalar, Stmt, StmtKind, Storage,
    Struct, Type,
};

impl Checker {
    /// Such a variable; nothing for one of another type.
    pub fn array_of_runtime_length(
        &mut self,
        variable: &Variable,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<(LocalId, Option<Initializer>)>> {
        let values = match variable.init.as_ref().map(|init| &init.kind) {
            None => None,
            Some(Written::Braces(values)) => Some(&values[..]),
            Some(_) => return None,
        };
        // Kernels have no stack of a size that is known at run time only.
        if self.frame.side != Side::Host {
            return None;
        }
        let before = self.reports.mark();
        let lengths = self.runtime_lengths(variable);
        if lengths.is_empty() || values.is_some() && lengths.len() > 1 {
            self.reports.take_back(before);
            return None;
        }
        let made = self.runtime_array(variable, lengths, out);
        Some(made.and_then(|(local, array)| {
            let array = match values {
                Some(values) => self.with_values(local, array, values, out)?,
                None => array,
            };
            Some((local, Some(Initializer::Value(array))))
        }))
    }

    /// The memory of an array that begins with these values, and zeros behind them.
    fn with_values(
        &mut self,
        local: LocalId,
        array: Expr,
        values: &[ast::Expr],
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let (ty, span) = (array.ty.clone(), array.span);
        let (place, store) = self.frame.stored(array);
        let first = load(Operand::place(place, false));
        let of = self.frame.runtime_arrays.get(&local)?.clone();
        let zero = constant(scalar(Scalar::I32), 0, span);
        let cleared = vec![first.clone(), zero, of.bytes(0, span)];
        let mut all = vec![store, library("memset", cleared, span)];
        for (at, value) in values.iter().enumerate() {
            let value = self.value_of_type(value, &of.element)?;
            let at = constant(scalar(Scalar::I64), at as u64, span);
            let kind = ExprKind::PointerOffset(Box::new(first.clone()), Box::new(at));
            let Operand::Place { place, .. } =
                self.deref_value(node(kind, ty.clone(), span), span)?
            else {
                return None;
            };
            all.push(self.settle(value, &place));
        }
        let kinds = all.into_iter().map(StmtKind::Expr);
        out.extend(kinds.map(|kind| Stmt { kind, span }));
        Some(first)
    }

    fn runtime_array(
        &mut self,
        variable: &Variable,
        lengths: Vec<Expr>,
        out: &mut Vec<Stmt>,
    ) -> Option<(LocalId, Expr)> {
        let mut written = variable.ty.clone();
        let modifiers = written.modifiers.len();
        written.modifiers.truncate(modifiers - lengths.len());
        let (element, is_const) = self.resolve(&written, None, None)?;
        let (name, span) = (&variable.name.name, variable.name.span);
        // What a row of several dimensions is has no type here: `a + 1` is refused.
        let to = match lengths.len() {
            1 => element.clone(),
            _ => Type::Struct(Struct::declared(format!("row of {name}"))),
        };
        let lengths = lengths.into_iter();
        let array = RuntimeArray {
            lengths: lengths
                .map(|length| self.kept_length(length, out))
                .collect(),
            element,
            is_const,
        };
        let ty = pointer(to, is_const);
        let value = convert(allocated(array.bytes(0, span), span), &ty);
        let facts = Facts::default();
        let local = self.frame.local(name, ty, Storage::Thread, span, facts);
        self.frame.runtime_arrays.insert(local, array);
        Some((local, value))
    }

    /// The lengths of an array from the outermost to the last that only the run tells.
    fn runtime_lengths(&mut self, variable: &Variable) -> Vec<Expr> {
        let mut lengths = Vec::new();
        let mut known = 0;
        for modifier in variable.ty.modifiers.iter().rev() {
            let Modifier::Array(Some(length), _) = modifier else {
                break;
            };
            let Some(length) = self.value(length) else {
                break;
            };
            if !length.ty.scalar().is_some_and(Scalar::is_integer) {
                break;
            }
            let is_constant = matches!(length.kind, ExprKind::Constant(_));
            lengths.push(length);
            if !is_constant {
                known = lengths.len();
            }
        }
        lengths.truncate(known);
        lengths
    }

    /// A length as it is where the array is declared.
    fn kept_length(&mut self, length: Expr, out: &mut Vec<Stmt>) -> Expr {
        let length = convert(length, &scalar(Scalar::U64));
        let span = length.span;
        let (place, store) = self.frame.stored(length);
        let kind = StmtKind::Expr(store);
        out.push(Stmt { kind, span });
        load(Operand::place(place, false))
    }

    /// The array of such a type that an expression indexes, with the indices, the outermost first.
    fn indexed<'e>(
        &self,
        mut written: &'e ast::Expr,
    ) -> Option<(LocalId, &RuntimeArray, Vec<&'e ast::Expr>)> {
        let mut indices = Vec::new();
        while let Written::Index(base, index) = &written.kind {
            indices.push(&**index);
            written = base;
        }
        indices.reverse();
        let Written::Name(name) = &written.kind else {
            return None;
        };
        match self.names.find(name)?.symbol {
            Symbol::Local(id) => Some((id, self.frame.runtime_arrays.get(&id)?, indices)),
            _ => None,
        }
    }

    /// `a[i][j]` of an array of several dimensions; with fewer indices a pointer to where that row begins.
    pub fn runtime_element(&mut self, written: &ast::Expr) -> Option<Option<Operand>> {
        let (id, array, indices) = self.indexed(written)?;
        let dimensions = array.lengths.len();
        if dimensions < 2 || indices.is_empty() || indices.len() > dimensions {
            return None;
        }
        let array = array.clone();
        Some(self.element_of_runtime_array(id, &array, &indices, written.span))
    }

    fn element_of_runtime_array(
        &mut self,
        id: LocalId,
        array: &RuntimeArray,
        indices: &[&ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let wide = scalar(Scalar::I64);
        let mut offset = constant(wide.clone(), 0, span);
        for (at, length) in array.lengths.iter().enumerate() {
            let length = convert(length.clone(), &wide);
            offset = binary(BinaryOp::Mul, offset, length);
            if let Some(index) = indices.get(at) {
                let index = self.value(index)?;
                let index = self.coerce(index, &wide)?;
                offset = binary(BinaryOp::Add, offset, index);
            }
        }
        let ty = pointer(array.element.clone(), array.is_const);
        let first = convert(self.frame.load_local(id, span), &ty);
        let kind = ExprKind::PointerOffset(Box::new(first), Box::new(offset));
        let at = node(kind, ty, span);
        match indices.len() == array.lengths.len() {
            true => self.deref_value(at, span),
            false => Some(Operand::Value(at)),
        }
    }

    /// `sizeof` of such an array, or of a row of it.
    pub fn size_of_runtime_array(&self, written: &ast::Expr) -> Option<Expr> {
        let (_, array, indices) = self.indexed(written)?;
        (indices.len() < array.lengths.len()).then(|| array.bytes(indices.len(), written.span))
    }
}

impl RuntimeArray {
    /// The bytes of what so many indices lead to.
    fn bytes(&self, indices: usize, span: Span) -> Expr {
        let size = u64::from(self.element.size_bytes());
        let size = constant(scalar(Scalar::U64), size, span);
        let lengths = self.lengths[indices..].iter().cloned();
        lengths.fold(size, |all, length| binary(BinaryOp::Mul, all, length))
    }
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty.clone(), a.span);
    node(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
}

/// `alloca(bytes)`
fn allocated(bytes: Expr, span: Span) -> Expr {
    library("alloca", vec![bytes], span)
}

/// A function of the host's library that gives an address.
fn library(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let call = HostExpr::Library(name.to_owned(), arguments);
    let kind = ExprKind::Host(Box::new(call));
    node(kind, pointer(Type::Void, false), span)
}
