//! Sizes chosen, a cell becomes a plan.

use thiserror::Error;

use crate::device::Gpu;
use crate::launch::{
    Argument, Baseline, BaselineError, BufferSpec, Dim3, Init, KernelSource, Launch, Number, Plan,
    TensorMap,
};
use crate::lesson::cells::{
    ArgumentTemplate, BaselineTemplate, BoxTemplate, BufferTemplate, InitTemplate, LaunchTemplate,
    RunCell,
};
use crate::lesson::formula::{ConstantTemplate, EvaluateError, Formula};
use crate::lesson::sizes::Sizes;
use crate::source::is_python;

/// Why a cell cannot run at some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A formula has no value.
    #[error("{what}: `{formula}` has no value: {reason}")]
    Formula {
        /// What it is for.
        what: String,
        /// Its text.
        formula: String,
        /// Why.
        reason: EvaluateError,
    },
    /// A value is more than the machine takes.
    #[error("{what}: `{formula}` is {value}, which is too large")]
    TooLarge {
        /// What it is for.
        what: String,
        /// Its text.
        formula: String,
        /// Its value.
        value: u64,
    },
    /// Each launch is left out.
    #[error("none of its launches runs at these sizes")]
    NoLaunch,
    /// A baseline does not exist at these sizes.
    #[error("baseline: {0}")]
    Baseline(#[from] BaselineError),
    /// A buffer cannot begin with what it is to begin with at these sizes.
    #[error("buffer `{buffer}`: `{content}` does not take {number}")]
    Init {
        /// The buffer.
        buffer: String,
        /// What it is to begin with.
        content: String,
        /// The number that it was given.
        number: u64,
    },
}

impl RunCell {
    /// What to run at `sizes`, on `gpu` as far as its formulas ask for one. The plan has one source, the
    /// cell's, and the cell's buffers in order.
    ///
    /// # Errors
    /// Why it cannot run there.
    pub fn plan(&self, sizes: &Sizes, gpu: &Gpu) -> Result<Plan, PlanError> {
        let sizes = &self.complete(sizes);
        let place = Environment { sizes, gpu };
        let buffers = self.buffers.iter().map(|buffer| buffer.spec(place));
        let buffers: Vec<BufferSpec> = buffers.collect::<Result<_, _>>()?;
        let launches = self.launches.iter();
        let launches = launches.filter_map(|launch| launch.at(place, &self.buffers));
        let mut launches: Vec<Launch> = launches.collect::<Result<_, _>>()?;
        // A plan without launches would count zeros, which look like a result.
        if launches.is_empty() {
            return Err(PlanError::NoLaunch);
        }
        let sources = match is_python(self.source.name()) {
            // Triton compiles constants in, so each launch has a source of its own.
            true => self.python_sources(&mut launches, place)?,
            false => vec![self.source_with(Vec::new())],
        };
        let baselines = self.baselines.iter();
        let baselines = baselines.filter_map(|baseline| baseline.at(place));
        Ok(Plan {
            sources,
            buffers,
            symbols: self.symbols.clone(),
            launches,
            baselines: baselines.collect::<Result<_, _>>()?,
        })
    }

    /// A source for each launch: what a Triton kernel becomes depends on its constants and arguments.
    fn python_sources(
        &self,
        launches: &mut [Launch],
        place: Environment,
    ) -> Result<Vec<KernelSource>, PlanError> {
        let mut sources = Vec::new();
        // Left-out launches have no entry in `launches`: both must be walked in step.
        let templates = self.launches.iter();
        let templates = templates.filter(|launch| launch.is_made(place, &self.buffers));
        for (launch, template) in launches.iter_mut().zip(templates) {
            launch.source = sources.len();
            let constants = template.meta.iter().map(|(name, constant)| {
                let text = match constant {
                    ConstantTemplate::Formula(formula) => {
                        let what = format!("{}, {name}", template.kernel);
                        place.value(formula, &what)?.to_string()
                    }
                    ConstantTemplate::Type(name) => name.clone(),
                };
                Ok((name.clone(), text))
            });
            sources.push(self.source_with(constants.collect::<Result<_, PlanError>>()?));
        }
        Ok(sources)
    }

    fn source_with(&self, defines: Vec<(String, String)>) -> KernelSource {
        KernelSource::new(self.source.clone(), defines)
    }
}

impl LaunchTemplate {
    fn is_made(&self, place: Environment, buffers: &[BufferTemplate]) -> bool {
        matches!(self.at(place, buffers), Some(Ok(_)))
    }

    /// The launch; nothing where it is left out.
    fn at(
        &self,
        place: Environment,
        buffers: &[BufferTemplate],
    ) -> Option<Result<Launch, PlanError>> {
        let when = self.when.as_ref();
        match when.map(|when| place.value(when, &format!("{}, when", self.kernel))) {
            Some(Ok(0)) => None,
            Some(Err(error)) => Some(Err(error)),
            _ => Some(self.made(place, buffers)),
        }
    }

    fn made(&self, place: Environment, buffers: &[BufferTemplate]) -> Result<Launch, PlanError> {
        let kernel = &self.kernel;
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|argument| match argument {
            ArgumentTemplate::Buffer(buffer) => Ok(Argument::Buffer(*buffer)),
            ArgumentTemplate::Number(number) => Ok(Argument::Number(*number)),
            ArgumentTemplate::TensorMap(of) => of.at(place, buffers).map(Argument::TensorMap),
            ArgumentTemplate::Formula(formula) => {
                let value = place.value(formula, kernel)?;
                Ok(Argument::Number(Number::Integer(i128::from(value))))
            }
        });
        Ok(Launch {
            kernel: kernel.clone(),
            source: 0,
            grid: place.dimensions(&self.grid, &format!("{kernel}, grid"))?,
            block: place.dimensions(&self.block, &format!("{kernel}, block"))?,
            shared_bytes: place.small(&self.shared_bytes, &format!("{kernel}, shared memory"))?,
            arguments: arguments.collect::<Result<_, PlanError>>()?,
        })
    }
}

impl BoxTemplate {
    fn at(&self, place: Environment, buffers: &[BufferTemplate]) -> Result<TensorMap, PlanError> {
        let extents = buffers[self.buffer].extents(place.sizes, place.gpu)?;
        let (columns, outer) = extents.split_last().unwrap_or((&1, &[]));
        Ok(TensorMap {
            buffer: self.buffer,
            rows: outer.iter().product(),
            columns: *columns,
            box_rows: self.rows,
            box_columns: self.columns,
        })
    }
}

impl BaselineTemplate {
    /// The baseline; nothing where it is left out.
    fn at(&self, place: Environment) -> Option<Result<Baseline, PlanError>> {
        let what = format!("baseline `{}`", self.operation.name());
        match self.when.as_ref().map(|when| place.value(when, &what)) {
            Some(Ok(0)) => None,
            Some(Err(error)) => Some(Err(error)),
            _ => Some(self.made(place, &what)),
        }
    }

    fn made(&self, place: Environment, what: &str) -> Result<Baseline, PlanError> {
        let values = self.sizes.iter().map(|size| place.value(size, what));
        let values: Vec<u64> = values.collect::<Result<_, _>>()?;
        Ok(Baseline::new(self.operation, &values)?)
    }
}

impl BufferTemplate {
    /// Its extents at `sizes` on `gpu`, outermost first.
    ///
    /// # Errors
    /// Which of them has no value.
    pub fn extents(&self, sizes: &Sizes, gpu: &Gpu) -> Result<Vec<u64>, PlanError> {
        let what = format!("buffer `{}`", self.name);
        let place = Environment { sizes, gpu };
        let extents = self.shape.iter();
        extents.map(|extent| place.value(extent, &what)).collect()
    }

    fn spec(&self, place: Environment) -> Result<BufferSpec, PlanError> {
        let extents = self.extents(place.sizes, place.gpu)?;
        let length = extents
            .iter()
            // Sizes at the ends of their sliders may overflow together: that is refused, and no panic.
            .try_fold(1_u64, |length, &extent| length.checked_mul(extent))
            .filter(|&length| length <= MAX_ELEMENTS);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let shape: Vec<&str> = self.shape.iter().map(Formula::text).collect();
        Ok(BufferSpec {
            name: self.name.clone(),
            element: self.element,
            length: length.ok_or_else(|| PlanError::TooLarge {
                what: format!("buffer `{}`", self.name),
                formula: shape.join(" \u{d7} "),
                value: extents.iter().fold(1, |a, &b| a.saturating_mul(b)),
            })?,
            init: self.init(place)?,
        })
    }

    fn init(&self, place: Environment) -> Result<Init, PlanError> {
        match &self.init {
            InitTemplate::Fixed(init) => Ok(init.clone()),
            InitTemplate::Numbered(name, formula) => {
                let number = place.value(formula, &format!("buffer `{}`", self.name))?;
                Init::with_number(name, number).ok_or_else(|| PlanError::Init {
                    buffer: self.name.clone(),
                    content: name.clone(),
                    number,
                })
            }
        }
    }
}

/// Most elements of a buffer: 8 GiB of doubles, more than a laptop should be asked for.
const MAX_ELEMENTS: u64 = 1 << 30;

/// Where formulas get their values.
#[derive(Clone, Copy)]
struct Environment<'a> {
    /// A value for every size that they name.
    sizes: &'a Sizes,
    gpu: &'a Gpu,
}

impl Environment<'_> {
    fn value(self, formula: &Formula, what: &str) -> Result<u64, PlanError> {
        formula
            .evaluate(self.sizes, self.gpu)
            .map_err(|reason| PlanError::Formula {
                what: what.to_owned(),
                formula: formula.text().to_owned(),
                reason,
            })
    }

    fn small(self, formula: &Formula, what: &str) -> Result<u32, PlanError> {
        let value = self.value(formula, what)?;
        u32::try_from(value).map_err(|_| PlanError::TooLarge {
            what: what.to_owned(),
            formula: formula.text().to_owned(),
            value,
        })
    }

    fn dimensions(self, formulas: &[Formula; 3], what: &str) -> Result<Dim3, PlanError> {
        let [x, y, z] = formulas;
        Ok([
            self.small(x, what)?,
            self.small(y, what)?,
            self.small(z, what)?,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu_or_usual;
    use crate::lesson::load;

    fn sizes(overrides: &[(&str, u64)]) -> Result<Sizes, String> {
        let lesson = load("softmax").expect("reads");
        let overrides: Vec<_> = overrides
            .iter()
            .map(|&(name, value)| (name.to_owned(), value))
            .collect();
        lesson
            .sizes_with(&overrides)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_plan_has_the_sizes_chosen() {
        let lesson = load("softmax").expect("reads");
        let sizes = sizes(&[("M", 3), ("N", 781)]).expect("are in range");
        let plan = lesson
            .run_cell("naive")
            .expect("is there")
            .plan(&sizes, gpu_or_usual("h200"));
        let plan = plan.expect("has values");
        assert_eq!(plan.buffers[0].length, 3 * 781);
        assert_eq!(
            plan.baselines,
            [Baseline::parse("softmax:3x781").expect("is one")]
        );
        let subtract = &plan.launches[1];
        assert_eq!(subtract.grid, [10, 1, 1]);
        let rows = Argument::Number(Number::Integer(3));
        assert_eq!(subtract.arguments[..3], [0, 1, 2].map(Argument::Buffer));
        assert_eq!(subtract.arguments[3], rows);
    }

    #[test]
    fn a_size_that_cannot_be_chosen_says_the_range() {
        let lesson = load("softmax").expect("reads");
        let range = |name: &str| {
            let size = lesson.sizes.iter().find(|size| size.name == name);
            size.map(|size| (size.min, size.max)).expect("is a size")
        };
        let unknown = sizes(&[("K", 3)]).expect_err("is no size");
        let (least, most) = range("N");
        let known = format!("N ({least} to {most})");
        assert!(unknown.contains("no size `K`") && unknown.contains(&known));
        let (least, most) = range("M");
        let large = sizes(&[("M", most + 1)]).expect_err("is too large");
        assert!(large.contains(&format!("M = {}", most + 1)), "{large}");
        assert!(large.contains(&format!("from {least} to {most}")));
    }

    #[test]
    fn a_plan_that_the_machine_cannot_hold_is_refused() {
        let lesson = load("softmax").expect("reads");
        let cell = lesson.run_cell("fused").expect("is there");
        let huge = Sizes::from([("M".to_owned(), 1 << 40), ("N".to_owned(), 1 << 40)]);
        let error = cell
            .plan(&huge, gpu_or_usual("h200"))
            .expect_err("is too large")
            .to_string();
        assert!(error.contains("buffer `x`"), "{error}");
        let missing = cell
            .plan(&Sizes::new(), gpu_or_usual("h200"))
            .expect_err("has no sizes");
        assert!(missing.to_string().contains("`M` is not a size"));
    }
}
