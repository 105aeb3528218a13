//! Objects: `this`, functions of structs, operators of one's own.

use std::collections::HashSet;

use crate::source::{Diagnostic, Span};

use super::callee::{Callee, Method};
use super::function_pointer::pointed_function;
use super::overload::is_worse;
use crate::cuda::ast::{self, CONVERSION, DESTRUCTOR, Ident};
use crate::cuda::resolve::{
    Candidate, Checker, Operand, Side, Signature, Symbol, address, constant, load, node, pointer,
};
use crate::cuda::typed::{Expr, ExprKind, Place, PlaceKind, Struct, Type};

impl Checker {
    /// Makes `this` the first parameter of a function of a struct.
    pub fn declare_this(&mut self, signature: &Signature) {
        let Some(record) = self.names.record else {
            return;
        };
        let object = Type::Struct(self.types.records[record].ty.clone());
        let ty = pointer(object, signature.is_const);
        let this = self.frame.reference("this", ty, signature.span);
        self.frame.locals[this].is_volatile = signature.function.traits.is_volatile;
        let this = Some(this);
        let is_written = !signature.function.traits.is_implicit;
        match is_written && self.types.records[record].is_closure {
            // [expr.prim.lambda.closure]: in a lambda's body `this` is the object of the function around.
            true => self.frame.function.lambda = this,
            false => self.frame.this = this,
        }
    }

    pub fn this_pointer(&mut self, span: Span) -> Option<Expr> {
        match self.frame.this {
            Some(this) => Some(self.frame.load_local(this, span)),
            None => self.error(span, "`this` is outside of a struct's functions"),
        }
    }

    /// A field, by its name alone, in a function of its struct.
    pub fn own_field(&mut self, way: &[usize], span: Span) -> Option<Operand> {
        let Some((object, is_const)) = self.frame.this_place(span) else {
            return self.error(span, "a field is named outside of any object");
        };
        self.field_on_the_way(Operand::place(object, is_const), way, span)
    }

    /// What a lambda keeps by value, by its name in the lambda's body.
    pub fn captured_value(&mut self, field: usize, span: Span) -> Option<Operand> {
        let (lambda, is_const) = self.frame.lambda_place(span)?;
        self.field_on_the_way(Operand::place(lambda, is_const), &[field], span)
    }

    /// What a lambda keeps the address of, by its name in the lambda's body.
    pub fn captured_reference(&mut self, field: usize, span: Span) -> Option<Operand> {
        let pointer = load(self.captured_value(field, span)?);
        let Type::Pointer { to, is_const } = &pointer.ty else {
            return None;
        };
        let (ty, is_const) = ((**to).clone(), *is_const);
        let kind = PlaceKind::Deref(Box::new(pointer));
        Some(Operand::place(Place { kind, ty, span }, is_const))
    }

    /// A field of an object.
    pub fn field_of(
        &self,
        object: Place,
        is_const: bool,
        field: usize,
        span: Span,
    ) -> Option<Operand> {
        let reference = self.reference_field(&object, field);
        let place = self.raw_field(&object, field, span)?;
        let (Some(is_const), Type::Pointer { to, .. }) = (reference, place.ty.clone()) else {
            let is_mutable = match &object.ty {
                Type::Struct(of) => self.types.record_of(of).is_some_and(|record| {
                    // [dcl.stc]: it may change even in an object that may not.
                    record.class.mutables.contains(&field)
                }),
                _ => false,
            };
            return Some(Operand::place(place, is_const && !is_mutable));
        };
        // A field that is a reference is kept as a pointer.
        let pointer = load(Operand::place(place, true));
        let (kind, ty) = (PlaceKind::Deref(Box::new(pointer)), *to);
        Some(Operand::place(Place { kind, ty, span }, is_const))
    }

    /// Refuses a field in a kernel that lies where no load or store of its size can reach it: nvcc reads it byte by byte.
    fn is_aligned(&mut self, object: &Type, field: usize, at: Span) -> Option<()> {
        let (Type::Struct(of), Side::Gpu) = (object, self.frame.side) else {
            return Some(());
        };
        let field = of.fields().get(field)?;
        let offset_bytes = field.offset_bytes;
        if offset_bytes.is_multiple_of(field.ty.align_bytes()) {
            return Some(());
        }
        let name = &field.name;
        let message = format!(
            "`{name}` lies at byte {offset_bytes} of a packed struct, which kernels cannot use yet"
        );
        let error = Diagnostic::error(at, message);
        self.refuse(error.help("pass the kernel a struct that is not packed"))
    }

    /// A member of a struct: a field, or a constant.
    pub fn struct_member(
        &mut self,
        object: Operand,
        of: &Struct,
        member: &Ident,
        span: Span,
    ) -> Option<Operand> {
        let object = match object {
            Operand::Value(of) if self.types.is_by_address(&of.ty) => self.materialised(of),
            object => object,
        };
        let record = self.types.record_of(of);
        let found = record.and_then(|record| record.members.get(&member.name));
        match found.map(|entry| entry.symbol.clone()) {
            Some(Symbol::Field(field)) => self.field_on_the_way(object, &[field], span),
            Some(Symbol::BaseField(way)) => self.field_on_the_way(object, &way, span),
            // [class.bit]: nothing refers to a bit-field, so it has no place; `assignment` stores to one.
            Some(Symbol::Bits(way, bits)) => self
                .field_on_the_way(object, &way, span)
                .map(|word| Operand::Value(bits.read(load(word), span))),
            // [expr.ref]: a static member is the class's, and what stands before the `.` is evaluated all the same.
            Some(Symbol::Constant(ty, bits)) => {
                Some(self.beside(object, Operand::Value(constant(ty, bits, span))))
            }
            Some(Symbol::File(id, is_const)) => self
                .file_place(id, is_const, span)
                .map(|variable| self.beside(object, variable)),
            Some(Symbol::Functions(_)) => {
                let name = &member.name;
                let error =
                    Diagnostic::error(member.span, format!("`{name}` is a function, not a value"));
                self.refuse(error.help(format!("call it: `{name}(…)`")))
            }
            Some(Symbol::Refused(cause)) => {
                self.reports.repeat_finally(&cause);
                None
            }
            _ => self.no_field(of, member),
        }
    }

    fn no_field(&mut self, of: &Struct, member: &Ident) -> Option<Operand> {
        let names = of.fields().iter().map(|field| &*field.name);
        // What no text can name: bases, and the address of a table.
        let names: Vec<&str> = names.filter(|name| !name.starts_with('(')).collect();
        self.no_member(of.name(), &names, member)
    }

    /// `member`, which is no part of `object`, once that has done what it does.
    fn beside(&mut self, object: Operand, member: Operand) -> Operand {
        let object = match object {
            Operand::Place {
                place, is_const, ..
            } => address(place, is_const),
            Operand::Value(value) => value,
        };
        match object.has_effects() {
            true => after(object, member),
            false => member,
        }
    }

    /// A field of an object, by the fields that lead to it through its bases.
    fn field_on_the_way(
        &mut self,
        mut object: Operand,
        way: &[usize],
        span: Span,
    ) -> Option<Operand> {
        for field in way {
            self.is_aligned(object.ty(), *field, span)?;
            object = match object {
                Operand::Place {
                    place, is_const, ..
                } => self.field_of(place, is_const, *field, span)?,
                Operand::Value(object) => {
                    let Type::Struct(of) = object.ty.clone() else {
                        return None;
                    };
                    self.field_of_value(object, &of, *field, span)?
                }
            };
        }
        Some(object)
    }

    /// A field of an object that lies nowhere, as of one that a function returns.
    fn field_of_value(
        &mut self,
        object: Expr,
        of: &Struct,
        field: usize,
        span: Span,
    ) -> Option<Operand> {
        let ty = of.fields().get(field)?.ty.clone();
        let is_union = of.layout().is_some_and(|layout| layout.is_union);
        // Parts of these are found by their address, so the object is stored first.
        if is_union || matches!(ty, Type::Array(..)) {
            let (place, before) = self.frame.stored(object);
            let place = self.field_of(place, true, field, span)?;
            return Some(after(before, place));
        }
        let kind = ExprKind::Member(Box::new(object), field);
        Some(Operand::Value(Expr { kind, ty, span }))
    }

    /// `base.member(arguments)`
    pub fn call_method(
        &mut self,
        base: &ast::Expr,
        member: &Ident,
        template: Option<&[ast::TemplateArgument]>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let object = self.operand(base);
        let methods = self.methods_of(&object, &member.name);
        let Some(object) = object else {
            return self.arguments_of_nothing(arguments);
        };
        let arguments = self.operands_for(methods.as_deref().unwrap_or(&[]), template, arguments);
        let ty = object.ty().clone();
        // [expr.prim.id.dtor]: what needs no destructor may be said to end all the same, as templates do.
        if methods.is_none() && &*member.name == DESTRUCTOR {
            let nothing = ExprKind::Nothing(vec![self.of_effect(object)]);
            return Some(Operand::Value(node(nothing, Type::Void, span)));
        }
        // A field that can be called. What a kernel's objects, such as groups of threads, lack is missed as a function.
        if methods.is_none()
            && let Type::Struct(of) = &ty
            && (self.frame.side == Side::Host || self.has_member(of, member))
        {
            let field = self.struct_member(object, of, member, span)?;
            return self.call_operand(field, arguments?, member.span, span);
        }
        let Some(candidates) = methods else {
            let message = format!("`{ty}` has no function `{}`", member.name);
            return self.error(member.span, message);
        };
        let method = Method {
            name: &member.name,
            candidates: &candidates,
            template,
            at: member.span,
        };
        self.call_on(object, &method, arguments?, span)
    }

    /// The arguments of a call whose object is wrong: what is wrong with them is told as well, but for lists in braces, of
    /// which nobody knows what they would make.
    fn arguments_of_nothing<T>(&mut self, arguments: &[ast::Expr]) -> Option<T> {
        let is_list = |written: &&ast::Expr| matches!(written.kind, ast::ExprKind::Braces(_));
        for written in arguments.iter().filter(|written| !is_list(written)) {
            self.operand(written);
        }
        None
    }

    fn has_member(&self, of: &Struct, member: &Ident) -> bool {
        let record = self.types.record_of(of);
        record.is_some_and(|record| record.members.contains_key(&member.name))
    }

    /// An object as the struct that stands before the last name of a path ([basic.lookup.qual]).
    fn object_named(&mut self, base: &ast::Expr, path: &ast::Path) -> Option<(Operand, Struct)> {
        let object = self.operand(base);
        let ty = self.struct_before(path)?;
        let object = object?;
        let Type::Struct(of) = &ty else {
            let message = format!("`{ty}` is no struct");
            return self.error(path.span, message);
        };
        if *object.ty() != ty && !self.is_derived(object.ty(), &ty) {
            let message = format!("a `{}` is no `{ty}`", object.ty());
            return self.error(path.span, message);
        }
        Some((self.as_base(object, &ty), of.clone()))
    }

    /// `base.A::member`
    pub fn member_of(&mut self, base: &ast::Expr, path: &ast::Path, span: Span) -> Option<Operand> {
        let (object, of) = self.object_named(base, path)?;
        let member = path.segments.last()?.name.clone();
        self.struct_member(object, &of, &member, span)
    }

    /// `base.A::f(arguments)`, which means just that function even if it is virtual ([class.virtual]).
    pub fn call_method_of(
        &mut self,
        base: &ast::Expr,
        path: &ast::Path,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let (object, of) = self.object_named(base, path)?;
        let last = path.segments.last()?;
        let Some(candidates) = self.types.methods(&of, &last.name.name) else {
            let message = format!("`{}` has no function `{}`", of.name(), last.name.name);
            return self.error(last.name.span, message);
        };
        let template = last.arguments.as_deref();
        let arguments = self.operands_for(&candidates, template, arguments)?;
        let method = Method {
            // With the struct's name before it, by which a call knows not to look in the object's table.
            name: &path.joined(),
            candidates: &candidates,
            template,
            at: last.name.span,
        };
        self.call_on(object, &method, arguments, span)
    }

    /// The functions of this name that an object has.
    fn methods_of(&self, object: &Option<Operand>, name: &str) -> Option<Vec<Candidate>> {
        match object.as_ref().map(Operand::ty) {
            Some(Type::Struct(of)) => self.types.methods(of, name),
            _ => None,
        }
    }

    /// A function of a struct, called on an object.
    pub fn call_on(
        &mut self,
        object: Operand,
        method: &Method,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Option<Operand> {
        let (this, before) = match object {
            Operand::Place {
                place, is_const, ..
            } => ((place, is_const), None),
            Operand::Value(value) if self.types.is_by_address(&value.ty) => {
                // A function of the class may keep `this` to the end of the full expression.
                match self.materialised(value) {
                    Operand::Place { place, .. } => ((place, false), None),
                    Operand::Value(_) => return None,
                }
            }
            // A plain value gets a variable for as long as the call takes.
            Operand::Value(value) => {
                let (place, before) = self.frame.stored(value);
                ((place, false), Some(before))
            }
        };
        let callee = Callee {
            name: method.name,
            candidates: method.candidates,
            template: method.template,
            this: Some(this),
            at: method.at,
        };
        let called = self.call_candidates(&callee, arguments, span)?;
        Some(match before {
            Some(before) => after(before, called),
            None => called,
        })
    }

    /// `object(arguments)`
    pub fn call_object(
        &mut self,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let object = self.operand(callee);
        let methods = self.methods_of(&object, "operator()");
        let arguments = self.operands_for(methods.as_deref().unwrap_or(&[]), None, arguments);
        self.call_operand(object?, arguments?, callee.span, span)
    }

    fn call_operand(
        &mut self,
        object: Operand,
        arguments: Vec<Operand>,
        at: Span,
        span: Span,
    ) -> Option<Operand> {
        if let Type::Struct(of) = object.ty()
            && let Some(candidates) = self.types.methods(of, "operator()")
        {
            let method = Method::plain("operator()", &candidates, at);
            return self.call_on(object, &method, arguments, span);
        }
        if let Some(of) = pointed_function(object.ty()).cloned() {
            return self.call_pointer(object, &of, arguments, span);
        }
        self.error(at, "only functions can be called, by name")
    }

    /// Whether the operand's class has conversions of its own, such as `operator int()`.
    fn has_conversions(&self, operand: &Operand) -> bool {
        let of = Some(operand.clone());
        self.methods_of(&of, CONVERSION).is_some()
    }

    /// An operator of the file's own for these operands, called; nothing if there is none.
    pub fn own_operator(
        &mut self,
        symbol: &str,
        operands: &[Operand],
        at: Span,
        span: Span,
    ) -> Option<Option<Operand>> {
        // [over.oper]: one operand must be of a class type; CUDA's vectors are structs in its headers.
        let is_own = |operand: &Operand| matches!(operand.ty(), Type::Struct(_) | Type::Vector(..));
        if !operands.iter().any(is_own) {
            return None;
        }
        let name = format!("operator{symbol}");
        let candidates = self.operators(&name, operands);
        let members = self.methods_of(&operands.first().cloned(), &name);
        let count = operands.len() - 1;
        let members = members.filter(|all| all.iter().any(|one| self.takes(*one, count)));
        let may_convert = operands.iter().any(|operand| self.has_conversions(operand));
        if let (Some(members), Some((first, rest))) = (members, operands.split_first())
            && (candidates.is_empty() && !may_convert
                || self.is_member_better(&name, &members, &candidates, operands, span))
        {
            let (object, rest) = (first.clone(), rest.to_vec());
            let method = Method::plain(&name, &members, at);
            return Some(self.call_on(object, &method, rest, span));
        }
        if candidates.is_empty()
            || may_convert && !self.fits_any(&name, &candidates, operands, span)
        {
            return None;
        }
        let callee = Callee {
            name: &name,
            candidates: &candidates,
            template: None,
            this: None,
            at,
        };
        Some(self.call_candidates(&callee, operands.to_vec(), span))
    }

    /// Whether a function may be called with so many arguments.
    fn takes(&self, candidate: Candidate, arguments: usize) -> bool {
        // `operator-` of one operand and of two have the same name: the number tells which is meant.
        match candidate {
            Candidate::Function(at) => self.functions.signatures[at].takes(arguments),
            Candidate::Template(at) => {
                self.functions.templates[at].function.params.len() == arguments
            }
            Candidate::Host(_) => true,
        }
    }

    /// Whether one of these functions takes the operands.
    fn fits_any(
        &mut self,
        name: &str,
        candidates: &[Candidate],
        operands: &[Operand],
        span: Span,
    ) -> bool {
        let callee = Callee {
            name,
            candidates,
            template: None,
            this: None,
            at: span,
        };
        self.best_ranks(&callee, operands, span).is_some()
    }

    /// Whether a member of the left operand fits an operator better than the functions beside it ([over.match.oper]).
    fn is_member_better(
        &mut self,
        name: &str,
        members: &[Candidate],
        others: &[Candidate],
        operands: &[Operand],
        span: Span,
    ) -> bool {
        let this = match &operands[0] {
            Operand::Place {
                place, is_const, ..
            } => (place.clone(), *is_const),
            // What is made for it is no constant.
            Operand::Value(value) => (self.frame.temporary(value.ty.clone(), span), false),
        };
        let callee = |candidates, this| Callee {
            name,
            candidates,
            template: None,
            this,
            at: span,
        };
        let own = self.best_ranks(&callee(members, Some(this)), &operands[1..], span);
        let Some(own) = own else {
            return false;
        };
        let free = self.best_ranks(&callee(others, None), operands, span);
        let Some(free) = free else {
            return true;
        };
        let count = operands.len() - 1;
        let (own, free) = (&own[..count], (&free[..1], &free[1..=count]));
        // [over.match.best]: better for one operand, and worse for none.
        let pairs = own.iter().zip(free.1);
        let is_any_worse = pairs.clone().any(|(&own, &free)| is_worse(own, free));
        let is_any_better = pairs.clone().any(|(&own, &free)| is_worse(free, own));
        !is_any_worse && (is_any_better || free.0[0] > 1)
    }

    /// An operator that is a member of the left operand's class, called; nothing if there is none.
    fn member_operator(
        &mut self,
        name: &str,
        operands: &[Operand],
        at: Span,
        span: Span,
    ) -> Option<Option<Operand>> {
        let (first, rest) = operands.split_first()?;
        let Type::Struct(of) = first.ty() else {
            return None;
        };
        let candidates = self.types.methods(of, name)?;
        let (object, rest) = (first.clone(), rest.to_vec());
        let method = Method::plain(name, &candidates, at);
        Some(self.call_on(object, &method, rest, span))
    }

    /// What an object that stands for a pointer points to, by its class's `*` or `->`; nothing if it has neither.
    pub fn pointed_by_object(&mut self, object: &Operand, span: Span) -> Option<Option<Operand>> {
        // Of an object with both, `*` says what is there; `->` may give another object that stands for a pointer.
        let object = std::slice::from_ref(object);
        if let Some(called) = self.member_operator("operator*", object, span, span) {
            return Some(called);
        }
        let pointer = self.member_operator("operator->", object, span, span)?;
        Some(pointer.and_then(|pointer| self.deref_value(load(pointer), span)))
    }

    /// The functions that an operator may mean: those in reach, and those that its operands' types bring.
    fn operators(&self, name: &str, operands: &[Operand]) -> Vec<Candidate> {
        let mut candidates = match self.names.find(name).map(|entry| &entry.symbol) {
            Some(Symbol::Functions(candidates)) => candidates.clone(),
            _ => Vec::new(),
        };
        // Within a struct its own operators are found as well: these are members.
        candidates.retain(|candidate| match candidate {
            Candidate::Function(at) => !self.functions.signatures[*at].has_this,
            Candidate::Template(at) => self.functions.templates[*at].context.record.is_none(),
            Candidate::Host(_) => true,
        });
        for operand in operands {
            if let Type::Struct(of) = operand.ty() {
                self.add_associated(of, name, &mut candidates);
            }
        }
        // Two operands of one type have the same friends, and `a & b` of a class says nothing of `&a`.
        let mut seen = HashSet::new();
        candidates.retain(|one| self.takes(*one, operands.len()) && seen.insert(*one));
        candidates
    }

    /// Adds the functions that are found by the type of an argument: friends of the struct, and functions of its
    /// namespace ([basic.lookup.argdep]).
    pub fn add_associated(&self, of: &Struct, name: &str, candidates: &mut Vec<Candidate>) {
        let record = self.types.record_of(of);
        let friends = record.map_or(&[][..], |record| &record.friends);
        let friends = friends.iter().filter(|(friend, _)| **friend == *name);
        candidates.extend(friends.map(|(_, candidate)| *candidate));
        let space = record.map_or("", |record| &record.namespace);
        let whole = format!("{space}{name}");
        // Functions of namespaces stand in the file's scope by their whole names.
        let entry = self.names.scopes[0].get(whole.as_str());
        if let Some(Symbol::Functions(more)) = entry.map(|entry| &entry.symbol) {
            let new = more.iter().filter(|more| !candidates.contains(more));
            let new: Vec<Candidate> = new.copied().collect();
            candidates.extend(new);
        }
    }
}

/// `operand`, once `before` is done.
fn after(before: Expr, operand: Operand) -> Operand {
    let comma = |value: Expr| Expr {
        ty: value.ty.clone(),
        span: value.span,
        kind: ExprKind::Comma(Box::new(before.clone()), Box::new(value)),
    };
    match operand {
        Operand::Value(value) => Operand::Value(comma(value)),
        Operand::Place {
            place, is_const, ..
        } => {
            // Only values can stand behind a comma: a place goes by its address.
            let address = address(place, is_const);
            let (ty, span) = match &address.ty {
                Type::Pointer { to, .. } => ((**to).clone(), address.span),
                ty => (ty.clone(), address.span),
            };
            let kind = PlaceKind::Deref(Box::new(comma(address)));
            Operand::place(Place { kind, ty, span }, is_const)
        }
    }
}
