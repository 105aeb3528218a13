//! The calls that record values, and the sites and variables that they stand for.

use std::collections::HashMap;

use super::assignments::Assigned;
use super::variables::{ScalarPart, is_plain_array, scalar_parts};
use crate::cuda::{Function, FunctionId, LocalId};
use crate::gpu::instrument::insertion::InsertionPoints;
use crate::gpu::instrument::rewrite::{Findings, Original};
use crate::gpu::instrument::wraps::Wrap;
use crate::launch::TracedVariable;
use crate::source::{Diagnostic, Span};

/// What is put before the text.
const HEAD: &str = include_str!("values.cuh");

/// A value that is recorded at each visit of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordSite {
    /// The statement.
    pub statement: Span,
    /// Its line, from 1.
    pub line: u32,
    /// One scalar, or all that the statement may assign.
    pub scalars: Vec<RecordedScalar>,
    /// Whether the record says which of them it is.
    pub is_part: bool,
}

/// A scalar of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordedScalar {
    /// Its index among the traced variables.
    pub index: u32,
    /// How far it lies in its variable.
    pub offset_bytes: u32,
}

/// All that is recorded of some functions.
#[derive(Default)]
pub(super) struct FoundAssignments {
    pub variables: Vec<TracedVariable>,
    pub sites: Vec<RecordSite>,
    pub wraps: Vec<Wrap>,
    /// Statements that are left as they are, and why.
    pub skipped: Vec<Diagnostic>,
}

impl Findings for FoundAssignments {
    fn wraps(&self) -> &[Wrap] {
        &self.wraps
    }

    fn head(&self) -> String {
        HEAD.to_owned()
    }
}

impl FoundAssignments {
    /// Says once that something is left as it is.
    pub fn skip(&mut self, span: Span, message: &str, why: &str) {
        let skipped = Diagnostic::warning(span, message).note(why);
        if !self.skipped.contains(&skipped) {
            self.skipped.push(skipped);
        }
    }
}

/// Makes the calls that record values of one function.
pub(super) struct Recorder<'a> {
    pub function: &'a Function,
    pub insertion: &'a InsertionPoints<'a>,
    pub out: &'a mut FoundAssignments,
    is_kernel: bool,
    /// By variable: the number of its first scalar.
    first_scalars: HashMap<LocalId, u32>,
}

impl<'a> Recorder<'a> {
    pub fn new(original: &'a Original, id: FunctionId, out: &'a mut FoundAssignments) -> Self {
        Recorder {
            function: &original.program.functions[id],
            insertion: &original.insertion,
            out,
            is_kernel: original.kernels.contains(&id),
            first_scalars: HashMap::new(),
        }
    }

    pub fn skip(&mut self, span: Span, why: &str) {
        let message = "what this statement sets is not captured";
        self.out.skip(span, message, why);
    }

    /// The calls that record what a statement assigns.
    pub fn calls(&mut self, all: &[Assigned], statement: Span) -> Vec<String> {
        let mut calls = Vec::new();
        for assigned in all {
            if let Some(parts) = self.parts(assigned, statement) {
                self.calls_of(assigned, &parts, statement, &mut calls);
            }
        }
        calls
    }

    fn calls_of(
        &mut self,
        assigned: &Assigned,
        parts: &[ScalarPart],
        statement: Span,
        calls: &mut Vec<String>,
    ) {
        let declared = &self.function.locals[assigned.local()];
        let name = &declared.name;
        if let Assigned::Element(_, place) = assigned {
            // The call would have to repeat text that is not in the file.
            if !self.insertion.fits(*place) {
                return self.skip(statement, "it is made by a macro");
            }
            // Which element it is, is only known on the device: the site stands for all of them.
            let number = self.site(statement, assigned, parts, true);
            let place = self.insertion.file.slice(*place);
            calls.push(format!("@set_in<{number}>(&{name}, {place})"));
            return;
        }
        let first = self.out.sites.len();
        for part in parts {
            self.site(statement, assigned, std::slice::from_ref(part), false);
        }
        let is_whole = matches!(assigned, Assigned::Whole(_));
        if is_whole && parts.len() > 1 && is_plain_array(&declared.ty) {
            // One call for all: an array of 64 numbers would make the text long.
            let (count, beginning) = (parts.len(), &parts[0].suffix);
            calls.push(format!("@set_all<{first}, {count}>(&{name}{beginning})"));
        } else {
            let numbered = (first..).zip(parts);
            let call = |(number, part): (usize, &ScalarPart)| {
                format!("@set<{number}>({name}{})", part.suffix)
            };
            calls.extend(numbered.map(call));
        }
    }

    /// The scalars that are assigned.
    pub fn parts(&mut self, assigned: &Assigned, statement: Span) -> Option<Vec<ScalarPart>> {
        let declared = &self.function.locals[assigned.local()];
        let Some(mut parts) = scalar_parts(&declared.ty) else {
            self.skip(statement, "the variable has too many parts, or is a union");
            return None;
        };
        if let Assigned::Part {
            offset_bytes: from,
            size_bytes,
            ..
        } = *assigned
        {
            // In a struct of two vectors, those of the one that is assigned.
            parts.retain(|part| (from..from + size_bytes).contains(&part.offset_bytes));
        }
        Some(parts)
    }

    /// The number of a site that records these scalars.
    pub fn site(
        &mut self,
        statement: Span,
        assigned: &Assigned,
        recorded: &[ScalarPart],
        is_part: bool,
    ) -> usize {
        let first = self.first_scalar(assigned.local());
        let ty = &self.function.locals[assigned.local()].ty;
        let all = scalar_parts(ty).unwrap_or_default();
        let scalar = |part: &ScalarPart| {
            let at = all.iter().position(|other| other == part).unwrap_or(0);
            RecordedScalar {
                index: first + at as u32,
                offset_bytes: part.offset_bytes,
            }
        };
        self.out.sites.push(RecordSite {
            statement,
            line: self.insertion.file.line(statement.start),
            scalars: recorded.iter().map(scalar).collect(),
            is_part,
        });
        self.out.sites.len() - 1
    }

    /// The number of a variable's first scalar. Scalars of a variable follow each other, and are listed when
    /// it is first recorded.
    fn first_scalar(&mut self, local: LocalId) -> u32 {
        // The next number is free: where it comes back the variable is new.
        let next = self.out.variables.len() as u32;
        let first = *self.first_scalars.entry(local).or_insert(next);
        if first == next {
            let declared = &self.function.locals[local];
            let name = match self.is_kernel {
                true => declared.name.clone(),
                // Functions may have variables of the same names as the kernel that calls them.
                false => format!("{}::{}", self.function.name, declared.name),
            };
            let parts = scalar_parts(&declared.ty).unwrap_or_default();
            self.out
                .variables
                .extend(parts.into_iter().map(|part| TracedVariable {
                    name: format!("{name}{}", part.suffix),
                    type_name: part.ty.to_string(),
                    value_type: part.value_type(),
                    line: self.insertion.file.line(declared.span.start),
                    declared: declared.span,
                }));
        }
        first
    }
}
