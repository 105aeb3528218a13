//! What a kernel prints, and how.

/// A call of `printf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintSite {
    /// What it prints, in order.
    pub pieces: Vec<PrintPiece>,
}

impl PrintSite {
    /// Registers that hold the values of one lane.
    pub fn words(&self) -> u32 {
        let words = |piece: &PrintPiece| match piece {
            PrintPiece::Text(_) => 0,
            PrintPiece::Value(format) => format.conversion.words(),
        };
        self.pieces.iter().map(words).sum()
    }
}

/// A part of what `printf` prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintPiece {
    /// Text as it is.
    Text(String),
    /// The next value.
    Value(PrintFormat),
}

/// How `printf` writes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintFormat {
    /// What the value is and how it is written.
    pub conversion: Conversion,
    /// `-`: padded on the right.
    pub left: bool,
    /// `0`: padded with zeros.
    pub zeros: bool,
    /// `+`: with a sign also where positive.
    pub plus: bool,
    /// A space where a sign could be.
    pub space: bool,
    /// `#`: with `0x` or a leading `0`.
    pub alternate: bool,
    /// Fewest characters.
    pub width: usize,
    /// Digits after the point, or fewest digits of an integer.
    pub precision: Option<usize>,
}

/// What a printed value is and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// A signed integer of 32 or 64 bits, decimal.
    Signed {
        /// Whether of 64 bits.
        wide: bool,
    },
    /// An unsigned integer of 32 or 64 bits.
    Unsigned {
        /// Whether of 64 bits.
        wide: bool,
        /// 8, 10 or 16.
        radix: u32,
        /// With capital digits.
        upper: bool,
    },
    /// A double: `e`, `f` or `g`.
    Float {
        /// The letter, in lower case.
        letter: char,
        /// With a capital `E`.
        upper: bool,
    },
    /// One character, of 32 bits.
    Character,
    /// An address.
    Pointer,
    /// The address of a text that ends with a 0.
    Text,
}

impl Conversion {
    /// Registers that hold the value of one lane.
    pub fn words(self) -> u32 {
        match self {
            Conversion::Signed { wide } | Conversion::Unsigned { wide, .. } => 1 + u32::from(wide),
            Conversion::Float { .. } | Conversion::Pointer | Conversion::Text => 2,
            Conversion::Character => 1,
        }
    }
}
