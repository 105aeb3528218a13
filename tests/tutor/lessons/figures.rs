//! Figures: the order of blocks is that of a run, points are those of recordings and formulas, and what a
//! figure names has to exist.

use std::path::Path;

use serde_json::{Value, json};
use tutor::device::gpu;
use tutor::lesson::{
    BlockOrder, FigureCell, LaunchReference, Lesson, Plot, Replayed, Sample, Sources, TileState,
    load, load_file,
};

use crate::files::fixture_path;
use crate::program::tutor;

fn grouped() -> Lesson {
    load_file(Path::new(&fixture_path("lessons/grouped.md"))).expect("reads")
}

fn figure<'a>(lesson: &'a Lesson, id: &str) -> &'a FigureCell {
    let found = lesson.figures().find(|figure| figure.id == id);
    found.unwrap_or_else(|| panic!("{id} is there"))
}

fn order(lesson: &Lesson, id: &str, sizes: &[(&str, u64)]) -> BlockOrder {
    let sizes: Vec<(String, u64)> = sizes
        .iter()
        .map(|&(name, size)| (name.to_owned(), size))
        .collect();
    let sizes = lesson.sizes_with(&sizes).expect("are in range");
    let replayed = figure(lesson, id)
        .replayed(lesson, &sizes, "h200")
        .expect("shows blocks");
    match replayed.expect("runs") {
        Replayed::Order(order) => order,
        Replayed::Tiles(tiles) => panic!("{tiles:?}"),
    }
}

/// Tiles of a row of the output, in order of the blocks that write them.
fn written(order: &BlockOrder) -> Vec<u64> {
    order
        .blocks
        .iter()
        .flat_map(|block| block.writes.clone())
        .collect()
}

#[test]
fn a_row_of_tiles_takes_ninety_tiles_and_a_group_of_three_rows_fifty_four() {
    let lesson = grouped();
    let loads = |id: &str, blocks: usize| order(&lesson, id, &[]).replay(blocks).counted;
    let rows = loads("order-rows", 9);
    assert_eq!(
        (rows.loads, rows.loads_of, rows.reads),
        (90, vec![9, 81], 162)
    );
    let groups = loads("order-groups", 9);
    assert_eq!(
        (groups.loads, groups.loads_of, groups.reads),
        (54, vec![27, 27], 162)
    );
    assert_eq!((groups.held, groups.loaded_bytes), (54, 54 * 256));
    // In the end every tile was loaded once: all of them fit.
    assert_eq!(loads("order-rows", 81).loads, 162);
}

#[test]
fn blocks_visit_the_tiles_that_the_run_wrote() {
    let lesson = grouped();
    let rows = order(&lesson, "order-rows", &[]);
    assert_eq!((rows.output.tile, rows.output.tiles), ([8, 8], [9, 9]));
    assert_eq!(written(&rows), (0..81).collect::<Vec<_>>());
    let groups = order(&lesson, "order-groups", &[]);
    assert_eq!(written(&groups)[..7], [0, 9, 18, 1, 10, 19, 2]);
    // Four rows of tiles in groups of three: the last group has one.
    let uneven = order(&lesson, "order-groups", &[("T", 4)]);
    assert_eq!(
        written(&uneven),
        [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 13, 14, 15]
    );
    // A block goes along a row of A and down a column of B, in turn.
    let reads = &groups.blocks[1].reads;
    assert_eq!(reads[..4], [(0, 9), (1, 0), (0, 10), (1, 9)]);
}

#[test]
fn a_small_l2_loses_tiles_and_loads_them_again() {
    let lesson = grouped();
    let small = order(&lesson, "order-small", &[]);
    assert_eq!(small.l2_bytes, 256 * 24);
    let all = small.replay(81);
    assert!(
        all.counted.loaded_again > 0 && all.counted.held <= 24,
        "{:?}",
        all.counted
    );
    let gone = all
        .inputs
        .iter()
        .flatten()
        .filter(|&&state| state == TileState::Gone);
    assert!(gone.count() > 100);
    let before = small.replay(0);
    assert!(
        before
            .inputs
            .iter()
            .flatten()
            .all(|&state| state == TileState::Untouched)
    );
    assert!(before.written.iter().all(Option::is_none));
}

#[test]
fn an_order_may_stand_alone_and_say_how_large_its_tiles_are() {
    let alone = order(&grouped(), "order-alone", &[("T", 2)]);
    assert_eq!((alone.output.tile, alone.output.tiles), ([4, 8], [4, 2]));
    // A block writes two of them, one over the other.
    assert_eq!(written(&alone), [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!((alone.inputs.len(), alone.l2_bytes), (0, 0));
    let path = fixture_path("lessons/grouped.md");
    let arguments = ["--cell", "order-alone", "--size", "T=2", "--plain"];
    let run = tutor(&[&["run", "lesson", &path], &arguments[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("L2"), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("Counted: which block writes which tile."),
        "{}",
        run.stdout
    );
    // However few blocks there are, each stands at its tile by its number.
    assert!(
        run.stdout.contains("c  4 x 2 tiles\n  0 2\n  0 2\n  1 3"),
        "{}",
        run.stdout
    );
}

#[test]
fn tiles_that_orders_load_are_those_of_their_figures_at_each_size() {
    let lesson = grouped();
    let sizes = lesson.sizes_with(&[]).expect("defaults");
    let replayed = figure(&lesson, "loaded").replayed(&lesson, &sizes, "h200");
    let Replayed::Tiles(tiles) = replayed.expect("has blocks").expect("run") else {
        panic!("an order in place of tiles");
    };
    let names: Vec<&str> = tiles.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["order-few", "order-small"]);
    assert!((12..=16).contains(&tiles[0].points.len()), "a few runs");
    for point in &tiles[0].points {
        let group = point.x as u64;
        let order = order(&lesson, "order-few", &[("T", 5), ("G", group)]);
        let loads = order.replay(25).counted.loads;
        assert_eq!(point.y, loads as f64, "G = {group}");
    }
    let path = fixture_path("lessons/grouped.md");
    let run = tutor(&["run", "lesson", &path, "--cell", "loaded", "--plain"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["tiles loaded from memory", "modelled", "(at T = 5)"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

#[test]
fn rows_of_a_softmax_are_tiles_too_wherever_they_begin() {
    let mut lesson = load("softmax").expect("reads");
    let own = grouped();
    let mut cell = figure(&own, "order-rows").clone();
    if let tutor::lesson::FigureKind::Order(order) = &mut cell.kind {
        order.cell = "fused".to_owned();
        order.output = "y".to_owned();
        order.inputs.truncate(1);
        order.inputs[0].buffer = "x".to_owned();
        let formula = |text: &str| tutor::lesson::Formula::parse(text).expect("reads");
        order.inputs[0].tile = [formula("1"), formula("N")];
    }
    lesson
        .cells
        .push(tutor::lesson::Cell::Figure(Box::new(cell)));
    let order = order(&lesson, "order-rows", &[("M", 37), ("N", 781)]);
    assert_eq!((order.output.tile, order.output.tiles), ([1, 781], [37, 1]));
    for (at, block) in order.blocks.iter().enumerate() {
        // Rows do not begin at sectors; all the same a block reads its own row alone.
        assert_eq!(
            (&block.writes, &block.reads),
            (&vec![at as u64], &vec![(0, at as u64)])
        );
    }
}

fn plots(lesson: &Lesson, id: &str, samples: &[Sample]) -> Vec<Plot> {
    let sizes = lesson.sizes_with(&[]).expect("defaults");
    figure(lesson, id).plots(&Sources {
        lesson,
        sizes: &sizes,
        gpu: gpu("h200").expect("is there"),
        samples,
        tiles: &[],
    })
}

#[test]
fn rates_are_of_the_bytes_that_nobody_can_spare() {
    let lesson = load("softmax").expect("reads");
    let recorded = lesson.recorded_samples("h200");
    let plot = &plots(&lesson, "rates", &recorded)[0];
    let series = |name: &str| {
        let found = plot.series.iter().find(|series| series.name == name);
        found.unwrap_or_else(|| panic!("{name} in {plot:?}"))
    };
    // Those that are recorded at as many rows as the figure is drawn at.
    let listed = lesson.recordings.iter();
    let listed = listed.filter(|of| of.sizes["M"] == 4096);
    let lengths: Vec<f64> = listed.map(|of| of.sizes["N"] as f64).collect();
    assert!(lengths.len() > 3, "{lengths:?}");
    for id in ["naive", "fused"] {
        let points = &series(id).points;
        let at: Vec<f64> = points.iter().map(|point| point.x).collect();
        assert_eq!(at, lengths);
        for point in points {
            let sample = recorded
                .iter()
                .find(|sample| sample.cell == id && sample.sizes == point.sizes);
            let ms = sample
                .and_then(|sample| sample.timing.as_ref())
                .expect("is timed")
                .median_ms;
            let bytes = 8.0 * 4096.0 * point.x;
            assert!((point.y - bytes / ms / 1e6).abs() < 1e-6, "{point:?}");
        }
    }
    assert_eq!(series("cuDNN softmax").points.len(), lengths.len());
    assert_eq!(series("peak of H200").points[0].y, 4800.0);
}

#[test]
fn a_roofline_has_each_recorded_run_under_its_roof() {
    let lesson = load("softmax").expect("reads");
    let recorded = lesson.recorded_samples("h200");
    let plot = &plots(&lesson, "roof", &recorded)[0];
    let roof = &plot.series[0].points;
    let (ridge, flat) = (&roof[1], roof[2].y);
    assert!((ridge.x * 4.8 - ridge.y).abs() < 1e-9 && ridge.y == flat);
    let marked: Vec<_> = plot.series[1..]
        .iter()
        .flat_map(|series| &series.points)
        .collect();
    assert!(marked.len() > 1, "{} points", marked.len());
    for point in marked {
        let bound = (4.8 * point.x).min(flat);
        assert!(point.y < bound && point.x < ridge.x, "{point:?}");
    }
    assert!(plot.notes.iter().any(|note| note.contains("M = 4,096")));
    // Without a run there is no point, and the figure says what to do.
    let bare = &plots(&lesson, "roof", &[])[0];
    assert_eq!(bare.series.len(), 1);
    assert!(
        bare.notes
            .iter()
            .any(|note| note.contains("enter runs them"))
    );
}

#[test]
fn occupancy_curves_go_through_the_kernels_own_point() {
    let lesson = grouped();
    let plots = plots(&lesson, "occupancy", &[]);
    assert_eq!(plots.len(), 3);
    for plot in &plots {
        let own = &plot.series[0].points[0];
        let curve = &plot.series[1].points;
        let on = curve
            .iter()
            .find(|point| point.x == own.x)
            .expect("is on the curve");
        assert_eq!((on.y, &on.says), (own.y, &own.says), "{}", plot.title);
    }
    // What the source declares: two tiles of 8 x 8 floats.
    assert_eq!(plots[2].series[0].points[0].x, 0.5);
    // 64 threads of 96 registers: 10 blocks of 2 warps fit each of the four partitions' 16,384.
    assert_eq!(
        plots[1].series[0].points[0].says,
        "10 blocks, limited by registers"
    );
}

#[test]
fn formulas_are_curves_and_counts_are_points() {
    let lesson = load("softmax").expect("reads");
    let mut lesson = Lesson {
        cells: lesson.cells.clone(),
        ..lesson
    };
    let own = grouped();
    let mut cell = figure(&own, "reads").clone();
    if let tutor::lesson::FigureKind::Lines(lines) = &mut cell.kind {
        let naive = LaunchReference::parse("naive").expect("is one");
        (lines.cells, lines.x) = (vec![naive], "N".to_owned());
    }
    lesson
        .cells
        .push(tutor::lesson::Cell::Figure(Box::new(cell)));
    let plot = &plots(&lesson, "reads", &[])[0];
    let curve = &plot.series[0];
    assert_eq!(curve.name, "naive: 7MN");
    let size = |name: &str| {
        let mut sizes = lesson.sizes.iter();
        sizes.find(|size| size.name == name).expect("is there")
    };
    let (rows, longest) = (size("M").default as f64, size("N").max as f64);
    assert_eq!(curve.points[0].y, 7.0 * rows * size("N").min as f64);
    assert_eq!(
        curve.points.last().map(|point| (point.x, point.y)),
        Some((longest, 7.0 * rows * longest))
    );
}

#[test]
fn printed_figures_have_a_table_and_json_the_points() {
    let run = tutor(&["run", "lesson", "softmax", "--cell", "rates", "--plain"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "Rate over the length of a row [rates]",
        "GB/s",
        "cuDNN softmax",
        "recorded",
        "4,096",
    ] {
        assert!(
            run.stdout.contains(part),
            "{part} is missing in\n{}",
            run.stdout
        );
    }
    let run = tutor(&["run", "lesson", "softmax", "--cell", "roof", "--json"]).json();
    let shown = &run["cells"][0];
    assert_eq!(
        (&shown["kind"], &shown["figure"]),
        (&json!("figure"), &json!("roofline"))
    );
    let series = shown["plots"][0]["series"].as_array().expect("has series");
    let named = |name: &str| series.iter().find(|series| series["name"] == name);
    let point = &named("fused").expect("is there")["points"][0];
    assert_eq!(point["evidence"], "recorded");
    assert!(
        point["x"].is_f64() && point["sizes"]["M"].is_u64(),
        "{point}"
    );
}

#[test]
fn printed_orders_show_the_matrices_and_count() {
    let path = fixture_path("lessons/grouped.md");
    let run = tutor(&["run", "lesson", &path, "--cell", "order-groups", "--plain"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
    let run = tutor(&["run", "lesson", &path, "--cell", "order-rows", "--json"]).json();
    let shown: &Value = &run["cells"][0];
    assert_eq!(shown["order"]["output"]["tiles"], json!([9, 9]));
    assert_eq!(shown["counted"]["loads"], 162);
    assert_eq!(shown["evidence"]["counted"], "modelled");
}
