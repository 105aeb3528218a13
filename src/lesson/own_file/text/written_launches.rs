//! The launches that a text writes, `kernel<<<grid, block, shared>>>(…)`, with the numbers that it tells, and what it
//! names of a template to be launched elsewhere: `auto kernel = k<64>;`.

use super::host_expression::{Known, Scope};
use super::host_text::{HostText, is_name};
use crate::launch::Dim3;

/// A launch as the text writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLaunch {
    /// The kernel, without its template arguments.
    pub kernel: String,
    /// Its template arguments.
    pub template: Vec<String>,
    /// What stands between `<<<` and `>>>`; nothing where the text only names the kernel.
    configuration: Vec<String>,
    /// What the kernel is given.
    arguments: Vec<String>,
    /// The word of the text that it begins at.
    at: usize,
}

impl WrittenLaunch {
    /// The kernel as the text names it: `k<float, 4>`.
    pub fn name(&self) -> String {
        match self.template.is_empty() {
            true => self.kernel.clone(),
            false => format!("{}<{}>", self.kernel, self.template.join(", ")),
        }
    }
}

/// The launches of a text.
pub struct WrittenLaunches<'a> {
    text: HostText<'a>,
    launches: Vec<WrittenLaunch>,
}

impl<'a> WrittenLaunches<'a> {
    /// Those in `text`, in order, and behind them what it only names.
    pub fn find(text: &'a str) -> Self {
        let text = HostText::new(text);
        let launches = (1..text.len()).filter_map(|at| launch(&text, at));
        let named = (1..text.len()).filter_map(|at| mention(&text, at));
        let launches = launches.chain(named).collect();
        WrittenLaunches { text, launches }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &WrittenLaunch> {
        self.launches.iter()
    }

    /// The first launch of the kernel called `name`, best with the same template arguments.
    pub fn of(&self, name: &str) -> Option<&WrittenLaunch> {
        let plain = name.split('<').next().unwrap_or(name).trim();
        let plain = plain.rsplit("::").next().unwrap_or(plain);
        let same = self.iter().find(|launch| launch.name() == name);
        same.or_else(|| self.iter().find(|launch| launch.kernel == plain))
    }

    /// Threads of a block, where the text tells them; `known` says what variables of the host are.
    pub fn block(&self, launch: &WrittenLaunch, known: Known) -> Option<Dim3> {
        let parts = self.dimensions(launch.configuration.get(1)?, launch.at)?;
        let scope = self.scope(known);
        // `dim3` gives 1 to what is left out.
        let mut block = [1; 3];
        for (threads, (part, from)) in block.iter_mut().zip(parts) {
            // CUDA refuses an empty block; a guess should not make one.
            let value = scope.value(&part, from).filter(|&value| value > 0)?;
            *threads = u32::try_from(value).ok()?;
        }
        Some(block)
    }

    /// Blocks in x, y and z as formulas, where the text tells them; `known` says what variables of the host are.
    pub fn grid(&self, launch: &WrittenLaunch, known: Known) -> Option<[String; 3]> {
        let parts = self.dimensions(launch.configuration.first()?, launch.at)?;
        let mut grid = [const { String::new() }; 3].map(|_| "1".to_owned());
        for (blocks, (part, from)) in grid.iter_mut().zip(parts) {
            *blocks = self.scope(known).formula(&part, from)?;
        }
        Some(grid)
    }

    /// Bytes of dynamic shared memory as a formula, where the text tells them.
    pub fn shared_bytes(&self, launch: &WrittenLaunch, known: Known) -> Option<String> {
        let bytes = launch.configuration.get(2)?;
        self.scope(known).formula(bytes, launch.at)
    }

    /// What the kernel is given for the parameter of this number, as one word of the text.
    pub fn argument<'l>(&self, launch: &'l WrittenLaunch, number: usize) -> Option<&'l str> {
        let argument = launch.arguments.get(number)?.trim();
        (is_name(argument) && !argument.contains(' ')).then_some(argument)
    }

    /// The number that the kernel is given for the parameter of this number, where the text tells it.
    pub fn value(&self, launch: &WrittenLaunch, number: usize) -> Option<u64> {
        let argument = launch.arguments.get(number)?;
        self.scope(&|_| None).value(argument, launch.at)
    }

    /// The bytes that the text allocates for the pointer called `name` on the GPU, as a formula:
    /// `cudaMalloc(&name, n * sizeof(float))`.
    pub fn allocated_bytes(&self, name: &str, known: Known) -> Option<String> {
        let text = &self.text;
        let allocates = |at: &usize| {
            let is_call = matches!(text.word(*at), "cudaMalloc" | "cudaMallocManaged");
            // `(void**)` may stand before the pointer.
            let behind = (at + 2..at + 8).find(|&at| text.word(at) == "&");
            is_call && behind.is_some_and(|at| text.has(at + 1, &[name, ","]))
        };
        let at = (0..text.len()).find(allocates)?;
        let parts = text.parts(at + 2, |words, at| words[at] == ")")?;
        self.scope(known).formula(parts.get(1)?, at)
    }

    /// The value of a constant of the text.
    pub fn constant(&self, name: &str) -> Option<u64> {
        self.scope(&|_| None).value(name, self.text.len())
    }

    /// The value of a template argument, where it is a number.
    pub fn template_value(&self, launch: &WrittenLaunch, argument: &str) -> Option<u64> {
        self.scope(&|_| None).value(argument, launch.at)
    }

    fn scope<'s>(&'s self, known: Known<'s>) -> Scope<'s> {
        Scope {
            text: &self.text,
            known,
        }
    }

    /// One to three expressions, and where each stands: a number, `dim3(a, b)`, or a variable that is declared so.
    fn dimensions(&self, written: &str, from: usize) -> Option<Vec<(String, usize)>> {
        let words: Vec<&str> = written.split_whitespace().collect();
        if let ["dim3", "(" | "{", inner @ .., _] = &words[..] {
            let parts = split_commas(inner).into_iter();
            return Some(parts.map(|part| (part, from)).collect());
        }
        if let [name] = words[..]
            && is_name(name)
        {
            if let Some((parts, at)) = self.text.declared(name, from) {
                return Some(parts.into_iter().map(|part| (part, at)).collect());
            }
            if let Some((value, at)) = self.text.definition(name, from)
                && value.starts_with("dim3")
            {
                return self.dimensions(value, at);
            }
        }
        Some(vec![(written.to_owned(), from)])
    }
}

/// The launch whose `<<<` begins at word `at`.
fn launch(text: &HostText, at: usize) -> Option<WrittenLaunch> {
    let angles = ["<", "<", "<"];
    if !text.has(at, &angles) || text.word(at - 1) == "<" {
        return None;
    }
    let mut end = at;
    let configuration = text.parts(at + 3, |words, at| {
        words.get(at..at + 3) == Some(&[">", ">", ">"])
    })?;
    while !text.has(end, &[">", ">", ">"]) {
        end += 1;
    }
    let arguments = match text.word(end + 3) {
        "(" => text.parts(end + 4, |words, at| words[at] == ")")?,
        _ => Vec::new(),
    };
    let (mut kernel, mut template, at) = name_before(text, at)?;
    // A variable that stands for a kernel: `auto kernel = k<64>;`.
    if let Some((_, defined)) = text.definition(&kernel, at)
        && let Some(named) = instance(text, defined + 2)
    {
        (kernel, template) = (named.kernel, named.template);
    }
    Some(WrittenLaunch {
        kernel,
        template,
        configuration,
        arguments,
        at,
    })
}

/// The kernel that stands at word `at` as a value, with template arguments: `launch(k<64>, n)`.
fn mention(text: &HostText, at: usize) -> Option<WrittenLaunch> {
    let is_value = matches!(text.word(at - 1), "=" | "(" | "," | "&" | ")");
    instance(text, at).filter(|_| is_value)
}

/// A name with template arguments that begins at word `at`, and behind which a value ends.
fn instance(text: &HostText, at: usize) -> Option<WrittenLaunch> {
    let first = (at..at + 2).find(|&at| text.word(at) != "&")?;
    if !is_name(text.word(first)) || text.word(first + 1) != "<" {
        return None;
    }
    let (mut end, mut depth) = (first + 1, 0);
    loop {
        depth += match text.word(end) {
            "<" => 1,
            ">" => -1,
            "" | ";" | "{" | "}" => return None,
            _ => 0,
        };
        end += 1;
        if depth == 0 {
            break;
        }
    }
    if !matches!(text.word(end), ";" | "," | ")") {
        return None;
    }
    let (kernel, template, at) = name_before(text, end)?;
    Some(WrittenLaunch {
        kernel,
        template,
        configuration: Vec::new(),
        arguments: Vec::new(),
        at,
    })
}

/// The name that ends before word `at`, its template arguments, and the word of the name: `k<float, 4>`.
fn name_before(text: &HostText, at: usize) -> Option<(String, Vec<String>, usize)> {
    let (mut first, mut depth) = (at - 1, 0);
    if text.word(first) == ">" {
        loop {
            depth += match text.word(first) {
                ">" => 1,
                "<" => -1,
                ";" | "{" | "}" => return None,
                _ => 0,
            };
            first = first.checked_sub(1)?;
            if depth == 0 {
                break;
            }
        }
    }
    let name = text.word(first);
    let words: Vec<&str> = (first + 2..at.max(first + 3) - 1)
        .map(|at| text.word(at))
        .collect();
    let template = match first + 1 == at {
        true => Vec::new(),
        false => split_commas(&words),
    };
    is_name(name).then(|| (name.to_owned(), template, first))
}

/// What stands between commas outside of brackets.
fn split_commas(words: &[&str]) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for word in words {
        depth += match *word {
            "(" | "<" | "{" => 1,
            ")" | ">" | "}" => -1,
            _ => 0,
        };
        let last = parts.last_mut().filter(|_| depth > 0 || *word != ",");
        match last {
            Some(part) if part.is_empty() => part.push_str(word),
            Some(part) => {
                part.push(' ');
                part.push_str(word);
            }
            None => parts.push(String::new()),
        }
    }
    parts
}
