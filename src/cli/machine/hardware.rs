//! `tutor hardware`: the table of GPUs, and where each figure comes from.

use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::output::{Output, Stop};
use crate::cli::value;
use crate::device::{
    ComputeCapability, DEFAULT_GPU, FIGURES, Figure, FigureValue, Gpu, cited, gpu, gpu_ids,
};
use crate::document::{columns, thousands};
use crate::gpu::Gpu as RealGpu;

#[derive(Debug, Args)]
pub(crate) struct HardwareArguments {
    /// Only this GPU, with all its figures and their sources.
    #[arg(value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Columns of the table of all GPUs, by key: those that lessons speak of.
const OVERVIEW: [&str; 6] = [
    "compute_capability",
    "sm_count",
    "fp32_tflops",
    "memory_bandwidth_gb_s",
    "l2_mib",
    "shared_max_kib_per_block",
];

/// Prints the table, or all that is known of one GPU.
pub(crate) fn hardware(arguments: &HardwareArguments, output: &Output) -> Result<bool, Stop> {
    let asked = arguments.gpu.as_deref().map(gpu).transpose();
    let asked = asked.map_err(|unknown| Stop::Usage(unknown.to_string()))?;
    // Probed for its mark alone: the table is the same without a GPU.
    let found = found_gpu();
    let found = found.as_deref();
    match (arguments.json, asked) {
        (true, asked) => output.print_json(&in_json(asked, found))?,
        (false, Some(gpu)) => output.print(&one(gpu, found))?,
        (false, None) => output.print(&all(found))?,
    }
    Ok(true)
}

/// The row of the GPU in this machine, if one works and is in the table.
fn found_gpu() -> Option<String> {
    let mut real = RealGpu::default();
    let facts = real.probe(false);
    let found = facts.as_ref().ok()?.usable().ok()?;
    Some(found.row()?.id.clone())
}

fn is_default(row: &Gpu) -> bool {
    gpu(DEFAULT_GPU).is_ok_and(|default| default.id == row.id)
}

/// Words that tell a row from the others.
fn marks(row: &Gpu, found: Option<&str>) -> String {
    let marks = [
        (is_default(row), "simulated"),
        (found == Some(row.id.as_str()), "found here"),
        (row.preliminary, "preliminary"),
    ];
    let marks: Vec<&str> = marks
        .iter()
        .filter(|mark| mark.0)
        .map(|mark| mark.1)
        .collect();
    marks.join(", ")
}

/// What `gpu` has; a dash for what nobody knows.
fn shown(figure: &Figure, gpu: &Gpu) -> String {
    let value = figure.of(gpu);
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn all(found: Option<&str>) -> String {
    let figures: Vec<&Figure> = OVERVIEW
        .iter()
        .filter_map(|key| Figure::from_key(key))
        .collect();
    let cells = |first: &str, of: &dyn Fn(&Figure) -> String, last: String| {
        let middle = figures.iter().map(|figure| of(figure));
        let row = std::iter::once(first.to_owned()).chain(middle);
        row.chain([last]).collect::<Vec<String>>()
    };
    let short = |figure: &Figure| match figure.key {
        "compute_capability" => "cc".to_owned(),
        _ => figure.name.to_owned(),
    };
    // Two rows of headings: names, and units below them.
    let mut rows = vec![
        cells("GPU", &short, String::new()),
        cells("", &|figure| figure.unit.to_owned(), String::new()),
    ];
    for gpu in gpu_ids().filter_map(|id| gpu(id).ok()) {
        rows.push(cells(
            &gpu.id,
            &|figure| shown(figure, gpu),
            marks(gpu, found),
        ));
    }
    format!(
        "GPUs that can be simulated, as their makers specify them\n\n{}\n\
         A dash: not known, or it does not exist there. `tutor hardware ID` shows all figures of one\n\
         GPU, each with its source; `--gpu ID` simulates it.\n",
        columns(&rows, 1)
    )
}

fn one(gpu: &Gpu, found: Option<&str>) -> String {
    let marks = marks(gpu, found);
    let marks = if marks.is_empty() {
        marks
    } else {
        format!(" ({marks})")
    };
    let mut text = format!("{}, {}{marks}\n\n", gpu.name, gpu.chip);
    // Unknown figures are left out here; in the table of all GPUs they are dashes, so that columns stay.
    let known = FIGURES.iter().filter(|figure| figure.of(gpu).is_some());
    let rows: Vec<Vec<String>> = known
        .map(|figure| {
            let value = format!("{} {}", shown(figure, gpu), figure.unit);
            vec![
                figure.name.to_owned(),
                value.trim_end().to_owned(),
                figure.source(gpu),
            ]
        })
        .collect();
    text += &columns(&rows, 3);
    if let Some(note) = &gpu.note {
        text += &format!("\n  {note}\n");
    }
    let limits = gpu.limits();
    text += &format!(
        "\nLimits of compute capability {}, from {}\n\n",
        limits.cc,
        cited(&limits.source)
    );
    let rows =
        limits_of(limits).map(|(name, value)| vec![name.to_owned(), thousands(value.into())]);
    text + &columns(&rows, 1)
}

/// The limits that decide how many blocks an SM holds.
fn limits_of(cc: &ComputeCapability) -> [(&'static str, u32); 10] {
    [
        ("threads per block", cc.max_threads_per_block),
        ("threads per SM", cc.max_threads_per_sm),
        ("warps per SM", cc.max_warps_per_sm),
        ("blocks per SM", cc.max_blocks_per_sm),
        ("registers per SM", cc.registers_per_sm),
        ("registers per block", cc.max_registers_per_block),
        ("registers per thread", cc.max_registers_per_thread),
        ("shared bytes per SM", cc.shared_per_sm_bytes),
        ("shared bytes per block", cc.shared_per_block_bytes),
        (
            "shared bytes per block, opted in",
            cc.shared_per_block_optin_bytes,
        ),
    ]
}

fn in_json(asked: Option<&Gpu>, found: Option<&str>) -> Value {
    let rows = gpu_ids().filter_map(|id| gpu(id).ok());
    let rows = rows.filter(|row| asked.is_none_or(|asked| asked.id == row.id));
    let gpus: Vec<Value> = rows.map(|row| gpu_in_json(row, found)).collect();
    let simulated = gpu(DEFAULT_GPU).map(|row| row.id.as_str()).ok();
    json!({ "simulated": simulated, "found": found, "gpus": gpus })
}

fn gpu_in_json(row: &Gpu, found: Option<&str>) -> Value {
    let figures: Map<String, Value> = FIGURES
        .iter()
        .filter_map(|figure| {
            let value = match figure.of(row)? {
                FigureValue::Number(number) => json!(number),
                FigureValue::Name(name) => json!(name),
            };
            let shown = json!({
                "value": value, "unit": figure.unit, "source": figure.source(row),
            });
            Some((figure.key.to_owned(), shown))
        })
        .collect();
    let limits: Map<String, Value> = limits_of(row.limits())
        .into_iter()
        // `shared bytes per block, opted in` is `shared_bytes_per_block_opted_in`.
        .map(|(name, value)| (name.replace(", ", " ").replace(' ', "_"), json!(value)))
        .collect();
    json!({
        "id": row.id,
        "name": row.name,
        "chip": row.chip,
        "simulated": is_default(row),
        "found": found == Some(row.id.as_str()),
        "preliminary": row.preliminary,
        "figures": figures,
        "limits": limits,
        "note": row.note,
    })
}
