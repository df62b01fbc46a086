//! Rules for URLs of servers and databases. One that contains a password is never shown.

use url::Url;

use super::{Rule, describe_value, quote_text};
use crate::secret::Secret;

/// The word for the built-in game, which the program itself serves while it runs.
pub const BUILT_IN_GAME: &str = "offline";

pub(crate) fn server_url() -> Rule<String> {
    web_url("an http or https URL", |text| {
        check_web_url(text).map(|_| text.to_owned())
    })
}

pub(crate) fn endpoint_url() -> Rule<String> {
    let allowed = "an http or https URL to which /chat/completions can be appended";
    web_url(allowed, |text| {
        let url = check_web_url(text)?;
        let path = url.path().trim_end_matches('/');
        let found = quote_url(text);
        if url.query().is_some() {
            Err(found)
        } else if path.ends_with("/chat/completions") {
            Err(format!(
                "{found}, to which /chat/completions would be appended again"
            ))
        } else {
            Ok(text.trim_end_matches('/').to_owned())
        }
    })
}

/// The complete URL of the game. The empty string means that there is no such server.
pub(crate) fn upstream_url() -> Rule<Option<String>> {
    let allowed = "an http or https URL, \"offline\" for the built-in game, or \"\" for no server";
    web_url(allowed, |text| {
        if matches!(text, "" | BUILT_IN_GAME) {
            return Ok((!text.is_empty()).then(|| text.to_owned()));
        }
        check_web_url(text).map(|_| Some(text.to_owned()))
    })
}

/// An `http` or `https` URL that is not shown, because a webhook's URL is a secret as a whole.
pub(crate) fn secret_url() -> Rule<Secret> {
    let allowed = "an http or https URL (the present value is not shown)";
    Rule::of_secrets(allowed, |text| {
        check_web_url(text).ok().map(|_| Secret::new(text))
    })
}

pub(crate) fn database_url() -> Rule<Secret> {
    let allowed = "a URL postgres://user:password@host:port/database";
    Rule::of_secrets(allowed, |text| {
        let url = Url::parse(text).ok()?;
        matches!(url.scheme(), "postgres" | "postgresql").then(|| Secret::new(text))
    })
}

fn web_url<T: 'static>(
    allowed: &str,
    read: impl Fn(&str) -> Result<T, String> + 'static,
) -> Rule<T> {
    Rule::new(allowed, move |value| {
        read(value.as_str().ok_or_else(|| describe_value(value))?)
    })
}

/// A URL in quotes, without the query and the fragment, which may hold a key.
fn quote_url(text: &str) -> String {
    match text.split_once(['?', '#']) {
        Some((start, _)) => format!(
            "{} with a query or a fragment (not shown here)",
            quote_text(start)
        ),
        None => quote_text(text),
    }
}

/// Parses a URL, or says what is wrong with it.
fn check_web_url(text: &str) -> Result<Url, String> {
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
        .ok_or_else(|| match text.contains('@') {
            true => "no such URL (not shown here)".to_owned(),
            false => quote_url(text),
        })
}
