//! Arguments for a kernel's template: those of a launch in the file, else usual ones by the parameters' names.

use std::collections::HashMap;

use crate::lesson::own_file::text::{WrittenLaunch, WrittenLaunches};

/// A parameter of a template.
struct TemplateParameter<'a> {
    /// `typename`, or the type of a number.
    what: &'a str,
    name: &'a str,
    has_default: bool,
}

/// The parameters listed in `text`, such as `typename T, int N`.
fn parameters(text: &str) -> Vec<TemplateParameter<'_>> {
    let parameter = |text| {
        let (declared, has_default) = match str::split_once(text, '=') {
            Some((declared, _)) => (declared.trim(), true),
            None => (str::trim(text), false),
        };
        let (what, name) = declared.rsplit_once(' ').unwrap_or((declared, ""));
        TemplateParameter {
            what,
            name,
            has_default,
        }
    };
    text.split(", ").map(parameter).collect()
}

/// How a template may be named with arguments.
pub struct Instances {
    /// As the file launches it.
    pub written: Vec<String>,
    /// With usual arguments, the likeliest first; nothing where one cannot be guessed.
    pub usual: Vec<String>,
}

impl Instances {
    /// Those of the template `name`; `listed` are its parameters.
    pub fn of(name: &str, listed: &str, launches: &WrittenLaunches) -> Self {
        let parameters = parameters(listed);
        let plain = name.rsplit("::").next().unwrap_or(name);
        let with = |launch: Option<&WrittenLaunch>| {
            let arguments = parameters.iter().enumerate().filter_map(|(at, parameter)| {
                let written = launch.and_then(|launch| Some((launch, launch.template.get(at)?)));
                let usual = || usual(parameter, &parameters);
                match written {
                    Some((launch, text)) => {
                        let argument = written_argument(parameter, text, launch, launches);
                        Some(argument.or_else(usual))
                    }
                    // What has a default stands behind all that have none.
                    None if parameter.has_default || parameter.what.ends_with("...") => None,
                    None => Some(usual()),
                }
            });
            let arguments: Vec<String> = arguments.collect::<Option<_>>()?;
            Some(format!("{name}<{}>", arguments.join(", ")))
        };
        let mut written = Vec::new();
        for launch in launches.iter().filter(|launch| launch.kernel == plain) {
            written.extend(with(Some(launch)).filter(|new| !written.contains(new)));
        }
        let mut usual: Vec<String> = with(None).into_iter().collect();
        // Where a tile of 256 by 256 has no room in shared memory.
        let smaller = usual.first().map(|first| first.replace("256", "16"));
        usual.extend(smaller.filter(|smaller| !usual.contains(smaller)));
        Instances { written, usual }
    }
}

/// The argument that a launch writes as `text`, with the values of constants; nothing where it is a parameter of the
/// function around the launch.
fn written_argument(
    parameter: &TemplateParameter,
    text: &str,
    launch: &WrittenLaunch,
    launches: &WrittenLaunches,
) -> Option<String> {
    if parameter.what == "typename" {
        // `T` of the function around it says nothing.
        let is_open = text.len() == 1 || text == parameter.name;
        return match is_open {
            true => None,
            false => Some(text.to_owned()),
        };
    }
    match launches.template_value(launch, text) {
        Some(value) => Some(value.to_string()),
        None if matches!(text, "true" | "false") => Some(text.to_owned()),
        None if text == parameter.name => None,
        None => Some(text.to_owned()),
    }
}

/// What a parameter is mostly given.
fn usual(parameter: &TemplateParameter, all: &[TemplateParameter]) -> Option<String> {
    let name = parameter.name.to_lowercase();
    let has = |among: &[&str]| among.iter().any(|word| name.contains(word));
    match parameter.what {
        // Functions and policies have no usual argument.
        "typename" if has(&["func", "load", "store", "policy", "spec"]) => None,
        "typename" if has(&["index", "offset", "int"]) => Some("int".to_owned()),
        "typename" => is_number(&name).then(|| "float".to_owned()),
        "bool" => Some("false".to_owned()),
        "int" | "unsigned int" | "long" | "unsigned long" | "long long" | "unsigned long long"
        | "short" | "unsigned short" | "size_t" | "auto" => {
            let value = tile_side(&name, all).unwrap_or_else(|| usual_number(&name, all));
            Some(value.to_string())
        }
        _ => None,
    }
}

/// A side of a tile, by the names that products with tiles by block, warp and thread have for them.
fn tile_side(name: &str, all: &[TemplateParameter]) -> Option<u64> {
    let is_of_warps = all.iter().any(|parameter| parameter.name.starts_with("WM"));
    Some(match (name, is_of_warps) {
        ("bm" | "bn" | "num_threads", true) => 128,
        ("bm" | "bn", false) | ("wm" | "wn", _) => 64,
        ("bk", true) => 16,
        ("bk", false) | ("tm", _) | ("tn", false) => 8,
        ("tn", true) | ("wniter", _) => 4,
        ("wmiter", _) => 1,
        _ => return None,
    })
}

/// Words in names of numbers, with what those mostly are; the first that fits goes.
const NUMBERS: [(&[&str], u64); 9] = [
    (&["warp_size", "warpsize"], 32),
    (&["warp", "unroll", "vec", "pack"], 4),
    (&["stage"], 2),
    (&["pad", "offset"], 0),
    (&["head_dim", "headdim"], 64),
    (
        &["threads_per_block", "num_threads", "thread_num", "nthreads"],
        256,
    ),
    (&["block", "tile", "dim", "bx", "by"], 16),
    (&["radius"], 2),
    (&["filter", "mask", "kernel"], 3),
];
/// Words in the name of the only number of a template that say that it is the threads of a block.
const ONLY_THREADS: [&str; 6] = [
    "thread",
    "blocksize",
    "block_size",
    "block_dim",
    "blockdim",
    "nt",
];

fn usual_number(name: &str, all: &[TemplateParameter]) -> u64 {
    let has = |among: &[&str]| among.iter().any(|word| name.contains(word));
    let is_only = all.iter().filter(|of| of.what != "typename").count() <= 1;
    // What has a word of its own before it in the table is none: `warp_threads`.
    let found = NUMBERS.iter().position(|(words, _)| has(words));
    match found {
        Some(at) if at < 5 => NUMBERS[at].1,
        _ if is_only && has(&ONLY_THREADS) => 256,
        Some(at) => NUMBERS[at].1,
        None => 4,
    }
}

/// Whether a parameter's name, in lower case, is one that types of numbers have, rather than classes with functions.
fn is_number(name: &str) -> bool {
    let words = [
        "type", "scalar", "data", "real", "float", "val", "num", "elem", "acc", "fp", "half",
    ];
    // `T`, `T1`, `Tdinp`.
    name.starts_with('t') || name.len() <= 2 || words.iter().any(|word| name.contains(word))
}

/// The numbers among the template arguments of the kernel called `name`, such as `k<float, 16>`, whose template has the
/// parameters `listed`.
pub fn numbers(name: &str, listed: &str) -> HashMap<String, u64> {
    let arguments = name.split_once('<').map_or("", |(_, arguments)| arguments);
    let arguments = arguments.trim_end_matches('>').split(", ");
    let parameters = parameters(listed);
    let pairs = parameters.iter().zip(arguments);
    pairs
        .filter_map(|(parameter, argument)| {
            Some((parameter.name.to_owned(), argument.parse().ok()?))
        })
        .collect()
}
