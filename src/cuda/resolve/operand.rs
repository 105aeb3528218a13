//! Operands: places and values in the making, and the conversions that need nothing else.

use crate::source::Span;

use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, MathFunction, Place, PlaceKind, Scalar, Type, arithmetic,
};

/// What an expression gives: a place, or only a value.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Something that can be assigned to or pointed at.
    Place {
        place: Place,
        is_const: bool,
        /// Whether nobody looks at it any more, as `std::move` says: what it holds may be taken.
        is_expiring: bool,
        /// What it holds, if that is known.
        value: Option<u64>,
    },
    /// A value.
    Value(Expr),
}

impl Operand {
    /// A place of whose value nothing is known.
    pub fn place(place: Place, is_const: bool) -> Self {
        Operand::Place {
            place,
            is_const,
            is_expiring: false,
            value: None,
        }
    }

    /// The place; nothing of a value.
    pub fn into_place(self) -> Option<Place> {
        match self {
            Operand::Place { place, .. } => Some(place),
            Operand::Value(_) => None,
        }
    }

    /// The same, as `std::move` gives it.
    pub fn expiring(self) -> Self {
        match self {
            Operand::Place {
                place, is_const, ..
            } => Operand::Place {
                place,
                is_const,
                is_expiring: true,
                value: None,
            },
            value => value,
        }
    }

    /// Whether it may be taken for `T&&`: what nobody looks at any more.
    pub fn is_rvalue(&self) -> bool {
        match self {
            Operand::Place { is_expiring, .. } => *is_expiring,
            Operand::Value(_) => true,
        }
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Operand::Place { place, .. } => place.span,
            Operand::Value(value) => value.span,
        }
    }

    /// Whether what it gives may not be changed.
    pub fn is_const(&self) -> bool {
        matches!(self, Operand::Place { is_const: true, .. })
    }

    /// The type of what it gives; arrays stay arrays.
    pub fn ty(&self) -> &Type {
        match self {
            Operand::Place { place, .. } => &place.ty,
            Operand::Value(expr) => &expr.ty,
        }
    }
}

/// An element of an array.
pub fn element_of(array: &Place, index: Expr, ty: Type) -> Place {
    let (kind, span) = (
        PlaceKind::Index(Box::new(array.clone()), Box::new(index)),
        array.span,
    );
    Place { kind, ty, span }
}

pub fn constant(ty: Type, bits: u64, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Constant(bits),
        ty,
        span,
    }
}

/// The value of an operand; arrays become pointers to their first elements.
pub fn load(operand: Operand) -> Expr {
    let (place, is_const, value) = match operand {
        Operand::Value(expr) => return expr,
        Operand::Place {
            place,
            is_const,
            value,
            ..
        } => (place, is_const, value),
    };
    let span = place.span;
    // [expr.const]: a variable whose value is known is that value: in `const int n = 4; int a[n];`.
    if let Some(bits) = value {
        return constant(place.ty, bits, span);
    }
    // [conv.func]: a function becomes a pointer to it.
    if let (Type::Function(_), PlaceKind::Deref(pointer)) = (&place.ty, &place.kind) {
        return (**pointer).clone();
    }
    if let Some(value) = chosen_value(&place) {
        return value;
    }
    match &place.ty {
        // [conv.array]: an array becomes a pointer to its first element.
        Type::Array(element, _) => Expr {
            ty: pointer((**element).clone(), is_const),
            kind: ExprKind::AddressOf(place),
            span,
        },
        ty => Expr {
            ty: ty.clone(),
            kind: ExprKind::Load(place),
            span,
        },
    }
}

/// What `c ? a : b` holds, where no more is wanted of the place: the variables need no addresses then.
pub fn chosen_value(place: &Place) -> Option<Expr> {
    let (PlaceKind::Deref(pointer), ty) = (&place.kind, &place.ty) else {
        return None;
    };
    let ExprKind::Conditional(c, a, b) = &pointer.kind else {
        return None;
    };
    let (ExprKind::AddressOf(a), ExprKind::AddressOf(b)) = (&a.kind, &b.kind) else {
        return None;
    };
    let is_value = matches!(
        ty,
        Type::Scalar(_) | Type::Pointer { .. } | Type::Vector(..)
    );
    // Each may be such a choice itself.
    let [a, b] = [a, b].map(|place| Box::new(load(Operand::place(place.clone(), false))));
    let kind = ExprKind::Conditional(c.clone(), a, b);
    is_value.then(|| node(kind, ty.clone(), place.span))
}

/// The value converted to `to`, without asking whether C++ would.
pub fn convert(expr: Expr, to: &Type) -> Expr {
    if expr.ty == *to {
        return expr;
    }
    let span = expr.span;
    // A constant stays one: what needs a constant, such as the length of an array, sees through conversions.
    if let (ExprKind::Constant(bits), Some(from), Some(scalar)) =
        (&expr.kind, expr.ty.scalar(), to.scalar())
        && let Some(bits) = arithmetic::convert(from, scalar, *bits)
    {
        return constant(to.clone(), bits, span);
    }
    // [conv.ptr]: the constant 0 is the null pointer of any type.
    if let (ExprKind::Constant(0), Type::Pointer { .. }) = (&expr.kind, to) {
        return constant(to.clone(), 0, span);
    }
    Expr {
        kind: ExprKind::Convert(Box::new(expr)),
        ty: to.clone(),
        span,
    }
}

/// The type in which arithmetic on `scalar` is done at least.
pub fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        // [conv.prom]: narrower integers compute as `int`. 16-bit floats do not: CUDA gives them their own operators.
        wide if wide.is_float() || wide.size_bytes() >= 4 => wide,
        _ => Scalar::I32,
    }
}

/// C++'s usual arithmetic conversions.
pub fn usual(a: Scalar, b: Scalar) -> Scalar {
    let (a, b) = (promoted(a), promoted(b));
    // The usual arithmetic conversions of [expr]: the stronger of the two, and of one width the unsigned one: `-1 < 1u` is false.
    let either = |scalar| a == scalar || b == scalar;
    if a == b {
        return a;
    }
    [
        Scalar::F64,
        Scalar::F32,
        Scalar::F16,
        Scalar::Bf16,
        Scalar::U64,
        Scalar::I64,
        Scalar::U32,
    ]
    .into_iter()
    .find(|&scalar| either(scalar))
    .unwrap_or(Scalar::I32)
}

/// The place whose address decayed, or that was loaded, for messages.
pub fn name_of<'a>(place: &Place, locals: &'a [crate::cuda::typed::Local]) -> Option<&'a str> {
    match &place.kind {
        PlaceKind::Local(id) => locals.get(*id).map(|local| local.name.as_str()),
        PlaceKind::Index(place, _)
        | PlaceKind::Component(place, _)
        | PlaceKind::Member(place, _) => name_of(place, locals),
        PlaceKind::File(_) => None,
        PlaceKind::Deref(pointer) => match &pointer.kind {
            ExprKind::Load(place) | ExprKind::AddressOf(place) => name_of(place, locals),
            // `p[i]` reads through `p`, moved by `i`: it is called `p`.
            ExprKind::PointerOffset(base, _) => match &base.kind {
                ExprKind::Load(place) | ExprKind::AddressOf(place) => name_of(place, locals),
                _ => None,
            },
            _ => None,
        },
    }
}

/// The address of a place.
pub fn address(place: Place, is_const: bool) -> Expr {
    Expr {
        ty: pointer(place.ty.clone(), is_const),
        span: place.span,
        kind: ExprKind::AddressOf(place),
    }
}

/// `a, b`
pub fn comma(a: Expr, b: Expr) -> Expr {
    let (ty, span) = (b.ty.clone(), b.span);
    node(ExprKind::Comma(Box::new(a), Box::new(b)), ty, span)
}

/// The same bytes as a place of another type.
pub fn place_as(place: Place, to: &Type, is_const: bool) -> Place {
    let span = place.span;
    let pointer = convert(address(place, is_const), &pointer(to.clone(), is_const));
    let (kind, ty) = (PlaceKind::Deref(Box::new(pointer)), to.clone());
    Place { kind, ty, span }
}

pub fn scalar(scalar: Scalar) -> Type {
    Type::Scalar(scalar)
}

pub fn pointer(to: Type, is_const: bool) -> Type {
    Type::Pointer {
        to: Box::new(to),
        is_const,
    }
}

/// The type of the elements of an array, through all its dimensions.
pub fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(element, _) => innermost(element),
        ty => ty,
    }
}

/// The types that an operation on numbers computes in, and takes its right side as.
pub fn operation_types(op: BinaryOp, left: Scalar, right: Scalar) -> (Scalar, Scalar) {
    match op.is_shift() {
        // [expr.shift]: each operand is promoted by itself: `1 << 4LL` and `c <<= 1L` are of type `int`.
        true => (promoted(left), promoted(right)),
        false => (usual(left, right), usual(left, right)),
    }
}

pub fn node(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub fn math(function: MathFunction, values: Vec<Expr>, result: Scalar, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Math(function, values),
        ty: scalar(result),
        span,
    }
}
