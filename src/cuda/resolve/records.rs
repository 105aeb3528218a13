//! Structs with what the program need not know of them, and templates of types.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::operand::innermost;
use super::reports::Cause;
use super::symbol::{Candidate, Context, Entry, Symbol};
use super::template::Argument;
use crate::source::Diagnostic;

use crate::cuda::ast::{self, Declaration, ExprKind, Template, TemplateArgument};
use crate::cuda::lex::Name;
use crate::cuda::typed::{Bits, LayoutRules, Struct, Type};

/// The name of the field that holds the address of an object's virtual table.
pub const TABLE: &str = "(table)";

/// The name of the field that holds a struct or union without a name.
pub const UNNAMED: &str = "(unnamed)";

/// Ends the name of the type of a function that a kernel passes on.
pub const FUNCTION_OBJECT: &str = " (a function)";

/// A struct with what the program need not know of it.
pub struct Record {
    pub ty: Struct,
    /// Its namespace.
    pub namespace: String,
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
    pub class: Class,
}

/// What makes a struct more than its fields: bases, and functions that nobody need call by name.
#[derive(Default)]
pub struct Class {
    pub bases: Vec<Base>,
    /// The function that ends an object, if something is to be done.
    pub destructor: Option<usize>,
    /// The constructor without arguments, if it has none that is written.
    pub begins: Option<usize>,
    /// Constructors that take an object of the same struct.
    pub copies: Vec<Candidate>,
    /// Whether a copy is more than the same bytes.
    pub copies_specially: bool,
    /// Whether an assignment is more than that.
    pub assigns_specially: bool,
    /// Fields that are references, and whether to what is `const`.
    pub references: HashMap<usize, bool>,
    /// Fields that may change in a `const` object.
    pub mutables: HashSet<usize>,
    /// Fields that hold bit-fields, or nothing between them, and what stands in each.
    pub words: HashMap<usize, Vec<Bits>>,
    /// Its virtual functions, in order of the rows of its table.
    pub virtuals: Vec<Virtual>,
    /// Its table, once something needs that.
    pub table: Option<usize>,
}

/// A struct that another begins with.
#[derive(Clone)]
pub struct Base {
    /// Its number.
    pub record: usize,
    /// The field that holds it; nothing where its fields are the first ones of the other.
    pub field: Option<usize>,
}

/// A virtual function.
#[derive(Clone)]
pub struct Virtual {
    pub name: Name,
    /// The function that objects of the struct have.
    pub signature: usize,
}

impl Record {
    /// A struct without members, as it is known while these are read.
    pub fn declared(ty: Struct, context: Rc<Context>) -> Self {
        Record {
            ty,
            namespace: context.namespace.clone(),
            template: None,
            arguments: Vec::new(),
            members: HashMap::new(),
            constructors: Vec::new(),
            friends: Vec::new(),
            defaults: Vec::new(),
            context,
            is_closure: false,
            class: Class::default(),
        }
    }
}

/// A template of structs or of names for types.
pub struct TypeTemplate {
    pub name: Name,
    pub params: Template,
    pub kind: TypeTemplateKind,
    pub context: Rc<Context>,
    /// Types made so far, by their arguments; or why one was refused.
    pub instances: HashMap<Vec<Argument>, Result<Type, Cause>>,
    /// Definitions for some arguments.
    pub special: Vec<(Vec<Argument>, Rc<ast::Record>)>,
    /// Definitions for arguments of some form.
    pub partial: Vec<Rc<Partial>>,
    /// Why a definition for some arguments is not known: any use may mean that.
    pub lost: Option<Rc<Diagnostic>>,
}

impl TypeTemplate {
    /// Whether it was made for these arguments, or refused: a struct that was only named may still be defined.
    pub fn is_made_for(&self, arguments: &[Argument]) -> bool {
        match self.instances.get(arguments) {
            Some(Ok(Type::Struct(of))) => of.layout().is_some(),
            found => found.is_some(),
        }
    }

    /// Structs that it was asked for before it, or what is special for their arguments, was defined.
    pub fn named_only(&self) -> Vec<(Vec<Argument>, Struct)> {
        let named = self
            .instances
            .iter()
            .filter_map(|(arguments, made)| match made {
                Ok(Type::Struct(of)) if of.layout().is_none() => {
                    Some((arguments.clone(), of.clone()))
                }
                _ => None,
            });
        let mut named: Vec<_> = named.collect();
        // A map has no order of its own, and what is defined first gets the lower number.
        named.sort_by(|(_, a), (_, b)| a.name().cmp(b.name()));
        named
    }
}

/// What a template of types makes.
#[derive(Clone)]
pub enum TypeTemplateKind {
    Record(Rc<ast::Record>),
    Alias(ast::TypeName),
}

/// Such a definition.
pub struct Partial {
    pub params: Template,
    /// What stands in `<…>` behind its name.
    pub patterns: Vec<TemplateArgument>,
    pub record: Rc<ast::Record>,
    pub context: Rc<Context>,
}

impl Partial {
    /// The more, the more is written down in its arguments.
    // A count in place of the rules of [temp.class.order]: `A<T*>` has one more than `A<T>`, `A<const T*>` two more.
    pub fn detail(&self) -> usize {
        let of = |pattern: &TemplateArgument| match pattern {
            TemplateArgument::Type(ty) => {
                let nested = match &ty.base {
                    ast::Base::Named(path) => usize::from(path.arguments().is_some()),
                    _ => 1,
                };
                ty.modifiers.len() + usize::from(ty.is_const) + nested
            }
            TemplateArgument::Value(value) => usize::from(!matches!(value.kind, ExprKind::Name(_))),
        };
        self.patterns.iter().map(of).sum()
    }
}

/// A template of constants.
pub struct VariableTemplate {
    pub params: Template,
    pub context: Rc<Context>,
    pub declaration: Rc<Declaration>,
    /// Definitions for some arguments.
    pub special: Vec<(Vec<Argument>, Rc<Declaration>)>,
}

impl VariableTemplate {
    /// The definition for these arguments.
    pub fn for_arguments(&self, arguments: &[Argument]) -> Rc<Declaration> {
        let special = self.special.iter().find(|(of, _)| of == arguments);
        special
            .map_or(&self.declaration, |(_, special)| special)
            .clone()
    }
}

/// A definition of a struct's function that stands outside of it.
#[derive(Clone)]
pub struct OutOfLine {
    pub function: Rc<ast::Function>,
    /// Number of the item of the file that it is: what stands before it is known there.
    pub item: usize,
}

/// The types of the file, and what was made of their templates.
#[derive(Default)]
pub struct Types {
    pub records: Vec<Record>,
    /// Their places in that list, by the names of the structs, which are unlike all others.
    by_name: HashMap<String, usize>,
    pub templates: Vec<TypeTemplate>,
    pub variable_templates: Vec<VariableTemplate>,
    /// Functions of structs that are defined outside of them, by the names of the structs or of
    /// their templates.
    pub out_of_line: HashMap<Name, Vec<OutOfLine>>,
    /// Structs that are wrong, by their names, and why.
    pub refused: HashMap<String, Cause>,
    /// The struct whose fields are being declared.
    pub defining: Option<usize>,
    /// Whether types are those of variables in global memory, which may be large.
    pub in_global_memory: bool,
}

impl Types {
    /// The number of a struct.
    pub fn index_of(&self, of: &Struct) -> Option<usize> {
        self.by_name.get(of.name()).copied()
    }

    /// Adds what is known of a struct; its number.
    pub fn add(&mut self, record: Record) -> usize {
        let index = self.records.len();
        // Of one that is defined twice, which is an error, the first stays.
        let name = record.ty.name().to_owned();
        self.by_name.entry(name).or_insert(index);
        self.records.push(record);
        index
    }

    /// What is known of a struct.
    pub fn record_of(&self, of: &Struct) -> Option<&Record> {
        self.index_of(of).map(|index| &self.records[index])
    }

    /// Whether objects of a type are passed by address, as they are more than their bytes: these are no values.
    pub fn is_by_address(&self, ty: &Type) -> bool {
        let class = match innermost(ty) {
            Type::Struct(of) => self.record_of(of).map(|record| &record.class),
            _ => None,
        };
        class.is_some_and(|class| class.destructor.is_some() || class.copies_specially)
    }

    /// The struct of this name.
    pub fn named(&self, name: &str) -> Option<Struct> {
        let index = self.by_name.get(name)?;
        Some(self.records[*index].ty.clone())
    }

    /// The template of this name.
    pub fn template_called(&self, name: &str) -> Option<usize> {
        self.templates
            .iter()
            .position(|template| &*template.name == name)
    }

    pub fn has_constructors(&self, of: &Struct) -> bool {
        let record = self.record_of(of);
        record.is_some_and(|record| !record.constructors.is_empty())
    }

    /// The functions that a name stands for in a struct.
    pub fn methods(&self, of: &Struct, name: &str) -> Option<Vec<Candidate>> {
        match &self.record_of(of)?.members.get(name)?.symbol {
            Symbol::Functions(candidates) => Some(candidates.clone()),
            _ => None,
        }
    }

    /// What a name stands for in a struct; it is known wherever the struct is.
    pub fn member(&self, ty: &Type, name: &str) -> Option<Entry> {
        let Type::Struct(of) = ty else {
            return None;
        };
        let entry = self.record_of(of)?.members.get(name)?.clone();
        // In a class all members are known, also those that stand further down ([class.mem]).
        Some(Entry { item: 0, ..entry })
    }

    /// Whether objects of a type have to be constructed when they are declared.
    pub fn needs_construction(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, _) => self.needs_construction(element),
            Type::Struct(of) => self.record_of(of).is_some_and(|record| {
                let mut fields = of.fields().iter();
                !record.constructors.is_empty()
                    || record.class.begins.is_some()
                    || record.defaults.iter().any(Option::is_some)
                    || fields.any(|field| self.needs_construction(&field.ty))
            }),
            _ => false,
        }
    }

    /// What stands before the names of functions that a struct or namespace declares.
    pub fn scope_name(&self, context: &Context) -> String {
        match context.record {
            Some(record) => format!("{}::", self.records[record].ty.name()),
            None => context.namespace.clone(),
        }
    }
}

/// Bases without fields take no room in an object, but two subobjects of one type never lie at one address (Itanium C++
/// ABI, 2.4, "Allocation of Members Other Than Virtual Bases"; [intro.object]).
impl Types {
    /// What the bases of the struct number `index` say of where its fields lie.
    ///
    /// ```text
    /// struct Empty {};  struct A : Empty { int x; };  struct B : Empty { A a; };
    /// ```
    /// An `A` has 4 bytes. A `B` has 8: at 0, where its own `Empty` lies, that of `a` may not begin.
    pub fn lay_out_empty_bases(
        &self,
        index: usize,
        fields: &[(String, Type)],
        rules: &mut LayoutRules,
    ) {
        let bases = self.records[index].class.bases.iter();
        let empty = bases.filter(|base| self.is_empty(base.record));
        rules.empty_bases = empty.filter_map(|base| base.field).collect();
        let mut own = Vec::new();
        self.add_empty_bases(index, &mut own);
        let with_room = fields.iter().enumerate();
        let mut with_room = with_room.filter(|(at, _)| !rules.empty_bases.contains(at));
        let mut first = Vec::new();
        if let Some((_, (_, ty))) = with_room.next() {
            self.add_empty_at_beginning(ty, &mut first);
        }
        rules.moves_first = first.iter().any(|record| own.contains(record));
    }

    /// Whether a struct has no fields but bases of which that is true.
    fn is_empty(&self, record: usize) -> bool {
        let of = &self.records[record];
        let is_base = |at: usize| {
            let mut bases = of.class.bases.iter();
            bases.any(|base| base.field == Some(at) && self.is_empty(base.record))
        };
        let layout = of.ty.layout();
        layout.is_some_and(|layout| (0..layout.fields.len()).all(is_base))
    }

    /// The empty structs among a struct's bases and theirs, where these lie at its beginning.
    fn add_empty_bases(&self, record: usize, found: &mut Vec<usize>) {
        for base in &self.records[record].class.bases {
            if self.is_empty(base.record) {
                found.push(base.record);
            }
            self.add_empty_bases(base.record, found);
        }
    }

    /// The empty structs that lie where a value of type `ty` begins.
    fn add_empty_at_beginning(&self, ty: &Type, found: &mut Vec<usize>) {
        let of = match ty {
            Type::Array(of, _) => return self.add_empty_at_beginning(of, found),
            Type::Struct(of) => of,
            _ => return,
        };
        let Some(record) = self.index_of(of) else {
            return;
        };
        if self.is_empty(record) {
            found.push(record);
        }
        self.add_empty_bases(record, found);
        for field in of.fields().iter().filter(|field| field.offset_bytes == 0) {
            self.add_empty_at_beginning(&field.ty, found);
        }
    }
}
