//! What a launch of a program is given, so that it can be made again on its own.

use crate::ir::{Kernel, Parameter, ParameterType};
use crate::launch::{Argument, BufferSpec, BufferValues, Init, Launch, Number, Value};
use crate::simt::GlobalMemory;

/// A launch of a program with all that its kernel finds.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchInputs {
    /// The launch, with an argument for each parameter of the kernel.
    pub launch: Launch,
    /// The buffers that its arguments point to, with what they held. A pointer into the middle of a buffer has one of
    /// its own, from there on.
    pub buffers: Vec<BufferSpec>,
    /// The variables at file scope that the kernel uses, with what they held.
    pub symbols: Vec<BufferSpec>,
}

impl LaunchInputs {
    /// Those of `launch`, whose kernel gets `arguments` as bits; nothing where they have more than `most_bytes`.
    pub fn of(
        launch: &Launch,
        kernel: &Kernel,
        arguments: &[u64],
        memory: &GlobalMemory,
        most_bytes: u64,
    ) -> Option<Self> {
        let inputs = LaunchInputs {
            launch: launch.clone(),
            buffers: Vec::new(),
            symbols: Vec::new(),
        };
        let mut collecting = Collecting {
            inputs,
            memory,
            left_bytes: most_bytes,
            known: Vec::new(),
        };
        for (parameter, &bits) in kernel.parameters.iter().zip(arguments) {
            collecting.take(parameter, bits)?;
        }
        Some(collecting.inputs)
    }
}

/// The inputs of a launch, parameter by parameter.
struct Collecting<'m> {
    inputs: LaunchInputs,
    memory: &'m GlobalMemory,
    left_bytes: u64,
    /// Pointers that came before, each with its buffer: arguments that are equal stay one buffer.
    known: Vec<(u64, usize)>,
}

impl Collecting<'_> {
    /// Takes what a parameter gets; nothing where that is too large.
    fn take(&mut self, parameter: &Parameter, bits: u64) -> Option<()> {
        let argument = match parameter.parameter_type {
            ParameterType::Scalar(value_type) => Argument::Number(match value_type.value(bits) {
                Value::Float(float) => Number::Float(float),
                Value::Integer(integer) => Number::Integer(integer),
            }),
            ParameterType::Pointer => self.pointer(parameter, bits)?,
            ParameterType::Symbol(_) => {
                if let Some(values) = self.buffer_from(bits)? {
                    let name = values.name.clone();
                    self.inputs.symbols.push(spec(values, &name));
                }
                return Some(());
            }
        };
        self.inputs.launch.arguments.push(argument);
        Some(())
    }

    /// The argument of a pointer: a buffer, or a number where it points to none.
    fn pointer(&mut self, parameter: &Parameter, bits: u64) -> Option<Argument> {
        if let Some((_, buffer)) = self.known.iter().find(|(address, _)| *address == bits) {
            return Some(Argument::Buffer(*buffer));
        }
        let Some(values) = self.buffer_from(bits)? else {
            return Some(Argument::Number(Number::Integer(0)));
        };
        let buffer = self.inputs.buffers.len();
        self.known.push((bits, buffer));
        self.inputs.buffers.push(spec(values, &parameter.name));
        Some(Argument::Buffer(buffer))
    }

    /// What lies from `address` on, to the end of its buffer, if it lies in one; nothing at all where that has more
    /// bytes than are left.
    fn buffer_from(&mut self, address: u64) -> Option<Option<BufferValues>> {
        let memory = self.memory;
        let found = GlobalMemory::index_at(address);
        let found = found.and_then(|index| Some((index, memory.size_bytes(index)?)));
        let Some((index, size_bytes)) = found else {
            return Some(None);
        };
        let left = self.left_bytes.checked_sub(size_bytes)?;
        let Some(mut values) = memory.buffer(index) else {
            return Some(None);
        };
        self.left_bytes = left;
        let from = (address - GlobalMemory::address(index)).min(values.bytes.len() as u64);
        values.bytes.drain(..from as usize);
        Some(Some(values))
    }
}

fn spec(values: BufferValues, name: &str) -> BufferSpec {
    BufferSpec {
        name: name.to_owned(),
        element: values.element,
        // What is left of an element at the end of an untyped buffer is in no element.
        length: values.bytes.len() / values.element.size_bytes(),
        init: Init::Listed(values.bytes),
    }
}
