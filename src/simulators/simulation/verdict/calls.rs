//! Calls: compares what the game carried out with what each Mysis was told of it.

use std::collections::{BTreeMap, VecDeque};

use actors::domain::ids::{CallKey, MysisId, Seq};
use actors::domain::message::{CallStatus, Row};

use zoea_galaxy::world::{CommandKind, command_kind};

/// The number of calls of a Mysis that are remembered, to recognise a repetition and a result that
/// comes late.
const MAX_REMEMBERED_CALLS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct CallChecker {
    of: BTreeMap<String, RememberedCalls>,
    mutations: u64,
    outcomes: BTreeMap<CallStatus, u64>,
}

#[derive(Debug, Default)]
struct RememberedCalls {
    /// Calls that the game carried out, in its order.
    executed: VecDeque<CallKey>,
    declined: VecDeque<CallKey>,
    /// Calls that the Mysis was told were not executed.
    not_executed: VecDeque<CallKey>,
}

impl CallChecker {
    /// Notes that the game carried this call out. Returns the violation, if any.
    pub(super) fn on_executed(&mut self, call: &str) -> Option<String> {
        let (mysis, key) = parse_call_name(call)?;
        self.mutations += 1;
        let calls = self.of.entry(mysis.to_string()).or_default();
        let is_repeated = calls.has_executed(key);
        let is_denied = calls.not_executed.contains(&key);
        remember_call(&mut calls.executed, key);
        if is_repeated {
            return Some(format!("{call} was carried out again"));
        }
        is_denied.then(|| format!("{call} was said not to be executed, and is now"))
    }

    pub(super) fn on_declined(&mut self, call: &str) {
        if let Some((mysis, key)) = parse_call_name(call) {
            let calls = self.of.entry(mysis.to_string()).or_default();
            remember_call(&mut calls.declined, key);
        }
    }

    /// Checks the result that a Mysis was told. Returns the violation, if any.
    pub(super) fn on_result_stored(&mut self, mysis: MysisId, row: &Row) -> Option<String> {
        let (call, _, meta) = row.result()?;
        *self.outcomes.entry(meta.status).or_default() += 1;
        let calls = self.of.entry(mysis.to_string()).or_default();
        // A query leaves no trace in the game.
        let leaves_a_trace = matches!(
            command_kind(&meta.tool),
            Some(CommandKind::Act | CommandKind::Write)
        );
        let said = match meta.status {
            CallStatus::NotExecuted => {
                remember_call(&mut calls.not_executed, call);
                calls
                    .executed
                    .contains(&call)
                    .then_some("not executed, but was")
            }
            CallStatus::Done if leaves_a_trace => {
                (!calls.executed.contains(&call)).then_some("done, but never was executed")
            }
            CallStatus::Failed if leaves_a_trace => {
                let is_known = calls.declined.contains(&call) || calls.executed.contains(&call);
                (!is_known).then_some("refused by the game, which does not know it")
            }
            CallStatus::Recorded
            | CallStatus::Sent
            | CallStatus::Done
            | CallStatus::Failed
            | CallStatus::Unknown => None,
        };
        said.map(|said| format!("{mysis}.{call} ({}) is said to be {said}", meta.tool))
    }

    pub(super) fn was_executed(&self, mysis: MysisId, call: CallKey) -> bool {
        let calls = self.of.get(&mysis.to_string());
        calls.is_some_and(|calls| calls.executed.contains(&call))
    }

    pub(super) fn mutations(&self) -> u64 {
        self.mutations
    }

    pub(super) fn outcomes(&self) -> BTreeMap<CallStatus, u64> {
        self.outcomes.clone()
    }
}

impl RememberedCalls {
    /// Whether the game has carried this call out before. A call older than all remembered ones
    /// counts as carried out. A call that is merely late does not: the game queues a mutation for
    /// its next tick. A queued call that was cut off (the process died, the answer was lost) is
    /// carried out after a newer one that takes no tick, such as an entry in the captain's log.
    fn has_executed(&self, key: CallKey) -> bool {
        let is_full = self.executed.len() == MAX_REMEMBERED_CALLS;
        self.executed.contains(&key) || is_full && self.executed.iter().all(|known| key < *known)
    }
}

fn remember_call(keys: &mut VecDeque<CallKey>, key: CallKey) {
    if keys.len() == MAX_REMEMBERED_CALLS {
        keys.pop_front();
    }
    keys.push_back(key);
}

/// Reads `MYSIS.SEQ.POSITION`. The name of a login that the runtime makes has another form.
fn parse_call_name(call: &str) -> Option<(&str, CallKey)> {
    let (rest, position) = call.rsplit_once('.')?;
    let (mysis, seq) = rest.rsplit_once('.')?;
    let (seq, position) = (Seq(seq.parse().ok()?), position.parse().ok()?);
    Some((mysis, CallKey { seq, position }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::ids::{Timestamp, TurnNumber};
    use actors::domain::message::{ResultMeta, RowBody};

    use super::*;

    const MYSIS: MysisId = MysisId(0x14ab_0416_4875_c336);

    fn name(seq: i64) -> String {
        format!("{MYSIS}.{seq}.0")
    }

    /// The violations when the game carries out these calls in this order.
    fn violations(seqs: impl IntoIterator<Item = i64>) -> Vec<String> {
        let mut calls = CallChecker::default();
        let executed = seqs.into_iter().map(|seq| calls.on_executed(&name(seq)));
        executed.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn result_row(seq: i64, tool: &str, status: CallStatus) -> Row {
        let text: Arc<str> = "an answer".into();
        Row {
            seq: Seq(seq + 1),
            at: Timestamp(0),
            turn: TurnNumber(1),
            body: RowBody::Result {
                call: CallKey {
                    seq: Seq(seq),
                    position: 0,
                },
                meta: ResultMeta {
                    call_id: "c".into(),
                    tool: tool.into(),
                    status,
                    ms: Some(0),
                    tick: None,
                    bytes: text.len() as u64,
                    game: actors::domain::game::GameRef::SpaceMolt,
                    kept: None,
                },
                text,
            },
        }
    }

    #[test]
    fn a_call_that_is_carried_out_late_is_no_repetition() {
        assert_eq!(violations([420, 430, 426, 436]), [""; 0]);
    }

    #[test]
    fn a_call_that_is_carried_out_twice_is_seen_however_much_came_between() {
        let again = [format!("{} was carried out again", name(426))];
        assert_eq!(violations([426, 426]), again);
        assert_eq!(violations([426, 430, 431, 426]), again);
        assert_eq!(violations((426..2000).chain([426])), again);
    }

    #[test]
    fn what_a_mysis_is_told_of_a_call_is_held_against_what_the_game_did() {
        use CallStatus::{Done, Failed, NotExecuted, Unknown};
        let did = |did: &str, tool: &str, status| {
            let mut calls = CallChecker::default();
            match did {
                "executed" => drop(calls.on_executed(&name(7))),
                "declined" => calls.on_declined(&name(7)),
                _ => {}
            }
            calls
                .on_result_stored(MYSIS, &result_row(7, tool, status))
                .is_none()
        };
        for (what, tool, status, is_good) in [
            ("executed", "mine", Done, true),
            ("declined", "mine", Done, false),
            ("nothing", "mine", Done, false),
            ("nothing", "captains_log_add", Done, false),
            ("nothing", "get_status", Done, true),
            ("declined", "mine", Failed, true),
            ("nothing", "mine", Failed, false),
            ("nothing", "get_status", Failed, true),
            ("executed", "mine", NotExecuted, false),
            ("nothing", "mine", NotExecuted, true),
            ("executed", "mine", Unknown, true),
            ("nothing", "mine", Unknown, true),
        ] {
            assert_eq!(did(what, tool, status), is_good, "{what} {tool} {status:?}");
        }
    }
}
