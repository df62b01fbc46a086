//! Headers of requests, whose values are secrets: `[SECTION.headers]`.

use http::{HeaderName, HeaderValue};

use super::key::Key;
use super::provider::KeySource;
use super::rule::{non_empty_text, variable_name};
use super::secret::Secret;
use super::section::Section;
use super::table::read_keys;

/// A header of every request to a server.
#[derive(Debug, Clone, PartialEq)]
pub struct HeaderSettings {
    /// Its name.
    pub name: HeaderName,
    /// Where its value comes from.
    pub source: KeySource,
    /// Its value; `None` if none was found, which is reported as a warning.
    pub value: Option<Secret>,
}

impl HeaderSettings {
    /// The header as it is sent; `None` without a value.
    #[must_use]
    pub fn to_header(&self) -> Option<(HeaderName, HeaderValue)> {
        let mut value = HeaderValue::from_str(self.value.as_ref()?.expose()).ok()?;
        value.set_sensitive(true);
        Some((self.name.clone(), value))
    }
}

/// Headers that the program sets itself. So are all that begin with `mcp-`.
const OWN_HEADERS: [&str; 9] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

const HEADERS: Key = Key {
    name: "headers",
    help: &[
        " Further headers of every request, each with the variable or the entry of credentials.json that",
        " holds its value; an entry is written {\"secrets\": {\"tenant\": \"…\"}}",
    ],
    sample: r#"{ X-Tenant = { env = "GAME_TENANT" } }"#,
    variable: None,
};

/// Reads the table `headers` of a section: for each header the place of its value.
pub(super) fn read_headers(section: &mut Section<'_, '_>) -> Vec<HeaderSettings> {
    let headers = section.read_named_of(HEADERS, |text, header| {
        read_keys! { header;
            /// The variable that holds the value.
            optional env = "GAME_TENANT", variable_name();
            /// The entry of credentials.json that holds it, where no variable is named.
            optional name = "tenant", non_empty_text();
        }
        if env.is_none() && name.is_none() {
            header.reject_whole(
                "without a value",
                r#"{ env = "VARIABLE" } or { name = "ENTRY" }"#,
            );
        }
        let source = KeySource::of(env, name);
        let name = HeaderName::from_bytes(text.as_bytes()).ok().filter(is_free);
        if name.is_none() {
            let allowed = "the name of a header that the program does not set itself";
            header.reject_whole("no such header", allowed);
        }
        Some(HeaderSettings {
            name: name?,
            source,
            value: None,
        })
    });
    headers.into_iter().flatten().collect()
}

fn is_free(name: &HeaderName) -> bool {
    !OWN_HEADERS.contains(&name.as_str()) && !name.as_str().starts_with("mcp-")
}
