//! Functions of structs that are defined outside of them: `void Stack<T>::push(T x) {…}`.

use std::rc::Rc;

use super::declarator::Declarator;
use super::types::Head;
use super::{Parse, Parser};
use crate::cuda::ast::*;
use crate::cuda::token::Punct;

impl Parser {
    /// How many names stand before the last one of the path here, if a function's parameters follow
    /// it, and whether it names a constructor.
    pub(super) fn member_path(&self) -> Option<(usize, bool)> {
        let (mut at, mut names) = (0, 0);
        loop {
            let name = self.ahead(at).ident()?;
            let behind = match self.begins_template_arguments(at) {
                true => self.behind_template_arguments(at + 1)?,
                false => at + 1,
            };
            if !self.ahead(behind).is(Punct::Scope) {
                return None;
            }
            names += 1;
            at = behind + 1;
            if self.word_ahead(at) == "operator" {
                return Some((names, false));
            }
            let last = self.ahead(at).ident()?;
            if self.ahead(at + 1).is(Punct::OpenParen) {
                return Some((names, last == name));
            }
        }
    }

    /// A constructor, from its struct's name on.
    pub(super) fn constructor_outside(
        &mut self,
        specifiers: Specifiers,
        names: usize,
        template: Option<Template>,
    ) -> Parse<Item> {
        let returns = TypeName {
            base: Base::Void,
            is_const: false,
            is_volatile: false,
            modifiers: Vec::new(),
            span: self.span(),
        };
        self.outside(specifiers, returns, names, template, true)
    }

    /// Another function, from its struct's name on.
    pub(super) fn method_outside(
        &mut self,
        head: Head,
        declarator: Declarator,
        names: usize,
        template: Option<Template>,
    ) -> Parse<Item> {
        let start = head.ty.span;
        let returns = self.around(head.ty, declarator, start);
        self.outside(head.specifiers, returns, names, template, false)
    }

    fn outside(
        &mut self,
        specifiers: Specifiers,
        returns: TypeName,
        names: usize,
        template: Option<Template>,
        is_constructor: bool,
    ) -> Parse<Item> {
        let start = self.span();
        let mut segments = Vec::new();
        for _ in 0..names {
            let has_arguments = self.begins_template_arguments(0);
            let name = self.ident("the name of a struct")?;
            let arguments = match has_arguments {
                true => Some(self.template_arguments()?),
                false => None,
            };
            segments.push(Segment { name, arguments });
            self.expect(Punct::Scope, "and the name of the function")?;
        }
        let path = Path {
            is_global: false,
            segments,
            span: start.to(self.previous),
        };
        let name = self.function_name()?;
        let last = path.segments.last().map(|segment| &segment.name.name);
        let scope = last.and_then(|last| self.record_scopes.get(last));
        let scope = scope.cloned().unwrap_or_default();
        let depth = self.scopes.len();
        self.scopes.push(scope);
        self.scopes.push(Default::default());
        let function = self.signature_and_body(specifiers, returns, name, is_constructor);
        self.scopes.truncate(depth);
        let mut function = function?;
        function.template = template;
        function.member_of = Some(path);
        Ok(Item::Function(Rc::new(function)))
    }
}
