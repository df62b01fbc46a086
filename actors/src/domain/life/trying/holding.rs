//! What is held back: learns from the trial that was served, doubts it once a day, and keeps it out of
//! requests.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::held::{HELD_SENTENCE, HeldChange, HeldKind, HeldText, HeldTexts, Recipient};
use crate::ids::CallKey;
use crate::life::Life;
use crate::life::failing::refused;
use crate::life::input::Effect;
use crate::life::record::WriteDraft;
use crate::message::{Row, RowKind, Severity};
use crate::model::{ChatMessage, OthersGet};
use crate::role_list::ListNews;
use crate::write::Write;

use super::tools::ToolStep;
use super::{AskForm, Failed, FailureKind, HeldOrder, NewTexts, Trials};

/// How long one waits for what another conversation finds out.
const VERDICT_PAUSE: Duration = Duration::from_secs(1);

impl Life {
    pub(in crate::life) fn learn_from_trial(&mut self, provider: &Arc<str>) {
        self.end_judging();
        let mut trials = std::mem::take(&mut self.trials);
        let texts = std::mem::take(&mut trials.runtime_texts);
        let whom = trials.asked.take().unwrap_or_else(|| self.recipient());
        let said = trials.said.as_deref().unwrap_or_default();
        // What is too long for one provider may fit another one.
        let was_shortened =
            trials.shortened_by.as_ref() == Some(provider) && whom.provider == *provider;
        match trials.form {
            AskForm::Without(new) => self.hold_back(new, &whom, &trials),
            AskForm::Doubting => {
                for held in trials.doubted {
                    self.release_text(held);
                }
            }
            AskForm::WithoutTools => {
                if let Some(ToolStep::Found(found)) = trials.search.map(|search| search.step()) {
                    self.learn_of_tools(&found, &whom, said);
                }
            }
            AskForm::Calls => self.learn((HeldKind::Calls, "".into()), &whom, said),
            AskForm::Part(_) => self.learn_size(&whom, said),
            AskForm::Whole if was_shortened => self.learn_size(&whom, said),
            AskForm::Whole
            | AskForm::Bare
            | AskForm::Plain
            | AskForm::Tools
            | AskForm::WithNotice => {}
        }
        // Where it was not known to be the size, it was not.
        self.most_bytes = None;
        self.note_served(provider, &whom, texts);
    }

    /// Holds back from now on what the trial left out: in all conversations if it is one text, else in this
    /// one.
    fn hold_back(&mut self, new: NewTexts, whom: &Recipient, trials: &Trials) {
        let rows = &trials.left_out;
        let is_held = |row: &Arc<Row>| self.held.find_row(whom, row).is_some();
        if rows.iter().any(is_held) {
            // Another conversation found the reason out meanwhile. It says nothing of the other texts.
            return;
        }
        // A server that fails now and then may have failed by chance, so the text is soon tried again.
        let doubted_at = match trials.kind {
            Some(FailureKind::Refusal) | None => self.now.wall,
            Some(FailureKind::Failure | FailureKind::OutOfService) => {
                HeldText::soon_doubted(self.now.wall)
            }
        };
        let failures = trials.failures;
        let said = trials.said.as_deref().unwrap_or_default();
        let texts: BTreeSet<Cow<'_, str>> = rows.iter().map(|row| row.words()).collect();
        // The model's own words are those of one conversation.
        let is_local = texts.len() > 1 || new == NewTexts::Own;
        let mut draft = WriteDraft::default();
        let mut done: BTreeSet<Cow<'_, str>> = BTreeSet::new();
        for row in rows {
            if let Some((call, _, _)) = row.result() {
                self.hold_back_snapshot(&mut draft, call);
            }
            if !done.insert(row.words()) {
                continue;
            }
            let held = Arc::new(HeldText {
                kind: HeldKind::Text,
                provider: whom.provider.clone(),
                model: whom.model.clone(),
                text: HeldText::key_of(row),
                mysis: self.id,
                seq: row.seq,
                is_local,
                said: said.into(),
                proof: format!("{failures} with it failed, 1 without it was served").into(),
                at: self.now.wall,
                doubted_at,
            });
            self.emit_held(&mut draft, row, &held);
            self.keep_held(&mut draft, held);
        }
        self.record_draft(draft);
    }

    /// Stores what is held back or was learnt, or that it is doubted, and tells all conversations.
    pub(super) fn keep_held(&mut self, draft: &mut WriteDraft, held: Arc<HeldText>) {
        draft.writes.push(Write::HoldText(held.clone()));
        Arc::make_mut(&mut self.held).hold(held.clone());
        self.effects.push(Effect::HeldBack(HeldChange::Hold(held)));
    }

    /// Tells the operator what is held back, an order as one that was not delivered.
    fn emit_held(&mut self, draft: &mut WriteDraft, row: &Row, held: &HeldText) {
        let order = row
            .kind()
            .and_then(|kind| HeldOrder::of(kind, row.seq, held));
        if let Some(order) = order {
            let why = order.undelivered.why.clone();
            self.undelivered.push(order);
            return self.add_host_notice(draft, Severity::Error, "not_delivered", &why);
        }
        let what = match row.kind() == Some(RowKind::Host) {
            true => "a note of the runtime".to_string(),
            false => format!("row {} ({})", row.seq.0, row.kind_word()),
        };
        let text = format!(
            "{what} is held back from {} {}, which refuses it ({}): {}",
            held.provider,
            held.model,
            held.said,
            held.shown()
        );
        self.add_host_notice(draft, Severity::Warn, "held_back", &text);
    }

    /// Keeps a result out of the summary of the game, also after a restart.
    pub(in crate::life) fn hold_back_snapshot(&mut self, draft: &mut WriteDraft, call: CallKey) {
        let snapshot = self.game.hold_back(call, HELD_SENTENCE).cloned();
        let write = snapshot.map(|snapshot| self.save_snapshot(snapshot));
        draft.writes.extend(write);
    }

    fn release_text(&mut self, held: Arc<HeldText>) {
        let mut draft = WriteDraft::default();
        let text = format!(
            "{} {} accepts again what was held back: {}",
            held.provider,
            held.model,
            held.shown()
        );
        self.add_host_notice(&mut draft, Severity::Info, "released", &text);
        draft.writes.push(Write::ReleaseText(held.clone()));
        if held.kind == HeldKind::Tool {
            self.emit_list_news(ListNews::Refused);
        }
        self.effects
            .push(Effect::HeldBack(HeldChange::Release(held)));
        self.record_draft(draft);
    }

    /// Puts a text to the proof again that has been held back for a day, if the next request shows it.
    pub(in crate::life) fn doubt_held_text(&mut self) {
        let it = &self.trials;
        if it.failures > 0 || it.form != AskForm::Whole || !it.tried.is_empty() {
            return;
        }
        let Some(due) = self.doubted_text().or_else(|| self.doubted_lesson()) else {
            return;
        };
        let doubted = Arc::new(HeldText {
            doubted_at: self.now.wall,
            ..HeldText::clone(&due)
        });
        let mut draft = WriteDraft::default();
        self.keep_held(&mut draft, doubted.clone());
        self.record_draft(draft);
        self.trials.form = AskForm::Doubting;
        self.trials.tried.push(AskForm::Doubting);
        self.trials.doubted = vec![doubted];
    }

    /// A text that is to be put to the proof again. What the next request does not show would be served
    /// for nothing, and count as taken.
    fn doubted_text(&mut self) -> Option<Arc<HeldText>> {
        let whom = self.recipient();
        let all = self.held.all().iter();
        let due = all
            .filter(|held| HeldTexts::is_doubted(held, self.now.wall) && held.is_from(&whom))
            .filter(|held| self.remembers(held));
        let due: Vec<Arc<HeldText>> = due.cloned().collect();
        if due.is_empty() {
            return None;
        }
        let without = self.next_messages();
        self.trials.doubted.clone_from(&due);
        let with = self.next_messages();
        self.trials.doubted.clear();
        let new = with.iter().filter(|message| !without.contains(message));
        let new: Vec<&ChatMessage> = new.collect();
        due.into_iter().find(|held| held.is_shown_in(&new))
    }

    pub(super) fn next_messages(&self) -> Vec<ChatMessage> {
        let composed = self.stage.turn().map(|turn| self.compose_request(turn));
        composed.map(|it| it.messages).unwrap_or_default()
    }

    pub(in crate::life) fn recipient(&self) -> Recipient {
        let route = self.route_of_the_rung();
        let route = route.unwrap_or_else(|| self.own_route());
        Recipient {
            provider: route.provider,
            model: route.model,
            mysis: self.id,
        }
    }

    pub(in crate::life) fn is_held_text(&self, text: &str) -> bool {
        !self.held.is_empty() && self.held.find(&self.recipient(), text).is_some()
    }

    /// Whether another conversation finds out about a text that this one was refused for.
    pub(in crate::life) fn awaits_verdict(&self) -> bool {
        let was_refused = self.trials.failures > 0 && self.trials.form == AskForm::Whole;
        let whom = self.recipient();
        let is_tried = |row: &Arc<Row>| {
            self.held
                .is_tried_by_another(self.id, row.text(), self.now.moment)
        };
        was_refused
            && (self.new_rows().iter().any(is_tried)
                || self.standing_rows().iter().any(is_tried)
                || self.held.is_judged_by_another(
                    (&whom.provider, &whom.model),
                    self.id,
                    self.now.moment,
                ))
    }

    /// Whether a trial waits for the other processes. One that they do not admit is not made: another
    /// conversation tries the text, or the hour's trials are used up.
    pub(in crate::life) fn awaits_admission(&mut self, attempt: u32) -> bool {
        self.drop_trials_of_another();
        let Some(number) = self.trials.claim else {
            return false;
        };
        let is_admitted = self.held.trials.is_admitted(self.id, number);
        if is_admitted.is_none() {
            self.await_verdict(attempt);
            return true;
        }
        self.trials.claim = None;
        if is_admitted == Some(true) {
            self.emit_trial();
            return false;
        }
        self.end_part_of_size();
        self.end_judging();
        self.trials.form = AskForm::Whole;
        self.trials.tried.pop();
        if self.awaits_verdict() {
            self.await_verdict(attempt);
        } else {
            let said = self.trials.said.clone().unwrap_or_default();
            self.wait_out(&Failed {
                attempt,
                provider: &self.recipient().provider,
                fault: &refused(said),
                others: OthersGet::Both,
            });
        }
        true
    }

    /// Waits for the verdict about a text, without a request.
    pub(in crate::life) fn await_verdict(&mut self, attempt: u32) {
        self.cool_down(
            attempt,
            "another Mysis finds out what is refused",
            VERDICT_PAUSE,
        );
    }
}
