//! Calls: functions under `@triton.jit` are read in place, Triton's own are looked up by name.

use ruff_python_ast::{Expr, ExprCall, StmtFunctionDef};

use super::arguments::Arguments;
use super::builder::{Traceable, refuse};
use super::limits::limits_of;
use super::tracer::{MAX_CALLS, Scope, Tracer};
use super::value::Traced;
use crate::source::{Diagnostic, Span};
use crate::triton::python::{FunctionName, span, span_of};
use crate::triton::tile::{Binary, Comparison, Constant, Element, Op};

/// What `tl.math` of Triton 3.6 has (`python/triton/language/math.py`).
const OF_MATH: &str = "umulhi exp exp2 log log2 cos sin sqrt sqrt_rn rsqrt abs div_rn erf floor ceil fdiv fma cdiv max min";

/// Said of assertions in kernels that are not compiled for debugging.
const ASSERTS_NOTHING: &str = "this is not checked: Triton leaves assertions out";

impl Tracer<'_> {
    /// What a call gives.
    pub fn call(&mut self, call: &ExprCall) -> Traceable<Traced> {
        if asks_for_library(call) {
            return Ok(Traced::Path("triton.language.extra.libdevice".to_owned()));
        }
        let function = self.expression(&call.func)?;
        let mut given = self.given_arguments(call)?;
        match function {
            Traced::Function(name) => self.inline(&name, &given),
            Traced::Path(path) => self.library(&path, &given),
            // `tl.float32(x)`.
            Traced::Type(element, false) => {
                let value = self.builder.materialise(&given.need(0, "input")?)?;
                self.builder.cast(value, element).map(Traced::Value)
            }
            Traced::Method(object, name) => {
                if let Traced::Type(element, is_pointer) = *object
                    && let Some(holds) = is_of_kind(element, is_pointer, &name)
                {
                    return Ok(Traced::Truth(holds));
                }
                // Triton's methods are its functions with the object first: `x.sum(0)` is `tl.sum(x, 0)`.
                given.positional.insert(0, *object);
                self.library(&format!("triton.language.{name}"), &given)
            }
            other => refuse(
                span_of(&*call.func),
                format!("{} cannot be called", other.words()),
            ),
        }
    }

    /// The arguments of a call, tuples behind `*` taken apart.
    fn given_arguments(&mut self, call: &ExprCall) -> Traceable<Arguments> {
        let mut given = Arguments {
            span: span(call.range),
            ..Arguments::default()
        };
        for argument in &call.arguments.args {
            let Expr::Starred(starred) = argument else {
                given.positional.push(self.expression(argument)?);
                continue;
            };
            match self.expression(&starred.value)? {
                Traced::Tuple(parts) => given.positional.extend(parts),
                other => {
                    let message = format!("`*` unpacks a tuple, and this is {}", other.words());
                    return refuse(given.span, message);
                }
            }
        }
        for keyword in &call.arguments.keywords {
            let value = self.expression(&keyword.value)?;
            match &keyword.arg {
                Some(name) => given.named.push((name.to_string(), value)),
                None => return refuse(given.span, "`**` is not supported in a kernel"),
            }
        }
        Ok(given)
    }

    /// A function of the text, read in place.
    pub fn inline(&mut self, name: &FunctionName, given: &Arguments) -> Traceable<Traced> {
        let python = self.python;
        let called = &name.name;
        let Some(function) = python.definition(name) else {
            let message = format!("`{called}` is not a function with `@triton.jit`");
            return refuse(given.span, message);
        };
        // A function read in place that calls itself would be read for ever.
        // Also by way of others: `f` calls `g`, which calls `f`.
        if self.calls.contains(name) || self.calls.len() >= MAX_CALLS {
            let message =
                format!("`{called}` calls itself, and recursion is not possible in a kernel");
            return refuse(given.span, message);
        }
        // Arguments are traced in the caller's scope, and only then the function's own begins.
        let scope = self.parameters(name, function, given)?;
        let place = self.builder.span;
        self.calls.push(name.clone());
        let is_in_loop = std::mem::take(&mut self.is_in_loop);
        let returned = self.in_file(name.module, |tracer| {
            tracer.scope = scope;
            tracer.statements(&function.body)
        });
        self.is_in_loop = is_in_loop;
        // What follows belongs to the caller again, also where the call was refused: messages name a place in its text.
        self.calls.pop();
        self.builder.span = place;
        Ok(returned?.unwrap_or(Traced::Nothing))
    }

    /// What the parameters of a function stand for in a call.
    fn parameters(
        &mut self,
        name: &FunctionName,
        function: &StmtFunctionDef,
        given: &Arguments,
    ) -> Traceable<Scope> {
        let mut scope = Scope::new();
        let parameters = function.parameters.iter_non_variadic_params();
        for (at, parameter) in parameters.enumerate() {
            let called = parameter.parameter.name.as_str();
            let value = match (given.get(at, called), &parameter.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => {
                    // A default is an expression of the file where the function stands, not of the caller's.
                    self.in_file(name.module, |tracer| tracer.expression(default))?
                }
                (None, None) => {
                    let name = &name.name;
                    let message = format!("`{name}` is called without its argument `{called}`");
                    return refuse(given.span, message);
                }
            };
            scope.insert(called.to_owned(), value);
        }
        Ok(scope)
    }

    fn library(&mut self, path: &str, given: &Arguments) -> Traceable<Traced> {
        let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
        // Python's own functions work on what is known, and on tiles where Triton lets them.
        if module == "python" || module == "math" {
            return self.python_function(name, given);
        }
        if module == "torch" && matches!(name, "finfo" | "iinfo") {
            return limits_of(path, given);
        }
        if !(module.starts_with("triton") || module.contains("triton_helpers")) {
            let refusal: Traceable<Traced> =
                refuse(given.span, format!("`{path}` is not a function of Triton"));
            return refusal.map_err(|error| Box::new(error.help(format!("a helper from another file must lie in the folder or package of this one, and nothing called `{module}` does"))));
        }
        if module == "triton.language.math" && !OF_MATH.split(' ').any(|known| known == name) {
            let message = format!("Triton 3.6 has no `tl.math.{name}`");
            self.say_once(
                given.span,
                &message,
                "import it from `triton.language.extra.libdevice`",
            );
        }
        if module.ends_with("triton_helpers") && matches!(name, "maximum" | "minimum") {
            return self.extreme_or_nan(name, given);
        }
        // `max` and `min` are two functions each: of two tiles element by element, and of one along a dimension.
        let is_pair = given.positional.len() == 2
            && matches!(given.positional[1], Traced::Value(_) | Traced::Float(_));
        let is_elementwise =
            !matches!(name, "max" | "min") || (is_pair && module.ends_with("math"));
        // Families are asked in turn: a name is in one of them, but for these two.
        if is_elementwise && let Some(traced) = self.math_function(name, given)? {
            return Ok(traced);
        }
        match self.tile_function(name, given)? {
            Some(traced) => Ok(traced),
            None => self.statement_function(name, given),
        }
    }

    /// A function of tiles, which one of several families knows.
    fn tile_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        let families = [
            Self::shape_function,
            Self::block_function,
            Self::memory_function,
            Self::reduction,
            Self::order_function,
            Self::random_function,
            Self::device_function,
            Self::assembly,
            Self::mapped,
        ];
        for family in families {
            if let Some(traced) = family(self, name, given)? {
                return Ok(Some(traced));
            }
        }
        Ok(None)
    }

    /// PyTorch's own `maximum` and `minimum`, which keep what is no number.
    fn extreme_or_nan(&mut self, name: &str, given: &Arguments) -> Traceable<Traced> {
        let (a, b) = (given.need(0, "a")?, given.need(1, "b")?);
        let wins = match name {
            "maximum" => Comparison::Gt,
            _ => Comparison::Lt,
        };
        let wins = self.builder.comparison(wins, &a, &b)?;
        // Only a NaN differs from itself.
        let is_nan = self.builder.comparison(Comparison::Ne, &a, &a)?;
        // Where `a` is NaN it is taken, and where `b` is, no comparison holds, so `b` is.
        let takes = self.builder.arithmetic(Binary::Or, &wins, &is_nan)?;
        self.builder.select(&takes, &a, &b)
    }

    /// What is said to Triton rather than computed.
    fn statement_function(&mut self, name: &str, given: &Arguments) -> Traceable<Traced> {
        match name {
            "range" => self.range(given, false),
            "static_range" => self.range(given, true),
            "constexpr" => given.need(0, "value"),
            "next_power_of_2" => next_power_of_two(given),
            "_log2" => known_logarithm(given),
            "multiple_of" | "max_contiguous" | "max_constancy" => self.hint(name, given),
            "static_assert" => static_assert(given),
            // A launch ends before the next begins here, so there is nothing to wait for.
            "gdc_wait" | "gdc_launch_dependents" => Ok(Traced::Nothing),
            "static_print" | "assume" => Ok(Traced::Nothing),
            "device_assert" => {
                let (message, mask) = (given.get(1, "msg").cloned(), given.get(2, "mask").cloned());
                self.device_assert(&given.need(0, "cond")?, message, mask, given.span)?;
                Ok(Traced::Nothing)
            }
            "device_print" => self.print(given),
            "pointer_type" => pointer_type(given),
            "get_int_dtype" => integer_type(given),
            "debug_barrier" => {
                self.builder
                    .emit_all(Op::Barrier, &[], Vec::new(), Vec::new());
                Ok(Traced::Nothing)
            }
            _ => refuse(given.span, format!("`tl.{name}` is not supported")),
        }
    }

    /// `tl.device_assert` and Python's `assert`: Triton compiles them only for those who ask it to.
    pub fn device_assert(
        &mut self,
        condition: &Traced,
        message: Option<Traced>,
        mask: Option<Traced>,
        place: Span,
    ) -> Traceable<()> {
        // The outermost function is the kernel, whose decorator counts for all that it calls.
        let is_compiled = self
            .calls
            .first()
            .is_some_and(|kernel| self.python.is_debug(kernel));
        if !is_compiled {
            self.say_once(place, ASSERTS_NOTHING, "`@triton.jit(debug=True)` compiles it in, as the environment variable TRITON_DEBUG does for Triton");
            return Ok(());
        }
        let mut condition = self.builder.materialise(condition)?;
        condition = self.builder.cast(condition, Element::Bool)?;
        if let Some(mask) = mask.filter(|mask| !matches!(mask, Traced::Nothing)) {
            let mask = self.builder.materialise(&mask)?;
            let mask = self.builder.cast(mask, Element::Bool)?;
            let [mask, holds] = self.builder.broadcast_pair(mask, condition)?;
            let ty = self.builder.ty(holds).clone();
            let yes = self.builder.constant(Constant::Integer(1), ty.clone());
            // Lanes outside of the mask are not asserted of: for them it holds.
            condition = self.builder.emit(Op::Select, &[mask, holds, yes], ty);
        }
        let message = match message {
            Some(Traced::Text(text)) => text,
            _ => String::new(),
        };
        self.builder
            .emit_all(Op::Assert(message), &[condition], Vec::new(), Vec::new());
        Ok(())
    }

    /// A warning about the first of all places that it is true of.
    pub fn say_once(&mut self, place: Span, message: &str, help: &str) {
        // One of each kind: a loop that is unrolled asserts the same many times.
        if self.warnings.iter().all(|known| known.message != message) {
            self.warnings
                .push(Diagnostic::warning(place, message).help(help));
        }
    }

    fn print(&mut self, given: &Arguments) -> Traceable<Traced> {
        let Traced::Text(prefix) = given.need(0, "prefix")? else {
            return refuse(
                given.span,
                "the first argument of `tl.device_print` must be a string",
            );
        };
        let mut values = Vec::new();
        for value in &given.positional[1..] {
            values.push(self.builder.materialise(value)?);
        }
        self.builder
            .emit_all(Op::Print(prefix), &values, Vec::new(), Vec::new());
        Ok(Traced::Nothing)
    }

    fn hint(&mut self, name: &str, given: &Arguments) -> Traceable<Traced> {
        let (value, _) = self.tile(given, 0, "input")?;
        let numbers = match given.need(1, "values")? {
            Traced::Tuple(parts) => parts,
            one => vec![one],
        };
        let numbers = numbers.iter().map(|number| {
            number
                .integer()
                .and_then(|number| i64::try_from(number).ok())
        });
        let Some(numbers) = numbers.collect::<Option<Vec<i64>>>() else {
            return refuse(
                given.span,
                format!("`tl.{name}` takes numbers known when the kernel is compiled"),
            );
        };
        // Triton reads the body of a loop once with the names as they stand before it: what a loop carries hands the hint
        // to what it begins with.
        let mut from = value;
        while let Some(&before) = self.builder.begins.get(&from) {
            from = before;
        }
        // Triton keeps a hint with the operation that a value comes from; a parameter comes from none.
        let definition = self.builder.function.definition(from);
        if definition.is_none_or(|node| matches!(node.op, Op::Parameter(_))) {
            return Ok(Traced::Value(value));
        }
        let hints = &mut self.builder.function.values[from.0].hints;
        match name {
            "multiple_of" => hints.divisibility = numbers,
            "max_contiguous" => hints.contiguity = numbers,
            _ => hints.constancy = numbers,
        }
        Ok(Traced::Value(value))
    }

    /// Python's `range`, of which Triton reads what has no name (`visit_For` of `code_generator.py`).
    fn python_range(&mut self, given: &Arguments) -> Traceable<Traced> {
        let mut read = given.clone();
        if let Some((name, _)) = read.named.first() {
            let message = format!("Triton 3.6 does not read `{name}=` of Python's `range`");
            self.say_once(
                given.span,
                &message,
                "write it without its name, or call `tl.range`",
            );
        }
        read.named.clear();
        self.range(&read, false)
    }

    /// A function of Python itself.
    fn python_function(&mut self, name: &str, given: &Arguments) -> Traceable<Traced> {
        match (name, given.get(0, "x")) {
            ("range", _) => self.python_range(given),
            ("float", Some(Traced::Text(text))) => match text.trim().parse() {
                Ok(value) => Ok(Traced::Float(value)),
                Err(_) => refuse(given.span, format!("`{text}` is not a number")),
            },
            ("float", Some(Traced::Integer(value))) => Ok(Traced::Float(*value as f64)),
            // Python's `int` cuts off: `int(-1.5)` is -1.
            ("int", Some(Traced::Float(value))) => Ok(Traced::Integer(value.trunc() as i128)),
            (
                "float" | "int" | "bool",
                Some(known @ (Traced::Integer(_) | Traced::Float(_) | Traced::Truth(_))),
            ) => Ok(known.clone()),
            ("sqrt" | "exp" | "log" | "log2", Some(Traced::Integer(_) | Traced::Float(_))) => {
                known_function(name, &given.need(0, "x")?, given.span)
            }
            ("len", Some(Traced::Tuple(parts))) => Ok(Traced::Integer(parts.len() as i128)),
            ("min" | "max", Some(_)) if given.positional.len() > 1 => self.extreme(name, given),
            ("abs", Some(Traced::Value(_))) => {
                let refusal: Traceable<Traced> =
                    refuse(given.span, "Triton does not know Python's `abs`");
                refusal.map_err(|error| error.help("call `tl.abs`").into())
            }
            ("abs", Some(_)) => Ok(self.math_function("abs", given)?.unwrap_or(Traced::Nothing)),
            ("print", _) => Ok(Traced::Nothing),
            ("isinstance", Some(object)) => is_instance(object, given),
            ("getattr", Some(object)) => match given.get(1, "name") {
                Some(Traced::Text(name)) => self.attribute(object.clone(), name),
                _ => refuse(given.span, "`getattr` takes a string"),
            },
            _ => refuse(
                given.span,
                format!("Python's `{name}` is not supported in a kernel"),
            ),
        }
    }

    /// Python's `min` and `max` of several.
    fn extreme(&mut self, name: &str, given: &Arguments) -> Traceable<Traced> {
        // From the left, as Python compares.
        let mut best = given.positional[0].clone();
        for other in &given.positional[1..] {
            let pair = Arguments {
                positional: vec![best, other.clone()],
                named: Vec::new(),
                span: given.span,
            };
            best = self.math_function(name, &pair)?.unwrap_or(Traced::Nothing);
        }
        Ok(best)
    }
}

/// A function of Python's `math` of a number that is known.
fn known_function(name: &str, of: &Traced, place: Span) -> Traceable<Traced> {
    let value = match of {
        Traced::Float(value) => *value,
        other => other.integer().unwrap_or(0) as f64,
    };
    let result = match name {
        "sqrt" => value.sqrt(),
        "exp" => value.exp(),
        "log" => value.ln(),
        _ => value.log2(),
    };
    // `math.sqrt(-1)` is an error in Python, too.
    match result.is_nan() {
        true => refuse(place, format!("`math.{name}({value})` is not a number")),
        false => Ok(Traced::Float(result)),
    }
}

fn next_power_of_two(given: &Arguments) -> Traceable<Traced> {
    let known = given.need(0, "n")?.integer();
    match known.and_then(|n| u64::try_from(n).ok()) {
        Some(n) => Ok(Traced::Integer(i128::from(n.next_power_of_two()))),
        None => refuse(
            given.span,
            "`triton.next_power_of_2` takes a number known when the kernel is compiled",
        ),
    }
}

fn static_assert(given: &Arguments) -> Traceable<Traced> {
    match given.need(0, "cond")?.truth() {
        Some(true) => Ok(Traced::Nothing),
        Some(false) => refuse(given.span, "this assertion fails"),
        None => refuse(
            given.span,
            "`tl.static_assert` takes only what is known when the kernel is compiled",
        ),
    }
}

fn pointer_type(given: &Arguments) -> Traceable<Traced> {
    match given.need(0, "element_ty")? {
        Traced::Type(element, false) => Ok(Traced::Type(element, true)),
        other => refuse(
            given.span,
            format!("a pointer points to a type, not to {}", other.words()),
        ),
    }
}

/// `tl.core.get_int_dtype`: the integer of so many bits.
fn integer_type(given: &Arguments) -> Traceable<Traced> {
    let bits = given.integer(0, "bitwidth")?.unwrap_or(0);
    let sign = if given.flag(1, "signed") { "" } else { "u" };
    match Element::named(&format!("{sign}int{bits}")) {
        Some(element) => Ok(Traced::Type(element, false)),
        None => refuse(given.span, format!("there is no integer of {bits} bits")),
    }
}

/// Whether the host is asked for the module of the GPU's library, which packages for several makers of GPUs look up:
/// `get_tl_extra_backend_module()`.
fn asks_for_library(call: &ExprCall) -> bool {
    let name = match &*call.func {
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        Expr::Name(name) => name.id.as_str(),
        _ => return false,
    };
    call.arguments.is_empty() && (name.contains("tl_extra") || name.contains("libdevice"))
}

/// `isinstance`, by which library functions tell what the GPU computes from what is known before.
fn is_instance(object: &Traced, given: &Arguments) -> Traceable<Traced> {
    let is_tensor = matches!(object, Traced::Value(_));
    let is_one = match given.get(1, "type") {
        Some(Traced::Path(path)) if path == "triton.language.tensor" => is_tensor,
        Some(Traced::Path(path)) if path == "triton.language.constexpr" => {
            !is_tensor && !matches!(object, Traced::Block(_))
        }
        Some(Traced::Path(path)) if path.ends_with(".tensor_descriptor") => {
            matches!(object, Traced::Block(block) if block.is_descriptor)
        }
        _ => {
            return refuse(
                given.span,
                "`isinstance` works only with `tl.tensor` and `tl.constexpr`",
            );
        }
    };
    Ok(Traced::Truth(is_one))
}

/// What a type answers when it is asked for its kind: `x.dtype.is_floating()`.
fn is_of_kind(element: Element, is_pointer: bool, name: &str) -> Option<bool> {
    let is_number = match name {
        "is_floating" => element.is_float(),
        "is_int" => !element.is_float(),
        "is_int_signed" => element.is_signed(),
        "is_int_unsigned" => !element.is_float() && !element.is_signed(),
        "is_bool" | "is_int1" => element == Element::Bool,
        "is_fp16" => element == Element::F16,
        "is_bf16" => element == Element::Bf16,
        "is_fp32" => element == Element::F32,
        "is_fp64" => element == Element::F64,
        "is_standard_floating" => {
            element.is_float() && element != Element::Bf16 && !element.is_float8()
        }
        "is_fp8" => element.is_float8(),
        "is_fp8e4nv" => element == Element::F8E4M3,
        "is_fp8e5" => element == Element::F8E5M2,
        "is_fp8e4b15" | "is_fp8e4b8" | "is_fp8e5b16" => false,
        "is_ptr" => return Some(is_pointer),
        // `is_int64` and its kin ask for one type.
        _ => Element::named(name.strip_prefix("is_")?)? == element,
    };
    Some(is_number && !is_pointer)
}

/// The logarithm of a known power of two.
fn known_logarithm(given: &Arguments) -> Traceable<Traced> {
    match given
        .need(0, "i")?
        .integer()
        .and_then(|i| u128::try_from(i).ok())
    {
        Some(i) if i > 0 => Ok(Traced::Integer(i128::from(i.ilog2()))),
        _ => refuse(
            given.span,
            "the logarithm of a number that is known and positive is taken here",
        ),
    }
}
