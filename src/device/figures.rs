//! The columns of the GPU table by name: what each is called, its unit, and where a GPU's figure
//! comes from.

use std::fmt;

use super::table::{Gpu, source_title};

/// What a GPU has in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureValue {
    /// A number, in the column's unit.
    Number(f64),
    /// A name.
    Name(String),
}

impl fmt::Display for FigureValue {
    /// `4,800`, `66.9` or `HBM3e`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match self {
            FigureValue::Name(name) => return f.write_str(name),
            FigureValue::Number(number) => number.to_string(),
        };
        let (whole, decimals) = number.split_once('.').unwrap_or((&number, ""));
        match whole.parse() {
            Ok(whole) => f.write_str(&grouped(whole))?,
            Err(_) => f.write_str(whole)?,
        }
        match decimals {
            "" => Ok(()),
            decimals => write!(f, ".{decimals}"),
        }
    }
}

/// A whole number with commas between thousands.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 run`, `2,000 bank conflicts`, `3 sets of sizes`: so many of what `noun` names.
pub fn counted(count: u64, noun: &str) -> String {
    let (first, rest) = noun.split_at(noun.find(" of ").unwrap_or(noun.len()));
    let s = if count == 1 { "" } else { "s" };
    format!("{} {first}{s}{rest}", grouped(count))
}

/// A share as a percentage: `79.9 %`. All of it is `100 %`, and no less ever rounds up to that.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        // Only all is all: 99.96 % would round to it.
        100.0 => "100 %".to_owned(),
        percent if percent < 100.0 => format!("{:.1} %", percent.min(99.9)),
        percent => format!("{percent:.1} %"),
    }
}

/// A column of the GPU table.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name in `gpus.toml` and in lessons.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The unit; empty for names and plain numbers.
    pub unit: &'static str,
    value: fn(&Gpu) -> Option<FigureValue>,
}

/// A column of numbers.
macro_rules! number {
    ($field:ident, $name:literal, $unit:literal) => {
        Figure {
            key: stringify!($field),
            name: $name,
            unit: $unit,
            value: |gpu| gpu.$field.map(|value| FigureValue::Number(value.into())),
        }
    };
}

/// A column of what is known of the chip: see `[gpu.onchip]` in the table.
macro_rules! onchip {
    ($key:literal, $name:literal, $unit:literal) => {
        Figure {
            key: $key,
            name: $name,
            unit: $unit,
            value: |gpu| gpu.onchip_number($key).map(FigureValue::Number),
        }
    };
}

/// A column of the operations for each byte at which memory and arithmetic take the same time.
macro_rules! ridge {
    ($key:literal, $name:literal, $peak:ident) => {
        Figure {
            key: $key,
            name: $name,
            unit: "FLOP/B",
            value: |gpu| {
                let ridge = 1e3 * gpu.$peak? / gpu.memory_bandwidth_gb_s?;
                Some(FigureValue::Number((10.0 * ridge).round() / 10.0))
            },
        }
    };
}

/// Every column, in the order of a report.
#[rustfmt::skip]
pub static FIGURES: &[Figure] = &[
    Figure {
        key: "architecture",
        name: "architecture",
        unit: "",
        value: |gpu| Some(FigureValue::Name(gpu.architecture.clone())),
    },
    Figure {
        key: "compute_capability",
        name: "compute capability",
        unit: "",
        value: |gpu| Some(FigureValue::Name(gpu.compute_capability.clone())),
    },
    number!(sm_count, "SMs", ""),
    number!(boost_clock_mhz, "boost clock", "MHz"),
    number!(fp32_lanes_per_sm, "fp32 lanes per SM", ""),
    number!(fp32_tflops, "fp32", "TFLOP/s"),
    number!(fp16_tensor_dense_tflops, "fp16 tensor", "TFLOP/s"),
    number!(bf16_tensor_dense_tflops, "bf16 tensor", "TFLOP/s"),
    number!(fp8_tensor_dense_tflops, "fp8 tensor", "TFLOP/s"),
    number!(register_file_kib_per_sm, "registers per SM", "KiB"),
    number!(l1_shared_kib_per_sm, "L1 and shared per SM", "KiB"),
    number!(shared_max_kib_per_block, "shared per block", "KiB"),
    number!(l2_mib, "L2", "MiB"),
    number!(memory_gb, "memory", "GB"),
    Figure {
        key: "memory_type",
        name: "memory type",
        unit: "",
        value: |gpu| gpu.memory_type.clone().map(FigureValue::Name),
    },
    number!(memory_bandwidth_gb_s, "bandwidth", "GB/s"),
    number!(tdp_w, "power", "W"),
    onchip!("register_read_peak_tb_s", "register reads, peak", "TB/s"),
    onchip!("register_read_measured_tb_s", "register reads, measured", "TB/s"),
    onchip!("shared_peak_bytes_per_clk_per_sm", "shared per SM, peak", "B/clock"),
    onchip!("shared_peak_tb_s", "shared, peak", "TB/s"),
    onchip!("shared_measured_tb_s", "shared, measured", "TB/s"),
    onchip!("l1_measured_bytes_per_clk_per_sm", "L1 per SM, measured", "B/clock"),
    onchip!("l1_measured_tb_s", "L1, measured", "TB/s"),
    onchip!("l2_peak_bytes_per_clk", "L2, peak", "B/clock"),
    onchip!("l2_peak_tb_s", "L2, peak", "TB/s"),
    onchip!("l2_measured_tb_s", "L2, measured", "TB/s"),
    onchip!("memory_read_measured_tb_s", "memory reads, measured", "TB/s"),
    onchip!("memory_copy_measured_tb_s", "memory copy, measured", "TB/s"),
    ridge!("ridge_fp32_flop_per_byte", "ridge of fp32", fp32_tflops),
    ridge!("ridge_bf16_flop_per_byte", "ridge of bf16 tensor", bf16_tensor_dense_tflops),
];

impl Figure {
    /// The column called `key`.
    pub fn from_key(key: &str) -> Option<&'static Figure> {
        FIGURES.iter().find(|figure| figure.key == key)
    }

    /// What `gpu` has in it; nothing where that is not known or does not exist.
    pub fn of(&self, gpu: &Gpu) -> Option<FigureValue> {
        (self.value)(gpu)
    }

    /// Where the figure of `gpu` comes from: the table's remark, with sources by their titles.
    pub fn source(&self, gpu: &Gpu) -> String {
        if self.key.starts_with("ridge_") {
            return "computed: operations per second divided by bytes per second, both as specified"
                .to_owned();
        }
        let remark = gpu.from.get(self.key).or(gpu.onchip_from.get(self.key));
        remark.map_or_else(|| gpu.source.clone(), |remark| cited(remark))
    }
}

/// A remark of the tables on where something comes from, with documents by their titles.
pub fn cited(remark: &str) -> String {
    let parts = remark.split("; ").map(|part| {
        let (id, rest) = part.split_once(' ').unwrap_or((part, ""));
        match (source_title(id.trim_end_matches(':')), rest) {
            (Some(title), "") => title.to_owned(),
            (None, rest) if id == "memory" => format!("recalled, not read again {rest}"),
            (Some(title), rest) => format!("{title} {rest}"),
            (None, _) => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{gpu, gpu_ids};

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [
            (0.0, "0"),
            (999.0, "999"),
            (7_122_461.0, "7,122,461"),
            (1978.9, "1,978.9"),
        ] {
            assert_eq!(FigureValue::Number(number).to_string(), text);
        }
    }

    #[test]
    fn the_first_word_of_what_is_counted_has_the_plural() {
        assert_eq!(counted(1, "run"), "1 run");
        assert_eq!(counted(2000, "run"), "2,000 runs");
        assert_eq!(counted(3, "set of sizes"), "3 sets of sizes");
        assert_eq!(counted(2, "bank conflict"), "2 bank conflicts");
    }

    #[test]
    fn a_share_is_rounded_but_never_up_to_all() {
        for (share, text) in [
            (0.0, "0.0 %"),
            (0.00155, "0.2 %"),
            (0.01876, "1.9 %"),
            (0.9996, "99.9 %"),
            (1.0, "100 %"),
            (1.234, "123.4 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    /// Peaks that follow from lanes, SMs and clock, to within 2 % for rounded figures: a row copied from another GPU
    /// keeps that one's.
    #[test]
    fn peaks_are_what_lanes_and_clock_give() {
        for gpu in gpu_ids().map(|id| gpu(id).expect("is in the table")) {
            let (Some(sms), Some(mhz)) = (gpu.sm_count, gpu.boost_clock_mhz) else {
                continue;
            };
            let per_second = f64::from(sms) * f64::from(mhz) / 1e6;
            let lanes = gpu.fp32_lanes_per_sm.map(f64::from);
            let bytes = gpu.onchip_number("shared_peak_bytes_per_clk_per_sm");
            let peaks = [
                ("fp32", gpu.fp32_tflops, lanes.map(|lanes| 2.0 * lanes)),
                (
                    "registers",
                    gpu.onchip_number("register_read_peak_tb_s"),
                    lanes.map(|lanes| 12.0 * lanes),
                ),
                ("shared", gpu.onchip_number("shared_peak_tb_s"), bytes),
            ];
            for (what, said, each) in peaks {
                let (Some(said), Some(each)) = (said, each) else {
                    continue;
                };
                let ratio = said / (each * per_second);
                assert!((ratio - 1.0).abs() < 0.02, "{what} of {}: {ratio}", gpu.id);
            }
        }
    }

    #[test]
    fn every_known_figure_has_a_source_that_names_a_document() {
        for gpu in gpu_ids().map(|id| gpu(id).expect("is in the table")) {
            for figure in FIGURES.iter().filter(|figure| figure.of(gpu).is_some()) {
                assert!(!figure.source(gpu).is_empty(), "{} {}", gpu.id, figure.key);
            }
        }
        let h200 = gpu("h200").expect("is in the table");
        let text = |key: &str| {
            let figure = Figure::from_key(key).expect("is a column");
            let value = figure.of(h200).map(|value| value.to_string());
            (value.unwrap_or_default(), figure.source(h200))
        };
        assert_eq!(text("ridge_fp32_flop_per_byte").0, "13.9");
        assert_eq!(text("ridge_bf16_flop_per_byte").0, "206.1");
        let (value, source) = text("shared_peak_tb_s");
        assert!(
            value.parse::<f64>().is_ok() && source.contains("derived"),
            "{source}"
        );
        let bandwidth = Figure::from_key("memory_bandwidth_gb_s").expect("is a column");
        assert_eq!(bandwidth.of(h200), Some(FigureValue::Number(4800.0)));
        let source = bandwidth.source(h200);
        assert_eq!(
            bandwidth.of(h200).map(|value| value.to_string()),
            Some("4,800".to_owned())
        );
        assert!(
            source.contains("Read and measured on an NVIDIA H200"),
            "{source}"
        );
    }
}
