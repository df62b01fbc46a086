//! Texts from anywhere: redacts secrets, makes texts safe for a terminal, and measures them inside
//! JSON. Pure functions that know nothing of the swarm.

pub mod clean;
pub mod figures;
pub mod json_size;
pub mod markdown;
pub mod names;
pub mod natural;
pub mod nearest;
pub mod redact;
pub mod trouble;
