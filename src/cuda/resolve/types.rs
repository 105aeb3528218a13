//! Types as written, to types; members of types by their paths.

use crate::source::{Diagnostic, Span};

use super::checker::Checker;
use super::operand::{Operand, pointer, scalar};
use super::symbol::{Entry, Symbol};
use crate::cuda::ast::{Base, Expr, Modifier, Param, Path, Segment, TypeName};
use crate::cuda::resolve::constant as constant_expr;
use crate::cuda::typed::{self, ExprKind, FunctionType, Scalar, Type, arithmetic};

/// Most bytes that a variable of a thread may have.
// CUDA C++ Programming Guide, technical specifications: 512 KB of local memory a thread.
const MOST_LOCAL_BYTES: u64 = 512 * 1024;

/// Most bytes that a variable in global memory may have.
const MOST_GLOBAL_BYTES: u64 = 256 * 1024 * 1024;

/// Most bytes that a variable of the host may have.
const MOST_HOST_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Most bytes of static shared memory that CUDA gives a block.
pub const MOST_SHARED_BYTES: u64 = 48 * 1024;

/// A type, and whether values of it are `const`.
pub type Qualified = (Type, bool);

impl Checker {
    /// The type that `ty` names; `auto` stands for `deduced`, and a first `[]` for `length`.
    pub fn resolve(
        &mut self,
        ty: &TypeName,
        deduced: Option<Type>,
        length: Option<u32>,
    ) -> Option<Qualified> {
        let before = self.reports.mark();
        let found = self.resolve_modified(ty, deduced, length);
        match found {
            Some(found) if self.is_whole(&found.0) => Some(found),
            _ => {
                self.reports.require(before, ty.span);
                None
            }
        }
    }

    /// Reports `...` where no pack of a template is repeated.
    pub fn lone_pack<T>(&mut self, span: Span) -> Option<T> {
        let message = "`...` repeats nothing here: no parameter pack stands before it";
        self.error(span, message)
    }

    /// A type without the reference that it is, and whether that is `&&`. Of two references only `&&` of `&&` is
    /// that ([dcl.ref]).
    pub fn referred(&mut self, ty: &TypeName) -> (TypeName, Option<bool>) {
        let mut written = ty.clone();
        let mut reference = None;
        if let Some(Modifier::Reference { is_rvalue }) = written.modifiers.last() {
            reference = Some(*is_rvalue);
            written.modifiers.pop();
        }
        if let (Base::Named(path), true) = (&written.base, written.modifiers.is_empty())
            && let Some(is_rvalue) = self.named_reference(path)
        {
            reference = Some(is_rvalue && reference.unwrap_or(true));
        }
        (written, reference)
    }

    /// Whether a path names a reference, and then whether it is `&&`.
    fn named_reference(&mut self, path: &Path) -> Option<bool> {
        let found = match self.names.find_path(path) {
            Some(entry) => entry.symbol.clone(),
            None => {
                let before = self.reports.mark();
                let found = self.static_member(path).flatten();
                self.reports.take_back(before);
                found?.symbol
            }
        };
        match found {
            Symbol::Reference(_, _, is_rvalue) => Some(is_rvalue),
            _ => None,
        }
    }

    /// Whether no struct in a type was refused; one that was is reported.
    pub fn is_whole(&mut self, ty: &Type) -> bool {
        if self.types.refused.is_empty() {
            return true;
        }
        let mut inner = ty;
        while let Type::Array(to, _) | Type::Pointer { to, .. } = inner {
            inner = to;
        }
        let cause = match inner {
            Type::Struct(of) => self.types.refused.get(of.name()).cloned(),
            _ => None,
        };
        if let Some(cause) = &cause {
            self.reports.repeat_finally(cause);
        }
        cause.is_none()
    }

    fn resolve_modified(
        &mut self,
        ty: &TypeName,
        deduced: Option<Type>,
        length: Option<u32>,
    ) -> Option<Qualified> {
        let mut qualified = self.resolve_base(ty, deduced)?;
        // Modifiers are listed from the base outwards, so each wraps the type that was built before it.
        for (at, modifier) in ty.modifiers.iter().enumerate() {
            qualified = match modifier {
                // `const int* const p`: the second `const` is the pointer's, the first of what it points to.
                Modifier::Pointer { is_const, .. } => {
                    (pointer(qualified.0, qualified.1), *is_const)
                }
                Modifier::Function(params) => {
                    let before = ty.modifiers[..at].last();
                    let returns_reference = matches!(before, Some(Modifier::Reference { .. }));
                    self.function_of(qualified.0, returns_reference, params)?
                }
                // Of a function that is pointed to, what it returns.
                Modifier::Reference { .. }
                    if matches!(ty.modifiers.get(at + 1), Some(Modifier::Function(_))) =>
                {
                    (pointer(qualified.0, qualified.1), false)
                }
                Modifier::Expand => return self.lone_pack(ty.span),
                Modifier::Reference { .. } => return self.refuse(misplaced_reference(ty.span)),
                Modifier::Array(written, span) => {
                    // [dcl.array]: only the outermost length may be left out, as in `int a[][2] = {…}`.
                    let is_last = at + 1 == ty.modifiers.len();
                    let given = length.filter(|_| is_last);
                    let length = self.written_or_given(written.as_ref(), given, *span)?;
                    self.array_of(qualified, length, ty.span, *span)?
                }
            };
        }
        Some(qualified)
    }

    /// The length of an array: as written, or as its initialiser gives it.
    fn written_or_given(
        &mut self,
        written: Option<&Expr>,
        given: Option<u32>,
        span: Span,
    ) -> Option<u32> {
        match (written, given) {
            (Some(written), _) => self.array_length(written),
            (None, Some(length)) => Some(length),
            (None, None) => {
                let error = Diagnostic::error(span, "this array has no length");
                self.refuse(error.help("write its length between the brackets"))
            }
        }
    }

    /// A function that is pointed to.
    fn function_of(
        &mut self,
        returns: Type,
        returns_reference: bool,
        params: &[Param],
    ) -> Option<Qualified> {
        let passed = params.iter().map(|param| self.passed_type(&param.ty));
        let passed: Vec<Option<_>> = passed.collect();
        let passed = passed.into_iter().collect::<Option<Vec<_>>>()?;
        let (params, references) = passed.into_iter().unzip();
        let of = FunctionType {
            returns,
            returns_reference,
            params,
            references,
        };
        Some((Type::Function(Box::new(of)), false))
    }

    /// The type of what is passed for a parameter: of a reference, a pointer; and whether it is one, and then
    /// whether `&&`.
    fn passed_type(&mut self, written: &TypeName) -> Option<(Type, Option<bool>)> {
        let (mut written, reference) = self.referred(written);
        let is_reference = reference.is_some();
        let is_array = matches!(written.modifiers.last(), Some(Modifier::Array(..)));
        if is_array && !is_reference {
            written.modifiers.pop();
        }
        let (ty, is_const) = self.resolve(&written, None, None)?;
        let ty = match ty {
            ty if is_reference || is_array => pointer(ty, is_const),
            Type::Array(element, _) => pointer(*element, is_const),
            ty @ Type::Function(_) => pointer(ty, false),
            ty => ty,
        };
        Some((ty, reference))
    }

    /// The innermost part of a type.
    fn resolve_base(&mut self, ty: &TypeName, deduced: Option<Type>) -> Option<Qualified> {
        let base = match &ty.base {
            Base::Void => Type::Void,
            Base::Scalar(of) => scalar(*of),
            Base::Vector(of, lanes) => Type::Vector(*of, *lanes),
            Base::Refused => {
                self.reports.repeat_parser(ty.span);
                return None;
            }
            Base::Record(record) => self.record_in_place(record)?,
            Base::Enum(written) => self.enumeration_in_place(written)?,
            Base::Decltype(of) => match self.operand(of)? {
                Operand::Place { place, .. } => place.ty,
                Operand::Value(value) => value.ty,
            },
            Base::Named(path) => {
                let (named, is_const) = self.named_type(path)?;
                return Some((named, is_const || ty.is_const));
            }
            // `auto*` takes what the value points to ([dcl.type.auto.deduct]).
            Base::Auto => match deduced {
                Some(deduced) if ty.modifiers.is_empty() => deduced,
                Some(Type::Pointer { to, is_const }) => {
                    return Some((*to, is_const || ty.is_const));
                }
                _ => {
                    let error = Diagnostic::error(ty.span, "`auto` stands for no type here");
                    return self.refuse(error.help("write the type"));
                }
            },
        };
        Some((base, ty.is_const))
    }

    /// An array of so many; `span` is that of its brackets.
    fn array_of(
        &mut self,
        (element, is_const): Qualified,
        length: u32,
        whole: Span,
        span: Span,
    ) -> Option<Qualified> {
        if element == Type::Void {
            return self.error(whole, "there are no arrays of `void`");
        }
        // In 64 bits: the product of two 32-bit numbers may not fit into 32.
        let bytes = u64::from(element.size_bytes()) * u64::from(length);
        let most = match self.types.in_global_memory {
            true => MOST_GLOBAL_BYTES,
            false if self.host.is_program => MOST_HOST_BYTES,
            false => MOST_LOCAL_BYTES,
        };
        if bytes > most {
            let message = format!("this array has {bytes} bytes, more than fit");
            return self.refuse(Diagnostic::error(span, message));
        }
        Some((Type::Array(Box::new(element), length), is_const))
    }

    /// `sizeof` a type.
    pub fn size_of(&mut self, ty: &Type, span: Span) -> Option<typed::Expr> {
        match ty.size_bytes() {
            0 => self.error(span, format!("`{ty}` has no size")),
            bytes => Some(constant_expr(scalar(Scalar::U64), u64::from(bytes), span)),
        }
    }

    /// Whether a type has a size: a struct that is only declared has none, which is reported.
    pub fn has_size(&mut self, ty: &Type, span: Span) -> bool {
        let mut inner = ty;
        while let Type::Array(of, _) = inner {
            inner = of;
        }
        match inner {
            Type::Struct(of) if of.layout().is_none() => {
                let message = format!("`{}` is declared but not defined", of.name());
                let error = Diagnostic::error(span, message);
                self.report(error.help("define it before it is used"));
                false
            }
            _ => true,
        }
    }

    /// The type that a path names.
    fn named_type(&mut self, path: &Path) -> Option<Qualified> {
        let found = match self.static_member(path)? {
            Some(entry) => Some(entry.symbol),
            None => {
                let found = self.names.find_path(path).cloned();
                let symbol = found.as_ref().map(|entry| &entry.symbol);
                if let Some(Symbol::Host(_) | Symbol::Outer | Symbol::Refused(_)) = symbol {
                    self.known(&path.joined(), found, path.span)?;
                    return None;
                }
                found.map(|entry| entry.symbol)
            }
        };
        match found {
            Some(Symbol::TypeTemplate(template)) => {
                self.made_type(template, path).map(|ty| (ty, false))
            }
            Some(Symbol::Type(ty, is_const)) => match path.arguments() {
                Some(_) => self.no_template(&path.joined(), path.span),
                None => Some((ty, is_const)),
            },
            Some(Symbol::Reference(ty, is_const, _)) => Some((ty, is_const)),
            Some(Symbol::Refused(cause)) => {
                self.reports.repeat_finally(&cause);
                None
            }
            Some(_) => match self.names.find_hidden_type(&path.joined()) {
                Some((ty, is_const)) => Some((ty.clone(), is_const)),
                None => self.error(path.span, format!("`{}` is not a type", path.joined())),
            },
            None => {
                self.unknown_path(path);
                None
            }
        }
    }

    /// Whether what was read as a type with namespaces or structs before it is a function.
    pub fn names_function(&mut self, ty: &TypeName) -> bool {
        let Base::Named(path) = &ty.base else {
            return false;
        };
        if path.segments.len() < 2 || !ty.modifiers.is_empty() {
            return false;
        }
        let is_functions = |entry: &Entry| matches!(entry.symbol, Symbol::Functions(_));
        match self.static_member(path) {
            Some(None) => self.names.find_path(path).is_some_and(is_functions),
            Some(Some(entry)) => is_functions(&entry),
            None => false,
        }
    }

    fn array_length(&mut self, written: &Expr) -> Option<u32> {
        let value = self.constant_integer(written, "the length of an array")?;
        match u32::try_from(value) {
            Ok(length) if length > 0 => Some(length),
            _ => self.error(
                written.span,
                format!("the length of an array must be positive, not {value}"),
            ),
        }
    }

    /// The value of an integer that must be known before the kernel runs.
    pub fn constant_integer(&mut self, written: &Expr, what: &str) -> Option<i128> {
        let value = self.value(written)?;
        let Some(of) = value.ty.scalar().filter(|scalar| scalar.is_integer()) else {
            let message = format!("{what} must be an integer, not `{}`", value.ty);
            return self.error(written.span, message);
        };
        match value.kind {
            // In 128 bits, which hold every `long long` and every `unsigned long long`.
            ExprKind::Constant(bits) => Some(arithmetic::integer(of, bits)),
            _ => self.refuse(
                Diagnostic::error(written.span, format!("{what} must be a constant"))
                    .label("known only when the kernel runs")
                    .help("use a number, a `#define` or a `constexpr int`"),
            ),
        }
    }

    /// What a path stands for if it names a member of a type. Nothing at all if it names a type that
    /// has no such member, which is reported.
    pub fn static_member(&mut self, path: &Path) -> Option<Option<Entry>> {
        let (last, before) = path.segments.split_last()?;
        if before.is_empty() {
            return Some(None);
        }
        let ty = match self.type_at(path, before)? {
            Some(ty @ Type::Struct(_)) => ty,
            // A constant of an enumeration in a struct.
            Some(_) if before.len() > 1 => {
                let (name, outer) = before.split_last()?;
                let Some(ty) = self.type_at(path, outer)? else {
                    return Some(None);
                };
                let constant = format!("{}::{}", name.name.name, last.name.name);
                return Some(self.types.member(&ty, &constant));
            }
            _ => return Some(None),
        };
        match self.types.member(&ty, &last.name.name) {
            Some(entry) => Some(Some(entry)),
            None => {
                let message = format!("`{ty}` has no member `{}`", last.name.name);
                self.error(last.name.span, message)
            }
        }
    }

    /// The type that stands before the last name of a path; what is no type is reported.
    pub fn struct_before(&mut self, path: &Path) -> Option<Type> {
        let (_, before) = path.segments.split_last()?;
        let found = self.type_at(path, before)?;
        if found.is_none() {
            self.unknown_path(&beginning(path, before));
        }
        found
    }

    /// The type that the first names of a path stand for, if they stand for one. Nothing at all if
    /// something about them was reported.
    fn type_at(&mut self, path: &Path, segments: &[Segment]) -> Option<Option<Type>> {
        let prefix = beginning(path, segments);
        let found = match self.names.find_path(&prefix) {
            Some(entry) => Some(entry.symbol.clone()),
            None => self.static_member(&prefix)?.map(|entry| entry.symbol),
        };
        Some(match found {
            Some(Symbol::Type(ty, _) | Symbol::Reference(ty, ..)) => Some(ty),
            Some(Symbol::TypeTemplate(template)) => Some(self.made_type(template, &prefix)?),
            Some(Symbol::Refused(_) | Symbol::Host(_)) => {
                let found = self.names.find_path(&prefix).cloned();
                self.known(&prefix.joined(), found, path.span)?;
                None
            }
            _ => None,
        })
    }
}

/// The path of so many names at the beginning of one.
fn beginning(path: &Path, segments: &[Segment]) -> Path {
    Path {
        is_global: path.is_global,
        segments: segments.to_vec(),
        span: path.span,
    }
}

fn misplaced_reference(span: Span) -> Diagnostic {
    let error = Diagnostic::error(span, "a reference is not allowed here");
    error.help("references are parameters, variables and results")
}
