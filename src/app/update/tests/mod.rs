//! What the notebook does, told through `update` alone.

mod app;

mod cells;

mod editor;

mod follow;

mod notebook;

mod real;
