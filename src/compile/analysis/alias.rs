//! Which memory a pointer may lead to, and which accesses can therefore not meet.
//!
//! A kernel's pointers lead to what the kernel was given: nothing that they reach is the block's
//! shared memory. Two `__shared__` arrays are never the same, and what a `__restrict__` parameter
//! points to is reached through it alone.

use std::collections::HashMap;

use crate::compile::tree::{Part, everything, expressions};
use crate::cuda::{
    Expr, ExprKind, FileMemory, FileVariableId, FunctionId, Initializer, LocalId, Place, PlaceKind,
    Program, Stmt, StmtKind, Storage, Type,
};

/// Where an access may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// Anywhere.
    Unknown,
    /// Anywhere, where nothing is known for longer than an access: `volatile`.
    Volatile,
    /// What a parameter of the kernel points to.
    Global(LocalId),
    /// What a `__restrict__` parameter points to.
    Restricted(LocalId),
    /// What a `__restrict__` parameter points to that is `const`: nothing changes it.
    Constant(LocalId),
    /// A `__shared__` variable.
    Shared(FunctionId, LocalId),
    /// Dynamic shared memory, whatever its name.
    Dynamic,
    /// A variable at file scope.
    File(FileVariableId, FileMemory),
    /// The lane's own memory.
    Local,
}

impl Region {
    /// Whether a store to `written` may change what a load from this region gives.
    pub fn changes_with(self, written: Region) -> bool {
        use Region::*;
        match (self, written) {
            (Constant(_) | File(_, FileMemory::Constant), _) => false,
            (Unknown | Volatile, _) | (_, Unknown | Volatile) => true,
            (Global(_) | File(_, FileMemory::Device), Global(_)) => true,
            (Global(_), File(_, FileMemory::Device)) => true,
            (this, other) => this == other,
        }
    }

    /// Whether it is the block's shared memory.
    pub fn is_shared(self) -> bool {
        matches!(self, Region::Shared(..) | Region::Dynamic)
    }

    /// Whether a barrier may change it: other threads write there.
    pub fn changes_at_barriers(self) -> bool {
        !matches!(
            self,
            Region::Constant(_) | Region::File(_, FileMemory::Constant) | Region::Local
        )
    }
}

/// The regions that pointer variables lead to.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    of: HashMap<(FunctionId, LocalId), Region>,
}

/// A pointer that goes to a variable.
type Flow<'a> = ((FunctionId, LocalId), (FunctionId, &'a Expr));

impl Regions {
    /// Follows the pointers of the functions that `kernel` reaches.
    pub fn new(program: &Program, kernel: FunctionId, reached: &[FunctionId]) -> Self {
        let mut regions = Regions::default();
        let function = &program.functions[kernel];
        let mut flows = Vec::new();
        for &id in reached {
            collect(program, id, &program.functions[id].body, &mut flows);
        }
        for (id, local) in function.locals.iter().enumerate() {
            if id < function.parameter_count
                && let Type::Pointer { is_const, .. } = local.ty
            {
                let region = match (local.is_restrict, is_const) {
                    (true, true) => Region::Constant(id),
                    (true, false) => Region::Restricted(id),
                    (false, _) => Region::Global(id),
                };
                regions.of.insert((kernel, id), region);
            }
        }
        for &id in reached {
            for local in exposed(&program.functions[id].body) {
                regions.of.insert((id, local), Region::Unknown);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(to, (function, value)) in &flows {
                let Some(region) = regions.pointer(program, function, value) else {
                    continue;
                };
                let joined = match regions.of.get(&to) {
                    Some(&known) if known != region => Region::Unknown,
                    _ => region,
                };
                changed |= regions.of.insert(to, joined) != Some(joined);
            }
        }
        regions
    }

    /// Where `pointer` leads; nothing while that is not known yet.
    fn pointer(&self, program: &Program, function: FunctionId, pointer: &Expr) -> Option<Region> {
        match &pointer.kind {
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => match program.functions[function].locals[*local].is_volatile {
                true => Some(Region::Volatile),
                false => self.of.get(&(function, *local)).copied(),
            },
            ExprKind::PointerOffset(base, _) | ExprKind::Convert(base) => {
                self.pointer(program, function, base)
            }
            ExprKind::AddressOf(place) => self.place(program, function, place),
            ExprKind::Conditional(_, a, b) => {
                let a = self.pointer(program, function, a)?;
                let b = self.pointer(program, function, b)?;
                Some(if a == b { a } else { Region::Unknown })
            }
            _ => Some(Region::Unknown),
        }
    }

    fn place(&self, program: &Program, function: FunctionId, place: &Place) -> Option<Region> {
        match &place.kind {
            PlaceKind::Local(local) => {
                let declared = &program.functions[function].locals[*local];
                Some(match declared.storage {
                    _ if declared.is_volatile => Region::Volatile,
                    Storage::Shared => Region::Shared(function, *local),
                    Storage::DynamicShared => Region::Dynamic,
                    Storage::Thread => Region::Local,
                })
            }
            PlaceKind::File(id) => Some(Region::File(*id, program.variables[*id].memory)),
            PlaceKind::Deref(pointer) => self.pointer(program, function, pointer),
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.place(program, function, base),
        }
    }

    /// Where a place of `function` lies.
    pub fn of_place(&self, program: &Program, function: FunctionId, place: &Place) -> Region {
        let known = self.place(program, function, place);
        known.unwrap_or(Region::Unknown)
    }

    /// Where a pointer of `function` leads.
    pub fn of_pointer(&self, program: &Program, function: FunctionId, pointer: &Expr) -> Region {
        let known = self.pointer(program, function, pointer);
        known.unwrap_or(Region::Unknown)
    }
}

/// The pointers that statements put into variables, by declaration, assignment or call.
fn collect<'a>(program: &Program, id: FunctionId, stmts: &'a [Stmt], flows: &mut Vec<Flow<'a>>) {
    let is_pointer = |expr: &Expr| matches!(expr.ty, Type::Pointer { .. });
    expressions(stmts, &mut |expr| {
        everything(expr, &mut |part| {
            let Part::Expr(expr) = part else { return };
            match &expr.kind {
                ExprKind::Assign(place, value) if is_pointer(value) => {
                    if let PlaceKind::Local(local) = place.kind {
                        flows.push(((id, local), (id, value)));
                    }
                }
                ExprKind::Call(callee, arguments) => {
                    for (local, argument) in arguments.iter().enumerate() {
                        let declared = &program.functions[*callee].locals[local];
                        if matches!(declared.ty, Type::Pointer { .. }) {
                            flows.push(((*callee, local), (id, argument)));
                        }
                    }
                }
                _ => {}
            }
        });
    });
    declarations(id, stmts, flows);
}

/// Pointer variables that others may change: their address is taken.
fn exposed(stmts: &[Stmt]) -> Vec<LocalId> {
    let mut found = Vec::new();
    expressions(stmts, &mut |expr| {
        everything(expr, &mut |part| {
            if let Part::Expr(Expr {
                kind: ExprKind::AddressOf(place),
                ..
            }) = part
                && let (PlaceKind::Local(local), Type::Pointer { .. }) = (&place.kind, &place.ty)
            {
                found.push(*local);
            }
        });
    });
    found
}

fn declarations<'a>(id: FunctionId, stmts: &'a [Stmt], flows: &mut Vec<Flow<'a>>) {
    for stmt in stmts {
        if let StmtKind::Declare {
            local,
            init: Some(Initializer::Value(value)),
        } = &stmt.kind
            && matches!(value.ty, Type::Pointer { .. })
        {
            flows.push(((id, *local), (id, value)));
        }
        for body in crate::compile::tree::bodies(stmt) {
            declarations(id, body, flows);
        }
    }
}
