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
        let level = |name, per_sm, size, rates: &[&str]| MemoryLevelFacts {
            name,
            per_sm,
            size: amount(gpu, size),
            rate: rates.iter().find_map(|key| amount(gpu, key)).map(in_tb_s),
        };
        let onchip = |name: &str| [format!("{name}_peak_tb_s"), format!("{name}_measured_tb_s")];
        let [registers, shared, l2] = ["register_read", "shared", "l2"].map(onchip);
        fn keys(both: &[String; 2]) -> Vec<&str> {
            both.iter().map(String::as_str).collect()
        }
        MemoryLevels {
            gpu: gpu.name.clone(),
            sms: gpu.sm_count.map(u64::from),
            levels: vec![
                level(
                    "registers",
                    true,
                    "register_file_kib_per_sm",
                    &keys(&registers),
                ),
                level(
                    "shared and L1",
                    true,
                    "l1_shared_kib_per_sm",
                    &keys(&shared),
                ),
                level("L2", false, "l2_mib", &keys(&l2)),
                level("DRAM", false, "memory_gb", &["memory_bandwidth_gb_s"]),
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
