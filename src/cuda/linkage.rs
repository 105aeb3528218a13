//! What the files of a program declare for themselves alone, where several are read as one text.
//!
//! It is looked for in the words of each file, as nothing of it is parsed yet: at file scope, what is `static` or
//! `constexpr`, and what of the GPU is no kernel, as `nvcc` links none of that unless it is asked to.

use std::collections::HashSet;

use super::lex::{Name, Punct, Token, TokenKind, lex};

/// Words that make a declaration one of its file alone.
const OWN: [&str; 5] = [
    "static",
    "constexpr",
    "__device__",
    "__constant__",
    "__shared__",
];

/// What was declared in the files so far.
#[derive(Default)]
pub struct Linkage {
    names: HashSet<Name>,
}

/// How a file stands among the others.
pub struct Separated {
    /// The names that it declares for itself alone, and that one before it declares, too.
    pub own: Vec<Name>,
    /// Lines that stand behind it, so that its macros end there, and names that were changed in it are what they were.
    pub ends: String,
}

/// A name that is declared at file scope.
struct Declared {
    name: Name,
    is_own: bool,
}

impl Linkage {
    /// The next file of a program.
    pub fn file(&mut self, text: &str) -> Separated {
        let all = declarations(text);
        let mut own: Vec<Name> = Vec::new();
        for declared in &all {
            let is_new = !own.contains(&declared.name);
            if declared.is_own && is_new && self.names.contains(&declared.name) {
                own.push(declared.name.clone());
            }
        }
        self.names
            .extend(all.into_iter().map(|declared| declared.name));
        let names = defined(text).chain(own.iter().map(|name| &**name));
        let ends = names.map(|name| format!("\n#undef {name}")).collect();
        Separated { own, ends }
    }
}

/// The macros that a text defines.
fn defined(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("define")?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        Some(&rest[..end.unwrap_or(rest.len())]).filter(|name| !name.is_empty())
    })
}

/// What a text declares at file scope, as far as words tell.
fn declarations(text: &str) -> Vec<Declared> {
    let (tokens, _) = lex(text);
    let mut found = Vec::new();
    let (mut at, mut begin) = (0, 0);
    while at < tokens.len() {
        let token = &tokens[at];
        if token.first_on_line && token.is(Punct::Hash) {
            at = next_line(&tokens, at);
            begin = at;
            continue;
        }
        let ends_head = [Punct::OpenParen, Punct::Assign, Punct::OpenBracket]
            .iter()
            .chain(&[Punct::Semicolon, Punct::OpenBrace])
            .any(|&punct| token.is(punct));
        if !ends_head {
            at += 1;
            continue;
        }
        found.extend(declared(&tokens[begin..at]));
        at = end_of_declaration(&tokens, at);
        begin = at;
    }
    found
}

/// What the words before a declaration's parameters, value or end declare.
fn declared(head: &[Token]) -> Option<Declared> {
    let name = head.last()?.ident()?.clone();
    let words = || head[..head.len() - 1].iter().filter_map(Token::ident);
    let is_type = words().any(|word| matches!(&**word, "struct" | "class" | "enum" | "union"));
    let is_other =
        words().any(|word| matches!(&**word, "template" | "extern" | "typedef" | "using"));
    let is_member = head.iter().any(|token| token.is(Punct::Scope));
    if is_type || is_other || is_member || words().next().is_none() {
        return None;
    }
    let is_own = words().any(|word| OWN.contains(&&**word));
    Some(Declared { name, is_own })
}

/// Behind the declaration whose parameters, value or body begin at `at`.
fn end_of_declaration(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0u32;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.kind {
            TokenKind::Punct(Punct::OpenParen | Punct::OpenBracket | Punct::OpenBrace) => {
                depth += 1
            }
            TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket) => {
                depth = depth.saturating_sub(1);
            }
            TokenKind::Punct(Punct::CloseBrace) => {
                depth = depth.saturating_sub(1);
                // A body ends the declaration; behind a list of values stands a `;`.
                let is_over = tokens.get(at).is_none_or(|next| !next.is(Punct::Semicolon));
                if depth == 0 && is_over {
                    return at;
                }
            }
            TokenKind::Punct(Punct::Semicolon) if depth == 0 => return at,
            TokenKind::End => return tokens.len(),
            _ => {}
        }
    }
    at
}

/// Behind the line on which the directive at `at` stands.
fn next_line(tokens: &[Token], mut at: usize) -> usize {
    at += 1;
    while tokens.get(at).is_some_and(|token| !token.first_on_line) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_names_of_its_own_where_another_one_declares_them_too() {
        let mut linkage = Linkage::default();
        let first = "#define SIZE 4\nstatic int count = 0;\nint f(int a) { int g = a; return g; }\n\
                     __device__ float weigh(float x) { return x; }\nconst char* text = \"a\";\n";
        assert_eq!(linkage.file(first).ends, "\n#undef SIZE");
        let second = "static real count[2] = {1, 2};\nstatic double weigh(double x) { return f(x); }\n\
                      int f(int);\nstatic int g(void);\nextern int h;\n__global__ void k() {}\n";
        let second = linkage.file(second);
        let own: Vec<&str> = second.own.iter().map(|name| &**name).collect();
        assert_eq!(own, ["count", "weigh"]);
        assert_eq!(second.ends, "\n#undef count\n#undef weigh");
    }
}
