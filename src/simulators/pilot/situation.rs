//! The pilot's knowledge, read from the conversation and from nothing else.
//!
//! Each part of the situation takes its facts from every tool result, oldest result first, so the
//! newest fact stands.

mod account;
mod board;
mod json_repair;
mod note;
mod outcome;
mod place;
mod ship;
mod trades;

pub(super) use account::{AccountStanding, KnownAccount};
pub(super) use board::{KnownMission, MissionBoard};
pub(super) use outcome::{GameOutcome, ToolNews};
pub(super) use place::KnownPlace;
pub(super) use ship::KnownShip;
pub(super) use trades::{MarketQuote, TradeState};

use super::request::{ChatEntry, PilotRequest};

pub(super) const ROUTINE_TOOL: &str = "zoea_routine_start";
const ROUNDS_OVER: &str = "It ended because its rounds are over.";
const GOES_ON: &str = "It goes on where it stopped";

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Situation {
    pub(super) account: KnownAccount,
    pub(super) place: KnownPlace,
    pub(super) ship: KnownShip,
    pub(super) trades: TradeState,
    pub(super) board: MissionBoard,
    /// The error of the newest result, if it is one.
    pub(super) last_failure: Option<ToolFailure>,
    /// The errors since the newest user message.
    pub(super) failures: Vec<ToolFailure>,
    /// The calls since the newest user message, and whether each succeeded.
    pub(super) turn: Vec<TurnCall>,
    /// Whether the newest routine made all its rounds, and the ship was not moved since.
    pub(super) routine_is_over: bool,
    /// Whether the newest routine can go on where it stopped.
    pub(super) routine_can_go_on: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TurnCall {
    pub(super) tool: String,
    pub(super) is_done: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolFailure {
    pub(super) tool: String,
    pub(super) arguments: String,
    pub(super) code: String,
    pub(super) message: String,
}

impl Situation {
    pub(super) fn read(request: &PilotRequest<'_>) -> Self {
        let mut situation = Self::default();
        let stale = outdated_results(&request.entries);
        for (place, entry) in request.entries.iter().enumerate() {
            match entry {
                ChatEntry::System(text) => {
                    situation.account.on_system_prompt(text);
                    situation.on_note(text);
                }
                ChatEntry::Result { asked, .. } if stale.contains(&place) => {
                    situation.turn.push(TurnCall {
                        tool: asked.tool.to_owned(),
                        is_done: true,
                    });
                }
                ChatEntry::Result { asked, text } if asked.tool == ROUTINE_TOOL => {
                    situation.on_routine(&ToolNews::read(*asked, text), text);
                }
                ChatEntry::Result { asked, text } => {
                    situation.on_result(&ToolNews::read(*asked, text))
                }
                ChatEntry::User(_) => situation.begin_turn(),
                ChatEntry::Assistant { .. } => {}
            }
        }
        situation
    }

    fn begin_turn(&mut self) {
        self.failures.clear();
        self.turn.clear();
    }

    fn on_result(&mut self, news: &ToolNews<'_>) {
        self.turn.push(TurnCall {
            tool: news.asked.tool.to_owned(),
            is_done: matches!(news.outcome, GameOutcome::Done { .. }),
        });
        self.routine_is_over &= !matches!(news.asked.tool, "travel" | "jump");
        self.routine_can_go_on &= is_query(news.asked.tool) || news.asked.tool == "chat";
        self.account.on_result(news);
        if news.is_about_the_world() {
            self.place.on_result(news);
            self.ship.on_result(news);
            match &news.outcome {
                GameOutcome::Done { facts, .. } => {
                    self.trades.on_success(news, facts);
                    self.board.on_success(news, facts);
                }
                GameOutcome::Failed { code, .. } => {
                    self.trades.on_failure(news, code);
                    self.board.on_failure(news, code);
                }
                GameOutcome::Words => {}
            }
        }
        self.last_failure = match &news.outcome {
            GameOutcome::Failed { code, message } => Some(ToolFailure {
                tool: news.asked.tool.to_owned(),
                arguments: news.asked.arguments.to_owned(),
                code: code.clone(),
                message: message.clone(),
            }),
            GameOutcome::Done { .. } | GameOutcome::Words => None,
        };
        self.failures.extend(self.last_failure.clone());
    }

    /// A routine has ended. What it did is not seen; its report tells where that led.
    fn on_routine(&mut self, news: &ToolNews<'_>, text: &str) {
        self.on_result(news);
        self.forget_position();
        self.on_report(text);
        self.routine_is_over = text.contains(ROUNDS_OVER);
        self.routine_can_go_on = text.contains(GOES_ON);
        if let Some(call) = self.turn.last_mut() {
            call.is_done |= self.routine_is_over;
        }
    }

    /// What others did for the player is not seen, so it has to look where that led.
    fn forget_position(&mut self) {
        self.place.poi = None;
        self.place.docked = None;
        self.ship = KnownShip::default();
        self.trades.is_stale = true;
    }

    /// Whether place, dock, hold and tank are known well enough to act.
    pub(super) fn is_clear(&self) -> bool {
        const MAX_BLIND_MOVES: u32 = 4;
        self.place.poi.is_some()
            && self.place.docked.is_some()
            && self.ship.capacity.is_some()
            && self.ship.blind_moves < MAX_BLIND_MOVES
    }

    /// Whether the server asks to wait: the ship moves, or an action is pending.
    pub(super) fn must_wait(&self) -> bool {
        const WAIT_CODES: [&str; 6] = [
            "in_transit",
            "action_pending",
            "action_queued",
            "already_traveling",
            "already_jumping",
            "rate_limited",
        ];
        self.place.in_transit
            || self
                .last_failure
                .as_ref()
                .is_some_and(|failure| WAIT_CODES.contains(&failure.code.as_str()))
    }
}

/// The indices of long results that a later result of the same tool replaces completely.
fn outdated_results(entries: &[ChatEntry<'_>]) -> Vec<usize> {
    const SNAPSHOT_TOOLS: [&str; 4] = ["get_status", "get_ship", "get_cargo", "get_missions"];
    let mut seen = Vec::new();
    let mut stale = Vec::new();
    for (place, entry) in entries.iter().enumerate().rev() {
        let ChatEntry::Result { asked, text } = entry else {
            continue;
        };
        if !SNAPSHOT_TOOLS.contains(&asked.tool) || !text.starts_with('{') {
            continue;
        }
        if seen.contains(&asked.tool) {
            stale.push(place);
        }
        seen.push(asked.tool);
    }
    stale
}

/// Whether the tool leaves the world as it is.
pub(super) fn is_query(tool: &str) -> bool {
    const QUERIES: [&str; 9] = [
        "get_",
        "view_",
        "captains_log",
        "zoea_",
        "find_",
        "search_",
        "estimate",
        "help",
        "catalog",
    ];
    tool != ROUTINE_TOOL && QUERIES.iter().any(|start| tool.starts_with(start))
}

#[cfg(test)]
mod tests;
