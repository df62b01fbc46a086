//! Game state: the newest good result of each snapshot query, and its age.
//!
//! Each request contains a summary of it, so that a Mysis knows its situation without asking again.
//! An action marks the results that it may have changed. Of the game, only the names of its tools
//! are known here.

mod age;
mod invalidation;
mod wait;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::game::GameReading;
use super::ids::{CallKey, Moment, Now, Seq, Timestamp};
use super::snapshot_query::SnapshotQuery;
use zoea_text::json_size::escaped_len;

use age::TickClock;
use invalidation::may_invalidate;

pub use wait::GameWait;

/// The most results that are remembered. Beyond that the oldest are dropped.
const MAX_SNAPSHOTS: usize = 16;

/// Whose answer tells of all of a player, and the look that takes its place.
const LOGIN: &str = "login";
const STATUS: &str = "get_status";
const MAX_LOGIN_BYTES: usize = 1 << 10;

/// The greatest age of a stored result from which ticks are extrapolated. It is limited because the
/// wall clock may have been set meanwhile.
const MAX_STORED_AGE: Duration = Duration::from_secs(30 * 86_400);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotResult {
    pub look: SnapshotQuery,
    pub call: CallKey,
    pub digest: Arc<str>,
    pub tick: Option<i64>,
    /// When it was received, by the wall clock.
    pub at: Timestamp,
    /// The later action that may have changed it.
    pub stale_by: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameState {
    snapshots: Vec<SnapshotResult>,
    clock: TickClock,
    /// What the ship waits for, and the tick when that ends.
    wait: Option<(GameWait, i64)>,
}

impl GameState {
    pub fn restore(mut snapshots: Vec<SnapshotResult>, now: Now) -> GameState {
        snapshots.sort_by_key(|snapshot| (snapshot.at, snapshot.call));
        let surplus = snapshots.len().saturating_sub(MAX_SNAPSHOTS);
        snapshots.drain(..surplus);
        let of = |tool: &str| {
            snapshots
                .iter()
                .rposition(|known| &*known.look.tool == tool)
        };
        if of(STATUS) > of(LOGIN) {
            snapshots.retain(|known| &*known.look.tool != LOGIN);
        }
        let mut clock = TickClock::default();
        for snapshot in &snapshots {
            if let Some(tick) = snapshot.tick {
                clock.observe(tick, now.moment_of(snapshot.at, MAX_STORED_AGE));
            }
        }
        GameState {
            snapshots,
            clock,
            wait: None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.snapshots.is_empty()
    }

    #[must_use]
    pub fn snapshots(&self) -> &[SnapshotResult] {
        &self.snapshots
    }

    /// The game's present tick, extrapolated from the newest known one.
    pub fn tick_at(&self, now: Moment) -> Option<i64> {
        self.clock.tick_at(now)
    }

    pub fn on_tick(&mut self, tick: i64, now: Moment) {
        self.clock.observe(tick, now);
    }

    /// Reads from a result whether the ship is under way or cools down.
    pub fn take_wait(&mut self, text: &str, now: Moment) {
        let read = wait::read_wait(text, self.tick_at(now));
        self.wait = read.or(self.wait.take());
    }

    /// What the ship waits for, and when that ends by the wall clock.
    pub fn current_wait(&self, now: Now) -> Option<(GameWait, Timestamp)> {
        let (wait, until) = self.wait?;
        let left = self.clock.time_until(until, now.moment)?;
        Some((wait, now.wall.plus(left)))
    }

    /// Records the result of a snapshot query. It replaces the last result of the same query.
    pub fn record_snapshot(
        &mut self,
        look: SnapshotQuery,
        call: CallKey,
        reading: &GameReading<'_>,
        tick: Option<i64>,
        now: Now,
    ) -> &SnapshotResult {
        let is_status = &*look.tool == STATUS;
        let is_old =
            |known: &SnapshotResult| known.look == look || is_status && &*known.look.tool == LOGIN;
        self.snapshots.retain(|known| !is_old(known));
        if self.snapshots.len() >= MAX_SNAPSHOTS {
            self.snapshots.remove(0);
        }
        self.snapshots.push(SnapshotResult {
            digest: match &*look.tool {
                LOGIN => reading.digest_within(MAX_LOGIN_BYTES).into(),
                _ => reading.digest().into(),
            },
            look,
            call,
            tick: tick.or_else(|| self.tick_at(now.moment)),
            at: now.wall,
            stale_by: None,
        });
        // An element was just pushed.
        &self.snapshots[self.snapshots.len() - 1]
    }

    /// Records the answer to a login, which tells of all of a player. Another look at the player's
    /// status takes its place.
    pub fn record_login(
        &mut self,
        reading: &GameReading<'_>,
        tick: Option<i64>,
        now: Now,
    ) -> &SnapshotResult {
        let look = SnapshotQuery {
            tool: LOGIN.into(),
            arguments: "{}".into(),
        };
        // No row contains it.
        let call = CallKey {
            seq: Seq(0),
            position: 0,
        };
        self.record_snapshot(look, call, reading, tick, now)
    }

    /// Sets a sentence in the place of what the result of a call says. Returns what is known now.
    pub fn hold_back(&mut self, call: CallKey, sentence: &str) -> Option<&SnapshotResult> {
        let mut snapshots = self.snapshots.iter_mut();
        let snapshot = snapshots.find(|known| known.call == call)?;
        snapshot.digest = sentence.into();
        Some(snapshot)
    }

    /// The same with a sentence in the place of each result that is held back.
    #[must_use]
    pub fn without_held(
        &self,
        sentence: &str,
        is_held: impl Fn(&SnapshotResult) -> bool,
    ) -> Cow<'_, GameState> {
        if !self.snapshots.iter().any(&is_held) {
            return Cow::Borrowed(self);
        }
        let mut seen = self.clone();
        for snapshot in seen.snapshots.iter_mut().filter(|known| is_held(known)) {
            snapshot.digest = sentence.into();
            snapshot.look.arguments = "{}".into();
        }
        Cow::Owned(seen)
    }

    /// Marks the results that an action may have changed. Returns the tools whose results were not
    /// marked before.
    pub fn mark_stale(&mut self, action: &Arc<str>) -> Vec<Arc<str>> {
        let mut marked = Vec::new();
        for snapshot in &mut self.snapshots {
            if snapshot.stale_by.is_none() && may_invalidate(action, &snapshot.look.tool) {
                snapshot.stale_by = Some(action.clone());
                if !marked.contains(&snapshot.look.tool) {
                    marked.push(snapshot.look.tool.clone());
                }
            }
        }
        marked
    }

    /// Forgets everything, because the account logged out or changed.
    pub fn forget(&mut self) {
        self.snapshots.clear();
    }

    /// A summary of what is known with its age, newest first, in at most `room` bytes of JSON. It
    /// begins with a line end. Of results for which `is_shown` returns true, only the age is given,
    /// because the request contains them.
    #[must_use]
    pub fn summary(&self, now: Now, room: usize, is_shown: impl Fn(CallKey) -> bool) -> String {
        let mut summary = String::new();
        let mut left = room;
        let head = match self.tick_at(now.moment) {
            Some(tick) => format!("\nKnown of the game, at about tick {tick}:"),
            None => "\nKnown of the game:".to_string(),
        };
        let lines = self.snapshots.iter().rev();
        let lines = lines.map(|snapshot| self.summary_line(snapshot, now, is_shown(snapshot.call)));
        for line in std::iter::once(head).chain(lines) {
            let size = escaped_len(&line);
            if size <= left {
                left -= size;
                summary.push_str(&line);
            }
        }
        if summary.matches('\n').count() < 2 {
            // A heading without entries is removed.
            summary.clear();
        }
        summary
    }

    fn summary_line(&self, snapshot: &SnapshotResult, now: Now, is_shown: bool) -> String {
        let SnapshotQuery { tool, arguments } = &snapshot.look;
        let mut line = format!("\n- {tool}");
        if &**arguments != "{}" {
            line.push(' ');
            line.extend(arguments.chars().take(80));
        }
        line.push_str(&format!(" ({}", self.clock.age(snapshot, now)));
        if let Some(action) = &snapshot.stale_by {
            line.push_str(&format!("; {action} may have changed it since"));
        }
        if is_shown {
            line.push_str("): as shown above");
        } else {
            line.push_str(&format!("): {}", snapshot.digest));
        }
        line
    }
}

#[cfg(test)]
mod tests;
