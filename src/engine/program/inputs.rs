//! What a launch of a program is given, so that it can be made again on its own.

use crate::ir::{Kernel, ParameterType};
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
        let mut inputs = LaunchInputs {
            launch: launch.clone(),
            buffers: Vec::new(),
            symbols: Vec::new(),
        };
        let mut left_bytes = most_bytes;
        let mut known: Vec<(u64, usize)> = Vec::new();
        for (parameter, &bits) in kernel.parameters.iter().zip(arguments) {
            let argument = match parameter.parameter_type {
                ParameterType::Scalar(value_type) => {
                    Argument::Number(match value_type.value(bits) {
                        Value::Float(float) => Number::Float(float),
                        Value::Integer(integer) => Number::Integer(integer),
                    })
                }
                ParameterType::Pointer => {
                    match known.iter().find(|(address, _)| *address == bits) {
                        Some((_, buffer)) => Argument::Buffer(*buffer),
                        None => match buffer_from(memory, bits, &mut left_bytes) {
                            Buffer::None => Argument::Number(Number::Integer(0)),
                            Buffer::TooLarge => return None,
                            Buffer::Found(values) => {
                                known.push((bits, inputs.buffers.len()));
                                inputs.buffers.push(spec(values, &parameter.name));
                                Argument::Buffer(inputs.buffers.len() - 1)
                            }
                        },
                    }
                }
                ParameterType::Symbol(_) => {
                    match buffer_from(memory, bits, &mut left_bytes) {
                        Buffer::None => {}
                        Buffer::TooLarge => return None,
                        Buffer::Found(values) => {
                            let name = values.name.clone();
                            inputs.symbols.push(spec(values, &name));
                        }
                    }
                    continue;
                }
            };
            inputs.launch.arguments.push(argument);
        }
        Some(inputs)
    }
}

enum Buffer {
    /// The address lies in none.
    None,
    /// It has more bytes than are left.
    TooLarge,
    Found(BufferValues),
}

/// What lies from `address` on, to the end of its buffer.
fn buffer_from(memory: &GlobalMemory, address: u64, left_bytes: &mut u64) -> Buffer {
    let found = GlobalMemory::index_at(address);
    let Some((index, size_bytes)) =
        found.and_then(|index| Some((index, memory.size_bytes(index)?)))
    else {
        return Buffer::None;
    };
    let Some(left) = left_bytes.checked_sub(size_bytes) else {
        return Buffer::TooLarge;
    };
    let Some(mut values) = memory.buffer(index) else {
        return Buffer::None;
    };
    *left_bytes = left;
    let from = (address - GlobalMemory::address(index)).min(values.bytes.len() as u64);
    values.bytes.drain(..from as usize);
    Buffer::Found(values)
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
