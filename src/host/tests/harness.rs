//! What tests run programs with.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use crate::cuda::{self, FileVariableId, FunctionId};
use crate::device::{DEFAULT_GPU, Gpu, gpu};
use crate::host::*;
use crate::source::{Diagnostic, NEVER, SourceFile};

/// A GPU with one buffer, at the address where the first one begins.
pub struct OneBuffer(pub Vec<u8>);

impl Device for OneBuffer {
    fn gpu(&self) -> &'static Gpu {
        gpu(DEFAULT_GPU).expect("is known")
    }

    fn allocate(&mut self, _name: &str, _size_bytes: u64) -> Option<u64> {
        None
    }

    fn free(&mut self, _address: u64) -> bool {
        false
    }

    fn buffer_at(&self, address: u64) -> Option<(u64, u64)> {
        let size = self.0.len() as u64;
        let base = crate::ir::GLOBAL_STRIDE;
        (base..=base + size)
            .contains(&address)
            .then_some((base, size))
    }

    fn symbol(&self, _variable: FileVariableId) -> Option<(u64, u64)> {
        None
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let at = (address - crate::ir::GLOBAL_STRIDE) as usize;
        bytes.copy_from_slice(&self.0[at..at + bytes.len()]);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let at = (address - crate::ir::GLOBAL_STRIDE) as usize;
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        true
    }

    fn kernel(&mut self, _kernel: FunctionId) -> Result<KernelFacts, Box<Diagnostic>> {
        Ok(KernelFacts::default())
    }

    fn launch(&mut self, _launch: &KernelLaunch) -> LaunchEnd {
        LaunchEnd::default()
    }
}

/// What a program wrote, and what it may read.
#[derive(Clone, Default)]
pub struct Texts {
    pub output: Rc<RefCell<Vec<u8>>>,
    pub error: Rc<RefCell<Vec<u8>>>,
    pub input: Rc<RefCell<Vec<u8>>>,
}

impl Io for Texts {
    fn output(&mut self, bytes: &[u8]) {
        self.output.borrow_mut().extend_from_slice(bytes);
    }

    fn error(&mut self, bytes: &[u8]) {
        self.error.borrow_mut().extend_from_slice(bytes);
    }

    fn input(&mut self, bytes: &mut [u8]) -> usize {
        let mut input = self.input.borrow_mut();
        let count = input.len().min(bytes.len());
        bytes[..count].copy_from_slice(&input[..count]);
        input.drain(..count);
        count
    }

    fn file(&mut self, path: &str) -> Option<Vec<u8>> {
        (path == "numbers.txt").then(|| b"1 2.5 three\nfour\n".to_vec())
    }
}

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    pub exit: Exit,
    pub output: String,
    pub error: String,
}

/// Runs a program with input.
pub fn run_with(text: &str, input: &str) -> Ran {
    run(text, input, false)
}

/// The same without loops that run many iterations at a time.
pub fn interpreted(text: &str) -> Ran {
    run(text, "", true)
}

/// What is said of a program whose heap is checked.
pub fn checked(text: &str) -> Vec<Diagnostic> {
    run(text, "", true).exit.warnings
}

fn run(text: &str, input: &str, check: bool) -> Ran {
    let file = SourceFile::new("test.cu", text);
    let parsed = cuda::parse_program(&file, &[]);
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    let program = match load(&parsed.program, &NoLibrary, &[]) {
        Ok(program) => program,
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    };
    let texts = Texts::default();
    texts.input.borrow_mut().extend_from_slice(input.as_bytes());
    let progress = AtomicU64::new(0);
    let setup = Setup {
        io: Box::new(texts.clone()),
        device: Box::new(OneBuffer(vec![0; 64])),
        library: Box::new(NoLibrary),
        cancel: &NEVER,
        progress: &progress,
        check,
    };
    let exit = Machine::new(&program, setup).run(&["test", "one", "two"]);
    let text = |bytes: &Rc<RefCell<Vec<u8>>>| String::from_utf8_lossy(&bytes.borrow()).into_owned();
    let (output, error) = (text(&texts.output), text(&texts.error));
    Ran {
        exit,
        output,
        error,
    }
}

/// Runs a program that ends well; what it prints.
pub fn output(text: &str) -> String {
    let ran = run_with(text, "");
    assert_eq!(ran.exit.code, 0, "{ran:#?}");
    ran.output
}

/// What `main` prints whose statements these are.
pub fn printed(body: &str) -> String {
    printed_with("", body)
}

/// The same behind other lines.
pub fn printed_with(head: &str, body: &str) -> String {
    output(&format!(
        "{head}\n#include <stdio.h>\nint main() {{ {body} return 0; }}"
    ))
}
