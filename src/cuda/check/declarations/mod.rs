//! What files and structs declare: first everything in order, then bodies, callees first.

mod order;

mod host;

mod aside;

mod functions;

mod types;

mod inherit;

mod lambda;

mod nested;

mod out_of_line;

mod record;

mod variables;

mod host_variables;

mod file;

mod whole_program;
