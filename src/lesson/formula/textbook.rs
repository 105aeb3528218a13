//! A formula as a textbook writes it.

use super::{Function, Node, Operator};

/// `node` with products by juxtaposition where that is clear, and by `·` where it is not.
pub(super) fn write(node: &Node) -> String {
    match node {
        Node::Number(number) => number.to_string(),
        Node::Name(name) => name.clone(),
        Node::Binary(Operator::Add, left, right) => format!("{} + {}", write(left), write(right)),
        Node::Binary(Operator::Subtract, left, right) => {
            format!("{} \u{2212} {}", write(left), within(right, 2))
        }
        Node::Binary(Operator::Multiply, left, right) => product(left, right),
        Node::Binary(Operator::Divide, left, right) => {
            format!("{} / {}", within(left, 2), within(right, 3))
        }
        Node::Binary(Operator::Remainder, left, right) => {
            format!("{} mod {}", within(left, 2), within(right, 3))
        }
        Node::Call(Function::CeilDiv, arguments) => {
            let quotient: Vec<String> = arguments.iter().map(|node| within(node, 3)).collect();
            format!("\u{2308}{}\u{2309}", quotient.join(" / "))
        }
        Node::Call(function, arguments) => {
            let name = match function {
                Function::CeilDiv => "ceil_div",
                Function::Min => "min",
                Function::Max => "max",
                Function::NextPow2 => "next_pow2",
            };
            let arguments: Vec<String> = arguments.iter().map(write).collect();
            format!("{name}({})", arguments.join(", "))
        }
    }
}

fn product(left: &Node, right: &Node) -> String {
    let divides = matches!(
        left,
        Node::Binary(Operator::Divide | Operator::Remainder, ..)
    );
    let left_text = within(left, if divides { 3 } else { 2 });
    let right_text = within(right, 3);
    let begins_clear = right_text.starts_with(|c: char| c.is_alphabetic() || c == '(');
    if begins_clear && is_short(left) && is_short(right) {
        format!("{left_text}{right_text}")
    } else {
        format!("{left_text}\u{b7}{right_text}")
    }
}

/// Whether all names in it have one letter, so that a product of them reads as one.
fn is_short(node: &Node) -> bool {
    match node {
        Node::Number(_) => true,
        Node::Name(name) => name.chars().count() == 1,
        Node::Binary(_, left, right) => is_short(left) && is_short(right),
        Node::Call(..) => false,
    }
}

/// The node, in parentheses if it binds less than `least`.
fn within(node: &Node, least: u8) -> String {
    let binds = match node {
        Node::Binary(Operator::Add | Operator::Subtract, ..) => 1,
        Node::Binary(..) => 2,
        Node::Number(_) | Node::Name(_) | Node::Call(..) => 3,
    };
    let text = write(node);
    if binds < least {
        format!("({text})")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::Formula;

    #[test]
    fn formulas_read_as_in_a_textbook() {
        for (text, textbook) in [
            ("5*M*N + 2*M", "5MN + 2M"),
            ("M*2", "M·2"),
            ("(M + 1)*N", "(M + 1)N"),
            ("rows*N", "rows·N"),
            ("M - (N - 1)", "M − (N − 1)"),
            ("ceil_div(M*N, 256)", "⌈(MN) / 256⌉"),
            ("M / (2 * N) % 3", "M / (2N) mod 3"),
            ("M / 2 * N", "(M / 2)N"),
        ] {
            let formula = Formula::parse(text).expect("reads");
            assert_eq!(formula.textbook(), textbook);
        }
    }
}
