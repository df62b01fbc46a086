//! What is said of the whole swarm and of the view in a few words: the banner, the terminal's title, the way back.

use actors::domain::standing::{StandingCondition, StandingConditions, StandingKind};

use super::Dashboard;
use super::conversation::keys::{FOCUS_KEYS, FocusAction};
use super::table::keys::{TABLE_KEYS, TableAction};

impl Dashboard {
    /// The text of the banner: what is wrong with the store and its disk, then what the whole swarm needs the
    /// operator for.
    #[must_use]
    pub fn banner_text(&self) -> String {
        let texts = [self.lasting_text(), self.swarm_text()];
        joined(texts.into_iter().filter(|text| !text.is_empty()))
    }

    /// What is wrong with the store and its disk, which is shown whole.
    pub(super) fn lasting_text(&self) -> String {
        let lasting = self.standing.iter().filter(|(kind, _)| kind.is_in_band());
        joined(lasting.map(|(_, condition)| condition.text.to_string()))
    }

    /// The conditions of the whole program that last.
    #[must_use]
    pub fn standing(&self) -> &StandingConditions {
        &self.standing
    }

    /// Why the store takes no writes; `None` if it does.
    #[must_use]
    pub fn store_trouble(&self) -> Option<&StandingCondition> {
        self.standing.get(StandingKind::StoreTrouble)
    }

    /// What the whole swarm needs the operator for: that it is frozen, else a provider that serves nobody until he acts,
    /// else that the swarm runs and nothing happens; empty if it plays.
    fn swarm_text(&self) -> String {
        if self.frozen.is_some() {
            return self.freeze_text();
        }
        let need = self.outages.need_text();
        let silence = self.silence.as_ref().map(|notice| notice.text.to_string());
        match need.is_empty() {
            true => silence.unwrap_or_default(),
            false => need,
        }
    }

    /// What the terminal's title says.
    #[must_use]
    pub fn title(&self) -> String {
        let counts = self.counts;
        let frozen = if self.frozen.is_some() {
            "FROZEN, "
        } else {
            ""
        };
        match self.needs.len() + self.standing.count() {
            0 => format!("zoea: {frozen}{} of {} running", counts.running, counts.all),
            needs => format!("zoea: {frozen}{needs} need you, {} running", counts.running),
        }
    }

    /// The key that dismisses an error and leaves the view.
    #[must_use]
    pub fn back_key(&self) -> String {
        match &self.focus {
            Some(_) => self.keymap.key_of(FOCUS_KEYS, FocusAction::Back),
            None => self.keymap.key_of(TABLE_KEYS, TableAction::Back),
        }
    }
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<String>>().join("  ·  ")
}
