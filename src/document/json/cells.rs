//! Cells that do not run, as JSON. Each has an `id`, a `kind`, a `title` and `ok`, as run cells have.

use serde_json::{Value, json};

use crate::device::{FigureValue, Gpu};
use crate::launch::Evidence;
use crate::lesson::{
    BlockOrder, CalculatorCell, Cost, ExerciseCell, Feedback, FigureCell, Finding, Inputs,
    KernelCell, Picture, Plot, PredictionCell, RightAnswer, Sizes, TableCell, TableContents,
    WrongOutput,
};
use crate::source::{Diagnostic, SourceFile};

/// A question that cannot be asked, and why.
pub(crate) fn unasked(cell: &PredictionCell, why: &str) -> Value {
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
pub(crate) fn prediction(cell: &PredictionCell, truth: &RightAnswer) -> Value {
    // A choice whose formula has no value at these sizes is null, and not right.
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
pub(crate) fn table(cell: &TableCell, grid: &TableContents) -> Value {
    let columns = grid.columns.iter();
    let columns = columns.map(|column| json!({ "name": column.name, "unit": column.unit }));
    let rows = grid.rows.iter().map(|row| {
        let fields = row.fields.iter().map(|field| {
            let value = field.value.as_ref().map(|value| match value {
                // 132, not 132.0: readers in other languages take the one for an integer.
                FigureValue::Number(number) if number.fract() == 0.0 => json!(*number as i64),
                FigureValue::Number(number) => json!(number),
                FigureValue::Name(name) => json!(name),
            });
            json!({ "value": value, "evidence": field.evidence, "source": field.source })
        });
        json!({
            "name": row.id,
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
pub(crate) fn calculator(cell: &CalculatorCell, inputs: &Inputs) -> Value {
    json!({
        "id": cell.id,
        "kind": "calculator",
        "title": cell.title,
        "ok": true,
        "occupancy": occupancy_json(inputs),
    })
}

/// What the compiler knows of a kernel.
pub(crate) fn kernel_cell(cell: &KernelCell) -> Value {
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

/// How full an SM is.
pub fn occupancy_json(inputs: &Inputs) -> Value {
    let found = inputs.occupancy();
    json!({
        "cc": inputs.limits.cc,
        "threads": inputs.threads,
        "registers": inputs.registers,
        "shared_bytes": inputs.shared_bytes,
        "active_blocks": found.blocks,
        "active_warps": found.warps,
        "occupancy": found.fraction,
        "limiting_factors": found.limiting_factors.iter().map(|limit| limit.name()).collect::<Vec<_>>(),
        "limits": {
            "warps": found.limit_warps,
            "registers": found.limit_registers,
            "shared": found.limit_shared,
            "blocks": found.limit_blocks,
        },
        "registers_per_block": found.registers_per_block,
        "shared_bytes_per_block": found.shared_bytes_per_block,
        "evidence": Evidence::Computed,
    })
}

/// A figure of plots.
pub(crate) fn plots(cell: &FigureCell, plots: &[Plot]) -> Value {
    let mut shown = figure(cell, None);
    shown["plots"] = json!(plots);
    shown
}

/// A figure of blocks over a matrix, with what was counted in the end.
pub(crate) fn order(cell: &FigureCell, order: &BlockOrder) -> Value {
    let mut shown = figure(cell, None);
    shown["order"] = json!(order);
    shown["counted"] = json!(order.replay(order.blocks.len()).counted);
    shown["evidence"] = json!({"blocks": "counted", "counted": "modelled"});
    shown
}

/// A picture that needs no run.
pub(crate) fn picture(cell: &FigureCell, picture: &Picture) -> Value {
    let mut shown = figure(cell, None);
    shown["picture"] = json!(picture);
    shown
}

/// A figure without its data; `missing` says why there are none.
pub(crate) fn figure(cell: &FigureCell, missing: Option<&str>) -> Value {
    let mut shown = json!({
        "id": cell.id,
        "kind": "figure",
        "figure": cell.kind_name().name(),
        "title": cell.title,
        "ok": missing.is_none(),
    });
    if let Some(why) = missing {
        shown["error"] = json!(why);
    }
    shown
}

/// An exercise: what is asked, and what an answer may cost.
pub(crate) fn exercise(cell: &ExerciseCell, sizes: &Sizes, gpu: &Gpu) -> Value {
    let sizes = &cell.run.complete(sizes);
    let bounds = cell.bounds.iter().map(|bound| {
        json!({ "of": bound.of.name(), "side": bound.side.name(), "limit": bound.limit.text() })
    });
    json!({
        "id": cell.id(),
        "kind": "exercise",
        "title": cell.run.title,
        "ok": true,
        "concept": cell.concept.name(),
        "task": cell.kind.name(),
        "question": cell.question.at(sizes, gpu),
        "bounds": bounds.collect::<Vec<_>>(),
        "start": cell.start.source.text(),
    })
}

/// What a check of an answer found.
pub fn feedback(feedback: &Feedback, answer: &SourceFile) -> Value {
    let (wrong, over) = match &feedback.finding {
        Finding::Wrong(wrong) => (wrong_output(wrong, answer), None),
        Finding::Over(cost) => (Value::Null, Some(cost)),
        Finding::Reported(..) | Finding::Passed => (Value::Null, None),
    };
    let case = feedback.case.as_ref();
    let found = feedback.diagnostics();
    let found = found.iter().map(|found| diagnostic(found, answer));
    json!({
        "finding": feedback.kind().name(),
        "passed": feedback.is_passed(),
        "case": case.map(|case| json!({ "title": case.title, "sizes": case.sizes })),
        "right_cases": feedback.right,
        "printed": feedback.printed,
        "diagnostics": found.collect::<Vec<_>>(),
        "wrong": wrong,
        "costs": over.into_iter().chain(&feedback.costs).map(cost).collect::<Vec<_>>(),
    })
}

fn diagnostic(found: &Diagnostic, answer: &SourceFile) -> Value {
    let labels = found.labels.iter().filter(|label| !label.text.is_empty());
    let labels =
        labels.map(|label| json!({ "line": answer.line(label.span.start), "text": label.text }));
    json!({
        "line": answer.line(found.span().start),
        "message": found.message,
        "labels": labels.collect::<Vec<_>>(),
        "notes": found.notes,
        "help": found.help,
    })
}

fn wrong_output(of: &WrongOutput, answer: &SourceFile) -> Value {
    json!({
        "element": of.element,
        "index": of.wrong.index,
        "expected": of.wrong.expected,
        "found": of.wrong.found,
        "count": of.wrong.count,
        "stored_by": of.by.as_ref().map(|by| json!({
            "launch": by.launch,
            "block": by.block,
            "warp": by.warp,
            "lane": by.lane,
            "line": answer.line(by.span.start),
        })),
    })
}

fn cost(cost: &Cost) -> Value {
    let lines = cost.lines.iter();
    let lines = lines.map(|line| json!({ "line": line.line, "counted": line.counted }));
    json!({
        "of": cost.name,
        "side": cost.side.name(),
        "limit": cost.limit,
        "formula": cost.formula,
        "counted": cost.counted,
        "solution": cost.solution,
        "ok": cost.holds(),
        "lines": lines.collect::<Vec<_>>(),
    })
}
