//! URLs of servers and of databases. One that carries a password is never shown.

use toml::de::DeValue;
use url::Url;

use super::{ValueRule, describe_kind, describe_value, quote_text};
use crate::settings::secret::Secret;

/// An `http` or `https` URL.
#[derive(Debug)]
pub(in crate::settings) enum WebUrl {
    /// The start of other URLs: a path is appended to it.
    Endpoint,
    /// An address of another program; a path may be appended to it.
    Address,
    /// Complete as it stands; the empty text means that there is no such server.
    UpstreamOrNone,
}

/// An `http` or `https` URL that may be a secret as a whole, as webhooks' are.
#[derive(Debug)]
pub(in crate::settings) struct SecretUrl;

impl ValueRule for SecretUrl {
    type Value = Secret;

    fn allowed(&self) -> String {
        "an http or https URL (what stands there is not shown)".to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<Secret, String> {
        let url = value.as_str().map(|text| WebUrl::Address.check(text));
        match url {
            Some(Ok(url)) => Ok(Secret::new(url)),
            Some(Err(_)) | None => Err(describe_kind(value)),
        }
    }
}

/// The URL of a database.
#[derive(Debug)]
pub(in crate::settings) struct DatabaseUrl;

impl WebUrl {
    /// The URL as it is used, or what is wrong with it.
    pub(in crate::settings) fn check(&self, text: &str) -> Result<String, String> {
        if text.is_empty() && matches!(self, Self::UpstreamOrNone) {
            return Ok(String::new());
        }
        let url = parse_web_url(text)?;
        match self {
            Self::UpstreamOrNone => Ok(text.to_owned()),
            Self::Address => Ok(text.trim_end_matches('/').to_owned()),
            Self::Endpoint if url.query().is_some() => {
                Err(format!("{}, which has a query", quote_text(text)))
            }
            Self::Endpoint
                if url
                    .path()
                    .trim_end_matches('/')
                    .ends_with("/chat/completions") =>
            {
                Err(format!(
                    "{}, to which /chat/completions would be appended again",
                    quote_text(text)
                ))
            }
            Self::Endpoint => Ok(text.trim_end_matches('/').to_owned()),
        }
    }
}

fn parse_web_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    if let Some(url) = &url
        && (!url.username().is_empty() || url.password().is_some())
    {
        return Err("a URL with a user name or password in it (not shown here)".to_owned());
    }
    let is_of_a_url = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .filter(|url| url.fragment().is_none())
        .filter(|_| text.chars().all(is_of_a_url))
        .ok_or_else(|| {
            if text.contains('@') {
                "no such URL (not shown here)".to_owned()
            } else {
                quote_text(text)
            }
        })
}

impl ValueRule for WebUrl {
    type Value = String;

    fn allowed(&self) -> String {
        match self {
            Self::Endpoint => "an http or https URL to which /chat/completions can be appended",
            Self::Address => "an http or https URL",
            Self::UpstreamOrNone => "an http or https URL, or \"\" for no server",
        }
        .to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<String, String> {
        self.check(value.as_str().ok_or_else(|| describe_value(value))?)
    }
}

impl ValueRule for DatabaseUrl {
    type Value = Secret;

    fn allowed(&self) -> String {
        "a URL postgres://user:password@host:port/database".to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<Secret, String> {
        let is_postgres = |text: &&str| {
            Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "postgres" | "postgresql"))
        };
        value
            .as_str()
            .filter(is_postgres)
            .map(Secret::new)
            .ok_or_else(|| describe_kind(value))
    }
}
