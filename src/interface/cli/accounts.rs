//! `zoea accounts`: the pool of game accounts.

use std::borrow::Cow;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Subcommand;
use zoea_contract::{AccountJson, OrderAnswerJson};
use zoea_text::names::listed;
use zoea_text::redact::MIN_EMBEDDED_SECRET_BYTES;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::listing::{Listed, print_list};
use crate::interface::cli::out::{self, Column};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// The orders about game accounts.
#[derive(Debug, Subcommand)]
pub enum AccountsCommand {
    /// List the accounts, without passwords.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add the accounts of a JSON file to the pool: [{"username", "password", "assigned_to"?}].
    Import {
        /// The JSON file to read.
        file: PathBuf,
    },
    /// Write all accounts, with passwords, to a new JSON file that only its owner can read.
    Export {
        /// The file to write; it must not exist.
        file: PathBuf,
    },
}

pub(super) async fn run(command: &AccountsCommand, global: &GlobalArgs) -> anyhow::Result<()> {
    SwarmClient::with(global, async |client| carry_out(client, command).await).await
}

async fn carry_out(client: &SwarmClient, command: &AccountsCommand) -> anyhow::Result<()> {
    match command {
        AccountsCommand::List { json } => print_list::<AccountJson<'_>>(client, *json).await,
        AccountsCommand::Import { file } => {
            warn_of_readers(file);
            let file = absolute_file(file)?;
            let done: OrderAnswerJson = client.ask(ControlCall::ImportAccounts { file }).await?;
            warn_of_short_passwords(&done.short_passwords);
            let count = done.accounts.unwrap_or_default();
            Ok(out::line(&format!(
                "{count} accounts are in the pool or with their owners"
            ))?)
        }
        AccountsCommand::Export { file } => {
            let call = ControlCall::ExportAccounts {
                file: absolute_file(file)?,
            };
            let done: OrderAnswerJson = client.ask(call).await?;
            let (count, file) = (done.accounts.unwrap_or_default(), file.display());
            Ok(out::line(&format!("{count} accounts are in {file}"))?)
        }
    }
}

/// The absolute path of a file. The running program may have another working directory.
fn absolute_file(file: &Path) -> anyhow::Result<String> {
    let file = std::path::absolute(file).context("find the file")?;
    let file = file.to_str().context("the file's name is not valid text")?;
    Ok(file.to_string())
}

impl Listed for AccountJson<'static> {
    const COLUMNS: &'static [Column] = &[
        Column::text("USERNAME"),
        Column::text("ASSIGNED TO"),
        Column::text("LAST USED"),
    ];
    const NONE: Option<&'static str> = None;

    fn call() -> ControlCall {
        ControlCall::ListAccounts {}
    }

    fn cells(self) -> Vec<String> {
        let used = self.last_used_at.as_deref().map(shown::time);
        let owner = self.assigned_to.map(Cow::into_owned);
        let or_hyphen = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
        let username = self.username.into_owned();
        vec![username, or_hyphen(owner), or_hyphen(used)]
    }
}

fn warn_of_short_passwords(names: &[String]) {
    if !names.is_empty() {
        out::note(&format!(
            "the password of {} is shorter than {MIN_EMBEDDED_SECRET_BYTES} letters: in texts it is \
             redacted only as a separate word",
            listed(names)
        ));
    }
}

fn warn_of_readers(file: &Path) {
    let Ok(metadata) = std::fs::metadata(file) else {
        return;
    };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        out::note(&format!(
            "{} holds passwords and can be read by other users (mode {mode:04o}); run chmod 600 on it",
            file.display()
        ));
    }
}
