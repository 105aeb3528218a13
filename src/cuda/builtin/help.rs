//! How each built-in function is called and what it gives, from its row of the table. A new kind of row does not compile
//! before it says both.

use super::table::{Builtin, listed};
use crate::cuda::typed::{
    AtomicOperation as A, BarrierVote, BinaryOp as Op, MathFunction, Scalar, ShuffleKind, Type,
    VoteKind,
};

/// What somebody who writes a call of a built-in function wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionHelp {
    /// Result, name and parameters: `float fmaxf(float, float)`. `T` stands for whatever types it is defined for.
    pub signature: String,
    /// What it does, as a sentence.
    pub text: &'static str,
}

/// The functions of CUDA that there are, in the order of their tables.
pub fn function_help() -> Vec<FunctionHelp> {
    let listed = listed().map(|(name, builtin)| FunctionHelp {
        signature: signature(name, builtin),
        text: text(builtin),
    });
    listed.collect()
}

/// How a function of this name and kind is called.
pub fn signature(name: &str, builtin: Builtin) -> String {
    let (result, parameters) = types(builtin);
    format!("{result} {name}({})", parameters.join(", "))
}

/// The types of the result and of the parameters. A table, a row for each kind.
fn types(builtin: Builtin) -> (String, Vec<String>) {
    use Builtin::*;
    let of = |result: &str, parameters: &[&str]| {
        let parameters = parameters.iter().map(|&ty| ty.to_owned());
        (result.to_owned(), parameters.collect())
    };
    match builtin {
        Fixed(_, parameters, result) => {
            (one(result), parameters.iter().map(|&ty| one(ty)).collect())
        }
        Overloaded(_, operands) | HalfMath(_, operands, _) => of("T", &vec!["T"; operands]),
        Abs | Saturate | HalfNegate(_) => of("T", &["T"]),
        Extreme(_) => of("T", &["T", "T"]),
        Test(_) | IsFinite | HalfTest(_) => of("bool", &["T"]),
        Divide(ty, reciprocal) => (one(ty), vec![one(ty); if reciprocal { 1 } else { 2 }]),
        Shuffle(_) => of(
            "T",
            &["unsigned mask", "T value", "int lane", "int width = 32"],
        ),
        Vote(VoteKind::Ballot) => of("unsigned", &["unsigned mask", "int predicate"]),
        Vote(_) => of("int", &["unsigned mask", "int predicate"]),
        ActiveMask => of("unsigned", &[]),
        Ldg => of("T", &["const T* address"]),
        Statement | Trap => of("void", &[]),
        Atomic(A::Cas) => of("T", &["T* address", "T compare", "T value"]),
        Atomic(_) => of("T", &["T* address", "T value"]),
        Reduce(_) => of("T", &["unsigned mask", "T value"]),
        Match(false) => of("unsigned", &["unsigned mask", "T value"]),
        Match(true) => of("unsigned", &["unsigned mask", "T value", "int* are_equal"]),
        // The header of fragments calls it, and nobody else.
        Matrix(_) | Texture(_) => of("void", &[]),
        Barrier(_) => of("int", &["int predicate"]),
        Nothing(parameters) | Order(_, parameters) => (
            "void".to_owned(),
            parameters.iter().map(|&ty| one(ty)).collect(),
        ),
        Clock(result) => (one(result), Vec::new()),
        Store => of("void", &["T* address", "T value"]),
        Through(_, from, to) => (one(to), vec![one(from)]),
        Scaled(Some(ty)) => (one(ty), vec![one(ty), "int".to_owned()]),
        Scaled(None) => of("T", &["T", "int"]),
        Dot => of("T", &["T bytes", "T bytes", "T sum"]),
        Outputs(stored, result, ty) => {
            let stored = stored.iter().map(|function| match function {
                MathFunction::FrexpExponent => "int*".to_owned(),
                _ => format!("{}*", one(ty)),
            });
            let result = result.map_or("void".to_owned(), |_| one(ty));
            (result, std::iter::once(one(ty)).chain(stored).collect())
        }
        HalfBinary(Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge, _) => of("bool", &["T", "T"]),
        HalfBinary(..) => of("T", &["T", "T"]),
        Pair(from, to) => (two(to), vec![one(from), one(from)]),
        Spread(from, to) => (two(to), vec![one(from)]),
        PairTo(from, to) => (two(to), vec![two(from)]),
        Part(from, _, to) => (one(to), vec![two(from)]),
        PartToFloat(_) => of("float", &["T"]),
    }
}

fn one(scalar: Scalar) -> String {
    Type::Scalar(scalar).to_string()
}

fn two(scalar: Scalar) -> String {
    Type::Vector(scalar, 2).to_string()
}

/// What a function of this kind does. A table, a row for each kind.
fn text(builtin: Builtin) -> &'static str {
    use Builtin::*;
    match builtin {
        Fixed(function, ..)
        | Overloaded(function, _)
        | Extreme(function)
        | Test(function)
        | HalfMath(function, ..)
        | HalfTest(function)
        | Through(Some(function), ..) => function.row().help,
        Abs => MathFunction::Abs.row().help,
        Scaled(_) => MathFunction::Ldexp.row().help,
        Dot => MathFunction::Dp4a.row().help,
        IsFinite => "Whether it is neither infinite nor NaN.",
        Saturate => "The value, but at least 0 and at most 1.",
        Divide(_, false) => "A quotient, rounded once.",
        Divide(_, true) => "One over the value, rounded once.",
        Shuffle(kind) => match kind {
            ShuffleKind::Idx => "The value that this lane of the warp has.",
            ShuffleKind::Up => "The value of the lane so many below this one.",
            ShuffleKind::Down => "The value of the lane so many above this one.",
            ShuffleKind::Xor => "The value of the lane whose number differs in these bits.",
        },
        Vote(VoteKind::Any) => "Whether the predicate holds in any lane of the mask.",
        Vote(VoteKind::All) => "Whether the predicate holds in all lanes of the mask.",
        Vote(VoteKind::Ballot) => "The lanes of the mask in which the predicate holds, as bits.",
        ActiveMask => "The lanes that execute this together, as bits.",
        Ldg => "The value at an address, which no thread may write meanwhile.",
        Statement => "A barrier: nobody goes on before all have come.",
        Atomic(operation) => atomic(operation),
        Reduce(_) => "The values of all lanes of the mask, taken together.",
        Match(false) => "The lanes of the mask that have the same value, as bits.",
        Match(true) => "The mask if all its lanes have the same value, else 0.",
        Matrix(_) => "What fragments of matrices are made of.",
        Texture(_) => "What functions of textures and surfaces are made of.",
        Barrier(BarrierVote::Count) => "A barrier, and in how many threads the predicate holds.",
        Barrier(BarrierVote::And) => "A barrier, and whether the predicate holds in all threads.",
        Barrier(BarrierVote::Or) => "A barrier, and whether the predicate holds in any thread.",
        Barrier(_) => "What numbered barriers are made of.",
        Nothing(_) => "Orders or delays what other threads see; here it changes nothing.",
        Order(..) => "Lets other warps go on first.",
        Trap => "Ends the launch with an error.",
        Clock(_) => "A count of the SM's cycles.",
        Store => "Stores a value, with a hint to the caches that changes no count here.",
        Through(None, ..) | PairTo(..) => "The value in another type.",
        Outputs(..) => "Several results, stored where the pointers point.",
        HalfBinary(..) => "The operator on 16-bit floats, or on pairs of them.",
        HalfNegate(_) => "The value with the other sign.",
        Pair(..) => "A pair of the two values.",
        Spread(..) => "A pair that has the value twice.",
        Part(_, 0, _) | PartToFloat(0) => "The first value of a pair.",
        Part(..) | PartToFloat(_) => "The second value of a pair.",
    }
}

fn atomic(operation: A) -> &'static str {
    match operation {
        A::Add => "Adds to the word at the address; the word as it was before.",
        A::Sub => "Subtracts from the word at the address; the word as it was before.",
        A::Min => "Stores the lesser of the word and the value; the word as it was before.",
        A::Max => "Stores the greater of the word and the value; the word as it was before.",
        A::And | A::Or | A::Xor => {
            "Stores the word combined with the value, bit by bit; the word as it was before."
        }
        A::Exch => "Stores the value; the word as it was before.",
        A::Cas => "Stores the value if the word is what is compared; the word as it was before.",
        A::Inc => "Counts the word up to the value, then from 0; the word as it was before.",
        A::Copy => "Stores the value as an asynchronous copy does.",
        A::Dec => "Counts the word down to 0, then from the value; the word as it was before.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_says_how_it_is_called_and_what_it_does() {
        let all = function_help();
        assert!(all.len() > 300, "{}", all.len());
        for FunctionHelp { signature, text } in &all {
            assert!(
                signature.ends_with(')') && signature.contains(' '),
                "{signature}"
            );
            assert!(text.ends_with('.') && text.len() > 8, "{signature}: {text}");
            assert!(!text.contains('`'), "{signature}: {text} names itself");
        }
        for signature in [
            "float fmaxf(float, float)",
            "T exp(T)",
            "T __shfl_xor_sync(unsigned mask, T value, int lane, int width = 32)",
            "float frexpf(float, int*)",
            "__half2 __float2half2_rn(float)",
            "T atomicCAS(T* address, T compare, T value)",
        ] {
            assert!(
                all.iter().any(|help| help.signature == signature),
                "{signature}"
            );
        }
    }
}
