//! The learner's own editor, with the terminal in its hands.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Editors that take `+LINE` before the file.
const TAKE_LINE: [&str; 10] = [
    "vi",
    "vim",
    "nvim",
    "nano",
    "emacs",
    "emacsclient",
    "micro",
    "kak",
    "joe",
    "ne",
];

/// The command that opens an editor, by what the environment answers.
///
/// # Errors
/// What to say if none is named.
pub(crate) fn command(variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| variable(name).filter(|value| !value.trim().is_empty()));
    named
        .ok_or_else(|| "no editor is set: set VISUAL or EDITOR, or press e to edit here".to_owned())
}

/// Opens `path` at `line` with `command`, and waits until the editor ends.
///
/// # Errors
/// What to say if it could not be started, or failed.
pub(crate) fn edit(command: &str, path: &Path, line: usize) -> Result<(), String> {
    // The shell splits the command, as git and others do: it may have arguments.
    let script = format!("{command} \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, command]);
    // Behind `-c SCRIPT` comes `$0`, which is not part of "$@".
    shell.args(takes_line(command).then(|| format!("+{line}")));
    let status = shell.arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!(
            "`{command}` ended with {status}; the file is as the editor left it"
        )),
        Err(error) => Err(format!("`{command}` did not start: {error}")),
    }
}

fn takes_line(command: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or("");
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| TAKE_LINE.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visual_goes_before_editor_and_none_is_said() {
        let named = |set: &'static [(&str, &str)]| {
            command(move |name| {
                let found = set.iter().find(|variable| variable.0 == name);
                found.map(|variable| variable.1.to_owned())
            })
        };
        assert_eq!(
            named(&[("EDITOR", "ed"), ("VISUAL", "vi -R")]).as_deref(),
            Ok("vi -R")
        );
        assert_eq!(
            named(&[("VISUAL", " "), ("EDITOR", "ed")]).as_deref(),
            Ok("ed")
        );
        assert!(named(&[]).is_err_and(|why| why.contains("set VISUAL or EDITOR")));
        assert!(takes_line("/usr/bin/vim -R") && !takes_line("code --wait"));
    }

    #[test]
    fn an_editor_with_arguments_is_given_the_file_and_a_failure_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a kernel.cu");
        std::fs::write(&path, "one\n").expect("is written");
        edit("sed -i s/one/two/", &path, 1).expect("sed edits");
        assert_eq!(std::fs::read_to_string(&path).expect("is there"), "two\n");
        let why = edit("false", &path, 1).expect_err("it fails");
        assert!(why.starts_with("`false` ended with"), "{why}");
    }
}
