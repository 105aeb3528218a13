//! How fast the notebook answers, in a real terminal of 200 by 60: the start, a key, an idle second, the
//! bytes of a frame. `cargo bench --bench notebook` prints a table.
//!
//! Each time stands beside one of the same run that the program has no part in (a process that only
//! starts, one that only echoes), since machines and their load differ. The targets are the issue's.

#[path = "../../tests/tutor/driver.rs"]
mod driver;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use driver::{Frame, Terminal};
use portable_pty::CommandBuilder;

const COLUMNS: u16 = 200;
const ROWS: u16 = 60;
/// Starts that are timed.
const STARTS: usize = 20;
/// Keys that are timed, idle and under load each.
const KEYS: usize = 500;
/// How long an idle notebook is watched.
const IDLE: Duration = Duration::from_secs(5);
/// To the first frame.
const START_TARGET_MS: f64 = 60.0;
/// From key to frame, for 99 of 100.
const KEY_TARGET_MS: f64 = 16.0;

fn main() {
    println!(
        "{:44} {:>9} {:>9} {:>9} {:>8}",
        "", "median", "99 of 100", "most", "target"
    );
    starts();
    let mut notebook = open();
    let whole = notebook.1.bytes;
    let idle = keys(&mut notebook.0, false);
    report("key to frame", &times(&idle), Some(KEY_TARGET_MS));
    let echoed = echo(None);
    report("key to echo of a bare process", &echoed, None);
    bytes(&idle, whole);
    idleness(&mut notebook.0);
    loaded(&mut notebook.0);
    notebook.0.press("q");
    notebook.0.end();
}

/// The notebook on a cell that runs long, and its first frame.
fn open() -> (Terminal, Frame) {
    let mut terminal = Terminal::start(lesson(), COLUMNS, ROWS);
    let first = terminal.wait_for_frame(|text| text.contains("Contents"));
    terminal.press("nnnnnnnnnn");
    terminal.wait_for("not run yet");
    (terminal, first)
}

/// The softmax lesson, simulated, at sizes that keep every core busy for long.
fn lesson() -> CommandBuilder {
    let mut command = driver::softmax();
    command.args(["--engine", "sim", "--size", "M=4096", "--size", "N=4096"]);
    command
}

/// From the start of the process to its first frame, and to the end of one that only says its version.
fn starts() {
    let mut first_frames = Vec::new();
    let mut versions = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut terminal = Terminal::start(lesson(), COLUMNS, ROWS);
        let frame = terminal.wait_for_frame(|text| text.contains("Contents"));
        first_frames.push(frame.at - start);
        terminal.press("q");
        terminal.end();
        let start = Instant::now();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tutor"));
        command.arg("--version");
        let mut terminal = Terminal::start(command, COLUMNS, ROWS);
        terminal.child.wait().expect("the program ends");
        versions.push(start.elapsed());
    }
    report("start to first frame", &first_frames, Some(START_TARGET_MS));
    report("start to end of `--version`", &versions, None);
}

/// Frames that answer keys, and how long each took. Each key changes what only a key changes.
fn keys(terminal: &mut Terminal, running: bool) -> Vec<(Duration, Frame)> {
    let mut frames = Vec::new();
    for number in 0..KEYS {
        let opens = number % 2 == 0;
        // In the open help, letters are a search.
        if running && opens && !terminal.text().contains("running") {
            terminal.press("r");
            terminal.wait_for("running");
        }
        let start = Instant::now();
        terminal.press("?");
        let frame = terminal.wait_for_frame(|text| text.contains("esc closes") == opens);
        frames.push((frame.at - start, frame));
    }
    frames
}

/// Keys while a simulation runs on every core, beside the echo of a bare process meanwhile.
fn loaded(terminal: &mut Terminal) {
    let frames = keys(terminal, true);
    report(
        "key to frame while a simulation runs",
        &times(&frames),
        Some(KEY_TARGET_MS),
    );
    let echoed = echo(Some(terminal));
    report("key to echo of a bare process meanwhile", &echoed, None);
    terminal.press("x");
    terminal.wait_for("run cancelled");
}

/// How long a process that only echoes takes for a key; with `running`, while a run goes on there.
fn echo(mut running: Option<&mut Terminal>) -> Vec<Duration> {
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "stty raw -echo && echo ready && exec cat"]);
    let mut terminal = Terminal::start(command, COLUMNS, ROWS);
    terminal.wait_for("ready");
    let mut echoed = Vec::new();
    for _ in 0..KEYS {
        if let Some(notebook) = &mut running {
            notebook.drain();
            if !notebook.text().contains("running") {
                notebook.press("r");
                notebook.wait_for("running");
            }
        }
        let start = Instant::now();
        terminal.press("x");
        echoed.push(terminal.wait_for_bytes() - start);
    }
    terminal.child.kill().expect("the process ends");
    echoed
}

fn times(frames: &[(Duration, Frame)]) -> Vec<Duration> {
    frames.iter().map(|frame| frame.0).collect()
}

/// Processor time and wakes of a notebook that nobody touches.
fn idleness(terminal: &mut Terminal) {
    thread::sleep(Duration::from_millis(500));
    terminal.drain();
    let before = used(terminal);
    thread::sleep(IDLE);
    let after = used(terminal);
    let ticks = after - before;
    let drawn = terminal.drain();
    println!(
        "idle for {} s: {ticks} clock ticks of processor time, {drawn} bytes written",
        IDLE.as_secs()
    );
}

/// Clock ticks that the program has used, from `/proc/PID/stat` (its fields 14 and 15).
fn used(terminal: &Terminal) -> u64 {
    let process = terminal.child.process_id().expect("it runs");
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("Linux tells");
    let fields = stat.rsplit(") ").next().expect("fields follow the name");
    let ticks = fields.split(' ').skip(11).take(2);
    ticks
        .map(|field| field.parse::<u64>().expect("a number"))
        .sum()
}

/// Bytes of the frames that answer keys, beside those of a whole one.
fn bytes(frames: &[(Duration, Frame)], whole: usize) {
    let mut counts: Vec<usize> = frames.iter().map(|frame| frame.1.bytes).collect();
    counts.sort_unstable();
    println!(
        "bytes of a frame that opens or closes help: median {}, most {}; of the whole first frame: {whole}",
        counts[counts.len() / 2],
        counts[counts.len() - 1],
    );
}

fn report(what: &str, times: &[Duration], target_ms: Option<f64>) {
    let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    let target = target_ms.map_or(String::new(), |target| format!("{target:.0} ms"));
    println!(
        "{what:44} {:6.2} ms {:6.2} ms {:6.2} ms {target:>8}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
