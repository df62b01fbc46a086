//! The program's view of the operating system: the machine's clocks, files from outside, the
//! standard streams, the terminal, the machine's name, and the number of open files.

pub mod clock;
pub mod descriptors;
pub mod disk;
pub mod files;
pub mod listen;
pub mod machine;
pub mod out;
pub mod process;
pub mod terminal;
