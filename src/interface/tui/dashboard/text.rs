//! The text of the screen: its meaning, width and notation, and the field in which the operator
//! edits it.

pub mod field;
pub mod figures;
pub mod tone;
pub mod tree;
pub mod width;
