//! Arguments of templates: as written, by default, and as their parameters have them.

use crate::cuda::ast::{
    self, Base, ExprKind as Written, Modifier, PrefixOp, TemplateArgument, TemplateParam,
    TemplateParamKind, TypeName,
};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Argument, Candidate, Checker, Context, Symbol, argument_list, bound, listed, param_text,
};
use crate::cuda::typed::{ExprKind, Scalar, Type, arithmetic};

/// Most letters of template arguments, written out.
const MOST_WRITTEN: usize = 2000;

/// The null pointer, for a parameter that is a pointer: `typename enable_if<…>::type* = nullptr`.
const NULL: Argument = Argument::Value(Scalar::U64, 0);

impl Checker {
    /// Template arguments as written, each resolved by itself; wrong ones are reported.
    pub fn template_arguments(&mut self, written: &[TemplateArgument]) -> Option<Vec<Argument>> {
        let all: Vec<Option<Argument>> =
            written.iter().map(|a| self.template_argument(a)).collect();
        all.into_iter().collect()
    }

    /// A template of types without arguments, other than the one that is being defined.
    fn template_itself(&self, ty: &TypeName) -> Option<Argument> {
        let Base::Named(path) = &ty.base else {
            return None;
        };
        let Some(Symbol::TypeTemplate(template)) = self.names.find_path(path).map(|e| &e.symbol)
        else {
            return None;
        };
        // [temp.local]: within its own struct the bare name is the type, not the template.
        let own = self
            .names
            .record
            .and_then(|record| self.types.records[record].template);
        let is_bare = ty.modifiers.is_empty() && path.arguments().is_none();
        let name = self.types.templates[*template].name.clone();
        (is_bare && own != Some(*template)).then_some(Argument::Template(*template, name))
    }

    fn type_argument(&mut self, ty: &TypeName) -> Option<Argument> {
        if let Some(template) = self.template_itself(ty) {
            return Some(template);
        }
        let (written, reference) = self.referred(ty);
        // `T[]` is an array of any length, of which there are no objects.
        let is_open = matches!(written.modifiers.last(), Some(Modifier::Array(None, _)));
        let (ty, is_const) = self.resolve(&written, None, is_open.then_some(0))?;
        Some(match reference {
            Some(is_rvalue) => Argument::Reference(ty, is_const, is_rvalue),
            None => Argument::Type(ty, is_const),
        })
    }

    fn template_argument(&mut self, written: &TemplateArgument) -> Option<Argument> {
        let value = match written {
            TemplateArgument::Type(ty) => match self.constant_named(ty) {
                Some(value) => return self.template_argument(&TemplateArgument::Value(value)),
                None => return self.type_argument(ty),
            },
            TemplateArgument::Value(value) => value,
        };
        match value.kind {
            Written::Refused => return None,
            Written::Null => return Some(NULL),
            _ => {}
        }
        if let Some(function) = self.function_argument(value) {
            return Some(function);
        }
        let checked = self.value(value)?;
        match (&checked.kind, checked.ty.scalar()) {
            (ExprKind::Constant(bits), Some(of)) if of.is_integer() => {
                Some(Argument::Value(of, *bits))
            }
            (_, Some(of)) if of.is_integer() => {
                let what = "a template argument must be a constant: this is known only when the kernel runs";
                self.error(value.span, what)
            }
            _ => {
                let message = format!(
                    "a template argument is a type or an integer, not a `{}`",
                    checked.ty
                );
                self.error(value.span, message)
            }
        }
    }

    /// The constant that `layout::row` names where a type elsewhere is called `row`, too: the parser took it for that.
    fn constant_named(&self, ty: &TypeName) -> Option<ast::Expr> {
        let Base::Named(path) = &ty.base else {
            return None;
        };
        let is_bare = ty.modifiers.is_empty() && path.segments.len() > 1;
        let found = self.names.find_path(path).filter(|_| is_bare)?;
        matches!(found.symbol, Symbol::Constant(..))
            .then(|| ast::Expr::new(Written::Path(path.clone()), ty.span))
    }

    /// `f` or `&f` of functions.
    fn function_argument(&mut self, written: &ast::Expr) -> Option<Argument> {
        let (name, found) = match &written.kind {
            Written::Prefix(PrefixOp::AddressOf, inner) => return self.function_argument(inner),
            Written::Name(name) => (name.clone(), self.names.find(name).cloned()),
            Written::Path(path) if path.arguments().is_none() => {
                let member = self.static_member(path)?;
                let found = member.or_else(|| self.names.find_path(path).cloned());
                (path.joined().into(), found)
            }
            _ => return None,
        };
        match found?.symbol {
            Symbol::Functions(candidates) => {
                let own = self
                    .own_name(&candidates)
                    .filter(|own| !is_called(own, &name));
                Some(Argument::Function(own.unwrap_or(name), candidates))
            }
            _ => None,
        }
    }

    /// The name of the only function among these.
    fn own_name(&self, candidates: &[Candidate]) -> Option<Name> {
        match candidates {
            [Candidate::Function(index)] => Some(self.functions.signatures[*index].name.clone()),
            _ => None,
        }
    }

    /// The arguments of a template, those that were not given by default; or what is wrong.
    pub fn complete(
        &mut self,
        params: &[TemplateParam],
        context: &Context,
        mut given: Vec<Option<Argument>>,
    ) -> Result<Vec<Argument>, String> {
        gather(params, &mut given);
        if given.len() > params.len() {
            let (given, wanted, params) = (given.len(), params.len(), listed(params));
            return Err(format!(
                "{given} template arguments are given, but there are {wanted} parameters: <{params}>"
            ));
        }
        given.resize(params.len(), None);
        let mut arguments: Vec<Argument> = Vec::with_capacity(params.len());
        for (at, param) in params.iter().enumerate() {
            // [temp.param]: a default may name the parameters before it: `template <typename T, int N = sizeof(T)>`.
            let inner = bound(params, &arguments, context);
            let given = given[at].take();
            arguments.push(self.within(&inner, |checker| checker.argument(param, given, params))?);
        }
        // A template that uses an argument twice doubles the text at each level.
        if argument_list(&arguments).len() > MOST_WRITTEN {
            return Err(format!(
                "the template arguments, written out, have more than {MOST_WRITTEN} letters"
            ));
        }
        Ok(arguments)
    }

    /// The argument for a parameter, given or by default; or why there is none.
    fn argument(
        &mut self,
        param: &TemplateParam,
        given: Option<Argument>,
        params: &[TemplateParam],
    ) -> Result<Argument, String> {
        // [temp.deduct.type]: a pack that nothing says anything of is empty.
        let none = param.is_pack.then(|| Argument::Pack(Vec::new()));
        let given = given.or(none).or_else(|| self.default_argument(param));
        let Some(found) = given else {
            let name = param.name.as_ref().map_or("", |name| &name.name);
            let params = listed(params);
            return Err(format!(
                "the template argument `{name}` is neither given nor deduced: the parameters are <{params}>"
            ));
        };
        self.fit(param, found.clone()).ok_or_else(|| {
            let param = param_text(param);
            format!("`{found}` does not fit the template parameter `{param}`")
        })
    }

    fn default_argument(&mut self, param: &TemplateParam) -> Option<Argument> {
        let written = match &param.kind {
            TemplateParamKind::Type(default) => TemplateArgument::Type(default.clone()?),
            TemplateParamKind::Value(_, default) => TemplateArgument::Value(default.clone()?),
            TemplateParamKind::Template(default) => {
                let path = default.clone()?;
                let span = path.span;
                TemplateArgument::Type(ast::TypeName {
                    base: ast::Base::Named(Box::new(path)),
                    is_const: false,
                    is_volatile: false,
                    modifiers: Vec::new(),
                    span,
                })
            }
        };
        let mut all = self.template_arguments(std::slice::from_ref(&written))?;
        all.pop()
    }

    /// An argument as its parameter's type has it.
    fn fit(&mut self, param: &TemplateParam, argument: Argument) -> Option<Argument> {
        match (&param.kind, argument) {
            (_, Argument::Pack(parts)) if param.is_pack => {
                let fitted = parts.into_iter().map(|part| self.fit(param, part));
                fitted.collect::<Option<_>>().map(Argument::Pack)
            }
            (
                TemplateParamKind::Type(_),
                argument @ (Argument::Type(..) | Argument::Reference(..)),
            ) => Some(argument),
            (TemplateParamKind::Template(_), argument @ Argument::Template(..)) => Some(argument),
            // Which of the functions is meant says the call.
            (TemplateParamKind::Value(ty, _), argument @ Argument::Function(..)) => {
                let is_number = matches!(ty.base, Base::Scalar(_)) && ty.modifiers.is_empty();
                (!is_number).then_some(argument)
            }
            (TemplateParamKind::Value(ty, _), argument @ Argument::Value(from, bits)) => {
                let to = match ty.base {
                    ast::Base::Auto => from,
                    _ => match self.resolve(ty, None, None)?.0 {
                        Type::Pointer { .. } => return (argument == NULL).then_some(argument),
                        of => of.scalar()?,
                    },
                };
                let fitted = arithmetic::convert(from, to, bits)?;
                // [temp.arg.nontype]: the conversion must not change the value: 300 is no `unsigned char`.
                let kept = arithmetic::integer(to, fitted) == arithmetic::integer(from, bits);
                kept.then_some(Argument::Value(to, fitted))
            }
            _ => None,
        }
    }
}

/// Makes one argument, a pack, of those that a parameter pack stands for.
fn gather(params: &[TemplateParam], given: &mut Vec<Option<Argument>>) {
    let Some(pack) = params.iter().position(|param| param.is_pack) else {
        return;
    };
    let is_gathered = matches!(given.get(pack), None | Some(None | Some(Argument::Pack(_))));
    if !is_gathered {
        let parts = given.split_off(pack).into_iter().flatten().collect();
        given.push(Some(Argument::Pack(parts)));
    }
}

/// Whether a path as it is written ends with a function's own name, and not with that of a parameter which stands for it:
/// `step` of `template <Step step> void launch() { apply<step><<<1, 1>>>(); }`.
fn is_called(own: &str, written: &str) -> bool {
    let last = |path: &str| path.rsplit("::").next().map(str::to_owned);
    last(own) == last(written)
}
