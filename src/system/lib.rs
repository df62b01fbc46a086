//! What the program asks of the operating system: the machine's clocks, files that others hand over,
//! the standard streams, and how many files may be open.

pub mod clock;
pub mod descriptors;
pub mod files;
pub mod out;
