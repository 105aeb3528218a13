//! Compiles the syntax definitions in `assets/syntax` into one dump that loads in microseconds.

use std::path::PathBuf;
use std::process::ExitCode;

use syntect::dumps::dump_to_uncompressed_file;
use syntect::parsing::SyntaxSetBuilder;

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=assets/syntax");
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("assets/syntax does not compile: {message}");
            ExitCode::FAILURE
        }
    }
}

fn compile() -> Result<(), String> {
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let mut builder = SyntaxSetBuilder::new();
    builder
        .add_from_folder("assets/syntax", true)
        .map_err(|error| error.to_string())?;
    let dump = PathBuf::from(out).join("syntaxes.packdump");
    dump_to_uncompressed_file(&builder.build(), dump).map_err(|error| error.to_string())
}
