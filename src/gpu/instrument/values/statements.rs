//! The statements that set variables, and what is put behind them.

use std::collections::{BTreeMap, HashMap};

use super::assigned::{Set, sets};
use crate::cuda::{
    Expr, Function, FunctionId, Initializer, LocalId, Program, Stmt, StmtKind, Storage, Type,
};
use crate::gpu::instrument::insertion_points::Lexical;
use crate::gpu::instrument::wraps::{Wrap, cross};
use crate::launch::TracedVariable;
use crate::source::{Diagnostic, SourceFile, Span};

/// A value that is kept at each visit of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The statement.
    pub statement: Span,
    /// Its line, from 1.
    pub line: u32,
    /// Indices into the variables, with how far each lies in its variable: one, or all that the
    /// statement may set.
    pub variables: Vec<(u32, u32)>,
    /// Whether the record says which of them it is.
    pub is_part: bool,
}

/// All that is kept of some functions.
#[derive(Default)]
pub(crate) struct Settings {
    pub variables: Vec<TracedVariable>,
    pub sites: Vec<Site>,
    pub wraps: Vec<Wrap>,
    /// Statements that are left as they are, and why.
    pub skipped: Vec<Diagnostic>,
}

/// Finds what `functions` set; `kernels` are those whose variables have no name before theirs.
pub(crate) fn settings(
    program: &Program,
    functions: &[FunctionId],
    kernels: &[FunctionId],
    (file, lexical): (&SourceFile, &Lexical),
    refused: &dyn Fn(Span) -> bool,
) -> Settings {
    let mut finder = Finder {
        file,
        lexical,
        refused,
        function: &program.functions[0],
        is_kernel: false,
        known: HashMap::new(),
        spans: HashMap::new(),
        behind: BTreeMap::new(),
        out: Settings::default(),
    };
    for &id in functions {
        let function = &program.functions[id];
        let alike = functions.iter().map(|&other| &program.functions[other]);
        if alike.filter(|other| other.span == function.span).count() > 1 {
            let message = "variables of this function are not captured";
            let note = "it is made for several types or numbers";
            let skipped = Diagnostic::warning(function.span, message).note(note);
            if !finder.out.skipped.contains(&skipped) {
                finder.out.skipped.push(skipped);
            }
            continue;
        }
        finder.function = function;
        finder.is_kernel = kernels.contains(&id);
        finder.known.clear();
        finder.spans.clear();
        finder.count(&function.body);
        finder.stmts(&function.body);
    }
    finder.finish()
}

/// What goes behind a statement.
pub(crate) struct Behind {
    pub start: u32,
    pub text: String,
    pub in_braces: bool,
}

pub(crate) struct Finder<'a> {
    pub file: &'a SourceFile,
    pub lexical: &'a Lexical<'a>,
    pub refused: &'a dyn Fn(Span) -> bool,
    pub function: &'a Function,
    pub is_kernel: bool,
    /// By variable of the function: the number of its first scalar.
    pub known: HashMap<LocalId, u32>,
    /// How many statements of the function stand at a place of the text.
    pub spans: HashMap<Span, u32>,
    /// By the end of a statement.
    pub behind: BTreeMap<u32, Behind>,
    pub out: Settings,
}

impl<'a> Finder<'a> {
    fn count(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if !matches!(stmt.kind, StmtKind::Declare { init: None, .. }) {
                *self.spans.entry(stmt.span).or_default() += 1;
            }
            match &stmt.kind {
                StmtKind::Block(body) => self.count(body),
                StmtKind::If {
                    then, otherwise, ..
                } => {
                    self.count(then);
                    self.count(otherwise);
                }
                StmtKind::Loop { init, body, .. } => {
                    self.count(init);
                    self.count(body);
                }
                StmtKind::Switch { sections, .. } => {
                    sections
                        .iter()
                        .for_each(|section| self.count(&section.body));
                }
                _ => {}
            }
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Expr(expr) => self.expression(expr, stmt.span),
                StmtKind::Declare { .. } => self.declaration(stmt),
                StmtKind::Block(body) => self.stmts(body),
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.tested(condition, stmt.span);
                    self.stmts(then);
                    self.stmts(otherwise);
                }
                StmtKind::Loop {
                    init,
                    condition,
                    step,
                    body,
                    ..
                } => {
                    init.iter().for_each(|stmt| self.head(stmt));
                    if let Some(condition) = condition {
                        self.tested(condition, condition.span);
                    }
                    if let Some(step) = step {
                        self.listed(step);
                    }
                    self.stmts(body);
                }
                StmtKind::Switch { value, sections } => {
                    self.tested(value, stmt.span);
                    sections
                        .iter()
                        .for_each(|section| self.stmts(&section.body));
                }
                StmtKind::Return(Some(value)) if !sets(self.function, value).is_empty() => {
                    self.skip(stmt.span, "it leaves the function");
                }
                _ => {}
            }
        }
    }

    pub fn skip(&mut self, span: Span, why: &str) {
        let message = "what this statement sets is not captured";
        let skipped = Diagnostic::warning(span, message).note(why);
        if !self.out.skipped.contains(&skipped) {
            self.out.skipped.push(skipped);
        }
    }

    /// Whether text may go around `span`, which belongs to the statement at `statement`.
    fn may_wrap(&mut self, span: Span, statement: Span) -> bool {
        let is_alone = self.spans.get(&statement).is_none_or(|&count| count == 1);
        let crosses = self.out.wraps.iter().any(|wrap| cross(wrap.span, span));
        let fits = self.lexical.fits(span) && !crosses && !(self.refused)(statement);
        match (fits, is_alone) {
            (false, _) => self.skip(statement, "it is made by a macro"),
            (true, false) => self.skip(statement, "it sets several things, each for itself"),
            (true, true) => {}
        }
        fits && is_alone
    }

    /// A statement that is an expression.
    fn expression(&mut self, expr: &Expr, span: Span) {
        let sets = sets(self.function, expr);
        if sets.is_empty() {
            return;
        }
        let Some(end) = self.lexical.semicolon(span) else {
            return self.skip(span, "it has no `;` of its own");
        };
        let start = span.start;
        if self.may_wrap(Span { start, end }, span) {
            let text = self.calls(&sets, span);
            let is_listed = matches!(self.lexical.before(start), ";" | "{" | "}" | ":");
            self.put_behind(end, start, &text, !is_listed);
        }
    }

    fn put_behind(&mut self, end: u32, start: u32, calls: &[String], in_braces: bool) {
        let behind = self.behind.entry(end).or_insert(Behind {
            start,
            text: String::new(),
            in_braces,
        });
        for call in calls {
            behind.text.push_str(&format!(" {call};"));
        }
    }

    /// What a declaration sets.
    fn declared(&self, stmt: &Stmt) -> Vec<Set> {
        let StmtKind::Declare {
            local,
            init: Some(init),
        } = &stmt.kind
        else {
            return Vec::new();
        };
        let values = match init {
            Initializer::Value(value) => std::slice::from_ref(value),
            Initializer::List(values) => values,
        };
        let mut all: Vec<Set> = values.iter().flat_map(|v| sets(self.function, v)).collect();
        let declared = &self.function.locals[*local];
        if declared.storage == Storage::Thread && !declared.is_reference {
            all.retain(|set| set.local() != *local);
            let is_named = !declared.name.is_empty() && !declared.name.starts_with('(');
            all.extend(is_named.then(|| Set::whole(*local)));
        }
        all
    }

    fn declaration(&mut self, stmt: &Stmt) {
        let sets = self.declared(stmt);
        if sets.is_empty() {
            return;
        }
        let is_governed = matches!(self.lexical.before(stmt.span.start), "else" | "do");
        let end = self.lexical.semicolon(stmt.span).filter(|_| !is_governed);
        let Some(end) = end else {
            return self.skip(stmt.span, "it stands in a head, or names parts of a value");
        };
        let start = stmt.span.start;
        if self.may_wrap(Span { start, end }, stmt.span) {
            let text = self.calls(&sets, stmt.span);
            self.put_behind(end, start, &text, false);
        }
    }

    /// The first part of a `for`.
    fn head(&mut self, stmt: &Stmt) {
        if let StmtKind::Expr(expr) = &stmt.kind {
            return self.listed(expr);
        }
        let sets = self.declared(stmt);
        let (StmtKind::Declare { local, .. }, [set]) = (&stmt.kind, &sets[..]) else {
            return;
        };
        let declared = &self.function.locals[*local];
        let word = self.lexical.before(declared.span.start);
        let is_scalar = matches!(declared.ty, Type::Scalar(_) | Type::Pointer { .. });
        let is_qualified = matches!(word, "const" | "__restrict__" | "__restrict");
        let is_pointer = matches!(declared.ty, Type::Pointer { .. });
        if !is_scalar || is_pointer && is_qualified || set.local() != *local {
            return self.skip(stmt.span, "it stands in the head of a loop");
        }
        let span = stmt.span;
        if !matches!(self.lexical.behind(span.end), "," | ";") {
            return self.skip(span, "it names the elements of a range");
        }
        if self.may_wrap(span, span) {
            let number = self.out.sites.len();
            let star = if word == "*" { "*" } else { "" };
            let name = declared.name.clone();
            self.calls(&sets, span);
            self.out.wraps.push(Wrap {
                span,
                before: String::new(),
                behind: format!(", {star}@{number} = @begin<{number}>({name})"),
            });
        }
    }

    /// An expression that is a statement without `;`, in the head of a `for`.
    fn listed(&mut self, expr: &Expr) {
        let sets = sets(self.function, expr);
        if !sets.is_empty() && self.may_wrap(expr.span, expr.span) {
            let calls = self.calls(&sets, expr.span);
            self.out.wraps.push(Wrap {
                span: expr.span,
                before: String::new(),
                behind: format!(", {}", calls.join(", ")),
            });
        }
    }

    /// A condition of the statement at `span`.
    fn tested(&mut self, condition: &Expr, span: Span) {
        let sets = sets(self.function, condition);
        if sets.is_empty() || !self.may_wrap(condition.span, span) {
            return;
        }
        for set in &sets {
            let Some((name, leaves)) = self.named(set, span) else {
                continue;
            };
            for leaf in leaves {
                let number = self.site(span, set, std::slice::from_ref(&leaf), false);
                self.out.wraps.push(Wrap {
                    span: condition.span,
                    before: format!("@after<{number}>("),
                    behind: format!(", {name}{})", leaf.suffix),
                });
            }
        }
    }
}
