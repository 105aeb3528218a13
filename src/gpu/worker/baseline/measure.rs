//! Baselines on the device: an operation of cuBLAS or cuDNN over buffers of its own, timed as launches
//! are, and a part of its result held against the host, so that a wrong call is not timed unnoticed.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::operations::{IN_PYTHON, ReadyOperation};
use super::sample::Sample;
use crate::gpu::library::{CUBLAS, CUDNN, OpenLibrary};
use crate::gpu::protocol::{BaselineRun, Reporter, Stage, TimingChoice};
use crate::gpu::worker::device::{Device, DeviceMemory};
use crate::gpu::worker::failures::driver_says;
use crate::gpu::worker::timing::{self, Timed};
use crate::launch::{Baseline, BufferSpec, BufferValues, Init, Matrix, Operation};

/// The libraries, each opened when it is first needed and not closed again.
#[derive(Default)]
pub(crate) struct Libraries {
    cublas: Option<Result<OpenLibrary, String>>,
    cudnn: Option<Result<OpenLibrary, String>>,
}

impl Libraries {
    fn of(&mut self, operation: Operation) -> Result<&OpenLibrary, String> {
        let cublas = self.cublas.get_or_insert_with(|| CUBLAS.open());
        let library = match operation {
            // cuDNN looks for cuBLAS by name alone, so it is opened behind it.
            Operation::Softmax => self.cudnn.get_or_insert_with(|| CUDNN.open()),
            Operation::Sgemm | Operation::Bf16 => cublas,
            _ => return Err(IN_PYTHON.to_owned()),
        };
        library.as_ref().map_err(Clone::clone)
    }
}

/// What baselines run on.
pub(crate) struct Bench {
    pub device: Device,
    pub l2_bytes: u64,
    pub libraries: Libraries,
}

impl Bench {
    /// Runs, checks and times `baseline`. Whatever fails is only why it has no times.
    pub fn measure(
        &mut self,
        baseline: &Baseline,
        choice: TimingChoice,
        report: &mut Reporter,
    ) -> BaselineRun {
        let mut run = BaselineRun {
            library: None,
            max_abs_error: None,
            measured: Ok(Vec::new()),
        };
        run.measured = self.libraries.of(baseline.operation).and_then(|library| {
            run.library = Some(library.found.clone());
            let mut prepared = PreparedBaseline::new(baseline, library, &self.device, report)?;
            run.max_abs_error = Some(prepared.check(baseline)?);
            let times = timing::time(&self.device, choice, self.l2_bytes, &mut prepared);
            let refused = prepared.refused;
            let times = times.map_err(|error| refused.unwrap_or_else(|| driver_says(error)));
            Ok(times?.plan_ms)
        });
        run
    }
}

/// A baseline with its buffers.
struct PreparedBaseline<'a, 'b, 'c> {
    // Goes before the memory that it works on.
    operation: ReadyOperation<'a>,
    device: &'b Device,
    inputs: Vec<DeviceMemory>,
    /// What the inputs hold, on the device and here.
    initial: Vec<DeviceMemory>,
    values: Vec<BufferValues>,
    output: DeviceMemory,
    report: &'b mut Reporter<'c>,
    /// What the library said when it refused a run.
    refused: Option<String>,
}

impl<'a, 'b, 'c> PreparedBaseline<'a, 'b, 'c> {
    fn new(
        baseline: &Baseline,
        library: &'a OpenLibrary,
        device: &'b Device,
        report: &'b mut Reporter<'c>,
    ) -> Result<Self, String> {
        let matrices = baseline.inputs();
        let input_bytes: usize = matrices.iter().map(Matrix::size_bytes).sum();
        let wanted = 2 * input_bytes + baseline.output().size_bytes();
        if !device.has_room(wanted).map_err(driver_says)? {
            let no_room = device.no_room(wanted).map_err(driver_says)?;
            return Err(format!("its buffers {no_room}"));
        }
        let operation = ReadyOperation::new(baseline, library, device)?;
        let values = matrices.iter().enumerate();
        let values = values.map(|(at, matrix)| normal_values(at, matrix));
        let values: Vec<BufferValues> = values.collect::<Result<_, _>>()?;
        let on_device = || -> Result<Vec<DeviceMemory>, String> {
            let written = values.iter().map(|values| device.filled(&values.bytes));
            written.collect::<Result<_, _>>().map_err(driver_says)
        };
        let output = DeviceMemory::new(device, baseline.output().size_bytes());
        let prepared = PreparedBaseline {
            operation,
            device,
            inputs: on_device()?,
            initial: on_device()?,
            output: output.map_err(driver_says)?,
            values,
            report,
            refused: None,
        };
        device.wait_for_copies().map_err(driver_says)?;
        Ok(prepared)
    }

    /// Runs it once; the largest error of a sample of its result. An error that rounding does not explain
    /// is one of ours.
    fn check(&mut self, baseline: &Baseline) -> Result<f64, String> {
        // Every bit set is no number in both types: what is not written is wrong.
        self.output.fill(0xff, self.device).map_err(driver_says)?;
        self.call()?;
        self.device.wait().map_err(driver_says)?;
        let output = BufferValues {
            name: String::new(),
            element: baseline.output().element,
            bytes: self.output.read().map_err(driver_says)?,
        };
        Sample::of(baseline, &self.values).largest_error(&output)
    }

    fn call(&self) -> Result<(), String> {
        let inputs: Vec<u64> = self.inputs.iter().map(|input| input.address).collect();
        self.operation.call(&inputs, self.output.address)
    }
}

impl Timed for PreparedBaseline<'_, '_, '_> {
    fn restore(&self) -> Result<(), DriverError> {
        for (input, initial) in self.inputs.iter().zip(&self.initial) {
            input.copy_from(initial, self.device)?;
        }
        self.output.fill(0, self.device)
    }

    fn launch(&mut self, _: usize) -> Result<(), DriverError> {
        self.call().map_err(|why| {
            // The trait speaks the driver's errors; `measure` takes the library's words instead.
            self.refused = Some(why);
            DriverError(CUresult::CUDA_ERROR_UNKNOWN)
        })
    }

    fn launches(&self) -> usize {
        1
    }

    fn after_run(&mut self, _: u32) {
        self.report.stage(Stage::Baseline);
    }
}

/// Standard normal values: no special case for anybody. The second input differs from the first.
fn normal_values(at: usize, matrix: &Matrix) -> Result<BufferValues, String> {
    let spec = BufferSpec {
        name: String::new(),
        element: matrix.element,
        length: matrix.length(),
        init: Init::Normal(at as u64 + 1),
    };
    spec.fill().map_err(|error| error.to_string())
}
