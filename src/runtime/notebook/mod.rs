//! The notebook at work: `event_loop` takes events, updates the model, performs its effects and draws;
//! `copy_text` turns what is on screen to text, `export` writes that to the clipboard and to files, `edited_kernels` keeps copies of edits.

mod copy_text;
mod export;
mod event_loop;
mod edited_kernels;

pub(crate) use event_loop::Notebook;
