//! The freeze of the swarm: how it is shown, and its key.

use actors::domain::event::MysisStatus;
use actors::domain::ids::Timestamp;
use actors::domain::order::Order;
use actors::domain::state::LifeState;

use super::Dashboard;
use super::keys::{GLOBAL_KEYS, GlobalAction};
use super::overlay::Overlay;
use super::overlay::question::{ActionToConfirm, ConfirmDialog};
use super::table::cells;
use super::text::tone::Tone;

impl Dashboard {
    /// What the banner says while the swarm is frozen.
    pub(super) fn freeze_text(&self) -> String {
        let key = self.keymap.key_of(GLOBAL_KEYS, GlobalAction::Freeze);
        format!(
            "FROZEN: no model call, tool call or login begins. Requests already sent are awaited, \
             orders are stored. {key} thaws."
        )
    }

    /// Since when the swarm is frozen; `None` if it is not.
    #[must_use]
    pub fn frozen_since(&self) -> Option<Timestamp> {
        self.frozen
    }

    /// What a Mysis does: that it is frozen, unless it hears out what had left.
    #[must_use]
    pub fn doing_text(&self, status: &MysisStatus) -> (String, Tone) {
        match self.is_held(status) {
            true => ("frozen".to_string(), Tone::Found),
            false => cells::activity_text(status, self.now, &self.outages),
        }
    }

    /// Whether a Mysis stands still because the swarm is frozen.
    #[must_use]
    pub fn is_held(&self, status: &MysisStatus) -> bool {
        self.frozen.is_some()
            && status.state == LifeState::Running
            && !status.activity.goes_on_when_frozen()
    }

    /// The swarm was frozen or thawed, here or elsewhere. After that nobody is asked about a thaw
    /// that he had in mind before.
    pub(in crate::dashboard) fn on_freeze_changed(&mut self, since: Option<Timestamp>) {
        if self.frozen != since {
            self.overlays.retain(|overlay| !is_about_thaw(overlay));
        }
        self.frozen = since;
    }

    /// Freezes the swarm at once. Thawing it, which lets it spend again, asks first.
    pub(in crate::dashboard) fn freeze_or_thaw(&mut self) {
        if self.frozen.is_none() {
            self.order_once("freeze", "the swarm", Order::Freeze);
            return;
        }
        let running = self.roster.counts().running;
        self.overlays.push(Overlay::Confirm(ConfirmDialog::new(
            ActionToConfirm::Thaw,
            vec![
                "Thaw the swarm?".to_string(),
                format!("{running} Myses run and continue where they paused."),
            ],
        )));
    }
}

fn is_about_thaw(overlay: &Overlay) -> bool {
    matches!(overlay, Overlay::Confirm(dialog) if dialog.about == ActionToConfirm::Thaw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::DashboardOptions;

    #[test]
    fn the_question_about_a_thaw_ends_with_the_freeze() {
        let mut board = Dashboard::new(DashboardOptions::default());
        board.on_freeze_changed(Some(Timestamp(7)));
        board.freeze_or_thaw();
        assert_eq!(board.overlays().len(), 1);
        board.on_freeze_changed(Some(Timestamp(7)));
        assert_eq!(board.overlays().len(), 1, "nothing changed");
        board.on_freeze_changed(None);
        assert!(board.overlays().is_empty());
    }
}
