//! What a lesson is: Markdown and its cells, the catalog, formulas. Draws nothing.
//!
//! A lesson is one Markdown file with TOML front matter. Prose is split into cells at its
//! headings, and each heading of the first level begins a page; a fenced block whose info string begins with a cell kind holds that cell in TOML. A
//! [`RunCell`] with sizes chosen becomes a [`crate::launch::Plan`]; what came back becomes a
//! [`CellResult`], which the notebook and the reports show. Other cells ask before a run
//! ([`PredictionCell`]), compare after it ([`TableCell`]), calculate or are only read.

mod sizes;

mod formula;

mod comparison;

mod markdown;

mod reader;

mod course;

mod starting_point;

mod chosen_number;

mod cells;

mod outline;

mod page;

mod parse;

mod root;

mod run;

mod own_file;

mod catalog;

mod collection;

mod tables;

mod figure;

mod predict;

mod practice;

pub use crate::launch::Measure;
pub use catalog::{
    CatalogError, cell_keys, comes_with_program, is_lesson_file, kernel_files, lesson_files,
    lesson_ids, lesson_picture, lesson_text, load, load_all, load_file,
};
pub use cells::*;
pub use collection::{Lessons, folder_of_lessons};
pub use comparison::{Compared, Comparison};
pub use course::{Course, OtherLessons, by_track, track_title};
pub use figure::{
    Amount, Axis, BlockOrder, BlockWaves, LaunchShape, MemoryLevelFacts, MemoryLevels, OrderError,
    Picture, Plot, Point, Replay, Replayed, Series, Shape, Sources, SweepPoint, TileGrid,
    TileState, TileTraffic, VisitedTiles,
};
pub use formula::{EvaluateError, Formula, FormulaError, NamedValue};
pub use markdown::Markdown;
pub use outline::{Lesson, RecordedSizes, SizeError};
pub use own_file::{
    GuessedLaunch, KnownLaunch, guess_launch, guess_triton_launch, is_kernel_file, is_of_file,
    template_instances,
};
pub use page::{LessonPage, ShownCode};
pub(crate) use parse::front_matter;
pub use practice::{
    Case, CheckError, Cost, Feedback, Finding, LineCost, WrongOutput, check_answer,
};
pub use predict::{Guess, GuessDistance, RightAnswer};
pub use reader::{CHOSEN, CellKey};
pub use run::{
    CLEAN, CellResult, Difference, FormulaResult, PlanError, Sample, SampledLaunch, TextCounts,
    Verdict, difference, small_sizes,
};
pub use sizes::{Size, Sizes, equation, equations, sizes_named};
pub use starting_point::StartingPoint;
pub use tables::{TableColumn, TableContents, TableContext, TableField, TableRow, times};
