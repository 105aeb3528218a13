//! A quantity of run cells over a size.

use std::collections::BTreeMap;

use super::curve;
use super::fixed::Fixed;
use super::plot::{Axis, Plot, Point, Series, Shape};
use super::sources::Sources;
use crate::launch::Measure;
use crate::launch::{Counts, Evidence, Operation, Timing};
use crate::lesson::cells::{FigureCell, LaunchReference, LineFigure, Quantity, RunCell, Scale};
use crate::lesson::formula::Formula;
use crate::lesson::run::Sample;
use crate::lesson::sizes::{Sizes, equations};

/// The figure's plot; of what nothing is known, without series and with a note that says so.
pub(super) fn plot(cell: &FigureCell, figure: &LineFigure, sources: &Sources) -> Plot {
    let lines = Lines {
        cell,
        figure,
        sources,
        fixed: Fixed::new(sources, &figure.at, Some(&figure.x)),
    };
    let mut series = lines.series();
    let points = || series.iter().flat_map(|series| &series.points);
    let x =
        Axis::new(&lines.size_label(), "", figure.x_scale).around(points().map(|point| point.x));
    let (name, unit) = lines.quantity();
    let mut y = Axis::new(name, unit, figure.y_scale);
    let mut notes = vec![lines.nothing()];
    if !series.is_empty() {
        notes = lines.notes(&series);
        let peaks = lines.peaks();
        // The axis takes in the peak: how far the points stay below it is what the figure is about.
        let heights = points().map(|point| point.y);
        y = y.around(heights.chain(peaks.iter().map(|&(_, peak)| peak)));
        series.extend(peaks.into_iter().map(|(name, peak)| {
            let name = format!("{name} of {}", sources.gpu.name);
            let corners = [(x.from, peak), (x.to, peak)];
            Series::curve(&name, Evidence::Specified, &corners)
        }));
    }
    Plot {
        title: cell.title.clone(),
        notes,
        x,
        y,
        series,
        is_first_look: true,
    }
}

struct Lines<'a> {
    cell: &'a FigureCell,
    figure: &'a LineFigure,
    sources: &'a Sources<'a>,
    fixed: Fixed<'a>,
}

impl Lines<'_> {
    fn size_label(&self) -> String {
        self.fixed.size().map_or_else(
            || self.figure.x.clone(),
            |size| format!("{}, {}", size.name, size.label),
        )
    }

    fn quantity(&self) -> (&'static str, &'static str) {
        match self.figure.y {
            Quantity::Rate => ("rate", "GB/s"),
            Quantity::Time => ("time", "µs"),
            Quantity::Flops => ("operations per second", "TFLOP/s"),
            Quantity::Count(measure) => (measure.name(), ""),
            Quantity::TilesLoaded => ("tiles loaded from memory", ""),
        }
    }

    /// What the GPU can do by its specification, where rates are plotted: that of tensor cores beside a
    /// library that uses them.
    fn peaks(&self) -> Vec<(&'static str, f64)> {
        let gpu = self.sources.gpu;
        let mut baselines = self.parts().flat_map(|(_, run)| &run.baselines);
        let is_bf16 = baselines.any(|baseline| baseline.operation == Operation::Bf16);
        let tensor = gpu.bf16_tensor_dense_tflops.filter(|_| is_bf16);
        let known = match self.figure.y {
            Quantity::Rate => vec![("peak", gpu.memory_bandwidth_gb_s)],
            Quantity::Flops => vec![
                ("fp32 peak", gpu.fp32_tflops),
                ("bf16 peak of tensor cores", tensor),
            ],
            Quantity::Time | Quantity::Count(_) | Quantity::TilesLoaded => Vec::new(),
        };
        let known = known.into_iter();
        known
            .filter_map(|(name, peak)| Some((name, peak?)))
            .collect()
    }

    fn series(&self) -> Vec<Series> {
        let mut series: Vec<Series> = self.sources.tiles.to_vec();
        // They are drawn at the end, when the places of all others are known.
        // Cells that do not use the size on the first axis, by their places among the series.
        let mut levels = Vec::new();
        for (part, run) in self.parts() {
            let own = self.of_part(part, run);
            // Such a cell is one value at every x: a level line, not one lonely point.
            if !run.used_sizes().contains(&self.figure.x) {
                levels.extend(series.len()..series.len() + own.len());
            }
            series.extend(own);
            series.extend(self.graph(part, run));
            series.extend(self.formula(part, run));
        }
        // Behind the lesson's own, so that these keep their colours whether a library was recorded or not.
        series.extend(self.baselines());
        self.spread(&mut series, &levels);
        // A legend names only what can be seen.
        series.retain(|series| !series.points.is_empty());
        series
    }

    /// What it shows, with the run cells.
    fn parts(&self) -> impl Iterator<Item = (&LaunchReference, &RunCell)> {
        let lesson = self.sources.lesson;
        let parts = self.figure.cells.iter();
        parts.filter_map(|part| Some((part, lesson.run_cell(&part.cell).ok()?)))
    }

    /// The samples of a run cell.
    fn samples(&self, run: &RunCell) -> impl Iterator<Item = &Sample> {
        let samples = self.sources.samples.iter();
        samples.filter(move |sample| sample.cell == run.id)
    }

    /// Those at the figure's sizes, each with its place on the first axis.
    fn samples_at_sizes(&self, run: &RunCell) -> impl Iterator<Item = (&Sample, u64)> {
        let samples = self.samples(run);
        let samples = samples.filter(|sample| self.fixed.holds(&sample.sizes));
        samples.filter_map(|sample| Some((sample, *sample.sizes.get(&self.figure.x)?)))
    }

    /// Recorded points at the figure's sizes; and those of this session, those at each other sizes apart. Beside points at
    /// sizes that the lesson fixes they would say nothing.
    fn of_part(&self, part: &LaunchReference, run: &RunCell) -> Vec<Series> {
        // Once there is a point at the sizes that the lesson fixes, others only distract from it.
        let is_fixed = !self.figure.at.is_empty() && self.samples_at_sizes(run).next().is_some();
        let mut groups: BTreeMap<(u8, Option<Sizes>), Vec<Point>> = BTreeMap::new();
        for sample in self.samples(run) {
            for point in self.points(part, sample) {
                // The order of the legend: recorded, simulated here, measured here.
                let rank = match point.evidence {
                    Evidence::Recorded => 0,
                    Evidence::Measured | Evidence::Profiled => 2,
                    Evidence::Computed
                    | Evidence::Specified
                    | Evidence::Counted
                    | Evidence::Modelled => 1,
                };
                let others = match self.fixed.holds(&sample.sizes) {
                    true => None,
                    false if rank > 0 && !is_fixed => Some(self.others(&sample.sizes)),
                    // At other sizes than the figure fixes: of another figure.
                    false => continue,
                };
                groups.entry((rank, others)).or_default().push(point);
            }
        }
        let series = groups.into_iter().map(|((_, others), points)| {
            let name = match others.map(|others| equations(&others)).as_deref() {
                None | Some("") => part.name(run),
                Some(others) => format!("{}, {others}", part.name(run)),
            };
            joined(&name, points)
        });
        series.collect()
    }

    /// What all launches of a cell took as one CUDA graph, where the figure asks for that and it is known.
    fn graph(&self, part: &LaunchReference, run: &RunCell) -> Option<Series> {
        // A graph holds all launches, so there is none of a single one.
        if !self.figure.with_graphs || part.launch.is_some() {
            return None;
        }
        let as_graph = |(sample, x): (&Sample, u64)| {
            let timing = sample.timing.as_ref()?;
            let of_graph = Timing {
                median_ms: timing.graph_ms?,
                ..timing.clone()
            };
            let y = self.value(&of_graph, &sample.sizes, x)?;
            Some(point(sample, x, y, timing.evidence))
        };
        let name = format!("{}, as one CUDA graph", part.name(run));
        let points = self.samples_at_sizes(run).filter_map(as_graph);
        Some(joined(&name, points.collect()))
    }

    /// The sizes but the one on the first axis.
    fn others(&self, sizes: &Sizes) -> Sizes {
        let mut others = sizes.clone();
        others.remove(&self.figure.x);
        others
    }

    /// What a sample gives: a count of ours and one of the hardware may stand beside each other.
    fn points(&self, part: &LaunchReference, sample: &Sample) -> Vec<Point> {
        let chosen = || self.fixed.sizes(None).get(&self.figure.x).copied();
        let x = sample.sizes.get(&self.figure.x).copied().or_else(chosen);
        let Some(x) = x else {
            return Vec::new();
        };
        let values = self.values(part, sample, x).into_iter();
        let points = values.map(|(y, evidence, says)| Point {
            says: says.to_owned(),
            ..point(sample, x, y, evidence)
        });
        points.collect()
    }

    fn values(
        &self,
        part: &LaunchReference,
        sample: &Sample,
        x: u64,
    ) -> Vec<(f64, Evidence, &'static str)> {
        if let Quantity::Count(measure) = self.figure.y {
            let ours = sample.counts_of(part.launch);
            let ours = ours.and_then(|counts: &Counts| measure.of(counts));
            let ours = ours.map(|count| (count as f64, measure.evidence(), ""));
            // Beside ours, not in its place: where they differ is worth seeing.
            let hardware = sample.hardware_of(measure, part.launch);
            let hardware = hardware
                .map(|(count, evidence)| (count as f64, evidence, "the hardware's own counter"));
            return ours.into_iter().chain(hardware).collect();
        }
        let timing = sample.timing_of(part.launch);
        let value = timing.and_then(|timing| {
            let value = self.value(timing, &sample.sizes, x)?;
            Some((value, timing.evidence, ""))
        });
        value.into_iter().collect()
    }

    fn value(&self, timing: &Timing, own: &Sizes, x: u64) -> Option<f64> {
        let work = |of: &Formula| {
            // What the sample was run with goes before what is chosen now.
            let mut sizes = self.fixed.sizes(Some(x));
            // The sizes that a run had count for more than those that the figure is drawn at.
            sizes.extend(own.clone());
            Some(of.evaluate(&sizes, self.sources.gpu).ok()? as f64 / timing.median_ms)
        };
        match (self.figure.y, &self.figure.work) {
            (Quantity::Time, _) => Some(1e3 * timing.median_ms),
            // Milliseconds to seconds, and bytes to gigabytes or operations to their millions of millions.
            (Quantity::Rate, Some(bytes)) => Some(work(bytes)? / 1e6),
            (Quantity::Flops, Some(operations)) => Some(work(operations)? / 1e9),
            (Quantity::Rate, None) => timing.gb_s,
            (Quantity::Flops, None) => timing.tflop_s,
            (Quantity::Count(_) | Quantity::TilesLoaded, _) => None,
        }
    }

    /// What others reach: of several runs at the same sizes the last one's.
    fn baselines(&self) -> Vec<Series> {
        let mut by_name: BTreeMap<String, Vec<Point>> = BTreeMap::new();
        // A library does the work of the whole cell, and not that of one of its launches.
        let runs = self.parts().filter(|(part, _)| part.launch.is_none());
        for (_, run) in runs {
            for (sample, x) in self.samples_at_sizes(run) {
                for baseline in &sample.baselines {
                    let timing = baseline.timing.as_ref();
                    let y = timing.and_then(|timing| self.value(timing, &sample.sizes, x));
                    let Some((y, timing)) = y.zip(timing) else {
                        continue;
                    };
                    let version = baseline.version.as_ref();
                    let name = baseline.baseline.operation.beside(&sample.cell);
                    let mut shown = self.figure.baselines.iter().flatten();
                    if self.figure.baselines.is_some() && !shown.any(|shown| *shown == name) {
                        continue;
                    }
                    by_name.entry(name).or_default().push(Point {
                        says: version
                            .map_or_else(String::new, |version| format!("version {version}")),
                        ..point(sample, x, y, timing.evidence)
                    });
                }
            }
        }
        let series = by_name.into_iter();
        series.map(|(name, points)| joined(&name, points)).collect()
    }

    /// Puts the one value of a series that does not depend on the size on the first axis at every place
    /// where another series has a point.
    fn spread(&self, series: &mut [Series], levels: &[usize]) {
        let others = series.iter().enumerate();
        let others = others.filter(|(at, of)| !levels.contains(at) && of.shape == Shape::Points);
        let mut xs: Vec<f64> = others
            .flat_map(|(_, series)| series.points.iter().map(|point| point.x))
            .collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        for &level in levels {
            let Some(point) = series[level].points.last().cloned() else {
                continue;
            };
            if !xs.is_empty() {
                let says = format!("does not depend on {}", self.figure.x);
                let at = |&x: &f64| Point {
                    x,
                    says: says.clone(),
                    ..point.clone()
                };
                series[level].points = xs.iter().map(at).collect();
            }
        }
    }

    /// What the cell's formula gives for the count: a curve, or marks at the values that the size lists.
    fn formula(&self, part: &LaunchReference, run: &RunCell) -> Option<Series> {
        let Quantity::Count(measure) = self.figure.y else {
            return None;
        };
        // A cell's formulas are of all its launches together.
        if part.launch.is_some() && run.launches.len() > 1 {
            return None;
        }
        let check = run.formulas.iter().find(|check| check.measure == measure)?;
        let size = self.fixed.size()?;
        let y = |x| {
            let sizes = self.fixed.sizes(Some(x));
            let y = check
                .formula
                .evaluate(&run.complete(&sizes), self.sources.gpu)
                .ok()?;
            // Zero has no place on a logarithmic axis.
            (y > 0 || self.figure.y_scale == Scale::Linear).then_some(y)
        };
        let xs = curve::values(size, self.figure.x_scale, curve::FORMULA_VALUES);
        let name = format!("{}: {}", part.cell, check.formula.textbook());
        let series = match size.values.is_empty() {
            true => Series::curve(&name, Evidence::Computed, &curve::corners(&xs, y)),
            false => {
                let at = |&x: &u64| Some((x as f64, y(x)? as f64));
                let places: Vec<_> = xs.iter().filter_map(at).collect();
                Series {
                    shape: Shape::Marks,
                    ..Series::curve(&name, Evidence::Computed, &places)
                }
            }
        };
        Some(series)
    }

    fn notes(&self, series: &[Series]) -> Vec<String> {
        let mut notes = Vec::new();
        let fixed = self.fixed_text();
        if !fixed.is_empty() {
            notes.push(format!("at {fixed}"));
        }
        match (self.figure.y, &self.figure.work) {
            (Quantity::Rate, Some(bytes)) => notes.push(format!(
                "rate: {} bytes, which every version has to move, divided by the median time",
                Formula::textbook(bytes)
            )),
            (Quantity::Rate, None) => notes.push(
                "rate: the distinct bytes that each version moves, divided by its median time"
                    .to_owned(),
            ),
            (Quantity::Flops, Some(operations)) => notes.push(format!(
                "{} operations, which every version takes, divided by the median time",
                Formula::textbook(operations)
            )),
            (Quantity::Flops, None) => notes.push(
                "counted floating-point operations, a fused multiply-add as two, divided by the \
                 median time"
                    .to_owned(),
            ),
            (Quantity::TilesLoaded, _) => {
                notes.push(
                    "a model of L2 that holds whole tiles, as the figures of these orders show it"
                        .to_owned(),
                );
            }
            _ => {}
        }
        if !series.iter().any(|series| series.shape == Shape::Points) {
            notes.push("these cells have no run yet at these sizes".to_owned());
        }
        notes
    }

    fn fixed_text(&self) -> String {
        self.fixed.text(&self.cell.runs(self.sources.lesson))
    }

    /// Why there is nothing to draw.
    fn nothing(&self) -> String {
        let at = match self.fixed_text() {
            fixed if fixed.is_empty() => String::new(),
            fixed => format!(" at {fixed}"),
        };
        match self.figure.y {
            Quantity::TilesLoaded => "The blocks run, to see which tiles they visit.".to_owned(),
            Quantity::Count(measure) => format!(
                "Nothing to draw yet: no run of these cells{at} has counted {}.",
                Measure::name(measure)
            ),
            _ => {
                let bench = self.figure.bench.as_ref();
                let help =
                    bench.map(|name| format!(" On a GPU `tutor bench {name}` measures them."));
                format!(
                    "Nothing to draw yet: no time of these cells is recorded{at} on {}, and none was \
                     measured here.{}",
                    self.sources.gpu.name,
                    help.unwrap_or_default()
                )
            }
        }
    }
}

/// What a sample gives, without words beside it.
fn point(sample: &Sample, x: u64, y: f64, evidence: Evidence) -> Point {
    Point {
        x: x as f64,
        y,
        evidence,
        sizes: sample.sizes.clone(),
        label: String::new(),
        says: String::new(),
    }
}

/// A series of points from left to right, the latest of each place.
fn joined(name: &str, points: Vec<Point>) -> Series {
    let mut latest: Vec<Point> = Vec::new();
    for point in points {
        // Samples come in order of time.
        latest.retain(|known| known.x != point.x);
        latest.push(point);
    }
    latest.sort_by(|a, b| a.x.total_cmp(&b.x));
    Series {
        name: name.to_owned(),
        shape: Shape::Points,
        points: latest,
    }
}
