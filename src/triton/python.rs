//! A Python file as far as it concerns kernels: functions under `@triton.jit`, constants beside them, and what its
//! imports are called. All else is host code, and skipped.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, ModModule, Stmt, StmtFunctionDef};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextRange};

use crate::source::{Diagnostic, SourceFile, Span};

/// The range of a piece of Python.
pub fn span(range: TextRange) -> Span {
    Span::new(range.start().to_usize(), range.end().to_usize())
}

/// The span of a node of the tree.
pub fn span_of(node: &impl Ranged) -> Span {
    span(node.range())
}

/// What of a Python file may be of use to a kernel.
#[derive(Debug)]
pub struct Python {
    module: ModModule,
    /// Places of functions under `@triton.jit`, by their names.
    functions: BTreeMap<String, usize>,
    /// Places of assignments, by the names assigned.
    constants: BTreeMap<String, usize>,
    /// What imported names stand for: `tl` for `triton.language`.
    imports: BTreeMap<String, String>,
    /// Host code.
    skipped: Vec<Span>,
}

impl Python {
    /// Reads the file.
    pub fn read(file: &SourceFile) -> Result<Self, Box<Diagnostic>> {
        let parsed = parse_module(file.text()).map_err(|error| {
            let message = format!("this is no Python: {}", error.error);
            Box::new(Diagnostic::error(span(error.location), message))
        })?;
        let mut python = Python {
            module: parsed.into_syntax(),
            functions: BTreeMap::new(),
            constants: BTreeMap::new(),
            imports: BTreeMap::new(),
            skipped: Vec::new(),
        };
        for at in 0..python.module.body.len() {
            python.statement(at);
        }
        Ok(python)
    }

    fn statement(&mut self, at: usize) {
        match &self.module.body[at] {
            Stmt::FunctionDef(function) if is_jit(function) => {
                self.functions.insert(function.name.to_string(), at);
            }
            Stmt::Assign(assign) if matches!(assign.targets[..], [Expr::Name(_)]) => {
                if let Expr::Name(name) = &assign.targets[0] {
                    self.constants.insert(name.id.to_string(), at);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    self.constants.insert(name.id.to_string(), at);
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let path = alias.name.to_string();
                    // `import a.b` makes the name `a`.
                    let first = path.split('.').next().unwrap_or(&path).to_owned();
                    let entry = match &alias.asname {
                        Some(name) => (name.to_string(), path),
                        None => (first.clone(), first),
                    };
                    self.imports.insert(entry.0, entry.1);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    let path = format!("{module}.{}", alias.name);
                    self.imports.insert(name.to_string(), path);
                }
            }
            // What a file says about itself is a string.
            Stmt::Expr(text) if matches!(&*text.value, Expr::StringLiteral(_)) => {}
            host => self.skipped.push(span_of(host)),
        }
    }

    /// What a thread program does not need that came from `lines` of the file: host code, imports, other functions.
    pub fn unneeded(&self, file: &SourceFile, lines: &[u32]) -> Vec<Span> {
        let needed = |of: Span| {
            let (first, last) = (file.line(of.start), file.line(of.end));
            lines.iter().any(|line| (first..=last).contains(line))
        };
        let mut all = self.skipped.clone();
        for statement in &self.module.body {
            let span = span_of(statement);
            match statement {
                Stmt::Import(_) | Stmt::ImportFrom(_) => all.push(span),
                Stmt::FunctionDef(function) if is_jit(function) && !needed(span) => all.push(span),
                _ => {}
            }
        }
        all.sort_by_key(|span| span.start);
        all
    }

    /// The function under `@triton.jit` called `name`.
    pub fn function(&self, name: &str) -> Option<&StmtFunctionDef> {
        match &self.module.body[*self.functions.get(name)?] {
            Stmt::FunctionDef(function) => Some(function),
            _ => None,
        }
    }

    /// Whether a function stands under `@triton.jit(debug=True)`.
    pub fn is_debug(&self, name: &str) -> bool {
        let decorators = self
            .function(name)
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

    /// Names of all functions under `@triton.jit`.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// What is assigned to `name` at the level of the file.
    pub fn constant(&self, name: &str) -> Option<&Expr> {
        match &self.module.body[*self.constants.get(name)?] {
            Stmt::Assign(assign) => Some(&assign.value),
            Stmt::AnnAssign(assign) => assign.value.as_deref(),
            _ => None,
        }
    }

    /// What an imported name stands for.
    pub fn import(&self, name: &str) -> Option<&str> {
        self.imports.get(name).map(String::as_str)
    }
}

/// Whether one of its decorators is `@triton.jit` or `@jit`.
fn is_jit(function: &StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(|decorator| {
        let expression = match &decorator.expression {
            Expr::Call(call) => &*call.func,
            other => other,
        };
        match expression {
            Expr::Attribute(attribute) => attribute.attr.as_str() == "jit",
            Expr::Name(name) => name.id.as_str() == "jit",
            _ => false,
        }
    })
}

/// Names that statements assign, in order and once each.
pub fn assigned(body: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    for statement in body {
        assigned_by(statement, &mut names);
    }
    names
}

fn assigned_by(statement: &Stmt, names: &mut Vec<String>) {
    match statement {
        Stmt::Assign(assign) => assign.targets.iter().for_each(|to| target(to, names)),
        Stmt::AugAssign(assign) => target(&assign.target, names),
        Stmt::AnnAssign(assign) => target(&assign.target, names),
        Stmt::For(each) => {
            target(&each.target, names);
            each.body.iter().for_each(|inner| assigned_by(inner, names));
        }
        Stmt::While(each) => each.body.iter().for_each(|inner| assigned_by(inner, names)),
        Stmt::If(condition) => {
            let clauses = condition.elif_else_clauses.iter();
            let others = clauses.flat_map(|clause| clause.body.iter());
            for inner in condition.body.iter().chain(others) {
                assigned_by(inner, names);
            }
        }
        _ => {}
    }
}

fn target(expression: &Expr, names: &mut Vec<String>) {
    match expression {
        Expr::Name(name) if !names.iter().any(|known| known == name.id.as_str()) => {
            names.push(name.id.to_string());
        }
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|part| target(part, names)),
        _ => {}
    }
}

/// Whether statements return from their function.
pub fn returns(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Return(_) => true,
        Stmt::If(condition) => {
            let mut clauses = condition.elif_else_clauses.iter();
            returns(&condition.body) || clauses.any(|clause| returns(&clause.body))
        }
        _ => false,
    })
}
