//! Where NVIDIA's libraries may lie: an order of places, looked at when somebody asks.
//!
//! The order is: what an override variable names, the toolkit, the PyPI wheels of the active and
//! the user's Python environments and of the system's Python, and last what the loader finds by name.

#![allow(unsafe_code, reason = "asks libraries for their versions")]

use std::env;
use std::ffi::{CStr, OsString, c_char, c_int};
use std::fs;
use std::path::{Path, PathBuf};

use super::protocol::FoundLibrary;

/// One of NVIDIA's libraries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Library {
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
}

/// The compiler of CUDA C++ at run time.
pub(super) const NVRTC: Library = Library {
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
    beside: &["libnvrtc-builtins"],
};

/// Matrix products.
pub(super) const CUBLAS: Library = Library {
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
};

/// Layers of neural networks.
pub(super) const CUDNN: Library = Library {
    name: "cudnn",
    title: "cuDNN",
    help: "`pip install nvidia-cudnn-cu13` brings it",
    variable: "TUTOR_CUDNN",
    files: &["libcudnn.so", "libcudnn.so.9", "libcudnn.so.8"],
    wheels: &["nvidia/cudnn/lib"],
    beside: &[
        "libcudnn_graph.so",
        "libcudnn_ops.so",
        "libcudnn_ops_infer.so",
    ],
};

/// Folders of a toolkit that hold libraries.
const TOOLKIT_FOLDERS: [&str; 3] = ["lib64", "targets/x86_64-linux/lib", "lib"];

impl Library {
    /// The files to try, in order. Those with a folder exist; those without are for the loader.
    pub fn candidates(&self) -> Vec<PathBuf> {
        if let Some(path) = env::var_os(self.variable) {
            return vec![path.into()];
        }
        let mut found = Vec::new();
        for root in toolkits() {
            let folders = TOOLKIT_FOLDERS.iter().map(|folder| root.join(folder));
            folders.for_each(|folder| self.add_from(&folder, &mut found));
        }
        for packages in site_packages() {
            let folders = self.wheels.iter().map(|wheel| packages.join(wheel));
            folders.for_each(|folder| self.add_from(&folder, &mut found));
        }
        found.extend(self.files.iter().map(PathBuf::from));
        found
    }

    fn add_from(&self, folder: &Path, found: &mut Vec<PathBuf>) {
        let files = self.files.iter().map(|file| folder.join(file));
        found.extend(files.filter(|path| path.is_file()));
    }

    /// The first one that can be opened and says its version.
    pub fn find(&self) -> Option<FoundLibrary> {
        Some(self.open().ok()?.found)
    }

    /// Opens the first one that can be opened and says its version, or says why there is none.
    pub fn open(&self) -> Result<Opened, String> {
        let mut broken = None;
        for path in self.candidates() {
            let is_there = path.is_file() || env::var_os(self.variable).is_some();
            match self.open_at(&path) {
                Ok(opened) => return Ok(opened),
                Err(why) if is_there => {
                    let path = path.display();
                    broken.get_or_insert(format!("{path} is not a usable {}: {why}", self.title));
                }
                Err(_) => {}
            }
        }
        Err(broken.unwrap_or_else(|| {
            let (title, places, help) = (self.title, self.places(), self.help);
            format!("{title} was not found in {places}; {help}")
        }))
    }

    fn open_at(&self, path: &Path) -> Result<Opened, String> {
        let mut beside = Vec::new();
        for begins in self.beside {
            let file = path.parent().and_then(|folder| first_file(folder, begins));
            // SAFETY: loading runs the library's initialisers, which NVIDIA's libraries allow.
            beside.extend(file.and_then(|file| unsafe { libloading::Library::new(file) }.ok()));
        }
        // SAFETY: as above.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|error| why(&error, path))?;
        let version = version(&library).ok_or("it does not say its version")?;
        // What starts threads or registers code with the driver is better never closed.
        std::mem::forget(beside);
        Ok(Opened {
            loaded: Box::leak(Box::new(library)),
            found: FoundLibrary {
                name: self.name.to_owned(),
                path: place(path),
                version,
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
pub(super) fn why(error: &libloading::Error, path: &Path) -> String {
    let said = std::error::Error::source(error);
    let said = said.map_or_else(|| error.to_string(), ToString::to_string);
    // Who tells it has named the file.
    let named = format!("{}: ", path.display());
    said.strip_prefix(&named).unwrap_or(&said).to_owned()
}

/// The file that a library with this beginning of a name was loaded from, where the system tells.
pub(super) fn loaded_from(begins: &str) -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| &line[at..]));
    let mut files = paths.map(PathBuf::from);
    files.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(begins)
    })
}

/// Where an opened library is: one that the loader found by name has a path only now.
pub(super) fn place(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begins = name.split_inclusive(".so").next().unwrap_or(&name);
    let is_named = path
        .parent()
        .is_none_or(|folder| folder.as_os_str().is_empty());
    let found = is_named.then(|| loaded_from(begins)).flatten();
    found.as_deref().unwrap_or(path).display().to_string()
}

/// The first file in `folder` whose name begins so; none of a bare name's, which is the loader's.
fn first_file(folder: &Path, begins: &str) -> Option<PathBuf> {
    if folder.as_os_str().is_empty() {
        return None;
    }
    let files = folder.read_dir().ok()?.flatten().map(|entry| entry.path());
    let named = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(begins)
    };
    files.filter(named).min()
}

/// A library of NVIDIA's that stays open.
pub(super) struct Opened {
    loaded: &'static libloading::Library,
    /// Where it is, and its version.
    pub found: FoundLibrary,
}

impl Opened {
    /// The library's function called `name`, of type `F`, which must be what NVIDIA's header declares.
    pub fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: callers give the type that the header declares; the library is never closed.
        let found = unsafe { self.loaded.get::<F>(name.as_bytes()) };
        let FoundLibrary { path, version, .. } = &self.found;
        let missing = |_| format!("{path} ({version}) is too old: it has no `{name}`");
        found.map(|symbol| *symbol).map_err(missing)
    }

    /// What `function` meant by `status`, where it is not success; the library's function `name_of` has
    /// the names.
    pub fn check(&self, function: &str, name_of: &str, status: c_int) -> Result<(), String> {
        type NameOf = unsafe extern "C" fn(c_int) -> *const c_char;
        if status == 0 {
            return Ok(());
        }
        let name = self.function::<NameOf>(name_of).map(|name_of| {
            // SAFETY: the library answers with a text that it keeps.
            let name = unsafe { CStr::from_ptr(name_of(status)) };
            name.to_string_lossy().into_owned()
        });
        let name = name.unwrap_or_else(|_| format!("status {status}"));
        Err(format!("`{function}` says {name}"))
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

/// What a library of matrix products or of networks says of its version.
fn version(library: &libloading::Library) -> Option<String> {
    type GetProperty = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
    type GetVersion = unsafe extern "C" fn() -> usize;
    // SAFETY: the types are those of cublas_api.h and cudnn_version.h.
    unsafe {
        if let Ok(get) = library.get::<GetVersion>(b"cudnnGetVersion") {
            let version = get();
            let (major, minor) = (version / 10_000, version / 100 % 100);
            return Some(format!("{major}.{minor}.{}", version % 100));
        }
        let get = library.get::<GetProperty>(b"cublasGetProperty").ok()?;
        let (mut major, mut minor) = (0, 0);
        let failed = get(0, &mut major) + get(1, &mut minor);
        (failed == 0).then(|| format!("{major}.{minor}"))
    }
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
