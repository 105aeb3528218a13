//! Operations a second over operations a byte: the roof is what the GPU's specification allows.

use super::fixed::Fixed;
use super::{
    Axis, FigureCell, Plot, Point, RooflineFigure, Sample, SampledLaunch, Scale, Series, Shape,
    Sources,
};
use crate::launch::{Evidence, Timing, Work};
use crate::lesson::{RunCell, Sizes};

/// What the ends of the first axis leave beside the ridge.
const AROUND_RIDGE: f64 = 4.0;

/// Peaks of a GPU.
#[derive(Clone, Copy, Debug)]
struct Peaks {
    gb_s: f64,
    fp32_tflop_s: f64,
    tensor_tflop_s: Option<f64>,
}

impl Peaks {
    /// The most that a run can reach at an intensity: with tensor cores if it used them.
    fn roof(&self, flop_per_byte: f64, sample: &Sample) -> f64 {
        let tensor = self.tensor_tflop_s.filter(|_| uses_tensor_cores(sample));
        let most = tensor.unwrap_or(self.fp32_tflop_s);
        (self.gb_s * flop_per_byte / 1e3).min(most)
    }

    /// The intensity from which `tflop_s` and not the memory is the limit.
    fn ridge(&self, tflop_s: f64) -> f64 {
        tflop_s * 1e3 / self.gb_s
    }
}

fn uses_tensor_cores(sample: &Sample) -> bool {
    let counts = sample.counts.as_ref();
    counts.is_some_and(|counts| counts.tensor.mma > 0)
}

/// The figure's plot.
pub(super) fn plot(cell: &FigureCell, figure: &RooflineFigure, sources: &Sources) -> Plot {
    let mut notes = Vec::new();
    let gpu = sources.gpu;
    let shown = |sample: &&Sample| figure.cells.contains(&sample.cell);
    let mut samples = sources.samples.iter().filter(shown);
    let has_tensor = figure.tensor || samples.any(uses_tensor_cores);
    let peaks = match (gpu.memory_bandwidth_gb_s, gpu.fp32_tflops) {
        (Some(gb_s), Some(fp32_tflop_s)) => Some(Peaks {
            gb_s,
            fp32_tflop_s,
            tensor_tflop_s: gpu.bf16_tensor_dense_tflops.filter(|_| has_tensor),
        }),
        _ => {
            notes.push(format!("the peaks of {} are not known", gpu.name));
            None
        }
    };
    let fixed = Fixed::new(sources, &figure.at, None);
    let runs = figure.cells.iter();
    let runs: Vec<&RunCell> = runs
        .filter_map(|id| sources.lesson.run_cell(id).ok())
        .collect();
    if !figure.at.is_empty() {
        notes.push(format!("recorded runs at {}", fixed.named_text(&runs)));
    }
    let mut series = Vec::new();
    for run in runs {
        series.extend(of_cell(run, &fixed, sources, peaks, &mut notes));
    }
    let points = || series.iter().flat_map(|series: &Series| &series.points);
    let highest = |peaks: Peaks| peaks.tensor_tflop_s.unwrap_or(peaks.fp32_tflop_s);
    let ridge = peaks.map(|peaks| peaks.ridge(highest(peaks)));
    let around = ridge
        .into_iter()
        .flat_map(|ridge| [ridge * AROUND_RIDGE, ridge / AROUND_RIDGE]);
    let x = Axis::new("operations for each byte moved", "FLOP/B", Scale::Log)
        .around(points().map(|point| point.x).chain(around));
    let roofs = peaks.map_or_else(Vec::new, |peaks| roofs(&peaks, &x));
    let corners = roofs.iter().flat_map(|series| &series.points);
    let heights = points().chain(corners).map(|point| point.y);
    let y = Axis::new("operations a second", "TFLOP/s", Scale::Log).around(heights);
    if series.is_empty() {
        notes.push("no run of these cells is known yet; enter runs them".to_owned());
    }
    Plot {
        title: cell.title.clone(),
        x,
        y,
        series: roofs.into_iter().chain(series).collect(),
        notes,
    }
}

/// The roof over the first axis, and that of the tensor cores over it.
fn roofs(peaks: &Peaks, x: &Axis) -> Vec<Series> {
    let roof = |name: &str, from: f64, tflop_s: f64| {
        let ridge = peaks.ridge(tflop_s).clamp(x.from, x.to);
        let at = |x: f64| (x, (peaks.gb_s * x / 1e3).min(tflop_s));
        let corners = [at(from.max(x.from)), at(ridge), at(x.to)];
        Series::curve(name, Evidence::Computed, &corners)
    };
    let name = format!("roof: memory, then fp32 at {} TFLOP/s", peaks.fp32_tflop_s);
    let mut all = vec![roof(&name, x.from, peaks.fp32_tflop_s)];
    if let Some(tensor) = peaks.tensor_tflop_s {
        let name = format!("tensor cores, bf16 at {tensor} TFLOP/s");
        all.push(roof(&name, peaks.ridge(peaks.fp32_tflop_s), tensor));
    }
    all
}

/// The points of one cell: all its runs that the figure's sizes allow, its launches at the chosen sizes, and
/// the latest run against the traffic that the model of the caches gives.
fn of_cell(
    run: &RunCell,
    fixed: &Fixed,
    sources: &Sources,
    peaks: Option<Peaks>,
    notes: &mut Vec<String>,
) -> Vec<Series> {
    let id = &run.id;
    let chosen = run.own_sizes(sources.sizes);
    let samples = sources.samples.iter();
    let samples = || samples.clone().filter(|sample| sample.cell == *id);
    let here = |sample: &&Sample| sample.sizes == chosen;
    let shown = |sample: &&Sample| sample.is_measured() || fixed.allows(&sample.sizes);
    let mut runs: Vec<Point> = Vec::new();
    for point in samples()
        .filter(shown)
        .filter_map(|sample| timed(sample.timing.as_ref(), &sample.sizes, String::new()))
    {
        runs.retain(|known| known.sizes != point.sizes);
        runs.push(point);
    }
    let counted = samples().filter(here).rfind(|sample| sample.work.is_some());
    let is_timed = runs.iter().any(|point| point.sizes == chosen);
    if let (Some(sample), false) = (counted, is_timed) {
        runs.extend(bound(sample, sample.work, peaks));
    }
    runs.sort_by(|a, b| a.sizes.cmp(&b.sizes));
    let mut series = vec![marks(id.clone(), runs)];
    if let Some(sample) = samples()
        .filter(|sample| here(sample) && shown(sample))
        .rfind(|sample| sample.launches.len() > 1)
    {
        series.push(marks(format!("{id}, each kernel"), kernels(sample, notes)));
    }
    if let Some(sample) = counted {
        let point = against_memory(sample, peaks);
        series.push(marks(
            format!("{id}, memory traffic"),
            point.into_iter().collect(),
        ));
    }
    series.retain(|series| !series.points.is_empty());
    series
}

fn marks(name: String, points: Vec<Point>) -> Series {
    Series {
        name,
        shape: Shape::Marks,
        points,
    }
}

/// A point of what was timed: both its rates are of the same time, so their quotient is of counts alone.
fn timed(timing: Option<&Timing>, sizes: &Sizes, label: String) -> Option<Point> {
    let timing = timing?;
    let (gb_s, tflop_s) = timing.gb_s.zip(timing.tflop_s)?;
    (gb_s > 0.0 && tflop_s > 0.0).then(|| Point {
        x: tflop_s * 1e3 / gb_s,
        y: tflop_s,
        evidence: timing.evidence,
        sizes: sizes.clone(),
        label,
        says: String::new(),
    })
}

/// The place under the roof of what nobody has timed.
fn bound(sample: &Sample, work: Option<Work>, peaks: Option<Peaks>) -> Option<Point> {
    let (work, peaks) = (work?, peaks?);
    let x = intensity(work.operations, work.distinct_bytes)?;
    Some(Point {
        x,
        y: peaks.roof(x, sample),
        evidence: Evidence::Computed,
        sizes: sample.sizes.clone(),
        label: String::new(),
        says: "bound by the roof; no time of it is known".to_owned(),
    })
}

/// The same run over the bytes that the model of the caches lets through to device memory.
fn against_memory(sample: &Sample, peaks: Option<Peaks>) -> Option<Point> {
    let dram = sample.counts.as_ref()?.dram.0?;
    let x = intensity(sample.work?.operations, dram.read_bytes + dram.write_bytes)?;
    let timed = sample.timing.as_ref().and_then(|timing| timing.tflop_s);
    let (y, says) = match (timed, peaks) {
        (Some(tflop_s), _) => (tflop_s, "bytes by the model of the caches"),
        (None, Some(peaks)) => (
            peaks.roof(x, sample),
            "bound by the roof; no time of it is known",
        ),
        (None, None) => return None,
    };
    Some(Point {
        x,
        y,
        evidence: Evidence::Modelled,
        sizes: sample.sizes.clone(),
        label: String::new(),
        says: says.to_owned(),
    })
}

fn intensity(operations: u64, bytes: u64) -> Option<f64> {
    (operations > 0 && bytes > 0).then(|| operations as f64 / bytes as f64)
}

/// A point for each launch that computes something.
fn kernels(sample: &Sample, notes: &mut Vec<String>) -> Vec<Point> {
    let point = |launch: &SampledLaunch| {
        timed(launch.timing.as_ref(), &sample.sizes, launch.kernel.clone())
    };
    let idle = |launch: &&SampledLaunch| {
        let timing = launch.timing.as_ref();
        timing.is_some_and(|timing| timing.tflop_s == Some(0.0))
    };
    for launch in sample.launches.iter().filter(idle) {
        notes.push(format!(
            "{}: no floating-point operation is counted, so it has no place here",
            launch.kernel
        ));
    }
    sample.launches.iter().filter_map(point).collect()
}
