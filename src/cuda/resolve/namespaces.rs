//! Namespaces: those of the file, those that are open, and their other names.
//!
//! Names at file scope are kept with their namespaces, as `a::b::f`.

use std::collections::{BTreeSet, HashMap};

use crate::cuda::ast::Path;
use crate::cuda::lex::Name;

/// Namespaces of CUDA's own, whose names the built-in functions and types have.
const BUILT_IN: [&str; 5] = ["cooperative_groups", "std", "cuda", "nvcuda", "__ptx"];

/// How many other names one name is followed through: an alias may lead to an alias.
const MOST_ALIASES: usize = 8;

/// Whether what stands in a namespace (with `::` behind each name) is declared by CUDA's headers.
pub fn is_library(namespace: &str) -> bool {
    BUILT_IN.contains(&namespace.split("::").next().unwrap_or(""))
}

/// Namespaces as the text has named them so far; each is written with `::` behind each name.
#[derive(Default)]
pub struct Namespaces {
    /// The namespace of the item being checked.
    pub current: String,
    /// Every namespace of the file.
    pub declared: BTreeSet<String>,
    /// Those that `using namespace` opened, each behind the one in which it did.
    opened: Vec<(String, String)>,
    /// Other names of namespaces, with those around them and without `::` behind them.
    aliases: HashMap<Name, String>,
}

/// The namespace around one; nothing around that of the file.
fn outer(namespace: &str) -> Option<&str> {
    // `a::b::` stands in `a::`, and `a::` in that of the file, which is empty.
    let inside = namespace.strip_suffix("::")?;
    Some(&namespace[..inside.rfind("::").map_or(0, |at| at + 2)])
}

impl Namespaces {
    /// The namespaces of a file: `a::b::` makes `a::` known too.
    pub fn declare_all(&mut self, all: &[Name]) {
        for namespace in all {
            let ends = namespace
                .match_indices("::")
                .map(|(at, _)| &namespace[..at + 2]);
            self.declared.extend(ends.map(str::to_string));
        }
    }

    /// Whether what is being checked stands in a namespace that is not the library's.
    pub fn is_inside(&self) -> bool {
        !self.current.is_empty() && !is_library(&self.current)
    }

    /// A name with the namespace that is being checked before it.
    pub fn qualify(&self, name: &str) -> Name {
        format!("{}{name}", self.current).into()
    }

    /// Where an unqualified name may stand, the innermost namespace first: those around its use,
    /// then those that `using namespace` opened ([basic.lookup.unqual], [namespace.udir]).
    pub fn candidates<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        let around = std::iter::successors(Some(self.current.as_str()), |inner| outer(inner));
        let opened = self.opened.iter().map(|(_, opened)| opened.as_str());
        around
            .chain(opened)
            .map(move |namespace| format!("{namespace}{name}"))
    }

    /// The path with other names of namespaces replaced, without template arguments.
    pub fn canonical(&self, path: &Path) -> String {
        let joined = path.joined();
        // libcu++ has the standard library for the GPU as `cuda::std`; here both are one.
        if let Some(rest) = joined.strip_prefix("cuda::std::") {
            // But for atomic objects, which the host's library has for its own threads only.
            let namespace = match rest.starts_with("atomic") {
                true => "cuda",
                false => "std",
            };
            return format!("{namespace}::{rest}");
        }
        match joined.rsplit_once("::") {
            // Every qualified name of a file comes by here, and few files have aliases.
            Some((namespace, name)) if !self.aliases.is_empty() => {
                format!("{}::{name}", self.unaliased(namespace))
            }
            _ => joined,
        }
    }

    /// A namespace as it is written, with the other names in it replaced: of `lib::v2::detail`, that may be `lib::v2`.
    fn unaliased(&self, written: &str) -> String {
        let mut namespace = written.to_owned();
        // What an inline namespace holds may be called by its name once per level.
        for _ in 0..MOST_ALIASES {
            let ends = namespace.match_indices("::").map(|(at, _)| at);
            let mut ends = ends.chain([namespace.len()]);
            let replaced = ends.find_map(|end| {
                let mut names = self.candidates(&namespace[..end]);
                let meant = names.find_map(|name| self.aliases.get(name.as_str()))?;
                Some(format!("{meant}{}", &namespace[end..]))
            });
            match replaced {
                Some(other) if other != namespace => namespace = other,
                _ => break,
            }
        }
        namespace
    }

    /// The namespace that a name with `::` in it means, if there is one.
    pub fn named(&self, written: &str) -> Option<String> {
        let named = format!("{}::", self.unaliased(written));
        let declared = self
            .candidates(&named)
            .find_map(|whole| self.declared.get(&whole));
        declared
            .cloned()
            .or_else(|| is_library(&named).then_some(named))
    }

    /// Names of namespaces, for suggestions.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let declared = self.declared.iter();
        declared
            .map(|namespace| namespace.trim_end_matches("::"))
            .chain(BUILT_IN)
    }

    /// `using namespace`.
    pub fn open(&mut self, namespace: String) {
        let opening = (self.current.clone(), namespace);
        if !self.opened.contains(&opening) {
            self.opened.push(opening);
        }
    }

    /// Where a name behind that of a namespace may stand that does not declare it: in those that were opened there
    /// ([namespace.qual]).
    pub fn through_opened<'a>(&'a self, whole: &'a str) -> impl Iterator<Item = String> + 'a {
        let split = whole.rfind("::").map_or(0, |at| at + 2);
        let (namespace, name) = whole.split_at(split);
        let opened = self.opened.iter();
        opened
            .filter(move |(inside, _)| inside == namespace && !inside.is_empty())
            .map(move |(_, opened)| format!("{opened}{name}"))
    }

    /// `namespace alias = namespace;`. Whether the name stands for no other namespace.
    pub fn add_alias(&mut self, alias: &str, namespace: &str) -> bool {
        let namespace = namespace.trim_end_matches("::");
        let known = self
            .aliases
            .entry(self.qualify(alias))
            .or_insert_with(|| namespace.to_string());
        known == namespace
    }
}
