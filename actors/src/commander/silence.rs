//! Watches whether the swarm runs and nothing happens, and tells so.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::event::{EventKind, MysisStatus, SwarmCondition};
use crate::domain::ids::Moment;
use crate::domain::message::Severity;
use crate::domain::silence::{NOTHING_HAPPENS, SWARM_SILENCE_TIME, SilenceNotice, SilenceScope};
use crate::domain::state::LifeState;
use crate::domain::swarm_silence::silence_notice;
use crate::timer::{Timer, set_timer};

use super::{CommanderMsg, CommanderState};

/// The shortest time between two looks at all Myses: of a large swarm, some change all the time.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// Since when the swarm runs, and what was told of its silence.
#[derive(Default)]
pub(super) struct SilenceWatch {
    running_since: Option<Moment>,
    /// Rings when the swarm's first minutes are over.
    alarm: Option<Timer<CommanderMsg>>,
    /// Whether a tool call succeeded since the program runs.
    has_succeeded: bool,
    sent: Option<Arc<SilenceNotice>>,
    looked_at: Option<Moment>,
    /// Rings when they are to be looked at again, because some changed.
    next_look: Option<Timer<CommanderMsg>>,
}

impl SilenceWatch {
    /// What was told last, while it holds.
    pub(super) fn sent(&self) -> Option<Arc<SilenceNotice>> {
        self.sent.clone()
    }
}

impl CommanderState {
    pub(super) fn on_tool_success(&mut self) {
        if !std::mem::replace(&mut self.silence.has_succeeded, true) {
            self.silence.alarm = None;
            self.update_silence();
        }
    }

    /// The status of a Mysis changed. The rule looks at all Myses, so it looks once for all changes
    /// of a second.
    pub(super) fn watch_silence(&mut self, before: &MysisStatus, after: &MysisStatus) {
        let is_same = before.state == after.state
            && before.silence == after.silence
            && before.failing == after.failing;
        if is_same || self.silence.next_look.is_some() {
            return;
        }
        let now = self.clock().moment();
        let pause = self.silence.looked_at.map_or(Duration::ZERO, |at| {
            LOOK_PAUSE.saturating_sub(now.since(at))
        });
        self.silence.next_look = Some(set_timer(&self.myself, pause, || CommanderMsg::SilenceDue));
    }

    /// Looks at all Myses, because some changed.
    pub(super) fn look_for_silence(&mut self) {
        self.silence.next_look = None;
        self.silence.looked_at = Some(self.clock().moment());
        self.time_silence();
        self.update_silence();
    }

    /// The swarm's time begins with its first running Mysis, and ends with the last one.
    pub(super) fn time_silence(&mut self) {
        let now = self.clock().moment();
        let mut members = self.members.iter();
        let runs = members.any(|member| member.status.state == LifeState::Running);
        // What stands still because it is frozen is not silent.
        let runs = runs && self.freeze_switch().frozen_since().is_none();
        let watch = &mut self.silence;
        if !runs {
            (watch.running_since, watch.alarm) = (None, None);
        } else if watch.running_since.is_none() {
            watch.running_since = Some(now);
            watch.alarm = (!watch.has_succeeded).then(|| {
                set_timer(&self.myself, SWARM_SILENCE_TIME, || {
                    CommanderMsg::FirstMinutesOver
                })
            });
        }
    }

    /// Applies the rule, and tells where its outcome changed. The operator's notice is for a silence
    /// that begins, and for a provider or the swarm alone: a Mysis' silence is a need of its own.
    pub(super) fn update_silence(&mut self) {
        // While the swarm is frozen, what was told before stays.
        if self.freeze_switch().frozen_since().is_some() {
            return;
        }
        let now = self.clock().moment();
        let since = self.silence.running_since;
        let running_for = since.map(|since| now.since(since)).unwrap_or_default();
        let statuses = self.members.iter().map(|member| &*member.status);
        let notice = silence_notice(statuses, self.silence.has_succeeded, running_for);
        let notice = notice.map(Arc::new);
        if notice == self.silence.sent {
            return;
        }
        let before = std::mem::replace(&mut self.silence.sent, notice.clone());
        self.emit_event(EventKind::Condition(SwarmCondition::Silence(
            notice.clone(),
        )));
        if !before.is_some_and(|before| is_wide(&before))
            && let Some(notice) = notice.filter(|notice| is_wide(notice))
        {
            self.emit_notice(Severity::Warn, NOTHING_HAPPENS, &notice.text);
        }
    }
}

fn is_wide(notice: &SilenceNotice) -> bool {
    match notice.scope {
        SilenceScope::Provider | SilenceScope::Swarm => true,
        SilenceScope::Myses => false,
    }
}
