//! What `@triton.autotune` would try first: constants and warps of the first `triton.Config` that a kernel is given.
//!
//! Nothing is run. A list that is written out is read, or comes from a name, a function that returns one, or a
//! comprehension over lists that are written out.

use ruff_python_ast::{Expr, ExprCall, ExprListComp, Operator, Stmt, StmtFunctionDef};

use super::python::Python;

/// Names and functions that a list is followed through.
const MAX_STEPS: usize = 8;

/// Names with what they stand for, as texts.
pub type Configuration = Vec<(String, String)>;

/// The first configuration of a function; `num_warps` and its kin are in it too.
pub fn first_configuration(python: &Python, function: &StmtFunctionDef) -> Configuration {
    let reader = Reader {
        python,
        bound: Vec::new(),
    };
    let decorators = function.decorator_list.iter();
    let tuned = decorators.filter_map(|decorator| match &decorator.expression {
        Expr::Call(call) if called(call) == "autotune" => argument(call, "configs"),
        _ => None,
    });
    let mut configurations = tuned.map(|list| reader.first_of(list, MAX_STEPS));
    configurations.next().flatten().unwrap_or_default()
}

/// The last part of the name that a call calls.
fn called(call: &ExprCall) -> &str {
    match &*call.func {
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        Expr::Name(name) => name.id.as_str(),
        _ => "",
    }
}

/// The argument of a name, or the first.
fn argument<'a>(call: &'a ExprCall, name: &str) -> Option<&'a Expr> {
    let mut keywords = call.arguments.keywords.iter();
    let named = keywords.find(|keyword| keyword.arg.as_deref().is_some_and(|arg| arg == name));
    let first = call.arguments.args.first();
    named.map(|keyword| &keyword.value).or(first)
}

struct Reader<'a> {
    python: &'a Python,
    /// What the names of a comprehension stand for the first time.
    bound: Vec<(&'a str, &'a Expr)>,
}

impl<'a> Reader<'a> {
    /// The first configuration of a list.
    fn first_of(&self, list: &'a Expr, left: usize) -> Option<Configuration> {
        let left = left.checked_sub(1)?;
        match list {
            Expr::List(list) => self.configuration(list.elts.first()?),
            Expr::Tuple(list) => self.configuration(list.elts.first()?),
            Expr::ListComp(comprehension) => self.comprehension(comprehension),
            Expr::BinOp(sum) if sum.op == Operator::Add => self.first_of(&sum.left, left),
            Expr::If(choice) => self.first_of(&choice.body, left),
            Expr::Call(call) if called(call) == "list" => {
                self.first_of(call.arguments.args.first()?, left)
            }
            Expr::Call(call) => {
                let function = self.python.host_function(called(call))?;
                self.first_of(returned(&function.body)?, left)
            }
            Expr::Name(name) => self.first_of(self.python.constant(name.id.as_str())?, left),
            _ => None,
        }
    }

    fn comprehension(&self, comprehension: &'a ExprListComp) -> Option<Configuration> {
        let mut bound = self.bound.clone();
        for generator in &comprehension.generators {
            let first = self.first_value(&generator.iter)?;
            match (&generator.target, first) {
                (Expr::Name(name), value) => bound.push((name.id.as_str(), value)),
                (Expr::Tuple(names), Expr::Tuple(values)) => {
                    for (name, value) in names.elts.iter().zip(&values.elts) {
                        if let Expr::Name(name) = name {
                            bound.push((name.id.as_str(), value));
                        }
                    }
                }
                _ => {}
            }
        }
        let python = self.python;
        Reader { python, bound }.configuration(&comprehension.elt)
    }

    /// The first of the values that a comprehension goes through.
    fn first_value(&self, values: &'a Expr) -> Option<&'a Expr> {
        match values {
            Expr::List(list) => list.elts.first(),
            Expr::Tuple(list) => list.elts.first(),
            Expr::If(choice) => self.first_value(&choice.body),
            Expr::Name(name) => match self.python.constant(name.id.as_str())? {
                Expr::Name(_) => None,
                list => self.first_value(list),
            },
            Expr::Call(call) if called(call) == "range" => match call.arguments.args.len() {
                2.. => call.arguments.args.first(),
                _ => None,
            },
            _ => None,
        }
    }

    /// `triton.Config({"BLOCK": 128}, num_warps=4)`.
    fn configuration(&self, config: &'a Expr) -> Option<Configuration> {
        let Expr::Call(call) = config else {
            return None;
        };
        let mut known = Vec::new();
        let mut add = |name: &str, value: &'a Expr| {
            known.extend(self.text(value).map(|text| (name.to_owned(), text)));
        };
        match argument(call, "kwargs") {
            Some(Expr::Dict(constants)) => {
                for item in &constants.items {
                    if let Some(Expr::StringLiteral(name)) = &item.key {
                        add(name.value.to_str(), &item.value);
                    }
                }
            }
            Some(Expr::Call(constants)) if called(constants) == "dict" => {
                for keyword in &constants.arguments.keywords {
                    add(keyword.arg.as_deref().unwrap_or(""), &keyword.value);
                }
            }
            _ => {}
        }
        for keyword in &call.arguments.keywords {
            if let Some(name) = keyword.arg.as_deref().filter(|name| *name != "kwargs") {
                add(name, &keyword.value);
            }
        }
        Some(known)
    }

    /// A value that is written out.
    fn text(&self, value: &'a Expr) -> Option<String> {
        match value {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let bound = self.bound.iter().find(|(known, _)| *known == name);
                let value = match bound {
                    Some((_, value)) => value,
                    None => self.python.constant(name)?,
                };
                match value {
                    // A name for a name might lead back to itself.
                    Expr::Name(_) => None,
                    value => self.text(value),
                }
            }
            Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::NoneLiteral(_) => Some(self.python.text(value).to_owned()),
            _ => None,
        }
    }
}

/// What the first `return` of a function gives.
fn returned(body: &[Stmt]) -> Option<&Expr> {
    body.iter().find_map(|statement| match statement {
        Stmt::Return(given) => given.value.as_deref(),
        // Which way it goes depends on the GPU that Python would ask: the first stands for all.
        Stmt::If(condition) => returned(&condition.body),
        _ => None,
    })
}
