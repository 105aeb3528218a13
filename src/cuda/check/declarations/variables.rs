//! Variables at file scope: constants, and what lives in global, constant and shared memory.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{Base, Declaration, Specifiers, Variable};
use crate::cuda::check::expressions::scalar_count;
use crate::cuda::resolve::{
    Checker, MOST_SHARED_BYTES, Operand, Side, Symbol, address, convert, innermost, node, pointer,
};
use crate::cuda::typed::{
    Expr, ExprKind, FileMemory, FileVariable, FileVariableId, HostExpr, Initializer, Place,
    PlaceKind, Type, arithmetic,
};

/// Bytes of constant memory (CUDA C++ Programming Guide, technical specifications per compute
/// capability).
const MOST_CONSTANT_BYTES: u64 = 64 * 1024;

/// Most bytes of all variables in global memory together.
const MOST_DEVICE_BYTES: u64 = 1 << 30;

impl Checker {
    /// Variables at file scope.
    pub fn file_variables(&mut self, declaration: &Declaration) {
        let specifiers = &declaration.specifiers;
        for variable in &declaration.variables {
            let before = self.reports.mark();
            let symbol = match (specifiers.shared, specifiers.storage.external) {
                (Some(_), Some(_)) => {
                    let ty = self.shared_type(variable, specifiers);
                    ty.map(Symbol::DynamicShared)
                }
                (Some(_), None) => self.file_shared(variable, specifiers),
                (None, Some(span)) if !self.host.is_program => {
                    let error = Diagnostic::error(span, "`extern` variables are not supported");
                    self.refuse(error.help("define it in this file"))
                }
                (None, _) => self.file_variable(variable, specifiers),
            };
            let symbol = match symbol {
                Some(symbol) => symbol,
                // Declared all the same: uses of it should not be told as unknown names.
                None => self.refused_since(before, variable.span),
            };
            self.declare(&variable.name, symbol);
        }
    }

    fn file_shared(&mut self, variable: &Variable, specifiers: &Specifiers) -> Option<Symbol> {
        let ty = self.shared_type(variable, specifiers)?;
        let bytes = u64::from(ty.size_bytes());
        if bytes > MOST_SHARED_BYTES {
            let message = format!(
                "this makes {bytes} bytes of static shared memory: {MOST_SHARED_BYTES} is the most"
            );
            self.report(Diagnostic::error(variable.name.span, message));
        }
        let id = self.add_file_variable(variable, ty, FileMemory::Shared, Vec::new());
        Some(Symbol::File(id, false))
    }

    fn add_file_variable(
        &mut self,
        variable: &Variable,
        ty: Type,
        memory: FileMemory,
        bytes: Vec<u8>,
    ) -> FileVariableId {
        self.program.variables.push(FileVariable {
            name: variable.name.name.to_string(),
            path: self
                .names
                .namespaces
                .qualify(&variable.name.name)
                .to_string(),
            ty,
            memory,
            align_bytes: 1,
            span: variable.name.span,
            initializer: variable.init.as_ref().map(|init| init.span),
            bytes,
            filled_by_host: None,
        });
        self.program.variables.len() - 1
    }

    /// A variable that lives in memory, or a constant that need not.
    pub fn file_variable(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
    ) -> Option<Symbol> {
        let (name, span) = (&variable.name.name, variable.name.span);
        let memory = memory_of(specifiers);
        let init = variable.init.as_ref();
        let deduced = match (&variable.ty.base, init) {
            (Base::Auto, Some(init)) => Some(self.value(init)?.ty),
            _ => None,
        };
        let length = self.length_of_list(&variable.ty, init);
        // While its type is resolved, arrays may be as long as global memory allows.
        self.types.in_global_memory = memory == Some(FileMemory::Device);
        let resolved = self.resolve(&variable.ty, deduced, length);
        self.types.in_global_memory = false;
        let (ty, is_const) = resolved?;
        match innermost(&ty) {
            Type::Void => return self.error(span, format!("`{name}` cannot be `void`")),
            Type::Struct(of) if of.layout().is_none() => {
                let message = format!("`{}` is declared but not defined", of.name());
                return self.error(span, message);
            }
            _ => {}
        }
        let is_const = is_const || specifiers.constexpr.is_some();
        if self.host.is_program && memory.is_none() {
            if let Some(symbol) = self.constant_of_host(variable, &ty, is_const) {
                return Some(symbol);
            }
            return self.host_variable(variable, specifiers, ty, is_const);
        }
        let symbol = self.placed_variable(variable, memory, ty, is_const)?;
        if let (Symbol::File(id, _), Some(_)) = (&symbol, specifiers.managed) {
            self.host.managed.insert(*id);
        }
        Some(symbol)
    }

    /// A constant of a program that need not lie in memory.
    pub fn constant_of_host(
        &mut self,
        variable: &Variable,
        ty: &Type,
        is_const: bool,
    ) -> Option<Symbol> {
        let (of, init) = (ty.scalar()?, variable.init.as_ref()?);
        if !is_const {
            return None;
        }
        let before = self.reports.mark();
        // The value may come from functions of the host, though no function is being checked.
        let side = std::mem::replace(&mut self.frame.side, Side::Host);
        let value = self.initializer(init, ty);
        self.frame.side = side;
        match value {
            Some(Initializer::Value(value)) => match convert(value, ty).kind {
                ExprKind::Constant(bits) => Some(Symbol::Constant(Type::Scalar(of), bits)),
                _ => None,
            },
            _ => {
                // No constant after all: it is checked again as a variable, and told then.
                self.reports.take_back(before);
                None
            }
        }
    }

    /// A variable by its memory, or by its value where it is a constant that need not lie in any.
    fn placed_variable(
        &mut self,
        variable: &Variable,
        memory: Option<FileMemory>,
        ty: Type,
        is_const: bool,
    ) -> Option<Symbol> {
        let (name, span) = (&variable.name.name, variable.name.span);
        let init = variable.init.as_ref();
        if !is_const && memory.is_none() {
            let error = Diagnostic::error(span, format!("`{name}` is a variable of the host"))
                .help("put `__device__` or `__constant__` before it, or `constexpr`");
            return self.refuse(error);
        }
        if init.is_none() && variable.arguments.is_none() && (memory.is_none() || is_const) {
            let message = format!("`{name}` is `const` but begins with no value");
            return self.error(span, message);
        }
        // `nvcc` folds these. `__constant__` ones it does not: the host may write them.
        if let (None | Some(FileMemory::Device), Some(of), Some(init)) = (memory, ty.scalar(), init)
            && is_const
        {
            let Initializer::Value(value) = self.initializer(init, &ty)? else {
                return None;
            };
            return match convert(value, &ty).kind {
                ExprKind::Constant(bits) => Some(Symbol::Constant(Type::Scalar(of), bits)),
                _ => self.not_constant(name, init.span),
            };
        }
        self.variable_in_memory(variable, memory, ty, is_const)
    }

    fn variable_in_memory(
        &mut self,
        variable: &Variable,
        memory: Option<FileMemory>,
        ty: Type,
        is_const: bool,
    ) -> Option<Symbol> {
        let name = &variable.name.name;
        let init = match (&variable.init, &variable.arguments) {
            (Some(init), _) => Some((self.initializer(init, &ty)?, init.span)),
            (None, Some(arguments)) => {
                let init = self.initialized_by(arguments, &ty, variable.span)?;
                Some((init, variable.span))
            }
            (None, None) => None,
        };
        let bytes = match &init {
            Some((init, span)) => match self.constant_bytes(init, &ty) {
                Some(bytes) => bytes,
                None => return self.not_constant(name, *span),
            },
            None => Vec::new(),
        };
        let is_host = memory.is_none();
        let place = memory.unwrap_or(FileMemory::Constant);
        let id = self.add_file_variable(variable, ty, place, bytes);
        if is_host {
            self.host.tables.insert(id, false);
        }
        self.check_room(place, variable.name.span);
        Some(Symbol::File(
            id,
            // The type of a `__constant__` variable is no `const` one, though no kernel may write it.
            is_const || memory.is_none(),
        ))
    }

    /// What a variable holds in memory that begins with constants, or with an object that is made of some.
    fn constant_bytes(&mut self, init: &Initializer, ty: &Type) -> Option<Vec<u8>> {
        let known = known_bytes(init, ty);
        known.or_else(|| match init {
            Initializer::Value(made) => self.constant_object(made),
            Initializer::List(_) => None,
        })
    }

    fn not_constant<T>(&mut self, name: &str, span: Span) -> Option<T> {
        let error = Diagnostic::error(span, format!("the value of `{name}` is not constant"));
        self.refuse(error.help("use numbers and other constants only"))
    }

    /// Reports the variable with which constant memory, or what is simulated of global memory, is full.
    fn check_room(&mut self, memory: FileMemory, span: Span) {
        let variables = self.program.variables.iter();
        let sizes = variables.filter(|variable| variable.memory == memory);
        let bytes: u64 = sizes
            .map(|variable| u64::from(variable.ty.size_bytes()))
            .sum();
        let (what, most, help) = match memory {
            FileMemory::Constant => {
                let help = "write `__device__` in place of `__constant__`";
                ("constant memory", MOST_CONSTANT_BYTES, help)
            }
            _ => (
                "variables in global memory",
                MOST_DEVICE_BYTES,
                "pass pointers to the kernel",
            ),
        };
        let last = self.program.variables.last();
        let before = last.map_or(0, |last| bytes - u64::from(last.ty.size_bytes()));
        // Only the variable that crosses the limit is told, not each one behind it.
        if bytes > most && before <= most {
            let message = format!("this makes {bytes} bytes of {what}: {most} is the most");
            self.report(Diagnostic::error(span, message).help(help));
        }
    }

    /// A variable at file scope, as a place.
    pub fn file_place(
        &mut self,
        id: FileVariableId,
        is_const: bool,
        span: Span,
    ) -> Option<Operand> {
        let id = self.seen_from_here(id, span)?;
        let ty = self.program.variables[id].ty.clone();
        let kind = PlaceKind::File(id);
        let place = Place { kind, ty, span };
        match self.frame.side {
            Side::Host if self.host.managed.contains(&id) => {
                Some(Operand::place(managed(place), is_const))
            }
            _ => Some(Operand::place(place, is_const)),
        }
    }

    /// Whether a place is part of a `__constant__` variable, which only copies from the host may write.
    pub fn is_in_constant_memory(&self, place: &Place) -> bool {
        let variable = |id: FileVariableId| &self.program.variables[id];
        table(place)
            .0
            .is_some_and(|id| variable(id).memory == FileMemory::Constant)
    }

    /// The variable that a name of a variable at file scope stands for here: for a constant table of the host, a
    /// kernel has a copy.
    fn seen_from_here(&mut self, id: FileVariableId, span: Span) -> Option<FileVariableId> {
        let variable = &self.program.variables[id];
        match (variable.memory, self.frame.side) {
            (FileMemory::Host, Side::Gpu) => {}
            (FileMemory::Host, _) => {
                self.frame.uses_host = true;
                return Some(id);
            }
            _ => return Some(id),
        }
        if !self.host.tables.contains_key(&id) {
            let message = format!("`{}` is a variable of the host", variable.name);
            let error = Diagnostic::error(span, message).also(variable.span, "declared here");
            return self.refuse(
                error.help("put `__device__` or `__constant__` before it, or `constexpr`"),
            );
        }
        // One copy for all kernels: each use would else take constant memory anew.
        if let Some(&copy) = self.host.copies.get(&id) {
            return Some(copy);
        }
        let copy = FileVariable {
            memory: FileMemory::Constant,
            ..variable.clone()
        };
        self.program.variables.push(copy);
        let copy = self.program.variables.len() - 1;
        self.host.copies.insert(id, copy);
        self.host.tables.insert(copy, false);
        Some(copy)
    }

    /// What an element of a table holds that is `const`, where the index is known as well; of
    /// `__constant__` ones nothing is known, for the host may write them. A table that only the host
    /// has is worth a warning where the index is not known.
    pub fn known_element(&mut self, place: &Place, is_const: bool) -> Option<u64> {
        let (id, offset) = table(place);
        let id = id?;
        let variable = &self.program.variables[id];
        let is_warned_of = self.host.tables.get(&id).copied();
        let is_known = is_warned_of.is_some() || variable.memory == FileMemory::Device;
        let Some(offset) = offset else {
            // Once for each table, or every loop over it would repeat the warning.
            if is_warned_of == Some(false) && self.frame.side != Side::Host {
                let message = format!("`{}` is a table of the host", variable.name);
                let warning = Diagnostic::warning(place.span, message)
                    .also(variable.span, "declared here")
                    .note("`nvcc` knows its elements only where the index is a constant");
                self.report(warning.help("put `__constant__` or `__device__` before it"));
                self.host.tables.insert(id, true);
            }
            return None;
        };
        let of = place.ty.scalar().filter(|_| is_const && is_known)?;
        let bytes = variable
            .bytes
            .get(offset..offset + of.size_bytes() as usize)?;
        Some(arithmetic::from_bytes(of, bytes))
    }
}

/// The memory of kernels that a variable is to lie in.
fn memory_of(specifiers: &Specifiers) -> Option<FileMemory> {
    // CUDA C++ Programming Guide, "__managed__": with or without `__device__` before it.
    let in_global = specifiers.device.or(specifiers.managed);
    match (specifiers.constant, in_global) {
        (Some(_), _) => Some(FileMemory::Constant),
        (None, Some(_)) => Some(FileMemory::Device),
        (None, None) => None,
    }
}

/// A `__managed__` variable where code of the host finds it: among the GPU's buffers.
fn managed(place: Place) -> Place {
    let (ty, span) = (place.ty.clone(), place.span);
    let symbol = address(place, false);
    let call = HostExpr::Library("__managed_address".to_owned(), vec![symbol]);
    let call = ExprKind::Host(Box::new(call));
    let pointer = node(call, pointer(ty.clone(), false), span);
    let kind = PlaceKind::Deref(Box::new(pointer));
    Place { kind, ty, span }
}

/// The variable at file scope that a place is part of, and how many bytes from its beginning, where
/// that is known.
fn table(place: &Place) -> (Option<FileVariableId>, Option<usize>) {
    let within = |base: &Place, bytes: Option<usize>| {
        let (id, offset) = table(base);
        (id, offset.zip(bytes).map(|(offset, bytes)| offset + bytes))
    };
    match &place.kind {
        PlaceKind::File(id) => (Some(*id), Some(0)),
        PlaceKind::Local(_) | PlaceKind::Deref(_) => (None, None),
        PlaceKind::Index(base, index) => {
            let length = match base.ty {
                Type::Array(_, length) => u64::from(length),
                _ => 0,
            };
            let at = match index.kind {
                ExprKind::Constant(at) if at < length => Some(at as usize),
                _ => None,
            };
            within(base, at.map(|at| at * place.ty.size_bytes() as usize))
        }
        PlaceKind::Component(base, at) => within(base, Some((at * place.ty.size_bytes()) as usize)),
        PlaceKind::Member(base, field) => {
            let offset = match &base.ty {
                Type::Struct(of) => of
                    .fields()
                    .get(*field)
                    .map(|field| field.offset_bytes as usize),
                _ => None,
            };
            within(base, offset)
        }
    }
}

/// What a variable of type `ty` holds in memory, if all that it begins with is constant.
pub fn known_bytes(init: &Initializer, ty: &Type) -> Option<Vec<u8>> {
    let values = match init {
        Initializer::Value(value) => std::slice::from_ref(value),
        Initializer::List(values) => values,
    };
    let mut bits = Vec::new();
    if !values.iter().all(|value| known_bits(value, &mut bits)) {
        return None;
    }
    let mut bytes = vec![0; ty.size_bytes() as usize];
    lay_out(ty, &mut bits.into_iter(), &mut bytes);
    Some(bytes)
}

/// Adds the bits of the scalars of a constant in order; whether it is one.
fn known_bits(value: &Expr, bits: &mut Vec<u64>) -> bool {
    match &value.kind {
        ExprKind::Constant(known) => {
            bits.push(*known);
            true
        }
        ExprKind::Vector(parts) | ExprKind::Struct(parts) => {
            let before = bits.len();
            let is_known = parts.iter().all(|part| known_bits(part, bits));
            // [dcl.init.aggr]: what a list leaves out begins as zero.
            bits.resize(before + scalar_count(&value.ty), 0);
            is_known
        }
        _ => false,
    }
}

/// Writes scalars, in order, where they lie in a value of type `ty`.
fn lay_out(ty: &Type, bits: &mut dyn Iterator<Item = u64>, bytes: &mut [u8]) {
    match ty {
        Type::Void | Type::Function(_) => {}
        Type::Scalar(_) | Type::Pointer { .. } => {
            // GPUs store the lowest byte first.
            let value = bits.next().unwrap_or(0).to_le_bytes();
            bytes.copy_from_slice(&value[..bytes.len()]);
        }
        Type::Vector(of, _) => {
            for part in bytes.chunks_exact_mut(of.size_bytes() as usize) {
                lay_out(&Type::Scalar(*of), bits, part);
            }
        }
        Type::Array(element, _) => {
            for part in bytes.chunks_exact_mut(element.size_bytes().max(1) as usize) {
                lay_out(element, bits, part);
            }
        }
        Type::Struct(of) => {
            for field in of.fields() {
                let from = field.offset_bytes as usize;
                let part = &mut bytes[from..from + field.ty.size_bytes() as usize];
                lay_out(&field.ty, bits, part);
            }
        }
    }
}
