//! Frames of figures, and keys in them.

use super::{COLOUR, Notebook, PLAIN, Theme};
use crate::app::state::{Action, FigureAction, Model};
use crate::app::testing::sample_lesson;
use crate::app::{Msg, ReplayRequest};
use crate::device::DEFAULT_GPU;
use crate::launch::{Evidence, Timing, Work, Yardsticks};
use crate::lesson::{
    At, BlockOrder, Cell, FigureCell, FigureKind, Formula, LaunchReference, LineFigure,
    OccupancyFigure, OrderFigure, PictureFigure, Quantity, Replayed, RooflineFigure, Sample, Scale,
    Series, Shape, Sizes, TileGrid, VisitedTiles, WavesFigure,
};

/// What the notebook asked for when it came to the figure in `cell`.
fn request(cell: usize, sizes: Sizes) -> ReplayRequest {
    ReplayRequest {
        cell,
        sizes,
        gpu: DEFAULT_GPU.to_owned(),
    }
}

fn figure(id: &str, title: &str, kind: FigureKind) -> Cell {
    Cell::Figure(Box::new(FigureCell {
        id: id.to_owned(),
        title: title.to_owned(),
        kind,
    }))
}

/// The sample lesson with a figure of each kind behind its cells.
fn notebook(width: u16, height: u16, theme: Theme) -> Notebook {
    let mut lesson = sample_lesson();
    let lines = LineFigure {
        cells: vec![LaunchReference::parse("double").expect("is one")],
        orders: Vec::new(),
        x: "N".to_owned(),
        x_scale: Scale::Log,
        y: Quantity::Rate,
        y_scale: Scale::Linear,
        at: At::from([("M".to_owned(), Formula::constant(4096))]),
        work: None,
        bench: None,
        with_graphs: false,
        baselines: None,
    };
    let occupancy = OccupancyFigure {
        cell: Some("double".to_owned()),
        launch: 0,
        threads: None,
        registers: Some(96),
        shared_bytes: None,
        static_shared_bytes: 0,
    };
    let order = OrderFigure {
        cell: "double".to_owned(),
        launch: 0,
        output: "y".to_owned(),
        tile: None,
        inputs: Vec::new(),
        l2_bytes: None,
        block: None,
    };
    let roof = RooflineFigure {
        cells: vec!["double".to_owned()],
        at: At::new(),
        tensor: true,
    };
    lesson.cells.extend([
        figure("rates", "Rate over the columns", FigureKind::Lines(lines)),
        figure("roof", "Under the roof", FigureKind::Roofline(roof)),
        figure(
            "full",
            "How full an SM is",
            FigureKind::Occupancy(occupancy),
        ),
        figure("order", "In groups of three", FigureKind::Order(order)),
    ]);
    let mut notebook = Notebook::new(width, height, theme);
    notebook.model = Model::new(lesson, None);
    notebook.draw();
    notebook
}

/// Runs recorded at several lengths, and one that was measured.
fn samples() -> Vec<Sample> {
    let yardsticks = Yardsticks {
        device: "NVIDIA H200".to_owned(),
        l2: "flushed".to_owned(),
        peak_gb_s: Some(4800.0),
        copy_gb_s: None,
    };
    let sample = |columns: u64, ms: f32, evidence| {
        let bytes = 3 * 4 * 4096 * columns;
        let work = Work {
            distinct_bytes: bytes,
            operations: bytes / 6,
        };
        let mut timing = Timing::measured(&[ms], work, &yardsticks);
        timing
            .iter_mut()
            .for_each(|timing| timing.evidence = evidence);
        Sample {
            cell: "double".to_owned(),
            sizes: Sizes::from([("M".to_owned(), 4096), ("N".to_owned(), columns)]),
            timing,
            baselines: Vec::new(),
            counts: None,
            work: None,
            launches: Vec::new(),
        }
    };
    vec![
        sample(250, 0.02, Evidence::Recorded),
        sample(1000, 0.03, Evidence::Recorded),
        sample(4000, 0.07, Evidence::Recorded),
        sample(2000, 0.04, Evidence::Measured),
    ]
}

/// Nine by nine tiles in groups of three rows; each block reads a row of one matrix and a column of another.
fn grouped_order(sizes: &Sizes) -> BlockOrder {
    let grid = |name: &str| TileGrid {
        name: name.to_owned(),
        matrix: [72, 72],
        tile: [8, 8],
        tiles: [9, 9],
        element_bytes: 4,
    };
    let block = |at: u64| {
        let (group, within) = (at / 27, at % 27);
        let (row, column) = (3 * group + within % 3, within / 3);
        VisitedTiles {
            writes: vec![9 * row + column],
            reads: (0..9)
                .flat_map(|step| [(0, 9 * row + step), (1, 9 * step + column)])
                .collect(),
        }
    };
    BlockOrder {
        kernel: "matmul".to_owned(),
        sizes: sizes.clone(),
        output: grid("c"),
        inputs: vec![grid("a"), grid("b")],
        l2_bytes: 40 * 256,
        blocks: (0..81).map(block).collect(),
        block: None,
    }
}

fn with_plots(width: u16, height: u16, theme: Theme, keys: &str) -> Notebook {
    let mut notebook = notebook(width, height, theme);
    notebook.send(Msg::RecordingsLoaded { samples: samples() });
    notebook.press(keys);
    notebook
}

fn with_order(width: u16, height: u16, theme: Theme, keys: &str) -> Notebook {
    let mut notebook = notebook(width, height, theme);
    notebook.press("nnnnn");
    let sizes = notebook.model.settings.sizes.clone();
    let replayed = Ok(Replayed::Order(grouped_order(&sizes)));
    notebook.send(Msg::Replayed {
        request: request(7, sizes),
        replayed,
    });
    notebook.press(keys);
    notebook
}

#[test]
fn a_line_plot_has_axes_a_legend_and_the_point_under_the_cursor() {
    insta::assert_snapshot!(with_plots(80, 24, COLOUR, "nn<right>").frame());
}

#[test]
fn points_stand_as_a_table_beside_a_wide_plot() {
    insta::assert_snapshot!(with_plots(200, 60, COLOUR, "nn").text());
}

#[test]
fn the_table_of_points_follows_the_cursor_and_says_how_many_there_are() {
    let mut notebook = notebook(200, 20, PLAIN);
    let many = (1..=40).map(|at| Sample {
        sizes: Sizes::from([("M".to_owned(), 4096), ("N".to_owned(), 100 * at)]),
        ..samples()[0].clone()
    });
    notebook.send(Msg::RecordingsLoaded {
        samples: many.collect(),
    });
    notebook.press("nn");
    let text = notebook.text();
    assert!(
        text.contains(" of 40 ") && !text.contains("4,000"),
        "{text}"
    );
    notebook.press("<end>");
    let text = notebook.text();
    let is_row = |line: &&str| line.contains("o double ") && line.contains("4,000");
    assert!(text.contains("-40 of 40 "), "{text}");
    assert!(text.lines().any(|line| is_row(&line)), "{text}");
}

#[test]
fn a_plot_can_be_drawn_in_ascii_without_colours() {
    let notebook = with_plots(120, 40, PLAIN, "nn");
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_roofline_has_a_roof_for_tensor_cores_where_they_are_known() {
    insta::assert_snapshot!(with_plots(80, 24, COLOUR, "nnn").frame());
}

#[test]
fn occupancy_is_three_plots_one_at_a_time_where_it_is_narrow() {
    let mut notebook = with_plots(80, 24, COLOUR, "nnnn");
    insta::assert_snapshot!(notebook.frame());
    // It opened on registers, which are the limit.
    notebook.press("<down><end>");
    let text = notebook.text();
    assert!(
        text.contains("registers 255") || text.contains("255"),
        "{text}"
    );
    assert!(text.contains("limited by registers"), "{text}");
}

#[test]
fn occupancy_is_three_plots_side_by_side_where_it_is_wide() {
    insta::assert_snapshot!(with_plots(200, 60, COLOUR, "nnnn").text());
}

#[test]
fn blocks_over_a_matrix_show_what_l2_holds() {
    insta::assert_snapshot!(with_order(80, 24, COLOUR, "").frame());
}

#[test]
fn blocks_over_a_matrix_in_ascii_lose_nothing() {
    let notebook = with_order(120, 40, PLAIN, "<end>");
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(notebook.text());
}

#[test]
fn arrows_walk_points_and_series() {
    let value = |keys: &str| {
        let notebook = with_plots(80, 24, PLAIN, keys);
        let text = notebook.text();
        let line = text
            .lines()
            .find(|line| line.contains("  N ") && line.contains("GB/s"))
            .map(str::to_owned);
        line.unwrap_or_else(|| panic!("a point is told of:\n{text}"))
    };
    assert!(
        value("nn").contains("N 250  614.4 GB/s  recorded"),
        "{}",
        value("nn")
    );
    assert!(value("nn<right>").contains("N 1,000  1,638 GB/s  recorded"));
    assert!(value("nn<end><left>").contains("N 1,000 "));
    assert!(value("nn<end><right>").contains("N 4,000  2,809 GB/s"));
    assert!(value("nn<down>").contains("N 2,000  2,458 GB/s  measured"));
    assert!(value("nn<down><up>").contains("recorded"));
}

#[test]
fn a_figure_plays_until_its_end_or_a_key() {
    let mut notebook = with_order(80, 24, PLAIN, "");
    let shows = |notebook: &Notebook, text: &str| notebook.text().contains(text);
    assert!(shows(&notebook, "9 of 81 blocks") && !notebook.model.is_playing());
    notebook.press("<enter>");
    assert!(notebook.model.is_playing());
    notebook.send(Msg::Tick);
    assert!(shows(&notebook, "11 of 81 blocks"), "{}", notebook.text());
    notebook.press("<left>");
    notebook.send(Msg::Tick);
    assert!(shows(&notebook, "10 of 81 blocks") && !notebook.model.is_playing());
    notebook.press("<end><enter>");
    assert!(
        shows(&notebook, "0 of 81 blocks"),
        "from the end it begins again"
    );
    for _ in 0..41 {
        notebook.send(Msg::Tick);
    }
    assert!(shows(&notebook, "81 of 81 blocks") && !notebook.model.is_playing());
}

#[test]
fn arrows_walk_from_wave_to_wave() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut notebook = Notebook::new(width, height, COLOUR);
        let mut lesson = sample_lesson();
        let formula = |text: &str| Formula::parse(text).expect("is one");
        let waves = WavesFigure {
            blocks: formula("7*M"),
            sms: formula("132"),
            per_sm: formula("1"),
        };
        let kind = FigureKind::Picture(PictureFigure::Waves(waves));
        lesson.cells = vec![figure("fill", "Wave by wave", kind)];
        notebook.model = Model::new(lesson, None);
        notebook.draw();
        assert!(notebook.text().contains("Wave 1 of 3: 132 blocks"));
        notebook.press("<right>");
        assert!(notebook.text().contains("Wave 2 of 3: 132 blocks"));
        notebook.press("<right><right>");
        let text = notebook.text();
        assert!(text.contains("Wave 3 of 3: 16 blocks"), "{text}");
        assert!(text.contains("116 of 396 slots idle: 29.3 %"), "{text}");
        insta::assert_snapshot!(format!("waves_{width}x{height}"), notebook.frame());
    }
}

#[test]
fn a_click_on_a_tile_goes_to_its_block_and_on_the_legend_to_its_series() {
    let find = |notebook: &Notebook, what: &str| {
        let text = notebook.text();
        let place = text.lines().enumerate().find_map(|(row, line)| {
            let at = line.find(what)?;
            Some((line[..at].chars().count() as u16, row as u16))
        });
        let (column, row) = place.unwrap_or_else(|| panic!("`{what}` is on screen:\n{text}"));
        notebook.drawn.click(column, row)
    };
    let notebook = with_order(120, 40, PLAIN, "<end>");
    assert_eq!(
        find(&notebook, "80"),
        Some(Action::Figure(FigureAction::SelectVisit(81)))
    );
    let notebook = with_plots(200, 40, PLAIN, "nn");
    assert_eq!(
        find(&notebook, "x double"),
        Some(Action::Figure(FigureAction::SelectPoint(1, 0)))
    );
    assert_eq!(
        find(&notebook, "4,000"),
        Some(Action::Figure(FigureAction::SelectPoint(0, 2))),
        "in the table"
    );
}

#[test]
fn figures_fit_every_terminal() {
    for (width, height) in [
        (60, 16),
        (61, 17),
        (79, 20),
        (119, 16),
        (120, 16),
        (130, 18),
        (180, 16),
        (250, 90),
    ] {
        for keys in ["nn", "nnn", "nnnn"] {
            with_plots(width, height, PLAIN, keys);
        }
        with_order(width, height, COLOUR, "<end>");
    }
    for (width, height) in [(1, 1), (59, 15)] {
        with_plots(width, height, PLAIN, "nn");
    }
}

#[test]
fn a_figure_that_cannot_be_made_says_why() {
    let mut notebook = notebook(80, 24, PLAIN);
    notebook.press("nnnnn");
    assert!(notebook.text().contains("The blocks run, to see"));
    let sizes = notebook.model.settings.sizes.clone();
    let replayed = Err("5000000 blocks are too many to draw; choose smaller sizes".to_owned());
    notebook.send(Msg::Replayed {
        request: request(7, sizes),
        replayed,
    });
    assert!(notebook.text().contains("too many to draw"));
}

#[test]
fn sizes_can_be_changed_on_a_figure_and_its_cells_run_from_there() {
    let mut notebook = with_plots(80, 24, PLAIN, "nn<enter>");
    assert_eq!(notebook.jobs, [1]);
    notebook.press("+");
    assert_eq!(notebook.jobs, [1, 2], "what ran follows the sizes");
    // The figure is at M = 4,096 whatever M is.
    assert!(notebook.text().contains("< 26 "), "{}", notebook.text());
}

#[test]
fn tiles_that_orders_load_are_plotted_once_their_blocks_have_run() {
    let mut notebook = notebook(80, 24, PLAIN);
    let mut lesson = (*notebook.model.lesson).clone();
    let lines = LineFigure {
        cells: Vec::new(),
        orders: vec!["order".to_owned()],
        x: "N".to_owned(),
        x_scale: Scale::Log,
        y: Quantity::TilesLoaded,
        y_scale: Scale::Linear,
        at: At::new(),
        work: None,
        bench: None,
        with_graphs: false,
        baselines: None,
    };
    lesson
        .cells
        .push(figure("tiles", "Tiles", FigureKind::Lines(lines)));
    notebook.model = Model::new(lesson, None);
    notebook.press("nnnnnn");
    assert!(notebook.text().contains("The blocks run, to see"));
    let corners = [(1.0, 90.0), (3.0, 54.0)];
    let series = Series {
        shape: Shape::Points,
        ..Series::curve("order", Evidence::Modelled, &corners)
    };
    let sizes = notebook.model.settings.sizes.clone();
    notebook.send(Msg::Replayed {
        request: request(8, sizes),
        replayed: Ok(Replayed::Tiles(vec![series])),
    });
    let text = notebook.text();
    assert!(
        text.contains("tiles loaded from memory 90  modelled"),
        "{text}"
    );
    notebook.press("+");
    assert!(
        notebook.text().contains("The blocks run, to see"),
        "at other sizes"
    );
}
