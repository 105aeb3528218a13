//! The events, one after the other, and what must hold after each.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::driver::{self, Terminal};
use crate::measure::{Usage, waited};
use crate::random::Random;

/// Longest time to the frame that a key brings.
const RESPONSE: Duration = Duration::from_secs(1);
/// After so long without a frame, nobody listens.
const DEAF: Duration = Duration::from_secs(20);
/// A key that means nothing (F20), and brings a frame all the same.
const PROBE: &[u8] = b"\x1b[34~";
/// A text whose end did not come is given up meanwhile.
const PASTE_GIVEN_UP: Duration = Duration::from_millis(400);
/// What the largest run of a lesson may take: its 268 MB of buffers three times, and 200 MB.
const MOST_MEMORY_BYTES: u64 = 1 << 30;
/// Events that a failure names.
const RECENT: usize = 12;
/// Failures after which there is no use in going on.
const MOST_FAILURES: usize = 10;

pub struct Soak {
    random: Random,
    ends: Instant,
    /// How long a lesson is visited.
    visit: Duration,
    terminal: Option<Terminal>,
    folder: tempfile::TempDir,
    /// Whether pasted text has no end yet.
    is_pasting: bool,
    recent: VecDeque<String>,
    report: Report,
}

#[derive(Default)]
struct Report {
    events: BTreeMap<&'static str, u64>,
    responses: Vec<Duration>,
    /// Probes that took longer than they may by the clock, but not without the waits for a processor.
    late: u64,
    began: Option<Instant>,
    time: Duration,
    /// What was used after each event, by the twelfth of the time: of an hour, five minutes.
    usage: BTreeMap<u32, Vec<Usage>>,
    /// Memory on the home screen, between two lessons, in the first half of the time and in the second.
    home_bytes: [Vec<u64>; 2],
    failures: Vec<String>,
}

impl Soak {
    pub fn new(seed: u64, time: Duration) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        driver::skip_tour(folder.path());
        Soak {
            random: Random::new(seed),
            ends: Instant::now() + time,
            visit: (time / 240).clamp(Duration::from_secs(2), Duration::from_secs(15)),
            terminal: None,
            folder,
            is_pasting: false,
            recent: VecDeque::new(),
            report: Report {
                began: Some(Instant::now()),
                time,
                ..Report::default()
            },
        }
    }

    pub fn is_over(&self) -> bool {
        Instant::now() >= self.ends || self.report.failures.len() >= MOST_FAILURES
    }

    /// Goes to a lesson, and does everything there.
    pub fn visit(&mut self, id: &str, title: &str) {
        if self.random.is_one_in(10) {
            self.end();
        }
        if !self.walk_to(id, title) {
            self.end();
            self.start(id);
        }
        let until = self.ends.min(Instant::now() + self.visit);
        while Instant::now() < until && self.terminal.is_some() {
            self.event();
            if self.random.is_one_in(3) {
                self.probe();
            }
            self.look();
        }
    }

    /// Ends what runs, and tells all.
    pub fn finish(mut self) -> Vec<String> {
        self.end();
        self.report.tell();
        self.report.failures
    }

    fn start(&mut self, id: &str) {
        let mut command = driver::tutor(&["run", "lesson", id, "--engine", "sim"]);
        command.env("TUTOR_STATE", self.folder.path());
        // The learner's own editor, which leaves everything as it is.
        command.env("VISUAL", "true");
        command.cwd(self.folder.path());
        // What is freed goes back to the system at once, so that what is in memory is what the program holds, and not
        // the most that it ever held.
        command.env("MALLOC_MMAP_THRESHOLD_", "1048576");
        command.env("MALLOC_TRIM_THRESHOLD_", "1048576");
        command.env("MALLOC_ARENA_MAX", "2");
        self.count("starts", id);
        let mut terminal = Terminal::start(command, 100, 30);
        if terminal.next_frame(DEAF).is_none() {
            self.report.failures.push(format!("{id} shows no frame"));
        }
        self.terminal = Some(terminal);
    }

    /// Goes to a lesson by keys, as a person would; whether it is on screen then.
    fn walk_to(&mut self, id: &str, title: &str) -> bool {
        if self.terminal.is_none() {
            return false;
        }
        self.give_up_paste();
        self.resize(100, 30);
        for _ in 0..6 {
            self.send(b"\x1b");
            self.pause(Duration::from_millis(30));
        }
        self.send(b"H");
        self.probe();
        self.look_at_home();
        self.send(id.as_bytes());
        self.probe();
        self.send(b"\r");
        self.pause(Duration::from_millis(300));
        self.probe();
        self.count("walks", id);
        let start: String = title.chars().take(20).collect();
        let is_there = self.terminal.as_ref().is_some_and(|terminal| {
            let text = terminal.text();
            text.lines()
                .next()
                .is_some_and(|line| line.contains(&start))
        });
        if !is_there && self.terminal.is_some() {
            self.count("walks that led elsewhere", id);
        }
        is_there
    }

    fn event(&mut self) {
        match self.random.below(100) {
            0..45 => self.bytes("keys", Random::key),
            45..63 => self.bytes("mouse", Random::mouse),
            63..73 => self.bytes("cut off", Random::cut_off),
            73..80 => self.bytes("garbage", Random::garbage),
            80..87 => self.paste(),
            87..95 => {
                let (columns, rows) = (10 + self.random.below(190), 4 + self.random.below(56));
                self.resize(columns, rows);
            }
            95..98 => {
                let signal = self.random.of(&[Signal::WINCH, Signal::CONT]);
                self.count("other signals", &format!("{signal:?}"));
                self.signal(signal);
            }
            _ => self.stop_and_continue(),
        }
    }

    fn bytes(&mut self, kind: &'static str, make: fn(&mut Random) -> Vec<u8>) {
        let bytes = make(&mut self.random);
        self.count(kind, &format!("{:?}", String::from_utf8_lossy(&bytes)));
        self.send(&bytes);
    }

    fn paste(&mut self) {
        let text = self.random.text();
        let ends = !self.random.is_one_in(4);
        let kind = if ends { "pastes" } else { "pastes without end" };
        self.count(kind, &format!("{} bytes", text.len()));
        self.send(b"\x1b[200~");
        self.send(&text);
        match ends {
            true => self.send(b"\x1b[201~"),
            false => self.is_pasting = true,
        }
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.count("sizes", &format!("{columns} x {rows}"));
        if let Some(terminal) = &mut self.terminal {
            terminal.resize(columns, rows);
        }
    }

    fn stop_and_continue(&mut self) {
        let signal = self.random.of(&[Signal::TSTP, Signal::STOP]);
        self.count("stops", &format!("{signal:?}"));
        self.signal(signal);
        if !self.is_running() {
            return;
        }
        if let Some(terminal) = &mut self.terminal {
            terminal.wait_for_stop();
            if signal == Signal::TSTP {
                terminal.assert_restored();
            }
        }
        self.signal(Signal::CONT);
        self.probe();
        if let Some(terminal) = &self.terminal
            && !terminal.screen.screen().alternate_screen()
        {
            self.fail("the screen was not taken over again");
        }
    }

    fn signal(&mut self, signal: Signal) {
        if self.is_running()
            && let Some(terminal) = &self.terminal
        {
            terminal.signal(signal);
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        if self.is_running()
            && let Some(terminal) = &mut self.terminal
        {
            terminal.send(bytes);
        }
    }

    fn pause(&mut self, time: Duration) {
        if let Some(terminal) = &mut self.terminal {
            terminal.pause(time);
        }
    }

    fn give_up_paste(&mut self) {
        if self.is_pasting {
            self.pause(PASTE_GIVEN_UP);
            self.is_pasting = false;
        }
    }

    /// Presses a key, and waits for the frame that it brings.
    fn probe(&mut self) {
        self.give_up_paste();
        let Some(mut terminal) = self.terminal.take() else {
            return;
        };
        terminal.drain();
        let (process, began) = (terminal.process(), Instant::now());
        let waited_before = waited(process);
        terminal.send(PROBE);
        let frame = terminal.next_frame(DEAF);
        let machine = waited(process).saturating_sub(waited_before);
        terminal.written.clear();
        self.terminal = Some(terminal);
        if !self.is_running() {
            return;
        }
        let Some(frame) = frame else {
            self.fail("no frame comes any more");
            self.terminal = None;
            return;
        };
        let clock = frame.at.saturating_duration_since(began);
        let response = clock.saturating_sub(machine);
        if response > RESPONSE {
            self.fail(&format!(
                "a key was answered after {clock:?}, {machine:?} of it the machine's"
            ));
        } else if clock > RESPONSE {
            self.report.late += 1;
        }
        self.report
            .responses
            .push(clock.min(response.max(Duration::from_millis(1))));
    }

    /// Whether it runs. A click or a command of the palette may have ended it, in good order.
    fn is_running(&mut self) -> bool {
        let Some(terminal) = &mut self.terminal else {
            return false;
        };
        if let Ok(None) = terminal.child.try_wait() {
            return true;
        }
        let code = terminal.end();
        terminal.assert_restored();
        let text = terminal.text();
        self.terminal = None;
        self.count("quits", "");
        if code != 0 {
            self.fail(&format!("exit code {code}:\n{text}"));
        }
        false
    }

    /// Ends it, in one of the ways there are.
    fn end(&mut self) {
        self.give_up_paste();
        let ways = [
            (None, 0),
            (Some(Signal::TERM), 143),
            (Some(Signal::HUP), 129),
            (Some(Signal::INT), 130),
            (Some(Signal::QUIT), 1),
        ];
        let (signal, expected) = self.random.of(&ways);
        if !self.is_running() {
            return;
        }
        self.count("ends", &format!("{signal:?}"));
        match signal {
            None => self.send(b"\x03"),
            Some(signal) => self.signal(signal),
        }
        if let Some(mut terminal) = self.terminal.take() {
            let code = terminal.end();
            terminal.assert_restored();
            if code != expected {
                self.fail(&format!(
                    "{signal:?} ends with {code}:\n{}",
                    terminal.text()
                ));
            }
        }
    }

    /// Looks at what the process uses.
    fn look(&mut self) {
        if let Some((usage, twelfth)) = self.usage() {
            self.report.usage.entry(twelfth).or_default().push(usage);
        }
    }

    /// The same where no lesson is open.
    fn look_at_home(&mut self) {
        if let Some((usage, twelfth)) = self.usage() {
            let half = usize::from(twelfth >= 6);
            self.report.home_bytes[half].push(usage.memory_bytes);
        }
    }

    /// What the process uses now, and in which twelfth of the time that is.
    fn usage(&self) -> Option<(Usage, u32)> {
        let process = self.terminal.as_ref()?.process();
        let began = self.report.began?;
        let part = 12.0 * began.elapsed().as_secs_f64() / self.report.time.as_secs_f64();
        Some((Usage::of(process)?, (part as u32).min(11)))
    }

    fn count(&mut self, kind: &'static str, what: &str) {
        *self.report.events.entry(kind).or_default() += 1;
        self.recent.push_back(format!("{kind} {what}"));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    fn fail(&mut self, what: &str) {
        let recent: Vec<&str> = self.recent.iter().map(String::as_str).collect();
        let text = self
            .terminal
            .as_ref()
            .map(Terminal::text)
            .unwrap_or_default();
        let failure = format!("{what}\nafter {}\n{text}", recent.join(", "));
        println!("FAILED: {failure}");
        self.report.failures.push(failure);
    }
}

impl Report {
    /// Prints what happened, and holds what later times use against the first.
    fn tell(&mut self) {
        for (kind, count) in &self.events {
            println!("{count:>8} {kind}");
        }
        self.responses.sort();
        let at = |share: usize| {
            let index =
                (self.responses.len() * share / 1000).min(self.responses.len().saturating_sub(1));
            self.responses.get(index).copied().unwrap_or_default()
        };
        println!(
            "{:>8} probes: median {:.1?}, 99 % {:.1?}, 99.9 % {:.1?}, worst {:.1?}; {} late by the machine",
            self.responses.len(),
            at(500),
            at(990),
            at(999),
            at(1000),
            self.late
        );
        for (part, usage) in &self.usage {
            let most = most(usage);
            println!(
                "{part:>2}/12 of the time: at most {} MB, {} threads, {} files",
                most.memory_bytes >> 20,
                most.threads,
                most.files
            );
        }
        self.compare_usage();
    }

    /// Fails where later times use more than the first.
    fn compare_usage(&mut self) {
        // All lessons were seen in the first five minutes; of a minute, half of them in each half.
        let first = (self.time / 2).min(Duration::from_secs(300));
        let first = (12.0 * first.as_secs_f64() / self.time.as_secs_f64()).ceil() as u32;
        let used = |parts: std::ops::Range<u32>| self.usage.range(parts).map(|(_, usage)| usage);
        let [early, late] = [0..first, first..12].map(|parts| most(used(parts).flatten()));
        // A run of large sizes takes its buffers and goes, sometimes a little later than its lesson: what must not rise
        // is what is usual between lessons.
        let [early_bytes, late_bytes] = self.home_bytes.each_mut().map(|bytes| median(bytes));
        println!(
            "on the home screen: {} MB in the first half, then {} MB",
            early_bytes >> 20,
            late_bytes >> 20
        );
        if late_bytes > early_bytes + early_bytes / 2 + (16 << 20) {
            self.failures.push(format!(
                "memory between lessons rises from {early_bytes} to {late_bytes} bytes"
            ));
        }
        if late.memory_bytes > MOST_MEMORY_BYTES
            || late.files > early.files + 16
            || late.threads > early.threads + 32
        {
            self.failures
                .push(format!("more is used later: {early:?}, then {late:?}"));
        }
    }
}

/// The most of each.
fn most<'a>(usage: impl IntoIterator<Item = &'a Usage>) -> Usage {
    let all = usage.into_iter().copied();
    all.reduce(Usage::most).unwrap_or_default()
}

/// The median; 0 where nothing was seen.
fn median(bytes: &mut [u64]) -> u64 {
    bytes.sort_unstable();
    bytes.get(bytes.len() / 2).copied().unwrap_or_default()
}
