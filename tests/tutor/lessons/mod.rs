//! Lessons: what `tutor check` finds in them, their figures and tables, and what is exported of them.

mod check;
mod practice;
mod teachers;
mod export;
mod figures;
mod points;
mod verdicts;
