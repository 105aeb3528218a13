//! Text to tokens, and what numbers and characters among them mean.

mod token;

mod literal;

mod lexer;

pub use lexer::lex;
pub use literal::{Literal, character, number, unescaped};
pub use token::{Bad, Name, Punct, Token, TokenKind};
