//! What is said of the whole swarm and of the view in a few words: the banner, the terminal's title, the way back.

use actors::domain::silence::SilenceScope;

use super::away::Away;
use super::conversation::keys::{FOCUS_KEYS, FocusAction};
use super::facts::{BETWEEN_TEXTS, Facts};
use super::keys::{GLOBAL_KEYS, GlobalAction, Keymap};
use super::table::keys::{TABLE_KEYS, TableAction};
use super::text::tone::Tone;

/// What the operator hid of the banner, and what happened while he was away.
#[derive(Clone, Debug, Default)]
pub(super) struct Banner {
    pub(super) away: Away,
    hidden: Option<SwarmTrouble>,
}

/// What the banner says of the swarm, whatever its words are at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SwarmTrouble {
    /// A server serves no requests until the operator acts.
    Server,
    /// The swarm runs and nothing happens.
    Silence(SilenceScope),
}

impl Banner {
    /// What is wrong with the store and its disk, then what the whole swarm needs the operator for. `is_open`: a
    /// conversation is.
    pub(super) fn text(&self, facts: &Facts, is_open: bool) -> String {
        let texts = [
            facts.lasting_text(),
            self.swarm_text(facts, is_open),
            self.away.text(facts, &back_key(&facts.keymap, is_open)),
        ];
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        texts.join(BETWEEN_TEXTS)
    }

    pub(super) fn tone(&self, facts: &Facts, is_open: bool) -> Tone {
        let away = || self.away.text(facts, &back_key(&facts.keymap, is_open));
        match (facts.store_trouble(), facts.frozen_since) {
            (Some(_), _) => Tone::Fault,
            (None, Some(_)) => Tone::Found,
            (None, None) if self.text(facts, is_open) == away() => Tone::Text,
            (None, None) => Tone::Warning,
        }
    }

    /// What the whole swarm needs the operator for: that it is frozen, else a provider that serves nobody until he acts,
    /// else that the swarm runs and nothing happens; empty if it plays.
    fn swarm_text(&self, facts: &Facts, is_open: bool) -> String {
        if facts.frozen_since.is_some() {
            let key = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Freeze);
            return format!(
                "FROZEN: no model call, tool call or login begins. Requests already sent are awaited, \
                 orders are stored. {key} thaws."
            );
        }
        match swarm_trouble(facts) {
            Some((trouble, text)) if self.hidden != Some(trouble) => match is_open {
                true => text,
                false => format!("{text}  [{} hides this]", back_key(&facts.keymap, false)),
            },
            Some(_) | None => String::new(),
        }
    }

    /// Hides what the banner says of the swarm until that is over. Returns whether there was anything.
    pub(super) fn hide(&mut self, facts: &Facts) -> bool {
        if self.away.hide() {
            return true;
        }
        let shown = swarm_trouble(facts).map(|(trouble, _)| trouble);
        let hides = facts.frozen_since.is_none() && shown.is_some() && shown != self.hidden;
        if hides {
            self.hidden = shown;
        }
        hides
    }

    /// What is over is shown again when it comes back.
    pub(super) fn unhide_what_is_over(&mut self, facts: &Facts) {
        if self.hidden != swarm_trouble(facts).map(|(trouble, _)| trouble) {
            self.hidden = None;
        }
    }
}

/// What the whole swarm needs the operator for while it is not frozen.
fn swarm_trouble(facts: &Facts) -> Option<(SwarmTrouble, String)> {
    let need = facts.outages.need_text();
    if !need.is_empty() {
        return Some((SwarmTrouble::Server, need));
    }
    let silence = facts.silence.as_ref()?;
    let trouble = SwarmTrouble::Silence(silence.scope);
    Some((trouble, silence.text.to_string()))
}

pub(super) fn terminal_title(facts: &Facts) -> String {
    let counts = facts.counts;
    let frozen = match facts.frozen_since {
        Some(_) => "FROZEN, ",
        None => "",
    };
    match facts.need_count() {
        0 => format!("zoea: {frozen}{} of {} running", counts.running, counts.all),
        needs => format!("zoea: {frozen}{needs} need you, {} running", counts.running),
    }
}

/// The key that dismisses an error and leaves the view: the conversation, if one is open.
pub(super) fn back_key(keymap: &Keymap, is_open: bool) -> String {
    match is_open {
        true => keymap.key_of(FOCUS_KEYS, FocusAction::Back),
        false => keymap.key_of(TABLE_KEYS, TableAction::Back),
    }
}
