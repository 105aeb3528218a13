//! Numbers, buffers and tensor maps as a kernel's arguments.

use std::iter;

use crate::ir::{Kernel, Parameter, ParameterType};
use crate::launch::{Argument, BufferSpec, ElementType, Number, TensorMap, Value, ValueType};
use crate::simt::GlobalMemory;
use crate::source::Diagnostic;

/// The bits of each argument, in order, or an error that lists those that the kernel takes. Behind
/// them, the addresses of the variables at file scope, the buffers of which `symbols` gives by their
/// numbers.
pub(crate) fn bind(
    kernel: &Kernel,
    arguments: &[Argument],
    buffers: &[BufferSpec],
    symbols: &[Option<usize>],
) -> Result<Vec<u64>, Box<Diagnostic>> {
    let parameters = kernel.written_parameters();
    let words: usize = arguments.iter().map(parameters_of).sum();
    if words != parameters.len() {
        let message = format!(
            "`{}` takes {} arguments, but {} are given",
            kernel.name,
            parameters.len(),
            words,
        );
        return Err(refuse(kernel, message));
    }
    let each = arguments
        .iter()
        .flat_map(|argument| iter::repeat_n(argument, parameters_of(argument)));
    let pairs = parameters.iter().zip(each);
    let bits = |(parameter, argument): (&Parameter, &Argument)| {
        let Parameter {
            name, type_name, ..
        } = parameter;
        bits(parameter, *argument, buffers).map_err(|found| {
            let message = format!("the argument for `{type_name} {name}` is {found}");
            refuse(kernel, message)
        })
    };
    let written: Result<Vec<u64>, _> = pairs.map(bits).collect();
    let address = |parameter: &Parameter| match parameter.parameter_type {
        ParameterType::Symbol(at) => symbols[at as usize].map_or(0, GlobalMemory::address),
        _ => unreachable!("the parameters after the written ones are symbols"),
    };
    // Lowering makes variables at file scope parameters behind the written ones; nobody passes them.
    let behind = kernel.parameters[parameters.len()..].iter().map(address);
    written.map(|bits| bits.into_iter().chain(behind).collect())
}

/// How many parameters an argument is for: the members of a structure are parameters of their own, and the one that
/// stands for a tensor map has words of 8 bytes.
pub(crate) fn parameters_of(argument: &Argument) -> usize {
    match argument {
        Argument::TensorMap(_) => TensorMap::SIZE_BYTES as usize / 8,
        Argument::Number(_) | Argument::Buffer(_) => 1,
    }
}

fn refuse(kernel: &Kernel, message: String) -> Box<Diagnostic> {
    let help = format!("its arguments are ({})", kernel.signature());
    Box::new(
        Diagnostic::error(kernel.span, message)
            .label("launched here")
            .help(help),
    )
}

/// The bits of one argument, or what it is instead of what the parameter takes.
fn bits(parameter: &Parameter, argument: Argument, buffers: &[BufferSpec]) -> Result<u64, String> {
    match (parameter.parameter_type, argument) {
        (ParameterType::Pointer, Argument::Buffer(buffer)) if buffer < buffers.len() => {
            Ok(GlobalMemory::address(buffer))
        }
        // `nullptr`: kernels take it for an input that is left out.
        (ParameterType::Pointer, Argument::Number(Number::Integer(0))) => Ok(0),
        (ParameterType::Pointer, Argument::Number(_)) => Err("a number, not a buffer".to_owned()),
        (ParameterType::Pointer, Argument::Buffer(_)) => Err("a buffer that does not exist".into()),
        (ParameterType::Symbol(_), _) => Err("not something that a launch can give".to_owned()),
        // What stands in it is made where it runs.
        (
            ParameterType::Scalar(ValueType::Number(ElementType::U64)),
            Argument::TensorMap(TensorMap { buffer, .. }),
        ) if buffer < buffers.len() => Ok(0),
        (_, Argument::TensorMap(_)) => {
            Err("a tensor map: a structure of sixteen `unsigned long long` takes one".to_owned())
        }
        (ParameterType::Scalar(_), Argument::Buffer(_)) => Err("a buffer, not a number".to_owned()),
        (ParameterType::Scalar(value_type), Argument::Number(number)) => {
            scalar_bits(value_type, number)
        }
    }
}

fn scalar_bits(value_type: ValueType, number: Number) -> Result<u64, String> {
    let element = match value_type {
        ValueType::Bool => return Ok(u64::from(number != Number::Integer(0))),
        ValueType::Pointer => ElementType::U64,
        ValueType::Number(element) => element,
    };
    match number {
        Number::Float(float) if element.is_float() => Ok(element.bits(Value::Float(float))),
        Number::Float(float) => Err(format!("{float}, which is not an integer")),
        Number::Integer(integer) => {
            let bits = element.bits(Value::Integer(integer));
            let fits = element.is_float() || element.value(bits) == Value::Integer(integer);
            let extended = if fits { extend(element, bits) } else { bits };
            if fits {
                Ok(extended)
            } else {
                Err(format!("{integer}, which does not fit"))
            }
        }
    }
}

/// The bits of an argument whose value lies in memory as `bytes`.
pub(crate) fn bits_of_bytes(parameter_type: ParameterType, bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = match parameter_type {
        ParameterType::Pointer | ParameterType::Symbol(_) => 8,
        ParameterType::Scalar(ValueType::Bool) => 1,
        ParameterType::Scalar(ValueType::Pointer) => 8,
        ParameterType::Scalar(ValueType::Number(element)) => element.size_bytes(),
    };
    let count = count.min(bytes.len());
    word[..count].copy_from_slice(&bytes[..count]);
    let bits = u64::from_le_bytes(word);
    match parameter_type {
        ParameterType::Scalar(ValueType::Number(element)) => extend(element, bits),
        _ => bits,
    }
}

/// Narrow integers are kept extended to 32 bits.
fn extend(element: ElementType, bits: u64) -> u64 {
    match element {
        ElementType::I8 => u64::from(bits as i8 as u32),
        ElementType::I16 => u64::from(bits as i16 as u32),
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Fidelity, compile_kernels};
    use crate::launch::Init;
    use crate::source::SourceFile;

    #[test]
    fn a_tensor_map_is_for_a_structure_of_sixteen_words() {
        let text = "struct Map { unsigned long long words[16]; };
                    __global__ void k(const __grid_constant__ Map a, float* y) {}";
        let file = SourceFile::new("a.cu", text);
        let compiled = compile_kernels(&file, &[], &["k"], Fidelity::AsCompiled);
        let kernel = compiled.kernel("k").expect("compiles");
        let map = Argument::TensorMap(TensorMap {
            buffer: 0,
            rows: 8,
            columns: 64,
            box_rows: 4,
            box_columns: 64,
        });
        let buffer = BufferSpec {
            name: "x".to_owned(),
            element: ElementType::Bf16,
            length: 512,
            init: Init::Zero,
        };
        let bound =
            |arguments: &[Argument]| bind(kernel, arguments, std::slice::from_ref(&buffer), &[]);
        assert_eq!(
            bound(&[map, Argument::Buffer(0)]).map(|bits| bits.len()),
            Ok(17)
        );
        let wrong = bound(&[map, map]).expect_err("has too many");
        assert!(
            wrong
                .message
                .contains("takes 17 arguments, but 32 are given")
        );
    }

    #[test]
    fn numbers_take_the_type_of_their_parameter() {
        let bits = |element, number| scalar_bits(ValueType::Number(element), number);
        assert_eq!(bits(ElementType::F32, Number::Integer(1)), Ok(0x3f80_0000));
        assert_eq!(bits(ElementType::I32, Number::Integer(-1)), Ok(0xffff_ffff));
        assert_eq!(bits(ElementType::I8, Number::Integer(-1)), Ok(0xffff_ffff));
        assert!(bits(ElementType::I32, Number::Integer(1 << 31)).is_err());
        assert!(bits(ElementType::U32, Number::Integer(-1)).is_err());
        assert!(bits(ElementType::I32, Number::Float(0.5)).is_err());
        assert_eq!(scalar_bits(ValueType::Bool, Number::Integer(7)), Ok(1));
    }
}
