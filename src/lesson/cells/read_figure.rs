//! The TOML of a figure to a [`FigureCell`]. Cells and buffers that it names are looked up once all of
//! the lesson is read.

use super::figure::TILES_LOADED;
use super::quote::one_of;
use super::scope::check_sizes;
use crate::compile::compile_kernels;
use crate::lesson::figure::{
    At, FigureCell, FigureKind, LineFigure, OccupancyFigure, OrderFigure, OrderInput, Part,
    Quantity, RooflineFigure, Scale,
};
use crate::lesson::reader::{Findings, Placed, Table};
use crate::lesson::{Cell, Formula, RunCell, Size};
use crate::source::{Diagnostic, Span};

/// Every kind of figure.
const KINDS: [&str; 4] = ["lines", "roofline", "occupancy", "order"];

/// The figure, if what it needs is there; what is wrong goes to `findings`.
pub(crate) fn read_figure_cell(
    id: &str,
    head: Span,
    mut table: Table,
    sizes: &[Size],
    findings: &mut Findings,
) -> Option<FigureCell> {
    table.span = head;
    let title = table.string("title", findings);
    let kind = table.string("kind", findings)?;
    let kind = match kind.value.as_str() {
        "lines" => read_lines(table, sizes, findings).map(FigureKind::Lines),
        "roofline" => read_roofline(table, sizes, findings).map(FigureKind::Roofline),
        "occupancy" => Some(FigureKind::Occupancy(read_occupancy(table, findings))),
        "order" => read_order(table, sizes, findings).map(FigureKind::Order),
        other => {
            let message = format!("there is no figure of the kind `{other}`");
            let help = one_of(other, &KINDS);
            findings.add(Diagnostic::error(kind.span, message).help(help));
            None
        }
    };
    Some(FigureCell {
        id: id.to_owned(),
        title: title?.value.replace('`', ""),
        kind: kind?,
    })
}

/// Complains about run cells and buffers that figures name and the lesson does not have, and fills in what
/// they take from those cells. `cells` come with their first byte in the file.
pub(crate) fn check_figures(cells: &mut [(usize, Cell)], text: &str, findings: &mut Findings) {
    check_names(cells, text, findings);
    let shared = cells.iter().map(|(_, cell)| static_shared(cell, cells));
    let shared: Vec<Option<u32>> = shared.collect();
    for ((_, cell), shared) in cells.iter_mut().zip(shared) {
        if let (Cell::Figure(figure), Some(shared)) = (cell, shared)
            && let FigureKind::Occupancy(figure) = &mut figure.kind
        {
            figure.static_shared_bytes = shared;
        }
    }
}

/// What the kernel of an occupancy figure's launch declares of shared memory with its size.
fn static_shared(cell: &Cell, cells: &[(usize, Cell)]) -> Option<u32> {
    let Cell::Figure(figure) = cell else {
        return None;
    };
    let FigureKind::Occupancy(figure) = &figure.kind else {
        return None;
    };
    let run = cells.iter().find_map(|(_, cell)| match cell {
        Cell::Run(run) if Some(&run.id) == figure.cell.as_ref() => Some(run),
        _ => None,
    });
    let run = run?;
    let name = &run.launches.get(figure.launch)?.kernel;
    let compiled = compile_kernels(&run.source, &[], &[name], Default::default());
    Some(compiled.kernel(name).ok()?.shared_bytes)
}

fn check_names(cells: &[(usize, Cell)], text: &str, findings: &mut Findings) {
    let runs: Vec<&RunCell> = cells
        .iter()
        .filter_map(|(_, cell)| match cell {
            Cell::Run(run) => Some(run.as_ref()),
            _ => None,
        })
        .collect();
    for (at, cell) in cells {
        let Cell::Figure(figure) = cell else { continue };
        let head = text[*at..].lines().next().map_or(0, str::len);
        let head = Span::new(*at, at + head);
        for id in figure.cells() {
            if !runs.iter().any(|run| run.id == id) {
                let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
                let message =
                    format!("the figure shows a cell `{id}`, which is not a run cell here");
                findings.add(Diagnostic::error(head, message).help(one_of(id, &ids)));
            }
        }
        match &figure.kind {
            FigureKind::Lines(lines) => {
                for part in &lines.cells {
                    check_launch(&part.cell, part.launch.unwrap_or(0), &runs, head, findings);
                }
                check_orders(&lines.orders, cells, head, findings);
            }
            FigureKind::Order(order) => {
                check_launch(&order.cell, order.launch, &runs, head, findings);
                check_buffers(order, &runs, head, findings);
            }
            FigureKind::Occupancy(OccupancyFigure {
                cell: Some(cell),
                launch,
                ..
            }) => check_launch(cell, *launch, &runs, head, findings),
            FigureKind::Roofline(_) | FigureKind::Occupancy(_) => {}
        }
    }
}

fn check_buffers(order: &OrderFigure, runs: &[&RunCell], head: Span, findings: &mut Findings) {
    let Some(run) = runs.iter().find(|run| run.id == order.cell) else {
        return;
    };
    let names: Vec<&str> = run
        .buffers
        .iter()
        .map(|buffer| buffer.name.as_str())
        .collect();
    let inputs = order.inputs.iter().map(|input| &input.buffer);
    for name in inputs.chain([&order.output]) {
        if !names.contains(&name.as_str()) {
            let message = format!("the cell `{}` has no buffer `{name}`", run.id);
            findings.add(Diagnostic::error(head, message).help(one_of(name, &names)));
        }
    }
}

/// Complains about what is no order figure.
fn check_orders(orders: &[String], cells: &[(usize, Cell)], head: Span, findings: &mut Findings) {
    let known = cells.iter().filter_map(|(_, cell)| match cell {
        Cell::Figure(figure) if matches!(figure.kind, FigureKind::Order(_)) => {
            Some(figure.id.as_str())
        }
        _ => None,
    });
    let known: Vec<&str> = known.collect();
    for id in orders.iter().filter(|id| !known.contains(&id.as_str())) {
        let message = format!("there is no figure `{id}` of the kind `order`");
        findings.add(Diagnostic::error(head, message).help(one_of(id, &known)));
    }
}

fn check_launch(id: &str, launch: usize, runs: &[&RunCell], head: Span, findings: &mut Findings) {
    let run = runs.iter().find(|run| run.id == id);
    if let Some(run) = run.filter(|run| launch >= run.launches.len()) {
        let message = format!("the cell `{id}` has no launch {launch}");
        let count = run.launches.len();
        let help = format!("launches are numbered from 0; it has {count}");
        findings.add(Diagnostic::error(head, message).help(help));
    }
}

/// A string that is one of `names`, turned into what it means.
fn choice<T>(
    name: Option<Placed<String>>,
    what: &str,
    names: &[&str],
    meaning: impl Fn(&str) -> Option<T>,
    findings: &mut Findings,
) -> Option<T> {
    let name = name?;
    let found = meaning(&name.value);
    if found.is_none() {
        let message = format!("`{}` is not {what}", name.value);
        let help = one_of(&name.value, names);
        findings.add(Diagnostic::error(name.span, message).help(help));
    }
    found
}

fn scale(table: &mut Table, key: &'static str, findings: &mut Findings) -> Option<Scale> {
    let name = table.optional_string(key, findings);
    let names = Scale::NAMES.map(|entry| entry.1);
    choice(
        name,
        "a way to divide an axis",
        &names,
        Scale::from_name,
        findings,
    )
}

fn names(strings: Option<Vec<Placed<String>>>) -> Option<Vec<String>> {
    let strings = strings?.into_iter();
    Some(strings.map(|name| name.value).collect())
}

fn read_lines(mut table: Table, sizes: &[Size], findings: &mut Findings) -> Option<LineFigure> {
    let x = table.string("x", findings);
    let y = table.string("y", findings);
    let is_tiles = y.as_ref().is_some_and(|y| y.value == TILES_LOADED);
    let (cells, orders) = match is_tiles {
        true => (Some(Vec::new()), table.string_or_strings("order", findings)),
        false => (table.strings("cells", findings), Some(Vec::new())),
    };
    let x_scale = scale(&mut table, "x_scale", findings);
    let y_scale = scale(&mut table, "y_scale", findings);
    let at = table.optional_table("at", "the sizes of a figure", findings);
    let bytes = table.optional_formula("bytes", findings);
    table.finish(findings);
    let known: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
    let is_size = |name: &str| known.contains(&name).then(|| name.to_owned());
    let x = choice(x, "a size of this lesson", &known, is_size, findings);
    let quantities: Vec<&str> = Quantity::names().collect();
    let y = choice(
        y,
        "something to plot",
        &quantities,
        Quantity::from_name,
        findings,
    );
    let at = at.map_or_else(At::new, |at| read_at(at, &known, findings));
    if let Some(bytes) = &bytes {
        check_sizes(bytes, &known, findings);
    }
    Some(LineFigure {
        cells: parts(cells?, findings),
        orders: names(orders)?,
        x: x?,
        x_scale: x_scale.unwrap_or(Scale::Log),
        y: y?,
        y_scale: y_scale.unwrap_or(Scale::Linear),
        at,
        bytes: bytes.map(|bytes| bytes.value),
    })
}

/// Run cells, or launches of them.
fn parts(strings: Vec<Placed<String>>, findings: &mut Findings) -> Vec<Part> {
    let part = |name: Placed<String>| {
        let part = Part::parse(&name.value);
        if part.is_none() {
            let message = format!("`{}` names no launch of a cell", name.value);
            let help = "write `cell@0` for the first launch of `cell`, or `cell` for all together";
            findings.add(Diagnostic::error(name.span, message).help(help));
        }
        part
    };
    strings.into_iter().filter_map(part).collect()
}

/// The sizes that a figure fixes: numbers, or formulas over the others.
fn read_at(table: Table, known: &[&str], findings: &mut Findings) -> At {
    let mut at = At::new();
    for (name, formula) in table.formulas_by_key(findings) {
        let is_size = |name: &str| known.contains(&name).then(|| name.to_owned());
        let name = choice(
            Some(name),
            "a size of this lesson",
            known,
            is_size,
            findings,
        );
        check_sizes(&formula, known, findings);
        at.extend(name.map(|name| (name, formula.value)));
    }
    at
}

fn read_roofline(
    mut table: Table,
    sizes: &[Size],
    findings: &mut Findings,
) -> Option<RooflineFigure> {
    let cells = table.strings("cells", findings);
    let peaks = table.optional_strings("peaks", findings);
    let at = table.optional_table("at", "the sizes of a figure", findings);
    table.finish(findings);
    let known: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
    let at = at.map_or_else(At::new, |at| read_at(at, &known, findings));
    let mut tensor = false;
    for peak in peaks {
        let is_known = |name: &str| ["fp32", "tensor"].contains(&name).then(|| name == "tensor");
        let known = choice(
            Some(peak),
            "a peak",
            &["fp32", "tensor"],
            is_known,
            findings,
        );
        tensor |= known.unwrap_or(false);
    }
    Some(RooflineFigure {
        cells: names(cells)?,
        at,
        tensor,
    })
}

fn read_occupancy(mut table: Table, findings: &mut Findings) -> OccupancyFigure {
    let cell = table.optional_string("cell", findings);
    let launch = table.optional_integer("launch", findings);
    let mut number = |key| {
        let number = table.optional_integer(key, findings)?;
        if u32::try_from(number.value).is_err() {
            let message = format!("`{key}` is more than any GPU has");
            findings.add(Diagnostic::error(number.span, message));
        }
        u32::try_from(number.value).ok()
    };
    let (threads, registers, shared_bytes) =
        (number("threads"), number("registers"), number("shared"));
    table.finish(findings);
    OccupancyFigure {
        cell: cell.map(|cell| cell.value),
        launch: launch.map_or(0, |launch| launch.value as usize),
        threads,
        registers,
        shared_bytes,
        // Filled in with the cell.
        static_shared_bytes: 0,
    }
}

fn read_order(mut table: Table, sizes: &[Size], findings: &mut Findings) -> Option<OrderFigure> {
    let cell = table.string("cell", findings);
    let launch = table.optional_integer("launch", findings);
    let output = table.string("output", findings);
    let tile = table.optional_formulas("tile", findings);
    let inputs = table.tables("inputs", "an input", false, findings);
    let l2 = table.optional_formula("l2", findings);
    table.finish(findings);
    let known: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
    if let Some(l2) = &l2 {
        check_sizes(l2, &known, findings);
    }
    let inputs = inputs.into_iter();
    let inputs = inputs.filter_map(|input| read_input(input, &known, findings));
    let inputs = inputs.collect();
    Some(OrderFigure {
        cell: cell?.value,
        launch: launch.map_or(0, |launch| launch.value as usize),
        output: output?.value,
        tile: tile.and_then(|tile| read_tile(tile, &known, findings)),
        inputs,
        l2_bytes: l2.map(|l2| l2.value),
    })
}

fn read_input(mut table: Table, known: &[&str], findings: &mut Findings) -> Option<OrderInput> {
    let buffer = table.string("buffer", findings);
    let tile = table.formulas("tile", findings);
    table.finish(findings);
    let tile = tile.and_then(|tile| read_tile(tile, known, findings));
    Some(OrderInput {
        buffer: buffer?.value,
        tile: tile?,
    })
}

/// Rows and columns.
fn read_tile(
    tile: Placed<Vec<Placed<Formula>>>,
    known: &[&str],
    findings: &mut Findings,
) -> Option<[Formula; 2]> {
    for formula in &tile.value {
        check_sizes(formula, known, findings);
    }
    let extents: Vec<Formula> = tile.value.into_iter().map(|tile| tile.value).collect();
    let tile_of_two = <[Formula; 2]>::try_from(extents);
    if tile_of_two.is_err() {
        let message = "a tile has two extents: rows and columns";
        findings.add(Diagnostic::error(tile.span, message));
    }
    tile_of_two.ok()
}
