//! Answers from flags, from the environment, from the existing configuration and from the model
//! server.

use anyhow::{Context, bail};
use url::Url;
use zoea_settings::prices::price_list;
use zoea_settings::{BUILT_IN_GAME, SPACEMOLT, SPACEMOLT_V2};

use super::model_check::{prove_answers, target_of};
use super::present::Present;
use super::{Extras, NOTHING_WRITTEN, Prepared, SetupArgs, settings_of};
use crate::interface::cli::out;
use crate::interface::setup::{
    Answers, DailyCap, KeyAnswer, ModelChoice, ServerChoice, ServerFault, find_local_servers,
    find_seller, list_models, seller_at, sellers,
};
use crate::wiring::first_name;
use zoea_model_check::listing::ListedModel;

/// The number of Myses unless the operator gives one.
pub(super) const USUAL_MYSES: u32 = 5;
/// The most models that an error lists if the wanted one does not exist.
const NAMED_MODELS: usize = 8;

/// All answers, after they passed the proof.
///
/// # Errors
/// An answer is missing or wrong. The text says what to write.
pub(super) async fn answers(args: &SetupArgs, present: &Present) -> anyhow::Result<Prepared> {
    let http = zoea_http::build_client().context("build an HTTP client")?;
    let game = game_of(args.game.as_deref(), present).map_err(anyhow::Error::msg)?;
    let cap = args.cap.as_deref().map(DailyCap::parse);
    let cap = cap.transpose().map_err(anyhow::Error::msg)?;
    let extras = extras_of(args)?;
    let given = code_of(args, present)?;
    let code = given.unwrap_or_else(|| present.code_at(&game));
    let server = match &args.provider {
        Some(text) => resolve_server(text, present).map_err(anyhow::Error::msg)?,
        None => usual_server(&http, present).await?,
    };
    let key = key_of(args, &server, present)?;
    let secret = present.key(&key);
    let asked = present.access_to(&server.endpoint, secret.as_ref());
    let listed = match list_models(&http, &asked).await {
        Err(ServerFault::NoModelServer(_)) if args.model.is_some() => Vec::new(),
        listed => listed.with_context(|| server.endpoint.clone())?,
    };
    let model = model_of(args.model.as_deref(), &server, &listed, present)?;
    let is_priced = is_price_known(&server, &model, present);
    let mut answers = Answers {
        cap: cap
            .or(present.cap())
            .unwrap_or(DailyCap::default_for(is_priced)),
        myses: names_of(args.myses, present),
        server,
        key,
        model,
        game,
        code,
    };
    let (_, settings) = settings_of(&answers, present)?;
    let target = target_of(&settings, &answers.server.name)?;
    let announcement = target.announcement();
    if !args.yes {
        bail!(
            "{announcement}; there is no terminal to confirm this: give --yes to continue without a question"
        );
    }
    out::note(&announcement);
    let passed = prove_answers(&http, &settings, target).await;
    let passed = passed.context(NOTHING_WRITTEN)?;
    answers.model.context_tokens = passed.context_tokens().or(answers.model.context_tokens);
    Ok(Prepared {
        answers,
        extras,
        passed,
    })
}

/// What setup prepares besides the configuration.
pub(super) fn extras_of(args: &SetupArgs) -> anyhow::Result<Extras> {
    if let Some(file) = &args.accounts {
        crate::storage::accounts::read(file)?;
    }
    Ok(Extras {
        accounts: args.accounts.clone(),
        account: None,
    })
}

/// The registration code that an environment variable holds.
pub(super) fn code_of(args: &SetupArgs, present: &Present) -> anyhow::Result<Option<KeyAnswer>> {
    let Some(name) = &args.code_env else {
        return Ok(None);
    };
    present
        .variable(name)
        .with_context(|| format!("--code-env: the variable {name} holds no registration code"))?;
    Ok(Some(KeyAnswer::Variable(name.clone())))
}

/// The provider of the existing configuration, otherwise a server that answers on this machine.
async fn usual_server(http: &reqwest::Client, present: &Present) -> anyhow::Result<ServerChoice> {
    if let Some((name, provider)) = present.provider() {
        return Ok(ServerChoice {
            name: name.to_string(),
            endpoint: provider.endpoint.clone(),
        });
    }
    let found = find_local_servers(http).await;
    let Some(found) = found.first() else {
        let names: Vec<&str> = sellers().iter().map(|seller| seller.name).collect();
        bail!(
            "no model server answers at the usual ports of this machine; name one with --provider: \
             {}, ollama, or an address that ends in /v1",
            names.join(", ")
        );
    };
    let seller = found.seller;
    out::line(&format!("{} answers at {}.", seller.label, seller.endpoint))?;
    Ok(seller.server())
}

pub(super) fn resolve_server(text: &str, present: &Present) -> Result<ServerChoice, String> {
    let text = text.trim();
    if let Some(seller) = find_seller(text) {
        return Ok(seller.server());
    }
    let wrong = || {
        let names: Vec<&str> = sellers().iter().map(|seller| seller.name).collect();
        format!(
            "`{text}` is not a model server; name one of {}, ollama, llamacpp, lmstudio, vllm, litellm, \
             or an address such as http://127.0.0.1:8080/v1",
            names.join(", ")
        )
    };
    let url = web_address(text).ok_or_else(wrong)?;
    let mut endpoint = text.trim_end_matches('/').to_string();
    if let Some(base) = endpoint.strip_suffix("/chat/completions") {
        endpoint = base.to_string();
    }
    if matches!(url.path(), "" | "/") {
        endpoint += "/v1";
    }
    if let Some((name, _)) = present.provider_at(&endpoint) {
        let name = name.to_string();
        return Ok(ServerChoice { name, endpoint });
    }
    let host = url.host_str().unwrap_or_default();
    let name = match seller_at(&endpoint) {
        Some(seller) => seller.name.to_string(),
        None if ["127.0.0.1", "localhost", "[::1]"].contains(&host) => "local".to_string(),
        None => host
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect(),
    };
    Ok(ServerChoice { name, endpoint })
}

/// The address of a server. An address with a password or a query is refused.
fn web_address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_plain && is_web).then_some(url)
}

/// The value of `[mcp] upstream` for the game with this word or address.
pub(super) fn game_of(text: Option<&str>, present: &Present) -> Result<String, String> {
    match text.map(str::trim) {
        None if present.is_there => Ok(present.settings.mcp.upstream.clone().unwrap_or_default()),
        None | Some("spacemolt") => Ok(SPACEMOLT.to_string()),
        Some("spacemolt-v2") => Ok(SPACEMOLT_V2.to_string()),
        Some(BUILT_IN_GAME) => Ok(BUILT_IN_GAME.to_string()),
        Some(address) if web_address(address).is_some() => Ok(address.to_string()),
        Some(other) => Err(format!(
            "`{other}` is not a game; write offline, spacemolt, spacemolt-v2, or an address such as \
             http://127.0.0.1:3111/mcp"
        )),
    }
}

fn key_of(args: &SetupArgs, server: &ServerChoice, present: &Present) -> anyhow::Result<KeyAnswer> {
    if let Some(name) = &args.key_env {
        present
            .variable(name)
            .with_context(|| format!("--key-env: the variable {name} holds no key"))?;
        return Ok(KeyAnswer::Variable(name.clone()));
    }
    if let Some(key) = present.key_at(&server.endpoint) {
        return Ok(key);
    }
    let Some(seller) = seller_at(&server.endpoint) else {
        return Ok(KeyAnswer::None);
    };
    let name = seller.key_variable;
    present.variable(name).with_context(|| {
        format!(
            "{} needs a key: put it into {name}, or into another variable that --key-env names; at a \
             terminal `zoea setup` asks for it",
            seller.label
        )
    })?;
    Ok(KeyAnswer::Variable(name.to_string()))
}

fn model_of(
    wanted: Option<&str>,
    server: &ServerChoice,
    listed: &[ListedModel],
    present: &Present,
) -> anyhow::Result<ModelChoice> {
    let present = present.provider_at(&server.endpoint);
    let present = present.map(|(_, provider)| &*provider.rules.model);
    let usual = seller_at(&server.endpoint).map(|seller| seller.model);
    let is_listed = |name: &&str| listed.iter().any(|model| names_model(name, &model.name));
    let names = || {
        let named = listed.iter().take(NAMED_MODELS);
        let mut names: Vec<&str> = named.map(|model| model.name.as_str()).collect();
        if listed.len() > NAMED_MODELS {
            names.push("…");
        }
        names.join(", ")
    };
    let name = match wanted.map(str::trim).or(present) {
        Some(name) if listed.is_empty() || is_listed(&name) => name,
        Some(name) => bail!(
            "{} has no model `{name}`; it has {}",
            server.endpoint,
            names()
        ),
        None => match (usual.filter(is_listed), listed) {
            (Some(usual), _) => usual,
            (None, [only]) => only.name.as_str(),
            (None, []) => bail!("{} lists no models; name one with --model", server.endpoint),
            (None, _) => bail!(
                "name a model with --model; {} has {}",
                server.endpoint,
                names()
            ),
        },
    };
    Ok(listed_model(name, listed))
}

/// Whether a name stands for a listed model. Servers accept more names than they list.
fn names_model(name: &str, listed: &str) -> bool {
    let base = |name: &str| name.split(':').next().map(str::to_string);
    name == listed || listed.strip_suffix(":latest") == Some(name) || {
        // A variant such as `x/y:free` of a model that is listed as `x/y`.
        name.contains('/') && base(name).as_deref() == Some(listed)
    }
}

/// The model with this name, and what its server reports about it.
pub(super) fn listed_model(name: &str, listed: &[ListedModel]) -> ModelChoice {
    let listed_model = listed.iter().find(|model| model.name == name);
    ModelChoice {
        name: name.to_string(),
        context_tokens: listed_model.and_then(|model| model.context_tokens),
        price: listed_model.and_then(|model| model.price),
    }
}

/// Whether the price of a model is known: from the server, the configuration or the built-in list.
pub(super) fn is_price_known(
    server: &ServerChoice,
    model: &ModelChoice,
    present: &Present,
) -> bool {
    let same = present.provider_at(&server.endpoint);
    let same = same.filter(|(_, provider)| *provider.rules.model == *model.name);
    let is_configured = same.is_some_and(|(_, provider)| provider.rules.price.is_some());
    let is_listed = price_list(&server.endpoint).find(&model.name).is_some();
    model.price.is_some() || is_configured || is_listed
}

/// The names for the wanted number of Myses. Names in the existing configuration come first.
pub(super) fn names_of(wanted: Option<u32>, present: &Present) -> Vec<String> {
    let mut names = present.myses();
    let usual = match u32::try_from(names.len()) {
        Ok(0) | Err(_) => USUAL_MYSES,
        Ok(count) => count,
    };
    let wanted = usize::try_from(wanted.unwrap_or(usual)).unwrap_or(usize::MAX);
    let mut number = 0;
    while names.len() < wanted {
        let name = first_name(number);
        number += 1;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(wanted);
    names
}
