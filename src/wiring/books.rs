//! The database: its place and its limits, as the configuration sets them.

use anyhow::Context;
use zoea_settings::Settings;

use crate::host::home::{Home, HomeLock, Traces};
use zoea_ledger::{
    HomeClaim, OpenError, ProcessKind, RestoreResult, RetentionLimits, ServerAddress, SqlLedger,
};
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
    check_database_is_there(lock.home())?;
    ensure_private_file(&zoea_ledger::real_place(&file)).context("open the database")?;
    Ok(SqlLedger::open(&file).await?.with_note(left))
}

/// Checks that a home without a database is a new one. One that has had a swarm before has lost it.
///
/// # Errors
/// The database is gone. The error says what to do.
pub fn check_database_is_there(home: &Home) -> Result<(), OpenError> {
    let file = home.database();
    zoea_ledger::check_place(&file)?;
    // A file that cannot be read is told by whoever opens it.
    if !zoea_ledger::is_blank(&file).unwrap_or(false) {
        return Ok(());
    }
    match home.traces() {
        None => Ok(()),
        Some(Traces { trace, copy }) => {
            Err(zoea_ledger::gone_error(&file, &trace, copy.as_deref()))
        }
    }
}

/// Begins with an empty database in a home whose lock the caller holds. What was there is kept.
///
/// # Errors
/// What is there cannot be moved, or no database can be made.
pub async fn begin_anew(home: &Home) -> anyhow::Result<RestoreResult> {
    let file = home.database();
    let cleared = zoea_ledger::clear_place(&file).await?;
    ensure_private_file(&file).context("make the database")?;
    SqlLedger::open(&file).await?.close().await;
    Ok(cleared)
}

pub(super) fn retention_limits(settings: &Settings) -> RetentionLimits {
    let rows = settings.store.keep_rows;
    RetentionLimits {
        age: settings.store.keep,
        rows: (rows > 0).then_some(rows),
    }
}
