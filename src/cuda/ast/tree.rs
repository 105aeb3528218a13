//! The tree itself. Items hold statements, statements expressions, and expressions (as lambdas) items again: that is why
//! all of it stands in one file.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::leaves::{BodySummary, CastKind, Ident, PrefixOp, Source, Traits, TypeProperty};
use crate::cuda::lex::{Literal, Name};
use crate::cuda::typed::{BinaryOp, Scalar};

/// A name with the namespaces before it, as in `a::b<int, 4>`.
#[derive(Clone, Debug)]
pub struct Path {
    /// Whether it begins with `::`.
    pub is_global: bool,
    /// Its names, at least one.
    pub segments: Vec<Segment>,
    /// All of it.
    pub span: Span,
}

impl Path {
    /// `std::name`, as if it were written at `span`.
    pub fn of_std(name: &str, span: Span) -> Self {
        let segment = |name: &str| Segment {
            name: Ident {
                name: name.into(),
                span,
            },
            arguments: None,
        };
        Path {
            is_global: false,
            segments: vec![segment("std"), segment(name)],
            span,
        }
    }

    /// Its names with `::` between them, without template arguments.
    pub fn joined(&self) -> String {
        let names: Vec<&str> = self.segments.iter().map(|s| &*s.name.name).collect();
        names.join("::")
    }

    /// The template arguments of its last name.
    pub fn arguments(&self) -> Option<&[TemplateArgument]> {
        self.segments.last()?.arguments.as_deref()
    }
}

/// A name of a path.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The name.
    pub name: Ident,
    /// What stands in `<…>` behind it.
    pub arguments: Option<Vec<TemplateArgument>>,
}

/// An argument of a template.
#[derive(Clone, Debug)]
pub enum TemplateArgument {
    /// A type.
    Type(TypeName),
    /// A value.
    Value(Expr),
}

/// A file.
#[derive(Debug, Default)]
pub struct Unit {
    /// What it declares, in order.
    pub items: Vec<Item>,
    /// The namespace in which each item stands, with `::` behind each name.
    pub namespaces: Vec<Name>,
    /// Whether each item seems to be for the host: then what is wrong with it only matters where a
    /// kernel uses it.
    pub for_host: Vec<bool>,
    /// Where each item stands.
    pub places: Vec<Span>,
    /// What was skipped because it is for the host.
    pub skipped: Vec<Span>,
    /// What is wrong with an item of a number, where that only matters if a kernel reaches it.
    pub wrong: HashMap<usize, Vec<Diagnostic>>,
}

impl Unit {
    /// Keeps what stands in a function with it; the rest.
    pub fn keep(&mut self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut rest = Vec::new();
        for diagnostic in diagnostics {
            let span = diagnostic.span();
            let is_around = |place: &Span| {
                // Options stand nowhere.
                span != Span::default() && place.start <= span.start && span.end <= place.end
            };
            match self.places.iter().position(is_around) {
                Some(item) if matches!(self.items[item], Item::Function(_)) => {
                    self.wrong.entry(item).or_default().push(diagnostic);
                }
                _ => rest.push(diagnostic),
            }
        }
        rest
    }
}

/// What a file declares.
#[derive(Debug)]
pub enum Item {
    /// A function or its prototype.
    Function(Rc<Function>),
    /// A struct.
    Record(Rc<Record>),
    /// An enumeration.
    Enum(Rc<Enum>),
    /// Constants and shared arrays.
    Variables(Declaration),
    /// `int A::count = 0;`: a `static` member, which its class only declares.
    StaticMember(Path, Variable),
    /// `using` or `typedef`.
    Alias(Alias),
    /// `static_assert`.
    Assert(StaticAssert),
    /// `template <…>` of constants.
    VariableTemplate(Template, Rc<Declaration>),
    /// `using namespace a::b;`
    UsingNamespace(Path),
    /// `namespace a = b::c;`
    NamespaceAlias(Ident, Path),
    /// `using a::b;`
    UsingName(Path),
    /// Nothing that matters here.
    Nothing,
    /// Something for the host that was not understood, and why.
    Host(HostItem),
    /// Something that was refused: uses of its name are not reported again.
    Refused(Name),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// `__global__` and so on.
    pub specifiers: Specifiers,
    /// What it returns.
    pub returns: TypeName,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it does; nothing for a prototype and for host functions.
    pub body: Option<Vec<Stmt>>,
    /// What its body shows at a glance.
    pub summary: BodySummary,
    /// Where it comes from, and what became of its body there.
    pub source: Source<Vec<Stmt>>,
    /// What stands in `template <…>` before it.
    pub template: Option<Template>,
    /// What stands in `<…>` behind its name, of a specialisation.
    pub specialises: Option<Vec<TemplateArgument>>,
    /// The struct whose function is defined outside of it.
    pub member_of: Option<Path>,
    /// Of a constructor, what members and bases begin with.
    pub constructs: Option<Vec<MemberInit>>,
    /// What else is said of it.
    pub traits: Traits,
}

impl Function {
    /// A function of which no more is said than this.
    pub fn new(returns: TypeName, name: Ident, params: Vec<Param>) -> Self {
        Function {
            specifiers: Specifiers::default(),
            returns,
            name,
            params,
            body: None,
            summary: BodySummary::default(),
            source: Source::default(),
            template: None,
            specialises: None,
            member_of: None,
            constructs: None,
            traits: Traits::default(),
        }
    }

    /// Whether it is a constructor that changes nothing, as `A() {}`: a struct counts as one without it.
    pub fn does_nothing(&self) -> bool {
        let is_empty = self.body.as_ref().is_some_and(Vec::is_empty);
        self.params.is_empty() && self.constructs.as_ref().is_some_and(Vec::is_empty) && is_empty
    }
}

/// What a member or base begins with in a constructor.
#[derive(Clone, Debug)]
pub struct MemberInit {
    /// Its name.
    pub name: Path,
    /// The values.
    pub values: Vec<Expr>,
    /// Whether they stand in braces.
    pub with_braces: bool,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type.
    pub ty: TypeName,
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// What it is if nothing is passed.
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// The parameters of a template.
pub type Template = Rc<Vec<TemplateParam>>;

/// A parameter of a template.
#[derive(Clone, Debug)]
pub struct TemplateParam {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// What it stands for.
    pub kind: TemplateParamKind,
    /// Whether it stands for any number of them: `typename... Ts`.
    pub is_pack: bool,
}

/// What a parameter of a template stands for, with what it is if nothing is given.
#[derive(Clone, Debug)]
pub enum TemplateParamKind {
    /// `typename T`.
    Type(Option<TypeName>),
    /// `int N`.
    Value(TypeName, Option<Expr>),
    /// `template <…> class Op`.
    Template(Option<Path>),
}

/// A struct, class or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name; empty if it has none.
    pub name: Ident,
    /// Whether it is a union.
    pub is_union: bool,
    /// The structs that it begins with.
    pub bases: Vec<TypeName>,
    /// What stands in `template <…>` before it.
    pub template: Option<Template>,
    /// What stands in `<…>` behind its name, of a specialisation.
    pub specialises: Option<Vec<TemplateArgument>>,
    /// Alignment, if one is written.
    pub align: Option<Expr>,
    /// The most bytes to which its members are aligned, if that is written.
    pub pack_bytes: Option<u32>,
    /// What it holds; nothing if it is only declared.
    pub members: Option<Vec<Member>>,
}

impl Record {
    /// `struct A;`
    pub fn declared(name: Ident, is_union: bool) -> Self {
        Record {
            name,
            is_union,
            bases: Vec::new(),
            template: None,
            specialises: None,
            align: None,
            pack_bytes: None,
            members: None,
        }
    }
}

/// What stands in a struct.
#[derive(Clone, Debug)]
pub enum Member {
    /// Fields, and constants if `static`.
    Variables(Declaration),
    /// A function.
    Function(Rc<Function>),
    /// A name for a type.
    Alias(Alias),
    /// An enumeration.
    Enum(Rc<Enum>),
    /// `static_assert`.
    Assert(StaticAssert),
    /// A struct of its own.
    Record(Rc<Record>),
    /// `using A::f;`
    Using(Path),
    /// Nothing that matters here.
    Nothing,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Whether its constants are only known with its name before them.
    pub is_scoped: bool,
    /// The type of its constants, if it is written.
    pub ty: Option<TypeName>,
    /// The constants, and their values if written.
    pub constants: Vec<(Ident, Option<Expr>)>,
}

/// Words before a declaration that are no part of its type.
#[derive(Clone, Debug, Default)]
pub struct Specifiers {
    /// `__global__`.
    pub global: Option<Span>,
    /// `__device__`.
    pub device: Option<Span>,
    /// `__host__`.
    pub host: Option<Span>,
    /// `__shared__`.
    pub shared: Option<Span>,
    /// `__constant__`.
    pub constant: Option<Span>,
    /// `__managed__`.
    pub managed: Option<Span>,
    /// `extern`, `static` and `mutable`.
    pub storage: StorageClass,
    /// `constexpr`.
    pub constexpr: Option<Span>,
    /// `friend`.
    pub friend: Option<Span>,
    /// `__align__` or `alignas`, with its argument.
    pub align: Option<(Span, Vec<Expr>)>,
    /// The most bytes to which members of a struct are aligned, from `__attribute__((packed))` or `#pragma pack`.
    pub pack_bytes: Option<u32>,
    /// `__launch_bounds__` with its arguments.
    pub launch_bounds: Option<(Span, Vec<Expr>)>,
}

/// The storage class of a declaration, [dcl.stc].
#[derive(Clone, Debug, Default)]
pub struct StorageClass {
    /// `extern`, without a language.
    pub external: Option<Span>,
    /// `static`, or `thread_local`.
    pub fixed: Option<Span>,
    /// `mutable`.
    pub mutable: Option<Span>,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Its innermost part.
    pub base: Base,
    /// Whether that is `const`.
    pub is_const: bool,
    /// Whether that is `volatile`.
    pub is_volatile: bool,
    /// Pointers and arrays around it, from the inside out.
    pub modifiers: Vec<Modifier>,
    /// Where it stands.
    pub span: Span,
}

impl TypeName {
    /// What is repeated for each part of the parameter packs in it, if it is `T...`.
    pub fn pattern(&self) -> Option<TypeName> {
        let mut pattern = self.clone();
        matches!(pattern.modifiers.pop(), Some(Modifier::Expand)).then_some(pattern)
    }

    /// A type of one part, without pointers or `const`.
    pub fn plain(base: Base, span: Span) -> Self {
        TypeName {
            base,
            is_const: false,
            is_volatile: false,
            modifiers: Vec::new(),
            span,
        }
    }

    /// `std::name`, as if it were written at `span`: the type that the header declares.
    pub fn of_std(name: &str, span: Span) -> Self {
        TypeName::plain(Base::Named(Box::new(Path::of_std(name, span))), span)
    }
}

/// The innermost part of a type.
#[derive(Clone, Debug)]
pub enum Base {
    /// `void`.
    Void,
    /// `auto`.
    Auto,
    /// Arithmetic.
    Scalar(Scalar),
    /// `float4` and its kin.
    Vector(Scalar, u32),
    /// A type with a name.
    Named(Box<Path>),
    /// A struct that is defined where it is used.
    Record(Rc<Record>),
    /// An enumeration that is defined where it is used.
    Enum(Rc<Enum>),
    /// `decltype(e)`.
    Decltype(Box<Expr>),
    /// One that was refused.
    Refused,
}

/// What a declarator puts around a type.
#[derive(Clone, Debug)]
pub enum Modifier {
    /// `*`, and whether the pointer itself is `const`.
    Pointer {
        /// `* const`.
        is_const: bool,
        /// `* __restrict__`.
        is_restrict: bool,
    },
    /// `[n]` or `[]`.
    Array(Option<Expr>, Span),
    /// `&`, or `&&`.
    Reference {
        /// Whether it is `&&`.
        is_rvalue: bool,
    },
    /// `(int, float)`: a function, which a pointer points to.
    Function(Rc<Vec<Param>>),
    /// `...`: one such type for each part of the parameter packs in it.
    Expand,
}

impl Modifier {
    /// Whether it is a pointer `* __restrict__`.
    pub fn is_restrict(&self) -> bool {
        matches!(
            self,
            Modifier::Pointer {
                is_restrict: true,
                ..
            }
        )
    }
}

/// Variables declared together.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// `__shared__` and so on.
    pub specifiers: Specifiers,
    /// The variables.
    pub variables: Vec<Variable>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its whole type.
    pub ty: TypeName,
    /// Its name.
    pub name: Ident,
    /// What it begins with.
    pub init: Option<Expr>,
    /// What stands in parentheses behind it, other than one value.
    pub arguments: Option<Vec<Expr>>,
    /// Of a bit-field, how many bits it has.
    pub bits: Option<Expr>,
    /// Of a template's variable for some arguments, these: `template <> constexpr int size<char> = 1;`.
    pub specialises: Option<Vec<TemplateArgument>>,
    /// Where it is declared; of the first one, with the type.
    pub span: Span,
}

/// `using NAME = TYPE;`
#[derive(Clone, Debug)]
pub struct Alias {
    /// The new name.
    pub name: Ident,
    /// What it stands for.
    pub ty: TypeName,
    /// What stands in `template <…>` before it.
    pub template: Option<Template>,
}

/// `static_assert(CONDITION, "message");`
#[derive(Clone, Debug)]
pub struct StaticAssert {
    /// What must hold.
    pub condition: Expr,
    /// What to say if not.
    pub message: Option<Name>,
}

/// A name of something for the host that could not be read.
#[derive(Debug)]
pub struct HostItem {
    pub name: Ident,
    /// What is wrong with it.
    pub why: Rc<Diagnostic>,
    /// Whether it has words of CUDA's in it, and only could not be read.
    pub is_unread: bool,
    /// Whether it is a definition for some arguments of the template of that name.
    pub specialises: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is; of `if` and loops, the head.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`, or something refused.
    Empty,
    /// Something that was refused: uses of its name are not reported again.
    Refused(Ident),
    /// An expression.
    Expr(Expr),
    /// Variables.
    Declare(Declaration),
    /// `using` or `typedef`.
    Alias(Alias),
    /// `using namespace a::b;`
    UsingNamespace(Path),
    /// `namespace a = b::c;`
    NamespaceAlias(Ident, Path),
    /// `using a::b;`
    UsingName(Path),
    /// `static_assert`.
    Assert(StaticAssert),
    /// `{…}`.
    Block(Vec<Stmt>),
    /// An enumeration.
    Enum(Rc<Enum>),
    /// A struct.
    Record(Rc<Record>),
    /// `auto [a, b] = e;`
    Bind(Binding),
    /// `for (T x : e)`.
    RangeFor {
        /// The variable, which begins with element [`RANGE_INDEX`] of the range.
        element: Declaration,
        /// What has the elements.
        range: Expr,
        /// What is repeated.
        body: Box<Stmt>,
    },
    /// `case VALUE:`, or `default:`.
    Case(Option<Expr>),
    /// `switch`; its cases stand among the statements.
    Switch(Expr, Vec<Stmt>),
    /// `if`.
    If {
        /// Whether it is `if constexpr`.
        is_constant: bool,
        /// Whether.
        condition: Expr,
        /// If so.
        then: Box<Stmt>,
        /// If not.
        otherwise: Option<Box<Stmt>>,
    },
    /// `for`, `while`, `do`.
    Loop {
        /// The first part of a `for`.
        init: Option<Box<Stmt>>,
        /// Whether to go on.
        condition: Option<Expr>,
        /// The last part of a `for`.
        step: Option<Expr>,
        /// What is repeated.
        body: Box<Stmt>,
        /// False for `do`.
        test_first: bool,
    },
    /// `name:`
    Label(Name),
    /// `goto name;`
    Goto(Name),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expr>),
    /// `try`, and what catches.
    Try(Vec<Stmt>, Vec<Handler>),
}

/// `catch (T& e) {…}`
#[derive(Clone, Debug)]
pub struct Handler {
    /// What it catches; nothing for `...`.
    pub param: Option<Param>,
    /// What is done.
    pub body: Vec<Stmt>,
}

/// Names for the parts of a value.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The names.
    pub names: Vec<Ident>,
    /// Whether they are references to the parts.
    pub is_reference: bool,
    /// The value.
    pub init: Expr,
}

/// A lambda.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Its parameters and its body.
    pub function: Rc<Function>,
    /// Whether names that are not listed are kept, and then whether by reference.
    pub default: Option<bool>,
    /// The names listed, and whether each is kept by reference.
    pub listed: Vec<(Ident, bool)>,
    /// Names that stand for values of their own, and whether for references to them.
    pub values: Vec<(Ident, bool, Expr)>,
    /// Whether `this` is listed, and then whether as `*this`, which keeps a copy of the object.
    pub this: Option<bool>,
    /// The names that its body uses.
    pub names: Vec<Name>,
    /// Whether it is called where it stands.
    pub is_called: bool,
    /// Whether `__device__` stands behind its list.
    pub has_side: bool,
    /// The variable that it begins.
    pub variable: Option<Name>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
    /// Longest way down to a leaf.
    pub height: u16,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, character, `true` or `false`.
    Literal(Literal),
    /// `nullptr`.
    Null,
    /// A string: what stands between its quotes.
    String(Name),
    /// A name.
    Name(Name),
    /// A name with namespaces, types or template arguments.
    Path(Box<Path>),
    /// An operator before its operand.
    Prefix(PrefixOp, Box<Expr>),
    /// `++` or `--` after its operand; whether it is `++`.
    PostfixStep(Box<Expr>, bool),
    /// An operator between two operands, with its place.
    Binary(BinaryOp, Span, Box<Expr>, Box<Expr>),
    /// `&&` (false) or `||` (true).
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `=`, or `op=`.
    Assign(Option<BinaryOp>, Span, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// A call.
    Call(Box<Expr>, Vec<Expr>),
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`: what is launched, how, and with what.
    Launch(Box<Expr>, Vec<Expr>, Vec<Expr>),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `a.x`, and what stands in `<…>` behind it.
    Member(Box<Expr>, Ident, Option<Vec<TemplateArgument>>),
    /// `base.A::member`, with the struct whose member it is.
    MemberOf(Box<Expr>, Box<Path>),
    /// A lambda.
    Lambda(Rc<Lambda>),
    /// A conversion that is written.
    Cast(CastKind, TypeName, Box<Expr>),
    /// `T(…)` of none or several values, or `T{…}`; whether with braces.
    Construct(TypeName, Vec<Expr>, bool),
    /// `this`.
    This,
    /// `sizeof(T)`.
    SizeOfType(TypeName),
    /// `typeid(T)`
    TypeId(TypeName),
    /// `sizeof e`.
    SizeOfExpr(Box<Expr>),
    /// `alignof(T)` and the like.
    OfType(TypeProperty, TypeName),
    /// `{…}` in an initialiser.
    Braces(Vec<Expr>),
    /// `new`.
    New(Box<New>),
    /// `delete`, or if so `delete[]`.
    Delete(Box<Expr>, bool),
    /// `throw`.
    Throw(Option<Box<Expr>>),
    /// `e...`: one such value for each part of the parameter packs in it.
    Expand(Box<Expr>),
    /// `.a = e` in braces.
    Designated(Name, Box<Expr>),
    /// `...` in place of an operand, as in `(e + ...)`.
    Ellipsis,
    /// `sizeof...(Ts)`.
    SizeOfPack(Name),
    /// What was refused.
    Refused,
}

/// `new (at) T[count](values)`
#[derive(Clone, Debug)]
pub struct New {
    /// The type of each element.
    pub ty: TypeName,
    /// How many.
    pub count: Option<Expr>,
    /// What stands in the first parentheses.
    pub at: Vec<Expr>,
    /// What stands behind the type, in parentheses or braces; in which.
    pub values: Option<(Vec<Expr>, bool)>,
}

impl Expr {
    /// What is repeated for each part of the parameter packs in it, if it is `e...`.
    pub fn pattern(&self) -> Option<Expr> {
        match &self.kind {
            ExprKind::Expand(pattern) => Some((**pattern).clone()),
            _ => None,
        }
    }

    /// Whether it is the `...` of a fold.
    pub fn is_ellipsis(&self) -> bool {
        matches!(self.kind, ExprKind::Ellipsis)
    }

    /// An expression with its height.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        use ExprKind::*;
        let all = |list: &[Expr]| list.iter().map(|e| e.height).max().unwrap_or(0);
        let below = match &kind {
            Literal(_) | Null | This | String(_) | Name(_) | Path(_) | SizeOfType(_)
            | TypeId(_) | OfType(..) | Lambda(_) | Ellipsis | SizeOfPack(_) | Refused => 0,
            New(new) => {
                let values = new.values.as_ref().map_or(0, |(values, _)| all(values));
                let count = new.count.as_ref().map_or(0, |count| count.height);
                values.max(count).max(all(&new.at))
            }
            Throw(e) => e.as_ref().map_or(0, |e| e.height),
            Prefix(_, e)
            | PostfixStep(e, _)
            | Member(e, ..)
            | MemberOf(e, _)
            | Cast(_, _, e)
            | SizeOfExpr(e)
            | Expand(e)
            | Designated(_, e)
            | Delete(e, _) => e.height,
            Binary(_, _, a, b)
            | Logical(_, a, b)
            | Assign(_, _, a, b)
            | Comma(a, b)
            | Index(a, b) => a.height.max(b.height),
            Conditional(a, b, c) => a.height.max(b.height).max(c.height),
            Call(callee, arguments) => callee.height.max(all(arguments)),
            Launch(callee, config, arguments) => callee.height.max(all(config)).max(all(arguments)),
            Construct(_, list, _) | Braces(list) => all(list),
        };
        Expr {
            kind,
            span,
            height: below.saturating_add(1),
        }
    }
}
