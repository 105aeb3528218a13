//! What a value depends on, and what statements change: together they say whether a value is still
//! the same behind the statements.
//!
//! Example: `x[i] + y` depends on the registers of `x`, `i` and `y` and on the memory that `x` leads
//! to; `x[i] = 0; ++i;` changes that memory and the register of `i`.

use super::alias::Region;
use super::context::{Context, Location};
use crate::compile::tree::{Node, VariableId, bodies, own_expressions, walk, words};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, FunctionId, LocalId, Place, PlaceKind, Scalar, Stmt, StmtKind, Type,
};
use crate::ir::Register;

/// Consecutive registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterRange {
    pub first: Register,
    pub words: u32,
}

impl RegisterRange {
    pub fn new(first: Register, words: u32) -> Self {
        RegisterRange { first, words }
    }

    /// One past the last register.
    pub fn end(self) -> u32 {
        u32::from(self.first) + self.words
    }

    pub fn overlaps(self, other: RegisterRange) -> bool {
        u32::from(self.first) < other.end() && u32::from(other.first) < self.end()
    }
}

/// What a value depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub registers: Vec<RegisterRange>,
    pub memory: Vec<Region>,
}

impl Sources {
    /// Whether any of them lies in `written`.
    pub fn include(&self, written: RegisterRange) -> bool {
        self.registers.iter().any(|source| source.overlaps(written))
    }

    /// Whether a store to `written` may change one of them.
    pub fn change_with(&self, written: Region) -> bool {
        self.memory
            .iter()
            .any(|source| source.changes_with(written))
    }

    /// Whether other threads may change one of them at a barrier.
    pub fn change_at_barriers(&self) -> bool {
        self.memory
            .iter()
            .any(|source| source.changes_at_barriers())
    }
}

/// What statements may change.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Registers of variables.
    pub registers: Vec<RegisterRange>,
    /// Memory.
    pub regions: Vec<Region>,
    /// Whether other threads may write meanwhile.
    pub synchronizes: bool,
}

impl Effects {
    /// Whether they may change a value that depends on `sources`.
    pub fn change(&self, sources: &Sources) -> bool {
        self.registers
            .iter()
            .any(|&written| sources.include(written))
            || self
                .regions
                .iter()
                .any(|&written| sources.change_with(written))
            || (self.synchronizes && sources.change_at_barriers())
    }
}

/// The parts of a loop that run in every iteration.
#[derive(Clone, Copy)]
pub(crate) struct Iteration<'a> {
    pub condition: Option<&'a Expr>,
    pub step: Option<&'a Expr>,
    pub body: &'a [Stmt],
}

/// Whether `nvcc` compiles an expression to code with branches, which it neither moves out of loops
/// nor sees to be the same elsewhere.
pub(crate) fn has_branches(expr: &Expr) -> bool {
    let is_single = expr.ty == Type::Scalar(Scalar::F32);
    is_single && matches!(expr.kind, ExprKind::Math(function, _) if function.row().has_branches)
}

fn is_integer(expr: &Expr) -> bool {
    expr.ty.scalar().is_some_and(|scalar| scalar.is_integer())
}

/// What values depend on.
impl Context<'_> {
    /// What decides the value of `expr`; nothing if it has effects.
    pub fn sources(&self, expr: &Expr) -> Option<Sources> {
        let mut sources = Sources::default();
        self.collect(expr, &mut sources)?;
        Some(sources)
    }

    /// What decides where `place` lies.
    pub fn sources_of_place(&self, place: &Place) -> Option<Sources> {
        let mut sources = Sources::default();
        self.collect_place(place, &mut sources)?;
        Some(sources)
    }

    fn collect(&self, expr: &Expr, sources: &mut Sources) -> Option<()> {
        use ExprKind::*;
        match &expr.kind {
            Constant(_) | Coordinate(..) => Some(()),
            Load(place) => {
                if !self.is_in_register(place) {
                    let region = self.region_of(place);
                    sources.memory.push(region);
                    (region != Region::Volatile).then_some(())?;
                }
                self.collect_place(place, sources)
            }
            AddressOf(place) => self.collect_place(place, sources),
            Convert(operand) | Unary(_, operand) | Component(operand, _) | Member(operand, _) => {
                self.collect(operand, sources)
            }
            Binary(_, a, b) | PointerOffset(a, b) => {
                self.collect(a, sources)?;
                self.collect(b, sources)
            }
            // `nvcc` sees no two calls of `sinf` as the same.
            Math(_, operands) if !has_branches(expr) => {
                let mut operands = operands.iter();
                operands.try_for_each(|operand| self.collect(operand, sources))
            }
            _ => None,
        }
    }

    fn collect_place(&self, place: &Place, sources: &mut Sources) -> Option<()> {
        match &place.kind {
            PlaceKind::Local(local) => {
                if let Location::Register(first) = self.location(*local) {
                    let range = RegisterRange::new(first, words(&place.ty));
                    sources.registers.push(range);
                }
                Some(())
            }
            // Its address does not change; what lies there is in `memory`.
            PlaceKind::File(_) => Some(()),
            // What a reference refers to is not known by its name.
            PlaceKind::Deref(pointer) if self.is_bound(pointer) => None,
            PlaceKind::Deref(pointer) => self.collect(pointer, sources),
            PlaceKind::Index(base, index) => {
                self.collect_place(base, sources)?;
                self.collect(index, sources)
            }
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                self.collect_place(base, sources)
            }
        }
    }

    /// Whether a value is a candidate for common subexpressions and for moving out of loops: loads of
    /// memory, and arithmetic that is counted. The rest costs less than it is worth to remember.
    pub fn is_candidate(&self, expr: &Expr) -> bool {
        match &expr.kind {
            // A variable is in its register already.
            ExprKind::Load(place) => !self.is_in_register(place),
            ExprKind::Math(..) => !has_branches(expr),
            ExprKind::Binary(op, a, _) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                !op.is_comparison() && (!is_integer(a) || divides)
            }
            _ => false,
        }
    }
}

/// What may be evaluated where its value is not needed.
impl Context<'_> {
    /// Whether evaluating it for lanes that do not need it costs little and changes nothing: no
    /// memory, no calls, no arithmetic that is counted. `c && i < n` then needs no branch.
    pub fn is_speculatable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) => true,
            ExprKind::Load(place) => place.ty.scalar().is_some() && self.is_in_register(place),
            ExprKind::Convert(operand) => self.is_speculatable(operand),
            ExprKind::Unary(_, operand) => self.is_speculatable(operand) && is_integer(operand),
            ExprKind::Binary(op, a, b) => {
                let is_free = op.is_comparison() || is_integer(a);
                is_free && self.is_speculatable(a) && self.is_speculatable(b)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.is_speculatable(a) && self.is_speculatable(b)
            }
            _ => false,
        }
    }

    /// Whether finding the place changes nothing and costs nothing that is counted.
    pub fn is_simple_place(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::File(_) => true,
            PlaceKind::Deref(pointer) => self.is_simple_pointer(pointer),
            PlaceKind::Index(base, index) => {
                self.is_simple_place(base) && self.is_speculatable(index)
            }
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                self.is_simple_place(base)
            }
        }
    }

    fn is_simple_pointer(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::PointerOffset(base, index) => {
                self.is_simple_pointer(base) && self.is_speculatable(index)
            }
            ExprKind::AddressOf(place) => self.is_simple_place(place),
            ExprKind::Load(Place { kind, .. }) => matches!(kind, PlaceKind::Local(_)),
            _ => false,
        }
    }
}

/// What statements and expressions change.
impl Context<'_> {
    /// What an iteration of a loop may change.
    pub fn effects_of_iteration(&self, iteration: Iteration) -> Effects {
        let mut effects = Effects::default();
        for expr in iteration.condition.into_iter().chain(iteration.step) {
            self.add_effects(self.function, expr, &mut effects);
        }
        self.add_effects_of_all(self.function, iteration.body, &mut effects);
        effects
    }

    /// What these statements may change.
    pub fn effects_of_all(&self, stmts: &[Stmt]) -> Effects {
        let mut effects = Effects::default();
        self.add_effects_of_all(self.function, stmts, &mut effects);
        effects
    }

    /// What evaluating `expr` may change.
    pub fn effects_of(&self, expr: &Expr) -> Effects {
        let mut effects = Effects::default();
        self.add_effects(self.function, expr, &mut effects);
        effects
    }

    fn add_effects_of_all(&self, function: FunctionId, stmts: &[Stmt], effects: &mut Effects) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Declare { local, .. } => self.changes_local(function, *local, effects),
                StmtKind::Barrier | StmtKind::SyncWarp(_) => effects.synchronizes = true,
                _ => {}
            }
            for expr in own_expressions(stmt) {
                self.add_effects(function, expr, effects);
            }
            for body in bodies(stmt) {
                self.add_effects_of_all(function, body, effects);
            }
        }
    }

    fn add_effects(&self, function: FunctionId, expr: &Expr, effects: &mut Effects) {
        let region_of_pointer =
            |pointer: &Expr| self.points_to.of_pointer(self.program, function, pointer);
        walk(expr, &mut |node| {
            let Node::Expr(expr) = node else { return };
            match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => self.changes_place(function, place, effects),
                // Whoever gets the address of the thread's own variable may change it.
                ExprKind::AddressOf(place) if self.is_local(function, place) => {
                    self.changes_place(function, place, effects);
                }
                ExprKind::Atomic { pointer, .. } => {
                    effects.regions.push(region_of_pointer(pointer))
                }
                ExprKind::MathTo { outputs, .. } => {
                    let pointers = outputs.iter().map(|(_, pointer)| pointer);
                    effects.regions.extend(pointers.map(region_of_pointer));
                }
                ExprKind::Match { all: Some(all), .. } => {
                    effects.regions.push(region_of_pointer(all));
                }
                // `Nothing` is a fence or a wait: others may write meanwhile.
                ExprKind::BarrierVote(..) | ExprKind::Nothing(_) => effects.synchronizes = true,
                ExprKind::Call(callee, _) => {
                    let called = &self.program.functions[*callee];
                    // Parameters and variables of the inlined copy are registers of the kernel's.
                    for local in 0..called.locals.len() {
                        self.changes_local(*callee, local, effects);
                    }
                    self.add_effects_of_all(*callee, &called.body, effects);
                }
                _ => {}
            }
        });
    }

    fn is_local(&self, function: FunctionId, place: &Place) -> bool {
        self.points_to.of_place(self.program, function, place) == Region::Local
    }

    fn changes_place(&self, function: FunctionId, place: &Place, effects: &mut Effects) {
        match &place.kind {
            PlaceKind::Local(local) => self.changes_local(function, *local, effects),
            PlaceKind::File(id) => {
                let memory = self.program.variables[*id].memory;
                effects.regions.push(Region::File(*id, memory));
            }
            PlaceKind::Deref(pointer) => match self.binding_in(function, pointer) {
                Some(bound) => self.changes_place(bound.function, &bound.place, effects),
                None => {
                    let region = self.points_to.of_place(self.program, function, place);
                    effects.regions.push(region);
                }
            },
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.changes_place(function, base, effects),
        }
    }

    fn changes_local(&self, function: FunctionId, local: LocalId, effects: &mut Effects) {
        let ty = &self.program.functions[function].locals[local].ty;
        match self.location_in(function, local) {
            Location::Register(first) => {
                effects.registers.push(RegisterRange::new(first, words(ty)));
            }
            // Dynamic shared memory is not named by its variable: offsets overlap with it.
            Location::Shared(_) => {
                effects
                    .regions
                    .push(Region::Shared(VariableId { function, local }));
                effects.regions.push(Region::Dynamic);
            }
            // All of local memory is one region: arrays in it are indexed by what is not known.
            Location::Local(_) => effects.regions.push(Region::Local),
        }
    }
}
