//! Model servers: who is known by name, who answers on this machine, and which models they have.

use std::time::Duration;

use actors::domain::clean::one_line;
use futures::future::join_all;
use thiserror::Error;

use crate::proof::listing::{self, ListFault, ListedModel};
use crate::settings::Secret;
use zoea_provider::ProviderEndpoint;

/// How long a server on this machine may take to say that it is there.
const LOCAL_TIMEOUT: Duration = Duration::from_millis(800);
/// How long any other may take to list its models.
const LIST_TIMEOUT: Duration = Duration::from_secs(20);

/// Somebody who is known by name.
#[derive(Debug)]
pub struct Seller {
    /// The name on a command line and in the configuration.
    pub name: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// Its endpoint.
    pub endpoint: &'static str,
    /// The variable in which its key usually is; empty: it wants none.
    pub key_variable: &'static str,
    /// The model that is proposed.
    pub model: &'static str,
}

const SELLERS: [Seller; 9] = [
    seller(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "gpt-5-mini",
    ),
    seller(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        "claude-haiku-4-5",
    ),
    seller(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "gemini-2.5-flash",
    ),
    seller(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "openai/gpt-5-mini",
    ),
    seller(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
        "deepseek-chat",
    ),
    seller(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        "mistral-large-latest",
    ),
    seller(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        "openai/gpt-oss-120b",
    ),
    seller(
        "xai",
        "xAI",
        "https://api.x.ai/v1",
        "XAI_API_KEY",
        "grok-4.3",
    ),
    seller(
        "qwen",
        "Qwen (Alibaba Cloud)",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
        "qwen-plus",
    ),
];

/// Where servers on one's own machine usually are.
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

/// A server that answers on this machine.
#[derive(Debug)]
pub struct LocalServer {
    /// Whose usual port it is.
    pub seller: &'static Seller,
    /// Its models; none where it wants a key first.
    pub models: Vec<ListedModel>,
    /// Whether it wants a key.
    pub wants_key: bool,
}

/// Why there is no list of models.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ServerFault {
    /// It wants a key, or another one.
    #[error("the server refuses the key (HTTP {0}): check it, and that it is for this server")]
    KeyRefused(u16),
    /// Nobody answers.
    #[error("nobody answers there ({0}): is the server running, and is the address right?")]
    Unreachable(String),
    /// Somebody else answers.
    #[error("what answers there is no model server ({0}); its address usually ends in /v1")]
    NoModelServer(String),
}

/// Those who are known by name, the great providers.
#[must_use]
pub fn sellers() -> &'static [Seller] {
    &SELLERS
}

/// Whoever is known by this name, also on this machine.
#[must_use]
pub fn find_seller(name: &str) -> Option<&'static Seller> {
    let name = name.to_ascii_lowercase();
    let known = SELLERS.iter().chain(&LOCAL);
    known.into_iter().find(|seller| seller.name == name)
}

/// Who answers at the usual ports of this machine; all are asked at once.
pub async fn find_local_servers(http: &reqwest::Client) -> Vec<LocalServer> {
    let asked = LOCAL.iter().map(|seller| async move {
        let listed = list_within(http, seller.endpoint, None, LOCAL_TIMEOUT).await;
        let (models, wants_key) = match listed {
            Ok(models) => (models, false),
            Err(ServerFault::KeyRefused(_)) => (Vec::new(), true),
            Err(ServerFault::Unreachable(_) | ServerFault::NoModelServer(_)) => return None,
        };
        Some(LocalServer {
            seller,
            models,
            wants_key,
        })
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// The models of a server; empty where it has no list.
///
/// # Errors
/// Says why there is none, and what to do about it.
pub async fn list_models(
    http: &reqwest::Client,
    endpoint: &str,
    key: Option<&Secret>,
) -> Result<Vec<ListedModel>, ServerFault> {
    list_within(http, endpoint, key, LIST_TIMEOUT).await
}

async fn list_within(
    http: &reqwest::Client,
    endpoint: &str,
    key: Option<&Secret>,
    timeout: Duration,
) -> Result<Vec<ListedModel>, ServerFault> {
    let asked = ProviderEndpoint {
        url: endpoint.to_string(),
        api_key: key.map(|key| key.expose().to_string()),
        is_streamed: false,
    };
    let listed = tokio::time::timeout(timeout, listing::list_models(http, &asked));
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
        // Its list is no part of what it has in common with others: the proof tells about the key.
        Err(ListFault::Status(_)) if endpoint.starts_with("https://api.anthropic.com/") => {
            Ok(Vec::new())
        }
        Err(ListFault::Status(status @ (401 | 403))) => Err(ServerFault::KeyRefused(status)),
        // It may serve models all the same: the proof tells.
        Err(ListFault::Status(405 | 501)) => Ok(Vec::new()),
        Err(ListFault::Status(status)) => Err(ServerFault::NoModelServer(format!("HTTP {status}"))),
        Err(ListFault::NoList) => Err(ServerFault::NoModelServer(
            "its answer is no list of models".to_string(),
        )),
    }
}

/// Google's names have a folder before them that its own requests do without.
fn without_folder(mut model: ListedModel) -> ListedModel {
    if let Some(name) = model.name.strip_prefix("models/") {
        model.name = name.to_string();
    }
    model
}

/// A name that could be no model's is not offered.
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
            let prices = crate::prices::price_list(seller.endpoint);
            assert!(prices.find(seller.model).is_some(), "{}", seller.model);
            assert_eq!(find_seller(seller.name).unwrap().endpoint, seller.endpoint);
        }
    }
}
