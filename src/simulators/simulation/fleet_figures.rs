//! What a run of several processes did, beyond what one does.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use strum::{Display, EnumCount, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumCount, VariantArray)]
pub enum FleetFault {
    /// It ends as by `kill -9`, and is started again after a while.
    #[strum(serialize = "killed")]
    Kill,
    #[strum(serialize = "killed with others")]
    KillSeveral,
    /// It ends and is started again at once.
    #[strum(serialize = "killed and started again at once")]
    Restart,
    /// It ends in good order, and is started again.
    #[strum(serialize = "closed and started again")]
    Close,
    #[strum(serialize = "updated one after the other")]
    RollingUpdate,
    #[strum(serialize = "drained")]
    Drain,
    #[strum(serialize = "cut off from the database for less than a lease")]
    ShortCut,
    #[strum(serialize = "cut off from the database for longer than a lease")]
    LongCut,
    #[strum(serialize = "stopped for less than a lease")]
    ShortPause,
    #[strum(serialize = "stopped for longer than a lease")]
    LongPause,
    /// The database answers it after seconds.
    #[strum(serialize = "served by a slow database")]
    SlowDatabase,
    #[strum(serialize = "got no answer from the database")]
    LostAnswers,
    #[strum(serialize = "clock set")]
    ClockSet,
    /// A Mysis of it is deleted, and another one is created. With other faults, too, some are.
    #[strum(serialize = "told to delete a Mysis")]
    Deletion,
    /// It is frozen for a while, also over its death.
    #[strum(serialize = "frozen")]
    Freeze,
}

impl FleetFault {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetFigures {
    /// The number of processes at once.
    pub processes: usize,
    pub struck: BTreeMap<FleetFault, u64>,
    /// How often a Mysis whose process could not run it any more came to run again.
    pub taken_over: u64,
    /// The longest time until that.
    pub longest_orphan: Duration,
    /// The most requests in flight, and the limit.
    pub most_in_flight: usize,
    pub in_flight_limit: usize,
    /// The requests that left after their process's part of a limit had expired.
    pub late_requests: u64,
    /// The most requests within a minute, and the limit with its burst.
    pub most_a_minute: usize,
    pub minute_limit: Option<usize>,
    /// The most logins within a minute, and the limit with its burst.
    pub most_logins: usize,
    pub logins_limit: usize,
    /// The most tokens within a minute and a day, and the limits, in words.
    pub tokens: String,
    /// The orders that were answered, and those of them that another process carries out.
    pub answered: u64,
    pub passed: u64,
    /// The Myses that the operator created and deleted after the beginning.
    pub created: u64,
    pub deleted: u64,
}

impl fmt::Display for FleetFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} processes at once", self.processes)?;
        for (fault, times) in &self.struck {
            writeln!(f, "  processes {fault}: {times}")?;
        }
        writeln!(
            f,
            "  {} times a Mysis lost its process and ran elsewhere, after {:.1} s at most",
            self.taken_over,
            self.longest_orphan.as_secs_f64()
        )?;
        let minute = self
            .minute_limit
            .map_or("any".to_string(), |limit| limit.to_string());
        writeln!(
            f,
            "  at most {} requests in flight of {} ({} late), {} in a minute of {minute}, {} logins of {}",
            self.most_in_flight,
            self.in_flight_limit,
            self.late_requests,
            self.most_a_minute,
            self.most_logins,
            self.logins_limit
        )?;
        writeln!(f, "  {}", self.tokens)?;
        writeln!(
            f,
            "  {} orders answered, {} of them said to be carried out by another process",
            self.answered, self.passed
        )?;
        writeln!(
            f,
            "  {} Myses created meanwhile, {} deleted",
            self.created, self.deleted
        )
    }
}
