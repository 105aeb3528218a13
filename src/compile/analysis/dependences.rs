//! What a value depends on, and what statements change: together they say whether a value is still
//! the same behind the statements.
//!
//! Example: `x[i] + y` depends on the registers of `x`, `i` and `y` and on the memory that `x` leads
//! to; `x[i] = 0; ++i;` changes that memory and the register of `i`.

use std::collections::HashSet;
use std::rc::Rc;

use super::alias::Region;
use super::context::{Context, Location};
use super::effects::{Effects, OwnEffects, RegisterRange};
use super::escape::reference;
use crate::compile::tree::{VariableId, bodies, field, own_expressions, walk, words};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, FunctionId, LocalId, Node, Place, PlaceKind, Scalar, Stmt, StmtKind,
    Type,
};
use crate::ir::Register;

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

/// Whether a pointer is another one and so many elements as only the GPU knows: more than what an access adds by itself.
pub(crate) fn is_offset(pointer: &Expr) -> bool {
    match &pointer.kind {
        ExprKind::PointerOffset(_, index) => !matches!(index.kind, ExprKind::Constant(_)),
        // A cast leaves a pointer where it is.
        ExprKind::Convert(other) => matches!(other.ty, Type::Pointer { .. }) && is_offset(other),
        _ => false,
    }
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
            ExprKind::PointerOffset(..) => self.is_generated && is_offset(expr),
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

/// What statements and expressions change, while they are walked.
struct Walked<'p> {
    own: OwnEffects<'p>,
    /// The references in `referred`.
    references: HashSet<LocalId>,
}

/// What statements and expressions change.
impl<'a> Context<'a> {
    /// What an iteration of a loop may change.
    pub fn effects_of_iteration(&self, iteration: Iteration) -> Effects {
        self.effects(self.function, |context, walked| {
            for expr in iteration.condition.into_iter().chain(iteration.step) {
                context.add_expr(context.function, expr, walked);
            }
            context.add_all(context.function, iteration.body, walked);
        })
    }

    /// What these statements may change.
    pub fn effects_of_all(&self, stmts: &[Stmt]) -> Effects {
        self.effects(self.function, |context, walked| {
            context.add_all(context.function, stmts, walked);
        })
    }

    /// What evaluating `expr` may change.
    pub fn effects_of(&self, expr: &Expr) -> Effects {
        self.effects(self.function, |context, walked| {
            context.add_expr(context.function, expr, walked);
        })
    }

    /// What a call of a function may change.
    pub fn effects_of_call(&self, callee: FunctionId) -> Effects {
        self.effects(callee, |_, walked| walked.own.calls.push(callee))
    }

    /// What code of `function` may change that `walk` looks at.
    fn effects<'p>(
        &self,
        function: FunctionId,
        walk: impl FnOnce(&Self, &mut Walked<'p>),
    ) -> Effects {
        let mut walked = Walked::new();
        walk(self, &mut walked);
        let mut effects = walked.own.effects;
        // References of the code itself are bound now; those of functions that it calls are looked up as they are
        // found.
        for place in walked.own.referred {
            self.changes_place(function, place, &mut effects);
        }
        // Each function once, however many calls lead to it.
        let mut seen = HashSet::new();
        let mut open = walked.own.calls;
        while let Some(callee) = open.pop() {
            if !seen.insert(callee) {
                continue;
            }
            let own = self.effects_of_function(callee);
            effects.registers.extend(&own.effects.registers);
            effects.regions.extend(&own.effects.regions);
            effects.synchronizes |= own.effects.synchronizes;
            for place in &own.referred {
                self.changes_place(callee, place, &mut effects);
            }
            open.extend(&own.calls);
        }
        effects.sort();
        effects
    }

    fn effects_of_function(&self, id: FunctionId) -> Rc<OwnEffects<'a>> {
        if let Some(known) = self.known_effects.borrow().get(&id) {
            return Rc::clone(known);
        }
        let mut walked = Walked::new();
        let function = &self.program.functions[id];
        // Parameters and variables of a function have one location in the whole kernel.
        for local in 0..function.locals.len() {
            self.changes_local(id, local, &mut walked.own.effects);
        }
        self.add_all(id, &function.body, &mut walked);
        walked.own.effects.sort();
        let own = Rc::new(walked.own);
        self.known_effects.borrow_mut().insert(id, Rc::clone(&own));
        own
    }

    fn add_all<'p>(&self, function: FunctionId, stmts: &'p [Stmt], walked: &mut Walked<'p>) {
        for stmt in stmts {
            let effects = &mut walked.own.effects;
            match &stmt.kind {
                StmtKind::Declare { local, .. } => self.changes_local(function, *local, effects),
                StmtKind::Barrier | StmtKind::SyncWarp(_) => effects.synchronizes = true,
                _ => {}
            }
            for expr in own_expressions(stmt) {
                self.add_expr(function, expr, walked);
            }
            for body in bodies(stmt) {
                self.add_all(function, body, walked);
            }
        }
    }

    fn add_expr<'p>(&self, function: FunctionId, expr: &'p Expr, walked: &mut Walked<'p>) {
        let region_of_pointer =
            |pointer: &Expr| self.points_to.of_pointer(self.program, function, pointer);
        walk(expr, &mut |node| {
            let Node::Expr(expr) = node else { return };
            let effects = &mut walked.own.effects;
            match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => self.add_place(function, place, walked),
                // Whoever gets the address of the thread's own variable may change it.
                ExprKind::AddressOf(place) if self.is_local(function, place) => {
                    self.add_place(function, place, walked);
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
                ExprKind::BarrierVote(..) | ExprKind::Nothing(_) | ExprKind::Order(..) => {
                    effects.synchronizes = true;
                }
                ExprKind::Call(callee, _) => walked.own.calls.push(*callee),
                _ => {}
            }
        });
    }

    /// A place is changed: through a reference, what that is is found out later.
    fn add_place<'p>(&self, function: FunctionId, place: &'p Place, walked: &mut Walked<'p>) {
        // The first place stands for all that are reached through the same reference: they lie in one variable or
        // region.
        match referred(place) {
            Some(local) if !walked.references.insert(local) => {}
            Some(_) => walked.own.referred.push(place),
            None => match self.first_register(function, place) {
                Some(first) => {
                    let changed = RegisterRange::new(first, words(&place.ty));
                    walked.own.effects.registers.push(changed);
                }
                None => self.changes_place(function, place, &mut walked.own.effects),
            },
        }
    }

    /// The first register of a variable, or of a part of one, that lies in registers.
    fn first_register(&self, function: FunctionId, place: &Place) -> Option<Register> {
        let (base, word) = match &place.kind {
            PlaceKind::Local(local) => {
                return match self.location_in(function, *local) {
                    Location::Register(first) => Some(first),
                    _ => None,
                };
            }
            PlaceKind::Member(base, index) => (base, field(&base.ty, *index)?.word),
            PlaceKind::Component(base, component) => (base, component * words(&place.ty)),
            _ => return None,
        };
        Some(self.first_register(function, base)? + word as Register)
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
            Location::Local(_) | Location::Stack(..) => effects.regions.push(Region::Local),
        }
    }
}

impl Walked<'_> {
    fn new() -> Self {
        Walked {
            own: OwnEffects::default(),
            references: HashSet::new(),
        }
    }
}

/// The variable through which a place is reached, if it may be a reference.
fn referred(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::File(_) => None,
        PlaceKind::Deref(pointer) => reference(pointer),
        PlaceKind::Index(base, _) | PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            referred(base)
        }
    }
}
