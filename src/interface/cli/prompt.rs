//! `zoea prompt`: shows and checks the system prompt that every Mysis gets.

use std::borrow::Cow;

use actors::domain::game::GameRef;
use actors::domain::order::OrderRefusal;
use actors::domain::system_prompt::{
    FoundPlaceholder, PromptFacts, costly_placeholders, has_placeholder, identity, render_template,
    role_text,
};
use clap::{Args, Subcommand};
use zoea_contract::MissionJson;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::selection::list_myses;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::wiring::prompt_template;

/// The list of placeholders for the command's help.
const PLACEHOLDERS_HELP: &str = "\
Words of your own go into system-prompt.md in the home. Placeholders there:
  {{name}}        the Mysis' name; without it and the account, both stand near the end of each request
  {{account}}     its game account
  {{mission}}     the mission in force; without it, the mission is still the first message
  {{game_state}}  the known state, with its age; without it, it stands near the end of each request
  {{notices}}     the runtime's notices; without it, they stand near the end of each request";

/// The queries about the system prompt.
#[derive(Debug, Args)]
#[command(after_help = PLACEHOLDERS_HELP)]
pub struct PromptArgs {
    #[command(subcommand)]
    command: PromptCommand,
}

/// The queries about the system prompt.
#[derive(Debug, Subcommand)]
enum PromptCommand {
    /// Print the prompt in force, rendered.
    #[command(after_help = PLACEHOLDERS_HELP)]
    Show {
        /// Render it for this Mysis [default: with examples]
        name: Option<String>,
    },
    /// Print the built-in prompt unrendered, as the beginning of one of your own.
    #[command(after_help = PLACEHOLDERS_HELP)]
    Default {
        /// Print the prompt for a server whose tools are not SpaceMolt's.
        #[arg(long)]
        other_tools: bool,
    },
    /// Check the placeholders of system-prompt.md in the home, and say what each costs.
    #[command(after_help = PLACEHOLDERS_HELP)]
    Check,
}

pub(super) async fn run(args: &PromptArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    match &args.command {
        PromptCommand::Default { other_tools: true } => Ok(out::line(GameRef::AnyTools.prompt())?),
        PromptCommand::Default { other_tools: false } => {
            Ok(out::line(GameRef::SpaceMolt.prompt())?)
        }
        PromptCommand::Check => check_template(global),
        PromptCommand::Show { name } => show_prompt(name.as_deref(), global).await,
    }
}

fn check_template(global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_swarm_home()?;
    let template = prompt_template(&home)?;
    let file = home.system_prompt();
    if template.own.is_none() {
        let text = format!(
            "there is no {}: the built-in prompt is used",
            file.display()
        );
        return Ok(out::line(&text)?);
    }
    out::line(&format!("{}: every placeholder is known", file.display()))?;
    let text = template.text(GameRef::default());
    for costly in costly_placeholders(text) {
        out::line(&describe_cost(text, &costly))?;
    }
    Ok(())
}

/// What a placeholder costs, in bytes of the template and in words.
fn describe_cost(template: &str, costly: &FoundPlaceholder<'_>) -> String {
    let line = 1 + template[..costly.offset].matches('\n').count();
    let (whole, name) = (template.len(), costly.name);
    let behind = whole - costly.offset;
    let (who, instead) = match name {
        "name" | "account" => (
            "for each Mysis",
            "without {{name}} and {{account}} both stand near the end of each request",
        ),
        "mission" => (
            "for each new mission",
            "without it, the mission is still the first message",
        ),
        _ => (
            "for each request",
            "without it, it stands near the end of each request",
        ),
    };
    format!(
        "line {line}: the model server reads everything after {{{{{name}}}}} again, at full price, {who}: {behind} of \
         {whole} bytes, the tools that most servers put there, and the conversation; {instead}"
    )
}

async fn show_prompt(name: Option<&str>, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_swarm_home()?;
    let template = prompt_template(&home)?;
    let notices = ["(the runtime's notices)".to_string()];
    let mut facts = PromptFacts {
        game: GameRef::SpaceMolt,
        name: "alpha",
        account: Some("(its game account)"),
        mission: Some("(the mission in force)"),
        game_state: "(the known state)",
        notices: &notices,
    };
    let Some(name) = name else {
        return Ok(out::line(&whole_prompt(
            template.text(facts.game),
            &facts,
            "",
        ))?);
    };
    let (account, mission, role, game) = SwarmClient::with_home(&home, global, async |client| {
        read_prompt_facts(client, name).await
    })
    .await?;
    // What a role adds is that of the configuration as it is now.
    let role = match role {
        Some(role) => global.load_settings(&home)?.settings.roles.remove(&role),
        None => None,
    };
    let role = role.map_or_else(String::new, |role| role.rules.prompt.to_string());
    facts.game = game;
    facts.name = name;
    facts.account = account.as_deref();
    facts.mission = mission.as_deref();
    Ok(out::line(&whole_prompt(
        template.text(game),
        &facts,
        &role,
    ))?)
}

/// The system prompt, and what stands behind it because the template leaves it out.
fn whole_prompt(template: &str, facts: &PromptFacts<'_>, role: &str) -> String {
    let system = render_template(template, facts);
    let mission = facts
        .mission
        .filter(|_| !has_placeholder(template, "mission"));
    let (role, identity) = (role_text(role), identity(template, facts));
    let first = [mission.unwrap_or_default(), &role];
    let first: Vec<&str> = first.into_iter().filter(|text| !text.is_empty()).collect();
    let mut text = system;
    if !first.is_empty() {
        text.push_str("\n\nThe first message of the conversation:\n\n");
        text.push_str(&first.join("\n\n"));
    }
    if !identity.is_empty() {
        text.push_str("\n\nAt the end of the last message:\n\n");
        text.push_str(&identity);
    }
    text
}

/// Reads the account of a Mysis, the mission in force, its role, and the game whose tools it has.
async fn read_prompt_facts(
    client: &SwarmClient,
    name: &str,
) -> anyhow::Result<(Option<String>, Option<String>, Option<String>, GameRef)> {
    let myses = list_myses(client, None).await?;
    let Some(mysis) = myses.iter().find(|mysis| mysis.name == name) else {
        let known = myses.iter().map(|mysis| &*mysis.name);
        anyhow::bail!(OrderRefusal::unknown_mysis(name, known));
    };
    let mission: MissionJson<'_> = client.ask(ControlCall::GetMission {}).await?;
    let text = |value: &Option<Cow<'_, str>>| value.as_deref().map(str::to_string);
    let (account, role) = (text(&mysis.account), text(&mysis.role));
    let game = GameRef::of_key(mysis.game.as_deref());
    Ok((account, text(&mission.text), role, game))
}

#[cfg(test)]
mod tests {
    use actors::domain::system_prompt::PLACEHOLDERS;

    use super::*;

    #[test]
    fn the_help_lists_every_placeholder_with_its_meaning() {
        let mut lines = PLACEHOLDERS_HELP.lines().skip(1);
        for (name, meaning) in PLACEHOLDERS {
            let line = lines.next().unwrap();
            assert!(line.contains(&format!("{{{{{name}}}}}")), "{line}");
            assert!(line.ends_with(meaning), "{line}");
        }
        assert_eq!(lines.next(), None);
    }
}
