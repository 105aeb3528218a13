//! The operations of one function as they are written: slots, constants, labels.

use std::collections::{BTreeSet, HashMap};

use crate::cuda::{Function, LocalId, Type};
use crate::host::code::{FIRST_PARAMETER, Op, Slot};
use crate::source::{Diagnostic, Span};

use super::unit::{Unit, is_aggregate};

/// More slots than this no function may have.
const MOST_SLOTS: usize = 60_000;

/// What lowering a function once tells for the next time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoweringFacts {
    /// Variables of scalar types that somebody points at.
    pub pointed_at: BTreeSet<LocalId>,
    /// Constants, in order of their slots.
    pub constants: Vec<u64>,
    /// The full expressions, by number, in which temporary objects begin.
    pub with_temporaries: BTreeSet<u32>,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableLocation {
    /// In a slot.
    Slot(Slot),
    /// So many bytes behind the address in slot 0.
    Frame(i32),
    /// At the address that a slot holds.
    Indirect(Slot),
}

/// A place in the code, known or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(pub u32);

/// Where `break` and `continue` lead.
#[derive(Clone, Copy, Debug)]
pub struct Exits {
    /// Behind the loop or `switch`.
    pub after: Label,
    /// The next round of the loop.
    pub next: Option<Label>,
    /// How many marks were set outside of it.
    pub marks: usize,
}

/// The slots of a function.
#[derive(Debug, Default)]
pub struct Slots {
    /// The next that is free.
    pub next: Slot,
    /// As many are needed.
    pub most: usize,
    numbers: HashMap<u64, Slot>,
    first_constant: Slot,
}

/// A function being lowered.
pub struct Lowering<'u, 'p> {
    /// What all functions share.
    pub unit: &'u mut Unit<'p>,
    /// The function.
    pub function: &'p Function,
    /// Its operations.
    pub ops: Vec<Op>,
    /// Where each is written.
    pub spans: Vec<Span>,
    /// What is known from the last time; what comes to light now is added.
    pub known: LoweringFacts,
    /// Slots.
    pub slots: Slots,
    /// Variables.
    pub locations: Vec<VariableLocation>,
    /// Bytes of the stack.
    pub frame_bytes: u32,
    /// Where labels are.
    pub labels: Vec<u32>,
    /// Where statements lead.
    pub flow: Flow<'p>,
}

/// Where statements lead, and what has begun.
#[derive(Debug, Default)]
pub struct Flow<'p> {
    /// Loops and switches, from the outside in.
    pub exits: Vec<Exits>,
    /// Slots that hold marks, from the outside in.
    pub marks: Vec<Slot>,
    /// Labels of the function by their numbers.
    pub named: HashMap<u32, Label>,
    /// How many marks were set at each label, and the operations that `goto` left to be filled in.
    pub depths: HashMap<u32, usize>,
    /// `goto` of labels that come later: the label, the operation to fill in, the marks there.
    pub gotos: Vec<(u32, usize, Vec<Slot>)>,
    /// Full expressions so far.
    pub expressions: u32,
    /// Whether objects that begin end with the program.
    pub until_exit: bool,
    /// The first handlers that are the function's own.
    pub first_handlers: usize,
    /// The functions whose calls the expressions of others stand for, from the outside in, and where the first was called.
    pub inlined: Vec<&'p Function>,
    pub inlined_at: Option<Span>,
}

impl<'u, 'p> Lowering<'u, 'p> {
    /// A function, with what is known of it.
    pub fn new(unit: &'u mut Unit<'p>, function: &'p Function, known: LoweringFacts) -> Self {
        let is_returned_in_memory = is_aggregate(&function.returns);
        let hidden = Slot::from(is_returned_in_memory);
        // Constants stand behind the parameters and are copied there at each call: an operation then has one kind of
        // operand.
        let first_constant = FIRST_PARAMETER + hidden + function.parameter_count as Slot;
        let numbered = known.constants.iter().enumerate();
        let numbers = numbered.map(|(at, &bits)| (bits, first_constant + at as Slot));
        let next = first_constant + known.constants.len() as Slot;
        let slots = Slots {
            next,
            most: usize::from(next),
            numbers: numbers.collect(),
            first_constant,
        };
        let flow = Flow {
            first_handlers: unit.sites.handlers.len(),
            ..Flow::default()
        };
        let mut lowering = Lowering {
            unit,
            function,
            ops: Vec::new(),
            spans: Vec::new(),
            known,
            slots,
            locations: Vec::new(),
            frame_bytes: 0,
            labels: Vec::new(),
            flow,
        };
        lowering.place_locals(FIRST_PARAMETER + hidden);
        lowering
    }

    fn place_locals(&mut self, first_parameter: Slot) {
        let function = self.function;
        for (id, local) in function.locals.iter().enumerate() {
            let is_parameter = id < function.parameter_count;
            let slot = first_parameter + id as Slot;
            let location = match (is_aggregate(&local.ty), is_parameter) {
                // An aggregate is passed as the address of a copy that the caller made.
                (true, true) => VariableLocation::Indirect(slot),
                (true, false) => {
                    VariableLocation::Frame(self.frame(&local.ty, u32::max(local.align_bytes, 1)))
                }
                // What somebody points at has to have an address; all else stays in slots, which are quicker.
                (false, _) if self.known.pointed_at.contains(&id) => {
                    VariableLocation::Frame(self.frame(&local.ty, 1))
                }
                (false, true) => VariableLocation::Slot(slot),
                (false, false) => VariableLocation::Slot(self.temporary()),
            };
            self.locations.push(location);
        }
    }

    /// Room on the stack for a value of a type: where it begins.
    pub fn frame(&mut self, ty: &Type, align_bytes: u32) -> i32 {
        let align = ty.align_bytes().max(align_bytes).max(1);
        // Frames begin at multiples of 16.
        self.frame_bytes = self.frame_bytes.next_multiple_of(align.min(16));
        let at = self.frame_bytes;
        self.frame_bytes = at.saturating_add(ty.size_bytes().max(1));
        i32::try_from(at).unwrap_or(i32::MAX)
    }

    /// A slot that is free.
    pub fn temporary(&mut self) -> Slot {
        let slot = self.slots.next;
        self.take(1);
        slot
    }

    /// Takes so many slots.
    pub fn take(&mut self, count: usize) {
        let next = usize::from(self.slots.next) + count;
        if next > MOST_SLOTS {
            if self.slots.most <= MOST_SLOTS {
                // Once: every further slot would say it again.
                let message = format!("`{}` has too many variables and values", self.function.name);
                let error = Diagnostic::error(self.function.span, message);
                self.unit
                    .diagnostics
                    .push(error.help("split it into several functions"));
            }
            self.slots.most = MOST_SLOTS + 1;
            return;
        }
        self.slots.next = next as Slot;
        self.slots.most = self.slots.most.max(next);
    }

    /// The slot of a constant.
    pub fn constant(&mut self, bits: u64) -> Slot {
        if let Some(&slot) = self.slots.numbers.get(&bits) {
            return slot;
        }
        let slot = self.slots.first_constant + self.known.constants.len() as Slot;
        self.known.constants.push(bits);
        self.slots.numbers.insert(bits, slot);
        slot
    }

    /// Writes an operation.
    pub fn emit(&mut self, op: Op, span: Span) {
        self.ops.push(op);
        // A fault in an inlined function is shown at its call, where the stack would have shown it.
        self.spans.push(self.flow.inlined_at.unwrap_or(span));
    }

    /// A new label, which is nowhere yet.
    pub fn label(&mut self) -> Label {
        // Bound later: jumps name the label's number until all places are known.
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    /// The label is here.
    pub fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.ops.len() as u32;
    }

    /// Jumps to a label.
    pub fn jump(&mut self, label: Label, span: Span) {
        self.emit(Op::Jump { target: label.0 }, span);
    }

    /// Jumps to a label where a slot is set, or where it is not.
    pub fn jump_when(&mut self, a: Slot, is_set: bool, label: Label, span: Span) {
        let target = label.0;
        let op = match is_set {
            true => Op::JumpIf { a, target },
            false => Op::JumpUnless { a, target },
        };
        self.emit(op, span);
    }

    /// One slot becomes as another.
    pub fn move_slot(&mut self, to: Slot, a: Slot, span: Span) {
        self.emit(Op::Move { to, a }, span);
    }

    /// An address so many bytes behind another.
    pub fn offset(&mut self, to: Slot, base: Slot, offset: i32, span: Span) {
        self.emit(Op::Offset { to, base, offset }, span);
    }

    /// The pointer or count that lies so many bytes behind an address.
    pub fn load_word(&mut self, to: Slot, base: Slot, offset: i32, span: Span) {
        self.emit(Op::Load64 { to, base, offset }, span);
    }

    /// The slot that a value goes to: the one that is wanted, or a free one.
    pub fn target(&mut self, want: Option<Slot>) -> Slot {
        match want {
            Some(slot) => slot,
            None => self.temporary(),
        }
    }

    /// The value of a slot in the one that is wanted.
    pub fn moved(&mut self, from: Slot, want: Option<Slot>, span: Span) -> Slot {
        match want {
            Some(to) if to != from => {
                self.move_slot(to, from, span);
                to
            }
            _ => from,
        }
    }

    /// What only a kernel can do, or nobody.
    pub fn refuse(&mut self, message: String, span: Span) -> Slot {
        let site = self.unit.refused(message);
        self.emit(Op::Refuse { site }, span);
        self.constant(0)
    }
}
