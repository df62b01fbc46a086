//! The conversation of a Mysis comes from the store: when it begins, and after a rest. A Mysis that has
//! heard nothing for a while keeps what it knows, but its conversation only in the store.

use std::collections::VecDeque;
use std::time::Duration;

use crate::domain::last_request::{LastRequest, SentRequest};
use crate::domain::life::{Life, RestoreArgs};
use crate::domain::order::{CompletedOrder, OrderRefusal, OrderResult};
use crate::domain::packed_request::PackedRequest;
use crate::domain::record::StoredHistory;
use crate::session::SessionEvent;
use crate::timer::set_timer;

use super::{MysisArgs, MysisMsg, MysisPhase, MysisState, work};

/// The longest time between two looks whether a Mysis may rest: what it waits for may change meanwhile.
const REST_LOOKED_AT: Duration = Duration::from_secs(10);

pub(super) enum Origin {
    New(Box<MysisArgs>),
    Rested(Box<Life>),
}

pub(super) enum KeptRequest {
    None,
    Whole(Box<LastRequest>),
    Packed(Box<PackedRequest>),
}

impl KeptRequest {
    fn pack(self) -> KeptRequest {
        match self {
            KeptRequest::Whole(sent) => match PackedRequest::of(sent) {
                Ok(packed) => KeptRequest::Packed(Box::new(packed)),
                Err(sent) => KeptRequest::Whole(sent),
            },
            KeptRequest::None | KeptRequest::Packed(_) => self,
        }
    }
}

impl MysisState {
    /// Restores the life, then handles the messages that waited.
    pub(super) fn on_recalled(&mut self, history: StoredHistory) {
        let now = self.deps.session.clock.both_clocks();
        let phase = std::mem::replace(&mut self.phase, MysisPhase::Waking);
        let MysisPhase::Rebuilding { origin, stash, .. } = phase else {
            self.phase = phase;
            return;
        };
        let (life, effects) = match origin {
            Origin::New(args) => {
                let past = RestoreArgs {
                    recollection: history,
                    // Some may have become known since it was started.
                    redactor: self.deps.session.secrets.redactor(),
                    ..args.life
                };
                let (mut life, effects) = Life::restore(past, now);
                life.begin_with_held(self.deps.session.held.now());
                (Box::new(life), effects)
            }
            Origin::Rested(mut life) => {
                life.recall_conversation(history);
                (life, Vec::new())
            }
        };
        self.phase = MysisPhase::Living(life);
        self.carry_out(effects);
        for message in stash {
            self.handle_message(message);
        }
    }

    /// Returns a message that can be handled now. Others wait until the history is read.
    pub(super) fn recall_for(&mut self, message: MysisMsg) -> Option<MysisMsg> {
        let is_resting = matches!(self.phase, MysisPhase::Resting(_));
        if needs_no_history(&message, is_resting) {
            return Some(message);
        }
        if is_resting {
            self.wake();
        }
        match &mut self.phase {
            MysisPhase::Rebuilding { stash, .. } => {
                stash.push_back(message);
                None
            }
            MysisPhase::Waking | MysisPhase::Living(_) | MysisPhase::Resting(_) => Some(message),
        }
    }

    fn wake(&mut self) {
        let phase = std::mem::replace(&mut self.phase, MysisPhase::Waking);
        let MysisPhase::Resting(life) = phase else {
            self.phase = phase;
            return;
        };
        self.phase = MysisPhase::Rebuilding {
            origin: Origin::Rested(life),
            stash: VecDeque::new(),
            _recall: work::spawn_recall(
                self.myself.clone(),
                self.deps.session.clone(),
                self.who.id,
                (None, Duration::ZERO),
            ),
        };
    }

    /// Looks later whether it may rest, if it may by now.
    pub(super) fn rest_later(&mut self) {
        if self.rest_timer.is_none() && self.rests_after().is_some() {
            self.set_rest_timer(REST_LOOKED_AT);
        }
    }

    fn set_rest_timer(&mut self, after: Duration) {
        self.rest_timer = Some(set_timer(&self.myself, after, || MysisMsg::RestDue));
    }

    pub(super) fn rest_if_quiet(&mut self) {
        self.rest_timer = None;
        let Some(after) = self.rests_after() else {
            return;
        };
        let quiet = self.deps.session.clock.moment().since(self.active_at);
        if quiet < after {
            return self.set_rest_timer((after - quiet).min(REST_LOOKED_AT));
        }
        let phase = std::mem::replace(&mut self.phase, MysisPhase::Waking);
        self.phase = match phase {
            MysisPhase::Living(mut life) => {
                life.leave_conversation();
                let sent = std::mem::replace(&mut self.sent, KeptRequest::None);
                self.sent = sent.pack();
                MysisPhase::Resting(life)
            }
            MysisPhase::Rebuilding { .. } | MysisPhase::Waking | MysisPhase::Resting(_) => phase,
        };
    }

    /// Keeps a request that was sent, beside the one before.
    pub(super) fn keep_request(&mut self, sent: Box<LastRequest>) {
        let before = std::mem::replace(&mut self.sent, KeptRequest::None);
        let before = match before {
            KeptRequest::None => None,
            KeptRequest::Whole(before) => Some(before),
            KeptRequest::Packed(packed) => packed.unpack().map(Box::new),
        };
        self.sent = KeptRequest::Whole(sent.after(before));
    }

    pub(super) fn sent_request(&self) -> OrderResult {
        let unpacked;
        let sent = match &self.sent {
            KeptRequest::None => None,
            KeptRequest::Whole(sent) => Some(&**sent),
            KeptRequest::Packed(packed) => {
                unpacked = packed.unpack();
                unpacked.as_ref()
            }
        };
        let sent = sent.ok_or(OrderRefusal::NothingSent)?;
        let body = self.deps.models.request_body(&sent.request);
        let body = body.ok_or(OrderRefusal::NothingSent)?;
        Ok(CompletedOrder::Request(Box::new(SentRequest::of(
            sent, body,
        ))))
    }

    /// How long it hears nothing before it rests; `None` while something of it is not stored.
    fn rests_after(&self) -> Option<Duration> {
        let MysisPhase::Living(life) = &self.phase else {
            return None;
        };
        let is_stored = self.outbox.is_empty() && self.sending.is_none();
        life.rests_after().filter(|_| is_stored)
    }
}

/// Whether a message is handled without the conversation. A Mysis that rests ends without it
/// when the program closes, and only then it has something recorded.
fn needs_no_history(message: &MysisMsg, is_resting: bool) -> bool {
    match message {
        MysisMsg::Recalled(_)
        | MysisMsg::CannotRecall(_)
        | MysisMsg::News(_, SessionEvent::OwnTask(_))
        | MysisMsg::RestDue
        | MysisMsg::Sent(_)
        | MysisMsg::ShowRequest(_) => true,
        MysisMsg::WindDown | MysisMsg::Recorded(_) => is_resting,
        MysisMsg::HandOver
        | MysisMsg::Order(..)
        | MysisMsg::MissionStands(_)
        | MysisMsg::RulesChanged(_)
        | MysisMsg::News(..)
        | MysisMsg::Worked(_)
        | MysisMsg::Rang(_)
        | MysisMsg::StillWaiting => false,
    }
}
