//! `zoea mysis delete`: asks before anything is gone.

use zoea_contract::{MysisStatusJson, OrderAnswerJson};
use zoea_text::natural::compare_natural;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::outcomes::{OrderWords, order_each};
use crate::interface::cli::question::{ask_for_number, ask_to_agree, can_ask};
use crate::interface::cli::selection::{MysisSelector, list_myses};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// The most Myses that a `y` deletes, and only if none of them runs.
const MOST_DELETED_BY_YES: usize = 3;

/// What is deleted, and how.
pub(super) struct Deletion<'a> {
    pub(super) which: &'a MysisSelector,
    /// Whether it deletes without a question.
    pub(super) yes: bool,
    /// Whether no copy is kept.
    pub(super) now: bool,
}

pub(super) async fn delete_myses(
    client: &SwarmClient,
    global: &GlobalArgs,
    Deletion { which, yes, now }: Deletion<'_>,
) -> anyhow::Result<()> {
    let mut chosen = which.which.resolve(client).await?;
    // That one is gone already is no success: another one may have its name soon.
    chosen.are_named = true;
    let is_for_real = !which.shown.dry_run && !chosen.names.is_empty();
    if is_for_real && !yes {
        confirm_deletion(client, chosen.names.clone()).await?;
    }
    let delete = |name| ControlCall::DeleteMysis { name, now };
    let words = OrderWords::participle("deleted");
    order_each(client, &chosen, delete, &words, which.shown).await?;
    if is_for_real && !now {
        out::note("copies are kept for a day: `zoea mysis undelete NAME` brings one back");
    }
    if is_for_real {
        note_declared(global, &chosen.names)?;
    }
    Ok(())
}

/// Says which of these come back, because the configuration declares them.
fn note_declared(global: &GlobalArgs, deleted: &[String]) -> anyhow::Result<()> {
    let settings = global.load_settings(&global.open_swarm_home()?)?.settings;
    let declared = settings.myses.iter().map(|mysis| &mysis.name);
    let declared: Vec<&str> = declared
        .filter(|name| deleted.contains(name))
        .map(String::as_str)
        .collect();
    if !declared.is_empty() {
        out::note(&format!(
            "the configuration declares {} ([[myses]]), so it comes back empty with the next start, reload or command \
             on the database, and `undelete` finds its name taken: remove it there first",
            declared.join(", ")
        ));
    }
    Ok(())
}

pub(super) async fn undelete_mysis(client: &SwarmClient, name: &str) -> anyhow::Result<()> {
    let name = name.to_string();
    let call = ControlCall::UndeleteMysis { name };
    let answer: OrderAnswerJson = client.ask(call).await?;
    let name = answer.undeleted.unwrap_or_default();
    Ok(out::line(&match answer.account {
        Some(account) => format!("{name} is back, idle, with its game account {account}"),
        None => format!("{name} is back, idle, without a game account"),
    })?)
}

/// Asks for confirmation at the prompt. Without a terminal, `--yes` is required.
async fn confirm_deletion(client: &SwarmClient, mut names: Vec<String>) -> anyhow::Result<()> {
    if !can_ask() {
        anyhow::bail!(
            "there is no terminal to confirm this; give --yes to delete without a question"
        );
    }
    names.sort_by(|a, b| compare_natural(a, b));
    let myses = list_myses(client, None).await?;
    let runs = |mysis: &&MysisStatusJson<'_>| {
        mysis.state == "running" && names.iter().any(|name| mysis.name == *name)
    };
    let running = myses.iter().filter(runs).count();
    let many = names.len();
    let what = match &names[..] {
        [name] if running == 0 => format!("delete {name} with its whole conversation?"),
        [name] => format!("delete the running {name} with its whole conversation?"),
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
