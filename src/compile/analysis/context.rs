//! The function whose code is being written, as analyses and lowering ask about it: where variables
//! live, what references stand for, and which memory an access may meet.
//!
//! A variable has one location for the whole kernel, in functions that call themselves one within each call's frame on
//! the stack; what a reference of an inlined function stands for changes from call to call.

use std::cell::RefCell;
use std::collections::HashMap;

use super::alias::{PointsTo, Region};
use super::call_plan::CallPlan;
use super::effects::KnownEffects;
use super::escape::reference;
use crate::compile::tree::VariableId;
use crate::cuda::{Expr, FileVariableId, FunctionId, Local, LocalId, Place, PlaceKind, Program};
use crate::ir::Register;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// In registers, from this one on.
    Register(Register),
    /// In the block's shared memory, at this offset.
    Shared(u32),
    /// In the lane's local memory, at this offset.
    Local(u32),
    /// In the lane's local memory, at this offset from where the register says: in the frame of a call.
    Stack(Register, u32),
}

/// Where a variable at file scope is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileLocation {
    /// In the block's shared memory, at this offset.
    Shared(u32),
    /// Where the address in this register says.
    At(Register),
}

/// The place that a reference of an inlined function stands for.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// The function that `place` belongs to: the caller.
    pub function: FunctionId,
    pub place: Place,
}

/// What is known of the function being lowered, wherever in its code.
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    /// The function.
    pub function: FunctionId,
    pub locations: HashMap<VariableId, Location>,
    pub file_locations: HashMap<FileVariableId, FileLocation>,
    /// What references stand for where that is a place of their caller.
    pub bindings: HashMap<VariableId, Binding>,
    pub points_to: PointsTo,
    /// Which functions are not inlined.
    pub calls: CallPlan,
    /// Whether the text was made of a kernel in Triton, in which pointers are offset step by step: each step is computed
    /// once, as LLVM does.
    pub is_generated: bool,
    pub(super) known_effects: RefCell<KnownEffects<'a>>,
}

impl<'a> Context<'a> {
    /// Before any variable has a location.
    pub fn new(
        program: &'a Program,
        kernel: FunctionId,
        points_to: PointsTo,
        calls: CallPlan,
    ) -> Self {
        Context {
            program,
            function: kernel,
            locations: HashMap::new(),
            file_locations: HashMap::new(),
            bindings: HashMap::new(),
            points_to,
            calls,
            is_generated: false,
            known_effects: RefCell::default(),
        }
    }

    /// A variable of the function as it is declared.
    pub fn local(&self, local: LocalId) -> &'a Local {
        &self.program.functions[self.function].locals[local]
    }

    /// Where a variable of the function lives.
    pub fn location(&self, local: LocalId) -> Location {
        self.location_in(self.function, local)
    }

    /// Where a variable of another function lives.
    pub fn location_in(&self, function: FunctionId, local: LocalId) -> Location {
        let location = self.locations.get(&VariableId { function, local });
        // Only variables of functions that the kernel does not reach have none: nothing looks at what they are given.
        location.copied().unwrap_or(Location::Register(0))
    }

    /// What the reference in `pointer` stands for, if that is a place of the caller.
    pub fn binding(&self, pointer: &Expr) -> Option<&Binding> {
        self.binding_in(self.function, pointer)
    }

    /// The same of a reference of another function.
    pub fn binding_in(&self, function: FunctionId, pointer: &Expr) -> Option<&Binding> {
        let local = reference(pointer)?;
        self.bindings.get(&VariableId { function, local })
    }

    /// Whether a value is a reference that stands for a place of the caller.
    pub fn is_bound(&self, pointer: &Expr) -> bool {
        self.binding(pointer).is_some()
    }

    /// What a place of the function may meet.
    pub fn region_of(&self, place: &Place) -> Region {
        let function = self.function;
        self.points_to.of_place(self.program, function, place)
    }

    /// What an access through a pointer of the function may meet.
    pub fn region_of_pointer(&self, pointer: &Expr) -> Region {
        let function = self.function;
        self.points_to.of_pointer(self.program, function, pointer)
    }

    /// Whether a place is a variable in registers or a part of one.
    pub fn is_in_register(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => matches!(self.location(*local), Location::Register(_)),
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.is_in_register(base),
            PlaceKind::Deref(_) | PlaceKind::File(_) => false,
        }
    }
}
