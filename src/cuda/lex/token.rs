//! Tokens: the words of a text, before and after preprocessing.

use std::rc::Rc;

use crate::source::Span;

/// A spelling, shared between the tokens and trees that carry it.
pub type Name = Rc<str>;

/// A word of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it was written; for a token that a macro made, where the macro was used.
    pub span: Span,
    /// Whether only blanks stand before it on its line.
    pub first_on_line: bool,
    /// Whether a blank stands before it.
    pub after_space: bool,
    /// Whether it names a macro that must not be expanded any more.
    pub painted: bool,
    /// Whether it stands in a header that is written out here.
    pub is_library: bool,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Ident(Name),
    /// A number as written; `literal` finds its value.
    Number(Name),
    /// What stands between the quotes of a character.
    Char(Name),
    /// What stands between the quotes of a string.
    Str(Name),
    /// An operator or bracket.
    Punct(Punct),
    /// Something that is no token; an error only where it is used.
    Bad(Bad),
    /// What stands here for the host, where the text up to [`TokenKind::GpuTextEnd`] is for the GPU: nvcc reads a program
    /// twice, and defines `__CUDA_ARCH__` the second time.
    HostText(Rc<Vec<Token>>),
    /// Where text for both begins again.
    GpuTextEnd,
    /// The end of the text.
    End,
}

/// Why something is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// A character that C++ does not use.
    Character(char),
    /// A quote `'` without its partner.
    OpenChar,
    /// A quote `"` without its partner.
    OpenString,
}

impl Token {
    /// A token with nothing before it.
    pub fn new(kind: TokenKind, span: Span) -> Self {
        Token {
            kind,
            span,
            first_on_line: false,
            after_space: false,
            painted: false,
            is_library: false,
        }
    }

    /// The identifier, if it is one.
    pub fn ident(&self) -> Option<&Name> {
        match &self.kind {
            TokenKind::Ident(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is this operator.
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}

impl TokenKind {
    /// As written in a program.
    pub fn spelling(&self) -> String {
        match self {
            TokenKind::Ident(text) | TokenKind::Number(text) => text.to_string(),
            TokenKind::Char(text) => format!("'{text}'"),
            TokenKind::Str(text) => format!("\"{text}\""),
            TokenKind::Punct(punct) => punct.spelling().to_string(),
            TokenKind::Bad(Bad::Character(character)) => character.to_string(),
            TokenKind::Bad(Bad::OpenChar) => "'".to_string(),
            TokenKind::Bad(Bad::OpenString) => "\"".to_string(),
            TokenKind::HostText(_) | TokenKind::GpuTextEnd | TokenKind::End => String::new(),
        }
    }

    /// As messages call it.
    pub fn describe(&self) -> String {
        match self {
            TokenKind::End => "the end of the file".to_string(),
            kind => format!("`{}`", kind.spelling()),
        }
    }
}

macro_rules! puncts {
    ($($name:ident $text:literal)*) => {
        /// Operators and brackets.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the table beside each name says it")]
        pub enum Punct { $($name),* }

        /// Longest spellings first.
        const PUNCTS: &[(&str, Punct)] = &[$(($text, Punct::$name)),*];

        impl Punct {
            /// As written.
            pub fn spelling(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

puncts! {
    ShlAssign "<<=" ShrAssign ">>=" Ellipsis "..."
    Shl "<<" Shr ">>" Le "<=" Ge ">=" EqEq "==" NotEq "!=" AndAnd "&&" OrOr "||"
    PlusPlus "++" MinusMinus "--" Arrow "->" Scope "::" HashHash "##"
    AddAssign "+=" SubAssign "-=" MulAssign "*=" DivAssign "/=" RemAssign "%="
    AndAssign "&=" OrAssign "|=" XorAssign "^="
    Plus "+" Minus "-" Star "*" Slash "/" Percent "%" And "&" Or "|" Caret "^" Tilde "~" Not "!"
    Lt "<" Gt ">" Assign "=" Question "?" Colon ":" Semicolon ";" Comma "," Dot "." Hash "#"
    OpenParen "(" CloseParen ")" OpenBracket "[" CloseBracket "]" OpenBrace "{" CloseBrace "}"
}

/// Words that mean operators ([lex.digraph]).
const WORDS: [(&str, Punct); 11] = [
    ("and", Punct::AndAnd),
    ("or", Punct::OrOr),
    ("not", Punct::Not),
    ("xor", Punct::Caret),
    ("bitand", Punct::And),
    ("bitor", Punct::Or),
    ("compl", Punct::Tilde),
    ("not_eq", Punct::NotEq),
    ("and_eq", Punct::AndAssign),
    ("or_eq", Punct::OrAssign),
    ("xor_eq", Punct::XorAssign),
];

impl Punct {
    /// The operator that a word means.
    pub fn from_word(word: &str) -> Option<Punct> {
        let entry = WORDS.iter().find(|entry| entry.0 == word);
        entry.map(|entry| entry.1)
    }

    /// The word that means it.
    pub fn word(self) -> Option<&'static str> {
        let entry = WORDS.iter().find(|entry| entry.1 == self);
        entry.map(|entry| entry.0)
    }

    /// The longest operator that `text` begins with.
    pub fn longest(text: &str) -> Option<Punct> {
        let first = text.as_bytes().first()?;
        // The table is sorted by length, so the first that fits is the longest: `a<<=b` is three tokens
        // ([lex.pptoken]).
        PUNCTS
            .iter()
            .find(|(spelling, _)| spelling.as_bytes()[0] == *first && text.starts_with(spelling))
            .map(|&(_, punct)| punct)
    }
}
