//! What the pilot knows, read from the conversation and from nothing else.
//!
//! Each part of the situation takes from every tool result what concerns it, oldest result first, so that the newest word stands.

mod account;
mod board;
mod dealings;
mod outcome;
mod place;
mod salvage;
mod ship;

pub(super) use account::{Account, Standing};
pub(super) use board::{Board, Mission};
pub(super) use dealings::{Dealings, Quote};
pub(super) use outcome::{News, Outcome};
pub(super) use place::Place;
pub(super) use ship::Ship;

use super::request::{Entry, Request};

/// All that is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Situation {
    pub(super) account: Account,
    pub(super) place: Place,
    pub(super) ship: Ship,
    pub(super) dealings: Dealings,
    pub(super) board: Board,
    /// The error that the newest result told of, if it was one.
    pub(super) trouble: Option<Trouble>,
    /// The errors since the newest user message.
    pub(super) troubles: Vec<Trouble>,
    /// What was called since the newest user message, and whether it was done.
    pub(super) turn: Vec<Called>,
}

/// A call of the present turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) tool: String,
    pub(super) is_done: bool,
}

/// A tool's refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) tool: String,
    pub(super) arguments: String,
    pub(super) code: String,
    pub(super) message: String,
}

impl Situation {
    /// Reads the conversation.
    pub(super) fn read(request: &Request<'_>) -> Self {
        let mut situation = Self::default();
        let stale = stale(&request.entries);
        for (place, entry) in request.entries.iter().enumerate() {
            match entry {
                Entry::System(text) => situation.account.hear_prompt(text),
                Entry::Result { asked, .. } if stale.contains(&place) => {
                    situation.turn.push(Called {
                        tool: asked.tool.to_owned(),
                        is_done: true,
                    });
                }
                Entry::Result { asked, text } => situation.hear(&News::read(*asked, text)),
                Entry::User(_) => situation.begin_turn(),
                Entry::Assistant { .. } => {}
            }
        }
        situation
    }

    fn begin_turn(&mut self) {
        self.troubles.clear();
        self.turn.clear();
    }

    fn hear(&mut self, news: &News<'_>) {
        self.turn.push(Called {
            tool: news.asked.tool.to_owned(),
            is_done: matches!(news.outcome, Outcome::Done { .. }),
        });
        self.account.hear(news);
        if news.is_about_the_world() {
            self.place.hear(news);
            self.ship.hear(news);
            self.dealings.hear(news);
            self.board.hear(news);
        }
        self.trouble = match &news.outcome {
            Outcome::Failed { code, message } => Some(Trouble {
                tool: news.asked.tool.to_owned(),
                arguments: news.asked.arguments.to_owned(),
                code: code.clone(),
                message: message.clone(),
            }),
            Outcome::Done { .. } | Outcome::Words => None,
        };
        self.troubles.extend(self.trouble.clone());
    }

    /// Whether place, dock, hold and tank are known well enough to act on.
    pub(super) fn is_clear(&self) -> bool {
        const BLIND_MOVES: u32 = 4;
        self.place.poi.is_some()
            && self.place.docked.is_some()
            && self.ship.capacity.is_some()
            && self.ship.blind_moves < BLIND_MOVES
    }

    /// Whether the server asks for patience: the ship moves, or an action is pending.
    pub(super) fn must_wait(&self) -> bool {
        const PATIENCE: [&str; 6] = [
            "in_transit",
            "action_pending",
            "action_queued",
            "already_traveling",
            "already_jumping",
            "rate_limited",
        ];
        self.place.in_transit
            || self
                .trouble
                .as_ref()
                .is_some_and(|trouble| PATIENCE.contains(&trouble.code.as_str()))
    }
}

/// The places of long results that a later result of the same tool outdates altogether.
fn stale(entries: &[Entry<'_>]) -> Vec<usize> {
    const OUTDATED: [&str; 4] = ["get_status", "get_ship", "get_cargo", "get_missions"];
    let mut seen = Vec::new();
    let mut stale = Vec::new();
    for (place, entry) in entries.iter().enumerate().rev() {
        let Entry::Result { asked, text } = entry else {
            continue;
        };
        if !OUTDATED.contains(&asked.tool) || !text.starts_with('{') {
            continue;
        }
        if seen.contains(&asked.tool) {
            stale.push(place);
        }
        seen.push(asked.tool);
    }
    stale
}

#[cfg(test)]
mod tests;
