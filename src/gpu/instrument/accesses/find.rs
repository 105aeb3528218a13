//! The loads, stores and atomic operations that a text writes, and what is put around them.

use crate::compile::{access_widths, expressions};
use crate::cuda::{Expr, ExprKind, Function, FunctionId, Place, PlaceKind, Program, Type};
use crate::gpu::instrument::call_graph::{everything, is_memory};
use crate::gpu::instrument::insertion_points::Lexical;
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::source::{Diagnostic, SourceFile, Span};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Load,
    Store,
    Atomic,
}

/// An access of the source: what one set of counters counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The expression.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
    pub does: Does,
    /// Bytes of what one lane moves.
    pub width_bytes: u32,
    /// Bytes of a scalar of it.
    pub scalar_bytes: u32,
}

/// How the access is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As the place itself.
    Place,
    /// As a pointer to it.
    Pointer,
}

/// An access that was found, before all are.
struct Found<'a> {
    function: FunctionId,
    /// What the text goes around.
    around: Span,
    form: Form,
    site: Span,
    does: Vec<Does>,
    ty: &'a Type,
    /// What is accessed, to tell two accesses of one text from one access.
    what: What<'a>,
}

#[derive(PartialEq)]
enum What<'a> {
    Place(&'a Place),
    Pointer(&'a Expr),
}

/// All accesses of some functions.
pub(crate) struct Accesses {
    pub sites: Vec<Site>,
    pub wraps: Vec<Wrap>,
    /// Accesses that are left as they are, and why.
    pub skipped: Vec<Diagnostic>,
}

/// Finds the accesses of `functions`; `refused` says around which spans nothing can be put.
pub(crate) fn accesses(
    program: &Program,
    functions: &[FunctionId],
    (file, lexical): (&SourceFile, &Lexical),
    refused: &dyn Fn(Span) -> bool,
) -> Accesses {
    let mut all = Vec::new();
    for &id in functions {
        let mut finder = Finder {
            program,
            function: &program.functions[id],
            id,
            lexical,
            found: &mut all,
        };
        expressions(&program.functions[id].body, &mut |expr| {
            everything(expr, &mut |expr| finder.look(expr));
        });
    }
    all.sort_by_key(|found| (found.around.start, found.around.end));
    let mut result = Accesses {
        sites: Vec::new(),
        wraps: Vec::new(),
        skipped: Vec::new(),
    };
    for group in all.chunk_by(|a, b| a.around == b.around) {
        let first = &group[0];
        let crosses = result
            .wraps
            .iter()
            .any(|wrap| cross(wrap.span, first.around));
        let why = match () {
            _ if !lexical.fits(first.around) || crosses => Some("it is made by a macro"),
            _ if refused(first.around) => Some("it is part of what a macro makes"),
            _ if matches!(first.ty, Type::Array(..)) => Some("it moves an array"),
            // A constructor begins a member of what its caller then moves.
            _ if is_begun(first, lexical) => continue,
            _ if is_of_range(first) && !lexical.ends_in_macro(first.around) => {
                Some("it takes the elements of a range")
            }
            _ if !is_one(group) => Some("several accesses stand at one place of the text"),
            _ if !group.iter().all(|found| is_even(found.ty)) => {
                Some("its parts are of different sizes")
            }
            _ => None,
        };
        match why {
            None => result.add(first, file),
            Some(why) => result.skipped.push(skip(first.site, why)),
        }
    }
    for &id in functions {
        expressions(&program.functions[id].body, &mut |expr| {
            everything(expr, &mut |expr| {
                if is_made_by_header(program, expr) {
                    let why = "a function of a header of CUDA's makes it";
                    result.skipped.push(skip(expr.span, why));
                }
            });
        });
    }
    result
}

/// Whether a place lies behind a pointer that is no reference and not the function's own object.
fn goes_elsewhere(function: &Function, place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Deref(pointer) => match &pointer.kind {
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => {
                let declared = &function.locals[*local];
                !declared.is_reference && declared.name != "this"
            }
            _ => true,
        },
        PlaceKind::Index(base, _) | PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            goes_elsewhere(function, base)
        }
        PlaceKind::Local(_) | PlaceKind::File(_) => false,
    }
}

/// Whether it calls a function of a header that accesses memory.
fn is_made_by_header(program: &Program, expr: &Expr) -> bool {
    let ExprKind::Call(callee, _) = expr.kind else {
        return false;
    };
    let function = &program.functions[callee];
    let mut accesses = false;
    if function.is_library {
        expressions(&function.body, &mut |expr| {
            everything(expr, &mut |expr| {
                accesses |= is_made_by_header(program, expr);
                accesses |= match &expr.kind {
                    ExprKind::Load(place) => goes_elsewhere(function, place),
                    ExprKind::Assign(place, _) => goes_elsewhere(function, place),
                    _ => false,
                };
            });
        });
    }
    accesses
}

/// Whether a member is written that begins with what stands in parentheses behind it.
fn is_begun(found: &Found, lexical: &Lexical) -> bool {
    let behind = lexical.behind(found.around.end);
    found.does == [Does::Store] && found.form == Form::Place && matches!(behind, "(" | "{")
}

/// Whether only the array is written, not its index.
fn is_of_range(found: &Found) -> bool {
    let What::Place(place) = found.what else {
        return false;
    };
    matches!(&place.kind, PlaceKind::Index(base, _) if base.span == place.span)
}

fn skip(site: Span, why: &str) -> Diagnostic {
    let message = "this access is not counted on the device";
    Diagnostic::warning(site, message).note(why)
}

/// Whether all are the same access, in one function or in several made from the same text.
fn is_one(group: &[Found]) -> bool {
    let first = &group[0];
    group.iter().all(|found| {
        let alike = found.form == first.form && found.does == first.does;
        alike && (found.function != first.function || found.what == first.what)
    })
}

/// Whether a value is moved in pieces as large as its alignment, without gaps.
fn is_even(ty: &Type) -> bool {
    let piece = ty.align_bytes().min(16);
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
        Type::Void => 1,
    }
}

impl Accesses {
    fn add(&mut self, found: &Found, file: &SourceFile) {
        let first = self.sites.len();
        for &does in &found.does {
            self.sites.push(Site {
                span: found.site,
                line: file.line(found.site.start),
                does,
                width_bytes: found.ty.size_bytes(),
                scalar_bytes: scalar_bytes(found.ty),
            });
        }
        let name = match (&found.does[..], found.form) {
            ([Does::Load], Form::Place) => "@load",
            ([Does::Store], Form::Place) => "@store",
            ([Does::Load], Form::Pointer) => "@load_at",
            ([Does::Store], Form::Pointer) => "@store_at",
            ([Does::Atomic], _) => "@atomic",
            _ => "@update",
        };
        let numbers = (first..self.sites.len()).map(|site| site.to_string());
        let numbers = numbers.collect::<Vec<_>>().join(", ");
        self.wraps.push(Wrap {
            span: found.around,
            before: format!("{name}<{numbers}>("),
            behind: ")".to_owned(),
        });
    }
}

struct Finder<'f, 'a> {
    program: &'a Program,
    function: &'a Function,
    id: FunctionId,
    lexical: &'f Lexical<'f>,
    found: &'f mut Vec<Found<'a>>,
}

impl<'a> Finder<'_, 'a> {
    fn look(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Load(place) => self.place(place, &[Does::Load], expr.span),
            ExprKind::Assign(place, _) => self.place(place, &[Does::Store], expr.span),
            ExprKind::AssignOp { place, .. } | ExprKind::Step { place, .. } => {
                self.place(place, &[Does::Load, Does::Store], expr.span);
            }
            ExprKind::Atomic { pointer, .. } => {
                self.pointer(pointer, Does::Atomic, expr.span, &expr.ty);
            }
            ExprKind::MathTo { outputs, .. } => {
                for (_, pointer) in outputs {
                    if let Type::Pointer { to, .. } = &pointer.ty {
                        self.pointer(pointer, Does::Store, pointer.span, to);
                    }
                }
            }
            _ => {}
        }
    }

    /// A place that `whole` loads from or stores to.
    fn place(&mut self, place: &'a Place, does: &[Does], whole: Span) {
        if !is_memory(self.program, self.function, place) {
            return;
        }
        let (mut around, mut form) = (place.span, Form::Place);
        if let (PlaceKind::Deref(pointer), [_]) = (&place.kind, does) {
            // `__ldg(p)` and `__stcg(p, v)`.
            let is_load = pointer.span != place.span && self.lexical.is_call(place.span);
            let is_store = whole.start < place.span.start && self.lexical.is_call(whole);
            if is_load || does == [Does::Store] && is_store {
                (around, form) = (pointer.span, Form::Pointer);
            }
        }
        self.found.push(Found {
            function: self.id,
            around,
            form,
            site: place.span,
            does: does.to_vec(),
            ty: &place.ty,
            what: What::Place(place),
        });
    }

    fn pointer(&mut self, pointer: &'a Expr, does: Does, site: Span, ty: &'a Type) {
        self.found.push(Found {
            function: self.id,
            around: pointer.span,
            form: Form::Pointer,
            site,
            does: vec![does],
            ty,
            what: What::Pointer(pointer),
        });
    }
}
