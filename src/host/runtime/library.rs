//! The runtime as a library of the host's machine.

use std::cell::RefCell;
use std::rc::Rc;

use super::facts::errors::{self, Code, SUCCESS};
use super::numeric_libraries::cublas::{Blas, BlasFunction};
use super::state::{AllocationKind, Runtime};
use super::table::{Function, TABLE, find};
use super::texts;
use super::work::{LibraryCall, StreamOperation};
use crate::cuda::Type;
use crate::host::device::KernelLaunch;
use crate::host::machine::{Call, Library, Machine, Native, Stop};
use crate::host::memory::DATA;
use crate::ir::GLOBAL_STRIDE;
use crate::launch::ElementType;

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
            Function::Blas(function, element) => self.blas(machine, call, function, element),
            Function::LibraryStatus(function) => function(self, machine, call).map(u64::from),
        }
    }

    /// A call of cuBLAS: now, or as a node of the graph that is captured.
    fn blas(
        &mut self,
        machine: &mut Machine<'_>,
        call: &Call<'_>,
        function: BlasFunction,
        element: ElementType,
    ) -> Result<u64, Stop> {
        if !self.streams.is_capturing(self.cublas_stream) {
            // The product is computed here, not by a kernel: what its operands wait for must be done.
            self.synchronize(machine, Some(self.cublas_stream))?;
            let mut blas = Blas {
                machine,
                call,
                element,
            };
            let done = function(&mut blas);
            return self.within_memory(machine, done).map(u64::from);
        }
        let bits = self.with_own_scalars(machine, call, element)?;
        let (types, result, into) = (call.types.to_vec(), call.result.clone(), call.into);
        let work = move |machine: &mut Machine<'_>| {
            let call = Call {
                bits: &bits,
                types: &types,
                result: &result,
                into,
            };
            let mut blas = Blas {
                machine,
                call: &call,
                element,
            };
            function(&mut blas).map(drop)
        };
        let work = StreamOperation::Library(LibraryCall(Rc::new(work)));
        self.ask(machine, self.cublas_stream, work).map(u64::from)
    }

    /// The arguments of a call, with α and β of the host as they are now: the program may change them, or leave them.
    fn with_own_scalars(
        &self,
        machine: &mut Machine<'_>,
        call: &Call<'_>,
        element: ElementType,
    ) -> Result<Vec<u64>, Stop> {
        let mut bits = call.bits.to_vec();
        for (word, ty) in bits.iter_mut().zip(call.types) {
            let is_pointer = matches!(ty, Type::Pointer { .. });
            let is_of_host = is_pointer && (DATA..GLOBAL_STRIDE).contains(word);
            if is_of_host && self.allocation_at(*word).is_none() {
                let (memory, size) = (&machine.memory, element.size_bytes() as u64);
                // `GemmEx` may take larger ones than its matrices have.
                let scalar = memory
                    .read(*word, 8)
                    .or_else(|_| memory.read(*word, size))?;
                let scalar = scalar.to_vec();
                *word = machine.lasting_text(&scalar);
            }
        }
        Ok(bits)
    }

    fn given(&mut self, machine: &Machine<'_>, name: &str, code: Code) -> u64 {
        // The header wraps some functions over names of its own.
        self.returned(machine, name.trim_start_matches('_'), code);
        debug_assert!(code < 1000 || code == errors::SUCCESS);
        u64::from(code)
    }
}
