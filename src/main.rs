//! The program `zoea`: reads its command line and hands over.

use std::process::ExitCode;

fn main() -> ExitCode {
    zoea::cli::main()
}
