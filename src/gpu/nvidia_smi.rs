//! What the driver's own tool says of a GPU: the driver's version and the clocks.

use std::process::Command;

use super::protocol::FoundGpu;
use super::tool::output_of;
use crate::launch::Clocks;

/// What is asked for, in order.
const QUERY: &str =
    "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,clocks.sm,clocks.mem";

/// The driver's version, and the clocks of `gpu` as they are now. What the tool does not say, or says
/// differently of several GPUs of that name, is nothing.
pub fn driver_and_clocks(gpu: &FoundGpu) -> (Option<String>, Clocks) {
    let mut command = Command::new("nvidia-smi");
    let said = output_of(command.args([QUERY, "--format=csv,noheader,nounits"]));
    parse(&said.unwrap_or_default(), &gpu.name)
}

fn parse(text: &str, name: &str) -> (Option<String>, Clocks) {
    let rows = text.lines().map(|line| line.split(',').map(str::trim));
    let rows: Vec<Vec<&str>> = rows.map(Iterator::collect).collect();
    let of_name = || rows.iter().filter(|row| row.first() == Some(&name));
    // Two GPUs of one name may run at different clocks: then it is not known which of them was measured.
    let agreed = |column: usize| {
        let first = *of_name().next()?.get(column)?;
        let mut all = of_name();
        all.all(|row| row.get(column) == Some(&first))
            .then_some(first)
    };
    let mhz = |column| agreed(column)?.parse().ok();
    let clocks = Clocks {
        sm_max: mhz(2),
        memory_max: mhz(3),
        sm: mhz(4),
        memory: mhz(5),
    };
    (agreed(1).map(str::to_owned), clocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_gpu_are_read_where_they_agree() {
        let one = "NVIDIA H200, 580.95.05, 1980, 3201, 1830, 3201\n";
        let (driver, clocks) = parse(one, "NVIDIA H200");
        assert_eq!(driver.as_deref(), Some("580.95.05"));
        let wanted = Clocks {
            sm_max: Some(1980),
            memory_max: Some(3201),
            sm: Some(1830),
            memory: Some(3201),
        };
        assert_eq!(clocks, wanted);
        let two = format!(
            "{one}NVIDIA H200, 580.95.05, 1980, 3201, 345, 3201\nTesla T4, 580.95.05, 1590, 5001, 300, [N/A]\n"
        );
        let idle = Clocks { sm: None, ..wanted };
        assert_eq!(parse(&two, "NVIDIA H200").1, idle);
        assert_eq!(parse(&two, "Tesla T4").1.memory, None);
        for nothing in ["", "Failed to initialize NVML", "NVIDIA H200"] {
            assert_eq!(parse(nothing, "NVIDIA H200"), (None, Clocks::default()));
        }
    }
}
