//! The servers of others that the settings name: which of them are reached through a proxy, and which get
//! a secret that is not encrypted.

use url::Url;
use zoea_contract::ProxiedServerJson;
use zoea_http::proxies::{Proxies, is_on_this_machine};
use zoea_settings::{HeaderSettings, Secret, Settings};
use zoea_text::names::listed;
use zoea_text::redact::header_secrets;

use super::url_secrets::url_keys;

struct OutsideServer {
    name: String,
    url: Url,
    secrets: Vec<String>,
}

impl OutsideServer {
    /// Only the origin is shown, since the rest may be a secret.
    fn address(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

/// The servers, without programs of this machine.
fn outside_servers(settings: &Settings) -> Vec<OutsideServer> {
    let server = |name: &str, url: Option<&str>, secrets: Vec<Option<&str>>| {
        Some(OutsideServer {
            name: name.to_owned(),
            url: Url::parse(url?).ok()?,
            secrets: secrets.into_iter().flatten().map(str::to_owned).collect(),
        })
    };
    let providers = settings.providers.iter().map(|(name, provider)| {
        let key = provider.api_key.as_ref().map(|_| "its key");
        let secrets = vec![key, secret_headers(&provider.headers)];
        server(
            &format!("provider {name}"),
            Some(&provider.endpoint),
            secrets,
        )
    });
    let (mcp, alerts, traces) = (&settings.mcp, &settings.alerts, &settings.traces);
    let token = |token: &Option<Secret>| token.as_ref().map(|_| "its token");
    let key_in = |url: Option<&str>| {
        let has_key = url.is_some_and(|url| !url_keys(url).is_empty());
        has_key.then_some("a key in its address")
    };
    let of_game = vec![
        Some("the passwords of accounts"),
        token(&mcp.token),
        secret_headers(&mcp.headers),
        key_in(mcp.upstream.as_deref()),
    ];
    let of_traces = vec![
        traces.header_secrets().next().map(|_| "its headers"),
        key_in(traces.collector.as_deref()),
    ];
    let webhook = alerts.webhook.as_ref().map(Secret::expose);
    // The address of a webhook is a secret: anybody who knows it may post there.
    let of_webhook = vec![Some("its address"), token(&alerts.token)];
    let others = [
        server("mcp", mcp.upstream.as_deref(), of_game),
        server("alerts.webhook", webhook, of_webhook),
        server("traces", traces.collector.as_deref(), of_traces),
    ];
    providers.chain(others).flatten().collect()
}

fn secret_headers(headers: &[HeaderSettings]) -> Option<&'static str> {
    let is_secret = |header: &HeaderSettings| {
        let value = header.value.as_ref().map(Secret::expose);
        value.is_some_and(|value| header_secrets(header.name.as_str(), value).next().is_some())
    };
    headers.iter().any(is_secret).then_some("its headers")
}

pub fn proxied_servers(settings: &Settings, proxies: &Proxies) -> Vec<ProxiedServerJson> {
    let servers = outside_servers(settings).into_iter();
    servers
        .filter_map(|server| {
            let proxy = proxies.proxy_of(&server.url)?;
            Some(ProxiedServerJson {
                proxy: proxy.shown_address()?,
                variable: proxy.variable().into(),
                address: server.address(),
                server: server.name,
            })
        })
        .collect()
}

/// Refuses settings with a server whose proxy cannot be used: its requests would all fail.
///
/// # Errors
/// There is one. The text names it and the variable, and what helps.
pub fn refuse_unusable_proxies(settings: &Settings, proxies: &Proxies) -> Result<(), String> {
    for server in outside_servers(settings) {
        let trouble = proxies
            .proxy_of(&server.url)
            .and_then(|proxy| proxy.trouble());
        if let Some(trouble) = trouble {
            let (name, address) = (&server.name, server.address());
            return Err(format!("{name} at {address} cannot be reached: {trouble}"));
        }
    }
    Ok(())
}

/// A sentence for each server on another machine that gets a secret without encryption.
pub fn unencrypted_secrets(settings: &Settings) -> Vec<String> {
    let servers = outside_servers(settings).into_iter();
    servers
        .filter(|of| of.url.scheme() == "http" && !is_on_this_machine(&of.url))
        .filter(|of| !of.secrets.is_empty())
        .map(|of| {
            format!(
                "{}: sent unencrypted to {}: {}; every machine on the way can read that: use \
                 https",
                of.name,
                of.address(),
                listed(&of.secrets)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(address: &str) -> Settings {
        let mut settings = Settings::default();
        for provider in settings.providers.values_mut() {
            provider.endpoint = format!("{address}/v1");
            provider.api_key = Some(Secret::new("sk-secret-key"));
        }
        settings.mcp.upstream = Some(format!("{address}/mcp?token=hunter2"));
        settings.alerts.webhook = Some(Secret::new(format!("{address}/hunter2")));
        settings.alerts.token = Some(Secret::new("a-token"));
        settings
    }

    fn proxies(value: &str) -> Proxies {
        Proxies::of(|name| (name == "all_proxy").then(|| value.to_owned()))
    }

    #[test]
    fn what_a_proxy_sees_is_named_with_the_variable_and_without_a_secret() {
        let proxies = proxies("http://user:hunter2@p.example:3128");
        let proxied = proxied_servers(&settings("http://game.example"), &proxies);
        let names: Vec<&str> = proxied.iter().map(|it| &*it.server).collect();
        assert_eq!(names, ["provider local", "mcp", "alerts.webhook"]);
        for server in &proxied {
            let shown = (&*server.address, &*server.proxy, &*server.variable);
            let expected = ("http://game.example", "http://p.example:3128", "all_proxy");
            assert_eq!(shown, expected);
        }
        assert!(proxied_servers(&settings("http://127.0.0.1:9"), &proxies).is_empty());
    }

    #[test]
    fn settings_that_need_a_proxy_which_cannot_be_used_are_refused() {
        let socks = proxies("socks5h://user:hunter2@p");
        let refused = refuse_unusable_proxies(&settings("https://game.example"), &socks);
        let text = refused.expect_err("a refusal");
        assert!(text.starts_with("provider local at https://game.example cannot be reached: all_proxy names a socks5h proxy"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
        assert_eq!(
            refuse_unusable_proxies(&settings("http://localhost:9"), &socks),
            Ok(())
        );
    }

    #[test]
    fn a_secret_that_leaves_the_machine_unencrypted_is_told_with_the_address() {
        let warnings = unencrypted_secrets(&settings("http://10.0.0.7:8080"));
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(
            warnings[0]
                .starts_with("provider local: sent unencrypted to http://10.0.0.7:8080: its key;"),
            "{warnings:?}"
        );
        assert!(
            warnings[1].contains("the passwords of accounts"),
            "{warnings:?}"
        );
        // The address of a webhook is a secret by itself, and so may be that of a collector.
        let mut without_headers = settings("http://10.0.0.7:8080");
        without_headers.alerts.token = None;
        without_headers.traces.collector = Some("http://10.0.0.7:4318/?key=hunter2".into());
        let warnings = [warnings, unencrypted_secrets(&without_headers)].concat();
        for (number, said) in [
            (1, "a key in its address;"),
            (2, "http://10.0.0.7:8080: its address, its token;"),
            (5, "http://10.0.0.7:8080: its address;"),
            (6, "http://10.0.0.7:4318: a key in its address;"),
        ] {
            assert!(warnings[number].contains(said), "{warnings:?}");
        }
        assert!(
            warnings.iter().all(|text| !text.contains("hunter2")),
            "{warnings:?}"
        );
        for safe in [
            "https://game.example",
            "http://127.0.0.1:8080",
            "http://[::1]",
            "http://localhost.",
        ] {
            assert!(unencrypted_secrets(&settings(safe)).is_empty(), "{safe}");
        }
    }
}
