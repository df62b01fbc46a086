//! `zoea doctor`: checks everything that a swarm needs and reports what is wrong.

mod running;

use std::sync::Arc;

use actors::domain::model::{ChatMessage, ModelFault, ModelRequest};
use actors::domain::tool::Toolset;
use actors::ports::{AnswerMeter, Archive, Models};
use actors::secrets::Secrets;
use clap::Args;
use serde_json::json;
use zoea_contract::HeldTextJson;
use zoea_http::proxies::Proxies;
use zoea_provider::Providers;
use zoea_settings::{Secret, Settings};
use zoea_text::redact::MIN_EMBEDDED_SECRET_BYTES;

use crate::host::home::Home;
use crate::interface::cli::game_check::{self, CHECK_TIMEOUT, clean_finding};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::prove::{self, ProveArgs};
use crate::interface::cli::unfrozen::unless_frozen;
use crate::interface::cli::{out, shown};
use crate::interface::control::call::ControlCall;
use crate::wiring::{self, HomeAccess, provider_endpoints};
use zoea_ledger::{ServerAddress, SqlLedger};
use zoea_system::{descriptors, disk};

use running::{
    ask_running, check_used_database, checks_of_held, held_by_running, troubles_of_running,
};

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    test: ProveArgs,
}

/// Why no server is asked.
const FROZEN_FINDING: &str = "the swarm is frozen, so no request was sent; `zoea thaw` ends that";

/// Why no server is asked about offline play.
const OFFLINE_FINDING: &str = "the built-in game and model, which `zoea run --offline` serves itself; no other \
                               server is asked";

/// The result of a check, as text for the operator.
pub(super) type DoctorFinding = Result<String, String>;

/// Checks by name, in order.
type DoctorChecks = Vec<(String, DoctorFinding)>;

pub(super) async fn run(args: &DoctorArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    if args.test.prove {
        return prove::run(&args.test, args.json, global).await;
    }
    let mut checks = DoctorChecks::new();
    let home = global.open_swarm_home();
    checks.push((
        "home".to_string(),
        match &home {
            Ok(home) => Ok(home.directory().display().to_string()),
            Err(error) => Err(format!("{error:#}")),
        },
    ));
    if let Ok(home) = &home {
        let settings = check_settings(&mut checks, global, home);
        checks.push(("system prompt".to_string(), check_prompt(home)));
        if let Some(settings) = &settings {
            check_database(&mut checks, home, settings).await;
            checks.extend(check_disk(home, settings));
            checks.push(("descriptors".to_string(), check_descriptors(settings)));
            if !home.is_offline() {
                checks.extend(check_network(settings));
            }
            let asked = unless_frozen(home, async {
                check_outside(&mut checks, home, settings).await;
                Ok(())
            });
            if asked.await.is_err() {
                checks.push(("frozen".to_string(), Ok(FROZEN_FINDING.to_string())));
            }
        }
    }
    conclude_checks(&checks, args.json)
}

/// Prints the checks. Fails if one of them did.
pub(super) fn conclude_checks(
    checks: &[(String, DoctorFinding)],
    as_json: bool,
) -> anyhow::Result<()> {
    print_checks(checks, as_json)?;
    let failed = checks
        .iter()
        .filter(|(_, finding)| finding.is_err())
        .count();
    if failed > 0 {
        anyhow::bail!("{failed} of {} checks failed", checks.len());
    }
    Ok(())
}

fn check_settings(checks: &mut DoctorChecks, global: &GlobalArgs, home: &Home) -> Option<Settings> {
    match global.load_settings(home) {
        Ok(loaded) => {
            let from = match &loaded.file {
                Some(file) => file.display().to_string(),
                None => "defaults; there is no zoea.toml (write one with zoea init)".to_string(),
            };
            checks.push(("configuration".to_string(), Ok(from)));
            for warning in loaded.warnings {
                checks.push(("configuration".to_string(), Err(warning)));
            }
            let exposure = loaded.settings.metrics.exposure();
            let unheeded = loaded.settings.ignored_settings().into_iter();
            for text in unheeded.chain(exposure).chain(short_keys(&loaded.settings)) {
                checks.push(("configuration".to_string(), Ok(text)));
            }
            Some(loaded.settings)
        }
        Err(error) => {
            for mistake in &error.mistakes {
                checks.push(("configuration".to_string(), Err(mistake.to_string())));
            }
            None
        }
    }
}

/// Checks whether the file descriptor limit suffices for as many Myses as the configuration allows.
fn check_descriptors(settings: &Settings) -> DoctorFinding {
    let myses = settings.swarm.rules.max_myses;
    let limit = descriptors::raise_limit(descriptors::needed_descriptors(myses, false));
    match descriptors::describe_shortage(limit, myses, false) {
        Some(text) => Err(text),
        None => Ok(format!(
            "{limit} files and connections may be open, enough for {myses} Myses"
        )),
    }
}

/// Says which servers are reached through a proxy, and which get a secret unencrypted.
fn check_network(settings: &Settings) -> DoctorChecks {
    let proxies = Proxies::of_process();
    let refused = wiring::refuse_unusable_proxies(settings, &proxies).err();
    let without_use = proxies.troubles().filter(|_| refused.is_none());
    let proxied = wiring::proxied_servers(settings, &proxies).into_iter();
    let proxied = proxied.map(|server| shown::proxied(&server));
    let proxy = proxied
        .chain(without_use)
        .map(Ok)
        .chain(refused.clone().map(Err));
    let unencrypted = wiring::unencrypted_secrets(settings).into_iter().map(Ok);
    let proxy = proxy.map(|finding| ("proxy".to_string(), finding));
    let unencrypted = unencrypted.map(|finding| ("unencrypted".to_string(), finding));
    proxy.chain(unencrypted).collect()
}

fn check_prompt(home: &Home) -> DoctorFinding {
    match wiring::prompt_template(home) {
        Ok(template) if template.own.is_some() => Ok(home.system_prompt().display().to_string()),
        Ok(_) => Ok("the built-in one".to_string()),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// The providers whose key is so short that it counts as a placeholder and is not redacted inside
/// of texts.
fn short_keys(settings: &Settings) -> Vec<String> {
    let is_short = |key: &Secret| key.expose().len() < MIN_EMBEDDED_SECRET_BYTES;
    settings
        .providers
        .iter()
        .filter(|(_, provider)| provider.api_key.as_ref().is_some_and(is_short))
        .map(|(name, _)| {
            format!(
                "the key of provider {name} is shorter than {MIN_EMBEDDED_SECRET_BYTES} letters: zoea \
                 takes it for a placeholder and does not hide it in texts"
            )
        })
        .collect()
}

/// Checks the database, and asks the program that runs here what is wrong.
async fn check_database(checks: &mut DoctorChecks, home: &Home, settings: &Settings) {
    let server = wiring::server_address(settings).map_err(|error| error.to_string());
    let access = wiring::acquire_home(home, out::note).await;
    let access = access.map_err(|error| error.to_string());
    let database = match (server, access) {
        (Err(error), _) | (Ok(None), Err(error)) => Err(error),
        (Ok(Some(address)), access) => {
            if let Ok(HomeAccess::Running(running)) = &access
                && let Ok(status) = ask_running(home, running, ControlCall::whole_status()).await
            {
                checks.extend(troubles_of_running(&status));
            }
            check_server(checks, &address).await
        }
        (Ok(None), Ok(HomeAccess::Running(running))) => {
            match ask_running(home, &running, ControlCall::whole_status()).await {
                Ok(status) => {
                    checks.extend(troubles_of_running(&status));
                    checks.extend(held_by_running(home, &running).await);
                    check_used_database(&status, running.pid)
                }
                Err(error) => Err(error),
            }
        }
        (Ok(None), Ok(HomeAccess::Own(_lock))) => check_own_database(checks, home).await,
    };
    checks.push(("database".to_string(), database));
}

/// Opens the database.
async fn check_own_database(checks: &mut DoctorChecks, home: &Home) -> DoctorFinding {
    wiring::check_database_is_there(home).map_err(|error| error.to_string())?;
    let path = home.database();
    if !path.exists() {
        return Ok("none yet; the first run creates it".to_string());
    }
    let ledger = SqlLedger::open(&path).await;
    let ledger = ledger.map_err(|error| error.to_string())?;
    let swarm = ledger.swarm().await.map_err(|fault| fault.to_string())?;
    let texts = ledger.held_texts().await;
    ledger.close().await;
    let texts = texts.map_err(|fault| fault.to_string())?;
    checks.extend(checks_of_held(&HeldTextJson::list(&texts, |_| None)));
    let notes = ledger.notes().iter().map(|note| format!("; {note}"));
    let notes: String = notes.collect();
    Ok(format!("{} Myses{notes}", swarm.myses.len()))
}

/// Looks at the room on the disk of the database. A server looks after its own.
fn check_disk(home: &Home, settings: &Settings) -> Option<(String, DoctorFinding)> {
    if settings.store.database_url.is_some() {
        return None;
    }
    let database = home.database();
    let place = match database.exists() {
        true => &database,
        false => home.directory(),
    };
    let finding = match disk::free_bytes(place) {
        Ok(free) => wiring::check_room(&database, free),
        Err(error) => Err(format!("{}: {error}", place.display())),
    };
    Some(("disk".to_string(), finding))
}

/// Checks a server's database. A swarm may use it meanwhile.
async fn check_server(checks: &mut DoctorChecks, address: &ServerAddress) -> DoctorFinding {
    let texts = address.held_texts().await;
    let texts = texts.map_err(|error| error.to_string())?;
    checks.extend(checks_of_held(&HeldTextJson::list(&texts, |_| None)));
    let myses = address
        .count_myses()
        .await
        .map_err(|error| error.to_string())?;
    Ok(match myses {
        None => format!("{address} is empty; the first run fills it"),
        Some(count) => format!("{address}: {count} Myses"),
    })
}

async fn check_outside(checks: &mut DoctorChecks, home: &Home, settings: &Settings) {
    if home.is_offline() {
        let servers = ("servers".to_string(), Ok(OFFLINE_FINDING.to_string()));
        return checks.push(servers);
    }
    let http = match zoea_http::build_client() {
        Ok(http) => http,
        Err(error) => return checks.push(("network".to_string(), Err(error.to_string()))),
    };
    let secrets = Secrets::new(wiring::configured_secrets(settings));
    let known = secrets.clone();
    let providers = Providers::new(&http, provider_endpoints(settings)).with_secrets(secrets);
    wiring::teach_providers(home, settings, &providers);
    for (name, provider) in &settings.providers {
        let finding = check_provider(&providers, name, &provider.rules.model).await;
        checks.push((format!("provider {name}"), clean_finding(finding, &known)));
    }
    let Some(game) = game_check::check_game(&http, settings).await else {
        return;
    };
    if let Ok(game) = &game {
        for (name, provider) in &settings.providers {
            let shortage = game.context_shortage(provider.rules.context_tokens);
            checks.extend(shortage.map(|text| (format!("context of {name}"), Err(text))));
        }
    }
    checks.push(("mcp".to_string(), game.map(|game| game.text)));
}

/// Asks the provider for a reply of one token.
async fn check_provider(providers: &Providers, name: &str, model: &str) -> DoctorFinding {
    let request = ModelRequest {
        provider: name.into(),
        model: model.into(),
        temperature: None,
        max_tokens: Some(1),
        messages: Arc::new([
            ChatMessage::System("You are asked whether you can be reached.".into()),
            ChatMessage::User("Say yes.".into()),
        ]),
        tools: Arc::new(Toolset::default()),
    };
    let answer = async {
        loop {
            match providers.ask(request.clone(), AnswerMeter::default()).await {
                // The server refused a form of the request. The next attempt uses another form, and
                // none twice.
                Err(ModelFault::Adapted { .. }) => {}
                answer => return answer,
            }
        }
    };
    match tokio::time::timeout(CHECK_TIMEOUT, answer).await {
        Ok(Ok(_)) => {
            let learnt = providers.learnt_in_words(name, model);
            let learnt = match learnt.is_empty() {
                true => String::new(),
                false => format!("; requests adapted: {}", learnt.join(", ")),
            };
            Ok(format!("{model} answers{learnt}"))
        }
        Ok(Err(fault)) => Err(format!("{model}: {}", fault.text())),
        Err(_) => Err(format!("{model}: no answer within {CHECK_TIMEOUT:?}")),
    }
}

fn print_checks(checks: &[(String, DoctorFinding)], as_json: bool) -> std::io::Result<()> {
    if as_json {
        let ok = checks.iter().all(|(_, finding)| finding.is_ok());
        let checks: Vec<_> = checks
            .iter()
            .map(|(name, finding)| {
                let (ok, detail) = match finding {
                    Ok(detail) => (true, detail),
                    Err(detail) => (false, detail),
                };
                json!({"name": name, "ok": ok, "detail": detail})
            })
            .collect();
        return out::json(&json!({"ok": ok, "checks": checks}));
    }
    for (name, finding) in checks {
        match finding {
            Ok(detail) => out::line(&format!("✓ {name}: {detail}"))?,
            Err(detail) => out::line(&format!("✗ {name}: {detail}"))?,
        }
    }
    Ok(())
}
