//! The levels of memory of a GPU, with their sizes and rates and where those come from.

use serde::Serialize;

use crate::device::{Figure, FigureValue, Gpu};
use crate::launch::Evidence;
use crate::lesson::tables::figure_field;

/// The levels, the nearest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryLevels {
    /// The GPU.
    pub gpu: String,
    /// How many SMs it has, if that is known.
    pub sms: Option<u64>,
    /// Its levels.
    pub levels: Vec<MemoryLevelFacts>,
}

/// One level of memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryLevelFacts {
    /// Its name.
    pub name: &'static str,
    /// Whether each SM has its own.
    pub per_sm: bool,
    /// How large it is: of one SM, where each has its own.
    pub size: Option<Amount>,
    /// How much goes between it and all SMs together, in TB/s.
    pub rate: Option<Amount>,
}

/// A figure of the table of GPUs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// How it came to be.
    pub evidence: Evidence,
    /// Where it comes from.
    pub source: String,
}

impl MemoryLevels {
    /// The levels of `gpu`.
    pub fn of(gpu: &Gpu) -> Self {
        let level = |name, per_sm, size, rate: Option<Amount>| MemoryLevelFacts {
            name,
            per_sm,
            size: amount(gpu, size),
            rate: rate.map(in_tb_s),
        };
        let on_chip = |name: &str| {
            let keys = ["peak", "measured"].map(|how| format!("{name}_{how}_tb_s"));
            keys.iter().find_map(|key| amount(gpu, key))
        };
        let (registers, shared) = (on_chip("register_read"), on_chip("shared"));
        let dram = amount(gpu, "memory_bandwidth_gb_s");
        MemoryLevels {
            gpu: gpu.name.clone(),
            sms: gpu.sm_count.map(u64::from),
            levels: vec![
                level("registers", true, "register_file_kib_per_sm", registers),
                level("shared and L1", true, "l1_shared_kib_per_sm", shared),
                level("L2", false, "l2_mib", on_chip("l2")),
                level("DRAM", false, "memory_gb", dram),
            ],
        }
    }
}

/// What `gpu` has in the column `key`.
fn amount(gpu: &Gpu, key: &str) -> Option<Amount> {
    let figure = Figure::from_key(key)?;
    let field = figure_field(figure, gpu);
    match field.value? {
        FigureValue::Number(value) => Some(Amount {
            value,
            unit: figure.unit,
            evidence: field.evidence,
            source: field.source,
        }),
        FigureValue::Name(_) => None,
    }
}

fn in_tb_s(rate: Amount) -> Amount {
    match rate.unit {
        "GB/s" => Amount {
            value: rate.value / 1000.0,
            unit: "TB/s",
            ..rate
        },
        _ => rate,
    }
}
