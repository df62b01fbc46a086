//! What views are made of, and what they are: a value that is read again and again, a list with a selected line, and
//! columns that give way to each other.

pub mod columns;
pub mod list;
pub mod page;
pub mod plot;
pub mod polled;
pub mod view;
