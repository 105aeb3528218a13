//! Variables at file scope: where a kernel finds those that it uses.
//!
//! Those in shared memory come before the kernel's own. Of the others a kernel gets the address, as a
//! parameter that no launch writes an argument for.

use std::collections::BTreeSet;

use super::kernel::Lower;
use super::place::Address;
use crate::compile::analysis::Region;
use crate::compile::tree::leaves;
use crate::cuda::{FileMemory, FileVariable, FileVariableId, Program, Type};
use crate::ir::{Declaration, NO_REGISTER, Parameter, ParameterType, Register, Space, Symbol};
use crate::launch::ElementType;
use crate::source::Span;

/// Where a variable at file scope is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileHome {
    /// In the block's shared memory, at this offset.
    Shared(u32),
    /// Where the address in this register says.
    At(Register),
}

/// The variables of a file as a launch has to provide them; [`ParameterType::Symbol`] indexes them.
pub(crate) fn symbols(program: &Program) -> Vec<Symbol> {
    let symbol = |variable: &FileVariable| Symbol {
        name: variable.name.clone(),
        element: element(&variable.ty),
        size_bytes: variable.ty.size_bytes(),
        bytes: variable.bytes.clone(),
        is_constant: variable.memory == FileMemory::Constant,
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

/// The type of a variable's scalars, or of whole words of them where they differ.
fn element(ty: &Type) -> ElementType {
    let of = |ty: &Type| match ty {
        Type::Scalar(of) => of.element(),
        _ => ElementType::U64,
    };
    let mut all = leaves(ty).into_iter().map(|(_, part)| of(&part.ty));
    let first = all.next().unwrap_or(ElementType::U8);
    match all.all(|element| element == first) {
        true => first,
        false if ty.size_bytes().is_multiple_of(4) => ElementType::U32,
        false => ElementType::U8,
    }
}

impl Lower<'_> {
    /// Gives the variables at file scope that the kernel uses their places.
    pub fn house_file_variables(&mut self, used: &BTreeSet<FileVariableId>) {
        for &id in used {
            let variable = &self.program.variables[id];
            let home = match variable.memory {
                FileMemory::Shared => FileHome::Shared(self.place_shared(variable)),
                FileMemory::Device | FileMemory::Constant => {
                    FileHome::At(self.emitter.registers(2))
                }
            };
            self.file_homes.insert(id, home);
        }
    }

    /// Gives a shared variable at file scope its place.
    fn place_shared(&mut self, variable: &FileVariable) -> u32 {
        let offset = self
            .shared_bytes
            .next_multiple_of(variable.ty.align_bytes());
        self.shared_bytes = offset.saturating_add(variable.ty.size_bytes());
        // It lives as long as the block, whoever names it.
        let declaration = Declaration {
            span: variable.span,
            scope: variable.span,
            function: 0,
        };
        self.list_allocation(
            &variable.name,
            &variable.ty,
            Space::Shared,
            offset,
            declaration,
        );
        offset
    }

    /// The parameters that take the addresses of variables at file scope.
    pub fn symbol_parameters(&self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (id, variable) in self.program.variables.iter().enumerate() {
            if let Some(FileHome::At(register)) = self.file_homes.get(&id) {
                parameters.push(Parameter {
                    name: variable.name.clone(),
                    parameter_type: ParameterType::Symbol(id as u32),
                    type_name: variable.ty.to_string(),
                    register: *register,
                    offset_bytes: 0,
                });
            }
        }
        parameters
    }

    /// Where a variable at file scope begins.
    pub fn file_address(&self, id: FileVariableId) -> Address {
        let region = Region::File(id, self.program.variables[id].memory);
        match self.file_homes.get(&id) {
            Some(FileHome::At(register)) => Address::new(Space::Generic, region, *register, 0),
            Some(FileHome::Shared(offset)) => {
                Address::new(Space::Shared, region, NO_REGISTER, i64::from(*offset))
            }
            None => unreachable!("the analysis has seen every place that is used"),
        }
    }
}
