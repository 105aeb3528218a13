//! The notebook at work: `event_loop` takes events, updates the model, has its `effects` performed and draws.
//! `catalog` has the lessons to choose from, `copy_text` turns what is on screen to text, `export` prepares that for the
//! clipboard and for files.

mod catalog;
mod copy_text;
mod export;
mod effects;
mod event_loop;

pub(crate) use effects::EffectHandler;
pub(crate) use event_loop::Notebook;
