//! What a teacher does: a lesson from the template, a folder of lessons, a class's answers graded.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Run, run};

fn tutor(arguments: &[&str]) -> Run {
    run(arguments, &[])
}

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

/// A folder with a lesson `first` as `tutor new lesson` writes it.
fn course() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let made = tutor(&["new", "lesson", "first", "--folder", path(folder.path())]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    folder
}

fn path(path: &Path) -> &str {
    path.to_str().expect("is text")
}

#[test]
fn a_new_lesson_passes_its_check_and_replaces_nothing() {
    let folder = course();
    let lesson = folder.path().join("first.md");
    let checked = tutor(&["check", path(&lesson)]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("1 exercise:"), "{}", checked.stdout);
    assert!(!checked.stdout.contains("warning"), "{}", checked.stdout);
    fs::write(&lesson, "mine").expect("is written");
    let again = tutor(&["new", "lesson", "first", "--folder", path(folder.path())]);
    assert_eq!(again.code, 2);
    assert_eq!(fs::read_to_string(&lesson).expect("is there"), "mine");
    for name in ["softmax", "Two Words", "../up"] {
        assert_eq!(tutor(&["new", "lesson", name]).code, 2, "{name}");
    }
}

#[test]
fn a_folder_of_lessons_is_listed_run_practised_and_its_mistakes_are_told_at_their_line() {
    let folder = course();
    let lessons = ["--lessons", path(folder.path())];
    let with = |arguments: &[&str]| tutor(&[arguments, &lessons[..]].concat());
    let listed = json_of(&with(&["list", "--json"]));
    let ids = listed["lessons"].as_array().expect("a list").iter();
    assert_eq!(
        ids.map(|lesson| lesson["id"].clone()).collect::<Vec<_>>(),
        ["first"]
    );
    let ran = json_of(&with(&["run", "lesson", "first", "--json"]));
    assert_eq!(
        (&ran["lesson"], &ran["ok"]),
        (&json!("first"), &json!(true))
    );
    let exercises = json_of(&with(&["practice", "--list", "--json"]));
    assert_eq!(exercises["exercises"][0]["id"], "first-by-four");
    // Those that come with the program are found by name all the same.
    assert_eq!(
        with(&["run", "lesson", "coalescing", "--cell", "stride", "--json"]).code,
        0
    );
    let file = folder.path().join("first.md");
    let text = fs::read_to_string(&file).expect("is there");
    let line = text
        .lines()
        .position(|line| line.starts_with("margin"))
        .expect("has a margin")
        + 1;
    fs::write(&file, text.replace("margin =", "margn =")).expect("is written");
    let broken = with(&["list"]);
    assert_eq!(broken.code, 1);
    for part in [
        format!("first.md:{line}:"),
        "perhaps `margin` is meant".to_owned(),
    ] {
        assert!(broken.stderr.contains(&part), "{part}: {}", broken.stderr);
    }
    let none = tutor(&["list", "--lessons", path(&folder.path().join("nowhere"))]);
    assert_eq!(none.code, 2, "{}", none.stderr);
}

const RIGHT: &str = "\
__global__ void relu(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}
";

#[test]
fn a_class_is_graded_each_answer_within_its_limits() {
    let folder = tempfile::tempdir().expect("a folder");
    let answers = [
        ("ada", RIGHT.to_owned()),
        (
            "bob",
            RIGHT
                .replace("int i", "// my own\nint mine")
                .replace("(i <", "(mine <")
                .replace("[i]", "[mine]"),
        ),
        ("cyn", RIGHT.replace("i < count", "i <= count")),
        ("dan", RIGHT.replace("y[i] =", "while (true) y[i] =")),
        (
            "eve",
            "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\nB(B(int))\n"
                .to_owned()
                + RIGHT,
        ),
    ];
    for (student, text) in &answers {
        let own = folder.path().join(student);
        fs::create_dir(&own).expect("is made");
        fs::write(own.join("guard.cu"), text).expect("is written");
    }
    fs::write(folder.path().join("eve/other.cu"), "").expect("is written");
    // Lines of what it leads to would be printed.
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("eve/write-add.cu"))
        .expect("is made");
    let graded = tutor(&["grade", path(folder.path()), "--seconds", "8", "--json"]);
    let all = json_of(&graded);
    let of = |key: &str| -> Vec<Value> {
        let all = all["answers"].as_array().expect("a list").iter();
        all.map(|answer| answer.pointer(key).cloned().unwrap_or(Value::Null))
            .collect()
    };
    assert_eq!(of("/student"), ["ada", "bob", "cyn", "dan", "eve"]);
    assert_eq!(of("/passed"), [true, true, false, false, false]);
    let found = of("/feedback/finding");
    assert_eq!(found[2], "out of bounds");
    assert_eq!(found[4], "does not compile");
    assert_eq!(found[3], "takes too long");
    assert_eq!(of("/same_as")[..2], [json!(["bob"]), json!(["ada"])]);
    assert_eq!(
        all["students"][2],
        json!({ "student": "cyn", "solved": 0, "answered": 1 })
    );
    assert_eq!(
        all["not_graded"].as_array().map(Vec::len),
        Some(2),
        "{}",
        all["not_graded"]
    );
    assert!(!graded.stdout.contains("root:"), "{}", graded.stdout);
}

#[test]
fn one_exercise_may_have_a_file_for_each_student_and_a_table_for_spreadsheets() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ada.cu"), RIGHT).expect("is written");
    fs::write(folder.path().join("bob.cu"), RIGHT.replace("fmaxf", "fmxf")).expect("is written");
    fs::write(folder.path().join("cyn.py"), RIGHT).expect("is written");
    let graded = tutor(&["grade", path(folder.path()), "--exercise", "guard", "--csv"]);
    assert_eq!(graded.code, 0, "{}", graded.stderr);
    let mut table = csv::Reader::from_reader(graded.stdout.as_bytes());
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("is CSV")).collect();
    let cells: Vec<_> = rows.iter().map(|row| (&row[0], &row[3], &row[4])).collect();
    assert_eq!(
        cells,
        [
            ("ada", "true", "passed"),
            ("bob", "false", "does not compile")
        ]
    );
    assert!(graded.stderr.contains("cyn.py"), "{}", graded.stderr);
    let empty = tutor(&["grade", path(&folder.path().join("none"))]);
    assert_eq!(empty.code, 2);
}
