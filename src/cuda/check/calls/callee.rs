//! How a call names its function.

use crate::source::Span;

use crate::cuda::ast;
use crate::cuda::resolve::Candidate;
use crate::cuda::typed::Place;

/// Stands in a call, with the signature's number added, for a function that is not finished.
pub const UNFINISHED: usize = usize::MAX / 2;

/// How a call names its function.
pub struct Callee<'a> {
    pub name: &'a str,
    pub candidates: &'a [Candidate],
    /// Template arguments that are written.
    pub template: Option<&'a [ast::TemplateArgument]>,
    /// The place of the object, and whether it is `const`, for functions of structs.
    pub this: Option<(Place, bool)>,
    /// Where the name stands.
    pub at: Span,
}

/// A function of a struct, as a call names it.
pub struct Method<'a> {
    pub name: &'a str,
    pub candidates: &'a [Candidate],
    /// Template arguments that are written.
    pub template: Option<&'a [ast::TemplateArgument]>,
    /// Where the name stands.
    pub at: Span,
}

impl<'a> Method<'a> {
    /// One without template arguments.
    pub fn plain(name: &'a str, candidates: &'a [Candidate], at: Span) -> Self {
        let template = None;
        Method {
            name,
            candidates,
            template,
            at,
        }
    }
}

/// Where a virtual function stands.
#[derive(Clone, Copy)]
pub struct VirtualRow {
    /// The struct that declares or overrides it.
    pub record: usize,
    /// Its row in the struct's table.
    pub row: usize,
}

pub fn count(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        many => format!("{many} arguments"),
    }
}
