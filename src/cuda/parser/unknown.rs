//! What stands where a type should, and is none.

use crate::source::{Diagnostic, nearest};

use super::{Meaning, Parse, Parser, refused};
use crate::cuda::ast::Base;
use crate::cuda::token::Punct;

/// Words that may begin a declaration, for suggestions.
const DECLARATION_WORDS: [&str; 28] = [
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__forceinline__",
    "__launch_bounds__",
    "extern",
    "static",
    "inline",
    "const",
    "constexpr",
    "using",
    "typedef",
    "void",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "float",
    "double",
    "float2",
    "float4",
    "size_t",
    "uint32_t",
    "int64_t",
];

impl Parser {
    /// Reports what stands where a type should; an unknown name before another name is taken as one.
    pub(super) fn unknown_type(&mut self) -> Parse<Base> {
        let span = self.span();
        let Some(name) = self.token().ident().cloned() else {
            return Err(self.expected("a type"));
        };
        if self.begins_path() {
            let path = self.path("a type")?;
            let error = Diagnostic::error(path.span, format!("unknown type `{}`", path.joined()));
            return Err(self.report(error));
        }
        if let Some(error) = refused::construct(&name, span) {
            return Err(self.report(error));
        }
        let names_something = self.ahead(1).ident().is_some() || self.ahead(1).is(Punct::Star);
        let mut error = Diagnostic::error(span, format!("unknown type `{name}`"));
        let declared = self.scopes.iter().flatten();
        let types = declared.filter(|(_, meaning)| **meaning == Meaning::Type);
        let candidates = DECLARATION_WORDS
            .into_iter()
            .chain(types.map(|(name, _)| &**name));
        if let Some(near) = nearest(&name, candidates).first() {
            error = error.help(format!("did you mean `{near}`?"));
        }
        let reported = self.report(error);
        if !names_something {
            return Err(reported);
        }
        self.bump();
        // `__globl__ void f()`: the type comes after the word that was misspelt.
        if self.begins_type() {
            self.head()?;
        }
        Ok(Base::Refused)
    }
}
