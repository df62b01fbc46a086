//! Offline play: the galaxy and the pilot run inside the program, so a swarm plays without a key
//! and without a network.

use std::time::Duration;

use actors::domain::event_record::OrderSource;
use actors::domain::order::Order;
use actors::domain::price::TokenPrice;
use actors::domain::rules::{ProviderRules, Simulated};
use futures::{StreamExt, TryStreamExt};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zoea_settings::{ProviderKind, ProviderSettings, Settings};

use super::game_server::{GameServer, bind_loopback, end_server, give_first_mission};
use super::simulators::serve_model;
use crate::host::home::Home;
use crate::interface::swarm::Swarm;

/// The name of the only provider.
const PILOT_NAME: &str = "pilot";
const MAX_CREATED_AT_ONCE: usize = 256;
/// The names of the first Myses. Later ones are numbered.
const FIRST_NAMES: [&str; 8] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta",
];

#[derive(Clone, Copy, Debug)]
pub struct OfflineOptions {
    pub tick: Duration,
    /// The seed of the game and the model. None: the home's own, else 1.
    pub seed: Option<u64>,
    pub myses: u32,
}

pub struct OfflineServers {
    settings: Settings,
    options: OfflineOptions,
    stop: CancellationToken,
    model: JoinHandle<anyhow::Result<()>>,
    game: GameServer,
}

impl OfflineServers {
    /// Starts both servers on loopback. The home stores the state of the game.
    ///
    /// # Errors
    /// No port is free, or the stored game cannot be read.
    pub async fn start(home: &Home, options: OfflineOptions) -> anyhow::Result<OfflineServers> {
        let stop = CancellationToken::new();
        let game = GameServer::start(home, options.tick, options.seed).await?;
        let model = bind_loopback().await?;
        let endpoint = format!("http://{}/v1", model.local_addr()?);
        let model = serve_model(model, game.seed(), stop.child_token());
        Ok(OfflineServers {
            settings: offline_settings(endpoint, &game, options),
            options,
            stop,
            model: tokio::spawn(model),
            game,
        })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Gives an empty home its first swarm: it creates Myses, sets a mission and starts them.
    ///
    /// # Errors
    /// The swarm refuses an order.
    pub async fn populate(&self, swarm: &Swarm) -> anyhow::Result<()> {
        let swarm = swarm.with_source(OrderSource::Program);
        if !swarm.statuses().await.is_empty() {
            return Ok(());
        }
        let create = |number| {
            swarm.order(Order::Create {
                name: first_name(number),
                provider: None,
                model: None,
                role: None,
                start: false,
            })
        };
        // Many at a time share a commit.
        let created = futures::stream::iter(0..self.options.myses)
            .map(create)
            .buffered(MAX_CREATED_AT_ONCE)
            .try_for_each(|_| std::future::ready(Ok(())));
        created
            .await
            .map_err(|refusal| anyhow::anyhow!("create the first swarm: {refusal}"))?;
        give_first_mission(&swarm).await
    }

    pub async fn stop(self) {
        self.stop.cancel();
        end_server(self.model).await;
        self.game.stop().await;
    }
}

pub fn first_name(number: u32) -> String {
    let known = FIRST_NAMES.get(usize::try_from(number).unwrap_or(usize::MAX));
    known.map_or_else(|| format!("mysis-{}", number + 1), ToString::to_string)
}

fn offline_settings(endpoint: String, game: &GameServer, options: OfflineOptions) -> Settings {
    let mut settings = Settings::default();
    add_pilot(&mut settings, endpoint, options.myses);
    game.serve(&mut settings);
    settings.swarm.rules.simulated = Simulated::GameAndModel;
    settings
}

/// Gives the settings of a command the model of offline play, if the swarm of this home played
/// offline and nothing runs there now. Without it, what the swarm spent would have no known price.
pub fn add_resting_offline_model(home: &Home, settings: &mut Settings) {
    if home.is_offline() && !settings.providers.contains_key(PILOT_NAME) {
        // A command asks no model.
        add_pilot(settings, "http://127.0.0.1:9/v1".to_string(), 0);
        settings.swarm.rules.simulated = Simulated::GameAndModel;
    }
}

/// Makes the pilot the only provider.
fn add_pilot(settings: &mut Settings, endpoint: String, myses: u32) {
    let rules = &mut settings.swarm.rules;
    let myses = usize::try_from(myses).unwrap_or(usize::MAX);
    rules.max_myses = rules.max_myses.max(myses.max(1000));
    rules.default_provider = PILOT_NAME.into();
    let pilot = ProviderSettings {
        endpoint,
        kind: ProviderKind::OpenAi,
        rules: ProviderRules {
            model: PILOT_NAME.into(),
            max_concurrency: 256,
            // The offline model is known to be free of charge, so no default cap applies (decision
            // 61).
            price: Some(TokenPrice {
                input: 0.0,
                output: 0.0,
                cached: None,
            }),
            ..ProviderRules::default()
        },
        ..ProviderSettings::default()
    };
    settings.providers = [(PILOT_NAME.to_string(), pilot)].into();
}
