//! A kernel's parameters: the registers where it finds its arguments when it begins.

use super::kernel::{Home, Lower, value_type};
use crate::compile::tree::{leaves, words};
use crate::cuda::Function;
use crate::ir::{Parameter, ParameterType, Register};
use crate::launch::ValueType;

/// Most bytes that a kernel's parameters have together (CUDA C++ Programming Guide, `__global__`
/// function parameters).
const MOST_PARAMETER_BYTES: u32 = 4096;

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
            let begin_bytes = end_bytes.next_multiple_of(local.ty.align_bytes().max(1));
            end_bytes = begin_bytes + local.ty.size_bytes();
            let first = match self.home(id) {
                Home::Register(register) => register,
                _ => self.emitter.registers(words(&local.ty)),
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
                    register: first + part.word as Register,
                    offset_bytes: begin_bytes + part.offset_bytes,
                }));
            }
        }
        parameters.extend(self.symbol_parameters());
        (parameters, firsts)
    }

    /// Stores parameters that live in memory, because their address is taken.
    pub fn save_parameters(&mut self, function: &Function, firsts: &[Register]) {
        for (id, &first) in firsts.iter().enumerate() {
            let local = &function.locals[id];
            self.store_local((self.context.function, id), local, first);
        }
    }
}
