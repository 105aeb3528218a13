//! Where NVIDIA's libraries may lie: an order of places, looked at when somebody asks.
//!
//! The order is: what an override variable names, the toolkit, the PyPI wheels of the active and
//! the user's Python environments, and last what the loader finds by name.

#![allow(unsafe_code, reason = "asks libraries for their versions")]

use std::env;
use std::ffi::{OsString, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::job::FoundLibrary;

/// One of NVIDIA's libraries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Library {
    /// Its name, as in `nvrtc`.
    pub name: &'static str,
    /// The variable that names its file, and puts an end to the search.
    pub variable: &'static str,
    /// What its file is called, the newest version first.
    pub files: &'static [&'static str],
    /// Folders of wheels it comes in, under `site-packages`.
    pub wheels: &'static [&'static str],
}

/// The compiler of CUDA C++ at run time.
pub(super) const NVRTC: Library = Library {
    name: "nvrtc",
    variable: "TUTOR_NVRTC",
    files: &[
        "libnvrtc.so",
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        "libnvrtc.so.11.2",
    ],
    wheels: &["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"],
};

/// Matrix products.
pub(super) const CUBLAS: Library = Library {
    name: "cublas",
    variable: "TUTOR_CUBLAS",
    files: &["libcublas.so", "libcublas.so.13", "libcublas.so.12"],
    wheels: &["nvidia/cu13/lib", "nvidia/cublas/lib"],
};

/// Layers of neural networks.
pub(super) const CUDNN: Library = Library {
    name: "cudnn",
    variable: "TUTOR_CUDNN",
    files: &["libcudnn.so", "libcudnn.so.9"],
    wheels: &["nvidia/cudnn/lib"],
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
        self.candidates().into_iter().find_map(|path| {
            // SAFETY: loading runs the library's initialisers, which NVIDIA's libraries allow.
            let library = unsafe { libloading::Library::new(&path) }.ok()?;
            Some(FoundLibrary {
                name: self.name.to_owned(),
                path: path.display().to_string(),
                version: version(&library)?,
            })
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

/// Roots of CUDA toolkits, in order.
pub(super) fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(env::var_os);
    let usual = ["/usr/local/cuda", "/opt/cuda"].iter().map(OsString::from);
    let mut roots: Vec<PathBuf> = named.chain(usual).map(PathBuf::from).collect();
    roots.dedup();
    roots
}

/// NVIDIA's profiler of kernels, Nsight Compute, on the path or in a toolkit.
pub fn find_profiler() -> Option<FoundLibrary> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&path).chain(toolkits().into_iter().map(|root| root.join("bin")));
    let mut files = folders.map(|folder| folder.join("ncu"));
    let file = files.find(|file| file.is_file())?;
    let said = Command::new(&file).arg("--version").output().ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = said.split("Version ").nth(1)?;
    Some(FoundLibrary {
        name: "ncu".to_owned(),
        path: file.display().to_string(),
        version: version.split_whitespace().next()?.to_owned(),
    })
}

/// Folders of installed Python packages, in order.
fn site_packages() -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"];
    let mut roots: Vec<PathBuf> = environments
        .iter()
        .filter_map(env::var_os)
        .map(PathBuf::from)
        .collect();
    roots.extend(env::var_os("HOME").map(|home| PathBuf::from(home).join(".local")));
    let mut found = Vec::new();
    for root in roots {
        let Ok(entries) = root.join("lib").read_dir() else {
            continue;
        };
        let folders = entries.flatten().map(|entry| entry.path());
        let mut pythons: Vec<PathBuf> = folders
            .filter(|folder| {
                folder
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("python3"))
            })
            .collect();
        pythons.sort();
        found.extend(
            pythons
                .iter()
                .rev()
                .map(|python| python.join("site-packages")),
        );
    }
    found
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
