//! The loads, stores and atomic operations that a text writes, and what is put around them.

use crate::compile::access_widths;
use crate::cuda::{Expr, ExprKind, Function, FunctionId, Local, Place, PlaceKind, Program, Type};
use crate::gpu::instrument::insertion::InsertionPoints;
use crate::gpu::instrument::rewrite::{Findings, Original, Refused};
use crate::gpu::instrument::walk::{
    every_expression, is_kept_by_lambda, is_memory, outermost, pointer_to,
};
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::source::{Diagnostic, SourceFile, Span};

/// What is put before the text.
const HEAD: &str = include_str!("accesses.cuh");

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessAction {
    Load,
    Store,
    Atomic,
}

/// An access of the source: what one set of counters counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CounterSite {
    /// The expression.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
    pub action: AccessAction,
    /// Bytes of what one lane moves.
    pub width_bytes: u32,
    /// Bytes of a scalar of it.
    pub scalar_bytes: u32,
}

/// How the access is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenAs {
    /// As the place itself: `x[i]`.
    Place,
    /// As a pointer to it: `x + i` in `__ldg(x + i)`.
    Pointer,
}

/// An access that was found, before all are.
struct FoundAccess<'a> {
    function: FunctionId,
    /// What the text goes around.
    around: Span,
    written_as: WrittenAs,
    site: Span,
    actions: Vec<AccessAction>,
    ty: &'a Type,
    /// What is accessed, to tell two accesses of one text from one access.
    target: AccessTarget<'a>,
}

#[derive(PartialEq)]
enum AccessTarget<'a> {
    Place(&'a Place),
    Pointer(&'a Expr),
}

/// All accesses of some functions.
#[derive(Default)]
pub(super) struct FoundAccesses {
    pub sites: Vec<CounterSite>,
    pub wraps: Vec<Wrap>,
    /// Accesses that are left as they are, and why.
    pub skipped: Vec<Diagnostic>,
}

impl Findings for FoundAccesses {
    fn wraps(&self) -> &[Wrap] {
        &self.wraps
    }

    fn head(&self) -> String {
        format!(
            "constexpr int tutor_counters = {};\n{HEAD}",
            self.sites.len()
        )
    }
}

/// Finds the accesses of the functions that run.
pub(super) fn find_accesses(original: &Original, refused: &Refused) -> FoundAccesses {
    let mut all = Vec::new();
    for &id in &original.functions {
        let mut finder = AccessFinder {
            program: &original.program,
            function: &original.program.functions[id],
            id,
            insertion: &original.insertion,
            found: &mut all,
        };
        // The operands of an access are accesses too: `x[index[i]]` has two.
        every_expression(&finder.function.body, &mut |expr| finder.expression(expr));
    }
    // By place, outer ones behind what they begin with, so that those of one text are neighbours.
    all.sort_by_key(|found| (found.around.start, found.around.end));
    let mut result = FoundAccesses::default();
    // What several functions have at one place of the text, as instances of a template, is one access.
    for group in all.chunk_by(|a, b| a.around == b.around) {
        // Only the first is put into the text: all of the group are that text.
        match result.treatment(group, &original.insertion, refused) {
            Treatment::Count => result.add(&group[0], &original.source.file),
            Treatment::Skip(why) => result.skipped.push(skipped(group[0].site, why)),
            Treatment::Leave => {}
        }
    }
    for &id in &original.functions {
        every_expression(&original.program.functions[id].body, &mut |expr| {
            if is_made_by_header(&original.program, expr) {
                let why = "a function of a header of CUDA's makes it";
                result.skipped.push(skipped(expr.span, why));
            }
        });
    }
    result
}

/// What becomes of an access.
enum Treatment {
    Count,
    /// It is not counted, and this is said.
    Skip(&'static str),
    /// It is none that the text writes.
    Leave,
}

/// Whether a place lies behind a pointer that is no reference and not the function's own object.
fn goes_elsewhere(function: &Function, place: &Place) -> bool {
    let is_own = |pointer: &Local| pointer.is_reference || pointer.name == "this";
    matches!(outermost(place).kind, PlaceKind::Deref(_))
        && !pointer_to(function, place).is_some_and(is_own)
}

/// Whether it calls a function of a header that accesses memory.
fn is_made_by_header(program: &Program, expr: &Expr) -> bool {
    let ExprKind::Call(callee, _) = expr.kind else {
        return false;
    };
    let function = &program.functions[callee];
    let mut accesses = false;
    // References are those of the caller's variables, and the object is its own: neither is memory that
    // only the header's function knows.
    // A header's function that calls another accesses what that does.
    if function.is_library {
        every_expression(&function.body, &mut |expr| {
            accesses |= is_made_by_header(program, expr);
            accesses |= match &expr.kind {
                ExprKind::Load(place) => goes_elsewhere(function, place),
                ExprKind::Assign(place, _) => goes_elsewhere(function, place),
                _ => false,
            };
        });
    }
    accesses
}

/// Whether a member is written that begins with what stands in parentheses behind it: `x(1)` of
/// `Point() : x(1) {}`. A constructor begins a member of what its caller then moves.
fn is_member_initializer(found: &FoundAccess, insertion: &InsertionPoints) -> bool {
    let behind = insertion.behind(found.around.end);
    found.actions == [AccessAction::Store]
        && found.written_as == WrittenAs::Place
        && matches!(behind, "(" | "{")
}

/// Whether only the array is written, not its index: `row` of `for (float x : row)`.
fn is_of_range(found: &FoundAccess) -> bool {
    let AccessTarget::Place(place) = found.target else {
        return false;
    };
    // The index of a range-based `for` has no text of its own: its place is the array's.
    matches!(&place.kind, PlaceKind::Index(base, _) if base.span == place.span)
}

fn skipped(site: Span, why: &str) -> Diagnostic {
    let message = "this access is not counted on the device";
    Diagnostic::warning(site, message).note(why)
}

/// Whether all are the same access, in one function or in several made from the same text.
fn is_one(group: &[FoundAccess]) -> bool {
    let first = &group[0];
    group.iter().all(|found| {
        let alike = found.written_as == first.written_as && found.actions == first.actions;
        // Of one function, `a[i] = a[i]` made by a macro has two accesses at one place; of two instances of a template
        // it is one.
        alike && (found.function != first.function || found.target == first.target)
    })
}

/// Whether a value is moved in pieces as large as its alignment, without gaps: that is how the device's
/// text counts it, 16 bytes at most at a time.
fn is_even(ty: &Type) -> bool {
    let piece = ty.align_bytes().min(16);
    // A `float3` is even, in three pieces of 4 bytes; a struct of a `char` and an `int` has a gap and is not.
    let widths = access_widths(ty);
    let fits = widths.iter().enumerate();
    let mut fits = fits.map(|(at, &(offset, width))| width == piece && offset == at as u32 * piece);
    fits.all(|fits| fits) && widths.len() as u32 * piece == ty.size_bytes()
}

fn scalar_bytes(ty: &Type) -> u32 {
    match ty {
        Type::Vector(scalar, _) | Type::Scalar(scalar) => scalar.size_bytes(),
        Type::Array(element, _) => scalar_bytes(element),
        Type::Struct(of) => {
            let fields = of.fields().iter().map(|field| scalar_bytes(&field.ty));
            fields.min().unwrap_or(1)
        }
        Type::Pointer { .. } => 8,
        Type::Void | Type::Function(_) => 1,
    }
}

impl FoundAccesses {
    /// What becomes of the accesses at one place of the text.
    fn treatment(
        &self,
        group: &[FoundAccess],
        insertion: &InsertionPoints,
        refused: &Refused,
    ) -> Treatment {
        let first = &group[0];
        let mut wraps = self.wraps.iter();
        // Two pieces of text that overlap without one holding the other cannot both be wrapped.
        let crosses = wraps.any(|wrap| cross(wrap.span, first.around));
        if crosses || !insertion.fits(first.around) {
            Treatment::Skip("it is made by a macro")
        } else if refused.contains(first.around) {
            Treatment::Skip("it is part of what a macro makes")
        } else if matches!(first.ty, Type::Array(..)) {
            Treatment::Skip("it moves an array")
        } else if is_member_initializer(first, insertion) {
            Treatment::Leave
        } else if is_of_range(first) && !insertion.ends_in_macro(first.around) {
            Treatment::Skip("it takes the elements of a range")
        } else if !is_one(group) {
            Treatment::Skip("several accesses stand at one place of the text")
        } else if !group.iter().all(|found| is_even(found.ty)) {
            Treatment::Skip("it moves in pieces that are not as large as its alignment")
        } else {
            Treatment::Count
        }
    }

    fn add(&mut self, found: &FoundAccess, file: &SourceFile) {
        let first = self.sites.len();
        self.sites
            .extend(found.actions.iter().map(|&action| CounterSite {
                span: found.site,
                line: file.line(found.site.start),
                action,
                width_bytes: found.ty.size_bytes(),
                scalar_bytes: scalar_bytes(found.ty),
            }));
        use AccessAction::{Atomic, Load, Store};
        let function = match (&found.actions[..], found.written_as) {
            ([Load], WrittenAs::Place) => "@load",
            ([Store], WrittenAs::Place) => "@store",
            ([Load], WrittenAs::Pointer) => "@load_at",
            ([Store], WrittenAs::Pointer) => "@store_at",
            ([Atomic], _) => "@atomic",
            // `x[i] += 1` is a load and a store by one place: one function does both, so that the place is evaluated
            // once.
            _ => "@update",
        };
        let numbers = (first..self.sites.len()).map(|site| site.to_string());
        let numbers = numbers.collect::<Vec<_>>().join(", ");
        // `asm("…" : : "r"(x[i]))`: the parentheses of the operand stay where they must stand.
        let has_parentheses = file.slice(found.around).starts_with('(');
        let (open, close) = if has_parentheses {
            ("(", ")")
        } else {
            ("", "")
        };
        self.wraps.push(Wrap {
            span: found.around,
            before: format!("{open}{function}<{numbers}>("),
            behind: format!("){close}"),
        });
    }
}

struct AccessFinder<'f, 'a> {
    program: &'a Program,
    function: &'a Function,
    id: FunctionId,
    insertion: &'f InsertionPoints<'f>,
    found: &'f mut Vec<FoundAccess<'a>>,
}

impl<'a> AccessFinder<'_, 'a> {
    fn expression(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Load(place) => self.place(place, &[AccessAction::Load], expr.span),
            ExprKind::Assign(place, _) => self.place(place, &[AccessAction::Store], expr.span),
            ExprKind::AssignOp { place, .. } | ExprKind::Step { place, .. } => {
                self.place(place, &[AccessAction::Load, AccessAction::Store], expr.span);
            }
            ExprKind::Atomic { pointer, .. } => {
                self.pointer(pointer, AccessAction::Atomic, expr.span, &expr.ty);
            }
            // `sincosf(x, &s, &c)` stores twice.
            ExprKind::MathTo { outputs, .. } => {
                // Each output is a pointer: the place behind it has no text.
                for (_, pointer) in outputs {
                    if let Type::Pointer { to, .. } = &pointer.ty {
                        self.pointer(pointer, AccessAction::Store, pointer.span, to);
                    }
                }
            }
            _ => {}
        }
    }

    /// A place that `whole` loads from or stores to.
    fn place(&mut self, place: &'a Place, actions: &[AccessAction], whole: Span) {
        if !is_memory(self.program, self.function, place) || is_kept_by_lambda(self.function, place)
        {
            return;
        }
        let (mut around, mut written_as) = (place.span, WrittenAs::Place);
        // `x[i] += 1` writes the place itself, however the pointer is made.
        if let (PlaceKind::Deref(pointer), [_]) = (&place.kind, actions) {
            // `__ldg(p)` and `__stcg(p, v)`: the typed program has a place `*p`, the text has only `p`.
            let is_load = pointer.span != place.span && self.insertion.is_call(place.span);
            let is_store = whole.start < place.span.start && self.insertion.is_call(whole);
            if is_load || actions == [AccessAction::Store] && is_store {
                (around, written_as) = (pointer.span, WrittenAs::Pointer);
            }
        }
        self.found.push(FoundAccess {
            function: self.id,
            around,
            written_as,
            site: place.span,
            actions: actions.to_vec(),
            ty: &place.ty,
            target: AccessTarget::Place(place),
        });
    }

    fn pointer(&mut self, pointer: &'a Expr, action: AccessAction, site: Span, ty: &'a Type) {
        self.found.push(FoundAccess {
            function: self.id,
            around: pointer.span,
            written_as: WrittenAs::Pointer,
            site,
            actions: vec![action],
            ty,
            target: AccessTarget::Pointer(pointer),
        });
    }
}
