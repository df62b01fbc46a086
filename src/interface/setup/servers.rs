//! Model servers: those known by name, those on this machine, and the models that they list.

use std::time::Duration;

use futures::future::join_all;
use thiserror::Error;
use zoea_text::clean::one_line;

use super::answers::ServerChoice;
use zoea_model_check::listing::{self, ListFault, ListedModel};
use zoea_provider::ProviderEndpoint;

const LOCAL_TIMEOUT: Duration = Duration::from_millis(800);
/// How long setup waits for the list of models of any other server.
const LIST_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct Seller {
    /// The name on a command line and in the configuration.
    pub name: &'static str,
    pub label: &'static str,
    pub endpoint: &'static str,
    /// The usual environment variable of the key; empty if the server needs no key.
    pub key_variable: &'static str,
    pub model: &'static str,
}

#[rustfmt::skip]
const SELLERS: [Seller; 9] = [
    seller("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5-mini"),
    seller("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "claude-haiku-4-5"),
    seller("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "gemini-2.5-flash"),
    seller("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openai/gpt-5-mini"),
    seller("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek-chat"),
    seller("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral-large-latest"),
    seller("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "openai/gpt-oss-120b"),
    seller("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY", "grok-4.3"),
    seller("qwen", "Qwen (Alibaba Cloud)", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus"),
];

const LOCAL: [Seller; 5] = [
    seller("ollama", "Ollama", "http://127.0.0.1:11434/v1", "", ""),
    seller("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", "", ""),
    seller("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", "", ""),
    seller("vllm", "vLLM", "http://127.0.0.1:8000/v1", "", ""),
    seller("litellm", "LiteLLM", "http://127.0.0.1:4000/v1", "", ""),
];

const fn seller(
    name: &'static str,
    label: &'static str,
    endpoint: &'static str,
    key_variable: &'static str,
    model: &'static str,
) -> Seller {
    Seller {
        name,
        label,
        endpoint,
        key_variable,
        model,
    }
}

impl Seller {
    pub fn server(&self) -> ServerChoice {
        ServerChoice {
            name: self.name.to_string(),
            endpoint: self.endpoint.to_string(),
        }
    }
}

#[derive(Debug)]
pub struct LocalServer {
    /// The kind of server that usually has this port.
    pub seller: &'static Seller,
    /// How many models it has; `None` if it demands a key.
    pub models: Option<usize>,
}

/// Why there is no list of models.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ServerFault {
    /// The server demands a key, or refuses this one.
    #[error("the server refuses the key (HTTP {0}): check it, and that it is for this server")]
    KeyRefused(u16),
    /// Nothing answers at the address.
    #[error(
        "no server answers there ({0}); check that the server runs and that the address is right"
    )]
    Unreachable(String),
    /// What answers is not a model server.
    #[error("the server there is not a model server ({0}); its address usually ends in /v1")]
    NoModelServer(String),
}

/// The well-known sellers, without the servers on this machine.
pub fn sellers() -> &'static [Seller] {
    &SELLERS
}

pub fn find_seller(name: &str) -> Option<&'static Seller> {
    let name = name.to_ascii_lowercase();
    let mut known = SELLERS.iter().chain(&LOCAL);
    known.find(|seller| seller.name == name)
}

/// The well-known seller whose server this is.
pub fn seller_at(endpoint: &str) -> Option<&'static Seller> {
    SELLERS.iter().find(|seller| seller.endpoint == endpoint)
}

/// The servers that answer at the usual ports of this machine. All ports are asked at the same
/// time.
pub async fn find_local_servers(http: &reqwest::Client) -> Vec<LocalServer> {
    let asked = LOCAL.iter().map(|seller| async move {
        // Whoever answers there is not known, so he gets neither key nor headers.
        let asked = ProviderEndpoint {
            url: seller.endpoint.to_string(),
            ..ProviderEndpoint::default()
        };
        let listed = list_within(http, &asked, LOCAL_TIMEOUT).await;
        let models = match listed {
            Ok(models) => Some(models.len()),
            Err(ServerFault::KeyRefused(_)) => None,
            Err(ServerFault::Unreachable(_) | ServerFault::NoModelServer(_)) => return None,
        };
        Some(LocalServer { seller, models })
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// The models of a server; empty if the server has no such list.
pub async fn list_models(
    http: &reqwest::Client,
    endpoint: &ProviderEndpoint,
) -> Result<Vec<ListedModel>, ServerFault> {
    list_within(http, endpoint, LIST_TIMEOUT).await
}

async fn list_within(
    http: &reqwest::Client,
    endpoint: &ProviderEndpoint,
    timeout: Duration,
) -> Result<Vec<ListedModel>, ServerFault> {
    let listed = tokio::time::timeout(timeout, listing::list_models(http, endpoint));
    let Ok(listed) = listed.await else {
        return Err(ServerFault::Unreachable(format!(
            "no answer within {timeout:?}"
        )));
    };
    match listed {
        Ok(models) => {
            let plain = models.into_iter().map(without_folder);
            Ok(plain.filter(has_sound_name).collect())
        }
        Err(ListFault::Unreachable(why)) => Err(ServerFault::Unreachable(one_line(&why))),
        // Anthropic's list does not work like that of other servers. The proof finds out whether
        // the key is right.
        Err(ListFault::Status(_)) if endpoint.url.starts_with("https://api.anthropic.com/") => {
            Ok(Vec::new())
        }
        Err(ListFault::Status(status @ (401 | 403))) => Err(ServerFault::KeyRefused(status)),
        // The server may serve models all the same. The proof finds out.
        Err(ListFault::Status(405 | 501)) => Ok(Vec::new()),
        Err(ListFault::Status(status)) => Err(ServerFault::NoModelServer(format!("HTTP {status}"))),
        Err(ListFault::NoList) => Err(ServerFault::NoModelServer(
            "its answer is not a list of models".to_string(),
        )),
    }
}

/// Google's list has a folder before each name. Requests do without the folder.
fn without_folder(mut model: ListedModel) -> ListedModel {
    if let Some(name) = model.name.strip_prefix("models/") {
        model.name = name.to_string();
    }
    model
}

/// Whether a name can be a model's name. Others are not offered.
fn has_sound_name(model: &ListedModel) -> bool {
    !model.name.is_empty() && !model.name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_one_server() {
        let mut names: Vec<&str> = SELLERS
            .iter()
            .chain(&LOCAL)
            .map(|seller| seller.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SELLERS.len() + LOCAL.len());
        for seller in &SELLERS {
            let prices = zoea_settings::prices::price_list(seller.endpoint);
            assert!(prices.find(seller.model).is_some(), "{}", seller.model);
            assert_eq!(find_seller(seller.name).unwrap().endpoint, seller.endpoint);
        }
    }
}
