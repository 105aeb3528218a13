//! Where NVIDIA's libraries may lie: an order of places, looked at when somebody asks.
//!
//! The order is: what an override variable names, the toolkit, the PyPI wheels of the active and
//! the user's Python environments and of the system's Python, and last what the loader finds by name.

#![allow(unsafe_code, reason = "asks libraries for their versions")]

use std::env;
use std::ffi::{CStr, OsString, c_char, c_int};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::protocol::FoundLibrary;

/// One of NVIDIA's libraries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Library {
    /// Its name, as in `nvrtc`.
    pub name: &'static str,
    /// What NVIDIA calls it.
    pub title: &'static str,
    /// How to get it.
    pub help: &'static str,
    /// The variable that names its file, and puts an end to the search.
    pub variable: &'static str,
    /// What its file is called, the newest version first.
    pub files: &'static [&'static str],
    /// Folders of wheels it comes in, under `site-packages`.
    pub wheels: &'static [&'static str],
    /// Beginnings of the names of files beside it that it looks for by name alone, in the order in which
    /// they need each other.
    pub beside: &'static [&'static str],
    version: fn(&libloading::Library) -> Option<Version>,
}

/// The compiler of CUDA C++ at run time.
pub(crate) const NVRTC: Library = Library {
    name: "nvrtc",
    title: "NVRTC",
    help: "`pip install nvidia-cuda-nvrtc` brings it",
    variable: "TUTOR_NVRTC",
    files: &[
        "libnvrtc.so",
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        "libnvrtc.so.11.2",
    ],
    wheels: &["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"],
    // With the dot: `libnvrtc-builtins.alt.so` beside it belongs to another variant of NVRTC.
    beside: &["libnvrtc-builtins.so."],
    version: nvrtc_version,
};

/// Matrix products.
pub(crate) const CUBLAS: Library = Library {
    name: "cublas",
    title: "cuBLAS",
    help: "`pip install nvidia-cublas` brings it, or the CUDA toolkit",
    variable: "TUTOR_CUBLAS",
    files: &[
        "libcublas.so",
        "libcublas.so.13",
        "libcublas.so.12",
        "libcublas.so.11",
    ],
    wheels: &["nvidia/cu13/lib", "nvidia/cublas/lib"],
    beside: &["libcublasLt.so"],
    version: cublas_version,
};

/// Layers of neural networks.
pub(crate) const CUDNN: Library = Library {
    name: "cudnn",
    title: "cuDNN",
    help: "`pip install nvidia-cudnn-cu13` brings it",
    variable: "TUTOR_CUDNN",
    files: &["libcudnn.so", "libcudnn.so.9", "libcudnn.so.8"],
    wheels: &["nvidia/cudnn/lib"],
    beside: &[
        "libcudnn_graph.so",
        "libcudnn_ops.so",
        // Before version 9, what only infers had a library of its own.
        "libcudnn_ops_infer.so",
    ],
    version: cudnn_version,
};

/// Folders of a toolkit that hold libraries.
const TOOLKIT_FOLDERS: [&str; 3] = ["lib64", "targets/x86_64-linux/lib", "lib"];

/// A library's version: `13.0`, or `9.10.2` of one that counts patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub major: i32,
    pub minor: i32,
    pub patch: Option<i32>,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        self.patch.map_or(Ok(()), |patch| write!(f, ".{patch}"))
    }
}

/// A file that is there, but cannot be used.
pub(crate) struct Broken {
    pub path: PathBuf,
    pub why: String,
}

impl Library {
    /// The files to try, in order. Those with a folder exist; those without are for the loader.
    fn candidates(&self) -> Vec<PathBuf> {
        if let Some(path) = env::var_os(self.variable) {
            return vec![path.into()];
        }
        let in_toolkits = toolkits()
            .into_iter()
            .flat_map(|root| TOOLKIT_FOLDERS.map(|folder| root.join(folder)));
        let in_packages = site_packages()
            .into_iter()
            .flat_map(|packages| self.wheels.iter().map(move |wheel| packages.join(wheel)));
        let found = in_toolkits
            .chain(in_packages)
            .flat_map(|folder| self.files.iter().map(move |file| folder.join(file)))
            .filter(|path| path.is_file());
        found.chain(self.files.iter().map(PathBuf::from)).collect()
    }

    /// Opens one candidate after the other, as the iterator is asked; those that are not there are left out.
    pub fn open_each(&self) -> impl Iterator<Item = Result<OpenLibrary, Broken>> {
        self.candidates().into_iter().filter_map(|path| {
            // A bare name that the loader does not find is merely not there. One that the user chose is
            // not skipped silently.
            let is_there = path.is_file() || env::var_os(self.variable).is_some();
            match self.open_at(&path) {
                Ok(library) => Some(Ok(library)),
                Err(why) => is_there.then_some(Err(Broken { path, why })),
            }
        })
    }

    /// Opens the first one that can be opened and says its version, or says why there is none.
    pub fn open(&self) -> Result<OpenLibrary, String> {
        let mut first_broken = None;
        for opened in self.open_each() {
            match opened {
                Ok(library) => return Ok(library),
                Err(broken) => first_broken = first_broken.or(Some(broken)),
            }
        }
        let (title, places, help) = (self.title, self.places(), self.help);
        Err(match first_broken {
            Some(Broken { path, why }) => {
                format!("{} is not a usable {title}: {why}", path.display())
            }
            None => format!("{title} was not found in {places}; {help}"),
        })
    }

    fn open_at(&self, path: &Path) -> Result<OpenLibrary, String> {
        let mut beside = Vec::new();
        for begins in self.beside {
            let file = path.parent().and_then(|folder| first_file(folder, begins));
            // SAFETY: loading runs the library's initialisers, which NVIDIA's libraries allow at any time.
            beside.extend(file.and_then(|file| unsafe { libloading::Library::new(file) }.ok()));
        }
        // SAFETY: as above.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|error| load_error(&error, path))?;
        let version = (self.version)(&library).ok_or("it does not say its version")?;
        // What starts threads or registers code with the driver is better never closed: the process
        // would jump into unmapped code at its end.
        std::mem::forget(beside);
        Ok(OpenLibrary {
            loaded: Box::leak(Box::new(library)),
            path: path.to_owned(),
            version,
            found: FoundLibrary {
                name: self.name.to_owned(),
                path: resolved(path),
                version: version.to_string(),
            },
        })
    }

    /// Where it was looked for, as a sentence's end.
    pub fn places(&self) -> String {
        match env::var_os(self.variable) {
            Some(path) => format!("`{}`, which {} names", path.display(), self.variable),
            None => "the CUDA toolkit, the Python environment and the loader's path".to_owned(),
        }
    }
}

/// What the loader says of a file that it does not load.
fn load_error(error: &libloading::Error, path: &Path) -> String {
    let cause = std::error::Error::source(error);
    let text = cause.map_or_else(|| error.to_string(), ToString::to_string);
    // The loader says `/a/lib.so: cannot open`; who reports it has named the file already.
    let prefix = format!("{}: ", path.display());
    text.strip_prefix(&prefix).unwrap_or(&text).to_owned()
}

/// The file that a library with this beginning of a name was loaded from, where the system tells.
pub(crate) fn loaded_from(begins: &str) -> Option<PathBuf> {
    // A line of it, for a mapped file: `7f12-7f34 r-xp 00000000 08:01 1234   /usr/lib/libcuda.so.1`.
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| &line[at..]));
    let mut files = paths.map(PathBuf::from);
    files.find(|path| has_prefix(path, begins))
}

/// Where an opened library is: one that the loader found by name has a path only now.
fn resolved(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // `libcublas.so.12` may have been loaded as `libcublas.so.12.8.4`.
    let begins = name.split_inclusive(".so").next().unwrap_or(&name);
    let is_bare_name = path
        .parent()
        .is_none_or(|folder| folder.as_os_str().is_empty());
    let found = is_bare_name.then(|| loaded_from(begins)).flatten();
    found.as_deref().unwrap_or(path).display().to_string()
}

/// The first file in `folder` whose name begins so; none of a bare name's, which is the loader's.
fn first_file(folder: &Path, begins: &str) -> Option<PathBuf> {
    if folder.as_os_str().is_empty() {
        return None;
    }
    let files = folder.read_dir().ok()?.flatten().map(|entry| entry.path());
    files.filter(|path| has_prefix(path, begins)).min()
}

fn has_prefix(path: &Path, begins: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(begins)
}

/// A library of NVIDIA's, loaded for as long as the process lives.
pub(crate) struct OpenLibrary {
    loaded: &'static libloading::Library,
    /// The file that was tried; a bare name where the loader found it.
    pub path: PathBuf,
    pub version: Version,
    /// The same, to be shown.
    pub found: FoundLibrary,
}

impl OpenLibrary {
    /// The library's function called `name`, of type `F`, which must be what NVIDIA's header declares.
    pub fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: callers give the type that the header declares; the library is never closed.
        let found = unsafe { self.loaded.get::<F>(name.as_bytes()) };
        let FoundLibrary { path, version, .. } = &self.found;
        let missing = |_| format!("{path} ({version}) is too old: it has no `{name}`");
        found.map(|symbol| *symbol).map_err(missing)
    }

    /// What the library's function `name_of` calls a status, as in `CUBLAS_STATUS_NOT_SUPPORTED`.
    pub fn status_name(&self, name_of: &str, status: c_int) -> String {
        type NameOf = unsafe extern "C" fn(c_int) -> *const c_char;
        let name = self.function::<NameOf>(name_of).map(|name_of| {
            // SAFETY: the library answers with a text that it keeps.
            let name = unsafe { CStr::from_ptr(name_of(status)) };
            name.to_string_lossy().into_owned()
        });
        name.unwrap_or_else(|_| format!("status {status}"))
    }
}

/// Roots of CUDA toolkits, in order.
pub(super) fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(env::var_os);
    let usual = ["/usr/local/cuda", "/opt/cuda"].iter().map(OsString::from);
    let mut roots: Vec<PathBuf> = named.chain(usual).map(PathBuf::from).collect();
    roots.dedup();
    roots
}

/// Folders of installed Python packages, in order.
fn site_packages() -> Vec<PathBuf> {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from);
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter();
    let mut roots: Vec<PathBuf> = environments.filter_map(variable).collect();
    roots.extend(variable("HOME").map(|home| home.join(".local")));
    roots.extend(["/usr/local", "/usr"].map(PathBuf::from));
    roots.iter().flat_map(|root| packages_under(root)).collect()
}

/// Folders of packages of the Pythons installed under `root`, the newest first: Debian and Ubuntu call
/// those of the system's Python `dist-packages`, and leave the version out of one of them.
fn packages_under(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = root.join("lib").read_dir() else {
        return Vec::new();
    };
    // Python 3.9 comes before 3.10.
    let minor = |name: &str| name.strip_prefix("python3.").map(str::parse::<u32>);
    let mut pythons: Vec<(Option<u32>, PathBuf)> = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match minor(&name) {
            Some(Ok(minor)) => pythons.push((Some(minor), path)),
            None if name == "python3" => pythons.push((None, path)),
            _ => {}
        }
    }
    pythons.sort();
    let newest_first = pythons.into_iter().rev();
    let folders = newest_first.flat_map(|(_, python)| {
        ["site-packages", "dist-packages"].map(|packages| python.join(packages))
    });
    folders.filter(|folder| folder.is_dir()).collect()
}

/// As `nvrtc.h` declares it: two numbers, and a status.
fn nvrtc_version(library: &libloading::Library) -> Option<Version> {
    type GetVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the type is the header's; both pointers are valid.
    let failed = unsafe {
        let get = library.get::<GetVersion>(b"nvrtcVersion").ok()?;
        get(&mut major, &mut minor)
    };
    (failed == 0).then_some(Version {
        major,
        minor,
        patch: None,
    })
}

/// As `cublas_api.h` declares it: properties 0 and 1 (`library_types.h`), each with a status.
fn cublas_version(library: &libloading::Library) -> Option<Version> {
    type GetProperty = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the type is the header's; both pointers are valid.
    let failed = unsafe {
        let get = library.get::<GetProperty>(b"cublasGetProperty").ok()?;
        get(0, &mut major) + get(1, &mut minor)
    };
    (failed == 0).then_some(Version {
        major,
        minor,
        patch: None,
    })
}

/// As `cudnn_version.h` declares it: 91002 is 9.10.2, but before version 9, 8907 was 8.9.7.
fn cudnn_version(library: &libloading::Library) -> Option<Version> {
    type GetVersion = unsafe extern "C" fn() -> usize;
    // SAFETY: the type is the header's.
    let version = unsafe { library.get::<GetVersion>(b"cudnnGetVersion").ok()?() } as i32;
    let major_unit = if version < 10_000 { 1_000 } else { 10_000 };
    Some(Version {
        major: version / major_unit,
        minor: version % major_unit / 100,
        patch: Some(version % 100),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_every_python_are_found_the_newest_first() {
        let root = tempfile::tempdir().expect("a temporary folder");
        for folder in [
            "python3.9/site-packages",
            "python3.12/dist-packages",
            "python3/dist-packages",
            "python3.10/site-packages",
            "python3.11",
            "python2.7/site-packages",
        ] {
            let folder = root.path().join("lib").join(folder);
            std::fs::create_dir_all(folder).expect("is made");
        }
        let lib = root.path().join("lib");
        let found = packages_under(root.path());
        let found: Vec<&Path> = found
            .iter()
            .filter_map(|folder| folder.strip_prefix(&lib).ok())
            .collect();
        let expected = [
            "python3.12/dist-packages",
            "python3.10/site-packages",
            "python3.9/site-packages",
            "python3/dist-packages",
        ];
        assert_eq!(found, expected.map(Path::new));
        assert!(packages_under(Path::new("/nonexistent")).is_empty());
    }
}
