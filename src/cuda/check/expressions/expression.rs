//! Expressions: names, places, members, calls; operators are in `operators`.

use crate::source::{Diagnostic, Span};

use super::member::{AXES, coordinate};
use crate::cuda::ast::{self, Base, ExprKind as Written, PrefixOp, TypeName, TypeProperty};
use crate::cuda::builtin;
use crate::cuda::check::calls::pointed_function;
use crate::cuda::check::objects::is_reference;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Candidate, Checker, Entry, FUNCTION_OBJECT, Operand, Record, Side, Symbol, constant, load,
    name_of, pointer, scalar,
};
use crate::cuda::typed::{Expr, ExprKind, LayoutRules, Place, PlaceKind, Scalar, Struct, Type};

impl Checker {
    /// The value of an expression; arrays become pointers.
    pub fn value(&mut self, written: &ast::Expr) -> Option<Expr> {
        let operand = self.operand(written)?;
        Some(Expr {
            span: written.span,
            ..load(operand)
        })
    }

    /// An expression as a condition.
    pub fn condition(&mut self, written: &ast::Expr) -> Option<Expr> {
        // In `assert(n > 0 && "empty")` the string is an address, which is never null.
        if matches!(written.kind, Written::String(_)) {
            return Some(constant(scalar(Scalar::Bool), 1, written.span));
        }
        let value = self.value(written)?;
        // `if (a = b)` is warned of; `if ((a = b))` is how compilers are told that it is meant: its span
        // begins at the parenthesis.
        if let Written::Assign(None, at, to, _) = &written.kind
            && written.span.start == to.span.start
        {
            let warning = Diagnostic::warning(*at, "this assigns, and does not compare");
            self.report(warning.help("to compare, write `==`; else put it in parentheses"));
        }
        self.truth(value)
    }

    /// An expression, as a place where it is one.
    pub fn operand(&mut self, written: &ast::Expr) -> Option<Operand> {
        let before = self.reports.mark();
        match self.operand_unless_refused(written) {
            Some(found) if self.is_whole(found.ty()) => Some(found),
            _ => {
                self.reports.require(before, written.span);
                None
            }
        }
    }

    fn operand_unless_refused(&mut self, written: &ast::Expr) -> Option<Operand> {
        let span = written.span;
        match &written.kind {
            Written::Refused => None,
            Written::Name(name) => self.name(name, span),
            Written::Path(path) => self.path(path),
            Written::This => self.this_pointer(span).map(Operand::Value),
            Written::Call(callee, arguments) => self.call(callee, arguments, span),
            // The parser knows a name only by its last part: `A::Sum(x)` calls a function where another `Sum` is a type.
            Written::Construct(ty, arguments, false) if self.names_function(ty) => {
                let Base::Named(path) = &ty.base else {
                    return None;
                };
                let callee = ast::Expr::new(Written::Path(path.clone()), ty.span);
                self.call(&callee, arguments, span)
            }
            Written::Assign(op, place, to, value) => self.assignment(*op, *place, to, value, span),
            Written::Binary(op, place, a, b) => self.binary(*op, *place, a, b, span),
            Written::Prefix(PrefixOp::Deref, inner) => self.deref(inner, span),
            Written::Prefix(op, inner) => self.prefix(*op, inner, span),
            Written::Index(base, index) => match self.runtime_element(written) {
                Some(element) => element,
                None => self.index(base, index, span, false),
            },
            Written::Member(base, member, _) => self.member(base, member, span),
            Written::MemberOf(base, path) => self.member_of(base, path, span),
            Written::PostfixStep(inner, up) => self.step(inner, *up, false, span),
            Written::Conditional(c, a, b) => self.conditional(c, a, b, span),
            Written::Cast(kind, ty, inner) if is_reference(ty) => {
                self.reference_cast(*kind, ty, inner, span)
            }
            _ => match self.deduced_construction(written) {
                Some(call) => self.operand(&call),
                None => self.pure_value(written).map(Operand::Value),
            },
        }
    }

    /// The type that `sizeof` is asked about.
    fn type_for_size(&mut self, written: &ast::Expr) -> Option<Type> {
        match &written.kind {
            Written::SizeOfType(ty) => self.plain_type(ty),
            // [expr.sizeof]: only the type counts: nothing is computed, and an array does not become a pointer.
            Written::SizeOfExpr(inner) => Some(self.operand(inner)?.ty().clone()),
            _ => None,
        }
    }

    fn size(&mut self, written: &ast::Expr, span: Span) -> Option<Expr> {
        if let Written::SizeOfExpr(inner) = &written.kind
            && let Some(size) = self.size_of_runtime_array(inner)
        {
            return Some(size);
        }
        let ty = self.type_for_size(written)?;
        self.size_of(&ty, span)
    }

    /// An expression that is never a place.
    fn pure_value(&mut self, written: &ast::Expr) -> Option<Expr> {
        let span = written.span;
        match &written.kind {
            Written::Lambda(lambda) => self.lambda(lambda, span),
            Written::OfType(property, ty) => {
                let ty = self.plain_type(ty)?;
                Some(self.property(*property, &ty, span))
            }
            Written::Literal(literal) => Some(constant(scalar(literal.scalar), literal.bits, span)),
            Written::String(text) => self.text(text, span),
            Written::Launch(kernel, config, arguments) => {
                self.launch(kernel, config, arguments, span)
            }
            // `nullptr` is taken as a `void*` that converts to every pointer.
            Written::Null => Some(constant(pointer(Type::Void, false), 0, span)),
            Written::Logical(is_or, a, b) => self.logical(*is_or, a, b, span),
            Written::New(new) => self.new_expression(new, span),
            Written::Delete(pointer, is_array) => self.delete_expression(pointer, *is_array, span),
            Written::Throw(value) => self.throw_expression(value.as_deref(), span),
            Written::Comma(a, b) => self.comma(a, b, span),
            Written::Cast(kind, ty, inner) => self.written_cast(*kind, ty, inner, span),
            Written::Construct(ty, values, with_braces) => {
                let ty = self.plain_type(ty)?;
                self.construct(&ty, values, *with_braces, span)
            }
            Written::TypeId(ty) => self.type_info(ty, span),
            Written::SizeOfType(_) | Written::SizeOfExpr(_) => self.size(written, span),
            Written::Braces(_) => self.error(span, "braces can only initialise a variable"),
            Written::Designated(..) => self.error(span, "a name in braces needs a struct"),
            Written::Expand(_) | Written::Ellipsis | Written::SizeOfPack(_) => self.lone_pack(span),
            // What may be a place was looked at as one.
            _ => None,
        }
    }

    /// What is asked of a type.
    fn property(&self, property: TypeProperty, ty: &Type, span: Span) -> Expr {
        let (of, value) = match property {
            TypeProperty::AlignBytes => (Scalar::U64, u64::from(ty.align_bytes())),
            // [basic.types]: what may be copied as bytes, and needs no end.
            TypeProperty::IsTriviallyCopyable => {
                (Scalar::Bool, u64::from(!self.types.is_by_address(ty)))
            }
        };
        constant(scalar(of), value, span)
    }

    /// [expr.comma]: the left value is dropped, the right one is the result.
    fn comma(&mut self, a: &ast::Expr, b: &ast::Expr, span: Span) -> Option<Expr> {
        let (a, b) = (self.discarded(a), self.value(b));
        let (a, b) = (a?, b?);
        let ty = b.ty.clone();
        let kind = ExprKind::Comma(Box::new(a), Box::new(b));
        Some(Expr { kind, ty, span })
    }

    fn written_cast(
        &mut self,
        kind: ast::CastKind,
        ty: &ast::TypeName,
        inner: &ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let to = self.plain_type(ty);
        if let Some(to @ Type::Struct(_)) = &to {
            return self.construct(to, std::slice::from_ref(inner), false, span);
        }
        if let Some(of) = to.as_ref().and_then(pointed_function)
            && self.frame.side != Side::Gpu
            && let Some(function) = self.function_of_type(inner, &of.clone())
        {
            return Some(function);
        }
        let value = self.value(inner)?;
        if kind == ast::CastKind::Dynamic {
            self.only_on_host("run-time types are", span)?;
            return self.dynamic_cast(value, &to?, span);
        }
        self.cast(kind, value, &to?, span)
    }

    /// An expression whose value nobody uses.
    pub fn discarded(&mut self, written: &ast::Expr) -> Option<Expr> {
        match &written.kind {
            // `(void)x` tells compilers that `x` is meant to be unused.
            Written::Cast(ast::CastKind::Plain | ast::CastKind::Static, ty, inner)
                if matches!(ty.base, ast::Base::Void) && ty.modifiers.is_empty() =>
            {
                self.value(inner)
            }
            _ => {
                let span = written.span;
                let operand = self.operand(written)?;
                let value = self.of_effect(operand);
                Some(Expr { span, ..value })
            }
        }
    }

    pub fn plain_type(&mut self, ty: &TypeName) -> Option<Type> {
        self.resolve(ty, None, None).map(|(ty, _)| ty)
    }

    fn name(&mut self, name: &Name, span: Span) -> Option<Operand> {
        let found = self.names.find(name).cloned();
        let found = self.known(name, found, span)?;
        match found {
            Some(entry) => self.symbol(name, entry, span),
            None => self.builtin_name(name, span),
        }
    }

    /// A name with namespaces or template arguments, as a value.
    fn path(&mut self, path: &ast::Path) -> Option<Operand> {
        if let Some(Symbol::VariableTemplate(template)) =
            self.names.find_path(path).map(|entry| entry.symbol.clone())
        {
            return self.made_constant(template, path).map(Operand::Value);
        }
        let name: Name = path.joined().into();
        let found = match self.static_member(path)? {
            Some(entry) => Some(entry),
            None => self.names.find_path(path).cloned(),
        };
        match self.known(&name, found, path.span)? {
            Some(entry) => match (&entry.symbol, path.arguments()) {
                (Symbol::Functions(candidates), Some(written)) => {
                    let (candidates, declared) = (candidates.clone(), entry.span);
                    self.function_with_arguments(&candidates, written, declared, path.span)
                }
                _ => self.symbol(&name, entry, path.span),
            },
            None => {
                self.unknown_path(path);
                None
            }
        }
    }

    fn symbol(&mut self, name: &Name, entry: Entry, span: Span) -> Option<Operand> {
        match Some((entry.symbol, entry.span)) {
            Some((Symbol::Local(id), _)) => Some(self.frame.local_operand(id, span)),
            Some((Symbol::Constant(ty, bits), _)) => Some(Operand::Value(constant(ty, bits, span))),
            Some((Symbol::DynamicShared(ty), declared)) => {
                Some(self.frame.dynamic_shared(name, ty, declared, span))
            }
            Some((Symbol::File(id, is_const), _)) => self.file_place(id, is_const, span),
            // [`Checker::known`] has reported these.
            Some((Symbol::Refused(_) | Symbol::Host(_) | Symbol::Outer, _)) => None,
            Some((Symbol::VariableTemplate(_), _)) => self.error(
                span,
                format!("`{name}` needs template arguments, `{name}<…>`"),
            ),
            Some((Symbol::Type(..) | Symbol::Reference(..), declared)) => self.refuse(
                Diagnostic::error(span, format!("`{name}` is a type, not a value"))
                    .also(declared, "declared here"),
            ),
            Some((Symbol::Field(field), _)) => self.own_field(&[field], span),
            Some((Symbol::BaseField(path), _)) => self.own_field(&path, span),
            Some((Symbol::Bits(way, bits), _)) => {
                let word = self.own_field(&way, span)?;
                Some(Operand::Value(bits.read(load(word), span)))
            }
            Some((Symbol::Captured(field), _)) => self.captured_value(field, span),
            Some((Symbol::CapturedReference(field), _)) => self.captured_reference(field, span),
            Some((Symbol::TypeTemplate(_), declared)) => {
                let message = format!("`{name}` is a template of types, not a value");
                self.refuse(Diagnostic::error(span, message).also(declared, "declared here"))
            }
            Some((Symbol::Functions(candidates), _)) if self.frame.side != Side::Gpu => {
                self.function_value(&candidates, None, span)
            }
            Some((Symbol::Functions(candidates), declared)) => Some(Operand::Value(
                self.function_object(name, candidates, declared, span),
            )),
            None => None,
        }
    }

    /// `f<int>`, the function that a template makes, as a value.
    fn function_with_arguments(
        &mut self,
        candidates: &[Candidate],
        written: &[ast::TemplateArgument],
        declared: Span,
        span: Span,
    ) -> Option<Operand> {
        if self.frame.side != Side::Gpu {
            return self.function_value(candidates, Some(written), span);
        }
        let index = self.instance_by_arguments(candidates, written, span)?;
        let name = self.functions.signatures[index].name.clone();
        let chosen = vec![Candidate::Function(index)];
        Some(Operand::Value(
            self.function_object(&name, chosen, declared, span),
        ))
    }

    /// A function as a value in a kernel: an object without fields, of a type of its own, that can be called. So a
    /// template that gets it is made for it, as nvcc makes it once it has put the calls in.
    fn function_object(
        &mut self,
        name: &Name,
        candidates: Vec<Candidate>,
        declared: Span,
        span: Span,
    ) -> Expr {
        let called = format!("{name}{FUNCTION_OBJECT}");
        let ty = match self.types.named(&called) {
            Some(known) => known,
            None => {
                let ty = Struct::declared(called);
                ty.define(Vec::new(), &LayoutRules::default());
                let entry = Entry {
                    symbol: Symbol::Functions(candidates),
                    span: declared,
                    item: 0,
                };
                let mut record = Record::declared(ty.clone(), self.names.file_context());
                record.members.insert("operator()".into(), entry);
                self.types.add(record);
                ty
            }
        };
        let ty = Type::Struct(ty);
        let kind = ExprKind::Struct(Vec::new());
        Expr { kind, ty, span }
    }

    fn builtin_name(&mut self, name: &Name, span: Span) -> Option<Operand> {
        if self.frame.side == Side::Host
            && matches!(&**name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
        {
            let function = self.frame.function.name.clone();
            return self.text(&function, span).map(Operand::Value);
        }
        if let Some((of, bits)) = builtin::constant(name) {
            return Some(Operand::Value(constant(scalar(of), bits, span)));
        }
        // `uint3 t = threadIdx;` takes all three.
        if let Some(which) = coordinate(name) {
            let u32 = scalar(Scalar::U32);
            let axes = AXES.map(|axis| Expr {
                kind: ExprKind::Coordinate(which, axis),
                ty: u32.clone(),
                span,
            });
            return Some(Operand::Value(Expr {
                kind: ExprKind::Vector(axes.into()),
                ty: Type::Vector(Scalar::U32, 3),
                span,
            }));
        }
        if let Some(value) = self.builtin_value(name, span) {
            return Some(value);
        }
        if builtin::is_function(name) {
            return self.refuse(
                Diagnostic::error(span, format!("`{name}` is a function, not a value"))
                    .help(format!("call it: `{name}(…)`, or pass a lambda that does")),
            );
        }
        self.unknown(name, span, false);
        None
    }

    fn deref(&mut self, inner: &ast::Expr, span: Span) -> Option<Operand> {
        let operand = self.operand(inner)?;
        if matches!(operand.ty(), Type::Struct(_))
            && let Some(pointed) = self.pointed_by_object(&operand, span)
        {
            return pointed;
        }
        if let Some(pointer) = self.pointer_of_object(&operand, inner.span) {
            return self.deref_value(pointer?, span);
        }
        let value = Expr {
            span: inner.span,
            ..load(operand)
        };
        self.deref_value(value, span)
    }

    pub fn deref_value(&mut self, value: Expr, span: Span) -> Option<Operand> {
        match value.ty.clone() {
            Type::Pointer { to, .. } if *to == Type::Void => self.refuse(
                Diagnostic::error(span, "`void*` cannot be read or written through")
                    .help("convert it to a pointer to a type: `(float*)p`"),
            ),
            Type::Pointer { to, .. } if !self.has_size(&to, span) => None,
            Type::Pointer { to, is_const } => Some(Operand::Place {
                place: Place {
                    kind: PlaceKind::Deref(Box::new(value)),
                    ty: *to,
                    span,
                },
                is_const,
                is_expiring: false,
                value: None,
            }),
            ty => self.error(span, format!("`{ty}` is neither a pointer nor an array")),
        }
    }

    /// `object[index]` by the class's `operator[]`.
    fn index_object(
        &mut self,
        object: Operand,
        object_span: Span,
        index: Expr,
        span: Span,
    ) -> Option<Operand> {
        let message = format!(
            "`{}` cannot be indexed: it has no `operator[]`",
            object.ty()
        );
        let operands = [object, Operand::Value(index.clone())];
        if let Some(called) = self.own_operator("[]", &operands, object_span, span) {
            return called;
        }
        match self.pointer_of_object(&operands[0], object_span) {
            Some(pointer) => self.index_pointer(Operand::Value(pointer?), object_span, index, span),
            None => self.error(object_span, message),
        }
    }

    /// The operand of `&`: `&a[n]` of an array of `n` elements is its end, which has an address ([expr.add]).
    pub fn addressed(&mut self, written: &ast::Expr) -> Option<Operand> {
        match &written.kind {
            Written::Index(base, index) => match self.runtime_element(written) {
                Some(element) => element,
                None => self.index(base, index, written.span, true),
            },
            _ => self.operand(written),
        }
    }

    /// An element, or the end of an array where that may be meant.
    fn index(
        &mut self,
        base: &ast::Expr,
        index: &ast::Expr,
        span: Span,
        may_be_end: bool,
    ) -> Option<Operand> {
        let base_operand = self.operand(base);
        let index_value = self.value(index);
        let (base_operand, index_value) = (base_operand?, index_value?);
        if let Type::Struct(_) = base_operand.ty() {
            return self.index_object(base_operand, base.span, index_value, span);
        }
        if !index_value.ty.scalar().is_some_and(Scalar::is_integer) {
            return self.refuse_index(&index_value.ty, index.span);
        }
        match base_operand {
            Operand::Place {
                place,
                is_const,
                value: None,
                ..
            } if matches!(place.ty, Type::Array(..)) => {
                let element = self.element(place, index_value, may_be_end, span)?;
                Some(Operand::Place {
                    value: self.known_element(&element, is_const),
                    place: element,
                    is_const,
                    is_expiring: false,
                })
            }
            operand => self.index_pointer(operand, base.span, index_value, span),
        }
    }

    /// An element of an array, which stays one here: its length is known, and an index outside of it can be warned of.
    fn element(
        &mut self,
        array: Place,
        index: Expr,
        may_be_end: bool,
        span: Span,
    ) -> Option<Place> {
        let Type::Array(element, length) = array.ty.clone() else {
            return None;
        };
        let last = i64::from(length) - i64::from(!may_be_end);
        self.warn_outside(&array, length, last, &index);
        let kind = PlaceKind::Index(Box::new(array), Box::new(index));
        let ty = *element;
        Some(Place { kind, ty, span })
    }

    fn refuse_index<T>(&mut self, ty: &Type, at: Span) -> Option<T> {
        let message = format!("an index must be an integer, not `{ty}`");
        let error = Diagnostic::error(at, message);
        self.refuse(match ty.scalar() {
            Some(_) => error.help("convert it: `(int)`"),
            None => error,
        })
    }

    /// [expr.sub]: `p[i]` is `*(p + i)`.
    fn index_pointer(
        &mut self,
        base: Operand,
        at: Span,
        index: Expr,
        span: Span,
    ) -> Option<Operand> {
        let pointer = Expr {
            span: at,
            ..load(base)
        };
        if !matches!(pointer.ty, Type::Pointer { .. }) {
            let message = format!("`{}` cannot be indexed", pointer.ty);
            let error = Diagnostic::error(at, message);
            return self.refuse(error.label("neither a pointer nor an array"));
        }
        let ty = pointer.ty.clone();
        let kind = ExprKind::PointerOffset(Box::new(pointer), Box::new(index));
        self.deref_value(Expr { kind, ty, span }, span)
    }

    /// Warns of an index behind the `last` one that an array of some length has.
    fn warn_outside(&mut self, array: &Place, length: u32, last: i64, index: &Expr) {
        let (ExprKind::Constant(bits), true) = (&index.kind, length > 0) else {
            return;
        };
        let at = *bits as i64;
        if at < 0 || at > last {
            let name = name_of(array, &self.frame.locals).unwrap_or("the array");
            let message = format!("index {at} is outside `{name}`, which has {length} elements");
            let span = index.span;
            self.report(Diagnostic::warning(span, message));
        }
    }
}
