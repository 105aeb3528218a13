//! Values recorded on the device: the text, the plan that runs it, and the traces in its side buffer.

use super::recorder::RecordSite;
use super::statements::find_assignments;
use crate::gpu::instrument::rewrite::{InstrumentError, Original};
use crate::gpu::instrument::side_buffer::{
    Attachment, InstrumentedPlan, RECORD_WORDS, SetupLaunch, WATCH_WORDS, integer, word,
};
use crate::ir::GLOBAL_STRIDE;
use crate::launch::{
    ElementType, KernelSource, LaneValues, Plan, Trace, TraceStep, TracedSite, TracedVariable,
    ValueType, WARP_LANES, Watch,
};
use crate::source::Diagnostic;

/// A text that records what its statements give to variables of threads.
///
/// Its side buffer is [`Self::side_words`] 64-bit words, zero before the launch: word 0, how many warps
/// are watched; word 1, how many records there is room for with each; then for each warp its block
/// (x and y in one word, z and the warp in the next, the second in the high half), how many records it
/// has made, and a word unused; then the records of each warp. A record is a word with the site (low
/// half) and the active lanes, and a word of bits for each lane. One of an element of an array takes two
/// records: the second says how many bytes the element lies from the array's beginning.
#[derive(Clone, Debug)]
pub struct TracedSource {
    /// The text.
    pub source: KernelSource,
    /// Lines put before the first of the original.
    pub lines_before: u32,
    /// Statements of the original whose values are not recorded, with their places there, and why.
    pub skipped: Vec<Diagnostic>,
    variables: Vec<TracedVariable>,
    sites: Vec<RecordSite>,
    prefix: String,
}

/// Where a buffer of the plan lay on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRange {
    /// Address of its first byte.
    pub address: u64,
    /// Its size.
    pub size_bytes: u64,
}

impl TracedSource {
    pub(crate) fn new(source: &KernelSource, kernels: &[&str]) -> Result<Self, InstrumentError> {
        let original = Original::new(source, kernels)?;
        let changed = original.change(kernels, |refused| find_assignments(&original, refused))?;
        Ok(TracedSource {
            source: changed.source,
            lines_before: changed.lines_before,
            skipped: changed.found.skipped,
            variables: changed.found.variables,
            sites: changed.found.sites,
            prefix: changed.prefix,
        })
    }

    /// The statements whose values are recorded, each with a variable of the traces.
    pub fn sites(&self) -> Vec<TracedSite> {
        let of_site = |site: &RecordSite| {
            let span = site.statement;
            // Sites of parts list the scalars of one variable, which follow each other.
            let first = site.scalars.first().map_or(0, |scalar| scalar.index);
            let among = first..first + site.scalars.len() as u32;
            let scalars = site.scalars.clone().into_iter();
            scalars.map(move |scalar| TracedSite {
                span,
                variable: scalar.index,
                among: among.clone(),
            })
        };
        self.sites.iter().flat_map(of_site).collect()
    }

    /// Size of the side buffer for so many warps, with room for so many records of each, in 64-bit
    /// words.
    pub fn side_words(&self, warps: usize, records: usize) -> usize {
        2 + warps * (WATCH_WORDS + records * RECORD_WORDS)
    }

    /// `plan` with the values recorded of some warps of its launch `launch`, up to so many records each. The
    /// source must be that of the launch.
    pub fn plan(
        &self,
        plan: &Plan,
        launch: usize,
        watches: &[Watch],
        records: usize,
    ) -> InstrumentedPlan {
        let watch = |(at, watch): (usize, &Watch)| {
            let [x, y, z] = watch.block.map(u64::from);
            SetupLaunch {
                kernel: "watch",
                arguments: [at as u64, x, y, z, watch.warp.into()]
                    .map(integer)
                    .to_vec(),
            }
        };
        let attachment = Attachment {
            source: &self.source,
            prefix: &self.prefix,
            side_words: self.side_words(watches.len(), records),
            attach: vec![records as u64],
            setup: watches.iter().enumerate().map(watch).collect(),
        };
        attachment.apply(plan, launch)
    }

    /// The traces in the bytes of a side buffer, in the order of the watches. Addresses inside
    /// `buffers` become what the simulated GPU has for them; without `buffers` they stay.
    pub fn decode(&self, side: &[u8], buffers: &[BufferRange]) -> Vec<Trace> {
        let (warps, records) = (word(side, 0) as usize, word(side, 1) as usize);
        // A side buffer that was cut short, or never attached, has no more than it holds.
        let most = side.len() / 8 / RECORD_WORDS;
        let warp = |warp: usize| {
            let about = |at: usize| word(side, 2 + warp * WATCH_WORDS + at);
            let made = about(2) as usize;
            // May be more than there was room for.
            let mut reader = RecordReader {
                of: self,
                buffers,
                latest: vec![None; self.variables.len()],
                steps: Vec::new(),
                last: None,
            };
            let first = 2 + warps * WATCH_WORDS + warp * records * RECORD_WORDS;
            reader.read(side, first, made.min(records).min(most));
            Trace {
                watch: Watch {
                    block: [about(0) as u32, (about(0) >> 32) as u32, about(1) as u32],
                    warp: (about(1) >> 32) as u32,
                },
                variables: self.variables.clone(),
                steps: reader.steps,
                truncated: made > records,
            }
        };
        (0..warps.min(side.len())).map(warp).collect()
    }
}

/// Reads the records of one warp.
struct RecordReader<'a> {
    of: &'a TracedSource,
    buffers: &'a [BufferRange],
    /// By variable: what it holds, for the lanes that have not set it yet 0.
    latest: Vec<Option<LaneValues>>,
    steps: Vec<TraceStep>,
    /// The site of the last record.
    last: Option<usize>,
}

impl RecordReader<'_> {
    /// Reads so many records from word `first` on.
    fn read(&mut self, side: &[u8], first: usize, records: usize) {
        let bits_of = |record: usize| -> LaneValues {
            let from = first + record * RECORD_WORDS + 1;
            std::array::from_fn(|lane| word(side, from + lane))
        };
        let mut at = 0;
        while at < records {
            let head = word(side, first + at * RECORD_WORDS);
            let (number, active) = (head as u32 as usize, (head >> 32) as u32);
            // A record that was not written, because it would not have fitted whole.
            let Some(site) = self.of.sites.get(number).filter(|_| active != 0) else {
                break;
            };
            self.begin(number, site, active);
            match site.is_part {
                true => self.parts(site, active, &bits_of(at), &bits_of(at + 1)),
                false => self.set(site.scalars[0].index, active, &bits_of(at)),
            }
            at += if site.is_part { 2 } else { 1 };
        }
    }

    /// A record of a statement, whose sites follow each other, belongs to the step begun by those
    /// before it.
    fn begin(&mut self, number: usize, site: &RecordSite, active: u32) {
        let goes_on = |step: &TraceStep| step.span == site.statement && step.active == active;
        // Sites are numbered in order of the text: a smaller number begins another visit.
        let follows = self.last.is_some_and(|last| last < number);
        if !follows || !self.steps.last().is_some_and(goes_on) {
            self.steps.push(TraceStep {
                line: site.line,
                span: site.statement,
                callers: Default::default(),
                resumes: false,
                active,
                changes: Vec::new(),
            });
        }
        self.last = Some(number);
    }

    /// Each lane has set an element of its own.
    fn parts(&mut self, site: &RecordSite, active: u32, bits: &LaneValues, bytes: &LaneValues) {
        for scalar in &site.scalars {
            let wanted = u64::from(scalar.offset_bytes);
            // Each lane says how far its element lies from the array's beginning.
            let here = |lane: &usize| active >> lane & 1 == 1 && bytes[*lane] == wanted;
            let lanes = (0..WARP_LANES).filter(here);
            let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
            if lanes != 0 {
                self.set(scalar.index, lanes, bits);
            }
        }
    }

    /// These lanes have set a variable.
    fn set(&mut self, variable: u32, lanes: u32, bits: &LaneValues) {
        let value_type = self.of.variables[variable as usize].value_type;
        let mut values = self.latest[variable as usize].unwrap_or([0; WARP_LANES]);
        for lane in (0..WARP_LANES).filter(|lane| lanes >> lane & 1 == 1) {
            values[lane] = self.meaning(value_type, bits[lane]);
        }
        self.latest[variable as usize] = Some(values);
        if let Some(step) = self.steps.last_mut() {
            step.changes.retain(|change| change.0 != variable);
            step.changes.push((variable, values));
        }
    }

    /// Bits as the simulated GPU has them: narrow integers extended, addresses its own.
    fn meaning(&self, value_type: ValueType, bits: u64) -> u64 {
        match value_type {
            ValueType::Number(ElementType::I8) => u64::from(bits as i8 as u32),
            ValueType::Number(ElementType::I16) => u64::from(bits as i16 as u32),
            ValueType::Pointer => {
                let mut all = self.buffers.iter().enumerate();
                let inside =
                    // One past the end too: a pointer there is a pointer to the buffer, as in `p != end`.
                    |buffer: &BufferRange| bits.wrapping_sub(buffer.address) <= buffer.size_bytes;
                let found = all.find(|(_, buffer)| inside(buffer));
                found.map_or(bits, |(at, buffer)| {
                    (at as u64 + 1) * GLOBAL_STRIDE + (bits - buffer.address)
                })
            }
            _ => bits,
        }
    }
}
