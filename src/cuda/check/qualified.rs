//! Members of types by their paths: `V::size`, `Outer::Inner`, `Outer::Mode::Fast`.

use super::Checker;
use super::scope::{Entry, Symbol};
use crate::cuda::ast::{Path, Segment};
use crate::cuda::typed::Type;

/// The path of so many names at the beginning of one.
fn beginning(path: &Path, segments: &[Segment]) -> Path {
    Path {
        is_global: path.is_global,
        segments: segments.to_vec(),
        span: path.span,
    }
}

impl Checker {
    /// What a path stands for if it names a member of a type. Nothing at all if it names a type that
    /// has no such member, which is reported.
    pub(super) fn static_member(&mut self, path: &Path) -> Option<Option<Entry>> {
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
                return Some(self.member_entry(&ty, &constant));
            }
            _ => return Some(None),
        };
        match self.member_entry(&ty, &last.name.name) {
            Some(entry) => Some(Some(entry)),
            None => {
                let message = format!("`{ty}` has no member `{}`", last.name.name);
                self.error(last.name.span, message)
            }
        }
    }

    fn member_entry(&self, ty: &Type, name: &str) -> Option<Entry> {
        let Type::Struct(of) = ty else {
            return None;
        };
        let entry = self.record_of(of)?.members.get(name)?.clone();
        Some(Entry { item: 0, ..entry })
    }

    /// The type that the first names of a path stand for, if they stand for one. Nothing at all if
    /// something about them was reported.
    fn type_at(&mut self, path: &Path, segments: &[Segment]) -> Option<Option<Type>> {
        let prefix = beginning(path, segments);
        let found = match self.find_path(&prefix) {
            Some(entry) => Some(entry.symbol.clone()),
            None => self.static_member(&prefix)?.map(|entry| entry.symbol),
        };
        Some(match found {
            Some(Symbol::Type(ty, _)) => Some(ty),
            Some(Symbol::TypeTemplate(template)) => Some(self.made_type(template, &prefix)?),
            Some(Symbol::Refused) => return None,
            Some(Symbol::Host(_)) => {
                let found = self.find_path(&prefix).cloned();
                self.known(&prefix.joined(), found, path.span)?;
                None
            }
            _ => None,
        })
    }
}
