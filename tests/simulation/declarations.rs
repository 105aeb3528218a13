//! Declarations of good programs, dropped, doubled, moved and used by the host: every kernel then is what
//! it was, or it is refused.
//!
//! What is compared is the typed program: every function that the kernel reaches, the structs that these
//! have variables of, and what variables of the file begin with. `DECLARATIONS_SEEDS` says how many
//! programs are changed; there is no limit but time.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use tutor::cuda::{Function, Program, Type, parse_kernels, tokens};
use tutor::source::SourceFile;

use crate::files::{files_under, kernels_in, root};

/// Programs that are changed where nobody asks for more.
const SEEDS: u64 = 600;

/// A program, and its kernels.
struct Good {
    path: String,
    text: String,
    kernels: Vec<String>,
    /// What each kernel is made of.
    meaning: Vec<String>,
    items: Vec<Item>,
}

/// A declaration at file scope or in a namespace: its text with what stands before it, the name it
/// seems to declare, and which declarations stand in the same braces.
#[derive(Clone)]
struct Item {
    text: String,
    name: String,
    level: usize,
    /// Whether it is a directive, or a brace of a namespace, and stays where it is.
    is_fixed: bool,
}

fn good_programs() -> Vec<Good> {
    let mut paths = kernels_in("execution");
    paths.extend(kernels_in("cuda/accepted"));
    let lessons = files_under(&root().join("kernels"));
    paths.extend(
        lessons
            .into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "cu")),
    );
    let mut all = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut kernels: Vec<String> = Vec::new();
        let notes = text
            .lines()
            .filter_map(|line| line.strip_prefix("//@ kernel: "));
        kernels.extend(notes.map(str::to_owned));
        let parsed = parse_kernels(&SourceFile::new("a.cu", &text), &[], &[]);
        kernels.extend(parsed.program.kernels().map(|kernel| kernel.name.clone()));
        kernels.sort();
        kernels.dedup();
        let Ok(meaning) = meaning(&text, &kernels) else {
            continue;
        };
        let path = path.display().to_string();
        let items = items(&text);
        all.push(Good {
            path,
            text,
            kernels,
            meaning,
            items,
        });
    }
    assert!(all.len() > 60, "most programs are good");
    all
}

/// What each of the kernels is made of, or the first error.
fn meaning(text: &str, kernels: &[String]) -> Result<Vec<String>, String> {
    let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let parsed = parse_kernels(&SourceFile::new("a.cu", text), &[], &names);
    if let Some(error) = parsed.diagnostics.iter().find(|_| parsed.has_errors()) {
        return Err(error.message.clone());
    }
    let made = parsed.requests.into_iter();
    made.map(|id| match id {
        Ok(id) => Ok(described(&parsed.program, id)),
        Err(error) => Err(error.message),
    })
    .collect()
}

/// The functions that a kernel reaches as text, without places and numbers that depend on the order of
/// the file.
fn described(program: &Program, kernel: usize) -> String {
    let mut texts: HashMap<usize, String> = HashMap::new();
    // Callees come before callers.
    for (id, function) in program.functions.iter().enumerate().take(kernel + 1) {
        let text = format!("{:?} {:?}", function.locals, function.body);
        let text = replaced(&without_places(&text), "Call(", |callee| {
            texts
                .get(&callee)
                .map_or("?".to_owned(), |text| digest(text))
        });
        let text = replaced(&text, "File(", |variable| {
            let of = &program.variables[variable];
            format!("{} {:?} {:?} {:?}", of.name, of.ty, of.memory, of.bytes)
        });
        let mut whole = format!("{} {:?} ", function.name, function.max_threads);
        whole.push_str(&text);
        write!(whole, " {:?}", structs(function)).expect("writes");
        texts.insert(id, whole);
    }
    texts.remove(&kernel).unwrap_or_default()
}

fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:x}")
}

/// The text without `Span { start: 1, end: 2 }`.
fn without_places(text: &str) -> String {
    let mut parts = text.split("Span {");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    out
}

/// The text with each number behind `before` replaced.
fn replaced(text: &str, before: &str, by: impl Fn(usize) -> String) -> String {
    let mut parts = text.split(before);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        out.push_str(before);
        match part[..end].parse() {
            Ok(number) => out.push_str(&by(number)),
            Err(_) => out.push_str(&part[..end]),
        }
        out.push_str(&part[end..]);
    }
    out
}

/// How the structs lie in memory that a function has variables of.
fn structs(function: &Function) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut open: Vec<Type> = function
        .locals
        .iter()
        .map(|local| local.ty.clone())
        .collect();
    while let Some(ty) = open.pop() {
        match ty {
            Type::Pointer { to, .. } | Type::Array(to, _) => open.push(*to),
            Type::Struct(of) if all.insert(format!("{of:?} {:?}", of.layout())) => {
                open.extend(of.fields().iter().map(|field| field.ty.clone()));
            }
            _ => {}
        }
    }
    all
}

/// The text in pieces, which together are the text.
fn items(text: &str) -> Vec<Item> {
    let spans = tokens(text).0;
    let word = |at: usize| spans.get(at).map_or("", |span| &text[span.range()]);
    let mut all: Vec<Item> = Vec::new();
    let (mut at, mut begin, mut levels, mut count) = (0, 0, vec![0], 0);
    while at + 1 < spans.len() {
        let line = text[..spans[at].start as usize]
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let opens = word(at) == "namespace" && (word(at + 1) == "{" || word(at + 2) == "{");
        let is_directive =
            word(at) == "#" && text[line..spans[at].start as usize].trim().is_empty();
        let closes = word(at) == "}";
        let is_fixed = opens || is_directive || closes;
        let first = at;
        let level = *levels.last().expect("the file is a level");
        if opens {
            at += if word(at + 1) == "{" { 2 } else { 3 };
            count += 1;
            levels.push(count);
        } else if is_directive {
            let mut end = spans[at].start as usize;
            loop {
                end += text[end..]
                    .find('\n')
                    .map_or(text.len() - end, |length| length + 1);
                if !text[..end].trim_end_matches('\n').ends_with('\\') || end == text.len() {
                    break;
                }
            }
            while at + 1 < spans.len() && (spans[at].start as usize) < end {
                at += 1;
            }
        } else if closes {
            at += 1;
            levels.pop();
            levels.extend(levels.is_empty().then_some(0));
        } else {
            at = item_end(&word, at, spans.len() - 1);
        }
        let end = match at + 1 < spans.len() {
            true => spans[at - 1].end as usize,
            false => text.len(),
        };
        let name = declared_name(&word, first, at);
        let text = text[begin..end].to_owned();
        all.push(Item {
            text,
            name,
            level,
            is_fixed,
        });
        begin = end;
    }
    all
}

/// Behind the declaration that begins at a token.
fn item_end<'a>(word: &impl Fn(usize) -> &'a str, begin: usize, count: usize) -> usize {
    let mut depth = 0;
    let mut is_type = matches!(
        word(begin),
        "struct" | "class" | "union" | "enum" | "typedef"
    );
    for at in begin..count {
        match word(at) {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            "struct" | "class" | "union"
                if at > begin && !matches!(word(at - 1), "<" | ",") && depth == 0 =>
            {
                is_type = true;
            }
            "=" if depth == 0 => is_type = true,
            _ => {}
        }
        if depth == 0 && (word(at) == ";" || word(at) == "}" && !is_type) {
            return at + 1;
        }
    }
    count
}

/// The name before the first `(`, `{`, `=`, `[` or the last `;`, of what stands behind `template <…>`.
fn declared_name<'a>(word: &impl Fn(usize) -> &'a str, begin: usize, end: usize) -> String {
    let mut angles = 0;
    let mut name = "";
    for at in begin..end {
        match word(at) {
            "<" => angles += 1,
            ">" => angles -= 1,
            ">>" => angles -= 2,
            "__launch_bounds__" | "__align__" | "alignas" => name = "",
            "operator" => return "operator".to_owned(),
            "(" | "{" | "=" | "[" | ":" if angles <= 0 && !name.is_empty() => break,
            other if angles <= 0 && other.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                name = other;
            }
            _ => {}
        }
    }
    name.to_owned()
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's MMIX generator; the high bits are the good ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// A program with one to three of its declarations changed, and how.
fn changed(good: &Good, random: &mut Random) -> (String, Vec<String>) {
    let mut items = good.items.clone();
    let mut how = Vec::new();
    for _ in 0..1 + random.below(3) {
        let open: Vec<usize> = (0..items.len()).filter(|&at| !items[at].is_fixed).collect();
        if open.is_empty() {
            break;
        }
        let at = open[random.below(open.len())];
        let item = items[at].clone();
        let same: Vec<usize> = open
            .iter()
            .copied()
            .filter(|&other| items[other].level == item.level)
            .collect();
        let to = same[random.below(same.len())];
        // Overloads and specialisations mean something else in another order, and without each other.
        let is_alone = items.iter().filter(|other| other.name == item.name).count() == 1;
        let what = match random.below(4) {
            0 if is_alone && item.name != "operator" => {
                items.remove(at);
                "dropped"
            }
            1 if is_alone && item.name != "operator" => {
                items.remove(at);
                items.insert(to.min(items.len()), item.clone());
                "moved"
            }
            2 => {
                // First used by code that is left out.
                let text = format!(
                    "\nvoid host_of_{0}({0} a);\nint host_size_{0} = sizeof({0});\n",
                    item.name
                );
                items.insert(
                    at + 1,
                    Item {
                        text,
                        name: String::new(),
                        ..item.clone()
                    },
                );
                "used"
            }
            _ => {
                items.insert(to.max(at + 1).min(items.len()), item.clone());
                "doubled"
            }
        };
        how.push(format!("{} {what}", item.name));
    }
    (items.iter().map(|item| item.text.as_str()).collect(), how)
}

#[test]
fn changed_declarations_give_the_same_kernels_or_errors() {
    let seeds = std::env::var("DECLARATIONS_SEEDS").ok();
    let seeds = seeds.map_or(SEEDS, |seeds| seeds.parse().expect("is a number"));
    let all = good_programs();
    for good in &all {
        let whole: String = good.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(whole, good.text, "{}", good.path);
    }
    let (mut same, mut refused) = (0, 0);
    let mut other = Vec::new();
    for seed in 0..seeds {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let good = &all[random.below(all.len())];
        let (text, how) = changed(good, &mut random);
        match meaning(&text, &good.kernels) {
            Ok(meaning) if meaning == good.meaning => same += 1,
            Ok(_) => other.push(format!("{}, seed {seed}: {}", good.path, how.join(", "))),
            Err(_) => refused += 1,
        }
    }
    println!(
        "{seeds} programs: {same} are the same, {refused} refused, {} differ",
        other.len()
    );
    assert!(other.is_empty(), "{}", other.join("\n"));
    assert!(same > 0 && refused > 0);
}
