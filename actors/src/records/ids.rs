//! Ids and times that the rest of the domain uses.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat};
use serde::{Deserialize, Serialize};

/// The id of a Mysis. It is valid as long as its rows exist. Shown as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MysisId(pub i64);

impl fmt::Display for MysisId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for MysisId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        i64::from_str_radix(text, 16)
            .map(MysisId)
            .map_err(|_| format!("`{text}` is no Mysis id (16 hexadecimal digits)"))
    }
}

/// The number of a row in its Mysis' conversation, from 1.
///
/// Only the Mysis that owns the conversation assigns them. So `(MysisId, Seq)` identifies a row
/// forever, and a write that is repeated after a lost answer finds its row.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
)]
pub struct Seq(pub i64);

impl Seq {
    #[must_use]
    pub fn next(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of a turn of one Mysis; 0 is before the first.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
)]
pub struct TurnNumber(pub i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnRef {
    pub mysis: MysisId,
    /// Its turn. A turn that was interrupted goes on under the same number.
    pub turn: TurnNumber,
}

/// The number of an incarnation of one Mysis' actor. Messages of an older one are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Incarnation(pub i64);

impl Incarnation {
    #[must_use]
    pub fn next(self) -> Incarnation {
        Incarnation(self.0.saturating_add(1))
    }

    #[must_use]
    pub fn before(self) -> Incarnation {
        Incarnation(self.0.saturating_sub(1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MissionId(pub i64);

/// A tool call: the row that made it and its position among that row's calls.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    pub seq: Seq,
    /// The position, from 0.
    pub position: u16,
}

crate::stored_as_list!(CallKey: seq, position);

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.position)
    }
}

/// What is requested from the outside. Stored is what waits for it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Lane {
    #[serde(rename = "queueing")]
    Provider(Arc<str>),
    /// MCP initialise, login and register.
    #[serde(rename = "queueing_logins")]
    Logins,
    /// A request to the game server without a session that is known to be open.
    #[serde(rename = "queueing_game")]
    Game,
}

/// The id of an admitted or waiting request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PermitId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FleetOrderId(pub i64);

/// Milliseconds since 1970-01-01 UTC by the wall clock, for what is shown and stored, and for days.
/// No wait uses it (decision 115); waits use [`Moment`].
#[derive(
    Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
)]
pub struct Timestamp(pub i64);

impl Timestamp {
    #[must_use]
    pub fn plus(self, wait: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(millis(wait)))
    }

    /// Whether the year is from 0 to 9999, so that four digits can express it.
    #[must_use]
    pub fn has_four_digit_year(self) -> bool {
        (YEAR_0_MS..YEAR_10000_MS).contains(&self.0)
    }

    /// The milliseconds since an earlier time; 0 if the clock was set back.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

/// A time of the monotonic clock, in milliseconds since the process began; negative before that.
/// The wall clock does not affect it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

impl Moment {
    #[must_use]
    pub fn plus(self, wait: Duration) -> Moment {
        Moment(self.0.saturating_add(millis(wait)))
    }

    #[must_use]
    pub fn minus(self, time: Duration) -> Moment {
        Moment(self.0.saturating_sub(millis(time)))
    }

    /// The duration since an earlier time; zero if that is later.
    #[must_use]
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_millis(self.millis_since(earlier))
    }

    /// The milliseconds since an earlier time; 0 if that is later.
    #[must_use]
    pub fn millis_since(self, earlier: Moment) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// The wall clock's time, for what is shown and stored, and for days.
    pub wall: Timestamp,
    /// The monotonic clock's time, for waits.
    pub moment: Moment,
}

impl Now {
    /// A time at which both clocks agree, as on simulated time.
    pub fn from_timestamp(at: Timestamp) -> Now {
        Now {
            wall: at,
            moment: Moment(at.0),
        }
    }

    /// The wall-clock time of a moment, if the wall clock is not set until then; for display.
    #[must_use]
    pub fn wall_at(self, moment: Moment) -> Timestamp {
        let ahead = moment.0.saturating_sub(self.moment.0);
        Timestamp(self.wall.0.saturating_add(ahead))
    }

    /// The moment of a wall-clock time. It is never later than now and never longer ago than
    /// `most`, however the wall clock was set meanwhile.
    #[must_use]
    pub fn moment_of(self, at: Timestamp, most: Duration) -> Moment {
        let ago = Duration::from_millis(self.wall.since(at));
        self.moment.minus(ago.min(most))
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Display for Timestamp {
    /// Formats as RFC 3339 in UTC with milliseconds (CONTRACT.md). RFC 3339 has the years 0 to
    /// 9999. Times beyond are shown as the first or the last one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.clamp(YEAR_0_MS, YEAR_10000_MS - 1);
        let time = DateTime::from_timestamp_millis(shown).unwrap_or_default();
        f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

/// The beginning of the year 0.
const YEAR_0_MS: i64 = -62_167_219_200_000;
/// The end of the year 9999.
const YEAR_10000_MS: i64 = 253_402_300_800_000;

/// The id of the record of an event. Storing a record twice changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId(pub i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_as_rfc_3339_in_utc() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            Timestamp(1_773_254_527_042).to_string(),
            "2026-03-11T18:42:07.042Z"
        );
        assert_eq!(
            Timestamp(951_782_400_000).to_string(),
            "2000-02-29T00:00:00.000Z"
        );
        assert_eq!(Timestamp(-1).to_string(), "1969-12-31T23:59:59.999Z");
        for (at, shown) in [
            (YEAR_0_MS, "0000-01-01T00:00:00.000Z"),
            (i64::MIN, "0000-01-01T00:00:00.000Z"),
            (YEAR_10000_MS - 1, "9999-12-31T23:59:59.999Z"),
            (YEAR_10000_MS, "9999-12-31T23:59:59.999Z"),
            (i64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(at).to_string(), shown);
        }
    }

    #[test]
    fn a_mysis_id_reads_back_as_it_was_shown() {
        let id = MysisId(0x1f2e_3d4c);
        assert_eq!(id.to_string(), "000000001f2e3d4c");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!("alpha".parse::<MysisId>().is_err());
    }

    #[test]
    fn what_waits_is_shown_by_the_wall_clock_as_it_goes_now() {
        let now = Now {
            wall: Timestamp(1_000_000),
            moment: Moment(500),
        };
        let due = now.moment.plus(Duration::from_secs(2));
        assert_eq!(due, Moment(2500));
        assert_eq!(now.wall_at(due), Timestamp(1_002_000));
        assert_eq!(due.since(now.moment), Duration::from_secs(2));
        assert_eq!(now.moment.since(due), Duration::ZERO);
        assert_eq!(now.moment.minus(Duration::from_secs(1)), Moment(-500));
        assert_eq!(now.wall_at(Moment(-500)), Timestamp(999_000));
        let day = Duration::from_secs(86_400);
        assert_eq!(now.moment_of(Timestamp(999_000), day), Moment(-500));
        assert_eq!(now.moment_of(Timestamp(2_000_000), day), Moment(500));
        let of_1970 = now.moment_of(Timestamp(0), Duration::from_secs(60));
        assert_eq!(
            of_1970,
            Moment(-59_500),
            "a clock that jumped is not believed"
        );
    }

    #[test]
    fn time_never_runs_backwards_in_a_difference() {
        assert_eq!(Timestamp(5).since(Timestamp(9)), 0);
        assert_eq!(Timestamp(9).since(Timestamp(5)), 4);
    }
}
