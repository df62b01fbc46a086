//! Handles the answers to orders and queries.

use std::sync::Arc;

use actors::domain::message::Row;
use actors::domain::order::{CompletedOrder, OrderRefusal, OrderResult};
use actors::domain::reading::SearchHits;

use super::AnsweredOrder;
use super::undo;
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::keys::{FOCUS_KEYS, FocusAction};
use crate::dashboard::conversation::{FollowFault, PLACES, SeekResult, preview};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::composer::ComposeTarget;
use crate::dashboard::text::tone::Tone;
use actors::domain::screen::{OrderId, ReadId, StoreAnswer};

impl Dashboard {
    /// Takes the answer to an order.
    pub fn on_answer(&mut self, id: OrderId, answer: OrderResult) {
        if self.answered_request(id, &answer) {
            return;
        }
        if let Some(focus) = &mut self.focus {
            focus.following.note_change();
        }
        let sent = self.sent.remove(&id);
        let Some(outcome) = Arc::make_mut(&mut self.orders).on_answer(id, answer) else {
            return;
        };
        if let Ok(CompletedOrder::Created(mysis)) = &outcome.answer {
            self.table.select(*mysis);
        }
        if let Ok(CompletedOrder::Reloaded(reloaded)) = &outcome.answer {
            self.show_notice(&reloaded.to_string());
        }
        if self.answered_view(id, &outcome) {
            return;
        }
        if let Ok(CompletedOrder::Passed(process)) = &outcome.answer {
            let name = &outcome.name;
            self.show_notice(&format!(
                "{name}: stored; {process} carries it out as soon as it can"
            ));
        }
        if let Ok(CompletedOrder::Routine(routine)) = &outcome.answer {
            let name = &outcome.name;
            self.show_notice(&format!("{name}: the routine is now {routine}"));
        }
        self.remember_undo(&outcome);
        if let (Err(_), Some((target, text))) = (&outcome.answer, sent) {
            self.restore_draft(&outcome, target, &text);
        }
        if !self.answered_form(id, &outcome) {
            self.report_refusals(&outcome);
        }
    }

    /// Takes what was read for the open conversation, or the error of the store.
    pub(in crate::dashboard) fn on_conversation_read(
        &mut self,
        id: ReadId,
        read: Result<StoreAnswer, String>,
    ) {
        let Some(read) = preview::take(self, id, read) else {
            return;
        };
        match read {
            Ok(StoreAnswer::Page(page)) => self.take_page(id, page),
            Ok(StoreAnswer::Search(found)) => self.take_found(id, found),
            Ok(StoreAnswer::Samples(series)) => {
                if let Some(focus) = &mut self.focus {
                    focus.timeline.take_samples(id, &series);
                }
            }
            // The view that asked is closed.
            Ok(
                StoreAnswer::Books(_)
                | StoreAnswer::SystemMap(_)
                | StoreAnswer::Processes(_)
                | StoreAnswer::Events(_),
            ) => {}
            Err(why) => self.on_read_error(id, &why),
        }
    }

    fn take_page(&mut self, stamp: ReadId, page: Vec<Arc<Row>>) {
        let next = self.next_read_id();
        if self.take_followed(stamp, &page) {
            return;
        }
        let Some(focus) = &mut self.focus else {
            return;
        };
        if focus.timeline.take_rows(stamp, &page) || focus.take_game(stamp, &page) {
            return;
        }
        if let Some(seeking) = focus.seeking() {
            let found = focus.take_sought(stamp, &page, next);
            if found != SeekResult::Stale {
                return self.on_seek_result(found, seeking.what, next);
            }
        }
        focus.take_rows(stamp, page);
    }

    fn take_found(&mut self, stamp: ReadId, found: SearchHits) {
        let rows = found.rows;
        let Some(focus) = &mut self.focus else {
            return;
        };
        let had = focus
            .transcript
            .text_search
            .as_ref()
            .is_some_and(|text_search| text_search.current.is_some());
        if !focus.take_places(stamp, &rows) || focus.is_searching() {
            return;
        }
        let Some(text_search) = &focus.transcript.text_search else {
            return;
        };
        let (text, count) = (text_search.text().to_string(), text_search.places().len());
        let newest = text_search.places().last().copied();
        let words = match count {
            0 => format!("no match for `{text}` in this conversation"),
            _ if rows.len() >= PLACES => format!("the newest {count} matches of `{text}`"),
            1 => format!("1 match of `{text}`"),
            _ => {
                let key = |action| self.keymap.key_of(FOCUS_KEYS, action);
                let (next, before) = (key(FocusAction::NextMatch), key(FocusAction::MatchBefore));
                format!("{count} matches of `{text}`; {next} and {before} go through them")
            }
        };
        self.notify_operator(Tone::Hint, "said", &words);
        if !had && let Some(newest) = newest {
            self.go_in_transcript(|transcript| {
                if let Some(text_search) = &mut transcript.text_search {
                    text_search.current = Some(newest);
                }
                transcript.go_to(newest)
            });
        }
    }

    pub fn on_performed(&mut self, result: Result<String, String>) {
        match result {
            Ok(text) => self.notify_operator(Tone::Success, "screen", &text),
            Err(why) => self.notify_operator(Tone::Fault, "screen", &why),
        }
    }

    fn on_read_error(&mut self, stamp: ReadId, why: &str) {
        let Some(focus) = &mut self.focus else {
            return;
        };
        let is_news = match focus.following.fail_request(stamp) {
            FollowFault::NotOurs => focus.fail_request(stamp),
            FollowFault::First => true,
            FollowFault::Again => false,
        };
        if is_news {
            let text = format!("the conversation cannot be read: {why}");
            self.notify_operator(Tone::Fault, "unreadable", &text);
        }
    }

    /// If the order came from a form, closes the form on success or shows the reason of a refusal
    /// in it. Returns whether it came from a form.
    fn answered_form(&mut self, id: OrderId, outcome: &AnsweredOrder) -> bool {
        let is_ours = |layer: &Overlay| {
            if let Overlay::Form(form) = layer {
                return form.awaited == Some(id);
            }
            false
        };
        let Some(place) = self.overlays.iter().position(is_ours) else {
            return false;
        };
        if let (Err(refusal), Overlay::Form(form)) = (&outcome.answer, &mut self.overlays[place]) {
            form.complain(&refusal.to_string());
        } else {
            self.overlays.remove(place);
        }
        true
    }

    /// Keeps the order that undoes a completed one. An undo itself cannot be undone.
    fn remember_undo(&mut self, outcome: &AnsweredOrder) {
        let (Ok(done), Some(inverse)) = (&outcome.answer, &outcome.inverse) else {
            return;
        };
        let Some(receipt) = self.orders.receipt(outcome.receipt) else {
            return;
        };
        if undo::is_change(done) && receipt.what != "undo" {
            self.undo
                .remember(outcome.receipt, receipt.what, inverse.clone());
        }
    }

    /// Restores a refused text as a draft, so that the operator finds it on writing to the same
    /// target again.
    fn restore_draft(&mut self, outcome: &AnsweredOrder, target: ComposeTarget, text: &str) {
        let target = match (target, self.roster.find_by_name(&outcome.name)) {
            (ComposeTarget::Myses(_), Some(member)) => ComposeTarget::Myses(vec![member.status.id]),
            (ComposeTarget::Notes(_), Some(member)) => ComposeTarget::Notes(vec![member.status.id]),
            (target, _) => target,
        };
        let open = self.overlays.iter_mut().find_map(|layer| {
            if let Overlay::Compose(composer) = layer {
                return (composer.target == target).then_some(composer);
            }
            None
        });
        match open {
            Some(composer) if composer.field.is_empty() => composer.field.replace(text),
            // The text that is being written now is not overwritten. The refused one is in the
            // history.
            Some(_) => {}
            None if self.drafts.get(&target).is_empty() => self.drafts.keep(&target, text),
            None => {}
        }
    }

    /// Reports refused orders once the last answer came: the reason for a single order, a list for
    /// several.
    fn report_refusals(&mut self, outcome: &AnsweredOrder) {
        let Some(receipt) = self.orders.receipt(outcome.receipt).cloned() else {
            return;
        };
        if !outcome.is_last {
            return;
        }
        if receipt.refused.is_empty() {
            return Arc::make_mut(&mut self.log).end_own_errors();
        }
        let total = receipt.done + receipt.refused.len();
        let text = match &receipt.refused[..] {
            [(who, why)] if total == 1 => format!("{} {who}: {why}", receipt.what),
            refused => {
                let listed: Vec<String> = refused
                    .iter()
                    .take(5)
                    .map(|(who, why)| format!("{who} ({why})"))
                    .collect();
                let more = refused.len().saturating_sub(listed.len());
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                let count = refused.len();
                let listed = listed.join(", ");
                format!(
                    "{}: {count} of {total} refused: {listed}{more}",
                    receipt.what
                )
            }
        };
        let is_known = outcome.answer == Err(OrderRefusal::Closing);
        let tone = if is_known { Tone::Warning } else { Tone::Fault };
        self.notify_operator(tone, "refused", &text);
    }
}
