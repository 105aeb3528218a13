//! Random numbers by Philox-4x32-10 (Salmon and others, 2011), bit for bit those of `python/triton/language/random.py`.

use crate::triton::tile::{Binary, Comparison, Element, Op, Unary, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::Traceable;
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

const KEYS: [i128; 2] = [0x9E37_79B9, 0xBB67_AE85];
const FACTORS: [i128; 2] = [0xD251_1F53, 0xCD9E_8D57];
const ROUNDS: i128 = 10;
/// Just below 2^-31.
const SCALE: f64 = 4.656_612_734_2e-10;
const SMALLEST: f64 = 1.0e-7;

impl Tracer<'_> {
    /// A function of random numbers; nothing if `name` is none of these.
    pub fn random_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        let words = match name {
            "rand" | "randn" | "randint" | "randint4x" | "rand4x" => self.philox(given)?,
            _ => return Ok(None),
        };
        let uniform = |tracer: &mut Self, word: &Traced| tracer.uniform(word);
        let traced = match name {
            "randint" => words[0].clone(),
            "randint4x" => Traced::Tuple(words),
            "rand" => uniform(self, &words[0])?,
            "rand4x" => {
                let parts = words.iter().map(|word| self.uniform(word));
                Traced::Tuple(parts.collect::<Traceable<_>>()?)
            }
            _ => {
                let (first, second) = (uniform(self, &words[0])?, uniform(self, &words[1])?);
                self.normal(&first, &second)?
            }
        };
        Ok(Some(traced))
    }

    fn word(&mut self, traced: &Traced) -> Traceable<Traced> {
        let value = self.builder.materialise(traced)?;
        self.builder.cast(value, Element::U32).map(Traced::Value)
    }

    /// Four words of 32 random bits for each offset.
    fn philox(&mut self, given: &Arguments) -> Traceable<Vec<Traced>> {
        let seed = self.builder.materialise(&given.need(0, "seed")?)?;
        let seed = Traced::Value(self.builder.cast(seed, Element::U64)?);
        let high = self
            .builder
            .arithmetic(Binary::ShiftRight, &seed, &Traced::Integer(32))?;
        let mut keys = [self.word(&seed)?, self.word(&high)?];
        let offset = given.need(1, "offset")?;
        let rounds = given.integer(2, "n_rounds")?.unwrap_or(ROUNDS);
        let offset: Value = self.builder.materialise(&offset)?;
        let shape = self.builder.ty(offset).shape.clone();
        let first = self.word(&Traced::Value(offset))?;
        let zero = self.word(&Traced::Integer(0))?;
        let zero = self.builder.materialise(&zero)?;
        let zero = Traced::Value(self.builder.broadcast_to(zero, &shape)?);
        let mut counters = [first, zero.clone(), zero.clone(), zero];
        let [key_a, key_b] = [
            self.word(&Traced::Integer(KEYS[0]))?,
            self.word(&Traced::Integer(KEYS[1]))?,
        ];
        let [a, b] = [
            self.word(&Traced::Integer(FACTORS[0]))?,
            self.word(&Traced::Integer(FACTORS[1]))?,
        ];
        for _ in 0..rounds {
            let [c0, c1, c2, c3] = counters;
            let x = self.mixed(&b, &c2, [&c1, &keys[0]])?;
            let z = self.mixed(&a, &c0, [&c3, &keys[1]])?;
            let y = self.builder.arithmetic(Binary::Mul, &b, &c2)?;
            let w = self.builder.arithmetic(Binary::Mul, &a, &c0)?;
            counters = [x, y, z, w];
            keys = [
                self.builder.arithmetic(Binary::Add, &keys[0], &key_a)?,
                self.builder.arithmetic(Binary::Add, &keys[1], &key_b)?,
            ];
        }
        Ok(counters.to_vec())
    }

    fn mixed(&mut self, factor: &Traced, word: &Traced, with: [&Traced; 2]) -> Traceable<Traced> {
        let high = self.builder.arithmetic(Binary::MulHigh, factor, word)?;
        let mixed = self.builder.arithmetic(Binary::Xor, &high, with[0])?;
        self.builder.arithmetic(Binary::Xor, &mixed, with[1])
    }

    /// A word as a number from 0 to 1.
    fn uniform(&mut self, word: &Traced) -> Traceable<Traced> {
        let value = self.builder.materialise(word)?;
        let ty = self.builder.ty(value).of(Element::I32);
        let signed = Traced::Value(self.builder.emit(Op::Bitcast, &[value], ty));
        let is_negative = self
            .builder
            .comparison(Comparison::Lt, &signed, &Traced::Integer(0))?;
        // Negated alone, the least integer would stay negative.
        let flipped = self.builder.unary(Unary::Negate, &signed)?;
        let flipped = self
            .builder
            .arithmetic(Binary::Sub, &flipped, &Traced::Integer(1))?;
        let positive = self.builder.select(&is_negative, &flipped, &signed)?;
        self.builder
            .arithmetic(Binary::Mul, &positive, &Traced::Float(SCALE))
    }

    /// Two uniform numbers as a normal one, by Box and Muller.
    fn normal(&mut self, first: &Traced, second: &Traced) -> Traceable<Traced> {
        // The logarithm of 0 is infinite.
        let first = self
            .builder
            .arithmetic(Binary::Max, &Traced::Float(SMALLEST), first)?;
        let angle =
            self.builder
                .arithmetic(Binary::Mul, &Traced::Float(std::f64::consts::TAU), second)?;
        let logarithm = self.float_of(Unary::Log, &first)?;
        let square = self
            .builder
            .arithmetic(Binary::Mul, &Traced::Float(-2.0), &logarithm)?;
        let radius = self.float_of(Unary::Sqrt, &square)?;
        let cosine = self.float_of(Unary::Cos, &angle)?;
        self.builder.arithmetic(Binary::Mul, &radius, &cosine)
    }
}
