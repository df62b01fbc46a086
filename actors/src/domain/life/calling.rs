//! Tool calls: made one after the other, marked before they are sent, and answered in every case.

use std::sync::Arc;

use serde_json::{Map, Value};
use zoea_spacemolt::commands;

use crate::bounds::MAX_CALLS;
use crate::conversation::PendingCall;
use crate::event::{Activity, EventKind, LinkState, TurnEvent};
use crate::ids::{CallKey, Seq};
use crate::message::{CallStatus, Severity};
use crate::mission_end::DONE_TOOL;
use crate::routine::ROUTINE_START;
use crate::tool_search::FIND_TOOLS;
use crate::write::Write;

use super::input::{CallOrder, Effect, TaskId, ToolOutcome};
use super::record::WriteDraft;
use super::{AfterRecording, Life, Mode, SentMark, TurnStep};

impl Life {
    /// Makes a call, or answers it if it cannot be made.
    pub(super) fn make_call(&mut self, open: PendingCall) {
        // The server works on this call already: its outcome is asked for, whatever is offered now.
        let objection = match open.task {
            Some(_) => None,
            None => self.call_objection(&open),
        };
        if let Some(objection) = objection {
            return self.answer_call(&ToolOutcome::new(CallStatus::NotExecuted, objection));
        }
        if &*open.call.name == FIND_TOOLS {
            let outcome = self.find_tools(&open.call.arguments);
            return self.answer_call(&outcome);
        }
        if &*open.call.name == ROUTINE_START {
            return self.on_routine_call(&open);
        }
        if &*open.call.name == DONE_TOOL {
            return self.on_done_call(&open);
        }
        let work = TaskId(self.next_stamp());
        self.set_step(TurnStep::Calling {
            work,
            mark: match (&open.task, open.call.status) {
                (Some(_), _) => SentMark::InTask,
                (None, CallStatus::Sent) => SentMark::Marked,
                (None, _) => SentMark::NotSent,
            },
        });
        self.set_activity(self.activity_of(&open.call.command()));
        self.effects.push(Effect::Call(CallOrder {
            work,
            turn: self.turn,
            key: open.key,
            tool: open.call.name,
            arguments: open.call.arguments,
            read_only: open.call.read_only,
            task: open.task,
        }));
    }

    /// Why a call cannot be made (docs/design/requests.md).
    pub(super) fn call_objection(&self, open: &PendingCall) -> Option<String> {
        let name = &open.call.name;
        if usize::from(open.key.position) >= MAX_CALLS {
            return Some(format!(
                "Error: too_many_calls: of the calls of one answer the first {MAX_CALLS} are made. \
                 This one and all after it were not; ask again for those that are still needed, \
                 fewer at a time."
            ));
        }
        if !is_json_object(&open.call.arguments) {
            let quoted: String = open.call.arguments.chars().take(500).collect();
            return Some(format!(
                "Error: invalid_arguments: the arguments of {name} are not a JSON object, so it \
                 was not called. They were: {quoted}"
            ));
        }
        if matches!(&**name, FIND_TOOLS | DONE_TOOL) {
            return None;
        }
        // Before the session is open nothing is known of the tools, and the call opens it.
        let is_unopened = self.session.tools.tools().is_empty();
        if is_unopened || self.session.tools.get(name).is_some() {
            let command = open.call.command();
            let is_allowed = self.tool_permit().permits(name, &command);
            return (!is_allowed).then(|| {
                format!(
                    "Error: not_allowed: the operator does not allow {command}, so it was not \
                     called."
                )
            });
        }
        Some(match &self.session.link {
            LinkState::Down | LinkState::NoAccess => format!(
                "Error: unavailable: {} cannot be reached now, so {name} was not called.",
                self.session.game.server()
            ),
            LinkState::LoginRefused(words) => super::game_snapshots::refused_call(name, words),
            LinkState::Ok | LinkState::None => {
                // Models know the first interface's names, or read them in the system prompt.
                let meant = commands::to_second(name, Map::new());
                let meant = meant.filter(|(tool, _)| self.session.tools.get(tool).is_some());
                let advice = meant.map_or_else(String::new, |(tool, arguments)| {
                    let arguments = Value::Object(arguments);
                    format!(" Call {tool} with {arguments} and its parameters.")
                });
                format!("Error: unknown_tool: there is no tool called {name}.{advice}")
            }
        })
    }

    /// Answers the calls that were just stored with the reason why they must not be made.
    pub(super) fn answer_with_refusal(&mut self, draft: &mut WriteDraft, calls: Seq, why: &str) {
        let outcome = ToolOutcome::new(CallStatus::NotExecuted, why);
        let open = self.conversation.open_calls().into_iter();
        for open in open.filter(|open| open.key.seq == calls) {
            self.result_into(draft, &open, &outcome, true);
        }
    }

    /// Marks a call as sent, before it is sent. A call that is sent again has no server task any more.
    pub(super) fn on_call_leaving(&mut self, work: TaskId) {
        let Some((open, mark)) = self.current_call(work) else {
            return;
        };
        let mut draft = WriteDraft::default();
        match mark {
            SentMark::Marked => {
                let mark = SentMark::Sent;
                self.set_step(TurnStep::Calling { work, mark });
                self.show_departure(&open);
                return self.effects.push(Effect::Release { work });
            }
            // It is sent again after a task whose id is not stored.
            SentMark::Sent => return self.effects.push(Effect::Release { work }),
            SentMark::NotSent => draft.writes.push(Write::CallSent {
                mysis: self.id,
                call: open.key,
                at: self.now.wall,
            }),
            SentMark::InTask => self.note_task(&mut draft, open.key, None),
            SentMark::Writing(_) | SentMark::WritingTask(_) => return,
        }
        let write_id = self.record_draft(draft);
        self.set_step(TurnStep::Calling {
            work,
            mark: SentMark::Writing(write_id),
        });
        if mark != SentMark::InTask {
            self.show_departure(&open);
        }
    }

    pub(super) fn show_call(&mut self) {
        if let Some(open) = self.stage.open_call() {
            let activity = self.activity_of(&open.call.command());
            self.set_activity(activity);
        }
    }

    pub(super) fn current_call(&self, work: TaskId) -> Option<(PendingCall, SentMark)> {
        let Some(TurnStep::Calling {
            work: current,
            mark,
        }) = self.stage.step()
        else {
            return None;
        };
        let open = self.stage.open_call().filter(|_| *current == work)?;
        Some((open.clone(), *mark))
    }

    /// Records the id under which the server works on a call, before its outcome is asked for. An
    /// id that contains a secret is not stored; a crash then makes the outcome unknown.
    pub(super) fn on_task_given(&mut self, work: TaskId, task: Arc<str>) {
        let Some((open, SentMark::Sent)) = self.current_call(work) else {
            return;
        };
        if *self.redactor.clean(&task) != *task {
            return self.effects.push(Effect::Release { work });
        }
        let mut draft = WriteDraft::default();
        self.note_task(&mut draft, open.key, Some(task));
        let write_id = self.record_draft(draft);
        self.set_step(TurnStep::Calling {
            work,
            mark: SentMark::WritingTask(write_id),
        });
    }

    /// Goes on when the id of the server's task is stored. A closing program leaves the outcome to
    /// the next run.
    pub(super) fn on_task_kept(&mut self, work: TaskId) {
        self.effects.push(match self.mode {
            Mode::Draining => Effect::Leave,
            Mode::Live | Mode::QueueOnly => Effect::Release { work },
        });
    }

    /// Notes the server's task of the current call, or that it has none any more, in memory and in
    /// a draft.
    fn note_task(&mut self, draft: &mut WriteDraft, call: CallKey, task: Option<Arc<str>>) {
        if let Some(open) = self.stage.open_call_mut() {
            open.task.clone_from(&task);
        }
        self.conversation.note_task(call, task.clone());
        draft.writes.push(Write::CallTask {
            mysis: self.id,
            call,
            task,
        });
    }

    pub(super) fn on_call_returned(&mut self, work: TaskId, outcome: &ToolOutcome) {
        if self.current_call(work).is_some() {
            self.answer_call(outcome);
        }
    }

    /// Records the result of the current call. The turn goes on once it is stored.
    pub(super) fn answer_call(&mut self, outcome: &ToolOutcome) {
        self.answer_call_with(WriteDraft::default(), outcome);
    }

    pub(super) fn answer_call_with(&mut self, mut draft: WriteDraft, outcome: &ToolOutcome) {
        let turn = self.stage.turn_mut();
        let Some(open) = turn.and_then(|turn| turn.calls.pop_front()) else {
            return;
        };
        self.result_into(&mut draft, &open, outcome, true);
        self.emit_event(EventKind::Turn(TurnEvent::ToolReturned {
            tool: open.call.command(),
            call_id: open.call.id,
            is_error: outcome.status != CallStatus::Done,
            ms: outcome.ms,
        }));
        self.mark_next_call(&mut draft);
        let budget = self.rules.context_budget;
        self.conversation.reduce_to(budget.saturating_mul(4));
        self.set_activity(Activity::Recording);
        self.record_then(draft, AfterRecording::GoOn);
    }

    /// Answers the remaining calls, which will not be made. A call that was not sent was not
    /// executed; a call that was sent may have been. A call with a server task stays open: the runtime
    /// asks the server to cancel it, and asks for its outcome when the Mysis runs again.
    pub(super) fn close_open_calls(&mut self, draft: &mut WriteDraft, why: &str) {
        let mut may_have_left = self.may_have_left();
        let Some(turn) = self.stage.turn_mut() else {
            return;
        };
        let calls = std::mem::take(&mut turn.calls);
        for open in calls {
            let has_left = std::mem::take(&mut may_have_left);
            if let Some(task) = open.task {
                self.leave_task(draft, &open.call.command(), task, why);
                continue;
            }
            let outcome = if has_left {
                unknown_outcome(why)
            } else {
                let report = self.close_routine(draft, Some(open.key), why);
                report.unwrap_or_else(|| not_executed(why))
            };
            self.result_into(draft, &open, &outcome, false);
        }
        self.close_routine(draft, None, why);
    }

    /// Whether the present call may have been sent.
    pub(super) fn may_have_left(&self) -> bool {
        let Some(TurnStep::Calling { mark, .. }) = self.stage.step() else {
            return false;
        };
        !matches!(mark, SentMark::NotSent | SentMark::Marked)
    }

    fn leave_task(&mut self, draft: &mut WriteDraft, tool: &str, task: Arc<str>, why: &str) {
        let text = format!(
            "{why} while the server worked on {tool}. The server is asked to cancel that; the \
             outcome is asked for when the mysis runs again."
        );
        self.add_host_notice(draft, Severity::Info, "task_left", &text);
        self.effects.push(Effect::CancelTask(task));
    }
}

/// The result of a call that was sent and whose answer is lost.
pub(super) fn unknown_outcome(why: &str) -> ToolOutcome {
    let text = format!(
        "outcome unknown: the call was sent, but {why} before its answer came. It may have \
         been executed: look whether it was before you repeat it."
    );
    ToolOutcome::new(CallStatus::Unknown, text)
}

/// The result of a call that was not sent.
pub(super) fn not_executed(why: &str) -> ToolOutcome {
    let text = format!("not executed: {why} before this call was sent.");
    ToolOutcome::new(CallStatus::NotExecuted, text)
}

fn is_json_object(text: &str) -> bool {
    matches!(serde_json::from_str::<Value>(text), Ok(Value::Object(_)))
}
