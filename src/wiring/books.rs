//! The database: its place and its limits, as the configuration sets them.

use anyhow::Context;
use zoea_settings::Settings;

use crate::home::HomeLock;
use zoea_ledger::{HomeClaim, ProcessKind, RetentionLimits, ServerAddress, SqlLedger};
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

/// Opens the database of a home: its own file, or the server that the configuration names, which several
/// processes may share.
///
/// # Errors
/// The database cannot be used. The error says what to do.
pub async fn open_ledger(
    lock: &HomeLock,
    settings: &Settings,
    process_kind: ProcessKind,
) -> anyhow::Result<SqlLedger> {
    if let Some(address) = server_address(settings)? {
        let home = lock.home_id()?;
        let claim = HomeClaim::new(&home.id, lock.gone_owners());
        if process_kind == ProcessKind::Resident {
            lock.note_owner(claim.owner())?;
        }
        let ledger = SqlLedger::open_server(&address, claim, process_kind).await?;
        return Ok(ledger.with_note(home.note));
    }
    let file = lock.home().database();
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
