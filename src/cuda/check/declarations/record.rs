//! Structs: their fields, their functions, and what is made of their templates.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::Diagnostic;

use crate::cuda::ast::{self, Member};
use crate::cuda::check::objects::BitFields;
use crate::cuda::lex::Name;
use crate::cuda::resolve::{
    Argument, Candidate, Checker, Context, Entry, Record, Symbol, TypeTemplateKind, innermost,
    pointer,
};
use crate::cuda::typed::{LayoutRules, Scalar, Struct, Type};

/// Alignment that is asked for: shared memory of a block begins at such an address.
const MOST_ALIGNMENT_BYTES: u32 = 16 * 1024;
/// Most bytes of a struct.
const MOST_BYTES: u32 = 64 * 1024;

/// Most bytes of a struct in a whole program.
const MOST_HOST_BYTES: u32 = 1 << 30;

impl Checker {
    /// Declares a struct or a template of structs.
    pub fn record(&mut self, record: &Rc<ast::Record>) {
        if self.names.scopes.len() > 1 {
            return self.inner_record(record);
        }
        let context = self.names.file_context();
        let name: Name = format!("{}{}", context.namespace, record.name.name).into();
        match (&record.template, &record.specialises) {
            (Some(_), Some(written)) => self.specialise_record(record, &name, written, context),
            (Some(params), None) => {
                let kind = TypeTemplateKind::Record(record.clone());
                let is_defined = record.members.is_some();
                self.type_template(&record.name, name, params, kind, is_defined, context);
            }
            (None, _) => {
                // After `struct A;` the definition completes the same type.
                let declared = match self.names.scopes[0].get(&name).map(|entry| &entry.symbol) {
                    Some(Symbol::Type(Type::Struct(of), _)) if of.name() == &*name => {
                        Some(of.clone())
                    }
                    _ => None,
                };
                // [class.name]: it may be declared again, before and after its definition.
                if declared.is_some() && record.members.is_none() {
                    return;
                }
                let known = declared.filter(|of| of.layout().is_none());
                let ty = known
                    .clone()
                    .unwrap_or_else(|| Struct::declared(name.to_string()));
                if known.is_none() {
                    self.declare(&record.name, Symbol::Type(Type::Struct(ty.clone()), false));
                }
                if record.members.is_some() {
                    self.define_record(record, ty, context, None, Vec::new());
                }
            }
        }
    }

    pub fn define_record(
        &mut self,
        written: &ast::Record,
        ty: Struct,
        context: Rc<Context>,
        template: Option<usize>,
        arguments: Vec<Argument>,
    ) {
        let before = self.reports.mark();
        // Known before its members are read, as these may name it.
        let mut record = Record::declared(ty.clone(), context.clone());
        (record.template, record.arguments) = (template, arguments);
        let index = self.types.add(record);
        let mut inner = (*context).clone();
        inner.record = Some(index);
        let mut fields = Vec::new();
        let inherited = self.inherit(written, index, &mut inner, &mut fields);
        inner.scopes.push(HashMap::new());
        let defining = self.types.defining.replace(index);
        let (rules, scope) = self.within(&inner, |checker| {
            checker.data_members(written, index, &mut fields)
        });
        self.types.defining = defining;
        self.limit_size(&ty, &mut fields, written);
        ty.define(fields, &rules);
        if let Some(last) = inner.scopes.last_mut() {
            *last = scope;
        }
        self.functions_of_record(written, index, inner);
        self.settle_lifetime(index, &written.members, written.name.span);
        let members = &mut self.types.records[index].members;
        for (name, entry) in inherited {
            members.entry(name).or_insert(entry);
        }
        // What is wrong with a member is wrong with the whole: no other would lie where it should.
        if let Some(cause) = self.reports.cause_since(before) {
            let name = self.types.records[index].ty.name().to_string();
            self.types.refused.insert(name, cause);
        }
    }

    /// Reports a struct that is larger than may be, and makes its fields small.
    fn limit_size(&mut self, ty: &Struct, fields: &mut [(String, Type)], written: &ast::Record) {
        let most = match self.host.is_program {
            true => MOST_HOST_BYTES,
            false => MOST_BYTES,
        };
        let whole = Struct::declared(ty.name().to_owned());
        let is_union = written.is_union;
        let rules = LayoutRules {
            is_union,
            ..LayoutRules::default()
        };
        whole.define(fields.to_vec(), &rules);
        let is_large = whole
            .layout()
            .is_some_and(|layout| layout.size_bytes > most);
        if is_large {
            let message = format!("`{}` has more than {most} bytes", ty.name());
            self.report(Diagnostic::error(written.name.span, message));
            // Structs in structs double: nobody is to look through them.
            for (_, field) in fields {
                *field = Type::Scalar(Scalar::I32);
            }
        }
    }

    /// A struct's alignment as written.
    pub fn alignment(&mut self, written: &ast::Expr) -> u32 {
        let value = self.constant_integer(written, "an alignment");
        match value.map(u32::try_from) {
            Some(Ok(bytes)) if bytes.is_power_of_two() && bytes <= MOST_ALIGNMENT_BYTES => bytes,
            None => 1,
            Some(_) => {
                let message =
                    format!("an alignment is a power of two, up to {MOST_ALIGNMENT_BYTES}");
                self.report(Diagnostic::error(written.span, message));
                1
            }
        }
    }

    /// How a struct is laid out and the scope of its members, whose types go to `fields`.
    fn data_members(
        &mut self,
        written: &ast::Record,
        index: usize,
        fields: &mut Vec<(String, Type)>,
    ) -> (LayoutRules, HashMap<Name, Entry>) {
        let align = written.align.as_ref();
        let align_bytes = align.map_or(1, |align| self.alignment(align));
        let mut bits = BitFields::default();
        for member in written.members.iter().flatten() {
            self.data_member(member, index, written.is_union, fields, &mut bits);
        }
        self.end_bit_fields(index, written.is_union, fields, &mut bits);
        if written.pack_bytes.is_some() && bits.align_bytes > 1 {
            let message = "bit-fields in a packed struct are not supported yet";
            self.report(Diagnostic::error(written.name.span, message));
        }
        let mut rules = LayoutRules {
            align_bytes: align_bytes.max(bits.align_bytes),
            pack_bytes: written.pack_bytes,
            is_union: written.is_union,
            ..LayoutRules::default()
        };
        self.types.lay_out_empty_bases(index, fields, &mut rules);
        (rules, self.names.scopes.pop().unwrap_or_default())
    }

    fn data_member(
        &mut self,
        member: &Member,
        index: usize,
        is_union: bool,
        fields: &mut Vec<(String, Type)>,
        bits: &mut BitFields,
    ) {
        match member {
            Member::Function(_) | Member::Using(_) | Member::Nothing => {}
            Member::Alias(alias) => self.alias(alias),
            Member::Enum(written) => self.enumeration(written),
            Member::Record(record) if record.name.name.is_empty() => {
                self.end_bit_fields(index, is_union, fields, bits);
                self.unnamed_member(record, index, fields);
            }
            Member::Record(record) => self.record(record),
            Member::Assert(assert) => self.static_assert(assert),
            Member::Variables(declaration) => {
                let specifiers = &declaration.specifiers;
                // [class.static]: a `static` member is no part of the objects, but one variable.
                if specifiers.storage.fixed.is_some() || specifiers.constexpr.is_some() {
                    return self.file_variables(declaration);
                }
                self.refuse_alignment(specifiers);
                for variable in &declaration.variables {
                    if let Some(width) = &variable.bits {
                        self.bit_field(variable, width, bits);
                        continue;
                    }
                    self.end_bit_fields(index, is_union, fields, bits);
                    if specifiers.storage.mutable.is_some() {
                        let class = &mut self.types.records[index].class;
                        class.mutables.insert(fields.len());
                    }
                    self.field(variable, index, fields, bits);
                }
            }
        }
    }

    fn refuse_alignment(&mut self, specifiers: &ast::Specifiers) {
        if let Some((span, _)) = &specifiers.align {
            let message = "the alignment of a member is not supported yet";
            let error = Diagnostic::error(*span, message);
            self.report(error.help("align the struct, or add members between"));
        }
    }

    fn field(
        &mut self,
        variable: &ast::Variable,
        index: usize,
        fields: &mut Vec<(String, Type)>,
        bits: &mut BitFields,
    ) {
        let before = self.reports.mark();
        let symbol = match self.field_type(variable) {
            Some((ty, reference)) => {
                self.behind_bit_fields(&ty, variable.span, fields, bits);
                if let Some(is_const) = reference {
                    let class = &mut self.types.records[index].class;
                    class.references.insert(fields.len(), is_const);
                }
                fields.push((variable.name.name.to_string(), ty));
                let defaults = &mut self.types.records[index].defaults;
                defaults.push(variable.init.clone());
                Symbol::Field(fields.len() - 1)
            }
            None => self.refused_since(before, variable.span),
        };
        self.declare(&variable.name, symbol);
    }

    /// The type of a field; of a reference that of a pointer, and whether to what is `const`.
    fn field_type(&mut self, variable: &ast::Variable) -> Option<(Type, Option<bool>)> {
        let (written, reference) = self.referred(&variable.ty);
        let is_reference = reference.is_some();
        let (ty, is_const) = self.resolve(&written, None, None)?;
        if is_reference {
            return Some((pointer(ty, is_const), Some(is_const)));
        }
        let name = &variable.name.name;
        match innermost(&ty) {
            Type::Void => self.error(variable.span, format!("`{name}` cannot be `void`")),
            Type::Struct(of) if of.layout().is_none() => {
                let message = format!("`{}` is not defined yet", of.name());
                self.error(variable.span, message)
            }
            _ => Some((ty, None)),
        }
    }

    /// Declares the functions of a struct; `inner` is where its members stand.
    fn functions_of_record(&mut self, written: &ast::Record, index: usize, mut inner: Context) {
        // Each may call all others, so all get the context that has them at the end.
        let placeholder = Rc::new(inner.clone());
        let mut made = Vec::new();
        for member in written.members.iter().flatten() {
            let Member::Function(function) = member else {
                if let Member::Using(path) = member {
                    self.using_member(path, index, &mut inner, &mut made);
                }
                continue;
            };
            if function.does_nothing() {
                continue;
            }
            let Some(candidate) = self.method_candidate(function, &placeholder) else {
                continue;
            };
            made.push(candidate);
            if let (true, Some(scope)) = (
                self.is_member(function, index, candidate),
                inner.scopes.last_mut(),
            ) {
                self.add_method(scope, &function.name, candidate);
            }
        }
        self.types.records[index].members = inner.scopes.last().cloned().unwrap_or_default();
        let context = Rc::new(inner);
        self.types.records[index].context = context.clone();
        for candidate in made {
            self.functions.set_context(candidate, context.clone());
        }
    }

    /// Whether a function of a struct is found by its name in it; constructors and friends are kept apart.
    fn is_member(&mut self, function: &ast::Function, index: usize, candidate: Candidate) -> bool {
        if function.specifiers.friend.is_some() {
            // [class.friend]: a friend is no member; it is found by the types of its arguments.
            let friend = (function.name.name.clone(), candidate);
            let friend = function.body.is_some().then_some(friend);
            self.types.records[index].friends.extend(friend);
            return false;
        }
        if function.constructs.is_some() {
            let of = self.types.records[index].ty.clone();
            let is_copy = self.takes_same(candidate, &of).is_some();
            let record = &mut self.types.records[index];
            match is_copy {
                true => record.class.copies.push(candidate),
                false => record.constructors.push(candidate),
            }
            return false;
        }
        self.add_virtual(index, candidate);
        true
    }

    /// Adds a function to those of its name in a struct.
    pub fn add_method(
        &mut self,
        scope: &mut HashMap<Name, Entry>,
        name: &ast::Ident,
        candidate: Candidate,
    ) {
        let entry = scope.entry(name.name.clone()).or_insert(Entry {
            symbol: Symbol::Functions(Vec::new()),
            span: name.span,
            item: 0,
        });
        match &mut entry.symbol {
            Symbol::Functions(all) => all.push(candidate),
            _ => {
                let message = format!("`{}` is declared twice in one struct", name.name);
                self.report(Diagnostic::error(name.span, message));
            }
        }
    }

    /// A function of a struct, or a template of functions.
    pub fn method_candidate(
        &mut self,
        function: &Rc<ast::Function>,
        context: &Rc<Context>,
    ) -> Option<Candidate> {
        if function.template.is_some() {
            let template = self.template_of_functions(function, context.clone());
            return template.map(Candidate::Template);
        }
        let before = self.reports.mark();
        let signature = self.within(context, |checker| {
            checker.signature(function, context.clone(), None)
        });
        Some(Candidate::Function(self.add_signature(signature?, before)))
    }
}
