//! Reminders in a life: taken, taken away, and delivered as direct messages once they are due (docs/design/requests.md).
//!
//! A delivered message and the memo without its reminder are one write, so that a crash at any moment
//! delivers it once. When a reminder is due is stored by the wall clock. A life waits for it by both
//! clocks and takes the earlier word: the monotonic one does not go on while the machine sleeps, and
//! the wall clock may be set back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::ids::{Moment, Now, Timestamp};
use crate::memo::reminder::{Reminder, Reminders};
use crate::memo::{MemoKind, ShownMemos};
use crate::message::{RowBody, Severity};
use crate::order::{CompletedAction, CompletedOrder, OrderRefusal};

use super::input::{AlarmId, ReplyId};
use super::record::WriteDraft;
use super::{Life, Mode};

/// How often it is looked what the wall clock says.
const LOOK_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct LifeReminders {
    /// Those that wait; `None` if it is not known which, so that none is delivered or overwritten.
    known: Option<Reminders>,
    /// When each is due by the monotonic clock, by number, as the wall clock said when it was taken.
    moments: BTreeMap<u64, Moment>,
    alarm: Option<(AlarmId, Moment)>,
}

impl LifeReminders {
    /// What a memo says; without reminders if it is not understood, and then why.
    pub(super) fn restore(memo: Option<&str>, now: Now) -> (LifeReminders, Option<String>) {
        let (known, why) = match Reminders::from_memo(memo) {
            Ok(known) => (Some(known), None),
            Err(why) => (None, Some(why)),
        };
        let waiting = known.iter().flat_map(Reminders::waiting);
        let moments = waiting.map(|one| (one.number, moment_of(one.at, now)));
        let reminders = LifeReminders {
            moments: moments.collect(),
            alarm: None,
            known,
        };
        (reminders, why)
    }

    /// Nothing is known any more: the store refused what it should keep.
    pub(super) fn forget(&mut self) {
        self.known = None;
        self.moments.clear();
    }

    /// Those that wait; `None` if that is not known.
    pub(super) fn shown(&self) -> ShownMemos {
        ShownMemos {
            reminders: self.known.as_ref().map(|known| known.waiting().into()),
        }
    }

    pub(super) fn alarm(&self) -> Option<AlarmId> {
        self.alarm.map(|(alarm, _)| alarm)
    }

    /// Takes its timer, which has run out; returns whether it is this one.
    pub(super) fn takes_alarm(&mut self, alarm: AlarmId) -> bool {
        self.alarm.take_if(|(its, _)| *its == alarm).is_some()
    }

    fn is_due(&self, one: &Reminder, now: Now) -> bool {
        let by_monotonic = self.moments.get(&one.number);
        one.at <= now.wall || by_monotonic.is_some_and(|due| *due <= now.moment)
    }

    fn due(&self, now: Now) -> impl Iterator<Item = &Reminder> {
        let waiting = self.known.iter().flat_map(Reminders::waiting);
        waiting.filter(move |one| self.is_due(one, now))
    }

    /// When the first of those that are not due yet is, by the monotonic clock.
    fn next_moment(&self, now: Now) -> Option<Moment> {
        let waiting = self.known.iter().flat_map(Reminders::waiting);
        let later = waiting.filter(|one| !self.is_due(one, now));
        later
            .filter_map(|one| self.moments.get(&one.number))
            .min()
            .copied()
    }

    fn known(&mut self) -> Result<&mut Reminders, OrderRefusal> {
        let why = "its stored reminders could not be read, so reminders can be neither added nor cancelled; its log says why";
        self.known
            .as_mut()
            .ok_or_else(|| OrderRefusal::Because(why.to_string()))
    }
}

/// When it is due by the monotonic clock, as the wall clock says now.
fn moment_of(at: Timestamp, now: Now) -> Moment {
    now.moment.plus(Duration::from_millis(at.since(now.wall)))
}

impl Life {
    pub(super) fn emit_unknown_reminders(&mut self, draft: &mut WriteDraft, why: &str) {
        let text = format!(
            "its stored reminders cannot be understood ({why}), so none of them is delivered; another version of \
             zoea may have written them"
        );
        self.add_host_notice(draft, Severity::Error, "reminders_unknown", &text);
    }

    pub(super) fn take_reminder(
        &mut self,
        reply: ReplyId,
        at: Timestamp,
        text: Arc<str>,
    ) -> Result<(), OrderRefusal> {
        let text = self.redactor.clean_shared(text);
        let added = self.reminders.known()?.add(at, text);
        let reminder = added.map_err(OrderRefusal::Because)?;
        let due = moment_of(at, self.now);
        self.reminders.moments.insert(reminder.number, due);
        let draft = WriteDraft::answering(
            reply,
            CompletedOrder::Reminded {
                id: reminder.id(self.name()).into(),
                at,
            },
        );
        self.record_reminders(draft);
        Ok(())
    }

    pub(super) fn cancel_reminder(
        &mut self,
        reply: ReplyId,
        number: u64,
    ) -> Result<(), OrderRefusal> {
        if self.reminders.known()?.remove(number).is_none() {
            let why = format!(
                "no reminder {}:{number} waits; `zoea reminders` lists those that do",
                self.name()
            );
            return Err(OrderRefusal::Because(why));
        }
        self.reminders.moments.remove(&number);
        let done = CompletedOrder::Done(CompletedAction::ReminderCancelled);
        self.record_reminders(WriteDraft::answering(reply, done));
        Ok(())
    }

    fn record_reminders(&mut self, mut draft: WriteDraft) {
        self.add_reminders(&mut draft);
        self.record_draft(draft);
    }

    fn add_reminders(&mut self, draft: &mut WriteDraft) {
        if let Some(known) = &self.reminders.known {
            self.add_memo(draft, MemoKind::Reminders, &known.to_memo());
        }
    }

    /// Delivers what is due, and sets the timer for what comes next. A Mysis that takes no messages now gets
    /// it when it does again; the next process delivers what is due while this one ends.
    pub(super) fn deliver_reminders(&mut self) {
        if self.mode != Mode::Live || self.is_moving {
            return;
        }
        let is_due = self.reminders.due(self.now).next().is_some();
        if is_due && self.takes_messages().is_ok() {
            self.deliver_due();
        }
        let next = self.reminders.next_moment(self.now);
        self.wait_for_reminder(next);
    }

    /// Sets the timer for the first one, also if it is due already.
    pub(super) fn begin_with_reminders(&mut self) {
        if self.mode == Mode::Live {
            self.wait_for_reminder(self.reminders.moments.values().min().copied());
        }
    }

    fn wait_for_reminder(&mut self, next: Option<Moment>) {
        let set_for = self.reminders.alarm.map(|(_, moment)| moment);
        let Some(next) = next.filter(|next| set_for != Some(*next)) else {
            return;
        };
        let after = next.since(self.now.moment).min(LOOK_INTERVAL);
        let alarm = self.wake_after(after, false);
        self.reminders.alarm = Some((alarm, next));
    }

    fn deliver_due(&mut self) {
        let delivered: Vec<Reminder> = self.reminders.due(self.now).cloned().collect();
        let Some(known) = &mut self.reminders.known else {
            return;
        };
        for reminder in &delivered {
            known.remove(reminder.number);
            self.reminders.moments.remove(&reminder.number);
        }
        let mut draft = WriteDraft::default();
        for reminder in &delivered {
            let id = reminder.id(self.name());
            let text = format!(
                "delivered the reminder {id}, which was due at {}",
                reminder.at
            );
            self.add_host_notice(&mut draft, Severity::Info, "reminder", &text);
        }
        self.add_reminders(&mut draft);
        let messages = delivered
            .into_iter()
            .map(|one| RowBody::Prompt { text: one.text });
        self.take_messages(draft, messages.collect());
    }
}
