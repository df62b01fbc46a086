//! The database: its place and its limits, as the configuration sets them.

use anyhow::Context;
use zoea_settings::Settings;

use crate::home::Home;
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
