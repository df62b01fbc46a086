//! Results: what the result of a call tells, read once and given to all that ask for it.

use crate::conversation::PendingCall;
use crate::game::GameReading;
use crate::message::{CallStatus, ResultMeta, RowBody};
use crate::routine::EndedCall;
use crate::tool::FOREIGN_TEXT_LINE;

use super::record::WriteDraft;
use super::{Life, ToolOutcome};

impl Life {
    /// Appends the result of a call, and lets all know what it tells. The watch on progress gets only
    /// those with which the turn goes on.
    pub(super) fn result_into(
        &mut self,
        draft: &mut WriteDraft,
        open: &PendingCall,
        outcome: &ToolOutcome,
        goes_on: bool,
    ) {
        let tool = &open.call.command();
        let row = self.append_row(draft, self.result_body(open, outcome));
        // The first reader parses it, the others use what that one found.
        let reading = GameReading::of(self.session.game, row.text());
        let before = self.samples.figures().clone();
        self.samples.count(&row, Some((&open.call, &reading)));
        let named = self.rules.tools.number.as_ref();
        self.samples.take_number(&row, named);
        self.learn_prices(tool, outcome.status, &reading);
        let now = self.samples.figures().clone();
        let ended = EndedCall {
            call: &open.call,
            key: open.key,
            seq: row.seq,
            status: outcome.status,
            reading: &reading,
            earned: now.value.earned.saturating_sub(before.value.earned),
            before: &before.facts,
            now: &now.facts,
            is_settled: !self.routines.is_unsettled,
        };
        if open.call.routine.is_some() {
            self.take_step_result(draft, &ended);
        } else {
            self.watch_circle(draft, &ended);
            self.note_deed(draft, open, outcome.status);
        }
        self.note_settled(draft, open, outcome.status);
        self.pace.record_call(open, outcome.status);
        let how = (outcome.status, outcome.ms);
        let read = (row.text(), &reading);
        self.recent_activity.record_call(&open.call, how, read);
        self.note_result(tool, outcome.status, row.text());
        self.note_tool_use(draft, tool, outcome.status);
        self.learn_from(draft, open, outcome, &reading);
        if goes_on {
            self.watch_call(open, outcome, &reading);
        }
    }

    /// The result as it is stored.
    fn result_body(&self, open: &PendingCall, outcome: &ToolOutcome) -> RowBody {
        let (tool, game) = (open.call.command(), self.session.game);
        let is_good = outcome.status == CallStatus::Done;
        let text = if is_good && game.has_words_of_others(&tool) {
            format!("{FOREIGN_TEXT_LINE}\n{}", outcome.text)
        } else {
            outcome.text.clone()
        };
        let meta = ResultMeta {
            call_id: open.call.id.clone(),
            tool,
            status: outcome.status,
            ms: outcome.ms,
            tick: outcome.tick,
            bytes: text.len() as u64,
            game,
            kept: None,
        };
        RowBody::Result {
            call: open.key,
            text: text.into(),
            meta,
        }
    }
}
