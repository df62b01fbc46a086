//! A command's access to a home's swarm: through the running program, or through the database if
//! none runs.
//!
//! In both cases a command is a call of the control interface's tools, so that both do the same.

use actors::domain::life::Mode;
use actors::secrets::Secrets;
use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::host::home::{Home, RunFile};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::control::call::ControlCall;
use crate::interface::control::client::{ControlClient, ControlError};
use crate::interface::control::{ProgramInfo, answer_call};
use crate::wiring::{self, HomeAccess, LaunchOptions, Observers, RunningSwarm};

pub(super) enum SwarmClient {
    /// The program that runs in this home.
    Running(ControlClient),
    /// The home itself. Orders are stored for the next run.
    Direct(Box<RunningSwarm>, ProgramInfo),
}

impl SwarmClient {
    async fn open(home: &Home, global: &GlobalArgs) -> anyhow::Result<SwarmClient> {
        let lock = loop {
            let running = match wiring::acquire_home(home, out::note).await? {
                HomeAccess::Own(lock) => break lock,
                HomeAccess::Running(running) => running,
            };
            let token = home.control_token()?;
            let token =
                token.context("the running program has no control.token; stop and start it")?;
            match ControlClient::connect(&running, &token, out::note).await {
                Ok(client) => return Ok(SwarmClient::Running(client)),
                // The program has closed meanwhile. The next attempt opens the home directly.
                Err(_) if RunFile::read(home).as_ref() != Some(&running) => {}
                Err(error) => return Err(error.into()),
            }
        };
        hint_at_offline(home);
        let mut settings = global.load_settings(home)?.settings;
        wiring::add_resting_offline_model(home, &mut settings);
        let options = LaunchOptions {
            resume: false,
            start_idle: false,
            mode: Mode::QueueOnly,
            secrets: Secrets::default(),
        };
        let flight = RunningSwarm::start(lock, &settings, options, Observers::default()).await?;
        for note in flight.swarm().ledger().notes() {
            out::note(note);
        }
        let about = flight.program_info(String::new());
        Ok(SwarmClient::Direct(Box::new(flight), about))
    }

    /// Opens the swarm of the selected home for some work, and closes it after.
    pub(super) async fn with<T>(
        global: &GlobalArgs,
        work: impl AsyncFnOnce(&SwarmClient) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        SwarmClient::with_home(&global.open_swarm_home()?, global, work).await
    }

    /// The same with the swarm of this home, and of no other one.
    pub(super) async fn with_home<T>(
        home: &Home,
        global: &GlobalArgs,
        work: impl AsyncFnOnce(&SwarmClient) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let client = SwarmClient::open(home, global).await?;
        let done = work(&client).await;
        match client {
            SwarmClient::Running(client) => drop(client),
            // Acknowledged writes are on disk once this is done.
            SwarmClient::Direct(flight, _) => flight.shutdown().await,
        }
        done
    }

    /// Calls one tool of the swarm of the selected home.
    pub(super) async fn call_once(global: &GlobalArgs, call: ControlCall) -> anyhow::Result<Value> {
        SwarmClient::with(global, async |client| client.call(call).await).await
    }

    pub(super) fn is_running(&self) -> bool {
        match self {
            SwarmClient::Running(_) => true,
            SwarmClient::Direct(..) => false,
        }
    }

    /// Calls a tool of the control interface.
    pub(super) async fn call(&self, call: ControlCall) -> anyhow::Result<Value> {
        match self {
            SwarmClient::Running(client) => Ok(client.ask(&call).await?),
            SwarmClient::Direct(flight, about) => {
                let swarm = flight.swarm();
                let asked = answer_call(swarm, about, call);
                // Nobody else says it in a command.
                let note = |trouble: &str| out::note(&format!("{trouble}; zoea tries again"));
                let answered = swarm.answer_while_stored(asked, note).await;
                let answered = answered.map_err(ControlError::Unstored)?;
                answered
                    .map(|answer| answer.value)
                    .map_err(|why| anyhow::anyhow!(why))
            }
        }
    }

    /// Calls a tool of the control interface, and reads its answer.
    pub(super) async fn ask<T: DeserializeOwned>(&self, call: ControlCall) -> anyhow::Result<T> {
        let answer = self.call(call).await?;
        serde_json::from_value(answer).context(
            "the answer of the running program is not understood; is it of another version? stop and start it",
        )
    }
}

/// Mentions a running offline swarm, because somebody who has just started `run --offline` may look
/// for it in this home.
pub(super) fn hint_at_offline(home: &Home) {
    if let Some(offline) = home.running_offline() {
        out::note(&format!(
            "an offline swarm is running; reach it with --home {}",
            offline.directory().display()
        ));
    }
}
