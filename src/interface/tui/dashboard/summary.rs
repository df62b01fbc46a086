//! What is said of the whole swarm and of the view in a few words: the banner, the terminal's title, the way back.

use actors::domain::silence::SilenceScope;
use actors::domain::standing::{StandingCondition, StandingConditions, StandingKind};

use super::Dashboard;
use super::conversation::keys::{FOCUS_KEYS, FocusAction};
use super::table::keys::{TABLE_KEYS, TableAction};

/// What the banner says of the swarm, whatever its words are at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwarmTrouble {
    /// A server serves no requests until the operator acts.
    Server,
    /// The swarm runs and nothing happens.
    Silence(SilenceScope),
}

impl Dashboard {
    /// The text of the banner: what is wrong with the store and its disk, then what the whole swarm needs the
    /// operator for.
    #[must_use]
    pub fn banner_text(&self) -> String {
        let texts = [self.lasting_text(), self.swarm_text(), self.away_text()];
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
        match self.swarm_trouble() {
            Some((trouble, text)) if self.hidden != Some(trouble) => match self.focus.is_some() {
                true => text,
                false => format!("{text}  [{} hides this]", self.back_key()),
            },
            Some(_) | None => String::new(),
        }
    }

    /// What the whole swarm needs the operator for while it is not frozen.
    fn swarm_trouble(&self) -> Option<(SwarmTrouble, String)> {
        let need = self.outages.need_text();
        if !need.is_empty() {
            return Some((SwarmTrouble::Server, need));
        }
        let silence = self.silence.as_ref()?;
        Some((
            SwarmTrouble::Silence(silence.scope),
            silence.text.to_string(),
        ))
    }

    /// Hides what the banner says of the swarm until that is over. Returns whether there was anything.
    pub(super) fn hide_banner(&mut self) -> bool {
        if self.hide_away() {
            return true;
        }
        let shown = self.swarm_trouble().map(|(trouble, _)| trouble);
        let hides = self.frozen.is_none() && shown.is_some() && shown != self.hidden;
        if hides {
            self.hidden = shown;
        }
        hides
    }

    /// What is over is shown again when it comes back.
    pub(super) fn unhide_what_is_over(&mut self) {
        if self.hidden != self.swarm_trouble().map(|(trouble, _)| trouble) {
            self.hidden = None;
        }
    }

    #[must_use]
    pub fn title(&self) -> String {
        let counts = self.counts;
        let frozen = if self.frozen.is_some() {
            "FROZEN, "
        } else {
            ""
        };
        match self.need_count() {
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
