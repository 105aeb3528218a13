//! Bodies of functions.

mod flow;

mod variables;

mod returns;

mod switch;

mod range_for;

mod object_ends;

mod body;
