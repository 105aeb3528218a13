//! Cells that do not run, as JSON. Each has an `id`, a `kind`, a `title` and `ok`, as run cells have.

use serde_json::{Value, json};

use super::occupancy;
use crate::device::FigureValue;
use crate::lesson::{CalculatorCell, Grid, Inputs, KernelCell, PredictionCell, TableCell, Truth};

/// A question that cannot be asked, and why.
pub(super) fn unasked(cell: &PredictionCell, why: &str) -> Value {
    json!({
        "id": cell.id,
        "kind": "prediction",
        "title": cell.title,
        "ok": true,
        "answer": null,
        "missing": why,
    })
}

/// A question and its answer.
pub(super) fn prediction(cell: &PredictionCell, truth: &Truth) -> Value {
    let choices = cell.choices.iter().map(|choice| {
        let value = choice.evaluate(&truth.sizes, truth.gpu).ok();
        json!({ "formula": choice.text(), "value": value, "right": value.is_some_and(|value| truth.accepts(value)) })
    });
    json!({
        "id": cell.id,
        "kind": "prediction",
        "title": cell.title,
        "ok": true,
        "sizes": truth.sizes,
        "question": cell.question.at(&truth.sizes, truth.gpu),
        "choices": choices.collect::<Vec<_>>(),
        "answer": {
            "value": truth.value,
            "formula": truth.formula.as_ref().map(|formula| formula.text()),
            "evidence": truth.evidence,
            "of": cell.subject(),
        },
        "explain": cell.explain.at(&truth.sizes, truth.gpu),
    })
}

/// Rows of figures.
pub(super) fn table(cell: &TableCell, grid: &Grid) -> Value {
    let columns = grid.columns.iter();
    let columns = columns.map(|column| json!({ "name": column.name, "unit": column.unit }));
    let rows = grid.rows.iter().map(|row| {
        let fields = row.fields.iter().map(|field| {
            let value = field.value.as_ref().map(|value| match value {
                FigureValue::Number(number) if number.fract() == 0.0 => json!(*number as i64),
                FigureValue::Number(number) => json!(number),
                FigureValue::Name(name) => json!(name),
            });
            json!({ "value": value, "evidence": field.evidence, "source": field.source })
        });
        json!({
            "name": row.name,
            "marks": row.marks,
            "whose": row.whose,
            "note": row.note,
            "fields": fields.collect::<Vec<_>>(),
        })
    });
    json!({
        "id": cell.id,
        "kind": "table",
        "title": cell.title,
        "ok": true,
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
    })
}

/// The occupancy at the inputs that the lesson begins with.
pub(super) fn calculator(cell: &CalculatorCell, inputs: &Inputs) -> Value {
    json!({
        "id": cell.id,
        "kind": "calculator",
        "title": cell.title,
        "ok": true,
        "occupancy": occupancy::in_json(inputs),
    })
}

/// What the compiler knows of a kernel.
pub(super) fn kernel_cell(cell: &KernelCell) -> Value {
    let facts = &cell.facts;
    let parameters = facts.parameters.iter();
    let parameters = parameters.map(|(ty, name)| json!({ "type": ty, "name": name }));
    let shared = facts.shared.iter();
    let shared =
        shared.map(|(ty, name, bytes)| json!({ "type": ty, "name": name, "bytes": bytes }));
    json!({
        "id": cell.id,
        "kind": "kernel",
        "title": cell.title,
        "ok": true,
        "file": cell.source.name(),
        "lines": [cell.lines.0, cell.lines.1],
        "kernel": facts.kernel,
        "parameters": parameters.collect::<Vec<_>>(),
        "shared": shared.collect::<Vec<_>>(),
        "static_shared_bytes": facts.shared_bytes,
        "max_threads": facts.max_threads,
    })
}
