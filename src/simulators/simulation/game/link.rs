//! The connection of one Mysis to the game, through a network that has faults.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::MysisId;
use actors::domain::tool::Toolset;
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, LinkReply, Upstream};
use actors::session::own_tools;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use zoea_galaxy::frontend::ConnectionId;
use zoea_galaxy::world::{CommandKind, command_kind};

use super::super::chaos::{InjectedFault, PANIC};
use super::{AwaitedAnswer, SimulatedGame};

impl Upstream for SimulatedGame {
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>> {
        Some(Arc::new(SimulatedLink {
            game: self.clone(),
            mysis,
            connection: Arc::default(),
        }))
    }
}

/// The connection of one Mysis; 0 before it is open.
#[derive(Clone)]
struct SimulatedLink {
    game: SimulatedGame,
    mysis: MysisId,
    connection: Arc<Mutex<ConnectionId>>,
}

impl SimulatedLink {
    fn connection(&self) -> ConnectionId {
        *self.connection.lock()
    }

    fn set_connection(&self, connection: ConnectionId) {
        *self.connection.lock() = connection;
    }

    /// The way to the game: it takes a while, and some calls do not arrive.
    async fn simulate_network(&self) -> Result<(), LinkFault> {
        let chaos = &self.game.0.chaos;
        let (least, most) = (Duration::from_millis(5), Duration::from_millis(80));
        let way = chaos.duration_of(&self.mysis.to_string(), least, most);
        tokio::time::sleep(way).await;
        assert!(
            !chaos.draw_fault(InjectedFault::GamePanic, 0.0005),
            "{PANIC}"
        );
        if self.game.is_away() || chaos.draw_fault(InjectedFault::GameUnreachable, 0.01) {
            let text = "connection refused".to_string();
            return Err(LinkFault::Unreachable(text));
        }
        if chaos.draw_fault(InjectedFault::GameSessionLost, 0.005) {
            self.game.reconnect(self.connection());
            self.set_connection(0);
        }
        if chaos.draw_fault(InjectedFault::GameLoginLost, 0.005) {
            self.game.lose_login(self.connection());
        }
        Ok(())
    }

    fn draw_fault(&self, fault: InjectedFault, chance: f64) -> bool {
        self.game.0.chaos.draw_fault(fault, chance)
    }

    /// The text of an answer. What a look shows may be the words of another player.
    fn poisoned(&self, tool: &str, mut answer: Value) -> String {
        let game = &self.game.0;
        if self.draw_fault(InjectedFault::PoisonedWords, 0.0003) {
            game.planted.lock().say(&game.chaos.new_mark());
        }
        if command_kind(tool) == Some(CommandKind::Look)
            && let Some(words) = game.planted.lock().words_for(self.mysis)
        {
            return words;
        }
        let planted = game.planted.lock().take_for_result(self.mysis);
        let drawn = || self.draw_fault(InjectedFault::PoisonedResult, 0.0004);
        let mark = planted.or_else(|| drawn().then(|| game.chaos.new_mark()));
        if let (Some(mark), Some(members)) = (mark, answer.as_object_mut()) {
            members.insert("advert".to_string(), mark.into());
        }
        answer.to_string()
    }

    async fn call_once(self, call: LinkCall) -> Result<LinkAnswer, LinkFault> {
        self.game.0.traffic.count_requests(1);
        self.simulate_network().await?;
        let chaos = &self.game.0.chaos;
        if self.connection() <= self.game.0.state.lock().forgotten {
            let text = "Session not initialized".to_string();
            return Err(LinkFault::SessionLost(text));
        }
        let lost = || LinkFault::AnswerLost("connection reset".to_string());
        if chaos.draw_fault(InjectedFault::GameRequestLost, 0.004) {
            return Err(lost());
        }
        let (name, tool) = (call.call_id.clone(), call.tool.clone());
        if let Some(answer) = self.game.faulty_answer(self.mysis, &call) {
            self.game.0.watch.on_call_declined(&name);
            return answer;
        }
        let answer = match self.game.serve_call(self.connection(), call) {
            AwaitedAnswer::Now(answer) => answer,
            AwaitedAnswer::Later(promised) => promised.await.map_err(|_| lost())?,
        };
        if chaos.draw_fault(InjectedFault::GameAnswerLost, 0.004) {
            return Err(lost());
        }
        Ok(match answer {
            Ok(answer) => LinkAnswer {
                structured: None,
                text: self.poisoned(&tool, answer),
                is_error: false,
            },
            Err(refusal) => {
                self.game.0.watch.on_call_declined(&name);
                LinkAnswer {
                    structured: None,
                    text: format!("Error: {refusal}"),
                    is_error: true,
                }
            }
        })
    }
}

impl Link for SimulatedLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let wire = self.clone();
        async move {
            // A session is opened by two requests: it begins, and its beginning is confirmed.
            wire.game.0.traffic.count_requests(2);
            wire.simulate_network().await?;
            if wire.draw_fault(InjectedFault::GameLimited, 0.01) {
                return Err(LinkFault::Limited {
                    text: "too many logins".to_string(),
                    retry_after: Some(Duration::from_secs(30)),
                });
            }
            wire.set_connection(wire.game.reconnect(wire.connection()));
            Ok(Some(wire.connection().to_string().into()))
        }
        .boxed()
    }

    fn resume(&self, token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let wire = self.clone();
        async move {
            let known = token.parse();
            wire.set_connection(
                known.map_err(|_| LinkFault::SessionLost("no resume token of ours".to_string()))?,
            );
            wire.simulate_network().await
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let wire = self.clone();
        async move {
            wire.game.0.traffic.count_requests(1);
            wire.simulate_network().await?;
            if wire.draw_fault(InjectedFault::GameNoTools, 0.01) {
                return Ok(own_tools());
            }
            if wire.game.0.state.lock().has_other_tools {
                return Ok(wire.game.0.other_tools.clone());
            }
            Ok(wire.game.0.tools.clone())
        }
        .boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let (timeout, wire) = (call.timeout, self.clone());
        async move {
            match tokio::time::timeout(timeout, wire.call_once(call)).await {
                Ok(answer) => answer.map(LinkReply::from),
                Err(_) => Err(LinkFault::AnswerLost("no answer in time".to_string())),
            }
        }
        .boxed()
    }
}
