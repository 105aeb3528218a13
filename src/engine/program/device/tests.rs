use super::*;
use crate::cuda;

const TEXT: &str = r#"
struct Row { float* values; int length; char more; };
__constant__ float factor = 2.0f;
__device__ int calls;
__global__ void scale(Row row, short sign) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < row.length) row.values[i] = factor * sign * row.values[i] + row.more;
    if (i == 0) calls += 1;
}
__global__ void hello(int n) { printf("%d and ", n); assert(n < 7); }
"#;

fn with_device(test: impl FnOnce(&mut SimulatedDevice, &Program)) {
    with_checks(Checks::NONE, test);
}

fn with_checks(checks: Checks, test: impl FnOnce(&mut SimulatedDevice, &Program)) {
    let file = SourceFile::new("t.cu", TEXT);
    let parsed = cuda::parse(&file, &[]);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    let options = Options {
        checks,
        ..Options::default()
    };
    let control = Control::default();
    let device = SimulatedDevice::new(&parsed.program, &file, &options, &control);
    test(&mut device.expect("a GPU"), &parsed.program);
}

fn launch(program: &Program, name: &str, arguments: Vec<u8>) -> KernelLaunch {
    let mut functions = program.functions.iter();
    KernelLaunch {
        kernel: functions.position(|f| f.name == name).expect("a kernel"),
        grid: [2, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
        arguments,
        span: Span::default(),
        is_cooperative: false,
    }
}

/// A `Row` and a `short` as they lie in memory.
fn row(values: u64, length: i32, more: i8, sign: i16) -> Vec<u8> {
    let mut bytes = values.to_le_bytes().to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend([more as u8, 0, 0, 0]);
    bytes.extend(sign.to_le_bytes());
    bytes
}

#[test]
fn memory_and_variables_live_from_launch_to_launch() {
    with_device(|device, program| {
        let x = device.allocate("x", 4 * 40).expect("room");
        assert!(device.write(x, &1.5_f32.to_le_bytes()));
        let scale = launch(program, "scale", row(x, 40, -1, -3));
        assert_eq!(device.launch(&scale).fault, None);
        let (factor, size) = device.symbol(0).expect("a variable");
        assert_eq!(size, 4);
        assert!(device.write(factor, &1.0_f32.to_le_bytes()));
        assert_eq!(device.launch(&scale).fault, None);
        // 1.5 · 2 · -3 - 1 = -10, and -10 · 1 · -3 - 1 = 29.
        let mut bytes = [0; 4];
        assert!(device.read(x, &mut bytes));
        assert_eq!(f32::from_le_bytes(bytes), 29.0);
        let (calls, _) = device.symbol(1).expect("a variable");
        assert!(device.read(calls, &mut bytes));
        assert_eq!(i32::from_le_bytes(bytes), 2);
        let launches = device.launches.borrow();
        let counts: Vec<u64> = (launches.iter())
            .map(|launch| launch.outcome.counts.global_load.distinct_elements)
            .collect();
        assert_eq!(counts, [41, 41]);
        // The caches are warm the second time.
        let read = |at: usize| {
            device.launches.borrow()[at]
                .outcome
                .counts
                .dram
                .0
                .expect("modelled")
        };
        assert!(read(0).read_bytes > 0 && read(1).read_bytes == 0);
    });
}

#[test]
fn an_access_behind_the_end_goes_on_as_on_a_gpu_and_is_told() {
    with_device(|device, program| {
        let x = device.allocate("", 4 * 40).expect("room");
        let end = device.launch(&launch(program, "scale", row(x, 60, 0, 1)));
        assert_eq!(end.fault, None);
        let told: Vec<String> = (device.launches.borrow()[0].reports.iter())
            .map(|report| report.message.clone())
            .collect();
        let what = "element 40 of `row.values`, which has 40 elements";
        let expected = ["load", "store"].map(|verb| format!("out-of-bounds {verb}: {what}"));
        assert_eq!(told, expected);
        assert_eq!(device.buffer_at(x), Some((x, 160)));
        assert!(!device.write(x + 160, &[1]));
    });
}

#[test]
fn behind_whole_pages_of_2_mib_there_is_no_room() {
    with_device(|device, program| {
        for (unused, fault) in [(0, Some(DeviceFault::IllegalAddress)), (160, None)] {
            let bytes = (2 << 20) - unused;
            let x = device.allocate("", bytes).expect("room");
            let last = x + bytes - 4 * 40;
            let end = device.launch(&launch(program, "scale", row(last, 60, 0, 1)));
            assert_eq!(end.fault, fault, "{unused} bytes unused");
        }
    });
}

#[test]
fn freed_memory_and_what_is_behind_the_end_are_refused_at_the_line_where_that_is_checked() {
    with_checks(Checks::ALL, |device, program| {
        let x = device.allocate("", 4 * 40).expect("room");
        let end = device.launch(&launch(program, "scale", row(x, 41, 0, 1)));
        assert_eq!(end.fault, Some(DeviceFault::IllegalAddress));
        let said = device.launches.borrow()[0].reports[0].message.clone();
        assert!(said.contains("element 40 of `row.values`"), "{said}");
        assert!(device.free(x) && !device.free(x) && !device.free(x + 4));
        assert_eq!(device.buffer_at(x), None);
        let end = device.launch(&launch(program, "scale", row(x, 40, 0, 1)));
        assert_eq!(end.fault, Some(DeviceFault::IllegalAddress));
        let said = device.launches.borrow()[1].reports[0].message.clone();
        assert!(said.contains("which was freed"), "{said}");
        let end = device.launch(&launch(program, "scale", row(0, 40, 0, 1)));
        assert_eq!(end.fault, Some(DeviceFault::IllegalAddress));
    });
}

#[test]
fn what_a_kernel_prints_is_told_as_it_is_and_an_assertion_is_a_fault_of_its_own() {
    with_device(|device, program| {
        let mut hello = launch(program, "hello", 5_i32.to_le_bytes().to_vec());
        (hello.grid, hello.block) = ([1, 1, 1], [2, 1, 1]);
        assert_eq!(device.launch(&hello).printed, "5 and 5 and ");
        hello.arguments = 7_i32.to_le_bytes().to_vec();
        assert_eq!(device.launch(&hello).fault, Some(DeviceFault::Assert));
    });
}
