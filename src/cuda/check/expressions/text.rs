//! Strings of the host.

use crate::source::Span;

use crate::cuda::lex;
use crate::cuda::resolve::{Checker, pointer, scalar};
use crate::cuda::typed::{Expr, ExprKind, HostExpr, Scalar};

impl Checker {
    /// A string: a pointer to its bytes.
    pub fn text(&mut self, text: &str, span: Span) -> Option<Expr> {
        let bytes = self.bytes_of_text(text, span)?;
        self.frame.uses_host = true;
        Some(Expr {
            kind: ExprKind::Host(Box::new(HostExpr::Text(bytes))),
            ty: pointer(scalar(Scalar::I8), true),
            span,
        })
    }

    /// The bytes of a string, with the 0 at its end.
    pub fn bytes_of_text(&mut self, text: &str, span: Span) -> Option<Vec<u8>> {
        match lex::unescaped(text) {
            Ok(mut bytes) => {
                bytes.push(0);
                Some(bytes)
            }
            Err(why) => self.error(span, why),
        }
    }
}
