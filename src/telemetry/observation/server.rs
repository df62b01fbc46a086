//! A model server by its address, and the name that OpenTelemetry has for who runs it.

use std::sync::Arc;

use url::{Host, Url};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelServer {
    pub address: Arc<str>,
    pub port: u16,
    /// Who runs it (`gen_ai.provider.name`).
    pub provider_name: Arc<str>,
}

/// The ends of host names and the names of those who run them: first those of OpenTelemetry's list
/// (`gen_ai.provider.name`), then names of our own for others that many people use.
const KNOWN_HOSTS: [(&str, &str); 25] = [
    ("anthropic.com", "anthropic"),
    ("amazonaws.com", "aws.bedrock"),
    ("services.ai.azure.com", "azure.ai.inference"),
    ("inference.ai.azure.com", "azure.ai.inference"),
    ("openai.azure.com", "azure.ai.openai"),
    ("cohere.ai", "cohere"),
    ("cohere.com", "cohere"),
    ("deepseek.com", "deepseek"),
    ("generativelanguage.googleapis.com", "gcp.gemini"),
    ("aiplatform.googleapis.com", "gcp.vertex_ai"),
    ("-aiplatform.googleapis.com", "gcp.vertex_ai"),
    ("groq.com", "groq"),
    ("ml.cloud.ibm.com", "ibm.watsonx.ai"),
    ("mistral.ai", "mistral_ai"),
    ("moonshot.ai", "moonshot_ai"),
    ("moonshot.cn", "moonshot_ai"),
    ("openai.com", "openai"),
    ("perplexity.ai", "perplexity"),
    ("x.ai", "x_ai"),
    ("openrouter.ai", "openrouter"),
    ("together.ai", "together_ai"),
    ("together.xyz", "together_ai"),
    ("fireworks.ai", "fireworks_ai"),
    ("cerebras.ai", "cerebras"),
    ("huggingface.co", "huggingface"),
];
/// The port of Ollama, which serves on this machine or a neighbour.
const OLLAMA_PORT: u16 = 11434;

impl ModelServer {
    /// The server of a URL. A server that is not known by its address is called by the operator's
    /// name for it.
    pub fn of(url: &str, section: &Arc<str>) -> Option<ModelServer> {
        let url = Url::parse(url).ok()?;
        let address: Arc<str> = match url.host()? {
            Host::Domain(name) => name.into(),
            Host::Ipv4(address) => address.to_string().into(),
            Host::Ipv6(address) => address.to_string().into(),
        };
        let port = url.port_or_known_default()?;
        let known = KNOWN_HOSTS.iter().find(|(end, name)| {
            // Everybody's own servers are there, too.
            if *name == "aws.bedrock" && !address.starts_with("bedrock") {
                return false;
            }
            let rest = address.strip_suffix(end);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.') || end.starts_with('-'))
        });
        let provider_name = match known {
            Some((_, name)) => (*name).into(),
            None if port == OLLAMA_PORT => "ollama".into(),
            None => section.clone(),
        };
        Some(ModelServer {
            address,
            port,
            provider_name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_runs_a_server_is_known_by_its_address() {
        let name = |url: &str| {
            let server = ModelServer::of(url, &"mine".into()).expect("a URL");
            (server.provider_name.to_string(), server.port)
        };
        for (url, expected, port) in [
            ("https://api.openai.com/v1", "openai", 443),
            ("https://api.x.ai/v1", "x_ai", 443),
            ("https://api.vertex.ai/v1", "mine", 443),
            (
                "https://us-central1-aiplatform.googleapis.com/v1",
                "gcp.vertex_ai",
                443,
            ),
            (
                "https://mine.openai.azure.com/openai",
                "azure.ai.openai",
                443,
            ),
            ("https://notopenai.com/v1", "mine", 443),
            (
                "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1",
                "aws.bedrock",
                443,
            ),
            (
                "https://my-vllm.us-east-1.elb.amazonaws.com/v1",
                "mine",
                443,
            ),
            ("http://127.0.0.1:11434/v1", "ollama", 11434),
            ("http://[::1]:8080/v1", "mine", 8080),
        ] {
            assert_eq!(name(url), (expected.to_string(), port), "{url}");
        }
        assert_eq!(ModelServer::of("no URL", &"mine".into()), None);
        let own = ModelServer::of("http://[::1]:8080/v1", &"mine".into());
        assert_eq!(&*own.expect("a URL").address, "::1");
    }
}
