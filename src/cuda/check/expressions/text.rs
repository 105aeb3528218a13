//! Strings as values.

use crate::source::Span;

use crate::cuda::lex;
use crate::cuda::resolve::{Checker, Operand, Side, load, pointer, scalar};
use crate::cuda::typed::{
    Expr, ExprKind, FileMemory, FileVariable, HostExpr, Place, PlaceKind, Scalar, Type,
};

impl Checker {
    /// A string: a pointer to its bytes.
    pub fn text(&mut self, text: &str, span: Span) -> Option<Expr> {
        let bytes = self.bytes_of_text(text, span)?;
        if self.frame.side == Side::Gpu {
            return Some(self.text_of_kernel(text, bytes, span));
        }
        self.frame.uses_host = true;
        Some(Expr {
            kind: ExprKind::Host(Box::new(HostExpr::Text(bytes))),
            ty: pointer(scalar(Scalar::Char), true),
            span,
        })
    }

    /// A string of a kernel: an array in constant memory, one for all that are alike.
    fn text_of_kernel(&mut self, text: &str, bytes: Vec<u8>, span: Span) -> Expr {
        // No variable can have such a name.
        let name = format!("\"{text}\"");
        let mut known = self.program.variables.iter();
        let id = known
            .position(|variable| variable.name == name)
            .unwrap_or_else(|| {
                self.program.variables.push(FileVariable {
                    path: name.clone(),
                    name,
                    ty: Type::Array(Box::new(scalar(Scalar::Char)), bytes.len() as u32),
                    memory: FileMemory::Constant,
                    align_bytes: 1,
                    span,
                    initializer: None,
                    bytes,
                    filled_by_host: None,
                });
                self.program.variables.len() - 1
            });
        let ty = self.program.variables[id].ty.clone();
        let kind = PlaceKind::File(id);
        load(Operand::place(Place { kind, ty, span }, true))
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
