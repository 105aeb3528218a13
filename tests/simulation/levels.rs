//! The modelled traffic of L1, L2 and device memory beside what an H200's counters said.

use serde_json::Value;

use tutor::device::gpu_or_usual;
use tutor::engine::{Control, Options, run};
use tutor::lesson::{Sizes, load};

use super::counters::{cases, counts};

/// Bytes that a launch reads besides its data, on the H200: code, constants, arguments. The
/// launches that load nothing read 3072; the largest share of it was seen in a fused kernel.
const OWN_BYTES: i64 = 6656;

/// What the model says of a case, and what the counters said.
struct Compared {
    id: String,
    /// Sectors read from L2.
    l2: [i64; 2],
    /// Bytes read from device memory.
    dram: [i64; 2],
    /// Bytes written to it.
    written: [i64; 2],
}

fn compare(case: &Value) -> Compared {
    let id = case["id"].as_str().expect("has a name").to_owned();
    let counts = counts(case).unwrap_or_else(|error| panic!("{id}: {error}"));
    let pair = |pointer: &str, counter: &str| {
        let ours = counts.pointer(pointer).and_then(Value::as_i64);
        let theirs = case["counters"][counter].as_i64();
        [ours.expect("is modelled"), theirs.expect("was counted")]
    };
    let hits = counts["l1"]["load_sectors_hit"].as_i64();
    let sectors = counts["global_load"]["sectors"].as_i64();
    let l2 = pair("/l2/read_sectors", "l2_read_sectors_from_l1");
    assert_eq!(hits.map(|hits| hits + l2[0]), sectors, "{id}: hit or read");
    Compared {
        l2,
        dram: pair("/dram/read_bytes", "dram_read_bytes"),
        written: pair("/dram/write_bytes", "dram_write_bytes"),
        id,
    }
}

fn percent([ours, theirs]: [i64; 2]) -> f64 {
    100.0 * (ours - theirs) as f64 / theirs.max(1) as f64
}

/// The whole comparison, to be read with `cargo test modelled -- --nocapture`.
fn table(compared: &[Compared]) -> String {
    let mut text = format!(
        "{:<24}{:>24}{:>8}{:>26}{:>8}{:>18}\n",
        "model, H200", "sectors read from L2", "", "bytes read from memory", "", "bytes written"
    );
    for case in compared {
        let [l2, dram] = [case.l2, case.dram];
        text += &format!(
            "{:<24}{:>12}{:>12}{:>+7.1}%{:>13}{:>13}{:>+7.1}%{:>9}{:>9}\n",
            case.id,
            l2[0],
            l2[1],
            percent(l2),
            dram[0],
            dram[1],
            percent(dram),
            case.written[0],
            case.written[1],
        );
    }
    text
}

#[test]
fn modelled_traffic_is_near_the_hardware() {
    let files = [
        "counters/counters.json",
        "counters/softmax.json",
        "counters/everyday.json",
    ];
    // Atomics do not reach the model yet.
    let modelled = |case: &Value| {
        case["counters"]["global_atomic_requests"]
            .as_i64()
            .is_none_or(|n| n == 0)
    };
    let cases = files
        .iter()
        .flat_map(|file| cases(file, "cases"))
        .filter(modelled);
    let compared: Vec<Compared> = cases.map(|case| compare(&case)).collect();
    let table = table(&compared);
    println!("{table}");
    for case in &compared {
        let [ours, theirs] = case.dram;
        let own = theirs - ours;
        let near = percent(case.dram).abs() <= 15.0 || (0..=OWN_BYTES).contains(&own);
        assert!(near, "{}: bytes read from memory\n{table}", case.id);
        // A naive product's blocks share rows with their neighbours, which Hopper merges.
        if !case.id.starts_with("matmul") && case.l2[1] > 100 {
            let near = percent(case.l2).abs() <= 2.0;
            assert!(near, "{}: sectors read from L2\n{table}", case.id);
        }
    }
}

#[test]
fn caches_can_be_emptied_before_each_launch() {
    let lesson = load("softmax").expect("reads");
    let naive = lesson.run_cell("naive").expect("is there");
    let sizes = Sizes::from([("M".to_owned(), 64), ("N".to_owned(), 256)]);
    let plan = naive
        .plan(&sizes, gpu_or_usual("h200"))
        .expect("has a plan");
    let read = |flush_caches| -> Vec<u64> {
        let options = Options {
            flush_caches,
            ..Options::default()
        };
        let outcome = run(&plan, &options, &Control::default()).expect("runs");
        let launches = outcome.launches.iter();
        launches
            .map(|launch| launch.counts.dram.0.expect("is modelled").read_bytes)
            .collect()
    };
    let (matrix, row) = (64 * 256 * 4, 64 * 4);
    // All of it fits L2: what was read or written once is there.
    assert_eq!(read(false), [matrix, 0, 0, 0, 0]);
    assert_eq!(
        read(true),
        [matrix, matrix + row, matrix, matrix, matrix + row]
    );
}
