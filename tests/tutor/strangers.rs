//! Files of strangers: what is no file at all, what lies outside, and what must not be written over.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Run, run, tutor};

const KERNEL: &str = "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n";

/// Runs [`KERNEL`] from the file at `path` over a buffer that begins with `init`.
fn twice(path: &Path, init: &str) -> Run {
    let path = path.display().to_string();
    let line = format!(
        "run kernel {path} --kernel twice --grid 1 --block 8 --engine sim --json --arg f32[8]:{init}"
    );
    tutor(&line.split(' ').collect::<Vec<_>>())
}

fn pipe(path: PathBuf) -> PathBuf {
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo starts").success());
    path
}

/// A lesson that reads, with one kernel to be read from `source`.
fn lesson(source: &str) -> String {
    format!(
        "+++\nid = \"mine\"\ntitle = \"T\"\nsummary = \"S\"\nminutes = 1\n+++\nText.\n\n\
         ```kernel seen\ntitle = \"Seen\"\nsource = \"{source}\"\nkernel = \"twice\"\n```\n"
    )
}

#[test]
fn what_is_no_regular_file_is_refused_at_once_wherever_it_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (pipe, huge) = (pipe(at("pipe")), at("huge.npy"));
    fs::write(at("twice.cu"), KERNEL).expect("is written");
    let sparse = fs::File::create(&huge).expect("is made");
    sparse.set_len(1 << 42).expect("is long");
    symlink(&pipe, at("pipe.npy")).expect("is made");
    symlink("/dev/zero", at("zero.npy")).expect("is made");
    symlink(&pipe, at("pipe.md")).expect("is made");
    for (path, says) in [
        (pipe.as_path(), "a pipe"),
        (Path::new("/dev/zero"), "a device"),
        (huge.as_path(), "at most 16777216 are read"),
        (folder.path(), "a folder"),
    ] {
        let run = twice(path, "zero");
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(says), "{says}: {}", run.stderr);
    }
    for (file, says) in [
        ("pipe.npy", "a pipe"),
        ("zero.npy", "a device"),
        ("huge.npy", "not a NumPy file"),
    ] {
        let run = twice(&at("twice.cu"), &at(file).display().to_string());
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains(says), "{says}: {}", run.stderr);
    }
    let run = tutor(&["run", "lesson", &at("pipe.md").display().to_string()]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("a pipe"), "{}", run.stderr);
}

#[test]
fn a_recording_that_is_a_pipe_is_as_if_there_were_none() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("h200")).expect("is made");
    pipe(folder.path().join("h200/warps.json"));
    let line = ["run", "lesson", "warps", "--cell", "mixed", "--json"];
    let run = run(&line, &[("TUTOR_RECORDINGS", folder.path())]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_lesson_prints_nothing_from_outside_of_its_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for made in ["project/lessons", "project/kernels"] {
        fs::create_dir_all(at(made)).expect("is made");
    }
    fs::write(at("secret.cu"), KERNEL).expect("is written");
    fs::write(at("project/kernels/own.cu"), KERNEL).expect("is written");
    symlink(at("secret.cu"), at("project/kernels/link.cu")).expect("is made");
    pipe(at("project/kernels/pipe.cu"));
    let file = at("project/lessons/mine.md");
    let shown = |source: &str| {
        fs::write(&file, lesson(source)).expect("is written");
        tutor(&["run", "lesson", &file.display().to_string(), "--plain"])
    };
    let own = shown("own.cu");
    assert_eq!(own.code, 0, "{}", own.stderr);
    assert!(own.stdout.contains("*= 2"), "{}", own.stdout);
    let secret = at("secret.cu").display().to_string();
    for source in [&secret, "../../secret.cu", "link.cu", "/etc/passwd"] {
        let run = shown(source);
        assert_eq!(run.code, 1, "{source}: {}", run.stdout);
        let said = run.stdout + &run.stderr;
        assert!(said.contains("leads out of the lesson's folder"), "{said}");
        assert!(!said.contains("*= 2") && !said.contains("root:"), "{said}");
    }
    assert!(shown("pipe.cu").stderr.contains("a pipe"));
    // A link to a lesson outside is not followed where nobody named it.
    fs::write(&file, lesson("own.cu")).expect("is written");
    symlink(at("secret.cu"), at("project/lessons/other.md")).expect("is made");
    let run = tutor(&["check", &at("project").display().to_string()]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("other.md leads out"), "{}", run.stderr);
}

#[test]
fn the_name_of_a_lesson_leads_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.md");
    for id in ["../../outside", "a/b", "", ".."] {
        let text = lesson("softmax/fused.cu").replace("\"mine\"", &format!("\"{id}\""));
        fs::write(&file, text).expect("is written");
        let run = tutor(&["run", "lesson", &file.display().to_string(), "--plain"]);
        assert_eq!(run.code, 1, "{id}: {}", run.stdout);
        assert!(
            run.stderr.contains("is no id of a lesson"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn an_export_replaces_regular_files_alone_and_others_may_read_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let export = |name: &Path| {
        let out = name.display().to_string();
        let line = [
            "export", "hardware", "--format", "md", "--force", "--out", &out,
        ];
        tutor(&line)
    };
    fs::write(at("precious.md"), "precious").expect("is written");
    symlink(at("precious.md"), at("link.md")).expect("is made");
    for (path, says) in [
        (at("link.md"), "a symbolic link"),
        (pipe(at("pipe.md")), "a pipe"),
        ("/dev/null".into(), "a device"),
    ] {
        let run = export(&path);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains(says), "{says}: {}", run.stderr);
    }
    assert_eq!(fs::read(at("precious.md")).expect("is there"), b"precious");
    assert_eq!(export(&at("precious.md")).code, 0);
    fs::write(at("as programs do"), "").expect("is written");
    let mode = |name: &str| {
        fs::metadata(at(name))
            .expect("is there")
            .permissions()
            .mode()
    };
    assert_eq!(mode("precious.md"), mode("as programs do"));
}
