//! The walls inside modules: a `mod.rs` lists its files and folders in import order, and each imports only those that
//! stand above it. So no circle of files can exist, and reading a folder from the top never meets what is not known yet.
//!
//! A path is followed through re-exports to the file that defines what it names. What a file takes from the `mod.rs`
//! above itself is a fault as well: that is a face, not a floor. Tests may look anywhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::files::{files_under, root};

/// Most files in a folder.
const MAX_FILES: usize = 15;

/// Modules whose inside is not in order yet.
const UNORDERED: [&str; 0] = [];

/// A path in the crate, from its root.
type Names = Vec<String>;

/// A source file as a module.
#[derive(Default)]
struct Module {
    /// From the root of the project, with `/`.
    file: String,
    /// The modules that it declares, in their order.
    children: Vec<String>,
    /// What it exports under a name, and where that is from.
    exports: BTreeMap<String, Names>,
    /// Paths as written, each with its line.
    paths: Vec<(usize, Names)>,
    /// The paths of `pub use`, as written, with the names that they export.
    exported: Vec<(String, Names)>,
}

type Modules = BTreeMap<Names, Module>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Separator,
    Other(char),
}

/// The words and signs of `text`, without comments, strings and characters, each with its line.
fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if let Some(length) = skipped(rest) {
            length
        } else if first.is_alphanumeric() || first == '_' {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push((line, Token::Word(&rest[..length])));
            length
        } else if rest.starts_with("::") {
            tokens.push((line, Token::Separator));
            2
        } else {
            if !first.is_whitespace() {
                tokens.push((line, Token::Other(first)));
            }
            first.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// Length of the comment, string or character that `text` begins with.
fn skipped(text: &str) -> Option<usize> {
    let until = |end: &str, from: usize| {
        let found = text[from..].find(end);
        Some(found.map_or(text.len(), |at| from + at + end.len()))
    };
    if text.starts_with("//") {
        return until("\n", 2).map(|length| length - usize::from(text[..length].ends_with('\n')));
    }
    if text.starts_with("/*") {
        return until("*/", 2);
    }
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            return until(&format!("\"{}", "#".repeat(hashes)), hashes + 2);
        }
    }
    let mut chars = text.char_indices();
    match chars.next()?.1 {
        '"' => {
            let mut escaped = false;
            for (at, c) in chars {
                match c {
                    '"' if !escaped => return Some(at + 1),
                    '\\' => escaped = !escaped,
                    _ => escaped = false,
                }
            }
            Some(text.len())
        }
        // A lifetime has no second quote behind its first character.
        '\'' if text.starts_with("'\\") => until("'", 3),
        '\'' => {
            let (end, _) = chars.nth(1).filter(|&(_, c)| c == '\'')?;
            Some(end + 1)
        }
        _ => None,
    }
}

/// What a file declares, exports and names.
fn read(file: String, text: &str) -> Module {
    let tokens = tokens(text);
    let mut module = Module {
        file,
        ..Module::default()
    };
    let word = |at: usize| match tokens.get(at) {
        Some((_, Token::Word(word))) => Some(*word),
        _ => None,
    };
    let sign = |at: usize| tokens.get(at).map(|(_, token)| *token);
    let (mut at, mut is_public) = (0, false);
    while at < tokens.len() {
        let line = tokens[at].0;
        match word(at) {
            Some("mod") if sign(at + 2) == Some(Token::Other(';')) => {
                module.children.extend(word(at + 1).map(str::to_owned));
                at += 3;
            }
            // Modules inside of files are tests.
            Some("mod") if sign(at + 2) == Some(Token::Other('{')) => {
                at = behind_braces(&tokens, at + 2)
            }
            Some("pub") => {
                is_public = true;
                at += 1;
                if sign(at) == Some(Token::Other('(')) {
                    while sign(at) != Some(Token::Other(')')) {
                        at += 1;
                    }
                    at += 1;
                }
                continue;
            }
            Some("use") => {
                at += 1;
                let mut leaves = Vec::new();
                tree(&tokens, &mut at, &[], &mut leaves);
                for (names, alias) in leaves {
                    if is_public && let Some(name) = alias.or_else(|| names.last().cloned()) {
                        module.exported.push((name, names.clone()));
                    } else {
                        module.paths.push((line, names));
                    }
                }
            }
            Some(first) if sign(at + 1) == Some(Token::Separator) => {
                let is_start =
                    at == 0 || !matches!(tokens[at - 1].1, Token::Separator | Token::Other('$'));
                let mut names = vec![first.to_owned()];
                at += 1;
                while sign(at) == Some(Token::Separator)
                    && let Some(next) = word(at + 1)
                {
                    names.push(next.to_owned());
                    at += 2;
                }
                if is_start {
                    module.paths.push((line, names));
                }
                at += usize::from(sign(at) == Some(Token::Separator));
            }
            _ => at += 1,
        }
        is_public = false;
    }
    module
}

/// The place behind the braces that open at `at`.
fn behind_braces(tokens: &[(usize, Token<'_>)], at: usize) -> usize {
    let mut depth = 0;
    for (place, (_, token)) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Other('{') => depth += 1,
            Token::Other('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// The leaves of a tree of `use`, each with the name that `as` gives it.
fn tree(
    tokens: &[(usize, Token<'_>)],
    at: &mut usize,
    before: &[String],
    leaves: &mut Vec<(Names, Option<String>)>,
) {
    let mut names = before.to_vec();
    loop {
        match tokens.get(*at).map(|(_, token)| *token) {
            Some(Token::Word("as")) => {
                let alias = match tokens.get(*at + 1) {
                    Some((_, Token::Word(alias))) => Some((*alias).to_owned()),
                    _ => None,
                };
                *at += 2;
                leaves.push((names, alias));
                return;
            }
            Some(Token::Word("self")) if !before.is_empty() => *at += 1,
            Some(Token::Word(word)) => {
                names.push(word.to_owned());
                *at += 1;
            }
            Some(Token::Separator) => *at += 1,
            Some(Token::Other('*')) => {
                names.push("*".to_owned());
                *at += 1;
            }
            Some(Token::Other('{')) => {
                *at += 1;
                while tokens
                    .get(*at)
                    .is_some_and(|(_, token)| *token != Token::Other('}'))
                {
                    tree(tokens, at, &names, leaves);
                    let is_comma = tokens
                        .get(*at)
                        .is_some_and(|(_, token)| *token == Token::Other(','));
                    *at += usize::from(is_comma);
                }
                *at += 1;
                return;
            }
            _ => {
                leaves.push((names, None));
                return;
            }
        }
    }
}

fn is_test(file: &str) -> bool {
    let parts = file.trim_end_matches(".rs").split('/');
    let mut parts = parts.skip(1);
    parts.any(|part| matches!(part, "tests" | "testing") || part.ends_with("_tests"))
}

/// Every module under `src`, with its exports resolved.
fn modules(files: Vec<(String, String)>) -> Modules {
    let mut modules: Modules = files
        .into_iter()
        .map(|(file, text)| (module_path(&file), read(file, &text)))
        .collect();
    let resolved: Vec<(Names, String, Names)> = modules
        .iter()
        .flat_map(|(path, module)| {
            let exports = module.exported.iter();
            exports.filter_map(|(name, names)| {
                Some((path.clone(), name.clone(), absolute(&modules, path, names)?))
            })
        })
        .collect();
    for (path, name, target) in resolved {
        if let Some(module) = modules.get_mut(&path) {
            module.exports.insert(name, target);
        }
    }
    modules
}

/// `src/a/b.rs` and `src/a/b/mod.rs` are `a::b`.
fn module_path(file: &str) -> Names {
    let inside = file.trim_start_matches("src/").trim_end_matches(".rs");
    let mut names: Names = inside.split('/').map(str::to_owned).collect();
    if names
        .last()
        .is_some_and(|last| matches!(last.as_str(), "mod" | "lib"))
    {
        names.pop();
    }
    names
}

/// A path as written in `module`, from the root; nothing where it leads into another crate.
fn absolute(modules: &Modules, module: &Names, names: &[String]) -> Option<Names> {
    let mut base = module.clone();
    let first = names.first()?.as_str();
    let rest = match first {
        "crate" => {
            base.clear();
            &names[1..]
        }
        "super" | "self" => {
            let climbs = names
                .iter()
                .take_while(|name| matches!(name.as_str(), "super" | "self"));
            let climbs = climbs.count();
            for _ in names[..climbs].iter().filter(|name| *name == "super") {
                base.pop()?;
            }
            &names[climbs..]
        }
        _ if modules
            .get(module)?
            .children
            .iter()
            .any(|child| child == first) =>
        {
            names
        }
        _ => return None,
    };
    base.extend_from_slice(rest);
    Some(base)
}

/// The module that defines what `path` names, and what it is called there: re-exports are followed.
fn definition(modules: &Modules, path: &Names) -> (Names, Names) {
    let mut path = path.clone();
    for _ in 0..8 {
        let depth = (0..=path.len())
            .rev()
            .find(|&depth| modules.contains_key(&path[..depth]));
        let (module, item) = path.split_at(depth.unwrap_or(0));
        let exports = item
            .first()
            .and_then(|name| modules[module].exports.get(name));
        match exports {
            Some(target) if *target != path[..=module.len()] => {
                path = [target.as_slice(), &item[1..]].concat();
            }
            _ => return (module.to_vec(), item.to_vec()),
        }
    }
    (path, Vec::new())
}

/// What is wrong with what `module` names; each fault is a line.
fn faults(modules: &Modules, path: &Names) -> Vec<String> {
    let module = &modules[path];
    let fault = |(line, names): &(usize, Names)| {
        let target = absolute(modules, path, names)?;
        let (defined, item) = definition(modules, &target);
        if defined.first() != path.first() || defined.starts_with(path) {
            return None;
        }
        let common = defined.iter().zip(path).take_while(|(a, b)| a == b).count();
        let of = path[..common].join("::");
        let item = item.join("::");
        if common == defined.len() {
            return Some(format!(
                "{}:{line}: `{item}` is of the face `{of}`, above it",
                module.file
            ));
        }
        let order = &modules[&path[..common]].children;
        let place = |name: &String| order.iter().position(|child| child == name);
        let (own, other) = (place(&path[common])?, place(&defined[common])?);
        (other > own).then(|| {
            let (own, other) = (&path[common], &defined[common]);
            format!(
                "{}:{line}: `{own}` stands above `{other}` in `{of}`, and takes `{item}` from it",
                module.file
            )
        })
    };
    module.paths.iter().filter_map(fault).collect()
}

/// Every Rust file under `src`: its path from the root, with `/`, and its text.
fn source_files() -> Vec<(String, String)> {
    let mut paths = files_under(&root().join("src"));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let files = paths.into_iter().map(|path| {
        let relative = path.strip_prefix(root()).expect("is under the root");
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        (
            parts.join("/"),
            std::fs::read_to_string(&path).expect("is text"),
        )
    });
    files.collect()
}

/// Fails with every line of `faults`.
fn none(faults: &[String]) {
    let mut text = String::new();
    for fault in faults {
        writeln!(text, "{fault}").expect("is memory");
    }
    assert!(faults.is_empty(), "{} faults\n{text}", faults.len());
}

#[test]
fn files_import_only_those_above_them_in_their_folder() {
    let files = source_files().into_iter();
    let modules = modules(files.filter(|(file, _)| !is_test(file)).collect());
    assert!(modules.len() > 300, "{} modules", modules.len());
    let ordered = modules.keys().filter(|path| {
        !path
            .first()
            .is_some_and(|first| UNORDERED.contains(&first.as_str()))
    });
    let faults: Vec<String> = ordered.flat_map(|path| faults(&modules, path)).collect();
    none(&faults);
}

#[test]
fn folders_are_small_and_nothing_climbs_twice() {
    let mut faults = Vec::new();
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for (file, text) in source_files() {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        *folders.entry(folder.to_owned()).or_default() += 1;
        if text.contains(concat!("super::", "super")) {
            faults.push(format!("{file}: climbs twice; name it from `crate`"));
        }
    }
    for (folder, files) in folders {
        if files > MAX_FILES {
            faults.push(format!("{folder}: {files} files"));
        }
    }
    none(&faults);
}

/// The faults of a small tree of files.
fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter();
    let files = files.map(|&(file, text)| (file.to_owned(), text.to_owned()));
    let modules = modules(files.collect());
    modules
        .keys()
        .flat_map(|path| faults(&modules, path))
        .collect()
}

#[test]
fn the_walls_see_what_they_must_not_let_through() {
    let face = "pub mod low;\nmod high;\npub use high::{High, top as summit};\npub struct Face;";
    let tree = |low: &'static str, high: &'static str| {
        let files = [
            ("src/lib.rs", "pub mod a;"),
            ("src/a/mod.rs", face),
            ("src/a/low.rs", low),
            ("src/a/high.rs", high),
        ];
        faults_of(&files)
    };
    assert_eq!(
        tree("", "use super::low::Low;\nuse crate::a::low;"),
        Vec::<String>::new()
    );
    assert_eq!(
        tree("use super::high::High;", ""),
        ["src/a/low.rs:1: `low` stands above `high` in `a`, and takes `High` from it"]
    );
    // Through the face, by another name, inline, in a group.
    for through in [
        "use crate::a::High;",
        "use super::summit;",
        "fn f() { super::high::g() }",
        "use crate::{a::{low, High}};",
    ] {
        assert_eq!(tree(through, "").len(), 1, "{through}");
    }
    assert_eq!(
        tree("use super::Face;", ""),
        ["src/a/low.rs:1: `Face` is of the face `a`, above it"]
    );
    // Comments, strings, tests and other crates are no imports.
    for free in [
        "// use super::high::High;\nconst A: &str = \"super::high::B\"; const C: char = '\"';",
        "mod tests { use super::super::high::High; }",
        "use std::collections::HashMap; fn f<'a>(a: &'a u8) { high::f() }",
    ] {
        assert_eq!(tree(free, ""), Vec::<String>::new(), "{free}");
    }
}
