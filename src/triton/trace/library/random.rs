//! Random numbers by Philox-4x32-10 (Salmon and others, 2011), bit for bit those of `python/triton/language/random.py`.

use crate::triton::tile::{Binary, Comparison, Element, Op, Unary, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
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
            "rand" | "randn" | "randint" | "randint4x" | "rand4x" | "randn4x" => {
                self.words_at(given)?
            }
            "philox" => self.philox(given)?,
            "uint_to_uniform_float" => {
                return self.uniform(&given.need(0, "x")?).map(Some);
            }
            "pair_uniform_to_normal" => {
                let (first, second) = (given.need(0, "u1")?, given.need(1, "u2")?);
                let normal = self.normal(&first, &second)?;
                return Ok(Some(Traced::Tuple(normal.to_vec())));
            }
            _ => return Ok(None),
        };
        let uniform = words.iter().map(|word| match name {
            "randint" | "randint4x" | "philox" => Ok(word.clone()),
            _ => self.uniform(word),
        });
        let parts: Vec<Traced> = uniform.collect::<Traceable<_>>()?;
        Ok(Some(match name {
            "randint" | "rand" => parts[0].clone(),
            "randn" => self.normal(&parts[0], &parts[1])?[0].clone(),
            "randn4x" => {
                let pairs = [[0, 1], [2, 3]].map(|[a, b]| self.normal(&parts[a], &parts[b]));
                let [first, second] = pairs;
                Traced::Tuple([first?, second?].concat())
            }
            _ => Traced::Tuple(parts),
        }))
    }

    fn word(&mut self, traced: &Traced) -> Traceable<Traced> {
        let value = self.builder.materialise(traced)?;
        self.builder.cast(value, Element::U32).map(Traced::Value)
    }

    /// Four words of 32 random bits for each offset.
    fn words_at(&mut self, given: &Arguments) -> Traceable<Vec<Traced>> {
        let offset = given.need(1, "offset")?;
        let rounds = given.integer(2, "n_rounds")?.unwrap_or(ROUNDS);
        let offset: Value = self.builder.materialise(&offset)?;
        let ty = self.builder.ty(offset).clone();
        let offset = Traced::Value(offset);
        let first = self.word(&offset)?;
        let zero = self.word(&Traced::Integer(0))?;
        let zero = self.builder.materialise(&zero)?;
        let zero = Traced::Value(self.builder.broadcast_to(zero, &ty.shape)?);
        let second = match ty.element.bits() {
            64 => self.high_word(&offset)?,
            _ => zero.clone(),
        };
        self.rounds(given, [first, second, zero.clone(), zero], rounds)
    }

    /// `tl.philox`: four words of random bits for each four words of a counter.
    fn philox(&mut self, given: &Arguments) -> Traceable<Vec<Traced>> {
        let rounds = given.integer(5, "n_rounds")?.unwrap_or(ROUNDS);
        let mut counters = Vec::new();
        for (at, name) in ["c0", "c1", "c2", "c3"].into_iter().enumerate() {
            let counter = self.builder.materialise(&given.need(1 + at, name)?)?;
            let element = self.builder.ty(counter).element;
            if element.bits() != 32 || element.is_float() {
                let found = self.builder.ty(counter).words();
                let message =
                    format!("`{name}` must be of int32 or uint32 here, and this is {found}");
                return refuse(given.span, message);
            }
            counters.push(self.word(&Traced::Value(counter))?);
        }
        let counters = counters.try_into().expect("four were pushed");
        self.rounds(given, counters, rounds)
    }

    /// The upper 32 of 64 bits.
    fn high_word(&mut self, traced: &Traced) -> Traceable<Traced> {
        let distance = Traced::Integer(32);
        let high = self
            .builder
            .arithmetic(Binary::ShiftRight, traced, &distance)?;
        self.word(&high)
    }

    /// What so many rounds make of a counter, with the seed as their key.
    fn rounds(
        &mut self,
        given: &Arguments,
        mut counters: [Traced; 4],
        rounds: i128,
    ) -> Traceable<Vec<Traced>> {
        let seed = self.builder.materialise(&given.need(0, "seed")?)?;
        let seed = Traced::Value(self.builder.cast(seed, Element::U64)?);
        let mut keys = [self.word(&seed)?, self.high_word(&seed)?];
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

    /// Two uniform numbers as two normal ones, by Box and Muller.
    fn normal(&mut self, first: &Traced, second: &Traced) -> Traceable<[Traced; 2]> {
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
        let [cosine, sine] = [Unary::Cos, Unary::Sin].map(|unary| self.float_of(unary, &angle));
        let [cosine, sine] = [cosine?, sine?];
        Ok([
            self.builder.arithmetic(Binary::Mul, &radius, &cosine)?,
            self.builder.arithmetic(Binary::Mul, &radius, &sine)?,
        ])
    }
}
