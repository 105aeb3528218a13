//! The runtime as a library of the host's machine.

use std::cell::RefCell;
use std::rc::Rc;

use super::facts::errors::{self, Code, SUCCESS};
use super::numeric_libraries::cublas::Blas;
use super::state::{AllocationKind, Runtime};
use super::table::{Function, TABLE, find};
use super::texts;
use crate::host::device::KernelLaunch;
use crate::host::machine::{Call, Library, Machine, Native, Stop};

/// The runtime of a program, shared by its machine and by whoever reads what it has found.
#[derive(Clone)]
pub struct SharedRuntime<'a>(pub Rc<RefCell<Runtime<'a>>>);

impl<'a> SharedRuntime<'a> {
    /// Shares a runtime.
    pub fn new(runtime: Runtime<'a>) -> Self {
        SharedRuntime(Rc::new(RefCell::new(runtime)))
    }
}

impl Library for SharedRuntime<'_> {
    fn native(&self, name: &str) -> Option<Native> {
        texts::find(name)
    }

    fn find(&self, name: &str) -> Option<u32> {
        find(name).and_then(|at| u32::try_from(at).ok())
    }

    fn call(
        &mut self,
        function: u32,
        machine: &mut Machine<'_>,
        call: &Call<'_>,
    ) -> Result<u64, Stop> {
        let (name, function) = TABLE[function as usize];
        let mut runtime = self.0.borrow_mut();
        // Of errors up to here: one that this call gives has not been asked about.
        for code in texts::asked(machine) {
            runtime.seen(code);
        }
        runtime.dispatch(name, function, machine, call)
    }

    fn launch(
        &mut self,
        machine: &mut Machine<'_>,
        launch: KernelLaunch,
        stream: u64,
    ) -> Result<(), Stop> {
        let mut runtime = self.0.borrow_mut();
        let name = format!("{}<<<…>>>", runtime.program.functions[launch.kernel].name);
        let code = runtime.launch_kernel(machine, launch, stream)?;
        runtime.returned(machine, &name, code);
        Ok(())
    }

    fn describe(&self, address: u64) -> Option<String> {
        // A fault in a call of the runtime itself asks while the runtime is in use: then nothing is said.
        let runtime = self.0.try_borrow().ok()?;
        let (begin, allocation) = runtime.allocation_at(address)?;
        let at = address - begin;
        let size = allocation.size_bytes;
        (allocation.kind == AllocationKind::Device)
            .then(|| format!("that is byte {at} of {size} of cudaMalloc, which only kernels reach"))
    }

    fn end(&mut self, machine: &mut Machine<'_>) -> Result<(), Stop> {
        let mut runtime = self.0.borrow_mut();
        runtime.finish_unseen(machine)?;
        for code in texts::asked(machine) {
            runtime.seen(code);
        }
        Ok(())
    }
}

impl Runtime<'_> {
    /// Calls a function; what needs the device fails with the fault of an earlier kernel, without being tried.
    fn dispatch(
        &mut self,
        name: &str,
        function: Function,
        machine: &mut Machine<'_>,
        call: &Call<'_>,
    ) -> Result<u64, Stop> {
        match function {
            Function::Work(function) => {
                let code = match self.blocked() {
                    Some(code) => code,
                    None => function(self, machine, call)?,
                };
                Ok(self.given(machine, name, code))
            }
            Function::Status(function) => {
                let code = function(self, machine, call)?;
                Ok(self.given(machine, name, code))
            }
            Function::LastError { is_taken } => {
                let code = self.errors.last;
                self.seen(code);
                if is_taken {
                    self.errors.last = SUCCESS;
                }
                Ok(u64::from(code))
            }
            Function::Blas(function, element) => {
                // The product is computed here, not by a kernel: what its operands wait for must be done.
                self.synchronize(machine, Some(self.cublas_stream))?;
                let mut blas = Blas {
                    machine,
                    call,
                    element,
                };
                function(&mut blas).map(u64::from)
            }
            Function::LibraryStatus(function) => function(self, machine, call).map(u64::from),
        }
    }

    fn given(&mut self, machine: &Machine<'_>, name: &str, code: Code) -> u64 {
        // The header wraps some functions over names of its own.
        self.returned(machine, name.trim_start_matches('_'), code);
        debug_assert!(code < 1000 || code == errors::SUCCESS);
        u64::from(code)
    }
}
