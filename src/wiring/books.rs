//! The database: its place and its limits, as the configuration sets them.

use std::sync::Arc;

use anyhow::Context;
use url::{Url, form_urlencoded};

use crate::home::Home;
use crate::settings::Settings;
use zoea_ledger::{ProcessKind, RetentionLimits, ServerAddress, SqlLedger};
use zoea_system::files::ensure_private_file;

/// The server's database that the configuration names, if it names one.
///
/// # Errors
/// The configured text is not the address of a database.
pub fn server_address(settings: &Settings) -> anyhow::Result<Option<ServerAddress>> {
    let url = settings.store.database_url.as_ref();
    let address = url.map(|url| ServerAddress::parse(url.expose()));
    Ok(address.transpose()?)
}

/// Opens the database of a home whose lock the caller holds: the home's own file, or the server
/// that the configuration names, which several processes may share.
///
/// # Errors
/// The database cannot be used. The error says what to do.
pub async fn open_ledger(
    home: &Home,
    settings: &Settings,
    process_kind: ProcessKind,
) -> anyhow::Result<SqlLedger> {
    if let Some(address) = server_address(settings)? {
        return Ok(SqlLedger::open_server(&address, &home.id()?, process_kind).await?);
    }
    let file = home.database();
    let left = zoea_ledger::remove_unfinished_restore(&file);
    let left = left.context("remove what a restore left behind beside the database")?;
    ensure_private_file(&file).context("open the database")?;
    Ok(SqlLedger::open(&file).await?.with_note(left))
}

/// The limits on kept conversations.
pub(super) fn retention_limits(settings: &Settings) -> RetentionLimits {
    let rows = settings.store.keep_rows;
    RetentionLimits {
        age: settings.store.keep,
        rows: (rows > 0).then_some(rows),
    }
}

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
}
