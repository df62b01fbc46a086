//! The program `zoea`: reads its command line and hands over.

use std::process::ExitCode;

/// One heap for all threads, which gives back what it does not need (decision 0012).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static HEAP: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    zoea::interface::cli::main()
}
