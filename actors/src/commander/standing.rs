//! Conditions of the whole program that last: told once as a notice when they begin and end, and known to
//! all watchers in between.

use std::sync::Arc;

use crate::domain::event::{EventKind, SwarmCondition};
use crate::domain::ids::Timestamp;
use crate::domain::message::Severity;
use crate::domain::standing::StandingKind;

use super::CommanderState;

impl CommanderState {
    /// Takes what is known of a condition: its text, or `None` if it is over.
    pub(super) fn on_standing(&mut self, kind: StandingKind, text: Option<&str>) {
        self.on_standing_since(kind, self.now(), text);
    }

    pub(super) fn on_standing_since(
        &mut self,
        kind: StandingKind,
        since: Timestamp,
        text: Option<&str>,
    ) {
        let known = self.news.standing().get(kind).is_some();
        match text {
            Some(text) if !known => self.emit_notice(kind.severity(), kind.code(), text),
            None if known => {
                let (code, words) = kind.end();
                self.emit_notice(Severity::Info, code, words);
            }
            Some(_) | None => {}
        }
        let text = text.map(|text| self.rules.secrets.clean(text).as_ref().into());
        self.keep_standing(kind, since, text);
    }

    /// Keeps what is known of a condition, and tells all watchers if that changed.
    pub(super) fn keep_standing(
        &mut self,
        kind: StandingKind,
        at: Timestamp,
        text: Option<Arc<str>>,
    ) {
        if self.news.set_standing(kind, at, text) {
            self.emit_event(EventKind::Condition(SwarmCondition::Standing(
                self.news.standing(),
            )));
        }
    }
}
