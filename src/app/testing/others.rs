//! Cells of the sample lesson that do not run.

use super::formula;
use crate::device::gpu;
use crate::lesson::{
    Answer, CalculatorCell, Cell, Formula, KernelCell, KernelFacts, Markdown, Measure,
    PredictionCell, RunCounts, TableCell, TableOf,
};
use crate::source::SourceFile;

/// What stands before the run.
pub(crate) fn before() -> Vec<Cell> {
    let kernel = KernelCell {
        id: "text".to_owned(),
        title: "To be read first".to_owned(),
        source: SourceFile::new("double.cu", super::SOURCE),
        lines: (1, 7),
        facts: KernelFacts {
            kernel: "twice".to_owned(),
            parameters: [("const float*", "x"), ("float*", "y"), ("int", "count")]
                .map(|(ty, name)| (ty.to_owned(), name.to_owned()))
                .to_vec(),
            shared: vec![("float[64]".to_owned(), "part".to_owned(), 256)],
            shared_bytes: 256,
            max_threads: Some(128),
            is_triton: false,
        },
        note: "How often does it read `x`?".to_owned(),
    };
    let prediction = |id: &str, choices: &[&str]| PredictionCell {
        id: id.to_owned(),
        title: "Predict: two kernels".to_owned(),
        question: Markdown::plain("How many *different* elements do the two kernels read?"),
        uses: ["M", "N"].map(str::to_owned).into(),
        answer: Answer::Counted(RunCounts {
            cell: "double".to_owned(),
            measures: vec![Measure::DistinctElementsRead],
            formula: Some(formula("2*M*N")),
        }),
        defaults: Default::default(),
        choices: choices.iter().map(|text| formula(text)).collect(),
        explain: Markdown::plain("The second kernel reads what the **first** wrote."),
    };
    vec![
        Cell::Kernel(Box::new(kernel)),
        Cell::Prediction(Box::new(prediction("typed", &[]))),
        Cell::Prediction(Box::new(prediction("chosen", &["M*N", "2*M*N", "M + N"]))),
    ]
}

/// What stands after it.
pub(crate) fn after() -> Vec<Cell> {
    let counts = TableCell {
        id: "counts".to_owned(),
        title: "What it counts".to_owned(),
        of: TableOf::Cells {
            rows: vec!["double".to_owned()],
            columns: vec![Measure::DistinctElementsRead, Measure::SectorsRead],
        },
    };
    let gpus = TableCell {
        id: "gpus".to_owned(),
        title: "Three GPUs".to_owned(),
        of: TableOf::Gpus {
            rows: ["t4", "h200-sxm", "rtx-4090"].map(str::to_owned).to_vec(),
            columns: vec![
                "memory_bandwidth_gb_s",
                "sm_count",
                "fp8_tensor_dense_tflops",
            ],
        },
    };
    let full = CalculatorCell {
        id: "full".to_owned(),
        title: "How full is an SM?".to_owned(),
        limits: gpu("h200").expect("is in the table").limits(),
        begins: [128, 40, 2048].map(Formula::constant),
        defaults: Default::default(),
    };
    vec![
        Cell::Table(counts),
        Cell::Table(gpus),
        Cell::Calculator(full),
    ]
}
