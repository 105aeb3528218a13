//! The program on a screen: model to frame, key to message.
//!
//! [`view_app`] draws the home screen or, with [`view`], the notebook. Both only read the model and answer with what they showed ([`Drawn`]), so that scrolling can
//! stop at the end and clicks find what they hit. They compute no count: numbers come from the
//! model as they are. Everything about colours and glyphs is in [`Theme`], everything about keys
//! in one table ([`action`]).

mod widgets;
mod editor;
mod inspector;
mod cells;
mod header;
mod page;
mod popups;
mod home;
mod speaker;
mod frame;
mod overflow;
#[cfg(test)]
mod tests;

pub(crate) use self::widgets::{Drawn, Painter};
#[cfg(test)]
use frame::view;
pub(crate) use frame::view_app;
pub(crate) use overflow::overflows;
pub(crate) use speaker::{Notes, view_notes};
