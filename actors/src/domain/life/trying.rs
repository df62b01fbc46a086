//! Trials of a refusal: whose fault it is that a request fails is found out by other requests, each at
//! most once, the cheapest first (decision 341). What a server says is not understood for it.

mod choosing;
mod form;
mod holding;
mod learning;
mod suspects;
mod tools;
mod undelivered;

use std::sync::Arc;

use crate::fault::MysisFaultKind;
use crate::held::{HeldChange, HeldTexts};
use crate::message::Severity;
use crate::model::{ChatMessage, ModelAnswer, ModelFault, OthersGet, RefusalHint, ReportedUse};

use super::Life;
use super::failing::{Failed, refused};
use super::input::Effect;
use form::{FailureKind, NewTexts, stated_wait};

pub(super) use form::{AskForm, Trials};
pub(super) use learning::ServedForm;
pub(super) use undelivered::HeldOrder;

/// So often a request fails that may be in order before anything else is tried.
const PATIENT_FAILURES: u32 = 3;
/// The same where the server fails others now and then, too.
const DOUBTFUL_FAILURES: u32 = 6;

impl Life {
    pub fn set_held(&mut self, held: Arc<HeldTexts>) {
        self.held = held;
    }

    /// Judges a failed request by another one, if it is time for that. Returns whether it did.
    pub(super) fn judge_by_trial(&mut self, failed: &Failed<'_>) -> bool {
        if self.asks_another() {
            self.ask_model(failed.attempt);
            return true;
        }
        let is_own = self.recipient().provider == *failed.provider;
        let kind = FailureKind::of(failed.fault).filter(|_| is_own);
        let form = std::mem::take(&mut self.trials.form);
        let is_doubt = form == AskForm::Doubting;
        if is_doubt {
            self.trials.doubted.clear();
        }
        if is_doubt && is_own {
            self.ask_model(failed.attempt);
            return true;
        }
        let Some(kind) = kind else {
            return false;
        };
        match form {
            AskForm::Whole | AskForm::Doubting => self.whole_failed(failed, kind),
            AskForm::Bare | AskForm::Plain => self.bare_failed(failed, form, kind),
            AskForm::Tools => {
                let is_judged = self.trials.kind == Some(kind);
                is_judged && {
                    self.on_tools_tried(false);
                    self.next_trial(failed)
                }
            }
            AskForm::WithoutTools => {
                self.end_tool_search(failed.fault.text());
                self.next_trial(failed)
            }
            AskForm::WithNotice | AskForm::Calls | AskForm::Without(_) | AskForm::Part(_) => {
                self.next_trial(failed)
            }
        }
    }

    fn whole_failed(&mut self, failed: &Failed<'_>, kind: FailureKind) -> bool {
        let others = failed.others;
        let whole_bytes = self.asked_bytes();
        let trials = &mut self.trials;
        trials.failures += 1;
        trials.whole_bytes = whole_bytes;
        if let ModelFault::Refused { hint, .. } = failed.fault {
            trials.hint.clone_from(hint);
        }
        trials.kind = Some(kind);
        let said = || failed.fault.text().to_string();
        trials.said.get_or_insert_with(said);
        let (failures, is_bare_served) = (trials.failures, trials.is_bare_served);
        let is_served = is_bare_served
            || trials.hint != RefusalHint::Nothing
            || match others {
                OthersGet::Served => true,
                OthersGet::Both => kind == FailureKind::Refusal || failures >= DOUBTFUL_FAILURES,
                OthersGet::Refused | OthersGet::Unknown | OthersGet::Nobody => false,
            };
        let is_due = match kind {
            FailureKind::Refusal => true,
            FailureKind::Failure => is_bare_served || failures >= PATIENT_FAILURES,
            FailureKind::OutOfService => failures > 1,
        };
        if is_due && is_served {
            return self.next_trial(failed);
        }
        if self.awaits_verdict() {
            self.await_verdict(failed.attempt);
            return true;
        }
        match (kind, others) {
            (FailureKind::Refusal, _) => {
                self.set_form(AskForm::Bare);
                self.ask_model(failed.attempt);
                true
            }
            // The next try of the round shows whether the server fails whatever it is asked.
            (FailureKind::Failure, OthersGet::Nobody | OthersGet::Unknown | OthersGet::Refused) => {
                if failures == PATIENT_FAILURES - 1 {
                    self.set_form(AskForm::Bare);
                }
                false
            }
            (FailureKind::Failure | FailureKind::OutOfService, _) => false,
        }
    }

    fn set_form(&mut self, form: AskForm) {
        let left_out = self.rows_left_out(form);
        let trials = &mut self.trials;
        trials.form = form;
        trials.left_out = left_out;
        trials.claim = None;
        trials.tried.push(form);
        match form.is_about_form() {
            true => self.begin_judging(),
            false => self.end_judging(),
        }
    }

    /// Others wait from now on for what this one finds out about the form of requests.
    fn begin_judging(&mut self) {
        if !std::mem::replace(&mut self.trials.is_judging, true) {
            let whom = self.recipient();
            self.effects.push(Effect::HeldBack(HeldChange::Judging {
                provider: whom.provider,
                model: whom.model,
            }));
        }
    }

    fn end_judging(&mut self) {
        if std::mem::take(&mut self.trials.is_judging) {
            self.effects.push(Effect::HeldBack(HeldChange::Judged));
        }
    }

    /// The same body is not sent again where another conversation found nothing out meanwhile: a fixed
    /// text is asked in its place.
    pub(super) fn ask_fixed_text_again(&mut self) {
        let (known, it) = (self.known_of_server(), &self.trials);
        let is_refused = it.kind == Some(FailureKind::Refusal) && it.failures > 0;
        let has_asked = it.is_bare_served || it.has_waited || it.tried.contains(&AskForm::Bare);
        if is_refused && it.form == AskForm::Whole && it.known == known && !has_asked {
            self.set_form(AskForm::Bare);
        }
    }

    /// A fixed text was refused, too: that is no fault of the conversation.
    fn bare_failed(&mut self, failed: &Failed<'_>, form: AskForm, kind: FailureKind) -> bool {
        match (kind, form) {
            (FailureKind::Failure | FailureKind::OutOfService, _) => {
                self.end_judging();
                false
            }
            (FailureKind::Refusal, AskForm::Bare) => {
                self.set_form(AskForm::Plain);
                self.ask_model(failed.attempt);
                true
            }
            (FailureKind::Refusal, _) if failed.others == OthersGet::Served => {
                let text = failed.fault.text();
                self.end_judging();
                let reason = format!(
                    "{text}; the server also refuses a fixed text from this Mysis, while it serves \
                     other Myses: check its provider and model"
                );
                self.fail_turn(MysisFaultKind::Permanent, reason);
                true
            }
            (FailureKind::Refusal, _) => self.wait_for_a_fixed_text(failed),
        }
    }

    /// Waits until the server takes a fixed text again.
    fn wait_for_a_fixed_text(&mut self, failed: &Failed<'_>) -> bool {
        self.end_judging();
        self.trials.form = AskForm::Plain;
        self.trials.has_waited = true;
        let others = match failed.others {
            OthersGet::Refused | OthersGet::Nobody => OthersGet::Nobody,
            OthersGet::Served | OthersGet::Both | OthersGet::Unknown => failed.others,
        };
        self.wait_out(&Failed { others, ..*failed });
        true
    }

    /// Makes the next trial. After the last one the Mysis is errored if the server serves others, and
    /// waits otherwise.
    fn next_trial(&mut self, failed: &Failed<'_>) -> bool {
        self.end_part_of_size();
        if self.awaits_verdict() {
            self.await_verdict(failed.attempt);
            return true;
        }
        if self.is_more_known() || self.asks_another() {
            self.ask_model(failed.attempt);
            return true;
        }
        let provider = failed.provider;
        let may_try = self.held.trials.may_try(provider, self.now.moment);
        let form = self.choose_trial();
        if !may_try {
            self.wait_out(&Failed {
                others: OthersGet::Both,
                ..*failed
            });
            return true;
        }
        let Some(form) = form else {
            return self.end_trials(failed);
        };
        self.set_form(form);
        let texts = self.trials.keys_left_out();
        if let AskForm::Part(part) = form {
            self.begin_part_of_size(part);
        }
        let (number, is_shared) = (self.now.wall.0, self.held.trials.is_shared);
        if !is_shared {
            self.emit_trial();
        } else {
            self.trials.claim = Some(number);
        }
        self.effects.push(Effect::HeldBack(HeldChange::Suspect {
            provider: provider.clone(),
            texts,
            number,
        }));
        match stated_wait(failed.fault) {
            Some(wait) => self.cool_down(failed.attempt, failed.fault.text(), wait),
            None if is_shared => self.await_verdict(failed.attempt),
            None => self.ask_model(failed.attempt),
        }
        true
    }

    fn emit_trial(&mut self) {
        let said = self.trials.said.as_deref().unwrap_or_default();
        let text = format!("{said}; tried {}", self.trials.form.words());
        self.record_notice(Severity::Warn, "trial", &text);
    }

    fn end_trials(&mut self, failed: &Failed<'_>) -> bool {
        self.end_judging();
        let trials = std::mem::take(&mut self.trials);
        let is_served =
            trials.is_bare_served || matches!(failed.others, OthersGet::Served | OthersGet::Both);
        if !is_served {
            self.wait_out(failed);
            return true;
        }
        let mut tried: Vec<&str> = trials.tried.iter().map(|form| form.words()).collect();
        tried.dedup();
        let said = trials.said.unwrap_or_default();
        let served = match trials.is_bare_served {
            true => "it serves a fixed text",
            false => "it serves other Myses",
        };
        let reason = format!(
            "{said}; the server also refuses {}, while {served}: check what is in every \
             request, its system prompt and its tools, or give it another provider",
            tried.join(", ")
        );
        let kind = match trials.kind {
            Some(FailureKind::Failure | FailureKind::OutOfService) => MysisFaultKind::Transient,
            Some(FailureKind::Refusal) | None => MysisFaultKind::Permanent,
        };
        self.fail_turn(kind, reason);
        true
    }

    /// Whether this answer is that of a fixed text, which is no answer to the conversation. What it
    /// cost is in the books.
    pub(super) fn take_bare_answer(
        &mut self,
        attempt: u32,
        provider: &Arc<str>,
        answer: &ModelAnswer,
    ) -> bool {
        let trials = &mut self.trials;
        if !trials.form.is_bare() {
            return false;
        }
        let form = std::mem::take(&mut trials.form);
        trials.is_bare_served = true;
        let is_at_once =
            trials.kind == Some(FailureKind::Refusal) && !std::mem::take(&mut trials.has_waited);
        let said = trials.said.clone().unwrap_or_default();
        let text = "zoea sent the server a fixed text as a test; its cost counts";
        self.charge_with_notice(provider, ReportedUse::of_answer(answer), "trial", text);
        if form == AskForm::Tools {
            self.on_tools_tried(true);
        } else if !is_at_once {
            // Time may have been the reason.
            self.ask_model(attempt);
            return true;
        }
        self.next_trial(&Failed {
            attempt,
            provider,
            fault: &refused(said),
            others: OthersGet::Nobody,
        })
    }
}

/// A request that contains nothing of the conversation.
pub(super) fn fixed_text() -> Arc<[ChatMessage]> {
    [
        ChatMessage::System("You answer with one word.".into()),
        ChatMessage::User("Say yes.".into()),
    ]
    .into()
}
