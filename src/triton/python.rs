//! Python files as far as they concern kernels: functions under `@triton.jit`, those that functions of the host define,
//! too, constants beside them, and what imports are called. All else is host code, and skipped.
//!
//! A source is one file with those that it imports, each a [`Module`]. Nothing is run: of a condition at the level of a
//! file, what its first branch defines counts, unless it asks for a variable of the environment, which is taken not to be
//! set, or for something that Triton 3.6 has or lacks; of `try`, what is tried.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use ruff_python_ast::{Expr, ModModule, Stmt, StmtFunctionDef, StmtIf, StmtImportFrom, UnaryOp};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextRange};

use crate::source::{Diagnostic, SourceFile, Span};

/// Files that a name is followed through.
const MAX_IMPORTS: usize = 16;

/// The range of a piece of Python.
pub fn span(range: TextRange) -> Span {
    Span::new(range.start().to_usize(), range.end().to_usize())
}

/// The span of a node of the tree.
pub fn span_of(node: &impl Ranged) -> Span {
    span(node.range())
}

/// A function under `@triton.jit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionName {
    /// The number of its file: 0 is the one that was asked for.
    pub module: usize,
    /// Its name, behind that of its class.
    pub name: String,
}

/// What a name stands for at the level of a file.
#[derive(Debug)]
pub enum Named<'a> {
    /// A function under `@triton.jit`.
    Function(FunctionName),
    /// What is assigned to it, in the file of this number.
    Constant(usize, &'a Expr),
    /// Something of a library: `triton.language.load`.
    Path(String),
    /// What has members of its own: the file of this number, or a class in it, with what their names begin with.
    Scope(usize, String),
}

/// What an import makes a name of.
#[derive(Clone, Debug)]
enum Import {
    /// A module.
    Module(String),
    /// What a module has under a name.
    Member(String, String),
}

/// What of one file may be of use to a kernel.
#[derive(Debug, Default)]
struct Module {
    functions: BTreeMap<String, StmtFunctionDef>,
    /// Functions that are not under `@triton.jit`, which may be given to it later.
    host_functions: BTreeMap<String, StmtFunctionDef>,
    /// What is assigned.
    constants: BTreeMap<String, Expr>,
    /// What imported names stand for: `tl` for `triton.language`.
    imports: BTreeMap<String, Import>,
    /// Modules of which all names are imported.
    stars: Vec<String>,
}

/// A Python file with those that it imports.
#[derive(Debug)]
pub struct Python {
    file: SourceFile,
    /// The file's own statements.
    own: ModModule,
    modules: Vec<(Span, OnceCell<Module>)>,
}

impl Python {
    /// Reads the file.
    pub fn read(file: &SourceFile) -> Result<Self, Box<Diagnostic>> {
        let places: Vec<Span> = file.places().collect();
        // The file that was asked for must be Python; those that it imports are read when a name leads there.
        let parsed = parse(file, places[0])?;
        let python = Python {
            file: file.clone(),
            modules: places.iter().map(|&at| (at, OnceCell::new())).collect(),
            own: parsed,
        };
        python.modules[0]
            .1
            .get_or_init(|| Module::of(&python.own.body));
        Ok(python)
    }

    /// One of the files. One that is no Python has nothing: a name out of it is not defined.
    fn module(&self, number: usize) -> &Module {
        let (place, module) = &self.modules[number];
        module.get_or_init(|| {
            let parsed = parse(&self.file, *place);
            parsed.map_or_else(|_| Module::default(), |parsed| Module::of(&parsed.body))
        })
    }

    /// The number of the file that the file `from` imports as `written`.
    fn imported(&self, from: usize, written: &str) -> Option<usize> {
        let place = self.file.header(self.modules[from].0.start, written)?;
        self.modules.iter().position(|(known, _)| *known == place)
    }

    /// What `name` stands for in the file of a number.
    pub fn named(&self, module: usize, name: &str) -> Option<Named<'_>> {
        self.follow(module, name, MAX_IMPORTS)
    }

    fn follow(&self, number: usize, name: &str, left: usize) -> Option<Named<'_>> {
        let module = self.module(number);
        if module.functions.contains_key(name) {
            let name = name.to_owned();
            return Some(Named::Function(FunctionName {
                module: number,
                name,
            }));
        }
        // A name that is imported and defined later is the later one: `assignment` takes the import away.
        if let Some(import) = module.imports.get(name) {
            return Some(self.follow_import(number, import, left));
        }
        if let Some(value) = module.constants.get(name) {
            return Some(Named::Constant(number, value));
        }
        // Functions of a class are listed under its name and a dot, so that the first such name tells that the class
        // exists.
        let class = format!("{name}.");
        let mut functions = module.functions.range(class.clone()..);
        if functions
            .next()
            .is_some_and(|(of, _)| of.starts_with(&class))
        {
            return Some(Named::Scope(number, class));
        }
        // Two files may import all names of each other.
        let left = left.checked_sub(1)?;
        let mut stars = module.stars.iter();
        stars.find_map(|star| match self.imported(number, star) {
            Some(number) => self.follow(number, name, left),
            None if star.starts_with("triton") => Some(Named::Path(format!("{star}.{name}"))),
            None => None,
        })
    }

    fn follow_import(&self, number: usize, import: &Import, left: usize) -> Named<'_> {
        let scope = |module| Named::Scope(module, String::new());
        match import {
            Import::Module(path) => match self.imported(number, path) {
                Some(module) => scope(module),
                None => Named::Path(path.clone()),
            },
            Import::Member(path, name) => {
                let in_module = self.imported(number, path).zip(left.checked_sub(1));
                let found = in_module.and_then(|(module, left)| self.follow(module, name, left));
                let dot = if path.ends_with('.') { "" } else { "." };
                let whole = format!("{path}{dot}{name}");
                // `from package import module`.
                // A member may be a file of a folder.
                let file = || self.imported(number, &whole).map(scope);
                found.or_else(file).unwrap_or(Named::Path(whole))
            }
        }
    }

    /// What a thread program does not need that came from `lines` of the file: host code, imports, other functions.
    pub fn unneeded(&self, file: &SourceFile, lines: &[u32]) -> Vec<Span> {
        let needed = |of: Span| {
            let (first, last) = (file.line(of.start), file.line(of.end));
            lines.iter().any(|line| (first..=last).contains(line))
        };
        let is_unneeded = |statement: &&Stmt| match statement {
            Stmt::Assign(_) | Stmt::AnnAssign(_) => !self.is_constant(statement),
            // What a file says about itself is a string.
            // Kept above the program: it tells what the kernel is about.
            Stmt::Expr(text) if matches!(&*text.value, Expr::StringLiteral(_)) => false,
            _ => !needed(span_of(*statement)),
        };
        self.own
            .body
            .iter()
            .filter(is_unneeded)
            .map(span_of)
            .collect()
    }

    /// Whether a statement gives a name to what a kernel may ask for.
    fn is_constant(&self, statement: &Stmt) -> bool {
        constant(statement).is_some_and(|(name, _)| self.module(0).constants.contains_key(name))
    }

    /// The definition of a function under `@triton.jit`.
    pub fn definition(&self, function: &FunctionName) -> Option<&StmtFunctionDef> {
        self.module(function.module).functions.get(&function.name)
    }

    /// The function under `@triton.jit` called `name`, of the file itself.
    pub fn function(&self, name: &str) -> Option<&StmtFunctionDef> {
        self.module(0).functions.get(name)
    }

    /// The function called `name` that is not under `@triton.jit`.
    pub fn host_function(&self, name: &str) -> Option<&StmtFunctionDef> {
        self.module(0).host_functions.get(name)
    }

    /// What is assigned to `name` at the level of the file.
    pub fn constant(&self, name: &str) -> Option<&Expr> {
        self.module(0).constants.get(name)
    }

    /// What a part of the tree says.
    pub fn text(&self, node: &impl Ranged) -> &str {
        self.file.slice(span_of(node))
    }

    /// Whether a function stands under `@triton.jit(debug=True)`.
    pub fn is_debug(&self, function: &FunctionName) -> bool {
        let decorators = self
            .definition(function)
            .map_or(&[][..], |function| &function.decorator_list);
        decorators
            .iter()
            .any(|decorator| match &decorator.expression {
                Expr::Call(call) => call.arguments.keywords.iter().any(|keyword| {
                    let is_true =
                        matches!(&keyword.value, Expr::BooleanLiteral(literal) if literal.value);
                    is_true && keyword.arg.as_deref().is_some_and(|name| name == "debug")
                }),
                _ => false,
            })
    }

    /// Names of all functions under `@triton.jit` of the file itself.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let functions = self.module(0).functions.iter();
        let is_kernel = |function: &StmtFunctionDef| {
            let mut decorators = function.decorator_list.iter();
            !decorators.any(|decorator| is_compile_time(&decorator.expression))
        };
        functions
            .filter(move |(_, function)| is_kernel(function))
            .map(|(name, _)| name.as_str())
    }
}

/// The text at `place`, parsed with places in the whole source.
fn parse(file: &SourceFile, place: Span) -> Result<ModModule, Box<Diagnostic>> {
    // A byte for each byte before: places in the tree are places in the whole source, as messages want them.
    let empty = "\n".repeat(place.start as usize);
    let parsed = parse_module(&(empty + file.slice(place))).map_err(|error| {
        let message = format!("this is not Python: {}", error.error);
        Box::new(Diagnostic::error(span(error.location), message))
    })?;
    Ok(parsed.into_syntax())
}

/// The name that a statement assigns to, and what.
fn constant(statement: &Stmt) -> Option<(&str, &Expr)> {
    let (target, value) = match statement {
        Stmt::Assign(assign) => match &assign.targets[..] {
            [target] => (target, &assign.value),
            _ => return None,
        },
        Stmt::AnnAssign(assign) => (&*assign.target, assign.value.as_ref()?),
        _ => return None,
    };
    match target {
        Expr::Name(name) => Some((name.id.as_str(), value)),
        _ => None,
    }
}

impl Module {
    fn of(body: &[Stmt]) -> Self {
        let mut module = Module::default();
        module.statements(body);
        module
    }

    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    /// What is defined later takes the place of what was before; of branches, the one that counts comes last.
    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function, ""),
            Stmt::ClassDef(class) => {
                let prefix = format!("{}.", class.name);
                for member in &class.body {
                    if let Stmt::FunctionDef(function) = member {
                        self.function(function, &prefix);
                    }
                }
            }
            Stmt::Assign(_) | Stmt::AnnAssign(_) => self.assignment(statement),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let path = alias.name.to_string();
                    // `import a.b` makes the name `a`.
                    let first = path.split('.').next().unwrap_or(&path).to_owned();
                    let (name, path) = match &alias.asname {
                        Some(name) => (name.to_string(), path),
                        None => (first.clone(), first),
                    };
                    self.imports.insert(name, Import::Module(path));
                }
            }
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::If(condition) => self.condition(condition),
            // What is tried comes last, as what is defined there is to win over what stands in for it.
            Stmt::Try(attempt) => {
                for handler in &attempt.handlers {
                    let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                    self.statements(&handler.body);
                }
                self.statements(&attempt.body);
                self.statements(&attempt.orelse);
            }
            Stmt::With(with) => self.statements(&with.body),
            _ => {}
        }
    }

    fn function(&mut self, function: &StmtFunctionDef, prefix: &str) {
        let name = format!("{prefix}{}", function.name);
        let mut decorators = function.decorator_list.iter();
        let is_jit = decorators.any(|decorator| match &decorator.expression {
            Expr::Call(call) => self.is_jit(&call.func),
            other => self.is_jit(other) || is_compile_time(other),
        });
        if is_jit {
            self.functions.insert(name, function.clone());
        } else {
            self.inner(function);
            self.host_functions.insert(name, function.clone());
        }
    }

    /// Kernels that a function of the host defines where it is called, and what they name: `def build_kernel(): …`. What
    /// the file itself defines goes first.
    fn inner(&mut self, function: &StmtFunctionDef) {
        let mut inner = Module {
            imports: self.imports.clone(),
            ..Module::default()
        };
        inner.statements(&function.body);
        if inner.functions.is_empty() {
            return;
        }
        for (name, function) in inner.functions {
            self.functions.entry(name).or_insert(function);
        }
        for (name, import) in inner.imports {
            self.imports.entry(name).or_insert(import);
        }
        for (name, value) in inner.constants {
            self.constants.entry(name).or_insert(value);
        }
    }

    fn assignment(&mut self, statement: &Stmt) {
        let Some((name, value)) = constant(statement) else {
            return;
        };
        // The later definition counts, as when Python runs the file.
        self.imports.remove(name);
        self.functions.remove(name);
        let wrapped = self.wrapped(value);
        match wrapped.and_then(|of| self.host_functions.get(of)) {
            // `kernel = triton.jit(kernel)`.
            Some(function) => {
                self.functions.insert(name.to_owned(), function.clone());
            }
            None => {
                self.constants.insert(name.to_owned(), value.clone());
            }
        }
    }

    /// The name of the function that `triton.jit(function)` compiles.
    fn wrapped<'a>(&self, value: &'a Expr) -> Option<&'a str> {
        let Expr::Call(call) = value else {
            return None;
        };
        match &call.arguments.args[..] {
            [Expr::Name(name)] if self.is_jit(&call.func) => Some(name.id.as_str()),
            _ => None,
        }
    }

    /// Whether an expression names `triton.jit`, which other libraries have too.
    fn is_jit(&self, expression: &Expr) -> bool {
        // Numba has a `jit` too: whose it is, only the imports tell.
        match expression {
            Expr::Attribute(attribute) if attribute.attr.as_str() == "jit" => {
                let Expr::Name(of) = &*attribute.value else {
                    return false;
                };
                let import = self.imports.get(of.id.as_str());
                match import {
                    Some(Import::Module(path)) => path == "triton",
                    _ => of.id.as_str() == "triton",
                }
            }
            Expr::Name(name) => match self.imports.get(name.id.as_str()) {
                Some(Import::Member(path, member)) => path.starts_with("triton") && member == "jit",
                _ => name.id.as_str() == "jit",
            },
            _ => false,
        }
    }

    fn import_from(&mut self, import: &StmtImportFrom) {
        let dots = ".".repeat(import.level as usize);
        let name = import.module.as_ref().map_or("", |module| module.as_str());
        let module = format!("{dots}{name}");
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                self.stars.push(module.clone());
                continue;
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
            let member = Import::Member(module.clone(), alias.name.to_string());
            self.constants.remove(&name);
            self.functions.remove(&name);
            self.imports.insert(name, member);
        }
    }

    // From the last branch to the first: the first, which wins, is read last.
    fn condition(&mut self, condition: &StmtIf) {
        for clause in condition.elif_else_clauses.iter().rev() {
            if clause.test.as_ref().is_none_or(may_hold) {
                self.statements(&clause.body);
            }
        }
        if may_hold(&condition.test) {
            self.statements(&condition.body);
        }
    }
}

/// Whether a condition at the level of a file is taken to hold: what it asks for is there.
fn may_hold(test: &Expr) -> bool {
    match test {
        Expr::UnaryOp(operation) if operation.op == UnaryOp::Not => {
            !asks_for_support(&operation.operand) || !may_hold(&operation.operand)
        }
        Expr::Call(call) if asks_for_support(test) => match call.arguments.args.get(1) {
            // Names of this kind were given up before Triton 3.6.
            Some(Expr::StringLiteral(name)) => !name.value.to_str().starts_with("_experimental"),
            _ => true,
        },
        _ => !asks_environment(test),
    }
}

/// Whether a condition is about what the library or the machine can: `hasattr(tl, "gather")`, `IS_TMA_SUPPORTED`.
fn asks_for_support(test: &Expr) -> bool {
    match test {
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "hasattr")
        }
        Expr::Name(name) => {
            let name = name.id.to_ascii_lowercase();
            name.starts_with("has_") || name.contains("support") || name.contains("available")
        }
        _ => false,
    }
}

/// Whether a condition is about a variable of the environment: `os.environ.get(…)`, `os.getenv(…)`.
fn asks_environment(test: &Expr) -> bool {
    match test {
        Expr::Compare(comparison) => asks_environment(&comparison.left),
        Expr::Call(call) => asks_environment(&call.func),
        Expr::Attribute(attribute) => {
            matches!(attribute.attr.as_str(), "environ" | "getenv")
                || asks_environment(&attribute.value)
        }
        _ => false,
    }
}

/// Whether a decorator says that a function is called while kernels are compiled: `@triton.constexpr_function`, and
/// `@tl.constexpr` as older texts have it.
fn is_compile_time(decorator: &Expr) -> bool {
    match decorator {
        Expr::Attribute(attribute) => {
            matches!(attribute.attr.as_str(), "constexpr" | "constexpr_function")
        }
        Expr::Name(name) => name.id.as_str() == "constexpr_function",
        _ => false,
    }
}
