//! A file with its local headers, or with the Python files that it imports: which of those that it names are read.
//!
//! A header is looked for beside the file that includes it (`"a.h"` only), then in the folders that were given. It is
//! read if it lies in the file's own folder or in one of those, links followed: no text that somebody sends reads
//! another file. Headers that are known by name are never read. A Python file's own folder is that of its package.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::imports::{has_kernels, imported, package_of};
use super::linkage::{Linkage, Separated};
use super::preprocess::is_known_header;
use crate::source::{MAX_TEXT_BYTES, SourceFile, SourceText, is_python, read_text};

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

/// The same of a program in several files: the `further` ones stand behind the first, as if it included them at its
/// end. So they are read as one text, where `nvcc` compiles each by itself and links them. The macros of a file end with
/// it, and what it declares for itself alone has a name of its own where an earlier file declares that, too
/// ([basic.link]).
///
/// # Errors
/// Those of [`read_text`] for each of the files, with its name.
pub fn read_sources(
    path: &Path,
    further: &[PathBuf],
    folders: &[PathBuf],
) -> io::Result<SourceFile> {
    let named = |path: &Path| {
        read_text(path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    };
    let mut text = named(path)?;
    let mut reader = Reader::new(path, folders);
    reader.add_roots(further.iter().map(|path| folder_of(path)));
    let mut behind = Vec::new();
    let mut linkage = Linkage::default();
    if !further.is_empty() {
        text.push_str(&linkage.file(&text).ends);
    }
    for path in further {
        let name = path.display().to_string();
        let further = named(path)?;
        let Separated { own, ends } = linkage.file(&further);
        for name in own {
            text.push_str(&format!("\n#define {name} {name}_of_{}", behind.len() + 2));
        }
        text.push_str(&format!("\n#include \"{name}\"{ends}"));
        behind.push((name, further));
    }
    reader.add(path.display().to_string(), path.to_owned(), text);
    for ((name, text), path) in behind.into_iter().zip(further) {
        let part = reader.add(name.clone(), path.clone(), text);
        reader.texts[0].includes.push((name, part));
    }
    Ok(reader.followed())
}

/// The same of a `text` that may differ from that at `path`; messages call it `name`.
pub fn with_headers(name: &str, path: &Path, text: String, folders: &[PathBuf]) -> SourceFile {
    let mut reader = Reader::new(path, folders);
    reader.add(name.to_owned(), path.to_owned(), text);
    reader.followed()
}

/// The file of CUDA C++ beside the one at `path`, or one folder above, that includes it; the first by name. A part of a
/// program may lack what that file defines before it.
pub fn including_file(path: &Path) -> Option<PathBuf> {
    let own = folder_of(path);
    let name = path.file_name()?.to_str()?;
    let mut files: Vec<PathBuf> = [own, above(own)]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten())
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| {
            let extension = file.extension();
            extension.is_some_and(|of| of == "cu" || of == "cuh") && file != path
        })
        .collect();
    files.sort();
    let includes = |file: &PathBuf| {
        let text = read_text(file).unwrap_or_default();
        let mut names = included(&text).map(|(name, _)| Path::new(name).file_name());
        names.any(|included| included.is_some_and(|included| included == name))
    };
    files.into_iter().take(MOST_TEXTS).find(includes)
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
        let own = match is_python(path) {
            true => package_of(path),
            false => folder_of(path),
        };
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

    /// Files below these folders may be read, too.
    fn add_roots<'b>(&mut self, folders: impl Iterator<Item = &'b Path>) {
        self.roots
            .extend(folders.filter_map(|folder| folder.canonicalize().ok()));
    }

    /// The file with all that it includes, once its own texts are there.
    fn followed(mut self) -> SourceFile {
        let mut next = 0;
        while next < self.texts.len() {
            self.follow(next);
            next += 1;
        }
        SourceFile::with_headers(&self.texts)
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
        if is_python(&self.paths[of]) {
            return self.follow_imports(of);
        }
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

    fn follow_imports(&mut self, of: usize) {
        // Without kernels it is code of the host: what it imports, PyTorch first, is never compiled here.
        if !has_kernels(&self.paths[of], &self.texts[of].text) {
            return;
        }
        for name in imported(&self.texts[of].text) {
            let is_known = self.texts[of].includes.iter().any(|i| i.0 == name);
            let mut paths = match is_known {
                true => Vec::new(),
                false => self.module_paths(of, &name),
            };
            let part = paths.drain(..).find_map(|path| self.read(path));
            self.texts[of]
                .includes
                .extend(part.map(|part| (name, part)));
        }
    }

    /// Where a module may lie: `a.b` in the folders that Python looks in, `.a` in that of the file, `..a` one above.
    fn module_paths(&self, of: usize, name: &str) -> Vec<PathBuf> {
        let rest = name.trim_start_matches('.');
        let places: Vec<PathBuf> = match name.len() - rest.len() {
            0 => {
                // Python looks beside the script; a module of the script's own package is named from where that lies.
                let own = [folder_of(&self.paths[0]), above(package_of(&self.paths[0]))];
                let own = own.map(Path::to_owned).into_iter();
                own.chain(self.folders.iter().cloned()).collect()
            }
            dots => {
                let own = folder_of(&self.paths[of]).to_owned();
                vec![(1..dots).fold(own, |folder, _| above(&folder).to_owned())]
            }
        };
        let path = rest.replace('.', "/");
        let files = |folder: PathBuf| {
            let module = folder.join(&path);
            let file = (!path.is_empty()).then(|| module.with_extension("py"));
            file.into_iter().chain([module.join("__init__.py")])
        };
        places.into_iter().flat_map(files).collect()
    }

    fn read(&mut self, path: PathBuf) -> Option<usize> {
        let whole = path.canonicalize().ok()?;
        // Headers that include each other come back to a text that is there, and end.
        if let Some(&known) = self.known.get(&whole) {
            return Some(known);
        }
        // By its real place: neither `..` nor a link leads out of the folders that may be read.
        let is_inside = self.roots.iter().any(|root| whole.starts_with(root));
        if !is_inside || self.texts.len() >= MOST_TEXTS {
            return None;
        }
        let text = read_text(&whole).ok()?;
        // All texts together may be as large as one alone: many small headers are no way around the limit.
        if text.len() as u64 > self.bytes_left {
            return None;
        }
        let part = self.add(path.display().to_string(), path, text);
        self.known.insert(whole, part);
        Some(part)
    }
}

/// The folder that a folder lies in.
fn above(folder: &Path) -> &Path {
    folder.parent().unwrap_or(folder)
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
    fn a_python_file_is_read_with_what_it_imports_of_its_package() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("pack/ops")).expect("is made");
        for (name, text) in [
            ("pack/__init__.py", ""),
            ("pack/ops/__init__.py", ""),
            (
                "pack/ops/k.py",
                "import triton\nfrom ..more import (\n    f,\n)\nfrom . import h\nimport pack.names as n\nimport other\n",
            ),
            ("pack/ops/h.py", "x = 1\nfrom .i import y\n"),
            ("pack/ops/i.py", "y = 1\n"),
            ("pack/more.py", "f = 1\n"),
            ("pack/names.py", ""),
            ("other.py", "secret = 1\n"),
        ] {
            fs::write(at(name), text).expect("is written");
        }
        let file = read_source(&at("pack/ops/k.py"), &[]).expect("is read");
        let short = |name: String| {
            let path = PathBuf::from(name).canonicalize().expect("is there");
            let whole = root.path().canonicalize().expect("is there");
            path.strip_prefix(whole)
                .expect("is inside")
                .display()
                .to_string()
        };
        let names: Vec<String> = file.texts().map(|text| short(text.name)).collect();
        let expected = ["k.py", "../more.py", "__init__.py", "h.py", "../names.py"];
        let expected = expected.map(|name| match name.strip_prefix("../") {
            Some(name) => format!("pack/{name}"),
            None => format!("pack/ops/{name}"),
        });
        assert_eq!(names, expected);
    }

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
        // The mark is what some editors put before a text.
        let text = "\u{feff}#include \"deep/b.h\"\n#include \"../secret.h\"\n#include \"link.h\"\n#include <a.h>\n\
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
