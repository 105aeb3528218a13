//! Kernels with a mistake that only checks find: `//@ report: TEXT at LINE` for each thing that is
//! reported and nothing else is. With the macro `FIXED` they are right, and nothing is reported.

use super::rendered_reports;
use crate::case::read;
use crate::files::kernels_in;
use tutor::device::grouped;
use tutor::engine::{Checks, Control, Options, run};
use tutor::launch::{Ending, KernelSource, Outcome, Plan};
use tutor::source::{Severity, SourceFile};

fn execute(plan: &Plan, options: &Options) -> Outcome {
    let control = Control::default();
    run(plan, options, &control).expect("buffers can be filled")
}

fn checked() -> Options {
    Options {
        checks: Checks::ALL,
        ..Options::default()
    }
}

/// What was reported, each as its message and line.
fn reports(plan: &Plan, outcome: &Outcome) -> Vec<(String, u32)> {
    let file = &plan.sources[0].file;
    let reports = outcome.reports.iter().map(|report| {
        let line = file.line(report.diagnostic.span().start);
        (report.diagnostic.message.clone(), line)
    });
    reports.collect()
}

/// The same of what is wrong, or may be.
fn warnings(plan: &Plan, outcome: &Outcome) -> Vec<(String, u32)> {
    let mut outcome = outcome.clone();
    outcome
        .reports
        .retain(|report| report.diagnostic.severity < Severity::Remark);
    reports(plan, &outcome)
}

#[test]
fn each_mistake_is_found_where_it_is_and_nothing_in_the_mended_kernel() {
    let paths = kernels_in("checks");
    assert!(paths.len() >= 10, "the fixtures are there");
    let mut faults = String::new();
    for path in paths {
        let mut plan = read(&path).plan;
        let text = plan.sources[0].file.text().to_owned();
        let notes = text.lines().filter_map(|line| {
            let (text, line) = line.strip_prefix("//@ report: ")?.rsplit_once(" at ")?;
            Some((text.to_owned(), line.parse().expect("is a line")))
        });
        let expected: Vec<(String, u32)> = notes.collect();
        let outcome = execute(&plan, &checked());
        faults += &mismatch(&plan, &outcome, &expected);
        if text.contains("FIXED") {
            plan.sources[0].defines = vec![("FIXED".to_owned(), "1".to_owned())];
            let outcome = execute(&plan, &checked());
            faults += &mismatch(&plan, &outcome, &[]);
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// What was reported but not expected, or expected but not reported.
fn mismatch(plan: &Plan, outcome: &Outcome, expected: &[(String, u32)]) -> String {
    let mut left = expected.to_vec();
    let mut surprises = Vec::new();
    for (message, line) in reports(plan, outcome) {
        let told = |(text, at): &(String, u32)| message.starts_with(text) && *at == line;
        match left.iter().position(told) {
            Some(found) => drop(left.remove(found)),
            None => surprises.push((message, line)),
        }
    }
    if left.is_empty() && surprises.is_empty() {
        return String::new();
    }
    let (name, all) = (plan.sources[0].file.name(), rendered_reports(plan, outcome));
    format!("{name}\nmissing {left:?}\nsurprising {surprises:?}\n{all}\n\n")
}

#[test]
fn checks_change_no_count_and_find_nothing_in_good_kernels() {
    let one = Options {
        threads: 1,
        ..Options::default()
    };
    for path in kernels_in("execution") {
        let plan = read(&path).plan;
        let plain = execute(&plan, &one);
        if plain.ending != Ending::Finished {
            continue; // Its fault is what the fixture expects.
        }
        let checked = execute(&plan, &checked());
        // What the compiler warns of is told without checks, too.
        assert_eq!(
            warnings(&plan, &checked),
            warnings(&plan, &plain),
            "{}",
            rendered_reports(&plan, &checked)
        );
        let seeded = Options {
            schedule: Some(7),
            ..Options::default()
        };
        assert!(checked.launches == plain.launches, "{}", path.display());
        assert_eq!(checked.buffers, plain.buffers, "{}", path.display());
        // What an atomic operation gives back may depend on the order.
        if !plan.sources[0].file.text().contains("atomic") {
            let seeded = execute(&plan, &seeded);
            assert!(seeded.buffers == plain.buffers, "{}", path.display());
        }
    }
    for path in kernels_in("checks") {
        let plan = read(&path).plan;
        // Blocks that race give another result in another order.
        let plain = execute(&plan, &one);
        let checked = execute(&plan, &checked());
        assert_eq!(checked.launches, plain.launches, "{}", path.display());
        assert_eq!(checked.buffers, plain.buffers, "{}", path.display());
    }
}

#[test]
fn some_order_shows_that_a_race_decides_the_result() {
    let race = |name: &str| {
        let path = kernels_in("checks");
        let path = path.iter().find(|path| path.ends_with(name));
        read(path.expect("is there")).plan
    };
    let differs = |plan: &Plan, seed| {
        let options = Options {
            schedule: Some(seed),
            ..Options::default()
        };
        let outcome = execute(plan, &options);
        let mut reports = outcome.reports.iter();
        reports.any(|report| {
            report.diagnostic.severity == Severity::Error
                && report.diagnostic.message.contains("depends on the order")
        })
    };
    let mut plan = race("missing_barrier.cu");
    assert!((0..4).any(|seed| differs(&plan, seed)));
    plan.sources[0].defines = vec![("FIXED".to_owned(), "1".to_owned())];
    assert!(!(0..4).any(|seed| differs(&plan, seed)));
}

/// The load requests of each launch of `apart.cu` with a macro, or with something before each loop, and what is remarked.
fn apart(name: Option<&str>, before_loops: &str) -> (Vec<u64>, Vec<String>) {
    let paths = kernels_in("checks");
    let path = paths.iter().find(|path| path.ends_with("apart.cu"));
    let mut plan = read(path.expect("is there")).plan;
    let defines = name.map(|name| (name.to_owned(), "1".to_owned()));
    let text = plan.sources[0].file.text();
    let text = text.replace("    for (", &format!("{before_loops}    for ("));
    let file = SourceFile::new("apart.cu", &text);
    plan.sources[0] = KernelSource::new(file, defines.into_iter().collect());
    let outcome = execute(&plan, &checked());
    let said = outcome.reports.iter().map(|report| {
        let found = &report.diagnostic;
        let help = found.help.as_deref().unwrap_or_default();
        assert_eq!(found.severity, Severity::Remark);
        format!("{}; {help}", found.message)
    });
    let requests = outcome.launches.iter();
    let requests = requests.map(|launch| launch.counts.global_load.requests);
    (requests.collect(), said.collect())
}

#[test]
fn what_is_said_of_lanes_that_load_apart_is_what_is_counted() {
    let (now, said) = apart(None, "");
    let (rolled, nothing) = apart(None, "#pragma unroll 1\n");
    let (padded, _) = apart(Some("PADDED"), "");
    assert!(nothing.is_empty());
    // In `rows` a warp also loads the lengths.
    let own = [0, 2];
    for (at, said) in said.iter().take(2).enumerate() {
        let [now, rolled, padded] = [&now, &rolled, &padded].map(|of| of[at] - own[at]);
        let mut expected = format!(
            "load apart: {} requests, where {} would do; put `#pragma unroll 1` before the loop ({1})",
            grouped(now),
            grouped(rolled)
        );
        // A few requests less are not worth a word.
        if 20 * (now - padded) > now {
            expected += &format!(
                ", or pad what each lane does to a multiple of 4 ({})",
                grouped(padded)
            );
        }
        assert!(said.ends_with(&expected), "{said}\n{expected}");
    }
}
