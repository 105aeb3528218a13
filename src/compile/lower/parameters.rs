//! What a kernel is given: its parameters, and the addresses of variables at file scope.
//!
//! Of a variable at file scope that does not lie in shared memory a kernel gets the address, as a
//! parameter that no launch writes an argument for.

use super::lowering::Lower;
use super::place::Address;
use super::variables::value_type;
use crate::compile::analysis::{FileLocation, Location, Region};
use crate::compile::tree::{leaves, members, words};
use crate::cuda::{FileMemory, FileVariable, FileVariableId, Function, Program, Type};
use crate::ir::{NO_REGISTER, Parameter, ParameterType, PointedTo, Register, Space, Symbol};
use crate::launch::{ElementType, ValueType};
use crate::source::Span;

/// The variables of a file as a launch has to provide them; [`ParameterType::Symbol`] indexes them.
pub(crate) fn symbols(program: &Program) -> Vec<Symbol> {
    let symbol = |variable: &FileVariable| Symbol {
        name: variable.name.clone(),
        path: variable.path.clone(),
        span: variable.span,
        filled_by_host: variable.filled_by_host,
        element: element(&variable.ty),
        size_bytes: variable.ty.size_bytes(),
        bytes: variable.bytes.clone(),
        is_constant: variable.memory == FileMemory::Constant,
        is_shared: variable.memory == FileMemory::Shared,
    };
    program.variables.iter().map(symbol).collect()
}

/// The initial values of variables of half precision, spelt as bits: where they stand, and what may
/// stand there. NVRTC computes no conversion to such a type before the program runs.
pub(crate) fn spelt_as_bits(program: &Program) -> Vec<(Span, String)> {
    let spelt = |variable: &FileVariable| {
        let mut ty = &variable.ty;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        let name = match ty {
            Type::Scalar(of) if of.element() == ElementType::F16 => "__half_raw",
            Type::Scalar(of) if of.element() == ElementType::Bf16 => "__nv_bfloat16_raw",
            _ => return None,
        };
        let values = variable.bytes.chunks_exact(2).map(|bytes| {
            let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
            format!("{name}{{{bits:#06x}}}")
        });
        let values: Vec<String> = values.collect();
        let is_known = !values.is_empty();
        is_known.then_some((variable.initializer?, format!("{{{}}}", values.join(", "))))
    };
    program.variables.iter().filter_map(spelt).collect()
}

fn points_to(ty: &Type) -> Option<PointedTo> {
    let Type::Pointer { to, .. } = ty else {
        return None;
    };
    let size_bytes = to.size_bytes();
    (size_bytes > 0).then(|| PointedTo {
        element: element(to),
        size_bytes,
    })
}

/// The type of a variable's scalars, or of whole words of them where they differ.
fn element(ty: &Type) -> ElementType {
    let mut all = Vec::new();
    add_scalars(ty, &mut all);
    let first = all.first().copied().unwrap_or(ElementType::U8);
    match all.iter().all(|&element| element == first) {
        true => first,
        false if ty.size_bytes().is_multiple_of(4) => ElementType::U32,
        false => ElementType::U8,
    }
}

/// Adds the types of a value's scalars, those of an array once: one of millions of elements takes no longer than one.
fn add_scalars(ty: &Type, all: &mut Vec<ElementType>) {
    match ty {
        Type::Scalar(of) => all.push(of.element()),
        Type::Pointer { .. } => all.push(ElementType::U64),
        Type::Array(_, 0) => {}
        Type::Array(element, _) => add_scalars(element, all),
        _ => {
            for (_, part) in members(ty) {
                add_scalars(&part.ty, all);
            }
        }
    }
}

/// Most bytes that a kernel's parameters have together (CUDA C++ Programming Guide, `__global__` function parameters):
/// from CUDA 12.1 on, on GPUs since Volta.
const MOST_PARAMETER_BYTES: u32 = 32_764;

impl Lower<'_> {
    /// The kernel's parameters: of a struct or vector, each scalar of it, in order; and the register
    /// where each of the function's parameters begins.
    pub fn parameters(&mut self, function: &Function) -> (Vec<Parameter>, Vec<Register>) {
        let (mut parameters, mut firsts) = (Vec::new(), Vec::new());
        let locals = function.locals[..function.parameter_count].iter();
        let bytes: u32 = locals.clone().map(|local| local.ty.size_bytes()).sum();
        if bytes > MOST_PARAMETER_BYTES {
            let message = format!("`{}` has {bytes} bytes of parameters", function.name);
            let help = format!("pass a pointer: {MOST_PARAMETER_BYTES} bytes are the most");
            self.refuse(function.span, message, &help);
        }
        let mut end_bytes = 0_u32;
        for (id, local) in locals.enumerate() {
            // The ABI of a kernel's parameters: each aligned as its type.
            let begin_bytes = end_bytes.next_multiple_of(local.ty.align_bytes().max(1));
            end_bytes = begin_bytes + local.ty.size_bytes();
            let first = match self.context.location(id) {
                Location::Register(register) => register,
                // It lives in memory: it comes in registers and is stored there first.
                _ => self.emitter.registers.take(words(&local.ty)),
            };
            firsts.push(first);
            for (suffix, part) in leaves(&local.ty) {
                parameters.extend(value_type(&part.ty).map(|value_type| Parameter {
                    name: format!("{}{suffix}", local.name),
                    parameter_type: match value_type {
                        ValueType::Pointer => ParameterType::Pointer,
                        value_type => ParameterType::Scalar(value_type),
                    },
                    type_name: part.ty.to_string(),
                    points_to: points_to(&part.ty),
                    register: first + part.word as Register,
                    offset_bytes: begin_bytes + part.offset_bytes,
                }));
            }
        }
        parameters.extend(self.symbol_parameters());
        (parameters, firsts)
    }

    /// Stores parameters that live in memory, because their address is taken.
    pub fn save_parameters(&mut self, firsts: &[Register]) {
        for (id, &first) in firsts.iter().enumerate() {
            // Of one that lives in the register it comes in, this writes nothing.
            self.store_local(self.context.function, id, first);
        }
    }

    /// The parameters that take the addresses of variables at file scope.
    pub fn symbol_parameters(&self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (id, variable) in self.context.program.variables.iter().enumerate() {
            if let Some(FileLocation::At(register)) = self.context.file_locations.get(&id) {
                parameters.push(Parameter {
                    name: variable.name.clone(),
                    parameter_type: ParameterType::Symbol(id as u32),
                    type_name: variable.ty.to_string(),
                    points_to: None,
                    register: *register,
                    offset_bytes: 0,
                });
            }
        }
        parameters
    }

    /// Where a variable at file scope begins.
    pub fn file_address(&self, id: FileVariableId) -> Address {
        let region = Region::File(id, self.context.program.variables[id].memory);
        match self.context.file_locations.get(&id) {
            Some(FileLocation::At(register)) => Address::new(Space::Generic, region, *register, 0),
            Some(FileLocation::Shared(offset)) => {
                Address::new(Space::Shared, region, NO_REGISTER, i64::from(*offset))
            }
            None => unreachable!("the analysis has seen every place that is used"),
        }
    }
}
