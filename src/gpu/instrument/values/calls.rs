//! The calls that keep values, and the sites and variables that they stand for.

use super::assigned::Set;
use super::statements::{Finder, Settings, Site};
use super::variables::{Leaf, is_plain_array, leaves};
use crate::cuda::LocalId;
use crate::gpu::instrument::wraps::Wrap;
use crate::launch::TracedVariable;
use crate::source::Span;

impl Finder<'_> {
    /// The calls that keep what a statement sets.
    pub fn calls(&mut self, sets: &[Set], statement: Span) -> Vec<String> {
        let mut calls = Vec::new();
        for set in sets {
            if let Some((name, leaves)) = self.named(set, statement) {
                self.calls_of(set, &name, &leaves, statement, &mut calls);
            }
        }
        calls
    }

    fn calls_of(
        &mut self,
        set: &Set,
        name: &str,
        leaves: &[Leaf],
        statement: Span,
        calls: &mut Vec<String>,
    ) {
        let ty = &self.function.locals[set.local()].ty;
        if let Set::Element(_, place) = set {
            if !self.lexical.fits(*place) {
                return self.skip(statement, "it is made by a macro");
            }
            let number = self.site(statement, set, leaves, true);
            let place = self.file.slice(*place);
            calls.push(format!("@set_in<{number}>(&{name}, {place})"));
        } else if leaves.len() > 1 && matches!(set, Set::Whole(_)) && is_plain_array(ty) {
            let first = self.out.sites.len();
            for leaf in leaves {
                self.site(statement, set, std::slice::from_ref(leaf), false);
            }
            let (count, beginning) = (leaves.len(), &leaves[0].suffix);
            calls.push(format!("@set_all<{first}, {count}>(&{name}{beginning})"));
        } else {
            for leaf in leaves {
                let number = self.site(statement, set, std::slice::from_ref(leaf), false);
                calls.push(format!("@set<{number}>({name}{})", leaf.suffix));
            }
        }
    }

    /// The name of the variable that is set, and its scalars that are.
    pub fn named(&mut self, set: &Set, statement: Span) -> Option<(String, Vec<Leaf>)> {
        let declared = &self.function.locals[set.local()];
        let Some(leaves) = leaves(&declared.ty) else {
            self.skip(statement, "the variable has too many parts, or is a union");
            return None;
        };
        let within = |leaf: &Leaf| match set {
            Set::Whole(_) | Set::Element(..) => true,
            Set::Part(_, from, size) => (*from..from + size).contains(&leaf.offset_bytes),
        };
        let leaves = leaves.into_iter().filter(within).collect();
        Some((declared.name.clone(), leaves))
    }

    /// A site that keeps these scalars.
    pub fn site(&mut self, statement: Span, set: &Set, kept: &[Leaf], is_part: bool) -> usize {
        let first = self.first_scalar(set.local());
        let all = leaves(&self.function.locals[set.local()].ty).unwrap_or_default();
        let number = |leaf: &Leaf| {
            let at = all.iter().position(|other| other == leaf).unwrap_or(0);
            (first + at as u32, leaf.offset_bytes)
        };
        self.out.sites.push(Site {
            statement,
            line: self.file.line(statement.start),
            variables: kept.iter().map(number).collect(),
            is_part,
        });
        self.out.sites.len() - 1
    }

    /// The number of a variable's first scalar.
    fn first_scalar(&mut self, local: LocalId) -> u32 {
        let next = self.out.variables.len() as u32;
        let first = *self.known.entry(local).or_insert(next);
        if first == next {
            let declared = &self.function.locals[local];
            let name = match self.is_kernel {
                true => declared.name.clone(),
                false => format!("{}::{}", self.function.name, declared.name),
            };
            for leaf in leaves(&declared.ty).unwrap_or_default() {
                self.out.variables.push(TracedVariable {
                    name: format!("{name}{}", leaf.suffix),
                    type_name: leaf.ty.to_string(),
                    value_type: leaf.value_type(),
                    line: self.file.line(declared.span.start),
                    declared: declared.span,
                });
            }
        }
        first
    }

    pub fn finish(mut self) -> Settings {
        for (end, behind) in self.behind {
            let (before, after) = match behind.in_braces {
                true => ("{ ", " }"),
                false => ("", ""),
            };
            self.out.wraps.push(Wrap {
                span: Span {
                    start: behind.start,
                    end,
                },
                before: before.to_owned(),
                behind: format!("{}{after}", behind.text),
            });
        }
        self.out
    }
}
