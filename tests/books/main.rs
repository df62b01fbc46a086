//! The books: databases of older versions and of other programs, exports, accounts, and no secret
//! in any of them; through the real program.

mod accounts;
mod exporting;
mod hostile;
mod importing;
mod leaks;
mod migrating;
mod parrot;
mod registering;
#[expect(
    dead_code,
    reason = "the rig of the whole-program tests has more than is needed here"
)]
#[path = "../suite/rig.rs"]
mod rig;
mod screen;
mod searching;
mod secrets;
mod spoilt;
mod sql;
