//! A kernel on its way to bytecode: where its variables live, and how it is put together.

use std::collections::HashMap;

use super::file_scope::FileHome;
use crate::compile::Fidelity;
use crate::compile::analysis::Regions;
use crate::compile::analysis::{Analysis, analyse};
use crate::compile::cost::recosted;
use crate::compile::emit::Emitter;
use crate::compile::optimise::Carried;
use crate::compile::optimise::Joins;
use crate::compile::optimise::Sinks;
use crate::compile::tree::scopes;
pub(crate) use crate::compile::tree::words;
use crate::compile::tree::{members, part_count};
use crate::cuda::{
    Expr, FileVariableId, Function, FunctionId, Local, LocalId, Place, Program, Storage, Type,
};
use crate::ir::{
    self, Allocation, Declaration, Kernel, Parameter, Register, Space, Variable, VariablePlace,
};
use crate::launch::ValueType;
use crate::source::{Diagnostic, SourceFile, Span};

/// Most scalars of a variable that are listed for inspection.
const MOST_SHOWN: u32 = 64;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In registers, from this one on.
    Register(Register),
    /// In the block's shared memory, at this offset.
    Shared(u32),
    /// In the lane's local memory, at this offset.
    Local(u32),
}

/// The function whose statements are being lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub function: FunctionId,
    /// Where its value goes.
    pub result: Register,
    /// Whether it has a frame that `return` leaves; otherwise its only return is its end.
    pub has_frame: bool,
}

/// A kernel being lowered.
pub(crate) struct Lower<'a> {
    pub program: &'a Program,
    pub emitter: Emitter<'a>,
    pub context: Context,
    homes: HashMap<(FunctionId, LocalId), Home>,
    pub regions: Regions,
    pub joins: Joins,
    /// Values that are computed again where they are needed.
    pub sinks: Sinks<'a>,
    /// The value whose loads count nothing where it stands.
    pub silenced: Option<&'a Expr>,
    /// Places in memory that registers hold through loops.
    pub carried: Vec<Carried>,
    /// Whether every access is made where and as often as it is written.
    pub as_written: bool,
    /// Whether nobody wants the value of the atomic operation that comes next.
    pub unused: bool,
    /// Whether the kernel ends behind the statement being lowered.
    pub is_last: bool,
    pub file_homes: HashMap<FileVariableId, FileHome>,
    /// What references of inlined functions refer to: a place of their caller.
    pub aliases: HashMap<(FunctionId, LocalId), (FunctionId, Place)>,
    /// Functions that run, the kernel first.
    reached: Vec<FunctionId>,
    variables: Vec<Variable>,
    allocations: Vec<Allocation>,
    pub shared_bytes: u32,
    local_bytes: u32,
    error: Option<Diagnostic>,
}

/// Lowers one kernel of `program`, whose text is `file`.
pub(crate) fn lower(
    program: &Program,
    id: FunctionId,
    file: &SourceFile,
    fidelity: Fidelity,
) -> Result<Kernel, Box<Diagnostic>> {
    let (mut kernel, joins) = lower_once(program, id, file, fidelity, Joins::default());
    if fidelity == Fidelity::AsWritten {
        return kernel;
    }
    if let Some(joins) = joins {
        kernel = lower_once(program, id, file, fidelity, joins).0;
    }
    let mut kernel = kernel?;
    kernel.recosted = recosted(&kernel);
    Ok(kernel)
}

/// Lowers a kernel with loads joined as told, and says which loads could be joined beyond that.
fn lower_once(
    program: &Program,
    id: FunctionId,
    file: &SourceFile,
    fidelity: Fidelity,
    joins: Joins,
) -> (Result<Kernel, Box<Diagnostic>>, Option<Joins>) {
    let function = &program.functions[id];
    let mut lower = Lower {
        program,
        emitter: Emitter::new(file),
        context: Context {
            function: id,
            result: 0,
            has_frame: false,
        },
        homes: HashMap::new(),
        regions: Regions::default(),
        joins,
        sinks: Sinks::default(),
        silenced: None,
        carried: Vec::new(),
        as_written: fidelity == Fidelity::AsWritten,
        unused: false,
        is_last: true,
        file_homes: HashMap::new(),
        aliases: HashMap::new(),
        reached: Vec::new(),
        variables: Vec::new(),
        allocations: Vec::new(),
        shared_bytes: 0,
        local_bytes: 0,
        error: None,
    };
    let analysis = analyse(program, id);
    lower.regions = Regions::new(program, id, &analysis.reached);
    lower.house(&analysis);
    lower.house_joined_stores();
    let (parameters, firsts) = lower.parameters(function);
    for (local, &register) in function.locals.iter().zip(&firsts) {
        if words(&local.ty) <= 2 {
            lower.emitter.reuse.symbols.set_uniform(register);
        }
    }
    lower.save_parameters(function, &firsts);
    lower.statements(&function.body);
    let joins = lower.joins.planned();
    (lower.finish(function, parameters), joins)
}

pub(crate) fn value_type(ty: &Type) -> Option<ValueType> {
    match ty {
        Type::Scalar(crate::cuda::Scalar::Bool) => Some(ValueType::Bool),
        Type::Scalar(scalar) => Some(ValueType::Number(scalar.element())),
        Type::Pointer { .. } => Some(ValueType::Pointer),
        Type::Void | Type::Vector(..) | Type::Array(..) | Type::Struct(_) => None,
    }
}

impl<'a> Lower<'a> {
    /// Gives every variable of every function reached its home.
    fn house(&mut self, analysis: &Analysis) {
        self.reached.clone_from(&analysis.reached);
        self.house_file_variables(&analysis.file_variables);
        for &id in &analysis.reached {
            let scopes = scopes(&self.program.functions[id]);
            for (local, scope) in scopes.into_iter().enumerate() {
                let in_memory = analysis.in_memory.contains(&(id, local));
                self.house_one(id, local, in_memory, scope);
            }
        }
        let dynamic = self.shared_bytes.next_multiple_of(16);
        for &id in &analysis.reached {
            for (local, declared) in self.program.functions[id].locals.iter().enumerate() {
                if declared.storage == Storage::DynamicShared {
                    self.homes.insert((id, local), Home::Shared(dynamic));
                    // Dynamic shared memory lives as long as the block, whoever names it.
                    let scope = declared.span;
                    self.allocate(id, local, Space::Shared, dynamic, scope);
                }
            }
        }
    }

    fn house_one(&mut self, id: FunctionId, local: LocalId, in_memory: bool, scope: Span) {
        let declared = &self.program.functions[id].locals[local];
        let place = |used: &mut u32| {
            let offset = used.next_multiple_of(declared.ty.align_bytes().max(declared.align_bytes));
            *used = offset.saturating_add(declared.ty.size_bytes());
            offset
        };
        let home = match declared.storage {
            Storage::DynamicShared => return,
            Storage::Shared => Home::Shared(place(&mut self.shared_bytes)),
            Storage::Thread if in_memory => Home::Local(place(&mut self.local_bytes)),
            Storage::Thread => Home::Register(self.emitter.registers(words(&declared.ty))),
        };
        self.homes.insert((id, local), home);
        let place = match home {
            Home::Register(register) => VariablePlace::Register(register),
            Home::Local(offset) => {
                self.allocate(id, local, Space::Local, offset, scope);
                VariablePlace::Local(offset)
            }
            Home::Shared(offset) => {
                self.allocate(id, local, Space::Shared, offset, scope);
                return;
            }
        };
        // A header's, or a value that a reference refers to: nobody wrote its name.
        let is_hidden = self.program.functions[id].is_library || declared.name.is_empty();
        if part_count(&declared.ty) <= MOST_SHOWN && !is_hidden {
            let name = self.shown_name(id, declared);
            let declaration = self.declaration(id, local, scope);
            self.show(name, &declared.ty, place, declaration);
        }
    }

    /// The number that the kernel has for a function that it reaches.
    pub fn function_number(&self, id: FunctionId) -> u32 {
        let number = self.reached.iter().position(|&reached| reached == id);
        number.unwrap_or(0) as u32
    }

    fn declaration(&self, id: FunctionId, local: LocalId, scope: Span) -> Declaration {
        if self.program.functions[id].is_library {
            // It has no statements in which it could be named; it lives as long as the kernel.
            return Declaration {
                span: self.program.functions[id].locals[local].span,
                scope: Span::new(0, usize::MAX),
                function: 0,
            };
        }
        Declaration {
            span: self.program.functions[id].locals[local].span,
            scope,
            function: self.function_number(id),
        }
    }

    /// Lists a variable of a function that lives in memory.
    fn allocate(
        &mut self,
        id: FunctionId,
        local: LocalId,
        space: Space,
        offset_bytes: u32,
        scope: Span,
    ) {
        let declared = &self.program.functions[id].locals[local];
        let declaration = self.declaration(id, local, scope);
        self.list_allocation(
            &declared.name,
            &declared.ty,
            space,
            offset_bytes,
            declaration,
        );
    }

    /// Lists a variable that lives in memory.
    pub fn list_allocation(
        &mut self,
        name: &str,
        ty: &Type,
        space: Space,
        offset_bytes: u32,
        declaration: Declaration,
    ) {
        let mut element = ty;
        while let Type::Array(inner, _) = element {
            element = inner;
        }
        self.allocations.push(Allocation {
            name: name.to_owned(),
            type_name: ty.to_string(),
            space,
            offset_bytes,
            size_bytes: ty.size_bytes(),
            element_bytes: element.size_bytes(),
            value_type: value_type(element),
            declaration,
        });
    }

    fn shown_name(&self, id: FunctionId, declared: &Local) -> String {
        match id == self.context.function {
            true => declared.name.clone(),
            false => format!("{}::{}", self.program.functions[id].name, declared.name),
        }
    }

    /// Lists a variable, or each scalar of it, for inspection.
    fn show(&mut self, name: String, ty: &Type, place: VariablePlace, declaration: Declaration) {
        if let Some(value_type) = value_type(ty) {
            self.variables.push(Variable {
                name,
                type_name: ty.to_string(),
                value_type,
                place,
                line: self.emitter.line_of(declaration.span),
                declaration,
            });
            return;
        }
        for (suffix, part) in members(ty) {
            let place = match place {
                VariablePlace::Register(first) => {
                    VariablePlace::Register(first + part.word as Register)
                }
                VariablePlace::Local(first) => VariablePlace::Local(first + part.offset_bytes),
            };
            self.show(format!("{name}{suffix}"), &part.ty, place, declaration);
        }
    }

    /// Where a variable of the current function lives.
    pub fn home(&self, local: LocalId) -> Home {
        self.home_in(self.context.function, local)
    }

    /// Where a variable of another function lives.
    pub fn home_in(&self, function: FunctionId, local: LocalId) -> Home {
        self.homes
            .get(&(function, local))
            .copied()
            .unwrap_or(Home::Register(0))
    }

    /// Says that something cannot be lowered; only the first such thing is told.
    pub fn refuse(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let error = || Diagnostic::error(span, message).help(help);
        self.error.get_or_insert_with(error);
    }

    /// `into`, or fresh registers.
    pub fn result(&mut self, words: u32, into: Option<Register>) -> Register {
        into.unwrap_or_else(|| self.emitter.registers(words))
    }

    /// `register`, or its value moved to `into`.
    pub fn settle(&mut self, register: Register, words: u32, into: Option<Register>) -> Register {
        let Some(target) = into.filter(|&target| target != register) else {
            return register;
        };
        if words == 2 {
            self.emitter.op(ir::Op::Mov64, target, &[register], 0);
        } else {
            for word in 0..words as Register {
                self.emitter
                    .op(ir::Op::Mov32, target + word, &[register + word], 0);
            }
        }
        target
    }

    fn finish(
        self,
        function: &Function,
        parameters: Vec<Parameter>,
    ) -> Result<Kernel, Box<Diagnostic>> {
        if let Some(error) = self.error {
            return Err(Box::new(error));
        }
        if !self.emitter.fits() {
            let message = format!(
                "`{}` needs more registers than can be numbered",
                function.name
            );
            return Err(Box::new(Diagnostic::error(function.span, message)));
        }
        let names = self.reached.iter();
        let names = names.map(|&id| self.program.functions[id].name.clone());
        let code = self.emitter.finish(function.span);
        let kernel = Kernel {
            name: function.name.clone(),
            span: function.span,
            code: code.code,
            lines: code.lines,
            statements: code.statements,
            constants: code.constants,
            sites: code.tables.sites,
            prints: code.tables.prints,
            traps: code.tables.traps,
            registers: code.registers,
            parameters,
            variables: self.variables,
            functions: names.collect(),
            calls: code.calls,
            allocations: self.allocations,
            shared_bytes: self.shared_bytes,
            local_bytes: self.local_bytes,
            max_threads: function.max_threads,
            recosted: Vec::new(),
        };
        debug_assert_eq!(ir::verify(&kernel), Ok(()), "{}", ir::disassemble(&kernel));
        Ok(kernel)
    }
}
