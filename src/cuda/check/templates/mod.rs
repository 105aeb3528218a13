//! What templates make: functions, types and constants, each once for the same arguments.

mod arguments;

mod functions;

mod types;

mod constants;
