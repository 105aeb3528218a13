//! Alias analysis: which memory a pointer may lead to, and which accesses can therefore not meet.
//!
//! A kernel's pointers lead to what the kernel was given: nothing that they reach is the block's
//! shared memory. Two `__shared__` arrays are never the same, and what a `__restrict__` parameter
//! points to is reached through it alone.
//!
//! Pointer variables are followed through declarations, assignments and calls, wherever these stand
//! in a function: `p = c ? a : b` makes `p` lead to [`Region::Unknown`] from its beginning on.

use std::collections::{HashMap, VecDeque};

use crate::compile::tree::{VariableId, bodies, walk, walk_expressions};
use crate::cuda::{
    Expr, ExprKind, FileMemory, FileVariableId, FunctionId, Initializer, LocalId, Node, Place,
    PlaceKind, Program, Stmt, StmtKind, Storage, Type,
};

/// Where an access may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    Shared(VariableId),
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
            // Two parameters without `__restrict__` may be given the same buffer, or the address of
            // a `__device__` variable.
            (Global(_) | File(_, FileMemory::Device), Global(_)) => true,
            (Global(_), File(_, FileMemory::Device)) => true,
            // Two `__shared__` arrays, or two variables at file scope, never overlap.
            (this, other) => this == other,
        }
    }

    /// Whether it is the block's shared memory.
    pub fn is_shared(self) -> bool {
        matches!(self, Region::Shared(_) | Region::Dynamic)
    }

    /// Whether a barrier may change it: other threads write there.
    pub fn changes_at_barriers(self) -> bool {
        !matches!(
            self,
            Region::Constant(_) | Region::File(_, FileMemory::Constant) | Region::Local
        )
    }

    /// The region of what is in this one or in `other`.
    pub fn joined(self, other: Region) -> Region {
        if self == other { self } else { Region::Unknown }
    }
}

/// The regions that pointer variables lead to.
#[derive(Debug, Default)]
pub(crate) struct PointsTo {
    of: HashMap<VariableId, Region>,
}

/// A pointer that is put into a variable.
struct Flow<'a> {
    to: VariableId,
    /// The function that `value` stands in.
    function: FunctionId,
    value: &'a Expr,
}

impl PointsTo {
    /// Follows the pointers of the functions that `kernel` reaches.
    pub fn new(program: &Program, kernel: FunctionId, reached: &[FunctionId]) -> Self {
        let mut points_to = PointsTo::default();
        points_to.enter_parameters(program, kernel);
        let mut flows = Vec::new();
        for &function in reached {
            let body = &program.functions[function].body;
            assignments(program, function, body, &mut flows);
            declarations(function, body, &mut flows);
            // `p` may be anything once `&p` is given away: `set(&p)`.
            for local in exposed(body) {
                let variable = VariableId { function, local };
                points_to.of.insert(variable, Region::Unknown);
            }
        }
        points_to.follow(program, &flows);
        points_to
    }

    /// Follows pointers from variable to variable, in any order and around loops.
    fn follow(&mut self, program: &Program, flows: &[Flow]) {
        let mut readers: HashMap<VariableId, Vec<usize>> = HashMap::new();
        for (at, flow) in flows.iter().enumerate() {
            for local in loaded(flow.value) {
                let variable = VariableId::new(flow.function, local);
                readers.entry(variable).or_default().push(at);
            }
        }
        let mut open: VecDeque<usize> = (0..flows.len()).collect();
        while let Some(at) = open.pop_front() {
            let flow = &flows[at];
            let Some(region) = self.pointer(program, flow.function, flow.value) else {
                // A variable that nothing is known of yet: this is looked at again as soon as something is.
                continue;
            };
            let known = self.of.get(&flow.to);
            // Regions only ever go from known to `Unknown`, so this ends.
            let joined = known.map_or(region, |known| known.joined(region));
            if self.of.insert(flow.to, joined) != Some(joined) {
                open.extend(readers.get(&flow.to).into_iter().flatten());
            }
        }
    }

    fn enter_parameters(&mut self, program: &Program, kernel: FunctionId) {
        let function = &program.functions[kernel];
        let parameters = function.locals[..function.parameter_count].iter();
        for (local, declared) in parameters.enumerate() {
            if let Type::Pointer { is_const, .. } = declared.ty {
                let region = match (declared.is_restrict, is_const) {
                    (true, true) => Region::Constant(local),
                    (true, false) => Region::Restricted(local),
                    (false, _) => Region::Global(local),
                };
                let function = kernel;
                self.of.insert(VariableId { function, local }, region);
            }
        }
    }

    /// Where `pointer` leads; nothing while that is not known yet.
    fn pointer(&self, program: &Program, function: FunctionId, pointer: &Expr) -> Option<Region> {
        match &pointer.kind {
            ExprKind::Load(Place {
                kind: PlaceKind::Local(local),
                ..
            }) => match program.functions[function].locals[*local].is_volatile {
                true => Some(Region::Volatile),
                false => {
                    let local = *local;
                    self.of.get(&VariableId { function, local }).copied()
                }
            },
            ExprKind::PointerOffset(base, _) | ExprKind::Convert(base) => {
                self.pointer(program, function, base)
            }
            ExprKind::AddressOf(place) => self.place(program, function, place),
            ExprKind::Conditional(_, a, b) => {
                let a = self.pointer(program, function, a)?;
                Some(a.joined(self.pointer(program, function, b)?))
            }
            // Loaded from memory, or given by a call.
            _ => Some(Region::Unknown),
        }
    }

    fn place(&self, program: &Program, function: FunctionId, place: &Place) -> Option<Region> {
        match &place.kind {
            PlaceKind::Local(local) => {
                let declared = &program.functions[function].locals[*local];
                let local = *local;
                Some(match declared.storage {
                    _ if declared.is_volatile => Region::Volatile,
                    Storage::Shared => Region::Shared(VariableId { function, local }),
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

/// The variables that an expression loads.
fn loaded(expr: &Expr) -> Vec<LocalId> {
    let mut found = Vec::new();
    walk(expr, &mut |node| {
        if let Node::Place(Place {
            kind: PlaceKind::Local(local),
            ..
        }) = node
        {
            found.push(*local);
        }
    });
    found
}

fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Pointer { .. })
}

/// The pointers that assignments and calls put into variables.
fn assignments<'a>(
    program: &Program,
    function: FunctionId,
    stmts: &'a [Stmt],
    flows: &mut Vec<Flow<'a>>,
) {
    let mut flow = |to, value| {
        flows.push(Flow {
            to,
            function,
            value,
        });
    };
    walk_expressions(stmts, &mut |expr| match &expr.kind {
        ExprKind::Assign(place, value) if is_pointer(&value.ty) => {
            // Pointers in structs and arrays are not followed: what is loaded from there leads anywhere.
            if let PlaceKind::Local(local) = place.kind {
                flow(VariableId { function, local }, value);
            }
        }
        ExprKind::Call(callee, arguments) => {
            let declared = &program.functions[*callee].locals;
            for (local, argument) in arguments.iter().enumerate() {
                if is_pointer(&declared[local].ty) {
                    let function = *callee;
                    flow(VariableId { function, local }, argument);
                }
            }
        }
        _ => {}
    });
}

/// The pointers that declarations put into variables.
fn declarations<'a>(function: FunctionId, stmts: &'a [Stmt], flows: &mut Vec<Flow<'a>>) {
    for stmt in stmts {
        if let StmtKind::Declare {
            local,
            init: Some(Initializer::Value(value)),
        } = &stmt.kind
            && is_pointer(&value.ty)
        {
            let local = *local;
            flows.push(Flow {
                to: VariableId { function, local },
                function,
                value,
            });
        }
        for body in bodies(stmt) {
            declarations(function, body, flows);
        }
    }
}

/// Pointer variables that others may change: their address is taken.
fn exposed(stmts: &[Stmt]) -> Vec<LocalId> {
    let mut found = Vec::new();
    walk_expressions(stmts, &mut |expr| {
        if let ExprKind::AddressOf(place) = &expr.kind
            && let (PlaceKind::Local(local), Type::Pointer { .. }) = (&place.kind, &place.ty)
        {
            found.push(*local);
        }
    });
    found
}
