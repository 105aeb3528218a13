//! Types, with the layout that CUDA gives them.
//!
//! Structs are compared and hashed by their names, which are unique in a program.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::launch::ElementType;

/// An arithmetic type. `signed char` is `I8`, `long` and `long long` are `I64`, `size_t` is `U64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it: kind and bits")]
pub enum Scalar {
    Bool,
    /// `char`: signed, as on the x86-64 Linux hosts of CUDA, but another type than `signed char` ([basic.fundamental]).
    Char,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// `__half`.
    F16,
    /// `__nv_bfloat16`.
    Bf16,
    F32,
    F64,
}

impl Scalar {
    /// Size in bytes.
    pub fn size_bytes(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Whether it is an integer type, `bool` included.
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64) || self.is_half()
    }

    /// Whether it is one of the two floating-point types of 16 bits.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16)
    }

    /// Whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        use Scalar::*;
        matches!(self, Char | I8 | I16 | I32 | I64)
    }

    /// The type of a buffer's elements that holds such values; `bool` as bytes.
    pub fn element(self) -> ElementType {
        match self {
            Scalar::Bool | Scalar::U8 => ElementType::U8,
            Scalar::Char | Scalar::I8 => ElementType::I8,
            Scalar::I16 => ElementType::I16,
            Scalar::U16 => ElementType::U16,
            Scalar::I32 => ElementType::I32,
            Scalar::U32 => ElementType::U32,
            Scalar::I64 => ElementType::I64,
            Scalar::U64 => ElementType::U64,
            Scalar::F16 => ElementType::F16,
            Scalar::Bf16 => ElementType::Bf16,
            Scalar::F32 => ElementType::F32,
            Scalar::F64 => ElementType::F64,
        }
    }

    /// Its name in C++.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::I8 => "signed char",
            Scalar::U8 => "unsigned char",
            Scalar::I16 => "short",
            Scalar::U16 => "unsigned short",
            Scalar::I32 => "int",
            Scalar::U32 => "unsigned int",
            Scalar::I64 => "long long",
            Scalar::U64 => "unsigned long long",
            Scalar::F16 => "__half",
            Scalar::Bf16 => "__nv_bfloat16",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// Arithmetic.
    Scalar(Scalar),
    /// `float4` and its kin: so many components of a type, named x, y, z, w.
    Vector(Scalar, u32),
    /// To values of a type that may or may not be written through it.
    Pointer {
        /// What it points to.
        to: Box<Type>,
        /// Whether that is `const`.
        is_const: bool,
    },
    /// So many values of a type.
    Array(Box<Type>, u32),
    /// A struct.
    Struct(Struct),
    /// A function of the host, which only pointers point to.
    Function(Box<FunctionType>),
}

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns; a reference as a pointer.
    pub returns: Type,
    /// Whether that stands for a reference.
    pub returns_reference: bool,
    /// Its parameters; references as pointers.
    pub params: Vec<Type>,
    /// Of each parameter, whether it stands for a reference, and then whether for `&&`.
    pub references: Vec<Option<bool>>,
}

impl FunctionType {
    /// The type of a function whose parameters are no references.
    pub fn of_values(params: Vec<Type>, returns: Type) -> Self {
        FunctionType {
            returns,
            returns_reference: false,
            references: vec![None; params.len()],
            params,
        }
    }

    /// What it returns, without the reference: `int` of `int& f()`.
    pub fn returned(&self) -> &Type {
        match &self.returns {
            Type::Pointer { to, .. } if self.returns_reference => to,
            returns => returns,
        }
    }
}

/// A struct: its name, which no other struct of the program has, and where its fields lie.
#[derive(Clone)]
pub struct Struct(Arc<StructData>);

struct StructData {
    name: String,
    // Empty while the struct is only declared: in `struct Node { Node* next; };` it is named before it is complete.
    layout: OnceLock<Layout>,
}

/// Where the fields of a struct lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Its size, a multiple of its alignment.
    pub size_bytes: u32,
    /// Its alignment.
    pub align_bytes: u32,
    /// Whether it is a union: all fields begin where it begins.
    pub is_union: bool,
}

/// What a struct says of where its fields lie.
#[derive(Clone, Debug, Default)]
pub struct LayoutRules {
    /// The least alignment of the whole.
    pub align_bytes: u32,
    /// The most bytes to which fields are aligned; nothing for their own alignment.
    pub pack_bytes: Option<u32>,
    /// Whether all fields begin where it begins.
    pub is_union: bool,
    /// Fields that are bases without fields: they lie where it begins, and take no room.
    pub empty_bases: Vec<usize>,
    /// Whether the first field with room may not lie where it begins: a base of a type in that field lies there.
    pub moves_first: bool,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it begins in the struct.
    pub offset_bytes: u32,
}

impl Struct {
    /// A struct of which only the name is known.
    pub fn declared(name: String) -> Self {
        let layout = OnceLock::new();
        Struct(Arc::new(StructData { name, layout }))
    }

    /// Gives it its fields, with their names and types; only the first time counts.
    pub fn define(&self, fields: Vec<(String, Type)>, rules: &LayoutRules) {
        let mut layout = Layout {
            align_bytes: rules.align_bytes.max(1),
            is_union: rules.is_union,
            ..Layout::default()
        };
        for (index, (name, ty)) in fields.into_iter().enumerate() {
            let align_bytes = ty.align_bytes().min(rules.pack_bytes.unwrap_or(u32::MAX));
            let is_empty_base = rules.empty_bases.contains(&index);
            let is_moved = rules.moves_first && layout.size_bytes == 0;
            let offset_bytes = match rules.is_union || is_empty_base {
                true => 0,
                false if is_moved => align_bytes,
                // Each field lies at the next multiple of its alignment, on the GPU as on the host.
                false => layout
                    .size_bytes
                    .checked_next_multiple_of(align_bytes)
                    .unwrap_or(u32::MAX),
            };
            layout.align_bytes = layout.align_bytes.max(align_bytes);
            let room_bytes = if is_empty_base { 0 } else { ty.size_bytes() };
            let end_bytes = offset_bytes.saturating_add(room_bytes);
            layout.size_bytes = layout.size_bytes.max(end_bytes);
            layout.fields.push(Field {
                name,
                ty,
                offset_bytes,
            });
        }
        let whole = layout
            .size_bytes
            .checked_next_multiple_of(layout.align_bytes);
        // No object has size 0 ([class]): two elements of an array have different addresses.
        layout.size_bytes = whole.unwrap_or(layout.size_bytes).max(1);
        let _ = self.0.layout.set(layout);
    }

    /// Its name, with template arguments.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Where its fields lie; nothing while it is only declared.
    pub fn layout(&self) -> Option<&Layout> {
        self.0.layout.get()
    }

    /// Its fields; none while it is only declared.
    pub fn fields(&self) -> &[Field] {
        self.layout().map_or(&[], |layout| &layout.fields)
    }

    /// Of a union, the index of the field whose bytes are all of its bytes, or most of them.
    pub fn widest(&self) -> Option<usize> {
        let layout = self.layout().filter(|layout| layout.is_union)?;
        let order = |at: &usize| {
            let ty = &layout.fields[*at].ty;
            // Of several equal ones, the first: a larger index makes the last part smaller.
            (ty.size_bytes(), ty.align_bytes(), usize::MAX - at)
        };
        (0..layout.fields.len()).max_by_key(order)
    }
}

impl PartialEq for Struct {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Struct {}

impl Hash for Struct {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Struct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", self.0.name)
    }
}

impl Type {
    /// Size in bytes, as in CUDA; 0 for `void`.
    pub fn size_bytes(&self) -> u32 {
        match self {
            Type::Void | Type::Function(_) => 0,
            Type::Scalar(scalar) => scalar.size_bytes(),
            Type::Vector(scalar, lanes) => scalar.size_bytes() * lanes,
            Type::Pointer { .. } => 8,
            Type::Array(element, length) => element.size_bytes().saturating_mul(*length),
            Type::Struct(of) => of.layout().map_or(0, |layout| layout.size_bytes),
        }
    }

    /// Alignment in bytes, as in CUDA: vectors of 2 and 4 align to their size, up to 16.
    pub fn align_bytes(&self) -> u32 {
        match self {
            Type::Void | Type::Function(_) => 1,
            Type::Scalar(scalar) => scalar.size_bytes(),
            // CUDA C++ Programming Guide, "Built-in vector types": `float3` aligns to 4 bytes, `float4` to 16,
            // and `double4` to 16 though it has 32.
            Type::Vector(scalar, 2 | 4) => self.size_bytes().min(16).max(scalar.size_bytes()),
            Type::Vector(scalar, _) => scalar.size_bytes(),
            Type::Pointer { .. } => 8,
            Type::Array(element, _) => element.align_bytes(),
            Type::Struct(of) => of.layout().map_or(1, |layout| layout.align_bytes),
        }
    }

    /// Whether a pointer of this type may become one of type `to`, which only adds `const` ([conv.qual]): `T**` becomes
    /// `const T* const*`, but not `const T**`, through which a `const T*` could be stored.
    pub fn may_become(&self, to: &Type) -> bool {
        let (
            Type::Pointer { to: a, is_const },
            Type::Pointer {
                to: b,
                is_const: to_const,
            },
        ) = (self, to)
        else {
            return false;
        };
        (*to_const || !is_const) && (a == b || *to_const && a.may_become(b))
    }

    /// The scalar, for arithmetic types.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Scalar(scalar) => write!(f, "{}", scalar.name()),
            Type::Vector(scalar, lanes) => {
                if scalar.is_half() {
                    return write!(f, "{}{lanes}", scalar.name());
                }
                let (prefix, name) = match scalar {
                    Scalar::U8 => ("u", "char"),
                    Scalar::U16 => ("u", "short"),
                    Scalar::U32 => ("u", "int"),
                    Scalar::U64 => ("u", "longlong"),
                    Scalar::I32 => ("", "int"),
                    Scalar::I64 => ("", "longlong"),
                    scalar => ("", scalar.name()),
                };
                write!(f, "{prefix}{name}{lanes}")
            }
            Type::Pointer { to, is_const: true } => match **to {
                Type::Pointer { .. } => write!(f, "{to} const*"),
                _ => write!(f, "const {to}*"),
            },
            Type::Pointer {
                to,
                is_const: false,
            } => write!(f, "{to}*"),
            Type::Array(..) => {
                // From the outside in, as C++ writes lengths: `float[2][3]`.
                let (mut element, mut lengths) = (self, String::new());
                while let Type::Array(inner, length) = element {
                    lengths.push_str(&format!("[{length}]"));
                    element = inner;
                }
                write!(f, "{element}{lengths}")
            }
            Type::Struct(of) => write!(f, "{}", of.name()),
            Type::Function(of) => write!(f, "{}({})", of.returns, params_text(of)),
        }
    }
}

/// The parameters of a function's type.
fn params_text(of: &FunctionType) -> String {
    let params = of.params.iter().zip(&of.references);
    let params: Vec<String> = params.map(param_text).collect();
    params.join(", ")
}

/// A parameter as it is written in a function's type.
fn param_text((ty, reference): (&Type, &Option<bool>)) -> String {
    match (ty, reference) {
        (Type::Pointer { to, is_const }, Some(is_rvalue)) => {
            let before = if *is_const { "const " } else { "" };
            let behind = if *is_rvalue { "&&" } else { "&" };
            format!("{before}{to}{behind}")
        }
        (ty, _) => ty.to_string(),
    }
}

/// The scalars and vectors that have a name of one word, as `<cstdint>`, `<vector_types.h>` and the
/// headers of 16-bit floats declare them.
pub fn named_type(word: &str) -> Option<Type> {
    use Scalar::*;
    let scalar = match word {
        "bool" => Bool,
        "float" => F32,
        "double" => F64,
        "int8_t" => I8,
        "uint8_t" | "uchar" => U8,
        "int16_t" => I16,
        "uint16_t" | "ushort" => U16,
        "int32_t" => I32,
        "uint32_t" | "uint" => U32,
        "int64_t" | "ptrdiff_t" | "intptr_t" | "ssize_t" => I64,
        "half" | "__half" => F16,
        "nv_bfloat16" | "__nv_bfloat16" => Bf16,
        "half2" | "__half2" => return Some(Type::Vector(F16, 2)),
        "nv_bfloat162" | "__nv_bfloat162" => return Some(Type::Vector(Bf16, 2)),
        "uint64_t" | "size_t" | "uintptr_t" | "ulong" => U64,
        _ => return named_vector(word),
    };
    Some(Type::Scalar(scalar))
}

/// `float4` is the word `float` and a digit from 1 to 4.
fn named_vector(word: &str) -> Option<Type> {
    use Scalar::*;
    let (stem, lanes) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let lanes = lanes.parse().ok().filter(|lanes| (1..=4).contains(lanes))?;
    let scalar = match stem {
        // Its components are `signed char`.
        "char" => I8,
        "uchar" => U8,
        "short" => I16,
        "ushort" => U16,
        "int" => I32,
        "uint" => U32,
        // `long2` holds 64-bit integers, as `long` has 64 bits on 64-bit Linux.
        "long" | "longlong" => I64,
        "ulong" | "ulonglong" => U64,
        "float" => F32,
        "double" => F64,
        _ => return None,
    };
    Some(Type::Vector(scalar, lanes))
}
