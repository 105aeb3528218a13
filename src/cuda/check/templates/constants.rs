//! Templates of constants: `template <typename T> constexpr int size = sizeof(T);`

use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::ast::{Declaration, Path, Template, TemplateArgument, Variable};
use crate::cuda::resolve::{
    Checker, MOST_NESTED, Packs, Symbol, VariableTemplate, bound, constant,
};
use crate::cuda::typed::Expr;

impl Checker {
    pub fn variable_template(&mut self, params: &Template, written: &Rc<Declaration>) {
        let Some(variable) = written.variables.first() else {
            return;
        };
        if let Some(arguments) = &variable.specialises {
            self.special_constant(params, variable, arguments, written);
            return;
        }
        self.types.variable_templates.push(VariableTemplate {
            params: params.clone(),
            context: self.names.file_context(),
            declaration: written.clone(),
            special: Vec::new(),
        });
        let index = self.types.variable_templates.len() - 1;
        self.declare(&variable.name, Symbol::VariableTemplate(index));
    }

    /// `template <> constexpr int size<char> = 1;`
    fn special_constant(
        &mut self,
        params: &Template,
        variable: &Variable,
        arguments: &[TemplateArgument],
        written: &Rc<Declaration>,
    ) -> Option<()> {
        let (name, span) = (&variable.name.name, variable.name.span);
        if !params.is_empty() {
            let message = format!("`{name}` for arguments of some form is not supported yet");
            let error = Diagnostic::error(span, message);
            return self.refuse(error.help("choose by `if constexpr` in a function"));
        }
        let arguments = self.template_arguments(arguments)?;
        let found = self.names.find(name).map(|entry| entry.symbol.clone());
        let Some(Symbol::VariableTemplate(template)) = found else {
            return self.error(span, format!("`{name}` is no template of constants"));
        };
        let special = &mut self.types.variable_templates[template].special;
        special.push((arguments, written.clone()));
        Some(())
    }

    /// The value of a template of constants for the arguments that `path` gives.
    pub fn made_constant(&mut self, template: usize, path: &Path) -> Option<Expr> {
        let arguments = self.template_arguments(path.arguments().unwrap_or(&[]))?;
        let of = &self.types.variable_templates[template];
        let (params, context) = (of.params.clone(), of.context.clone());
        let given = arguments.into_iter().map(Some).collect();
        let arguments = match self.complete(&params, &context, given) {
            Ok(arguments) => arguments,
            Err(problem) => {
                let message = format!("`{}`: {problem}", path.joined());
                return self.error(path.span, message);
            }
        };
        self.another_instance(path.span)?;
        let declaration = self.types.variable_templates[template].for_arguments(&arguments);
        // `template <int N> constexpr int f = f<N - 1>;` has no end.
        if self.functions.effort.nested >= MOST_NESTED {
            return self.error(path.span, "templates are made from each other too deeply");
        }
        let declaration = match Packs::of(&params, &arguments) {
            Some(packs) => Rc::new(packs.declaration(&declaration)),
            None => declaration,
        };
        let variable = declaration.variables.first()?;
        let mut context = bound(&params, &arguments, &context);
        // As for functions: what is declared up to the use is known ([temp.point]).
        context.item = context.item.max(self.names.item);
        self.functions.effort.nested += 1;
        let made = self.within(&context, |checker| {
            checker.file_variable(variable, &declaration.specifiers)
        });
        self.functions.effort.nested -= 1;
        match made? {
            Symbol::Constant(ty, bits) => Some(constant(ty, bits, path.span)),
            _ => {
                let error = Diagnostic::error(path.span, "this is no constant");
                self.refuse(error.also(variable.span, "its template"))
            }
        }
    }
}
