//! A dozen lessons in several tracks, for tests of the home screen.

use std::sync::Arc;

use crate::app::state::ListedLesson;
use crate::app::testing::sample_lesson;
use crate::lesson::{Course, Lesson};

/// Id, title, track, minutes, and what comes before; in order.
#[rustfmt::skip]
const LESSONS: [(&str, &str, &str, u32, &[&str]); 12] = [
    ("hardware", "What a GPU is made of", "The machine", 8, &[]),
    ("vector-add", "Vector add: a first kernel", "The machine", 10, &["hardware"]),
    ("warps", "Warps: 32 lanes that move together", "The machine", 12, &["vector-add"]),
    ("occupancy", "Occupancy: how many warps fit", "The machine", 12, &["warps"]),
    ("coalescing", "Coalescing: one request, few sectors", "Memory", 12, &["warps"]),
    ("bank-conflicts", "Bank conflicts in shared memory", "Memory", 12, &["coalescing"]),
    ("timing", "Timing a kernel without fooling yourself", "Measuring", 10, &[]),
    ("gelu", "GELU: fuse what is elementwise", "Memory-bound kernels", 10, &["coalescing"]),
    ("softmax", "Softmax: one kernel instead of five", "Memory-bound kernels", 15, &["gelu", "warps"]),
    ("row-sum", "Row sums: a block adds up a row", "Memory-bound kernels", 12, &["warps"]),
    ("matmul", "Matrix multiplication in tiles", "Matrices", 20, &["bank-conflicts", "occupancy"]),
    ("matmul-ordering", "Matmul: the order of blocks, and what L2 holds", "Matrices", 15, &["matmul"]),
];

/// A dozen lessons; each has the cells of [`sample_lesson`].
pub fn sample_lessons() -> Vec<ListedLesson> {
    let lessons = LESSONS.into_iter().enumerate();
    let lessons = lessons.map(|(order, (id, title, track, minutes, requires))| {
        let lesson = Lesson {
            id: id.to_owned(),
            title: title.to_owned(),
            summary: "What a kernel has to move, what it moves, and why those are not the same"
                .to_owned(),
            minutes,
            course: Course {
                track: track.to_owned(),
                order: Some(order as u32),
                requires: requires.iter().map(|id| id.to_string()).collect(),
            },
            ..sample_lesson()
        };
        ListedLesson {
            id: id.to_owned(),
            lesson: Ok(Arc::new(lesson)),
        }
    });
    lessons.collect()
}
