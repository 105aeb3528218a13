//! The binary: arguments in, exit code out.

fn main() -> std::process::ExitCode {
    tutor::cli::main(std::env::args_os())
}
