//! Baselines on the device: an operation of cuBLAS or cuDNN over buffers of its own, timed as launches
//! are, and a part of its result held against the host, so that a wrong call is not timed unnoticed.

use std::ffi::c_int;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::cublas::{Cublas, Precision};
use super::cudnn::Cudnn;
use super::sample::Sample;
use crate::gpu::library::{CUBLAS, CUDNN, Opened};
use crate::gpu::protocol::{RanBaseline, TimingChoice};
use crate::gpu::worker::device::{Device, Memory, RESERVE_BYTES};
use crate::gpu::worker::timing;
use crate::gpu::worker::timing::Timed;
use crate::launch::{Baseline, BufferSpec, BufferValues, Init, Matrix, Operation};

/// The libraries, each opened when it is first needed and not closed again.
#[derive(Default)]
pub(crate) struct Libraries {
    cublas: Option<Result<Opened, String>>,
    cudnn: Option<Result<Opened, String>>,
}

impl Libraries {
    fn of(&mut self, operation: Operation) -> Result<&Opened, String> {
        let cublas = self.cublas.get_or_insert_with(|| CUBLAS.open());
        let library = match operation {
            // cuDNN looks for cuBLAS by name alone, so it is opened behind it.
            Operation::Softmax => self.cudnn.get_or_insert_with(|| CUDNN.open()),
            Operation::Sgemm | Operation::Bf16 => cublas,
        };
        library.as_ref().map_err(Clone::clone)
    }
}

/// What a baseline runs on, and how its runs begin.
pub(crate) struct Bench {
    pub device: Device,
    pub l2_bytes: u64,
    pub libraries: Libraries,
}

impl Bench {
    /// Runs, checks and times `baseline`; `told` hears of each run.
    pub fn measure(
        &mut self,
        baseline: &Baseline,
        choice: TimingChoice,
        told: &mut dyn FnMut(),
    ) -> RanBaseline {
        let mut ran = RanBaseline {
            library: None,
            max_abs_error: None,
            measured: Ok(Vec::new()),
        };
        ran.measured = self.libraries.of(baseline.operation).and_then(|library| {
            ran.library = Some(library.found.clone());
            let mut prepared = Prepared::new(baseline, library, &self.device, told)?;
            ran.max_abs_error = Some(prepared.check(baseline)?);
            let times = timing::time(&self.device, choice, self.l2_bytes, &mut prepared);
            let times =
                times.map_err(|error| prepared.refused.take().unwrap_or_else(|| said(error)));
            Ok(times?.plan_ms)
        });
        ran
    }
}

fn said(error: DriverError) -> String {
    format!("the CUDA driver says {:?}", error.0)
}

/// A call into one of the libraries.
enum Call<'a> {
    Softmax(Cudnn<'a>),
    Product(Cublas<'a>, [c_int; 3]),
}

impl<'a> Call<'a> {
    fn new(baseline: &Baseline, library: &'a Opened, device: &Device) -> Result<Self, String> {
        let sizes = baseline.sizes();
        let size = |at: usize| c_int::try_from(sizes[at]).unwrap_or(c_int::MAX);
        let precision = match baseline.operation {
            Operation::Softmax => {
                let cudnn = Cudnn::new(library, [size(0), size(1)], device)?;
                return Ok(Call::Softmax(cudnn));
            }
            Operation::Sgemm => Precision::Single,
            Operation::Bf16 => Precision::Bf16,
        };
        let cublas = Cublas::new(library, precision, device)?;
        Ok(Call::Product(cublas, [size(0), size(1), size(2)]))
    }
}

/// A baseline with its buffers.
struct Prepared<'a, 'b> {
    // Goes before the memory that it works on.
    call: Call<'a>,
    device: &'b Device,
    inputs: Vec<Memory>,
    /// What the inputs hold, on the device and here.
    initial: Vec<Memory>,
    values: Vec<BufferValues>,
    output: Memory,
    told: &'b mut dyn FnMut(),
    /// What the library said when it refused a run.
    refused: Option<String>,
}

impl<'a, 'b> Prepared<'a, 'b> {
    fn new(
        baseline: &Baseline,
        library: &'a Opened,
        device: &'b Device,
        told: &'b mut dyn FnMut(),
    ) -> Result<Self, String> {
        let matrices = baseline.inputs();
        let input_bytes: usize = matrices.iter().map(Matrix::size_bytes).sum();
        let wanted = 2 * input_bytes + baseline.output().size_bytes();
        let free = device.free_bytes().map_err(said)?;
        if wanted.saturating_add(RESERVE_BYTES) > free {
            let mib = |bytes: usize| bytes.div_ceil(1 << 20);
            let (wanted, free) = (mib(wanted), mib(free));
            return Err(format!(
                "its buffers take {wanted} MiB, but the GPU has {free} MiB free"
            ));
        }
        let call = Call::new(baseline, library, device)?;
        let values = matrices
            .iter()
            .enumerate()
            .map(|(i, matrix)| filled(i, matrix));
        let values: Vec<BufferValues> = values.collect::<Result<_, _>>()?;
        let written = |values: &BufferValues| {
            let memory = Memory::new(device, values.bytes.len())?;
            memory.write(&values.bytes)?;
            Ok(memory)
        };
        let all = || -> Result<Vec<Memory>, DriverError> { values.iter().map(written).collect() };
        let prepared = Prepared {
            call,
            device,
            inputs: all().map_err(said)?,
            initial: all().map_err(said)?,
            output: Memory::new(device, baseline.output().size_bytes()).map_err(said)?,
            values,
            told,
            refused: None,
        };
        // A copy from the host may still be under way when it returns.
        device.context.synchronize().map_err(said)?;
        Ok(prepared)
    }

    /// Runs it once; the largest error of a sample of its result. An error that rounding does not explain
    /// is one of ours.
    fn check(&mut self, baseline: &Baseline) -> Result<f64, String> {
        // Every bit set is no number in both types: what is not written is wrong.
        self.output.fill(0xff, self.device).map_err(said)?;
        self.call()?;
        self.device.wait().map_err(said)?;
        let output = BufferValues {
            name: String::new(),
            element: baseline.output().element,
            bytes: self.output.read().map_err(said)?,
        };
        Sample::of(baseline, &self.values).largest_error(&output)
    }

    fn call(&self) -> Result<(), String> {
        let address = |at: usize| self.inputs[at].address;
        match &self.call {
            Call::Softmax(cudnn) => cudnn.softmax([address(0), self.output.address]),
            Call::Product(cublas, sizes) => {
                cublas.multiply(*sizes, [address(0), address(1), self.output.address])
            }
        }
    }
}

impl Timed for Prepared<'_, '_> {
    fn restore(&self) -> Result<(), DriverError> {
        let pairs = self.inputs.iter().zip(&self.initial);
        for (input, initial) in pairs {
            input.copy_from(initial, self.device)?;
        }
        self.output.fill(0, self.device)
    }

    fn launch(&mut self, _: usize) -> Result<(), DriverError> {
        self.call().map_err(|why| {
            self.refused = Some(why);
            DriverError(CUresult::CUDA_ERROR_UNKNOWN)
        })
    }

    fn launches(&self) -> usize {
        1
    }

    fn told(&mut self, _: u32) {
        (self.told)();
    }
}

/// Standard normal values: no special case for anybody. The second input differs from the first.
fn filled(at: usize, matrix: &Matrix) -> Result<BufferValues, String> {
    let spec = BufferSpec {
        name: String::new(),
        element: matrix.element,
        length: matrix.length(),
        init: Init::Normal(at as u64 + 1),
    };
    spec.fill().map_err(|error| error.to_string())
}
