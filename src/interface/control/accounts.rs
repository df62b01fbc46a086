//! The pool of game accounts: lists it, and imports and exports files.
//!
//! Passwords move between the database and files only. None passes the control interface.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::order::{CompletedOrder, Order};
use actors::domain::record::{AccountRecord, GameAccount, PoolAccount};
use serde_json::Value;
use zoea_contract::{AccountJson, imported_accounts, order_answer, to_value};
use zoea_text::redact::MIN_EMBEDDED_SECRET_BYTES;

use crate::interface::swarm::Swarm;
use crate::storage::accounts::{self, AccountEntry};

/// Lists all accounts, oldest first: the oldest free one is given next.
pub(super) async fn list_accounts(swarm: &Swarm) -> Result<Value, String> {
    let names = swarm.names().await?;
    let accounts = read_accounts(swarm).await?;
    let lines = accounts
        .iter()
        .map(|account| to_value(&AccountJson::new(account, owner_name(account, &names))));
    Ok(lines.collect())
}

pub(super) async fn export_accounts(swarm: &Swarm, file: String) -> Result<Value, String> {
    let names = swarm.names().await?;
    let entries: Vec<AccountEntry> = read_accounts(swarm)
        .await?
        .iter()
        .map(|record| AccountEntry {
            username: record.account.username.to_string(),
            password: record.account.password.to_string(),
            assigned_to: owner_name(record, &names).map(str::to_string),
        })
        .collect();
    let count = CompletedOrder::AccountsPooled(entries.len());
    run_blocking(move || accounts::write(Path::new(&file), &entries)).await?;
    Ok(order_answer(&count))
}

/// Imports the accounts of a file, all or none.
pub(super) async fn import_accounts(swarm: &Swarm, file: String) -> Result<Value, String> {
    let entries = run_blocking(move || accounts::read(Path::new(&file))).await?;
    let known = read_accounts(swarm).await?;
    let names = swarm.names().await?;
    let accounts = entries
        .into_iter()
        .map(|entry| to_pool_account(entry, &known, &names))
        .collect::<Result<Vec<PoolAccount>, String>>()?;
    let short = accounts.iter().map(|pooled| &pooled.account);
    let short = short.filter(|account| account.password.len() < MIN_EMBEDDED_SECRET_BYTES);
    let short: Vec<String> = short.map(|account| account.username.to_string()).collect();
    let answer = swarm.order(Order::PoolAccounts(accounts)).await;
    let done = answer.map_err(|refusal| refusal.to_string())?;
    Ok(imported_accounts(&done, &short))
}

/// Converts an entry of a file, unless it contradicts the database.
fn to_pool_account(
    entry: AccountEntry,
    known: &[AccountRecord],
    names: &BTreeMap<MysisId, Arc<str>>,
) -> Result<PoolAccount, String> {
    let owner = match &entry.assigned_to {
        Some(name) => Some(find_owner(name, &entry.username, known, names)?),
        None => None,
    };
    Ok(PoolAccount {
        account: GameAccount {
            username: entry.username.into(),
            password: entry.password.into(),
        },
        owner,
    })
}

/// Finds the Mysis that an entry belongs to. A Mysis has one account and an account one Mysis,
/// until that Mysis is deleted.
fn find_owner(
    name: &str,
    username: &str,
    known: &[AccountRecord],
    names: &BTreeMap<MysisId, Arc<str>>,
) -> Result<MysisId, String> {
    let found = names.iter().find(|(_, other)| &***other == name);
    let Some((&mysis, _)) = found else {
        return Err(format!(
            "the account {username} is assigned to {name}, and no mysis is called that; create it, \
             or leave assigned_to out"
        ));
    };
    for record in known {
        let is_same = &*record.account.username == username;
        match record.owner {
            Some(owner) if is_same && owner != mysis => {
                let other = names.get(&owner).map_or("another mysis", |name| name);
                return Err(format!("the account {username} belongs to {other} already"));
            }
            Some(owner) if !is_same && owner == mysis => {
                let other = &record.account.username;
                return Err(format!("{name} has the account {other} already"));
            }
            Some(_) | None => {}
        }
    }
    Ok(mysis)
}

fn owner_name<'a>(
    record: &AccountRecord,
    names: &'a BTreeMap<MysisId, Arc<str>>,
) -> Option<&'a str> {
    names.get(&record.owner?).map(|name| &**name)
}

async fn read_accounts(swarm: &Swarm) -> Result<Vec<AccountRecord>, String> {
    let accounts = swarm.archive().accounts().await;
    accounts.map_err(|fault| format!("the accounts cannot be read: {fault}"))
}

/// Runs file access on a blocking thread, so that a slow disk delays nobody.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, accounts::FileFault> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|fault| fault.to_string()),
        Err(error) => Err(error.to_string()),
    }
}
