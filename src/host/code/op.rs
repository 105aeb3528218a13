//! The operations of the host's bytecode, in one table.
//!
//! The rows of `binary_rows` and `unary_rows` say what an operation computes; the interpreter takes them from there.

/// A slot of a function, by its number.
pub type Slot = u16;

/// The low 32 bits as `int`.
#[inline(always)]
pub fn int(bits: u64) -> u64 {
    bits as i32 as i64 as u64
}

/// The low 32 bits as `unsigned`.
#[inline(always)]
pub fn unsigned(bits: u64) -> u64 {
    u64::from(bits as u32)
}

/// A `float` in a slot.
#[inline(always)]
pub fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// A slot that holds a `float`.
#[inline(always)]
pub fn float_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// A `double` in a slot.
#[inline(always)]
pub fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// What x86's `cvttsd2si` gives for numbers that an integer of 64 bits cannot hold is its least.
#[inline(always)]
pub fn to_i64(value: f64) -> u64 {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    (if fits { value as i64 } else { i64::MIN }) as u64
}

/// The same for 32 bits, extended by its sign.
#[inline(always)]
pub fn to_i32(value: f64) -> u64 {
    let fits = value > -2_147_483_649.0 && value < 2_147_483_648.0;
    (if fits { value as i32 } else { i32::MIN }) as i64 as u64
}

/// As gcc converts to `unsigned long`: what is too large for `long` has 2^63 taken away first.
#[inline(always)]
pub fn to_u64(value: f64) -> u64 {
    match value >= 9_223_372_036_854_775_808.0 {
        true => to_i64(value - 9_223_372_036_854_775_808.0) ^ (1 << 63),
        false => to_i64(value),
    }
}

/// What operations on two slots compute.
macro_rules! binary_rows {
    ($with:ident $($more:tt)*) => {
        $with! {
            $($more)*
            AddI32 |a, b| int(a.wrapping_add(b));
            AddU32 |a, b| unsigned(a.wrapping_add(b));
            Add64 |a, b| a.wrapping_add(b);
            SubI32 |a, b| int(a.wrapping_sub(b));
            SubU32 |a, b| unsigned(a.wrapping_sub(b));
            Sub64 |a, b| a.wrapping_sub(b);
            MulI32 |a, b| int(a.wrapping_mul(b));
            MulU32 |a, b| unsigned(a.wrapping_mul(b));
            Mul64 |a, b| a.wrapping_mul(b);
            And |a, b| a & b;
            Or |a, b| a | b;
            Xor |a, b| a ^ b;
            // x86 shifts by the amount modulo the width.
            ShlI32 |a, b| int(a << (b & 31));
            ShlU32 |a, b| unsigned(a << (b & 31));
            Shl64 |a, b| a << (b & 63);
            ShrI32 |a, b| ((a as i64) >> (b & 31)) as u64;
            ShrU32 |a, b| a >> (b & 31);
            ShrI64 |a, b| ((a as i64) >> (b & 63)) as u64;
            ShrU64 |a, b| a >> (b & 63);
            Eq |a, b| u64::from(a == b);
            Ne |a, b| u64::from(a != b);
            LtI |a, b| u64::from((a as i64) < (b as i64));
            LeI |a, b| u64::from((a as i64) <= (b as i64));
            LtU |a, b| u64::from(a < b);
            LeU |a, b| u64::from(a <= b);
            AddF32 |a, b| float_bits(float(a) + float(b));
            SubF32 |a, b| float_bits(float(a) - float(b));
            MulF32 |a, b| float_bits(float(a) * float(b));
            DivF32 |a, b| float_bits(float(a) / float(b));
            EqF32 |a, b| u64::from(float(a) == float(b));
            NeF32 |a, b| u64::from(float(a) != float(b));
            LtF32 |a, b| u64::from(float(a) < float(b));
            LeF32 |a, b| u64::from(float(a) <= float(b));
            AddF64 |a, b| (double(a) + double(b)).to_bits();
            SubF64 |a, b| (double(a) - double(b)).to_bits();
            MulF64 |a, b| (double(a) * double(b)).to_bits();
            DivF64 |a, b| (double(a) / double(b)).to_bits();
            EqF64 |a, b| u64::from(double(a) == double(b));
            NeF64 |a, b| u64::from(double(a) != double(b));
            LtF64 |a, b| u64::from(double(a) < double(b));
            LeF64 |a, b| u64::from(double(a) <= double(b));
            // Addresses of elements of 2, 4 and 8 bytes.
            Element2 |a, b| a.wrapping_add(b << 1);
            Element4 |a, b| a.wrapping_add(b << 2);
            Element8 |a, b| a.wrapping_add(b << 3);
        }
    };
}

/// What operations on one slot compute.
macro_rules! unary_rows {
    ($with:ident $($more:tt)*) => {
        $with! {
            $($more)*
            NegI32 |a| int(a.wrapping_neg());
            NegU32 |a| unsigned(a.wrapping_neg());
            Neg64 |a| a.wrapping_neg();
            NegF32 |a| a ^ (1 << 31);
            NegF64 |a| a ^ (1 << 63);
            IsZero |a| u64::from(a == 0);
            IsSet |a| u64::from(a != 0);
            IsSetF32 |a| u64::from(float(a) != 0.0);
            IsSetF64 |a| u64::from(double(a) != 0.0);
            ToI8 |a| a as i8 as i64 as u64;
            ToU8 |a| u64::from(a as u8);
            ToI16 |a| a as i16 as i64 as u64;
            ToU16 |a| u64::from(a as u16);
            ToI32 |a| int(a);
            ToU32 |a| unsigned(a);
            SignedToF32 |a| float_bits(a as i64 as f32);
            SignedToF64 |a| (a as i64 as f64).to_bits();
            UnsignedToF32 |a| float_bits(a as f32);
            UnsignedToF64 |a| (a as f64).to_bits();
            F32ToF64 |a| f64::from(float(a)).to_bits();
            F64ToF32 |a| float_bits(double(a) as f32);
            F64ToI32 |a| to_i32(double(a));
            F64ToI64 |a| to_i64(double(a));
            F64ToU64 |a| to_u64(double(a));
            SqrtF32 |a| float_bits(float(a).sqrt());
            SqrtF64 |a| double(a).sqrt().to_bits();
            AbsF32 |a| a & 0x7fff_ffff;
            AbsF64 |a| a & (u64::MAX >> 1);
        }
    };
}

/// `$with! { [rows on one slot] rows on two slots }`.
macro_rules! all_rows {
    (@binary $with:ident $($binary:tt)*) => {
        unary_rows! { all_rows @unary $with [$($binary)*] }
    };
    (@unary $with:ident [$($binary:tt)*] $($unary:tt)*) => {
        $with! { [$($unary)*] $($binary)* }
    };
    ($with:ident) => {
        binary_rows! { all_rows @binary $with }
    };
}

pub(crate) use {all_rows, binary_rows, unary_rows};

macro_rules! operations {
    ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
     $($binary:ident |$a:ident, $b:ident| $computes:expr;)*) => {
        /// An operation on two slots.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the table of rows says what each computes")]
        pub enum BinaryCode { $($binary),* }

        /// An operation on one slot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the table of rows says what each computes")]
        pub enum UnaryCode { $($unary),* }

        impl BinaryCode {
            /// The operation with its slots.
            pub fn with(self, to: Slot, a: Slot, b: Slot) -> Op {
                match self {
                    $(BinaryCode::$binary => Op::$binary { to, a, b },)*
                }
            }
        }

        impl UnaryCode {
            /// The operation with its slots.
            pub fn with(self, to: Slot, a: Slot) -> Op {
                match self {
                    $(UnaryCode::$unary => Op::$unary { to, a },)*
                }
            }
        }

        /// An operation. `target` is the place of another operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "slots say by their names what they hold")]
        pub enum Op {
            $($binary { to: Slot, a: Slot, b: Slot },)*
            $($unary { to: Slot, a: Slot },)*
            Move { to: Slot, a: Slot },
            /// Divisions are faults where the divisor is 0, or where the result does not fit.
            DivI32 { to: Slot, a: Slot, b: Slot },
            DivI64 { to: Slot, a: Slot, b: Slot },
            DivU { to: Slot, a: Slot, b: Slot },
            RemI32 { to: Slot, a: Slot, b: Slot },
            RemI64 { to: Slot, a: Slot, b: Slot },
            RemU { to: Slot, a: Slot, b: Slot },
            /// A conversion between types of which one is a float of 16 bits; numbers as in `SCALARS`.
            Convert { to: Slot, a: Slot, from: u8, into: u8 },
            /// A function of numbers: of the slots from `first` on, `site` says which.
            Math { to: Slot, first: Slot, site: u32 },
            /// A sum of an address and a number of bytes.
            Offset { to: Slot, base: Slot, offset: i32 },
            /// An address and so many elements of a size.
            Element { to: Slot, base: Slot, index: Slot, size: u32 },
            LoadI8 { to: Slot, base: Slot, offset: i32 },
            LoadU8 { to: Slot, base: Slot, offset: i32 },
            LoadI16 { to: Slot, base: Slot, offset: i32 },
            LoadU16 { to: Slot, base: Slot, offset: i32 },
            LoadI32 { to: Slot, base: Slot, offset: i32 },
            LoadU32 { to: Slot, base: Slot, offset: i32 },
            Load64 { to: Slot, base: Slot, offset: i32 },
            /// Of an array's elements, which have the width of the load.
            LoadIndexI32 { to: Slot, base: Slot, index: Slot },
            LoadIndexU32 { to: Slot, base: Slot, index: Slot },
            LoadIndex64 { to: Slot, base: Slot, index: Slot },
            Store8 { from: Slot, base: Slot, offset: i32 },
            Store16 { from: Slot, base: Slot, offset: i32 },
            Store32 { from: Slot, base: Slot, offset: i32 },
            Store64 { from: Slot, base: Slot, offset: i32 },
            StoreIndex32 { from: Slot, base: Slot, index: Slot },
            StoreIndex64 { from: Slot, base: Slot, index: Slot },
            /// Bytes from one address to another.
            Copy { to: Slot, from: Slot, bytes: u32 },
            Zero { to: Slot, bytes: u32 },
            /// The first of several operations that often follow each other, as in `sum += a[i * n + k] * b[k]` and
            /// `++k < n`: the interpreter carries out the others in the same turn, where they stand.
            MulAddI32 { to: Slot, a: Slot, b: Slot },
            MulAddF32 { to: Slot, a: Slot, b: Slot },
            MulAddF64 { to: Slot, a: Slot, b: Slot },
            MulAddLoadI32 { to: Slot, a: Slot, b: Slot },
            MulAddLoadU32 { to: Slot, a: Slot, b: Slot },
            MulAddElementI32 { to: Slot, a: Slot, b: Slot },
            MulAddElementU32 { to: Slot, a: Slot, b: Slot },
            MulAddJumpI32 { to: Slot, a: Slot, b: Slot },
            MulAddJumpF32 { to: Slot, a: Slot, b: Slot },
            MulAddJumpF64 { to: Slot, a: Slot, b: Slot },
            AddJumpI32 { to: Slot, a: Slot, b: Slot },
            ElementI32 { to: Slot, base: Slot, offset: i32 },
            ElementU32 { to: Slot, base: Slot, offset: i32 },
            Jump { target: u32 },
            JumpIf { a: Slot, target: u32 },
            JumpUnless { a: Slot, target: u32 },
            JumpEq { a: Slot, b: Slot, target: u32 },
            JumpNe { a: Slot, b: Slot, target: u32 },
            JumpLtI { a: Slot, b: Slot, target: u32 },
            JumpLeI { a: Slot, b: Slot, target: u32 },
            JumpLtU { a: Slot, b: Slot, target: u32 },
            JumpLeU { a: Slot, b: Slot, target: u32 },
            /// A call: the function's slots begin at `first`, its arguments behind that.
            Call { first: Slot, function: u32 },
            /// The same, of the function that a slot points to.
            CallPointer { first: Slot, pointer: Slot },
            /// A call of a library's function, as `site` says.
            CallLibrary { first: Slot, site: u32 },
            /// A launch, as `site` says: grid, block, shared memory, stream and arguments from `first` on.
            Launch { first: Slot, site: u32 },
            Return { a: Slot },
            ReturnNothing,
            /// A block of the heap of so many bytes, for `new`; and its end, unless the pointer is null.
            Allocate { to: Slot, bytes: Slot },
            /// The same for `new (std::nothrow)`: null where there is no memory.
            AllocateOrNull { to: Slot, bytes: Slot },
            Free { a: Slot },
            /// How many things wait for their end.
            Mark { to: Slot },
            /// Ends what began since that mark.
            EndTo { mark: Slot },
            /// An object begins, as `site` says.
            ObjectBegins { pointer: Slot, site: u32 },
            /// Handlers are there, as `site` says; the one that catches finds the address of what was thrown in `to`.
            HandlersBegin { to: Slot, site: u32 },
            /// Throws what lies at an address, as `site` says.
            Throw { a: Slot, site: u32 },
            /// Throws again what is being handled.
            ThrowAgain,
            /// What code of the host cannot do: `site` is the message.
            Refuse { site: u32 },
        }
    };
}

all_rows! { operations }

impl Op {
    /// Where the operation may jump to.
    pub fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::Jump { target }
            | Op::JumpIf { target, .. }
            | Op::JumpUnless { target, .. }
            | Op::JumpEq { target, .. }
            | Op::JumpNe { target, .. }
            | Op::JumpLtI { target, .. }
            | Op::JumpLeI { target, .. }
            | Op::JumpLtU { target, .. }
            | Op::JumpLeU { target, .. } => Some(target),
            _ => None,
        }
    }

    /// The operation by itself, without those behind it that it goes with.
    pub fn alone(self) -> Op {
        match self {
            Op::MulAddI32 { to, a, b }
            | Op::MulAddLoadI32 { to, a, b }
            | Op::MulAddLoadU32 { to, a, b }
            | Op::MulAddElementI32 { to, a, b }
            | Op::MulAddElementU32 { to, a, b }
            | Op::MulAddJumpI32 { to, a, b } => Op::MulI32 { to, a, b },
            Op::MulAddF32 { to, a, b } | Op::MulAddJumpF32 { to, a, b } => Op::MulF32 { to, a, b },
            Op::MulAddF64 { to, a, b } | Op::MulAddJumpF64 { to, a, b } => Op::MulF64 { to, a, b },
            Op::AddJumpI32 { to, a, b } => Op::AddI32 { to, a, b },
            Op::ElementI32 { to, base, offset } | Op::ElementU32 { to, base, offset } => {
                Op::Load64 { to, base, offset }
            }
            other => other,
        }
    }

    /// The operation, where those behind it are of a kind that it goes with.
    pub fn joined_with(self, rest: &[Op]) -> Op {
        match (self, rest) {
            (Op::MulI32 { to, a, b }, [Op::AddI32 { .. }, rest @ ..]) => match rest {
                [Op::LoadIndexI32 { .. }, ..] => Op::MulAddLoadI32 { to, a, b },
                [Op::LoadIndexU32 { .. }, ..] => Op::MulAddLoadU32 { to, a, b },
                // The elements of a vector lie where its first word says.
                [Op::Load64 { .. }, Op::LoadIndexI32 { .. }, ..] => {
                    Op::MulAddElementI32 { to, a, b }
                }
                [Op::Load64 { .. }, Op::LoadIndexU32 { .. }, ..] => {
                    Op::MulAddElementU32 { to, a, b }
                }
                _ if is_step(rest) => Op::MulAddJumpI32 { to, a, b },
                _ => Op::MulAddI32 { to, a, b },
            },
            (Op::MulF32 { to, a, b }, [Op::AddF32 { .. }, rest @ ..]) => match is_step(rest) {
                true => Op::MulAddJumpF32 { to, a, b },
                false => Op::MulAddF32 { to, a, b },
            },
            (Op::MulF64 { to, a, b }, [Op::AddF64 { .. }, rest @ ..]) => match is_step(rest) {
                true => Op::MulAddJumpF64 { to, a, b },
                false => Op::MulAddF64 { to, a, b },
            },
            (Op::AddI32 { to, a, b }, [Op::JumpLtI { .. }, ..]) => Op::AddJumpI32 { to, a, b },
            (Op::Load64 { to, base, offset }, [Op::LoadIndexI32 { .. }, ..]) => {
                Op::ElementI32 { to, base, offset }
            }
            (Op::Load64 { to, base, offset }, [Op::LoadIndexU32 { .. }, ..]) => {
                Op::ElementU32 { to, base, offset }
            }
            _ => self,
        }
    }
}

/// Whether a loop counts on there and begins again.
fn is_step(ops: &[Op]) -> bool {
    matches!(ops, [Op::AddI32 { .. }, Op::JumpLtI { .. }, ..])
}
