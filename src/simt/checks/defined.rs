//! Values that were never set: which lanes of which registers, and which bytes of shared and local
//! memory, hold nothing yet.
//!
//! As in Valgrind's Memcheck, copying or computing with such a value is no mistake: lanes compute
//! things that they throw away. Its result has no value either, and the mistake is told where it
//! decides something: a branch, an address, a vote, a store that others can read. Shared memory is
//! different: loading a byte of it that no thread has stored is told at once. A variable that is
//! declared in a loop keeps its value of the round before here, so only the first round is checked.

use super::checked_access::{CheckedAccess, allocation_at, name_of};
use super::reports::Reports;
use super::suspects::Suspects;
use crate::ir::{
    Instruction, Kernel, LOCAL_BASE, Op, Operand, Register, SHARED_BASE, Space, VariablePlace,
};
use crate::memory::AccessKind;
use crate::simt::fault::UNSET_VALUE;
use crate::simt::machine::Moment;
use crate::simt::machine::{AddressSpace, address_space};
use crate::simt::operations::source_lane;
use crate::simt::program::{Program, is_wide_value, parameter_words};
use crate::simt::warp::set_bits;
use crate::source::{Diagnostic, Span};

/// What has no value.
#[derive(Clone, Copy)]
enum Origin {
    /// Nothing that has a name.
    Unnamed,
    /// A variable, as an index into the kernel's.
    Variable(usize),
    /// A variable in memory, as an index into the kernel's allocations.
    Allocation(usize),
}

/// Lanes without a value, and the variable that has none.
#[derive(Clone, Copy)]
struct Missing {
    lanes: u32,
    origin: Origin,
}

const NOTHING_MISSING: Missing = Missing {
    lanes: 0,
    origin: Origin::Unnamed,
};

impl Missing {
    fn or(self, other: Missing) -> Missing {
        Missing {
            lanes: self.lanes | other.lanes,
            origin: if self.lanes == 0 {
                other.origin
            } else {
                self.origin
            },
        }
    }

    fn within(self, lanes: u32) -> Missing {
        Missing {
            lanes: self.lanes & lanes,
            ..self
        }
    }
}

/// What is followed of an instruction.
struct Followed {
    /// The registers it reads that may be unset, but for what it stores.
    read: Vec<Register>,
    /// Registers that it writes.
    written_words: u16,
    /// Whether it uses shared memory, and no register that may be unset.
    is_shared_alone: bool,
}

/// By instruction: what is followed of it, if it has to be.
fn followed(kernel: &Kernel, suspects: &Suspects) -> Vec<Option<Followed>> {
    let of = |(at, &i): (usize, &Instruction)| {
        // The value of a store is looked at in `access`, which knows where it goes.
        let read = kernel
            .reads(i)
            .filter(|read| read.operand != Operand::SrcSite);
        let read = read.flat_map(|read| read.each());
        // All others have a value whenever they are read.
        let read = read.filter(|&register| suspects.registers[usize::from(register)]);
        let written = kernel.writes(i);
        suspects.instructions[at].then(|| Followed {
            read: read.collect(),
            written_words: written.map_or(0, |written| written.words),
            is_shared_alone: suspects.only_shared[at],
        })
    };
    kernel.code.iter().enumerate().map(of).collect()
}

/// Gives registers the variables that they hold.
fn name_origins(by_register: &mut [Missing], kernel: &Kernel) {
    for (at, variable) in kernel.variables.iter().enumerate() {
        if let VariablePlace::Register(register) = variable.place {
            let words = 1 + usize::from(is_wide_value(variable.value_type));
            let held = by_register.iter_mut().skip(usize::from(register));
            held.take(words)
                .for_each(|missing| missing.origin = Origin::Variable(at));
        }
    }
}

/// Looks for values that were never set.
pub struct Defined {
    warps: usize,
    /// By instruction: what is followed of it, if it has to be.
    followed: Vec<Option<Followed>>,
    /// By register, then by warp.
    registers: Vec<Missing>,
    /// The same before a block begins.
    blank: Vec<Missing>,
    /// By word of shared memory: which of its bytes have been stored, a bit each.
    shared: Vec<u8>,
    shared_bytes: usize,
    /// How many of them have not been stored.
    shared_missing: usize,
    /// By byte of local memory, then by warp: lanes that have not stored it.
    local: Vec<u32>,
}

impl Defined {
    /// Nothing has a value but the parameters.
    pub fn new(program: &Program<'_>) -> Self {
        let (kernel, warps) = (program.kernel, program.geometry.warps());
        let suspects = Suspects::new(kernel, program.shared_bytes);
        // What nobody reads too early counts as set: what sets it need not be followed.
        let missing = |&is_suspect: &bool| Missing {
            lanes: if is_suspect { u32::MAX } else { 0 },
            origin: Origin::Unnamed,
        };
        let mut by_register: Vec<Missing> = suspects.registers.iter().map(missing).collect();
        name_origins(&mut by_register, kernel);
        for parameter in &kernel.parameters {
            let first = usize::from(parameter.register);
            let words = parameter_words(parameter.parameter_type);
            by_register[first..first + words].fill(NOTHING_MISSING);
        }
        let blank: Vec<Missing> = by_register
            .iter()
            .flat_map(|missing| std::iter::repeat_n(*missing, warps))
            .collect();
        Defined {
            warps,
            followed: followed(kernel, &suspects),
            registers: blank.clone(),
            blank,
            shared: vec![0; program.shared_bytes.div_ceil(4) as usize],
            shared_bytes: program.shared_bytes as usize,
            shared_missing: program.shared_bytes as usize,
            local: vec![u32::MAX; kernel.memory.local_bytes as usize * warps],
        }
    }

    /// A block begins.
    pub fn begin(&mut self) {
        self.registers.copy_from_slice(&self.blank);
        self.shared.fill(0);
        self.shared_missing = self.shared_bytes;
        self.local.fill(u32::MAX);
    }

    /// Whether the instruction at `pc` has to be followed.
    pub fn wants(&self, pc: usize) -> bool {
        self.followed[pc].is_some()
    }

    /// Whether the instruction at `pc`, if it has to be followed, has to for what it accesses in shared memory alone.
    pub fn wants_shared_alone(&self, pc: usize) -> bool {
        let followed = self.followed[pc].as_ref();
        followed.is_some_and(|followed| followed.is_shared_alone)
    }

    /// Whether every byte of shared memory has been stored.
    pub fn has_all_shared(&self) -> bool {
        self.shared_missing == 0
    }

    /// An instruction that has to be followed is about to run with some active lanes.
    pub fn step(&mut self, moment: &Moment<'_, '_>, reports: &mut Reports) {
        let i = moment.instruction();
        if self.has_all_shared() && self.wants_shared_alone(moment.pc) {
            return;
        }
        if let Some(access) = CheckedAccess::new(moment) {
            return self.access(&access, reports);
        }
        let mut missing = match i.op {
            Op::Select32 | Op::Select64 => self.select(moment, i),
            Op::And32 | Op::Or32 => self.masked(moment, i),
            Op::ShflIdx | Op::ShflUp | Op::ShflDown | Op::ShflXor => self.shuffle(moment, i),
            _ => self.operands(moment),
        };
        if matches!(i.op, Op::If | Op::LeaveUnless) {
            self.tell(moment, missing, "a branch depends on it", reports);
        } else if i.op.is_exchange() && !i.op.is_shuffle() {
            self.tell(moment, missing, "the whole warp depends on it", reports);
            // Told once: without this, every use of the result would be told again.
            missing = NOTHING_MISSING;
        }
        if let Some(followed) = &self.followed[moment.pc] {
            self.write(moment, i.dst, followed.written_words, missing);
        }
    }

    fn register(&self, moment: &Moment<'_, '_>, register: Register) -> Missing {
        self.registers[usize::from(register) * self.warps + moment.warp()]
    }

    fn several(&self, moment: &Moment<'_, '_>, first: Register, words: u16) -> Missing {
        let words = (first..first + words).map(|register| self.register(moment, register));
        words.fold(NOTHING_MISSING, Missing::or)
    }

    /// What any of the operands lacks.
    fn operands(&self, moment: &Moment<'_, '_>) -> Missing {
        let followed = self.followed[moment.pc].iter();
        let read = followed.flat_map(|followed| &followed.read);
        read.map(|&register| self.register(moment, register))
            .fold(NOTHING_MISSING, Missing::or)
            .within(moment.active())
    }

    /// Of the two values, only the chosen one matters.
    fn select(&self, moment: &Moment<'_, '_>, i: Instruction) -> Missing {
        let words = if i.op == Op::Select64 { 2 } else { 1 };
        // As in Memcheck: a value that is not chosen may be missing.
        let chosen = moment.lanes().nonzero(i.a);
        let a = self.several(moment, i.b, words).within(chosen);
        let b = self.several(moment, i.c, words).within(!chosen);
        // Lanes whose condition is missing are told for that, whichever value they took.
        let condition = self.register(moment, i.a);
        condition.or(a).or(b).within(moment.active())
    }

    /// False and anything is false, true or anything is true.
    fn masked(&self, moment: &Moment<'_, '_>, i: Instruction) -> Missing {
        let (a, b) = (self.register(moment, i.a), self.register(moment, i.b));
        // `x & 0` is 0 whatever `x` is: no mistake, though `x` was never set.
        let decides = |register: Register, missing: Missing| {
            let nonzero = moment.lanes().nonzero(register);
            let set = if i.op == Op::Or32 { nonzero } else { !nonzero };
            set & !missing.lanes
        };
        let decided = decides(i.a, a) | decides(i.b, b);
        a.or(b).within(moment.active() & !decided)
    }

    fn shuffle(&self, moment: &Moment<'_, '_>, i: Instruction) -> Missing {
        let value = self.register(moment, i.a);
        let operands = moment.lanes().get(i.b);
        let lacks = |lane: &usize| {
            let source = source_lane(i.op, *lane as u32, operands[*lane], i.imm);
            // Reading a lane that takes no part is undefined in CUDA, and is told by another check.
            let takes_part = moment.active() >> (source & 31) & 1 == 1;
            takes_part && value.lanes >> (source & 31) & 1 == 1
        };
        let lanes = set_bits(moment.active()).filter(lacks);
        Missing {
            lanes: lanes.fold(0, |mask, lane| mask | 1 << lane),
            ..value
        }
    }

    fn write(&mut self, moment: &Moment<'_, '_>, first: Register, words: u16, missing: Missing) {
        let active = moment.active();
        for register in first..first + words {
            let at = usize::from(register) * self.warps + moment.warp();
            let target = &mut self.registers[at];
            let lanes = target.lanes & !active | missing.lanes & active;
            // The origin stays that of what is missing still.
            let origin = [target.origin, missing.origin][usize::from(missing.lanes != 0)];
            *target = Missing { lanes, origin };
        }
    }

    fn access(&mut self, access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
        let (moment, i) = (access.moment, access.moment.instruction());
        let address = self.operands(moment);
        self.tell(moment, address, "a memory access depends on it", reports);
        let words = access.site.words() as u16;
        if access.site.kind == AccessKind::Load || access.site.is_atomic {
            let missing = self.loaded(access, reports);
            self.write(moment, i.dst, words, missing);
            if access.site.is_atomic {
                // What it puts there is an operand like the address.
                self.store(access, NOTHING_MISSING);
            }
            return;
        }
        let missing = self.several(moment, i.dst, words).within(moment.active());
        if !self.store(access, missing) {
            self.tell(moment, missing, "stored where others read it", reports);
        }
    }

    /// Notes a store; whether it goes to local memory, where nothing is missing but to its owner.
    fn store(&mut self, access: &CheckedAccess<'_, '_, '_>, missing: Missing) -> bool {
        if self.has_all(access) {
            return false;
        }
        if let Some((first, bytes)) = self.shared_run(access) {
            self.store_shared(first, bytes);
            return false;
        }
        let (warp, mut is_local) = (access.moment.warp(), false);
        for lane in access.lanes() {
            let first = access.addresses[lane];
            match address_space(first) {
                AddressSpace::Shared => self.store_shared(first - SHARED_BASE, access.width()),
                AddressSpace::Local => {
                    is_local = true;
                    let lacks = missing.lanes & 1 << lane;
                    for byte in bytes_of(first - LOCAL_BASE, access.width()) {
                        if let Some(lanes) = self.local.get_mut(byte * self.warps + warp) {
                            *lanes = *lanes & !(1 << lane) | lacks;
                        }
                    }
                }
                // The host fills global memory, and buffers begin as zero: nothing there is known to be missing.
                AddressSpace::Global | AddressSpace::Unmapped => {}
            }
        }
        is_local
    }

    /// Where in shared memory an access goes, as the first byte and how many, if its lanes go to it side by side.
    fn shared_run(&self, access: &CheckedAccess<'_, '_, '_>) -> Option<(u64, u64)> {
        if access.site.space != Space::Shared {
            return None;
        }
        let (first, bytes) = access.run()?;
        let offset = first.checked_sub(SHARED_BASE)?;
        (offset.checked_add(bytes)? <= self.shared_bytes as u64).then_some((offset, bytes))
    }

    /// Notes that some bytes have been stored, for all lanes: shared memory has one state for the block, whoever stores.
    #[inline(always)]
    fn store_shared(&mut self, offset: u64, width: u64) {
        for (word, bytes) in self.shared_words(offset, width) {
            let stored = &mut self.shared[word];
            self.shared_missing -= (bytes & !*stored).count_ones() as usize;
            *stored |= bytes;
        }
    }

    /// Whether all of some bytes have been stored.
    #[inline(always)]
    fn has_stored(&self, offset: u64, width: u64) -> bool {
        let mut words = self.shared_words(offset, width);
        words.all(|(word, bytes)| bytes & !self.shared[word] == 0)
    }

    /// The words of shared memory that some bytes lie in, with a bit for each of these; none where a byte lies behind its
    /// end, which the machine tells.
    #[inline(always)]
    fn shared_words(&self, offset: u64, width: u64) -> impl Iterator<Item = (usize, u8)> + use<> {
        let (first, end) = (offset as usize, (offset + width) as usize);
        let words = match end <= self.shared_bytes {
            true => first / 4..end.div_ceil(4),
            false => 0..0,
        };
        words.map(move |word| {
            let (from, to) = (first.saturating_sub(4 * word), (end - 4 * word).min(4));
            (word, 0xf << from & 0xf >> (4 - to))
        })
    }

    /// Whether an access goes to shared memory of which every byte has been stored: most of the time, in a product.
    fn has_all(&self, access: &CheckedAccess<'_, '_, '_>) -> bool {
        access.site.space == Space::Shared && self.has_all_shared()
    }

    /// What the lanes of a load find missing.
    fn loaded(&mut self, access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) -> Missing {
        let mut missing = NOTHING_MISSING;
        let run = || self.shared_run(access);
        if self.has_all(access) || run().is_some_and(|(first, bytes)| self.has_stored(first, bytes))
        {
            return missing;
        }
        for lane in access.lanes() {
            let first = access.addresses[lane];
            match address_space(first) {
                AddressSpace::Shared => {
                    self.load_shared(access, lane, first - SHARED_BASE, reports)
                }
                AddressSpace::Local => {
                    let offset = first - LOCAL_BASE;
                    let lanes = bytes_of(offset, access.width())
                        .filter_map(|byte| self.local.get(byte * self.warps + access.moment.warp()))
                        .fold(0, |all, lanes| all | lanes);
                    if lanes >> lane & 1 == 1 {
                        missing = missing.or(Missing {
                            lanes: 1 << lane,
                            origin: origin_of(access.moment, offset),
                        });
                    }
                }
                AddressSpace::Global | AddressSpace::Unmapped => {}
            }
        }
        missing
    }

    fn load_shared(
        &mut self,
        access: &CheckedAccess<'_, '_, '_>,
        lane: usize,
        offset: u64,
        reports: &mut Reports,
    ) {
        if self.has_stored(offset, access.width()) {
            return;
        }
        let (moment, span) = (access.moment, access.site.span);
        let variable = allocation_at(moment, Space::Shared, offset);
        reports.add(span, span, "shared", || {
            let name = name_of(moment, SHARED_BASE + offset);
            let report = Diagnostic::error(span, "read of uninitialised shared memory")
                .code(UNSET_VALUE)
                .label(format!(
                    "{name} holds nothing yet when it is read by {}",
                    moment.place().lane(lane)
                ))
                .note(format!("at address {:#x}", SHARED_BASE + offset))
                .help("store to every element that is read, and let a barrier come between");
            match variable {
                Some(variable) => report.also(variable.declaration.span, "declared here"),
                None => report,
            }
        });
    }

    /// Tells of missing values that decide something, once: after it they count as set.
    fn tell(
        &mut self,
        moment: &Moment<'_, '_>,
        missing: Missing,
        how: &str,
        reports: &mut Reports,
    ) {
        if missing.lanes == 0 {
            return;
        }
        let span = moment.program().span_at(moment.pc);
        let span = moment.site().map_or(span, |site| site.span);
        let kernel = moment.program().kernel;
        let (name, declared) = declaration_of(kernel, missing.origin);
        let lane = missing.lanes.trailing_zeros() as usize;
        reports.add(span, declared.unwrap_or(span), "unset", || {
            let report = Diagnostic::error(span, format!("{name} is used before it has a value"))
                .code(UNSET_VALUE)
                .label(format!("{how}, in {}", moment.place().lane(lane)))
                .help("give it a value where it is declared, or on every path that leads here");
            match declared {
                Some(declared) => report.also(declared, "declared without a value"),
                None => report,
            }
        });
    }
}

fn bytes_of(offset: u64, width: u64) -> impl Iterator<Item = usize> {
    offset as usize..(offset + width) as usize
}

fn origin_of(moment: &Moment<'_, '_>, offset: u64) -> Origin {
    let kernel = moment.program().kernel;
    let found = allocation_at(moment, Space::Local, offset);
    let at = found.and_then(|found| {
        kernel
            .memory
            .allocations
            .iter()
            .position(|other| other == found)
    });
    at.map_or(Origin::Unnamed, Origin::Allocation)
}

/// Name and declaration of what has no value.
fn declaration_of(kernel: &Kernel, origin: Origin) -> (String, Option<Span>) {
    let (name, declaration) = match origin {
        Origin::Unnamed => return ("a value".to_owned(), None),
        Origin::Variable(at) => {
            let found = &kernel.variables[at];
            (&found.name, found.declaration)
        }
        Origin::Allocation(at) => {
            let found = &kernel.memory.allocations[at];
            (&found.name, found.declaration)
        }
    };
    (format!("`{name}`"), Some(declaration.span))
}
