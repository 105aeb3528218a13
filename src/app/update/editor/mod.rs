//! The editor: what keys do to the text of a kernel, and runs of what was typed.

pub(crate) mod texts;
pub(crate) mod commands;
pub(crate) mod runs;
