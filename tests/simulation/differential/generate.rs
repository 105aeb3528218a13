//! Kernels made up from a seed: every one is valid, ends, and stays inside its buffers.

use std::fmt::Write;

/// Types of the variables.
const TYPES: [&str; 9] = [
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
    "short",
    "signed char",
    "float",
    "double",
    "bool",
];
/// Deepest nesting of statements, and of expressions.
const DEPTH: u32 = 3;

struct Generator {
    state: u64,
    text: String,
    /// Types of the variables in scope, `v0` and so on.
    variables: Vec<&'static str>,
    /// Names given out so far: no name is used twice.
    names: usize,
    names_in_scope: Vec<usize>,
    /// Loops around this statement.
    loops: u32,
}

/// The kernel of `seed`.
pub fn kernel(seed: u64) -> String {
    let mut generator = Generator {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        text: String::new(),
        variables: Vec::new(),
        names: 0,
        names_in_scope: Vec::new(),
        loops: 0,
    };
    generator.function();
    generator.entry();
    generator.text
}

impl Generator {
    /// A number below `limit`: xorshift64.
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 33) % limit as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn line(&mut self, depth: u32, text: &str) {
        let indent = "    ".repeat(depth as usize + 1);
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{indent}{text}");
    }

    /// A device function with several returns, which expressions call.
    fn function(&mut self) {
        let ty = self.pick(&["int", "float", "long long"]);
        self.text = format!("__device__ {ty} helper({ty} v0, int v1) {{\n");
        self.variables = vec![ty, "int"];
        self.names_in_scope = vec![0, 1];
        self.names = 2;
        let condition = self.condition(1);
        let early = self.expression(1);
        self.line(0, &format!("if ({condition}) return {early};"));
        self.line(
            0,
            &format!(
                "for (int k = 0; k < (v1 & 7); ++k) {{ v0 += 1; if (k == {}) return v0; }}",
                self.names
            ),
        );
        let last = self.expression(2);
        self.line(0, &format!("return {last};"));
        self.text.push_str("}\n\n");
        self.variables.clear();
        self.names_in_scope.clear();
    }

    fn entry(&mut self) {
        self.text.push_str(
            "__global__ void generated(const int* ints, const float* floats, const signed char* bytes,
                          long long* out, double* real) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int local[4] = {t, 7};
",
        );
        self.declare(0);
        self.declare(0);
        let count = 4 + self.below(5);
        for _ in 0..count {
            self.statement(0);
        }
        let integers: Vec<String> = self
            .in_scope(|ty| !is_float(ty))
            .into_iter()
            .map(|name| format!("(long long){name}"))
            .collect();
        let floats: Vec<String> = self
            .in_scope(is_float)
            .into_iter()
            .map(|name| format!("(double){name}"))
            .collect();
        self.line(
            0,
            &format!(
                "out[t] = {} ^ local[t & 3];",
                joined(&integers, " ^ ", "0LL")
            ),
        );
        self.line(0, &format!("real[t] = {};", joined(&floats, " - ", "0.0")));
        self.text.push_str("}\n");
    }

    fn in_scope(&self, accept: impl Fn(&str) -> bool) -> Vec<String> {
        let all = self.variables.iter().zip(&self.names_in_scope);
        all.filter(|(ty, _)| accept(ty))
            .map(|(_, name)| format!("v{name}"))
            .collect()
    }

    fn declare(&mut self, depth: u32) {
        let ty = self.pick(&TYPES);
        let value = self.expression(2);
        let name = self.names;
        self.names += 1;
        self.line(depth, &format!("{ty} v{name} = ({ty})({value});"));
        self.variables.push(ty);
        self.names_in_scope.push(name);
    }

    fn statement(&mut self, depth: u32) {
        match self.below(if depth < DEPTH { 12 } else { 7 }) {
            0 | 1 => self.declare(depth),
            2..=4 => self.assignment(depth),
            5 => {
                let (index, value) = (self.expression(1), self.expression(2));
                self.line(depth, &format!("local[(int)({index}) & 3] = {value};"));
            }
            6 if self.loops > 0 => {
                let condition = self.condition(2);
                let leave = self.pick(&["break", "continue"]);
                self.line(depth, &format!("if ({condition}) {leave};"));
            }
            6 => self.assignment(depth),
            7..=9 => self.branch(depth),
            _ => self.repeat(depth),
        }
    }

    fn assignment(&mut self, depth: u32) {
        let at = self.below(self.variables.len());
        let (ty, name) = (self.variables[at], self.names_in_scope[at]);
        let value = self.expression(3);
        let op = match ty {
            "bool" => "=",
            ty if is_float(ty) => self.pick(&["=", "+=", "-=", "*="]),
            _ => self.pick(&["=", "+=", "-=", "*=", "^=", "|=", "&="]),
        };
        // Bitwise operators take integers only.
        let value = if matches!(op, "^=" | "|=" | "&=") {
            format!("(int)({value})")
        } else {
            value
        };
        match self.below(6) {
            0 if ty != "bool" => {
                let step = self.pick(&["++v", "--v"]);
                self.line(depth, &format!("{step}{name};"));
            }
            1 if !is_float(ty) && ty != "bool" => {
                let step = self.pick(&["++", "--"]);
                self.line(depth, &format!("local[2] += v{name}{step};"));
            }
            _ => self.line(depth, &format!("v{name} {op} {value};")),
        }
    }

    fn scoped(&mut self, depth: u32) {
        let before = self.variables.len();
        let count = 1 + self.below(3);
        for _ in 0..count {
            self.statement(depth);
        }
        self.variables.truncate(before);
        self.names_in_scope.truncate(before);
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(2);
        self.line(depth, &format!("if ({condition}) {{"));
        self.scoped(depth + 1);
        if self.below(2) == 0 {
            self.line(depth, "} else {");
            self.scoped(depth + 1);
        }
        self.line(depth, "}");
    }

    /// A loop with a counter of its own, so that it ends whatever its body does.
    fn repeat(&mut self, depth: u32) {
        let counter = format!("k{}", self.names);
        self.names += 1;
        let limit = match self.below(3) {
            0 => "5".to_owned(),
            1 => "(t & 7)".to_owned(),
            _ => format!("((int)({}) & 3)", self.expression(1)),
        };
        self.loops += 1;
        if self.below(3) == 0 {
            self.line(depth, &format!("int {counter} = 0;"));
            self.line(depth, "do {");
            self.scoped(depth + 1);
            self.line(depth, &format!("}} while (++{counter} < {limit});"));
        } else {
            self.line(
                depth,
                &format!("for (int {counter} = 0; {counter} < {limit}; {counter}++) {{"),
            );
            self.scoped(depth + 1);
            self.line(depth, "}");
        }
        self.loops -= 1;
    }

    fn condition(&mut self, depth: u32) -> String {
        let (a, b) = (self.expression(depth), self.expression(depth));
        let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let compared = format!("({a} {op} {b})");
        if depth > 0 && self.below(3) == 0 {
            let joint = self.pick(&["&&", "||"]);
            let other = self.condition(depth - 1);
            return format!("({compared} {joint} {other})");
        }
        compared
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        match self.below(10) {
            0..=3 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                let op = self.pick(&["+", "-", "*", "/"]);
                format!("({a} {op} {b})")
            }
            4 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                let op = self.pick(&["%", "&", "|", "^"]);
                format!("((int)({a}) {op} (int)({b}))")
            }
            5 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                let op = self.pick(&["<<", ">>"]);
                let ty = self.pick(&["int", "unsigned", "long long"]);
                format!("(({ty})({a}) {op} ((int)({b}) & 31))")
            }
            6 => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({condition} ? {a} : {b})")
            }
            7 => {
                let ty = self.pick(&TYPES);
                let value = self.expression(depth - 1);
                format!("({ty})({value})")
            }
            8 => {
                let value = self.expression(depth - 1);
                let op = self.pick(&["-", "!", "+"]);
                format!("({op} {value})")
            }
            _ => self.access(depth),
        }
    }

    fn access(&mut self, depth: u32) -> String {
        let index = self.expression(depth - 1);
        // The helper is not in scope inside itself: there, nothing but its parameters is.
        if self.text.contains("generated") {
            return match self.below(5) {
                0 => format!("ints[(int)({index}) & 63]"),
                1 => format!("floats[(int)({index}) & 63]"),
                2 => format!("bytes[(int)({index}) & 63]"),
                3 => format!("local[(int)({index}) & 3]"),
                _ => format!("helper({index}, t)"),
            };
        }
        index
    }

    fn leaf(&mut self) -> String {
        let names = self.in_scope(|_| true);
        match self.below(4) {
            0 | 1 if !names.is_empty() => names[self.below(names.len())].clone(),
            2 if self.text.contains("generated") => "t".to_owned(),
            _ => self
                .pick(&[
                    "0",
                    "1",
                    "-3",
                    "7u",
                    "100LL",
                    "2.5f",
                    "0.1",
                    "true",
                    "'a'",
                    "1000000007",
                ])
                .to_owned(),
        }
    }
}

fn is_float(ty: &str) -> bool {
    matches!(ty, "float" | "double")
}

fn joined(terms: &[String], op: &str, none: &str) -> String {
    if terms.is_empty() {
        none.to_owned()
    } else {
        terms.join(op)
    }
}
