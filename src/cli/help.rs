//! `tutor help`: how to use a command, and pages about what no single command explains.
//!
//! The texts are Markdown files under `assets/help`. What a table of the program says is made from that table: the keys
//! of the notebook, and the names of counts.

use std::collections::BTreeMap;

use clap::{Args, Command};

use super::output::{Output, Stop};
use crate::app::keys_by_place;
use crate::cuda::function_help;
use crate::document::{Block, Depth, Table, Theme, plain};
use crate::launch::{HARDWARE_COUNTERS, Measure};
use crate::lesson::{CHOSEN, cell_keys};
use crate::source::nearest;

/// A page of help.
struct Topic {
    name: &'static str,
    summary: &'static str,
    text: &'static str,
    /// What stands under the text, from a table of the program.
    tables: fn() -> Vec<Block>,
}

const TOPICS: [Topic; 10] = [
    Topic {
        name: "keys",
        summary: "every key of the notebook",
        text: "# Keys of the notebook\n\nThe bottom line of the notebook shows the keys that work where you are.",
        tables: keys,
    },
    Topic {
        name: "notebook",
        summary: "links, edits, presentations, themes, and what is saved between two visits",
        text: include_str!("../../assets/help/notebook.md"),
        tables: Vec::new,
    },
    Topic {
        name: "counts",
        summary: "what is counted, and its names in lessons, JSON and Nsight Compute",
        text: include_str!("../../assets/help/counts.md"),
        tables: counts,
    },
    Topic {
        name: "cuda",
        summary: "the functions of CUDA that kernels may call here",
        text: include_str!("../../assets/help/cuda.md"),
        tables: functions,
    },
    Topic {
        name: "trust",
        summary: "where each kind of number comes from, and how far to trust it",
        text: include_str!("../../assets/help/trust.md"),
        tables: Vec::new,
    },
    Topic {
        name: "programs",
        summary: "running whole CUDA programs: what they may use, and what is reported",
        text: include_str!("../../assets/help/programs.md"),
        tables: Vec::new,
    },
    Topic {
        name: "triton",
        summary: "running Triton kernels: how they are launched, what is modelled",
        text: include_str!("../../assets/help/triton.md"),
        tables: Vec::new,
    },
    Topic {
        name: "gpu",
        summary: "running on a real GPU, recording its results, and what is not supported",
        text: include_str!("../../assets/help/gpu.md"),
        tables: Vec::new,
    },
    Topic {
        name: "cells",
        summary: "every key of a lesson and its cells, from the code that reads them",
        text: include_str!("../../assets/help/cells.md"),
        tables: cells,
    },
    Topic {
        name: "authors",
        summary: "how to write a lesson",
        text: include_str!("../../assets/help/authors.md"),
        tables: Vec::new,
    },
];

#[derive(Debug, Args)]
#[command(after_help = topics())]
pub(super) struct HelpArguments {
    /// A topic, or a command such as `run lesson`.
    #[arg(value_name = "TOPIC | COMMAND")]
    pub names: Vec<String>,
}

/// The list of topics, below the options.
fn topics() -> String {
    let topics = TOPICS.iter();
    let lines = topics.map(|topic| format!("\n  {:8}  {}", topic.name, topic.summary));
    format!("Topics:{}", lines.collect::<String>())
}

/// Prints the page of a topic, or how a command of `program` is used, or how the program itself is.
pub(super) fn help(
    arguments: &HelpArguments,
    program: Command,
    output: &Output,
) -> Result<bool, Stop> {
    let names: Vec<&str> = arguments.names.iter().map(String::as_str).collect();
    let text = match names.as_slice() {
        // Topics come first; a test holds that none has the name of a command.
        [name] if topic(name).is_some() => topic(name).map(page).unwrap_or_default(),
        names => usage(names, program)?,
    };
    output.print(&text)?;
    Ok(true)
}

fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

fn page(topic: &Topic) -> String {
    let mut blocks = vec![Block::Prose(topic.text.to_owned())];
    blocks.extend((topic.tables)());
    // Prose keeps its distance to what stands before it; here nothing does.
    plain(&blocks).trim_start().to_owned()
}

/// What `--help` says of a command of `program`.
fn usage(names: &[&str], program: Command) -> Result<String, Stop> {
    let mut command = &program;
    for name in names {
        let found = command.find_subcommand(name);
        command = found
            .filter(|found| !found.is_hide_set())
            .ok_or_else(|| unknown(name, command))?;
    }
    // Parsed as if it had been typed: then long and short descriptions are chosen as `--help` chooses them.
    let line = ["tutor"].iter().chain(names).chain(&["--help"]);
    match program.clone().try_get_matches_from(line) {
        Err(help) => Ok(help.render().to_string()),
        Ok(_) => Ok(String::new()),
    }
}

fn unknown(name: &str, command: &Command) -> Stop {
    let commands = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let mut names: Vec<&str> = commands.map(Command::get_name).collect();
    names.extend(TOPICS.iter().map(|topic| topic.name));
    // `tutor help key` is one letter off.
    let guess = nearest(name, names.iter().copied());
    let guess = guess.first().map(|guess| format!("; perhaps `{guess}`"));
    let topics = TOPICS.map(|topic| topic.name).join(", ");
    Stop::Usage(format!(
        "there is no topic and no command `{name}`{}\n  topics are {topics}; `tutor help` lists the commands",
        guess.unwrap_or_default()
    ))
}

/// The table of keys, place by place.
fn keys() -> Vec<Block> {
    let parts = keys_by_place(Theme::new(Depth::None, true));
    let tables = parts.into_iter().filter(|(_, rows)| !rows.is_empty());
    let tables = tables.map(|(place, rows)| {
        let rows = rows.into_iter();
        let rows = rows.map(|(keys, words)| vec![keys, words.to_owned()]);
        Block::Table(Table::new(place, &[], 2, rows.collect()))
    });
    tables.collect()
}

/// The table of measures: those that lessons or JSON name, and those of the hardware.
fn counts() -> Vec<Block> {
    let named = Measure::ALL
        .iter()
        .filter(|measure| measure.name_in_lessons().is_some() || measure.json_path().is_some());
    let rows = named.map(|measure| {
        vec![
            measure.name_in_lessons().unwrap_or_default(),
            measure.json_path().unwrap_or_default(),
            measure.unit(),
            measure.evidence().word(),
        ]
    });
    let header = ["in lessons", "in JSON", "unit", ""];
    let names = Table::new("Counts", &header, 4, rows.collect());
    let hardware = HARDWARE_COUNTERS.iter().flat_map(|counter| {
        let adds = counter.adds.iter().map(|name| format!("  + {name}"));
        let takes = counter.takes.iter().map(|name| format!("  - {name}"));
        let metrics = adds.chain(takes).collect::<Vec<_>>();
        std::iter::once(counter.name.to_owned()).chain(metrics)
    });
    vec![
        Block::Table(names),
        Block::Lines {
            title: "Beside Nsight Compute's counters".to_owned(),
            lines: hardware.collect(),
            is_code: true,
        },
    ]
}

/// CUDA's functions, as their table has them.
fn functions() -> Vec<Block> {
    // A line each, so that `grep` finds what is asked for; as columns they would be wider than a screen.
    let lines = function_help().into_iter();
    let lines = lines.map(|help| format!("{}: {}", help.signature, help.text));
    vec![Block::Lines {
        title: "Functions".to_owned(),
        lines: lines.collect(),
        is_code: true,
    }]
}

/// Prints what completes the command line in a shell.
pub(super) fn complete(
    shell: clap_complete::Shell,
    mut program: Command,
    output: &Output,
) -> Result<bool, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "tutor", &mut script);
    output.print(&String::from_utf8_lossy(&script))?;
    Ok(true)
}

/// What each key means, by what it belongs to.
type KeyMeanings = BTreeMap<String, BTreeMap<String, String>>;

fn key_meanings() -> KeyMeanings {
    // A test reads it.
    toml::from_str(include_str!("../../assets/help/cell_keys.toml")).unwrap_or_default()
}

/// A table for each thing that is described in TOML.
fn cells() -> Vec<Block> {
    let (keys, meanings) = (cell_keys(), key_meanings());
    let mut things: Vec<&str> = Vec::new();
    for key in &keys {
        if !things.contains(&key.of) {
            things.push(key.of);
        }
    }
    let table = |of: &&str| {
        let keys = keys.iter().filter(|key| key.of == *of);
        let rows = keys.map(|key| {
            let meaning = meanings.get(*of).and_then(|keys| keys.get(key.name));
            let is_optional = !key.is_required && key.name != CHOSEN;
            let optional = if is_optional { ", optional" } else { "" };
            vec![
                key.name.to_owned(),
                format!("{}{optional}", key.kind),
                meaning.cloned().unwrap_or_default(),
            ]
        });
        let mut table = Table::new(*of, &["key", "value", "meaning"], 3, rows.collect());
        table.ends_in_words = true;
        Block::Table(table)
    };
    things.iter().map(table).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use clap::CommandFactory;

    use crate::app::commands;
    use crate::lesson::{Cell, load_all};

    #[test]
    fn every_key_of_a_cell_is_explained_and_no_other() {
        let explained = key_meanings();
        let explained = explained
            .iter()
            .flat_map(|(of, keys)| keys.keys().map(move |key| format!("{of}: {key}")));
        let asked: BTreeSet<String> = cell_keys()
            .iter()
            .map(|key| format!("{}: {}", key.of, key.name))
            .collect();
        assert_eq!(explained.collect::<BTreeSet<_>>(), asked);
    }

    #[test]
    fn every_topic_is_a_page_of_plain_text() {
        for topic in &TOPICS {
            let text = page(topic);
            assert!(text.lines().count() > 8, "{}: {text}", topic.name);
            assert!(
                !text.starts_with('\n') && text.ends_with('\n'),
                "{}",
                topic.name
            );
            let commands = crate::cli::arguments::Arguments::command();
            assert!(
                commands.find_subcommand(topic.name).is_none(),
                "{}",
                topic.name
            );
            assert!(!text.lines().any(|line| line.starts_with('#')), "{text}");
        }
    }

    #[test]
    fn the_keys_are_those_of_the_table() {
        let text = topic("keys").map(page).expect("is a topic");
        for command in commands() {
            assert!(text.contains(command.words), "{}", command.words);
        }
    }

    #[test]
    fn the_manual_for_authors_names_every_kind_of_cell_and_figure_that_lessons_have() {
        let text = topic("authors").map(page).expect("is a topic");
        for (id, lesson) in load_all() {
            for cell in lesson.unwrap_or_else(|_| panic!("{id} reads")).cells {
                if let Cell::Figure(figure) = &cell {
                    let kind = format!("`{}`", figure.kind_name().name());
                    assert!(text.contains(&kind), "{kind}");
                }
                let Some(kind) = cell.kind() else { continue };
                let kind = format!("`{} ID`", kind.name());
                assert!(text.contains(&kind), "{kind}");
            }
        }
    }
}
