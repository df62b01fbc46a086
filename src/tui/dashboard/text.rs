//! Text of the screen: what it means, how wide it is, how figures and data are written, and how the operator edits it.

pub mod field;
pub mod figures;
pub mod tone;
pub mod tree;
pub mod width;
