//! Which of several functions a call means ([over.match]).

use crate::source::{Diagnostic, Span};

use super::callee::{Callee, VirtualRow, count};
use crate::cuda::resolve::{
    Argument, BodyState, Candidate, Checker, Operand, ParamType, RunsOn, Side, Signature, address,
    comma, constant, convert, listed, load, node, place_as, pointer, promoted,
};
use crate::cuda::typed::{Expr, ExprKind, FunctionId, HostExpr, Place, PlaceKind, Scalar, Type};

/// A function that a call may mean.
#[derive(Clone, Copy)]
pub struct Viable {
    pub signature: usize,
    pub template: Option<usize>,
}

/// What a call leads to.
enum Called {
    Function(FunctionId),
    /// Whichever function the object has in this row.
    Virtual(VirtualRow),
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
        let chosen = self.meant(callee, &arguments, span)?;
        self.call_signature(chosen.signature, chosen.template, callee, arguments, span)
    }

    /// The one of several functions that a call means.
    pub fn meant(&mut self, callee: &Callee, arguments: &[Operand], span: Span) -> Option<Viable> {
        let explicit = match callee.template {
            Some(written) => self.template_arguments(written)?,
            None => Vec::new(),
        };
        let mut viable = Vec::new();
        for &candidate in callee.candidates {
            let is_argument = !self.is_called(candidate, callee.name);
            if !is_argument && !self.may_be_meant(candidate, arguments) {
                continue;
            }
            match candidate {
                Candidate::Function(signature) if callee.template.is_none() => {
                    viable.push(Viable::function(signature));
                }
                // With arguments in `<…>` only a template can be meant ([temp.names]).
                Candidate::Function(_) | Candidate::Host(_) => {}
                Candidate::Template(template) => {
                    viable.extend(self.made_for(callee, template, &explicit, arguments, span)?);
                }
            }
        }
        let chosen = self.chosen(callee, viable, arguments, span)?;
        Some(self.definition_of(chosen, callee.candidates))
    }

    /// How well the best of several functions takes the arguments, as [`Checker::ranks`] says; nothing if none does.
    pub fn best_ranks(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        span: Span,
    ) -> Option<Vec<u8>> {
        let before = self.reports.mark();
        let meant = self.meant(callee, arguments, span);
        self.reports.take_back(before);
        self.ranks(callee, meant?, arguments)
    }

    /// What a template gives for these arguments; nothing in it if it cannot be made for them and others may be
    /// meant, which `std::enable_if` counts on. What only this front end does not know says nothing about that.
    fn made_for(
        &mut self,
        callee: &Callee,
        template: usize,
        explicit: &[Argument],
        arguments: &[Operand],
        span: Span,
    ) -> Option<Option<Viable>> {
        // What is wrong with the only function there is says more than that none fits.
        let is_only = callee.candidates.len() == 1;
        let before = self.reports.mark();
        let deduced = self.deduce(template, explicit, arguments);
        if self.reports.any_since(before) {
            if is_only || self.reports.is_final_since(before) {
                return None;
            }
            let why = self.reports.take_back(before);
            if let (Ok(Some(signature)), Some(why)) = (deduced, why) {
                self.functions.unmake(template, signature, &why);
            }
            return Some(None);
        }
        match deduced {
            Err(problem) if is_only => self.not_deduced(template, problem, span),
            Err(_) => Some(None),
            Ok(found) => Some(found.map(|signature| Viable {
                signature,
                template: Some(template),
            })),
        }
    }

    /// The one of the functions that can be meant that is.
    fn chosen(
        &mut self,
        callee: &Callee,
        mut viable: Vec<Viable>,
        arguments: &[Operand],
        span: Span,
    ) -> Option<Viable> {
        self.forget_declarations(&mut viable);
        let mut of_host = callee
            .candidates
            .iter()
            .filter_map(|candidate| match candidate {
                Candidate::Host(at) => Some(self.functions.of_host[*at].clone()),
                _ => None,
            });
        let Some(why) = of_host.next() else {
            return match &viable[..] {
                [only] => Some(*only),
                [] => self.no_candidate(callee, arguments, span),
                _ => self.best(callee, &viable, arguments, span),
            };
        };
        if viable.is_empty() {
            return self.is_for_host(callee.name, &why, callee.at);
        }
        let best = self.best(callee, &viable, arguments, span)?;
        // Nothing fits better than a function that takes the arguments as they are.
        match self.takes_as_given(best, arguments) {
            true => Some(best),
            false => self.is_for_host(callee.name, &why, callee.at),
        }
    }

    /// Whether two templates made the same function: one is the declaration of the other
    /// ([temp.over.link]).
    fn is_same(&self, a: usize, b: usize) -> bool {
        let all = &self.functions.signatures;
        all[a].params == all[b].params && all[a].returns.ty == all[b].returns.ty
    }

    /// Leaves templates out that are only declared, where their definition may be meant as well.
    fn forget_declarations(&self, viable: &mut Vec<Viable>) {
        let all = &self.functions.signatures;
        let is_defined = |of: &Viable| of.template.is_none() || all[of.signature].is_defined();
        let defined: Vec<Viable> = viable.iter().copied().filter(is_defined).collect();
        viable.retain(|of| {
            let is_same = |other: &Viable| self.is_same(of.signature, other.signature);
            is_defined(of) || !defined.iter().any(is_same)
        });
    }

    /// The function that is meant, made of the template's definition if it was found by its declaration.
    fn definition_of(&mut self, of: Viable, candidates: &[Candidate]) -> Viable {
        let Some(declared) = of.template else {
            return of;
        };
        let signature = &self.functions.signatures[of.signature];
        if signature.is_defined() || signature.context.record.is_some() {
            return of;
        }
        let mut instances = self.functions.templates[declared].instances.iter();
        let made = instances.find(|(_, made)| matches!(made, Ok(at) if *at == of.signature));
        let Some(arguments) = made.map(|(arguments, _)| arguments.clone()) else {
            return of;
        };
        for candidate in candidates {
            let Candidate::Template(other) = *candidate else {
                continue;
            };
            let template = &self.functions.templates[other];
            if template.function.body.is_none() || template.params.len() != arguments.len() {
                continue;
            }
            let before = self.reports.mark();
            let made = self.instantiate(other, arguments.clone());
            self.reports.take_back(before);
            if let Some(signature) = made.filter(|&made| self.is_same(of.signature, made)) {
                let template = Some(other);
                return Viable {
                    signature,
                    template,
                };
            }
        }
        of
    }

    /// Whether a function has the name by which it is called: one that is a template's argument has another, and was
    /// declared where that was written.
    fn is_called(&self, candidate: Candidate, name: &str) -> bool {
        let own = match candidate {
            Candidate::Function(at) => &self.functions.signatures[at].function.name.name,
            Candidate::Template(at) => &self.functions.templates[at].function.name.name,
            Candidate::Host(_) => return true,
        };
        let plain = |name: &str| name.rsplit("::").next().map(str::to_owned);
        plain(own) == plain(name)
    }

    /// Whether a call here may mean a function of the file: one that is declared already, and takes so
    /// many arguments.
    fn may_be_meant(&self, candidate: Candidate, arguments: &[Operand]) -> bool {
        let (item, context, function) = match candidate {
            Candidate::Function(at) => {
                let of = &self.functions.signatures[at];
                (self.functions.items[at], &of.context, &of.function)
            }
            Candidate::Template(at) => {
                let of = &self.functions.templates[at];
                (of.context.item, &of.context, &of.function)
            }
            Candidate::Host(_) => return true,
        };
        // The functions of a struct are all known in all of them.
        if context.record.is_some() {
            return true;
        }
        let takes_any = function
            .params
            .iter()
            .any(|param| param.ty.pattern().is_some());
        let is_more =
            arguments.len() > function.params.len() && !function.traits.is_variadic && !takes_any;
        if function.template.is_some() && is_more {
            return false;
        }
        // [temp.dep.candidate]: what is declared between a template and its use is found by arguments of
        // the file's own types only.
        let last = match arguments.iter().any(|argument| is_of_struct(argument.ty())) {
            true => self.names.item,
            false => self.names.definition,
        };
        item <= last
    }

    /// Whether a function takes the arguments without any conversion.
    fn takes_as_given(&self, of: Viable, arguments: &[Operand]) -> bool {
        let params = self.functions.signatures[of.signature].params.as_deref();
        let params = params.unwrap_or_default();
        // Templates are left out: their parameters fit whatever they were made for.
        let mut pairs = arguments.iter().zip(params);
        of.template.is_none()
            && params.len() == arguments.len()
            && pairs.all(|(argument, param)| rank(argument, param) == Some(0))
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
        let pack = params.iter().position(|param| param.is_pack);
        if explicit.len() > params.len() && pack.is_none() {
            return Err("there are too many template arguments".to_string());
        }
        // [temp.arg.explicit]: those that are written come first, and the others are deduced.
        let written = explicit.len().min(pack.unwrap_or(params.len()));
        let found = self
            .types
            .deduced(&params, &function.params, arguments, written);
        let Some(mut found) = found else {
            return Err("the arguments stand for different template arguments".to_string());
        };
        for (at, argument) in explicit[..written].iter().enumerate() {
            found[at] = Some(argument.clone());
        }
        // Of a pack the first parts may be written, and the rest is deduced.
        if let (Some(pack), rest @ [_, ..]) = (pack, &explicit[written..]) {
            let mut parts = match found[pack].take() {
                Some(Argument::Pack(parts)) => parts,
                _ => Vec::new(),
            };
            let deduced = parts.split_off(rest.len().min(parts.len()));
            let parts = rest.iter().cloned().chain(deduced);
            found[pack] = Some(Argument::Pack(parts.collect()));
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
                Candidate::Host(_) => continue,
            };
            error = error.also(span, what);
        }
        self.refuse(error)
    }

    /// Reports what is wrong with a function's parameters.
    fn wrong_signature<T>(&mut self, index: usize) -> Option<T> {
        if let Some(cause) = self.functions.wrong.get(&index).cloned() {
            self.reports.repeat_finally(&cause);
        }
        None
    }

    /// The function whose parameters fit best.
    fn best(
        &mut self,
        callee: &Callee,
        viable: &[Viable],
        arguments: &[Operand],
        span: Span,
    ) -> Option<Viable> {
        let ranked = self.ranked(callee, viable, arguments)?;
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
            let span = self.functions.signatures[candidate.signature].span;
            error = error.also(span, "this fits");
        }
        self.refuse(error)
    }

    /// The functions that take the arguments, with how well they do.
    fn ranked(
        &mut self,
        callee: &Callee,
        viable: &[Viable],
        arguments: &[Operand],
    ) -> Option<Vec<(Viable, Vec<u8>)>> {
        let mut ranked: Vec<(Viable, Vec<u8>)> = Vec::new();
        for &candidate in viable {
            if self.functions.signatures[candidate.signature]
                .params
                .is_none()
            {
                return self.wrong_signature(candidate.signature);
            }
            // `long` and `long long` are one type here.
            let all = &self.functions.signatures;
            let of = &all[candidate.signature];
            let is_same = |(known, _): &(Viable, _)| {
                let (is_made, known) = (known.template.is_some(), &all[known.signature]);
                // What a template makes is no second declaration: the function beside it fits better.
                !is_made && known.params == of.params && known.is_const == of.is_const
            };
            let is_plain = candidate.template.is_none() && of.context.record.is_some();
            if is_plain && ranked.iter().any(is_same) {
                continue;
            }
            let ranks = self.ranks(callee, candidate, arguments);
            ranked.extend(ranks.map(|ranks| (candidate, ranks)));
        }
        Some(ranked)
    }

    /// How much each argument is changed by passing it to this function, then the object, and whether it is of a
    /// template; nothing if it does not take them.
    fn ranks(&self, callee: &Callee, candidate: Viable, arguments: &[Operand]) -> Option<Vec<u8>> {
        let signature = &self.functions.signatures[candidate.signature];
        let params = signature.named_params()?;
        if !signature.takes(arguments.len()) {
            return None;
        }
        let pairs = arguments.iter().zip(params);
        let ranks = pairs.map(|(a, p)| {
            let rank = rank(a, p).or_else(|| self.rank_of_base(a, p));
            let rank = rank.or_else(|| self.rank_of_construction(a, p));
            let rank = rank.or_else(|| self.rank_of_conversion(a, p))?;
            if *a.ty() == p.ty && p.is_reference {
                return Some(1 + rank);
            }
            // [over.ics.rank]: what is made for a reference is rather taken as `T&&`.
            let is_second = p.is_reference && !p.is_rvalue;
            // Fourfold, so that this decides between equal ranks only, and below are those of references.
            Some(4 * rank + 2 * u8::from(is_second))
        });
        let mut ranks: Vec<u8> = ranks.collect::<Option<_>>()?;
        // [over.ics.rank]: what `...` takes fits worse than anything else.
        ranks.resize(arguments.len(), u8::MAX);
        match &callee.this {
            // [over.match.funcs]: the object counts as an argument: a `const` one rules out functions that may change
            // it.
            Some((_, true)) if !signature.is_const && signature.has_this => return None,
            // All that are left for it fit alike.
            Some((_, true)) => ranks.push(0),
            // [over.ics.rank]: for an object that may change, the function without `const` behind it fits better.
            Some((_, false)) => ranks.push(1 + u8::from(signature.is_const)),
            None => {}
        }
        ranks.push(
            candidate
                .template
                .map_or(0, |template| self.generality(template)),
        );
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
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if signature.has_this {
            values.push(self.object(&signature, callee, span)?);
        }
        values.extend(self.passed_to(index, arguments, span)?);
        // Computed now if all is constant, so that `int a[f(3)];` has a length.
        if let Some(folded) = self.folded_call(index, template, &values, span) {
            return Some(Operand::Value(folded));
        }
        if signature.is_prototype_of_library() && self.frame.side != Side::Gpu {
            return self.call_of_library(&signature, values, span);
        }
        self.refuse_call(&signature, callee.at)?;
        if signature.has_this {
            values.extend(self.captured_places(&signature.context.captures, callee.at)?);
        }
        self.finish_call(index, template, values, callee, span)
    }

    /// A call of a function that the host interpreter has.
    fn call_of_library(
        &mut self,
        signature: &Signature,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Operand> {
        self.frame.uses_host = true;
        let ty = signature.returns.ty.clone()?;
        let call = HostExpr::Library(signature.function.name.name.to_string(), values);
        let kind = ExprKind::Host(Box::new(call));
        Some(Operand::Value(node(kind, ty, span)))
    }

    /// What a call passes to the parameters of a function.
    pub fn passed_to(
        &mut self,
        index: usize,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let signature = self.functions.signatures[index].clone();
        let Some(params) = signature.params.clone() else {
            return self.wrong_signature(index);
        };
        if !signature.takes(arguments.len()) {
            return self.wrong_count(&signature, params.len(), arguments.len(), span);
        }
        // All arguments are looked at, so that each wrong one is reported.
        let mut given = arguments.into_iter();
        let named = signature.named_params().unwrap_or_default();
        let each = named.iter().enumerate();
        let is_kernel = signature.runs_on == RunsOn::Kernel;
        let passed = each.map(|(at, param)| match given.next() {
            // A kernel gets the bytes of an object.
            Some(argument)
                if is_kernel && !param.is_reference && self.types.is_by_address(&param.ty) =>
            {
                let address = self.passed(argument, param)?;
                let span = address.span;
                self.deref_value(address, span).map(load)
            }
            Some(argument) => self.passed(argument, param),
            None => self.default_argument_of(&signature, at, param, span),
        });
        let passed: Vec<Option<Expr>> = passed.collect();
        let mut passed = passed.into_iter().collect::<Option<Vec<_>>>()?;
        let further = given.map(promoted_argument);
        match params.get(named.len()) {
            Some(list) => passed.push(self.further_arguments(further, &list.ty, span)),
            None => passed.extend(further),
        }
        Some(passed)
    }

    /// Arguments at `...`, side by side in memory: the address of the first.
    fn further_arguments(
        &mut self,
        values: impl Iterator<Item = Expr>,
        list: &Type,
        span: Span,
    ) -> Expr {
        let values: Vec<Expr> = values.collect();
        let word = Type::Scalar(Scalar::U64);
        let all = Type::Array(Box::new(word.clone()), values.len().max(1) as u32);
        let all = self.frame.temporary(all, span);
        let stored = values.into_iter().enumerate().map(|(at, value)| {
            // Each takes a word, from which `va_arg` takes what it names: an `int` is extended to fill it.
            let value = match value.ty.scalar() {
                Some(of) if of.is_integer() => convert(value, &Type::Scalar(Scalar::I64)),
                _ => value,
            };
            let index = constant(Type::Scalar(Scalar::U32), at as u64, span);
            let kind = PlaceKind::Index(Box::new(all.clone()), Box::new(index));
            let ty = word.clone();
            let place = place_as(Place { kind, ty, span }, &value.ty, false);
            let ty = value.ty.clone();
            let kind = ExprKind::Assign(Box::new(place), Box::new(value));
            Expr { kind, ty, span }
        });
        let stored: Vec<Expr> = stored.collect();
        let address = convert(load(Operand::place(all.clone(), false)), list);
        stored
            .into_iter()
            .rev()
            .fold(address, |rest, step| comma(step, rest))
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
        callee: &Callee,
        span: Span,
    ) -> Option<Operand> {
        // [class.virtual]: `Base::f()` means just that function.
        if !callee.name.contains("::")
            && let Some(row) = self.virtual_row(index)
        {
            return self.result_of_call(index, Called::Virtual(row), values, span);
        }
        let at = callee.at;
        let id = match self.functions.signatures[index].function.traits.is_pure {
            true => Some(self.no_function(span)),
            false => self.number_for_call(index, template, at, span),
        };
        self.result_of_call(index, Called::Function(id?), values, span)
    }

    /// The number of a function that is called here.
    pub fn number_for_call(
        &mut self,
        index: usize,
        template: Option<usize>,
        at: Span,
        span: Span,
    ) -> Option<FunctionId> {
        let id = self.body_for_call(index, template, span);
        let signature = &self.functions.signatures[index];
        if signature.state != BodyState::Open {
            return self.for_this_side(id?, index, at);
        }
        if signature.returns.ty.is_none() {
            let message = format!("`{}` is called before its type is known", signature.name);
            return self.error(span, message);
        }
        Some(self.number_of_open(index))
    }

    /// A call of a function by its number or row, and what it gives.
    fn result_of_call(
        &mut self,
        index: usize,
        called: Called,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Operand> {
        let signature = &self.functions.signatures[index];
        let (ty, is_rvalue) = (signature.returns.ty.clone()?, signature.returns.is_rvalue);
        let Some(is_const) = signature.returns.reference else {
            if self.types.is_by_address(&ty) {
                return self.call_for_object(index, called, values, ty, span);
            }
            let call = self.call_of(called, values, ty, span)?;
            return Some(Operand::Value(call));
        };
        // It returns an address; the call stands for the place there.
        let returned = pointer(ty.clone(), is_const);
        let call = self.call_of(called, values, returned, span)?;
        let kind = PlaceKind::Deref(Box::new(call));
        let place = Operand::place(Place { kind, ty, span }, is_const);
        Some(if is_rvalue { place.expiring() } else { place })
    }

    /// A call of a function that makes an object where its caller says.
    fn call_for_object(
        &mut self,
        index: usize,
        called: Called,
        mut values: Vec<Expr>,
        ty: Type,
        span: Span,
    ) -> Option<Operand> {
        let place = self.frame.temporary(ty, span);
        let has_this = self.functions.signatures[index].has_this;
        // Where the object is to lie comes first, but for the object that the function belongs to.
        values.insert(usize::from(has_this), address(place.clone(), false));
        let call = self.call_of(called, values, Type::Void, span)?;
        Some(Operand::Value(self.pending_object(place, call)))
    }

    fn call_of(
        &mut self,
        called: Called,
        values: Vec<Expr>,
        returns: Type,
        span: Span,
    ) -> Option<Expr> {
        match called {
            Called::Function(id) => Some(node(ExprKind::Call(id, values), returns, span)),
            Called::Virtual(row) => self.virtual_call(row, &values, &returns, span),
        }
    }
}

/// [expr.call]: what is passed to `...` is promoted.
fn promoted_argument(argument: Operand) -> Expr {
    let value = load(argument);
    match value.ty.scalar() {
        Some(Scalar::F32) => convert(value, &Type::Scalar(Scalar::F64)),
        Some(of) => convert(value, &Type::Scalar(promoted(of))),
        None => value,
    }
}

/// [over.match.best]: no argument worse and one better; a plain function before a template only where all arguments
/// are alike.
fn beats(a: &[u8], b: &[u8]) -> bool {
    let last = a.len() - 1;
    let worse = a[..last].iter().zip(b).any(|(&x, &y)| is_worse(x, y));
    let better = a[..last].iter().zip(b).any(|(&x, &y)| is_worse(y, x));
    !worse && (better || a[last] < b[last])
}

/// Whether one rank of [`Checker::ranks`] is worse than another. A reference with `const` is worse than one without, but
/// not worse than a copy ([over.ics.rank]).
pub fn is_worse(rank: u8, than: u8) -> bool {
    let are_copy_and_reference = than == 0 && rank <= 2;
    rank > than && !are_copy_and_reference
}

/// Whether a type is a struct of the file, or leads to one.
fn is_of_struct(ty: &Type) -> bool {
    match ty {
        Type::Pointer { to, .. } | Type::Array(to, _) => is_of_struct(to),
        // Vectors and halves are structs in CUDA's headers.
        Type::Scalar(of) => of.is_half(),
        ty => matches!(ty, Type::Struct(_) | Type::Vector(..)),
    }
}

fn is_null(argument: &Operand) -> bool {
    let Operand::Value(value) = argument else {
        return false;
    };
    matches!(value.kind, ExprKind::Constant(0))
}

/// The rank of a number that is passed for another kind of number.
fn rank_of_numbers(from: Scalar, to: Scalar) -> u8 {
    // [over.ics.scs]: 0 and 1 exact, 2 promotion, 3 conversion, 4 by a constructor.
    // [conv.prom] and [conv.fpprom]: narrow integers to `int`, `float` to `double`.
    let promotes = promoted(from) == to || (from, to) == (Scalar::F32, Scalar::F64);
    if promotes { 2 } else { 3 }
}

/// How much an argument is changed by passing it: 0 for not at all; nothing if it cannot be passed.
pub fn rank(argument: &Operand, param: &ParamType) -> Option<u8> {
    let from = argument.ty();
    // [dcl.init.ref]: `T&&` takes what nobody looks at any more, a variable only if it has to be converted.
    if param.is_rvalue && *from == param.ty {
        let is_taken = argument.is_rvalue() && (param.is_const || !argument.is_const());
        return is_taken.then_some(0);
    }
    // [dcl.init.ref]: a reference without `const` needs a variable of just its type.
    if param.is_reference && !param.is_const && !param.is_rvalue {
        let may_change = !argument.is_rvalue() && !argument.is_const();
        return (*from == param.ty && may_change).then_some(0);
    }
    match (from, &param.ty) {
        (from, to) if from == to => {
            // A reference that allows changes is preferred where there is one.
            // [over.ics.rank]: and `T&&` for what nobody looks at any more.
            let is_better = argument.is_rvalue() || !argument.is_const();
            Some(u8::from(is_better && param.is_reference))
        }
        (Type::Scalar(from), Type::Scalar(to)) => Some(rank_of_numbers(*from, *to)),
        (Type::Array(from, _), Type::Pointer { to, is_const }) => {
            rank_of_array(from, to, *is_const || !argument.is_const())
        }
        (
            Type::Pointer { is_const, .. },
            Type::Pointer {
                to: b,
                is_const: to_const,
            },
            // Equal types came before: here `const` is added, or 0 is passed.
        ) if *to_const || !is_const => match from.may_become(&param.ty) || is_null(argument) {
            true => Some(1),
            false => (**b == Type::Void).then_some(3),
        },
        (Type::Scalar(of), Type::Pointer { .. }) if of.is_integer() => {
            is_null(argument).then_some(3)
        }
        _ => None,
    }
}

/// [over.ics.scs]: from array to pointer is an exact match; one more step makes it a `void*`, if that `may_refer` to it.
fn rank_of_array(from: &Type, to: &Type, may_refer: bool) -> Option<u8> {
    match to {
        to if to == from => Some(0),
        Type::Void => may_refer.then_some(3),
        _ => None,
    }
}
