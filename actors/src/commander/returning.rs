//! Restores the Myses of the previous run and decides which ones start.

use ractor::ActorProcessingErr;

use crate::domain::event::is_interruption;
use crate::domain::life::Mode;
use crate::domain::message::Severity;
use crate::domain::record::MysisRecord;
use crate::domain::state::LifeState;

use super::supervising::SpawnReason;
use super::{CommanderArgs, CommanderState};

impl CommanderState {
    /// Restores all Myses from the store as they were (DESIGN 2).
    pub(super) async fn restore_swarm(
        &mut self,
        args: CommanderArgs,
    ) -> Result<(), ActorProcessingErr> {
        let is_frozen = self.freeze_switch().frozen_since().is_some();
        let mut interrupted = 0;
        for record in args.swarm.myses {
            let id = record.id;
            // A swarm that was frozen stands where it stood.
            let stood = is_frozen && record.state == LifeState::Running;
            let starts = args.mode == Mode::Live
                && (stood || starts_by_itself(&record, args.resume, args.start_idle));
            let is_interrupted = !starts && was_running(&record);
            let coming = match record.state == LifeState::Running && is_interrupted {
                true => SpawnReason::Interrupted,
                false => SpawnReason::AsStored,
            };
            self.spawn_mysis(record, coming).await?;
            interrupted += usize::from(is_interrupted);
            if starts && let Some(member) = self.members.get_mut(id) {
                member.start();
            }
        }
        if args.mode == Mode::Live {
            self.record_start();
            self.emit_frozen_start();
        }
        if interrupted > 0 && args.mode == Mode::Live {
            let text = interrupted_words(interrupted);
            self.emit_notice(Severity::Warn, "interrupted", &text);
        }
        Ok(())
    }
}

/// Whether a Mysis starts together with the program. A stopped or errored one never does.
pub(super) fn starts_by_itself(record: &MysisRecord, resume: bool, start_idle: bool) -> bool {
    match record.state {
        LifeState::Running | LifeState::Idle => {
            (resume && was_running(record)) || start_idle || record.is_called
        }
        LifeState::Stopped | LifeState::Errored => false,
    }
}

/// Whether it ran when the program ended. The end may be several runs ago.
fn was_running(record: &MysisRecord) -> bool {
    match record.state {
        LifeState::Running => true,
        LifeState::Idle => is_interruption(record.reason.as_deref()),
        LifeState::Stopped | LifeState::Errored => false,
    }
}

fn interrupted_words(count: usize) -> String {
    let (myses, them) = match count {
        1 => ("1 Mysis was".to_string(), "it"),
        count => (format!("{count} Myses were"), "them"),
    };
    format!(
        "{myses} running when the program ended: `:resume` at the screen, or `zoea mysis start --state \
         interrupted`, starts {them} again; `resume = true` under [swarm] does so at each start"
    )
}
