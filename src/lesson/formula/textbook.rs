//! A formula as a textbook writes it.

use crate::device::grouped;

use super::tree::{FUNCTIONS, Formula, Function, Node, Operator};

/// Least number that is hard to read without separators.
const LONG: u64 = 10_000;

/// How strongly a text binds, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Condition,
    Comparison,
    Sum,
    Product,
    Atom,
}

impl Formula {
    /// As a textbook writes it: `5MN + 2M`.
    pub fn textbook(&self) -> String {
        write(&self.root)
    }
}

/// `node` with products by juxtaposition where that is clear, and by `·` where it is not.
fn write(node: &Node) -> String {
    match node {
        Node::Number(number @ LONG..) => grouped(*number),
        Node::Number(number) => number.to_string(),
        Node::Name(name) => name.clone(),
        Node::Value(value) => value.name.clone(),
        Node::Fact(fact) => fact.words(),
        Node::Binary(operator, left, right) => binary(*operator, left, right),
        Node::Call(function, arguments) => call(*function, arguments),
    }
}

fn binary(operator: Operator, left: &Node, right: &Node) -> String {
    let compared = |symbol: &str| {
        let (left, right) = (within(left, Binds::Sum), within(right, Binds::Sum));
        format!("{left} {symbol} {right}")
    };
    match operator {
        Operator::Less => compared("<"),
        Operator::AtMost => compared("\u{2264}"),
        Operator::Greater => compared(">"),
        Operator::AtLeast => compared("\u{2265}"),
        Operator::Equal => compared("="),
        Operator::NotEqual => compared("\u{2260}"),
        Operator::Add => {
            let (left, right) = (within(left, Binds::Sum), within(right, Binds::Sum));
            format!("{left} + {right}")
        }
        Operator::Subtract => {
            // `M - (N - 1)` keeps its parentheses, `(M - N) - 1` needs none.
            let (left, right) = (within(left, Binds::Sum), within(right, Binds::Product));
            format!("{left} \u{2212} {right}")
        }
        Operator::Multiply => product(left, right),
        Operator::Divide => format!("\u{230a}{}\u{230b}", quotient(left, right)),
        Operator::Remainder => {
            let (left, right) = (within(left, Binds::Product), within(right, Binds::Atom));
            format!("{left} mod {right}")
        }
    }
}

fn call(function: Function, arguments: &[Node]) -> String {
    match (function, arguments) {
        (Function::CeilDiv, [left, right]) => {
            format!("\u{2308}{}\u{2309}", quotient(left, right))
        }
        (Function::If, [condition, then, otherwise]) => {
            let [condition, then, otherwise] =
                [condition, then, otherwise].map(|node| within(node, Binds::Comparison));
            format!("{then} if {condition}, else {otherwise}")
        }
        _ => {
            let name = FUNCTIONS.iter().find(|entry| entry.0 == function);
            let arguments = arguments.iter();
            // `min(N, 12,288)` would have three arguments.
            let arguments: Vec<String> = arguments
                .map(|node| match node {
                    Node::Number(number) => number.to_string(),
                    _ => within(node, Binds::Comparison),
                })
                .collect();
            let name = name.map_or("", |entry| entry.1);
            format!("{name}({})", arguments.join(", "))
        }
    }
}

fn quotient(left: &Node, right: &Node) -> String {
    let (left, right) = (within(left, Binds::Product), within(right, Binds::Atom));
    format!("{left} / {right}")
}

fn product(left: &Node, right: &Node) -> String {
    let (left, right_text) = match power(left, right) {
        (None, power) => return power,
        (Some(left), power) => (left, power),
    };
    // `N mod 8·E` would read as N mod 8E.
    let is_remainder = matches!(left, Node::Binary(Operator::Remainder, ..));
    let least = match is_remainder {
        true => Binds::Atom,
        false => Binds::Product,
    };
    let left_text = within(left, least);
    // `M2` would be a name, `2M` is a product.
    let begins_clear = right_text.starts_with(|c: char| c.is_alphabetic() || c == '(');
    if begins_clear && is_short(left) && is_short(right) {
        format!("{left_text}{right_text}")
    } else {
        format!("{left_text}\u{b7}{right_text}")
    }
}

/// `right` with as many factors of the same name before it as a power, and what is left of `left`.
fn power<'a>(left: &'a Node, right: &Node) -> (Option<&'a Node>, String) {
    let text = within(right, Binds::Atom);
    let Node::Name(name) = right else {
        return (Some(left), text);
    };
    let is_same = |node: &Node| matches!(node, Node::Name(other) if other == name);
    let (mut rest, mut factors) = (Some(left), 1);
    loop {
        rest = match rest {
            Some(node) if is_same(node) => None,
            Some(Node::Binary(Operator::Multiply, before, last)) if is_same(last) => Some(before),
            _ => break,
        };
        factors += 1;
    }
    let exponent = match factors {
        1 => "",
        2 => "\u{b2}",
        3 => "\u{b3}",
        // A product of more is not read at a glance either way.
        _ => return (Some(left), text),
    };
    (rest, text + exponent)
}

/// Whether all names in it have one letter, so that a product of them reads as one.
fn is_short(node: &Node) -> bool {
    let is_letter = |name: &str| name.chars().count() == 1;
    match node {
        Node::Number(_) => true,
        Node::Name(name) => is_letter(name),
        Node::Value(value) => is_letter(&value.name),
        Node::Binary(Operator::Divide, ..) | Node::Fact(_) | Node::Call(..) => false,
        Node::Binary(_, left, right) => is_short(left) && is_short(right),
    }
}

/// The node, in parentheses if it binds less than `least`.
fn within(node: &Node, least: Binds) -> String {
    let text = write(node);
    if binds(node) < least {
        format!("({text})")
    } else {
        text
    }
}

fn binds(node: &Node) -> Binds {
    match node {
        Node::Binary(operator, ..) => match operator {
            Operator::Add | Operator::Subtract => Binds::Sum,
            Operator::Multiply | Operator::Remainder => Binds::Product,
            Operator::Divide => Binds::Atom,
            _ => Binds::Comparison,
        },
        Node::Call(Function::If, _) => Binds::Condition,
        _ => Binds::Atom,
    }
}

#[cfg(test)]
mod tests {
    use crate::lesson::formula::Formula;

    #[test]
    fn formulas_read_as_in_a_textbook() {
        for (text, textbook) in [
            ("5*M*N + 2*M", "5MN + 2M"),
            ("M*2", "M·2"),
            ("2*L*L*L + L*L", "2L³ + L²"),
            ("ceil_div(N, T)*T*T", "⌈N / T⌉·T²"),
            ("M*M*N", "M²N"),
            ("24575*N + min(N, 12288)", "24,575N + min(N, 12288)"),
            ("(M + 1)*N", "(M + 1)N"),
            ("rows*N", "rows·N"),
            ("M - (N - 1)", "M − (N − 1)"),
            ("ceil_div(M*N, 256)", "⌈MN / 256⌉"),
            ("ceil_div(M, 32*W)", "⌈M / (32W)⌉"),
            ("M / (2 * N) % 3", "⌊M / (2N)⌋ mod 3"),
            ("M / 2 * N", "⌊M / 2⌋·N"),
            ("N / 8 * E + min(N % 8, E)", "⌊N / 8⌋·E + min(N mod 8, E)"),
            ("(N % 8) * E", "(N mod 8)E"),
            ("gcd(S, 32) - 1", "gcd(S, 32) − 1"),
            ("if(N > 1024, 2*N, M)", "2N if N > 1024, else M"),
            ("M*if(N != 1, 2, 3)", "M·(2 if N ≠ 1, else 3)"),
            ("(M <= N) * 3", "(M ≤ N)·3"),
            ("gpu.sm_count * R", "SM count·R"),
            (
                "12*N/gpu.memory_bandwidth_gb_s",
                "⌊12N / memory bandwidth in GB/s⌋",
            ),
            ("blocks_per_sm(B, 32, 0)", "blocks_per_sm(B, 32, 0)"),
        ] {
            let formula = Formula::parse(text).expect("reads");
            assert_eq!(formula.textbook(), textbook);
        }
    }
}
