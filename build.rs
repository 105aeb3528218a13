//! Build steps: none yet.
fn main() {}
