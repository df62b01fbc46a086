//! The memos that a life acts on by itself. The rest of a life names none of them.

mod reminders;

use crate::ids::Now;
use crate::memo::{MemoKind, ShownMemos};
use crate::record::StoredHistory;

use super::Life;
use super::input::AlarmId;
use super::record::WriteDraft;

use reminders::LifeReminders;

/// Why memos are not understood.
pub(super) struct UnknownMemos {
    reminders: Option<String>,
}

#[derive(Debug)]
pub(super) struct LifeMemos {
    reminders: LifeReminders,
}

impl LifeMemos {
    pub(super) fn restore(past: &StoredHistory, now: Now) -> (LifeMemos, UnknownMemos) {
        let (reminders, why) = LifeReminders::restore(past.memo(MemoKind::Reminders), now);
        (LifeMemos { reminders }, UnknownMemos { reminders: why })
    }

    pub(super) fn shown(&self) -> ShownMemos {
        ShownMemos {
            reminders: self.reminders.shown(),
        }
    }

    pub(super) fn alarms(&self) -> [Option<AlarmId>; 1] {
        [self.reminders.alarm()]
    }

    /// Takes a timer that has run out; returns whether it is one of theirs.
    pub(super) fn takes_alarm(&mut self, alarm: AlarmId) -> bool {
        self.reminders.takes_alarm(alarm)
    }
}

impl Life {
    /// Forgets what the store refused to keep. What a Mysis learns by playing is written again later.
    pub(super) fn forget_memo(&mut self, kind: MemoKind) {
        match kind {
            MemoKind::Watch | MemoKind::WorkingSet | MemoKind::Tier | MemoKind::Routines => {}
            MemoKind::Reminders => self.memos.reminders.forget(),
        }
    }

    pub(super) fn emit_unknown_memos(&mut self, draft: &mut WriteDraft, unknown: &UnknownMemos) {
        if let Some(why) = &unknown.reminders {
            self.emit_unknown_reminders(draft, why);
        }
    }

    /// After each input: does what is due.
    pub(super) fn act_on_memos(&mut self) {
        self.deliver_reminders();
    }

    pub(super) fn begin_with_memos(&mut self) {
        self.begin_with_reminders();
    }
}
