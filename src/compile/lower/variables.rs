//! Where the variables of a kernel live, and how they are listed for inspection.
//!
//! All functions that the kernel reaches get their variables at once: inlined copies of a function share them. Of a
//! function that calls itself, what lives in memory lies in the frame of each call, on a stack behind all else in local
//! memory; its registers are saved there around such calls.

use std::collections::HashMap;

use crate::compile::analysis::{Context, FileLocation, Location, Reachable};
use crate::compile::emit::Emitter;
use crate::compile::tree::{VariableId, members, part_count, scopes, words};
use crate::cuda::{FileMemory, FileVariableId, FunctionId, Local, Scalar, Storage, Type};
use crate::ir::{Allocation, Declaration, KernelMemory, Register, Space, Variable, VariablePlace};
use crate::launch::{ElementType, ValueType};
use crate::source::Span;

/// Most scalars of a variable that are listed for inspection.
const MOST_SHOWN: u32 = 64;

/// Bytes of a thread's stack. CUDA's own is 1,024 bytes until `cudaDeviceSetLimit` says otherwise, but its frames are
/// smaller: they hold only what is needed behind the call.
const STACK_BYTES: u32 = 128 << 10;

/// What frames on the stack are aligned to: the widest access.
pub(super) const FRAME_ALIGN_BYTES: u32 = 16;

/// How a value's bits are read; nothing of what is no number or pointer.
pub(super) fn value_type(ty: &Type) -> Option<ValueType> {
    match ty {
        Type::Scalar(Scalar::Bool) => Some(ValueType::Bool),
        Type::Scalar(scalar) => Some(ValueType::Number(scalar.element())),
        Type::Pointer { .. } => Some(ValueType::Pointer),
        Type::Void | Type::Vector(..) | Type::Array(..) | Type::Struct(_) | Type::Function(_) => {
            None
        }
    }
}

/// How to read a value in memory, part by part.
fn part(ty: &Type) -> ElementType {
    match (value_type(ty), ty) {
        (Some(ValueType::Number(element)), _) => element,
        (Some(ValueType::Bool), _) => ElementType::U8,
        (Some(ValueType::Pointer), _) => ElementType::U64,
        (None, Type::Vector(Scalar::F32, _)) => ElementType::F32,
        (None, Type::Vector(Scalar::F64, _)) => ElementType::F64,
        (None, _) => ElementType::U32,
    }
}

/// The variables of a kernel.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Functions that run, the kernel first.
    pub functions: Vec<FunctionId>,
    /// Their places in that list.
    numbers: HashMap<FunctionId, u32>,
    pub variables: Vec<Variable>,
    pub memory: KernelMemory,
    /// Where the frame of the innermost call begins, from the beginning of the stack on: of kernels with one.
    pub frame: Option<Register>,
    /// Of functions that call themselves: the bytes of their variables in a frame.
    frame_bytes: HashMap<FunctionId, u32>,
}

/// A layout that is being made.
struct Builder<'b, 'a> {
    context: &'b mut Context<'a>,
    emitter: &'b mut Emitter<'a>,
    layout: Layout,
}

/// Puts a value behind the bytes that are used.
fn place(used: &mut u32, size_bytes: u32, align_bytes: u32) -> u32 {
    let offset = used.next_multiple_of(align_bytes);
    *used = offset.saturating_add(size_bytes);
    offset
}

/// The alignment of a variable in local memory beyond that of its type: text that reads an array of `float` as `float4`
/// counts on 16 bytes, as NVVM aligns what is read so. Since local memory interleaves the words of the lanes, nothing
/// that is counted depends on it.
fn local_alignment(ty: &Type) -> u32 {
    match ty {
        Type::Array(..) if ty.size_bytes() >= 16 => 16,
        _ => 1,
    }
}

impl Layout {
    /// Gives every variable of every function reached its location in `context`.
    pub fn new<'a>(
        context: &mut Context<'a>,
        emitter: &mut Emitter<'a>,
        reachable: &Reachable,
    ) -> Layout {
        let functions = reachable.functions.iter().copied();
        let layout = Layout {
            functions: reachable.functions.clone(),
            numbers: functions.zip(0..).collect(),
            ..Layout::default()
        };
        let mut builder = Builder {
            context,
            emitter,
            layout,
        };
        for &id in &reachable.file_variables {
            builder.file_variable(id);
        }
        // The stack lies behind all other variables, so that no access to it is taken for one of theirs.
        for is_recursive in [false, true] {
            for &function in &reachable.functions {
                if builder.context.calls.is_recursive(function) == is_recursive {
                    builder.variables(function, reachable);
                }
            }
            if builder.context.calls.recurses() && !is_recursive {
                builder.stack();
            }
        }
        builder.dynamic_shared_memory();
        builder.layout
    }

    /// Where the saved registers of a function's call begin in its frame.
    pub fn frame_bytes(&self, id: FunctionId) -> u32 {
        let bytes = self.frame_bytes.get(&id).copied().unwrap_or(0);
        bytes.next_multiple_of(FRAME_ALIGN_BYTES)
    }

    /// The number that the kernel has for a function that it reaches.
    pub fn function_number(&self, id: FunctionId) -> u32 {
        self.numbers.get(&id).copied().unwrap_or(0)
    }

    fn allocate(
        &mut self,
        name: &str,
        ty: &Type,
        space: Space,
        offset_bytes: u32,
        declaration: Declaration,
    ) {
        let mut element = ty;
        let mut lengths = Vec::new();
        while let Type::Array(inner, length) = element {
            element = inner;
            lengths.push(*length);
        }
        self.memory.allocations.push(Allocation {
            name: name.to_owned(),
            type_name: ty.to_string(),
            space,
            offset_bytes,
            size_bytes: ty.size_bytes(),
            element_bytes: element.size_bytes(),
            value_type: value_type(element),
            lengths,
            part: part(element),
            declaration,
        });
    }
}

impl Builder<'_, '_> {
    /// Gives a variable at file scope its location.
    fn file_variable(&mut self, id: FileVariableId) {
        let variable = &self.context.program.variables[id];
        let location = match variable.memory {
            FileMemory::Shared => {
                let (size, align) = (variable.ty.size_bytes(), variable.ty.align_bytes());
                let offset = place(&mut self.layout.memory.shared_bytes, size, align);
                // It lives as long as the block, whoever names it.
                let declaration = Declaration {
                    span: variable.span,
                    scope: variable.span,
                    function: 0,
                };
                let (name, ty) = (&variable.name, &variable.ty);
                self.layout
                    .allocate(name, ty, Space::Shared, offset, declaration);
                FileLocation::Shared(offset)
            }
            FileMemory::Device | FileMemory::Constant | FileMemory::Host => {
                FileLocation::At(self.emitter.registers.take(2))
            }
        };
        self.context.file_locations.insert(id, location);
    }

    /// Gives the variables of a function their locations.
    fn variables(&mut self, function: FunctionId, reachable: &Reachable) {
        let scopes = scopes(&self.context.program.functions[function]);
        for (local, scope) in scopes.into_iter().enumerate() {
            let variable = VariableId { function, local };
            let in_memory = reachable.in_memory.contains(&variable);
            self.variable(variable, in_memory, scope);
        }
    }

    /// Begins the stack behind the variables that lie in local memory so far.
    fn stack(&mut self) {
        let memory = &mut self.layout.memory;
        memory.local_bytes = memory.local_bytes.next_multiple_of(FRAME_ALIGN_BYTES);
        memory.stack_bytes = STACK_BYTES;
        self.layout.frame = Some(self.emitter.registers.take(1));
    }

    /// The place of a thread's variable in local memory: in the frame of its function's calls where that calls itself.
    fn in_memory(&mut self, function: FunctionId, local: &Local) -> Location {
        let align = local.align_bytes.max(local.ty.align_bytes());
        let align = align.max(local_alignment(&local.ty));
        let (layout, size) = (&mut self.layout, local.ty.size_bytes());
        let Some(frame) = layout.frame else {
            return Location::Local(place(&mut layout.memory.local_bytes, size, align));
        };
        let used = layout.frame_bytes.entry(function).or_default();
        Location::Stack(frame, layout.memory.local_bytes + place(used, size, align))
    }

    /// Gives a variable of a function its location.
    fn variable(&mut self, id: VariableId, in_memory: bool, scope: Span) {
        let function = &self.context.program.functions[id.function];
        let declared = &function.locals[id.local];
        let size = declared.ty.size_bytes();
        let align = declared.ty.align_bytes().max(declared.align_bytes);
        let location = match declared.storage {
            Storage::DynamicShared => return,
            Storage::Shared => {
                Location::Shared(place(&mut self.layout.memory.shared_bytes, size, align))
            }
            Storage::Thread if in_memory => self.in_memory(id.function, declared),
            Storage::Thread => Location::Register(self.emitter.registers.take(words(&declared.ty))),
        };
        self.context.locations.insert(id, location);
        let shown = match location {
            Location::Register(register) => VariablePlace::Register(register),
            Location::Local(offset) => {
                self.allocate(id, Space::Local, offset, scope);
                VariablePlace::Local(offset)
            }
            Location::Shared(offset) => return self.allocate(id, Space::Shared, offset, scope),
            // Each call has one of its own: no place stands for all of them.
            Location::Stack(..) => return,
        };
        // A header's, or a value that a reference refers to: nobody wrote its name.
        let is_hidden = function.is_library || declared.name.is_empty();
        // A long list would hide the other variables.
        if part_count(&declared.ty) <= MOST_SHOWN && !is_hidden {
            let name = match id.function == self.context.function {
                true => declared.name.clone(),
                false => format!("{}::{}", function.name, declared.name),
            };
            let declaration = self.declaration(id, scope);
            self.show(name, &declared.ty, shown, declaration);
        }
    }

    /// Dynamic shared memory begins behind all static.
    fn dynamic_shared_memory(&mut self) {
        // All `extern __shared__` arrays begin at the same place, as in CUDA.
        let offset = self.layout.memory.shared_bytes.next_multiple_of(16);
        for function in self.layout.functions.clone() {
            let locals = &self.context.program.functions[function].locals;
            for (local, declared) in locals.iter().enumerate() {
                if declared.storage == Storage::DynamicShared {
                    let id = VariableId { function, local };
                    self.context.locations.insert(id, Location::Shared(offset));
                    // It lives as long as the block, whoever names it.
                    self.allocate(id, Space::Shared, offset, declared.span);
                }
            }
        }
    }

    fn declaration(&self, id: VariableId, scope: Span) -> Declaration {
        let function = &self.context.program.functions[id.function];
        let span = function.locals[id.local].span;
        if function.is_library {
            // It has no statements in which it could be named; it lives as long as the kernel.
            return Declaration {
                span,
                scope: Span::new(0, usize::MAX),
                function: 0,
            };
        }
        Declaration {
            span,
            scope,
            function: self.layout.function_number(id.function),
        }
    }

    /// Lists a variable of a function that lives in memory.
    fn allocate(&mut self, id: VariableId, space: Space, offset_bytes: u32, scope: Span) {
        let declared = &self.context.program.functions[id.function].locals[id.local];
        let declaration = self.declaration(id, scope);
        let (name, ty) = (&declared.name, &declared.ty);
        self.layout
            .allocate(name, ty, space, offset_bytes, declaration);
    }

    /// Lists a variable, or each scalar of it, for inspection.
    fn show(&mut self, name: String, ty: &Type, place: VariablePlace, declaration: Declaration) {
        if let Some(value_type) = value_type(ty) {
            self.layout.variables.push(Variable {
                name,
                type_name: ty.to_string(),
                value_type,
                place,
                line: self.emitter.source.line_of(declaration.span),
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
}
