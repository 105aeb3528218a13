//! The notebook at work: `event_loop` takes events, updates the model, performs its effects and draws;
//! `export` writes what is on screen to the clipboard and to files, `edited_kernels` keeps copies of edits.

mod export;
mod event_loop;
mod edited_kernels;

pub(crate) use event_loop::Notebook;
