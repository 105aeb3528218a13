//! Variables of functions.

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, Base, Declaration, Modifier, Specifiers, Variable};
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Checker, Facts, MOST_SHARED_BYTES, Mark, Operand, ParamType, Qualified, Side, Symbol,
    innermost, load, pointer,
};
use crate::cuda::typed::{
    Expr, ExprKind, Initializer, LocalId, Place, PlaceKind, Stmt, StmtKind, Storage, Type,
};

impl Checker {
    /// Variables of a function; their declarations go to `out`.
    pub fn declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) {
        let specifiers = &declaration.specifiers;
        let mut all = declaration.variables.iter();
        let is_const = all.all(|variable| variable.ty.is_const);
        let is_host = self.frame.side == Side::Host && specifiers.shared.is_none();
        let storage = &specifiers.storage;
        let is_static = is_host && storage.fixed.or(storage.external).is_some();
        if let Some(error) = misplaced(specifiers, is_const || is_static) {
            self.report(error);
        }
        let mut locals = Vec::new();
        for variable in &declaration.variables {
            let before = self.reports.mark();
            if is_static {
                self.static_variable(variable, specifiers, out);
                continue;
            }
            let Some((local, init)) = self.declared_variable(variable, specifiers, out) else {
                let refused = self.refused_since(before, variable.span);
                self.declare(&variable.name, refused);
                continue;
            };
            locals.push(local);
            self.declare(&variable.name, Symbol::Local(local));
            if !self.has_begun(local) {
                self.frame.locals[local].is_volatile |= variable.ty.is_volatile;
                let (begins, span) = (init.is_some(), variable.span);
                let kind = StmtKind::Declare { local, init };
                out.push(Stmt { kind, span });
                // [dcl.init]: without a value, a struct's constructor runs. CUDA runs none for `__shared__` variables.
                if !begins && specifiers.shared.is_none() {
                    self.construct_local(local, span, before, out);
                }
            }
        }
        self.aligned(specifiers, &locals);
    }

    /// The local that a variable without `static` makes, and what it begins with.
    fn declared_variable(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        out: &mut Vec<Stmt>,
    ) -> Option<(LocalId, Option<Initializer>)> {
        match (specifiers.shared, specifiers.storage.external) {
            (Some(_), _) => self.shared(variable, specifiers),
            (None, Some(span)) => {
                let error = Diagnostic::error(span, "`extern` variables are not supported");
                self.refuse(error.help("for dynamic shared memory, write `extern __shared__`"))
            }
            (None, None) => self.variable(variable, specifiers, out),
        }
    }

    /// A `static` variable of a function of the host.
    fn static_variable(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        out: &mut Vec<Stmt>,
    ) {
        let before = self.reports.mark();
        let deduced = match (&variable.ty.base, &variable.init) {
            (Base::Auto, Some(init)) => self.value(unbraced(init)).map(|value| value.ty),
            _ => None,
        };
        let ty = self.variable_type(variable, deduced);
        let made = ty.and_then(|(ty, is_const)| {
            let is_const = is_const || specifiers.constexpr.is_some();
            match self.constant_of_host(variable, &ty, is_const) {
                Some(constant) => Some(constant),
                None => self.static_local(variable, ty, is_const, out),
            }
        });
        let symbol = match made {
            Some(symbol) => symbol,
            None => self.refused_since(before, variable.span),
        };
        self.declare(&variable.name, symbol);
    }

    fn construct_local(&mut self, local: LocalId, span: Span, before: Mark, out: &mut Vec<Stmt>) {
        let kind = PlaceKind::Local(local);
        let ty = self.frame.locals[local].ty.clone();
        if self
            .default_construction(Place { kind, ty, span }, out)
            .is_none()
        {
            self.reports.require(before, span);
        }
    }

    fn variable(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        out: &mut Vec<Stmt>,
    ) -> Option<(LocalId, Option<Initializer>)> {
        let deduced = self.with_deduced_class(variable);
        let variable = deduced.as_ref().unwrap_or(variable);
        let (written, reference) = self.referred(&variable.ty);
        if reference.is_some() {
            return self.reference_variable(variable, &written, out);
        }
        if let Some(made) = self.array_of_runtime_length(variable, out) {
            return made;
        }
        // What `auto` begins with is looked at once: a lambda is a type of its own each time.
        let value = match (&variable.ty.base, &variable.init) {
            (Base::Auto, Some(init)) => Some(self.operand(unbraced(init))?),
            _ => None,
        };
        let deduced = value.clone().map(|value| load(value).ty);
        let (ty, mut is_const) = self.variable_type(variable, deduced)?;
        is_const |= specifiers.constexpr.is_some();
        if self.types.is_by_address(&ty) {
            let local = self.object_variable(variable, ty, is_const, value, out);
            return local.map(|local| (local, None));
        }
        if self.frame.side == Side::Host && value.is_none() {
            return self.variable_in_scope(variable, specifiers, ty, is_const);
        }
        let init = self.variable_initializer(variable, value.map(load), &ty)?;
        let value = self.known_beginning(variable, specifiers, is_const, &init);
        let facts = Facts {
            is_const,
            value,
            ..Facts::default()
        };
        Some((self.thread_local(&variable.name, ty, facts), init))
    }

    fn thread_local(&mut self, name: &ast::Ident, ty: Type, facts: Facts) -> LocalId {
        self.frame
            .local(&name.name, ty, Storage::Thread, name.span, facts)
    }

    /// What the variable begins with, if anything: `value` is what stands behind `=`, where that has been looked at.
    fn variable_initializer(
        &mut self,
        variable: &Variable,
        value: Option<Expr>,
        ty: &Type,
    ) -> Option<Option<Initializer>> {
        let init = match (&variable.arguments, &variable.init, value) {
            (Some(arguments), ..) => Some(self.initialized_by(arguments, ty, variable.span)?),
            (None, Some(_), Some(value)) => Some(Initializer::Value(self.coerce(value, ty)?)),
            (None, Some(init), None) => Some(self.initializer(init, ty)?),
            (None, None, _) => None,
        };
        Some(init)
    }

    /// A variable that its own initialiser may name ([basic.scope.pdecl]): `int id = f(&id);`
    fn variable_in_scope(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        ty: Type,
        is_const: bool,
    ) -> Option<(LocalId, Option<Initializer>)> {
        let name = &variable.name;
        let facts = Facts {
            is_const,
            value: None,
            ..Facts::default()
        };
        let local = self.thread_local(name, ty.clone(), facts);
        let init = self.in_scope(name, local, |checker| {
            match (&variable.arguments, &variable.init) {
                (Some(arguments), _) => checker
                    .initialized_by(arguments, &ty, variable.span)
                    .map(Some),
                (None, Some(init)) => checker.initializer(init, &ty).map(Some),
                (None, None) => Some(None),
            }
        })?;
        if let Some(Initializer::Value(value)) = &init
            && variable.arguments.is_none()
        {
            let known = self.known_value(variable, specifiers, is_const, value);
            self.frame.facts[local].value = known;
        }
        Some((local, init))
    }

    /// Checks an initialiser that may name its variable; then that is declared for good.
    fn in_scope<T>(
        &mut self,
        name: &ast::Ident,
        local: LocalId,
        check: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let hidden = self.names.declare(name, Symbol::Local(local));
        let checked = check(self);
        if let Some(scope) = self.names.scopes.last_mut() {
            match hidden {
                Some(entry) => drop(scope.insert(name.name.clone(), entry)),
                None => drop(scope.remove(&name.name)),
            }
        }
        checked
    }

    /// `std::pair p(1, 2.5)`: a class template without arguments, whose type a function of the library gives for what
    /// the variable begins with ([over.match.class.deduct]).
    fn with_deduced_class(&self, variable: &Variable) -> Option<Variable> {
        let Base::Named(path) = &variable.ty.base else {
            return None;
        };
        let last = path.segments.last()?;
        if self.frame.side != Side::Host || last.arguments.is_some() {
            return None;
        }
        let (values, is_list) = match (&variable.arguments, &variable.init) {
            (Some(values), _) => (values.clone(), false),
            (None, Some(init)) => match &init.kind {
                ast::ExprKind::Braces(values) => (values.clone(), true),
                _ => (vec![init.clone()], false),
            },
            (None, None) => return None,
        };
        let call = self.deducing_call(path, values, is_list)?;
        let mut deduced = variable.clone();
        deduced.ty.base = Base::Decltype(Box::new(call));
        Some(deduced)
    }

    /// The call whose type is that of `A(values)` or `A{values}`, where `A` is a class template without arguments: of
    /// the function that the library, or a deduction guide, has for that.
    fn deducing_call(
        &self,
        path: &ast::Path,
        values: Vec<ast::Expr>,
        is_list: bool,
    ) -> Option<ast::Expr> {
        let guide = |prefix: &str| {
            let mut guide = path.clone();
            let last = guide.segments.last_mut()?;
            last.name.name = format!("{prefix}{}", last.name.name).into();
            self.names.find_path(&guide).map(|_| Box::new(guide))
        };
        let listed = is_list.then(|| guide("__listed_")).flatten();
        let guide = listed.or_else(|| guide("__deduced_"))?;
        let span = path.span;
        let callee = ast::Expr::new(ast::ExprKind::Path(guide), span);
        let call = ast::ExprKind::Call(Box::new(callee), values);
        Some(ast::Expr::new(call, span))
    }

    /// What `A(values)` or `A{values}` is a call of, where `A` is a class template without arguments
    /// ([over.match.class.deduct]).
    pub fn deduced_construction(&self, written: &ast::Expr) -> Option<ast::Expr> {
        let (ty, values, is_list) = match &written.kind {
            ast::ExprKind::Construct(ty, values, is_list) => (ty, &values[..], *is_list),
            // With one value it is written as a conversion.
            ast::ExprKind::Cast(ast::CastKind::Plain, ty, inner) => {
                (ty, std::slice::from_ref(&**inner), false)
            }
            _ => return None,
        };
        match &ty.base {
            Base::Named(path) if self.deduces(ty) => {
                self.deducing_call(path, values.to_vec(), is_list)
            }
            _ => None,
        }
    }

    /// Whether a type is a class template without arguments, in code of the host.
    fn deduces(&self, ty: &ast::TypeName) -> bool {
        let Base::Named(path) = &ty.base else {
            return false;
        };
        let is_plain = path.arguments().is_none() && ty.modifiers.is_empty();
        let found = self.names.find_path(path).map(|entry| &entry.symbol);
        let is_template = matches!(found, Some(Symbol::TypeTemplate(_)));
        // Within the struct itself its name alone is the type that is being made ([temp.local]).
        let own = self.names.record.map(|record| &self.types.records[record]);
        let is_own = own.is_some_and(|own| match found {
            Some(Symbol::TypeTemplate(template)) => own.template == Some(*template),
            _ => false,
        });
        self.frame.side == Side::Host
            && is_plain
            && is_template
            && !is_own
            && self.deducing_call(path, Vec::new(), false).is_some()
    }

    /// The type of a variable that is no reference, whether that is `const`.
    fn variable_type(&mut self, variable: &Variable, deduced: Option<Type>) -> Option<Qualified> {
        // [dcl.init.aggr]: `int a[] = {1, 2};` has as many elements as its list.
        let length = self.length_of_list(&variable.ty, variable.init.as_ref());
        // What a wrong type hides in the initialiser is looked at all the same.
        let Some((ty, is_const)) = self.resolve(&variable.ty, deduced, length) else {
            if let Some(init) = &variable.init
                && !matches!(init.kind, ast::ExprKind::Braces(_))
                && !matches!(variable.ty.base, Base::Auto)
            {
                self.value(init);
            }
            return None;
        };
        if ty == Type::Void {
            let message = format!("`{}` cannot be `void`", variable.name.name);
            return self.error(variable.ty.span, message);
        }
        if let Type::Struct(of) = innermost(&ty)
            && of.layout().is_none()
        {
            let message = format!("`{}` is declared but not defined", of.name());
            return self.error(variable.ty.span, message);
        }
        Some((ty, is_const))
    }

    /// The value of a variable that begins with one, if it stays that and is known.
    fn known_beginning(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        is_const: bool,
        init: &Option<Initializer>,
    ) -> Option<u64> {
        match init {
            Some(Initializer::Value(value)) if variable.arguments.is_none() => {
                self.known_value(variable, specifiers, is_const, value)
            }
            None if is_const => {
                self.report(without_value(&variable.name));
                None
            }
            _ => None,
        }
    }

    /// What a constant variable holds, if that is known; of a `constexpr` one it must be.
    fn known_value(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        is_const: bool,
        value: &Expr,
    ) -> Option<u64> {
        // `const int n = 4;` is a constant, too, so that `int a[n];` has a length.
        if let ExprKind::Constant(bits) = value.kind
            && is_const
            && value.ty.scalar().is_some()
        {
            return Some(bits);
        }
        // Constructors of the host are not evaluated here: their objects are made at run time.
        let is_object = self.frame.side == Side::Host && matches!(value.ty, Type::Struct(_));
        if specifiers.constexpr.is_some() && !is_object {
            let name = &variable.name.name;
            let message = format!("`{name}` is `constexpr`, but this is not constant");
            self.report(
                Diagnostic::error(value.span, message)
                    .label("known only when the kernel runs")
                    .help("write `const`"),
            );
        }
        None
    }

    /// `T& x = place;`
    fn reference_variable(
        &mut self,
        variable: &Variable,
        written: &ast::TypeName,
        out: &mut Vec<Stmt>,
    ) -> Option<(LocalId, Option<Initializer>)> {
        let (name, span) = (&variable.name.name, variable.name.span);
        let Some(init) = &variable.init else {
            let message = format!("the reference `{name}` refers to nothing");
            let error = Diagnostic::error(span, message);
            return self.refuse(error.help(format!("write `{name} = …`")));
        };
        let operand = self.operand(init)?;
        let deduced = matches!(written.base, Base::Auto).then(|| operand.ty().clone());
        let (ty, is_const) = self.resolve(written, deduced, None)?;
        // [dcl.type.auto.deduct]: `auto& r = c;` takes the `const` of `c` over.
        let is_const_place = matches!(operand, Operand::Place { is_const: true, .. });
        let is_auto = matches!(written.base, Base::Auto);
        let param = ParamType {
            ty: ty.clone(),
            is_const: is_const || is_auto && is_const_place,
            is_reference: true,
            is_rvalue: self.referred(&variable.ty).1 == Some(true),
        };
        let operand = match (operand, &ty) {
            // [class.temporary]: an object that a reference is bound to lives as long as that.
            (operand, Type::Struct(of))
                if self.types.is_by_address(&ty)
                    && (matches!(operand, Operand::Value(_))
                        || *operand.ty() != ty && !self.is_derived(operand.ty(), &ty)) =>
            {
                let value = self.object_value(operand, of, init.span)?;
                self.living_object(value, out)
            }
            (operand, _) => operand,
        };
        let address = self.passed(operand, &param)?;
        let local = self.frame.reference(name, address.ty.clone(), span);
        Some((local, Some(Initializer::Value(address))))
    }

    /// Whether a variable is an object that is more than its bytes, which has begun already.
    fn has_begun(&self, local: LocalId) -> bool {
        if matches!(self.frame.objects.elided, Some((_, Some(made))) if made == local) {
            return true;
        }
        let local = &self.frame.locals[local];
        !local.is_reference
            && local.storage == Storage::Thread
            && self.types.is_by_address(&local.ty)
    }

    /// A variable that is an object: it is made where it stands, and ends with its block.
    fn object_variable(
        &mut self,
        variable: &Variable,
        ty: Type,
        is_const: bool,
        value: Option<Operand>,
        out: &mut Vec<Stmt>,
    ) -> Option<LocalId> {
        let (name, span) = (&variable.name.name, variable.name.span);
        let facts = Facts {
            is_const,
            ..Facts::default()
        };
        let mut inner = Vec::new();
        if let Some((local, place)) = self.in_place_of_result(name, &ty, span) {
            let address = self.result_address(span)?;
            let init = Some(Initializer::Value(address));
            let kind = StmtKind::Declare { local, init };
            out.push(Stmt { kind, span });
            self.begin_object(variable, &place, value, out)?;
            return Some(local);
        }
        let local = self
            .frame
            .local(name, ty.clone(), Storage::Thread, span, facts);
        let kind = PlaceKind::Local(local);
        let place = Place { kind, ty, span };
        self.in_scope(&variable.name, local, |checker| {
            checker.begin_object(variable, &place, value, &mut inner)
        })?;
        let span = variable.span;
        let kind = StmtKind::Declare { local, init: None };
        out.push(Stmt { kind, span });
        out.extend(inner);
        self.begins(&place, out);
        Some(local)
    }

    /// A variable that every `return` gives, as a reference to where the result is to be.
    fn in_place_of_result(
        &mut self,
        name: &Name,
        ty: &Type,
        span: Span,
    ) -> Option<(LocalId, Place)> {
        let place = self.result_place(span)?;
        let (elided, made) = self.frame.objects.elided.as_ref()?;
        if elided != name || made.is_some() || place.ty != *ty {
            return None;
        }
        let local = self.frame.reference(name, pointer(ty.clone(), false), span);
        // Only the first variable of that name: one in an inner block is another object.
        self.frame.objects.elided = Some((name.clone(), Some(local)));
        match self.frame.local_operand(local, span) {
            Operand::Place { place, .. } => Some((local, place)),
            Operand::Value(_) => None,
        }
    }

    /// Makes an object at its place, as its declaration says.
    fn begin_object(
        &mut self,
        variable: &Variable,
        place: &Place,
        value: Option<Operand>,
        inner: &mut Vec<Stmt>,
    ) -> Option<()> {
        let span = variable.name.span;
        match (&variable.arguments, &variable.init, value) {
            (Some(arguments), ..) => {
                let Initializer::Value(value) =
                    self.initialized_by(arguments, &place.ty, variable.span)?
                else {
                    return None;
                };
                let kind = StmtKind::Expr(self.settle(value, place));
                inner.push(Stmt { kind, span });
            }
            (None, Some(init), Some(value)) => {
                let Type::Struct(of) = &place.ty else {
                    return None;
                };
                let value = self.object_value(value, of, init.span)?;
                let kind = StmtKind::Expr(self.settle(value, place));
                inner.push(Stmt { kind, span });
            }
            (None, Some(init), None) => self.begin_written(place, init, inner)?,
            (None, None, _) => self.default_construction(place.clone(), inner)?,
        }
        Some(())
    }

    /// The place of an object without a name that lives as long as a variable.
    pub fn living_object(&mut self, value: Expr, out: &mut Vec<Stmt>) -> Operand {
        let (ty, span) = (value.ty.clone(), value.span);
        let place = self.frame.temporary(ty, span);
        let kind = StmtKind::Expr(self.settle(value, &place));
        out.push(Stmt { kind, span });
        // After the object is made: an exception in its constructor must not run its destructor.
        self.begins(&place, out);
        Operand::place(place, false).expiring()
    }

    fn shared(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
    ) -> Option<(LocalId, Option<Initializer>)> {
        let name = &variable.name.name;
        let span = variable.name.span;
        let ty = self.shared_type(variable, specifiers)?;
        let (storage, facts) = match specifiers.storage.external {
            Some(_) => (Storage::DynamicShared, Facts::default()),
            None => (Storage::Shared, Facts::default()),
        };
        // CUDA C++ Programming Guide, technical specifications: 48 KB static shared memory a block; more is
        // asked for at the launch.
        if storage == Storage::Shared {
            self.frame.shared_bytes += u64::from(ty.size_bytes());
            let bytes = self.frame.shared_bytes;
            if bytes > MOST_SHARED_BYTES {
                let message = format!(
                    "this makes {bytes} bytes of static shared memory: {MOST_SHARED_BYTES} is the most"
                );
                let error = Diagnostic::error(span, message);
                self.report(
                    error.help("use dynamic shared memory: `extern __shared__ float s[];`"),
                );
            }
        }
        Some((self.frame.local(name, ty, storage, span, facts), None))
    }

    /// The type of a shared variable; of a dynamic one, an array of length 0.
    pub fn shared_type(&mut self, variable: &Variable, specifiers: &Specifiers) -> Option<Type> {
        let name = &variable.name.name;
        // CUDA C++ Programming Guide, "__shared__": no initial value in the declaration.
        if let Some(init) = &variable.init {
            let error =
                Diagnostic::error(init.span, "`__shared__` variables cannot be initialised")
                    .help("assign it in one thread, then call `__syncthreads()`");
            self.report(error);
        }
        let mut written = variable.ty.clone();
        let open = matches!(written.modifiers.last(), Some(Modifier::Array(None, _)));
        if specifiers.storage.external.is_none() {
            if open {
                let message = format!("the shared array `{name}` has no length");
                let error = Diagnostic::error(variable.name.span, message);
                return self
                    .refuse(error.help("write its length, or `extern` before `__shared__`"));
            }
            let (ty, _) = self.resolve(&written, None, None)?;
            if ty == Type::Void || *innermost(&ty) == Type::Void {
                return self.error(variable.ty.span, format!("`{name}` cannot be `void`"));
            }
            return self.has_size(&ty, variable.ty.span).then_some(ty);
        }
        if !open {
            let message =
                format!("`extern __shared__` needs an array without a length, `{name}[]`");
            let error = Diagnostic::error(variable.name.span, message);
            return self
                .refuse(error.help("its length is given at the launch; else leave `extern` out"));
        }
        written.modifiers.pop();
        let (element, _) = self.resolve(&written, None, None)?;
        match element {
            Type::Void => self.error(variable.ty.span, format!("`{name}` cannot be `void`")),
            element if !self.has_size(&element, variable.ty.span) => None,
            // Length 0 stands for `[]`: the launch says how many bytes there are.
            element => Some(Type::Array(Box::new(element), 0)),
        }
    }

    /// Gives variables the alignment that is asked for.
    fn aligned(&mut self, specifiers: &Specifiers, locals: &[LocalId]) {
        let bytes = self.asked_alignment(specifiers);
        for &local in locals {
            self.frame.locals[local].align_bytes = bytes;
        }
    }

    /// The alignment in bytes that specifiers ask for; 1 if they do not.
    pub fn asked_alignment(&mut self, specifiers: &Specifiers) -> u32 {
        let written = specifiers.align.iter().flat_map(|(_, written)| written);
        let asked = written.map(|align| self.alignment(align));
        asked.fold(1, u32::max)
    }
}

/// What is wrong with the specifiers of a variable in a function.
fn misplaced(specifiers: &Specifiers, is_const: bool) -> Option<Diagnostic> {
    if let Some(span) = specifiers.constant {
        let message = "`__constant__` is not allowed in a function";
        return Some(Diagnostic::error(span, message).help("use `constexpr`"));
    }
    if let Some(span) = specifiers.global.or(specifiers.device).or(specifiers.host) {
        let message = "this word belongs before functions, not variables";
        return Some(Diagnostic::error(span, message).help("leave it out, or write `__shared__`"));
    }
    match (
        specifiers.storage.fixed,
        specifiers.shared,
        specifiers.constexpr,
    ) {
        // It would be one variable for all threads; a `const` one cannot be told from a copy in each.
        (Some(span), None, None) if !is_const => {
            let message = "`static` variables in functions are not supported yet";
            Some(Diagnostic::error(span, message).help("leave `static` out"))
        }
        _ => None,
    }
}

fn without_value(name: &ast::Ident) -> Diagnostic {
    let message = format!("`{}` is `const` but begins with no value", name.name);
    Diagnostic::error(name.span, message).help(format!("write `{} = …`", name.name))
}

/// [dcl.type.auto.deduct]: `auto x{value}` has the type of its one value.
fn unbraced(init: &ast::Expr) -> &ast::Expr {
    match &init.kind {
        ast::ExprKind::Braces(values) if values.len() == 1 => &values[0],
        _ => init,
    }
}
