//! The server clock: the length of the game's tick, and when the server restarts.

use std::time::Duration;

use actors::domain::ids::MysisId;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use zoea_spacemolt::results;

/// The longest tick that is believed, and the length that is assumed until two ticks are known.
const MAX_TICK: Duration = Duration::from_secs(10);
const UNKNOWN_TICK: Duration = Duration::from_secs(1);

/// The times around a restart: how long before it requests stop, how long it is assumed to take,
/// and over how long the Myses return. Their sum is the longest that one announcement holds up a
/// Mysis.
const HOLD_BEFORE: Duration = Duration::from_secs(60);
const RESTART_DURATION: Duration = Duration::from_secs(30);
const RETURN_SPREAD: Duration = Duration::from_secs(60);

/// After an announced restart, further announcements are ignored for this long. A server that
/// announces restarts without end must not hold up the swarm without end.
const NEXT_BELIEVED_AFTER: Duration = Duration::from_secs(30 * 60);

/// The most seconds ahead that a restart is believed to be, and the seconds if the announcement
/// names none.
const MAX_NOTICE_SECONDS: u64 = 15 * 60;
const DEFAULT_NOTICE_SECONDS: u64 = 60;

const RESTART_WARNING: &str = "server_restart_warning";

#[derive(Debug, Default)]
pub(super) struct ServerClock {
    /// The reference tick of the measurement, and when it was seen.
    first: Option<(i64, Instant)>,
    pace: Option<Duration>,
    /// When the next restart begins, or when the last one began.
    restart: Option<Instant>,
}

impl ServerClock {
    pub(super) fn on_answer(&mut self, text: &str, now: Instant) {
        if let Some(tick) = results::tick(text) {
            self.on_tick(tick, now);
        }
    }

    /// Reads the notifications of an answer. Returns whether they announce a restart that was not
    /// known.
    pub(super) fn on_notifications(&mut self, text: &str, now: Instant) -> bool {
        let Some(seconds) = announced_restart(text) else {
            return false;
        };
        let at = now + Duration::from_secs(seconds.min(MAX_NOTICE_SECONDS));
        match self.restart {
            // Several Myses receive the announcement of the same restart, some later than others.
            Some(known) if now < known + NEXT_BELIEVED_AFTER => {
                if now < known && at < known {
                    self.restart = Some(at);
                }
                false
            }
            Some(_) | None => {
                self.restart = Some(at);
                true
            }
        }
    }

    fn on_tick(&mut self, tick: i64, now: Instant) {
        let Some((first, at)) = self.first else {
            self.first = Some((tick, now));
            return;
        };
        match u32::try_from(tick - first) {
            Ok(0) => {}
            Ok(ticks) => {
                self.pace = Some((now - at) / ticks);
                if ticks > 1000 {
                    self.first = Some((tick, now));
                }
            }
            // The tick went back: the server has a new world.
            Err(_) => {
                self.first = Some((tick, now));
                self.pace = None;
            }
        }
    }

    /// How long an answer remains valid, at most a tick.
    pub(super) fn pace(&self) -> Duration {
        self.pace.map_or(UNKNOWN_TICK, |pace| pace.min(MAX_TICK))
    }

    /// How long this Mysis has to wait for the server; `None` if it need not wait. Each Mysis gets
    /// another time, so that they do not all return at once.
    pub(super) fn back_in(&self, who: MysisId, now: Instant) -> Option<Duration> {
        let restart = self.restart?;
        if now + HOLD_BEFORE < restart {
            return None;
        }
        let scattered = who.0.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        #[expect(clippy::cast_precision_loss, reason = "a number below 1024")]
        let place = RETURN_SPREAD.mul_f64(scattered as f64 / 1024.0);
        let back = restart + RESTART_DURATION + place;
        (back > now).then(|| back - now)
    }
}

#[derive(Deserialize)]
struct Delivery<'a> {
    #[serde(borrow, default)]
    notifications: Vec<&'a RawValue>,
}

/// A notification. Only the server's own fields are read, because `data` may contain a player's
/// words.
#[derive(Deserialize)]
struct Notification {
    msg_type: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    data: Option<Announcement>,
}

#[derive(Deserialize)]
struct Announcement {
    seconds_until_restart: Option<u64>,
}

/// The seconds until the restart that an answer announces, if it announces one.
fn announced_restart(text: &str) -> Option<u64> {
    if !text.contains(RESTART_WARNING) {
        return None;
    }
    if let Ok(delivery) = serde_json::from_str::<Delivery<'_>>(text) {
        let mut notices = delivery.notifications.iter();
        return notices.find_map(|one| {
            serde_json::from_str::<Notification>(one.get())
                .ok()?
                .restart()
        });
    }
    // The second interface answers in text.
    let facts = results::read_facts(text)?;
    let mut notices = facts.get("notifications")?.as_array()?.iter();
    notices.find_map(|one| Notification::deserialize(one).ok()?.restart())
}

impl Notification {
    /// The seconds until the restart that it announces, if it announces one.
    fn restart(self) -> Option<u64> {
        let is_of_the_system = self.kind.is_none_or(|kind| kind == "system");
        let is_warning = self.msg_type == RESTART_WARNING && is_of_the_system;
        let seconds = self.data.and_then(|data| data.seconds_until_restart);
        is_warning.then(|| seconds.unwrap_or(DEFAULT_NOTICE_SECONDS))
    }
}
