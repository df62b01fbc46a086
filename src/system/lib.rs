//! The program's view of the operating system: the machine's clocks, files from outside, the
//! standard streams, and the number of open files.

pub mod clock;
pub mod descriptors;
pub mod files;
pub mod out;
