//! NVRTC, NVIDIA's compiler of CUDA C++ at run time, opened from any path and of any version since
//! 11.2. It needs neither a GPU nor a driver.

#![allow(unsafe_code, reason = "calls into a shared library of NVIDIA's")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;

use crate::gpu::library::{self, Broken, NVRTC, OpenLibrary};
use crate::gpu::protocol::Unavailable;

/// A program in the library; owned by [`Compilation`].
type Handle = *mut c_void;
type Status = c_int;

/// Functions of the library that take a program and write a number or a text.
type SizeOf = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type TextOf = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

/// The compiler.
pub(crate) struct Nvrtc {
    pub library: OpenLibrary,
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
pub(crate) struct CompiledText {
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
        for opened in NVRTC.open_each() {
            match opened {
                Ok(library) if most_major.is_none_or(|most| library.version.major <= most) => {
                    return Ok(Nvrtc { library });
                }
                Ok(library) => too_new = too_new.or(Some(library)),
                Err(why) => broken = broken.or(Some(why)),
            }
        }
        Err(match (too_new, broken) {
            // A newer driver would take it, which says more than that another file is broken.
            (Some(library), _) => Unavailable::NvrtcTooNew {
                version: (library.version.major, library.version.minor),
                path: library.path,
                most_major: most_major.unwrap_or_default(),
            },
            (None, Some(Broken { path, why })) => Unavailable::NvrtcBroken { path, why },
            (None, None) => Unavailable::NoNvrtc {
                places: NVRTC.places(),
            },
        })
    }

    /// Compiles a text.
    pub fn compile(&self, input: &Input) -> Result<CompiledText, CompileError> {
        let program = Compilation::new(self, input)?;
        // Names of templates' instances are made only for those that were asked for before compiling.
        for kernel in input.kernels {
            program.ask_for(kernel)?;
        }
        let compiled = program.compile(input.options)?;
        let log = program.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
        if !compiled {
            return Err(CompileError::Refused(log));
        }
        let kernels = input.kernels.iter();
        Ok(CompiledText {
            cubin: program.bytes("nvrtcGetCUBINSize", "nvrtcGetCUBIN")?,
            ptx: program.text("nvrtcGetPTXSize", "nvrtcGetPTX")?,
            kernels: kernels
                .map(|kernel| program.lowered(kernel))
                .collect::<Result<_, _>>()?,
        })
    }

    /// What it is called, as in `NVRTC 13.0`.
    pub fn title(&self) -> String {
        format!("NVRTC {}", self.library.version)
    }

    /// Folders with the headers that belong to it.
    pub fn include_folders(&self) -> Vec<PathBuf> {
        // From `nvidia/cuda_nvrtc/lib/libnvrtc.so.12`, the wheel's `nvidia` is three folders up; a
        // toolkit's root is one up from `lib64`, and three from `targets/x86_64-linux/lib`.
        let above = || self.library.path.ancestors().skip(1).take(4);
        // Wheels for CUDA 12 have a folder for each library; the headers come with the run time's.
        let named = ["include", "cuda_runtime/include"];
        let beside = above().flat_map(|folder| named.map(|name| folder.join(name)));
        let in_toolkits = library::toolkits().into_iter();
        let mut folders: Vec<PathBuf> = beside
            .chain(in_toolkits.map(|root| root.join("include")))
            .filter(|folder| folder.join("cuda_fp16.h").is_file())
            .collect();
        folders.dedup();
        // The C++ library has a folder of its own since CUDA 13, and a wheel of its own before; what
        // headers of tensor cores include came with the compiler's.
        let named = ["cuda_cccl/include", "cuda_nvcc/include"];
        let wheels = above().flat_map(|folder| named.map(|name| folder.join(name)));
        let inside = folders.iter().map(|folder| folder.join("cccl"));
        let others = inside.chain(wheels).filter(|folder| folder.is_dir());
        let others: Vec<PathBuf> = others.collect();
        folders.extend(others);
        folders
    }
}

/// Success (`NVRTC_SUCCESS`), and a text that is wrong (`NVRTC_ERROR_COMPILATION`); nvrtc.h.
const SUCCESS: Status = 0;
const WRONG_TEXT: Status = 6;

/// A text being compiled, `nvrtcProgram`; destroyed when dropped.
struct Compilation<'a> {
    nvrtc: &'a Nvrtc,
    handle: Handle,
}

impl<'a> Compilation<'a> {
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
        let headers = || input.headers.iter();
        let names: Vec<CString> = headers().map(|header| c_string(header.0)).collect();
        let texts: Vec<CString> = headers().map(|header| c_string(header.1)).collect();
        let (names, texts) = (pointers(&names), pointers(&texts));
        let mut program = Compilation {
            nvrtc,
            handle: ptr::null_mut(),
        };
        let mut handle = ptr::null_mut();
        // SAFETY: the signature is the header's; all texts end with a zero and outlive the call.
        program.call("nvrtcCreateProgram", |create: Create| unsafe {
            create(
                &mut handle,
                text.as_ptr(),
                name.as_ptr(),
                names.len() as c_int,
                texts.as_ptr(),
                names.as_ptr(),
            )
        })?;
        program.handle = handle;
        Ok(program)
    }

    /// Has `call` call the library's function `name`, which answers with a status.
    fn call<F: Copy>(
        &self,
        name: &'static str,
        call: impl FnOnce(F) -> Status,
    ) -> Result<(), CompileError> {
        let library = &self.nvrtc.library;
        let failed = |why| CompileError::Library(name, why);
        match call(library.function::<F>(name).map_err(failed)?) {
            SUCCESS => Ok(()),
            status => Err(failed(library.status_name("nvrtcGetErrorString", status))),
        }
    }

    fn ask_for(&self, kernel: &str) -> Result<(), CompileError> {
        type Add = unsafe extern "C" fn(Handle, *const c_char) -> Status;
        let kernel = c_string(kernel);
        // SAFETY: the signature is the header's; the text ends with a zero and outlives the call.
        self.call("nvrtcAddNameExpression", |add: Add| unsafe {
            add(self.handle, kernel.as_ptr())
        })
    }

    /// Whether the text compiles.
    fn compile(&self, options: &[String]) -> Result<bool, CompileError> {
        type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
        let options: Vec<CString> = options.iter().map(|option| c_string(option)).collect();
        let options = pointers(&options);
        let mut compiles = true;
        self.call("nvrtcCompileProgram", |compile: Compile| {
            // SAFETY: the signature is the header's; all texts end with a zero and outlive the call.
            let status = unsafe { compile(self.handle, options.len() as c_int, options.as_ptr()) };
            compiles = status != WRONG_TEXT;
            if compiles { status } else { SUCCESS }
        })?;
        Ok(compiles)
    }

    /// What two functions of the library say: how long it is, and what it is.
    fn bytes(&self, size_name: &'static str, name: &'static str) -> Result<Vec<u8>, CompileError> {
        let mut size = 0;
        // SAFETY: the signature is the header's.
        self.call(size_name, |size_of: SizeOf| unsafe {
            size_of(self.handle, &mut size)
        })?;
        let mut bytes = vec![0_u8; size];
        if size > 0 {
            // SAFETY: as above; as many bytes are written as the first function says.
            self.call(name, |text_of: TextOf| unsafe {
                text_of(self.handle, bytes.as_mut_ptr().cast())
            })?;
        }
        Ok(bytes)
    }

    fn text(&self, size_name: &'static str, name: &'static str) -> Result<String, CompileError> {
        let bytes = self.bytes(size_name, name)?;
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// The linker's name of a kernel: `_Z7softmaxPKfPfi` of `softmax`.
    fn lowered(&self, kernel: &str) -> Result<String, CompileError> {
        type Lowered = unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char) -> Status;
        let kernel = c_string(kernel);
        let mut text = ptr::null();
        // SAFETY: the signature is the header's.
        self.call("nvrtcGetLoweredName", |lowered: Lowered| unsafe {
            lowered(self.handle, kernel.as_ptr(), &mut text)
        })?;
        // SAFETY: the answer lives as long as the program.
        let text = unsafe { CStr::from_ptr(text) };
        Ok(text.to_string_lossy().into_owned())
    }
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        type Destroy = unsafe extern "C" fn(*mut Handle) -> Status;
        if !self.handle.is_null() {
            let mut handle = self.handle;
            // SAFETY: the signature is the header's; nobody uses the handle after this.
            let _ = self.call("nvrtcDestroyProgram", |destroy: Destroy| unsafe {
                destroy(&mut handle)
            });
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
