//! Circles in a life: what the model repeats is offered as a routine, or begun as one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::event_record::OFFER_CODE;
use crate::game::GameReading;
use crate::message::{CallStatus, Row, Severity};
use crate::role_list::ListNews;
use crate::routine::{
    Circle, CircleMode, EndedCall, ROUTINE_START, RoutineMemo, RoutineRun, RunSource,
};
use crate::samples::GameFacts;

use super::super::Life;
use super::super::record::WriteDraft;
use super::wanted::WantedRoutine;

impl Life {
    /// Takes the result of a call of the model. What repeats is told once.
    pub(in super::super) fn watch_circle(&mut self, draft: &mut WriteDraft, ended: &EndedCall<'_>) {
        let mode = self.rules.routines.mode;
        if mode == CircleMode::Off || !ended.reading.is_of_a_game() {
            self.routines.circles.forget();
            return;
        }
        let is_due = self.routines.circles.take(ended);
        if let Some(offer) = self.routines.circles.take_news() {
            let text = offer.for_operator(mode == CircleMode::Auto);
            self.add_host_notice(draft, Severity::Info, OFFER_CODE, &text);
            // It can be looked at and started by its name from now on, whatever the model does next.
            let offered = self.routines.circles.circle();
            if let Some(routine) = offered.map(|circle| circle.routine.clone()) {
                self.routines.keep(&routine);
            }
            self.emit_list_news(ListNews::LoopPays);
            self.add_routines(draft);
        } else if is_due {
            self.add_routines(draft);
        }
    }

    pub(in super::super) fn learn_prices(
        &mut self,
        command: &str,
        status: CallStatus,
        reading: &GameReading<'_>,
    ) {
        if status == CallStatus::Done && reading.is_of_a_game() {
            Arc::make_mut(&mut self.routines.prices).take(command, reading);
        }
    }

    /// Forgets what is repeated, because something else may be wanted now.
    pub(in super::super) fn forget_circle(&mut self, draft: &mut WriteDraft) {
        if self.routines.circles.forget() {
            self.add_routines(draft);
        }
    }

    /// A run of the circle that made all its rounds ends where it began, so that the circle goes on.
    /// Any other run leaves the ship where nobody knows what comes next.
    pub(super) fn end_circle(&mut self, run: &RoutineRun) {
        let circle = self.routines.circles.circle();
        let goes_on = circle.is_some_and(|circle| {
            let (own, _) = self.with_own_tools(&circle.routine);
            run.is_whole() && own.steps == run.routine().steps
        });
        if !goes_on {
            self.routines.circles.forget();
        }
    }

    pub(in super::super) fn open_circle(&self) -> Option<&Circle> {
        let is_idle = self.routines.run.is_none();
        let is_wanted = is_idle && self.rules.routines.mode != CircleMode::Off;
        self.routines.circles.circle().filter(|_| is_wanted)
    }

    /// The line about a circle for the model, if the model can start it.
    pub(in super::super) fn circle_line(&self) -> Option<String> {
        let circle = self.open_circle()?;
        let has_tool = self.session.allowed.get(ROUTINE_START).is_some();
        has_tool.then(|| circle.offer.for_model())
    }

    /// Begins the circle where a turn begins, if the operator wants that. An order comes first.
    pub(in super::super) fn begin_circle(&mut self) {
        if self.rules.routines.mode != CircleMode::Auto || self.has_unseen_order() {
            return;
        }
        let Some(routine) = self.open_circle().map(|circle| circle.routine.clone()) else {
            return;
        };
        if let Ok(routine) = self.fit_routine(&routine) {
            let mut draft = WriteDraft::default();
            let wanted = WantedRoutine::whole(routine);
            self.begin_routine(&mut draft, wanted, RunSource::Runtime);
            self.record_draft(draft);
        }
    }
}

/// Takes what the model called since the checkpoint was stored. That earned nothing, or the checkpoint
/// would be newer.
pub(in super::super) fn recall_circles(memo: &mut RoutineMemo, rows: &[Arc<Row>]) {
    let mut calls = BTreeMap::new();
    let facts = GameFacts::default();
    let upto = memo.circles.upto();
    for row in rows {
        calls.extend(row.keyed_calls());
        if let Some((key, _, meta)) = row.result()
            && let Some(call) = calls.remove(&key)
            && call.routine.is_none()
            && meta.game.tells_facts()
            && row.seq > upto
        {
            memo.circles.take(&EndedCall {
                seq: row.seq,
                key,
                call,
                status: meta.status,
                reading: &GameReading::of(meta.game, row.text()),
                earned: 0,
                before: &facts,
                now: &facts,
                is_settled: true,
            });
        }
    }
}
