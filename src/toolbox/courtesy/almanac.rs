//! The almanac: how fast the game's ticks go by, and when its server restarts.

use std::time::Duration;

use actors::domain::ids::MysisId;
use tokio::time::Instant;

/// A tick is taken to be at most so long, and before two were heard of, only so long.
const LONGEST_TICK: Duration = Duration::from_secs(10);
const UNKNOWN_TICK: Duration = Duration::from_secs(1);

/// How long a restart takes, as far as anybody knows, and over how long all come back.
const DOWN: Duration = Duration::from_secs(30);
const RETURN: Duration = Duration::from_secs(60);

/// The longest announcement that is believed.
const LONGEST_NOTICE: u64 = 15 * 60;

/// What the server said of time.
#[derive(Debug, Default)]
pub(super) struct Almanac {
    /// The first tick that was heard of lately, and when.
    first: Option<(i64, Instant)>,
    pace: Option<Duration>,
    /// When the server goes down.
    restart: Option<Instant>,
}

impl Almanac {
    /// Reads an answer. Gives whether it announces a restart that was not known.
    pub(super) fn heard(&mut self, text: &str, now: Instant) -> bool {
        if let Some(tick) = number(text, r#""current_tick""#) {
            self.heard_tick(tick, now);
        }
        if !text.contains(r#""server_restart_warning""#) {
            return false;
        }
        let seconds = number(text, r#""seconds_until_restart""#);
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let seconds = seconds.unwrap_or(60).min(LONGEST_NOTICE);
        let at = now + Duration::from_secs(seconds);
        // Everybody hears of the same restart, some later than others.
        let is_known = self
            .restart
            .is_some_and(|known| at <= known + DOWN && now < known + DOWN);
        if is_known {
            return false;
        }
        self.restart = Some(at);
        true
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
                *self = Almanac {
                    first: Some((tick, now)),
                    ..Almanac::default()
                }
            }
        }
    }

    /// How long what was seen holds: less than a tick.
    pub(super) fn pace(&self) -> Duration {
        self.pace
            .map_or(UNKNOWN_TICK, |pace| pace.min(LONGEST_TICK))
    }

    /// In what time this one may ask the server again; `None`: now. All come back one after the
    /// other.
    pub(super) fn back_in(&mut self, who: MysisId, now: Instant) -> Option<Duration> {
        let restart = self.restart?;
        let scattered = who.0.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        #[expect(clippy::cast_precision_loss, reason = "a number below 1024")]
        let place = RETURN.mul_f64(scattered as f64 / 1024.0);
        let back = restart + DOWN + place;
        if now >= restart + DOWN + RETURN {
            self.restart = None;
        }
        (back > now).then(|| back - now)
    }
}

/// The number behind a key, wherever it stands. Looked for as text: answers can be large.
fn number(text: &str, key: &str) -> Option<i64> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest[..digits].parse().ok()
}
