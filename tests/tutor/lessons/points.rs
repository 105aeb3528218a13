//! Points of figures: which runs they are of, and what is drawn where there is none.

use std::path::Path;

use tutor::device::gpu;
use tutor::document;
use tutor::launch::{Counts, Evidence, HARDWARE_COUNTERS, Timing, Work, Yardsticks};
use tutor::lesson::{
    Lesson, Plot, Sample, SampledLaunch, Series, Shape, Sizes, Sources, load_file,
};

use crate::files::fixture_path;
use crate::program::tutor;

fn lesson() -> Lesson {
    load_file(Path::new(&fixture_path("lessons/points.md"))).expect("reads")
}

fn sizes(list: &[(&str, u64)]) -> Sizes {
    let owned = list.iter().map(|&(name, value)| (name.to_owned(), value));
    owned.collect()
}

fn timing(ms: f32) -> Option<Timing> {
    let yardsticks = Yardsticks {
        device: "NVIDIA H200".to_owned(),
        l2: "flushed".to_owned(),
        peak_gb_s: None,
        copy_gb_s: None,
    };
    let work = Work {
        distinct_bytes: 8_000_000,
        operations: 1_000_000,
    };
    let mut timing = Timing::measured(&[ms], work, &yardsticks)?;
    timing.evidence = Evidence::Recorded;
    Some(timing)
}

/// A recorded run of `cell` as a recording has it, whose launches take `ms` each.
fn recorded(lesson: &Lesson, cell: &str, at: &[(&str, u64)], ms: &[f32]) -> Sample {
    let run = lesson.run_cell(cell).expect("is there");
    let launch = |&ms: &f32| SampledLaunch {
        kernel: "doubled".to_owned(),
        block: [32, 1, 1],
        timing: timing(ms),
        counts: None,
        hardware: Vec::new(),
        compiled: None,
        work: None,
    };
    Sample {
        cell: cell.to_owned(),
        sizes: run.own_sizes(&sizes(at)),
        timing: timing(ms.iter().sum()),
        baselines: Vec::new(),
        counts: None,
        work: None,
        launches: ms.iter().map(launch).collect(),
    }
}

fn plot(lesson: &Lesson, id: &str, chosen: &[(&str, u64)], samples: &[Sample]) -> Plot {
    let figure = lesson.figures().find(|figure| figure.id == id);
    let plots = figure.expect("is there").plots(&Sources {
        lesson,
        sizes: &sizes(chosen),
        gpu: gpu("h200").expect("is there"),
        samples,
        tiles: &[],
    });
    plots.into_iter().next().expect("is a plot")
}

fn places(series: &Series) -> Vec<(f64, f64)> {
    let rounded = |y: f64| (1e3 * y).round() / 1e3;
    let points = series.points.iter();
    points.map(|point| (point.x, rounded(point.y))).collect()
}

#[test]
fn recorded_points_stay_whatever_is_chosen_for_sizes_that_the_cell_does_not_use() {
    let lesson = lesson();
    let samples = [
        // As recordings say it: a listed size at its default is left out, and others stand there as well.
        recorded(&lesson, "blocks", &[("N", 64), ("K", 32)], &[0.001]),
        recorded(&lesson, "blocks", &[("N", 1000), ("K", 32)], &[0.002]),
        recorded(
            &lesson,
            "blocks",
            &[("N", 1000), ("K", 32), ("B", 256)],
            &[0.003],
        ),
    ];
    let drawn = |chosen: &[(&str, u64)]| {
        let plot = plot(&lesson, "over-n", chosen, &samples);
        (places(&plot.series[0]), plot.notes)
    };
    let (points, notes) = drawn(&[("N", 5), ("K", 7)]);
    assert_eq!(points, [(64.0, 1.0), (1000.0, 2.0)]);
    assert_eq!(notes, ["at B = 128"], "K is none of its sizes");
    let (points, notes) = drawn(&[("N", 5), ("K", 7), ("B", 256)]);
    assert_eq!(
        (points, notes),
        (vec![(1000.0, 3.0)], vec!["at B = 256".to_owned()])
    );
}

#[test]
fn times_as_a_graph_stand_beside_those_of_the_launches_where_they_are_known() {
    let lesson = lesson();
    let mut samples = [
        recorded(&lesson, "other", &[("K", 32)], &[0.004, 0.001]),
        recorded(&lesson, "other", &[("K", 500)], &[0.006, 0.002]),
    ];
    let timing = samples[1].timing.take().expect("is timed");
    samples[1].timing = Some(timing.with_graph(&[0.003]));
    let plot = plot(&lesson, "as-graphs", &[("K", 32)], &samples);
    assert_eq!(places(&plot.series[0]), [(32.0, 5.0), (500.0, 8.0)]);
    assert_eq!(plot.series[1].name, "other, as one CUDA graph");
    assert_eq!(places(&plot.series[1]), [(500.0, 3.0)]);
}

#[test]
fn a_size_with_listed_values_has_its_default_on_the_axis() {
    let lesson = lesson();
    let samples = [
        recorded(&lesson, "blocks", &[("N", 1000)], &[0.002]),
        recorded(&lesson, "blocks", &[("N", 1000), ("B", 256)], &[0.003]),
        recorded(&lesson, "other", &[("K", 32), ("B", 64)], &[0.004, 0.001]),
    ];
    let plot = plot(&lesson, "over-b", &[("N", 64), ("K", 32)], &samples);
    assert_eq!(places(&plot.series[0]), [(128.0, 2.0), (256.0, 3.0)]);
    // What does not depend on B is the same at each of them.
    assert_eq!(places(&plot.series[1]), [(128.0, 5.0), (256.0, 5.0)]);
    assert_eq!(plot.series[1].points[0].says, "does not depend on B");
    assert_eq!(plot.notes, ["at N = 1,000, K = 32"]);
}

#[test]
fn the_formula_of_a_count_stands_at_values_that_the_size_can_have_and_as_steps() {
    let lesson = lesson();
    let listed = plot(&lesson, "requests", &[("N", 64)], &[]);
    assert_eq!(listed.series[0].shape, Shape::Marks);
    let points = [(64.0, 32.0), (128.0, 32.0), (256.0, 32.0)];
    assert_eq!(places(&listed.series[0]), points);
    let steps = plot(&lesson, "sectors", &[("N", 64)], &[]);
    let corners = places(&steps.series[0]);
    for pair in corners.windows(2) {
        let (along, up) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        assert!(along == 0.0 || up == 0.0 || along > 8.0, "{pair:?}");
    }
    assert_eq!(corners.last(), Some(&(4096.0, 512.0)));
}

#[test]
fn launches_stand_alone_and_sizes_may_be_tied() {
    let lesson = lesson();
    let samples = [
        recorded(&lesson, "other", &[("N", 64), ("K", 64)], &[0.001, 0.002]),
        recorded(&lesson, "other", &[("N", 64), ("K", 500)], &[0.001, 0.004]),
    ];
    // `other` does not use N, on the axis; K is N there.
    let plot = plot(&lesson, "launches", &[("N", 64), ("K", 7)], &samples);
    let names: Vec<&str> = plot
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    let launches = ["other, launch 1: doubled", "other, launch 2: doubled"];
    assert_eq!(names[..2], launches);
    // A million operations in a thousandth of a millisecond, and in two.
    assert_eq!(plot.series[0].points[0].y.round(), 1.0);
    assert!((plot.series[1].points[0].y - 0.5).abs() < 1e-6);
    assert_eq!(plot.notes[0], "at K = N");
}

#[test]
fn what_the_hardware_counted_stands_beside_what_we_count() {
    let lesson = lesson();
    let mut hardware = recorded(&lesson, "blocks", &[("N", 1000), ("B", 256)], &[0.002]);
    let at = HARDWARE_COUNTERS
        .iter()
        .position(|counter| counter.name == "global load sectors");
    let mut counters = vec![None; HARDWARE_COUNTERS.len()];
    counters[at.expect("is one")] = Some(126);
    hardware.launches[0].hardware = counters;
    let mut counted = recorded(&lesson, "blocks", &[("N", 1000), ("B", 256)], &[0.002]);
    let mut counts = Counts::default();
    counts.global_load.sectors = 125;
    (counted.counts, counted.timing) = (Some(counts), None);
    let plot = plot(&lesson, "sectors", &[("N", 1000)], &[hardware, counted]);
    let found: Vec<_> = plot.series[..2]
        .iter()
        .map(|series| (series.name.as_str(), places(series), series.evidence()))
        .collect();
    assert_eq!(
        found,
        [
            ("blocks", vec![(1000.0, 126.0)], vec![Evidence::Recorded]),
            ("blocks", vec![(1000.0, 125.0)], vec![Evidence::Counted]),
        ]
    );
    assert_eq!(plot.series[0].points[0].says, "the hardware's own counter");
}

#[test]
fn a_roofline_shows_the_recorded_runs_that_its_sizes_allow() {
    let lesson = lesson();
    let samples = [
        recorded(&lesson, "blocks", &[("N", 64)], &[0.001]),
        recorded(&lesson, "blocks", &[("N", 1000)], &[0.002]),
        recorded(&lesson, "blocks", &[("N", 1000), ("K", 500)], &[0.002]),
        recorded(&lesson, "blocks", &[("N", 1000), ("B", 256)], &[0.003]),
    ];
    let plot = plot(&lesson, "roof", &[("N", 64)], &samples);
    let own = plot.series.iter().find(|series| series.name == "blocks");
    let shown: Vec<Sizes> = own
        .into_iter()
        .flat_map(|series| series.points.iter().map(|point| point.sizes.clone()))
        .collect();
    let wanted = [128, 256].map(|threads| sizes(&[("B", threads), ("N", 1000)]));
    assert_eq!(
        shown, wanted,
        "each once, without the size of the other cell"
    );
    assert!(
        plot.notes
            .iter()
            .any(|note| note.starts_with("recorded runs at N = 1,000"))
    );
}

#[test]
fn of_what_is_not_known_no_axes_are_drawn() {
    let lesson = lesson();
    let empty = plot(&lesson, "over-n", &[("N", 64)], &[]);
    assert!(empty.series.is_empty());
    let figure = lesson.figures().next().expect("is there");
    assert_eq!(figure.title, "Time of blocks");
    let text = document::plain(&document::plots(figure, &[empty]));
    insta::assert_snapshot!(text);
}

#[test]
fn long_formulas_in_a_legend_wrap_and_keep_their_signs() {
    let lesson = lesson();
    let mut plot = plot(&lesson, "sectors", &[("N", 64)], &[]);
    plot.series[0].name = format!("blocks: {}", ["\u{2308}N / 8\u{2309}"; 20].join(" + "));
    let figure = lesson.figures().next().expect("is there");
    let text = document::plain(&document::plots(figure, &[plot]));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert_eq!(text.matches('\u{2308}').count(), 20, "{text}");
}

#[test]
fn a_cell_is_recorded_once_at_sizes_that_are_the_same_for_it() {
    let lesson = lesson();
    let at = |cell: &str| {
        let cell = lesson.run_cell(cell).expect("is there");
        let all = lesson.recorded_sizes_of(cell);
        let own: Vec<Sizes> = all.iter().map(|sizes| cell.own_sizes(sizes)).collect();
        own
    };
    let blocks = [(64, 128), (1000, 128), (1000, 256)];
    assert_eq!(
        at("blocks"),
        blocks.map(|(n, b)| sizes(&[("N", n), ("B", b)]))
    );
    assert_eq!(at("other"), [32, 500].map(|k| sizes(&[("K", k)])));
    let plots = |cell: &str| lesson.plots_hardware(lesson.run_cell(cell).expect("is there"));
    assert!(plots("blocks") && !plots("other"));
}

#[test]
fn tables_tell_each_source_once_and_mark_what_is_wrong() {
    let path = fixture_path("lessons/points.md");
    let shown = |cell: &str| {
        let run = tutor(&["run", "lesson", &path, "--cell", cell, "--plain"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    insta::assert_snapshot!(shown("published"));
    let chips = shown("chips");
    assert!(chips.contains("13.9") && chips.contains("206.1"), "{chips}");
    assert_eq!(chips.matches(". computed: ").count(), 1, "{chips}");
    let both = shown("both");
    assert!(!both.contains("e0"), "{both}");
}

#[test]
fn what_a_figure_names_has_to_exist() {
    let text = std::fs::read_to_string(fixture_path("lessons/grouped.md")).expect("is there");
    for (from, to, says) in [
        (
            "kind = \"order\"",
            "kind = \"ordr\"",
            "perhaps `order` is meant",
        ),
        (
            "cell = \"rows\"\noutput",
            "cell = \"row\"\noutput",
            "which is not a run cell here",
        ),
        ("output = \"c\"", "output = \"d\"", "has no buffer `d`"),
        ("x = \"T\"", "x = \"K\"", "`K` is not a size of this lesson"),
        (
            "y = \"elements read\"",
            "y = \"elements\"",
            "`elements` is not a quantity to plot",
        ),
        (
            "x_scale = \"log2\"",
            "x_scale = \"root\"",
            "one of `linear`, `log`, `log2`",
        ),
        ("tile = [8, 8]", "tile = [8]", "a tile has two extents"),
        (
            "tile = [4, \"8\"]",
            "tile = [\"4\"]",
            "a tile has two extents",
        ),
        (
            "order = [\"order-few\"",
            "order = [\"order-fey\"",
            "perhaps `order-few` is meant",
        ),
        ("cells = [\"rows\"]", "cells = [\"rows@1\"]", "it has 1"),
        (
            "cells = [\"rows\"]",
            "cells = [\"rows@last\"]",
            "write `cell@0` for the first launch",
        ),
        (
            "registers = 96",
            "register = 96",
            "perhaps `registers` is meant",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let (lesson, said) = parsed(&text.replacen(from, to, 1));
        assert!(lesson.is_none() && said.contains(says), "{says}: {said}");
    }
}

/// The lesson in a text, if it is one, and what is wrong with it.
fn parsed(text: &str) -> (Option<Lesson>, String) {
    let file = tutor::source::SourceFile::new("grouped.md", text);
    let kernels = tutor::lesson::KernelFiles {
        folder: "kernels/",
        names: Vec::new(),
        read: &|_| Ok(Some(String::new())),
        data: &|_| Err("there is no folder".to_owned()),
    };
    let others = tutor::lesson::OtherLessons {
        ids: Vec::new(),
        requires: &|_| Vec::new(),
    };
    let (lesson, diagnostics) = Lesson::parse(&file, &kernels, &others);
    let render = |found| tutor::source::render(found, &file, tutor::source::Style::Plain);
    (lesson, diagnostics.iter().map(render).collect())
}
