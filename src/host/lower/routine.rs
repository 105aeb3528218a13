//! Whole functions, and the program that they make.

use std::collections::BTreeMap;

use crate::cuda::{
    Expr, ExprKind, Function, FunctionId, HostExpr, Local, Place, PlaceKind, Program, Scalar, Stmt,
    StmtKind, Storage, Type,
};
use crate::host::code::{Image, Op, Routine};
use crate::source::Diagnostic;

use super::function::{Lowering, LoweringFacts, VariableLocation};
use super::place::Address;
use super::unit::{Unit, is_aggregate};

/// How often a function is lowered at most until nothing new comes to light.
const MOST_ROUNDS: usize = 8;

/// The bytecode of all that `main` reaches, and of `roots`.
pub fn lower(program: &Program, roots: &[FunctionId]) -> Result<Image, Vec<Diagnostic>> {
    let all = program.functions.iter().enumerate();
    let kernels = all.filter(|(_, function)| function.is_kernel);
    let stubs: BTreeMap<_, _> = kernels.map(|(id, kernel)| (id, stub(id, kernel))).collect();
    let mut unit = Unit::new(program);
    let mut image = Image {
        functions: vec![None; program.functions.len()],
        entry: program.entry,
        start: program.start,
        ..Image::default()
    };
    for root in program.entry.iter().chain(&program.start).chain(roots) {
        unit.reach(*root);
    }
    while let Some(id) = unit.next() {
        let stub = stubs.get(&id);
        if stub.is_some() {
            image.kernels.push(id);
        }
        let function = stub.unwrap_or(program.functions[id].for_host());
        let routine = routine(&mut unit, function, program.start == Some(id), &mut image);
        image.functions[id] = Some(routine);
    }
    if !unit.diagnostics.is_empty() {
        return Err(unit.diagnostics);
    }
    image.data = unit.data.bytes;
    image.symbols = unit.data.symbols;
    image.sites = unit.sites;
    Ok(image)
}

/// What stands for a kernel on the host: it launches the kernel with the configuration that was pushed last, as the
/// stubs that `nvcc` makes do.
fn stub(id: FunctionId, kernel: &Function) -> Function {
    let span = kernel.span;
    let pointer = |to: Type| Type::Pointer {
        to: Box::new(to),
        is_const: true,
    };
    let node = |kind, ty| Expr { kind, ty, span };
    let parameters = kernel.locals.iter().take(kernel.parameter_count);
    let locals = parameters.map(|local| Local::new("", local.ty.clone(), Storage::Thread, span));
    let locals: Vec<Local> = locals.collect();
    let address = ExprKind::Host(Box::new(HostExpr::FunctionAddress(id)));
    let mut arguments = vec![node(address, pointer(Type::Void))];
    for (at, local) in locals.iter().enumerate() {
        let (kind, ty) = (PlaceKind::Local(at), local.ty.clone());
        let place = ExprKind::AddressOf(Place { kind, ty, span });
        arguments.push(node(place, pointer(local.ty.clone())));
    }
    let call = HostExpr::Library("__cudaLaunchConfigured".to_owned(), arguments);
    let call = node(ExprKind::Host(Box::new(call)), Type::Scalar(Scalar::I32));
    Function {
        is_kernel: false,
        is_host: true,
        is_library: true,
        locals,
        body: vec![Stmt {
            kind: StmtKind::Expr(call),
            span,
        }],
        ..kernel.clone()
    }
}

/// Lowers a function until nothing new comes to light.
fn routine<'p>(
    unit: &mut Unit<'p>,
    function: &'p Function,
    is_start: bool,
    image: &mut Image,
) -> Routine {
    let sites = unit.sites.lengths();
    let mut known = LoweringFacts::default();
    let mut rounds = 0;
    loop {
        // What the last round has named is named again.
        unit.sites.truncate(sites);
        let mut lowering = Lowering::new(unit, function, known.clone());
        lowering.flow.until_exit = is_start;
        lowering.whole();
        rounds += 1;
        // Each round can only learn more, so that this comes to an end; the bound is for mistakes of ours.
        if lowering.known == known || rounds == MOST_ROUNDS {
            return link(lowering, image);
        }
        known = std::mem::take(&mut lowering.known);
    }
}

impl Lowering<'_, '_> {
    /// All of the function.
    fn whole(&mut self) {
        let function = self.function;
        self.store_parameters();
        self.statements(&function.body);
        // A function whose end is reached without a `return`; `main` gives 0 there.
        self.emit(Op::ReturnNothing, function.span);
        self.finish_gotos();
    }

    /// Puts parameters to memory that somebody points at.
    fn store_parameters(&mut self) {
        let function = self.function;
        let first = 1 + u16::from(is_aggregate(&function.returns));
        for (id, local) in function
            .locals
            .iter()
            .enumerate()
            .take(function.parameter_count)
        {
            if let VariableLocation::Frame(offset) = self.locations[id] {
                let at = Address::At(0, offset);
                self.store(at, first + id as u16, &local.ty, function.span);
            }
        }
    }
}

/// Puts a function behind the others.
fn link(lowering: Lowering<'_, '_>, image: &mut Image) -> Routine {
    let start = image.ops.len() as u32;
    let labels = lowering.labels;
    let handlers = lowering.flow.first_handlers;
    for site in &mut lowering.unit.sites.handlers[handlers..] {
        site.iter_mut().for_each(|handler| handler.target += start);
    }
    for mut op in lowering.ops {
        if let Some(target) = op.target_mut() {
            *target = start + labels[*target as usize];
        }
        image.ops.push(op);
    }
    // None is taken away: whoever jumps between the operations of a group finds them as they were.
    for at in start as usize..image.ops.len() {
        image.ops[at] = image.ops[at].joined_with(&image.ops[at + 1..]);
    }
    image.spans.extend(lowering.spans);
    let function = lowering.function;
    let hidden = u32::from(is_aggregate(&function.returns));
    Routine {
        name: function.name.clone(),
        start,
        slots: lowering.slots.most as u32,
        // The return address and the caller's frame take 16 bytes, and slots live in memory on a real machine.
        frame_bytes: (lowering.frame_bytes + 16 + 8 * lowering.locations.len() as u32)
            .next_multiple_of(16),
        parameter_count: hidden + function.parameter_count as u32,
        constants: lowering.known.constants,
        is_library: function.is_library,
    }
}
