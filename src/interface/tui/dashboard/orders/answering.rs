//! Handles the answers to orders and queries.

use std::sync::Arc;

use actors::domain::message::Row;
use actors::domain::order::{CompletedOrder, OrderRefusal, OrderResult};
use actors::domain::screen::{OrderId, ReadId, StoreAnswer};

use super::{AnsweredOrder, Receipt};
use crate::dashboard::Dashboard;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::text::tone::Tone;

impl Dashboard {
    pub fn on_answer(&mut self, id: OrderId, answer: OrderResult) {
        self.take_order_answer(id, answer);
        self.carry_out_requests();
    }

    fn take_order_answer(&mut self, id: OrderId, answer: OrderResult) {
        if self.take_request(id, &answer) {
            return;
        }
        if let Some(focus) = &mut self.focus {
            focus.following.note_change();
        }
        let sent = self.writing.take_sent(id);
        let Some(outcome) = Arc::make_mut(&mut self.facts.orders).on_answer(id, answer) else {
            return;
        };
        if let Ok(CompletedOrder::Created(mysis)) = &outcome.answer
            && !self.has_key_since(outcome.receipt)
        {
            self.table.select(*mysis);
        }
        if let Ok(CompletedOrder::Reloaded(reloaded)) = &outcome.answer {
            self.outbox.say(&reloaded.to_string());
        }
        if self.with_views(|layers, context| layers.take_answer(context, id, &outcome)) {
            // The view tells of this answer alone.
            let receipt = self.facts.orders.receipt(outcome.receipt);
            let is_of_other = |(name, _): &(Arc<str>, Arc<str>)| *name != outcome.name;
            if receipt.is_some_and(|receipt| receipt.refused.iter().any(is_of_other)) {
                self.report_refusals(&outcome);
            }
            return;
        }
        let name = &outcome.name;
        if let Ok(CompletedOrder::Passed(process)) = &outcome.answer {
            let words = format!("{name}: stored; {process} carries it out as soon as it can");
            self.outbox.say(&words);
        }
        if let Ok(CompletedOrder::Routine(routine)) = &outcome.answer {
            (self.outbox).say(&format!("{name}: the routine is now {routine}"));
        }
        if let (Err(_), Some(sent)) = (&outcome.answer, sent) {
            (self.writing).restore(sent, &outcome, &self.facts, &mut self.layers);
        }
        if !self.answered_form(id, &outcome) {
            self.report_refusals(&outcome);
        }
    }

    /// Whether a key was pressed after the orders of this receipt, so that another row may be in hand by now.
    fn has_key_since(&self, receipt: u64) -> bool {
        let receipt = self.facts.orders.receipt(receipt);
        receipt.is_none_or(|receipt| self.stillness.has_key_since(receipt.at))
    }

    /// Takes the answer to a query for a request. Returns whether it was one.
    fn take_request(&mut self, id: OrderId, answer: &OrderResult) -> bool {
        if (self.layers).take_request(id, answer, &self.facts, &mut self.outbox) {
            return true;
        }
        let focus = self.focus.as_mut();
        focus.is_some_and(|focus| focus.take_weight(id, answer))
    }

    pub fn on_read(&mut self, id: ReadId, read: Result<StoreAnswer, String>) {
        let preview = self.preview.as_mut();
        if self.layers.await_read(id) {
            if let Ok(StoreAnswer::Events(records)) = &read {
                self.facts.take_older(records);
            }
            self.with_views(|layers, context| layers.take(context, id, read));
        } else if let Some(preview) = preview.filter(|preview| preview.awaits(id)) {
            preview.take(id, read);
        } else {
            self.on_conversation_read(id, read);
        }
        self.carry_out_requests();
    }

    fn on_conversation_read(&mut self, id: ReadId, read: Result<StoreAnswer, String>) {
        if let Ok(StoreAnswer::Page(page)) = &read
            && self.take_followed(id, page)
        {
            return;
        }
        let Some(focus) = &mut self.focus else {
            return;
        };
        let outbox = &mut self.outbox;
        match read {
            Ok(StoreAnswer::Page(page)) => {
                if !focus.timeline.take_rows(id, &page)
                    && !focus.take_game(id, &page)
                    && !focus.take_sought(id, &page, outbox)
                {
                    focus.take_rows(id, page);
                }
            }
            Ok(StoreAnswer::Search(found)) => {
                focus.take_found(id, &found.rows, &self.facts.keymap, outbox);
            }
            Ok(StoreAnswer::Samples(series)) => focus.timeline.take_samples(id, &series),
            // The view that asked is closed.
            Ok(
                StoreAnswer::Books(_)
                | StoreAnswer::SystemMap(_)
                | StoreAnswer::Processes(_)
                | StoreAnswer::Events(_),
            ) => {}
            Err(why) => {
                if focus.fail_request(id) {
                    let text = format!("the conversation cannot be read: {why}");
                    outbox.notify(Tone::Fault, "unreadable", &text);
                }
            }
        }
    }

    /// Takes rows that another process stored. Returns whether they were read for that.
    fn take_followed(&mut self, id: ReadId, page: &[Arc<Row>]) -> bool {
        let Some(focus) = &mut self.focus else {
            return false;
        };
        let mysis = focus.mysis();
        let Some(are_new) = focus.following.take(id, page) else {
            return false;
        };
        for row in page {
            match are_new {
                true => self.on_row_stored(mysis, row),
                false => self.take_row(mysis, row),
            }
        }
        true
    }

    pub(crate) fn on_performed(&mut self, result: Result<String, String>) {
        let (tone, text) = match result {
            Ok(text) => (Tone::Success, text),
            Err(why) => (Tone::Fault, why),
        };
        self.outbox.notify(tone, "screen", &text);
    }

    /// If the order came from a form, closes the form on success or shows the reason of a refusal
    /// in it. Returns whether it came from a form.
    fn answered_form(&mut self, id: OrderId, outcome: &AnsweredOrder) -> bool {
        let is_ours =
            |layer: &Overlay| matches!(layer, Overlay::Form(form) if form.awaited == Some(id));
        let layers = &mut self.layers.all;
        let Some(place) = layers.iter().position(is_ours) else {
            return false;
        };
        if let (Err(refusal), Overlay::Form(form)) = (&outcome.answer, &mut layers[place]) {
            form.complain(&refusal.to_string());
        } else {
            layers.remove(place);
        }
        true
    }

    /// Reports refused orders once the last answer came.
    fn report_refusals(&mut self, outcome: &AnsweredOrder) {
        let Some(receipt) = self.facts.orders.receipt(outcome.receipt) else {
            return;
        };
        if receipt.awaited > 0 {
            return;
        }
        if receipt.refused.is_empty() {
            return Arc::make_mut(&mut self.facts.log).end_own_errors();
        }
        let text = refusal_text(receipt);
        let is_known = outcome.answer == Err(OrderRefusal::Closing);
        let tone = if is_known { Tone::Warning } else { Tone::Fault };
        self.outbox.notify(tone, "refused", &text);
    }
}

/// The reason for a single order, a list for several.
fn refusal_text(receipt: &Receipt) -> String {
    let total = receipt.total();
    match &receipt.refused[..] {
        [(who, why)] if total == 1 => format!("{} {who}: {why}", receipt.what),
        refused => {
            let listed = refused.iter().take(5);
            let listed: Vec<String> = listed.map(|(who, why)| format!("{who} ({why})")).collect();
            let more = match refused.len() - listed.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (what, count, listed) = (receipt.what, refused.len(), listed.join(", "));
            format!("{what}: {count} of {total} refused: {listed}{more}")
        }
    }
}
