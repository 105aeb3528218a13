//! Which Python files a Python file names, as far as its text tells without being parsed.

use std::path::Path;

/// The outermost folder of the package that a file belongs to: its own where that is no package.
pub fn package_of(path: &Path) -> &Path {
    let folders = path.ancestors().skip(1);
    let inside = folders.take_while(|folder| folder.join("__init__.py").is_file());
    let own = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    inside.last().unwrap_or(own)
}

/// Whether what a file imports may matter to kernels: it has some, or it is what stands for a folder.
pub fn has_kernels(path: &Path, text: &str) -> bool {
    text.contains("triton") || path.file_name().is_some_and(|name| name == "__init__.py")
}

/// The modules that a text imports, as it writes them: `a.b`, `.c`; what is imported from one may be one as well.
pub fn imported(text: &str) -> Vec<String> {
    let mut modules = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let statement = text[start..].trim_start();
        start += line.len();
        if let Some(rest) = statement.strip_prefix("import ") {
            let names = rest.lines().next().unwrap_or("").split(',');
            modules.extend(names.filter_map(first_word));
        } else if let Some((module, rest)) = from_import(statement) {
            modules.push(module.to_owned());
            let dot = if module.ends_with('.') { "" } else { "." };
            let names = listed(rest).split(',').filter_map(first_word);
            let names = names.filter(|name| name != "*");
            modules.extend(names.map(|name| format!("{module}{dot}{name}")));
        }
    }
    modules
}

/// `module` and what stands behind `import` in `from module import …`.
fn from_import(statement: &str) -> Option<(&str, &str)> {
    let (module, rest) = statement.strip_prefix("from ")?.split_once(" import ")?;
    let module = module.trim();
    let is_name = module
        .chars()
        .all(|c| c.is_alphanumeric() || c == '.' || c == '_');
    is_name.then_some((module, rest.trim_start()))
}

/// The names behind `import`: to the end of the line, or of the parentheses.
fn listed(rest: &str) -> &str {
    match rest.strip_prefix('(') {
        Some(inside) => inside.split(')').next().unwrap_or(""),
        None => rest.lines().next().unwrap_or(""),
    }
}

fn first_word(name: &str) -> Option<String> {
    name.split_whitespace().next().map(str::to_owned)
}
