//! Operations per second over operations per byte: the roof is what the GPU's specification allows.

use super::fixed::Fixed;
use super::plot::{Axis, Plot, Point, Series, Shape};
use super::sources::Sources;
use crate::device::Gpu;
use crate::launch::{Evidence, Timing, Work};
use crate::lesson::cells::{FigureCell, RooflineFigure, RunCell, Scale};
use crate::lesson::run::{Sample, SampledLaunch};
use crate::lesson::sizes::Sizes;

/// What the ends of the first axis leave beside the ridge.
const AROUND_RIDGE: f64 = 4.0;
/// What is said of a point that stands on the roof.
const UNTIMED: &str = "at most, by the roof; its time is not known";

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
        // A kernel without tensor cores cannot reach their roof, however intense it is.
        let tensor = self.tensor_tflop_s.filter(|_| uses_tensor_cores(sample));
        let most = tensor.unwrap_or(self.fp32_tflop_s);
        (self.gb_s * flop_per_byte / 1e3).min(most)
    }

    /// Those of `gpu`, where they are known.
    fn of(gpu: &Gpu, has_tensor: bool) -> Option<Self> {
        Some(Peaks {
            gb_s: gpu.memory_bandwidth_gb_s?,
            fp32_tflop_s: gpu.fp32_tflops?,
            tensor_tflop_s: gpu.bf16_tensor_dense_tflops.filter(|_| has_tensor),
        })
    }

    /// Intensities on both sides of the highest ridge.
    fn around_ridge(&self) -> Vec<f64> {
        // The tensor cores' is further right.
        let ridge = self.ridge(self.tensor_tflop_s.unwrap_or(self.fp32_tflop_s));
        vec![ridge * AROUND_RIDGE, ridge / AROUND_RIDGE]
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
    let shown = |sample: &&Sample| figure.cells.contains(&sample.cell);
    let mut samples = sources.samples.iter().filter(shown);
    let has_tensor = figure.tensor || samples.any(uses_tensor_cores);
    let peaks = Peaks::of(sources.gpu, has_tensor);
    let fixed = Fixed::new(sources, &figure.at, None);
    let runs = figure.cells.iter();
    let runs = runs.filter_map(|id| sources.lesson.run_cell(id).ok());
    let runs: Vec<&RunCell> = runs.collect();
    let mut notes = Vec::new();
    if peaks.is_none() {
        notes.push(format!("the peaks of {} are not known", sources.gpu.name));
    }
    if !figure.at.is_empty() {
        let at = fixed.named_text(&runs);
        notes.push(format!(
            "recorded runs at {at}, and a run of yours at the sizes chosen"
        ));
    }
    let mut series = Vec::new();
    for run in runs {
        series.extend(of_cell(run, &fixed, sources, peaks, &mut notes));
    }
    if series.is_empty() {
        notes.push("these cells have not run yet; enter runs them".to_owned());
    }
    let (x, y, roofs) = axes_and_roofs(&series, peaks);
    Plot {
        title: cell.title.clone(),
        x,
        y,
        series: roofs.into_iter().chain(series).collect(),
        notes,
        is_first_look: true,
    }
}

/// Axes that show all points and the ridge, and the roofs over them.
fn axes_and_roofs(series: &[Series], peaks: Option<Peaks>) -> (Axis, Axis, Vec<Series>) {
    let points = || series.iter().flat_map(|series| &series.points);
    let around = peaks.map_or_else(Vec::new, |peaks| peaks.around_ridge());
    let x = Axis::new("operations per byte moved", "FLOP/B", Scale::Log)
        .around(points().map(|point| point.x).chain(around));
    let roofs = peaks.map_or_else(Vec::new, |peaks| roofs(&peaks, &x));
    let corners = roofs.iter().flat_map(|series| &series.points);
    let heights = points().chain(corners).map(|point| point.y);
    let y = Axis::new("operations per second", "TFLOP/s", Scale::Log).around(heights);
    (x, y, roofs)
}

/// The roof over the first axis, and that of the tensor cores over it.
fn roofs(peaks: &Peaks, x: &Axis) -> Vec<Series> {
    let roof = |name: &str, from: f64, tflop_s: f64| {
        let ridge = peaks.ridge(tflop_s).clamp(x.from, x.to);
        let at = |x: f64| (x, (peaks.gb_s * x / 1e3).min(tflop_s));
        // The ridge may lie outside of what is shown: then two corners are one.
        let corners = [at(from.max(x.from)), at(ridge), at(x.to)];
        Series::curve(name, Evidence::Computed, &corners)
    };
    let name = format!("roof: memory, then fp32 at {} TFLOP/s", peaks.fp32_tflop_s);
    let mut all = vec![roof(&name, x.from, peaks.fp32_tflop_s)];
    if let Some(tensor) = peaks.tensor_tflop_s {
        let name = format!("tensor cores, bf16 at {tensor} TFLOP/s");
        // Below the first ridge both roofs are the memory's: the second is drawn from there on.
        all.push(roof(&name, peaks.ridge(peaks.fp32_tflop_s), tensor));
    }
    all
}

/// The points of one cell: all its runs that the figure's sizes allow and what is known of the run at the
/// chosen sizes, its launches there or in the last of them, and that run against the traffic that the model of the caches gives. A run
/// that nobody timed is a series of its own: a bound is no measurement and has another mark.
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
    let samples: Vec<&Sample> = samples.filter(|sample| sample.cell == *id).collect();
    let here = |sample: &Sample| sample.sizes == chosen;
    let is_counted = |sample: &&&Sample| here(sample) && sample.work.is_some();
    // The latest that was counted at these sizes.
    let counted = samples.iter().rfind(is_counted).copied();
    let mut shown = samples;
    shown.retain(|sample| {
        let has_run = counted.is_some() && here(sample);
        has_run || sample.is_measured() || fixed.allows(&sample.sizes)
    });
    let runs = timed_runs(&shown);
    let time = runs.iter().find(|point| point.sizes == chosen).cloned();
    let mut series = vec![marks(id.clone(), runs)];
    if let (Some(sample), None) = (counted, &time) {
        let name = format!("{id}, time not known: at most");
        series.push(marks(name, bound(sample, sample.work, peaks)));
    }
    // The only launch of a run is the run.
    shown.retain(|sample| sample.launches.len() > 1);
    let latest = shown.iter().rfind(|sample| here(sample));
    if let Some(sample) = latest.or(shown.last()) {
        series.push(marks(format!("{id}, each kernel"), kernels(sample, notes)));
    }
    if let Some(sample) = counted {
        let name = format!("{id}, over memory traffic");
        series.push(marks(name, against_memory(sample, time.as_ref(), peaks)));
    }
    series.retain(|series| !series.points.is_empty());
    series
}

/// A point for each timed run, of several at the same sizes the latest.
fn timed_runs(samples: &[&Sample]) -> Vec<Point> {
    let mut runs: Vec<Point> = Vec::new();
    for sample in samples {
        if let Some(point) = timed(sample.timing.as_ref(), &sample.sizes, String::new()) {
            // Samples come in order of time: a run of today replaces the recorded one.
            runs.retain(|known| known.sizes != point.sizes);
            runs.push(point);
        }
    }
    runs.sort_by(|a, b| a.sizes.cmp(&b.sizes));
    runs
}

fn marks(name: String, points: impl IntoIterator<Item = Point>) -> Series {
    Series {
        name,
        shape: Shape::Marks,
        points: points.into_iter().collect(),
    }
}

/// A point of what was timed: both its rates are of the same time, so their quotient is of counts alone.
fn timed(timing: Option<&Timing>, sizes: &Sizes, label: String) -> Option<Point> {
    let timing = timing?;
    let (gb_s, tflop_s) = timing.gb_s.zip(timing.tflop_s)?;
    // Both axes are logarithmic, on which 0 has no place.
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
        says: UNTIMED.to_owned(),
    })
}

/// The same run over the bytes that the model of the caches lets through to device memory, at the height of
/// `time`, which is its point over the bytes that could not be avoided.
fn against_memory(sample: &Sample, time: Option<&Point>, peaks: Option<Peaks>) -> Option<Point> {
    let dram = sample.counts.as_ref()?.dram.0?;
    let x = intensity(sample.work?.operations, dram.read_bytes + dram.write_bytes)?;
    let (y, says) = match (time, peaks) {
        (Some(time), _) => (
            time.y,
            format!("bytes modelled, time {}", time.evidence.word()),
        ),
        (None, Some(peaks)) => (peaks.roof(x, sample), UNTIMED.to_owned()),
        (None, None) => return None,
    };
    Some(Point {
        x,
        y,
        evidence: Evidence::Modelled,
        sizes: sample.sizes.clone(),
        label: String::new(),
        says,
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
            "{}: no floating-point operation is counted, so it has no point here",
            launch.kernel
        ));
    }
    sample.launches.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu;
    use crate::lesson::{Lesson, load};

    /// A run of `work` at the lesson's own sizes: counted here, and timed only if its recording says so.
    fn counted(lesson: &Lesson, recorded: &[Sample], is_timed: bool) -> Sample {
        let run = lesson.run_cell("work").expect("is there");
        let own = run.own_sizes(&lesson.complete(&Sizes::new()));
        let mut recorded = recorded.iter();
        let known = recorded.find(|sample| sample.cell == "work" && sample.sizes == own);
        let known = known.expect("is recorded at the sizes that the lesson opens with");
        Sample {
            timing: known.timing.clone().filter(|_| is_timed),
            work: Some(Work {
                distinct_bytes: 4096,
                operations: 8192,
            }),
            ..known.clone()
        }
    }

    fn series(lesson: &Lesson, samples: &[Sample]) -> Vec<Series> {
        let roof = lesson.figures().find(|figure| figure.id == "roof");
        let plots = roof.expect("is there").plots(&Sources {
            lesson,
            sizes: &lesson.complete(&Sizes::new()),
            gpu: gpu("h200").expect("is known"),
            samples,
            tiles: &[],
        });
        plots.into_iter().flat_map(|plot| plot.series).collect()
    }

    #[test]
    fn a_run_whose_time_is_recorded_stands_at_that_time_and_not_on_the_roof() {
        let lesson = load("hardware").expect("reads");
        let recorded = lesson.recorded_samples("h200");
        let run = counted(&lesson, &recorded, true);
        let of_run = run.timing.as_ref().and_then(|timing| timing.tflop_s);
        let samples: Vec<Sample> = recorded.iter().cloned().chain([run.clone()]).collect();
        let all = series(&lesson, &samples);
        let is_mine = |point: &&Point| point.sizes == run.sizes;
        let mine: Vec<&Point> = all
            .iter()
            .flat_map(|series| &series.points)
            .filter(is_mine)
            .collect();
        let known: Vec<_> = mine
            .iter()
            .map(|point| (point.evidence, Some(point.y)))
            .collect();
        assert_eq!(known, [(Evidence::Recorded, of_run)], "{mine:?}");
        // Before anything ran, the figure has what it asks for alone.
        let before = series(&lesson, &recorded);
        assert!(
            !before
                .iter()
                .flat_map(|series| &series.points)
                .any(|point| is_mine(&point))
        );
    }

    #[test]
    fn what_nobody_timed_is_a_series_of_its_own() {
        let lesson = load("hardware").expect("reads");
        let recorded = lesson.recorded_samples("h200");
        let run = counted(&lesson, &recorded, false);
        let others = recorded
            .into_iter()
            .filter(|sample| sample.sizes != run.sizes);
        let samples: Vec<Sample> = others.chain([run.clone()]).collect();
        let all = series(&lesson, &samples);
        let marked = all.iter().filter(|series| series.shape != Shape::Curve);
        let evidence: Vec<_> = marked
            .map(|series| (series.name.as_str(), series.evidence()))
            .collect();
        let expected = [
            ("work", vec![Evidence::Recorded]),
            ("work, time not known: at most", vec![Evidence::Computed]),
        ];
        assert_eq!(evidence, expected);
    }
}
