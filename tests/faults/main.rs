//! Faults: the real program is killed at random moments, against servers that survive and remember.
//!
//! `cargo test --test faults -- --nocapture` prints the faults. `ZOEA_KILLS=1000` makes a long run,
//! `ZOEA_SEED=7` chooses the moments. `ZOEA_STORE_FAULTS=1000` is the number of failing system
//! calls of the store, `ZOEA_PLACE_FAULTS=100` that of files taken away by kind, `ZOEA_SERVER_FAULTS=1000` the number of cut connections, `ZOEA_TASK_KILLS=100`
//! the number of kills while the game works on calls, `ZOEA_ROUTINE_KILLS=1000` that of kills inside routines,
//! `ZOEA_REMINDER_KILLS=100` that of kills around the time of reminders,
//! `ZOEA_FLEET=10` and `ZOEA_FLEET_MYSES=1000` are the sizes of a fleet of which three are killed,
//! `ZOEA_STARTS=100` is the number of starts of several processes at once, `ZOEA_COPIES=100` that of copies of a
//! home that plays, `ZOEA_BEFORE` is the path of an earlier program, of which a fleet is updated to this one.

mod books;
mod clock;
mod copied;
mod cuts;
mod database;
mod disk;
mod fleet_kills;
mod fleet_orders;
mod fleet_watching;
mod freezing;
mod full;
mod joining;
mod kills;
mod limits;
mod logins;
mod outage;
mod places;
mod refused;
mod refused_elsewhere;
mod refused_forms;
mod refused_shared;
mod reload;
mod reminders;
mod routines;
mod scene;
mod shared;
mod spending;
mod tasks;
mod updating;
mod verdict;
mod whole;
mod wire;
