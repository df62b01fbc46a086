//! Room on the disk of the database: told while it is little, before the disk is full.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use actors::domain::standing::StandingKind;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior};
use zoea_system::disk;
use zoea_text::figures::group_digits;

use crate::telemetry::operator::Operator;

const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const LITTLE_BYTES: u64 = 50_000_000;
/// Over this time it is counted how fast the disk fills, and for this time the room must last.
const WINDOW: Duration = Duration::from_secs(600);
/// How much more room than is needed ends the warning, as a part, so that it does not come and go.
const MARGIN_DIVISOR: u64 = 5;

/// Looks at the disk of the database for as long as the task lives, and tells the operator while little
/// room is left.
pub(super) fn watch_room(database: PathBuf, operator: Operator) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut meter = RoomMeter::default();
        let mut warned = None;
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let path = database.clone();
            // A disk that is far away may not answer.
            let free = tokio::task::spawn_blocking(move || disk::free_bytes(&path)).await;
            let Ok(Ok(free)) = free else {
                continue;
            };
            let room = meter.take(Instant::now(), free);
            let text = room.map(|room| room.describe(&database));
            if text != warned {
                operator.notify_standing(StandingKind::LittleRoom, text.as_deref());
                warned = text;
            }
        }
    })
}

/// What is said of the disk of a database now, where nothing is known of how fast it fills.
///
/// # Errors
/// Little room is left.
pub fn check_room(database: &Path, free: u64) -> Result<String, String> {
    match RoomMeter::default().take(Instant::now(), free) {
        None => Ok(format!("{} are free", shown_bytes(free))),
        Some(room) => Err(room.describe(database)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LittleRoom {
    free: u64,
    /// How long it lasts at the pace of the last ten minutes, if that is less than ten minutes.
    lasts: Option<Duration>,
}

#[derive(Debug, Default)]
struct RoomMeter {
    /// The free bytes of the last ten minutes, the oldest first.
    seen: VecDeque<(Instant, u64)>,
    is_little: bool,
}

impl RoomMeter {
    /// Takes the free bytes of now. Says whether that is little. What was not seen counts as no growth.
    fn take(&mut self, now: Instant, free: u64) -> Option<LittleRoom> {
        while let Some((at, _)) = self.seen.front()
            && now.saturating_duration_since(*at) > WINDOW
        {
            self.seen.pop_front();
        }
        self.seen.push_back((now, free));
        let before = self.seen.front().map_or(free, |(_, free)| *free);
        let grown = before.saturating_sub(free);
        let needed = LITTLE_BYTES.max(grown);
        let margin = match self.is_little {
            true => needed / MARGIN_DIVISOR,
            false => 0,
        };
        self.is_little = free < needed.saturating_add(margin);
        self.is_little.then(|| {
            let lasts = WINDOW.as_secs().saturating_mul(free).checked_div(grown);
            let lasts = lasts.map(Duration::from_secs);
            LittleRoom {
                free,
                lasts: lasts.filter(|lasts| *lasts < WINDOW),
            }
        })
    }
}

impl LittleRoom {
    fn describe(self, database: &Path) -> String {
        let lasts = self.lasts.map(|lasts| {
            let minutes = lasts.as_secs() / 60;
            format!(", which last {minutes} min at the rate of the last 10 min")
        });
        format!(
            "the disk of {} is almost full: {} are free{}; free some space, or nothing can be stored when it \
             is full",
            database.display(),
            shown_bytes(self.free),
            lasts.unwrap_or_default()
        )
    }
}

/// A number of bytes, in tenths of a megabyte, so that a text about it changes rarely.
fn shown_bytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    let whole = group_digits(tenths / 10);
    format!(
        "{whole}.{} MB ({} bytes)",
        tenths % 10,
        group_digits(tenths * 100_000)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(begin: Instant, seconds: u64) -> Instant {
        begin + Duration::from_secs(seconds)
    }

    #[test]
    fn less_than_fifty_megabytes_are_little_until_there_is_clearly_more() {
        let begin = Instant::now();
        let mut meter = RoomMeter::default();
        let mut is_little = |second, free| meter.take(at(begin, second), free).is_some();
        assert!(!is_little(0, 50_000_000));
        assert!(is_little(5, 49_999_999));
        assert!(is_little(10, 51_000_000), "it would come and go");
        assert!(!is_little(15, 60_000_000));
        assert!(!is_little(20, 51_000_000));
    }

    #[test]
    fn a_disk_that_is_full_in_ten_minutes_at_the_pace_of_the_last_ten_is_told_of() {
        let begin = Instant::now();
        let mut meter = RoomMeter::default();
        // A gigabyte in ten minutes.
        let mut warning = None;
        for step in 0..=600 {
            let free = 2_500_000_000 - step * 1_700_000;
            let room = meter.take(at(begin, step), free);
            assert_eq!(room, None, "{step}");
        }
        for step in 600..1200 {
            let free = 2_500_000_000 - step * 1_700_000;
            warning = meter.take(at(begin, step), free);
            if warning.is_some() {
                break;
            }
        }
        let warning = warning.expect("a warning");
        assert!(
            (1_000_000_000..1_020_000_000).contains(&warning.free),
            "{warning:?}"
        );
        assert_eq!(warning.lasts.map(|lasts| lasts.as_secs() / 60), Some(9));
        let text = warning.describe(Path::new("/home/a/.zoea/zoea.db"));
        assert!(
            text.contains("/home/a/.zoea/zoea.db is almost full: 1,01"),
            "{text}"
        );
        assert!(
            text.contains("which last 9 min at the rate of the last 10 min"),
            "{text}"
        );
        // What grew before that is forgotten.
        assert_eq!(meter.take(at(begin, 3000), 1_000_000_000), None);
    }

    #[test]
    fn a_file_that_came_at_once_is_no_growth_while_there_is_room_for_as_much_again() {
        let begin = Instant::now();
        let mut meter = RoomMeter::default();
        assert_eq!(meter.take(begin, 5_000_000_000), None);
        assert_eq!(meter.take(at(begin, 5), 4_000_000_000), None);
        assert_eq!(meter.take(at(begin, 10), 9_000_000_000), None);
    }

    #[test]
    fn what_is_free_is_told_with_the_path() {
        let answer = check_room(Path::new("/srv/zoea.db"), 41_987_654);
        let text = answer.expect_err("little");
        assert!(
            text.starts_with(
                "the disk of /srv/zoea.db is almost full: 41.9 MB (41,900,000 bytes) are free"
            ),
            "{text}"
        );
        assert_eq!(
            check_room(Path::new("/srv/zoea.db"), 9_000_000_000),
            Ok("9,000.0 MB (9,000,000,000 bytes) are free".to_string())
        );
    }
}
