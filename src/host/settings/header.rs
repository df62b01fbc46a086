//! Headers of requests and variables of processes, whose values are secrets: `[SECTION.headers]`
//! and `[mcp.env]`.

use http::{HeaderName, HeaderValue};
use toml::de::DeValue;
use zoea_text::redact::is_secret_name;

use super::key::Key;
use super::rule::{non_empty_text, variable_name};
use super::secret::Secret;
use super::section::Section;
use super::table::read_keys;

/// Something with a name, whose value stands elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcedValue<N> {
    pub name: N,
    pub source: ValueSource,
    /// Its value; `None` if none was found, which is reported as a warning.
    pub value: Option<Secret>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSource {
    Variable(String),
    /// The entry of this name in `credentials.json`, under `secrets`.
    Entry(String),
    /// The variable of this name or, where it is not set, the entry of this name. So it is written as
    /// a bare text.
    Either(String),
    /// The configuration itself, where a variable of a process is written as a bare text.
    Plain(String),
}

/// A header of every request to a server.
pub type HeaderSettings = SourcedValue<HeaderName>;

/// A variable of a server's process.
pub type VariableSettings = SourcedValue<String>;

impl VariableSettings {
    /// Its value where it is secret. One that stands in the configuration is, if its name says so.
    pub fn secret(&self) -> Option<&Secret> {
        let is_secret = match self.source {
            ValueSource::Variable(_) | ValueSource::Entry(_) | ValueSource::Either(_) => true,
            ValueSource::Plain(_) => is_secret_name(&self.name),
        };
        self.value.as_ref().filter(|_| is_secret)
    }
}

impl HeaderSettings {
    /// Headers as they are sent, without those that have no value.
    pub fn sent<T: FromIterator<(HeaderName, HeaderValue)>>(headers: &[Self]) -> T {
        let sent = headers.iter().filter_map(|header| {
            let mut value = HeaderValue::from_str(header.value.as_ref()?.expose()).ok()?;
            value.set_sensitive(true);
            Some((header.name.clone(), value))
        });
        sent.collect()
    }
}

/// Headers that the program sets itself, whatever the server.
const OWN_HEADERS: [&str; 5] = [
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
];

/// Those that it sets beside them for an MCP server. So are all that begin with `mcp-`.
const OWN_MCP_HEADERS: [&str; 4] = ["accept", "last-event-id", "te", "upgrade"];

const HEADERS: Key = Key {
    name: "headers",
    help: &[
        " Further headers of every request, each with the variable or the entry of credentials.json that",
        " holds its value; an entry is written {\"secrets\": {\"tenant\": \"…\"}}",
    ],
    sample: r#"{ X-Tenant = { env = "TENANT" } }"#,
    variable: None,
};

/// Reads the table `headers` of a provider: for each header the place of its value.
pub(super) fn read_headers(section: &mut Section<'_, '_>) -> Vec<HeaderSettings> {
    read_free_headers(section, |name| !OWN_HEADERS.contains(&name))
}

/// Reads the table `headers` of an MCP server.
pub(super) fn read_mcp_headers(section: &mut Section<'_, '_>) -> Vec<HeaderSettings> {
    read_free_headers(section, |name| {
        let is_own = OWN_HEADERS.contains(&name) || OWN_MCP_HEADERS.contains(&name);
        !is_own && !name.starts_with("mcp-")
    })
}

fn read_free_headers(
    section: &mut Section<'_, '_>,
    is_free: impl Fn(&str) -> bool,
) -> Vec<HeaderSettings> {
    let allowed = "the name of a header that the program does not set itself";
    let remarks = ("not a header that can be set here", allowed);
    read_sourced(section, HEADERS, remarks, read_bare, |text| {
        let name = HeaderName::from_bytes(text.as_bytes()).ok();
        name.filter(|name| is_free(name.as_str()))
    })
}

/// Reads the table `env` of a section: for each variable of a process its value as a bare text, as
/// servers' own pages have it, or the place of its value.
pub(super) fn read_variables(section: &mut Section<'_, '_>) -> Vec<VariableSettings> {
    let allowed = "the name of an environment variable";
    let key = Key::of_section("env");
    let remarks = ("not the name of a variable", allowed);
    let plain = |_: &mut Section<'_, '_>, bare: &str| Some(ValueSource::Plain(bare.to_owned()));
    read_sourced(section, key, remarks, plain, |text| {
        let name = DeValue::String(text.into());
        variable_name().accept(&name).ok()
    })
}

/// Reads a table of names, each with the place of its value. A name that cannot be taken is
/// reported in these words: what it is, and what is allowed.
fn read_sourced<N>(
    section: &mut Section<'_, '_>,
    key: Key,
    (found, allowed): (&str, &str),
    read_bare: impl Fn(&mut Section<'_, '_>, &str) -> Option<ValueSource>,
    accept: impl Fn(&str) -> Option<N>,
) -> Vec<SourcedValue<N>> {
    let values = section.read_named_values(key, |text, entry, bare| {
        let source = match bare {
            Some(bare) => read_bare(entry, bare),
            None => read_source(entry),
        };
        let name = accept(text);
        if name.is_none() {
            entry.reject_whole(found, allowed);
        }
        Some(SourcedValue {
            name: name?,
            source: source?,
            value: None,
        })
    });
    values.into_iter().flatten().collect()
}

const SOURCE_FORM: &str = r#"{ env = "VARIABLE" } or { name = "ENTRY" }"#;

fn read_source(entry: &mut Section<'_, '_>) -> Option<ValueSource> {
    read_keys! { entry;
        /// The variable that holds the value.
        optional env = "TENANT", variable_name();
        /// The entry of credentials.json that holds it, where no variable is named.
        optional name = "tenant", non_empty_text();
    }
    let variable = env.map(ValueSource::Variable);
    let source = variable.or(name.map(ValueSource::Entry));
    if source.is_none() {
        entry.reject_whole("without a value", SOURCE_FORM);
    }
    source
}

/// A bare text was the form of providers' headers once.
fn read_bare(entry: &mut Section<'_, '_>, bare: &str) -> Option<ValueSource> {
    let is_no_name = bare.parse::<f64>().is_ok() || bare.parse::<bool>().is_ok();
    if bare.is_empty() || is_no_name {
        entry.reject_whole("without a value", SOURCE_FORM);
        return None;
    }
    Some(ValueSource::Either(bare.to_owned()))
}
