//! `zoea mysis`: lists and changes the Myses of a swarm.

mod deletion;

use std::borrow::Cow;

use actors::domain::needs::shown_need;
use clap::{Args, Subcommand};
use zoea_contract::{Conditions, MysisStatusJson, NeedJson};
use zoea_text::figures::group_digits;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::outcomes::call_for_each;
use crate::interface::cli::selection::{MysisSelector, list_call, list_myses};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::{ConfigureMysis, CreateMysis};

use deletion::{Deletion, delete_myses, undelete_mysis};

/// The orders about Myses.
#[derive(Debug, Subcommand)]
pub enum MysisCommand {
    /// List the Myses and their states.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Only the Myses that fit all conditions, with commas between them: state, name, provider,
        /// model, role, account or system, then = or !=, then a value; * stands for anything.
        #[arg(long = "where", value_name = "CONDITIONS", value_parser = Conditions::parse)]
        conditions: Option<Conditions>,
    },
    /// Create a Mysis. It is idle until it is started.
    Create(CreateMysis),
    /// Start Myses; errored ones are relaunched.
    Start(MysisSelector),
    /// Retry now: errored Myses, and those that wait for their next try.
    Retry(MysisSelector),
    /// Stop Myses.
    Stop(MysisSelector),
    /// Delete Myses, with their conversations.
    Delete {
        #[command(flatten)]
        which: MysisSelector,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
        /// Keep no copy, so that nothing brings them back.
        #[arg(long)]
        now: bool,
    },
    /// Bring a Mysis back that was deleted in the last day, idle, under its name or NAME-2.
    Undelete {
        /// Its name when it was deleted.
        name: String,
    },
    /// Change the settings of Myses.
    Configure(ConfigureArgs),
}

/// The settings that are changed, and of whom.
#[derive(Debug, Args)]
pub struct ConfigureArgs {
    #[command(flatten)]
    which: MysisSelector,
    #[command(flatten)]
    change: ConfigureMysis,
}

pub(super) async fn run(command: &MysisCommand, global: &GlobalArgs) -> anyhow::Result<()> {
    SwarmClient::with(global, async |client| {
        carry_out(client, global, command).await
    })
    .await
}

async fn carry_out(
    client: &SwarmClient,
    global: &GlobalArgs,
    command: &MysisCommand,
) -> anyhow::Result<()> {
    match command {
        MysisCommand::List { json, conditions } => {
            print_list(client, *json, conditions.as_ref()).await
        }
        MysisCommand::Create(args) => {
            client.call(ControlCall::CreateMysis(args.clone())).await?;
            Ok(out::line(&format!("created {}", args.name))?)
        }
        MysisCommand::Start(which) => {
            let start = |name| ControlCall::StartMysis { name };
            call_for_each(client, which, start, "started").await
        }
        MysisCommand::Retry(which) => {
            let retry = |name| ControlCall::RetryMysis { name };
            call_for_each(client, which, retry, "retried").await
        }
        MysisCommand::Stop(which) => {
            let stop = |name| ControlCall::StopMysis { name };
            call_for_each(client, which, stop, "stopped").await
        }
        MysisCommand::Delete { which, yes, now } => {
            let (yes, now) = (*yes, *now);
            delete_myses(client, global, Deletion { which, yes, now }).await
        }
        MysisCommand::Undelete { name } => undelete_mysis(client, name).await,
        MysisCommand::Configure(args) => configure_myses(client, args).await,
    }
}

async fn configure_myses(client: &SwarmClient, args: &ConfigureArgs) -> anyhow::Result<()> {
    let change = &args.change;
    let names_model = change.provider.is_some() || change.model.is_some() || change.role.is_some();
    anyhow::ensure!(
        names_model || change.temperature.is_some(),
        "nothing to change: give --provider, --model, --temperature or --role; `zoea mysis list` \
         shows what they have now"
    );
    let configure = |name| {
        ControlCall::ConfigureMysis(ConfigureMysis {
            name,
            ..change.clone()
        })
    };
    call_for_each(client, &args.which, configure, "configured").await
}

async fn print_list(
    client: &SwarmClient,
    as_json: bool,
    conditions: Option<&Conditions>,
) -> anyhow::Result<()> {
    if as_json {
        return Ok(out::json(&client.call(list_call(conditions)).await?)?);
    }
    let myses = list_myses(client, conditions).await?;
    match conditions {
        Some(conditions) if myses.is_empty() => {
            out::note(&format!("no Mysis matches {}", conditions.text()));
        }
        Some(_) | None => {}
    }
    Ok(mysis_table(&myses, &[]).print()?)
}

/// A table of Myses with its heading. `needs`: what needs the operator.
pub(super) fn mysis_table(myses: &[MysisStatusJson<'_>], needs: &[NeedJson]) -> Table {
    let first = myses.first().map(|mysis| &mysis.process);
    let are_many = myses.iter().any(|mysis| Some(&mysis.process) != first);
    let have_roles = myses.iter().any(|mysis| mysis.role.is_some());
    let need_of = |name: &str| {
        let mut needs = needs.iter();
        let need = needs.find(|need| need.myses.iter().any(|needy| needy == name));
        need.map_or("", |need| shown_need(&need.what))
    };
    let have_needs = myses.iter().any(|mysis| !need_of(&mysis.name).is_empty());
    // Tools that are no game's tell of no money.
    let have_money = myses.iter().any(|mysis| {
        let figures = &mysis.figures;
        figures.facts.credits.is_some() || figures.earned_last_hour.is_some()
    });
    // Nor do they have accounts.
    let have_accounts = myses.is_empty() || myses.iter().any(|mysis| mysis.game.is_none());
    let mut columns = vec![Column::text("NAME")];
    columns.extend(are_many.then_some(Column::text("PROCESS")));
    columns.push(Column::state("STATE"));
    columns.extend(have_needs.then_some(Column::text("NEED")));
    columns.push(Column::text("DOING"));
    columns.extend(have_accounts.then_some(Column::text("ACCOUNT")));
    columns.extend(have_roles.then_some(Column::text("ROLE")));
    columns.extend(["PROVIDER", "MODEL"].map(Column::text));
    let money = have_money.then_some(["CREDITS", "EARNED"]);
    columns.extend(money.into_iter().flatten().map(Column::figure));
    columns.extend(["COST", "TURNS"].map(Column::figure));
    let mut table = Table::new(&columns);
    for mysis in myses {
        let or_hyphen = |text: &Option<Cow<'_, str>>| text.as_deref().unwrap_or("-").to_string();
        let doing = match (&*mysis.state, &mysis.reason) {
            ("running", _) | (_, None) => &*mysis.activity,
            (_, Some(reason)) => reason,
        };
        let mut cells = vec![mysis.name.to_string()];
        cells.extend(are_many.then(|| or_hyphen(&mysis.process)));
        cells.push(mysis.state.to_string());
        cells.extend(have_needs.then(|| need_of(&mysis.name).to_string()));
        cells.push(out::shorten(doing, 50));
        cells.extend(have_accounts.then(|| or_hyphen(&mysis.account)));
        cells.extend(have_roles.then(|| {
            let unknown = match mysis.role_known {
                Some(false) => " (not configured)",
                Some(true) | None => "",
            };
            format!("{}{unknown}", or_hyphen(&mysis.role))
        }));
        cells.extend([mysis.provider.to_string(), mysis.model.to_string()]);
        if have_money {
            let figures = &mysis.figures;
            cells.push(shown::number_or_hyphen(figures.facts.credits));
            // Of the last hour, as in the table of the screen.
            cells.push(shown::number_or_hyphen(figures.earned_last_hour));
        }
        let dollars = |cost| shown::dollars(Some(cost));
        cells.push(mysis.cost.map_or("-".to_string(), dollars));
        cells.push(group_digits(mysis.turns));
        table.add(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use zoea_contract::FiguresJson;

    use super::*;

    #[test]
    fn what_a_mysis_earned_is_that_of_the_last_hour_as_on_the_screen() {
        let figures = FiguresJson {
            earned_last_hour: Some(881),
            earned: Some(457),
            ..FiguresJson::default()
        };
        let mysis = MysisStatusJson {
            figures,
            ..MysisStatusJson::default()
        };
        let table = format!("{:?}", mysis_table(&[mysis], &[]));
        assert!(table.contains("\"EARNED\""), "{table}");
        assert!(table.contains("\"881\""), "{table}");
        assert!(!table.contains("\"457\""), "{table}");
    }
}
