//! The TOML of a figure to a [`FigureCell`]. The cells and buffers that it names are looked up here; other figures
//! that it names ([`check_orders`]) once all of the lesson is read.

use super::cell::{
    At, FLOPS, FigureCell, FigureKind, FigureName, LaunchReference, LineFigure, OccupancyFigure,
    OrderFigure, OrderInput, PictureFigure, Quantity, RooflineFigure, Scale, TILES_LOADED,
    WavesFigure,
};
use crate::compile::{Fidelity, compile_kernels};
use crate::lesson::cells::run::RunCell;
use crate::lesson::cells::scope::{Scope, check_names};
use crate::lesson::formula::Formula;
use crate::lesson::reader::{Findings, OneOrMore, Placed, Table, one_of};
use crate::source::{Diagnostic, Span};

/// The figure, if what it needs is there.
pub(crate) fn read_figure_cell(id: &str, mut table: Table, scope: &Scope) -> Option<FigureCell> {
    let figure = FigureScope {
        scope,
        head: table.span,
    };
    let title: Option<String> = table.required("title");
    let kind: Placed<String> = table.required("kind")?;
    let name = FigureName::from_name(&kind.value);
    if let Some(name) = name {
        table.describes(noun(name));
    }
    let kind = match name {
        Some(FigureName::Lines) => figure.read_lines(table).map(FigureKind::Lines),
        Some(FigureName::Roofline) => figure.read_roofline(table).map(FigureKind::Roofline),
        Some(FigureName::Occupancy) => Some(FigureKind::Occupancy(figure.read_occupancy(table))),
        Some(FigureName::Order) => figure.read_order(table).map(FigureKind::Order),
        Some(FigureName::Launch) => figure.read_launch(table).map(FigureKind::Picture),
        Some(FigureName::Memory) => {
            table.finish();
            Some(FigureKind::Picture(PictureFigure::Memory))
        }
        Some(FigureName::Waves) => figure.read_waves(table).map(FigureKind::Picture),
        None => {
            let message = format!("there is no figure of the kind `{}`", kind.value);
            let names = FigureName::names();
            scope.findings.unknown(&kind, message, names)
        }
    };
    Some(FigureCell {
        id: id.to_owned(),
        // A plot's title is drawn as it is, and not as Markdown.
        title: title?.replace('`', ""),
        kind: kind?,
    })
}

/// What messages call a figure of this kind.
fn noun(name: FigureName) -> &'static str {
    match name {
        FigureName::Lines => "a `lines` figure",
        FigureName::Roofline => "a `roofline` figure",
        FigureName::Occupancy => "an `occupancy` figure",
        FigureName::Order => "an `order` figure",
        FigureName::Launch => "a `launch` figure",
        FigureName::Memory => "a `memory` figure",
        FigureName::Waves => "a `waves` figure",
    }
}

/// Complains, at the line of `figure` in `head`, about orders that it plots and that are none of `known`, the ids of
/// the lesson's order figures.
pub(crate) fn check_orders(figure: &FigureCell, head: Span, known: &[&str], findings: &Findings) {
    let FigureKind::Lines(lines) = &figure.kind else {
        return;
    };
    let unknown = lines.orders.iter();
    for id in unknown.filter(|id| !known.contains(&id.as_str())) {
        let message = format!("there is no figure `{id}` of the kind `order`");
        let help = one_of(id, known.iter().copied());
        findings.add(Diagnostic::error(head, message).help(help));
    }
}

/// What a figure may name, and the line that mistakes in cells and launches are reported at.
struct FigureScope<'a> {
    scope: &'a Scope<'a>,
    head: Span,
}

impl<'a> FigureScope<'a> {
    fn error(&self, message: String, help: String) {
        let diagnostic = Diagnostic::error(self.head, message).help(help);
        self.scope.findings.add(diagnostic);
    }

    /// The run cell called so.
    fn run(&self, id: &str) -> Option<&'a RunCell> {
        let runs = self.scope.runs;
        let found = runs.iter().find(|run| run.id == id);
        if found.is_none() {
            let message = format!("the figure shows a cell `{id}`, which is not a run cell here");
            let ids = runs.iter().map(|run| run.id.as_str());
            self.error(message, one_of(id, ids));
        }
        found
    }

    /// The run cell called so, which has to have a launch with that number.
    fn run_with_launch(&self, id: &str, launch: usize) -> Option<&'a RunCell> {
        let run = self.run(id)?;
        let count = run.launches.len();
        if launch >= count {
            let message = format!("the cell `{id}` has no launch {launch}");
            let help = format!("launches are numbered from 0; it has {count}");
            self.error(message, help);
        }
        Some(run)
    }

    /// What `name` means, which is one of `names`; `what` is for messages: "a peak".
    fn choice<'n, T>(
        &self,
        name: &Placed<String>,
        what: &str,
        names: impl IntoIterator<Item = &'n str>,
        meaning: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        meaning(&name.value).or_else(|| {
            let message = format!("`{}` is not {what}", name.value);
            self.scope.findings.unknown(name, message, names)
        })
    }

    /// The name of a size.
    fn size(&self, name: &Placed<String>) -> Option<String> {
        let names = || self.scope.size_names();
        let is_size = |name: &str| names().any(|known| known == name);
        self.choice(name, "a size of this lesson", names(), |name| {
            is_size(name).then(|| name.to_owned())
        })
    }

    fn scale(&self, name: Option<Placed<String>>) -> Option<Scale> {
        let what = "a way to divide an axis";
        self.choice(&name?, what, Scale::names(), Scale::from_name)
    }

    fn formula(&self, formula: Placed<Formula>) -> Formula {
        check_names(&formula, self.scope.size_names(), self.scope.findings);
        formula.value
    }

    /// The sizes that a figure fixes: numbers, or formulas over the others.
    fn read_at(&self, table: Option<Table>) -> At {
        let entries = table.map_or_else(Vec::new, Table::entries);
        let fixed = entries.into_iter().filter_map(|(name, formula)| {
            let name = self.size(&name);
            let formula = self.formula(formula);
            Some((name?, formula))
        });
        fixed.collect()
    }

    fn read_lines(&self, mut table: Table) -> Option<LineFigure> {
        let x: Option<Placed<String>> = table.required("x");
        let y: Option<Placed<String>> = table.required("y");
        // What is plotted decides which keys there are, so it is read first.
        let is_tiles = y.as_ref().is_some_and(|y| y.value == TILES_LOADED);
        let (cells, orders): (Option<Vec<Placed<String>>>, Option<OneOrMore>) = match is_tiles {
            true => (Some(Vec::new()), table.required("order")),
            false => (table.required("cells"), Some(OneOrMore(Vec::new()))),
        };
        let x_scale = table.optional("x_scale");
        let y_scale = table.optional("y_scale");
        let at = table.optional_table("at", "the sizes of a figure");
        let work = read_work(&mut table, y.as_ref());
        let with_graphs: Option<bool> = table.optional("graphs");
        let baselines: Option<Vec<Placed<String>>> = table.optional("baselines");
        let bench: Option<String> = table.optional("bench");
        table.finish();
        let x = x.and_then(|x| self.size(&x));
        let y = y.and_then(|y| self.quantity(&y));
        let (x_scale, y_scale) = (self.scale(x_scale), self.scale(y_scale));
        let at = self.read_at(at);
        let work = work.map(|work| self.formula(work));
        let cells = cells?;
        let parts = cells.iter().filter_map(|name| self.read_part(name));
        let cells: Vec<_> = parts.collect();
        Some(LineFigure {
            baselines: baselines.map(|names| self.read_baselines(&names, &cells)),
            cells,
            // A figure of tiles has orders and no cells, any other has cells and no orders.
            orders: orders?.0,
            x: x?,
            x_scale: x_scale.unwrap_or(Scale::Log),
            y: y?,
            y_scale: y_scale.unwrap_or(Scale::Linear),
            at,
            work,
            with_graphs: with_graphs.unwrap_or_default(),
            bench,
        })
    }

    fn quantity(&self, name: &Placed<String>) -> Option<Quantity> {
        let names = Quantity::names();
        self.choice(name, "a quantity to plot", names, Quantity::from_name)
    }

    /// Baselines of the cells, by the names that the legend has for them.
    fn read_baselines(&self, names: &[Placed<String>], cells: &[LaunchReference]) -> Vec<String> {
        let runs = cells.iter().filter_map(|part| self.run(&part.cell));
        let known = runs.flat_map(|run| {
            let baselines = run.baselines.iter();
            baselines.map(|baseline| baseline.operation.beside(&run.id))
        });
        let known: Vec<String> = known.collect();
        let chosen = names.iter().filter_map(|name| {
            let known = known.iter().map(String::as_str);
            self.choice(name, "a baseline of these cells", known.clone(), |name| {
                known
                    .clone()
                    .any(|known| known == name)
                    .then(|| name.to_owned())
            })
        });
        chosen.collect()
    }

    /// A run cell, or a launch of it.
    fn read_part(&self, name: &Placed<String>) -> Option<LaunchReference> {
        let part = LaunchReference::parse(&name.value);
        match &part {
            Some(part) => _ = self.run_with_launch(&part.cell, part.launch.unwrap_or(0)),
            None => {
                let message = format!("`{}` does not name a launch of a cell", name.value);
                let help =
                    "write `cell@0` for the first launch of `cell`, or `cell` for all of them";
                let diagnostic = Diagnostic::error(name.span, message);
                self.scope.findings.add(diagnostic.help(help));
            }
        }
        part
    }

    fn read_roofline(&self, mut table: Table) -> Option<RooflineFigure> {
        let cells: Option<Vec<String>> = table.required("cells");
        let peaks: Vec<Placed<String>> = table.optional("peaks").unwrap_or_default();
        let at = table.optional_table("at", "the sizes of a figure");
        table.finish();
        let names = ["fp32", "tensor"];
        let peaks = peaks.iter().filter_map(|peak| {
            let is_tensor = |name: &str| names.contains(&name).then(|| name == "tensor");
            self.choice(peak, "a peak", names, is_tensor)
        });
        // Each is looked up before one of them answers.
        let peaks: Vec<bool> = peaks.collect();
        let at = self.read_at(at);
        // Looked up for the message alone: the figure keeps names, as its cells may change while it is open.
        for id in cells.iter().flatten() {
            self.run(id);
        }
        Some(RooflineFigure {
            cells: cells?,
            at,
            tensor: peaks.contains(&true),
        })
    }

    fn read_occupancy(&self, mut table: Table) -> OccupancyFigure {
        let cell: Option<String> = table.optional("cell");
        let launch = table
            .optional("launch")
            .map_or(0, |launch: u64| launch as usize);
        let mut number = |key| {
            let number: Placed<u64> = table.optional(key)?;
            let small = u32::try_from(number.value).ok();
            if small.is_none() {
                let message = format!("`{key}` is more than any GPU has");
                self.scope.findings.error(number.span, message);
            }
            small
        };
        let (threads, registers, shared_bytes) =
            (number("threads"), number("registers"), number("shared"));
        table.finish();
        let run = cell.as_ref();
        let run = run.and_then(|cell| self.run_with_launch(cell, launch));
        OccupancyFigure {
            cell,
            launch,
            threads,
            registers,
            shared_bytes,
            // Only the compiler knows it: arrays stand in the source, not in the lesson.
            static_shared_bytes: run.and_then(|run| static_shared(run, launch)).unwrap_or(0),
        }
    }

    fn read_order(&self, mut table: Table) -> Option<OrderFigure> {
        let cell: Option<String> = table.required("cell");
        let launch = table
            .optional("launch")
            .map_or(0, |launch: u64| launch as usize);
        let output: Option<String> = table.required("output");
        let tile = table.optional("tile");
        let inputs = table.optional_tables("inputs", "an input");
        let l2: Option<Placed<Formula>> = table.optional("l2");
        let block: Option<Placed<Formula>> = table.optional("block");
        table.finish();
        let l2_bytes = l2.map(|l2| self.formula(l2));
        let inputs = inputs.into_iter();
        let inputs = inputs.filter_map(|input| self.read_input(input));
        let figure = OrderFigure {
            inputs: inputs.collect(),
            cell: cell?,
            launch,
            output: output?,
            tile: tile.and_then(|tile| self.read_tile(tile)),
            l2_bytes,
            block: block.map(|block| self.formula(block)),
        };
        self.check_buffers(&figure);
        Some(figure)
    }

    fn read_launch(&self, mut table: Table) -> Option<PictureFigure> {
        let cell: Option<String> = table.required("cell");
        let launch = table
            .optional("launch")
            .map_or(0, |launch: u64| launch as usize);
        table.finish();
        let cell = cell?;
        self.run_with_launch(&cell, launch)?;
        Some(PictureFigure::Launch { cell, launch })
    }

    fn read_waves(&self, mut table: Table) -> Option<PictureFigure> {
        let [blocks, sms, per_sm] =
            ["blocks", "sms", "per_sm"].map(|key| table.required::<Placed<Formula>>(key));
        table.finish();
        let [blocks, sms, per_sm] =
            [blocks, sms, per_sm].map(|formula| Some(self.formula(formula?)));
        Some(PictureFigure::Waves(WavesFigure {
            blocks: blocks?,
            sms: sms?,
            per_sm: per_sm?,
        }))
    }

    fn read_input(&self, mut table: Table) -> Option<OrderInput> {
        let buffer = table.required("buffer");
        let tile = table.required("tile");
        table.finish();
        let tile = tile.and_then(|tile| self.read_tile(tile));
        Some(OrderInput {
            buffer: buffer?,
            tile: tile?,
        })
    }

    /// Rows and columns.
    fn read_tile(&self, tile: Placed<Vec<Placed<Formula>>>) -> Option<[Formula; 2]> {
        let extents = tile.value.into_iter();
        let extents: Vec<Formula> = extents.map(|extent| self.formula(extent)).collect();
        let rows_and_columns = extents.try_into().ok();
        if rows_and_columns.is_none() {
            let message = "a tile has two extents: rows and columns";
            self.scope.findings.error(tile.span, message);
        }
        rows_and_columns
    }

    fn check_buffers(&self, order: &OrderFigure) {
        let Some(run) = self.run_with_launch(&order.cell, order.launch) else {
            return;
        };
        let names = || run.buffers.iter().map(|buffer| buffer.name.as_str());
        let inputs = order.inputs.iter().map(|input| &input.buffer);
        for name in inputs.chain([&order.output]) {
            if !names().any(|known| known == name) {
                let message = format!("the cell `{}` has no buffer `{name}`", run.id);
                self.error(message, one_of(name, names()));
            }
        }
    }
}

/// What the kernel of a launch declares of shared memory with its size.
fn static_shared(run: &RunCell, launch: usize) -> Option<u32> {
    let name = &run.launches.get(launch)?.kernel;
    let compiled = compile_kernels(&run.source, &[], &[name], Fidelity::AsWritten).for_hardware();
    Some(compiled.kernel(name).ok()?.memory.shared_bytes)
}

/// What rates are of: bytes, or operations if these are counted per second.
fn read_work(table: &mut Table, y: Option<&Placed<String>>) -> Option<Placed<Formula>> {
    match y.is_some_and(|y| y.value == FLOPS) {
        true => table.optional("operations"),
        false => table.optional("bytes"),
    }
}
