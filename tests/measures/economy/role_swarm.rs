//! The swarm of one role: its players, who writes to them, and what they used and earned.

use parking_lot::Mutex;
use std::sync::Arc;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event_record::OrderSource;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::record::{GameAccount, PoolAccount};
use actors::domain::rules::SwarmRules;
use actors::domain::state::LifeState;
use anyhow::anyhow;
use ractor::ActorRef;
use tokio_util::task::AbortOnDropHandle;

use zoea_simulation::{Simulation, kill_process};

use super::{MESSAGE_INTERVAL, MESSAGES, ModelUse, RoleReport};

pub(super) struct RoleSwarm {
    pub(super) name: &'static str,
    pub(super) players: usize,
    pub(super) simulation: Simulation,
    pub(super) commander: ActorRef<CommanderMsg>,
    pub(super) used: Arc<Mutex<ModelUse>>,
}

impl RoleSwarm {
    fn handle(&self) -> CommanderHandle {
        CommanderHandle::new(self.commander.clone(), OrderSource::Control)
    }

    pub(super) async fn create(&self) -> anyhow::Result<()> {
        for number in 0..self.players {
            let creation = Order::Create {
                name: player_name(self.name, number),
                provider: None,
                model: None,
                role: None,
                start: false,
            };
            let given = self.handle().order(creation).await;
            given.map_err(|why| anyhow!("{why}"))?;
        }
        Ok(())
    }

    /// Gives the players their accounts in the game. Joining it is not what a real model is measured by, and
    /// a small one loses its thread over the long answer.
    pub(super) async fn open_accounts(&self) -> anyhow::Result<()> {
        let mut accounts = Vec::new();
        for status in self.handle().statuses().await {
            let password = self.simulation.game.open_account(&status.name)?;
            accounts.push(PoolAccount {
                account: GameAccount {
                    username: status.name.clone(),
                    password: password.into(),
                },
                owner: Some(status.id),
            });
        }
        let given = self.handle().order(Order::PoolAccounts(accounts)).await;
        given.map_err(|why| anyhow!("{why}"))?;
        Ok(())
    }

    /// Ends the program and starts it again: a Mysis reads its account when it is restored.
    pub(super) async fn restart(&mut self, rules: SwarmRules) -> anyhow::Result<()> {
        kill_process(&self.commander).await;
        let watcher = self.simulation.recorder.watcher();
        self.commander = self.simulation.start_commander_with(rules, watcher).await?;
        Ok(())
    }

    /// Gives the players their mission, which starts them.
    pub(super) async fn begin(&self, mission: &str) -> anyhow::Result<()> {
        let text = mission.to_string();
        let given = self.handle().order(Order::Broadcast { text }).await;
        given.map_err(|why| anyhow!("{why}"))?;
        Ok(())
    }

    /// Writes to every player from time to time, as long as the handle is kept.
    pub(super) fn start_operator(&self) -> AbortOnDropHandle<()> {
        let (swarm, role, players) = (self.handle(), self.name, self.players);
        AbortOnDropHandle::new(tokio::spawn(async move {
            for message in MESSAGES.into_iter().cycle() {
                tokio::time::sleep(MESSAGE_INTERVAL).await;
                for number in 0..players {
                    let prompt = MysisOrder::Prompt(message.into());
                    // A refusal is an answer too: a player may have stopped.
                    let _ = swarm
                        .order(prompt.for_mysis(player_name(role, number)))
                        .await;
                }
            }
        }))
    }

    /// Ends the swarm, and tells what it used and earned.
    pub(super) async fn end(self, shared: &Simulation) -> RoleReport {
        let statuses = self.handle().statuses().await;
        let running = statuses
            .iter()
            .filter(|status| status.state == LifeState::Running);
        let running = running.count();
        kill_process(&self.commander).await;
        self.simulation.recorder.stop().await;
        let mut report = RoleReport {
            name: self.name,
            players: self.players,
            running,
            used: *self.used.lock(),
            earned: 0,
            spent: 0,
        };
        // A taken name gets digits behind it, so its beginning tells the role.
        let funds = shared.game.funds().into_iter();
        for player in funds.filter(|player| player.name.starts_with(self.name)) {
            report.earned += player.earned;
            report.spent += player.spent;
        }
        report
    }
}

fn player_name(role: &str, number: usize) -> String {
    format!("{role}-{number}")
}
