//! What is kept: the database, and files of game accounts.

pub mod accounts;
