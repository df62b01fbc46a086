//! Faults: the real program, killed at random instants, against servers that survive and remember.
//!
//! `cargo test --test faults -- --nocapture` prints what struck. `ZOEA_KILLS=1000` makes it long,
//! `ZOEA_SEED=7` chooses the instants; `ZOEA_STORE_FAULTS=1000` is how often the store's system calls
//! fail, `ZOEA_SERVER_FAULTS=1000` how often its connection is cut.

mod books;
mod clock;
mod cuts;
mod database;
mod disk;
mod full;
mod kills;
mod outage;
mod reload;
mod shared;
mod spending;
mod struck;
mod verdict;
mod wire;
