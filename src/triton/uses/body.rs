//! What a function assigns, calls, computes and compares, in order of the text.

use std::collections::HashMap;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprBinOp, ExprCall, ExprCompare, Stmt, StmtFunctionDef, UnaryOp};

use crate::triton::python::{FunctionName, Named, Python};

/// What a function's text has, by kind.
#[derive(Default)]
pub struct Body<'a> {
    /// Names of its parameters.
    pub parameters: Vec<&'a str>,
    /// What is assigned to each name.
    pub values: HashMap<&'a str, Vec<&'a Expr>>,
    /// What is added to each name, or the like: `p += stride`.
    pub changes: HashMap<&'a str, Vec<&'a Expr>>,
    /// What the names of loops go through.
    pub loops: HashMap<&'a str, &'a Expr>,
    pub calls: Vec<&'a ExprCall>,
    pub operations: Vec<&'a ExprBinOp>,
    pub comparisons: Vec<&'a ExprCompare>,
    /// Names that a condition asks for alone.
    pub flags: Vec<&'a str>,
}

impl<'a> Body<'a> {
    pub fn of(function: &'a StmtFunctionDef) -> Self {
        let parameters = function.parameters.iter_non_variadic_params();
        let mut body = Body {
            parameters: parameters.map(|of| of.parameter.name.as_str()).collect(),
            ..Body::default()
        };
        for statement in &function.body {
            body.visit_stmt(statement);
        }
        body
    }

    pub fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains(&name)
    }

    /// What a call calls, and the value whose method that is: `("load", None)` for `tl.load(x)`, `("to", Some(x))` for
    /// `x.to(tl.float32)`.
    pub fn called(&self, call: &'a ExprCall) -> (&'a str, Option<&'a Expr>) {
        match &*call.func {
            Expr::Name(name) => (name.id.as_str(), None),
            Expr::Attribute(attribute) => (attribute.attr.as_str(), self.value(&attribute.value)),
            _ => ("", None),
        }
    }

    /// An expression, unless it names a module: what the function does not know is one.
    fn value(&self, expression: &'a Expr) -> Option<&'a Expr> {
        let is_module = match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let is_local = self.values.contains_key(name) || self.loops.contains_key(name);
                !is_local && !self.is_parameter(name)
            }
            Expr::Attribute(attribute) => self.value(&attribute.value).is_none(),
            _ => false,
        };
        (!is_module).then_some(expression)
    }

    fn assign(&mut self, target: &'a Expr, value: &'a Expr) {
        match (target, value) {
            (Expr::Name(name), _) => self.values.entry(name.id.as_str()).or_default().push(value),
            (Expr::Tuple(targets), Expr::Tuple(values)) => {
                for (target, value) in targets.elts.iter().zip(&values.elts) {
                    self.assign(target, value);
                }
            }
            (Expr::Tuple(targets), _) => {
                for target in &targets.elts {
                    self.assign(target, value);
                }
            }
            _ => {}
        }
    }

    /// Names that `test` asks for alone: `HAS_BIAS`, `not IS_CAUSAL`, `A and B`.
    fn test(&mut self, test: &'a Expr) {
        match test {
            Expr::Name(name) => self.flags.push(name.id.as_str()),
            Expr::UnaryOp(not) if not.op == UnaryOp::Not => self.test(&not.operand),
            Expr::BoolOp(both) => both.values.iter().for_each(|part| self.test(part)),
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Body<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.assign(target, &assign.value);
                }
            }
            Stmt::AugAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    let changes = self.changes.entry(name.id.as_str()).or_default();
                    changes.push(&assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assign(&assign.target, value);
                }
            }
            Stmt::For(each) => {
                if let Expr::Name(name) = &*each.target {
                    self.loops.insert(name.id.as_str(), &each.iter);
                }
            }
            Stmt::If(condition) => {
                self.test(&condition.test);
                let clauses = condition.elif_else_clauses.iter();
                let tests = clauses.filter_map(|clause| clause.test.as_ref());
                tests.for_each(|test| self.test(test));
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => self.calls.push(call),
            Expr::BinOp(operation) => self.operations.push(operation),
            Expr::Compare(compare) => self.comparisons.push(compare),
            Expr::If(choice) => self.test(&choice.test),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// The function under `@triton.jit` that `call`, in the file of a number, calls, and the names of its parameters.
pub fn callee(
    python: &Python,
    module: usize,
    call: &ExprCall,
) -> Option<(FunctionName, Vec<String>)> {
    let Expr::Name(name) = &*call.func else {
        return None;
    };
    let Some(Named::Function(function)) = python.named(module, name.id.as_str()) else {
        return None;
    };
    let definition = python.definition(&function)?;
    let parameters = definition.parameters.iter_non_variadic_params();
    let names = parameters.map(|of| of.parameter.name.to_string());
    let names = names.collect();
    Some((function, names))
}

/// The arguments of a call with the names of the parameters that they are given to.
pub fn matched<'a, 'p>(
    call: &'a ExprCall,
    parameters: &'p [String],
) -> impl Iterator<Item = (&'a Expr, &'p String)> {
    let by_position = call.arguments.args.iter().zip(parameters);
    let by_name = call.arguments.keywords.iter().filter_map(|keyword| {
        let named = keyword.arg.as_deref()?;
        let name = parameters.iter().find(|name| *name == named)?;
        Some((&keyword.value, name))
    });
    by_position.chain(by_name)
}
