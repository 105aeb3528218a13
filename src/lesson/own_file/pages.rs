//! Guesses as the text of a lesson, as somebody would write it (`assets/help/authors.md`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::device::grouped;
use crate::lesson::cells::{Cell, KernelFiles};
use crate::lesson::course::OtherLessons;
use crate::lesson::outline::Lesson;
use crate::source::{Diagnostic, SourceFile, is_python};

use super::guess::{GuessedBuffer, KernelGuess};
use super::program::{LaunchPlace, RanProgram};
use super::question::question;

/// Lines of what a program prints that are shown.
const MOST_PRINTED: usize = 200;
/// A buffer that no launch is given: a run has to have one.
const NO_BUFFER: &str =
    "\n[[buffers]]\nname = \"none\"\ntype = \"u8\"\nshape = [\"1\"]\ninit = \"zero\"\n";
/// Most that a size can be set to.
const MOST: u64 = 67_108_864;

/// The lesson that runs `kernels` of the file `path`, a page each, behind what the program in it did.
pub fn lesson(path: &Path, kernels: &[KernelGuess], program: Option<&RanProgram>) -> String {
    let name = file_name(path);
    let mut sizes = BTreeMap::new();
    for size in kernels.iter().flat_map(|kernel| &kernel.sizes) {
        // Kernels that share a name of an argument share the size: one slider moves both.
        sizes.entry(&size.name).or_insert(size.default);
    }
    let mut text = format!(
        "+++\nid = \"{}\"\ntitle = {}\nsummary = \"Kernels of your own\"\nminutes = 1\n",
        lesson_id(path),
        quoted(&name),
    );
    for (size, default) in sizes {
        let label = format!("the argument {size}");
        let _ = write!(
            text,
            "\n[sizes.{size}]\nlabel = \"{label}\"\ndefault = {default}\nmin = 1\nmax = {MOST}\n"
        );
    }
    text.push_str(&constant_sizes(kernels));
    text.push_str("+++\n");
    if let Some(program) = program {
        text.push_str(&program_page(program));
        for (at, place) in program.places.iter().enumerate() {
            text.push_str(&launch_page(place, at, &name));
        }
    }
    for (at, kernel) in kernels.iter().enumerate() {
        text.push_str(&page(kernel, at, &name));
    }
    text
}

/// The lesson with this text, if it has no mistakes; it runs kernels of `file` alone.
pub fn read(path: &Path, file: &SourceFile, text: &str) -> (Option<Lesson>, Vec<Diagnostic>) {
    let name = file_name(path);
    let kernels = KernelFiles {
        folder: "",
        names: vec![name.clone()],
        read: &|asked| Ok((asked == name).then(|| file.text().to_owned())),
        data: &|_| Err("a file of kernels has no files of data".to_owned()),
    };
    let others = OtherLessons {
        ids: Vec::new(),
        requires: &|_| Vec::new(),
    };
    let (mut lesson, diagnostics) = Lesson::parse(&SourceFile::new(&name, text), &kernels, &others);
    for cell in lesson.iter_mut().flat_map(|lesson| &mut lesson.cells) {
        if let Cell::Run(cell) = cell {
            // With the headers that it includes.
            cell.source = file.clone();
        }
    }
    (lesson, diagnostics)
}

/// The constants of Triton kernels as sizes: sides of tiles are powers of two.
fn constant_sizes(kernels: &[KernelGuess]) -> String {
    let mut constants = BTreeMap::new();
    let all = kernels.iter().flat_map(|kernel| &kernel.constants);
    // What is an argument of another kernel of the file is a size already.
    let is_argument = |name: &str| {
        let mut sizes = kernels.iter().flat_map(|kernel| &kernel.sizes);
        sizes.any(|size| size.name == name)
    };
    for constant in all.filter(|of| of.formula.is_none() && !is_argument(&of.name)) {
        let default = constants.entry(&constant.name).or_insert(constant.default);
        *default = match (*default, constant.default) {
            // A kernel that does not use it knows nothing better.
            (1, known @ 1..) | (known @ 1.., 1) => known,
            // The least that a kernel asks for: larger tiles may not fit where they have two sides.
            (one, other) => one.min(other),
        };
    }
    let mut text = String::new();
    for (name, default) in constants {
        // Sides of tiles are powers of two, or Triton refuses them.
        let range = match default.is_power_of_two() && default > 1 {
            true => {
                let sides: Vec<String> = (0..=13).map(|bits| (1 << bits).to_string()).collect();
                format!("values = [{}]", sides.join(", "))
            }
            false => format!("min = 0\nmax = {}", (2 * default).max(64)),
        };
        let _ = write!(
            text,
            "\n[sizes.{name}]\nlabel = \"the constexpr {name}\"\ndefault = {default}\n{range}\n"
        );
    }
    text
}

/// A name that no lesson of the program has: what is kept of the file's edits and answers goes by it.
fn lesson_id(path: &Path) -> String {
    // The whole path: two files called `kernel.cu` are two lessons.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let digest = Sha256::digest(whole.as_os_str().as_encoded_bytes());
    let is_part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    // An id is also the name of a folder, where edits and results are saved.
    let stem: String = stem.unwrap_or_default().chars().filter(is_part).collect();
    format!("{stem}-{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2])
}

/// The name of a file without its folder.
fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What the program printed, and how it ended.
fn program_page(program: &RanProgram) -> String {
    let ended = match program.is_whole {
        true => format!(
            "The program ran to its end, with exit code {}.",
            program.code
        ),
        false => "The program did not run to its end.".to_owned(),
    };
    let launched = match program.places.len() {
        0 => "It launched no kernel, so what follows is guessed.".to_owned(),
        1 => "The kernel that it launches is on the next page.".to_owned(),
        several => format!(
            "It launches kernels at {several} places in the source. Each of them is a page from here on."
        ),
    };
    let mut text = format!("\n# The program\n\n{ended} {launched}\n");
    for error in &program.errors {
        let _ = write!(text, "\n- {error}\n");
    }
    text.push_str(&launch_table(&program.places));
    let lines: Vec<&str> = program.printed.lines().take(MOST_PRINTED).collect();
    if !lines.is_empty() {
        let _ = write!(
            text,
            // Four backticks: what a program prints may have three.
            "\nIt prints\n\n````text\n{}\n````\n",
            lines.join("\n")
        );
    }
    text
}

/// What each place launches, and what the first launch there counted.
fn launch_table(places: &[LaunchPlace]) -> String {
    let mut text = String::new();
    if !places.is_empty() {
        text.push_str("\n| Line | Kernel | Grid × block | Times | Requests | Efficiency |\n");
        text.push_str("|---:|---|---:|---:|---:|---:|\n");
    }
    for place in places {
        let launch = &place.inputs.launch;
        let threads: u32 = launch.block.iter().product();
        let blocks: u64 = launch.grid.iter().map(|&side| u64::from(side)).product();
        let requests = grouped(place.counts.global_requests());
        let used = place.counts.global_efficiency();
        let used = used.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
        let (line, kernel, times) = (place.line, &launch.kernel, place.times);
        let _ = writeln!(
            text,
            "| {line} | `{kernel}` | {} × {threads} | {times} | {requests} | {used} |",
            grouped(blocks)
        );
    }
    text
}

/// The page of a launch of the program. What it launches is put in once it is read: contents of buffers are no text.
fn launch_page(place: &LaunchPlace, at: usize, file: &str) -> String {
    let launch = &place.inputs.launch;
    let (kernel, line) = (&launch.kernel, place.line);
    let asked = question(&place.counts).map_or_else(String::new, |asked| asked + " ");
    let at_launch = match place.times {
        1 => "at this launch".to_owned(),
        times => format!("at the first of these {} launches", grouped(times as u64)),
    };
    format!(
        "\n# {kernel}, line {line}\n\n{asked}Edit it, and it runs again on what the buffers held {at_launch}.\n\n\
         ```run launch-{}\ntitle = {}\nsource = {}\n{NO_BUFFER}\n\
         [[launches]]\nkernel = {}\ngrid = [\"1\"]\nblock = [\"1\"]\narguments = []\n```\n",
        at + 1,
        quoted(&format!("{kernel}, line {line}")),
        quoted(file),
        quoted(kernel),
    )
}

/// The page of a kernel.
fn page(guess: &KernelGuess, at: usize, file: &str) -> String {
    let kernel = &guess.kernel;
    let mut text = format!("\n# {kernel}\n\n{}\n\n", words(guess, is_python(file)));
    let _ = write!(
        text,
        "```run kernel-{}\ntitle = {}\nsource = {}\n",
        at + 1,
        quoted(kernel),
        quoted(file)
    );
    for (number, buffer) in guess.buffers.iter().enumerate() {
        text.push_str(&buffer_table(buffer, number));
    }
    if guess.buffers.is_empty() {
        text.push_str(NO_BUFFER);
    }
    let list = |formulas: &[String]| {
        formulas
            .iter()
            .map(|formula| quoted(formula))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let _ = write!(
        text,
        "\n[[launches]]\nkernel = {}\ngrid = [{}]\n{}arguments = [{}]\n```\n",
        quoted(kernel),
        list(&guess.grid),
        threads(guess, file),
        list(&guess.arguments),
    );
    text
}

/// The threads of a block; of a Triton kernel its warps and constants.
fn threads(guess: &KernelGuess, file: &str) -> String {
    if !is_python(file) {
        let block = guess.block.map(|threads| quoted(&threads.to_string()));
        let shared = quoted(&guess.shared_bytes);
        return format!("block = [{}]\nshared = {shared}\n", block.join(", "));
    }
    let constants = guess.constants.iter();
    let constants = constants.map(|of| format!("{} = {}", of.name, quoted(of.text())));
    let constants: Vec<String> = constants.collect();
    format!(
        "warps = \"{}\"\nmeta = {{ {} }}\n",
        guess.block[0] / 32,
        constants.join(", ")
    )
}

/// What is asked of the kernel, and what is a guess.
fn words(guess: &KernelGuess, is_python: bool) -> String {
    let asked = guess.counts.as_deref().and_then(question);
    let asked = asked.map_or_else(String::new, |asked| asked + " ");
    let threads: u32 = guess.block.iter().product();
    let block = format!("{} threads per block", grouped(threads.into()));
    let (kernel, warps) = (&guess.kernel, threads / 32);
    let sizes = guess.sizes.iter().chain(&guess.constants);
    let sizes = sizes.filter(|size| size.formula.is_none());
    let mut guesses: Vec<String> = sizes.map(|size| format!("`{}`", size.name)).collect();
    let change = match guesses.is_empty() {
        true => "Edit the kernel",
        false => "Change a size above or edit the kernel",
    };
    guesses.push("the buffers".to_owned());
    let who = match guess.is_block_written {
        _ if is_python => {
            guesses.extend(["the grid".to_owned(), format!("{warps} warps per program")]);
            "Host code in Python does not run here".to_owned()
        }
        true => format!("The file launches `{kernel}` with {block}"),
        false => {
            guesses.push(block);
            format!("The file does not launch `{kernel}`")
        }
    };
    let last = guesses.pop().unwrap_or_default();
    let guesses = match guesses.is_empty() {
        true => last,
        false => format!("{} and {last}", guesses.join(", ")),
    };
    format!("{asked}{who}: {guesses} are guesses. {change}, and it runs again.")
}

fn buffer_table(buffer: &GuessedBuffer, number: usize) -> String {
    let shape = match buffer.per_value {
        1 => quoted(&buffer.length),
        several => format!("{}, \"{several}\"", quoted(&buffer.length)),
    };
    let init = content(buffer, number);
    format!(
        "\n[[buffers]]\nname = {}\ntype = \"{}\"\nshape = [{shape}]\ninit = \"{init}\"\n",
        quoted(&buffer.name),
        buffer.element.name(),
    )
}

/// What the buffer of this number begins with.
pub fn content(buffer: &GuessedBuffer, number: usize) -> String {
    match (buffer.is_read, buffer.element.is_float()) {
        (false, _) => "zero".to_owned(),
        (true, true) => format!("uniform:{}", number + 1),
        // Small, as integers that are read may be indices.
        (true, false) => "mod:10".to_owned(),
    }
}

// Every escape of JSON is one of TOML's basic strings, too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
