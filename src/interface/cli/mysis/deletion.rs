//! `zoea mysis delete`: asks before anything is gone.

use serde_json::Value;
use zoea_text::natural::compare_natural;

use crate::interface::cli::out;
use crate::interface::cli::question::{ask_for_number, ask_to_agree, can_ask};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

use super::{MysisSelector, call_for_each, order_each, selected_names};

/// The most Myses that a `y` deletes, and only if none of them runs.
const MOST_DELETED_BY_YES: usize = 3;

pub(super) async fn delete_myses(
    client: &SwarmClient,
    which: &MysisSelector,
    yes: bool,
    now: bool,
) -> anyhow::Result<()> {
    let delete = |name| ControlCall::DeleteMysis { name, now };
    if which.dry_run {
        return call_for_each(client, which, delete, "deleted").await;
    }
    let names = selected_names(client, &which.which).await?;
    if names.is_empty() {
        out::note("no Mysis fits, so nothing was done");
        return Ok(());
    }
    if !yes {
        confirm_deletion(client, names.clone()).await?;
    }
    order_each(client, &names, true, delete, "deleted").await?;
    if !now {
        out::note("copies are kept for a day: `zoea mysis undelete NAME` brings one back");
    }
    Ok(())
}

pub(super) async fn undelete_mysis(client: &SwarmClient, name: &str) -> anyhow::Result<()> {
    let name = name.to_string();
    let call = ControlCall::UndeleteMysis { name };
    let answer = client.call(call).await?;
    let text = |key: &str| answer[key].as_str().map(out::clean);
    let name = text("undeleted").unwrap_or_default();
    Ok(out::line(&match text("account") {
        Some(account) => format!("{name} is back, idle, with its game account {account}"),
        None => format!("{name} is back, idle, without a game account"),
    })?)
}

/// Asks for confirmation at the prompt. Without a terminal, `--yes` is required.
async fn confirm_deletion(client: &SwarmClient, mut names: Vec<String>) -> anyhow::Result<()> {
    if !can_ask() {
        anyhow::bail!(
            "there is no terminal to confirm at; give --yes to delete without a question"
        );
    }
    names.sort_by(|a, b| compare_natural(a, b));
    let myses = client.call(ControlCall::all_myses()).await?;
    let runs = |mysis: &&Value| {
        mysis["state"] == "running"
            && names
                .iter()
                .any(|name| mysis["name"].as_str() == Some(name))
    };
    let running = myses.as_array().into_iter().flatten().filter(runs).count();
    let many = names.len();
    let what = match &names[..] {
        [name] if running == 0 => format!("delete {name} with its whole conversation?"),
        [name] => format!("delete {name}, which runs, with its whole conversation?"),
        several => format!(
            "delete these {many} with their whole conversations ({running} of them run): {}?",
            several.join(", ")
        ),
    };
    let is_agreed = match running > 0 || many > MOST_DELETED_BY_YES {
        true => ask_for_number(&what, many)?,
        false => ask_to_agree(&what)?,
    };
    if is_agreed {
        return Ok(());
    }
    anyhow::bail!("not deleted")
}
