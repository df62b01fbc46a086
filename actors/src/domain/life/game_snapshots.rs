//! Snapshots: what a Mysis' own calls reveal about the game. They are kept beside the conversation.

use std::sync::Arc;

use crate::conversation::PendingCall;
use crate::event::LinkState;
use crate::game::{GameReading, GameRef};
use crate::game_state::SnapshotResult;
use crate::message::{CallStatus, Severity};
use crate::snapshot_query::SnapshotQuery;
use crate::tool::is_own;
use crate::write::Write;

use super::record::WriteDraft;
use super::{Life, ToolOutcome};

impl Life {
    /// Takes the account of the session. Another account sees another game.
    pub(super) fn plays_as(&mut self, account: Option<Arc<str>>) {
        if account.is_some() && self.session.account.is_some() && account != self.session.account {
            self.game.forget();
            self.samples.forget_game();
        }
        self.session.account = account.or(self.session.account.take());
    }

    /// Takes what a call's outcome says about the game. `reading` is the result as stored.
    pub(super) fn learn_from(
        &mut self,
        draft: &mut WriteDraft,
        open: &PendingCall,
        outcome: &ToolOutcome,
        reading: &GameReading<'_>,
    ) {
        let game = self.session.game;
        if !game.tells_facts() {
            return;
        }
        if let Some(tick) = outcome.tick {
            self.session.tick = Some(tick);
            self.game.on_tick(tick, self.now.moment);
        }
        let tool = &open.call.command();
        let is_done = outcome.status == CallStatus::Done;
        let is_of_game = is_done && !game.has_words_of_others(tool);
        if is_of_game {
            self.game.take_wait(reading.text(), self.now.moment);
        }
        if is_done && &**tool == "logout" {
            return self.forget_game(draft);
        }
        if game.is_look(tool) {
            if is_of_game {
                self.record_snapshot(draft, open, outcome, reading);
            }
        } else if may_have_acted(open, outcome.status) {
            self.mark_stale(draft, tool);
        }
    }

    fn record_snapshot(
        &mut self,
        draft: &mut WriteDraft,
        open: &PendingCall,
        outcome: &ToolOutcome,
        reading: &GameReading<'_>,
    ) {
        let Some(look) =
            SnapshotQuery::of(self.session.game, &open.call.name, &open.call.arguments)
        else {
            return;
        };
        let now = self.now;
        let (tick, is_held) = (outcome.tick, self.is_held_text(reading.text()));
        let game = &mut self.game;
        let snapshot = game.record_snapshot(look, open.key, reading, tick, now);
        let snapshot = snapshot.clone();
        draft.writes.push(self.save_snapshot(snapshot));
        if is_held {
            self.hold_back_snapshot(draft, open.key);
        }
    }

    /// Takes what the answer to the login says of the player: the first that is known of the game.
    pub(super) fn learn_from_login(&mut self, account: Option<Arc<str>>, text: &str) {
        self.plays_as(account);
        // The login may be over before the tools are told.
        if self.session.is_game_known && !self.session.game.tells_facts() {
            return;
        }
        let reading = GameReading::of(GameRef::SpaceMolt, text);
        let tick = reading.game().tick(text);
        if let Some(tick) = tick {
            self.session.tick = Some(tick);
            self.game.on_tick(tick, self.now.moment);
        }
        self.game.take_wait(text, self.now.moment);
        self.samples.take_login(&reading, self.now.wall);
        let now = self.now;
        let snapshot = self.game.record_login(&reading, tick, now).clone();
        let mut draft = WriteDraft::default();
        draft.writes.push(self.save_snapshot(snapshot));
        draft.let_wait();
        self.record_draft(draft);
    }

    pub(super) fn save_snapshot(&self, snapshot: SnapshotResult) -> Write {
        Write::SaveSnapshot {
            mysis: self.id,
            account: self.session.account.clone().unwrap_or_default(),
            snapshot: Box::new(snapshot),
        }
    }

    fn mark_stale(&mut self, draft: &mut WriteDraft, action: &Arc<str>) {
        let tools = self.game.mark_stale(action);
        if tools.is_empty() {
            return;
        }
        draft.writes.push(Write::Stale {
            mysis: self.id,
            account: self.session.account.clone().unwrap_or_default(),
            tools,
            by: action.clone(),
        });
    }

    fn forget_game(&mut self, draft: &mut WriteDraft) {
        self.game.forget();
        draft.writes.push(Write::ForgetSnapshots {
            mysis: self.id,
            account: self.session.account.clone().unwrap_or_default(),
        });
    }

    /// Tells the operator which notices the next request has for the first time.
    pub(super) fn emit_notices(&mut self) {
        let notices = self.notices();
        let known = std::mem::take(&mut self.sent_notices.noticed);
        self.sent_notices.noticed = notices.iter().map(|(code, _)| *code).collect();
        for (code, notice) in &notices {
            // These were reported when they happened.
            let is_for_model =
                matches!(*code, "no_progress" | "done" | "routine_report" | "circle");
            if !known.contains(code) && !is_for_model {
                let text = format!("the model gets the notice: {notice}");
                self.record_notice(Severity::Info, "system_notice", &text);
            }
        }
    }

    /// The notices about the runtime for the model, one on a line.
    pub(super) fn notices(&self) -> Vec<(&'static str, String)> {
        let link = match &self.session.link {
            LinkState::Down | LinkState::NoAccess => {
                Some(("link_down", link_down_notice(self.session.game)))
            }
            LinkState::LoginRefused(words) => Some(("login_refused", login_refused_notice(words))),
            LinkState::Ok | LinkState::None => None,
        };
        let report = self.routines.report.as_ref().map(|it| it.to_string());
        let others = [
            ("no_progress", self.progress_notice()),
            ("done", self.done_notice()),
            ("routine_report", report),
            ("circle", self.circle_line()),
        ];
        let others = others.into_iter();
        let others = others.filter_map(|(code, notice)| Some((code, notice?)));
        link.into_iter().chain(others).collect()
    }
}

fn link_down_notice(game: GameRef) -> String {
    let server = game.server().trim_start_matches("the ");
    format!(
        "The {server} cannot be reached at the moment: its tools are missing until it can. Wait, and say so \
         in one sentence."
    )
}

/// Why a call of the game is not made while the game refuses the login.
pub(super) fn refused_call(tool: &str, words: &str) -> String {
    format!(
        "Error: unavailable: the game refuses to log you in, so {tool} was not called. It says: {words}"
    )
}

fn login_refused_notice(words: &str) -> String {
    format!(
        "The game refuses to log you in, and its tools are missing until it does. Only the operator can \
         change that. It says: {words}"
    )
}

/// Whether the session answers a command by the rules of accounts, which may not send it.
pub(super) fn is_of_accounts(command: &str) -> bool {
    matches!(
        command,
        "register" | "login" | "login_token" | "login_link" | "login_link_poll"
    )
}

pub(super) fn may_have_acted(open: &PendingCall, status: CallStatus) -> bool {
    let command = open.call.command();
    matches!(status, CallStatus::Done | CallStatus::Unknown)
        && !open.call.read_only
        && !is_own(&command)
        && !command.starts_with("get_")
        && !is_of_accounts(&command)
}
