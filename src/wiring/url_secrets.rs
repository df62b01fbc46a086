//! Secrets in URLs: what of an address grants access to whoever knows it.

use std::sync::Arc;

use url::{Url, form_urlencoded};
use zoea_text::redact::is_secret_name;

/// From this length on, a part of an address that has a digit is taken for a key.
const MIN_KEY_BYTES: usize = 16;

/// The passwords in a database's URL, both as written and decoded.
pub(super) fn url_passwords(url: &str) -> Vec<Arc<str>> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    let written = url.password().unwrap_or_default();
    // A plus sign means itself before the query part.
    let pair = format!("password={}", written.replace('+', "%2B"));
    let meant = form_urlencoded::parse(pair.as_bytes());
    let in_query = url.query_pairs().filter(|(key, _)| key == "password");
    let mut passwords: Vec<Arc<str>> = vec![written.into()];
    passwords.extend(
        meant
            .chain(in_query)
            .map(|(_, value)| value.as_ref().into()),
    );
    passwords.retain(|password| !password.is_empty());
    passwords.dedup();
    passwords
}

/// The keys in a server's URL: what of its query is named or looks so, and what of its path looks so.
pub(super) fn url_keys(url: &str) -> Vec<Arc<str>> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    let in_query = url.query_pairs().filter_map(|(name, value)| {
        let is_key = is_secret_name(&name) || looks_like_a_key(&value);
        is_key.then(|| value.as_ref().into())
    });
    let in_path = url.path_segments().into_iter().flatten();
    let in_path = in_path.filter(|part| looks_like_a_key(part));
    in_query.chain(in_path.map(Into::into)).collect()
}

fn looks_like_a_key(text: &str) -> bool {
    text.len() >= MIN_KEY_BYTES && text.bytes().any(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_known_as_they_stand_and_as_they_are_meant() {
        let known = url_passwords("postgres://u:open%20sesame+1@h/d?password=other%21");
        let known: Vec<&str> = known.iter().map(|password| &**password).collect();
        assert_eq!(known, ["open%20sesame+1", "open sesame+1", "other!"]);
        assert!(url_passwords("postgres://u@h/d").is_empty());
    }

    #[test]
    fn the_keys_in_an_address_are_known_and_its_words_are_not() {
        let keys = |url: &str| -> Vec<String> {
            let keys = url_keys(url);
            keys.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            keys("https://c.example/v1/traces?api-key=s3cr3t%20k&project=belt"),
            ["s3cr3t k"]
        );
        assert_eq!(
            keys("https://hooks.example/services/T0123456789ABCDEF/notify?x=0123456789abcdef"),
            ["0123456789abcdef", "T0123456789ABCDEF"]
        );
        for plain in [
            "http://127.0.0.1:4318/v1/traces",
            "https://cloud.example/api/public/otel/v1/traces",
            "https://game.spacemolt.com/mcp/v2",
            "no address",
        ] {
            assert!(keys(plain).is_empty(), "{plain}");
        }
    }
}
