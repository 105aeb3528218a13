//! Structs: their fields, their functions, and what is made of their templates.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::Diagnostic;

use super::Checker;
use super::file::split_reference;
use super::partial::Partial;
use super::scope::{Candidate, Context, Entry, Symbol};
use super::template::Argument;
use crate::cuda::ast;
use crate::cuda::ast::{Member, Template};
use crate::cuda::token::Name;
use crate::cuda::typed::{Struct, Type};

/// Most bytes of a struct.
const MOST_BYTES: u32 = 64 * 1024;

/// A struct with what the program need not know of it.
pub struct Record {
    pub ty: Struct,
    /// Its namespace.
    pub space: String,
    /// The template that it is made from, and the arguments.
    pub template: Option<usize>,
    pub arguments: Vec<Argument>,
    /// Its members by their names.
    pub members: HashMap<Name, Entry>,
    pub constructors: Vec<Candidate>,
    /// Functions that it declares besides its own.
    pub friends: Vec<(Name, Candidate)>,
    /// What fields begin with, if that is written.
    pub defaults: Vec<Option<ast::Expr>>,
    /// Where its members stand.
    pub context: Rc<Context>,
    /// Whether it is what a lambda makes.
    pub is_closure: bool,
}

/// A template of structs or of names for types.
pub struct TypeTemplate {
    pub name: Name,
    pub params: Template,
    pub kind: TypeTemplateKind,
    pub context: Rc<Context>,
    /// Types made so far, by their arguments; nothing where one was refused.
    pub instances: HashMap<Vec<Argument>, Option<Type>>,
    /// Definitions for some arguments.
    pub special: Vec<(Vec<Argument>, Rc<ast::Record>)>,
    /// Definitions for arguments of some form.
    pub partial: Vec<Rc<Partial>>,
}

/// What a template of types makes.
#[derive(Clone)]
pub enum TypeTemplateKind {
    Record(Rc<ast::Record>),
    Alias(ast::TypeName),
}

impl Checker {
    /// Where what is declared now at file scope stands.
    pub(super) fn file_context(&self) -> Rc<Context> {
        Rc::new(Context {
            space: self.spaces.current.clone(),
            item: self.item,
            ..Context::default()
        })
    }

    /// Declares a struct or a template of structs.
    pub(super) fn record(&mut self, record: &Rc<ast::Record>) {
        if self.scopes.len() > 1 {
            return self.inner_record(record);
        }
        let context = self.file_context();
        let name: Name = format!("{}{}", context.space, record.name.name).into();
        match (&record.template, &record.specialises) {
            (Some(_), Some(written)) => self.specialise_record(record, &name, written, context),
            (Some(params), None) => {
                let kind = TypeTemplateKind::Record(record.clone());
                let is_defined = record.members.is_some();
                self.type_template(&record.name, name, params, kind, is_defined, context);
            }
            (None, _) => {
                let known = match self.scopes[0].get(&name).map(|entry| &entry.symbol) {
                    Some(Symbol::Type(Type::Struct(of), _)) if of.layout().is_none() => {
                        Some(of.clone())
                    }
                    _ => None,
                };
                if known.is_some() && record.members.is_none() {
                    return;
                }
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

    pub(super) fn define_record(
        &mut self,
        written: &ast::Record,
        ty: Struct,
        context: Rc<Context>,
        template: Option<usize>,
        arguments: Vec<Argument>,
    ) {
        let index = self.records.len();
        self.records.push(Record {
            ty: ty.clone(),
            space: context.space.clone(),
            template,
            arguments,
            members: HashMap::new(),
            constructors: Vec::new(),
            friends: Vec::new(),
            defaults: Vec::new(),
            context: context.clone(),
            is_closure: false,
        });
        let mut inner = (*context).clone();
        inner.record = Some(index);
        let mut fields = Vec::new();
        let inherited = self.inherit(written, index, &mut inner, &mut fields);
        inner.scopes.push(HashMap::new());
        let defining = self.defining.replace(index);
        let (align_bytes, scope) = self.within(&inner, |checker| {
            let align_bytes = match &written.align {
                Some(align) => checker.alignment(align),
                None => 1,
            };
            for member in written.members.iter().flatten() {
                checker.data_member(member, index, &mut fields);
            }
            (align_bytes, checker.scopes.pop().unwrap_or_default())
        });
        self.defining = defining;
        ty.define(fields, align_bytes, written.is_union);
        if ty
            .layout()
            .is_some_and(|layout| layout.size_bytes > MOST_BYTES)
        {
            let message = format!("`{}` has more than {MOST_BYTES} bytes", ty.name());
            self.report(Diagnostic::error(written.name.span, message));
        }
        if let Some(last) = inner.scopes.last_mut() {
            *last = scope;
        }
        self.functions_of_record(written, index, inner);
        for (name, entry) in inherited {
            let members = &mut self.records[index].members;
            members.entry(name).or_insert(entry);
        }
    }

    /// A struct's alignment as written.
    pub(super) fn alignment(&mut self, written: &ast::Expr) -> u32 {
        let value = self.constant_integer(written, "an alignment");
        match value.map(u32::try_from) {
            Some(Ok(bytes)) if bytes.is_power_of_two() && bytes <= 128 => bytes,
            None => 1,
            Some(_) => {
                let message = "an alignment is a power of two, up to 128";
                self.report(Diagnostic::error(written.span, message));
                1
            }
        }
    }

    fn data_member(&mut self, member: &Member, index: usize, fields: &mut Vec<(String, Type)>) {
        match member {
            Member::Function(_) | Member::Nothing => {}
            Member::Alias(alias) => self.alias(alias),
            Member::Enum(written) => self.enumeration(written),
            Member::Record(record) => self.record(record),
            Member::Assert(assert) => self.static_assert(assert),
            Member::Variables(declaration) => {
                let specifiers = &declaration.specifiers;
                if specifiers.fixed.is_some() || specifiers.constexpr.is_some() {
                    return self.file_variables(declaration);
                }
                for variable in &declaration.variables {
                    let symbol = match self.field_type(variable) {
                        Some(ty) => {
                            fields.push((variable.name.name.to_string(), ty));
                            let defaults = &mut self.records[index].defaults;
                            defaults.push(variable.init.clone());
                            Symbol::Field(fields.len() - 1)
                        }
                        None => Symbol::Refused,
                    };
                    self.declare(&variable.name, symbol);
                }
            }
        }
    }

    fn field_type(&mut self, variable: &ast::Variable) -> Option<Type> {
        let (written, is_reference) = split_reference(&variable.ty);
        if is_reference {
            let error =
                Diagnostic::error(variable.span, "references in structs are not supported yet");
            self.report(error.help("take a pointer"));
            return None;
        }
        let (ty, _) = self.resolve(&written, None, None)?;
        let name = &variable.name.name;
        match super::types::innermost(&ty) {
            Type::Void => self.error(variable.span, format!("`{name}` cannot be `void`")),
            Type::Struct(of) if of.layout().is_none() => {
                let message = format!("`{}` is not defined yet", of.name());
                self.error(variable.span, message)
            }
            _ => Some(ty),
        }
    }

    /// Declares the functions of a struct; `inner` is where its members stand.
    fn functions_of_record(&mut self, written: &ast::Record, index: usize, mut inner: Context) {
        let placeholder = Rc::new(inner.clone());
        let mut made = Vec::new();
        for member in written.members.iter().flatten() {
            let Member::Function(function) = member else {
                continue;
            };
            let is_trivial = function.params.is_empty()
                && function.constructs.as_ref().is_some_and(Vec::is_empty)
                && function.body.as_ref().is_some_and(Vec::is_empty);
            if is_trivial {
                continue;
            }
            let Some(candidate) = self.method_candidate(function, &placeholder) else {
                continue;
            };
            made.push(candidate);
            if function.specifiers.friend.is_some() {
                if function.body.is_none() {
                    continue;
                }
                let friend = (function.name.name.clone(), candidate);
                self.records[index].friends.push(friend);
                continue;
            }
            if function.constructs.is_some() {
                self.records[index].constructors.push(candidate);
                continue;
            }
            let Some(scope) = inner.scopes.last_mut() else {
                continue;
            };
            let entry = scope.entry(function.name.name.clone()).or_insert(Entry {
                symbol: Symbol::Functions(Vec::new()),
                span: function.name.span,
                item: 0,
            });
            match &mut entry.symbol {
                Symbol::Functions(all) => all.push(candidate),
                _ => {
                    let message =
                        format!("`{}` is declared twice in one struct", function.name.name);
                    self.report(Diagnostic::error(function.name.span, message));
                }
            }
        }
        self.records[index].members = inner.scopes.last().cloned().unwrap_or_default();
        let context = Rc::new(inner);
        self.records[index].context = context.clone();
        for candidate in made {
            match candidate {
                Candidate::Function(index) => self.signatures[index].context = context.clone(),
                Candidate::Template(index) => self.templates[index].context = context.clone(),
            }
        }
    }

    /// A function of a struct, or a template of functions.
    pub(super) fn method_candidate(
        &mut self,
        function: &Rc<ast::Function>,
        context: &Rc<Context>,
    ) -> Option<Candidate> {
        if function.template.is_some() {
            let template = self.template_of_functions(function, context.clone());
            return template.map(Candidate::Template);
        }
        let signature = self.within(context, |checker| {
            checker.signature(function, context.clone(), None)
        });
        self.signatures.push(signature?);
        Some(Candidate::Function(self.signatures.len() - 1))
    }

    /// What is known of a struct.
    pub(super) fn record_of(&self, of: &Struct) -> Option<&Record> {
        self.records.iter().find(|record| record.ty == *of)
    }

    /// The functions that a name stands for in a struct.
    pub(super) fn methods(&self, of: &Struct, name: &str) -> Option<Vec<Candidate>> {
        match &self.record_of(of)?.members.get(name)?.symbol {
            Symbol::Functions(candidates) => Some(candidates.clone()),
            _ => None,
        }
    }
}
