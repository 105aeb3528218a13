//! A quantity of run cells over a size.

use std::collections::BTreeMap;

use super::{
    Axis, FigureCell, LineFigure, Plot, Point, Quantity, Sample, Scale, Series, Shape, Sources,
};
use crate::launch::{Evidence, Timing};
use crate::lesson::{Formula, RunCell, Sizes};

/// Points of a formula's curve.
const CURVE_POINTS: u32 = 64;

/// The figure's plot.
pub(super) fn plot(cell: &FigureCell, figure: &LineFigure, sources: &Sources) -> Plot {
    let picture = Lines { figure, sources };
    let mut series: Vec<Series> = figure
        .cells
        .iter()
        .flat_map(|id| picture.of_cell(id))
        .collect();
    series.extend(picture.baselines());
    let values = |of: fn(&Point) -> f64| {
        series
            .iter()
            .flat_map(move |series| series.points.iter().map(of))
    };
    let label = picture.size_label();
    let x = Axis::new(&label, "", figure.x_scale).around(values(|point| point.x));
    let peak = picture.peak();
    let all = values(|point| point.y).chain(peak);
    let (name, unit) = picture.quantity();
    let y = Axis::new(name, unit, figure.y_scale).around(all);
    if let Some(peak) = peak {
        let name = format!("peak of {}", sources.gpu.name);
        let corners = [(x.from, peak), (x.to, peak)];
        series.push(Series::curve(&name, Evidence::Computed, &corners));
    }
    Plot {
        title: cell.title.clone(),
        notes: picture.notes(&series),
        x,
        y,
        series,
    }
}

struct Lines<'a> {
    figure: &'a LineFigure,
    sources: &'a Sources<'a>,
}

impl Lines<'_> {
    fn size_label(&self) -> String {
        let sizes = &self.sources.lesson.sizes;
        let size = sizes.iter().find(|size| size.name == self.figure.x);
        size.map_or_else(
            || self.figure.x.clone(),
            |size| format!("{}, {}", size.name, size.label),
        )
    }

    fn quantity(&self) -> (&'static str, &'static str) {
        match self.figure.y {
            Quantity::Rate => ("rate", "GB/s"),
            Quantity::Time => ("time", "µs"),
            Quantity::Count(measure) => (measure.name(), ""),
        }
    }

    /// What the GPU's memory can do by its specification, where rates are plotted.
    fn peak(&self) -> Option<f64> {
        let peak = self.sources.gpu.memory_bandwidth_gb_s;
        peak.filter(|_| self.figure.y == Quantity::Rate)
    }

    /// The sizes but the one on the first axis.
    fn others(&self, sizes: &Sizes) -> Sizes {
        let mut others = sizes.clone();
        others.remove(&self.figure.x);
        others
    }

    /// The other sizes of recorded points and formulas.
    fn fixed(&self) -> Sizes {
        let mut fixed = self.others(self.sources.sizes);
        fixed.extend(self.figure.at.clone());
        fixed
    }

    fn of_cell(&self, id: &str) -> Vec<Series> {
        let mut groups: BTreeMap<(u8, Sizes), Vec<Point>> = BTreeMap::new();
        for sample in self
            .sources
            .samples
            .iter()
            .filter(|sample| sample.cell == id)
        {
            let Some(point) = self.point(sample) else {
                continue;
            };
            let others = self.others(&sample.sizes);
            let is_recorded = point.evidence == Evidence::Recorded;
            if is_recorded && others != self.fixed() {
                continue;
            }
            let group = (u8::from(!is_recorded), others);
            groups.entry(group).or_default().push(point);
        }
        let series = groups.into_iter();
        let series = series.map(|((_, others), points)| self.joined(id, &others, points));
        let run = self.sources.lesson.run_cell(id).ok();
        series
            .chain(run.and_then(|run| self.formula(run)))
            .collect()
    }

    /// A series of points from left to right, the latest of each place.
    fn joined(&self, id: &str, others: &Sizes, points: Vec<Point>) -> Series {
        let mut kept: Vec<Point> = Vec::new();
        for point in points {
            kept.retain(|known| known.x != point.x);
            kept.push(point);
        }
        kept.sort_by(|a, b| a.x.total_cmp(&b.x));
        let is_recorded = kept
            .iter()
            .all(|point| point.evidence == Evidence::Recorded);
        let name = match is_recorded || *others == self.fixed() {
            true => id.to_owned(),
            false => format!("{id}, {}", size_text(others)),
        };
        Series {
            name,
            shape: Shape::Points,
            points: kept,
        }
    }

    fn point(&self, sample: &Sample) -> Option<Point> {
        let x = *sample.sizes.get(&self.figure.x)? as f64;
        let (y, evidence) = match self.figure.y {
            Quantity::Count(measure) => {
                let counts = sample.counts.as_ref()?;
                (measure.of(counts)? as f64, measure.evidence())
            }
            Quantity::Rate | Quantity::Time => {
                let timing = sample.timing.as_ref()?;
                (self.value(timing, &sample.sizes)?, timing.evidence)
            }
        };
        Some(Point {
            x,
            y,
            evidence,
            sizes: sample.sizes.clone(),
            label: String::new(),
            says: String::new(),
        })
    }

    fn value(&self, timing: &Timing, sizes: &Sizes) -> Option<f64> {
        match (self.figure.y, &self.figure.bytes) {
            (Quantity::Time, _) => Some(1e3 * timing.median_ms),
            (Quantity::Rate, Some(bytes)) => {
                Some(bytes.evaluate(sizes, self.sources.gpu).ok()? as f64 / timing.median_ms / 1e6)
            }
            (Quantity::Rate, None) => timing.gb_s,
            (Quantity::Count(_), _) => None,
        }
    }

    /// What NVIDIA's libraries reach: of several runs at the same sizes the last one's.
    fn baselines(&self) -> Vec<Series> {
        let mut by_name: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
        let shown = |sample: &&Sample| self.figure.cells.contains(&sample.cell);
        for sample in self.sources.samples.iter().filter(shown) {
            if self.others(&sample.sizes) != self.fixed() {
                continue;
            }
            for baseline in &sample.baselines {
                let timing = baseline.timing.as_ref();
                let y = timing.and_then(|timing| self.value(timing, &sample.sizes));
                let x = sample.sizes.get(&self.figure.x);
                if let (Some(y), Some(&x), Some(timing)) = (y, x, timing) {
                    by_name.entry(&baseline.name).or_default().push(Point {
                        x: x as f64,
                        y,
                        evidence: timing.evidence,
                        sizes: sample.sizes.clone(),
                        label: String::new(),
                        says: baseline
                            .version
                            .as_ref()
                            .map_or_else(String::new, |version| format!("version {version}")),
                    });
                }
            }
        }
        let fixed = self.fixed();
        let series = by_name.into_iter();
        series
            .map(|(name, points)| self.joined(name, &fixed, points))
            .collect()
    }

    /// The curve of what the cell's formula gives for the count.
    fn formula(&self, run: &RunCell) -> Option<Series> {
        let Quantity::Count(measure) = self.figure.y else {
            return None;
        };
        let check = run.formulas.iter().find(|check| check.measure == measure)?;
        let size = self
            .sources
            .lesson
            .sizes
            .iter()
            .find(|size| size.name == self.figure.x)?;
        let mut sizes = self.fixed();
        let corners = steps(size.min, size.max, self.figure.x_scale).filter_map(|x| {
            sizes.insert(self.figure.x.clone(), x);
            let y = check.formula.evaluate(&sizes, self.sources.gpu).ok()?;
            (y > 0 || self.figure.y_scale == Scale::Linear).then_some((x as f64, y as f64))
        });
        let corners: Vec<_> = corners.collect();
        let name = format!("{}: {}", run.id, check.formula.textbook());
        Some(Series::curve(&name, Evidence::Computed, &corners))
    }

    fn notes(&self, series: &[Series]) -> Vec<String> {
        let mut notes = Vec::new();
        let fixed = size_text(&self.fixed());
        if !fixed.is_empty() {
            notes.push(format!("at {fixed}"));
        }
        match (self.figure.y, &self.figure.bytes) {
            (Quantity::Rate, Some(bytes)) => notes.push(format!(
                "rate: {} bytes, which every way has to move, over the median time",
                Formula::textbook(bytes)
            )),
            (Quantity::Rate, None) => notes.push(
                "rate: the different bytes that each moves itself, over its median time".to_owned(),
            ),
            _ => {}
        }
        if !series.iter().any(|series| series.shape == Shape::Points) {
            notes.push("no run of these cells is known yet at these sizes".to_owned());
        }
        notes
    }
}

/// Sizes as text.
fn size_text(sizes: &Sizes) -> String {
    let texts = sizes
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    texts.collect::<Vec<_>>().join(", ")
}

/// Whole numbers from `min` to `max`, spread as the scale has it.
fn steps(min: u64, max: u64, scale: Scale) -> impl Iterator<Item = u64> {
    let (low, high) = (min.max(1) as f64, max.max(1) as f64);
    let place = move |at: u32| {
        let share = f64::from(at) / f64::from(CURVE_POINTS - 1);
        let value = match scale {
            Scale::Linear => low + (high - low) * share,
            Scale::Log | Scale::Log2 => low * (high / low).powf(share),
        };
        value.round() as u64
    };
    let mut last = None;
    (0..CURVE_POINTS)
        .map(place)
        .filter(move |&value| last.replace(value) != Some(value))
}
