//! A file with its local headers: which of those that it names are read.
//!
//! A header is looked for beside the file that includes it (`"a.h"` only), then in the folders that were given. It is
//! read if it lies in the file's own folder or in one of those, links followed: no text that somebody sends reads
//! another file. Headers that are known by name are never read.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::preprocess::is_known_header;
use crate::source::{MAX_TEXT_BYTES, SourceFile, SourceText, read_text};

/// Most files that one file is made of.
const MOST_TEXTS: usize = 400;

/// The file at `path`, called by that, with the headers that it includes from its own folder and from `folders`.
///
/// # Errors
/// Those of [`read_text`] for the file itself: a header that cannot be read is one that is not there.
pub fn read_source(path: &Path, folders: &[PathBuf]) -> io::Result<SourceFile> {
    let text = read_text(path)?;
    Ok(with_headers(
        &path.display().to_string(),
        path,
        text,
        folders,
    ))
}

/// The same of a `text` that may differ from that at `path`; messages call it `name`.
pub fn with_headers(name: &str, path: &Path, text: String, folders: &[PathBuf]) -> SourceFile {
    let mut reader = Reader::new(path, folders);
    reader.add(name.to_owned(), path.to_owned(), text);
    let mut next = 0;
    while next < reader.texts.len() {
        reader.follow(next);
        next += 1;
    }
    SourceFile::with_headers(&reader.texts)
}

struct Reader<'a> {
    folders: &'a [PathBuf],
    /// What may be read lies below one of these.
    roots: Vec<PathBuf>,
    texts: Vec<SourceText>,
    paths: Vec<PathBuf>,
    known: HashMap<PathBuf, usize>,
    bytes_left: u64,
}

impl<'a> Reader<'a> {
    fn new(path: &Path, folders: &'a [PathBuf]) -> Self {
        let own = folder_of(path);
        let roots = std::iter::once(own).chain(folders.iter().map(PathBuf::as_path));
        Reader {
            folders,
            roots: roots.filter_map(|root| root.canonicalize().ok()).collect(),
            texts: Vec::new(),
            paths: Vec::new(),
            known: HashMap::new(),
            bytes_left: MAX_TEXT_BYTES,
        }
    }

    fn add(&mut self, name: String, path: PathBuf, text: String) -> usize {
        self.bytes_left = self.bytes_left.saturating_sub(text.len() as u64);
        self.texts.push(SourceText {
            name,
            text,
            includes: Vec::new(),
        });
        self.paths.push(path);
        self.texts.len() - 1
    }

    /// Reads what one of the texts includes.
    fn follow(&mut self, of: usize) {
        let names: Vec<(String, bool)> = included(&self.texts[of].text)
            .map(|(name, is_quoted)| (name.to_owned(), is_quoted))
            .collect();
        for (name, is_quoted) in names {
            if is_known_header(&name) || self.texts[of].includes.iter().any(|i| i.0 == name) {
                continue;
            }
            if let Some(part) = self.header(of, &name, is_quoted) {
                self.texts[of].includes.push((name, part));
            }
        }
    }

    fn header(&mut self, of: usize, name: &str, is_quoted: bool) -> Option<usize> {
        let beside = is_quoted.then(|| folder_of(&self.paths[of]).to_owned());
        let places = beside.into_iter().chain(self.folders.iter().cloned());
        let paths: Vec<PathBuf> = places.map(|folder| folder.join(name)).collect();
        paths.into_iter().find_map(|path| self.read(path))
    }

    fn read(&mut self, path: PathBuf) -> Option<usize> {
        let whole = path.canonicalize().ok()?;
        if let Some(&known) = self.known.get(&whole) {
            return Some(known);
        }
        let is_inside = self.roots.iter().any(|root| whole.starts_with(root));
        if !is_inside || self.texts.len() >= MOST_TEXTS {
            return None;
        }
        let text = read_text(&whole).ok()?;
        if text.len() as u64 > self.bytes_left {
            return None;
        }
        let part = self.add(path.display().to_string(), path, text);
        self.known.insert(whole, part);
        Some(part)
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The names in a text's `#include` lines, whether their conditions hold or not, and whether they stand in quotes.
fn included(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include")?.trim_start();
        let (close, is_quoted) = match rest.chars().next()? {
            '"' => ('"', true),
            '<' => ('>', false),
            _ => return None,
        };
        let (name, _) = rest[1..].split_once(close)?;
        Some((name, is_quoted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn headers_are_read_below_the_folders_given_and_nowhere_else() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        for folder in ["src/deep", "inc"] {
            fs::create_dir_all(at(folder)).expect("is made");
        }
        for (name, text) in [
            ("src/deep/b.h", "#include \"../a.h\"\n"),
            ("src/a.h", "#pragma once\n# include <c.h>\n"),
            ("inc/c.h", "int c;\n"),
            ("secret.h", "int secret;\n"),
        ] {
            fs::write(at(name), text).expect("is written");
        }
        std::os::unix::fs::symlink(at("secret.h"), at("src/link.h")).expect("is made");
        let text = "#include \"deep/b.h\"\n#include \"../secret.h\"\n#include \"link.h\"\n#include <a.h>\n\
                    #include \"cuda_fp16.h\"\n";
        fs::write(at("src/k.cu"), text).expect("is written");
        let names = |folders: &[PathBuf]| {
            let file = read_source(&at("src/k.cu"), folders).expect("is read");
            let texts: Vec<String> = file.texts().map(|text| text.name).collect();
            let short = |name: &String| {
                let path = Path::new(name).strip_prefix(root.path());
                path.expect("is inside").display().to_string()
            };
            texts.iter().map(short).collect::<Vec<String>>()
        };
        let own = ["src/k.cu", "src/deep/b.h", "src/deep/../a.h"];
        assert_eq!(names(&[]), own);
        let with_inc = names(&[at("inc")]);
        assert_eq!(with_inc[3..], ["inc/c.h"]);
        let with_all = names(&[root.path().to_owned()]);
        assert!(with_all.iter().any(|name| name.ends_with("secret.h")));
    }
}
