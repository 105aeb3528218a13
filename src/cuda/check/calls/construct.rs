//! Objects in the making: constructors, and what fields begin with.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::callee::Callee;
use super::overload::rank;
use crate::cuda::ast::{self, MemberInit};
use crate::cuda::resolve::{
    Base, Candidate, Checker, Operand, ParamType, Record, Symbol, TABLE, UNNAMED, comma, constant,
    element_of, load, scalar,
};
use crate::cuda::typed::{
    Expr, ExprKind, Initializer, Place, PlaceKind, Scalar, Stmt, StmtKind, Struct, Type,
};

/// Most elements of an array of structs that have to be constructed.
const MOST_CONSTRUCTED: u32 = 256;

/// Stands for the struct itself among its fields.
const DELEGATED: usize = usize::MAX;

impl Checker {
    /// A struct made by one of its constructors, or nothing if it has none.
    pub fn constructed(
        &mut self,
        of: &Struct,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Expr> {
        // The constructor fills a variable without a name, whose value is the result: `(construct(&temporary),
        // temporary)`.
        let place = self.frame.temporary(Type::Struct(of.clone()), span);
        let call = self.constructor_call(of, place.clone(), arguments, span)?;
        Some(self.made_by(call, place))
    }

    /// A struct made by one of its constructors of values in braces.
    pub fn constructed_in_order(
        &mut self,
        of: &Struct,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Expr> {
        let place = self.frame.temporary(Type::Struct(of.clone()), span);
        let mut call = self.constructor_call(of, place.clone(), arguments, span)?;
        // [dcl.init.list]: they are evaluated as they stand; a call evaluates its arguments as its compiler likes.
        if let ExprKind::Call(_, arguments) = &mut call.kind
            && let Some(first) = self.frame.evaluated_in_order(arguments.iter_mut())
        {
            call = comma(first, call);
        }
        Some(self.made_by(call, place))
    }

    /// What a constructor makes in a variable without a name.
    fn made_by(&mut self, call: Expr, place: Place) -> Expr {
        if self.types.is_by_address(&place.ty) {
            return self.pending_object(place, call);
        }
        comma(call, load(Operand::place(place, false)))
    }

    /// Whether a constructor makes a `to` of just this operand, without being asked for.
    pub fn converts(&self, from: &Operand, to: &Type) -> bool {
        let Type::Struct(of) = to else {
            return false;
        };
        let takes = |candidate: &Candidate| match candidate {
            Candidate::Function(at) => {
                let signature = &self.functions.signatures[*at];
                let first = signature.params.as_deref().and_then(<[_]>::first);
                let traits = &signature.function.traits;
                signature.takes(1)
                    && !traits.is_explicit
                    && first.is_some_and(|param| {
                        rank(from, param)
                            .or_else(|| self.rank_of_base(from, param))
                            .is_some()
                    })
            }
            Candidate::Template(at) => self.template_converts(*at, from),
            Candidate::Host(_) => false,
        };
        let record = self.types.record_of(of);
        record.is_some_and(|record| record.constructors.iter().any(takes))
    }

    /// The rank of passing an object as one of its bases, or a pointer to it.
    pub fn rank_of_base(&self, argument: &Operand, param: &ParamType) -> Option<u8> {
        let is_object = matches!(param.ty, Type::Struct(_));
        if param.is_reference && (is_object || !param.is_const && !param.is_rvalue) {
            let may_change = !argument.is_const() && !argument.is_rvalue();
            let fits = param.is_const || may_change || param.is_rvalue && argument.is_rvalue();
            return (fits && self.is_derived(argument.ty(), &param.ty)).then_some(3);
        }
        match (argument.ty(), &param.ty) {
            (
                Type::Pointer { to: from, is_const },
                Type::Pointer {
                    to,
                    is_const: to_const,
                },
                // [over.ics.rank]: better than to `void*`.
            ) => (self.is_derived(from, to) && (*to_const || !is_const)).then_some(2),
            _ => None,
        }
    }

    /// Whether a template of constructors can be made for just this operand, without being asked for.
    fn template_converts(&self, template: usize, from: &Operand) -> bool {
        let of = &self.functions.templates[template];
        let (function, params) = (&of.function, &of.params);
        let Some((first, rest)) = function.params.split_first() else {
            return false;
        };
        let mut found = vec![None; params.len()];
        let has_rest = rest.iter().all(|param| param.default.is_some());
        let (ty, is_const) = (from.ty(), from.is_const());
        !function.traits.is_explicit
            && has_rest
            && self.types.unify(
                params,
                &first.ty,
                ty,
                is_const,
                from.is_rvalue(),
                &mut found,
            )
            && found.iter().all(Option::is_some)
    }

    /// The rank of passing what a constructor makes of the argument.
    pub fn rank_of_construction(&self, argument: &Operand, param: &ParamType) -> Option<u8> {
        let may_be_value = !param.is_reference || param.is_const || param.is_rvalue;
        // [over.ics.rank]: worse than any conversion that needs no constructor.
        (may_be_value && self.converts(argument, &param.ty))
            .then_some(5 - u8::from(param.is_rvalue))
    }

    /// The call of a constructor for an object.
    pub fn constructor_call(
        &mut self,
        of: &Struct,
        object: Place,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Expr> {
        let record = self.types.index_of(of)?;
        let candidates = self.constructors_for(record);
        let name = of.name().to_string();
        let callee = Callee {
            name: &name,
            candidates: &candidates,
            template: None,
            // [class.ctor]: an object is not `const` yet while its constructor runs.
            this: Some((object, false)),
            at: span,
        };
        self.call_candidates(&callee, arguments, span).map(load)
    }

    /// What constructs an object that is declared without a value; empty if nothing has to.
    pub fn default_construction(&mut self, place: Place, out: &mut Vec<Stmt>) -> Option<()> {
        let span = place.span;
        let ty = place.ty.clone();
        if !self.types.needs_construction(&ty) {
            return Some(());
        }
        // Objects that are passed by address have constructors that cost much code: a loop makes them. Others are
        // constructed one by one.
        match &ty {
            Type::Array(element, length) if self.types.is_by_address(&ty) => {
                self.for_elements(*length, span, out, |checker, index, out| {
                    let part = element_of(&place, index, (**element).clone());
                    checker.default_construction(part, out)
                })
            }
            Type::Array(element, length) => {
                // Each element gets a call of its own in the program, so there is a bound.
                if *length > MOST_CONSTRUCTED {
                    let message =
                        format!("more than {MOST_CONSTRUCTED} structs would be constructed");
                    return self.error(span, message);
                }
                for at in 0..*length {
                    let index = constant(scalar(Scalar::I32), u64::from(at), span);
                    let kind = PlaceKind::Index(Box::new(place.clone()), Box::new(index));
                    let ty = (**element).clone();
                    self.default_construction(Place { kind, ty, span }, out)?;
                }
                Some(())
            }
            Type::Struct(of) => self.construct_fields(place, of, out),
            _ => Some(()),
        }
    }

    /// What constructs a struct, or else each of its fields.
    fn construct_fields(&mut self, place: Place, of: &Struct, out: &mut Vec<Stmt>) -> Option<()> {
        let span = place.span;
        let is_made =
            |record: &Record| !record.constructors.is_empty() || record.class.begins.is_some();
        if self.types.record_of(of).is_some_and(is_made) {
            let call = self.constructor_call(of, place, Vec::new(), span)?;
            let kind = StmtKind::Expr(call);
            out.push(Stmt { kind, span });
            return Some(());
        }
        for field in 0..of.fields().len() {
            self.begin_field(place.clone(), field, span, out)?;
        }
        Some(())
    }

    /// Gives a field what it begins with by its declaration.
    pub fn begin_field(
        &mut self,
        object: Place,
        field: usize,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let Type::Struct(of) = &object.ty else {
            return None;
        };
        let record = self.types.record_of(of)?;
        let (default, context) = (record.defaults.get(field)?.clone(), record.context.clone());
        let Some(default) = default else {
            let place = self.raw_field(&object, field, span)?;
            return self.default_construction(place, out);
        };
        let before = out.len();
        let around = self.frame.objects.made.replace(object.clone());
        let begun = self.within(&context, |checker| {
            checker.begin_field_with(&object, field, &default, out)
        });
        self.frame.objects.made = around;
        begun?;
        // It happens where the object is made. The text of the struct is no statement of the function.
        for stmt in &mut out[before..] {
            stmt.span = span;
            if let StmtKind::Expr(expr) = &mut stmt.kind {
                expr.span = span;
            }
        }
        Some(())
    }

    /// What the bases and members of an object begin with in a constructor.
    pub fn construct_members(&mut self, initializers: &[MemberInit], span: Span) -> Vec<Stmt> {
        let mut out = Vec::new();
        let (Some((object, _)), Some(record)) = (self.frame.this_place(span), self.names.record)
        else {
            return out;
        };
        let of = self.types.records[record].ty.clone();
        let (mut written, mut bits, mut inner) = (HashMap::new(), Vec::new(), Vec::new());
        for init in initializers {
            let joined = init.name.joined();
            let member = self.types.records[record].members.get(joined.as_str());
            match (member.map(|entry| &entry.symbol), &init.values[..]) {
                (Some(Symbol::Bits(..)), [value]) => bits.push((init, value)),
                (Some(Symbol::BaseField(way)), _) if is_unnamed(&of, way) => {
                    inner.push((init, way.clone()));
                }
                _ => {
                    let named = of.fields().iter().position(|field| *field.name == joined);
                    let named = named.or_else(|| self.base_named(init, record, &object, &mut out));
                    // [class.base.init]: a constructor that delegates to another has nothing else in its list.
                    if named == Some(DELEGATED) {
                        return out;
                    }
                    written.extend(named.map(|field| (field, init)));
                }
            }
        }
        // [class.base.init]: members begin in the order of their declaration, whatever order is written.
        let fields = of.fields().iter().enumerate();
        for (at, _) in fields.filter(|(_, field)| field.name != TABLE) {
            match written.get(&at) {
                Some(init) => self.construct_member(init, &object, at, &mut out),
                None => self.begin_field(object.clone(), at, span, &mut out),
            };
        }
        self.begin_inner(&inner, &mut out);
        self.begin_bits(&bits, &mut out);
        self.set_table(span, &mut out);
        out
    }

    /// Begins what a constructor's list gives to members of structs and unions without names.
    fn begin_inner(&mut self, inner: &[(&MemberInit, Rc<[usize]>)], out: &mut Vec<Stmt>) {
        for (init, way) in inner {
            let place = self.own_field(way, init.name.span);
            if let Some(place) = place.and_then(Operand::into_place) {
                self.construct_place(init, place, out);
            }
        }
    }

    /// Puts what a constructor's list gives to bit-fields.
    fn begin_bits(&mut self, bits: &[(&MemberInit, &ast::Expr)], out: &mut Vec<Stmt>) {
        for (init, value) in bits {
            let (at, span) = (init.name.span, value.span);
            let name = ast::Expr::new(ast::ExprKind::Path(Box::new(init.name.clone())), at);
            if let Some(Operand::Value(changed)) = self.assignment(None, at, &name, value, span) {
                let kind = StmtKind::Expr(changed);
                out.push(Stmt { kind, span });
            }
        }
    }

    fn construct_member(
        &mut self,
        init: &MemberInit,
        object: &Place,
        field: usize,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (values, span) = (&init.values, init.name.span);
        let place = self.raw_field(object, field, span)?;
        if let (Some(_), [value]) = (self.reference_field(object, field), &values[..]) {
            return self.begin_field_with(object, field, value, out);
        }
        self.construct_place(init, place, out)
    }

    /// A field that is no reference, with what a constructor's list gives it.
    fn construct_place(
        &mut self,
        init: &MemberInit,
        place: Place,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (values, span) = (&init.values, init.name.span);
        let ty = place.ty.clone();
        let value = match (&values[..], &ty) {
            ([], Type::Array(..)) => return self.begin_zero(&place, out),
            (values, Type::Array(..)) => {
                let braces = ast::Expr::new(ast::ExprKind::Braces(values.to_vec()), span);
                return self.begin_written(&place, &braces, out);
            }
            ([value], ty) if !matches!(ty, Type::Struct(_)) => self.value_of_type(value, ty)?,
            (values, ty) => self.construct(ty, values, init.with_braces, span)?,
        };
        let kind = StmtKind::Expr(self.settle(value, &place));
        out.push(Stmt { kind, span });
        Some(())
    }

    /// The field that holds the base which a constructor's list names. A base without one is begun at once; the
    /// struct itself is what another constructor makes of it.
    fn base_named(
        &mut self,
        init: &MemberInit,
        record: usize,
        object: &Place,
        out: &mut Vec<Stmt>,
    ) -> Option<usize> {
        let span = init.name.span;
        // It may name a base, which only resolving its type tells; what means nothing is a mistyped field.
        let before = self.reports.mark();
        let written = ast::TypeName::plain(ast::Base::Named(Box::new(init.name.clone())), span);
        let Some((Type::Struct(of), _)) = self.resolve(&written, None, None) else {
            self.reports.take_back(before);
            let message = format!("`{}` is not a field of this struct", init.name.joined());
            return self.error(span, message);
        };
        if of == self.types.records[record].ty {
            let operands = self.operands(&init.values)?;
            let call = self.constructor_call(&of, object.clone(), operands, span)?;
            let kind = StmtKind::Expr(call);
            out.push(Stmt { kind, span });
            return Some(DELEGATED);
        }
        let bases = self.types.records[record].class.bases.clone();
        let is_it = |base: &&Base| self.types.records[base.record].ty == of;
        let Some(base) = bases.iter().find(is_it) else {
            let message = format!("`{}` is not a base of this struct", of.name());
            return self.error(span, message);
        };
        if base.field.is_none() {
            let to = Type::Struct(of);
            let value = self.construct(&to, &init.values, init.with_braces, span)?;
            let place = Operand::place(object.clone(), false);
            if let Operand::Place { place, .. } = self.as_base(place, &to) {
                let kind = StmtKind::Expr(self.settle(value, &place));
                out.push(Stmt { kind, span });
            }
        }
        base.field
    }

    /// A declared variable's constructor call, if arguments stand behind it in parentheses.
    pub fn initialized_by(
        &mut self,
        arguments: &[ast::Expr],
        ty: &Type,
        span: Span,
    ) -> Option<Initializer> {
        if arguments.is_empty() {
            // [dcl.init]: `T x();` declares a function.
            let message = "this declares a function, not a variable";
            let error = Diagnostic::error(span, message);
            return self.refuse(error.help("leave `()` out, or write `{}`"));
        }
        self.construct(ty, arguments, false, span)
            .map(Initializer::Value)
    }
}

/// Whether a way to a field goes through a struct or union without a name, whose members are those of the struct around it.
fn is_unnamed(of: &Struct, way: &[usize]) -> bool {
    let first = way.first().and_then(|at| of.fields().get(*at));
    first.is_some_and(|field| field.name == UNNAMED)
}
