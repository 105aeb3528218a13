//! Which of several functions a call means ([over.match]).

use crate::source::{Diagnostic, Span};

use super::callee::{Callee, UNFINISHED, count};
use crate::cuda::resolve::{
    Argument, Candidate, Checker, Operand, ParamType, Signature, State, listed, node, pointer,
    promoted,
};
use crate::cuda::typed::{Expr, ExprKind, Place, PlaceKind, Scalar, Type};

/// A function that a call may mean.
#[derive(Clone, Copy)]
struct Viable {
    signature: usize,
    template: Option<usize>,
}

impl Viable {
    fn function(signature: usize) -> Self {
        Viable {
            signature,
            template: None,
        }
    }
}

impl Checker {
    /// A call of one of several functions of the file.
    pub fn call_candidates(
        &mut self,
        callee: &Callee,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Operand> {
        let explicit = match callee.template {
            Some(written) => self.template_arguments(written)?,
            None => Vec::new(),
        };
        let mut viable = Vec::new();
        for &candidate in callee.candidates {
            match candidate {
                Candidate::Function(signature) if callee.template.is_none() => {
                    viable.push(Viable::function(signature));
                }
                // With arguments in `<…>` only a template can be meant ([temp.names]).
                Candidate::Function(_) => {}
                Candidate::Template(template) => {
                    viable.extend(self.made_for(callee, template, &explicit, &arguments, span)?);
                }
            }
        }
        let chosen = match &viable[..] {
            [only] => *only,
            [] => return self.no_candidate(callee, &arguments, span),
            _ => self.best(callee, &viable, &arguments, span)?,
        };
        self.call_signature(chosen.signature, chosen.template, callee, arguments, span)
    }

    /// What a template gives for these arguments; nothing in it if it cannot be made for them and others may be
    /// meant, which `std::enable_if` counts on.
    fn made_for(
        &mut self,
        callee: &Callee,
        template: usize,
        explicit: &[Argument],
        arguments: &[Operand],
        span: Span,
    ) -> Option<Option<Viable>> {
        let is_only = callee.candidates.len() == 1;
        let before = self.reports.mark();
        let deduced = self.deduce(template, explicit, arguments);
        if self.reports.any_since(before) {
            if is_only {
                return None;
            }
            self.reports.take_back(before);
            if let Ok(Some(signature)) = deduced {
                self.functions.unmake(template, signature);
            }
            return Some(None);
        }
        match deduced {
            Ok(Some(signature)) => Some(Some(Viable {
                signature,
                template: Some(template),
            })),
            Ok(None) | Err(_) if !is_only => Some(None),
            Ok(None) => None,
            Err(problem) => self.not_deduced(template, problem, span),
        }
    }

    fn not_deduced<T>(&mut self, template: usize, problem: String, span: Span) -> Option<T> {
        let of = &self.functions.templates[template];
        let name = of.name.clone();
        let error = Diagnostic::error(span, format!("`{name}`: {problem}"))
            .also(of.span, "the template")
            .help(format!(
                "write them: `{name}<…>(…)`, of <{}>",
                listed(&of.params)
            ));
        self.refuse(error)
    }

    fn deduce(
        &mut self,
        template: usize,
        explicit: &[Argument],
        arguments: &[Operand],
    ) -> Result<Option<usize>, String> {
        let of = &self.functions.templates[template];
        let (params, context, function) =
            (of.params.clone(), of.context.clone(), of.function.clone());
        if explicit.len() > params.len() {
            return Err("there are too many template arguments".to_string());
        }
        // [temp.arg.explicit]: those that are written come first, and the others are deduced.
        let mut found: Vec<Option<Argument>> = explicit.iter().cloned().map(Some).collect();
        found.resize(params.len(), None);
        for (param, argument) in function.params.iter().zip(arguments) {
            let mut known = found.clone();
            if !self.types.unify(
                &params,
                &param.ty,
                argument.ty(),
                argument.is_const(),
                &mut known,
            ) {
                return Err("the arguments stand for different template arguments".to_string());
            }
            found = known;
        }
        // What was written stays as it is.
        for (at, argument) in explicit.iter().enumerate() {
            found[at] = Some(argument.clone());
        }
        let all = self.complete(&params, &context, found)?;
        Ok(self.instantiate(template, all))
    }

    fn no_candidate<T>(&mut self, callee: &Callee, arguments: &[Operand], span: Span) -> Option<T> {
        let types: Vec<String> = arguments.iter().map(|a| format!("`{}`", a.ty())).collect();
        let name = callee.name;
        let message = format!("no function `{name}` takes ({})", types.join(", "));
        let mut error = Diagnostic::error(span, message);
        for candidate in callee.candidates.iter().take(3) {
            let (span, what) = match candidate {
                Candidate::Function(index) => {
                    (self.functions.signatures[*index].span, "not this one")
                }
                Candidate::Template(index) => {
                    (self.functions.templates[*index].span, "not this template")
                }
            };
            error = error.also(span, what);
        }
        self.refuse(error)
    }

    /// The function whose parameters fit best.
    fn best(
        &mut self,
        callee: &Callee,
        viable: &[Viable],
        arguments: &[Operand],
        span: Span,
    ) -> Option<Viable> {
        let mut ranked: Vec<(Viable, Vec<u8>)> = Vec::new();
        for &candidate in viable {
            if self.functions.signatures[candidate.signature]
                .params
                .is_none()
            {
                return None;
            }
            let ranks = self.ranks(callee, candidate, arguments);
            ranked.extend(ranks.map(|ranks| (candidate, ranks)));
        }
        let best = ranked.iter().find(|(_, a)| {
            let mut others = ranked.iter().filter(|(_, b)| !std::ptr::eq(a, b));
            others.all(|(_, b)| beats(a, b))
        });
        if let Some((best, _)) = best {
            return Some(*best);
        }
        if ranked.is_empty() {
            return self.no_candidate(callee, arguments, span);
        }
        let message = format!("the call of `{}` is ambiguous", callee.name);
        let mut error = Diagnostic::error(span, message).help("convert the arguments");
        for (candidate, _) in ranked.iter().take(3) {
            error = error.also(
                self.functions.signatures[candidate.signature].span,
                "this fits",
            );
        }
        self.refuse(error)
    }

    /// How much each argument is changed by passing it to this function, then the object, and whether it is of a
    /// template; nothing if it does not take them.
    fn ranks(&self, callee: &Callee, candidate: Viable, arguments: &[Operand]) -> Option<Vec<u8>> {
        let signature = &self.functions.signatures[candidate.signature];
        let params = signature.params.as_ref()?;
        if !(signature.least..=params.len()).contains(&arguments.len()) {
            return None;
        }
        let pairs = arguments.iter().zip(params);
        let ranks = pairs.map(|(a, p)| rank(a, p).or_else(|| self.rank_of_construction(a, p)));
        let mut ranks: Vec<u8> = ranks.collect::<Option<_>>()?;
        match &callee.this {
            // [over.match.funcs]: the object counts as an argument: a `const` one rules out functions that may change
            // it.
            Some((_, true)) if !signature.is_const && signature.has_this => return None,
            Some((_, true)) => ranks.push(0),
            // [over.ics.rank]: for an object that may change, the function without `const` behind it fits better.
            Some((_, false)) => ranks.push(u8::from(signature.is_const)),
            None => {}
        }
        ranks.push(u8::from(candidate.template.is_some()));
        Some(ranks)
    }

    /// A call of one function, whose arguments are converted.
    pub fn call_signature(
        &mut self,
        index: usize,
        template: Option<usize>,
        callee: &Callee,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Operand> {
        self.define_out_of_line(index);
        let signature = self.functions.signatures[index].clone();
        let params = signature.params.clone()?;
        if !(signature.least..=params.len()).contains(&arguments.len()) {
            return self.wrong_count(&signature, params.len(), arguments.len(), span);
        }
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if signature.has_this {
            values.push(self.object(&signature, callee, span)?);
        }
        // All arguments are looked at, so that each wrong one is reported.
        let mut given = arguments.into_iter();
        let passed = params
            .iter()
            .enumerate()
            .map(|(at, param)| match given.next() {
                Some(argument) => self.passed(argument, param),
                None => self.default_argument_of(&signature, at, param, span),
            });
        let passed: Vec<Option<Expr>> = passed.collect();
        values.extend(passed.into_iter().collect::<Option<Vec<_>>>()?);
        // Computed now if all is constant, so that `int a[f(3)];` has a length.
        if let Some(folded) = self.folded_call(index, template, &values, span) {
            return Some(Operand::Value(folded));
        }
        self.refuse_call(&signature, callee.at)?;
        if signature.has_this {
            values.extend(self.captured_places(&signature.context.captures, callee.at)?);
        }
        self.finish_call(index, template, values, callee.at, span)
    }

    fn wrong_count<T>(
        &mut self,
        signature: &Signature,
        most: usize,
        given: usize,
        span: Span,
    ) -> Option<T> {
        let wanted = match signature.least == most {
            true => count(most),
            false => format!("{} to {}", signature.least, count(most)),
        };
        let message = format!("`{}` takes {wanted}, not {given}", signature.name);
        let error = Diagnostic::error(span, message);
        self.refuse(error.also(signature.span, "declared here"))
    }

    fn finish_call(
        &mut self,
        index: usize,
        template: Option<usize>,
        values: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Option<Operand> {
        let id = self.body_for_call(index, template, span);
        let signature = &self.functions.signatures[index];
        let is_open = signature.state == State::Open;
        if is_open || self.functions.constant_only.contains(&index) {
            let allowed = self.may_only_be_computed(index);
            if !allowed {
                return self.recursion(index, at);
            }
        }
        let signature = &self.functions.signatures[index];
        let (returns, reference) = (signature.returns.ty.clone()?, signature.returns.reference);
        // A function that is still being checked has no number yet: that of its signature stands for it.
        let id = match is_open {
            true => UNFINISHED + index,
            false => id?,
        };
        let kind = ExprKind::Call(id, values);
        Some(match reference {
            None => Operand::Value(node(kind, returns, span)),
            // It returns an address; the call stands for the place there.
            Some(is_const) => {
                let call = node(kind, pointer(returns.clone(), is_const), span);
                let kind = PlaceKind::Deref(Box::new(call));
                let ty = returns;
                Operand::place(Place { kind, ty, span }, is_const)
            }
        })
    }
}

/// [over.match.best]: no argument worse and one better; a plain function before a template only where all arguments
/// are alike.
fn beats(a: &[u8], b: &[u8]) -> bool {
    let last = a.len() - 1;
    let better = a[..last].iter().zip(b).any(|(x, y)| x < y);
    let worse = a[..last].iter().zip(b).any(|(x, y)| x > y);
    !worse && (better || a[last] < b[last])
}

fn is_null(argument: &Operand) -> bool {
    let Operand::Value(value) = argument else {
        return false;
    };
    matches!(value.kind, ExprKind::Constant(0))
}

/// How much an argument is changed by passing it: 0 for not at all; nothing if it cannot be passed.
fn rank(argument: &Operand, param: &ParamType) -> Option<u8> {
    let from = argument.ty();
    // [dcl.init.ref]: a reference without `const` needs a variable of just its type.
    if param.is_reference && !param.is_const {
        let may_change = matches!(argument, Operand::Place { .. }) && !argument.is_const();
        return (*from == param.ty && may_change).then_some(0);
    }
    match (from, &param.ty) {
        (from, to) if from == to => {
            // A reference that allows changes is preferred where there is one.
            let is_place = matches!(argument, Operand::Place { .. });
            Some(u8::from(
                is_place && !argument.is_const() && param.is_reference,
            ))
        }
        (Type::Scalar(from), Type::Scalar(to)) => {
            // [over.ics.scs]: 0 and 1 exact, 2 promotion, 3 conversion, 4 by a constructor.
            // [conv.prom] and [conv.fpprom]: narrow integers to `int`, `float` to `double`.
            let promotes = promoted(*from) == *to || (*from, *to) == (Scalar::F32, Scalar::F64);
            Some(if promotes { 2 } else { 3 })
        }
        // [over.ics.scs]: from array to pointer is an exact match.
        (Type::Array(from, _), Type::Pointer { to, .. }) if **from == **to => Some(0),
        (
            Type::Pointer { to: a, is_const },
            Type::Pointer {
                to: b,
                is_const: to_const,
            },
        ) if *to_const || !is_const => match a == b || is_null(argument) {
            true => Some(1),
            false => (**b == Type::Void).then_some(3),
        },
        (Type::Scalar(of), Type::Pointer { .. }) if of.is_integer() => {
            is_null(argument).then_some(3)
        }
        _ => None,
    }
}
