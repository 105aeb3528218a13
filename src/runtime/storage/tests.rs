//! Files that are well, damaged, newer, shared and refused.

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn seen(cell: &str) -> Change {
    Change::Place {
        lesson: "softmax".to_owned(),
        cell: cell.to_owned(),
    }
}

/// Lets a storage write `changes` to `folder` and end; what it had to say.
fn keep(folder: &Path, changes: impl IntoIterator<Item = Change>) -> Vec<String> {
    let (sender, receiver) = mpsc::channel();
    let storage = Storage::start(Some(folder.to_owned()), sender);
    for change in changes {
        storage.keep(change);
    }
    drop(storage);
    let notices = receiver.try_iter().filter_map(|event| match event {
        Event::Session(msg) => match *msg {
            Msg::Notice(notice) => Some(notice),
            _ => None,
        },
        _ => None,
    });
    notices.collect()
}

#[test]
fn what_is_written_is_read_again() {
    let folder = folder();
    let state = folder.path().join("not/there/yet");
    assert_eq!(load(Some(&state)), (Kept::default(), None));
    assert_eq!(keep(&state, [seen("one"), seen("two")]), [""; 0]);
    let (kept, notice) = load(Some(&state));
    assert_eq!(kept.lessons["softmax"].place.as_deref(), Some("two"));
    assert_eq!(notice, None);
}

#[test]
fn several_notebooks_keep_what_each_of_them_did() {
    let folder = folder();
    thread::scope(|scope| {
        for notebook in 0..4 {
            let path = folder.path();
            scope.spawn(move || keep(path, (0..8).map(|cell| seen(&format!("{notebook}-{cell}")))));
        }
    });
    let (kept, _) = load(Some(folder.path()));
    assert_eq!(kept.lessons["softmax"].seen.len(), 32);
}

#[test]
fn a_damaged_file_is_kept_aside_and_named() {
    let folder = folder();
    let path = folder.path().join(FILE);
    for (round, text) in [
        "{\"format\": 1, \"les",
        "[]",
        "\u{0}",
        "{\"format\":1,\"lessons\":7}",
    ]
    .iter()
    .enumerate()
    {
        fs::write(&path, text).expect("writes");
        let (kept, notice) = load(Some(folder.path()));
        assert_eq!(kept, Kept::default());
        let aside = folder
            .path()
            .join(format!("notebook.damaged-{}.json", round + 1));
        assert_eq!(fs::read_to_string(&aside).expect("is kept"), *text);
        let notice = notice.expect("the learner is told");
        assert!(
            notice.contains(&aside.display().to_string()) && notice.contains("damaged"),
            "{notice}"
        );
        assert_eq!(keep(folder.path(), [seen("after")]), [""; 0]);
    }
}

#[test]
fn a_file_damaged_while_the_notebook_is_open_is_kept_aside_too() {
    let folder = folder();
    let path = folder.path().join(FILE);
    fs::write(&path, "half").expect("writes");
    let notices = keep(folder.path(), [seen("one")]);
    assert!(
        notices[0].contains("notebook.damaged-1.json"),
        "{notices:?}"
    );
    assert!(load(Some(folder.path())).0.lessons.contains_key("softmax"));
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let folder = folder();
    let path = folder.path().join(FILE);
    let text = "{\"format\": 2, \"lessons\": \"as never before\"}";
    fs::write(&path, text).expect("writes");
    let (kept, notice) = load(Some(folder.path()));
    assert_eq!(kept, Kept::default());
    assert!(notice.is_some_and(|notice| notice.contains("newer version")));
    let notices = keep(folder.path(), [seen("one"), seen("two")]);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(fs::read_to_string(&path).expect("is there"), text);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_notice() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writes");
    // No folder can be made under a file, whoever runs this.
    let notices = keep(&file.join("state"), [seen("one")]);
    assert_eq!(notices.len(), 1);
    assert!(
        notices[0].starts_with("progress is not kept in"),
        "{notices:?}"
    );
    assert!(
        load(None)
            .1
            .is_some_and(|notice| notice.contains("TUTOR_STATE"))
    );
}
