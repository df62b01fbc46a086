//! Measures of the swarm on simulated time, for tests and examples: what its play costs and brings, what
//! becomes of players that are stuck, and of texts that the model's server refuses.

pub mod economy;
pub mod poison_suite;
pub mod stall_suite;
