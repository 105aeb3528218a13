//! A person who never tires, and never reads what is on screen: keys, mouse, pasted text, sequences that break off,
//! sizes and signals at random, over every lesson.
//!
//! `cargo test --release --test soak -- --nocapture` takes a minute; `TUTOR_SOAK_SECONDS` asks for another time,
//! `TUTOR_SOAK_SEED` for other randomness. Whatever happens, the notebook answers a key within a second, ends with
//! the exit code of how it was ended, leaves the terminal as it was, and needs no more memory than at first.

mod measure;
mod random;
mod soak;

#[path = "../tutor/driver.rs"]
mod driver;

use std::time::Duration;

use soak::Soak;

#[test]
fn the_notebook_outlasts_whatever_comes() {
    let seconds = number("TUTOR_SOAK_SECONDS").unwrap_or(60);
    let seed = number("TUTOR_SOAK_SEED").unwrap_or(1);
    println!("seed {seed}, {seconds} s");
    let mut soak = Soak::new(seed, Duration::from_secs(seconds));
    let lessons = lessons();
    let mut visits = lessons.iter().cycle();
    while let (false, Some((id, title))) = (soak.is_over(), visits.next()) {
        soak.visit(id, title);
    }
    let failures = soak.finish();
    assert!(
        failures.is_empty(),
        "seed {seed}:\n{}",
        failures.join("\n\n")
    );
}

/// What an environment variable asks for.
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("is a number"))
}

/// The names and titles of all lessons.
fn lessons() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/lessons");
    let mut lessons = Vec::new();
    for entry in std::fs::read_dir(folder).expect("is a folder") {
        let path = entry.expect("can be read").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("is text");
        let title = text
            .lines()
            .find_map(|line| line.strip_prefix("title = \""));
        let title = title.expect("has a title").trim_end_matches('"');
        let id = path.file_stem().expect("has a name").to_string_lossy();
        lessons.push((id.into_owned(), title.to_owned()));
    }
    lessons.sort();
    lessons
}
