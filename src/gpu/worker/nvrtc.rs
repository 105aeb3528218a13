//! NVRTC, NVIDIA's compiler of CUDA C++ at run time, opened from any path and of any version since
//! 11.2. It needs neither a GPU nor a driver.

#![allow(unsafe_code, reason = "calls into a shared library of NVIDIA's")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use crate::gpu::library;
use crate::gpu::library::NVRTC;
use crate::gpu::protocol::FoundLibrary;
use crate::gpu::protocol::Unavailable;

/// A program in the library; owned by [`Program`].
type Handle = *mut c_void;
type Status = c_int;

/// Functions of the library that take a program and write a number or a text.
type SizeOf = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type TextOf = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

/// The compiler.
pub(crate) struct Nvrtc {
    loaded: Library,
    _builtins: Option<Library>,
    /// Where it was found; a bare name where the loader found it.
    pub path: PathBuf,
    /// Major and minor version.
    pub version: (i32, i32),
}

/// What to compile.
pub(crate) struct Input<'a> {
    /// Name of the file, for messages.
    pub name: &'a str,
    /// CUDA C++.
    pub text: &'a str,
    /// Headers that `#include` finds before any file: names and texts.
    pub headers: &'a [(&'a str, &'a str)],
    /// Names of kernels as C++ writes them, as in `softmax<float, 4>`.
    pub kernels: &'a [&'a str],
    /// Options.
    pub options: &'a [String],
}

/// What came out.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    /// Machine code of the GPU that was asked for; none where it was an architecture of PTX.
    pub cubin: Vec<u8>,
    /// Intermediate code.
    pub ptx: String,
    /// The linker's name of each kernel that was asked for.
    pub kernels: Vec<String>,
}

/// Why nothing came out.
#[derive(Clone, Debug)]
pub(crate) enum CompileError {
    /// The text is wrong; the compiler's log.
    Refused(String),
    /// The library failed in a function, with a status.
    Library(&'static str, String),
}

impl Nvrtc {
    /// Opens the newest one that is not of a later major version than `most_major`, the driver's:
    /// its code would be refused.
    pub fn open(most_major: Option<i32>) -> Result<Self, Unavailable> {
        let mut too_new = None;
        let mut broken = None;
        for path in NVRTC.candidates() {
            match Self::open_at(&path) {
                Ok(nvrtc) if most_major.is_none_or(|most| nvrtc.version.0 <= most) => {
                    return Ok(nvrtc);
                }
                Ok(nvrtc) => too_new = too_new.or(Some((nvrtc.path, nvrtc.version))),
                Err(OpenError::NotThere) => {}
                Err(OpenError::Broken(why)) => broken = broken.or(Some((path, why))),
            }
        }
        Err(match (too_new, broken) {
            (Some((path, version)), _) => Unavailable::NvrtcTooNew {
                path,
                version,
                most_major: most_major.unwrap_or_default(),
            },
            (None, Some((path, why))) => Unavailable::NvrtcBroken { path, why },
            (None, None) => Unavailable::NoNvrtc {
                places: NVRTC.places(),
            },
        })
    }

    /// Where it is, and its version.
    pub fn found(&self) -> FoundLibrary {
        FoundLibrary {
            name: NVRTC.name.to_owned(),
            path: library::place(&self.path),
            version: format!("{}.{}", self.version.0, self.version.1),
        }
    }

    fn open_at(path: &Path) -> Result<Self, OpenError> {
        let builtins = open_builtins(path);
        // SAFETY: loading runs the library's initialisers, which NVIDIA's libraries allow at any time.
        let library = unsafe { Library::new(path) }.map_err(|error| OpenError::of(path, &error))?;
        let mut nvrtc = Nvrtc {
            loaded: library,
            _builtins: builtins,
            path: path.to_owned(),
            version: (0, 0),
        };
        let (mut major, mut minor) = (0, 0);
        type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
        let version = nvrtc.function::<Version>("nvrtcVersion");
        let version = version.map_err(OpenError::Broken)?;
        // SAFETY: the signature is that of the header; both pointers are valid.
        unsafe { version(&mut major, &mut minor) };
        nvrtc.version = (major, minor);
        Ok(nvrtc)
    }

    /// The library's function called `name`, of type `F`.
    fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: callers give the type that NVIDIA's header declares.
        let found = unsafe { self.loaded.get::<F>(name.as_bytes()) };
        found
            .map(|symbol| *symbol)
            .map_err(|_| format!("it has no function `{name}`"))
    }

    /// Compiles a text.
    pub fn compile(&self, input: &Input) -> Result<Compiled, CompileError> {
        let program = Program::new(self, input)?;
        for kernel in input.kernels {
            program.ask_for(kernel)?;
        }
        let compiled = program.compile(input.options)?;
        let log = program.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
        if !compiled {
            return Err(CompileError::Refused(log));
        }
        let kernels = input.kernels.iter();
        Ok(Compiled {
            cubin: program.bytes("nvrtcGetCUBINSize", "nvrtcGetCUBIN")?,
            ptx: program.text("nvrtcGetPTXSize", "nvrtcGetPTX")?,
            kernels: kernels
                .map(|kernel| program.lowered(kernel))
                .collect::<Result<_, _>>()?,
        })
    }

    /// What it is called, as in `NVRTC 13.0`.
    pub fn title(&self) -> String {
        let (major, minor) = self.version;
        format!("NVRTC {major}.{minor}")
    }

    fn status_text(&self, status: Status) -> String {
        type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;
        let Ok(text) = self.function::<ErrorString>("nvrtcGetErrorString") else {
            return format!("status {status}");
        };
        // SAFETY: the library answers with a text that it keeps.
        let text = unsafe { CStr::from_ptr(text(status)) };
        text.to_string_lossy().into_owned()
    }

    /// Folders with the headers that belong to it.
    pub fn include_folders(&self) -> Vec<PathBuf> {
        let beside = self.path.ancestors().skip(1).take(4);
        // Wheels for CUDA 12 have a folder for each library; the headers come with the run time's.
        let inside = ["include", "cuda_runtime/include"];
        let named = beside.flat_map(|folder| inside.map(|name| folder.join(name)));
        let mut folders: Vec<PathBuf> = named.collect();
        folders.extend(
            library::toolkits()
                .into_iter()
                .map(|root| root.join("include")),
        );
        folders.retain(|folder| folder.join("cuda_fp16.h").is_file());
        folders.dedup();
        // The C++ library has a folder of its own since CUDA 13, and a wheel of its own before; what
        // headers of tensor cores include came with the compiler's.
        let wheels = self.path.ancestors().skip(1).take(4);
        let inside = ["cuda_cccl/include", "cuda_nvcc/include"];
        let wheels = wheels.flat_map(|folder| inside.map(|name| folder.join(name)));
        let others = folders
            .iter()
            .map(|folder| folder.join("cccl"))
            .chain(wheels);
        let others: Vec<PathBuf> = others.filter(|folder| folder.is_dir()).collect();
        folders.extend(others);
        folders
    }
}

/// Opens what lies beside NVRTC and what it looks for by name alone, so that it finds it.
fn open_builtins(path: &Path) -> Option<Library> {
    let folder = path.parent()?.read_dir().ok()?;
    let mut files = folder.flatten().map(|entry| entry.path());
    let is_builtins = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libnvrtc-builtins.so.")
    };
    // SAFETY: it is a library of tables.
    unsafe { Library::new(files.find(is_builtins)?) }.ok()
}

/// Why a file could not be opened as NVRTC.
enum OpenError {
    NotThere,
    Broken(String),
}

impl OpenError {
    /// A name that the loader does not find is merely not there; a file that does not load is broken.
    fn of(path: &Path, error: &libloading::Error) -> Self {
        match path.is_file() || std::env::var_os(NVRTC.variable).is_some() {
            true => OpenError::Broken(library::why(error, path)),
            false => OpenError::NotThere,
        }
    }
}

/// Success (`NVRTC_SUCCESS`), and a text that is wrong (`NVRTC_ERROR_COMPILATION`); nvrtc.h.
const SUCCESS: Status = 0;
const WRONG_TEXT: Status = 6;

/// A program being compiled.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    handle: Handle,
}

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, input: &Input) -> Result<Self, CompileError> {
        type Create = unsafe extern "C" fn(
            *mut Handle,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> Status;
        let (text, name) = (c_string(input.text), c_string(input.name));
        let names: Vec<CString> = input
            .headers
            .iter()
            .map(|header| c_string(header.0))
            .collect();
        let texts: Vec<CString> = input
            .headers
            .iter()
            .map(|header| c_string(header.1))
            .collect();
        let (names, texts) = (pointers(&names), pointers(&texts));
        let mut program = Program {
            nvrtc,
            handle: ptr::null_mut(),
        };
        let create = program.function::<Create>("nvrtcCreateProgram")?;
        // SAFETY: the signature is the header's; all texts end with a zero and outlive the call.
        let status = unsafe {
            create(
                &mut program.handle,
                text.as_ptr(),
                name.as_ptr(),
                names.len() as c_int,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        program.check("nvrtcCreateProgram", status)?;
        Ok(program)
    }

    fn function<F: Copy>(&self, name: &'static str) -> Result<F, CompileError> {
        let found = self.nvrtc.function::<F>(name);
        found.map_err(|why| CompileError::Library(name, why))
    }

    fn check(&self, name: &'static str, status: Status) -> Result<(), CompileError> {
        match status {
            SUCCESS => Ok(()),
            status => Err(CompileError::Library(name, self.nvrtc.status_text(status))),
        }
    }

    fn ask_for(&self, kernel: &str) -> Result<(), CompileError> {
        let name = "nvrtcAddNameExpression";
        type Add = unsafe extern "C" fn(Handle, *const c_char) -> Status;
        let add = self.function::<Add>(name)?;
        let kernel = c_string(kernel);
        // SAFETY: the signature is the header's; the text ends with a zero and outlives the call.
        self.check(name, unsafe { add(self.handle, kernel.as_ptr()) })
    }

    fn compile(&self, options: &[String]) -> Result<bool, CompileError> {
        let name = "nvrtcCompileProgram";
        type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
        let compile = self.function::<Compile>(name)?;
        let options: Vec<CString> = options.iter().map(|option| c_string(option)).collect();
        let options = pointers(&options);
        // SAFETY: the signature is the header's; all texts end with a zero and outlive the call.
        let status = unsafe { compile(self.handle, options.len() as c_int, options.as_ptr()) };
        match status {
            WRONG_TEXT => Ok(false),
            status => self.check(name, status).map(|()| true),
        }
    }

    /// What two functions of the library say: how long it is, and what it is.
    fn bytes(&self, size_name: &'static str, name: &'static str) -> Result<Vec<u8>, CompileError> {
        let (size_of, text_of) = (
            self.function::<SizeOf>(size_name)?,
            self.function::<TextOf>(name)?,
        );
        let mut size = 0;
        // SAFETY: the signatures are the header's; the second call writes as many bytes as the first
        // one says.
        unsafe {
            self.check(size_name, size_of(self.handle, &mut size))?;
            let mut bytes = vec![0_u8; size];
            if size == 0 {
                return Ok(bytes);
            }
            self.check(name, text_of(self.handle, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }

    fn text(&self, size_name: &'static str, name: &'static str) -> Result<String, CompileError> {
        let bytes = self.bytes(size_name, name)?;
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn lowered(&self, kernel: &str) -> Result<String, CompileError> {
        let name = "nvrtcGetLoweredName";
        type Lowered = unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char) -> Status;
        let lowered = self.function::<Lowered>(name)?;
        let kernel = c_string(kernel);
        let mut text = ptr::null();
        // SAFETY: the signature is the header's; the answer lives as long as the program.
        unsafe {
            self.check(name, lowered(self.handle, kernel.as_ptr(), &mut text))?;
            Ok(CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        type Destroy = unsafe extern "C" fn(*mut Handle) -> Status;
        if let (false, Ok(destroy)) = (
            self.handle.is_null(),
            self.nvrtc.function::<Destroy>("nvrtcDestroyProgram"),
        ) {
            // SAFETY: the signature is the header's; nobody uses the handle after this.
            unsafe { destroy(&mut self.handle) };
        }
    }
}

/// A text for C, up to its first zero.
fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("has no zero before its end")
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}
