//! Loops and conditions: what their bodies assign of the names around is carried.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Stmt, StmtFor, StmtIf, StmtWhile};

use super::builder::{Traceable, refuse};
use super::tracer::{Tracer, put_together, take_apart};
use super::value::{LoopRange, Traced};
use crate::source::Span;
use crate::triton::assigned::{assigned, returns};
use crate::triton::python::{span, span_of};
use crate::triton::tile::{BlockId, Element, Op, Type, Value};

/// Most copies of a body that `static_range` writes out.
const MAX_COPIES: i128 = 4096;

/// Said of a way out of a loop, which no operation of Triton's has.
const RETURNS_FROM_LOOP: &str = "a kernel cannot return from inside a loop";

/// A test, but for `else`, with what it guards.
pub type Clause<'a> = (Option<&'a Expr>, &'a [Stmt]);

/// What a branch leaves.
struct Branch {
    block: BlockId,
    scope: BTreeMap<String, Traced>,
    returned: Option<Traced>,
}

impl Tracer<'_> {
    /// A list of statements; what is returned, if they return.
    pub fn statements(&mut self, body: &[Stmt]) -> Traceable<Option<Traced>> {
        for (at, statement) in body.iter().enumerate() {
            self.builder.span = span_of(statement);
            match statement {
                Stmt::Return(given) => {
                    return match &given.value {
                        Some(value) => self.expression(value).map(Some),
                        None => Ok(Some(Traced::Nothing)),
                    };
                }
                Stmt::If(condition) => {
                    let (returned, is_done) = self.condition(condition, &body[at + 1..])?;
                    // Both branches have read what stands behind: to read it again would do it twice.
                    if returned.is_some() || is_done {
                        return Ok(returned);
                    }
                }
                Stmt::For(each) => self.for_loop(each)?,
                Stmt::While(each) => self.while_loop(each)?,
                other => self.statement(other)?,
            }
        }
        Ok(None)
    }

    /// A condition with what stands behind it; what it returns, and whether the rest is read already.
    fn condition(
        &mut self,
        condition: &StmtIf,
        rest: &[Stmt],
    ) -> Traceable<(Option<Traced>, bool)> {
        let mut clauses = vec![(Some(&*condition.test), &condition.body[..])];
        for clause in &condition.elif_else_clauses {
            clauses.push((clause.test.as_ref(), &clause.body[..]));
        }
        self.clauses(&clauses, rest)
    }

    /// Clauses of a condition, the first of which holds, or the next, and what stands behind them.
    pub fn clauses(
        &mut self,
        clauses: &[Clause],
        rest: &[Stmt],
    ) -> Traceable<(Option<Traced>, bool)> {
        let Some(((test, body), others)) = clauses.split_first() else {
            return Ok((None, false));
        };
        let Some(test) = test else {
            return self.only_branch(body, rest);
        };
        let value = self.expression(test)?;
        // As in Triton, what is not chosen is not even read: it may not compile for these constants.
        match self.known_truth(&value) {
            Some(true) => return self.only_branch(body, rest),
            Some(false) => return self.clauses(others, rest),
            None if self.is_mapped => return self.mapped_branches(&value, body, others, rest),
            None => {}
        }
        let value = self.condition_value(test, &value)?;
        // An operation with branches has one way out: what stands behind a return is read into the branch without it.
        let returning = returns(body) || others.iter().any(|(_, body)| returns(body));
        self.check_way_out(returning)?;
        let rest = if returning { rest } else { &[] };
        // Each branch begins with the names as they stand here: what one assigns, the other must not see.
        let before = self.scope.clone();
        let yes = self.branch(|tracer| match tracer.statements(body)? {
            Some(returned) => Ok(Some(returned)),
            None => tracer.statements(rest),
        })?;
        self.scope = before.clone();
        let no = self.branch(|tracer| match tracer.clauses(others, rest)? {
            (Some(returned), _) => Ok(Some(returned)),
            (None, true) => Ok(None),
            (None, false) => tracer.statements(rest),
        })?;
        self.scope = before;
        let returned = self.join(value, yes, no)?;
        Ok((returned, returning))
    }

    /// Refuses to return from inside a loop.
    fn check_way_out(&self, returning: bool) -> Traceable<()> {
        match returning && self.is_in_loop {
            true => refuse(self.builder.span, RETURNS_FROM_LOOP),
            false => Ok(()),
        }
    }

    /// The one branch that is taken. What stands behind it belongs to it if it may return.
    fn only_branch(&mut self, body: &[Stmt], rest: &[Stmt]) -> Traceable<(Option<Traced>, bool)> {
        if !returns(body) {
            return Ok((self.statements(body)?, false));
        }
        let all: Vec<Stmt> = body.iter().chain(rest).cloned().collect();
        Ok((self.statements(&all)?, true))
    }

    /// Whether a condition holds, if that is known; a buffer's address is never 0.
    fn known_truth(&self, condition: &Traced) -> Option<bool> {
        match condition {
            Traced::Value(value) if self.builder.ty(*value).is_pointer => Some(true),
            other => other.truth(),
        }
    }

    /// A condition that only the GPU knows, as one truth value.
    fn condition_value(&mut self, test: &Expr, condition: &Traced) -> Traceable<Value> {
        let value = self.builder.materialise(condition)?;
        if self.builder.ty(value).is_scalar() {
            return self.builder.cast(value, Element::Bool);
        }
        let message = format!(
            "a condition must be a single truth value, and this is {}",
            self.builder.ty(value).words()
        );
        let refusal: Traceable<Value> = refuse(span_of(test), message);
        refusal.map_err(|error| {
            Box::new(error.help(
                "choose element by element with `tl.where`, or mask what is loaded and stored",
            ))
        })
    }

    fn branch(
        &mut self,
        read: impl FnOnce(&mut Self) -> Traceable<Option<Traced>>,
    ) -> Traceable<Branch> {
        let block = self.builder.open(&[]);
        let returned = read(self)?;
        // It stays open: what its values are converted to is appended once the other is known.
        self.builder.suspend();
        Ok(Branch {
            block,
            scope: self.scope.clone(),
            returned,
        })
    }

    /// Names that either branch gives another value to, of which parts have been taken apart.
    fn changed(&self, yes: &Branch, no: &Branch) -> Vec<String> {
        let is_changed = |name: &&String| {
            let (a, b) = (yes.scope.get(*name), no.scope.get(*name));
            let before = self.scope.get(*name);
            let is_whole = a.is_some_and(|traced| traced.leaves().is_none());
            // A name that only one branch knows is gone behind the condition.
            a != b && b.is_some() && is_whole && a != before.filter(|_| b == before)
        };
        yes.scope.keys().filter(is_changed).cloned().collect()
    }

    /// Names that both branches give a value to which stands for them behind the condition.
    fn joined_names(&mut self, yes: &Branch, no: &Branch) -> Vec<String> {
        let names = self.changed(yes, no);
        if yes.returned.is_none() && no.returned.is_none() {
            return names;
        }
        // Nobody comes from a branch that has returned: what it gives a name is of no use, and may be of another type.
        // Such a name is gone, unless it is a part of something.
        let is_joined = |name: &String| {
            let types = [yes, no].map(|branch| self.type_of(&branch.scope[name]));
            name.contains('.') || types[0].is_some() && types[0] == types[1]
        };
        let (joined, gone): (Vec<_>, Vec<_>) = names.into_iter().partition(is_joined);
        self.scope.retain(|name, _| !gone.contains(name));
        joined
    }

    /// Ends a branch with what it gives under these names and what it returns; their types.
    fn given(
        &mut self,
        branch: &Branch,
        names: &[String],
        returned: Option<&Traced>,
    ) -> Traceable<Vec<Type>> {
        self.builder.resume(branch.block);
        let named = names.iter().map(|name| &branch.scope[name]);
        let parts = returned.map(|returned| returned.leaves().unwrap_or_else(|| vec![returned]));
        let all: Vec<&Traced> = named.chain(parts.into_iter().flatten()).collect();
        let mut results = Vec::new();
        for traced in all {
            results.push(self.builder.materialise(traced)?);
        }
        let types = results.iter().map(|&value| self.builder.ty(value).clone());
        let types = types.collect();
        self.builder.close(results);
        Ok(types)
    }

    /// Refuses names that one branch gives another type than the other.
    fn same_types(&self, names: &[String], yes: &[Type], no: &[Type]) -> Traceable<()> {
        let Some(at) = (0..no.len()).find(|&at| no.get(at) != yes.get(at)) else {
            return Ok(());
        };
        let name = names.get(at).map_or("what is returned", String::as_str);
        let other = yes.get(at).map_or("nothing".to_owned(), Type::words);
        let message = format!(
            "`{name}` is {other} in one branch and {} in the other",
            no[at].words()
        );
        refuse(self.builder.span, message)
    }

    /// A condition out of its branches.
    fn join(
        &mut self,
        condition: Value,
        mut yes: Branch,
        mut no: Branch,
    ) -> Traceable<Option<Traced>> {
        for scope in [&mut yes.scope, &mut no.scope, &mut self.scope] {
            take_apart(scope);
        }
        let names = self.joined_names(&yes, &no);
        let has_result = |branch: &Branch| !matches!(branch.returned, None | Some(Traced::Nothing));
        // A branch that ends in a bare `return` gives nothing that the other's result could be joined with.
        let returns = has_result(&yes) && has_result(&no);
        let returned = |branch: &Branch| branch.returned.clone().filter(|_| returns);
        let first = self.given(&yes, &names, returned(&yes).as_ref())?;
        let types = self.given(&no, &names, returned(&no).as_ref())?;
        self.same_types(&names, &first, &types)?;
        let blocks = vec![yes.block, no.block];
        let results = self.builder.emit_all(Op::If, &[condition], types, blocks);
        for (name, &result) in names.iter().zip(&results) {
            self.assign(name, Traced::Value(result));
        }
        // What was taken apart is known by its parts, which are joined: the whole only says how to put them together.
        for (name, whole) in &yes.scope {
            if whole.leaves().is_some() && no.scope.contains_key(name) {
                self.scope.insert(name.clone(), whole.clone());
            }
        }
        put_together(&mut self.scope);
        let mut behind = results[names.len()..]
            .iter()
            .map(|&value| Traced::Value(value));
        Ok(match (returns, yes.returned) {
            (true, Some(whole)) if whole.leaves().is_some() => {
                Some(whole.with_leaves(&mut || behind.next()))
            }
            (true, _) => behind.next(),
            (false, returned) => returned.and(no.returned),
        })
    }

    /// The type that something has as a value; nothing if it is none.
    fn type_of(&self, traced: &Traced) -> Option<Type> {
        match traced {
            Traced::Value(value) => Some(self.builder.ty(*value).clone()),
            Traced::Truth(_) => Some(Type::scalar(Element::Bool)),
            Traced::Integer(value) => Some(Type::scalar(Element::of_integer(*value))),
            Traced::Float(_) => Some(Type::scalar(Element::F32)),
            _ => None,
        }
    }

    fn for_loop(&mut self, each: &StmtFor) -> Traceable<()> {
        refuse_else(&each.orelse)?;
        let Expr::Name(target) = &*each.target else {
            return refuse(
                span_of(&*each.target),
                "a `for` loop in a kernel takes a single name",
            );
        };
        let range = match self.expression(&each.iter)? {
            Traced::Range(range) => *range,
            other => {
                let message = format!(
                    "a `for` loop in a kernel runs over `range`, `tl.range` or `tl.static_range`, not over {}",
                    other.words()
                );
                return refuse(span_of(&*each.iter), message);
            }
        };
        match range.is_static {
            true => self.copies(target.id.as_str(), &range, &each.body),
            false => self.counted(target.id.as_str(), &range, each),
        }
    }

    fn copies(&mut self, target: &str, range: &LoopRange, body: &[Stmt]) -> Traceable<()> {
        let bounds = [&range.start, &range.stop, &range.step].map(Traced::integer);
        let [Some(start), Some(stop), Some(step)] = bounds else {
            return refuse(
                self.builder.span,
                "`tl.static_range` is unrolled, so its bounds must be constexpr",
            );
        };
        // Each copy is text that somebody reads and a compiler compiles.
        if step == 0 || (stop - start) / step > MAX_COPIES {
            return refuse(
                self.builder.span,
                format!("`tl.static_range` is unrolled at most {MAX_COPIES} times"),
            );
        }
        let mut at = start;
        while (step > 0 && at < stop) || (step < 0 && at > stop) {
            self.assign(target, Traced::Integer(at));
            self.statements(body)?;
            at += step;
        }
        Ok(())
    }

    /// Start, stop and step of a loop that the GPU counts, all of the type that it counts in.
    fn loop_bounds(&mut self, range: &LoopRange, place: Span) -> Traceable<[Value; 3]> {
        // Triton counts in the widest type of the three, and in no narrower one than int32.
        let mut element = Element::I32;
        let mut bounds = Vec::new();
        for bound in [&range.start, &range.stop, &range.step] {
            let value = self.builder.materialise(bound)?;
            let ty = self.builder.ty(value);
            if !ty.is_scalar() || ty.element.is_float() || ty.is_pointer {
                let message = format!(
                    "the bounds of a loop must be integers, and this is {}",
                    ty.words()
                );
                return refuse(place, message);
            }
            element = Element::common(element, ty.element, false);
            bounds.push(value);
        }
        let mut cast = |at: usize| self.builder.cast(bounds[at], element);
        Ok([cast(0)?, cast(1)?, cast(2)?])
    }

    /// The carried names stand for these values from here on, and what is made of several of them for their whole.
    fn assign_carried(&mut self, carried: &[(String, Value)], values: &[Value]) {
        for ((name, _), &value) in carried.iter().zip(values) {
            self.assign(name, Traced::Value(value));
        }
        put_together(&mut self.scope);
    }

    /// The carried names stand for the arguments of a body.
    fn begin_round(&mut self, carried: &[(String, Value)], arguments: &[Value]) {
        let before = carried.iter().map(|(_, value)| *value);
        self.builder
            .begins
            .extend(arguments.iter().copied().zip(before));
        self.assign_carried(carried, arguments);
    }

    /// A loop of one round is its body, as MLIR's canonicaliser has it.
    fn only_round(&mut self, target: &str, number: Value, each: &StmtFor) -> Traceable<()> {
        take_apart(&mut self.scope);
        let carried = self.carried(&assigned(&each.body))?;
        let before = self.scope.clone();
        let values: Vec<Value> = carried.iter().map(|(_, value)| *value).collect();
        self.assign(target, Traced::Value(number));
        self.assign_carried(&carried, &values);
        let yielded = self.loop_body(&each.body, span(each.range), &carried)?;
        self.scope = before;
        self.assign_carried(&carried, &yielded);
        Ok(())
    }

    fn counted(&mut self, target: &str, range: &LoopRange, each: &StmtFor) -> Traceable<()> {
        let bounds = self.loop_bounds(range, span_of(&*each.iter))?;
        if has_one_round(range) {
            return self.only_round(target, bounds[0], each);
        }
        take_apart(&mut self.scope);
        let carried = self.carried(&assigned(&each.body))?;
        let mut types = vec![self.builder.ty(bounds[0]).clone()];
        types.extend(self.types(&carried));
        let before = self.scope.clone();
        let block = self.builder.open(&types);
        let arguments = self.builder.function.blocks[block.0].arguments.clone();
        self.assign(target, Traced::Value(arguments[0]));
        self.begin_round(&carried, &arguments[1..]);
        let yielded = self.loop_body(&each.body, span(each.range), &carried)?;
        self.builder.close(yielded);
        // Names that the body is the first to assign are gone behind it: Python keeps them, Triton does not.
        self.scope = before;
        // Three bounds, then what is carried: `placement` and `lower` count on this order.
        let mut operands = bounds.to_vec();
        operands.extend(carried.iter().map(|(_, value)| *value));
        let op = Op::For {
            stages: range.stages,
        };
        let results = self
            .builder
            .emit_all(op, &operands, types[1..].to_vec(), vec![block]);
        self.assign_carried(&carried, &results);
        Ok(())
    }

    /// One round of a loop: what it carries on.
    fn loop_body(
        &mut self,
        body: &[Stmt],
        place: Span,
        carried: &[(String, Value)],
    ) -> Traceable<Vec<Value>> {
        let is_in_loop = std::mem::replace(&mut self.is_in_loop, true);
        let returned = self.statements(body);
        self.is_in_loop = is_in_loop;
        if returned?.is_some() {
            return refuse(self.builder.span, RETURNS_FROM_LOOP);
        }
        // What it carries is told at the loop, not at the last statement of its body.
        self.builder.span = place;
        take_apart(&mut self.scope);
        self.yielded(carried)
    }

    fn while_loop(&mut self, each: &StmtWhile) -> Traceable<()> {
        refuse_else(&each.orelse)?;
        take_apart(&mut self.scope);
        let carried = self.carried(&assigned(&each.body))?;
        let types = self.types(&carried);
        let before = self.scope.clone();
        let mut blocks = Vec::new();
        // As in MLIR's `scf.while`, the test is a block of its own, which runs before each round with what the last left.
        for is_test in [true, false] {
            let block = self.builder.open(&types);
            let arguments = self.builder.function.blocks[block.0].arguments.clone();
            self.begin_round(&carried, &arguments);
            let results = match is_test {
                true => vec![self.loop_test(&each.test)?],
                false => self.loop_body(&each.body, span(each.range), &carried)?,
            };
            self.builder.close(results);
            blocks.push(block);
        }
        self.scope = before;
        let operands: Vec<Value> = carried.iter().map(|(_, value)| *value).collect();
        let results = self.builder.emit_all(Op::While, &operands, types, blocks);
        self.assign_carried(&carried, &results);
        Ok(())
    }

    /// What a `while` loop goes on for.
    fn loop_test(&mut self, test: &Expr) -> Traceable<Value> {
        let value = self.expression(test)?;
        let value = self.builder.materialise(&value)?;
        if !self.builder.ty(value).is_scalar() {
            return refuse(
                span_of(test),
                "the condition of `while` must be a single truth value, not a tile of them",
            );
        }
        self.builder.cast(value, Element::Bool)
    }
}

/// Whether a loop is known to run exactly once.
fn has_one_round(range: &LoopRange) -> bool {
    let bounds = [&range.start, &range.stop, &range.step].map(Traced::integer);
    matches!(bounds, [Some(start), Some(stop), Some(step)] if start < stop && stop - start <= step)
}

/// Triton reads no `else` of a loop.
fn refuse_else(orelse: &[Stmt]) -> Traceable<()> {
    match orelse.first() {
        Some(first) => refuse(span_of(first), "a loop in a kernel has no `else`"),
        None => Ok(()),
    }
}
