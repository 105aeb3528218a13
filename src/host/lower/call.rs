//! Calls: of functions, through pointers, of libraries; launches.
//!
//! The slots of a call begin at one place: what comes back, then the arguments. Arguments are evaluated from the right to
//! the left, as gcc does; but the object of a method before them, and the operands of `<<` and `>>` from the left.

use crate::cuda::{Expr, ExprKind, Function, FunctionId, HostExpr, Launch, Type};
use crate::host::code::{CallSite, LaunchSite, Op, Slot};
use crate::source::Span;

use super::function::Lowering;
use super::inline::{Inlined, returned};
use super::place::Address;
use super::unit::is_aggregate;

/// Arguments, and in which order they are evaluated.
struct Arguments<'e> {
    values: &'e [Expr],
    order: Order,
}

impl<'e> Arguments<'e> {
    /// As gcc does for calls through pointers and of the C library.
    fn from_the_right(values: &'e [Expr]) -> Self {
        let order = Order::RightToLeft;
        Arguments { values, order }
    }

    /// The arguments with their places, in the order in which they are evaluated.
    fn in_order(&self) -> Vec<(usize, &'e Expr)> {
        let mut all: Vec<_> = self.values.iter().enumerate().collect();
        match self.order {
            Order::LeftToRight => {}
            Order::RightToLeft => all.reverse(),
            Order::FirstThenRightToLeft => all[self.values.len().min(1)..].reverse(),
        }
        all
    }
}

/// Who is called.
enum Callee {
    Function(FunctionId),
    Pointer(Slot),
    Library(u32),
}

/// In which order arguments are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    RightToLeft,
    FirstThenRightToLeft,
    LeftToRight,
}

fn order_of(function: &Function) -> Order {
    let name = function.name.rsplit("::").next().unwrap_or("");
    // C++17 fixes the order of these: `cout << f() << g()` calls f first.
    if name.starts_with("operator<<") || name.starts_with("operator>>") {
        return Order::LeftToRight;
    }
    match function.locals.first() {
        // The object is evaluated first ([expr.call]: the postfix expression before the arguments).
        Some(first) if first.name == "this" => Order::FirstThenRightToLeft,
        _ => Order::RightToLeft,
    }
}

impl<'p> Lowering<'_, 'p> {
    /// A call or a launch.
    pub fn call_expression(&mut self, expr: &Expr, want: Option<Slot>) -> Slot {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Call(function, arguments) => {
                if let Some(inlined) = self.inlinable(expr) {
                    return self.inlined_value(&inlined, want, span);
                }
                let order = order_of(self.unit.program.functions[*function].for_host());
                let values = &arguments[..];
                let arguments = Arguments { values, order };
                self.call(Callee::Function(*function), &expr.ty, arguments, want, span)
            }
            ExprKind::Host(host) => match &**host {
                HostExpr::CallPointer(pointer, arguments) => {
                    let pointer = self.value(pointer, None);
                    let arguments = Arguments::from_the_right(arguments);
                    self.call(Callee::Pointer(pointer), &expr.ty, arguments, want, span)
                }
                HostExpr::CallVirtual {
                    object,
                    row,
                    arguments,
                } => self.call_virtual(object, *row, arguments, &expr.ty, want, span),
                HostExpr::Library(name, arguments) => {
                    let site = self.call_site(name, arguments, &expr.ty, span);
                    let arguments = Arguments::from_the_right(arguments);
                    self.call(Callee::Library(site), &expr.ty, arguments, want, span)
                }
                HostExpr::Launch(launch) => {
                    self.launch(launch, span);
                    0
                }
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The call, if the expression that the function returns may take its place.
    pub fn inlinable<'e>(&self, expr: &'e Expr) -> Option<Inlined<'p, 'e>> {
        let ExprKind::Call(function, values) = &expr.kind else {
            return None;
        };
        let callee = self.unit.program.functions[*function].for_host();
        let value = returned(callee).filter(|_| self.may_inline(callee))?;
        let order = order_of(callee);
        let arguments = Arguments { values, order }.in_order();
        Some(Inlined {
            callee,
            value,
            arguments,
        })
    }

    /// A call of a library's function without arguments.
    pub fn call_named(&mut self, name: &str, ty: &Type, want: Option<Slot>, span: Span) -> Slot {
        let site = self.call_site(name, &[], ty, span);
        let arguments = Arguments::from_the_right(&[]);
        self.call(Callee::Library(site), ty, arguments, want, span)
    }

    fn call_site(&mut self, name: &str, arguments: &[Expr], result: &Type, span: Span) -> u32 {
        let name = self.unit.library(name, span);
        let types = arguments.iter().map(|argument| argument.ty.clone());
        let types = types.collect();
        let result = result.clone();
        self.unit.sites.calls.push(CallSite {
            name,
            types,
            result,
        });
        self.unit.sites.calls.len() as u32 - 1
    }

    fn call(
        &mut self,
        callee: Callee,
        returns: &Type,
        arguments: Arguments<'_>,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        // A struct comes back in room that the caller has made: its address is a parameter before the others.
        // Room for a struct that is returned; the library's functions need none passed.
        let into = is_aggregate(returns).then(|| self.room(returns));
        let first = self.slots.next;
        let hidden = usize::from(into.is_some() && !matches!(callee, Callee::Library(_)));
        // All slots are taken before the first argument is evaluated: what that needs in between lies behind them.
        self.take(1 + hidden + arguments.values.len());
        if let Some(into) = into {
            self.move_slot(first + hidden as Slot, into, span);
        }
        self.arguments(first + 1 + hidden as Slot, &arguments);
        self.emit_call(callee, first, span);
        // Of all these slots only the first is still needed.
        self.slots.next = first + 1;
        self.moved(first, want, span)
    }

    fn emit_call(&mut self, callee: Callee, first: Slot, span: Span) {
        let op = match callee {
            Callee::Function(function) => {
                self.unit.reach(function);
                Op::Call {
                    first,
                    function: function as u32,
                }
            }
            Callee::Pointer(pointer) => Op::CallPointer { first, pointer },
            Callee::Library(site) => Op::CallLibrary { first, site },
        };
        self.emit(op, span);
    }

    /// Puts arguments to their slots.
    fn arguments(&mut self, first: Slot, arguments: &Arguments<'_>) {
        for (at, argument) in arguments.in_order() {
            let mark = self.slots.next;
            self.argument(argument, first + at as Slot);
            self.slots.next = mark;
        }
    }

    /// Puts an argument to its slot; of an aggregate, the address of a copy of its own.
    fn argument(&mut self, argument: &Expr, to: Slot) {
        if !is_aggregate(&argument.ty) || is_fresh(argument) {
            self.value(argument, Some(to));
            return;
        }
        // The function may change its parameter: what the caller has must not.
        let copy = self.room(&argument.ty);
        self.fill(argument, copy);
        self.move_slot(to, copy, argument.span);
    }

    fn call_virtual(
        &mut self,
        object: &Expr,
        row: u32,
        arguments: &[Expr],
        returns: &Type,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let into = is_aggregate(returns).then(|| self.room(returns));
        // The function is known only once the object is, which the arguments may change.
        let pointer = self.temporary();
        let first = self.slots.next;
        let hidden = Slot::from(into.is_some());
        self.take(2 + usize::from(hidden) + arguments.len());
        if let Some(into) = into {
            self.move_slot(first + 1, into, span);
        }
        let this = first + 1 + hidden;
        self.value(object, Some(this));
        self.arguments(this + 1, &Arguments::from_the_right(arguments));
        self.virtual_function(pointer, this, row, span);
        self.emit_call(Callee::Pointer(pointer), first, span);
        self.slots.next = first + 1;
        self.moved(first, want, span)
    }

    /// The function that the object's table has in a row.
    pub fn virtual_function(&mut self, to: Slot, object: Slot, row: u32, span: Span) {
        // An object with virtual functions begins with the address of its class's table; a row has 8 bytes.
        self.load_word(to, object, 0, span);
        self.load_word(to, to, row as i32 * 8, span);
    }

    /// Calls a function with an object's address and arguments behind it.
    pub fn call_method(
        &mut self,
        function: FunctionId,
        object: Slot,
        arguments: &[Expr],
        span: Span,
    ) {
        let mark = self.slots.next;
        self.take(2 + arguments.len());
        self.move_slot(mark + 1, object, span);
        self.arguments(mark + 2, &Arguments::from_the_right(arguments));
        self.emit_call(Callee::Function(function), mark, span);
        self.slots.next = mark;
    }

    /// Calls the function that a slot points to, with an object's address.
    pub fn call_through(&mut self, pointer: Slot, object: Slot, span: Span) {
        let mark = self.slots.next;
        self.take(2);
        self.move_slot(mark + 1, object, span);
        self.emit_call(Callee::Pointer(pointer), mark, span);
        self.slots.next = mark;
    }

    fn launch(&mut self, launch: &Launch, span: Span) {
        let mark = self.slots.next;
        let first = self.slots.next;
        self.take(4 + launch.arguments.len());
        // `nvcc` makes two calls of it: the first pushes what stands between `<<<` and `>>>`, and gcc evaluates
        // the arguments of each from the right.
        let configuration = [&launch.grid, &launch.block, &launch.shared, &launch.stream];
        for (at, part) in configuration.into_iter().enumerate().rev() {
            self.argument(part, first + at as Slot);
        }
        self.arguments(first + 4, &Arguments::from_the_right(&launch.arguments));
        let kernel = &self.unit.program.functions[launch.kernel];
        let locals = kernel.locals.iter().take(kernel.parameter_count);
        let types = locals.map(|local| local.ty.clone()).collect();
        let kernel = launch.kernel;
        self.unit.reach(kernel);
        self.unit.sites.launches.push(LaunchSite { kernel, types });
        let site = self.unit.sites.launches.len() as u32 - 1;
        self.emit(Op::Launch { first, site }, span);
        self.slots.next = mark;
    }

    /// Room on the stack for an aggregate: a slot with its address.
    pub fn room(&mut self, ty: &Type) -> Slot {
        let offset = self.frame(ty, 1);
        let to = self.temporary();
        // Slot 0 holds where the function's frame begins.
        self.offset(to, 0, offset, Span::default());
        to
    }

    /// Where a slot points to.
    pub fn behind(&self, slot: Slot) -> Address {
        Address::At(slot, 0)
    }
}

/// Whether the aggregate was made for this value alone.
pub fn is_fresh(expr: &Expr) -> bool {
    use ExprKind::*;
    matches!(
        expr.kind,
        Call(..) | Struct(_) | Vector(_) | Convert(_) | Host(_)
    )
}
