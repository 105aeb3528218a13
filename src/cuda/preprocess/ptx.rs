//! Inline PTX: `asm("add.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));`
//!
//! Each instruction becomes a call of a function that the header of PTX's instructions defines, with the operands for
//! arguments: `{ __ptx::add_u32((x), (a), (b)); }`. So what it does is written in CUDA C++, and what is not there is an
//! unknown function, which the checker names. What only GPUs of compute capability 9.0 do, and the simulated one does not, becomes an
//! empty block: a text with it can be checked and handed to a GPU, but must not run here.

use super::headers::lists;
use crate::source::{Diagnostic, Span};

use crate::cuda::lex::{Punct, Token, TokenKind, lex};

/// A value that the text calls `%0`, or `%[name]`.
struct Operand {
    name: Option<String>,
    tokens: Vec<Token>,
}

/// C++ that takes the place of the statement.
enum Piece {
    Text(String),
    Operand(usize),
}

/// What of an instruction's name says nothing about what it computes: caches, order of memory, rounding as usual.
const SILENT: &str = "volatile weak relaxed acquire release acq_rel cta cluster gpu sys ca cg cs lu cv wb wt nc \
     global L1 L2 no_allocate evict_first evict_last evict_normal evict_unchanged 64B 128B 256B \
     cache_hint sync aligned m8n8 ftz approx full";

/// How the names of instructions begin that GPUs of compute capability 9.0 have, and that are not simulated: barriers in
/// shared memory, copies in bulk, products of warpgroups (PTX ISA manual).
pub const HARDWARE_ONLY: [&str; 7] = [
    "mbarrier.",
    "cp.async.bulk.",
    "cp.async.mbarrier.",
    "fence.mbarrier_init.",
    "fence.proxy.async",
    "wgmma.",
    "setmaxnreg.",
];

/// A text without PTX.
pub struct WithoutPtx {
    /// Its tokens, with the block that each statement of inline PTX means in its place.
    pub tokens: Vec<Token>,
    /// Its first instruction that only a GPU runs: what is to be said where none is.
    pub hardware_only: Option<Diagnostic>,
}

/// The tokens with the block that each statement of inline PTX means in its place.
pub fn without_ptx(tokens: Vec<Token>) -> WithoutPtx {
    let begins = |token: &Token| token.ident().is_some_and(|word| is_asm(word));
    let mut hardware_only = None;
    // Most texts have no PTX, and need no copy.
    if !tokens.iter().any(begins) {
        return WithoutPtx {
            tokens,
            hardware_only,
        };
    }
    let mut all = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        match begins(&tokens[at])
            .then(|| statement(&tokens, at))
            .flatten()
        {
            Some(statement) => {
                all.extend(statement.block);
                at = statement.end;
                hardware_only = hardware_only.or(statement.hardware_only);
            }
            None => {
                all.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    WithoutPtx {
        tokens: all,
        hardware_only,
    }
}

/// The first instruction of a text of PTX that only a GPU runs.
fn hardware_only(text: &str) -> Option<&str> {
    // A guard or a label may stand before it.
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
    words.find(|word| HARDWARE_ONLY.iter().any(|begin| word.starts_with(begin)))
}

fn not_simulated(instruction: &str, place: Span) -> Diagnostic {
    let message = format!("the simulated GPU does not have `{instruction}`");
    Diagnostic::error(place, message)
        .label("only a GPU runs this")
        .help("it needs a GPU of compute capability 9.0, such as an H100 or H200")
}

fn is_asm(word: &str) -> bool {
    matches!(word, "asm" | "__asm__" | "__asm")
}

/// A statement of inline PTX.
struct Statement {
    /// The block that it means.
    block: Vec<Token>,
    /// Where what follows it begins.
    end: usize,
    /// Of one that only a GPU runs, what is to be said.
    hardware_only: Option<Diagnostic>,
}

/// The statement at `start`; nothing of what is none.
fn statement(tokens: &[Token], start: usize) -> Option<Statement> {
    let mut at = start + 1;
    while tokens.get(at).is_some_and(is_volatile) {
        at += 1;
    }
    let end = closing(tokens, at)?;
    if !tokens[at].is(Punct::OpenParen) {
        return None;
    }
    at += 1;
    // Adjacent literals are one ([lex.phases]), and are not joined before this.
    let literals: Vec<&str> = tokens[at..].iter().map_while(literal).collect();
    let operands = operands(&tokens[at + literals.len()..end]);
    let place = tokens[start].span.to(tokens[end].span);
    let plain = without_comments(&literals.concat());
    let found = hardware_only(&plain);
    let read = match found {
        Some(_) => Ok(vec![Piece::Text("{}".to_owned())]),
        None => block(&plain, &operands),
    };
    let pieces = read.unwrap_or_else(|what| {
        // Who checks the call says what is missing.
        vec![Piece::Text(format!("{{ __ptx::{REFUSED}{what}(); }}"))]
    });
    let mut block = written(pieces, &operands, place);
    if let Some(first) = block.first_mut() {
        first.first_on_line = tokens[start].first_on_line;
    }
    // With the `;`, which would stand as a statement of its own between `if (c) asm(…);` and `else`.
    let is_semicolon = |next: &Token| next.is(Punct::Semicolon);
    let behind = tokens.get(end + 1).is_some_and(is_semicolon);
    Some(Statement {
        block,
        end: end + 1 + usize::from(behind),
        hardware_only: found.map(|instruction| not_simulated(instruction, place)),
    })
}

fn literal(token: &Token) -> Option<&str> {
    match &token.kind {
        TokenKind::Str(part) => Some(part),
        _ => None,
    }
}

fn is_volatile(token: &Token) -> bool {
    let word = token.ident();
    word.is_some_and(|word| matches!(&**word, "volatile" | "__volatile__"))
}

/// How many registers one declaration may name: those that a thread has.
const MOST_REGISTERS: usize = 255;

/// What stands before the name of something that is not supported.
const REFUSED: &str = "refused_";

/// The bracket that closes the one at `open`.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is(Punct::OpenParen) {
            depth += 1;
        } else if token.is(Punct::CloseParen) {
            depth -= 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// `"=r"(x)`, perhaps with `[name]` before it; words such as `"memory"` name no value.
fn operands(tokens: &[Token]) -> Vec<Operand> {
    let mut operands = Vec::new();
    let (mut at, mut name) = (0, None);
    while at < tokens.len() {
        let token = &tokens[at];
        let next = tokens.get(at + 1);
        if token.is(Punct::OpenBracket) {
            name = next.and_then(Token::ident).map(|name| name.to_string());
        }
        let has_value = next.is_some_and(|next| next.is(Punct::OpenParen));
        if matches!(token.kind, TokenKind::Str(_)) && has_value {
            let end = closing(tokens, at + 1).unwrap_or(tokens.len() - 1);
            operands.push(Operand {
                name: name.take(),
                tokens: tokens[at + 1..=end].to_vec(),
            });
            at = end;
        }
        at += 1;
    }
    operands
}

fn written(pieces: Vec<Piece>, operands: &[Operand], place: Span) -> Vec<Token> {
    let mut all = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                // Errors of the text made here point nowhere; who checks the call tells them at the statement.
                let (tokens, _) = lex(&text);
                let inside = tokens
                    .into_iter()
                    .filter(|token| token.kind != TokenKind::End);
                all.extend(inside.map(|token| Token {
                    span: place,
                    first_on_line: false,
                    ..token
                }));
            }
            Piece::Operand(at) => all.extend(operands[at].tokens.iter().cloned()),
        }
    }
    all
}

/// The block that a text of PTX without comments means; or what of it is not known.
fn block(plain: &str, operands: &[Operand]) -> Result<Vec<Piece>, String> {
    let mut writer = Writer {
        pieces: vec![Piece::Text("{".to_owned())],
        operands,
        registers: Vec::new(),
    };
    let mut rest = plain;
    while let Some(first) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        // Braces open scopes of registers in PTX as blocks do in C++, and end without `;`.
        if matches!(first, '{' | '}') {
            writer.text(&rest[..1]);
            rest = &rest[1..];
            continue;
        }
        let (instruction, behind) = rest.split_once(';').unwrap_or((rest, ""));
        writer.instruction(instruction.trim())?;
        rest = behind;
    }
    writer.text("}");
    Ok(writer.pieces)
}

/// The text as PTX has it, in one line without comments.
fn without_comments(text: &str) -> String {
    let text = text
        .replace("\\n", "\n")
        .replace("\\t", " ")
        .replace("\\r", " ");
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join(" ")
}

struct Writer<'a> {
    pieces: Vec<Piece>,
    operands: &'a [Operand],
    /// The registers that the text declares, without their `%`.
    registers: Vec<String>,
}

/// The variable that stands for a register: a name of its own, as an operand's expression may name a variable of the
/// program that is called as the register is.
fn variable(register: &str) -> String {
    format!("__ptx_{register}")
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        self.pieces.push(Piece::Text(text.to_owned()));
    }

    /// One instruction, without its `;`.
    fn instruction(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(declared) = text.strip_prefix(".reg") {
            return self.registers(declared.trim());
        }
        let text = match text.strip_prefix('@') {
            None => text,
            Some(guarded) => {
                let (predicate, rest) = guarded
                    .split_once(char::is_whitespace)
                    .unwrap_or((guarded, ""));
                let (sign, predicate) = match predicate.strip_prefix('!') {
                    Some(predicate) => ("!", predicate),
                    None => ("", predicate),
                };
                self.text(&format!("if ({sign}"));
                self.operand(predicate)?;
                self.text(")");
                rest.trim()
            }
        };
        let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // Labels and jumps have no counterpart in structured code. `::` is part of `.shared::cta`.
        if text.contains(':') && !name.contains("::") || name == "bra" {
            return Err("jump".to_owned());
        }
        if name == "ret" || name == "exit" {
            self.text("return;");
            return Ok(());
        }
        self.call(name, &split(operands))
    }

    /// `.b32 a, b`.
    fn registers(&mut self, declared: &str) -> Result<(), String> {
        let (ty, names) = declared
            .split_once(char::is_whitespace)
            .unwrap_or((declared, ""));
        let of = match ty {
            ".pred" => "bool",
            ".b16" | ".u16" => "unsigned short",
            ".s16" => "short",
            ".b32" | ".u32" => "unsigned int",
            ".s32" => "int",
            ".b64" | ".u64" => "unsigned long long",
            ".s64" => "long long",
            ".f32" => "float",
            ".f64" => "double",
            _ => return Err(word("type", ty)),
        };
        for name in names.split(',') {
            let name = name.trim().trim_start_matches('%');
            // `%r<4>` declares `%r0` to `%r3`.
            let several = name.strip_suffix('>').and_then(|name| name.split_once('<'));
            let all: Vec<String> = match several {
                None => vec![name.to_owned()],
                Some((name, count)) => {
                    let count = count
                        .trim()
                        .parse()
                        .ok()
                        .filter(|count| *count <= MOST_REGISTERS);
                    let count = count.ok_or_else(|| "registers".to_owned())?;
                    (0..count).map(|at| format!("{name}{at}")).collect()
                }
            };
            for name in all {
                self.text(&format!("{of} {};", variable(&name)));
                self.registers.push(name);
            }
        }
        Ok(())
    }

    fn call(&mut self, name: &str, operands: &[&str]) -> Result<(), String> {
        let mut operands = operands.to_vec();
        let mut function = function(name);
        // How many bytes are copied is part of which instruction it is.
        if function.starts_with("cp_async") && operands.len() >= 3 {
            self.text("__ptx::cp_async<");
            self.operand(operands.remove(2))?;
            self.text(">(");
        } else {
            // `mov.b64 d, {a, b}` joins, `mov.b64 {a, b}, s` splits.
            if function.starts_with("mov_")
                && operands.iter().any(|operand| operand.starts_with('{'))
            {
                let splits = operands[0].starts_with('{');
                function.push_str(if splits { "_split" } else { "_join" });
            }
            self.text(&format!("__ptx::{function}("));
        }
        let mut all = Vec::new();
        for operand in operands {
            match operand.strip_prefix('{') {
                Some(list) => all.extend(split(list.trim_end_matches('}'))),
                // `d|p` are two results, as `setp` and `shfl` have them.
                None => all.extend(operand.split('|').map(str::trim)),
            }
        }
        for (at, operand) in all.into_iter().enumerate() {
            if at > 0 {
                self.text(",");
            }
            self.operand(operand)?;
        }
        self.text(");");
        Ok(())
    }

    /// What stands behind a `%`: an operand, or a special register, which nvcc takes with one `%`, too.
    fn percent(&mut self, of: &str) -> Result<(), String> {
        if let Some(at) = self.operand_number(of) {
            self.pieces.push(Piece::Operand(at));
            return Ok(());
        }
        let special = special_register(of).map_err(|_| word("operand", &format!("%{of}")))?;
        self.text(&special);
        Ok(())
    }

    /// `%0`, `[%0+16]`, `%%laneid`, `7`, or a register that the text declares.
    fn operand(&mut self, text: &str) -> Result<(), String> {
        let text = text.trim();
        if let Some(address) = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
        {
            let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
            self.text("(__ptx::address(");
            self.operand(base)?;
            self.text(")+");
            self.operand(offset)?;
            self.text(")");
            return Ok(());
        }
        let register = text.trim_start_matches('%');
        if self.registers.iter().any(|declared| declared == register) {
            self.text(&variable(register));
            return Ok(());
        }
        if let Some(special) = text.strip_prefix("%%") {
            self.text(&special_register(special)?);
            return Ok(());
        }
        if let Some(of) = text.strip_prefix('%') {
            return self.percent(of);
        }
        // PTX writes floats by their bits, `0f3F800000`, which C++ would read as a number and a suffix.
        if let Some(bits) = text.strip_prefix("0f").filter(|bits| bits.len() == 8) {
            self.text(&format!("__int_as_float(0x{bits})"));
            return Ok(());
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '.');
        match !text.is_empty() && text.chars().all(is_plain) {
            true => {
                self.text(text);
                Ok(())
            }
            false => Err(word("operand", text)),
        }
    }

    /// The operand that `%0` or `%[name]` means, given what stands behind the `%`.
    fn operand_number(&self, of: &str) -> Option<usize> {
        let named = of.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let mut all = self.operands.iter();
        match named {
            Some(name) => all.position(|operand| operand.name.as_deref() == Some(name)),
            None => of.parse().ok().filter(|at| *at < self.operands.len()),
        }
    }
}

fn special_register(name: &str) -> Result<String, String> {
    let of = |whole: &str, name: &str| {
        let part = name.rsplit('.').next().unwrap_or("x");
        format!("{whole}.{part}")
    };
    Ok(match name {
        "laneid" | "warpid" | "nwarpid" | "smid" | "nsmid" | "lanemask_eq" | "lanemask_lt"
        | "lanemask_le" | "lanemask_gt" | "lanemask_ge" => {
            format!("__ptx::{name}()")
        }
        "clock" => "(unsigned int)clock64()".to_owned(),
        // The simulated clock ticks once a nanosecond.
        "clock64" | "globaltimer" => "clock64()".to_owned(),
        "globaltimer_lo" => "(unsigned int)clock64()".to_owned(),
        "clock_hi" | "globaltimer_hi" => "(unsigned int)(clock64() >> 32)".to_owned(),
        _ if name.starts_with("tid.") => of("threadIdx", name),
        _ if name.starts_with("ntid.") => of("blockDim", name),
        _ if name.starts_with("ctaid.") => of("blockIdx", name),
        _ if name.starts_with("nctaid.") => of("gridDim", name),
        _ => return Err(word("register", name)),
    })
}

/// A name for what is not supported.
fn word(what: &str, text: &str) -> String {
    let is_letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("{what}_{}", text.chars().map(is_letter).collect::<String>())
}

/// The function that an instruction's name means.
fn function(name: &str) -> String {
    let parts: Vec<&str> = name
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .collect();
    let first = parts.first().copied().unwrap_or_default();
    // `st.cs` says how to cache, `set.cs` would not; what stands behind these only says how memory is used.
    let moves = matches!(
        first,
        "ld" | "st" | "ldu" | "red" | "atom" | "prefetch" | "cp" | "ldmatrix" | "stmatrix"
    );
    let is_shared = parts.contains(&"shared");
    let words_left = parts.iter().enumerate().filter(|(at, part)| {
        let is_silent = match moves {
            true => lists(SILENT, part) || **part == "shared",
            // Of what rounds otherwise, only these are cheaper.
            false if matches!(**part, "approx" | "full") => {
                !matches!(first, "sqrt" | "rcp" | "tanh" | "div")
            }
            // Without it, `ptxas` scales denormals before and after.
            false if **part == "ftz" => first != "rcp",
            false => matches!(**part, "sync" | "aligned" | "rn" | "row" | "col"),
        };
        *at == 0 || !is_silent
    });
    let mut words_left: Vec<&str> = words_left.map(|(_, part)| *part).collect();
    // `.x4.trans` and `.trans.x4` are the same.
    if matches!(first, "ldmatrix" | "stmatrix") {
        words_left[1..].sort_unstable();
    }
    if moves && is_shared && !matches!(first, "cp" | "ldmatrix" | "stmatrix") {
        words_left.insert(1, "shared");
    }
    words_left.join("_")
}

/// What commas part outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut begin) = (0i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    let last = text[begin..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}
