//! Made-up swarms, lives and histories, and the rules that every request must keep.

pub mod commanding;
pub mod history;
pub mod life;
pub mod measured_ledger;
pub mod pretender;
pub mod request_rules;
pub mod revival;
pub mod swarm;
pub mod systems;
