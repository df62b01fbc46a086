//! Tells the operator what the swarm uses, and whether the servers answer. No model and no tool is called.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::domain::ids::MysisId;
use actors::domain::swarm_setup::{ServerAnswer, SwarmSetup, UsedServer};
use actors::ports::{SetupInspector, Upstream};
use actors::secrets::Secrets;
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use zoea_contract::ProxiedServerJson;
use zoea_http::proxies::Proxies;
use zoea_settings::{ProviderSettings, Settings};
use zoea_toolbox::{McpUpstream, ServerPlace, UpstreamAccess};

use super::outside::proxied_servers;
use super::rules::{provider_endpoint, upstream_access};
use crate::host::home::Home;
use crate::interface::setup::list_models;

const CHECK_TIMEOUT: Duration = Duration::from_secs(8);

/// Knows the settings in force. Clones share them.
#[derive(Clone)]
pub(super) struct SetupCheck {
    settings: Arc<Mutex<Settings>>,
    home: Arc<str>,
    http: reqwest::Client,
    secrets: Secrets,
}

impl SetupCheck {
    pub(super) fn new(
        settings: &Settings,
        home: &Home,
        http: &reqwest::Client,
        secrets: &Secrets,
    ) -> SetupCheck {
        SetupCheck {
            settings: Arc::new(Mutex::new(settings.clone())),
            home: home.directory().display().to_string().into(),
            http: http.clone(),
            secrets: secrets.clone(),
        }
    }

    pub(super) fn replace(&self, settings: &Settings) {
        *self.settings.lock() = settings.clone();
    }

    pub(super) fn proxied(&self) -> Vec<ProxiedServerJson> {
        proxied_servers(&self.settings.lock(), &Proxies::of_process())
    }

    async fn answers(&self, settings: &Settings) -> Vec<ServerAnswer> {
        let providers = providers_in_order(settings).into_iter();
        let providers = providers.map(|(_, provider)| self.check_provider(provider));
        let game = async {
            match upstream_access(settings) {
                Some(access) => Some(self.check_game(access).await),
                None => None,
            }
        };
        let (mut answers, game) = tokio::join!(join_all(providers), game);
        answers.extend(game);
        answers
    }

    async fn check_provider(&self, provider: &ProviderSettings) -> ServerAnswer {
        let endpoint = provider_endpoint(provider);
        let asked = async {
            let listed = list_models(&self.http, &endpoint).await;
            listed.map_err(|fault| fault.to_string())
        };
        let model = &provider.rules.model;
        self.answer_of(asked, |models, latency| {
            let is_listed = models.is_empty() || models.iter().any(|it| *it.name == **model);
            match is_listed {
                true => Ok(latency),
                false => Err(format!("it answers, but its list of models has no {model}")),
            }
        })
        .await
    }

    async fn check_game(&self, access: UpstreamAccess) -> ServerAnswer {
        if let ServerPlace::Child(_) = access.place {
            return ServerAnswer::Starts;
        }
        let game = McpUpstream::new(Some(access), &self.http, None);
        let asked = async {
            match game.link(MysisId(0)) {
                Some(link) => link.open().await.map(drop),
                None => Ok(()),
            }
            .map_err(|fault| fault.to_string())
        };
        let answer = self.answer_of(asked, |(), latency| Ok(latency)).await;
        game.end().await;
        answer
    }

    /// What a server's answer, which has to come in time, means. `judge` gets it with its latency in
    /// words.
    async fn answer_of<T>(
        &self,
        asked: impl Future<Output = Result<T, String>>,
        judge: impl FnOnce(T, String) -> Result<String, String>,
    ) -> ServerAnswer {
        let began = Instant::now();
        let answer = match tokio::time::timeout(CHECK_TIMEOUT, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {CHECK_TIMEOUT:?}")),
        };
        let latency = format!("{} ms", began.elapsed().as_millis());
        match answer.and_then(|answer| judge(answer, latency)) {
            Ok(text) => ServerAnswer::Answers(text.into()),
            // A server may quote a key.
            Err(why) => ServerAnswer::Fails(self.clean(why).into()),
        }
    }

    fn list_servers(&self, settings: &Settings) -> SwarmSetup {
        let providers = providers_in_order(settings).into_iter();
        let providers = providers.map(|(name, provider)| UsedServer {
            provider: Some(name.into()),
            address: self.clean(provider.endpoint.clone()).into(),
            model: Some(provider.rules.model.clone()),
            answer: ServerAnswer::Awaited,
        });
        let game = upstream_access(settings).map(|access| UsedServer {
            provider: None,
            address: self.clean(access.place.name().to_owned()).into(),
            model: None,
            answer: ServerAnswer::Awaited,
        });
        SwarmSetup {
            home: self.home.clone(),
            servers: providers.chain(game).collect(),
        }
    }

    fn clean(&self, text: String) -> String {
        self.secrets.redactor().clean_own(text)
    }
}

/// The providers, the default one first.
fn providers_in_order(settings: &Settings) -> Vec<(&str, &ProviderSettings)> {
    let default = &*settings.swarm.rules.default_provider;
    let providers = settings.providers.iter();
    let mut providers: Vec<_> = providers.map(|(name, of)| (name.as_str(), of)).collect();
    providers.sort_by_key(|(name, _)| *name != default);
    providers
}

impl SetupInspector for SetupCheck {
    fn list(&self) -> SwarmSetup {
        let settings = self.settings.lock().clone();
        self.list_servers(&settings)
    }

    fn check(&self) -> BoxFuture<'static, SwarmSetup> {
        let check = self.clone();
        async move {
            let settings = check.settings.lock().clone();
            let mut setup = check.list_servers(&settings);
            let answers = check.answers(&settings).await;
            for (server, answer) in setup.servers.iter_mut().zip(answers) {
                server.answer = answer;
            }
            setup
        }
        .boxed()
    }
}
