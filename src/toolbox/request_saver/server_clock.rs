//! The almanac: how fast the game's ticks go by, and when its server restarts.

use std::time::Duration;

use actors::domain::ids::MysisId;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

/// A tick is taken to be at most so long, and before two were heard of, only so long.
const MAX_TICK: Duration = Duration::from_secs(10);
const UNKNOWN_TICK: Duration = Duration::from_secs(1);

/// How long before a restart nobody asks any more, how long the restart takes, as far as anybody
/// knows, and over how long all come back: together the longest that one announcement holds anybody.
const HOLD_BEFORE: Duration = Duration::from_secs(60);
const RESTART_DURATION: Duration = Duration::from_secs(30);
const RETURN_SPREAD: Duration = Duration::from_secs(60);

/// After a restart that was announced, no other announcement is believed for so long: a server that
/// speaks of restarts without end must not hold the swarm without end.
const NEXT_BELIEVED_AFTER: Duration = Duration::from_secs(30 * 60);

/// The farthest ahead that a restart is announced, and how far where the announcement does not say.
const MAX_NOTICE_SECONDS: u64 = 15 * 60;
const DEFAULT_NOTICE_SECONDS: u64 = 60;

/// The message type that announces a restart.
const RESTART_WARNING: &str = "server_restart_warning";

/// What the server said of time.
#[derive(Debug, Default)]
pub(super) struct ServerClock {
    /// The first tick that was heard of lately, and when.
    first: Option<(i64, Instant)>,
    pace: Option<Duration>,
    /// When the server goes down, or went down last.
    restart: Option<Instant>,
}

impl ServerClock {
    /// Reads an answer for the tick.
    pub(super) fn heard(&mut self, text: &str, now: Instant) {
        if let Some(tick) = number(text, r#""current_tick""#) {
            self.heard_tick(tick, now);
        }
    }

    /// Reads an answer of the tool by which the game delivers notifications. Gives whether one of them
    /// announces a restart that was not known.
    pub(super) fn heard_notifications(&mut self, text: &str, now: Instant) -> bool {
        let Some(seconds) = announced_restart(text) else {
            return false;
        };
        let at = now + Duration::from_secs(seconds.min(MAX_NOTICE_SECONDS));
        match self.restart {
            // Everybody hears of the same restart, some later than others.
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

    fn heard_tick(&mut self, tick: i64, now: Instant) {
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
            // The world began anew.
            Err(_) => {
                self.first = Some((tick, now));
                self.pace = None;
            }
        }
    }

    /// How long what was seen holds: less than a tick.
    pub(super) fn pace(&self) -> Duration {
        self.pace.map_or(UNKNOWN_TICK, |pace| pace.min(MAX_TICK))
    }

    /// In what time this one may ask the server again; `None`: now. All come back one after the
    /// other.
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

/// What the game answers to whoever asks for notifications.
#[derive(Deserialize)]
struct Delivery<'a> {
    #[serde(borrow, default)]
    notifications: Vec<&'a RawValue>,
}

/// One notification, of which only the server's own fields are read: what stands in `data` may be a
/// player's words.
#[derive(Deserialize)]
struct Notification {
    msg_type: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    data: Option<Announcement>,
}

/// The data of an announced restart.
#[derive(Deserialize)]
struct Announcement {
    seconds_until_restart: Option<u64>,
}

/// In how many seconds the server restarts, where one of the notifications of an answer announces it.
fn announced_restart(text: &str) -> Option<u64> {
    if !text.contains(RESTART_WARNING) {
        return None;
    }
    let delivery: Delivery<'_> = serde_json::from_str(text).ok()?;
    delivery.notifications.iter().find_map(|one| {
        let told: Notification = serde_json::from_str(one.get()).ok()?;
        let is_of_the_system = told.kind.is_none_or(|kind| kind == "system");
        let is_warning = told.msg_type == RESTART_WARNING && is_of_the_system;
        let seconds = told.data.and_then(|data| data.seconds_until_restart);
        is_warning.then(|| seconds.unwrap_or(DEFAULT_NOTICE_SECONDS))
    })
}

/// The number behind a key, wherever it stands. Looked for as text: answers can be large.
fn number(text: &str, key: &str) -> Option<i64> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest[..digits].parse().ok()
}
